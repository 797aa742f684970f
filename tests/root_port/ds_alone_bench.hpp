// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_engine and ds_index alone, no model beside them.
//
// Purpose: SR queue, memory queue, endpoint and local memory as docs/blocks/root_port describes
//          them, at constant latencies, with requests by hand and loads of one line kept
//          outstanding. The endpoint keeps poison per line: a whole clean write takes it away, a
//          partial one does not. Local memory answers with error for a damaged slot until it is
//          written whole. Each receiver stalls at random if told to, and what is offered must stay
//          as it is.
// Units:   cycles; lines (address[51:6]). A latency of L: the answer is offered in the L-th cycle
//          after the one in which the request was taken.
// Use:     step() is one cycle; offer requests with store() and load(), or keep() loads.
// Errors:  a load that gives what its line did not hold in its turn, an offer that changes or goes
//          while while it is stalled, a store answered before an older one, a store refused without
//          need or after its answer: a GoogleTest failure each.
// Source:  docs/blocks/root_port/ds_engine.md, root_port/sr_queue.md, root_port/memory_queue.md.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tests/common/bits.hpp"
#include "tests/root_port/ds_alone_pins.hpp"
#include "tests/root_port/ds_meetings.hpp"

namespace cxlgpu::test {

class DsAlone {
 public:
  using Bytes = LineBytes;
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  struct Answer {
    bool error = false;
    Bytes data{};
    std::uint64_t cycle = 0;
  };
  struct Write {
    std::uint64_t line = 0, enables = 0;
    bool poison = false;
  };
  struct Cell {
    Bytes data{};
    bool bad = false;  // endpoint: poisoned; local memory: damaged
  };

  // As ds_alone_tb.sv: lines of the region; Lines4 has one entry in every table, Lines4096 the most
  // writes, and queues of 64 around it.
  enum class Size : std::uint8_t { Lines256, Lines1024, Lines4, Lines4096 };

  explicit DsAlone(Size size = Size::Lines256, unsigned endpoint_latency = 10,
                   unsigned local_latency = 4)
      : depth(std::array{256u, 1024u, 4u, 4096u}[static_cast<std::size_t>(size)]),
        rtl_(static_cast<unsigned>(size)),
        latency_(endpoint_latency),
        local_latency_(local_latency),
        local_(depth),
        sr_entries_(size == Size::Lines4096 ? 64 : 32),
        mq_(sr_entries_ - 2),
        counted_(size != Size::Lines4096) {
    rtl_.reset();
    constexpr std::array kWrites{8u, 32u, 1u, 64u};
    max_writes = writes_at_most = kWrites[static_cast<std::size_t>(size)];
  }

  const unsigned depth;
  unsigned writes_at_most = 0, max_writes = 0;
  bool direct = false, flush = false, fence = false, clear_error = false;
  bool oldest = false;  // the line that a flush takes, else the newest
  // The memory queue answers all with an error and does nothing, and says so to the engine.
  bool isolate = false;
  unsigned stalls = 0;                           // percent of the cycles, of each receiver
  unsigned answer_stalls = 0;                    // of the receiver of answers alone, if more
  unsigned mq_stalls = 0, lm_stalls = 0;         // of memory queue and local memory, the same
  bool hold_reads = false, hold_writes = false;  // the endpoint answers none
  unsigned failing_writes = 0;                   // the next ones: done by half and an error
  std::vector<Write> writes;                     // taken at the memory queue, in order

  std::uint32_t store(std::uint64_t line, std::uint8_t fill, std::uint64_t enables = kAll) {
    script_.push_back({next_id_++, true, line, enables, fill});
    return script_.back().id;
  }
  std::uint32_t load(std::uint64_t line) {
    script_.push_back({next_id_++, false, line, 0, 0});
    return script_.back().id;
  }
  // From now on: whenever fewer loads of the line are without an answer, one more is offered.
  void keep(std::uint64_t line, unsigned loads) {
    kept_line_ = line;
    kept_ = loads;
  }
  // Before any request of the line. A load of it must give an error while bytes of it have not been
  // stored since, and must not after a store of the whole line; in between it depends on what has
  // been sent.
  void poison(std::uint64_t line) {
    cell(line).bad = true;
    poisoned_[line] = 0;
  }
  // The slot that the line's bytes were written to last.
  void damage(std::uint64_t line) {
    local_[slot_of_.at(line)].bad = true;
    local_sound_ = false;
  }

  [[nodiscard]] const Answer* answer(std::uint32_t id) const {
    const auto at = answers_.find(id);
    return at == answers_.end() ? nullptr : &at->second;
  }
  // It was taken: a load is in the SR queue from then on.
  [[nodiscard]] bool entered(std::uint32_t id) const {
    return open_.contains(id) || answers_.contains(id);
  }
  Cell& cell(std::uint64_t line) {
    const auto [at, fresh] = endpoint_.try_emplace(line);
    if (fresh) at->second.data.fill(static_cast<std::uint8_t>(0x80 + line % 64));
    return at->second;
  }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] unsigned count() { return static_cast<unsigned>(rtl_->count_o); }
  [[nodiscard]] bool empty() { return rtl_->empty_o != 0; }
  [[nodiscard]] bool error() { return rtl_->error_o != 0; }
  [[nodiscard]] std::uint64_t merges() const { return merges_; }
  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  [[nodiscard]] std::uint64_t loads_done() const { return loads_done_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  // As many writes as there may be were in flight in a cycle.
  [[nodiscard]] bool writes_were_full() const { return writes_full_; }
  [[nodiscard]] std::size_t waiting() const { return script_.size() + offered_; }
  [[nodiscard]] bool idle() { return script_.empty() && !offered_ && open_.empty() && empty(); }

  // With everything at the endpoint: what it holds is what was stored.
  void check_endpoint() {
    EXPECT_TRUE(to_local_.empty());
    for (const auto& [line, data] : flat_) {
      EXPECT_EQ(cell(line).data, data) << "line " << line;
      const auto at = poisoned_.find(line);
      const bool bad = at != poisoned_.end() && at->second != kAll;
      const bool good = at == poisoned_.end() && local_sound_;
      EXPECT_FALSE((bad && !cell(line).bad) || (good && cell(line).bad)) << "line " << line;
    }
  }

  template <typename Condition>
  bool until(Condition condition, std::uint64_t limit = 2000) {
    for (std::uint64_t n = 0; n < limit && !condition(); ++n) step();
    return condition();
  }
  bool answered(std::uint32_t id, std::uint64_t limit = 2000) {
    return until([&] { return answer(id) != nullptr; }, limit);
  }
  // Its data are in local memory, too, and those of all stores before it.
  bool stored(std::uint32_t id, std::uint64_t limit = 2000) {
    return until([&] { return answer(id) != nullptr && to_local_.empty(); }, limit);
  }
  void run(std::uint64_t cycles) {
    for (std::uint64_t n = 0; n < cycles; ++n) step();
  }

  void step() {
    ++cycle_;
    choose();
    drive();
    rtl_->mq_ready_i = 0;
    rtl_.settle();
    rtl_->mq_ready_i = rtl_->mq_valid_o != 0 && !stalled(std::max(stalls, mq_stalls)) &&
                       mq_takes(get_bits(rtl_->mq_req_o, 576, 46));
    if (rtl_->mq_ready_i != 0) rtl_.settle();
    check_offers();
    if (counted_) meetings_.observe(*rtl_, depth == 4);
    take();
    writes_full_ |= (static_cast<unsigned>(rtl_->tables_o) >> 12 & 1) != 0;
    rtl_.edge();
  }

 private:
  struct Request {
    std::uint32_t id = 0;
    bool write = false;
    std::uint64_t line = 0, enables = 0;
    std::uint8_t fill = 0;
  };
  struct SrEntry {
    Request request;
    unsigned slot = 0;
  };
  struct MqEntry {
    bool valid = false, write = false;
    bool lost = false;  // it came while the endpoint was gone
    std::uint32_t id = 0;
    std::uint64_t line = 0, due = 0;
  };
  struct LmRead {
    std::uint64_t due = 0;
    unsigned index = 0, kind = 0;
    Cell cell;
  };
  struct Open {
    bool write = false;
    std::uint64_t line = 0;
    Bytes data{};  // of a load
    bool bad = false, good = false;
    bool refused = false;  // a store
  };
  // What is offered and was not taken in the cycle before.
  template <std::size_t Words>
  struct Offer {
    bool stalled = false;
    std::array<std::uint32_t, Words> what{};
    template <typename Port>
    void check(const char* name, bool valid, bool ready, const Port& port) {
      std::array<std::uint32_t, Words> now{};
      for (std::size_t n = 0; n < Words; ++n) now[n] = port[n];
      if (stalled) {
        EXPECT_TRUE(valid && now == what) << name << " changed while it was stalled";
      }
      stalled = valid && !ready;
      what = now;
    }
  };

  static void pack(VlWide<20>& port, const Request& request) {
    set_line(port, 0, filled(request.fill));
    set_bits(port, 512, 64, request.enables);
    set_bits(port, 576, 46, request.line);
    set_bits(port, 622, 1, request.write);
    set_bits(port, 623, 16, request.id);
  }
  static Bytes filled(std::uint8_t fill) {
    Bytes data;
    data.fill(fill);
    return data;
  }
  static void merge(Bytes& to, const Bytes& from, std::uint64_t enables) {
    for (unsigned b = 0; b < 64; ++b) {
      if ((enables >> b & 1) != 0) to[b] = from[b];
    }
  }
  Bytes& flat(std::uint64_t line) { return flat_.try_emplace(line, cell(line).data).first->second; }
  bool stalled(unsigned percent) { return percent > 0 && random_.percent(percent); }
  void check_offers() {
    mq_offer_.check("mq_req_o", rtl_->mq_valid_o != 0, rtl_->mq_ready_i != 0, rtl_->mq_req_o);
    lm_offer_.check("lm_req_o", rtl_->lm_valid_o != 0, rtl_->lm_ready_i != 0, rtl_->lm_req_o);
    rsp_offer_.check("rsp_o", rtl_->rsp_valid_o != 0, rtl_->rsp_ready_i != 0, rtl_->rsp_o);
    if (sr_stalled_) {
      EXPECT_TRUE(rtl_->sr_valid_o != 0) << "sr_valid_o fell while it was stalled";
    }
    sr_stalled_ = rtl_->sr_valid_o != 0 && rtl_->sr_ready_i == 0;
  }

  void choose() {
    if (offered_) return;
    if (!script_.empty()) {
      request_ = script_.front();
      script_.pop_front();
    } else if (kept_open_ < kept_) {
      request_ = {next_kept_++, false, kept_line_, 0, 0};
      if (next_kept_ == 0xff00) next_kept_ = 0x8000;
      ++kept_open_;
    } else {
      return;
    }
    offered_ = true;
    pack(rtl_->req_i, request_);
  }
  void drive() {
    rtl_->direct_i = direct;
    rtl_->flush_i = flush;
    rtl_->oldest_i = oldest;
    rtl_->fence_i = fence;
    rtl_->clear_error_i = clear_error;
    rtl_->isolate_i = isolate;
    rtl_->max_writes_i = max_writes;
    rtl_->req_valid_i = offered_;
    rtl_->sr_ready_i = sr_.size() < sr_entries_ && !stalled(stalls);
    rtl_->lm_ready_i = !stalled(std::max(stalls, lm_stalls));
    rtl_->rsp_ready_i = !stalled(std::max(stalls, answer_stalls));
    rtl_->head_valid_i = !sr_.empty();
    if (!sr_.empty()) pack(rtl_->head_req_i, sr_.front().request);
    if (!mq_answer_) answer_from_endpoint();
    rtl_->mq_rsp_valid_i = mq_answer_;
    rtl_->mem_valid_i = 0;
    for (unsigned e = 0; e < mq_.size(); ++e) set_bits(rtl_->mem_valid_i, e, 1, mq_[e].valid);
    rtl_->lm_rsp_valid_i = !lm_.empty() && lm_.front().due <= cycle_;
    if (rtl_->lm_rsp_valid_i != 0) {
      set_line(rtl_->lm_rsp_i, 0, lm_.front().cell.data);
      set_bits(rtl_->lm_rsp_i, 512, 6, lm_.front().index);
      set_bits(rtl_->lm_rsp_i, 518, 2, lm_.front().kind);
      set_bits(rtl_->lm_rsp_i, 520, 1, lm_.front().cell.bad);
    }
  }
  // The oldest that is due; its entry is free with its answer.
  void answer_from_endpoint() {
    MqEntry* first = nullptr;
    for (MqEntry& entry : mq_) {
      if (!entry.valid || entry.due > cycle_ || (entry.write ? hold_writes : hold_reads)) continue;
      if (first == nullptr || entry.due < first->due) first = &entry;
    }
    if (first == nullptr) return;
    mq_answer_ = true;
    first->valid = false;
    bool bad = cell(first->line).bad;
    if (isolate || first->lost) {
      bad = true;
      if (const auto open = open_.find(first->id); !first->write && open != open_.end()) {
        open->second.good = false;
      }
    } else if (first->write) {
      bad = failing_writes > 0;
      failing_writes -= bad;
    }
    set_line(rtl_->mq_rsp_i, 0, cell(first->line).data);
    set_bits(rtl_->mq_rsp_i, 512, 1, bad);
    set_bits(rtl_->mq_rsp_i, 513, 1, first->write);
    set_bits(rtl_->mq_rsp_i, 514, 16, first->id);
  }
  [[nodiscard]] bool mq_takes(std::uint64_t line) const {
    bool room = false;
    for (const MqEntry& entry : mq_) {
      if (entry.valid && entry.line == line) return false;
      room |= !entry.valid;
    }
    return room;
  }

  void take() {
    // Of the cycle before: as if the store had not come.
    if (get_bits(rtl_->ev_o, 9, 1) != 0) take_refusal();
    unsure_ = isolate || rtl_->error_o != 0;
    if (rtl_->rsp_valid_o != 0 && rtl_->rsp_ready_i != 0) take_answer();
    if (mq_answer_ && rtl_->mq_rsp_ready_o != 0) mq_answer_ = false;
    if (rtl_->lm_rsp_valid_i != 0 && rtl_->lm_rsp_ready_o != 0) lm_.pop_front();
    if (rtl_->head_valid_i != 0 && rtl_->head_ready_o != 0) {
      set_bits(rtl_->load_valid_i, sr_.front().slot, 1, 0);
      sr_.pop_front();
    }
    if (rtl_->mq_valid_o != 0 && rtl_->mq_ready_i != 0) take_at_endpoint();
    if (rtl_->lm_valid_o != 0 && rtl_->lm_ready_i != 0) take_at_local();
    merges_ += get_bits(rtl_->ev_o, 5, 1);
    hits_ += get_bits(rtl_->ev_o, 4, 1);
    if (offered_ && rtl_->req_ready_o != 0) take_request();
  }
  void take_request() {
    offered_ = false;
    Open open{request_.write, request_.line, flat(request_.line), false, local_sound_, false};
    if (request_.write) {
      EXPECT_FALSE(fence) << "a store is taken under the fence, cycle " << cycle_;
      to_local_.push_back(request_);
      to_answer_.push_back(request_.id);
    } else {
      // Older stores that are still in the FIFO are to be seen as well.
      const auto poison = poisoned_.find(request_.line);
      std::uint64_t stored = poison == poisoned_.end() ? kAll : poison->second;
      for (const Request& older : to_local_) {
        if (older.line != request_.line) continue;
        merge(open.data, filled(older.fill), older.enables);
        stored |= older.enables;
        if (older.enables == kAll) open.good = local_sound_;
      }
      open.bad = stored != kAll;
      open.good &= poison == poisoned_.end();
      set_bits(rtl_->load_valid_i, sr_slot_, 1, 1);
      set_bits(rtl_->load_line_i, std::size_t{46} * sr_slot_, 46, request_.line);
      sr_.push_back({request_, sr_slot_});
      sr_slot_ = (sr_slot_ + 1) % sr_entries_;
    }
    open_[request_.id] = open;
  }
  // The oldest store that is not in local memory has no place there, and none will come free.
  void take_refusal() {
    ++refused_;
    ASSERT_FALSE(to_local_.empty()) << "a store is refused that there is not";
    const Request store = to_local_.front();
    to_local_.pop_front();
    EXPECT_TRUE(unsure_) << "a store is refused though slots will come free, cycle " << cycle_;
    const auto open = open_.find(store.id);
    ASSERT_NE(open, open_.end()) << "a store is refused after its answer, cycle " << cycle_;
    open->second.refused = true;
  }
  void take_answer() {
    const auto id = static_cast<std::uint32_t>(get_bits(rtl_->rsp_o, 514, 16));
    const auto open = open_.find(id);
    ASSERT_NE(open, open_.end()) << "an answer to nothing, cycle " << cycle_;
    Answer answer{get_bits(rtl_->rsp_o, 512, 1) != 0, get_line(rtl_->rsp_o), cycle_};
    EXPECT_EQ(get_bits(rtl_->rsp_o, 513, 1), open->second.write ? 1u : 0u);
    if (open->second.write) {
      ASSERT_EQ(to_answer_.front(), id) << "a younger store is answered first, cycle " << cycle_;
      to_answer_.pop_front();
      EXPECT_EQ(answer.error, open->second.refused) << "cycle " << cycle_;
    } else {
      ++loads_done_;
      const Bytes& data = open->second.data;
      EXPECT_TRUE(answer.error || answer.data == data) << "line " << open->second.line;
      EXPECT_FALSE(open->second.bad && !answer.error) << "bad data given as good, cycle " << cycle_;
      EXPECT_FALSE(open->second.good && answer.error) << "good data given as bad, cycle " << cycle_;
    }
    open_.erase(open);
    if (id >= 0x8000) {
      --kept_open_;
    } else {
      answers_[id] = answer;
    }
  }
  void take_at_endpoint() {
    unsigned e = 0;
    while (mq_[e].valid) ++e;
    const auto& port = rtl_->mq_req_o;
    MqEntry& entry = mq_[e];
    entry = {true,
             get_bits(port, 622, 1) != 0,
             isolate,
             static_cast<std::uint32_t>(get_bits(port, 623, 16)),
             get_bits(port, 576, 46),
             cycle_ + latency_};
    set_bits(rtl_->mem_line_i, std::size_t{46} * e, 46, entry.line);
    if (!entry.write) return;
    const Write write{entry.line, get_bits(port, 512, 64), get_bits(port, 639, 1) != 0};
    writes.push_back(write);
    if (isolate) return;  // nothing is done there
    Cell& to = cell(write.line);
    merge(to.data, get_line(port), write.enables);
    to.bad = write.poison || (to.bad && write.enables != kAll);
  }
  void take_at_local() {
    const auto& port = rtl_->lm_req_o;
    Cell& slot = local_[get_bits(port, 576, 12)];
    if (get_bits(port, 596, 1) != 0) {
      const std::uint64_t enables = get_bits(port, 512, 64);
      merge(slot.data, get_line(port), enables);
      slot.bad = slot.bad && enables != kAll;
      ASSERT_FALSE(to_local_.empty());
      const Request store = to_local_.front();
      to_local_.pop_front();
      slot_of_[store.line] = get_bits(port, 576, 12);
      merge(flat(store.line), filled(store.fill), store.enables);
      if (const auto at = poisoned_.find(store.line); at != poisoned_.end()) {
        at->second |= store.enables;
        if (store.enables == kAll) poisoned_.erase(at);
      }
    } else {
      lm_.push_back({cycle_ + local_latency_, static_cast<unsigned>(get_bits(port, 588, 6)),
                     static_cast<unsigned>(get_bits(port, 594, 2)), slot});
    }
  }

  DsAloneTop rtl_;
  const std::uint64_t latency_, local_latency_;
  std::vector<Cell> local_;
  const unsigned sr_entries_;
  std::vector<MqEntry> mq_;
  std::uint64_t cycle_ = 0, merges_ = 0, hits_ = 0, loads_done_ = 0, refused_ = 0;
  Random random_{0xd5a};

  std::deque<Request> script_;
  Request request_;
  bool offered_ = false;
  std::uint32_t next_id_ = 1, next_kept_ = 0x8000;
  std::uint64_t kept_line_ = 0;
  unsigned kept_ = 0, kept_open_ = 0;
  std::unordered_map<std::uint32_t, Open> open_;
  std::deque<Request> to_local_;         // stores that are not there yet, in their order
  std::deque<std::uint32_t> to_answer_;  // stores
  std::unordered_map<std::uint32_t, Answer> answers_;

  std::deque<SrEntry> sr_;
  unsigned sr_slot_ = 0;
  bool mq_answer_ = false;
  std::deque<LmRead> lm_;
  std::unordered_map<std::uint64_t, std::uint64_t> slot_of_;
  std::unordered_map<std::uint64_t, Cell> endpoint_;
  std::unordered_map<std::uint64_t, Bytes> flat_;
  std::unordered_map<std::uint64_t, std::uint64_t> poisoned_;  // bytes stored since
  bool local_sound_ = true;

  Offer<20> mq_offer_;
  Offer<19> lm_offer_;
  Offer<17> rsp_offer_;
  bool sr_stalled_ = false;
  DsMeetings meetings_;
  bool writes_full_ = false;
  const bool counted_;   // the bins know the other sizes
  bool unsure_ = false;  // isolated or with an error in the cycle before
};

}  // namespace cxlgpu::test
