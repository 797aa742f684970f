// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/io_uring.hpp"

#include <cassert>

namespace cxlgpu {

bool IoUring::prep(const IoUringSqe& sqe) {
  if (queue_.size() == entries_) return false;
  queue_.push_back(sqe);
  return true;
}

Task<int> IoUring::submit() {
  co_await kernel_.enter();
  const std::vector<IoUringSqe> taken = std::exchange(queue_, {});
  for (const IoUringSqe& sqe : taken) {
    const HostKernel::Checked checked =
        kernel_.check(sqe.fd, sqe.is_write, sqe.buffer, sqe.bytes, sqe.offset);
    const std::uint64_t tag = tags_++;
    Under& under = under_[tag];
    under.cqe = {sqe.user_data, checked.error};
    under.io = checked.io;
    if (checked.io.memory.empty()) {
      completions_.done.push_back(tag);
      continue;
    }
    under.cqe.res = static_cast<std::int64_t>(checked.io.memory.size());
    co_await kernel_.submit(checked.io, completions_, tag);
  }
  co_return static_cast<int>(taken.size());
}

Task<IoUringCqe> IoUring::wait_cqe() {
  assert(!under_.empty());
  if (completions_.done.empty()) co_await kernel_.enter();
  const std::uint64_t tag = co_await Host::next(completions_);
  const Under under = under_.at(tag);
  under_.erase(tag);
  if (under.cqe.res > 0) kernel_.land(under.io);
  co_return under.cqe;
}

}  // namespace cxlgpu
