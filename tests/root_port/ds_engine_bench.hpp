// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What stands around a ds_engine, and what must hold there whatever the engine does inside.
//
// Purpose: SR queue, memory queue with its endpoint, local memory and index as the page describes
//          them, each with latencies and stalls of its own; requests at random or by hand; and a
//          flat memory that only the requests change, and not those that are refused. Checks that
//          every load gives what the flat memory held when it was taken, that each request is
//          answered once and in bounded time, stores in their order, none sooner than on the page
//          nor without a slot for it and for each answered one that waits, with an error only if
//          it was refused, and none is refused after its answer, that no slot is lost or used
//          twice, that deferred lines leave from the end that is asked for, that nobody looks for a
//          late line in the index, and that the endpoint is written only what was stored.
// Units:   cycles; lines (address[51:6]).
// Use:     drive() makes the inputs of a cycle and evaluates the twin, commit() is its edge. A test
//          that compares the RTL does it in between. With `rtl` set the outputs are what that says,
//          and there is no twin: then the edge is the test's, between the two.
// Errors:  a broken rule is a GoogleTest failure; ok() is false from then on.
// Source:  docs/blocks/root_port/ds_engine.md, root_port/ds_index.md, root_port/sr_queue.md,
//          root_port/memory_queue.md.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "refmodel/root_port/ds_engine.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_groups.hpp"

namespace cxlgpu::test {

inline constexpr unsigned kSrDepth = 32, kMemEntries = 30;

// Percent a cycle unless named otherwise. As they stand nothing is ever late.
struct DsRates {
  unsigned requests = 100, writes = 50, full_lines = 60;
  std::uint64_t base = 0, lines = 64, stride = 1;
  unsigned sr_ready = 100, mq_ready = 100, rsp_ready = 100, lm_ready = 100, ix_ready = 100;
  unsigned answers = 100, lm_answers = 100;               // of those that are due
  unsigned latency = 20, lm_latency = 4, ix_moves = 0;    // most cycles; ix_moves: of inserts
  unsigned ix_fast = 0, no_place = 0;                     // of inserts
  unsigned freezes = 0, freeze_cycles = 0, reads_go = 0;  // per 10000; reads_go while frozen
  unsigned write_errors = 0, read_errors = 0, local_errors = 0;
  unsigned flush = 100, direct = 50, oldest = 50;  // of the time, in spells
  unsigned oldest_spell = 60;                      // cycles
  unsigned fences = 0;                             // per 10000
  unsigned isolate = 0;                            // of the time, in spells
  unsigned most_writes = 8;
  std::uint64_t cycles = 0;  // of such traffic

  DsRates() = default;
  DsRates(Random& random, const DsConfig& config) {
    cycles = 200 + random.below(6000);
    const auto any = [&](unsigned low) {
      return random.percent(40) ? 100 : low + static_cast<unsigned>(random.below(101 - low));
    };
    requests = any(20);
    writes = random.pick(std::array{0u, 10u, 30u, 50u, 50u, 70u, 90u, 100u});
    full_lines = random.pick(std::array{0u, 50u, 90u, 100u});
    base = random.bits(45);
    const std::uint64_t some[] = {1, 3, 8, config.depth, 2 * config.depth, 5 * config.depth};
    lines = random.pick(some);
    // The last makes neighbours meet in a bucket of the filter.
    stride = random.pick(std::array<std::uint64_t, 4>{1, 16, 1024, config.buckets + 1});
    for (unsigned* p : {&sr_ready, &mq_ready, &rsp_ready, &lm_ready, &ix_ready}) *p = any(20);
    if (random.percent(15)) rsp_ready = 2;
    answers = any(20);
    lm_answers = any(20);
    latency = random.pick(std::array{1u, 5u, 20u, 100u, 1000u});
    lm_latency = random.pick(std::array{1u, 4u, 30u, 100u});
    ix_moves = random.pick(std::array{0u, 20u, 100u});
    ix_fast = random.pick(std::array{0u, 50u, 100u});
    no_place = random.pick(std::array{0u, 0u, 10u, 60u});
    freezes = random.pick(std::array{0u, 0u, 5u, 20u});
    freeze_cycles = 100 + static_cast<unsigned>(random.below(2000));
    reads_go = random.percent(50);
    write_errors = random.percent(50) ? random.pick(std::array{5u, 20u, 50u}) : 0;
    read_errors = random.percent(30) ? 5 : 0;
    local_errors = random.percent(40) ? random.pick(std::array{5u, 20u}) : 0;
    flush = random.pick(std::array{10u, 50u, 100u});
    direct = random.pick(std::array{0u, 30u, 70u, 100u});
    fences = random.pick(std::array{0u, 0u, 3u, 20u});
    most_writes = random.percent(50) ? std::max(16u, config.writes)
                                     : 1 + static_cast<unsigned>(random.below(4));
    isolate = random.percent(30) ? random.pick(std::array{30u, 100u}) : 0;
    oldest = random.pick(std::array{0u, 50u, 50u, 100u});
    oldest_spell = random.pick(std::array{1u, 10u, 100u, 1000u});
    if (random.percent(10) && config.depth <= 256) storm(config, random);
  }
  // Stores faster than the endpoint takes them: the region fills.
  void storm(const DsConfig& config, Random& random) {
    cycles = 40 * config.depth + random.below(1000);
    requests = full_lines = sr_ready = rsp_ready = lm_ready = 100;
    writes = 95;
    lines = 5 * config.depth;
    ix_moves = no_place = fences = direct = write_errors = 0;
    flush = latency > 100 ? 10 : 2;
  }
};

class DsWorld {
 public:
  DsWorld(const DsConfig& config, Random& random)
      : rates(DsRates()),
        config_(config),
        random_(random),
        twin_(config),
        region_(config.depth),
        local_(config.depth) {
    for (Line& line : local_) line = random_line(random_);
    in_.max_writes = config.writes;
    in_.direct = in_.flush = true;
  }

  DsRates rates;
  std::function<DsEngine::Out(const DsEngine::In&)> rtl;
  bool at_random = false;  // requests and levels; else by hand
  bool freeze_writes = false, freeze_reads = false;
  bool refuse_inserts = false;  // the index has no place
  unsigned failing_writes = 0;  // the next ones at the endpoint
  bool gone = false;            // the endpoint: the memory queue answers all with an error
  DsEngine::In& levels() { return in_; }
  bool off = false;  // enable_i follows when idle() holds

  // By hand: put in, in this order. The id tells them apart.
  std::uint32_t store(std::uint64_t line, std::uint8_t fill, std::uint64_t mask = kAllBytes) {
    MemRequest request{next_id_++, true, line * kLineBytes, mask, {}};
    request.data.fill(fill);
    script_.push_back(request);
    return request.id;
  }
  std::uint32_t load(std::uint64_t line) {
    script_.push_back({next_id_++, false, line * kLineBytes, 0, {}});
    return script_.back().id;
  }
  [[nodiscard]] const MemResponse* answer(std::uint32_t id) const {
    const auto at = answers_.find(id);
    return at == answers_.end() ? nullptr : &at->second;
  }

  // Of a store by hand, cycles: taken; its answer first stands at the response port; it left, which
  // its event says in the next. 0: not yet.
  struct Times {
    std::uint64_t came = 0, answer = 0, left = 0;
  };
  [[nodiscard]] Times times(std::uint32_t id) const {
    const auto at = times_.find(id);
    return at == times_.end() ? Times{} : at->second;
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] const DsEngine::In& in() const { return in_; }
  [[nodiscard]] const DsEngine::Out& out() const { return out_; }
  [[nodiscard]] const DsEngine& twin() const { return twin_; }
  DsEngine& twin() { return twin_; }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  // Entries of the memory queue, a bit each, that something else has until release().
  void hold(std::uint64_t entries) {
    mq_valid_ |= entries;
    for (unsigned e = 0; e < config_.mem_entries; ++e) {
      if ((entries >> e & 1) == 0) continue;
      mq_[e] = {true, {}, ~std::uint64_t{0}};
      mq_lines_[e] = (std::uint64_t{1} << 40) + e;
    }
  }
  void release(std::uint64_t entries) {
    mq_valid_ &= ~entries;
    for (unsigned e = 0; e < config_.mem_entries; ++e) {
      if ((entries >> e & 1) != 0) mq_[e].valid = false;
    }
  }
  [[nodiscard]] unsigned mq_held() const { return static_cast<unsigned>(mq_count()); }
  [[nodiscard]] Line endpoint(std::uint64_t line) const { return at(endpoint_, line); }
  [[nodiscard]] Line flat(std::uint64_t line) const { return at(flat_, line); }
  // Lines of the writes that the memory queue took, in order.
  std::vector<std::uint64_t> writes_sent;
  [[nodiscard]] bool idle() const {
    return loads_.empty() && stores_.empty() && script_.empty() && !in_.req_valid && sr_.empty() &&
           mq_count() == 0 && !in_.mq_rsp_valid && out_.empty && lm_reads_.empty() &&
           !in_.lm_rsp_valid;
  }

  struct Seen {
    std::uint64_t direct = 0, deferred = 0, in_place = 0, flushed = 0, hit = 0, merge = 0,
                  false_hit = 0, full = 0, error = 0, refused = 0;
    std::uint64_t loads = 0, stores = 0, load_errors = 0, fences = 0, off_cycles = 0;
    std::uint64_t local_errors = 0, poisoned_writes = 0;
    std::uint64_t slots_reused = 0, most_pending = 0, most_writes = 0, oldest = 0;
    std::uint64_t store_before_endpoint = 0;        // answered with the endpoint's writes frozen
    std::uint64_t to_write_table = 0;               // stored to a line that is in flight
    std::uint64_t no_place = 0;                     // inserts that the index refused
    std::uint64_t finds = 0, deletes = 0;           // that it was requested
    std::uint64_t late_loads = 0, late_stores = 0;  // of lines that it did not have yet
    std::uint64_t most_late = 0;
    // Lines that left while others were deferred: the first, the last, of these late ones that were
    // never offered to the index; without a delete, of those that were.
    std::uint64_t first_left = 0, last_left = 0, late_left = 0, refused_left = 0;
    // Answers of stores: before the store left, and of those with no slot to spare; in the cycle in
    // which it left; later.
    std::uint64_t early_answers = 0, last_slot = 0, answered_leaving = 0, late_answers = 0;
    std::uint64_t most_answered = 0;  // waiting
    std::uint64_t held_answers = 0;   // cycles with a store that has no slot to spare for it
    void add(const DsEvents& e) {
      direct += e.direct;
      deferred += e.deferred;
      in_place += e.in_place;
      flushed += e.flushed;
      hit += e.hit;
      merge += e.merge;
      false_hit += e.false_hit;
      full += e.full;
      error += e.error;
      refused += e.refused;
    }
  } seen;

  void drive() {
    ++cycle_;
    if (at_random) choose_levels();
    asked_oldest_[cycle_ % asked_oldest_.size()] = in_.oldest;
    if (!in_.req_valid) choose_request();
    in_.sr_ready = sr_.size() < sr_depth() && random_.percent(rates.sr_ready);
    in_.head_valid = !sr_.empty();
    if (in_.head_valid) in_.head = sr_.front().request;
    in_.loads = {sr_lines_.data(), sr_loads_};
    in_.mem = {mq_lines_.data(), mq_valid_};
    if (!in_.mq_rsp_valid) answer_from_endpoint();
    if (!in_.lm_rsp_valid) answer_from_local();
    answer_from_index();
    in_.rsp_ready = random_.percent(rates.rsp_ready);
    in_.lm_ready = random_.percent(rates.lm_ready);
    in_.ix_ready = !index_op_ && random_.percent(rates.ix_ready);
    in_.mq_ready = false;
    out_ = eval();
    in_.mq_ready = mq_takes(out_.mq_valid ? line_of_request(out_.mq_req) : random_.bits(46));
    if (in_.mq_ready) out_ = eval();  // its offers do not depend on it
  }

  // Where lines meet loads, stores, flushes and fences; not owned, only beside the RTL.
  coverage::Collector* hazards = nullptr;
  // And answers of stores.
  coverage::Collector* answers = nullptr;
  coverage::Collector* waiting = nullptr;

  void commit() {
    if (hazards != nullptr && hazards->on() && in_.enable) count_hazards();
    if (!rtl) twin_.clock(in_);  // what follows changes the inputs
    if (in_.enable) {
      check_levels();
      take_index_answer();
      take_index_operation();
      take_local_answer();
      take_local_request();
    } else {
      rsp_stood_ = false;
      ++seen.off_cycles;
      expect(out_.mq_valid == in_.head_valid && !out_.lm_valid && !out_.ix_valid,
             "off: only wires");
    }
    take_head();
    take_mq_request();
    take_mq_answer();
    take_response();
    take_request();
    count_age();
    used_then_ = used_now_;
    used_now_ = used_;
  }

  // Between phases, with everything answered: what the endpoint holds is what was stored.
  void check_endpoint() {
    for (const auto& [line, data] : flat_) {
      if (at(endpoint_, line) != data) {
        fail("after the fence the endpoint differs in line " + std::to_string(line));
        return;
      }
    }
  }
  void forget_lines() {  // keeps the maps small; only with check_endpoint() done
    slowest_ = 0;
    writes_sent.clear();
    flat_.clear();
    endpoint_.clear();
    poisoned_.clear();
    stored_.clear();
    settled_.clear();
  }

 private:
  [[nodiscard]] DsEngine::Out eval() const { return rtl ? rtl(in_) : twin_.eval(in_); }

  using Memory = std::unordered_map<std::uint64_t, Line>;
  struct SrEntry {
    MemRequest request;
    unsigned slot = 0;
  };
  struct MqEntry {
    bool valid = false;
    MemRequest request;
    std::uint64_t due = 0;
  };
  struct Load {
    std::uint64_t line = 0;
    Line data{};
    std::uint64_t born = 0;
    bool error = false;
    bool may_error = false;  // its merge may have read bad data of local memory
  };
  struct Store {
    std::uint64_t line = 0;
    std::uint64_t born = 0, came = 0;
    bool refused = false;
  };
  struct LmRead {
    LmResponse response;
    std::uint64_t due = 0;
  };
  struct Slot {
    enum class State : std::uint8_t { Free, Used, MayBeFree } state = State::Free;
    std::uint64_t line = 0;
    bool ever = false;
  };
  struct IndexOp {
    unsigned op = 0;
    std::uint64_t key = 0;
    unsigned slot = 0;
    std::uint64_t due = 0;
    bool refused = false;  // an insert
  };
  struct UnderWay {
    std::uint64_t line = 0;
    unsigned slot = 0;
    bool clean = true;  // not stored to since it was sent
    bool read = false;  // its data were requested at local memory
    bool sent = false;
    bool poison = false;  // local memory gave its data with error
  };

  void hit(coverage::DsHazard hazard, std::uint64_t line) {
    using coverage::DsLine;
    const DsEngine::LineView v = twin_.view(line);
    const bool whole = v.mask == kAllBytes;
    bool any = false;
    const auto at = [&](bool there, DsLine state) {
      if (there) hazards->hit({static_cast<unsigned>(state), static_cast<unsigned>(hazard)});
      any |= there;
    };
    at(v.waits, DsLine::InFifo);
    at(v.deferred && !v.late && !whole, DsLine::DeferredPart);
    at(v.deferred && !v.late && whole, DsLine::DeferredWhole);
    at(v.late && !whole, DsLine::LatePart);
    at(v.late && whole, DsLine::LateWhole);
    at(v.chosen && hazard != coverage::DsHazard::Flush, DsLine::FlushChosen);
    at(v.under_way && !v.dirty && !whole, DsLine::UnderWayPart);
    at(v.under_way && !v.dirty && whole, DsLine::UnderWayWhole);
    at(v.under_way && v.dirty && !whole, DsLine::DirtyPart);
    at(v.under_way && v.dirty && whole, DsLine::DirtyWhole);
    at(v.merge_waits, DsLine::MergeAtEndpoint);
    at(v.merge_reads, DsLine::MergeAtLocal);
    at(!any, DsLine::Absent);
  }
  // With the inputs of this cycle, before its edge.
  void count_hazards() {
    using coverage::DsHazard;
    if (in_.req_valid && !in_.req.is_write) hit(DsHazard::LoadEnters, line_of_request(in_.req));
    if (in_.req_valid && in_.req.is_write && out_.req_ready) {
      const std::uint64_t line = line_of_request(in_.req);
      hit(DsHazard::Store, line);
      const bool after_load = std::any_of(loads_.begin(), loads_.end(), [line](const auto& load) {
        return load.second.line == line;
      });
      if (after_load) hit(DsHazard::StoreAfterLoad, line);
    }
    if (in_.head_valid) hit(DsHazard::LoadAtHead, line_of_request(in_.head));
    if (const auto line = twin_.flush_looks_at()) hit(DsHazard::Flush, *line);
    if (in_.fence && !fenced_) {
      bool any = false;
      const auto meets = [&](std::uint64_t line) {
        hit(DsHazard::Fence, line);
        any = true;
      };
      for (const MemRequest& store : to_local_) meets(line_of_request(store));
      for (const std::uint64_t line : pending_) meets(line);
      for (const Slot& slot : region_) {
        if (slot.state == Slot::State::Used && is_late(slot.line)) meets(slot.line);
      }
      for (const auto& [w, way] : under_way_) meets(way.line);
      for (const auto& [id, load] : loads_) meets(load.line);
      if (!any) meets(0);
    }
    fenced_ = in_.fence;
  }

  static std::uint64_t line_of_request(const MemRequest& r) { return r.addr / kLineBytes; }
  // Never stored: every line and byte its own.
  static Line at(const Memory& memory, std::uint64_t line) {
    const auto found = memory.find(line);
    if (found != memory.end()) return found->second;
    Line data;
    for (std::size_t i = 0; i < kLineBytes; ++i)
      data[i] = static_cast<std::uint8_t>(line * 37 + (line >> 8) * 11 + i * 5 + 1);
    return data;
  }
  static Line& at(Memory& memory, std::uint64_t line) {
    const auto found = memory.find(line);
    if (found != memory.end()) return found->second;
    return memory.emplace(line, at(std::as_const(memory), line)).first->second;
  }
  [[nodiscard]] std::size_t mq_count() const {
    return static_cast<std::size_t>(std::popcount(mq_valid_));
  }
  void fail(const std::string& what) {
    if (ok_) ADD_FAILURE() << "cycle " << cycle_ << ", depth " << config_.depth << ": " << what;
    ok_ = false;
  }
  void expect(bool holds, const char* what) {
    if (!holds) fail(what);
  }

  // Levels hold for spells of some length.
  void choose_levels() {
    if (random_.below(50) == 0) in_.flush = random_.percent(rates.flush);
    if (random_.below(30) == 0) in_.direct = random_.percent(rates.direct);
    if (random_.below(rates.oldest_spell) == 0) in_.oldest = random_.percent(rates.oldest);
    if (random_.below(200) == 0) in_.isolate = random_.percent(rates.isolate);
    if (random_.below(500) == 0) {
      const bool none = random_.percent(5);
      in_.max_writes = none ? 0 : 1 + static_cast<unsigned>(random_.below(rates.most_writes));
    }
    if (in_.fence) {
      if (out_.empty || random_.below(2000) == 0) in_.fence = random_.percent(50);
    } else {
      in_.fence = random_.below(10'000) < rates.fences;
      seen.fences += in_.fence;
    }
    // In some spells so often that a failure meets it.
    if (random_.below(2000) == 0) clears_often_ = random_.percent(20);
    in_.clear_error = random_.below(clears_often_ ? 3 : out_.error ? 100 : 2000) == 0;
    if (cycle_ >= frozen_until_) {
      freeze_writes = freeze_reads = false;
      if (random_.below(10'000) < rates.freezes) {
        frozen_until_ = cycle_ + rates.freeze_cycles;
        freeze_writes = true;
        freeze_reads = rates.reads_go == 0;
      }
    }
  }

  void choose_request() {
    if (!script_.empty()) {
      in_.req = script_.front();
      script_.pop_front();
      in_.req_valid = true;
    } else if (at_random && random_.percent(rates.requests)) {
      const std::uint64_t line = rates.base + random_.below(rates.lines) * rates.stride;
      MemRequest& r = in_.req;
      r = random_request(random_, line, rates.writes);
      r.byte_enable = random_.percent(rates.full_lines) ? kAllBytes
                      : random_.percent(50)             ? random_.bits(64)
                      : random_.percent(95)
                          ? std::rotl(random_.bits(1 + static_cast<unsigned>(random_.below(16))),
                                      static_cast<int>(random_.below(64)))
                          : 0;
      // Few ids, so that they come again soon; a load and a store may have the same.
      do {
        r.id = static_cast<std::uint32_t>(random_.bits(random_.percent(50) ? 8 : 16));
      } while (r.id >= kRootPortIds ||
               (r.is_write ? stores_.contains(r.id) : loads_.contains(r.id)));
      in_.req_valid = true;
    }
  }

  // Endpoint and memory queue: one access a line, any order, the entry free with its answer.
  bool mq_takes(std::uint64_t line) {
    if (!random_.percent(rates.mq_ready) || mq_count() == config_.mem_entries) return false;
    for (unsigned e = 0; e < config_.mem_entries; ++e) {
      if (mq_[e].valid && mq_lines_[e] == line) return false;
    }
    return true;
  }
  void answer_from_endpoint() {
    if (mq_valid_ == 0 || !random_.percent(rates.answers)) return;
    const unsigned first = static_cast<unsigned>(random_.below(config_.mem_entries));
    for (unsigned n = 0; n < config_.mem_entries; ++n) {
      const unsigned e = (first + n) % config_.mem_entries;
      MqEntry& entry = mq_[e];
      const MemRequest& request = entry.request;
      if (!entry.valid || entry.due > cycle_) continue;
      if (!gone && (request.is_write ? freeze_writes : freeze_reads)) continue;
      in_.mq_rsp_valid = true;
      in_.mq_rsp = {request.id, request.is_write, false, random_line(random_)};
      if (request.is_write) {
        bool bad = gone || (in_.enable && random_.percent(rates.write_errors));
        if (failing_writes > 0) {
          bad = true;
          --failing_writes;
        }
        in_.mq_rsp.error = bad;
        // A write that fails may have been done or not, byte for byte.
        const std::uint64_t done = gone ? 0 : bad ? random_.bits(64) : kAllBytes;
        merge_bytes(at(endpoint_, mq_lines_[e]), request.data, request.byte_enable & done);
        if (!bad && request.byte_enable == kAllBytes) poisoned_.erase(mq_lines_[e]);
        if (request.poison) poisoned_.insert(mq_lines_[e]);
      } else {
        in_.mq_rsp.error =
            gone || poisoned_.contains(mq_lines_[e]) || random_.percent(rates.read_errors);
        in_.mq_rsp.data = at(std::as_const(endpoint_), mq_lines_[e]);
        if (in_.mq_rsp.error) {
          const auto load = loads_.find(request.id);
          if (load != loads_.end()) load->second.error = true;
        }
      }
      entry.valid = false;
      mq_valid_ &= ~(std::uint64_t{1} << e);
      in_.mem.valid = mq_valid_;
      return;
    }
  }
  void take_mq_answer() {
    if (!in_.mq_rsp_valid || !out_.mq_rsp_ready) return;
    in_.mq_rsp_valid = false;
    if (!in_.enable || !in_.mq_rsp.is_write) return;
    const auto way = under_way_.find(in_.mq_rsp.id - kRootPortIds);
    if (early_ == way->first) {
      early_over_ = !in_.mq_rsp.error;
    } else if (!in_.mq_rsp.error && way->second.clean) {
      set(region_[way->second.slot], Slot::State::MayBeFree);
    }
    under_way_.erase(way);
  }
  void take_mq_request() {
    if (!out_.mq_valid || !in_.mq_ready) return;
    const MemRequest& r = out_.mq_req;
    const std::uint64_t line = line_of_request(r);
    unsigned e = 0;
    while (mq_[e].valid) ++e;
    mq_[e] = {true, r, cycle_ + 1 + random_.below(rates.latency)};
    mq_lines_[e] = line;
    mq_valid_ |= std::uint64_t{1} << e;
    if (r.is_write) writes_sent.push_back(line);
    if (!in_.enable || !r.is_write) return;
    expect((r.byte_enable & ~stored_[line]) == 0, "a byte that was never stored is written");
    expect(r.id >= kRootPortIds && r.id < kRootPortIds + config_.writes, "id of an endpoint write");
    seen.poisoned_writes += r.poison;
    const unsigned w = r.id - kRootPortIds;
    const auto way = under_way_.find(w);
    if (way == under_way_.end()) {
      // At once: the store whose data were put in local memory last, or are to be put there next.
      const bool after = last_local_ && line_of_request(*last_local_) == line;
      expect(after || (!early_ && !to_local_.empty()), "a direct write without a store");
      if (!ok_) return;
      const MemRequest& store = after ? *last_local_ : to_local_.front();
      expect(line_of_request(store) == line && store.byte_enable == r.byte_enable &&
                 store.data == r.data && !r.poison,
             "a direct write is the store's");
      under_way_[w] = {line, last_slot_, true, true, true, false};
      if (after) {
        last_local_.reset();
      } else {
        early_ = w;
        early_over_ = false;
      }
    } else {
      expect(way->second.line == line && !way->second.sent, "a flushed line is sent once");
      expect(r.poison == way->second.poison, "bad data of local memory, and no others, are poison");
      way->second.sent = true;
    }
    seen.most_writes = std::max<std::uint64_t>(seen.most_writes, under_way_.size());
  }

  void take_head() {
    if (!in_.head_valid || !out_.head_ready) return;
    const bool to_mq = out_.mq_valid && in_.mq_ready && !out_.mq_req.is_write;
    const bool to_local =
        out_.lm_valid && in_.lm_ready && !out_.lm_req.write && out_.lm_req.kind == LmKind::Load;
    if (in_.enable) expect(to_mq != to_local, "the head goes to one place");
    if (in_.enable && to_mq) {
      expect(out_.mq_req.id == in_.head.id && out_.mq_req.addr == in_.head.addr,
             "the head is the request at the memory queue");
    }
    sr_loads_ &= ~(std::uint64_t{1} << sr_.front().slot);
    sr_.pop_front();
  }

  // Here, neither on its way to the endpoint nor in the index. As long as a store of it has not
  // left, it may be that one's first.
  [[nodiscard]] bool is_late(std::uint64_t line) const {
    const bool goes = std::any_of(under_way_.begin(), under_way_.end(),
                                  [line](const auto& way) { return way.second.line == line; });
    return !goes && !index_.contains(line) &&
           std::any_of(region_.begin(), region_.end(), [line](const Slot& slot) {
             return slot.state == Slot::State::Used && slot.line == line;
           });
  }

  // Index.
  // As on the page, three for each key that is looked at; at random also faster.
  [[nodiscard]] unsigned index_cycles(unsigned op) {
    const unsigned keys = op != 1                           ? 1
                          : random_.percent(rates.ix_moves) ? 1 + unsigned(random_.below(34))
                                                            : 1;
    return 3 * keys;
  }
  void answer_from_index() {
    in_.ix_rsp_valid = index_op_ && index_op_->due <= cycle_;
    in_.ix_found = false;
    in_.ix_slot = 0;
    if (!in_.ix_rsp_valid) return;
    const auto found = index_.find(index_op_->key);
    in_.ix_found = found != index_.end();
    if (in_.ix_found) in_.ix_slot = found->second;
    if (index_op_->op != 1 || in_.ix_found) return;
    in_.ix_slot = index_op_->slot;
    in_.ix_found = index_op_->refused;
  }
  void take_index_operation() {
    if (ix_stands_) {
      expect(out_.ix_valid && out_.ix_op == ix_stands_->op && out_.ix_key == ix_stands_->key &&
                 (out_.ix_op != 1 || out_.ix_slot == ix_stands_->slot),
             "what is offered to the index stays");
    }
    const bool stood = ix_stands_.has_value();
    ix_stands_.reset();
    if (!out_.ix_valid) return;
    if (out_.ix_op == 1) {
      offered_.insert(out_.ix_key);
      if (!stood) insertion_from_ = cycle_;
    }
    if (out_.ix_op == 2 && !stood) check_end(out_.ix_key);
    if (!in_.ix_ready) {
      ix_stands_ = {out_.ix_op, out_.ix_key, out_.ix_slot};
      return;
    }
    const unsigned page = index_cycles(out_.ix_op);
    const unsigned cycles =
        random_.percent(rates.ix_fast) ? 1 + static_cast<unsigned>(random_.below(page)) : page;
    const bool refused = out_.ix_op == 1 && (refuse_inserts || random_.percent(rates.no_place));
    seen.finds += out_.ix_op == 0;
    seen.deletes += out_.ix_op == 2;
    if (out_.ix_op == 0) expect(!is_late(out_.ix_key), "a late line is looked for in the index");
    index_op_ = {out_.ix_op, out_.ix_key, out_.ix_slot, cycle_ + cycles, refused};
  }
  void take_index_answer() {
    if (!in_.ix_rsp_valid) return;
    const IndexOp op = *index_op_;
    index_op_.reset();
    if (op.op == 1) {
      expect(!index_.contains(op.key), "a line is inserted that is there");
      for (const auto& [key, slot] : index_) expect(slot != op.slot, "a slot is used twice");
      seen.no_place += op.refused;
      insertion_ended_ = cycle_;
      if (op.refused) {  // the line stays late
        refused_[op.key] = {pending_.empty(), lines_late() == 1};
        return;
      }
      refused_.erase(op.key);
      offered_.erase(op.key);
      index_[op.key] = op.slot;
      pending_.push_back(op.key);
    } else if (op.op == 2) {
      expect(in_.ix_found, "a line is deleted that is not there");
      if (!ok_) return;
      index_.erase(op.key);
      std::erase(pending_, op.key);
      deleted_ = op.key;
    }
  }
  // Which end was asked for in each of these cycles; nothing: it changed.
  [[nodiscard]] std::optional<bool> end_asked(std::uint64_t from, std::uint64_t to) const {
    if (cycle_ - from >= asked_oldest_.size()) return std::nullopt;
    const bool oldest = asked_oldest_[to % asked_oldest_.size()];
    for (std::uint64_t at = from; at < to; ++at) {
      if (asked_oldest_[at % asked_oldest_.size()] != oldest) return std::nullopt;
    }
    return oldest;
  }
  // Of a line in the index, in the first cycle in which its delete is offered. F's first step was
  // three cycles before, or, if an insertion kept it waiting, a step or its delete, earlier: not
  // before the last flushed line was read, nor more than three cycles before the insertion stood.
  void check_end(std::uint64_t line) {
    expect(!pending_.empty(), "a line is deleted that is not there");
    if (!ok_) return;
    const bool first = pending_.front() == line;
    const bool last = pending_.back() == line && lines_late() == 0;
    const std::uint64_t latest = cycle_ - 3;
    std::uint64_t earliest = latest;
    if (insertion_ended_ + 1 == cycle_) {
      earliest = std::min(latest, std::max(flush_read_, insertion_from_ - 4));
    }
    const auto oldest = end_asked(earliest, latest);
    expect(oldest != true || first, "a deferred line leaves that is not the first");
    expect(oldest != false || last, "a deferred line leaves that is not the last");
    expect(first || last, "a deferred line leaves that is neither the first nor the last");
    if (out_.count > 1) ++(oldest.value_or(first) ? seen.first_left : seen.last_left);
  }
  // Of a late line, as it is read in local memory. It was to be inserted as it left and the index
  // refused it, or it was the last of several. Insertions are in order, so then it was never
  // offered. Long may have gone by since F's first step: local memory stalls.
  void check_late_end(std::uint64_t line) {
    const auto refused = refused_.find(line);
    const bool offered = offered_.contains(line);
    expect(!offered || refused != refused_.end(), "a line leaves while the index works on it");
    if (!ok_) return;
    const bool first = offered && refused->second.first;
    const bool last = !offered || refused->second.last;
    const auto oldest = end_asked(cycle_ - std::min<std::uint64_t>(cycle_, 400), cycle_);
    expect(oldest != true || first, "a late line leaves that is not the first deferred");
    expect(oldest != false || last, "a late line leaves that is not the last");
    expect(first || last, "a late line leaves that is neither the first deferred nor the last");
    ++(offered ? seen.refused_left : seen.late_left);
    offered_.erase(line);
    refused_.erase(line);
  }

  // Local memory: writes and reads done as taken, reads answered in any order.
  void take_local_request() {
    if (!out_.lm_valid || !in_.lm_ready) return;
    const LmRequest& r = out_.lm_req;
    expect(r.slot < config_.depth, "a slot beyond the region");
    if (!ok_) return;
    if (r.write) {
      take_local_write(r);
      return;
    }
    Slot& slot = region_[r.slot];
    const bool bad = random_.percent(rates.local_errors);
    seen.local_errors += bad;
    if (r.kind == LmKind::Load) {
      expect(slot.state != Slot::State::Free && slot.line == line_of_request(in_.head),
             "a load reads another line's slot");
      loads_[in_.head.id].error |= bad;
      seen.late_loads += is_late(slot.line);
    } else if (r.kind == LmKind::Flush) {
      const bool mine =
          under_way_.try_emplace(r.index, UnderWay{slot.line, r.slot, true, true, false, bad})
              .second;
      expect(mine && slot.state == Slot::State::Used, "a flush of a free slot or a used entry");
      if (deleted_ == slot.line) {
        deleted_.reset();
      } else {
        expect(!index_.contains(slot.line), "a line in the index goes without a delete");
        check_late_end(slot.line);
      }
      flush_read_ = cycle_ + 1;
      if (last_local_ && line_of_request(*last_local_) == slot.line) last_local_.reset();
    } else if (bad) {
      for (auto& [id, load] : loads_) load.may_error |= load.line == slot.line;
    }
    lm_reads_.push_back(
        {{r.kind, r.index, local_[r.slot], bad}, cycle_ + 1 + random_.below(rates.lm_latency)});
  }
  void take_local_write(const LmRequest& r) {
    expect(!to_local_.empty(), "a write to local memory without a store");
    if (!ok_) return;
    const MemRequest store = to_local_.front();
    to_local_.pop_front();
    const std::uint64_t line = line_of_request(store);
    expect(store.byte_enable == r.byte_enable && store.data == r.data,
           "what is written to local memory is the store's");
    Slot& slot = region_[r.slot];
    for (unsigned s = 0; s < region_.size(); ++s) {  // a line has one slot
      if (s == r.slot || region_[s].state == Slot::State::Free || region_[s].line != line) continue;
      expect(region_[s].state == Slot::State::MayBeFree, "a line has two slots");
      set(region_[s], Slot::State::Free);
    }
    expect(slot.state != Slot::State::Used || slot.line == line, "a slot is used twice");
    seen.slots_reused += slot.ever && slot.line != line;
    seen.late_stores += is_late(line);
    set(slot, Slot::State::Used);
    slot.line = line;
    slot.ever = true;
    merge_bytes(local_[r.slot], r.data, r.byte_enable);
    merge_bytes(at(settled_, line), r.data, r.byte_enable);
    last_local_ = store;
    last_slot_ = r.slot;
    for (auto& [w, way] : under_way_) {
      if (early_ == w) {  // its own data
        way.slot = r.slot;
      } else if (way.line == line) {
        way.clean = false;
        ++seen.to_write_table;
      }
    }
    if (early_) {
      if (early_over_) set(slot, Slot::State::MayBeFree);
      early_.reset();
      last_local_.reset();
    }
  }
  void set(Slot& slot, Slot::State state) {
    used_ += state == Slot::State::Used;
    used_ -= slot.state == Slot::State::Used;
    slot.state = state;
  }
  // The oldest store that is not in local memory will not be: as if it had not come.
  void take_refusal() {
    expect(!to_local_.empty(), "a store is refused that there is not");
    if (!ok_) return;
    const MemRequest refused = to_local_.front();
    to_local_.pop_front();
    const std::uint64_t line = line_of_request(refused);
    const bool has_slot = std::any_of(region_.begin(), region_.end(), [line](const Slot& slot) {
      return slot.state == Slot::State::Used && slot.line == line;
    });
    expect(!has_slot, "a store to a line that has a slot is refused");
    const auto store = stores_.find(refused.id);
    expect(store != stores_.end(), "a store is refused after its answer");
    if (!ok_) return;
    store->second.refused = true;
    Line& data = at(flat_, line);
    data = at(std::as_const(settled_), line);
    for (const MemRequest& younger : to_local_) {
      if (line_of_request(younger) == line) merge_bytes(data, younger.data, younger.byte_enable);
    }
  }
  void answer_from_local() {
    if (lm_reads_.empty() || !random_.percent(rates.lm_answers)) return;
    const std::size_t n = random_.below(lm_reads_.size());
    if (lm_reads_[n].due > cycle_) return;
    in_.lm_rsp_valid = true;
    in_.lm_rsp = lm_reads_[n].response;
    lm_reads_.erase(lm_reads_.begin() + static_cast<std::ptrdiff_t>(n));
  }
  void take_local_answer() {
    if (in_.lm_rsp_valid && out_.lm_rsp_ready) in_.lm_rsp_valid = false;
  }

  // Requests and their answers.
  void take_request() {
    if (out_.sr_valid && in_.sr_ready) {
      expect(in_.req_valid && out_.req_ready, "a request enters the SR queue by half");
      sr_lines_[sr_slot_] = line_of_request(in_.req);
      if (!in_.req.is_write) sr_loads_ |= std::uint64_t{1} << sr_slot_;
      sr_.push_back({in_.req, sr_slot_});
      sr_slot_ = (sr_slot_ + 1) % sr_depth();
    }
    if (!in_.req_valid || !out_.req_ready) return;
    in_.req_valid = false;
    const MemRequest& r = in_.req;
    const std::uint64_t line = line_of_request(r);
    if (r.is_write) {
      expect(!in_.fence || !in_.enable, "a store is taken under the fence");
      merge_bytes(at(flat_, line), r.data, r.byte_enable);
      stored_[line] |= r.byte_enable;
      stores_[r.id] = {line, live_cycles_, cycle_, false};
      if (in_.enable) {
        to_local_.push_back(r);
        to_answer_.push_back(r.id);
        waiting_.push_back(r.id);
        if (!at_random) times_[r.id].came = cycle_;
      } else {
        merge_bytes(at(settled_, line), r.data, r.byte_enable);
      }
    } else {
      loads_[r.id] = {line, at(std::as_const(flat_), line), live_cycles_, false, false};
    }
  }
  void take_response() {
    if (!out_.rsp_valid || !in_.rsp_ready) return;
    const MemResponse& r = out_.rsp;
    if (!at_random) answers_[r.id] = r;
    if (r.is_write) {
      const auto store = stores_.find(r.id);
      expect(store != stores_.end(), "an answer to no store");
      if (!ok_) return;
      if (in_.enable) {
        expect(r.error == store->second.refused,
               "a store is answered with an error if it is refused");
      }
      seen.store_before_endpoint += freeze_writes;
      stores_.erase(store);
      ++seen.stores;
      return;
    }
    const auto load = loads_.find(r.id);
    expect(load != loads_.end(), "an answer to no load");
    if (!ok_) return;
    expect(r.error == load->second.error || (r.error && load->second.may_error),
           "a load's error is that of the endpoint or of local memory");
    if (!r.error && r.data != load->second.data) {
      fail("a load's data are not those of its turn, line " + std::to_string(load->second.line));
    }
    seen.load_errors += r.error;
    loads_.erase(load);
    ++seen.loads;
  }

  void count_answer(const DsEvents& e) {
    using coverage::DsLeft;
    const DsLeft left = e.direct     ? DsLeft::Direct
                        : e.deferred ? DsLeft::Deferred
                        : e.in_place ? DsLeft::InPlace
                                     : DsLeft::Refused;
    if (answers != nullptr) {
      answers->hit({static_cast<unsigned>(how_.front()), static_cast<unsigned>(left)});
    }
    how_.pop_front();
  }
  // As this cycle begins.
  void count_waiting() {
    using coverage::DsWaiting;
    const auto there = [&](bool is, DsWaiting what) {
      if (is) waiting->hit({std::min(answered_, 2u), static_cast<unsigned>(what)});
    };
    const bool write_over = in_.mq_rsp_valid && in_.mq_rsp.is_write && out_.mq_rsp_ready;
    there(out_.rsp_valid && !in_.rsp_ready, DsWaiting::AnswerStalled);
    there(late_, DsWaiting::LateAnswer);
    there(used_now_ == config_.depth, DsWaiting::NoSlot);
    there(no_slot_to_spare(), DsWaiting::NoneToSpare);
    there(write_over && !in_.mq_rsp.error, DsWaiting::WriteOver);
    there(in_.isolate, DsWaiting::Isolated);
    there(out_.error, DsWaiting::Error);
    there(in_.fence, DsWaiting::Fence);
    there(in_.req_valid && !in_.req.is_write && !out_.sr_valid, DsWaiting::LoadHeld);
    there(lines_late() >= config_.inserts, DsWaiting::ManyLate);
  }
  // For the oldest store not answered.
  [[nodiscard]] bool no_slot_to_spare() const {
    return waiting_.size() > answered_ && !late_ && config_.depth - used_now_ <= answered_;
  }
  // A line is deferred before the index has it.
  [[nodiscard]] std::uint64_t lines_late() const {
    return out_.count - std::min<std::uint64_t>(out_.count, pending_.size());
  }
  // What the engine did in the cycle before: a store's answer came to the response register, now
  // it stands there for the first time; a store left, now there is its event. Of the slots at least
  // those were not free then in which a store was, and not known to be at the endpoint.
  void check_answers() {
    const bool answer = out_.rsp_valid && out_.rsp.is_write && !rsp_stood_;
    rsp_stood_ = out_.rsp_valid && !in_.rsp_ready;
    const DsEvents& e = out_.events;
    const bool left = e.direct || e.deferred || e.in_place || e.refused;
    const bool late = late_;  // waited then
    if (answer) {
      expect(!to_answer_.empty() && to_answer_.front() == out_.rsp.id,
             "stores are answered in their order, each once");
      if (!ok_) return;
      to_answer_.pop_front();
      if (!at_random) times_[out_.rsp.id].answer = cycle_;
      const auto store = stores_.find(out_.rsp.id);
      expect(store != stores_.end() && cycle_ >= store->second.came + 2,
             "a store is answered in the second cycle after it came at the earliest");
      if (late) {
        late_ = false;
        ++seen.late_answers;
      } else {
        const unsigned free = config_.depth - used_then_;
        expect(free > answered_, "a store is answered without a slot for it and for those before");
        const bool last = free == answered_ + 1, leaving = left && answered_ == 0;
        seen.last_slot += last;
        ++(leaving ? seen.answered_leaving : seen.early_answers);
        using coverage::DsAnswered;
        how_.push_back(leaving ? DsAnswered::Leaving
                       : last  ? DsAnswered::LastSlot
                               : DsAnswered::Waiting);
        ++answered_;
      }
    }
    if (left) {
      expect(!e.refused || answered_ == 0, "a store is refused after its answer");
      expect(!waiting_.empty(), "a store leaves that there is not");
      if (!ok_) return;
      if (!at_random) times_[waiting_.front()].left = cycle_ - 1;
      waiting_.pop_front();
      if (answered_ > 0) {
        --answered_;
      } else {
        expect(!late, "a store leaves without an answer while an older one has none");
        late_ = true;
        how_.push_back(coverage::DsAnswered::Late);
      }
      count_answer(e);
    }
    seen.most_answered = std::max<std::uint64_t>(seen.most_answered, answered_);
    seen.held_answers += no_slot_to_spare();
    if (waiting != nullptr && waiting->on()) count_waiting();
  }
  // Age counts only while the endpoint goes on, and deferred stores may be sent or are not waited
  // for.
  void count_age() {
    const bool answers = gone || (!freeze_writes && !freeze_reads);
    const bool waits = !in_.isolate && !out_.error;
    if (answers && (!waits || (in_.flush && in_.max_writes != 0))) ++live_cycles_;
    if (cycle_ % 64 != 0) return;
    std::uint64_t oldest = 0;
    for (const auto& [id, load] : loads_) oldest = std::max(oldest, live_cycles_ - load.born);
    for (const auto& [id, store] : stores_) oldest = std::max(oldest, live_cycles_ - store.born);
    seen.oldest = std::max(seen.oldest, oldest);
    // Forty loads of one line follow each other at the endpoint.
    slowest_ = std::max(slowest_, rates.latency);
    if (oldest > kLongestWait + 150 * slowest_) fail("a request waits for ever");
  }
  void check_levels() {
    check_answers();
    expect(out_.count >= pending_.size(), "a line in the index is not deferred");
    const std::uint64_t late = lines_late();
    expect(late <= config_.inserts + 2, "more lines are late than there may be");
    seen.most_late = std::max(seen.most_late, late);
    seen.most_pending = std::max<std::uint64_t>(seen.most_pending, out_.count);
    seen.add(out_.events);
    if (out_.events.refused) take_refusal();
    if (!out_.empty) return;
    expect(waiting_.empty() && !late_, "empty_o, but a store waits or is to be answered");
    expect(to_local_.empty() && out_.count == 0 && under_way_.empty(), "empty_o, but it is not");
    if (in_.fence) check_endpoint();
  }

  // As in a root port: two entries of the memory queue are for speculation alone.
  [[nodiscard]] unsigned sr_depth() const { return config_.mem_entries + 2; }

  static constexpr std::uint64_t kLongestWait = 20'000;

  DsConfig config_;
  Random& random_;
  DsEngine twin_;
  DsEngine::In in_;
  DsEngine::Out out_;
  unsigned slowest_ = 0;
  bool fenced_ = false;
  std::uint64_t cycle_ = 0, frozen_until_ = 0, live_cycles_ = 0;
  bool clears_often_ = false;
  bool ok_ = true;

  std::deque<MemRequest> script_;
  std::uint32_t next_id_ = 100;
  std::map<std::uint32_t, MemResponse> answers_;
  std::map<std::uint32_t, Times> times_;
  std::unordered_map<std::uint32_t, Load> loads_;
  std::unordered_map<std::uint32_t, Store> stores_;
  std::deque<MemRequest> to_local_;      // stores taken, not yet in local memory
  std::deque<std::uint32_t> to_answer_;  // ids of stores taken, not yet in the response register
  // Stores that wait, so many of them answered, and whether one left without: till the cycle
  // before.
  std::deque<std::uint32_t> waiting_;
  unsigned answered_ = 0;
  std::deque<coverage::DsAnswered> how_;  // the answered ones of them were
  bool late_ = false, rsp_stood_ = false;
  unsigned used_ = 0, used_now_ = 0, used_then_ = 0;  // slots: now, as this cycle began, the last
  std::optional<MemRequest> last_local_;
  unsigned last_slot_ = 0;
  std::optional<unsigned> early_;  // a write that the memory queue took before local memory
  bool early_over_ = false;        // it was answered, without error

  Memory flat_, endpoint_;
  Memory settled_;  // flat_ without the stores that are not in local memory yet
  std::unordered_map<std::uint64_t, std::uint64_t> stored_;  // bytes ever stored
  std::unordered_set<std::uint64_t> poisoned_;               // at the endpoint
  std::vector<Slot> region_;
  std::vector<Line> local_;
  std::vector<LmRead> lm_reads_;
  std::map<unsigned, UnderWay> under_way_;  // by write entry

  std::map<std::uint64_t, unsigned> index_;
  std::deque<std::uint64_t> pending_;            // in the index, by age
  std::optional<std::uint64_t> deleted_;         // the line that a flush is about to read
  std::optional<IndexOp> index_op_, ix_stands_;  // taken; offered and not taken
  // Late lines: that the index was offered; that it refused, with none in the index, with no other
  // late.
  struct Refused {
    bool first = false, last = false;
  };
  std::unordered_set<std::uint64_t> offered_;
  std::unordered_map<std::uint64_t, Refused> refused_;
  std::array<bool, 512> asked_oldest_{};  // by cycle
  // Cycles: the last insertion stood first, was answered; the one after a flushed line was read.
  std::uint64_t insertion_from_ = 0, insertion_ended_ = 0, flush_read_ = 0;

  std::deque<SrEntry> sr_;
  std::vector<std::uint64_t> sr_lines_ = std::vector<std::uint64_t>(sr_depth());
  std::uint64_t sr_loads_ = 0;
  unsigned sr_slot_ = 0;
  std::vector<MqEntry> mq_ = std::vector<MqEntry>(config_.mem_entries);
  std::vector<std::uint64_t> mq_lines_ = std::vector<std::uint64_t>(config_.mem_entries);
  std::uint64_t mq_valid_ = 0;
};

}  // namespace cxlgpu::test
