// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Controller of one DRAM part: address map, bank queues, command scheduling, refresh.
//
// Purpose: times 64 B accesses; contents are the caller's affair. Serves Ddr5Media and the internal
//          DRAM array of FlashMedia.
// Policy:  open or closed page; within a bank in order (fcfs) or requests to the open row first
//          (fr_fcfs); over the banks the command that can go first goes first, on a tie the older
//          request. A request older than age_bound is next in its bank whatever row is open, and
//          the oldest of them is put off by no other bank's command; what does not put it off goes
//          on, as it may have to wait for its own bank. All of it is in DramChannel::next_of(),
//          pick() and first_beside().
// Bursts:  a part whose burst is shorter than 64 B (HBM, GDDR) serves an access with several column
//          commands to the same row.
// Timing:  a request reaches the banks `front` after submit(); a read is answered `back` after its
//          last data beat; a write is answered `back` after its last data beat was taken from the
//          controller, so that a write's answer also means that its place in the queue is free.
// Rules:   event driven; nothing happens while no request is queued (refreshes missed are caught up
//          in O(1)). `now` never decreases. The caller bounds the number of requests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/pipe.hpp"
#include "common/time.hpp"
#include "sim/media/dram_timing.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

struct DramCounters {
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // open, closed, other row open
};

struct DramAddress {
  std::uint32_t sub_channel = 0, bank = 0;  // bank as DramTiming numbers it
  std::uint64_t row = 0;
  std::uint32_t column = 0;  // burst within the row
  bool operator==(const DramAddress&) const = default;
};

class DramMap {
 public:
  explicit DramMap(const DramConfig& config);
  [[nodiscard]] DramAddress decode(std::uint64_t addr) const;

 private:
  struct Field {
    unsigned shift = 0;
    std::uint64_t mask = 0;
    [[nodiscard]] std::uint64_t of(std::uint64_t line) const { return (line >> shift) & mask; }
  };
  std::array<Field, 6> fields_;  // by DramField
  unsigned bank_bits_ = 0, group_bits_ = 0;
  bool xor_row_;
};

enum class DramAccess : std::uint8_t { Read, Write, MaskedWrite };

// One sub-channel: its queues and scheduler.
class DramChannel {
 public:
  struct Done {
    Time at;
    std::uint32_t token;
  };

  explicit DramChannel(const DramConfig& config);
  void submit(const DramAddress& where, DramAccess access, std::uint32_t token, Time now);
  // Issues every command due up to `now`.
  void advance(Time now);
  // Answers not yet taken, in time order; those already timed may lie in the future.
  [[nodiscard]] Pipe<Done>& done() { return done_; }
  // No answer comes before this.
  [[nodiscard]] Time next_event() const {
    const Time queued = std::max(answer_bound_, next_.at);
    return done_.empty() ? queued : std::min(done_.front().at, queued);
  }
  [[nodiscard]] const DramCounters& counters() const { return counters_; }
  // Requests for which no command has been issued, as of the last advance().
  [[nodiscard]] std::uint32_t waiting() const { return waiting_; }
  [[nodiscard]] Time next_command() const { return next_.at; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Request {
    std::uint64_t row = 0, order = 0;
    Time ready;
    std::uint32_t bank = 0, token = 0, next = kNone;
    std::uint32_t older = kNone, younger = kNone;  // of all that wait
    std::uint32_t bursts = 1;                      // still to be moved
    DramAccess access = DramAccess::Read;
    bool started = false;
  };
  struct Queue {
    std::uint32_t head = kNone, tail = kNone, active_at = 0;
  };
  // The request of a bank that goes next and the command that it needs.
  struct Head {
    Time ready;      // what the bank and the request allow; group and rank limits come on top
    Time to_answer;  // from this command to the answer, at least
    Time passed_from = Time::never();  // the bank's oldest, if another, is older than age_bound
    std::uint64_t order = 0;
    std::uint32_t bank = 0, request = 0;
    DramTiming::Limits limits;
    DramCommand command = DramCommand::Read;
    // Not as a stream makes them: pick() looks at all.
    [[nodiscard]] bool irregular() const {
      return command != DramCommand::Read || passed_from != Time::never();
    }
  };
  struct Choice {
    Time at = Time::never();
    std::uint32_t bank = 0, request = 0;
    DramCommand command = DramCommand::Read;
    bool refresh = false;  // of the bank's rank, in place of the command
  };

  [[nodiscard]] std::uint32_t next_of(std::uint32_t bank) const;
  // Filled in place: these are made several times an access, and a copy would cost more.
  void fill_head(Head& head, std::uint32_t bank) { fill_head(head, bank, next_of(bank)); }
  void fill_head(Head& head, std::uint32_t bank, std::uint32_t index);
  [[nodiscard]] bool row_wanted_after(std::uint32_t bank, std::uint32_t index) const;
  [[nodiscard]] Choice choose(const Head& head, Time at) const;
  [[nodiscard]] Time earliest(const Head& head) const {
    return std::max(head.ready, timing_.shared_ready(head.limits));
  }
  // From then on the bank's oldest request is older than age_bound.
  [[nodiscard]] Time aged_from(std::uint32_t bank) const {
    return pool_[queues_[bank].head].ready + config_.age_bound;
  }
  // What pick() finds in one pass over the heads.
  struct Survey {
    Time first = Time::never();  // when one of them can go
    Time answer = Time::never();
    std::size_t best = 0;  // which, and of several the one with the oldest request
    bool passed = false;   // a head's passed_from is over when it can go
  };
  [[nodiscard]] Survey survey() const;
  void pick();
  void pick_among();
  [[nodiscard]] Choice first_beside(const Head& aged) const;
  void execute(const Choice& chosen);
  void finish(std::uint32_t bank, std::uint32_t index);

  DramConfig config_;
  DramTiming timing_;
  std::uint32_t bursts_;  // of a 64 B access
  std::vector<Request> pool_;
  std::vector<std::uint32_t> free_;
  std::vector<Queue> queues_;                        // by bank
  std::vector<Head> heads_;                          // of the banks with requests
  std::uint32_t irregular_ = 0;                      // of these
  std::uint32_t oldest_ = kNone, youngest_ = kNone;  // requests
  Choice next_;                                      // what pick() chose
  Time answer_bound_ = Time::never();                // no queued request is answered before
  Time aged_from_ = Time::never();                   // of the bank whose request is the oldest
  std::uint64_t order_ = 0;
  std::uint32_t waiting_ = 0;
  Pipe<Done> done_;
  DramCounters counters_;
};

class DramController {
 public:
  explicit DramController(const DramConfig& config);
  void submit(std::uint64_t addr, DramAccess access, std::uint32_t token, Time now);
  // The token of the next access that is answered at or before `now`, earliest first.
  std::optional<std::uint32_t> take(Time now);
  // Not later than the next answer; may be earlier (then take() has nothing, and next_event() has
  // moved on).
  [[nodiscard]] Time next_event() const { return next_; }
  [[nodiscard]] DramCounters counters() const;
  // Accesses for which no command has gone to their bank by `now`.
  std::uint32_t waiting(Time now);
  [[nodiscard]] std::uint32_t banks() const { return banks_; }  // of all sub-channels and ranks

 private:
  void update(std::size_t channel);  // after anything was done with it

  DramMap map_;
  std::vector<DramChannel> channels_;
  std::vector<Time> due_;  // next_event() of each, side by side
  std::uint32_t banks_;
  Time next_ = Time::never();  // the earliest of them
};

}  // namespace cxlgpu
