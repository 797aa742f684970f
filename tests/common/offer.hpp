// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// An offer under valid and ready: once made it stays, with its payload, until it is taken.
//
// Use:     one an offer of the RTL; look() once a cycle, settled, with all ports of its payload;
// forget() where
//          the block's page lets an offer go (reset, refusal).
// Errors:  a GoogleTest failure that names the offer.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace cxlgpu::test {

class Offer {
 public:
  explicit Offer(const char* name) : name_(name) {}

  template <typename... Ports>
  void look(bool valid, bool ready, const Ports&... ports) {
    std::vector<std::uint8_t> payload;
    if (valid) (append(payload, ports), ...);
    if (waits_) {
      ++stalls_;
      EXPECT_TRUE(valid) << name_ << ": an offer that waited is gone";
      EXPECT_TRUE(!valid || payload == payload_) << name_ << ": an offer changed while it waited";
    }
    waits_ = valid && !ready;
    payload_ = std::move(payload);
  }
  void forget() { waits_ = false; }
  [[nodiscard]] std::uint64_t stalls() const { return stalls_; }  // cycles in which one had to stay

 private:
  template <typename Port>
  static void append(std::vector<std::uint8_t>& to, const Port& port) {
    const std::size_t at = to.size();
    to.resize(at + sizeof port);
    std::memcpy(to.data() + at, &port, sizeof port);
  }

  const char* name_;
  bool waits_ = false;
  std::vector<std::uint8_t> payload_;
  std::uint64_t stalls_ = 0;
};

}  // namespace cxlgpu::test
