// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/cuda_stream.hpp"

namespace cxlgpu {

void CudaStream::cudaLaunchHostFunc(HostFunction function) {
  queue_.push_back(std::move(function));
  if (running_) return;
  running_ = true;
  host_.start(run());
}

HostThread CudaStream::run() {
  while (!queue_.empty()) {
    const HostFunction function = std::move(queue_.front());  // lives as long as its task
    queue_.pop_front();
    co_await host_.work(IoStep::Callback, callback_);
    co_await function();
  }
  running_ = false;
  for (const std::coroutine_handle<> waiter : waiting_) host_.wake(waiter);
  waiting_.clear();
  co_return Done{};
}

}  // namespace cxlgpu
