// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The internal DRAM of an endpoint: tags, line states, replacement and MSHRs.
//
// Purpose: says where a 256 B granule is or will be. Data is the media's affair (slots).
// Units:   granules (address[51:8] of the DPA); slot = set * ways + way; MSHR numbers.
// Shapes:  2^sets_log2 sets; ways a power of two, 2..16; up to 256 MSHRs.
// Parts:   with `early` a write opens a line that is not there, without a fill; the bytes of each
//          live MSHR that stores have brought are kept. docs/blocks/endpoint/README.md.
// Rules:   every live MSHR belongs to one slot, which is pinned until it frees. It frees when its
//          fill is done and no waiter is left; every demand Miss or Merge adds one. A line that
//          MemSpecRd brought and no demand wanted yet is unwanted; it is fresh, too, until it was
//          passed over once as a victim.
// Errors:  fill_done() and wake() of an MSHR that is not live are programming errors (asserted).
// Source:  docs/blocks/endpoint/dram_cache.md.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "common/request.hpp"
#include "common/rtl_sizes.hpp"

namespace cxlgpu {

enum class CacheResult : std::uint8_t {
  Hit = 0,
  Merge = 1,
  Miss = 2,
  Blocked = 3,
  Drop = 4,
  Held = 5,   // not filled, but nothing to wait for
  Start = 6,  // open; its fill is requested now
  Open = 7    // a Miss whose fill is not requested
};
inline constexpr std::size_t kCacheResults = 8;

// What a lookup counts as, a bit each.
enum class DramEvent : std::uint8_t {
  DemandHit = 0,
  DemandMerge = 1,
  DemandFill = 2,
  SpecFill = 3,
  SpecNeedless = 4,  // there, or being filled
  SpecDrop = 5,      // no MSHR or way
  Unwanted = 6,      // a line goes that MemSpecRd brought and no demand ever wanted
  Displaced = 7,     // another line goes for a MemSpecRd
  Opened = 8,        // by a write
  Behind = 9,        // the fill of an open line is requested, without a load
  Whole = 10         // an open line has all its bytes, by writes
};
inline constexpr std::size_t kDramEvents = 11;
using DramEvents = std::uint16_t;
[[nodiscard]] constexpr DramEvents event_bit(DramEvent event) {
  return static_cast<DramEvents>(1u << static_cast<unsigned>(event));
}

struct LookupOutcome {
  CacheResult result = CacheResult::Blocked;
  std::uint32_t slot = 0;            // all but Blocked, Drop
  std::uint8_t mshr = 0;             // Merge, Miss, Start, Open
  bool write_back = false;           // Miss, Open: the victim is dirty
  std::uint64_t victim_granule = 0;  // with write_back
  DramEvents events = 0;             // if it takes effect
};

class DramCache {
 public:
  static constexpr unsigned kMaxMshrs = 256;

  // `lines`: of 64 bytes, in a granule.
  explicit DramCache(unsigned sets_log2 = 10, unsigned ways = 8, unsigned mshrs = kDefaultRtl.mshrs,
                     unsigned lines = kDefaultRtl.line_bytes / kLineBytes);

  struct Lookup {
    std::uint64_t granule = 0;
    bool write = false, spec = false;
    unsigned offset = 0;            // line of 64 bytes in the granule
    std::uint64_t byte_enable = 0;  // of a write
    bool early = false;             // writes do not wait
  };
  // What a lookup would give; lookup() also takes effect.
  [[nodiscard]] LookupOutcome peek(const Lookup& what) const;
  LookupOutcome lookup(const Lookup& what);
  [[nodiscard]] LookupOutcome peek(std::uint64_t granule, bool spec) const {
    return peek({.granule = granule, .spec = spec});
  }
  LookupOutcome lookup(std::uint64_t granule, bool write, bool spec) {
    return lookup({.granule = granule, .write = write, .spec = spec});
  }

  // The mask that a write changed is looked at a cycle later: begin_check() before anything of that
  // cycle, end_check() after its lookup. True: a line has become whole. look_at_check() takes no
  // effect; not valid without a write, or if its line is filled by now.
  struct Check {
    bool valid = false, complete = false, whole = false;
    unsigned mshr = 0, offset = 0;
  };
  [[nodiscard]] bool check_due() const { return check_.valid; }
  [[nodiscard]] Check look_at_check() const;
  Check begin_check();
  bool end_check(const Check& check);

  // The open line whose fill is to be requested next.
  struct Behind {
    bool valid = false;
    std::uint8_t mshr = 0;
    std::uint32_t slot = 0;
    std::uint64_t granule = 0;
  };
  [[nodiscard]] Behind behind() const;
  void take_behind();  // only with one
  [[nodiscard]] unsigned open_count() const { return opened_; }
  [[nodiscard]] bool is_open(unsigned mshr) const { return open_[mshr]; }
  // The first line of an open MSHR that is not held whole.
  [[nodiscard]] unsigned missing_line(unsigned mshr) const {
    unsigned line = 0;
    while (line + 1 < lines_of_granule_ && held_[mshr * lines_of_granule_ + line] == kAllBytes) {
      ++line;
    }
    return line;
  }

  void fill_done(unsigned mshr);
  void wake(unsigned mshr);  // one waiter was served

  [[nodiscard]] unsigned mshr_used() const { return used_; }
  [[nodiscard]] bool is_live(unsigned mshr) const { return live_[mshr]; }
  [[nodiscard]] unsigned waiters(unsigned mshr) const { return mshrs_[mshr].waiters; }
  [[nodiscard]] bool is_filled(unsigned mshr) const { return mshrs_[mshr].filled; }
  [[nodiscard]] std::uint32_t slot_of(unsigned mshr) const { return mshrs_[mshr].slot; }

  // Slots that hold modified data, for a final write-back: calls visit(granule, slot).
  template <typename Visit>
  void for_each_dirty(Visit visit) const {
    for (std::uint32_t slot = 0; slot < lines_.size(); ++slot) {
      if (lines_[slot].valid && lines_[slot].dirty) visit(lines_[slot].granule, slot);
    }
  }

  // Cycle-exact.
  struct In {
    bool lookup_valid = false, lookup_commit = false;
    std::uint64_t granule = 0;
    bool write = false, spec = false;
    unsigned offset = 0;
    std::uint64_t byte_enable = 0;
    bool early = false;
    bool behind_take = false;
    bool fill_done = false;
    unsigned fill_mshr = 0;
    bool wait_dec = false;
    unsigned wait_mshr = 0;
  };
  struct Out {
    LookupOutcome outcome;  // with lookup_valid
    unsigned mshr_used = 0, open_count = 0;
    Behind behind;
    DramEvents events = 0;
  };
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  static constexpr std::uint16_t kNoMshr = 0xffff;
  struct LineState {
    std::uint64_t granule = 0;
    bool valid = false, dirty = false, fresh = false, unwanted = false;
    std::uint16_t mshr = kNoMshr;  // live MSHR that pins the slot
  };
  struct Mshr {
    std::uint32_t slot = 0;
    std::uint16_t waiters = 0;
    bool filled = false;
  };

  // Folded, so that streams a power of two apart do not meet in one set.
  [[nodiscard]] std::uint32_t first_slot(std::uint64_t granule) const {
    const std::uint64_t folded = granule ^ granule >> 5 ^ granule >> 10 ^ granule >> 15;
    return static_cast<std::uint32_t>(folded & set_mask_) * ways_;
  }
  [[nodiscard]] bool pinned(std::uint32_t slot) const { return lines_[slot].mshr != kNoMshr; }
  [[nodiscard]] unsigned plru_way(std::uint32_t set) const;
  void touch(std::uint32_t slot);
  // The way to replace, or none when every way of the set is pinned.
  struct Victim {
    int way = -1;
    int passed_over = -1;
  };
  [[nodiscard]] Victim victim(std::uint32_t first) const;
  [[nodiscard]] unsigned lowest_free_mshr() const;
  void free_if_done(unsigned mshr);
  void release(unsigned mshr);
  void set_open(unsigned mshr, bool open);
  [[nodiscard]] static Lookup lookup_of(const In& in) {
    return {in.granule, in.write, in.spec, in.offset, in.byte_enable, in.early};
  }
  void hold(unsigned mshr, unsigned offset, std::uint64_t byte_enable);

  unsigned ways_;
  unsigned ways_log2_;
  std::uint64_t set_mask_;
  unsigned mshr_count_;
  unsigned used_ = 0;
  std::bitset<kMaxMshrs> live_;  // those in use
  std::vector<LineState> lines_;
  std::vector<std::uint16_t> plru_;  // a set's tree, node n in bit n
  std::bitset<kMaxMshrs> open_;      // those whose fill has not been requested
  unsigned opened_ = 0;              // how many
  unsigned last_behind_;
  unsigned lines_of_granule_;
  std::vector<std::uint64_t> held_;       // by MSHR and line: a bit a byte
  std::vector<bool> complete_;            // by MSHR and line: all of them, as a read may know
  Check check_;                           // mshr and offset of the last write
  std::array<std::uint16_t, 16> path_{};  // nodes on the path to way w
  std::array<std::uint16_t, 16> away_{};  // their values that point away from way w
  std::array<Mshr, kMaxMshrs> mshrs_{};
};

}  // namespace cxlgpu
