// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The root complex in RTL with the strict device at the other end, brought up by the project's
// firmware.
//
// Purpose: what the programs with this pair share: its settings, bring-up, isolation, requests of
//          CXL.io.
// Errors:  GoogleTest failures.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/input_error.hpp"
#include "tests/peer/rtl_host_bench.hpp"
#include "tests/peer/standard_device.hpp"

namespace cxlgpu::test {

inline constexpr std::uint32_t kDynPolicy = 2;

struct Setting {
  peer::DeviceKnobs device;
  peer::IoDeviceKnobs io;
  PhyOptions phy;
  HostTraffic traffic;
  std::uint32_t policy = kDynPolicy;
  unsigned io_requests = 20;  // of CXL.io, beside each piece of the traffic
  bool isolation = false;     // enabled: a link down isolates until software ends it
  bool loses_memory = false;  // what the link down or the reset takes from the device
  bool device_resets = false, host_resets = false, link_downs = false;
};

template <typename Top>
struct Bench {
  explicit Bench(const Setting& setting)
      : setting(setting), device(setting.device, setting.io), host(device, setting.phy) {
    host.may_fail = [this](std::uint64_t addr) { return device.mem().may_fail(addr); };
  }
  // False: it did not come up.
  bool bring_up() {
    if (!host.train()) {
      ADD_FAILURE() << "the link does not come up";
      return false;
    }
    try {
      host.bring_up();
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
      return false;
    }
    host.port_register(regs::rp::kPolicy, regs::rp::kPolicySelect.put(setting.policy) |
                                              regs::rp::kPolicyClipLog2.put(15));
    if (setting.io.requests_per_64k != 0) {
      endpoint_function(IoPort(host, 0))
          .write(config_header::kCommand, config_header::kMemorySpace | config_header::kBusMaster);
    }
    if (setting.isolation) isolate(true);
    return true;
  }
  void isolate(bool on) {
    host.port_register(regs::timeout::kControl, on ? regs::timeout::kControlMemValue.put(1) |
                                                         regs::timeout::kControlMemEnable.mask() |
                                                         regs::timeout::kControlMemIsolation.mask()
                                                   : 0);
  }
  // As an operating system does it: isolation ends once the port is not busy any more.
  void end_isolation() {
    for (unsigned i = 0; i < 100000; ++i) {
      const std::uint32_t status = host.port_register(regs::timeout::kStatus);
      if (!regs::timeout::kStatusMemIsolation.is_set(status)) return;
      if (regs::timeout::kStatusBusy.is_set(status)) continue;
      host.port_register(regs::timeout::kStatus, regs::timeout::kStatusMemIsolation.mask() |
                                                     regs::timeout::kStatusMemTimeout.mask() |
                                                     regs::timeout::kStatusMemLinkDown.mask());
    }
    ADD_FAILURE() << "isolation does not end";
  }

  // Reads of what does not change, and a register that keeps what is written.
  void use_io(unsigned requests) {
    constexpr std::uint32_t kInterruptLine = 0x3c;
    Function function = endpoint_function(IoPort(host, 0));
    for (unsigned i = 0; i < requests; ++i) {
      EXPECT_EQ(function.read(config_header::kId) & 0xffff, host.system.endpoints[0].vendor);
      EXPECT_EQ(regs::hdm::kGlobalControlEnable.is_set(function.io().read(
                    host.system.endpoints[0].hdm_base + regs::hdm::kGlobalControl)),
                true);
      const auto value = static_cast<std::uint32_t>(host.random.below(256));
      function.write(kInterruptLine, value);
      EXPECT_EQ(function.read(kInterruptLine) & 0xff, value);
    }
  }

  Setting setting;
  peer::StandardDevice device;
  BasicRtlHost<Top> host;
};

inline void expect_no_violation(peer::StandardDevice& device) {
  const auto show = [](const char* who, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size() && i < 5; ++i) ADD_FAILURE() << who << lines[i];
  };
  show("", device.mem().violations());
  show("CXL.io: ", device.io().violations());
}

}  // namespace cxlgpu::test
