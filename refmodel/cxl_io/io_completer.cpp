// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_completer.hpp"

#include "common/register_types.hpp"
#include "refmodel/cxl_io/completion.hpp"

namespace cxlgpu {

namespace arb_mux = regs::arb_mux;
namespace component = regs::component;

namespace {

// The capability array, and the structures that it says.
constexpr component::Regs kArray = [] {
  component::Regs regs;
  regs.header.array_size = 3;
  regs.entry[0].header = {.id = 5, .version = 1, .offset = 0x800};  // HDM decoders
  regs.entry[1].header = {.id = 2, .version = 2, .offset = 0x200};  // RAS
  regs.entry[2].header = {.id = 4, .version = 2, .offset = 0x300};  // link
  return regs;
}();
constexpr unsigned kArrayEnd = component::kEntry + 3 * component::kEntryStride;

// Of a DW, all bytes enabled or none.
constexpr unsigned enables(const Tlp& tlp, unsigned dw) {
  return dw == 0 ? first_enables(tlp) : last_enables(tlp);
}
constexpr bool whole_or_none(unsigned enables) {
  return enables == 0 || enables == 0xf;
}

// Messages by their code; 7Eh apart.
constexpr bool known_message(unsigned code) {
  switch (code) {
    case 0x00:  // Unlock
    case 0x14:  // PM_Active_State_Nak
    case 0x19:  // PME_Turn_Off
    case 0x40:  // 40h to 48h were of hot plug and are ignored
    case 0x41:
    case 0x43:
    case 0x44:
    case 0x45:
    case 0x47:
    case 0x48:
    case 0x50:  // Set_Slot_Power_Limit
    case 0x7f:  // vendor-defined, type 1
      return true;
    default:
      return false;
  }
}
// Power management of CXL: vendor-defined, type 0.
constexpr bool cxl_pm_message(const Tlp& tlp) {
  return tlp[7] == 0x7e && tlp[10] == 0x1e && tlp[11] == 0x98 && tlp[15] == 0x68;
}

}  // namespace

// 8 bytes of registers at once.
bool IoCompleter::is_pair() const {
  return length_field(tlp_) == 2 && (address_of(tlp_) & 4) == 0;
}

IoCompleter::Request IoCompleter::config(unsigned type) const {
  const bool poisoned_write = has_data(tlp_) && poisoned(tlp_);
  const bool mine = type == tlp_type::kConfig0 && !long_header(tlp_);
  if (!mine || length_field(tlp_) != 1 || (tlp_[9] & 7) != 0 || poisoned_write) {
    return {.status = CplStatus::kUnsupported,
            .event = kUnsupportedRequest | (mine && poisoned_write ? kPoisonedWrite : 0)};
  }
  Request request{.source = Source::kConfig};
  request.cfg = {
      .valid = true, .write = has_data(tlp_), .word = (tlp_[10] & 0xfu) << 6 | tlp_[11] >> 2};
  if (has_data(tlp_)) {
    request.cfg.enables = first_enables(tlp_);
    request.cfg.data = data_of(tlp_);
  }
  return request;
}

// The access to DW 0 or 1 of the request.
IoCompleter::Request IoCompleter::bar(unsigned dw) const {
  const bool write = has_data(tlp_);
  if (write && enables(tlp_, dw) == 0) return {};
  const auto offset = static_cast<unsigned>(address_of(tlp_) & 0x3'ffff) + 4 * dw;
  Request request;
  const auto registers = [&](unsigned addr) {
    request.source = Source::kRegister;
    request.reg = {
        .valid = true, .write = write, .addr = addr, .data = write ? data_of(tlp_, dw) : 0};
  };
  if (offset >= 0x1200 && offset < 0x1280) {  // RAS structure
    registers(0x1000 + (offset & 0x7f));
  } else if (offset >= 0x1300 && offset < 0x1340) {  // link structure
    registers(0x1080 + (offset & 0x3f));
  } else if (offset >= 0x1800 && offset < 0x2000) {  // HDM decoders
    registers(offset & 0x7ff);
  } else if (offset >= 0x1'0000 && offset < 0x1'0800) {  // vendor block
    registers(0x800 + (offset & 0x7ff));
  } else if (offset >= 0x2'0000 && offset < 0x2'0400) {  // CXL device registers
    registers(0x1400 + (offset & 0x3ff));
  } else if (offset >= component::kHeader && offset < kArrayEnd) {
    request.source = Source::kFixed;
    request.fixed = kArray.word_at(offset);
  } else if (offset == arb_mux::kIoWeight) {
    request.source = Source::kWeightIo;
    request.weight_io_we = write;
  } else if (offset == arb_mux::kCmWeight) {
    request.source = Source::kWeightCm;
    request.weight_cm_we = write;
  }
  return request;
}

IoCompleter::Request IoCompleter::memory(const In& in) const {
  const bool mine = in.mem_space_en && address_of(tlp_) >> 18 == in.bar0;
  if (!mine) return {.status = CplStatus::kUnsupported, .event = kUnsupportedRequest};
  const bool pair = is_pair();
  const bool fits = pair || length_field(tlp_) == 1;
  if (!has_data(tlp_)) {
    if (!fits) return {.status = CplStatus::kAbort, .event = kCompleterAbort};
  } else {
    if (poisoned(tlp_)) return {.event = kPoisonedWrite};
    const bool whole =
        whole_or_none(enables(tlp_, 0)) && (!pair || whole_or_none(enables(tlp_, 1)));
    if (!fits || !whole) return {.event = kCompleterAbort};
  }
  Request request = bar(0);
  request.pair = pair;
  return request;
}

IoCompleter::Request IoCompleter::message() const {
  const bool taken = known_message(tlp_[7]) || cxl_pm_message(tlp_);
  return {.event = taken ? 0 : kUnsupportedRequest};
}

IoCompleter::Request IoCompleter::decode(const In& in) const {
  const unsigned type = type_of(tlp_);
  if (type == tlp_type::kConfig0 || type == tlp_type::kConfig1) return config(type);
  if (type == tlp_type::kMemory) return memory(in);
  switch (class_of(tlp_)) {
    case FcClass::kPosted:
      return message();
    case FcClass::kCompletion:
      return {.event = kUnexpectedCompletion};
    default:
      return {.status = CplStatus::kUnsupported, .event = kUnsupportedRequest};
  }
}

std::uint32_t IoCompleter::read_data(const In& in) const {
  switch (source_) {
    case Source::kConfig:
      return in.cfg_rdata;
    case Source::kRegister:
      return in.reg_rdata;
    case Source::kFixed:
      return fixed_;
    case Source::kWeightIo:
      return arb_mux::IoWeightReg{.weight = in.weight_io}.word();
    case Source::kWeightCm:
      return arb_mux::CmWeightReg{.weight = in.weight_cm}.word();
    default:
      return 0;
  }
}

Tlp IoCompleter::completion() const {
  const bool data = status_ == CplStatus::kSuccess && !has_data(tlp_);
  const bool memory_read = is_memory_read(tlp_);
  Tlp reply = completion_of(tlp_, status_, memory_read ? read_count(tlp_) : 4);
  reply[4] = bus_;
  reply[5] = device_;
  if (memory_read) reply[11] = static_cast<std::uint8_t>(read_lower_address(tlp_));
  if (!data) return reply;
  reply[0] |= 0x40;
  reply[3] = pair_ ? 2 : 1;
  set_data(reply, data_[0], 0);
  if (pair_) set_data(reply, data_[1], 1);
  return reply;
}

IoCompleter::Out IoCompleter::eval(const In& in) const {
  Out out;
  out.tlp_rx_ready = state_ == State::kIdle && in.link_up;
  out.event = event_;
  out.event_posted = event_posted_;
  out.event_hdr = event_hdr_;
  if (state_ == State::kReply) out.tlp_tx = completion();
  if (state_ == State::kAccess) {
    const Request request = current(in);
    out.cfg = request.cfg;
    out.reg = request.reg;
    out.weight_io_we = request.weight_io_we;
    out.weight_cm_we = request.weight_cm_we;
    const std::uint32_t data = data_of(tlp_, second_ ? 1 : 0);
    if (request.weight_io_we) out.weight = arb_mux::IoWeightReg::from(data).weight;
    if (request.weight_cm_we) out.weight = arb_mux::CmWeightReg::from(data).weight;
  }
  return out;
}

void IoCompleter::access(const In& in) {
  const Request request = current(in);
  source_ = request.source;
  fixed_ = request.fixed;
  if (!second_) {
    event_ = request.event;
    status_ = request.status;
    pair_ = request.pair;
    if (event_ != 0) {
      event_posted_ = class_of(tlp_) != FcClass::kNonPosted;
      event_hdr_ = header_of(tlp_);
    }
  }
  if (request.cfg.valid && request.cfg.write) {
    bus_ = tlp_[8];
    device_ = tlp_[9] & 0xf8;
  }
  if (class_of(tlp_) == FcClass::kNonPosted) {
    state_ = State::kData;
  } else if (pair_ && !second_) {
    second_ = true;  // once more
  } else {
    state_ = State::kIdle;
  }
}

void IoCompleter::clock(const In& in) {
  event_ = 0;
  event_posted_ = false;
  event_hdr_ = {};
  switch (state_) {
    case State::kIdle:
      if (!in.tlp_rx || !in.link_up) break;
      tlp_ = *in.tlp_rx;
      pair_ = second_ = false;
      state_ = State::kAccess;
      break;
    case State::kAccess:
      access(in);
      break;
    case State::kData:
      data_[second_ ? 1 : 0] = read_data(in);
      state_ = pair_ && !second_ ? State::kAccess : State::kReply;
      second_ = pair_;
      break;
    case State::kReply:
      if (in.tlp_tx_ready) state_ = State::kIdle;
      break;
  }
  if (!in.link_up) state_ = State::kIdle;
}

}  // namespace cxlgpu
