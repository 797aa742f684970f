// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_completer.hpp"

#include <algorithm>

#include "refmodel/cxl_io/completion.hpp"

namespace cxlgpu {
namespace {

constexpr unsigned kBar0Bits = 18;
constexpr unsigned kCapabilityArray = 0x1000, kWeightIo = 0xe180, kWeightCm = 0xe1c0;
constexpr std::array<std::uint32_t, 4> kCapabilities{0x0311'0001, 0x8001'0005, 0x2002'0002,
                                                     0x3002'0004};

// What in BAR0 is behind the register port, and where there.
struct Window {
  unsigned offset, bytes, addr;
};
constexpr std::array<Window, 5> kWindows{{{0x1200, 0x80, 0x1000},
                                          {0x1300, 0x40, 0x1080},
                                          {0x1800, 0x800, 0x000},
                                          {0x1'0000, 0x800, 0x800},
                                          {0x2'0000, 0x400, 0x1400}}};

std::optional<unsigned> register_at(unsigned offset) {
  for (const Window& w : kWindows) {
    if (offset >= w.offset && offset < w.offset + w.bytes) return w.addr + offset - w.offset;
  }
  return std::nullopt;
}

unsigned offset_of(const Tlp& tlp, unsigned dw) {
  return static_cast<unsigned>(address_of(tlp) % (1u << kBar0Bits)) + 4 * dw;
}

bool whole_or_none(unsigned enables) {
  return enables == 0xf || enables == 0;
}

// Unlock, PM_Active_State_Nak, PME_Turn_Off, the ignored messages, Set_Slot_Power_Limit,
// vendor-defined type 1; of type 0 the PM messages of CXL.
bool takes_message(const Tlp& tlp) {
  static constexpr std::uint8_t kCodes[] = {0x00, 0x14, 0x19, 0x40, 0x41, 0x43,
                                            0x44, 0x45, 0x47, 0x48, 0x50, 0x7f};
  if (tlp[7] == 0x7e) return tlp[10] == 0x1e && tlp[11] == 0x98 && tlp[15] == 0x68;
  return std::ranges::find(kCodes, tlp[7]) != std::end(kCodes);
}

}  // namespace

// In the order of the page's table.
IoCompleter::Verdict IoCompleter::judge(const Tlp& tlp, const In& in) {
  static constexpr Verdict kAccess{.access = true},
      kUnsupported{.status = CplStatus::kUnsupported, .event = kUnsupportedRequest},
      kAbort{.status = CplStatus::kAbort, .event = kCompleterAbort};
  const unsigned type = type_of(tlp), length = length_field(tlp);
  const bool write = has_data(tlp), poisoned_write = write && poisoned(tlp);
  if (type == tlp_type::kConfig0 || type == tlp_type::kConfig1) {
    if (type == tlp_type::kConfig1 || long_header(tlp)) return kUnsupported;
    if (poisoned_write) {
      return {.status = CplStatus::kUnsupported, .event = kUnsupportedRequest | kPoisonedWrite};
    }
    const bool function0 = tlp[9] % 8 == 0;
    return length == 1 && function0 ? kAccess : kUnsupported;
  }
  if (type == tlp_type::kMemory) {
    if (!in.mem_space_en || address_of(tlp) >> kBar0Bits != in.bar0) return kUnsupported;
    if (poisoned_write) return {.event = kPoisonedWrite};
    const bool pair = length == 2 && address_of(tlp) % 8 == 0;
    const bool whole = !write || (whole_or_none(first_enables(tlp)) &&
                                  (!pair || whole_or_none(last_enables(tlp))));
    return (length == 1 || pair) && whole ? kAccess : kAbort;
  }
  if (type >> 3 == 0b10 && takes_message(tlp)) return {};
  if (class_of(tlp) == FcClass::kCompletion) return {.event = kUnexpectedCompletion};
  return kUnsupported;
}

std::optional<IoCompleter::Step> IoCompleter::step() const {
  return in_work_ ? std::optional(in_work_->to_do.front()) : std::nullopt;
}

void IoCompleter::access(Out& out, unsigned dw) const {
  const Tlp& tlp = in_work_->tlp;
  const bool write = has_data(tlp);
  const unsigned enables = !write ? 0 : dw == 0 ? first_enables(tlp) : last_enables(tlp);
  const std::uint32_t data = write ? data_of(tlp, dw) : 0;
  if (type_of(tlp) == tlp_type::kConfig0) {
    out.cfg = {true, write, (tlp[10] & 0xfu) << 6 | tlp[11] >> 2, enables, data};
    return;
  }
  if (write && enables == 0) return;
  const unsigned offset = offset_of(tlp, dw);
  if (const auto addr = register_at(offset)) out.reg = {true, write, *addr, data};
  out.weight_io_we = write && offset == kWeightIo;
  out.weight_cm_we = write && offset == kWeightCm;
  if (out.weight_io_we || out.weight_cm_we) out.weight = data >> 4 & 0xf;
}

std::uint32_t IoCompleter::read_data(const In& in, unsigned dw) const {
  if (type_of(in_work_->tlp) == tlp_type::kConfig0) return in.cfg_rdata;
  const unsigned offset = offset_of(in_work_->tlp, dw);
  if (register_at(offset)) return in.reg_rdata;
  if (offset == kWeightIo) return in.weight_io << 4;
  if (offset == kWeightCm) return in.weight_cm << 4;
  const unsigned n = (offset - kCapabilityArray) / 4;
  return n < kCapabilities.size() ? kCapabilities[n] : 0;
}

Tlp IoCompleter::completion() const {
  const auto& [tlp, to_do, verdict, data] = *in_work_;
  Tlp reply = completion_of(tlp, verdict.status);
  std::ranges::copy(completer_id_, &reply[4]);
  if (is_memory_read(tlp)) reply[11] = static_cast<std::uint8_t>(read_lower_address(tlp));
  if (verdict.access && !has_data(tlp)) {
    reply[0] |= 0x40;
    reply[3] = tlp[3];
    for (unsigned dw = 0; dw < data.size(); ++dw) set_data(reply, data[dw], dw);
  }
  return reply;
}

IoCompleter::Out IoCompleter::eval(const In& in) const {
  Out out{.tlp_rx_ready = !in_work_ && in.link_up, .event = event_};
  if (event_ != 0) {
    out.event_posted = class_of(event_tlp_) != FcClass::kNonPosted;
    out.event_hdr = header_of(event_tlp_);
  }
  if (step() == Step::kAccess && judge(in_work_->tlp, in).access) access(out, 0);
  if (step() == Step::kSecondAccess) access(out, 1);
  if (step() == Step::kCompletion) out.tlp_tx = completion();
  return out;
}

// The cycle's step of the TLP in work.
void IoCompleter::work(const In& in) {
  using enum Step;
  auto& [tlp, to_do, verdict, data] = *in_work_;
  const Step now = to_do.front();
  if (now == kCompletion && !in.tlp_tx_ready) return;
  to_do.pop_front();
  if (now == kData) data.push_back(read_data(in, static_cast<unsigned>(data.size())));
  if (now != kAccess) return;
  verdict = judge(tlp, in);
  event_ = verdict.event;
  event_tlp_ = tlp;
  const bool pair = verdict.access && length_field(tlp) == 2;
  if (class_of(tlp) != FcClass::kNonPosted) {
    if (pair) to_do = {kSecondAccess};
  } else if (pair) {
    to_do = {kData, kSecondAccess, kData, kCompletion};
  } else {
    to_do = {kData, kCompletion};
  }
  if (verdict.access && type_of(tlp) == tlp_type::kConfig0 && has_data(tlp)) {
    completer_id_ = {tlp[8], static_cast<std::uint8_t>(tlp[9] & 0xf8)};
  }
}

void IoCompleter::clock(const In& in) {
  event_ = 0;
  if (!in_work_) {
    if (in.link_up && in.tlp_rx) in_work_ = InWork{.tlp = *in.tlp_rx};
    return;
  }
  work(in);
  if (in_work_->to_do.empty() || !in.link_up) in_work_.reset();
}

}  // namespace cxlgpu
