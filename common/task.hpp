// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A coroutine with a result, which another may wait for.
//
// Purpose: software in simulated time (firmware, the host's I/O stacks) reads as the calls that it
//          makes.
// Shapes:  it starts when it is awaited, or when its owner resumes handle(), and is destroyed with
//          its owner.
// Errors:  an exception that leaves a task goes to whoever awaits it, or asks for its result().
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace cxlgpu {

template <typename T>
class Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::exception_ptr error;
    std::coroutine_handle<> caller = std::noop_coroutine();

    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().caller;
      }
      void await_resume() noexcept {}
    };
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { error = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() { return result(); }

  [[nodiscard]] std::coroutine_handle<> handle() const { return handle_; }
  [[nodiscard]] bool done() const { return handle_.done(); }
  T result() {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return std::move(*handle_.promise().value);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// What a task gives back that only does something.
struct Done {};

}  // namespace cxlgpu
