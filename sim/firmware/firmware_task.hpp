// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Firmware that runs beside traffic: one register access at a time, told when it may go on.
//
// Purpose: a coroutine that co_awaits register accesses and pauses of a FirmwareThread. Whoever
// owns
//          the thread makes each access in its own time (two cycles in the RTL, none in the model)
//          and hands back what was read. run_at_once() owns that of firmware that has the system
//          for itself.
// Shapes:  a task may co_await another; it starts when awaited (or by FirmwareThread) and is
//          destroyed with its owner.
// Errors:  an exception that leaves a task goes to whoever awaits it, last to FirmwareThread's
//          caller.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/register_bus.hpp"
#include "common/task.hpp"
#include "common/time.hpp"

namespace cxlgpu {

// What firmware wants next: a register access, or to be left alone for a while.
struct FirmwareWish {
  bool is_pause = false;
  Time pause{0};
  bool write = false;
  RegisterSpace space = RegisterSpace::RootPort;
  unsigned index = 0;
  std::uint32_t offset = 0, value = 0;
};

template <typename T>
using FirmwareTask = Task<T>;

// The side of the owner. Not copied or moved: tasks hold its address.
class FirmwareThread {
 public:
  FirmwareThread() = default;
  FirmwareThread(const FirmwareThread&) = delete;
  FirmwareThread& operator=(const FirmwareThread&) = delete;

  // For tasks.
  struct Awaiter {
    FirmwareThread* thread;
    FirmwareWish wish;
    [[nodiscard]] bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) const {
      thread->wish_ = wish;
      thread->resume_ = h;
    }
    [[nodiscard]] std::uint32_t await_resume() const { return thread->answer_; }
  };
  [[nodiscard]] Awaiter read(RegisterSpace space, unsigned index, std::uint32_t offset) {
    return {this, {.space = space, .index = index, .offset = offset}};
  }
  [[nodiscard]] Awaiter write(RegisterSpace space, unsigned index, std::uint32_t offset,
                              std::uint32_t value) {
    return {this,
            {.write = true, .space = space, .index = index, .offset = offset, .value = value}};
  }
  [[nodiscard]] Awaiter pause(Time time) { return {this, {.is_pause = true, .pause = time}}; }

  // For the owner: begins, and goes on once the wish has been granted. None: it has ended.
  void start(std::coroutine_handle<> task) { step(task); }
  void grant(std::uint32_t answer) {
    answer_ = answer;
    step(std::exchange(resume_, nullptr));
  }
  [[nodiscard]] const std::optional<FirmwareWish>& wish() const { return wish_; }

 private:
  void step(std::coroutine_handle<> task) {
    wish_.reset();
    task.resume();
  }

  std::optional<FirmwareWish> wish_;
  std::coroutine_handle<> resume_;
  std::uint32_t answer_ = 0;
};

using FirmwareJob = FirmwareTask<Done>;

// The task of `thread` to its end; no pause takes time.
template <typename T>
T run_at_once(RegisterBus& bus, FirmwareThread& thread, FirmwareTask<T> task) {
  thread.start(task.handle());
  while (thread.wish()) {
    const FirmwareWish wish = *thread.wish();
    std::uint32_t answer = 0;
    if (wish.write) {
      bus.write(wish.space, wish.index, wish.offset, wish.value);
    } else if (!wish.is_pause) {
      answer = bus.read(wish.space, wish.index, wish.offset);
    }
    thread.grant(answer);
  }
  return task.result();
}

}  // namespace cxlgpu
