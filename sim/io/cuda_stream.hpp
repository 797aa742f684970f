// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A CUDA stream with functions of the host in it.
//
// Order:   functions run one at a time, in the order in which they were put in; what is behind one
//          begins when it has returned.
// Timing:  each costs `callback` before it runs; putting it in costs nothing, and synchronize()
//          waits until the stream is empty.
// Source:  CUDA runtime API, cudaLaunchHostFunc; the time is measured (configs/host/io.yaml).
#pragma once

#include <coroutine>
#include <deque>
#include <functional>
#include <vector>

#include "sim/io/host.hpp"

namespace cxlgpu {

class CudaStream {
 public:
  using HostFunction = std::function<Task<Done>()>;

  CudaStream(Host& host, Time callback) : host_(host), callback_(callback) {}
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void cudaLaunchHostFunc(HostFunction function);
  struct Synchronize {
    CudaStream* stream;
    [[nodiscard]] bool await_ready() const { return !stream->running_; }
    void await_suspend(std::coroutine_handle<> h) const { stream->waiting_.push_back(h); }
    void await_resume() const {}
  };
  [[nodiscard]] Synchronize cudaStreamSynchronize() { return {this}; }

 private:
  HostThread run();

  Host& host_;
  Time callback_;
  bool running_ = false;
  std::deque<HostFunction> queue_;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace cxlgpu
