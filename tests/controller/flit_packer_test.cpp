// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// flit_packer in lockstep with its twin, host and device: every mix of offers, holds, credits and
// enables; the offers hold while they are not taken.
#include "refmodel/controller/flit_packer.hpp"

#include <set>

#include "Vflit_packer.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/flit_bins.hpp"

namespace cxlgpu::test {
namespace {

void drive(Vflit_packer& rtl, const FlitPacker::In& in, bool is_host) {
  rtl.is_host_i = is_host;
  rtl.start_i = in.start;
  rtl.take_i = in.take;
  rtl.hold_new_i = in.hold_new;
  rtl.mdh_disable_i = in.mdh_disable;
  rtl.nd_valid_i = (1u << in.nd_valid) - 1;
  rtl.wd_valid_i = (1u << in.wd_valid) - 1;
  for (unsigned i = 0; i < 2; ++i) {
    set_header(rtl.nd_hdr_i, kHeaderPortBits * i, in.nd_hdr[i]);
    set_header(rtl.wd_hdr_i, kHeaderPortBits * i, in.wd[i].header);
    set_line(rtl.wd_data_i, 512 * i, in.wd[i].data);
    set_bits(rtl.wd_be_i, 64 * i, 64, in.wd[i].enables);
  }
  rtl.ak_i = in.ak;
  rtl.rsp_crd_i = in.rsp_crd;
  rtl.req_crd_i = in.req_crd;
  rtl.data_crd_i = in.data_crd;
}

void compare(Lockstep& run, const Vflit_packer& rtl, const FlitPacker::Out& out) {
  run.check("owed_o", rtl.owed_o, out.owed);
  run.check("is_adf_o", rtl.is_adf_o, out.is_adf);
  run.check("has_content_o", rtl.has_content_o, out.has_content);
  run.check("nd_take_o", rtl.nd_take_o, out.nd_take);
  run.check("wd_take_o", rtl.wd_take_o, out.wd_take);
  run.check("owed_next_o", rtl.owed_next_o, out.owed_next);
  run.check_bytes("flit_o", get_line(rtl.flit_o), out.flit);
}

struct Mix {
  unsigned nd, wd, partial, take, hold;
};
constexpr Mix kMixes[] = {{50, 50, 30, 70, 10},
                          {90, 90, 50, 100, 0},
                          {0, 100, 20, 100, 0},
                          {100, 20, 100, 90, 5},
                          {20, 5, 0, 50, 30}};

// Up to two waiting messages of each channel, topped up when taken.
class Offers {
 public:
  explicit Offers(Random& random) : random_(random) {}
  void top_up(const Mix& mix) {
    while (nd_.size() < 2 && random_.percent(mix.nd)) nd_.push_back(random_header(random_));
    while (wd_.size() < 2 && random_.percent(mix.wd)) {
      wd_.push_back(random_wd(random_, kHeaderPortBits, mix.partial));
    }
  }
  void fill(FlitPacker::In& in) const {
    in.nd_valid = nd_.size();
    in.wd_valid = wd_.size();
    std::copy(nd_.begin(), nd_.end(), in.nd_hdr.begin());
    std::copy(wd_.begin(), wd_.end(), in.wd.begin());
  }
  void taken(unsigned nd, unsigned wd) {
    nd_.erase(nd_.begin(), nd_.begin() + nd);
    wd_.erase(wd_.begin(), wd_.begin() + wd);
  }

 private:
  Random& random_;
  std::deque<MsgHeader> nd_;
  std::deque<WdMessage> wd_;
};

void lockstep(bool is_host, std::uint64_t seed) {
  Lockstep run("controller/flit_packer", seed);
  FlitBins bins(is_host ? flits::Direction::M2S : flits::Direction::S2M);
  Random random(run.seed());
  Clocked<Vflit_packer> rtl;
  FlitPacker twin(is_host);
  rtl.reset();
  Offers offers(random);
  Mix mix = kMixes[0];
  std::set<unsigned> owed_seen;
  bool mdh_disable = false;
  while (run.next()) {
    if (run.cycle() % 256 == 0) {
      mix = random.pick(kMixes);
      mdh_disable = random.percent(30);
    }
    if (random.below(2000) == 0) {
      rtl.reset();
      twin = FlitPacker(is_host);
    }
    offers.top_up(mix);
    FlitPacker::In in{.start = random.below(4000) == 0,
                      .take = random.percent(mix.take),
                      .hold_new = random.percent(mix.hold),
                      .mdh_disable = mdh_disable,
                      .ak = random.bits(1) != 0,
                      .rsp_crd = std::uint8_t(random.bits(4)),
                      .req_crd = std::uint8_t(random.bits(4)),
                      .data_crd = std::uint8_t(random.bits(4))};
    offers.fill(in);
    const FlitPacker::Out out = twin.eval(in);
    in.take = in.take && out.has_content;  // the link layer never sends an empty flit
    drive(*rtl, in, is_host);
    rtl.settle();
    compare(run, *rtl, out);
    owed_seen.insert(out.owed);
    if (in.take) bins.look(coverage::Side::Packed, out.flit, out.owed);
    rtl.edge();
    twin.clock(in);
    if (in.take && !in.start) offers.taken(out.nd_take, out.wd_take);
  }
  if (run.cycle() > 20000) {
    EXPECT_GE(owed_seen.size(), is_host ? 6u : 7u);
  }
}

TEST(FlitPacker, Host) {
  test::shows("flit", "The RTL packs M2S messages as its twin does", "docs/blocks.md, flit_packer");
  lockstep(true, 5);
}
TEST(FlitPacker, Device) {
  test::shows("flit", "The RTL packs S2M messages as its twin does", "docs/blocks.md, flit_packer");
  lockstep(false, 6);
}

}  // namespace
}  // namespace cxlgpu::test
