// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The media port of an endpoint: what the endpoint's logic asks of its media and internal DRAM.
//
// Purpose: one interface for DRAM and flash parts; the same model object sits behind the RTL's
//          media port (driven by the test bench) and behind the golden model's endpoint.
// Shapes:  Read/Write move one 64 B line of media space (DPA). A cached part also has an internal
//          DRAM array of `slots` lines of `line_bytes` (256 B by default): ArrayRead/ArrayWrite
//          move 64 B of a slot, Fill copies a line media -> slot, WriteBack copies slot -> media.
// Rules:   commands take effect on the contents in the order of submit(); only their completion
//          is timed. Every command is answered exactly once, by `id` and `op`; answers may come in
//          any order. Bytes never written read as zero. An address outside the part answers
//          error = true.
// Parts:   an ArrayWrite with `partial` makes its slot new: it holds that command's bytes alone, no
//          marks; further ArrayWrites add theirs. A Fill with `partial` leaves what is held, and
//          after any Fill everything is. WriteBack takes held bytes alone.
//          docs/blocks/endpoint/README.md.
// Durable: an ArrayWrite that is goes to the slot and, with the same bytes and mark, to the medium;
//          parts that keep nothing without power do not look at it.
//          docs/blocks/endpoint/README.md, "Durable completion".
// Poison:  a mark per 64 B line, in media space and in slots. A poisoned Write or ArrayWrite sets
//          it, a clean one of all bytes clears it, a clean one of some leaves it; Fill and
//          WriteBack move marks with the data, a failed Fill marks the whole slot,
//          but lines of which it leaves every byte. Reads say it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/request.hpp"
#include "common/time.hpp"

namespace cxlgpu {

enum class MediaOp : std::uint8_t {
  Read = 0,
  Write = 1,
  ArrayRead = 2,
  ArrayWrite = 3,
  Fill = 4,
  WriteBack = 5
};

// When a write is answered: as the part answers any; or when its bytes survive a loss of power.
enum class Durable : std::uint8_t {
  Off = 0,
  Buffered = 1,   // in the part's write buffer
  Programmed = 2  // their page is programmed
};

struct MediaCommand {
  MediaOp op = MediaOp::Read;
  std::uint16_t id = 0;      // the RTL's media port carries eight bits of it
  std::uint64_t dpa = 0;     // Read, Write: 64 B aligned; Fill, WriteBack: line_bytes aligned
  std::uint32_t slot = 0;    // Array*, Fill, WriteBack
  std::uint32_t offset = 0;  // Array*: byte offset in the slot, 64 B aligned
  std::uint64_t byte_enable = kAllBytes;
  Line data{};
  bool poison = false;             // Write, ArrayWrite: the data is known to be bad
  bool partial = false;            // ArrayWrite: the slot is new; Fill: what is held stays
  Durable durable = Durable::Off;  // Write, ArrayWrite
  // Read: how many lines from dpa on come out of a page together. The answer has the first; of the
  // others the contents are there for peek(). Not on the RTL's port, which asks for one.
  std::uint32_t lines = 1;
};

struct MediaResponse {
  MediaOp op = MediaOp::Read;
  std::uint16_t id = 0;
  bool error = false;
  Line data{};          // Read, ArrayRead
  bool poison = false;  // Read, ArrayRead: the line is marked
};

struct MediaCounters {
  std::uint64_t reads = 0, writes = 0;  // 64 B commands to the media itself
  std::uint64_t array_reads = 0, array_writes = 0;
  std::uint64_t fills = 0, write_backs = 0;
  std::uint64_t page_reads = 0, page_programs = 0;                // flash array operations
  std::uint64_t collections = 0;                                  // scripted, counted by die
  std::uint64_t moved_pages = 0, erases = 0;                      // by a translation layer
  std::uint64_t program_suspends = 0, erase_suspends = 0;         // for reads; times
  std::uint64_t wear_pauses = 0;                                  // of a part rewritten in place
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // DRAM
};

// DevLoad of an endpoint is made of it, among other things; docs/blocks/endpoint/dev_load.md.
struct MediaStatus {
  // Commands whose own work on the medium has not begun, in sixteenths of one per die or bank,
  // rounded down, at most 127.
  std::uint8_t backlog = 0;
  // Dies that collect garbage, erase or move worn data, or are about to, in sixty-fourths of all
  // dies, rounded up. 0 for a part that does neither.
  std::uint8_t tasks = 0;
  bool operator==(const MediaStatus&) const = default;

  // Both figures of a part of so many dies or banks.
  static constexpr MediaStatus of(std::uint64_t waiting, std::uint64_t busy, std::uint64_t dies) {
    return {static_cast<std::uint8_t>(std::min<std::uint64_t>(16 * waiting / dies, 127)),
            static_cast<std::uint8_t>((64 * busy + dies - 1) / dies)};
  }
};

// The same for a part that is asked every cycle: the divisions are made when a count has changed.
class StatusOf {
 public:
  explicit StatusOf(std::uint32_t dies) : dies_(dies) {}
  MediaStatus operator()(std::uint32_t waiting, std::uint32_t busy) {
    if (waiting != waiting_ || busy != busy_) {
      waiting_ = waiting;
      busy_ = busy;
      status_ = MediaStatus::of(waiting, busy, dies_);
    }
    return status_;
  }

 private:
  std::uint32_t dies_, waiting_ = 0, busy_ = 0;
  MediaStatus status_;
};

// Told what the dies of a flash part have done, each time one does something else.
class DieWatcher {
 public:
  virtual ~DieWatcher() = default;
  virtual void on_die(std::uint32_t die, std::string_view what, Time from, Time to) = 0;
};

class Media {
 public:
  virtual ~Media() = default;
  // From here on; the watcher outlives the part. Default: a part without dies.
  virtual void watch_dies(DieWatcher* /*watcher*/) {}
  // False: the part's queue is full now; the caller must hold the command.
  [[nodiscard]] virtual bool can_accept(Time now, MediaOp op) const = 0;
  // Precondition: can_accept(now, command.op). `now` never decreases between calls.
  virtual void submit(const MediaCommand& command, Time now) = 0;
  // The next answer that is due at or before `now`, earliest first.
  virtual std::optional<MediaResponse> take(Time now) = 0;
  // Earliest time at which take() gives something or can_accept() may turn true.
  [[nodiscard]] virtual Time next_event() const = 0;
  [[nodiscard]] virtual const MediaCounters& counters() const = 0;
  // What the part's controller tells the endpoint at `now`, of the commands submitted so far; may
  // be asked before take() of the same time, and as often as wanted: it changes no answer, and
  // follows from the commands and `now` alone. Without commands in between, `backlog` only falls.
  // Default: a part that has nothing to tell.
  [[nodiscard]] virtual MediaStatus status(Time) { return {}; }
  // Before then it need not be asked again: what it told last still holds, unless a command has
  // been submitted since. Default: not known.
  [[nodiscard]] virtual Time status_until() const { return Time{0}; }
  // With fewer commands that are not answered status() tells no tasks, and less than this backlog.
  // Default: not known.
  [[nodiscard]] virtual std::uint32_t commands_of_backlog(std::uint8_t) const { return 0; }
  // Contents as a reader of the endpoint would see them; no simulated time passes. The internal
  // DRAM counts: a slot holds the line of its last Fill until the next Fill of that slot.
  [[nodiscard]] virtual Line peek(std::uint64_t dpa) const = 0;
  // Loads initial contents, before the first command, and clears the marks of lines that it covers
  // whole. No simulated time passes.
  virtual void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) = 0;
};

}  // namespace cxlgpu
