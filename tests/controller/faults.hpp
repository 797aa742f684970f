// Seeded faults on one wire of a link.
//
// Purpose: decides for each flit what becomes of it, as the far link layer sees it.
//   bit errors  at a rate on the 528 bits that the CRC covers or is.
//   drop        the flit is lost. CXL 2.0 counts 68-byte flits without numbering them, so a link
//               layer cannot notice that one is missing; nor need it: a flit does not vanish from a
//               stream of symbols without the framing breaking, which the Flex Bus layer sees as a
//               bad protocol ID and reports as a bad flit or answers with Recovery. So a bad flit
//               arrives in its place here.
//   duplicate   likewise: the flit arrives, and right behind it a copy that the Flex Bus layer
//               marks as bad (its CRC is inverted).
//   Recovery    is asked for by the bench between flits (due_recovery()): the physical layer
//               retrains on its own account, everything under way is lost, both link layers are
//               told.
// Units:   rates a bit or a flit; flits as 17 words of 32 bits, word 0 lowest.
// Errors:  errors that the CRC cannot see are not put on the wire but counted as silent(): what
//          they do is beyond any link layer.
#pragma once

#include <cstring>

#include "flits/crc16.hpp"
#include "tests/controller/quick_random.hpp"

namespace cxlgpu::test {

struct FlitWords {
  std::array<std::uint32_t, 17> word{};  // payload, then the CRC in the low half of word 16
  bool operator==(const FlitWords&) const = default;
  [[nodiscard]] bool crc_ok() const {
    std::array<std::uint8_t, 64> payload;
    std::memcpy(payload.data(), word.data(), payload.size());
    return flits::crc16(payload) == (word[16] & 0xFFFF);
  }
};

struct FaultRates {
  double bit_error = 0;  // a bit
  double drop = 0;       // a flit, as the two below
  double duplicate = 0;
  double recovery = 0;
};

struct FaultCounts {
  std::uint64_t damaged = 0, dropped = 0, duplicated = 0, recoveries = 0, silent = 0;
  [[nodiscard]] std::uint64_t bad_flits() const { return damaged + dropped + duplicated; }
};

class FaultInjector {
 public:
  enum class Fate : std::uint8_t { kClean, kBad, kCleanThenBad };
  static constexpr std::uint64_t kBits = 528;

  explicit FaultInjector(std::uint64_t seed) : random_(seed) { set_rates({}); }

  void set_rates(const FaultRates& rates) {
    rates_ = rates;
    bits_left_ = random_.gap(rates.bit_error);
    drop_left_ = random_.gap(rates.drop);
    duplicate_left_ = random_.gap(rates.duplicate);
    recovery_left_ = random_.gap(rates.recovery);
  }
  // The next flit on this wire arrives bad.
  void spoil_next() { drop_left_ = 0; }

  // What becomes of a flit; with kBad it has been changed, with kCleanThenBad a bad copy follows.
  Fate apply(FlitWords& flit) {
    if (drop_left_-- == 0) {
      drop_left_ = random_.gap(rates_.drop);
      ++counts_.dropped;
      for (std::uint32_t& word : flit.word) word = static_cast<std::uint32_t>(random_.next());
      flit.word[16] &= 0xFFFF;
      if (flit.crc_ok()) invert_crc(flit);
      pass_bits();
      return Fate::kBad;
    }
    if (bits_left_ < kBits) return damage(flit);
    bits_left_ -= kBits;
    if (duplicate_left_-- == 0) {
      duplicate_left_ = random_.gap(rates_.duplicate);
      ++counts_.duplicated;
      return Fate::kCleanThenBad;
    }
    return Fate::kClean;
  }
  static void invert_crc(FlitWords& flit) { flit.word[16] ^= 0xFFFF; }

  // Once a flit: the physical layer retrains now.
  bool due_recovery() {
    if (recovery_left_-- != 0) return false;
    recovery_left_ = random_.gap(rates_.recovery);
    ++counts_.recoveries;
    return true;
  }
  [[nodiscard]] const FaultCounts& counts() const { return counts_; }

 private:
  void pass_bits() { bits_left_ = bits_left_ < kBits ? random_.gap(rates_.bit_error) : bits_left_; }

  Fate damage(FlitWords& flit) {
    const FlitWords before = flit;
    std::uint64_t bit = bits_left_;
    for (; bit < kBits; bit += 1 + random_.gap(rates_.bit_error)) {
      flit.word[bit / 32] ^= 1u << (bit % 32);
    }
    bits_left_ = bit - kBits;
    if (flit.crc_ok()) {
      ++counts_.silent;
      flit = before;
      return Fate::kClean;
    }
    ++counts_.damaged;
    return Fate::kBad;
  }

  QuickRandom random_;
  FaultRates rates_;
  FaultCounts counts_;
  std::uint64_t bits_left_ = 0, drop_left_ = 0, duplicate_left_ = 0, recovery_left_ = 0;
};

}  // namespace cxlgpu::test
