// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store of the event-driven model beside the twin, which is clocked in every cycle:
// the model is asked only in cycles that it named before and in those in which something comes or
// the port itself moves. What it sleeps through must be nothing; what it says must be the same.
#include "model/deterministic_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "refmodel/root_port/deterministic_store.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu {
namespace {

using test::Random;

struct Rates {  // percent a cycle, unless named otherwise
  unsigned requests = 50, writes = 60, whole_lines = 50, lines = 24;
  unsigned mq_ready = 100, lm_ready = 100, taken = 100, answers = 100;
  unsigned latency = 30, lm_latency = 8;  // most cycles
  unsigned errors = 0, fences = 0, isolations = 0, severe = 30;
  unsigned max_writes = 8;
  std::array<std::uint8_t, 4> interval{0, 0, 4, 6};

  explicit Rates(Random& random) {
    const auto any = [&random](unsigned low) {
      return random.percent(50) ? 100 : low + static_cast<unsigned>(random.below(101 - low));
    };
    requests = random.pick(std::array{3u, 20u, 60u, 100u});
    writes = random.pick(std::array{10u, 40u, 60u, 90u, 100u});
    whole_lines = random.pick(std::array{0u, 50u, 100u});
    lines = random.pick(std::array{3u, 8u, 24u, 100u});
    mq_ready = any(30);
    lm_ready = any(20);
    taken = any(10);
    answers = any(10);
    latency = random.pick(std::array{1u, 10u, 60u, 400u});
    lm_latency = random.pick(std::array{1u, 5u, 40u});
    errors = random.percent(30) ? 10 : 0;
    fences = random.percent(20) ? 30 : 0;
    isolations = random.percent(20) ? 20 : 0;
    severe = random.pick(std::array{0u, 1u, 3u, 10u, 50u, 95u});
    max_writes = random.pick(std::array{1u, 2u, 8u});
    for (std::uint8_t& log2 : interval) log2 = static_cast<std::uint8_t>(random.below(7));
    if (random.percent(50)) interval = {0, 0, 4, 6};
  }
};

class Pair {
 public:
  Pair(const DsConfig& config, Random& random)
      : random_(random),
        config_(config),
        rates_(random),
        memory_(config.mem_entries + 2, 2),
        twin_(config),
        model_(config, queue_, memory_) {
    twin_.start_swept(config.depth);
    write();
  }

  void turn() {
    rates_ = Rates(random_);
    write();
  }
  bool step() {
    prepare();
    const DeterministicStore::Out out = twin_.eval(in_);
    DsEngine::In& engine = in_.engine;
    engine.mq_ready = out.mq_valid && memory_.can_accept(out.mq_req.addr / kLineBytes) &&
                      random_.percent(rates_.mq_ready);
    engine.lm_ready = out.lm_valid && random_.percent(rates_.lm_ready);
    if (awake_) {
      compare(out);
    } else {
      EXPECT_FALSE(engine.mq_ready || out.lm_valid) << "an offer is slept through";
      EXPECT_FALSE(engine.mq_rsp_valid && out.mq_rsp_ready) << "an answer is slept through";
      EXPECT_FALSE(engine.lm_rsp_valid && out.lm_rsp_ready) << "local memory is slept through";
    }
    DeterministicStore::Out heard = out;
    twin_.hear_ready(heard, in_);
    move(heard);
    twin_.clock(in_, heard);
    plan();
    check();
    now_ += kCycle;
    return !::testing::Test::HasFailure();
  }
  [[nodiscard]] std::uint64_t slept() const { return slept_; }
  [[nodiscard]] std::uint64_t happened() const { return happened_; }  // DsEvents bits
  // How often the endpoint was above light again after 64 responses without, or at first.
  [[nodiscard]] std::uint64_t awoke() const { return awoke_; }

 private:
  struct Answer {
    Time at;
    LmResponse response;
  };
  struct Owed {
    unsigned tag = 0;
    Time at;
  };

  void write() {
    awake_next_ = true;
    fence_ = random_.percent(rates_.fences);
    isolate_ = random_.percent(rates_.isolations);
    clears_ = twin_.error() && random_.percent(80);
    model_.set({.fence = fence_, .max_writes = rates_.max_writes, .interval = rates_.interval});
  }
  [[nodiscard]] Line line() {
    Line bytes;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.bits(8));
    return bytes;
  }

  void prepare() {
    if (random_.percent(1)) write();
    in_ = {};
    DsEngine::In& engine = in_.engine;
    engine.fence = fence_;
    engine.isolate = isolate_;
    engine.clear_error = clears_;
    engine.max_writes = rates_.max_writes;
    in_.interval = rates_.interval;
    if (random_.percent(rates_.requests)) {
      MemRequest request;
      request.id = next_id_;
      request.is_write = random_.percent(rates_.writes);
      request.addr = random_.below(rates_.lines) * 7 * kLineBytes;
      if (request.is_write) {
        if (!random_.percent(rates_.whole_lines)) request.byte_enable = random_.bits(64);
        request.data = line();
      }
      const bool can = model_.can_enter(request, !queue_.full());
      EXPECT_EQ(twin_.can_enter(request, !queue_.full(), fence_), can) << "can_enter";
      engine.req_valid = can;
      engine.req = request;
      next_id_ += can ? 1 : 0;
    }
    engine.sr_ready = !queue_.full();
    engine.head_valid = !queue_.empty();
    if (engine.head_valid) engine.head = queue_.head();
    engine.loads = queue_.loads();
    engine.mem = memory_.lines();
    engine.mq_rsp_valid = answer_.has_value();
    if (answer_) engine.mq_rsp = *answer_;
    engine.rsp_ready = taken_;
    local_ = !local_answers_.empty() && local_answers_.front().at <= now_
                 ? std::optional(local_answers_.front().response)
                 : std::nullopt;
    engine.lm_rsp_valid = local_.has_value();
    if (local_) engine.lm_rsp = *local_;
    // What the endpoint does in this cycle is the port's own event.
    const auto due = std::ranges::find_if(owed_, [this](const Owed& o) { return o.at <= now_; });
    comes_.reset();
    if (due != owed_.end() && random_.percent(rates_.answers)) comes_ = due - owed_.begin();
    awake_ = awake_next_ || next_ <= now_ || memory_.req_valid() || memory_.rwd_valid() ||
             (comes_ && !answer_) || random_.percent(1);
    awake_next_ = false;
    slept_ += awake_ ? 0 : 1;
  }
  [[nodiscard]] DeterministicStoreModel::In edges() const {
    return {.isolate = isolate_,
            .clear_error = clears_,
            .mq_rsp = answer_ ? &*answer_ : nullptr,
            .lm_rsp = local_ ? &*local_ : nullptr};
  }

  void compare(const DeterministicStore::Out& out) {
    const DsEngine::In& engine = in_.engine;
    const DeterministicStoreModel::Out mine = model_.begin(edges(), now_);
    ASSERT_EQ(out.mq_valid, mine.mq_valid) << "mq_valid";
    ASSERT_EQ(out.lm_valid, mine.lm_valid) << "lm_valid";
    EXPECT_EQ(engine.mq_rsp_valid && out.mq_rsp_ready, mine.mq_rsp_ready) << "mq_rsp_ready";
    EXPECT_EQ(engine.lm_rsp_valid && out.lm_rsp_ready, mine.lm_rsp_ready) << "lm_rsp_ready";
    if (out.mq_valid) {
      const MemRequest &a = out.mq_req, &b = model_.mq_request();
      EXPECT_EQ(a.addr / kLineBytes, mine.mq_line);
      EXPECT_TRUE(a.id == b.id && a.is_write == b.is_write && a.addr == b.addr &&
                  a.poison == b.poison)
          << "mq_req";
      EXPECT_TRUE(!a.is_write || (a.byte_enable == b.byte_enable && a.data == b.data)) << "mq data";
    }
    if (out.lm_valid) {
      const LmRequest &a = out.lm_req, &b = model_.lm_request();
      EXPECT_TRUE(a.write == b.write && a.slot == b.slot) << "lm_req";
      if (a.write) {
        EXPECT_TRUE(a.byte_enable == b.byte_enable && a.data == b.data) << "lm data";
      } else {
        EXPECT_TRUE(a.kind == b.kind && a.index == b.index) << "lm read";
      }
    }
  }

  // The rest of the port's cycle.
  void move(const DeterministicStore::Out& out) {
    const DsEngine::In& engine = in_.engine;
    if (memory_.req_valid()) hand_over(memory_.req_entry(), false);
    if (memory_.rwd_valid()) hand_over(memory_.rwd_entry(), true);
    const bool head_leaves = engine.head_valid && out.head_ready;
    if (engine.mq_ready) memory_.accept(out.mq_req);
    if (engine.lm_ready) ask_local(out.lm_req);
    if (awake_) {
      EXPECT_EQ(head_leaves, model_.head_ready(engine.mq_ready, engine.lm_ready)) << "head_ready";
    }
    if (head_leaves) {
      model_.load_leaves(queue_.head().addr / kLineBytes);
      queue_.pop();
    }
    events_ = awake_ ? model_.end(engine.mq_ready, engine.lm_ready) : DsEvents{};
    if (engine.lm_rsp_valid && out.lm_rsp_ready) local_answers_.pop_front();
    if (engine.mq_rsp_valid && out.mq_rsp_ready) answer_.reset();
    if (comes_ && !answer_) respond();
    if (engine.req_valid) {
      if (engine.req.is_write) {
        model_.enter(engine.req);
        queue_.beside();
      } else {
        queue_.push(engine.req);
        model_.load_enters(engine.req.addr / kLineBytes);
      }
      awake_next_ = true;
    }
    clears_ = false;
  }
  void hand_over(unsigned entry, bool write) {
    if (write) {
      memory_.rwd_taken();
    } else {
      memory_.req_taken();
    }
    owed_.push_back({entry, now_ + kCycle * (1 + random_.below(rates_.latency))});
  }
  void ask_local(const LmRequest& request) {
    if (request.write) return;
    Time at = now_ + kCycle * (1 + random_.below(rates_.lm_latency));
    if (!local_answers_.empty()) at = std::max(at, local_answers_.back().at);
    local_answers_.push_back(
        {at, {request.kind, request.index, line(), random_.percent(rates_.errors)}});
  }
  void respond() {
    const MemRequest& request = memory_.complete(owed_[static_cast<std::size_t>(*comes_)].tag);
    owed_.erase(owed_.begin() + *comes_);
    answer_ = {request.id, request.is_write, random_.percent(rates_.errors), {}};
    if (!request.is_write) answer_->data = line();
    const auto load = static_cast<DevLoad>(random_.percent(rates_.severe) ? random_.below(4) : 0);
    in_.rsp_taken = true;
    in_.dev_load = load;
    model_.hear(load);
    awoke_ += above_ == 0 && load != DevLoad::Light ? 1 : 0;
    above_ = above_ << 1 | std::uint64_t{load != DevLoad::Light};
  }

  void plan() {
    const bool local = !local_answers_.empty();
    const Time at = local ? local_answers_.front().at : Time::never();
    local_ = local ? std::optional(local_answers_.front().response) : std::nullopt;
    if (awake_) next_ = model_.next_event(edges(), at, now_);
    EXPECT_GT(next_, now_);
    // The host takes the response in the next cycle.
    const MemResponse *a = twin_.response(), *b = model_.response();
    ASSERT_EQ(a != nullptr, b != nullptr) << "response";
    taken_ = a != nullptr && random_.percent(rates_.taken);
    if (a == nullptr) return;
    EXPECT_TRUE(a->id == b->id && a->is_write == b->is_write && a->error == b->error &&
                a->data == b->data)
        << "response";
    if (!taken_) return;
    model_.response_taken(now_ + kCycle);
    if (at > now_ + kCycle) local_.reset();
    awake_next_ |= model_.wants_to_answer(edges());
  }
  void check() {
    DeterministicStore::In next;
    next.interval = rates_.interval;
    const DeterministicStore::Out out = twin_.eval(next);
    EXPECT_EQ(out.events, events_) << "events";
    EXPECT_EQ(twin_.empty(), model_.empty()) << "empty";
    EXPECT_EQ(twin_.count(), model_.count()) << "count";
    EXPECT_EQ(twin_.error(), model_.error()) << "error";
    happened_ |= events_.bits();
  }

  Random& random_;
  const DsConfig config_;
  Rates rates_;
  SrQueue queue_;
  MemoryQueue memory_;
  DeterministicStore twin_;
  DeterministicStoreModel model_;
  DeterministicStore::In in_;
  bool fence_ = false, isolate_ = false, clears_ = false, taken_ = false;
  bool awake_ = true, awake_next_ = true;
  Time now_{1000}, next_{0};
  std::uint32_t next_id_ = 1;
  std::optional<MemResponse> answer_;
  std::optional<LmResponse> local_;
  std::deque<Answer> local_answers_;
  std::vector<Owed> owed_;
  std::optional<std::ptrdiff_t> comes_;
  DsEvents events_;
  std::uint64_t slept_ = 0, happened_ = 0, awoke_ = 0;
  std::uint64_t above_ = 0;  // of the last 64 responses: above light
};

constexpr std::uint64_t kAllEvents = 0x3ff;

std::uint64_t run(const DsConfig& config, std::uint64_t default_seed, std::uint64_t cycles) {
  const std::uint64_t seed = test::from_environment("CXLGPU_SEED", default_seed);
  const std::uint64_t limit = test::from_environment("CXLGPU_CYCLES", cycles);
  Random random(seed);
  Pair pair(config, random);
  for (std::uint64_t cycle = 0; cycle < limit; ++cycle) {
    if (random.below(1500) == 0) pair.turn();
    if (!pair.step()) {
      ADD_FAILURE() << "cycle " << cycle << ", CXLGPU_SEED=" << seed;
      break;
    }
  }
  EXPECT_GT(pair.slept(), limit / 20) << "what is never slept through is not tried";
  EXPECT_GT(pair.awoke(), limit / 10'000) << "flushes take both ends";
  return pair.happened();
}

TEST(DeterministicStoreModel, AsTheTwin) {
  EXPECT_EQ(run({}, 1, 300000), kAllEvents & ~std::uint64_t{0x280});  // 256 slots never run out
}

TEST(DeterministicStoreModel, AsTheTwinWithFewSlots) {
  EXPECT_EQ(run({.depth = 4, .writes = 2, .mem_entries = 6}, 2, 300000), kAllEvents);
}

TEST(DeterministicStoreModel, AsTheTwinAtTheLargestSizes) {
  run({.depth = 4096, .writes = 64, .mem_entries = 62}, 3, 100000);
}

}  // namespace
}  // namespace cxlgpu
