// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_link: five parameter sets of the RTL, the product's among them, in lockstep with their twins:
// each against a peer over a wire that loses, damages and forges flits, against one at a constant
// latency, and under everything at any time; and the rules of the page by hand.
#include "refmodel/cxl_io/io_link.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "Vio_link.h"
#include "tests/common/idle.hpp"
#include "tests/cxl_io/io_link_peer.hpp"
#include "tests/cxl_io/io_link_storm.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kEnds = 5, kProduct = 3;  // from kProduct on with the product's times
// As in io_link_tb.sv.
IoLink::Parameters parameters(unsigned end) {
  if (end == 0) return {.replay_timeout = 150, .fc_refresh = 400};
  if (end == 2) return {.infinite = true, .replay_timeout = 150, .fc_refresh = 400};
  if (end >= kProduct) return {.infinite = end == 4};
  return {.p_hdr = 2,
          .p_data = 3,
          .np_hdr = 1,
          .np_data = 2,
          .cpl_room = 2,
          .replay_depth = 8,
          .replay_timeout = 61,
          .fc_refresh = 37};
}

class Ends {
 public:
  Lockstep run;
  std::array<IoLink::In, kEnds> in;
  std::array<IoLink::Out, kEnds> out;  // of the last step
  std::vector<IoLink> twin;

  explicit Ends(std::uint64_t cycles = 200000) : run("cxl_io/io_link", 0x117, cycles) {
    for (unsigned g = 0; g < kEnds; ++g) twin.emplace_back(parameters(g));
    rtl_.reset();
  }
  void settle() {
    drive();
    rtl_.settle();
    for (unsigned g = 0; g < kEnds; ++g) compare(g);
  }
  void edge() {
    rtl_.edge();
    for (unsigned g = 0; g < kEnds; ++g) twin[g].clock(in[g]);
  }
  void step() {
    settle();
    edge();
  }
  void reset() {  // inputs stay as they are
    rtl_.reset();
    for (unsigned g = 0; g < kEnds; ++g) twin[g] = IoLink(parameters(g));
  }

 private:
  void drive() {
    for (unsigned g = 0; g < kEnds; ++g) {
      set_bits(rtl_->link_up_i, g, 1, in[g].link_up);
      set_bits(rtl_->io_tx_ready_i, g, 1, in[g].io_tx_ready);
      set_bits(rtl_->io_rx_valid_i, g, 1, in[g].io_rx.has_value());
      if (in[g].io_rx)
        set_line(rtl_->io_rx_data_i, 512 * g, *in[g].io_rx);
      else
        idle_.fill(rtl_->io_rx_data_i, 512 * g, 512);
      set_bits(rtl_->tlp_tx_valid_i, g, 1, in[g].tlp_tx.has_value());
      if (in[g].tlp_tx)
        set_bytes(rtl_->tlp_tx_i, 192 * g, *in[g].tlp_tx);
      else
        idle_.fill(rtl_->tlp_tx_i, 192 * g, 192);
      set_bits(rtl_->tlp_rx_ready_i, g, 1, in[g].tlp_rx_ready);
    }
  }
  void compare(unsigned g) {
    const bool before = run.ok();
    out[g] = twin[g].eval(in[g]);
    run.check("dl_up_o", get_bits(rtl_->dl_up_o, g, 1), out[g].dl_up);
    run.check("io_tx_valid_o", get_bits(rtl_->io_tx_valid_o, g, 1), out[g].io_tx.has_value());
    if (out[g].io_tx) {
      run.check_bytes("io_tx_data_o", get_line(rtl_->io_tx_data_o, 512 * g), *out[g].io_tx);
    }
    run.check("tlp_tx_ready_o", get_bits(rtl_->tlp_tx_ready_o, g, 1), out[g].tlp_tx_ready);
    run.check("tlp_rx_valid_o", get_bits(rtl_->tlp_rx_valid_o, g, 1), out[g].tlp_rx.has_value());
    if (out[g].tlp_rx) {
      run.check_bytes("tlp_rx_o", get_bytes<24>(rtl_->tlp_rx_o, 192 * g), *out[g].tlp_rx);
    }
    run.check("err_o", get_bits(rtl_->err_o, 9 * g, 9), out[g].err);
    run.check_bytes("err_hdr_o", get_bytes<16>(rtl_->err_hdr_o, 128 * g), out[g].err_hdr);
    if (before && !run.ok()) ADD_FAILURE() << "end " << g;
  }

  Clocked<Vio_link> rtl_;
  Idle idle_;
};

// One end under test and its peer, through stretches of a few hundred cycles.
class Stage {
 public:
  Stage(Ends& ends, unsigned end, Random& random) : ends_(ends), end_(end), random_(random) {}

  std::array<std::uint64_t, 9> errors{};
  std::uint64_t received = 0, sent = 0, bounces = 0, wraps = 0;

  void drive(std::uint64_t cycle) {
    if (cycle >= change_) change(cycle);
    IoLink::In& in = ends_.in[end_];
    in.link_up = cycle >= up_;
    in.io_tx_ready = random_.percent(rough_.own_takes);
    in.io_rx = peer_.receive(cycle, rough_, ends_.twin[end_], random_);
    if (!in.io_rx && in.link_up && random_.percent(2)) in.io_rx = IoFlit{};  // idle symbols
    if (!in.tlp_tx && random_.percent(rough_.own_tlps)) in.tlp_tx = random_good_tlp(random_);
    in.tlp_rx_ready = random_.percent(rough_.own_reads);
  }
  void after(std::uint64_t cycle) {  // outputs are compared, the edge is still to come
    IoLink::In& in = ends_.in[end_];
    const IoLink::Out& out = ends_.out[end_];
    for (unsigned bit = 0; bit < 9; ++bit) errors[bit] += out.err >> bit & 1;
    received += out.tlp_rx && in.tlp_rx_ready;
    if (out.io_tx && in.io_tx_ready) peer_.send(*out.io_tx, cycle, rough_, random_);
    peer_.step(in.link_up, cycle, rough_, random_);
    taken_ = in.tlp_tx && out.tlp_tx_ready;
    sent += taken_;
    last_sent_ = ends_.twin[end_].next_sent();
  }
  void edge_done() {
    if (taken_ || !ends_.in[end_].link_up) ends_.in[end_].tlp_tx.reset();
    wraps += last_sent_ == 4095 && ends_.twin[end_].next_sent() == 0;
  }

 private:
  void change(std::uint64_t cycle) {
    // After forged flits the two ends may never agree again.
    const bool spoilt = rough_.forged > 0 || rough_.malformed > 0;
    rough_ = Roughness(random_);
    change_ = cycle + (100 + random_.below(1200)) * (end_ < kProduct ? 1 : 8);
    if (spoilt || random_.percent(20)) {
      ++bounces;
      up_ = cycle + 1 + random_.below(5);
      if (random_.percent(90)) peer_ = IoPeer(random_);
    }
  }

  Ends& ends_;
  unsigned end_;
  Random& random_;
  Roughness rough_;
  IoPeer peer_;
  std::uint64_t change_ = 30000, up_ = 3;  // a calm stretch first
  bool taken_ = false;
  unsigned last_sent_ = 0;
};

TEST(IoLink, LockstepWithRtl) {
  Ends ends;
  Random random(ends.run.seed());
  std::vector<Stage> stages;
  for (unsigned g = 0; g < kEnds; ++g) stages.emplace_back(ends, g, random);
  while (ends.run.next()) {
    const std::uint64_t cycle = ends.run.cycle();
    for (Stage& stage : stages) stage.drive(cycle);
    ends.settle();
    for (Stage& stage : stages) stage.after(cycle);
    ends.edge();
    for (Stage& stage : stages) stage.edge_done();
  }
  for (unsigned g = 0; g < kEnds && ends.run.cycle() > 100000; ++g) {
    const bool product = g >= kProduct;  // few stretches, and few as long as its time-out
    for (unsigned bit = 0; bit < 9 && !product; ++bit) EXPECT_GT(stages[g].errors[bit], 5u) << bit;
    EXPECT_GT(stages[g].sent, 10000u);
    EXPECT_GT(stages[g].received, 3000u);
    EXPECT_GT(stages[g].bounces, product ? 3u : 50u);
    EXPECT_GT(stages[g].wraps, 0u);
  }
}

// No peer: whatever can arrive does, in every state of each end.
TEST(IoLink, EverythingMeets) {
  IoMeets meets;
  Ends ends(600000);
  Random random(ends.run.seed() + 1);
  std::vector<IoStorm> storms;
  for (unsigned g = 0; g < kEnds; ++g) storms.emplace_back(parameters(g), random);
  std::array<bool, kEnds> was_up{};
  while (ends.run.next()) {
    for (unsigned g = 0; g < kEnds; ++g) {
      storms[g].drive(ends.run.cycle(), ends.twin[g], ends.in[g]);
    }
    ends.settle();
    for (unsigned g = 0; g < kEnds; ++g) {
      storms[g].after(ends.in[g], ends.out[g]);
      meets.look(ends.twin[g], parameters(g), ends.in[g], ends.out[g], was_up[g]);
      was_up[g] = ends.in[g].link_up;
    }
    ends.edge();
    for (unsigned g = 0; g < kEnds; ++g) storms[g].edge_done(ends.in[g]);
  }
}

// One end and an equal one, each flit in flight for the same time, both as quick as they can be.
class Steady {
 public:
  Steady(Ends& ends, unsigned end, unsigned latency, Random& random)
      : ends_(ends), end_(end), random_(random), far_(parameters(end)), latency_(latency) {}

  unsigned errors = 0;
  std::uint64_t to_far = 0, to_own = 0;  // TLPs that arrived

  void drive(std::uint64_t cycle) {
    far_in_ = {
        .link_up = true, .io_tx_ready = true, .tlp_tx = far_in_.tlp_tx, .tlp_rx_ready = true};
    IoLink::In& in = ends_.in[end_];
    in = {.link_up = true, .io_tx_ready = true, .tlp_tx = in.tlp_tx, .tlp_rx_ready = true};
    in.io_rx = from(own_wire_, cycle);
    far_in_.io_rx = from(far_wire_, cycle);
    if (!in.tlp_tx) in.tlp_tx = random_good_tlp(random_);
    if (!far_in_.tlp_tx) far_in_.tlp_tx = random_good_tlp(random_);
  }
  void after(std::uint64_t cycle) {
    const IoLink::Out& own = ends_.out[end_];
    const IoLink::Out far = far_.eval(far_in_);
    errors |= own.err | far.err;
    if (own.io_tx) far_wire_.push_back({cycle + latency_, *own.io_tx});
    if (far.io_tx) own_wire_.push_back({cycle + latency_, *far.io_tx});
    arrives(far.tlp_rx, sent_, to_far);
    arrives(own.tlp_rx, far_sent_, to_own);
    own_taken_ = take(own.tlp_tx_ready, ends_.in[end_].tlp_tx, sent_);
    const bool far_taken = take(far.tlp_tx_ready, far_in_.tlp_tx, far_sent_);
    far_.clock(far_in_);
    if (far_taken) far_in_.tlp_tx.reset();
  }
  void edge_done() {
    if (own_taken_) ends_.in[end_].tlp_tx.reset();
  }

 private:
  struct Flying {
    std::uint64_t due;
    IoFlit flit;
  };
  static std::optional<IoFlit> from(std::deque<Flying>& wire, std::uint64_t cycle) {
    if (wire.empty() || wire.front().due > cycle) return std::nullopt;
    const IoFlit flit = wire.front().flit;
    wire.pop_front();
    return flit;
  }
  static bool take(bool ready, const std::optional<Tlp>& tlp, std::deque<Tlp>& sent) {
    if (ready && tlp) sent.push_back(*tlp);
    return ready && tlp;
  }
  static void arrives(const std::optional<Tlp>& tlp, std::deque<Tlp>& sent, std::uint64_t& count) {
    if (!tlp) return;
    ++count;
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(*tlp, sent.front());
    sent.pop_front();
  }

  Ends& ends_;
  unsigned end_;
  Random& random_;
  IoLink far_;
  IoLink::In far_in_;
  unsigned latency_;
  std::deque<Flying> own_wire_, far_wire_;  // by receiver
  std::deque<Tlp> sent_, far_sent_;
  bool own_taken_ = false;
};

// Random latencies hide a livelock. Each TLP arrives once and in order; where the time-out is
// longer than the way there and back nothing is ever sent again, and where it is shorter the link
// still makes way.
TEST(IoLink, ConstantLatency) {
  constexpr std::uint64_t kCycles = 20000;
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    SCOPED_TRACE(::testing::Message() << "latency " << latency);
    Ends ends;
    Random random(ends.run.seed() + latency);
    std::vector<Steady> steady;
    for (unsigned g = 0; g < kEnds; ++g) steady.emplace_back(ends, g, latency, random);
    for (std::uint64_t cycle = 0; cycle < kCycles && ends.run.advance(); ++cycle) {
      for (Steady& s : steady) s.drive(cycle);
      ends.settle();
      for (Steady& s : steady) s.after(cycle);
      ends.edge();
      for (Steady& s : steady) s.edge_done();
    }
    for (unsigned g = 0; g < kEnds; ++g) {
      SCOPED_TRACE(::testing::Message() << "end " << g);
      // A replay memory of 4 lets 4 go there and back, and credits take the same way once more.
      const std::uint64_t least = kCycles / (2 * latency + 20);
      EXPECT_GT(steady[g].to_far, least);
      EXPECT_GT(steady[g].to_own, least);
      const bool patient = parameters(g).replay_timeout > 3 * latency + 50;
      constexpr unsigned kReplays = 1u << IoLink::kTimeoutReplay | 1u << IoLink::kReplayRollover;
      EXPECT_EQ(steady[g].errors & ~(patient ? 0 : kReplays), 0u);
    }
  }
}

IoFlit flit_of(const std::vector<std::uint8_t>& bytes) {
  IoFlit flit{};
  std::copy(bytes.begin(), bytes.end(), flit.begin());
  return flit;
}

// The flits of docs/blocks/cxl_io/README.md.
TEST(IoLink, GoldenFlits) {
  EXPECT_EQ(make_flit(AckNak{false, 0}), flit_of({0xf0, 0xac, 0x00, 0x00, 0x00, 0x00, 0xb3, 0x62}));
  EXPECT_EQ(make_flit(AckNak{true, 0xfff}),
            flit_of({0xf0, 0xac, 0x10, 0x00, 0x0f, 0xff, 0xce, 0xcf}));
  EXPECT_EQ(make_flit(FlowControl{FcKind::kInit1, FcClass::kPosted, 4, 8}),
            flit_of({0xf0, 0xac, 0x40, 0x01, 0x00, 0x08, 0xf2, 0x7e}));
  EXPECT_EQ(make_flit(FlowControl{FcKind::kInit1, FcClass::kCompletion, 0, 0}),
            flit_of({0xf0, 0xac, 0x60, 0x00, 0x00, 0x00, 0xd8, 0x92}));
  const SequencedTlp read{.sequence = 0, .tlp = {0x04, 0, 0, 1, 0, 0x08, 0, 0x0f, 1, 0, 0, 0}};
  EXPECT_EQ(make_flit(read), flit_of({0x5f, 0x00, 0x60, 0x00, 0x04, 0x00, 0x00, 0x01, 0x00, 0x08,
                                      0x00, 0x0f, 0x01, 0x00, 0x00, 0x00, 0x28, 0xe8, 0xc5, 0xcc}));
  const SequencedTlp write{.sequence = 0x123,
                           .tlp = {0x60, 0,    0,    0x01, 0,    0,    0x05, 0x0f, 0,    0,
                                   0x12, 0x34, 0x56, 0x78, 0x18, 0x08, 0xef, 0xbe, 0xad, 0xde}};
  EXPECT_EQ(make_flit(write), flit_of({0x7f, 0x00, 0xb1, 0x23, 0x60, 0x00, 0x00, 0x01, 0x00, 0x00,
                                       0x05, 0x0f, 0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x18, 0x08,
                                       0xef, 0xbe, 0xad, 0xde, 0x2f, 0x22, 0x05, 0xa0}));
  for (const SequencedTlp& tlp : {read, write}) EXPECT_EQ(classify(make_flit(tlp)), IoVerdict(tlp));
}

// One end, 0 unless told, with a peer of a few lines: what arrives is written out, what leaves is
// read.
class Hand {
 public:
  Ends ends;
  std::vector<IoVerdict> sent;  // idle flits left out
  unsigned errors = 0;          // all so far

  explicit Hand(unsigned end = 0) : end_(end) {
    ends.in[end] = {.link_up = true, .io_tx_ready = true};
  }
  void step() {
    ends.step();
    const IoLink::Out& out = ends.out[end_];
    if (out.io_tx && ends.in[end_].io_tx_ready) sent.push_back(classify(*out.io_tx));
    errors |= out.err;
    ends.in[end_].io_rx.reset();
    if (out.tlp_tx_ready) ends.in[end_].tlp_tx.reset();
  }
  void steps(unsigned n) {
    for (; n > 0; --n) step();
  }
  template <typename Packet>
  void receive(const Packet& packet) {
    ends.in[end_].io_rx = make_flit(packet);
    step();
  }
  void up(unsigned p_hdr = 8, unsigned p_data = 8) {
    for (const FcKind kind : {FcKind::kInit1, FcKind::kInit2}) {
      receive(FlowControl{kind, FcClass::kPosted, p_hdr, p_data});
      receive(FlowControl{kind, FcClass::kNonPosted, 1, 1});
      receive(FlowControl{kind, FcClass::kCompletion, 0, 0});
      steps(6);
    }
    steps(6);
    EXPECT_TRUE(ends.out[end_].dl_up);
    sent.clear();
  }
  [[nodiscard]] std::vector<unsigned> sequences() const {  // of the TLPs sent
    std::vector<unsigned> numbers;
    for (const IoVerdict& verdict : sent) {
      if (const auto* tlp = std::get_if<SequencedTlp>(&verdict)) numbers.push_back(tlp->sequence);
    }
    return numbers;
  }
  void offer(const Tlp& tlp) {
    ends.in[end_].tlp_tx = tlp;
    step();
  }
  unsigned errors_now() {
    steps(4);
    return std::exchange(errors, 0);
  }

 private:
  unsigned end_;
};

constexpr Tlp kWrite{0x40, 0, 0, 1, 0, 0, 0, 0xf, 0x12, 0x34, 0x56, 0x78, 1, 2, 3, 4};
constexpr Tlp kRead{0x00, 0, 0, 1, 0, 0, 0, 0xf, 0x12, 0x34, 0x56, 0x78};
using Sequences = std::vector<unsigned>;

TEST(IoLink, InitialisationAndUpdates) {
  Hand hand;
  hand.steps(8);  // InitFC1 of the three classes, over and over
  ASSERT_EQ(hand.sent.size(), 6u);
  for (unsigned i = 0; i < 6; ++i) {
    const unsigned credits[3][2] = {{4, 8}, {4, 4}, {0, 0}};
    EXPECT_EQ(hand.sent[i], IoVerdict(FlowControl{FcKind::kInit1, static_cast<FcClass>(i % 3),
                                                  credits[i % 3][0], credits[i % 3][1]}));
  }
  hand.receive(FlowControl{FcKind::kUpdate, FcClass::kPosted, 9, 9});  // ignored in Init1
  hand.receive(AckNak{false, 77});
  hand.receive(SequencedTlp{.tlp = kRead});
  for (const FcClass fc : {FcClass::kPosted, FcClass::kNonPosted, FcClass::kCompletion})
    hand.receive(FlowControl{FcKind::kInit1, fc, 1, 1});
  hand.steps(12);
  EXPECT_EQ(std::get<FlowControl>(hand.sent.back()).kind, FcKind::kInit2);
  hand.receive(FlowControl{FcKind::kInit1, FcClass::kPosted, 1, 1});
  hand.steps(12);
  EXPECT_FALSE(hand.ends.out[0].dl_up);
  hand.receive(FlowControl{FcKind::kInit2, FcClass::kPosted, 1, 1});
  hand.sent.clear();
  hand.steps(12);
  EXPECT_TRUE(hand.ends.out[0].dl_up);
  // The last two: UpdateFC of both classes, then silence.
  ASSERT_GE(hand.sent.size(), 2u);
  EXPECT_EQ(hand.sent.end()[-2], IoVerdict(FlowControl{FcKind::kUpdate, FcClass::kPosted, 4, 8}));
  EXPECT_EQ(hand.sent.back(), IoVerdict(FlowControl{FcKind::kUpdate, FcClass::kNonPosted, 4, 4}));
  EXPECT_EQ(hand.errors, 0u);
}

// Infinite credits: 0 in each InitFC, and nothing is ever sent again but what TLPs ask for.
TEST(IoLink, InfiniteCreditsNeedNoUpdates) {
  Hand hand(2);
  hand.steps(8);
  ASSERT_EQ(hand.sent.size(), 6u);
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(hand.sent[i],
              IoVerdict(FlowControl{FcKind::kInit1, static_cast<FcClass>(i % 3), 0, 0}));
  }
  hand.up();
  hand.steps(1000);  // over twice the refresh time
  EXPECT_TRUE(hand.sent.empty());
  hand.ends.in[2].tlp_rx_ready = true;
  hand.receive(SequencedTlp{.sequence = 0, .tlp = kWrite});
  hand.receive(SequencedTlp{.sequence = 1, .tlp = kRead});
  hand.steps(1000);
  EXPECT_EQ(hand.sent, (std::vector<IoVerdict>{AckNak{false, 0}, AckNak{false, 1}}));
  EXPECT_EQ(hand.errors, 0u);
}

TEST(IoLink, LatencyAndCredits) {
  Hand hand;
  hand.up(1, 1);
  hand.offer(kWrite);
  hand.steps(2);
  EXPECT_TRUE(hand.sent.empty());
  hand.step();
  EXPECT_EQ(hand.sequences(), Sequences{0});  // n + 3
  hand.offer(kWrite);
  hand.steps(20);
  EXPECT_EQ(hand.sequences(), Sequences{0});  // one header was granted
  hand.receive(FlowControl{FcKind::kUpdate, FcClass::kPosted, 2, 1});
  hand.steps(20);
  EXPECT_EQ(hand.sequences(), Sequences{0});  // and one DW of data
  hand.receive(FlowControl{FcKind::kUpdate, FcClass::kPosted, 2, 2});
  hand.steps(5);
  EXPECT_EQ(hand.sequences(), Sequences{0});
  hand.step();
  EXPECT_EQ(hand.sequences(), (Sequences{0, 1}));

  hand.ends.in[0].tlp_rx_ready = true;
  hand.receive(SequencedTlp{.tlp = kWrite});
  hand.steps(2);
  EXPECT_FALSE(hand.ends.out[0].tlp_rx);
  hand.sent.clear();
  hand.step();
  EXPECT_EQ(hand.ends.out[0].tlp_rx, kWrite);  // n + 3
  hand.steps(4);
  ASSERT_EQ(hand.sent.size(), 2u);
  EXPECT_EQ(hand.sent[0], IoVerdict(AckNak{false, 0}));
  EXPECT_EQ(hand.sent[1], IoVerdict(FlowControl{FcKind::kUpdate, FcClass::kPosted, 5, 9}));
}

// A limit may be at most half the range ahead: 128 headers, 2048 DW of data.
TEST(IoLink, HalfTheRangeOfCredits) {
  struct Case {
    unsigned header, data;  // ahead of what is used and the TLP at hand
    bool sent;
  };
  for (const Case c :
       {Case{0, 0, true}, Case{128, 0, true}, Case{129, 0, false}, Case{255, 0, false},
        Case{0, 2048, true}, Case{0, 2049, false}, Case{0, 4095, false}}) {
    Hand hand;
    hand.up(1, 1);
    hand.offer(kWrite);
    hand.steps(3);
    ASSERT_EQ(hand.sequences(), Sequences{0});
    hand.receive(
        FlowControl{FcKind::kUpdate, FcClass::kPosted, (2 + c.header) % 256, (2 + c.data) % 4096});
    hand.steps(4);
    hand.offer(kWrite);
    hand.steps(4);
    EXPECT_EQ(hand.sequences(), (c.sent ? Sequences{0, 1} : Sequences{0}))
        << c.header << " headers, " << c.data << " DW ahead";
  }
}

// A session of more TLPs than any counter of it holds: each goes when its credit comes and not
// before, whichever of header and data it is that is short; and what was taken is told as credits
// that go round at 256 headers and 4096 DW.
TEST(IoLink, CreditsGoRound) {
  for (const bool data_short : {false, true}) {
    const unsigned hdr_ahead = data_short ? 64 : 0, data_ahead = 64 - hdr_ahead;
    Hand hand;
    hand.up(1 + hdr_ahead, 1 + data_ahead);
    hand.ends.in[0].tlp_rx_ready = true;
    for (unsigned n = 0; n < (data_short ? 4200 : 600); ++n) {
      hand.sent.clear();
      hand.offer(kWrite);
      hand.steps(3);
      ASSERT_EQ(hand.sequences(), (n == 0 ? Sequences{0} : Sequences{})) << n;
      if (n == 0) continue;  // the credits of the initialisation
      hand.receive(FlowControl{FcKind::kUpdate, FcClass::kPosted, (n + 1 + hdr_ahead) % 256,
                               (n + 1 + data_ahead) % 4096});
      hand.steps(8);
      ASSERT_EQ(hand.sequences(), Sequences{n % 4096});
      hand.receive(AckNak{false, n % 4096});
      hand.steps(2);
      hand.receive(SequencedTlp{.sequence = (n - 1) % 4096, .tlp = kWrite});
      hand.steps(6);
      const FlowControl update{FcKind::kUpdate, FcClass::kPosted, (4 + n) % 256, (8 + n) % 4096};
      ASSERT_EQ(hand.sent.back(), IoVerdict(update)) << n;
    }
    EXPECT_EQ(hand.errors_now(), 0u);
  }
}

TEST(IoLink, ReplayForNaks) {
  Hand hand;
  hand.up();
  for (unsigned i = 0; i < 3; ++i) {
    hand.offer(kWrite);
    hand.step();
  }
  hand.steps(4);
  EXPECT_EQ(hand.sequences(), (Sequences{0, 1, 2}));
  hand.sent.clear();
  hand.receive(AckNak{true, 0});
  EXPECT_EQ(hand.errors_now(), 1u << IoLink::kNakReplay);
  hand.steps(8);
  EXPECT_EQ(hand.sequences(), (Sequences{1, 2}));
  // Progress before; the fourth in a row without any rolls over.
  for (unsigned i = 0; i < 2; ++i) {
    hand.receive(AckNak{true, 0});
    EXPECT_EQ(hand.errors_now(), 1u << IoLink::kNakReplay);
  }
  hand.receive(AckNak{true, 0});
  EXPECT_EQ(hand.errors_now(), 1u << IoLink::kNakReplay | 1u << IoLink::kReplayRollover);
  // Not so if the fourth acknowledges something.
  for (const unsigned number : {0u, 0u, 0u, 1u}) {
    hand.receive(AckNak{true, number});
    EXPECT_EQ(hand.errors_now(), 1u << IoLink::kNakReplay);
  }
  hand.receive(AckNak{true, 3});  // not sent yet
  EXPECT_EQ(hand.errors_now(), 1u << IoLink::kAckRange);
  hand.receive(AckNak{true, 2});  // all of it: nothing to repeat
  hand.steps(4);
  hand.sent.clear();
  hand.steps(300);  // the time-out does not run
  EXPECT_EQ(hand.sequences(), Sequences{});
  EXPECT_EQ(hand.errors, 0u);
}

// The replay buffer (4) fills while a TLP waits for room, and an Ack or a Nak of the first comes in
// each cycle of it: with a TLP chosen, sent, at full and before. Nothing is lost, none is out of
// order.
TEST(IoLink, AckAndNakMeetEachSend) {
  for (const bool nak : {false, true}) {
    for (unsigned offset = 0; offset < 16; ++offset) {
      SCOPED_TRACE(::testing::Message() << (nak ? "Nak" : "Ack") << " after " << offset);
      Hand hand;
      hand.up();
      unsigned offered = 0, waited = 0;
      bool answered = false;
      for (unsigned k = 0; k < 60; ++k) {
        IoLink::In& in = hand.ends.in[0];
        if (!in.tlp_tx && offered < 6) {
          in.tlp_tx = kWrite;
          ++offered;
        }
        if (!answered && !hand.sequences().empty() && waited++ == offset) {
          hand.receive(AckNak{nak, 0});
          answered = true;
        } else {
          hand.step();
        }
      }
      // One place was free again: 4 has left, 5 waits. After a Nak what stood behind 0 went again.
      std::vector<unsigned> first;
      for (const unsigned number : hand.sequences()) {
        if (first.empty() || number == first.back() + 1) first.push_back(number);
      }
      EXPECT_EQ(first, (Sequences{0, 1, 2, 3, 4}));
      EXPECT_EQ(hand.sequences().back(), 4u);
      EXPECT_EQ(hand.sequences().size() > 5, nak);
      EXPECT_EQ(hand.errors & ~(1u << IoLink::kNakReplay), 0u);
      hand.sent.clear();
      hand.receive(AckNak{false, 4});
      hand.steps(20);
      EXPECT_EQ(hand.sequences(), Sequences{5});
      hand.receive(AckNak{false, 5});
      hand.sent.clear();
      hand.steps(200);  // the time-out is 150
      EXPECT_EQ(hand.sequences(), Sequences{});
    }
  }
}

TEST(IoLink, ReplayForATimeout) {
  for (const auto& [end, timeout] : {std::pair{0u, 150u}, std::pair{3u, 6144u}}) {
    Hand hand(end);
    hand.up();
    hand.offer(kRead);
    unsigned cycles = 0;
    while (hand.errors == 0 && cycles < 7000) hand.step(), ++cycles;
    // In pend, chosen, the cycles of the timer, the pulse.
    EXPECT_EQ(cycles, 1u + timeout + 1u);
    EXPECT_EQ(hand.errors, 1u << IoLink::kTimeoutReplay);
    hand.steps(4);
    EXPECT_EQ(hand.sequences(), (Sequences{0, 0}));
  }
}

TEST(IoLink, ReceivedInOrderOnly) {
  Hand hand;
  hand.up();
  hand.receive(SequencedTlp{.sequence = 1, .tlp = kRead});
  hand.receive(SequencedTlp{.sequence = 2, .tlp = kRead});
  EXPECT_EQ(hand.errors_now(), 1u << IoLink::kDamagedTlp);
  EXPECT_EQ(hand.sent, (std::vector<IoVerdict>{AckNak{true, 0xfff}}));  // one Nak
  hand.receive(SequencedTlp{.sequence = 0, .tlp = kRead});
  hand.receive(SequencedTlp{.sequence = 0, .tlp = kWrite});  // a duplicate
  hand.receive(SequencedTlp{.sequence = 0xfff, .tlp = kWrite});
  EXPECT_EQ(hand.errors_now(), 0u);
  EXPECT_EQ(hand.ends.out[0].tlp_rx, kRead);
  Tlp digest = kRead;
  digest[2] |= 0x80;
  hand.receive(SequencedTlp{.sequence = 1, .tlp = digest});
  EXPECT_EQ(hand.errors_now(), 1u << IoLink::kMalformed);
  for (unsigned i = 0; i < 11; ++i) hand.receive(SequencedTlp{.sequence = 2 + i, .tlp = kRead});
  EXPECT_EQ(hand.errors_now(), 0u);
  hand.receive(SequencedTlp{.sequence = 13, .tlp = kRead});  // the queue holds 12
  EXPECT_EQ(hand.errors_now(), 1u << IoLink::kNoRoom);
  hand.step();
  EXPECT_EQ(hand.sent.back(), IoVerdict(AckNak{false, 13}));
}

// Longer than any that this design sends: taken, acknowledged, its credits given back.
class LongTlps : public ::testing::Test {
 protected:
  Hand hand;
  IoStream stream;

  LongTlps() {
    hand.up();
    hand.ends.in[0].tlp_rx_ready = true;
  }
  // The TLPs handed up, and in hand.sent what was sent for it.
  std::vector<Tlp> receive() {
    std::vector<Tlp> tlps;
    std::deque<Flit> flits = stream.flits();
    hand.sent.clear();
    hand.errors = 0;
    for (std::size_t n = flits.size() + 12; n > 0; --n) {
      if (!flits.empty()) {
        hand.ends.in[0].io_rx = flits.front();
        flits.pop_front();
      }
      hand.step();
      if (hand.ends.out[0].tlp_rx) tlps.push_back(*hand.ends.out[0].tlp_rx);
      const auto& header = hand.ends.out[0].err_hdr;
      if (hand.ends.out[0].err != 0) std::copy(header.begin(), header.end(), refused_.begin());
    }
    return tlps;
  }
  static Tlp first_bytes(const Dws& dws, std::size_t n) {
    Tlp tlp{};
    for (std::size_t i = 0; i < 4 * n; ++i)
      tlp[i] = static_cast<std::uint8_t>(dws[i / 4] >> (8 * (i % 4)));
    return tlp;
  }

  Tlp refused_{};  // the header that came with the last error
};

// MsgD of 8 DW, the first TLP of a CXL host: PH 1, PD 1.
TEST_F(LongTlps, PowerManagementMessage) {
  const Dws message = message_with_data(0x7e, 0x1e98, 0x68, 4);
  stream.tlp(0, message);
  EXPECT_EQ(receive(), std::vector<Tlp>{first_bytes(message, 6)});
  EXPECT_EQ(hand.sent,
            (std::vector<IoVerdict>{AckNak{false, 0},
                                    FlowControl{FcKind::kUpdate, FcClass::kPosted, 5, 9}}));
  EXPECT_EQ(hand.errors, 0u);
}

// 128 bytes over three flits and 2 DW of idle symbols before: PH 1, PD 8. With an ECRC or without.
TEST_F(LongTlps, WriteOfMaxPayloadSize) {
  for (const bool digest : {false, true}) {
    Dws write = memory_write(0x1234'5600, 32);
    if (digest) {
      write[0] |= 0x80'0000;
      write.push_back(0xdead'beef);
    }
    stream.idle(2);
    stream.tlp(digest, write);
    EXPECT_EQ(receive(), std::vector<Tlp>{first_bytes(write, 5)});
    EXPECT_EQ(hand.sent, (std::vector<IoVerdict>{AckNak{false, digest},
                                                 FlowControl{FcKind::kUpdate, FcClass::kPosted,
                                                             5u + digest, 16u + 8 * digest}}));
    EXPECT_EQ(hand.errors, 0u);
  }
}

TEST_F(LongTlps, TwoInARowAndOneAcrossAFlit) {
  const Dws first = message_with_data(0x7e, 0x1e98, 0x68, 4), second = memory_write(0x100, 9);
  stream.tlp(0, first);
  stream.tlp(1, second);
  EXPECT_EQ(receive(), (std::vector<Tlp>{first_bytes(first, 6), first_bytes(second, 5)}));
  EXPECT_EQ(hand.errors, 0u);
}

TEST_F(LongTlps, WrongLcrcAsksForANak) {
  stream.tlp(0, memory_write(0x100, 32), IoStream::Lcrc::kWrong);
  EXPECT_EQ(receive(), std::vector<Tlp>{});
  EXPECT_EQ(hand.sent, (std::vector<IoVerdict>{AckNak{true, 0xfff}}));
  EXPECT_EQ(hand.errors, 1u << IoLink::kDamagedTlp);
  stream.tlp(1, memory_write(0x100, 32));  // out of order: no second Nak
  EXPECT_EQ(receive(), std::vector<Tlp>{});
  EXPECT_EQ(hand.sent, std::vector<IoVerdict>{});
}

// PCIe 5.0 3.6.3.1: inverted LCRC and EDB: as if it had never been sent. One without the other is
// damage. 14 DW end with the flit when they begin in DW 2; EDB is then the next flit's first.
TEST_F(LongTlps, Nullified) {
  const Dws write = memory_write(0x100, 9);  // 14 DW on the wire
  for (const unsigned before : {0u, 1u, 2u, 3u, 9u}) {
    stream.idle(before);
    stream.tlp(0, write, IoStream::Lcrc::kInverted);
    stream.edb();
    EXPECT_EQ(receive(), std::vector<Tlp>{}) << before;
    EXPECT_EQ(hand.sent, std::vector<IoVerdict>{}) << before;
    EXPECT_EQ(hand.errors, 0u) << before;
  }
  stream.tlp(0, write, IoStream::Lcrc::kInverted);
  stream.edb();
  stream.tlp(0, write);  // right behind it, with the same number
  EXPECT_EQ(receive(), std::vector<Tlp>{first_bytes(write, 5)});
  EXPECT_EQ(hand.errors, 0u);
  stream.tlp(1, write, IoStream::Lcrc::kInverted);
  EXPECT_EQ(receive(), std::vector<Tlp>{});
  EXPECT_EQ(hand.errors, 1u << IoLink::kDamagedTlp) << "no EDB";
  EXPECT_EQ(hand.sent, (std::vector<IoVerdict>{AckNak{true, 0}}));
  stream.tlp(1, write);
  EXPECT_EQ(receive().size(), 1u);
  stream.tlp(2, write);
  stream.edb();
  EXPECT_EQ(receive(), std::vector<Tlp>{});
  EXPECT_EQ(hand.errors, 1u << IoLink::kDamagedTlp) << "EDB behind a right LCRC";
}

// PCIe 5.0 4.2.2.3.3: a DW that is no token where one is due is a framing error, which asks for
// Recovery; damage inside of a packet is none. No symbol of the flit behind it counts.
TEST_F(LongTlps, FramingError) {
  constexpr unsigned kBoth = 1u << IoLink::kDamagedTlp | 1u << IoLink::kFraming;
  const Dws write = memory_write(0x100, 1);
  for (const std::uint32_t dw : {0x0000'0001u, 0x0000'acf1u, 0xc0c0'c0c0u, 0x0060'005eu}) {
    stream.idle(3);
    stream.dw(dw);
    stream.tlp(0, write);
    EXPECT_EQ(receive(), std::vector<Tlp>{});
    EXPECT_EQ(hand.errors, kBoth) << std::hex << dw;
  }
  EXPECT_EQ(hand.sent, std::vector<IoVerdict>{}) << "the first asked for the Nak";
  stream.tlp(0, write, IoStream::Lcrc::kWrong);
  EXPECT_EQ(receive(), std::vector<Tlp>{});
  EXPECT_EQ(hand.errors, 1u << IoLink::kDamagedTlp);
  stream.tlp(0, write, IoStream::Lcrc::kRight, 1040);  // no TLP is as long
  EXPECT_EQ(receive(), std::vector<Tlp>{});
  EXPECT_EQ(hand.errors, kBoth);
  stream.tlp(0, write);
  EXPECT_EQ(receive(), std::vector<Tlp>{first_bytes(write, 4)});
  EXPECT_EQ(hand.errors, 0u);
}

// Before the credits are there nothing but InitFC counts, and a framing error is none.
TEST(IoLink, NoFramingErrorInInit1) {
  Hand hand;
  hand.steps(8);
  IoFlit flit{};
  flit[0] = 1;
  hand.ends.in[0].io_rx = flit;
  hand.step();
  EXPECT_EQ(hand.errors_now(), 0u);
}

// Malformed TLPs are acknowledged, dropped and reported: more data than Max_Payload_Size, a length
// that is not that of the header, a prefix.
TEST_F(LongTlps, Malformed) {
  Dws shorter = memory_write(0x100, 9);
  shorter.pop_back();
  Dws no_digest = memory_write(0x100, 9);
  no_digest[0] |= 0x80'0000;
  Dws prefix = memory_write(0x100, 9);
  prefix[0] |= 0x80;
  unsigned sequence = 0;
  for (const Dws& tlp : {memory_write(0x100, 33), memory_write(0x100, 64),
                         memory_write(0x100, 1024), shorter, no_digest, prefix}) {
    stream.tlp(sequence, tlp);
    EXPECT_EQ(receive(), std::vector<Tlp>{});
    EXPECT_EQ(hand.sent, (std::vector<IoVerdict>{AckNak{false, sequence}}));
    EXPECT_EQ(hand.errors, 1u << IoLink::kMalformed);
    EXPECT_EQ(refused_, first_bytes(tlp, 3)) << "header for the log";
    ++sequence;
  }
}

// A DLLP that arrives just before a reset counts for nothing, though the link below stays up.
TEST(IoLink, ResetForgetsWhatArrived) {
  Hand hand;
  hand.up();
  hand.receive(FlowControl{FcKind::kInit1, FcClass::kCompletion, 0, 0});
  hand.ends.reset();
  hand.sent.clear();
  hand.receive(FlowControl{FcKind::kInit1, FcClass::kPosted, 8, 8});
  hand.receive(FlowControl{FcKind::kInit1, FcClass::kNonPosted, 1, 1});
  hand.steps(12);
  EXPECT_FALSE(hand.sent.empty());
  for (const IoVerdict& verdict : hand.sent) {
    const auto* fc = std::get_if<FlowControl>(&verdict);
    ASSERT_NE(fc, nullptr);
    EXPECT_EQ(fc->kind, FcKind::kInit1) << "initialised without credits of all classes";
  }
}

// The flit that a lost link left at the output is offered until the link is up again.
TEST(IoLink, LastFlitOfALostLink) {
  Hand hand;
  hand.up();
  hand.ends.in[0].io_tx_ready = false;
  hand.offer(kRead);
  hand.steps(4);
  ASSERT_TRUE(hand.ends.out[0].io_tx.has_value());
  const IoFlit flit = *hand.ends.out[0].io_tx;
  hand.ends.in[0].link_up = false;
  hand.steps(3);
  EXPECT_EQ(hand.ends.out[0].io_tx, flit);
  hand.ends.in[0].link_up = true;
  hand.step();
  EXPECT_FALSE(hand.ends.out[0].io_tx.has_value());
  hand.step();
  EXPECT_FALSE(hand.ends.out[0].io_tx.has_value());
  hand.step();
  ASSERT_TRUE(hand.ends.out[0].io_tx.has_value());
  EXPECT_EQ(classify(*hand.ends.out[0].io_tx),
            IoVerdict(FlowControl{FcKind::kInit1, FcClass::kPosted, 4, 8}));
}

}  // namespace
}  // namespace cxlgpu::test
