// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// host_responder in lockstep with its twin: every request in and out of its memory, every policy,
// snoops with every answer, errors, and messages that nothing asked for.
#include "refmodel/cache/host_responder.hpp"

#include <set>

#include "Vhost_responder.h"
#include "tests/cache/agent_ports.hpp"
#include "tests/common/idle.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_cache.hpp"

namespace cxlgpu::test {
namespace {

using Op = flits::D2hReqOpcode;
using Rsp = flits::H2dRspOpcode;

constexpr unsigned kLines = 16;

struct Mix {
  unsigned request, snoop, answer, wrong, stall, error;  // percent
};
constexpr Mix kMixes[] = {{60, 10, 60, 0, 0, 5},  {90, 30, 90, 0, 20, 0}, {60, 60, 50, 10, 30, 20},
                          {20, 90, 40, 2, 50, 0}, {90, 0, 90, 1, 0, 50},  {50, 50, 30, 50, 10, 5},
                          {80, 20, 80, 60, 60, 0}};

class Surroundings {
 public:
  explicit Surroundings(Random& random) : random_(random) {}

  HostResponder::In next(const Mix& mix) {
    HostResponder::In in;
    if (!snoop_) {
      snoop_ = random_.percent(mix.snoop);
      snoop_op_ = static_cast<unsigned>(1 + random_.below(3));
      snoop_line_ = line();
    }
    in.snp_valid = snoop_;
    in.snp_op = snoop_op_;
    in.snp_line = snoop_line_;
    in.policy = {random_.percent(30), random_.percent(50), random_.percent(50), random_.percent(50),
                 random_.percent(mix.error)};
    for (bool& ready : in.link.tx_ready) ready = !random_.percent(mix.stall);
    if (!requested_) {
      requested_ = random_.percent(mix.request);
      request_ = request();
    }
    in.link.rx_valid[kCreq] = requested_;
    in.link.rx_creq_hdr = request_;
    in.link.rx_valid[kCrsp] = random_.percent(snooping_ ? mix.answer : mix.wrong / 2);
    flits::D2hRsp rsp{.opcode = snoop_answer(mix), .uqid = uqid(mix)};
    in.link.rx_crsp_hdr = with_noise(random_, flits::pack(rsp), flits::low_mask(18));
    in.link.rx_valid[kCdat] = random_.percent(pulling_ ? mix.answer : mix.answer / 8);
    flits::D2hDh data{
        .uqid = uqid(mix), .bogus = random_.percent(10), .poison = random_.percent(20)};
    in.link.rx_cdat.header = with_noise(random_, flits::pack(data), kDataBits);
    in.link.rx_cdat.data = random_payload(random_);
    // Snooped lines come whole; without a message the enables are anything.
    const bool whole = in.link.rx_valid[kCdat] && !pulling_;
    in.link.rx_cdat.enables = whole ? kAllEnables : random_enables(random_, 40);
    return in;
  }

  void observe(const HostResponder::In& in, const HostResponder::Out& out) {
    if (in.snp_valid && out.snp_ready) snoop_ = false;
    if (in.link.rx_valid[kCreq] && out.link.rx_creq_ready) requested_ = false;
    if (out.snp_ready) pulling_ = false;
    if (out.done) snooping_ = false;
    if (out.link.tx_valid[kCreq]) {
      uqid_ = flits::unpack<flits::H2dReq>(out.link.tx_creq_hdr).uqid;
      snooping_ = true;
    }
    if (!out.link.tx_valid[kCrsp]) return;
    const auto rsp = flits::unpack<flits::H2dRsp>(out.link.tx_crsp_hdr);
    const bool pull = rsp.opcode == Rsp::WritePull || rsp.opcode == Rsp::GoWritePull ||
                      rsp.opcode == Rsp::FastGoWritePull || rsp.opcode == Rsp::GoErrWritePull;
    if (pull) uqid_ = rsp.rsp_data;
    pulling_ |= pull;
  }

 private:
  static constexpr MsgHeader kDataBits = 0xDFFF;  // valid, UQID, Bogus, Poison
  // Valid, opcode, CQID, address; NT and the rest are noise.
  static constexpr MsgHeader kReqBits = flits::low_mask(18) | flits::low_mask(46) << 26;

  std::uint64_t line() {
    if (random_.percent(5)) return random_.bits(46);
    return random_.percent(5) ? std::uint64_t{1} << random_.below(46) : random_.below(kLines + 2);
  }
  MsgHeader request() {
    flits::D2hReq req{.opcode = static_cast<Op>(1 + random_.below(16)),
                      .cqid = static_cast<std::uint16_t>(random_.bits(12)),
                      .address = line() << 6};
    if (random_.percent(3)) req.opcode = static_cast<Op>(random_.bits(5));
    return with_noise(random_, flits::pack(req), kReqBits);
  }
  std::uint16_t uqid(const Mix& mix) {
    if (!random_.percent(mix.wrong)) return uqid_;
    const std::uint64_t others[] = {uqid_ + 1u, uqid_ ^ 1u << random_.below(12), random_.bits(12)};
    return static_cast<std::uint16_t>(random_.pick(others) & 0xFFF);
  }
  flits::D2hRspOpcode snoop_answer(const Mix& mix) {
    if (random_.percent(mix.wrong)) return static_cast<flits::D2hRspOpcode>(random_.bits(5));
    const auto& names = flits::NamesOf<flits::D2hRspOpcode>::table;
    return names[random_.below(names.size())].value;
  }

  Random& random_;
  bool snoop_ = false, requested_ = false;
  unsigned snoop_op_ = 0;
  std::uint64_t snoop_line_ = 0;
  MsgHeader request_ = 0;
  std::uint16_t uqid_ = 0;
  bool pulling_ = false, snooping_ = false;
};

void drive(Vhost_responder& v, const HostResponder::In& in, Idle& idle) {
  v.snp_valid_i = in.snp_valid;
  v.snp_op_i = in.snp_op;
  v.snp_addr_i = in.snp_line;
  if (!in.snp_valid) idle.fill(v.snp_addr_i, 0, 46);
  v.drop_i = in.policy.drop;
  v.any_shared_i = in.policy.any_shared;
  v.own_modified_i = in.policy.own_modified;
  v.data_first_i = in.policy.data_first;
  v.error_i = in.policy.error;
  drive_channels(v, in.link);
}

void compare(Lockstep& run, const Vhost_responder& v, const HostResponder::In& in,
             const HostResponder::Out& out) {
  run.check("snp_ready_o", v.snp_ready_o, out.snp_ready);
  run.check("err_o", v.err_o, out.err);
  const HostResponder::Done done = out.done.value_or(HostResponder::Done{});  // 0 otherwise
  run.check("snp_done_o", v.snp_done_o, out.done.has_value());
  run.check("snp_rsp_o", v.snp_rsp_o, done.rsp);
  run.check_bytes("snp_data_o", get_line(v.snp_data_o), done.data);
  run.check("snp_poison_o", v.snp_poison_o, done.poison);
  compare_channels(run, v, in.link, out.link);
}

// Every request, inside and outside the memory; every snoop with every answer that it may have.
class Coverage {
 public:
  void note(const HostResponder::In& in, const HostResponder::Out& out) {
    if (out.done) snoops_.insert({snoop_, out.done->rsp});
    if (in.snp_valid && out.snp_ready) snoop_ = in.snp_op;
    errors_ += out.err ? 1 : 0;
    if (!in.link.rx_valid[kCreq] || !out.link.rx_creq_ready) return;
    const auto req = flits::unpack<flits::D2hReq>(in.link.rx_creq_hdr);
    if (flits::is_defined(req.opcode)) {
      requests_.insert({req.opcode, req.address >> 6 < kLines, in.policy.error});
    }
  }
  void expect_full() const {
    EXPECT_EQ(requests_.size(), 15u * 4);
    EXPECT_EQ(snoops_.size(), 5u + 3 + 7);
    EXPECT_GT(errors_, 1000u);
  }

 private:
  unsigned snoop_ = 0;
  std::set<std::tuple<Op, bool, bool>> requests_;
  std::set<std::pair<unsigned, unsigned>> snoops_;
  std::uint64_t errors_ = 0;
};

void look(PairBins& pairs, const HostResponder& twin, const HostResponder::In& in,
          const HostResponder::Out& out) {
  const auto leaves = [&](unsigned channel) {
    return out.link.tx_valid[channel] && in.link.tx_ready[channel];
  };
  pairs.look(twin.phase(), {in.snp_valid, in.link.rx_valid[kCreq], in.link.rx_valid[kCrsp],
                            in.link.rx_valid[kCdat], leaves(kCreq), leaves(kCrsp), leaves(kCdat)});
}

TEST(HostResponder, Lockstep) {
  PairBins pairs(coverage::host_responder_pairs());
  Lockstep run("cache/host_responder", 82);
  Random random(run.seed());
  Clocked<Vhost_responder> rtl;
  HostResponder twin(kLines);
  Idle idle;
  drive(*rtl, {}, idle);
  rtl.reset();
  Surroundings around(random);
  Coverage coverage;
  Mix mix = kMixes[0];
  while (run.next()) {
    if (run.cycle() % 512 == 0) mix = random.pick(kMixes);
    const HostResponder::In in = around.next(mix);
    drive(*rtl, in, idle);
    rtl.settle();
    const HostResponder::Out out = twin.eval(in);
    compare(run, *rtl, in, out);
    coverage.note(in, out);
    look(pairs, twin, in, out);
    around.observe(in, out);
    rtl.edge();
    twin.clock(in);
  }
  if (run.ok() && run.cycle() > 100000) coverage.expect_full();
}

// -------------------------------------------------------------------------- by hand, RTL only

constexpr MsgHeader bit(unsigned n) {
  return MsgHeader{1} << n;
}
constexpr unsigned kPoisonIn = 15, kBogusIn = 14, kPoisonOut = 14;  // D2H and H2D data header

// One host whose device is the test, which takes all that is offered.
class Hand {
 public:
  Hand() {
    drive(*rtl_, {}, idle_);
    rtl_.reset();
    in.link.tx_ready = {true, true, true};
  }
  void step() {
    drive(*rtl_, in, idle_);
    rtl_.settle();
    if (rtl_->tx_creq_valid_o) {
      uqid = static_cast<unsigned>(get_field(rtl_->tx_creq_hdr_o, 0, 79) >> 50 & 0xFFF);
    }
    if (rtl_->tx_crsp_valid_o) uqid = static_cast<unsigned>(rtl_->tx_crsp_hdr_o >> 5 & 0xFFF);
    if (rtl_->tx_cdat_valid_o) {
      header = get_field(rtl_->tx_cdat_hdr_o, 0, 24);
      data = get_line(rtl_->tx_cdat_data_o);
    }
    if (rtl_->snp_done_o) poison = rtl_->snp_poison_o, data = get_line(rtl_->snp_data_o);
    EXPECT_FALSE(rtl_->err_o);
    EXPECT_TRUE(rtl_->snp_done_o || !rtl_->snp_poison_o);
    rtl_.edge();
    in.snp_valid = false;
    in.link.rx_valid = {};
  }
  void steps(unsigned n) {
    while (n-- > 0) step();
  }
  void reset() { rtl_.reset(); }
  void request(Op op, std::uint64_t line) {
    in.link.rx_valid[kCreq] = true;
    in.link.rx_creq_hdr = 1 | MsgHeader{unsigned(op)} << 1 | MsgHeader{line} << 26;
    steps(4);
  }
  void give(const Line& line, std::uint64_t enables, MsgHeader marks) {
    in.link.rx_valid[kCdat] = true;
    in.link.rx_cdat = {1 | MsgHeader{uqid} << 1 | marks, line, enables};
    steps(4);
  }
  void write(Op op, std::uint64_t line, const Line& with, std::uint64_t enables, MsgHeader marks) {
    request(op, line);
    give(with, enables, marks);
  }
  // Poison of the line as a read of it brings it.
  bool read(std::uint64_t line) {
    request(Op::RdCurr, line);
    EXPECT_EQ(header & ~bit(kPoisonOut), MsgHeader{1});
    return (header & bit(kPoisonOut)) != 0;
  }
  // Of the data that the snoop brings.
  bool snoop(unsigned op, std::uint64_t line, unsigned answer, bool data_first, MsgHeader marks) {
    in.snp_valid = true;
    in.snp_op = op;
    in.snp_line = line;
    steps(3);
    poison = false;
    const auto answers = [&] {
      in.link.rx_valid[kCrsp] = true;
      in.link.rx_crsp_hdr = 1 | MsgHeader{answer} << 1 | MsgHeader{uqid} << 6;
      step();
    };
    if (!data_first) answers();
    in.link.rx_valid[kCdat] = true;
    in.link.rx_cdat = {1 | MsgHeader{uqid} << 1 | marks, line_of(0xAB), kAllEnables};
    step();
    if (data_first) answers();
    steps(3);
    EXPECT_EQ(data, line_of(0xAB));
    return poison;
  }
  static Line line_of(std::uint8_t byte) {
    Line line;
    line.fill(byte);
    return line;
  }

  HostResponder::In in;
  unsigned uqid = 0;
  MsgHeader header = 0;
  Line data{};
  bool poison = false;

 private:
  Clocked<Vhost_responder> rtl_;
  Idle idle_;
};

// CXL 2.0, 3.2: what the device writes with Poison is read with it, until it writes the whole line
// without.
TEST(HostResponder, PoisonStaysWithTheLine) {
  Hand host;
  const Line line = Hand::line_of(0x11);
  EXPECT_FALSE(host.read(3));
  host.write(Op::ItoMWr, 3, line, kAllEnables, bit(kPoisonIn));
  EXPECT_TRUE(host.read(3));
  EXPECT_EQ(host.data, line);
  EXPECT_FALSE(host.read(4));
  host.write(Op::WOWrInv, 3, line, 0xff, 0);  // some bytes
  EXPECT_TRUE(host.read(3));
  host.write(Op::DirtyEvict, 3, line, kAllEnables, bit(kBogusIn));  // nothing is written
  EXPECT_TRUE(host.read(3));
  host.write(Op::WrInv, 3, line, kAllEnables, 0);
  EXPECT_FALSE(host.read(3));
  host.write(Op::DirtyEvict, 3, line, kAllEnables, bit(kBogusIn) | bit(kPoisonIn));
  EXPECT_FALSE(host.read(3));
  host.write(Op::WOWrInv, 3, line, 0xff, bit(kPoisonIn));  // some bytes make the line bad
  EXPECT_TRUE(host.read(3));
  host.in.policy.error = true;  // an error is no poison, and a refused write writes none
  host.request(Op::RdOwn, 3);
  EXPECT_EQ(host.header, MsgHeader{1} | bit(15));
  host.write(Op::WrInv, 3, line, kAllEnables, 0);
  host.in.policy.error = false;
  EXPECT_TRUE(host.read(3));
}

// A reset ends what was written: bytes that no one has written since are zero, beside others too.
TEST(HostResponder, NothingOfBeforeAReset) {
  Hand host;
  host.write(Op::WrInv, 7, Hand::line_of(0x11), kAllEnables, 0);
  host.reset();
  host.read(7);
  EXPECT_EQ(host.data, Line{});
  host.write(Op::WOWrInv, 7, Hand::line_of(0x22), 0xff, 0);
  host.read(7);
  Line line{};
  std::fill_n(line.begin(), 8, std::uint8_t{0x22});
  EXPECT_EQ(host.data, line);
}

// A snooped line with Poison: told to who snooped, and kept if memory is written.
TEST(HostResponder, PoisonOfASnoopedLine) {
  constexpr unsigned kRspSFwdM = 7, kRspIFwdM = 15, kRspVFwdV = 22;
  Hand host;
  for (const bool data_first : {false, true}) {
    EXPECT_TRUE(host.snoop(3, 5, kRspVFwdV, data_first, bit(kPoisonIn)));
    EXPECT_FALSE(host.read(5));  // memory is not written
    EXPECT_TRUE(host.snoop(1, 5, kRspSFwdM, data_first, bit(kPoisonIn)));
    EXPECT_TRUE(host.read(5));
    EXPECT_FALSE(host.snoop(3, 5, kRspVFwdV, data_first, 0));
    EXPECT_TRUE(host.read(5));
    EXPECT_FALSE(host.snoop(2, 5, kRspIFwdM, data_first, 0));
    EXPECT_FALSE(host.read(5));
  }
  EXPECT_TRUE(host.snoop(2, 1 << 20, kRspIFwdM, false, bit(kPoisonIn)));  // beyond memory
}

}  // namespace
}  // namespace cxlgpu::test
