// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.io side of a standard CXL 2.0 Type 3 device: data link, configuration space, register
// blocks, decoders.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>

#include "component_registers.hpp"
#include "config_space.hpp"
#include "device_registers.hpp"
#include "io_link.hpp"
#include "io_side.hpp"
#include "tlp.hpp"
#include "violations.hpp"

namespace peer {

struct IoDeviceKnobs {
  uint64_t seed = 1;
  uint64_t memory_size = uint64_t{256} << 20;  // a multiple of 256 MB
  unsigned decoders = 2;                       // 1, 2, 4, 6, 8 or 10
  unsigned commit_cycles = 20;                 // from Commit to Committed
  unsigned command_cycles = 50;                // of a mailbox command
  unsigned latency_max = 0;          // cycles from a request to its completion, random from 0
  unsigned retry_status_cycles = 0;  // after reset, configuration requests get Request Retry Status
  // Buffers granted: one of each, or the smallest that the standard allows.
  bool smallest_credits = false;
  bool infinite_credits = false;
  bool data_link_feature = true;
  bool single_update = true;
  bool spread = false;
  unsigned ack_delay_max = 0;
  unsigned dllp_damage = 0;  // of sent DLLPs and TLPs, per 65536
  unsigned tlp_damage = 0;
  bool clean_line = true;  // nothing else damages CXL.io packets
  // Memory requests of the device itself, per 65536 cycles, once software has enabled it as bus
  // master. Nothing but Unsupported Request is expected: this host lets no device into its memory.
  unsigned requests_per_64k = 0;
  unsigned writes_percent = 20;  // of these, posted
};

class IoDevice : public IoSide {
 public:
  explicit IoDevice(const IoDeviceKnobs& knobs);

  IoSide& io() { return *this; }
  void tick() override;
  std::optional<Flit> tx() override { return link_.tx(); }
  void rx(const Flit& flit) override { link_.rx(flit); }
  void active(bool is_active) override { link_.active(is_active); }
  void link_down() override;  // a hot reset (PCIe 5.0, 2.9.1)
  // A framing error was met: the physical layer has to go through Recovery (S20 6.2.9).
  bool take_retrain_request() { return link_.take_retrain_request(); }

  // A conventional reset; `cold` clears sticky registers too.
  void reset(bool cold);

  // What the decoders, or the range of DVSEC 0 before they are enabled, make of an address.
  std::optional<uint64_t> decode(uint64_t hpa) const;
  bool poison_on_decode_error() const {
    return component_.hdm_enabled() && component_.poison_on_decode_error();
  }
  void host_is_viral();
  ComponentRegisters& component() { return component_; }
  bool pm_initialised() const { return pm_initialised_; }

  // A wrong of the data link, done once.
  void do_wrong(LinkWrong wrong) { link_.do_wrong(wrong); }
  void find_damaged(unsigned tlps) { link_.find_damaged(tlps); }
  const IoLink& link() const { return link_; }
  struct OwnRequests {
    uint64_t reads = 0, writes = 0, refused = 0;
    unsigned open = 0;
  };
  const OwnRequests& own_requests() const { return own_; }
  void stop_requests() { knobs_.requests_per_64k = 0; }
  std::vector<std::string> violations();
  uint64_t requests() const { return requests_; }

 private:
  struct Pending {
    uint64_t due = 0;
    Tlp tlp;
  };

  void make_request();
  void take_completion(const Tlp& completion);
  void serve(const Tlp& request, const std::string& malformed);
  void configuration(const Tlp& request);
  void memory_read(const Tlp& request);
  void memory_write(const Tlp& request);
  void message(const Tlp& request);
  void power_message(const Tlp& request);
  void send_power_message(uint8_t opcode, uint8_t parameter, uint32_t payload);
  void unsupported(const Tlp& request);
  void complete(const Tlp& request, CplStatus status, std::vector<uint32_t> data);
  void post(Tlp tlp);
  uint32_t bar_read(uint32_t at) const;
  void bar_write(uint32_t at, uint32_t value, unsigned byte_enable);
  bool in_bar(const Tlp& request) const;

  IoDeviceKnobs knobs_;
  std::mt19937_64 random_;
  IoLink link_;
  Violations violations_;
  ConfigSpace config_;
  ComponentRegisters component_;
  DeviceRegisters device_;
  std::deque<Pending> pending_;
  uint64_t now_ = 0;
  uint64_t reset_at_ = 0;
  uint16_t id_ = 0;  // bus and device, captured from configuration writes
  uint8_t pm_agent_ = 0;
  unsigned pm_credits_ = 0;
  bool pm_seen_ = false;
  bool pm_initialised_ = false;
  uint64_t requests_ = 0;
  struct Open {
    Tlp request;
    uint64_t since = 0;
  };
  std::array<std::optional<Open>, 32> open_{};  // by tag: Extended Tag Field is not enabled
  OwnRequests own_;
};

}  // namespace peer
