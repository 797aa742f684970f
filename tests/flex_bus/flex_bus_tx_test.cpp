// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// flex_bus_tx in lockstep with its twin: every width, both header modes, intervals that end with a
// whole flit and with short NULL flits of many lengths.
#include "refmodel/flex_bus/flex_bus_tx.hpp"

#include "Vflex_bus_tx.h"
#include "tests/flex_bus/ports.hpp"

namespace cxlgpu::test {
namespace {

struct Size {
  unsigned lanes, bypass_blocks, sync_blocks;
};
// As in flex_bus_tx_tb.sv.
constexpr std::array<Size, 9> kSizes{{{2, 17, 15},
                                      {2, 34, 4},
                                      {4, 17, 18},
                                      {4, 34, 3},
                                      {8, 17, 6},
                                      {8, 34, 17},
                                      {16, 17, 4},
                                      {16, 34, 11},
                                      {8, 340, 374}}};

FlexBusTx make_twin(const Size& size) {
  return FlexBusTx(size.lanes, size.bypass_blocks, size.sync_blocks);
}

// Twin and stimulus of one of the transmitters.
class Sender {
 public:
  explicit Sender(const Size& size) : size_(size), twin_(make_twin(size)) {}

  std::uint64_t taken = 0, nulls = 0;

  void drive(Random& random) {
    if (session_left_ == 0) new_session(random);
    --session_left_;
    if (!running_) in_.bypass = bypass_;
    in_.run = running_;
    in_.flit_en = random.percent(enable_);
    // A stalled offer stays as it is, or goes away for a cycle at least.
    if (stalled_) {
      in_.tx_valid = !random.percent(1);
    } else {
      in_.tx_valid = random.percent(offer_);
      in_.tx_kind = static_cast<FlitKind>(random.percent(5) ? 3 : random.below(3));
      if (in_.tx_valid) in_.tx_flit = random_flit(random);
    }
  }

  void compare(Vflex_bus_tx& rtl, unsigned g, Lockstep& run) {
    out_ = twin_.eval(in_);
    const unsigned data_lanes = size_.lanes;
    run.check("tx_ready_o", get_bits(rtl.tx_ready_o, g, 1), out_.tx_ready);
    run.check("null_o", get_bits(rtl.null_o, g, 1), out_.null);
    run.check("lane_valid_o", get_bits(rtl.lane_valid_o, g, 1), out_.word.valid);
    if (out_.word.valid) {
      run.check("lane_start_o", get_bits(rtl.lane_start_o, g, 1), out_.word.start);
      run.check("lane_sync_o", get_bits(rtl.lane_sync_o, 2 * g, 2), out_.word.sync);
      const Lanes lanes = get_lanes(rtl.lane_data_o, g, data_lanes);
      for (unsigned l = 0; l < data_lanes; ++l) {
        run.check("lane_data_o", lanes[l], out_.word.lane[l]);
      }
    }
    if (!run.ok()) {
      ADD_FAILURE() << "transmitter " << g << ": " << size_.lanes << " lanes, "
                    << size_.bypass_blocks << " or " << size_.sync_blocks << " blocks";
    }
  }

  void apply(Vflex_bus_tx& rtl, unsigned g) const {
    set_bits(rtl.run_i, g, 1, in_.run);
    set_bits(rtl.bypass_i, g, 1, in_.bypass);
    set_bits(rtl.flit_en_i, g, 1, in_.flit_en);
    set_bits(rtl.tx_valid_i, g, 1, in_.tx_valid);
    set_bits(rtl.tx_kind_i, 2 * g, 2, static_cast<unsigned>(in_.tx_kind));
    set_flit(rtl.tx_flit_i, g, in_.tx_flit);
  }

  void clock() {
    taken += in_.tx_valid && out_.tx_ready;
    nulls += out_.null;
    stalled_ = in_.tx_valid && !out_.tx_ready && in_.run;
    twin_.clock(in_);
  }
  void reset() {
    twin_ = make_twin(size_);
    in_ = {};  // bypass_i may move: run is low
    stalled_ = false;
    session_left_ = 0;
  }

 private:
  void new_session(Random& random) {
    running_ = !running_ || random.percent(10);
    if (!running_) {
      session_left_ = 1 + random.below(4);
      bypass_ = random.percent(40);
      return;
    }
    session_left_ = 1 + (random.percent(30) ? random.below(80) : random.below(8000));
    offer_ = random.pick(std::array{0u, 30u, 90u, 100u, 100u});
    enable_ = random.pick(std::array{0u, 50u, 95u, 100u, 100u, 100u});
  }

  Size size_;
  FlexBusTx twin_;
  FlexBusTx::In in_;
  FlexBusTx::Out out_;
  bool stalled_ = false;
  std::uint64_t session_left_ = 0;
  bool running_ = true;  // the first session is a pause
  bool bypass_ = false;
  unsigned offer_ = 100, enable_ = 100;
};

TEST(FlexBusTx, Lockstep) {
  Lockstep run("flex_bus/flex_bus_tx", 0xF1E7);
  const Cycles cycles(100000);
  Random random(run.seed());
  Clocked<Vflex_bus_tx> rtl;
  std::vector<Sender> senders(kSizes.begin(), kSizes.end());
  for (unsigned g = 0; g < senders.size(); ++g) senders[g].apply(*rtl, g);
  rtl.reset();
  while (cycles.next(run)) {
    for (unsigned g = 0; g < senders.size(); ++g) {
      senders[g].drive(random);
      senders[g].apply(*rtl, g);
    }
    rtl.settle();
    for (unsigned g = 0; g < senders.size(); ++g) senders[g].compare(*rtl, g, run);
    rtl.edge();
    for (Sender& sender : senders) sender.clock();
    if (random.below(10000) == 0) {
      for (unsigned g = 0; g < senders.size(); ++g) {
        senders[g].reset();
        senders[g].apply(*rtl, g);
      }
      rtl->rst_ni = 0;
      rtl.settle();
      for (unsigned g = 0; g < senders.size(); ++g) senders[g].compare(*rtl, g, run);
      rtl.reset();
    }
  }
  if (cycles.full(run)) {
    for (const Sender& sender : senders) {
      EXPECT_GT(sender.taken, 1000u);
      EXPECT_GT(sender.nulls, 1000u);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
