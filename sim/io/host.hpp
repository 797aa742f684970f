// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Threads of a host in simulated time, each a coroutine of steps.
//
// Purpose: a thread works (work(), which is booked), or waits: for an I/O, for a lock, for other
//          threads. There are as many processors as threads.
// Order:   of what is due at one time, the drives come first, then threads as they became ready.
// Rules:   next_event() and advance() as of a part; a thread runs from within advance() alone.
// Errors:  an exception of a thread leaves advance().
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <vector>

#include "common/task.hpp"
#include "common/time.hpp"
#include "sim/io/io_device.hpp"
#include "sim/io/steps.hpp"
#include "sim/media/event_queue.hpp"

namespace cxlgpu {

using HostThread = Task<Done>;

class Host {
 public:
  // I/Os of one thread, or of one ring, that are done: tags in the order of their ends.
  struct Completions {
    std::deque<std::uint64_t> done;
    std::coroutine_handle<> waiter;  // for the next
  };

  // `device` outlives the host.
  explicit Host(IoDevice& device) : device_(device) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] IoDevice& device() { return device_; }
  [[nodiscard]] StepBook& steps() { return steps_; }
  [[nodiscard]] const StepBook& steps() const { return steps_; }

  // From the outside.
  void start(HostThread thread);
  [[nodiscard]] bool done() const { return running_ == 0; }
  [[nodiscard]] Time next_event() const { return std::min(events_.next(), device_.next_event()); }
  void advance(Time now);

  // Of threads.
  struct Work {
    Host* host;
    Time time;
    [[nodiscard]] bool await_ready() const { return time == Time{}; }
    void await_suspend(std::coroutine_handle<> h) const {
      host->events_.push(host->now_ + time, h);
    }
    void await_resume() const {}
  };
  // Takes that long on a step.
  [[nodiscard]] Work work(IoStep step, Time time) {
    steps_.add(step, time);
    return {this, time};
  }
  // Hands an I/O over; once it is done `tag` is in `to`, which must stay. Its token is the host's.
  void submit(DriveIo io, Completions& to, std::uint64_t tag);
  struct Next {
    Completions* from;
    [[nodiscard]] bool await_ready() const { return !from->done.empty(); }
    void await_suspend(std::coroutine_handle<> h) const { from->waiter = h; }
    [[nodiscard]] std::uint64_t await_resume() const {
      const std::uint64_t tag = from->done.front();
      from->done.pop_front();
      return tag;
    }
  };
  // The next of one thread's that is done.
  [[nodiscard]] static Next next(Completions& from) { return {&from}; }
  // Goes on with what waits, at this time.
  void wake(std::coroutine_handle<> waiter) { events_.push(now_, waiter); }

 private:
  struct Under {
    Completions* to = nullptr;
    std::uint64_t tag = 0;
    std::uint32_t parts_left = 0;
    Time since;
  };
  void part_done(std::uint32_t token);
  HostThread watched(HostThread thread);

  IoDevice& device_;
  StepBook steps_;
  Time now_;
  EventQueue<std::coroutine_handle<>> events_;
  std::vector<Under> under_;
  std::vector<std::uint32_t> free_;
  std::list<HostThread> threads_;
  std::size_t running_ = 0;
  std::exception_ptr failed_;
};

// Threads that meet: those that wait go on when `count` have arrived.
class Meeting {
 public:
  Meeting(Host& host, std::size_t count) : host_(host), left_(count) {}
  struct Wait {
    Meeting* meeting;
    [[nodiscard]] bool await_ready() const { return meeting->left_ == 0; }
    void await_suspend(std::coroutine_handle<> h) const { meeting->waiting_.push_back(h); }
    void await_resume() const {}
  };
  void arrive();
  [[nodiscard]] Wait wait() { return {this}; }

 private:
  Host& host_;
  std::size_t left_;
  std::vector<std::coroutine_handle<>> waiting_;
};

// One at a time, in the order of asking. Of a thread that waits the time is booked.
class HostLock {
 public:
  HostLock(Host& host, IoStep waiting) : host_(host), step_(waiting) {}
  struct Acquire {
    HostLock* lock;
    Time since;
    [[nodiscard]] bool await_ready() const { return !lock->taken_; }
    void await_suspend(std::coroutine_handle<> h) const { lock->waiting_.push_back(h); }
    void await_resume() const {
      lock->taken_ = true;
      const Time waited = lock->host_.now() - since;
      if (waited != Time{}) lock->host_.steps().add(lock->step_, waited);
    }
  };
  [[nodiscard]] Acquire acquire() { return {this, host_.now()}; }
  // Precondition: taken, by this thread.
  void release();

 private:
  Host& host_;
  IoStep step_;
  bool taken_ = false;
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace cxlgpu
