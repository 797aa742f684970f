// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The coroutine type of a kernel: one per warp.
//
// Purpose: a kernel is ordinary C++ that co_awaits its warp's loads and barriers.
// Shapes:  the coroutine starts suspended, stays suspended at its end, and is destroyed with its
//          WarpTask.
// Errors:  an exception that leaves the kernel is kept and rethrown by rethrow().
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace cxlgpu {

class WarpTask {
 public:
  struct promise_type {
    std::exception_ptr error;
    WarpTask get_return_object() {
      return WarpTask(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
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

  void resume() { handle_.resume(); }
  [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }
  void rethrow() const {
    if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

 private:
  explicit WarpTask(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace cxlgpu
