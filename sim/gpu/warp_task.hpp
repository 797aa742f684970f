// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The coroutine type of a kernel: one per warp.
//
// Purpose: a kernel is ordinary C++ that co_awaits its warp's loads and barriers, and other
//          coroutines of this type: functions of a library that wait themselves.
// Shapes:  the coroutine starts suspended, stays suspended at its end, and is destroyed with its
//          WarpTask. One that is awaited runs as part of the one that awaits it, at once, without
//          an instruction of its own; resume() of the kernel goes on where the innermost waits.
// Errors:  an exception that leaves the kernel is kept and rethrown by rethrow(); one that leaves a
//          coroutine it awaits is thrown where that is awaited.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace cxlgpu {

class WarpTask {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  // The end of one that is awaited is where its awaiter goes on.
  struct End {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    inline std::coroutine_handle<> await_suspend(Handle ended) const noexcept;
    void await_resume() const noexcept {}
  };
  struct promise_type {
    promise_type() : innermost(Handle::from_promise(*this)) {}
    std::exception_ptr error;
    promise_type* kernel = this;  // that it runs as part of
    Handle awaiter;               // null: the kernel itself
    Handle innermost;             // of a kernel: what its resume() goes on with
    WarpTask get_return_object() { return WarpTask(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    End final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  WarpTask() = default;
  WarpTask(WarpTask&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  WarpTask& operator=(WarpTask&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  WarpTask(const WarpTask&) = delete;
  WarpTask& operator=(const WarpTask&) = delete;
  ~WarpTask() {
    if (handle_) handle_.destroy();
  }

  // Of a kernel.
  void resume() { handle_.promise().innermost.resume(); }
  [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }
  void rethrow() const {
    if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

  // co_await task: from its start to its end.
  struct Awaiter {
    Handle awaited;
    [[nodiscard]] bool await_ready() const noexcept { return awaited.done(); }
    [[nodiscard]] std::coroutine_handle<> await_suspend(Handle awaiter) const noexcept {
      promise_type& inner = awaited.promise();
      inner.kernel = awaiter.promise().kernel;
      inner.awaiter = awaiter;
      inner.kernel->innermost = awaited;
      return awaited;
    }
    void await_resume() const {
      if (awaited.promise().error) std::rethrow_exception(awaited.promise().error);
    }
  };
  Awaiter operator co_await() const noexcept { return {handle_}; }

 private:
  explicit WarpTask(Handle handle) : handle_(handle) {}
  Handle handle_;
};

inline std::coroutine_handle<> WarpTask::End::await_suspend(Handle ended) const noexcept {
  const Handle awaiter = ended.promise().awaiter;
  if (!awaiter) return std::noop_coroutine();
  ended.promise().kernel->innermost = awaiter;
  return awaiter;
}

}  // namespace cxlgpu
