// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Firmware on RTL: four root ports and four unlike endpoints, brought up over CXL.io alone, with
// every interleaving that firmware builds; the decoders then send each address to one place.
#include <algorithm>
#include <string>

#include "Vio_quad.h"
#include "common/input_error.hpp"
#include "sim/firmware/bring_up.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/sim/firmware/translation.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{256} << 20;
// As in io_quad_tb.sv.
const std::vector<std::uint64_t> kSizes{4 * kChunk, 4 * kChunk, 8 * kChunk, 8 * kChunk};
constexpr unsigned kDecoders[] = {1, 2, 10, 4};

class Quad : public RegisterBus {
 public:
  explicit Quad(unsigned links = 0xf) {
    rtl_.reset();
    rtl_->link_up_i = static_cast<std::uint8_t>(links);
    for (unsigned i = 0; i < 4; ++i) step();
  }

  void write(RegisterSpace space, unsigned index, std::uint32_t offset,
             std::uint32_t value) override {
    access(space, index, offset, true, value);
  }
  std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) override {
    access(space, index, offset, false, 0);
    return rtl_->reg_rdata_o;
  }

  Translation translation() {
    return {[this](std::uint64_t hpa) -> std::optional<unsigned> {
              look_up(hpa);
              if (!rtl_->hit_o) return std::nullopt;
              return rtl_->target_o - kPortNumberBase;
            },
            [this](unsigned port, std::uint64_t hpa) -> std::optional<std::uint64_t> {
              look_up(hpa);
              if (get_bits(rtl_->ep_hit_o, port, 1) == 0) return std::nullopt;
              return get_bits(rtl_->ep_dpa_line_o, 46 * port, 46) * 64 + hpa % 64;
            }};
  }
  [[nodiscard]] unsigned mem_enable() { return rtl_->mem_enable_o; }
  [[nodiscard]] unsigned dram_enable() { return rtl_->dram_enable_o; }
  [[nodiscard]] unsigned sets_log2(unsigned port) {
    return static_cast<unsigned>(get_bits(rtl_->sets_log2_o, 4 * port, 4));
  }
  [[nodiscard]] unsigned errors() const { return errors_; }
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  void step() {
    rtl_.settle();
    errors_ |= rtl_->error_o;
    rtl_.edge();
    ++cycles_;
  }

 private:
  void access(RegisterSpace space, unsigned index, std::uint32_t offset, bool is_write,
              std::uint32_t value) {
    const unsigned page = space == RegisterSpace::HostBridge ? 0 : index + 1;
    set_bits(rtl_->reg_req_i, 49, 1, 1);
    set_bits(rtl_->reg_req_i, 48, 1, is_write);
    set_bits(rtl_->reg_req_i, 32, 16, page << 12 | offset);
    set_bits(rtl_->reg_req_i, 0, 32, value);
    step();
    set_bits(rtl_->reg_req_i, 49, 1, 0);
    rtl_.settle();
  }
  void look_up(std::uint64_t hpa) {
    rtl_->hpa_line_i = hpa / 64;
    rtl_.settle();
  }

  Clocked<Vio_quad> rtl_;
  unsigned errors_ = 0;
  std::uint64_t cycles_ = 0;
};

RunConfig config_of(const std::vector<HdmRange>& ranges) {
  RunConfig config;
  config.ports = 4;
  config.hdm = ranges;
  return config;
}

TEST(IoQuad, FindsWhatIsThere) {
  Quad quad;
  const SystemInfo found = enumerate(quad, 4);
  EXPECT_EQ(found.host.decoders, 4u);
  for (unsigned port = 0; port < 4; ++port) {
    EXPECT_EQ(found.endpoints[port].bytes, kSizes[port]);
    EXPECT_EQ(found.endpoints[port].device, 0xc801 + port);
    EXPECT_EQ(found.endpoints[port].hdm.decoders, kDecoders[port]);
  }
  EXPECT_EQ(quad.errors(), 0u);
}

TEST(IoQuad, EveryInterleaving) {
  std::vector<std::vector<HdmRange>> plans;
  {
    Quad quad;
    const SystemInfo found = enumerate(quad, 4);
    plans.push_back(plan_ranges(found, {}));
    plans.push_back(plan_ranges(found, {.ways = 2, .granularity = 1024}));
    plans.push_back(plan_ranges(found, {.ways = 2, .granularity = 16384}));
    // Unlike sizes are not interleaved as a whole.
    EXPECT_THROW((void)plan_ranges(found, {.ways = 4}), InputError);
  }
  // By hand: what all four have, and the rest of the larger two.
  for (const std::uint64_t granularity : {256u, 4096u}) {
    plans.push_back({{0x2'0000'0000, 16 * kChunk, granularity, {3, 1, 0, 2}},
                     {0x8'0000'0000, 8 * kChunk, 512, {2, 3}}});
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    SCOPED_TRACE(i);
    Quad quad;
    bring_up(quad, config_of(plans[i]), {.internal_dram = true, .cache_sets_log2 = 5});
    expect_translation(quad.translation(), plans[i], kSizes);
    EXPECT_EQ(quad.mem_enable(), 0xfu);
    EXPECT_EQ(quad.dram_enable(), 0xfu);
    for (unsigned port = 0; port < 4; ++port) EXPECT_EQ(quad.sets_log2(port), 5u);
    EXPECT_EQ(quad.errors(), 0u);
    RecordProperty("bring_up_cycles_" + std::to_string(i), static_cast<int>(quad.cycles()));
  }
}

TEST(IoQuad, RefusesWhatCannotBeBuilt) {
  const auto refusal = [](Quad& quad, const std::vector<HdmRange>& ranges) -> std::string {
    try {
      bring_up(quad, config_of(ranges), {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  };
  const std::vector<HdmRange> one{{0x1'0000'0000, kChunk, 256, {0}}};
  Quad unplugged(0xb);
  EXPECT_NE(refusal(unplugged, one).find("port 2: no endpoint"), std::string::npos);
  Quad quad;
  std::vector<HdmRange> two = one;
  two.push_back({0x2'0000'0000, kChunk, 256, {0}});
  EXPECT_NE(refusal(quad, two).find("port 0, whose endpoint has 1 HDM decoders"),
            std::string::npos);
  EXPECT_NE(refusal(quad, {{0x1'0000'0000, 18 * kChunk, 256, {1, 2}}})
                .find("port 1, whose endpoint has 1024 MiB"),
            std::string::npos);
  // The same system is then brought up with what it can do; a second time its decoders are locked.
  EXPECT_EQ(refusal(quad, one), "not refused");
  EXPECT_NE(refusal(quad, {{0x3'0000'0000, kChunk, 256, {3}}}).find("committed already"),
            std::string::npos);
}

}  // namespace
}  // namespace cxlgpu::test
