// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a loss of power leaves: every write to a persistent range, when it was accepted, when its
// bytes entered the domain in which they survive, and when its completion was told.
//
// Purpose: one run with N events gives the memories that N + 1 losses of power leave, without
//          another run. An event is one of the three steps of a write.
// States:  after the first n events a write whose completion was told is in, if its bytes entered
//          the domain: where that is not so, the machine has promised too much, and the write is
//          out. One that was accepted and not told, a free one, may be in or out: the time of an
//          entry is a matter of load, and no program may build on it. Of the free writes to one
//          line those before one that is in are in, too, since a line's writes stay in order.
// Adversary: every combination of free writes, if there are at most kAll of them; beyond it those
//          of the machine itself, none, all, and random ones.
// Shapes:  lines of 64 B by host physical address, each with a mask of its bytes.
// Errors:  none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/engine.hpp"
#include "sim/host/scoreboard.hpp"

namespace cxlgpu {

class Journal {
 public:
  enum class Step : std::uint8_t { Accepted, Entered, Told };
  struct Write {
    std::uint64_t line = 0, bytes = 0;
    Line data{};
    bool entered = false, told = false, refused = false;
  };
  struct Event {
    Step step = Step::Accepted;
    std::size_t write = 0;
    Time at;
  };

  std::size_t accepted(std::uint64_t line, const Line& data, std::uint64_t bytes, Time at);
  // The oldest of the line's that is these bytes and has not entered, if need be one that was
  // refused; none: it came by no request.
  void entered(std::uint64_t line, const Line& data, std::uint64_t bytes, Time at);
  void told(std::size_t write, Time at);
  // It promises nothing: free for good, whether it arrived or not.
  void refused(std::size_t write) { writes_[write].refused = true; }
  // All three at once: into a cache that survives.
  void kept(std::uint64_t line, const Line& data, std::uint64_t bytes, Time at);

  [[nodiscard]] const std::vector<Write>& writes() const { return writes_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Write> writes_;
  std::vector<Event> events_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> outside_;  // by line, not entered
};

// The states of a journal, from its first event on.
class CrashStates {
 public:
  static constexpr std::size_t kAll = 256;  // combinations
  // `before`: contents at the start of the run. Both outlive this.
  CrashStates(const Journal& journal, const FlatMemory& before);

  // Goes to the state after the first `n` events; n never falls.
  void go_to(std::size_t n);
  // Free writes now.
  [[nodiscard]] std::size_t free_writes() const { return free_; }
  // Writes told that have not entered the domain: 0 with a machine that keeps its promise.
  [[nodiscard]] std::size_t broken_promises() const { return broken_; }

  // Of each free line, how many of its free writes are in, oldest first.
  using Choice = std::vector<std::size_t>;
  // First the machine's own state, then others, `most` at the most.
  [[nodiscard]] std::vector<Choice> choices(std::size_t most, std::uint64_t seed) const;
  // The memory that is left. Lines of `choice` in the order of free_lines().
  void write_to(FlatMemory& memory, const Choice& choice) const;
  // Contents that no choice changes.
  [[nodiscard]] const FlatMemory& sure() const { return sure_; }
  // What is in flight, for a person: line, bytes, which of it is in.
  [[nodiscard]] std::string text(const Choice& choice) const;

 private:
  struct Open {
    std::size_t write = 0;
    bool entered = false, told = false;
    [[nodiscard]] bool free() const { return !told; }
  };
  void retire(std::map<std::uint64_t, std::vector<Open>>::iterator at);

  const Journal& journal_;
  FlatMemory sure_;
  std::size_t done_ = 0;  // events
  // By line, its writes from the oldest on that is not sure: ordered, so that choices are the same
  // everywhere.
  std::map<std::uint64_t, std::vector<Open>> open_;
  std::size_t free_ = 0, broken_ = 0;
};

// An engine that enters its writes to [base, base + bytes) in a journal.
class JournalEngine final : public Engine {
 public:
  JournalEngine(Engine& inner, Journal& journal, std::uint64_t base, std::uint64_t bytes)
      : inner_(inner), journal_(journal), base_(base), bytes_(bytes) {}

  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override;
  std::optional<MemResponse> take() override;
  bool hint(const Hint& hint) override { return inner_.hint(hint); }
  void advance_to(Time t) override { inner_.advance_to(t); }
  [[nodiscard]] unsigned lines_per_cycle() const override { return inner_.lines_per_cycle(); }

 private:
  Engine& inner_;
  Journal& journal_;
  std::uint64_t base_, bytes_;
  std::unordered_map<std::uint32_t, std::size_t> writes_;  // by id
};

}  // namespace cxlgpu
