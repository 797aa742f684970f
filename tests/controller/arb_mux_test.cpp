// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// arb_mux in lockstep with its twin, as host and as device: a peer (a twin of the other kind)
// behind a link with skew, stalls, damaged, cut and forged ALMPs, Recovery, sleep and link down,
// and stretches of plain noise; then bring-up, latencies and power states by hand.
#include <map>

#include "Varb_mux.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/arb_link.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_link.hpp"

namespace cxlgpu::test {
namespace {

using enum VlsmCode;

constexpr unsigned kWeights[2][2] = {{0, 6}, {3, 2}};  // arb_mux_tb.sv: [is_host]{io, cachemem}

ArbMux fresh(bool is_host) {
  return ArbMux(is_host, kWeights[is_host][0], kWeights[is_host][1]);
}

// -------------------------------------------------------------------------------------- lockstep

void compare(Lockstep& run, const ArbPins& pins, const ArbMux::Out& out) {
  const ArbMux::Out rtl = outputs(pins);
  run.check("tx_valid_o", rtl.tx_valid, out.tx_valid);
  run.check("tx_kind_o", unsigned(rtl.tx_kind), unsigned(out.tx_kind));
  if (out.tx_valid) {
    run.check_bytes("tx_flit_o[511:0]", rtl.tx_flit.payload, out.tx_flit.payload);
    run.check("tx_flit_o[527:512]", rtl.tx_flit.crc, out.tx_flit.crc);
  }
  run.check("retrain_req_o", rtl.retrain_req, out.retrain_req);
  run.check("phy_state_o", unsigned(rtl.phy_state), unsigned(out.phy_state));
  run.check("cm_tx_ready_o", rtl.cm_tx_ready, out.cm_tx_ready);
  run.check("cm_rx_valid_o", rtl.cm_rx_valid, out.cm_rx_valid);
  run.check("cm_link_up_o", rtl.cm_link_up, out.cm_link_up);
  run.check("cm_phy_reinit_done_o", rtl.cm_phy_reinit_done, out.cm_phy_reinit_done);
  run.check("io_tx_ready_o", rtl.io_tx_ready, out.io_tx_ready);
  run.check("io_rx_valid_o", rtl.io_rx_valid, out.io_rx_valid);
  if (out.cm_rx_valid) {
    run.check_bytes("cm_rx_flit_o[511:0]", rtl.rx_flit.payload, out.rx_flit.payload);
    run.check("cm_rx_flit_o[527:512]", rtl.rx_flit.crc, out.rx_flit.crc);
  }
  if (out.io_rx_valid) {
    run.check_bytes("io_rx_data_o", rtl.rx_flit.payload, out.rx_flit.payload);
  }
  run.check("io_link_up_o", rtl.io_link_up, out.io_link_up);
  run.check("io_state_o", unsigned(rtl.io_state), unsigned(out.io_state));
  run.check("cm_state_o", unsigned(rtl.cm_state), unsigned(out.cm_state));
  run.check("weight_io_o", rtl.weight_io, out.weight_io);
  run.check("weight_cm_o", rtl.weight_cm, out.weight_cm);
  run.check("err_o[0]", rtl.damaged, out.damaged);
  run.check("err_o[1]", rtl.malformed, out.malformed);
  run.check("err_o[2]", rtl.stray, out.stray);
}

// What was seen, so that a run that reaches nothing fails.
struct Seen {
  std::map<VlsmCode, std::uint64_t> states, phy_states;
  std::map<FlitKind, std::uint64_t> sent;
  std::uint64_t received = 0, recovered = 0, damaged = 0, malformed = 0, stray = 0;

  void add(const ArbMux::In& in, const ArbMux::Out& out) {
    ++states[out.io_state];
    ++states[out.cm_state];
    ++phy_states[out.phy_state];
    if (out.tx_valid && in.tx_ready) ++sent[out.tx_kind];
    received += out.io_rx_valid + out.cm_rx_valid;
    recovered += out.cm_phy_reinit_done;
    damaged += out.damaged;
    malformed += out.malformed;
    stray += out.stray;
  }
};

struct Mix {
  unsigned ready, io, cm;                        // percent
  unsigned damage, forge, swap;                  // per 10000 arrivals or cycles
  unsigned recovery, down, reinit, power, tear;  // per 10000 cycles
  bool noise = false;                            // no peer, no rules
};
constexpr Mix kMixes[] = {
    {80, 50, 50, 0, 0, 0, 5, 2, 5, 10, 0},          // a good link
    {100, 100, 100, 0, 0, 0, 0, 0, 0, 0, 0},        // a full one
    {60, 30, 30, 300, 20, 10, 50, 10, 20, 100, 2},  // a bad one
    {90, 10, 10, 0, 2, 0, 5, 5, 5, 200, 20},        // sleeping and waking
    {30, 90, 90, 2000, 100, 100, 20, 20, 100, 50, 10},
    {70, 60, 60, 0, 0, 0, 0, 0, 0, 200, 20, true},
    {25, 90, 90, 2000, 300, 300, 50, 5, 100, 300, 5},  // flits held up while Recovery is requested
};

class LockstepBench {
 public:
  LockstepBench(bool is_host, Lockstep& run)
      : run_(run),
        random_(run.seed()),
        is_host_(is_host),
        dut_(is_host ? 0 : 1),
        twins_{fresh(true), fresh(false)},
        link_({.seed = run.seed() + 1,
               .flight = {1 + unsigned(random_.below(9)), 1 + unsigned(random_.below(9))}}) {
    rtl_->is_host_i = is_host;
    drive(pins_, {});
    rtl_.reset();
  }

  void cycle() {
    if (run_.cycle() % 1024 == 0) mix_ = random_.pick(kMixes);
    if (random_.below(2500) == 0) reset();
    trouble();
    std::array<ArbMux::In, 2> in;
    for (unsigned e = 0; e < 2; ++e) in[e] = mix_.noise && e == dut_ ? noise() : inputs(e);
    disturb_sleep(in[dut_]);
    drive(pins_, in[dut_]);
    rtl_.settle();
    std::array<ArbMux::Out, 2> out;
    for (unsigned e = 0; e < 2; ++e) out[e] = twins_[e].eval(in[e]);
    compare(run_, pins_, out[dut_]);
    seen.add(in[dut_], out[dut_]);
    look(in[dut_], out[dut_]);
    for (unsigned e = 0; e < 2; ++e) after(e, in[e], out[e]);
    link_.step({FlexLink::Ask{out[0].retrain_req, out[0].phy_state},
                FlexLink::Ask{out[1].retrain_req, out[1].phy_state}});
    rtl_.edge();
    for (unsigned e = 0; e < 2; ++e) twins_[e].clock(in[e]);
  }

  Seen seen;

 private:
  void look(const ArbMux::In& now, const ArbMux::Out& o) {
    const unsigned at = is_host_ ? 0 : 1;
    const auto comes = [&](FlitKind kind) { return now.rx_valid && now.rx_kind == kind; };
    const auto leaves = [&](FlitKind kind) {
      return o.tx_valid && now.tx_ready && o.tx_kind == kind;
    };
    const bool l0 = now.phy_up && !now.phy_recovery;
    const bool was = before_.phy_up && !before_.phy_recovery;
    pairs_.look(at, {comes(FlitKind::kAlmp), comes(FlitKind::kIo), comes(FlitKind::kCachemem),
                     leaves(FlitKind::kAlmp), leaves(FlitKind::kIo), leaves(FlitKind::kCachemem),
                     o.tx_valid && !now.tx_ready, was && !l0, l0 && !was && !o.retrain_req,
                     o.retrain_req, now.io_req != before_.io_req || now.cm_req != before_.cm_req,
                     now.weight_io || now.weight_cm});
    const ArbMux::Moment m = twins_[dut_].moment(now);
    using Event = Vlsm::Event;
    meetings_.look(m.phase, {comes(FlitKind::kAlmp),
                             now.io_req != before_.io_req || now.cm_req != before_.cm_req,
                             m.event == Event::kGoDown, m.event == Event::kGoRecovery,
                             m.event == Event::kColdUp || m.event == Event::kWarmUp, m.loads,
                             m.holds, now.weight_io || now.weight_cm});
    before_ = now;
  }

  bool rarely(unsigned per_10000) { return random_.below(10000) < per_10000; }

  void reset() {
    drive(pins_, {});
    rtl_.reset();
    twins_[dut_] = fresh(is_host_);
    if (random_.percent(50)) twins_[1 - dut_] = fresh(!is_host_);
    if (random_.percent(50)) link_.take_down();
    for (Stream& stream : offers_[dut_]) stream = Stream(random_.next(), stream.is_io());
  }

  void trouble() {
    if (rarely(mix_.recovery)) link_.start_recovery();
    if (rarely(mix_.down)) link_.take_down();
    if (power_for_ > 0) {
      --power_for_;
    } else {
      req_ = {{{kActive, kActive}, {kActive, kActive}}};
      if (rarely(mix_.power)) plan_power();
    }
    if (rarely(mix_.tear)) {
      constexpr VlsmCode kTears[] = {kLinkReset, kLinkReset, kLinkDisable, kLinkError};
      req_[random_.bits(1)][random_.bits(1)] = random_.pick(kTears);
      power_for_ = random_.below(200);
    }
  }
  void plan_power() {
    constexpr VlsmCode kCodes[] = {kDapm, kL1_0, kL1_1, kL1_2, kL1_3, kL2, kL2};
    power_for_ = random_.below(400);
    const VlsmCode one = random_.pick(kCodes), other = random_.pick(kCodes);
    for (auto& end : req_) {
      for (VlsmCode& req : end) {
        req = random_.percent(70) ? one : other;
        if (random_.percent(5)) req = static_cast<VlsmCode>(random_.bits(4));
      }
    }
  }

  void layers(unsigned e, ArbMux::In& in) {
    for (unsigned p = 0; p < 2; ++p) offers_[e][p].offer(p == 0 ? mix_.io : mix_.cm);
    in.io_tx_valid = offers_[e][0].offered();
    in.io_tx_data = offers_[e][0].flit().payload;
    in.cm_tx_valid = offers_[e][1].offered();
    in.cm_tx_flit = offers_[e][1].flit();
    in.io_req = req_[e][0];
    in.cm_req = req_[e][1];
    reinit_[e] = reinit_[e] ? !random_.percent(2) : rarely(mix_.reinit);
    in.cm_phy_reinit_req = reinit_[e];
    // Link down, which resets the weights, is to meet writes.
    const unsigned writes = in.phy_up ? 100 : 3000;
    if (rarely(writes)) in.weight_io = unsigned(random_.bits(4));
    if (rarely(writes)) in.weight_cm = unsigned(random_.bits(4));
  }

  ArbMux::In inputs(unsigned e) {
    ArbMux::In in = link_.wire(e);
    in.tx_ready = in.tx_ready && random_.percent(mix_.ready);
    if (in.rx_valid) {
      if (in.rx_kind == FlitKind::kAlmp && rarely(mix_.damage)) damage(in.rx_flit, random_);
      if (rarely(mix_.swap)) in.rx_kind = static_cast<FlitKind>(random_.bits(2));
    } else if (rarely(mix_.forge)) {
      in.rx_valid = true;
      in.rx_kind = FlitKind::kAlmp;
      in.rx_flit = forged_almp(random_);
    }
    layers(e, in);
    return in;
  }

  ArbMux::In noise() {
    if (noise_for_-- == 0) {
      noise_for_ = static_cast<unsigned>(random_.below(random_.percent(50) ? 4 : 60));
      noise_up_ = random_.percent(75);
      noise_recovery_ = random_.percent(20);
    }
    ArbMux::In in{.tx_ready = random_.percent(mix_.ready),
                  .rx_valid = random_.percent(40),
                  .rx_kind = static_cast<FlitKind>(random_.bits(2)),
                  .rx_flit = forged_almp(random_),
                  .phy_up = noise_up_,
                  .phy_recovery = noise_recovery_};
    if (random_.percent(3)) damage(in.rx_flit, random_);
    layers(dut_, in);
    if (random_.percent(10)) in.io_req = static_cast<VlsmCode>(random_.bits(4));
    if (random_.percent(10)) in.cm_req = static_cast<VlsmCode>(random_.bits(4));
    return in;
  }

  // Sleep is rare, and whatever happens ends it: something happens on purpose.
  void disturb_sleep(ArbMux::In& in) {
    if (twins_[dut_].moment(in).phase != ArbMux::Phase::kSleep || !random_.percent(30)) return;
    if (random_.percent(30)) in.io_req = static_cast<VlsmCode>(random_.bits(4));
    if (random_.percent(30)) in.weight_cm = unsigned(random_.bits(4));
    if (random_.percent(30)) {
      in.rx_valid = true;
      in.rx_kind = FlitKind::kAlmp;
      in.rx_flit = forged_almp(random_);
    }
  }

  void after(unsigned e, const ArbMux::In& in, const ArbMux::Out& out) {
    if (out.tx_valid && in.tx_ready && !(mix_.noise && e == dut_)) {
      link_.send(e, out.tx_kind, out.tx_flit);
    }
    if (out.io_tx_ready) offers_[e][0].taken(0);
    if (out.cm_tx_ready) offers_[e][1].taken(0);
    // Without L0 nothing is held: an offer may be taken back.
    const bool l0 = in.phy_up && !in.phy_recovery;
    for (Stream& stream : offers_[e]) {
      stream.forget_way();
      if (!l0 && random_.percent(10)) stream = Stream(random_.next(), stream.is_io());
    }
  }

  PairBins pairs_{coverage::arb_mux_pairs()}, meetings_{coverage::arb_mux_meetings()};
  ArbMux::In before_;
  Lockstep& run_;
  QuickRandom random_;
  bool is_host_;
  unsigned dut_;
  Clocked<Varb_mux> rtl_;
  ArbPins pins_ = CXLGPU_ARB_PINS((*rtl_), );
  std::array<ArbMux, 2> twins_;
  FlexLink link_;
  Mix mix_ = kMixes[0];
  std::array<std::array<Stream, 2>, 2> offers_ = {
      {{Stream(1, true), Stream(2, false)}, {Stream(3, true), Stream(4, false)}}};
  std::array<std::array<VlsmCode, 2>, 2> req_ = {{{kActive, kActive}, {kActive, kActive}}};
  std::array<bool, 2> reinit_{};
  std::uint64_t power_for_ = 0;
  unsigned noise_for_ = 0;
  bool noise_up_ = true, noise_recovery_ = false;
};

void lockstep(bool is_host, std::uint64_t seed) {
  Lockstep run("controller/arb_mux", seed);
  LockstepBench bench(is_host, run);
  while (run.next()) bench.cycle();
  if (run.cycle() < 150000) return;
  const Seen& seen = bench.seen;
  for (const VlsmCode code : {kReset, kActive, kL1_0, kL1_1, kL1_2, kL1_3, kL2, kRetrain,
                              kLinkReset, kLinkDisable, kLinkError}) {
    EXPECT_GT(seen.states.count(code), 0u) << "state " << unsigned(code) << " was not reached";
  }
  EXPECT_EQ(seen.states.count(kDapm), is_host ? 0u : 1u);
  EXPECT_GE(seen.phy_states.size(), 7u);
  EXPECT_EQ(seen.sent.size(), 3u);
  EXPECT_GT(seen.received, 1000u);
  EXPECT_GT(seen.recovered, 50u);
  EXPECT_GT(seen.damaged, 20u);
  EXPECT_GT(seen.malformed, 100u);
  EXPECT_GT(seen.stray, 100u);
}

TEST(ArbMux, Host) {
  lockstep(true, 24);
}
TEST(ArbMux, Device) {
  lockstep(false, 25);
}

// ------------------------------------------------------------------------------- by hand, RTL only

// One arb_mux whose peer is the test.
class Hand {
 public:
  explicit Hand(bool is_host) {
    rtl_->is_host_i = is_host;
    drive(pins_, {});
    rtl_.reset();
    in.tx_ready = true;
    in.io_req = in.cm_req = kActive;
  }
  // A cycle with the inputs as they stand; the received flit is for one cycle.
  void step() {
    drive(pins_, in);
    rtl_.settle();
    out = outputs(pins_);
    if (out.tx_valid && in.tx_ready && out.tx_kind == FlitKind::kAlmp) {
      sent.push_back(static_cast<std::uint32_t>(get_bits(rtl_->tx_flit_o, 0, 32)));
    }
    rtl_.edge();
    in.rx_valid = false;
    ++cycle;
  }
  void steps(unsigned n) {
    while (n-- > 0) step();
  }
  void receive(std::uint32_t dword) {
    in.rx_valid = true;
    in.rx_kind = FlitKind::kAlmp;
    in.rx_flit = {};
    for (unsigned copy = 0; copy < 4; ++copy) {
      std::memcpy(in.rx_flit.payload.data() + 4 * copy, &dword, 4);
    }
    step();
  }
  // Cycles from the receipt of an ALMP to that of the first ALMP sent after it; 20 if there is
  // none.
  unsigned latency(std::uint32_t dword) {
    sent.clear();
    const std::uint64_t start = cycle;
    receive(dword);
    while (sent.empty() && cycle < start + 20) step();
    return static_cast<unsigned>(cycle - start - 1);
  }
  std::vector<std::uint32_t> take() {
    steps(12);
    return std::exchange(sent, {});
  }

  ArbMux::In in;
  ArbMux::Out out;
  std::vector<std::uint32_t> sent;
  std::uint64_t cycle = 0;

 private:
  Clocked<Varb_mux> rtl_;
  ArbPins pins_ = CXLGPU_ARB_PINS((*rtl_), );
};

using Dwords = std::vector<std::uint32_t>;

void host_to_active(Hand& host) {
  host.in.phy_up = true;
  EXPECT_EQ(host.take(), (Dwords{0x01810800, 0x02810800})) << "a host speaks first";
  host.receive(0x01010800);
  host.receive(0x01810800);
  host.receive(0x02010800);
  host.receive(0x02810800);
  EXPECT_EQ(host.take(), (Dwords{0x01010800, 0x02010800}));
  EXPECT_EQ(host.out.io_state, kActive);
  EXPECT_EQ(host.out.cm_state, kActive);
}
void device_to_active(Hand& device) {
  device.in.phy_up = true;
  EXPECT_EQ(device.take(), Dwords{}) << "a device is silent before it has heard its host";
  device.receive(0x01810800);
  EXPECT_EQ(device.take(), (Dwords{0x01010800, 0x01810800}));
  device.receive(0x02810800);
  EXPECT_EQ(device.take(), (Dwords{0x02010800, 0x02810800}));
  device.receive(0x01010800);
  device.receive(0x02010800);
  EXPECT_EQ(device.take(), Dwords{});
  EXPECT_EQ(device.out.io_state, kActive);
  EXPECT_EQ(device.out.cm_state, kActive);
}

// Four ALMPs a protocol, the first from the host; no Recovery.
TEST(ArbMuxByHand, BringUp) {
  Hand host(true), device(false);
  host_to_active(host);
  device_to_active(device);
  for (Hand* end : {&host, &device}) {
    EXPECT_FALSE(end->out.retrain_req);
    EXPECT_TRUE(end->out.cm_link_up && end->out.io_link_up);
    EXPECT_EQ(end->out.phy_state, kActive);
  }
}

TEST(ArbMuxByHand, ReplyLatency) {
  Hand host(true);
  host.in.phy_up = true;
  host.take();
  EXPECT_EQ(host.latency(0x01810800), 3u);  // a Request for Active
  Hand other(true);
  host_to_active(other);
  other.in.cm_req = kL2;
  EXPECT_EQ(other.latency(0x02850800), 2u);  // for L1.1
  EXPECT_EQ(other.sent, Dwords{0x02050800});
}

// A device that only answers, as CXL 2.0, 5.1.2.2, has it: the host's Active Requests are there
// without a word from it, once, and the link comes up whenever it answers.
TEST(ArbMuxByHand, HostWithASilentDevice) {
  test::shows("link",
              "A host whose device is silent sends its requests, and is up once they are answered",
              "CXL 2.0, 5.1.2.2");
  Hand host(true);
  host.in.phy_up = true;
  EXPECT_EQ(host.take(), (Dwords{0x01810800, 0x02810800}));
  host.in.io_tx_valid = host.in.cm_tx_valid = true;
  for (unsigned i = 0; i < 1000; ++i) {
    EXPECT_EQ(host.take(), Dwords{});
    EXPECT_FALSE(host.out.retrain_req);
    EXPECT_FALSE(host.out.tx_valid) << "a flit before Active";
  }
  for (const std::uint32_t almp : {0x01010800, 0x02010800, 0x01810800, 0x02810800}) {
    host.receive(almp);
  }
  EXPECT_EQ(host.take(), (Dwords{0x01010800, 0x02010800}));
  EXPECT_EQ(host.out.io_state, kActive);
  EXPECT_EQ(host.out.cm_state, kActive);
  EXPECT_TRUE(host.out.tx_valid);
  EXPECT_FALSE(host.out.retrain_req);
}

// Not even what Recovery asks for leaves a device before the first flit that the PHY did not make:
// NULL flits are the PHY's.
TEST(ArbMuxByHand, DeviceIsSilentUntilSpokenTo) {
  test::shows("link", "A device sends nothing before the first flit that its PHY did not make",
              "CXL 2.0, 5.1.2.2");
  for (const bool recovery : {false, true}) {
    Hand device(false);
    device.in.phy_up = true;
    for (unsigned i = 0; i < 100; ++i) {
      EXPECT_EQ(device.take(), Dwords{});
      device.in.rx_valid = true;
      device.in.rx_kind = FlitKind::kNull;
    }
    device.step();
    device.in.rx_kind = FlitKind::kAlmp;  // not valid: what Flex Bus leaves of a broken flit
    EXPECT_EQ(device.take(), Dwords{});
    if (recovery) {
      device.in.phy_recovery = true;
      device.steps(5);
      device.in.phy_recovery = false;
      EXPECT_EQ(device.take(), Dwords{});
      device.receive(0x01000800);  // the host's snapshots
      device.receive(0x02000800);
      EXPECT_EQ(device.take(), (Dwords{0x01000800, 0x02000800}));
    }
    device.receive(0x01810800);
    EXPECT_EQ(device.take(), (Dwords{0x01010800, 0x01810800}));
    device.receive(0x02810800);
    EXPECT_EQ(device.take(), (Dwords{0x02010800, 0x02810800}));
    EXPECT_FALSE(device.out.retrain_req);
  }
}

// The host's first flit may come before the device's own L0; damaged there, it is Recovery in L0.
TEST(ArbMuxByHand, FirstFlitBeforeL0) {
  for (const bool damaged : {false, true}) {
    Hand device(false);
    device.steps(3);
    if (damaged) {
      device.in.rx_valid = true;
      device.in.rx_kind = FlitKind::kAlmp;
      device.in.rx_flit = encode_almp({AlmpLink::kIo, true, kActive});
      device.in.rx_flit.payload[5] ^= 1;
      device.step();
    } else {
      device.receive(0x01810800);
    }
    device.step();
    EXPECT_EQ(device.out.damaged, damaged);
    device.steps(10);
    EXPECT_FALSE(device.out.retrain_req || device.out.tx_valid);
    device.in.phy_up = true;
    if (!damaged) {
      EXPECT_EQ(device.take(), (Dwords{0x01010800, 0x01810800}));
      continue;
    }
    EXPECT_EQ(device.take(), Dwords{});
    EXPECT_TRUE(device.out.retrain_req);
    device.in.phy_recovery = true;
    device.steps(3);
    EXPECT_FALSE(device.out.retrain_req);
    device.in.phy_recovery = false;
    EXPECT_EQ(device.take(), (Dwords{0x01000800, 0x02000800}));
  }
}

// A device that speaks first, and one that says Status Reset unasked, as no standard one does.
TEST(ArbMuxByHand, DeviceThatSpeaksFirst) {
  for (const std::uint32_t dword : {0x01000800u, 0x02010800u}) {
    Hand host(true);
    host.in.io_req = host.in.cm_req = kReset;
    host.in.phy_up = true;
    EXPECT_EQ(host.take(), Dwords{});
    host.receive(dword);
    host.step();
    EXPECT_TRUE(host.out.malformed);
    EXPECT_TRUE(host.out.retrain_req);
  }
}

// A protocol flit passes both ways in its own cycle.
TEST(ArbMuxByHand, NoRegisterInTheWay) {
  Hand device(false);
  device_to_active(device);
  QuickRandom random(7);
  for (unsigned i = 0; i < 50; ++i) {
    for (std::uint8_t& byte : device.in.cm_tx_flit.payload) {
      byte = static_cast<std::uint8_t>(random.bits(8));
    }
    device.in.cm_tx_valid = i % 2 == 0;
    device.in.io_tx_valid = !device.in.cm_tx_valid;
    device.in.io_tx_data = device.in.cm_tx_flit.payload;
    device.in.rx_valid = true;
    device.in.rx_flit = device.in.cm_tx_flit;
    device.in.rx_kind = i % 2 == 0 ? FlitKind::kCachemem : FlitKind::kIo;
    device.step();
    EXPECT_TRUE(device.out.tx_valid);
    EXPECT_EQ(device.out.tx_kind, device.in.rx_kind);
    EXPECT_EQ(device.out.tx_flit.payload, device.in.cm_tx_flit.payload);
    EXPECT_EQ(device.out.cm_rx_valid, i % 2 == 0);
    EXPECT_EQ(device.out.io_rx_valid, i % 2 == 1);
    EXPECT_EQ(device.out.rx_flit.payload, device.in.cm_tx_flit.payload);
  }
}

// Both protocols to L1 and L2: the link's state is the shallower, and only then.
TEST(ArbMuxByHand, LinkStateIsTheShallowest) {
  Hand host(true);
  host_to_active(host);
  host.in.io_req = kL1_2;
  host.in.cm_req = kL2;
  host.receive(0x02880800);
  EXPECT_EQ(host.take(), Dwords{0x02080800});
  EXPECT_EQ(host.out.cm_state, kL2);
  EXPECT_EQ(host.out.phy_state, kActive);
  host.receive(0x01860800);
  EXPECT_EQ(host.take(), Dwords{0x01060800});
  EXPECT_EQ(host.out.io_state, kL1_2);
  EXPECT_EQ(host.out.phy_state, kL1_2);
  host.in.phy_up = false;  // sleep, and back through Recovery
  host.steps(5);
  EXPECT_EQ(host.out.io_state, kL1_2);
  host.in.io_req = kActive;
  host.step();
  EXPECT_EQ(host.out.phy_state, kActive);
  host.in.phy_recovery = true;
  host.steps(5);
  host.in.phy_up = true;
  host.in.phy_recovery = false;
  EXPECT_EQ(host.take(), (Dwords{0x01060800, 0x02080800}));  // the snapshots
  host.receive(0x01060800);
  host.receive(0x02080800);
  EXPECT_EQ(host.take(), Dwords{0x01810800});  // awake again
}

// Each kind of bad arrival: its error bit and a Recovery.
TEST(ArbMuxByHand, BadArrivals) {
  struct Row {
    std::uint32_t dword;
    bool damaged, malformed;
  };
  for (const Row& row : {Row{0x01810800, false, true},   // Request Active in Active
                         Row{0x01010800, false, true},   // Status Active without a Request
                         Row{0x03810800, false, true},   // no such link
                         Row{0x018B0900, false, true},   // no such ALMP
                         Row{0x018B0800, false, false},  // Request Retrain: Recovery, no error
                         Row{0, true, false}}) {
    Hand host(true);
    host_to_active(host);
    if (row.damaged) {
      host.in.rx_valid = true;
      host.in.rx_flit = encode_almp({AlmpLink::kIo, true, kRetrain});
      host.in.rx_flit.payload[13] ^= 0x10;
      host.step();
    } else {
      host.receive(row.dword);
    }
    host.step();
    EXPECT_TRUE(host.out.retrain_req);
    EXPECT_EQ(host.out.damaged, row.damaged);
    EXPECT_EQ(host.out.malformed, row.malformed);
    host.in.io_tx_valid = host.in.cm_tx_valid = true;
    host.steps(5);
    EXPECT_FALSE(host.out.tx_valid);
    EXPECT_TRUE(host.out.retrain_req);
    host.in.phy_recovery = true;
    host.steps(2);
    EXPECT_FALSE(host.out.retrain_req);
  }
}

// Link down gives both weights their reset values, whatever is written in that cycle; a write after
// it counts, and Recovery is no link down.
TEST(ArbMuxByHand, LinkDownResetsTheWeights) {
  for (const bool is_host : {false, true}) {
    SCOPED_TRACE(is_host);
    Hand end(is_host);
    const auto expect = [&end](unsigned io, unsigned cm) {
      end.in.weight_io.reset();
      end.in.weight_cm.reset();
      end.step();
      EXPECT_EQ(end.out.weight_io, io);
      EXPECT_EQ(end.out.weight_cm, cm);
    };
    is_host ? host_to_active(end) : device_to_active(end);
    end.in.weight_io = 9;
    end.in.weight_cm = 11;
    end.step();
    expect(9, 11);
    end.in.phy_recovery = true;
    end.steps(5);
    end.in.phy_recovery = false;
    end.steps(5);
    expect(9, 11);
    end.in.phy_up = false;
    end.in.weight_io = 13;
    end.in.weight_cm = 14;
    end.step();
    expect(kWeights[is_host][0], kWeights[is_host][1]);
    end.in.weight_cm = 5;
    end.step();
    expect(kWeights[is_host][0], 5);
  }
}

// Both protocols offer all the time: they take turns of exactly their weights, 0 counts as 1, and a
// link that stalls changes neither the turns nor what it is offered.
TEST(ArbMuxByHand, TurnsOfTheirWeights) {
  for (unsigned io = 0; io < 16; io += 3) {
    for (unsigned cm = 0; cm < 16; ++cm) {
      for (const bool stalled : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "io " << io << " cm " << cm << " stalled " << stalled);
        Hand host(true);
        host_to_active(host);
        host.in.weight_io = io;
        host.in.weight_cm = cm;
        host.step();
        host.in.weight_io.reset();
        host.in.weight_cm.reset();
        host.in.io_tx_valid = host.in.cm_tx_valid = true;
        std::vector<FlitKind> sent;
        FlitKind held = FlitKind::kNull;
        for (unsigned k = 0; k < 400; ++k) {
          host.in.tx_ready = !stalled || k % 3 == 0;
          host.step();
          EXPECT_TRUE(host.out.tx_valid);
          EXPECT_TRUE(held == FlitKind::kNull || host.out.tx_kind == held);
          held = host.in.tx_ready ? FlitKind::kNull : host.out.tx_kind;
          if (host.in.tx_ready) sent.push_back(host.out.tx_kind);
        }
        ASSERT_GT(sent.size(), 100u);
        // Whole turns: from the first change to the last.
        std::size_t begin = 1;
        while (sent[begin] == sent[begin - 1]) ++begin;
        unsigned turns = 0;
        for (std::size_t end = begin;; begin = end) {
          while (end < sent.size() && sent[end] == sent[begin]) ++end;
          if (end == sent.size()) break;
          const unsigned weight = sent[begin] == FlitKind::kIo ? io : cm;
          EXPECT_EQ(end - begin, std::max(weight, 1u));
          ++turns;
        }
        EXPECT_GT(turns, 3u);
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
