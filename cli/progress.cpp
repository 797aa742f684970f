// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace cxlgpu {

namespace {

using namespace std::chrono_literals;

constexpr auto kRedraw = 200ms;
// The clock is read some tens of times a second, whatever a step costs.
constexpr auto kSoon = 20ms, kLate = 60ms;
constexpr std::uint64_t kLongestGap = 1u << 20;

double seconds(Progress::Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

std::string short_number(double n) {
  if (n >= 1e6) return fmt::format("{:.2f} M", n / 1e6);
  if (n >= 1e4) return fmt::format("{:.0f} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

std::string clock_text(double s) {
  const auto all = static_cast<std::uint64_t>(std::llround(s));
  if (all >= 3600) return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

std::string time_text(Time t) {
  if (t.ns() >= 1e6) return fmt::format("{:.3f} ms", t.ns() / 1e6);
  return fmt::format("{:.1f} us", t.ns() / 1e3);
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string progress_text(const ProgressSample& sample, Time now, double elapsed_s, double rate) {
  std::string text;
  if (sample.share) {
    text += fmt::format("{:.1f} % done, ", 100 * *sample.share);
    if (*sample.share > 0 && elapsed_s > 0) {
      text += fmt::format("{} left, ", clock_text(elapsed_s * (1 / *sample.share - 1)));
    }
  }
  if (!sample.place.empty()) text += sample.place + ", ";
  text += fmt::format("{} requests/s, {} simulated in {}", short_number(rate), time_text(now),
                      clock_text(elapsed_s));
  return text;
}

Progress::Where Progress::standard_error() {
  const char* terminal = std::getenv("TERM");
  const bool draws = terminal != nullptr && std::string_view(terminal) != "dumb";
  return draws && isatty(STDERR_FILENO) != 0 ? Where::Terminal : Where::Log;
}

Progress::Progress(Where where, std::uint64_t seconds, std::function<ProgressSample()> sample)
    : where_(where),
      every_(where == Where::Terminal ? Clock::duration(kRedraw) : std::chrono::seconds(seconds)),
      sample_(std::move(sample)),
      start_(Clock::now()),
      asked_(start_),
      said_(start_) {}

std::uint64_t Progress::on_steps(Time now) {
  if (where_ == Where::Nowhere) return ~std::uint64_t{0};
  const Clock::time_point at = Clock::now();
  const Clock::duration since = at - asked_;
  asked_ = at;
  if (since < kSoon) {
    gap_ = std::min(2 * gap_, kLongestGap);
  } else if (since > kLate) {
    gap_ = std::max<std::uint64_t>(gap_ / 4, 1);
  }
  if (at - said_ >= every_) say(now, at);
  return gap_;
}

void Progress::say(Time now, Clock::time_point at) {
  const ProgressSample sample = sample_();
  const double rate = static_cast<double>(sample.requests - said_requests_) / seconds(at - said_);
  std::string text = "progress: " + progress_text(sample, now, seconds(at - start_), rate);
  said_ = at;
  said_requests_ = sample.requests;
  if (where_ == Where::Log) return write_all(text + "\n");
  text.resize(std::min(text.size(), columns() - 1));  // a line that wraps cannot be drawn again
  write_all("\r" + text + "\x1b[K");
  drawn_ = true;
}

void Progress::wipe() {
  if (drawn_) write_all("\r\x1b[K");
  drawn_ = false;
}

}  // namespace cxlgpu
