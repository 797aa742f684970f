// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_local.hpp"

#include <sys/wait.h>

#include <csignal>
#include <ctime>
#include <map>
#include <utility>

#include "cli/interrupt.hpp"

namespace cxlgpu {

namespace {

// SIGCHLD waits until it is read, so that none is missed between two looks.
class HeldChildSignal {
 public:
  HeldChildSignal() {
    sigemptyset(&child_);
    sigaddset(&child_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_, &before_);
  }
  ~HeldChildSignal() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldChildSignal(const HeldChildSignal&) = delete;
  HeldChildSignal& operator=(const HeldChildSignal&) = delete;
  // Until a child ends, another signal comes, or a fifth of a second has passed.
  void wait() const {
    const timespec most = {0, 200'000'000};
    (void)sigtimedwait(&child_, nullptr, &most);
  }

 private:
  sigset_t child_{}, before_{};
};

// Runs, which end with this object.
class Running {
 public:
  ~Running() {
    for (const auto& [pid, run] : runs_) (void)kill(pid, SIGTERM);
    for (const auto& [pid, run] : runs_) {
      int status = 0;
      waitpid(pid, &status, 0);
      run.folder().remove();
    }
  }
  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] std::size_t count() const { return runs_.size(); }
  void start(const PointFolder& folder) {
    PointProcess run(folder);
    runs_.emplace(run.pid(), std::move(run));
  }
  void collect(const PointEnded& ended) {
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = runs_.find(pid);
      if (found == runs_.end()) continue;
      const PointProcess run = std::move(found->second);
      runs_.erase(found);
      ended(run.folder(), run.ended(status));
    }
  }

 private:
  std::map<pid_t, PointProcess> runs_;
};

}  // namespace

int run_points(const std::vector<PointFolder>& folders, unsigned jobs, const PointEnded& ended) {
  const Interruptible stoppable;
  const HeldChildSignal held;
  Running running;
  std::size_t next = 0;
  while (interrupt_signal() == 0 && (next < folders.size() || running.count() != 0)) {
    while (next < folders.size() && running.count() < jobs) running.start(folders[next++]);
    held.wait();
    running.collect(ended);
  }
  return interrupt_signal();
}

}  // namespace cxlgpu
