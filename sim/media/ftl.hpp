// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Page-mapped flash translation layer: where each logical page lies, and what must be moved and
// erased so that there is room. No time: the caller carries out and times what it is told.
//
// Shapes:  a page has one number, logical or physical. Physical page x lies on die x % dies, which
//          is the order of the static striping (channel x % channels first), row x / dies of it;
//          row r is page r % pages_per_block of block r / pages_per_block. A block is what is
//          erased together: the blocks of all planes. Pages of a block are programmed in order;
//          page i of it lies on plane i % planes.
// Space:   logical pages = physical pages * 100 / (100 + over_provisioning_percent), rounded down
//          to whole stripes.
// Writing: user pages go to the dies in turn (so that a first sequential fill from page 0 puts
//          page p at p), except to dies that hold much more valid data than their share. Each die
//          has an open block for the user and one for moved pages. One erased block is reserved
//          so that a collection can always be finished.
// Collect: of a die, wanted below `free_high` erased blocks, urgent at `free_low` or below. Victim:
//          greedy        fewest valid pages, oldest first among equals
//          cost_benefit  largest (1 - u) / 2u * age, u = valid share, age = writes to the die since
//                        the block last lost a page (A. Kawaguchi et al., USENIX 1995)
// Wear:    with wear_spread > 0 the least worn erased block is opened first; when the most and the
//          least worn block of a die differ by more, every other victim is the least worn one and
//          its (cold) data goes to the most worn erased block. With 0, first erased, first opened.
//          Counts begin at 0 with the model.
// Used:    prefilled_percent of the logical pages, the first ones, hold data that nobody has
//          written; it is spread over all blocks but `free_high` a die as uniform random writes
//          leave it when the oldest block is the next victim: shares of valid pages fall
//          exponentially with age. Seeded and computed, so that none of it costs memory.
// Sparse:  memory grows with the pages written or moved and the blocks touched: bytes().
// Errors:  InputError if the spare space cannot hold the reserves; image errors as in image.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/media/number_map.hpp"

namespace cxlgpu {

class ImageReader;
class ImageWriter;

enum class VictimPolicy : std::uint8_t { Greedy, CostBenefit };

struct TranslationConfig {
  std::uint32_t planes = 1;                     // programmed and erased together
  std::uint32_t over_provisioning_percent = 0;  // of the logical space
  VictimPolicy victim = VictimPolicy::Greedy;
  std::uint32_t free_low = 0, free_high = 0;  // erased blocks of a die
  std::uint32_t wear_spread = 0;              // erases; 0: no wear levelling
  std::uint32_t prefilled_percent = 0;        // of the logical space
  std::uint64_t prefill_seed = 0;
  bool operator==(const TranslationConfig&) const = default;
};

struct FtlShape {
  std::uint32_t dies = 0, blocks_per_die = 0;
  std::uint32_t pages_per_block = 0;  // of all planes
  std::uint32_t buffered = 0;         // user pages that may be on their way to the dies
  bool operator==(const FtlShape&) const = default;
};

// What is wrong with the shape under this configuration; empty if nothing.
[[nodiscard]] std::string ftl_problem(const FtlShape& shape, const TranslationConfig& config);
[[nodiscard]] std::uint64_t ftl_logical_pages(const FtlShape& shape,
                                              const TranslationConfig& config);

class Ftl {
 public:
  static constexpr std::uint32_t kMaxPlanes = 8;
  struct Move {
    std::uint32_t logical = 0, from = 0, to = 0;
  };
  enum class TaskKind : std::uint8_t { None, Copy, Erase };
  struct Task {
    TaskKind kind = TaskKind::None;
    std::uint32_t count = 0;  // Copy: pages; they are programmed together
    std::array<Move, kMaxPlanes> moves{};
    std::uint32_t block = 0;  // of the die
  };
  struct Counters {
    std::uint64_t host_pages = 0, moved_pages = 0, erases = 0;
    std::uint64_t levelled_blocks = 0;  // victims chosen for their wear
    [[nodiscard]] double write_amplification() const {
      return host_pages == 0
                 ? 1.0
                 : 1.0 + static_cast<double>(moved_pages) / static_cast<double>(host_pages);
    }
    bool operator==(const Counters&) const = default;
  };
  struct Wear {
    std::uint32_t least = 0, most = 0;  // erases of a block
  };

  // Precondition: ftl_problem() is empty.
  Ftl(const FtlShape& shape, const TranslationConfig& config);

  [[nodiscard]] std::uint32_t logical_pages() const { return logical_pages_; }
  // Physical page to be read for a logical one; its place in the striping if it holds no data.
  [[nodiscard]] std::uint32_t where(std::uint32_t logical) const;
  // The same, if the page was written or moved since the model began.
  [[nodiscard]] std::optional<std::uint32_t> mapped(std::uint32_t logical) const {
    const std::uint32_t at = map_.find(logical);
    return at == kNone ? std::nullopt : std::optional(at);
  }
  // True if the page was written or prefilled.
  [[nodiscard]] bool holds_data(std::uint32_t logical) const;
  // Logical page whose data, valid or stale, lies in the physical one.
  [[nodiscard]] std::optional<std::uint32_t> data_at(std::uint32_t physical) const;

  // Die that the next user page is to go to; a place on it counts as taken until write().
  std::uint32_t next_die();
  // Pages that one user program on the die may take now; 0: a collection comes first.
  [[nodiscard]] std::uint32_t room(std::uint32_t die) const;
  // Places a page announced by next_die(); returns its physical page. Precondition: room(die) > 0.
  std::uint32_t write(std::uint32_t logical, std::uint32_t die);

  [[nodiscard]] bool wants_collection(std::uint32_t die) const;
  [[nodiscard]] bool urgent(std::uint32_t die) const;
  // The pages already announced for the die open the block that makes it want a collection.
  [[nodiscard]] bool nears_collection(std::uint32_t die) const;
  // Die on which the last write() made a page stale, if it did.
  [[nodiscard]] std::optional<std::uint32_t> lost_on() const {
    return lost_on_ == kNone ? std::nullopt : std::optional(lost_on_);
  }
  [[nodiscard]] std::uint32_t free_blocks(std::uint32_t die) const;
  // Next step of the die's collection. Mappings change at once; an erased block is free only
  // after erased(). None while an erase is in progress or when nothing can be gained.
  Task next_task(std::uint32_t die);
  void erased(std::uint32_t die);

  // Untimed: all that is needed to write the page, with the collections.
  void write_now(std::uint32_t logical);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] Wear wear() const;
  [[nodiscard]] std::size_t bytes() const;  // held in all
  [[nodiscard]] std::size_t touched_pages() const { return map_.size(); }
  // The invariants, of one die or of all and the map; says what is broken, or nothing.
  [[nodiscard]] std::string broken(std::uint32_t die) const;
  [[nodiscard]] std::string broken() const;

  void save(ImageWriter& out) const;
  // Precondition: newly made. InputError if the image is of another shape or configuration.
  void load(ImageReader& in);

 private:
  static constexpr std::uint32_t kNone = NumberMap::kNone;
  enum class State : std::uint8_t { Closed, Open, Victim, Erasing, Free };
  struct Block {
    std::uint32_t number = 0;  // die * blocks_per_die + block
    std::uint32_t erases = 0;
    std::uint32_t older = kNone, newer = kNone;  // in its bucket
    std::uint32_t changed = 0;                   // writes to the die when it last lost a page
    std::uint32_t pages = kNone;                 // in tables_: logical page by page of the block
    std::uint32_t valid : 24 = 0;                // pages
    State state : 4 = State::Closed;
    bool aged : 1 = false;  // data is prefilled: computed, no table
  };
  struct Bucket {
    std::uint32_t oldest = kNone, newest = kNone;
  };
  struct Die {
    std::uint32_t virgin = 0;                                // first block never opened
    std::set<std::pair<std::uint32_t, std::uint32_t>> free;  // (erases or order, index) erased
    std::set<std::pair<std::uint32_t, std::uint32_t>>
        closed_wear;                            // (erases, index) closed, not aged
    std::uint32_t user = kNone, moved = kNone;  // open blocks
    std::uint32_t victim = kNone, cursor = 0, erasing = kNone;
    std::vector<Bucket> buckets;          // closed blocks by valid pages; made when first needed
    std::uint32_t least = 0;              // no bucket below holds any
    std::uint32_t gaining = 0;            // blocks in buckets that have a stale page
    std::uint32_t aged_first = 0;         // ranks from here to before aged_last may still hold
    mutable std::uint32_t aged_last = 0;  // prefilled data
    std::uint32_t valid = 0, reserved = 0, most_erases = 0;
    std::uint32_t writes = 0, freed = 0;
    bool levelling = false;  // the victim was chosen for its wear
  };
  struct Aged {
    std::uint32_t block = 0, page = 0;
  };

  [[nodiscard]] std::uint32_t physical(std::uint32_t die, std::uint32_t block,
                                       std::uint32_t page) const;
  [[nodiscard]] std::uint32_t die_of(const Block& block) const {
    return block.number / shape_.blocks_per_die;
  }
  [[nodiscard]] std::uint32_t block_of(const Block& block) const {
    return block.number % shape_.blocks_per_die;
  }
  // Prefilled data: the place of logical row `row` of a die, and the other way round.
  [[nodiscard]] Aged aged_place(std::uint32_t die, std::uint32_t row) const;
  [[nodiscard]] std::optional<std::uint32_t> aged_row(std::uint32_t die, std::uint32_t block,
                                                      std::uint32_t page) const;
  [[nodiscard]] std::uint32_t aged_count(std::uint32_t rank) const {
    return aged_before_[rank + 1] - aged_before_[rank];
  }
  [[nodiscard]] std::uint32_t aged_block(std::uint32_t die, std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t aged_rank(std::uint32_t die, std::uint32_t block) const;
  [[nodiscard]] bool untouched(std::uint32_t die, std::uint32_t rank) const;

  std::uint32_t touch_aged(std::uint32_t die, std::uint32_t block);
  void lose(std::uint32_t logical);
  [[nodiscard]] std::uint32_t can_take(std::uint32_t die, std::uint32_t open) const;
  void place(std::uint32_t logical, std::uint32_t die, bool moved);
  std::uint32_t open_block(std::uint32_t die, bool most_worn);
  void close_block(std::uint32_t index);
  void link(std::uint32_t index);
  void unlink(std::uint32_t index);
  [[nodiscard]] bool gains(std::uint32_t die) const;
  bool choose_victim(std::uint32_t die);
  std::uint32_t greedy_victim(std::uint32_t die);
  std::uint32_t cost_benefit_victim(std::uint32_t die);
  std::uint32_t worn_victim(std::uint32_t die);
  [[nodiscard]] std::uint32_t data_in(const Block& block, std::uint32_t page) const;

  FtlShape shape_;
  TranslationConfig config_;
  std::uint32_t logical_pages_ = 0, logical_rows_ = 0;  // of all, of one die
  std::uint32_t filled_rows_ = 0, aged_blocks_ = 0;     // of one die
  std::uint32_t cap_ = 0;                               // valid pages above which a die is passed
  std::vector<std::uint32_t> aged_before_;  // valid pages in the ranks before; rank 0 newest
  NumberMap map_;                           // logical -> physical, if ever written or moved
  NumberMap index_;                         // block number -> blocks_
  std::deque<Block> blocks_;                // touched
  std::vector<std::vector<std::uint32_t>> tables_;
  std::vector<std::uint32_t> free_tables_;
  std::vector<Die> dies_;
  std::uint32_t turn_ = 0, lost_on_ = kNone;
  Counters counters_;
};

}  // namespace cxlgpu
