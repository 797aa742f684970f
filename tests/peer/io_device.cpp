// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "io_device.hpp"

#include <algorithm>
#include <bit>

namespace peer {
namespace {

// Bits of the AER uncorrectable status (PCIe 5.0, 7.8.4.2) and of the correctable one.
constexpr uint32_t kPoisonedTlp = 12;
constexpr uint32_t kUnexpectedCompletion = 16;
constexpr uint32_t kMalformedTlp = 18;
constexpr uint32_t kUnsupportedRequest = 20;
constexpr uint32_t kAdvisoryNonFatal = 13;

constexpr uint8_t kVendorDefined0 = 0x7e;
constexpr uint8_t kVendorDefined1 = 0x7f;
constexpr uint8_t kSetSlotPowerLimit = 0x50;
constexpr uint8_t kPmeTurnOff = 0x19;
constexpr uint8_t kPmeToAck = 0x1b;
constexpr uint8_t kLocal = 4;  // routing: terminate at the receiver

constexpr uint8_t kAgentInfo = 0x00;
constexpr uint8_t kCreditReturn = 0xfe;

IoLinkConfig link_config(const IoDeviceKnobs& k) {
  IoLinkConfig c;
  c.seed = k.seed + 77;
  if (k.smallest_credits) {
    c.headers = {1, 1, 0};
    c.data = {8, 1, 0};  // 128 bytes posted, one unit non-posted (PCIe 5.0, 2.6.1)
  }
  if (k.infinite_credits) c.headers = c.data = {0, 0, 0};
  c.data_link_feature = k.data_link_feature;
  c.single_update = k.single_update;
  c.spread = k.spread;
  c.ack_delay_max = k.ack_delay_max;
  c.dllp_damage = k.dllp_damage;
  c.tlp_damage = k.tlp_damage;
  c.clean_line = k.clean_line;
  c.peer_completions_infinite = false;  // a root complex with peer-to-peer may grant finitely
  return c;
}

}  // namespace

IoDevice::IoDevice(const IoDeviceKnobs& knobs)
    : knobs_(knobs),
      random_(knobs.seed),
      link_(link_config(knobs)),
      config_(knobs.memory_size),
      component_(knobs.decoders, knobs.commit_cycles),
      device_(knobs.memory_size, knobs.command_cycles) {}

void IoDevice::reset(bool cold) {
  link_.link_down();
  config_.reset(cold);
  component_.reset(cold);
  device_.reset();
  pending_.clear();
  reset_at_ = now_;
  id_ = 0;
  pm_agent_ = 0;
  pm_credits_ = 0;
  pm_seen_ = pm_initialised_ = false;
  open_ = {};
  own_.open = 0;
}

void IoDevice::link_down() {
  reset(false);
}

std::optional<uint64_t> IoDevice::decode(uint64_t hpa) const {
  if (!config_.mem_enable()) return std::nullopt;
  std::optional<uint64_t> dpa;
  if (component_.hdm_enabled()) {
    dpa = component_.hdm_decode(hpa);
  } else if (uint64_t at = 0; config_.range_hit(hpa, at)) {
    dpa = at;
  }
  if (dpa && *dpa >= knobs_.memory_size) return std::nullopt;
  return dpa;
}

void IoDevice::host_is_viral() {
  if (config_.viral_enable()) config_.set_viral_status();
}

std::vector<std::string> IoDevice::violations() {
  std::vector<std::string> all = violations_.lines();
  const auto& of_link = link_.violations().lines();
  all.insert(all.end(), of_link.begin(), of_link.end());
  return all;
}

void IoDevice::tick() {
  violations_.at(++now_);
  link_.tick();
  component_.tick();
  device_.tick();
  while (!pending_.empty() && pending_.front().due <= now_) {
    link_.send(encode(pending_.front().tlp));
    pending_.pop_front();
  }
  if (knobs_.requests_per_64k != 0) make_request();
  if (const std::optional<Bytes> bytes = link_.take()) {
    const ParsedTlp decoded = decode_tlp(*bytes);
    ++requests_;
    serve(decoded.tlp, decoded.malformed);
    link_.release(*bytes);
  }
}

void IoDevice::post(Tlp tlp) {
  const uint64_t delay = knobs_.latency_max == 0 ? 0 : random_() % (knobs_.latency_max + 1);
  const uint64_t after = pending_.empty() ? 0 : pending_.back().due;
  pending_.push_back({std::max(now_ + delay, after), std::move(tlp)});
}

// ---- its own requests ------------------------------------------------------------------------

// A read of any length up to Max_Read_Request_Size (512 bytes after reset) or a write, anywhere but
// over a boundary of 4 KB (PCIe 5.0, 2.2.7).
void IoDevice::make_request() {
  if (!link_.up() || id_ == 0 || !config_.bus_master_enabled()) return;
  if (random_() % 65536 >= knobs_.requests_per_64k) return;
  Tlp t;
  const bool write = random_() % 100 < knobs_.writes_percent;
  t.kind = write ? TlpKind::MemWrite : TlpKind::MemRead;
  const uint64_t page = random_() & (random_() % 2 == 0 ? 0xffff'f000 : 0x3fff'ffff'f000);
  const auto first = static_cast<uint32_t>(random_() % 1024);
  const uint32_t most = std::min(1024 - first, write ? 32U : 128U);
  const auto length = static_cast<uint16_t>(1 + random_() % most);
  t.address = page + 4 * first;
  t.length = length;
  t.requester = id_;
  t.attr = (random_() & 1) != 0 ? 2 : 0;  // Relaxed Ordering, enabled after reset
  // Of one DW any bytes, none too; else bytes that go on over the boundary of two DW.
  constexpr std::array<uint8_t, 4> kFrom{0xf, 0xe, 0xc, 0x8};
  constexpr std::array<uint8_t, 4> kTo{0xf, 0x7, 0x3, 0x1};
  t.first_be = length == 1 ? static_cast<uint8_t>(random_() & 0xf) : kFrom[random_() % 4];
  t.last_be = length == 1 ? 0 : kTo[random_() % 4];
  if (write) {
    for (unsigned i = 0; i < length; ++i) t.data.push_back(static_cast<uint32_t>(random_()));
    ++own_.writes;
    return post(std::move(t));
  }
  const auto tag = static_cast<uint16_t>(random_() % open_.size());
  if (open_[tag]) return;
  t.tag = tag;
  open_[tag] = {t, now_};
  ++own_.reads;
  ++own_.open;
  post(std::move(t));
}

// PCIe 5.0, 2.2.9, 2.3.1 and 2.3.2, for a request that is not supported.
void IoDevice::take_completion(const Tlp& c) {
  if (c.requester != id_ || c.tag >= open_.size() || !open_[c.tag]) {
    violations_.add("PCIe 2.3.2", "a completion for which no request was sent");
    config_.log_uncorrectable(kUnexpectedCompletion, false);
    return;
  }
  const Tlp request = open_[c.tag]->request;
  open_[c.tag].reset();
  --own_.open;
  const auto broken = [&](const char* what) { violations_.add("PCIe 2.2.9", what); };
  if (c.status != CplStatus::Unsupported) {
    violations_.add("PCIe 2.3.1",
                    "a memory request of the device, which the host does not "
                    "support, is not completed with Unsupported Request");
  }
  ++own_.refused;
  if (c.with_data()) broken("a completion with Unsupported Request that has data");
  if (c.tc != request.tc) broken("a completion with another traffic class than its request");
  if (c.attr != request.attr) broken("a completion with other attributes than its request");
  if (c.poisoned) broken("a poisoned completion");
  if (c.bcm) broken("BCM set by a completer that is not PCI-X");
  if (c.byte_count != byte_count_of(request)) {
    broken("a byte count that is not what the read still lacks");
  }
}

void IoDevice::complete(const Tlp& request, CplStatus status, std::vector<uint32_t> data) {
  Tlp c;
  c.kind = TlpKind::Completion;
  c.tc = request.tc;
  c.attr = request.attr;
  c.length = static_cast<uint16_t>(data.empty() ? 0 : data.size());
  c.requester = request.requester;
  c.tag = request.tag;
  c.completer = id_;
  c.status = status;
  const bool good = status == CplStatus::Success;
  c.byte_count =
      static_cast<uint16_t>(good || request.kind == TlpKind::MemRead ? byte_count_of(request) : 4);
  c.lower_address = good ? lower_address_of(request) : 0;
  c.data = std::move(data);
  post(std::move(c));
}

void IoDevice::unsupported(const Tlp& request) {
  const bool posted = request.kind == TlpKind::MemWrite || request.kind == TlpKind::Message;
  config_.log_uncorrectable(kUnsupportedRequest, true);
  if (!posted) {
    // A non-posted request with UR is an advisory error (PCIe 5.0, 6.2.3.2.4.1).
    config_.log_correctable(kAdvisoryNonFatal);
    complete(request, CplStatus::Unsupported, {});
  }
}

void IoDevice::serve(const Tlp& request, const std::string& malformed) {
  if (!malformed.empty()) {
    violations_.add("PCIe 2.3", "malformed TLP: " + malformed);
    config_.log_uncorrectable(kMalformedTlp, false);
    return;
  }
  switch (request.kind) {
    case TlpKind::CfgRead0:
    case TlpKind::CfgWrite0:
      return configuration(request);
    case TlpKind::MemRead:
      return memory_read(request);
    case TlpKind::MemWrite:
      return memory_write(request);
    case TlpKind::Message:
      return message(request);
    case TlpKind::Completion:
      return take_completion(request);
    case TlpKind::CfgRead1:
    case TlpKind::CfgWrite1:
    case TlpKind::IoRead:
    case TlpKind::IoWrite:
    case TlpKind::Other:
      return unsupported(request);
  }
}

void IoDevice::configuration(const Tlp& request) {
  const bool write = request.kind == TlpKind::CfgWrite0;
  if ((request.target & 7) != 0) return unsupported(request);  // function 0 is the only one
  if (now_ - reset_at_ < knobs_.retry_status_cycles) {
    return complete(request, CplStatus::RetryStatus, {});
  }
  if (request.poisoned) {
    config_.log_uncorrectable(kPoisonedTlp, false);
    return unsupported(request);
  }
  const auto at = static_cast<uint32_t>(request.address);
  if (!write) return complete(request, CplStatus::Success, {config_.read(at)});
  id_ = request.target;
  config_.write(at, request.data[0], request.first_be);
  complete(request, CplStatus::Success, {});
}

bool IoDevice::in_bar(const Tlp& request) const {
  const uint64_t base = config_.bar_base();
  return config_.memory_space_enabled() && request.address >= base &&
         request.address + request.length * 4U <= base + ConfigSpace::kBarSize;
}

uint32_t IoDevice::bar_read(uint32_t at) const {
  return at < 0x1'0000 ? component_.read(at) : device_.read(at - 0x1'0000);
}

void IoDevice::bar_write(uint32_t at, uint32_t value, unsigned byte_enable) {
  if (at < 0x1'0000) {
    component_.write(at, value, byte_enable);
  } else {
    device_.write(at - 0x1'0000, value, byte_enable);
  }
}

void IoDevice::memory_read(const Tlp& request) {
  if (!in_bar(request)) return unsupported(request);
  if (request.length > 32) violations_.add("S20 8.2.8", "a register read of more than 128 bytes");
  const auto at = static_cast<uint32_t>(request.address - config_.bar_base());
  std::vector<uint32_t> data;
  for (uint32_t i = 0; i < request.length && i < 32; ++i) data.push_back(bar_read(at + 4 * i));
  complete(request, CplStatus::Success, std::move(data));
}

void IoDevice::memory_write(const Tlp& request) {
  if (!in_bar(request)) return unsupported(request);
  if (request.poisoned) return config_.log_uncorrectable(kPoisonedTlp, false);
  if (request.length > 32) {  // more than Max_Payload_Size
    violations_.add("PCIe 2.2.2", "a payload above Max_Payload_Size");
    return config_.log_uncorrectable(kMalformedTlp, false);
  }
  const auto at = static_cast<uint32_t>(request.address - config_.bar_base());
  for (uint32_t i = 0; i < request.length; ++i) {
    const bool first = i == 0;
    const bool last = i + 1U == request.length;
    const unsigned enables = first ? request.first_be : last ? request.last_be : 0xfU;
    bar_write(at + 4 * i, request.data[i], enables);
  }
}

// ---- messages ------------------------------------------------------------------------------

void IoDevice::message(const Tlp& request) {
  const unsigned vendor = static_cast<unsigned>(request.message[2]) << 8 | request.message[3];
  switch (request.code) {
    case kVendorDefined0:
      if (vendor == 0x1e98 && request.message[7] == 0x68) return power_message(request);
      return unsupported(request);
    case kPmeTurnOff: {
      Tlp ack;
      ack.kind = TlpKind::Message;
      ack.type = 0x10 | 5;  // gathered and routed to the root complex
      ack.code = kPmeToAck;
      ack.requester = id_;
      ack.length = 0;
      return post(std::move(ack));
    }
    case kVendorDefined1:
    case kSetSlotPowerLimit:
      return;
    default:
      // Unlock and the ignored messages (PCIe 5.0, 2.2.8) ask for nothing; others are unsupported.
      if (request.code == 0x00 || (request.code & 0xf8) == 0x40) return;
      return unsupported(request);
  }
}

// S20 3.1.2.1 and Figure 16.
void IoDevice::power_message(const Tlp& request) {
  if (request.data.size() != 4 || (request.type & 7) != kLocal) {
    violations_.add("3.1.2", "a PM message of another form than MsgD, local, 4 DW");
    return;
  }
  if (request.poisoned) return config_.log_correctable(kAdvisoryNonFatal);
  const uint32_t opcode = request.data[0] & 0xff;
  const uint32_t parameter = request.data[0] >> 16;
  if (opcode == kCreditReturn) {
    pm_credits_ += request.data[1] & 0xff;
    if (!pm_seen_) {
      pm_seen_ = true;
      pm_agent_ = request.data[1] >> 8 & 0x7f;
      send_power_message(kCreditReturn, 0, 2);
    }
    return;
  }
  if (!pm_seen_) violations_.add("3.1.2.1", "a PM message before the first CREDIT_RTN");
  if (opcode == kAgentInfo && (parameter & 1) != 0) {
    if (pm_credits_ == 0) violations_.add("3.1.2.1", "AGENT_INFO before a credit for its response");
    --pm_credits_;
    send_power_message(kAgentInfo, static_cast<uint8_t>(parameter & 0xfe),
                       (parameter & 0xfe) == 0 ? 3 : 0);
    send_power_message(kCreditReturn, 0, 1);
    pm_initialised_ = true;
    config_.set_pm_init_complete();
  }
  // What else a PMU does not know it drops (3.1.2).
}

void IoDevice::send_power_message(uint8_t opcode, uint8_t parameter, uint32_t payload) {
  Tlp m;
  m.kind = TlpKind::Message;
  m.type = 0x10 | kLocal;
  m.code = kVendorDefined0;
  m.requester = id_;
  m.length = 4;
  m.message = {0, 0, 0x1e, 0x98, 0, 0, 0, 0x68};
  m.data = {opcode | static_cast<uint32_t>(pm_agent_) << 8 | static_cast<uint32_t>(parameter) << 16,
            payload, 0, 0};
  post(std::move(m));
}

}  // namespace peer
