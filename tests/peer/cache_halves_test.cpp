// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Data of CXL.cache in halves of 32 bytes, which a standard sender may choose (CXL 2.0, 4.2.2,
// table 47), D2H and H2D, from a standard link layer: each two are one line, and each half's credit
// comes back.
//
// Shapes: end 0 is the host's controller (receives D2H), end 1 the device's (receives H2D).
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "Vcache_halves.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/quick_random.hpp"
#include "tests/peer/link_layer.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint64_t kAllEnabled = ~std::uint64_t{0};

struct Sent {
  unsigned id = 0;
  bool poison = false, halves = false;
  LineBytes data{};
  std::uint64_t enables = kAllEnabled;
};

peer::LinkLayerConfig config_for(unsigned end) {
  peer::LinkLayerConfig config;
  config.tx = end == 0 ? peer::Direction::S2M : peer::Direction::M2S;
  if (end == 1) config.buffers_req = config.buffers_rwd = 0;
  return config;
}

class Bench {
 public:
  explicit Bench(unsigned end, std::uint64_t seed)
      : random(seed), end_(end), link_(config_for(end), violations_) {
    rtl_->link_up_i = 0;
    rtl_.reset();
    cycle();
    rtl_->link_up_i = 3;
    link_.link_up();
  }

  void cycle() {
    violations_.at(++now_);
    link_.tick();
    const auto flit = link_.tx();
    rtl_->link_rx_valid_i = flit ? 1u << end_ : 0;
    if (flit) {
      for (unsigned byte = 0; byte < 66; ++byte) {
        set_bits(rtl_->link_rx_flit_i, 528 * end_ + 8 * byte, 8, (*flit)[byte]);
      }
    }
    const bool ready = random.percent(takes);
    rtl_->rx_cdat_ready_i = ready ? 3 : 0;
    rtl_.settle();
    if (get_bits(rtl_->link_tx_valid_o, end_, 1) != 0) receive();
    if (ready && get_bits(rtl_->rx_cdat_valid_o, end_, 1) != 0) arrived();
    // Bit 0 to 5: CRC to receive overflow; nothing here is an error.
    EXPECT_EQ(get_bits(rtl_->err_o, 8 * end_, 6), 0u) << "cycle " << now_;
    rtl_.edge();
  }
  void run(unsigned cycles) {
    while (cycles-- > 0) cycle();
  }

  // A line: in two flits with half of it each, or in one flit and the next. Waits for credits.
  void send(bool halves, bool enables) {
    Sent line;
    line.id = static_cast<unsigned>(random.below(1u << 12));
    line.halves = halves;
    for (std::uint8_t& byte : line.data) byte = static_cast<std::uint8_t>(random.bits(8));
    if (enables) line.enables = random.next();
    const unsigned cost = halves ? 2 : 1;
    for (unsigned i = 0; i < 2000 && credits < cost; ++i) cycle();
    ASSERT_GE(credits, cost) << "no credit comes back";
    credits -= cost;
    for (unsigned half = 0; half < cost; ++half) {
      const bool poison = random.percent(20);
      line.poison |= poison;
      link_.inject(flits_of(line, half, poison));
    }
    expected.push_back(line);
    run(static_cast<unsigned>(random.below(12)));
  }

  QuickRandom random;
  unsigned credits = 0;  // for data, not used yet
  unsigned takes = 60;   // percent of the cycles
  std::deque<Sent> expected;
  [[nodiscard]] bool initialised() const {
    return link_.initialised() && get_bits(rtl_->init_done_o, end_, 1) != 0;
  }
  void expect_no_violation() {
    for (const std::string& line : violations_.lines()) ADD_FAILURE() << line;
  }

 private:
  // D2H: H0, the data header at bit 32, 17 bits. H2D: H1, at bit 32, 24 bits.
  std::vector<peer::RawFlit> flits_of(const Sent& line, unsigned half, bool poison) const {
    const bool enables = line.enables != kAllEnabled;
    const bool d2h = end_ == 0;
    peer::FlitHeader header;
    header.sz = !line.halves;
    header.be = enables;
    header.format[0] = d2h ? 0 : 1;
    const unsigned data = line.halves ? 2 : 4, first = line.halves ? 2 * half : 0;
    std::vector<peer::Chunk> chunks(data);
    for (unsigned c = 0; c < data; ++c) {
      std::copy_n(line.data.begin() + 16 * (first + c), 16, chunks[c].begin());
    }
    if (enables) {
      peer::Chunk chunk{};
      for (unsigned byte = 0; byte < 8; ++byte) {
        const bool counts = !line.halves || byte / 4 == half;
        chunk[byte] = counts ? static_cast<std::uint8_t>(line.enables >> (8 * byte)) : 0xff;
      }
      chunks.push_back(chunk);
    }
    peer::Flit flit{};
    // Slots without a chunk: a format whose messages are not valid.
    for (unsigned slot = 1; slot < 4; ++slot) header.format[slot] = slot <= chunks.size() ? 0 : 1;
    peer::put_header(flit, header);
    const std::uint64_t message = 1 | std::uint64_t{line.id} << 1 |
                                  std::uint64_t{line.halves ? half : 0} << 13 |
                                  std::uint64_t{poison} << (d2h ? 15 : 14);
    peer::put_bits(flit, 32, d2h ? 17 : 24, message);
    for (unsigned c = 0; c < std::min<std::size_t>(3, chunks.size()); ++c) {
      peer::put_chunk(flit, c + 1, chunks[c]);
    }
    peer::seal(flit);
    std::vector<peer::RawFlit> flits{{flit, true}};
    if (chunks.size() <= 3) return flits;
    // What is left of a whole line begins the next flit.
    peer::Flit next{};
    peer::FlitHeader rest;
    rest.sz = true;
    for (unsigned slot = 1; slot < 4; ++slot) {
      rest.format[slot] = slot - 1 < chunks.size() - 3 ? 0 : 1;
    }
    rest.format[0] = 0;
    peer::put_header(next, rest);
    for (unsigned c = 3; c < chunks.size(); ++c) peer::put_chunk(next, c - 2, chunks[c]);
    peer::seal(next);
    flits.push_back({next, true});
    return flits;
  }

  void receive() {
    peer::Flit flit{};
    for (unsigned byte = 0; byte < 66; ++byte) {
      flit[byte] =
          static_cast<std::uint8_t>(get_bits(rtl_->link_tx_flit_o, 528 * end_ + 8 * byte, 8));
    }
    link_.rx(flit);
    const bool control = peer::get_bits(flit, 0, 1) != 0;
    if (control && peer::get_control(flit).llctrl != peer::kLlcrd) return;
    const std::uint8_t code =
        control ? peer::get_control(flit).data_crd : peer::get_header(flit).data_crd;
    if ((code & peer::kCreditMem) == 0) credits += peer::credits_of(code);
  }

  void arrived() {
    ASSERT_FALSE(expected.empty()) << "data that nobody has sent";
    const Sent line = expected.front();
    expected.pop_front();
    const std::uint64_t header = get_bits(rtl_->rx_cdat_hdr_o, 24 * end_, 24);
    EXPECT_EQ(header >> 1 & 0xfff, line.id);
    EXPECT_EQ(header >> (end_ == 0 ? 15 : 14) & 1, line.poison ? 1u : 0u);
    EXPECT_EQ(get_line(rtl_->rx_cdat_data_o, 512 * end_), line.data);
    EXPECT_EQ(get_bits(rtl_->rx_cdat_be_o, 64 * end_, 64), line.enables);
  }

  unsigned end_;
  peer::Violations violations_;
  peer::LinkLayer link_;
  mutable Clocked<Vcache_halves> rtl_;
  std::uint64_t now_ = 0;
};

void halves(unsigned end) {
  const std::uint64_t seed = from_environment("CXLGPU_SEED", 7 + end);
  Bench bench(end, seed);
  for (unsigned i = 0; i < 2000 && !bench.initialised(); ++i) bench.cycle();
  ASSERT_TRUE(bench.initialised());
  bench.run(500);
  const unsigned granted = bench.credits;
  ASSERT_GE(granted, 2u);
  for (unsigned n = 0; n < 400; ++n) {
    // Byte enables are of D2H data alone (table 47).
    ASSERT_NO_FATAL_FAILURE(
        bench.send(bench.random.percent(70), end == 0 && bench.random.percent(30)));
    if (n % 50 == 0) bench.takes = static_cast<unsigned>(bench.random.below(101));
    if (bench.takes == 0 && bench.credits < 2) bench.takes = 50;
  }
  bench.takes = 100;
  bench.run(1000);
  EXPECT_TRUE(bench.expected.empty()) << bench.expected.size() << " lines have not come";
  EXPECT_EQ(bench.credits, granted);
  bench.expect_no_violation();
}

TEST(CacheHalves, D2h) {
  test::shows("flit",
              "D2H data in halves of 32 bytes, with and without byte enables, are lines, and each "
              "half's credit comes back",
              "CXL 2.0, 4.2.2, table 47");
  halves(0);
}
TEST(CacheHalves, H2d) {
  test::shows("flit", "H2D data in halves of 32 bytes are lines, and each half's credit comes back",
              "CXL 2.0, 4.2.2, table 47");
  halves(1);
}

}  // namespace
}  // namespace cxlgpu::test
