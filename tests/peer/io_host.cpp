// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "io_host.hpp"

#include <algorithm>

namespace peer {
namespace {

constexpr uint64_t kRetryWait =
    500;  // cycles between two attempts after Configuration Request Retry Status

Tlp power_message(uint8_t opcode, uint8_t parameter, uint32_t payload) {
  Tlp m;
  m.kind = TlpKind::Message;
  m.type = 0x10 | 4;  // local, terminate at the receiver
  m.code = 0x7e;
  m.length = 4;
  m.message = {0, 0, 0x1e, 0x98, 0, 0, 0, 0x68};
  m.data = {opcode | static_cast<uint32_t>(parameter) << 16, payload, 0, 0};
  return m;
}

}  // namespace

void IoHost::Waiter::await_suspend(std::coroutine_handle<> handle) {
  for (unsigned tries = 0; host.table_[host.next_tag_].busy && tries < 256; ++tries)
    ++host.next_tag_;
  tag = host.next_tag_++;
  request.tag = tag;
  Open& open = host.table_[tag];
  ++host.open_;
  (request.kind == TlpKind::MemRead ? host.memory_requests : host.config_requests) += 1;
  host.link_.send(encode(request));
  open = {true, request, handle, {}, host.now_ + patience};
}

IoHost::Answer IoHost::Waiter::await_resume() {
  return std::move(host.table_[tag].answer);
}

void IoHost::Sleep::await_suspend(std::coroutine_handle<> handle) {
  host.sleepers_.push_back({host.now_ + cycles, handle});
}

void IoHost::post(Tlp tlp) {
  ++memory_requests;
  tlp.tag = 0;
  link_.send(encode(tlp));
}

Tlp IoHost::config_read(uint32_t at, unsigned function) const {
  Tlp t;
  t.kind = TlpKind::CfgRead0;
  t.address = at & ~3U;
  t.target = static_cast<uint16_t>(kTarget | function);
  return t;
}

Tlp IoHost::config_write(uint32_t at, uint32_t value, unsigned byte_enable) const {
  Tlp t = config_read(at);
  t.kind = TlpKind::CfgWrite0;
  t.first_be = static_cast<uint8_t>(byte_enable);
  t.data = {value};
  return t;
}

Tlp IoHost::memory_read(uint64_t address, unsigned dwords) {
  Tlp t;
  t.kind = TlpKind::MemRead;
  t.address = address;
  t.length = static_cast<uint16_t>(dwords);
  t.last_be = dwords > 1 ? 0xf : 0;
  return t;
}

Tlp IoHost::memory_write(uint64_t address, std::vector<uint32_t> data) {
  Tlp t = memory_read(address, static_cast<unsigned>(data.size()));
  t.kind = TlpKind::MemWrite;
  t.data = std::move(data);
  return t;
}

// PCIe 5.0, 2.3.2: a root complex without CRS software visibility repeats the request.
Task<uint32_t> IoHost::read_config(uint32_t at) {
  for (;;) {
    const Answer answer = co_await request(config_read(at));
    if (!answer.came) violations().add("PCIe 2.8", "a configuration read without completion");
    if (!answer.came || answer.status != CplStatus::RetryStatus) co_return answer.value();
    co_await sleep(kRetryWait);
  }
}

Task<uint16_t> IoHost::read_config16(uint32_t at) {
  const uint32_t word = co_await read_config(at & ~3U);
  co_return static_cast<uint16_t>(word >> (8 * (at & 2)));
}

Task<bool> IoHost::write_config(uint32_t at, uint32_t value, unsigned byte_enable) {
  for (;;) {
    const Answer answer = co_await request(config_write(at, value, byte_enable));
    if (!answer.came) violations().add("PCIe 2.8", "a configuration write without completion");
    if (!answer.came || answer.status != CplStatus::RetryStatus) co_return answer.good();
    co_await sleep(kRetryWait);
  }
}

Task<bool> IoHost::write_config16(uint32_t at, uint16_t value) {
  const unsigned shift = 8 * (at & 2);
  co_return co_await write_config(at & ~3U, static_cast<uint32_t>(value) << shift, 3U << (at & 2));
}

Task<uint32_t> IoHost::read32(uint64_t address) {
  const Answer answer = co_await request(memory_read(address));
  if (!answer.good()) {
    violations().add("PCIe 2.3.1",
                     "a register read without a successful completion: " + std::to_string(address));
  }
  co_return answer.value();
}

Task<uint64_t> IoHost::read64(uint64_t address) {
  const Answer answer = co_await request(memory_read(address, 2));
  if (!answer.good() || answer.data.size() != 2) {
    violations().add("PCIe 2.3.1", "a register read of 8 bytes without a successful completion");
    co_return ~uint64_t{0};
  }
  co_return answer.data[0] | static_cast<uint64_t>(answer.data[1]) << 32;
}

void IoHost::start_power_management() {
  pm_credits_ = pm_agent_info_ = false;
  post(power_message(0xfe, 0, 1 | 5U << 8));  // one credit, the device is agent 5
}

void IoHost::forget_all() {
  for (Open& open : table_) open = {};
  open_ = 0;
  sleepers_.clear();
  id_captured_ = false;
  error_messages_ = 0;
}

void IoHost::cycle() {
  ++now_;
  if (const std::optional<Bytes> bytes = link_.take()) {
    const ParsedTlp parsed = decode_tlp(*bytes);
    link_.release(*bytes);
    if (!parsed.malformed.empty()) {
      violations().add("PCIe 2.3", "malformed TLP: " + parsed.malformed);
    } else {
      take(parsed.tlp);
    }
  }
  if (!sleepers_.empty()) {
    std::vector<std::coroutine_handle<>> due;
    std::erase_if(sleepers_, [&](const Sleeper& s) {
      if (s.until > now_) return false;
      due.push_back(s.handle);
      return true;
    });
    for (const auto handle : due) handle.resume();
  }
  if (open_ != 0 && now_ % 64 == 0) {
    for (uint16_t tag = 0; tag < table_.size(); ++tag) {
      if (table_[tag].busy && table_[tag].until <= now_) resume(tag);
    }
  }
}

void IoHost::resume(uint16_t tag) {
  table_[tag].busy = false;
  --open_;
  table_[tag].waiter.resume();
}

void IoHost::take(const Tlp& tlp) {
  switch (tlp.kind) {
    case TlpKind::Completion:
      return take_completion(tlp);
    case TlpKind::Message:
      return take_message(tlp);
    default:
      violations().add(
          "PCIe 2.2.9",
          "a memory, I/O or configuration request of a device that does not master the bus");
  }
}

void IoHost::take_completion(const Tlp& tlp) {
  ++completions_;
  if (tlp.requester != 0 || tlp.tag >= table_.size() || !table_[tlp.tag].busy) {
    violations().add("PCIe 2.3.2", "a completion for which no request is open");
    return;
  }
  Open& open = table_[tlp.tag];
  check_completion(tlp, open.request);
  open.answer = {true, tlp.status, tlp.data};
  if (open.request.kind == TlpKind::CfgWrite0 && tlp.status == CplStatus::Success)
    id_captured_ = true;
  resume(tlp.tag);
}

// PCIe 5.0, 2.2.9.
void IoHost::check_completion(const Tlp& c, const Tlp& request) {
  const auto broken = [&](const char* what) { violations().add("PCIe 2.2.9", what); };
  const bool reads = request.kind == TlpKind::MemRead || request.kind == TlpKind::CfgRead0 ||
                     request.kind == TlpKind::CfgRead1 || request.kind == TlpKind::IoRead;
  const bool good = c.status == CplStatus::Success;
  if (c.status != CplStatus::Success && c.status != CplStatus::Unsupported &&
      c.status != CplStatus::Abort && c.status != CplStatus::RetryStatus) {
    broken("a reserved completion status");
  }
  if (c.status == CplStatus::RetryStatus && request.kind != TlpKind::CfgRead0 &&
      request.kind != TlpKind::CfgWrite0) {
    broken("Request Retry Status for another request than one of configuration");
  }
  if (c.with_data() != (reads && good))
    broken("a completion with data where none is due, or without where it is");
  if (c.tc != request.tc) broken("a completion with another traffic class than its request");
  if (c.attr != request.attr) broken("a completion with other attributes than its request");
  if (c.poisoned) broken("a poisoned completion");
  if (c.bcm) broken("BCM set by a device that is not PCI-X");
  if (c.address_type != 0) broken("a completion with an address type");
  if (id_captured_ && (c.completer & 0xfff8) != (kTarget & 0xfff8)) {
    broken(
        "a completer ID that is not the bus and device number captured from configuration writes");
  }
  if (!good) return;
  if (reads && c.data.size() != request.length)
    broken("a completion with another length than its request");
  if (c.byte_count != byte_count_of(request)) broken("a wrong byte count");
  if (c.lower_address != lower_address_of(request)) broken("a wrong lower address");
}

void IoHost::take_message(const Tlp& m) {
  switch (m.code) {
    case 0x30:  // ERR_COR, ERR_NONFATAL, ERR_FATAL
    case 0x31:
    case 0x33:
      ++error_messages_;
      return;
    case 0x10:  // LTR, OBFF and the like are not enabled
    case 0x12:
      violations().add("PCIe 2.2.8", "an LTR or OBFF message that was not enabled");
      return;
    case 0x18:
      return;  // PM_PME
    case 0x7e: {
      const unsigned vendor = static_cast<unsigned>(m.message[2]) << 8 | m.message[3];
      if (vendor != 0x1e98) return;
      if (m.message[7] == 0) return;  // MEFN
      if (m.message[7] != 0x68 || (m.type & 7) != 4 || m.data.size() != 4) {
        violations().add("3.1.2", "a CXL vendor-defined message of an unknown form");
        return;
      }
      const unsigned opcode = m.data[0] & 0xff;
      if (opcode == 0xfe && !pm_credits_) {
        pm_credits_ = true;
        if ((m.data[1] & 0xff) == 0)
          violations().add("3.1.2.1", "a first CREDIT_RTN without credits");
        post(power_message(0x00, 1, 1));
      } else if (opcode == 0x00 && (m.data[0] >> 16 & 1) == 0) {
        if ((m.data[1] & 1) == 0) violations().add("3.1.2", "a CAPABILITY_VECTOR without bit 0");
        pm_agent_info_ = true;
        post(power_message(0xfe, 0, 1));
      }
      if (opcode != 0xfe && !pm_credits_)
        violations().add("3.1.2.1", "a PM message before CREDIT_RTN");
      return;
    }
    case 0x7f:
      return;
    default:
      if (m.code >= 0x20 && m.code <= 0x27) {
        violations().add("3.1.1", "INTx of a function that takes part in the CXL protocol");
      } else {
        violations().add("PCIe 2.2.8", "a message that a device never sends");
      }
  }
}

}  // namespace peer
