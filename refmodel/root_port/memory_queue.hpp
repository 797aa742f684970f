// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The memory queue: every load, store and MemSpecRd between the root port and its controller.
//
// Purpose: gives tags, keeps at most one outstanding load or store a line, hands requests to the
//          controller in the order of their allocation (Req and RwD apart) and matches responses.
//          While it refuses (isolation, link down, answers owed that nobody waits for) it answers
//          by itself, with an error, what it holds and what comes.
// Units:   lines (address[51:6]); byte addresses only in MemRequest.
// Shapes:  entries 0..depth-spec_entries-1 hold loads and stores (entry number = tag), the rest
//          MemSpecRd only. Ports of the cycle-exact form are message fields, not wire bits.
// Errors:  accept*() without room, complete() of a tag not outstanding are programming errors
//          (asserted).
// Source:  docs/blocks/root_port/memory_queue.md.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <optional>

#include "common/line_filter.hpp"
#include "common/request.hpp"
#include "common/ring_queue.hpp"
#include "flits/messages.hpp"
#include "refmodel/root_port/address_window.hpp"

namespace cxlgpu {

struct SpecRequest {
  GranuleRun run;
  std::uint64_t line = 0;    // the load's own line
  bool with_length = false;  // length was enabled when it was allocated
  bool hint = false;         // of a kernel's hint, not of the reader
  bool operator==(const SpecRequest&) const = default;
};

// Address[51:6] of a MemSpecRd: with length, granule and length - 1; without, the load's line.
[[nodiscard]] constexpr std::uint64_t spec_address(const SpecRequest& spec) {
  return spec.with_length ? spec.run.first << 2 | spec.run.len : spec.line;
}

// The MemSpecRd of a hint: no load stands behind it.
[[nodiscard]] constexpr SpecRequest hint_request(GranuleRun run, bool with_length) {
  return {.run = run, .line = run.first << 2, .with_length = with_length, .hint = true};
}

class MemoryQueue {
 public:
  static constexpr unsigned kMaxDepth = 64;
  explicit MemoryQueue(unsigned depth = 32, unsigned spec_entries = 2);

  // Room for a load or store of this line: a free entry, and the line not held.
  [[nodiscard]] bool can_accept(std::uint64_t line) const {
    return held_ != demands_ && !holds(line);
  }
  [[nodiscard]] bool holds(std::uint64_t line) const;
  [[nodiscard]] unsigned next_tag() const { return lowest(demands_ & ~held_); }
  unsigned accept(const MemRequest& request);  // returns the tag
  [[nodiscard]] bool can_accept_spec() const { return specs_held_ != specs_; }
  void accept_spec(const SpecRequest& spec);
  // A hint's is taken only if none is held, no other is offered and nothing else is accepted.
  [[nodiscard]] bool holds_spec() const { return specs_held_ != 0; }

  // What the controller is offered: an entry number, valid while the order is not empty.
  [[nodiscard]] bool req_valid() const { return !req_order_.empty(); }
  [[nodiscard]] unsigned req_entry() const { return req_order_.front(); }
  [[nodiscard]] bool rwd_valid() const { return !rwd_order_.empty(); }
  [[nodiscard]] unsigned rwd_entry() const { return rwd_order_.front(); }
  void req_taken();  // a MemSpecRd's entry frees
  void rwd_taken();

  [[nodiscard]] bool is_spec(unsigned entry) const { return (specs_ & only(entry)) != 0; }
  [[nodiscard]] const MemRequest& request(unsigned entry) const { return request_[entry]; }
  [[nodiscard]] const SpecRequest& spec(unsigned entry) const { return spec_[entry]; }
  [[nodiscard]] std::uint64_t line(unsigned entry) const { return line_[entry]; }

  // While the queue refuses: a load or store is born refused, which is in no order.
  unsigned accept_refused(const MemRequest& request);
  // Each order gives up its head, unseen. A load or store is not handed over by it; it may be
  // answered already, and its entry be another's.
  void req_dropped();
  void rwd_dropped() { rwd_order_.pop(); }
  // Loads and stores: all, those born refused, those that were handed over and wait.
  [[nodiscard]] std::uint64_t held() const { return held_; }
  [[nodiscard]] std::uint64_t refused() const { return born_refused_; }
  [[nodiscard]] std::uint64_t waiting() const { return handed_over_; }
  [[nodiscard]] bool busy() const {
    return held_ != born_refused_ || holds_spec() || req_valid() || rwd_valid();
  }

  // Age, in ticks: a load or store held at a tick is late; one late at a tick has timed out.
  [[nodiscard]] bool any_late() const { return (late_ & ~born_refused_) != 0; }
  void tick() { late_ = held_; }

  // The response for `tag` was taken: the entry frees. Its request stays readable until reuse.
  const MemRequest& complete(unsigned tag);

  // Loads and stores held, for the address window.
  [[nodiscard]] LineTable lines() const { return {line_.data(), held_}; }

 private:
  using Entries = std::uint64_t;  // by number
  [[nodiscard]] static Entries only(unsigned entry) { return Entries{1} << entry; }
  [[nodiscard]] static unsigned lowest(Entries entries) {
    return static_cast<unsigned>(std::countr_zero(entries));
  }
  unsigned enter(const MemRequest& request);

  Entries demands_, specs_;  // those there are: for loads and stores, for MemSpecRd
  Entries held_ = 0, specs_held_ = 0;
  Entries handed_over_ = 0, born_refused_ = 0, late_ = 0;  // of the loads and stores held
  std::array<std::uint64_t, kMaxDepth> line_{};
  LineFilter lines_held_;
  std::array<MemRequest, kMaxDepth> request_{};
  std::array<SpecRequest, kMaxDepth> spec_{};
  RingQueue<std::uint8_t, kMaxDepth> req_order_, rwd_order_;
};

// What the far end owes: tags of requests handed over, by kind, until answered or the link is down.
class OwedAnswers {
 public:
  void handed_over(unsigned tag, bool write) { (write ? ndr_ : drs_).set(tag); }
  [[nodiscard]] bool owes(unsigned tag, bool drs) const {
    return tag < ndr_.size() && (drs ? drs_ : ndr_)[tag];
  }
  void answered(unsigned tag) { drs_[tag] = ndr_[tag] = false; }
  // One that no entry in `waiting` waits for.
  [[nodiscard]] bool beyond(std::uint64_t waiting) const {
    return ((drs_ | ndr_) & ~Tags(waiting)).any();
  }

 private:
  using Tags = std::bitset<MemoryQueue::kMaxDepth>;
  Tags drs_, ndr_;
};

// Cycle-exact: the queue with its response register.
class MemoryQueueBlock {
 public:
  explicit MemoryQueueBlock(unsigned depth = 32, unsigned spec_entries = 2)
      : queue_(depth, spec_entries) {}

  struct Response {  // the head of a receive FIFO
    bool valid = false;
    unsigned tag = 0;
    unsigned dev_load = 0;
    bool poison = false;  // DRS only
    Line data{};          // DRS only
    unsigned opcode = 0;
    unsigned ld_id = 0;
  };
  struct In {
    bool in_valid = false;
    MemRequest in_req;
    bool spec_valid = false;
    GranuleRun spec;              // this and the next with spec_valid
    std::uint64_t spec_line = 0;  // what is requested without a length
    bool hint_valid = false;
    GranuleRun hint;
    bool len_en = false;  // MemSpecRd carry a length
    bool req_ready = false, rwd_ready = false;
    Response drs, ndr;
    bool rsp_ready = false;
    bool isolate = false;
    bool down = false;  // the link cannot be used
    bool tick = false;
  };
  struct Out {
    bool in_ready = false, spec_ready = false, hint_ready = false;
    unsigned in_tag = 0;       // with in_ready
    bool req_valid = false;    // MemRd or MemSpecRd
    bool req_is_spec = false;  // this and the next two: 0 without req_valid
    unsigned req_tag = 0;
    std::uint64_t req_address = 0;  // address[51:6]
    unsigned req_granules = 0;      // MemSpecRd: how many it asks for, and from which line
    std::uint64_t req_spec_line = 0;
    bool req_is_hint = false;  // MemSpecRd: of a hint
    bool rwd_valid = false;    // MemWr, or MemWrPtl if the enables are not all ones
    unsigned rwd_tag = 0;
    const MemRequest* rwd = nullptr;  // with rwd_valid
    bool drs_ready = false, ndr_ready = false;
    bool rsp_taken = false;  // an answer was consumed for a waiting entry this cycle
    unsigned rsp_dev_load = 0;
    bool rsp_valid = false;  // the response register
    MemResponse rsp;         // with rsp_valid
    LineTable lines;
    std::uint32_t unexpected = 0;
    bool refuse = false;
    std::optional<unsigned> refused_tag;  // the entry that the queue answers itself this cycle
    bool bad_rsp = false;                 // a foreign LD-ID or a reserved opcode was consumed
    bool timed_out = false;               // a load or store waited for more than a tick period
    bool busy = false;

    // The offered messages as they travel; 0 without the valid of theirs.
    [[nodiscard]] flits::u128 req_header() const;
    [[nodiscard]] flits::u128 rwd_header() const;
  };
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  // Who is answered by the queue itself in a cycle that refuses or not, if one can be.
  [[nodiscard]] std::optional<unsigned> own_answer(bool refuse) const;
  [[nodiscard]] bool answers(const Response& response, bool drs) const;
  void consume(const Response& response, bool drs);
  void hand_over(const In& in, const Out& out);
  void accept(const In& in, const Out& out);

  MemoryQueue queue_;
  OwedAnswers owed_;
  std::optional<MemResponse> response_;
  bool still_refuses_ = false;  // the cycle before refused, with busy
  bool drs_first_ = true;       // of the kinds when both are there
  unsigned refused_last_ = MemoryQueue::kMaxDepth - 1;
  std::uint32_t unexpected_ = 0;
};

}  // namespace cxlgpu
