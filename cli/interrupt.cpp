// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "flits/output_file.hpp"

namespace cxlgpu {

namespace {

// A signal handler reaches no object.
std::atomic<int> asked{0};
std::atomic<bool> interruptible{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_stop(int signal) {
  if (interruptible && asked.exchange(signal) == 0) return;
  flits::remove_unfinished();
  std::signal(signal, SIG_DFL);
  (void)raise(signal);  // held back until this handler returns
}

void on_bus_error(int) {
  constexpr std::string_view kText =
      "a mapped file cannot grow; check the space on the disk and in the folder for temporary "
      "files\n";
  flits::remove_unfinished();
  (void)!write(STDERR_FILENO, kText.data(), kText.size());
  _exit(2);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT, on_stop);
  handle(SIGTERM, on_stop);
  handle(SIGBUS, on_bus_error);
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

Interruptible::Interruptible() {
  interruptible = true;
}

Interruptible::~Interruptible() {
  interruptible = false;
}

const std::atomic<int>& interrupt_signal() {
  return asked;
}

}  // namespace cxlgpu
