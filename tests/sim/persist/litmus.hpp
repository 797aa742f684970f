// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Small kernels that persist: for each, whether a loss of power can leave the state that must never
// be seen. In all of them each point between two events is looked at, and between events what would
// be left does not change: so every cycle is.
//
// Purpose: kernels L1 to L5, L8, L9 for machines of any engine (persist_machine.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/sim/persist/persist_machine.hpp"

namespace cxlgpu {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Sets = std::vector<std::string>;

inline Lanes<U32> one(const Warp& w, U32 value = 1) {
  return w.map([value](unsigned) { return value; });
}
inline void put(Warp& w, const DeviceArray<U32>& x, U64 i, U32 value = 1) {
  w.store(x, w.uniform(i), one(w, value), lane_bit(0));
}

// A line each, so that neighbours are of different lines; 1024 B apart they are of different ports.
inline constexpr U64 kLineWords = 16, kPortWords = 256;

enum class Order { Nothing, Fence, Persist };
inline WarpTask keep_order(Warp& w, Order order) {
  if (order == Order::Fence) co_await w.fence();
  if (order == Order::Persist) {
    EXPECT_TRUE(co_await w.persist());
  }
}

struct Seen {
  bool forbidden = false, none = false, all = false;
  std::size_t points = 0, broken = 0;
};
// Every state of every loss of power; `forbidden` of the memory that is left.
template <typename Machine, typename F>
Seen look(Machine& machine, F forbidden, const DeviceArray<U32>& x, const DeviceArray<U32>& y) {
  Seen seen;
  const WalkResult result = machine.walk({}, [&](const FlatMemory& left, bool) {
    seen.forbidden = seen.forbidden || forbidden(left);
    const bool has_x = left_in(left, x) == 1, has_y = left_in(left, y) == 1;
    seen.none = seen.none || (!has_x && !has_y);
    seen.all = seen.all || (has_x && has_y);
    return std::optional<std::string>{};
  });
  seen.points = result.points;
  seen.broken = result.broken;
  return seen;
}

// Links so long that what is accepted is long in flight: what is not ordered shows.
inline Sets slow(Sets sets) {
  sets.push_back("link.flight_ps=1000000");
  return sets;
}

inline Sets domain(const char* name) {
  return {std::string("persist.domain=") + name, "gpu.cores=2", "gpu.warps=2"};
}
inline constexpr const char* kDomains[] = {"media", "buffer", "device", "host"};

template <typename Machine>
Seen message_passing(Machine& machine, Order order, U64 apart) {
  const auto x = machine.allocator.template alloc_persistent<U32>(2 * apart);
  const DeviceArray<U32> y{x.address(apart), 1};
  machine.gpu.launch([=](Warp& w) -> WarpTask {
    if (w.id() != 0) co_return;
    put(w, x, 0);
    co_await keep_order(w, order);
    put(w, y, 0);
    co_await w.persist();
  });
  machine.run_clean();
  return look(
      machine, [&](const FlatMemory& m) { return left_in(m, y) == 1 && left_in(m, x) == 0; }, x, y);
}

// An endpoint that answers a write when its internal DRAM has it: the promise of domain buffer is
// broken, though every kernel is right.
class EarlyAnswers : public Media {
 public:
  explicit EarlyAnswers(Media& inner) : inner_(inner) {}
  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override {
    return inner_.can_accept(now, op);
  }
  void submit(const MediaCommand& command, Time now) override {
    if (command.op != MediaOp::ArrayWrite) return inner_.submit(command, now);
    early_.push({.op = command.op, .id = command.id});
    MediaCommand late = command;  // whose answer nobody sees
    late.id = static_cast<std::uint16_t>(0x100 + next_++ % 0x1000);
    inner_.submit(late, now);
  }
  std::optional<MediaResponse> take(Time now) override {
    for (;;) {
      const auto answer = inner_.take(now);
      if (!answer) break;
      if (answer->op != MediaOp::ArrayWrite) return answer;
    }
    if (early_.empty()) return std::nullopt;
    const MediaResponse answer = early_.front();
    early_.pop();
    return answer;
  }
  [[nodiscard]] Time next_event() const override {
    return early_.empty() ? inner_.next_event() : Time{0};
  }
  [[nodiscard]] const MediaCounters& counters() const override { return inner_.counters(); }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override { return inner_.peek(dpa); }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    inner_.poke(dpa, bytes);
  }

 private:
  Media& inner_;
  Pipe<MediaResponse> early_;
  unsigned next_ = 0;
};

template <typename Machine>
Seen through_a_flag(Machine& machine, Order order) {
  const auto x = machine.allocator.template alloc_persistent<U32>(2 * kPortWords);
  const DeviceArray<U32> y{x.address(kPortWords), 1};
  const auto flag = machine.allocator.template alloc<U32>(1);  // GPU memory
  machine.gpu.launch([=](Warp& w) -> WarpTask {
    if (w.id() == 0) {
      put(w, x, 0);
      co_await keep_order(w, order);
      put(w, flag, 0);
    }
    if (w.id() == 3) {  // of the other core
      while ((co_await w.load_l2(flag, w.uniform(0), lane_bit(0)))[0] == 0) w.compute(4);
      put(w, y, 0);
    }
    co_await w.persist();
  });
  machine.run_clean();
  return look(
      machine, [&](const FlatMemory& m) { return left_in(m, y) == 1 && left_in(m, x) == 0; }, x, y);
}

// Two words in two lines, 5 and 6, become 15 and 16. The entry: old values and a mark, in a line.
template <typename Machine>
bool undo_fails(Machine& machine, bool undo_first, Order order) {
  const auto data = machine.allocator.template alloc_persistent<U32>(2 * kPortWords);
  const auto undo = machine.allocator.template alloc_persistent<U32>(kLineWords);
  for (const U32 i : {0U, 1U}) {
    const U32 old = 5 + i;
    machine.before.poke(data.address(i * kPortWords),
                        {reinterpret_cast<const std::uint8_t*>(&old), sizeof old});
    machine.memory.poke(data.address(i * kPortWords),
                        {reinterpret_cast<const std::uint8_t*>(&old), sizeof old});
  }
  machine.gpu.launch([=](Warp& w) -> WarpTask {
    if (w.id() != 0) co_return;
    const auto log = [&] {
      w.store(undo, w.consecutive(0), w.map([](unsigned i) { return i == 0 ? 1U : 4U + i; }),
              w.active({0, 3, 1}, 0));
    };
    const auto in_place = [&] {
      put(w, data, 0, 15);
      put(w, data, kPortWords, 16);
    };
    undo_first ? log() : in_place();
    co_await keep_order(w, order);
    undo_first ? in_place() : log();
    co_await keep_order(w, order);
    put(w, undo, 0, 0);
    co_await w.persist();
  });
  machine.run_clean();
  bool fails = false;
  (void)machine.walk({}, [&](const FlatMemory& m, bool) {
    U32 a = left_in(m, data, 0), b = left_in(m, data, kPortWords);
    if (left_in(m, undo, 0) == 1) {
      a = left_in(m, undo, 1);
      b = left_in(m, undo, 2);
    }
    const bool old = a == 5 && b == 6, fresh = a == 15 && b == 16;
    fails = fails || !(old || fresh);
    return std::optional<std::string>{};
  });
  return fails;
}

// Warps store to words of their own of one line, again and again.
template <typename Machine>
WalkResult bytes_of_two_warps(Machine& machine) {
  const auto x = machine.allocator.template alloc_persistent<U32>(kLineWords);
  const auto done = machine.allocator.template alloc_persistent<U32>(4 * kLineWords);
  machine.gpu.launch([=](Warp& w) -> WarpTask {
    for (U32 round = 1; round <= 4; ++round) {
      put(w, x, w.id(), round);
      co_await w.persist();
      put(w, done, w.id() * kLineWords, round);
      co_await w.persist();
    }
  });
  machine.run_clean();
  return machine.walk({.states = 32}, [&](const FlatMemory& m, bool) -> std::optional<std::string> {
    for (U64 i = 0; i < 4; ++i) {
      if (left_in(m, x, i) < left_in(m, done, i * kLineWords)) return "a byte is lost";
    }
    return std::nullopt;
  });
}

// L1 again and again, x behind one port and y behind the other.
template <typename Machine>
bool pairs_in_order(Machine& machine, Order order, U32 pairs, bool may_refuse = false) {
  U32 refused = 0;
  const auto x = machine.allocator.template alloc_persistent<U32>(pairs * 2 * kPortWords);
  machine.gpu.launch([=, &refused](Warp& w) -> WarpTask {
    if (w.id() != 0) co_return;
    for (U32 i = 0; i < pairs; ++i) {
      // The first is on the one port and on the other in turn.
      const U64 first = (2 * i + i % 2) * kPortWords, second = (2 * i + 1 - i % 2) * kPortWords;
      for (const U64 at : {first, second}) {
        bool safe = true;
        do {  // again, if the link that it was on went down
          put(w, x, at);
          if (order == Order::Persist) safe = co_await w.persist();
          if (!safe) ++refused;
        } while (!safe);
      }
    }
    co_await w.persist();
  });
  machine.run_clean(may_refuse);
  EXPECT_TRUE(may_refuse || refused == 0);
  bool forbidden = false;
  const WalkResult result = machine.walk({}, [&](const FlatMemory& m, bool) {
    for (U32 i = 0; i < pairs; ++i) {
      const U64 first = (2 * i + i % 2) * kPortWords, second = (2 * i + 1 - i % 2) * kPortWords;
      if (left_in(m, x, second) == 1 && left_in(m, x, first) == 0) forbidden = true;
    }
    return std::optional<std::string>{};
  });
  EXPECT_EQ(result.broken, 0U);
  return !forbidden;
}

// Refuses the first write, which then never comes to an endpoint.
class RefusesOne : public Engine {
 public:
  explicit RefusesOne(Engine& inner) : inner_(inner) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override {
    if (!request.is_write || refused_) return inner_.submit(request);
    refused_ = MemResponse{.id = request.id, .is_write = true, .error = true};
    return true;
  }
  std::optional<MemResponse> take() override {
    if (refused_ && !told_) {
      told_ = true;
      return refused_;
    }
    return inner_.take();
  }
  void advance_to(Time t) override { inner_.advance_to(t); }

 private:
  Engine& inner_;
  std::optional<MemResponse> refused_;
  bool told_ = false;
};

template <typename Machine>
void refused_write(Machine& machine) {
  const auto x = machine.allocator.template alloc_persistent<U32>(2 * kPortWords);
  const DeviceArray<U32> y{x.address(kPortWords), 1};
  RefusesOne refusing(machine.engine);
  JournalEngine journalled(refusing, machine.persist_log.journal(), x.base, x.bytes());
  bool safe = true, answered = false;
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() != 0) co_return;
    put(w, x, 0);
    safe = co_await w.persist();
    answered = true;
    if (safe) put(w, y, 0);
    co_await w.persist();
  });
  const RunResult result = run(machine.gpu, journalled, Time{1'000'000'000});
  EXPECT_EQ(result.status, RunStatus::Done);
  EXPECT_TRUE(answered);
  EXPECT_FALSE(safe);
  const Seen seen = look(
      machine, [&](const FlatMemory& m) { return left_in(m, y) == 1 && left_in(m, x) == 0; }, x, y);
  EXPECT_FALSE(seen.forbidden);
}

}  // namespace cxlgpu
