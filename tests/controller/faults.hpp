// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
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
//   swap        a flit of a protocol arrives under the protocol ID of an ALMP.
//   cut         an ALMP arrives damaged in any of the ways of almp_damage.hpp that show in its four
//               copies or its constant bits, or it is lost.
//   On a link with ARB/MUX the protocol ID says whose flit it is. One of CXL.io or an ALMP that is
//   lost (dropped, or the copy of a duplicate) has an ID that cannot be made out: Flex Bus goes to
//   Recovery. Bit errors of a CXL.io flit are passed on: its own layer has a CRC.
//   Recovery    is asked for by the bench between flits (due_recovery()): the physical layer
//               retrains on its own account, everything in flight is lost, both link layers are
//               told.
// Units:   rates a bit or a flit; flits as 17 words of 32 bits, word 0 lowest.
// Errors:  errors that the CRC cannot see are not put on the wire but counted as silent(): what
//          they do is beyond any link layer.
#pragma once

#include <cstring>

#include "flits/almp.hpp"
#include "flits/crc16.hpp"
#include "tests/controller/almp_damage.hpp"

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

// A link layer's words as the flit that flits/ works on.
inline flits::Flit as_wire_flit(const FlitWords& words,
                                flits::ProtocolId id = flits::ProtocolId::CacheMem) {
  flits::Flit flit;
  flit.set_protocol_id(id);
  std::memcpy(flit.bytes.data() + 2, words.word.data(), 66);
  return flit;
}

struct FaultRates {
  double bit_error = 0;  // a bit
  double drop = 0;       // a flit, as the two below
  double duplicate = 0;
  double recovery = 0;
  // Of a link with ARB/MUX.
  double swap = 0;
  double cut = 0;      // an ALMP
  double request = 0;  // a flit: an upper layer asks for Recovery
  double nap = 0;      // a cycle: L1 is asked for
};

struct FaultCounts {
  std::uint64_t damaged = 0, dropped = 0, duplicated = 0, recoveries = 0, silent = 0;
  std::uint64_t cut = 0, swapped = 0, io_changed = 0;  // cut: every ALMP that does not arrive sound
  [[nodiscard]] std::uint64_t bad_flits() const { return damaged + dropped + duplicated; }
};

class FaultInjector {
 public:
  // kBad: its CRC is wrong. kLost: its protocol ID cannot be made out. kDamaged, kMalformed: an
  // ALMP whose copies differ, or that does not exist.
  enum class Fate : std::uint8_t {
    kClean,
    kBad,
    kCleanThenBad,
    kLost,
    kCleanThenLost,
    kDamaged,
    kMalformed,
    kSwapped,
  };
  static constexpr std::uint64_t kBits = 528;

  explicit FaultInjector(std::uint64_t seed) : random_(seed) { set_rates({}); }

  void set_rates(const FaultRates& rates) {
    rates_ = rates;
    bits_left_ = random_.gap(rates.bit_error);
    drop_left_ = random_.gap(rates.drop);
    duplicate_left_ = random_.gap(rates.duplicate);
    recovery_left_ = random_.gap(rates.recovery);
    swap_left_ = random_.gap(rates.swap);
    cut_left_ = random_.gap(rates.cut);
    request_left_ = random_.gap(rates.request);
  }
  // The next flit on this wire arrives bad.
  void spoil_next() { drop_left_ = 0; }

  // What becomes of a CXL.cachemem flit; with kBad it has been changed, with kCleanThenBad a bad
  // copy follows.
  Fate apply(FlitWords& flit) {
    if (due_drop()) {
      for (std::uint32_t& word : flit.word) word = static_cast<std::uint32_t>(random_.next());
      flit.word[16] &= 0xFFFF;
      if (flit.crc_ok()) invert_crc(flit);
      return Fate::kBad;
    }
    if (due_swap()) return Fate::kSwapped;
    if (bits_left_ < kBits) return damage_flit(flit);
    bits_left_ -= kBits;
    return due_duplicate() ? Fate::kCleanThenBad : Fate::kClean;
  }
  // Likewise, of CXL.io.
  Fate apply_io(FlitWords& flit) {
    if (due_drop()) return Fate::kLost;
    if (due_swap()) return Fate::kSwapped;
    if (bits_left_ < kBits) {
      flip_bits(flit);
      ++counts_.io_changed;
      return Fate::kClean;
    }
    bits_left_ -= kBits;
    return due_duplicate() ? Fate::kCleanThenLost : Fate::kClean;
  }
  // Likewise, of an ALMP.
  Fate apply_almp(FlitWords& flit) {
    const FlitWords before = flit;
    Fate fate = Fate::kClean;
    if (due_drop()) {
      fate = Fate::kLost;
    } else if (cut_left_-- == 0) {
      cut_left_ = random_.gap(rates_.cut);
      pass_bits();
      fate = cut(flit);
    } else if (bits_left_ < kBits) {
      flip_bits(flit);
      fate = judge(flit, before);
      if (fate == Fate::kClean && flit != before) {
        ++counts_.silent;
        flit = before;
      }
    } else {
      bits_left_ -= kBits;
      if (due_duplicate()) return Fate::kCleanThenLost;
    }
    counts_.cut += fate == Fate::kClean ? 0 : 1;
    return fate;
  }
  static void invert_crc(FlitWords& flit) { flit.word[16] ^= 0xFFFF; }

  // What the far end sees in a flit that arrives under the protocol ID of an ALMP.
  static Fate read_as_almp(const FlitWords& flit) {
    switch (flits::read_almp(as_wire_flit(flit)).fault) {
      case flits::AlmpFault::CopiesDiffer:
        return Fate::kDamaged;
      case flits::AlmpFault::Malformed:
      case flits::AlmpFault::IllegalCode:
        return Fate::kMalformed;
      default:
        return Fate::kClean;
    }
  }

  // Once a flit: an upper layer asks for Recovery now.
  bool due_request() {
    if (request_left_-- != 0) return false;
    request_left_ = random_.gap(rates_.request);
    return true;
  }
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

  bool due_drop() {
    if (drop_left_-- != 0) return false;
    drop_left_ = random_.gap(rates_.drop);
    ++counts_.dropped;
    pass_bits();
    return true;
  }
  bool due_duplicate() {
    if (duplicate_left_-- != 0) return false;
    duplicate_left_ = random_.gap(rates_.duplicate);
    ++counts_.duplicated;
    return true;
  }
  bool due_swap() {
    if (swap_left_-- != 0) return false;
    swap_left_ = random_.gap(rates_.swap);
    ++counts_.swapped;
    pass_bits();
    return true;
  }

  void flip_bits(FlitWords& flit) {
    std::uint64_t bit = bits_left_;
    for (; bit < kBits; bit += 1 + random_.gap(rates_.bit_error)) {
      flit.word[bit / 32] ^= 1u << (bit % 32);
    }
    bits_left_ = bit - kBits;
  }
  Fate damage_flit(FlitWords& flit) {
    const FlitWords before = flit;
    flip_bits(flit);
    if (flit.crc_ok()) {
      ++counts_.silent;
      flit = before;
      return Fate::kClean;
    }
    ++counts_.damaged;
    return Fate::kBad;
  }

  // A sound ALMP other than the one sent is beyond any ARB/MUX, and what follows the copies is not
  // looked at: kClean.
  static Fate judge(const FlitWords& flit, const FlitWords& before) {
    const bool same = std::memcmp(flit.word.data(), before.word.data(), 16) == 0;
    return same ? Fate::kClean : read_as_almp(flit);
  }
  Fate cut(FlitWords& flit) {
    if (random_.below(5) == 0) return Fate::kLost;
    for (;;) {
      CrcFlit bytes;
      std::memcpy(bytes.payload.data(), flit.word.data(), bytes.payload.size());
      damage(bytes, random_);
      FlitWords spoilt = flit;
      std::memcpy(spoilt.word.data(), bytes.payload.data(), bytes.payload.size());
      const Fate fate = judge(spoilt, flit);
      if (fate == Fate::kClean) continue;
      flit = spoilt;
      return fate;
    }
  }

  QuickRandom random_;
  FaultRates rates_;
  FaultCounts counts_;
  std::uint64_t bits_left_ = 0, drop_left_ = 0, duplicate_left_ = 0, recovery_left_ = 0;
  std::uint64_t swap_left_ = 0, cut_left_ = 0, request_left_ = 0;
};

}  // namespace cxlgpu::test
