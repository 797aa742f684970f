// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The root complex of the strict host: requests by CXL.io, each completion checked against its
// request.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <vector>

#include "io_link.hpp"
#include "task.hpp"
#include "tlp.hpp"

namespace peer {

class IoHost {
 public:
  explicit IoHost(const IoLinkConfig& config) : link_(config) {}

  struct Answer {
    bool came = false;  // false: the wait ended without a completion
    CplStatus status = CplStatus::Success;
    std::vector<uint32_t> data;
    uint32_t value() const {
      return came && status == CplStatus::Success && !data.empty() ? data[0] : 0xffff'ffff;
    }
    bool good() const { return came && status == CplStatus::Success; }
  };

  // One request; resumed with its completion, or after `patience` cycles without.
  struct Waiter {
    IoHost& host;
    Tlp request;
    uint64_t patience;
    uint16_t tag = 0;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle);
    Answer await_resume();
  };
  struct Sleep {
    IoHost& host;
    uint64_t cycles;
    bool await_ready() const { return cycles == 0; }
    void await_suspend(std::coroutine_handle<> handle);
    void await_resume() {}
  };

  Waiter request(Tlp tlp, uint64_t patience = 100'000) { return {*this, std::move(tlp), patience}; }
  Sleep sleep(uint64_t cycles) { return {*this, cycles}; }
  void post(Tlp tlp);  // no completion is due

  Tlp config_read(uint32_t at, unsigned function = 0) const;
  Tlp config_write(uint32_t at, uint32_t value, unsigned byte_enable = 0xf) const;
  static Tlp memory_read(uint64_t address, unsigned dwords = 1);
  static Tlp memory_write(uint64_t address, std::vector<uint32_t> data);

  // An OS's accesses. Configuration reads and writes repeat while the device asks for a retry.
  Task<uint32_t> read_config(uint32_t at);
  Task<uint16_t> read_config16(uint32_t at);
  Task<bool> write_config(uint32_t at, uint32_t value, unsigned byte_enable = 0xf);
  Task<bool> write_config16(uint32_t at, uint16_t value);
  Task<uint32_t> read32(uint64_t address);
  Task<uint64_t> read64(uint64_t address);
  void write32(uint64_t address, uint32_t value) { post(memory_write(address, {value})); }
  void write64(uint64_t address, uint64_t value) {
    post(memory_write(address, {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}));
  }

  void cycle();       // takes what has come, resumes who waits
  void forget_all();  // the link is gone; whoever waits has been destroyed before
  bool quiet() const { return open_ == 0 && link_.unsent() == 0; }

  uint64_t completions() const { return completions_; }
  unsigned error_messages() const { return error_messages_; }
  bool pm_ready() const { return pm_agent_info_; }
  void start_power_management();  // S20 3.1.2.1, Figure 16

  IoLink& link() { return link_; }
  Violations& violations() { return link_.violations(); }
  static constexpr uint16_t kTarget = 0x0100;  // bus 1, device 0, function 0
  uint64_t config_requests = 0, memory_requests = 0;

 private:
  struct Open {
    bool busy = false;
    Tlp request;
    std::coroutine_handle<> waiter;
    Answer answer;
    uint64_t until = 0;
  };
  void take(const Tlp& tlp);
  void take_completion(const Tlp& tlp);
  void take_message(const Tlp& tlp);
  void check_completion(const Tlp& tlp, const Tlp& request);
  void resume(uint16_t tag);

  IoLink link_;
  std::array<Open, 256> table_{};
  uint8_t next_tag_ = 0;
  unsigned open_ = 0;
  uint64_t now_ = 0;
  struct Sleeper {
    uint64_t until;
    std::coroutine_handle<> handle;
  };
  std::vector<Sleeper> sleepers_;
  bool id_captured_ = false;  // the device has completed a configuration write
  uint64_t completions_ = 0;
  unsigned error_messages_ = 0;
  bool pm_credits_ = false, pm_agent_info_ = false;
};

}  // namespace peer
