// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One direction of a link at every width, RTL only: transmitter, lanes with their own delays,
// elastic or drift buffers between two clocks, lane_deskew, receiver. What goes in must come out,
// in order, at the rate that the headers and SKP sets leave. Knows neither side's rules but these.
#include <cstdio>
#include <deque>

#include "Vstream.h"
#include "refmodel/controller/arb_mux.hpp"
#include "tests/flex_bus/ports.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kWidths = 4;
constexpr unsigned lanes_of(unsigned g) {
  return 2u << g;
}

struct Setup {
  bool bypass = false;
  bool direct = false;           // receiver right at the transmitter
  std::int64_t reader_ppm = 0;   // of the far end's clock
  unsigned offer_percent = 100;  // of cycles with a flit
  bool skew = true;
};

struct Result {
  std::uint64_t flits = 0;
  std::uint64_t latency_min = ~std::uint64_t{0}, latency_max = 0, latency_sum = 0;
  std::uint64_t added = 0, removed = 0;
  std::uint64_t first = 0, last = 0;  // cycles of the first and last flit received

  [[nodiscard]] double rate() const {
    return static_cast<double>(flits - 1) / static_cast<double>(last - first);
  }
};

class Link {
 public:
  Link(const Setup& setup, std::uint64_t seed) : setup_(setup), random_(seed) {
    rtl_->bypass_i = setup.bypass;
    rtl_->direct_i = setup.direct;
    rtl_->tx_run_i = rtl_->rx_run_i = rtl_->flit_en_i = 0;
    clear_bits(rtl_->lane_valid_i);
    rtl_.reset();
    for (unsigned g = 0; g < kWidths; ++g) {
      for (unsigned l = 0; l < lanes_of(g); ++l) {
        lane_[g][l].delay = setup.skew ? 1 + random_.below(3) : 1;
        // Wander between ends with one clock: some lane comes a word later from some time on.
        lane_[g][l].step_at =
            setup.bypass && random_.percent(50) ? 1000 + random_.below(50000) : ~std::uint64_t{0};
      }
    }
  }

  std::array<Result, kWidths> run(std::uint64_t cycles) {
    rtl_->rx_run_i = 1;
    for (std::uint64_t i = 0; i < cycles; ++i) {
      if (i == 5) rtl_->tx_run_i = 1;
      if (i == 200) rtl_->flit_en_i = 1;
      // The last flits are waited for without new ones.
      const bool offering = i + 200 < cycles;
      cycle(offering);
      if (testing::Test::HasFailure()) break;
    }
    for (unsigned g = 0; g < kWidths; ++g) EXPECT_TRUE(sent_[g].empty()) << lanes_of(g) << " lanes";
    return result_;
  }

 private:
  static constexpr auto kNull = static_cast<unsigned>(FlitKind::kNull);
  struct Sent {
    unsigned kind = 0;
    CrcFlit flit;
    std::uint64_t cycle = 0;
  };
  struct Offer {
    bool valid = false;
    unsigned kind = 0;
    CrcFlit flit;
  };
  struct Delayed {
    LaneWord word;
    std::uint64_t due = 0;
  };
  struct Lane {
    std::deque<Delayed> wire;
    std::uint64_t delay = 1;
    std::uint64_t step_at = 0;
  };

  void cycle(bool offering) {
    ++now_;
    for (unsigned g = 0; g < kWidths; ++g) {
      Offer& offer = offer_[g];
      if (!offer.valid && offering && random_.percent(setup_.offer_percent)) {
        // A NULL flit from above takes a place on the wire and goes no further.
        const bool null = setup_.offer_percent < 100 && random_.percent(10);
        offer = {true, null ? kNull : static_cast<unsigned>(random_.below(3)),
                 random_flit(random_)};
      }
      set_bits(rtl_->tx_valid_i, g, 1, offer.valid);
      set_bits(rtl_->tx_kind_i, 2 * g, 2, offer.kind);
      set_flit(rtl_->tx_flit_i, g, offer.flit);
      if (!setup_.direct) deliver(g);
    }
    rtl_->rd_en_i = reads();
    rtl_.settle();
    for (unsigned g = 0; g < kWidths; ++g) {
      if (offer_[g].valid && get_bits(rtl_->tx_ready_o, g, 1)) {
        if (offer_[g].kind != kNull) {
          sent_[g].push_back({offer_[g].kind, offer_[g].flit, now_});
        }
        offer_[g].valid = false;
      }
      launch(g);
      receive(g);
    }
    rtl_.edge();
  }

  bool reads() {
    if (setup_.bypass) return true;
    if ((read_phase_ += 64 * (1'000'000 + setup_.reader_ppm)) < 65'000'000) return false;
    read_phase_ -= 65'000'000;
    return true;
  }
  void launch(unsigned g) {
    if (!get_bits(rtl_->lane_valid_o, g, 1)) return;
    for (unsigned l = 0; l < lanes_of(g); ++l) {
      Lane& lane = lane_[g][l];
      const std::uint64_t delay = lane.delay + (now_ >= lane.step_at ? 1 : 0);
      lane.wire.push_back({{get_bits(rtl_->lane_start_o, g, 1) != 0,
                            static_cast<unsigned>(get_bits(rtl_->lane_sync_o, 2 * g, 2)),
                            rtl_->lane_data_o[16 * g + l]},
                           now_ + delay});
    }
  }
  void deliver(unsigned g) {
    for (unsigned l = 0; l < lanes_of(g); ++l) {
      auto& wire = lane_[g][l].wire;
      const bool due = !wire.empty() && wire.front().due <= now_;
      set_bits(rtl_->lane_valid_i, 16 * g + l, 1, due);
      if (!due) continue;
      const LaneWord& word = wire.front().word;
      set_bits(rtl_->lane_start_i, 16 * g + l, 1, word.start);
      set_bits(rtl_->lane_sync_i, 32 * g + 2 * l, 2, word.sync);
      rtl_->lane_data_i[16 * g + l] = word.data;
      wire.pop_front();
    }
  }
  void receive(unsigned g) {
    EXPECT_EQ(get_bits(rtl_->status_o, 3 * g, 3), 0u) << lanes_of(g) << " lanes, cycle " << now_;
    EXPECT_EQ(get_bits(rtl_->lost_o, g, 1), 0u) << lanes_of(g) << " lanes, cycle " << now_;
    if (!setup_.direct) {
      EXPECT_EQ(get_bits(rtl_->slip_o, g, 1), 0u) << lanes_of(g) << " lanes, cycle " << now_;
    }
    Result& result = result_[g];
    result.added += get_bits(rtl_->added_o, g, 1);
    result.removed += get_bits(rtl_->removed_o, g, 1);
    if (!get_bits(rtl_->rx_valid_o, g, 1)) return;
    ASSERT_FALSE(sent_[g].empty()) << lanes_of(g) << " lanes, cycle " << now_;
    const Sent sent = sent_[g].front();
    sent_[g].pop_front();
    EXPECT_EQ(get_bits(rtl_->rx_kind_o, 2 * g, 2), sent.kind);
    EXPECT_TRUE(get_flit(rtl_->rx_flit_o, g) == sent.flit)
        << lanes_of(g) << " lanes, flit " << result.flits << ", cycle " << now_;
    const std::uint64_t latency = now_ - sent.cycle;
    result.latency_min = std::min(result.latency_min, latency);
    result.latency_max = std::max(result.latency_max, latency);
    result.latency_sum += latency;
    if (result.flits++ == 0) result.first = now_;
    result.last = now_;
  }

  Setup setup_;
  Random random_;
  Clocked<Vstream> rtl_;
  std::uint64_t now_ = 0;
  std::int64_t read_phase_ = 0;
  std::array<Offer, kWidths> offer_;
  std::array<std::deque<Sent>, kWidths> sent_;
  std::array<std::array<Lane, kMaxLanes>, kWidths> lane_;
  std::array<Result, kWidths> result_;
};

void print(const char* what, const std::array<Result, kWidths>& results) {
  for (unsigned g = 0; g < kWidths; ++g) {
    const Result& r = results[g];
    std::printf("  %-28s x%-2u %7llu flits, %.4f a cycle, latency %llu..%llu, mean %.2f cycles\n",
                what, lanes_of(g), static_cast<unsigned long long>(r.flits), r.rate(),
                static_cast<unsigned long long>(r.latency_min),
                static_cast<unsigned long long>(r.latency_max),
                static_cast<double>(r.latency_sum) / static_cast<double>(r.flits));
  }
}

constexpr double full_rate(unsigned lanes, bool bypass) {
  const double raw = lanes / 17.0;
  return bypass ? raw * 340 / 341 : raw * 374 / 375 * 64 / 65;
}

std::array<Result, kWidths> pass(const char* what, const Setup& setup, std::uint64_t seed) {
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 20000);
  Link link(setup, from_environment("CXLGPU_SEED", seed));
  const auto results = link.run(cycles);
  print(what, results);
  for (unsigned g = 0; g < kWidths; ++g) {
    EXPECT_GT(results[g].flits, 0u);
    if (setup.offer_percent < 100 || cycles < 20000) continue;
    // The window is not a whole number of intervals: up to one SKP set too many or too few.
    const double want = full_rate(lanes_of(g), setup.bypass);
    EXPECT_NEAR(results[g].rate(), want, want * 8 / static_cast<double>(cycles))
        << what << ", " << lanes_of(g) << " lanes";
  }
  return results;
}

TEST(FlexBusStream, Direct) {
  pass("direct, sync headers", {.direct = true}, 1);
  pass("direct, bypass", {.bypass = true, .direct = true}, 2);
}

TEST(FlexBusStream, AlignedLanesAndBuffers) {
  pass("buffers, sync headers", {.skew = false}, 3);
  pass("buffers, bypass", {.bypass = true, .skew = false}, 4);
}

TEST(FlexBusStream, SkewedLanes) {
  pass("skew, sync headers", {}, 5);
  pass("skew, bypass", {.bypass = true}, 6);
}

TEST(FlexBusStream, TwoClocks) {
  for (const auto& r : pass("skew, far clock +600 ppm", {.reader_ppm = 600}, 7)) {
    EXPECT_GT(r.added, 0u);
    EXPECT_EQ(r.removed, 0u);
  }
  for (const auto& r : pass("skew, far clock -600 ppm", {.reader_ppm = -600}, 8)) {
    EXPECT_GT(r.removed, 0u);
    EXPECT_EQ(r.added, 0u);
  }
}

TEST(FlexBusStream, ThinTraffic) {
  pass("skew, sync, 10 % offered", {.offer_percent = 10}, 9);
  pass("skew, bypass, 10 % offered", {.bypass = true, .offer_percent = 10}, 10);
}

}  // namespace
}  // namespace cxlgpu::test
