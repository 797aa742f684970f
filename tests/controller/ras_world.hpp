// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Events and register accesses for ras_test.
//
// Use:     step() gives the inputs of a cycle.
#pragma once

#include <array>
#include <cstdint>

#include "common/registers.hpp"
#include "refmodel/controller/ras.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

// Registers and events, random; the rates change every few hundred cycles.
class RasWorld {
 public:
  Ras::In step(Random& random) {
    if (random.below(400) == 0) change(random);
    Ras::In in;
    if (random.percent(uncor_rate_)) {
      in.uncor = static_cast<std::uint32_t>(random.bits(17));
      for (unsigned k = 0; k < thinning_; ++k) {
        in.uncor &= static_cast<std::uint32_t>(random.bits(17));
      }
      if (one_bit_) in.uncor = 1u << random.below(17);
    }
    if (random.percent(cor_rate_)) in.cor = static_cast<std::uint32_t>(random.bits(7));
    if (random.percent(cor_rate_)) in.cor &= 1u << random.below(7);
    for (std::uint32_t& word : in.log_flit) word = static_cast<std::uint32_t>(random.bits(32));
    for (std::uint32_t& word : in.log_header) word = static_cast<std::uint32_t>(random.bits(32));
    in.log_overflow = static_cast<unsigned>(random.bits(3));
    in.poison = random.percent(poison_rate_);
    in.crc = random.percent(crc_rate_);
    in.retry = random.percent(retry_rate_);
    in.valid = random.percent(accesses_);
    in.write = random.percent(writes_);
    in.addr = address(random);
    in.wdata = value(random);
    return in;
  }

 private:
  static constexpr unsigned kLogWords = 16;  // as the RTL's default
  static constexpr std::array<unsigned, 8> kRates{0, 0, 1, 3, 10, 40, 80, 100};

  void change(Random& random) {
    uncor_rate_ = random.pick(kRates);
    thinning_ = static_cast<unsigned>(random.below(4));
    one_bit_ = random.percent(30);
    cor_rate_ = random.percent(40) ? 0 : random.pick(kRates);
    poison_rate_ = random.percent(30) ? 0 : random.pick(kRates);
    crc_rate_ = random.pick(std::array{0u, 5u, 60u, 95u, 100u});
    retry_rate_ = random.pick(kRates);
    accesses_ = random.pick(std::array{10u, 50u, 90u, 100u});
    writes_ = random.pick(std::array{5u, 30u, 60u});
    statuses_ = random.percent(50);
    if (!statuses_) return;  // else events that meet their clearing
    uncor_rate_ = random.pick(std::array{10u, 40u});
    thinning_ = 2;
    accesses_ = 100;
    writes_ = 90;
  }
  [[nodiscard]] std::uint32_t address(Random& random) const {
    if (statuses_ && random.percent(60)) return regs::ras::kUncorStatus;
    std::uint32_t addr = 0;
    switch (random.below(8)) {
      case 0:
      case 1:
        addr = random.pick(std::array{regs::ras::kUncorStatus, regs::ras::kCorStatus});
        break;
      case 2:
      case 3:
        addr = static_cast<std::uint32_t>(4 * random.below(6));
        break;
      case 4:
      case 5:
        addr = static_cast<std::uint32_t>(regs::ras::kHeaderLog + 4 * random.below(kLogWords));
        break;
      case 6:
        addr = regs::ras::kControl;
        break;
      default:
        addr = static_cast<std::uint32_t>(4 * random.below(32));
        break;
    }
    // Only addr[6:2] counts.
    return addr | static_cast<std::uint32_t>(random.bits(9) << 7 | random.bits(2));
  }
  static std::uint32_t value(Random& random) {
    const auto any = static_cast<std::uint32_t>(random.bits(32));
    switch (random.below(6)) {
      case 0:
        return 0;
      case 1:
        return ~0u;
      case 2:
        return 1u << random.below(17);
      case 3:
        return ~(1u << random.below(17));
      default:
        return any;
    }
  }

  unsigned uncor_rate_ = 0, thinning_ = 0, cor_rate_ = 0, poison_rate_ = 0;
  unsigned crc_rate_ = 60, retry_rate_ = 40, accesses_ = 50, writes_ = 30;
  bool one_bit_ = false, statuses_ = false;
};

}  // namespace cxlgpu::test
