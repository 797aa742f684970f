// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A flash endpoint's media: flash array, write buffer, and an internal DRAM array of slots.
//
// Purpose: Media for SSD endpoints (Z-NAND first), cached (slots > 0) or plain.
// Timing:  Read       lookup, then the buffer or the flash array and ecc
//          Fill       the same, then the line is written to its slot
//          Write      lookup, then answered when the buffer has a place
//          WriteBack  lookup, the line is read from its slot, then as Write
//          Array*     one access of the internal DRAM, timed by DramController
//          A Fill of a slot held in part writes its lines with masks.
//          Errors are answered `lookup` after submit.
// Granule: a page not wholly buffered is read and merged when it is programmed, since all of media
//          space counts as holding data (a used drive).
// Script:  with a CollectionScript dies are busy at its times; reads and programs of those dies
//          wait, the write buffer and the internal DRAM do not.
// Translation: if the part's file has that section, programs go where the layer says (ftl.hpp),
// dies
//          collect and erase (flash_array.hpp), and what is read is the data that lies in the
//          physical page, so that a page lost by the layer is lost to the reader. A merge reads the
//          old page from wherever it lies, then programs. Without the section pages are striped
//          statically over channels and dies and rewritten in place at tPROG.
// Striping: a page's number in the striping (FlashConfig::striped) is made of its address here, and
//          nowhere else: buffer, translation, dies, wear and scripts know no other. Linear, it is
//          the address / page_bytes.
// Image:   save() and load() keep contents, poison and translation between runs (image.hpp). The
//          internal DRAM is volatile: its owner writes dirty lines back first.
// Status:  backlog counts a Read or Fill until a die senses for it, its transfer out of a sensed
//          page is certain or the write buffer has it, and a Write or WriteBack until it has its
//          place there; Array accesses and errors never.
// Not yet: no cache reads.
// Queues:  reads and fills, writes and write-backs, array accesses each have a depth of their own;
//          a command holds its place from submit to take.
// next_event(): never later than the next answer; it may be earlier, take() then gives nothing and
//          next_event() moves on. Background programs and collections raise no events of their own.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/media_port.hpp"
#include "common/pipe.hpp"
#include "sim/media/dram_controller.hpp"
#include "sim/media/flash_array.hpp"
#include "sim/media/held_bytes.hpp"
#include "sim/media/image.hpp"
#include "sim/media/media_config.hpp"
#include "sim/media/sparse_store.hpp"
#include "sim/media/write_buffer.hpp"

namespace cxlgpu {

// Sees when bytes are where capacitors save them, and when they are programmed.
class BufferWatcher {
 public:
  virtual ~BufferWatcher() = default;
  // A Write has its place in the write buffer.
  virtual void buffered(std::uint16_t id, Time at) = 0;
  // The page at `dpa` is programmed with what the buffer has of it now; and is.
  virtual void program_begins(std::uint64_t dpa, Time at) = 0;
  virtual void program_ends(std::uint64_t dpa, Time at) = 0;
};

class FlashMedia final : public Media {
 public:
  // Preconditions (make_media checks them): capacity <= config.capacity, the slots fit the internal
  // DRAM, line_bytes is a power of two from 64 to page_bytes.
  FlashMedia(const FlashConfig& config, std::uint64_t capacity, std::uint32_t slots,
             std::uint32_t line_bytes, const CollectionScript& script = {});

  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override;
  void submit(const MediaCommand& command, Time now) override;
  std::optional<MediaResponse> take(Time now) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] const MediaCounters& counters() const override;
  [[nodiscard]] Line peek(std::uint64_t dpa) const override;
  MediaStatus status(Time now) override {
    catch_up(now);
    return status_(on_the_way_ + flash_.waiting_reads(), flash_.tasks());
  }
  [[nodiscard]] Time status_until() const override { return next_; }
  [[nodiscard]] const Ftl* ftl() const { return flash_.ftl(); }

  void watch(BufferWatcher* watcher) { watcher_ = watcher; }
  void watch_dies(DieWatcher* watcher) override { flash_.watch(watcher); }
  // The next thing of any kind to do, programs of the background too; never() if there is none.
  [[nodiscard]] Time next_of_all() const { return next_; }
  [[nodiscard]] std::uint32_t page_bytes() const { return config_.page_bytes; }
  // Where the page begins that is programmed with this address.
  [[nodiscard]] std::uint64_t page_start(std::uint64_t dpa) const {
    return dpa / config_.page_bytes * config_.page_bytes;
  }

  // Programs everything in the write buffer and lets the dies finish; returns when that is done.
  // Precondition: no command is outstanding.
  Time flush(Time now);
  // Orderly shutdown: lines of the internal DRAM that differ from the media are written back, so
  // that the media holds what peek() sees, then flush(). Begins at `now`, or later if the part was
  // last asked later. Precondition: no command is outstanding.
  Time shut_down(Time now);
  // Contents and translation. Precondition: flushed.
  [[nodiscard]] ImageWriter image() const;
  void save(const std::filesystem::path& file) const { image().write_to(file); }
  // Precondition: newly made. InputError if the file is none of this part and capacity.
  void load(const std::filesystem::path& file);

  // Held for the media beside the contents themselves: translation, wear and the tables of the
  // contents. Not the internal DRAM, whose size is fixed, nor the last chunk's unused pages (at
  // most 256 KiB).
  [[nodiscard]] std::size_t overhead_bytes() const {
    return flash_.bytes() + store_.overhead_bytes();
  }
  // Where the 4 KiB pages of media space begin that were ever written, rising.
  [[nodiscard]] std::vector<std::uint64_t> written_pages() const;

  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    store_.write(dpa, bytes);
  }

 private:
  enum class Step : std::uint8_t { LookedUp, Decoded, Failed };
  struct Op {
    MediaResponse response;
    std::uint64_t dpa = 0, slot_addr = 0;
    std::uint32_t bytes = 0;
    std::uint32_t dram_left = 0;
    bool whole = true;  // every byte written
  };
  struct Scheduled {
    Time at;
    Step step;
    std::uint32_t op;
  };

  [[nodiscard]] static unsigned queue_of(MediaOp op);
  [[nodiscard]] bool valid(const MediaCommand& command) const;
  void apply(const MediaCommand& command, Op& op);
  void take_slot(std::uint32_t slot, std::uint64_t dpa);
  void fill_rest(const MediaCommand& command);
  void write_back_part(const MediaCommand& command);
  [[nodiscard]] std::uint64_t data_of(std::uint64_t dpa) const;
  // The page of an address, by its number in the striping: the one that buffer, translation and
  // dies know.
  [[nodiscard]] std::uint64_t page_of(std::uint64_t dpa) const {
    return config_.striped(dpa / config_.page_bytes);
  }
  [[nodiscard]] std::uint64_t flash_page(std::uint64_t page) const;

  void catch_up(Time now) {
    if (next_ <= now) advance(now);
  }
  void advance(Time now);
  void step(const Scheduled& what, Time now);
  void start_dram(std::uint32_t op, DramAccess access, Time now);
  bool drain_dram(Time now, Time other);
  void answer(std::uint32_t op, Time at);
  void to_buffer(std::uint32_t op, Time now);
  bool put(const Op& op, Time now);
  void start_programs(Time now);
  void program_done(std::uint32_t entry, Time now);
  void show_buffered(std::uint32_t index, Time now);
  [[nodiscard]] Time next_but_dram() const;
  void update_next();
  void write_organisation(ImageWriter& out) const;

  FlashConfig config_;
  std::uint64_t capacity_;
  std::uint32_t slots_, line_bytes_;
  SparseStore store_, array_;
  struct Filled {
    std::uint64_t line = 0, order = 0;  // order 0: never given to one
  };
  HeldBytes held_;
  std::uint64_t taken_ = 0;     // slots given to a line so far
  std::vector<Filled> filled_;  // by slot, the line it has; grows with the highest slot used
  const std::unordered_map<std::uint64_t, std::uint32_t>& slot_of() const;
  // line -> slot, rebuilt when slots got other lines since.
  mutable std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;
  mutable bool slot_of_stale_ = false;
  DramController dram_;
  FlashArray flash_;
  StatusOf status_;
  WriteBuffer buffer_;

  static constexpr std::uint32_t kMerge = std::uint32_t{1} << 31;  // in tokens of reads
  std::vector<std::uint64_t> merged_;  // translation: by buffer entry, the page being merged
  std::vector<std::uint8_t> copy_;     // one line on its way between media and slot
  std::vector<Op> pool_;
  std::vector<std::uint32_t> free_;
  std::array<std::uint32_t, 3> outstanding_{}, depth_{};
  std::uint32_t on_the_way_ = 0;  // of the backlog, what has not come to the dies or the buffer
  // Each step takes the same time for all, so that two queues keep the order.
  Pipe<Scheduled> in_lookup_, in_ecc_;
  Pipe<std::uint32_t> waiting_;  // writes that the full buffer holds up, in order
  Pipe<std::uint32_t> ready_;    // answers due, earliest first
  Time latest_;                  // all up to here has happened
  Time ready_at_;                // of the oldest of them, at the latest
  Time next_ = Time::never();    // next thing of any kind to do
  BufferWatcher* watcher_ = nullptr;
  mutable MediaCounters counters_;  // the sums kept by the parts are fetched when asked for
};

}  // namespace cxlgpu
