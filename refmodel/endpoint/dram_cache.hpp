// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The internal DRAM of an endpoint: tags, line states, replacement and MSHRs.
//
// Purpose: says where a 256 B granule is or will be. Data is the media's affair (slots).
// Units:   granules (address[51:8] of the DPA); slot = set * ways + way; MSHR numbers.
// Shapes:  2^sets_log2 sets; ways a power of two, 2..64; up to 256 MSHRs.
// Parts:   with `early` a write opens a line that is not there, without a fill; the bytes of each
//          live MSHR that stores have brought are kept. docs/blocks/endpoint/README.md.
// Errors:  fill_done() and wake() of an MSHR that is not live are programming errors (asserted).
// Source:  docs/blocks/endpoint/dram_cache.md.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
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
  [[nodiscard]] bool check_due() const { return written_.has_value(); }
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
  [[nodiscard]] unsigned open_count() const { return open_.size(); }
  [[nodiscard]] bool is_open(unsigned mshr) const { return open_.has(mshr); }
  // The first line of an open MSHR that is not held whole; without one the last.
  [[nodiscard]] unsigned missing_line(unsigned mshr) const;

  void fill_done(unsigned mshr);
  void wake(unsigned mshr);  // one waiter was served

  [[nodiscard]] unsigned mshr_used() const { return mshr_count_ - free_.size(); }
  [[nodiscard]] bool is_live(unsigned mshr) const { return !free_.has(mshr); }
  [[nodiscard]] unsigned waiters(unsigned mshr) const { return mshrs_[mshr].waiters; }
  [[nodiscard]] bool is_filled(unsigned mshr) const { return mshrs_[mshr].filled; }
  [[nodiscard]] std::uint32_t slot_of(unsigned mshr) const { return mshrs_[mshr].slot; }

  // Slots that hold modified data, for a final write-back: calls visit(granule, slot).
  template <typename Visit>
  void for_each_dirty(Visit visit) const {
    for (std::uint32_t slot = 0; slot < lines_.size(); ++slot) {
      if (lines_[slot].dirty) visit(granules_[slot], slot);
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
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  // A set of MSHRs.
  class Numbers {
   public:
    [[nodiscard]] unsigned size() const { return size_; }
    [[nodiscard]] bool has(unsigned n) const { return (words_[n / 64] >> n % 64 & 1) != 0; }
    void insert(unsigned n) { words_[n / 64] |= std::uint64_t{1} << n % 64, ++size_; }
    void erase(unsigned n) { words_[n / 64] &= ~(std::uint64_t{1} << n % 64), --size_; }
    // The lowest from `from` on; kMaxMshrs without one.
    [[nodiscard]] unsigned lowest(unsigned from = 0) const {
      std::uint64_t mask = kNone << from % 64;
      for (unsigned w = from / 64; w < words_.size(); ++w, mask = kNone) {
        if ((words_[w] & mask) != 0) return 64 * w + unsigned(std::countr_zero(words_[w] & mask));
      }
      return kMaxMshrs;
    }

   private:
    std::array<std::uint64_t, kMaxMshrs / 64> words_{};
    unsigned size_ = 0;
  };
  struct LineState {
    bool dirty = false;
    bool unused = false;        // by demands; a MemSpecRd brought it
    bool is_protected = false;  // unused, and not spared yet
    bool pinned = false;        // by a live MSHR
    std::uint8_t mshr = 0;
  };
  struct Mshr {
    std::uint32_t slot = 0;
    bool filled = false;
    std::uint8_t waiters = 0;
  };
  struct Write {
    unsigned mshr = 0, offset = 0;
  };

  [[nodiscard]] std::uint32_t first_slot(std::uint64_t granule) const;
  [[nodiscard]] std::uint32_t tree_choice(std::uint32_t first) const;
  [[nodiscard]] std::optional<std::uint32_t> victim(std::uint32_t first) const;
  [[nodiscard]] CacheResult result(const Lookup& what, const LineState& line) const;
  void evict(std::uint32_t slot);
  void touch(std::uint32_t slot);
  void hold(const Lookup& what, unsigned mshr);
  void free_if_done(unsigned mshr);
  void free(unsigned mshr);

  unsigned ways_, mshr_count_, lines_per_granule_;
  std::vector<std::uint64_t> granules_;  // of each slot; kNone: no line
  std::vector<LineState> lines_;         // of each slot
  std::vector<std::uint64_t> trees_;     // of each set
  std::vector<Mshr> mshrs_;
  std::vector<std::uint64_t> held_;     // byte masks, for each MSHR one of each 64 bytes
  std::vector<std::uint8_t> complete_;  // likewise: 1 if a read may find the 64 bytes held
  Numbers free_, open_;
  unsigned behind_from_ = 0;      // one above the MSHR that was filled behind last
  std::optional<Write> written_;  // the last lookup changed a mask
};

}  // namespace cxlgpu
