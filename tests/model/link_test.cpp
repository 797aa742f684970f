// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The event-driven link: what a direction carries when nothing but the wire holds it back, and when
// credits are returned on a quiet one.
#include "model/link.hpp"

#include <gtest/gtest.h>

namespace cxlgpu {
namespace {

constexpr Time kLaneFlit{17000};  // 68 bytes over one lane at 32 GT/s
constexpr double kLineBytes = 64.0, kFlitBytes = 68.0;

// A direction that sends lines as fast as they are taken, a receiver that takes them at once, and
// the other direction with nothing of its own to say.
class Stream {
 public:
  Stream(bool from_host, Time flit_time)
      : lines_(from_host, {.flit_time = flit_time}),
        back_(!from_host, {.flit_time = flit_time}),
        flit_time_(flit_time) {
    lines_.connect(back_);
    back_.connect(lines_);
  }
  void cycle() {
    now_ += kCycle;
    while (lines_.wd_head(now_) != nullptr) {
      lines_.pop_wd(now_);
      ++taken_;
    }
    if (sends_ && lines_.wd_ready()) lines_.push_wd({}, now_);
    for (LinkDirection* d : {&lines_, &back_}) {
      if (d->pack_event() <= now_) d->pack(now_);
    }
  }
  void until_taken(std::uint64_t lines) {
    while (taken_ < lines) cycle();
  }
  // Share of the raw rate that is data, over `lines` of them.
  double efficiency(std::uint64_t lines) {
    until_taken(100);
    const Time start = now_;
    until_taken(100 + lines);
    const double raw = kFlitBytes * (now_ - start).ns() / flit_time_.ns();
    return kLineBytes * static_cast<double>(lines) / raw;
  }
  void stop() { sends_ = false; }
  [[nodiscard]] const LinkDirection& lines() const { return lines_; }
  [[nodiscard]] const LinkDirection& back() const { return back_; }
  [[nodiscard]] Time now() const { return now_; }

 private:
  bool sends_ = true;
  LinkDirection lines_, back_;
  Time flit_time_, now_{0};
  std::uint64_t taken_ = 0;
};

// Nine flits carry eight lines of a device (two headers a flit): 83.7 %; five flits four lines of a
// host: 75.3 %. CXL 2.0, 4.2.8.2: forced credits are for an idle link, not for one that is slow.
TEST(LinkDirection, NarrowLinksReachTheirBound) {
  constexpr double kReads = 8 * kLineBytes / (9 * kFlitBytes);
  constexpr double kWrites = 4 * kLineBytes / (5 * kFlitBytes);
  for (const unsigned lanes : {1u, 2u, 4u}) {
    const Time flit{kLaneFlit.ps / lanes};
    EXPECT_GT(Stream(false, flit).efficiency(4000), 0.98 * kReads) << "x" << lanes;
    EXPECT_GT(Stream(true, flit).efficiency(4000), 0.98 * kWrites) << "x" << lanes;
  }
}

// On a quiet link they come within 32 cycles and two of the pipeline, whatever its width. The timer
// began with the flits of the line to be acknowledged.
TEST(LinkDirection, QuietLinkReturnsCredits) {
  for (const unsigned lanes : {1u, 8u}) {
    Stream s(false, Time{kLaneFlit.ps / lanes});
    s.until_taken(1);
    s.stop();
    const std::uint64_t before = s.back().counters().llcrd;
    const Time start = s.now();
    while (s.back().counters().llcrd == before && s.now() < start + kCycle * 200) s.cycle();
    EXPECT_LE((s.now() - start).ps, kCycle.ps * 34) << "x" << lanes;
    EXPECT_GT(s.back().counters().llcrd, before) << "x" << lanes;
  }
}

}  // namespace
}  // namespace cxlgpu
