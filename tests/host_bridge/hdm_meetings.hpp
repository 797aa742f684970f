// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What meets in one cycle of the two decoders of hdm_decoder_tb, for functional coverage: registers
// that are written or committed, and the lookup.
//
// Use:     look() with the inputs settled, before the edge.
// Source:  docs/blocks/host_bridge/hdm_decoder.md; the registers are the RTL's own.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "Vhdm_decoder___024root.h"
#include "refmodel/host_bridge/hdm_decoder.hpp"
#include "tests/common/bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_registers.hpp"
#include "tests/host_bridge/hdm_program.hpp"

namespace cxlgpu::test {

class HdmMeetings {
 public:
  template <typename Top>
  void look(Top& top, unsigned role, const HdmDecoder::In& in) {
    if (!pairs_.on()) return;
    const Registers r = registers(*top.rootp, role);
    const Lookup lookup{in.hpa_valid, get_bits(top.hit_o, role, 1) != 0,
                        static_cast<unsigned>(get_bits(top.decoder_o, 4 * role, 4)),
                        in.hpa_line >> 22};
    using coverage::HdmDoes;
    const auto hit = [&](HdmDoes does, unsigned n) {
      pairs_.hit(
          {role, static_cast<unsigned>(does), static_cast<unsigned>(look_of(r, lookup, does, n))});
    };
    const unsigned pending = r.commit & ~r.committed & ~r.error;
    bool any = pending != 0;
    // The outcome of the cycle before is known now; what met it is that cycle's.
    if (was_[role].pending != 0) {
      const auto n = static_cast<unsigned>(std::countr_zero(was_[role].pending));
      const HdmDoes does = (r.committed >> n & 1) != 0 ? HdmDoes::Commits : HdmDoes::Refused;
      pairs_.hit(
          {role, static_cast<unsigned>(does),
           static_cast<unsigned>(look_of(was_[role].registers, was_[role].lookup, does, n))});
    }
    was_[role] = {pending, r, lookup};

    const std::uint32_t at = in.addr & 0xfff, offset = at - 0x10;
    const unsigned n = offset / 0x20;
    if (in.valid && in.write && at >= 0x10 && n < kDecoders) {
      const bool committed = (r.committed >> n & 1) != 0, locked = (r.lock >> n & 1) != 0;
      const bool control = (offset & 0x1c) == 0x10;
      const bool commit = (in.wdata & kHdmCommit) != 0;
      any = true;
      hit((pending >> n & 1) != 0      ? HdmDoes::WhileChecked
          : control && !commit         ? (!committed ? HdmDoes::Prepares
                                          : locked   ? HdmDoes::UncommitLocked
                                                     : HdmDoes::Uncommits)
          : committed                  ? HdmDoes::FieldCommitted
          : !control                   ? HdmDoes::Field
          : (in.wdata & kHdmLock) != 0 ? HdmDoes::AsksLocked
                                       : HdmDoes::Asks,
          n);
    } else if (in.valid && in.write && (at & 0xffc) == 0x04 && role == 1) {
      const bool enable = (in.wdata & 2) != 0;
      if (enable != (get_bits(top.enabled_o, role, 1) != 0)) {
        any = true;
        hit(enable ? HdmDoes::Enables : HdmDoes::Disables, kDecoders);
      }
    }
    if (!any) hit(HdmDoes::Nothing, kDecoders);
  }
  // After a reset of the top.
  void forget() { was_ = {}; }

 private:
  static constexpr unsigned kDecoders = 4;
  struct Registers {
    unsigned committed = 0, commit = 0, error = 0, lock = 0;  // a bit a decoder
    std::array<std::uint64_t, kDecoders> base{}, size{};      // 256 MiB each
  };
  struct Lookup {
    bool valid = false, hit = false;
    unsigned decoder = 0;
    std::uint64_t unit = 0;
  };

  template <typename Root>
  static Registers registers(const Root& root, unsigned role) {
    Registers r;
#define CXLGPU_HDM(role, field) \
  root.hdm_decoder_tb__DOT__gen_role__BRA__##role##__KET____DOT__u_decoder__DOT__##field##_q
    const auto read = [&](const auto& base, const auto& size) {
      for (unsigned n = 0; n < kDecoders; ++n) {
        r.base[n] = get_bits(base, std::size_t{24} * n, 24);
        r.size[n] = get_bits(size, std::size_t{24} * n, 24);
      }
    };
    if (role == 0) {
      r.committed = CXLGPU_HDM(0, committed);
      r.commit = CXLGPU_HDM(0, commit);
      r.error = CXLGPU_HDM(0, error);
      r.lock = CXLGPU_HDM(0, lock);
      read(CXLGPU_HDM(0, base), CXLGPU_HDM(0, size));
    } else {
      r.committed = CXLGPU_HDM(1, committed);
      r.commit = CXLGPU_HDM(1, commit);
      r.error = CXLGPU_HDM(1, error);
      r.lock = CXLGPU_HDM(1, lock);
      read(CXLGPU_HDM(1, base), CXLGPU_HDM(1, size));
    }
#undef CXLGPU_HDM
    return r;
  }
  // Of decoder n; kDecoders: of none, then any that is committed is in its range.
  static coverage::HdmLook look_of(const Registers& r, const Lookup& lookup, coverage::HdmDoes does,
                                   unsigned n) {
    using coverage::HdmDoes;
    using coverage::HdmLook;
    if (!lookup.valid) return HdmLook::None;
    if (lookup.hit) return lookup.decoder == n ? HdmLook::HitsIt : HdmLook::HitsAnother;
    if (does == HdmDoes::Nothing) return HdmLook::Misses;
    for (unsigned k = 0; k < kDecoders; ++k) {
      const bool meant = k == n || (n == kDecoders && (r.committed >> k & 1) != 0);
      if (meant && lookup.unit >= r.base[k] && lookup.unit < r.base[k] + r.size[k]) {
        return HdmLook::WouldHit;
      }
    }
    return HdmLook::Misses;
  }

  struct Before {
    unsigned pending = 0;  // one at most
    Registers registers;
    Lookup lookup;
  };
  std::array<Before, 2> was_{};
  TestCoverage pairs_{coverage::hdm_decoder_pairs()};
};

}  // namespace cxlgpu::test
