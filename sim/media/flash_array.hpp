// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Dies and channels of a flash part: when each operation is finished.
//
// Purpose: times page reads and programs; contents, buffering and translation are the caller's.
// Shapes:  page p lies on channel p % channels, die (p / channels) % dies_per_channel: static
//          striping. With `permuted` striping the caller has permuted the numbers
//          (flash_media.hpp).
// Translation (only if the part has one, see ftl.hpp): read() takes physical pages, program() takes
//          logical ones, which get their die at once and their page when the die begins. A die
//          programs up to a page a plane in one tPROG. With nothing waiting it collects while the
//          layer wants it; when that is urgent, before programs and in turns with reads. A copy of
//          n pages is n times command, tR and page out, then n times command and page in, one
//          tPROG; an erase is a command and tBERS.
// Timing:  read    = command on the channel, tR in the die, data on the channel
//          program = command and data on the channel, tPROG in the die; a merging program reads the
//                    old page out first (command, tR, whole page)
//          A die does one thing at a time and stays busy until its last transfer is done. A channel
//          serves its transfers in the order asked.
// Sharing: reads of a page that its die is to sense or senses need only their transfer, up to one
//          page's worth of 64 B lines for one tR (share_page_register queued or always; always: of
//          a page that the die holds as well). With page_granule the reads that wait for the same
//          tR share the transfer as well.
// Suspend: a command's read that waits for a die in tPROG or tBERS suspends it, if the operation
//          may be (SuspendConfig), is `progress` old or that long resumed, and would end later than
//          the suspension takes effect, `program` or `erase` after the request. Then the die serves
//          commands' reads, oldest first, while any waits, none later than `window` after that. It
//          resumes with the time that was left at the request, `resume` later. A page that is being
//          programmed and a block that is being erased are read when that is over. Reads of merges
//          wait; transfers, scripted collections and pauses are not interrupted. The page in the
//          register is lost when the operation resumes.
// Wear:    with WearPauses, the program that is the last of its count is followed by the pause,
//          before anything that waits. A region is that many bytes of one die.
// Order:   reads go before programs on a die; while set_urgent(true) they take turns.
// Script:  at each time of the script its dies, the first ones in the order of the striping, owe a
//          collection. A die pays it before anything that waits, as soon as the current operation
//          (with the reads that share it) is over, and is busy for `busy` from then. The page in
//          its register is lost. What reaches a die at the very time of the script goes first.
// Tasks:   a die has one from when it owes a collection or pause, or the layer wants one of it
//          (ftl.hpp), until it has paid; the script's dies from `announce` before its time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/media_port.hpp"
#include "common/pipe.hpp"
#include "common/time.hpp"
#include "sim/media/collection_script.hpp"
#include "sim/media/event_queue.hpp"
#include "sim/media/ftl.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

class FlashArray {
 public:
  struct Done {
    Time at;
    std::uint32_t token;
    bool program;
  };

  explicit FlashArray(const FlashConfig& config, const CollectionScript& script = {});
  // `command`: the read is a command's own, so that waiting_reads() counts it.
  void read(std::uint64_t page, std::uint32_t bytes, std::uint32_t token, bool command, Time now);
  void program(std::uint64_t page, bool merge, std::uint32_t token, Time now);
  void set_urgent(bool urgent) { urgent_ = urgent; }
  // null: nobody.
  void watch(DieWatcher* watcher) { watcher_ = watcher; }

  // The next operation finished at or before `now`, earliest first.
  std::optional<Done> take(Time now);
  // Not later than the next finished operation; may be earlier.
  [[nodiscard]] Time next_event() const {
    return done_.empty() ? events_.next() : done_.front().at;
  }
  [[nodiscard]] std::uint64_t page_reads() const { return page_reads_; }
  [[nodiscard]] std::uint64_t page_programs() const { return page_programs_; }
  [[nodiscard]] std::uint64_t collections() const { return collections_; }  // begun, of one die
  [[nodiscard]] std::uint64_t program_suspends() const { return program_suspends_; }
  [[nodiscard]] std::uint64_t erase_suspends() const { return erase_suspends_; }
  // The translation layer, nullptr if the part has none.
  [[nodiscard]] Ftl* ftl() { return ftl_ ? &*ftl_ : nullptr; }
  [[nodiscard]] const Ftl* ftl() const { return ftl_ ? &*ftl_ : nullptr; }
  [[nodiscard]] std::uint64_t wear_pauses() const { return wear_pauses_; }
  // What outlives a run: translation, or counts of writes.
  void save(ImageWriter& out) const;
  void load(ImageReader& in);
  // Held for translation and wear; grows with what is written or moved.
  [[nodiscard]] std::size_t bytes() const {
    return region_writes_.bytes() + (ftl_ ? ftl_->bytes() : 0);
  }
  // No die does anything now.
  [[nodiscard]] bool idle() const;
  // Reads for which no die senses yet and whose transfer is not fixed either.
  [[nodiscard]] std::uint32_t waiting_reads() const { return waiting_reads_; }
  [[nodiscard]] std::uint32_t dies() const { return static_cast<std::uint32_t>(dies_.size()); }
  // Dies that collect, erase or pause, owe it, or are about to.
  [[nodiscard]] std::uint32_t tasks() const { return tasks_; }

 private:
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
  enum class State : std::uint8_t { Idle, Sensing, Transferring, Programming, Collecting, Erasing };
  enum class Event : std::uint8_t {
    ChannelFree,
    Sensed,
    Programmed,
    Announce,
    Collect,
    Collected,
    Erased,
    MaySuspend,
    Suspended
  };
  struct Scheduled {
    Event event;
    std::uint32_t index;  // channel or die; Announce, Collect: none
  };
  struct Read {
    std::uint64_t page;
    std::uint32_t bytes, token;
    bool command;
    bool begun = false;  // the die senses for it
  };
  struct Program {
    std::uint64_t page;
    std::uint32_t token;
    bool merge;
  };
  struct Die {
    State state = State::Idle;
    Time since;                    // of the state, for who watches
    std::uint64_t page = kNoPage;  // in the page register, or being sensed into it
    std::uint32_t transfers = 0;   // out of the register, waiting or in flight
    std::uint32_t shares = 0;      // further transfers that this tR may serve
    bool in_tr = false;            // sensing for reads, beyond the command
    bool task = false;             // counted in tasks_
    std::uint32_t owed = 0;        // collections to be done before anything else
    bool pause_owed = false;       // wear levelling, likewise
    bool merging = false;          // sensing for `programs.front()`
    bool copying = false;          // what is sensed and programmed is moved by a collection
    std::uint32_t senses = 0, data_in = 0;  // translation: still to be done of the operation
    std::vector<std::uint32_t> running;     // translation: tokens of the pages being programmed
    bool programmed_last = false;
    Time begun, ends = Time::never();  // the array's own work at a program or an erase; never: none
    bool suspending = false;           // requested, not in effect
    State suspended = State::Idle;     // what is: Programming, Erasing; Idle: nothing
    bool suspended_copy = false;       // `copying` of it
    Time left, window_ends;            // of what is suspended, of the suspension
    std::uint32_t void_ends = 0;       // ends in the agenda that suspensions have put off
    std::vector<std::uint64_t> targets;  // pages being programmed; translation: physical
    std::vector<Read> reads;             // waiting, oldest first
    Pipe<Program> programs;
  };
  enum class Use : std::uint8_t { Command, DataOut, MergeOut, DataIn };
  struct Transfer {
    Use use;
    std::uint32_t die;
    std::uint32_t bytes, token;
  };
  struct Channel {
    bool busy = false;
    Transfer current{};
    Pipe<Transfer> waiting;
  };

  [[nodiscard]] std::uint32_t die_of(std::uint64_t page) const;
  void enter(std::uint32_t die, State state, Time now);
  void start_next(std::uint32_t die, Time now);
  void choose_next(std::uint32_t die, Time now);
  void update_task(std::uint32_t die);
  void begin(Read& read);
  void begin_sensing(std::uint32_t die);
  void start_translated(std::uint32_t die, Time now);
  void start_read(std::uint32_t die, std::size_t which, Time now);
  void start_user_program(std::uint32_t die, std::uint32_t room, Time now);
  void start_collection(std::uint32_t die, Time now);
  void programmed(std::uint32_t die, Time now);
  void begin_work(std::uint32_t die, Time from, Time takes);
  [[nodiscard]] static std::optional<std::size_t> read_for_suspension(const Die& die);
  void request_suspension(std::uint32_t die, Time now);
  void suspended(std::uint32_t die, Time now);
  void serve_suspended(std::uint32_t die, Time now);
  // The die's number in the order of the striping.
  [[nodiscard]] std::uint32_t stripe_of(std::uint32_t die) const {
    return die % config_.dies_per_channel * config_.channels + die / config_.dies_per_channel;
  }
  void start_data_out(std::uint32_t die, const Read& read, std::uint32_t bytes, Time now);
  void use_channel(const Transfer& transfer, Time now);
  void begin_transfer(std::uint32_t channel, const Transfer& transfer, Time now);
  void handle(const Scheduled& what, Time now);
  void transfer_done(const Transfer& transfer, Time now);
  void sensed(std::uint32_t die, Time now);
  void announce();
  void collect(Time now);
  // When to announce what the script does at `at`, now being `now`.
  [[nodiscard]] Time announced_at(Time at, Time now) const {
    return at - now > config_.announce ? at - config_.announce : now;
  }
  void count_write(std::uint32_t die, std::uint64_t page);

  FlashConfig config_;
  CollectionScript script_;
  std::optional<Ftl> ftl_;
  NumberMap region_writes_;  // wear pauses: region of all dies -> programs since it was moved
  std::vector<Die> dies_;    // channel-major
  std::vector<Channel> channels_;
  EventQueue<Scheduled> events_;
  Pipe<Done> done_;
  DieWatcher* watcher_ = nullptr;
  bool urgent_ = false;
  bool announced_ = false;  // the script's next time
  std::uint32_t waiting_reads_ = 0, tasks_ = 0;
  std::uint64_t page_reads_ = 0, page_programs_ = 0, collections_ = 0, wear_pauses_ = 0;
  std::uint64_t program_suspends_ = 0, erase_suspends_ = 0;
};

}  // namespace cxlgpu
