// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// device_agent in lockstep with its twin: random commands on a few lines, a host that answers what
// was asked in any order, snoops, errors, and messages that nothing asked for.
#include "refmodel/cache/device_agent.hpp"

#include <map>
#include <optional>
#include <set>

#include "Vdevice_agent.h"
#include "flits/messages.hpp"
#include "tests/cache/agent_ports.hpp"
#include "tests/common/idle.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_cache.hpp"

namespace cxlgpu::test {
namespace {

using Op = flits::D2hReqOpcode;
using Rsp = flits::H2dRspOpcode;

constexpr unsigned kLines = 4;
constexpr std::uint64_t kLineMask = (std::uint64_t{1} << 46) - 1;

struct Mix {
  unsigned command, snoop, respond, wrong, stall;  // percent
  unsigned pool;                                   // lines in use
  unsigned invalidate;                             // percent of the snoops that are SnpInv
};
constexpr Mix kMixes[] = {
    {60, 10, 60, 0, 0, 4, 30},  {90, 30, 90, 0, 20, 2, 30},  {60, 5, 50, 10, 30, 8, 20},
    {50, 50, 40, 2, 50, 3, 20}, {90, 0, 90, 1, 0, 6, 0},     {50, 60, 90, 0, 0, 4, 90},
    {90, 30, 30, 5, 10, 1, 50}, {70, 20, 70, 50, 10, 5, 30}, {70, 60, 70, 60, 60, 3, 30}};

// The inputs of each cycle. It sees what the twin offers.
class Surroundings {
 public:
  explicit Surroundings(Random& random) : random_(random) {}

  DeviceAgent::In next(const Mix& mix) {
    // To the upper end of memory and back, so that what the agent holds at one is reached again.
    if (++calls_ % 4000 == 0) region_ ^= kLineMask & ~std::uint64_t{3};
    DeviceAgent::In in;
    if (!command_ && random_.percent(mix.command)) command_ = command(mix);
    if (command_) {
      in.cmd_valid = true;
      in.cmd = *command_;
    } else {
      in.cmd.op = static_cast<unsigned>(random_.bits(5));
    }
    if (!snooped_) {
      snooped_ = random_.percent(mix.snoop);
      snoop_ = snoop(mix);
    }
    for (bool& ready : in.link.tx_ready) ready = !random_.percent(mix.stall);
    in.link.rx_valid[kCreq] = snooped_;
    in.link.rx_creq_hdr = snoop_;
    in.link.rx_valid[kCrsp] = random_.percent(asked_ ? mix.respond : mix.wrong / 4);
    in.link.rx_crsp_hdr = response(mix);
    in.link.rx_valid[kCdat] = random_.percent(asked_ ? mix.respond / 2 : mix.wrong / 4);
    flits::H2dDh data{
        .cqid = cqid(mix), .poison = random_.percent(15), .go_err = random_.percent(4)};
    in.link.rx_cdat.header = with_noise(random_, flits::pack(data), kDataBits);
    in.link.rx_cdat.data = random_payload(random_);
    return in;
  }

  void observe(const DeviceAgent::In& in, const DeviceAgent::Out& out) {
    if (in.cmd_valid && out.cmd_ready) command_.reset();
    if (in.link.rx_valid[kCreq] && out.link.rx_creq_ready) snooped_ = false;
    if (out.done) asked_ = false;
    if (out.link.tx_valid[kCreq] && in.link.tx_ready[kCreq]) {
      const auto req = flits::unpack<flits::D2hReq>(out.link.tx_creq_hdr);
      asked_ = true;
      asked_op_ = req.opcode;
      cqid_ = req.cqid;
    }
  }

 private:
  static constexpr MsgHeader kDataBits = 0xDFFF;  // valid, CQID, Poison, GO-Err
  static constexpr MsgHeader kRspBits = (MsgHeader{0xFFF} << 19) | 0x1FFFF;
  static constexpr MsgHeader kSnoopBits = flits::low_mask(62);

  std::uint64_t line(const Mix& mix) {
    const std::uint64_t n = random_.below(mix.pool);
    // Lines beyond the first few share entries, and differ in high bits only.
    const std::uint64_t low = n < 4 ? n : (n & 3) | (std::uint64_t{1} << (n == 4 ? 45 : 2 + n));
    return low ^ region_;
  }
  DeviceAgent::Command command(const Mix& mix) {
    DeviceAgent::Command cmd;
    cmd.op = random_.percent(25) ? 0 : static_cast<unsigned>(random_.below(18));
    if (random_.percent(3)) cmd.op = static_cast<unsigned>(random_.bits(5));
    cmd.line = line(mix) & kLineMask;
    cmd.data = random_payload(random_);
    cmd.enables = random_enables(random_, 30);
    return cmd;
  }
  MsgHeader snoop(const Mix& mix) {
    flits::H2dReq req{.opcode = static_cast<flits::H2dReqOpcode>(1 + random_.below(3)),
                      .address = line(mix) << 6,
                      .uqid = static_cast<std::uint16_t>(random_.bits(12))};
    if (random_.percent(mix.invalidate)) req.opcode = flits::H2dReqOpcode::SnpInv;
    if (random_.percent(3)) req.opcode = static_cast<flits::H2dReqOpcode>(random_.bits(3));
    return with_noise(random_, flits::pack(req), kSnoopBits);
  }
  std::uint16_t cqid(const Mix& mix) {
    if (!random_.percent(mix.wrong)) return cqid_;
    const std::uint64_t others[] = {cqid_ + 1u, cqid_ ^ 1u << random_.below(12), random_.bits(12)};
    return static_cast<std::uint16_t>(random_.pick(others) & 0xFFF);
  }
  // One of the responses that the request may have, now and then any.
  MsgHeader response(const Mix& mix) {
    const unsigned states[] = {1, 2, 3, 6, 1, 2, 3, 6, 4, static_cast<unsigned>(random_.bits(4))};
    flits::H2dRsp rsp{.opcode = asked_ ? opcode(asked_op_) : Rsp::Go, .cqid = cqid(mix)};
    if (random_.percent(mix.wrong)) rsp.opcode = static_cast<Rsp>(random_.bits(4));
    rsp.rsp_data = static_cast<std::uint16_t>(random_.bits(12));
    if (rsp.opcode == Rsp::Go) {
      rsp.rsp_data = static_cast<std::uint16_t>(random_.bits(8) << 4 | random_.pick(states));
    }
    return with_noise(random_, flits::pack(rsp), kRspBits);
  }
  Rsp opcode(Op op) {
    const bool odd = random_.percent(20);
    switch (op) {
      case Op::ItoMWr:
      case Op::MemWr:
      case Op::DirtyEvict:
        return odd ? Rsp::GoErrWritePull : Rsp::GoWritePull;
      case Op::CleanEvict:
        if (random_.percent(5)) return Rsp::GoErrWritePull;  // not for this one
        return odd ? Rsp::GoWritePullDrop : Rsp::GoWritePull;
      case Op::WOWrInv:
      case Op::WOWrInvF:
        if (random_.percent(40)) return Rsp::ExtCmp;
        return odd ? Rsp::GoErrWritePull : Rsp::FastGoWritePull;
      case Op::WrInv:
        if (random_.percent(5)) return Rsp::GoErrWritePull;  // nor this one
        return random_.bits(1) != 0 ? Rsp::WritePull : Rsp::Go;
      default:
        return Rsp::Go;
    }
  }

  Random& random_;
  std::uint64_t calls_ = 0, region_ = 0;
  std::optional<DeviceAgent::Command> command_;
  bool snooped_ = false;
  MsgHeader snoop_ = 0;
  bool asked_ = false;
  Op asked_op_ = Op::RdCurr;
  std::uint16_t cqid_ = 0;
};

void drive(Vdevice_agent& v, const DeviceAgent::In& in, Idle& idle) {
  v.cmd_valid_i = in.cmd_valid;
  v.cmd_op_i = in.cmd.op;
  v.cmd_addr_i = in.cmd.line;
  set_line(v.cmd_data_i, 0, in.cmd.data);
  v.cmd_be_i = in.cmd.enables;
  if (!in.cmd_valid) {
    idle.fill(v.cmd_addr_i, 0, 46);
    idle.fill(v.cmd_data_i, 0, 512);
    idle.fill(v.cmd_be_i, 0, 64);
  }
  drive_channels(v, in.link);
}

void compare(Lockstep& run, const Vdevice_agent& v, const DeviceAgent::In& in,
             const DeviceAgent::Out& out) {
  if (in.cmd_valid) run.check("cmd_ready_o", v.cmd_ready_o, out.cmd_ready);
  run.check("err_o", v.err_o, out.err);
  run.check("done_valid_o", v.done_valid_o, out.done.has_value());
  if (out.done) {
    run.check("done_err_o", v.done_err_o, out.done->err);
    run.check("done_state_o", v.done_state_o, static_cast<unsigned>(out.done->state));
    run.check_bytes("done_data_o", get_line(v.done_data_o), out.done->data);
  }
  compare_channels(run, v, in.link, out.link);
}

// What has been seen: each request ended well and (where it can) with an error, each snoop answer.
class Coverage {
 public:
  void note(const DeviceAgent::In& in, const DeviceAgent::Out& out) {
    if (out.done) ends_.insert({op_, out.done->err});
    if (in.cmd_valid && out.cmd_ready) op_ = in.cmd.op;
    if (out.link.tx_valid[kCrsp]) {
      answers_.insert(flits::unpack<flits::D2hRsp>(out.link.tx_crsp_hdr).opcode);
    }
    errors_ += out.err ? 1 : 0;
    if (out.link.tx_valid[kCdat]) {
      const auto header = flits::unpack<flits::D2hDh>(out.link.tx_cdat.header);
      bogus_ += header.bogus ? 1 : 0;
      poison_ += header.poison ? 1 : 0;
    }
  }
  void expect_full() const {
    for (unsigned op = 0; op <= 16; ++op) {
      if (op == 15) continue;
      EXPECT_TRUE(ends_.contains({op, 0})) << "no good end of op " << op;
      const auto code = static_cast<Op>(op);
      const bool never = op == 0 || code == Op::CleanEvict;
      EXPECT_NE(ends_.contains({op, 1}), never) << "host error, op " << op;
      EXPECT_TRUE(ends_.contains({op, 2})) << "op " << op << " never refused";
    }
    EXPECT_TRUE(ends_.contains({15, 2}));
    for (const unsigned op : {0u, 1u, 2u, 3u, 4u}) {
      EXPECT_TRUE(ends_.contains({op, 3})) << "poison, op " << op;
    }
    EXPECT_GT(poison_, 20u);
    EXPECT_EQ(answers_.size(), 7u);
    EXPECT_GT(errors_, 100u);
    EXPECT_GT(bogus_, 20u);
  }

 private:
  unsigned op_ = 0;
  std::set<std::pair<unsigned, unsigned>> ends_;
  std::set<flits::D2hRspOpcode> answers_;
  std::uint64_t errors_ = 0, bogus_ = 0, poison_ = 0;
};

void look(PairBins& pairs, const DeviceAgent& twin, const DeviceAgent::In& in,
          const DeviceAgent::Out& out) {
  const bool idle = twin.phase() == DeviceAgent::Phase::kIdle;
  const std::uint64_t line = idle ? in.cmd.line : twin.line();
  const bool snoop = in.link.rx_valid[kCreq];
  const bool own = flits::unpack<flits::H2dReq>(in.link.rx_creq_hdr).address >> 6 == line &&
                   (!idle || in.cmd_valid);
  const auto leaves = [&](unsigned channel) {
    return out.link.tx_valid[channel] && in.link.tx_ready[channel];
  };
  pairs.look(twin.phase(), {in.cmd_valid && in.cmd.op == 0, in.cmd_valid && in.cmd.op != 0,
                            snoop && own, snoop && !own, in.link.rx_valid[kCrsp],
                            in.link.rx_valid[kCdat], leaves(kCreq), leaves(kCrsp), leaves(kCdat)});
}

TEST(DeviceAgent, Lockstep) {
  PairBins pairs(coverage::device_agent_pairs());
  Lockstep run("cache/device_agent", 81);
  Random random(run.seed());
  Clocked<Vdevice_agent> rtl;
  DeviceAgent twin(kLines);
  Idle idle;
  drive(*rtl, {}, idle);
  rtl.reset();
  std::optional<Surroundings> around(random);
  Coverage coverage;
  Mix mix = kMixes[0];
  while (run.next()) {
    if (run.cycle() % 512 == 0) mix = random.pick(kMixes);
    const DeviceAgent::In in = around->next(mix);
    drive(*rtl, in, idle);
    rtl.settle();
    const DeviceAgent::Out out = twin.eval(in);
    compare(run, *rtl, in, out);
    coverage.note(in, out);
    look(pairs, twin, in, out);
    around->observe(in, out);
    rtl.edge();
    twin.clock(in);
    if (random.below(2000) == 0) {  // whatever was in flight
      drive(*rtl, {}, idle);
      rtl.reset();
      twin = DeviceAgent(kLines);
      around.emplace(random);
    }
  }
  if (run.ok() && run.cycle() > 100000) coverage.expect_full();
}

// -------------------------------------------------------------------------- by hand, RTL only

constexpr MsgHeader bit(unsigned n) {
  return MsgHeader{1} << n;
}
constexpr unsigned kPoisonIn = 14, kPoisonOut = 15;  // H2D and D2H data header

// One agent whose host is the test, which takes all that is offered.
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
    if (rtl_->done_valid_o) err = rtl_->done_err_o, data = get_line(rtl_->done_data_o);
    if (rtl_->tx_crsp_valid_o) answer = static_cast<unsigned>(rtl_->tx_crsp_hdr_o >> 1 & 31);
    if (rtl_->tx_cdat_valid_o) {
      pushed = get_field(rtl_->tx_cdat_hdr_o, 0, 24);
      sent = get_line(rtl_->tx_cdat_data_o);
    }
    EXPECT_FALSE(rtl_->err_o);
    rtl_.edge();
    in.cmd_valid = false;
    in.link.rx_valid = {};
  }
  void steps(unsigned n) {
    while (n-- > 0) step();
  }
  void command(Op op, std::uint64_t line, std::uint64_t enables = 0, const Line& with = {}) {
    in.cmd = {static_cast<unsigned>(op), line, with, enables};
    in.cmd_valid = true;
    err = 9;
    steps(3);
  }
  void local(std::uint64_t line, std::uint64_t enables, const Line& with = {}) {
    command(static_cast<Op>(0), line, enables, with);
  }
  void go(unsigned state) { respond(4, state); }
  void respond(unsigned opcode, unsigned rsp_data) {
    in.link.rx_valid[kCrsp] = true;
    in.link.rx_crsp_hdr = 1 | MsgHeader{opcode} << 1 | MsgHeader{rsp_data} << 5 | cqid_ << 19;
    steps(4);
  }
  void give(const Line& line, bool poison) {
    in.link.rx_valid[kCdat] = true;
    in.link.rx_cdat.header = 1 | cqid_ << 1 | (poison ? bit(kPoisonIn) : 0);
    in.link.rx_cdat.data = line;
    steps(2);
  }
  void snoop(unsigned opcode, std::uint64_t line) {
    pushed.reset();
    in.link.rx_valid[kCreq] = true;
    in.link.rx_creq_hdr = 1 | MsgHeader{opcode} << 1 | MsgHeader{line} << 4 | MsgHeader{7} << 50;
    steps(3);
  }
  // The line comes with or without poison, to be had as E.
  void own(std::uint64_t line, const Line& with, bool poison) {
    command(Op::RdOwn, line);
    go(2);
    give(with, poison);
    next();
  }
  void next() { ++cqid_; }

  DeviceAgent::In in;
  unsigned err = 9, answer = 0;
  Line data{}, sent{};
  std::optional<MsgHeader> pushed;  // header of the last data that left

 private:
  Clocked<Vdevice_agent> rtl_;
  Idle idle_;
  MsgHeader cqid_ = 0;
};

Line line_of(std::uint8_t byte) {
  Line line;
  line.fill(byte);
  return line;
}

// CXL 2.0, 3.2: Poison of H2D data says that they are corrupt. The user is told, and whoever gets
// the line from here is told, until all of it has been stored.
TEST(DeviceAgent, PoisonStaysWithTheLine) {
  Hand agent;
  agent.own(5, line_of(0x11), true);
  EXPECT_EQ(agent.err, 3u);
  EXPECT_EQ(agent.data, line_of(0x11));
  agent.local(5, 0);  // read
  EXPECT_EQ(agent.err, 3u);
  agent.local(5, 0xff, line_of(0x22));  // some bytes
  EXPECT_EQ(agent.err, 3u);
  agent.snoop(3, 5);
  EXPECT_EQ(agent.answer, 22u);  // RspVFwdV
  EXPECT_EQ(agent.pushed, MsgHeader{1} | MsgHeader{7} << 1 | bit(kPoisonOut));
  agent.local(5, ~std::uint64_t{0}, line_of(0x33));  // all of them; what was there is told
  EXPECT_EQ(agent.err, 3u);
  agent.local(5, 0);
  EXPECT_EQ(agent.err, 0u);
  EXPECT_EQ(agent.data, line_of(0x33));
  agent.snoop(2, 5);
  EXPECT_EQ(agent.answer, 15u);  // RspIFwdM
  EXPECT_EQ(agent.pushed, MsgHeader{1} | MsgHeader{7} << 1);
  EXPECT_EQ(agent.sent, line_of(0x33));

  // Another line in the same entry is good, whatever was there before.
  agent.own(9, line_of(0x44), true);
  agent.snoop(2, 9);
  EXPECT_FALSE(agent.pushed);
  agent.own(13, line_of(0x55), false);
  EXPECT_EQ(agent.err, 0u);
  agent.local(13, 1, line_of(0x66));
  EXPECT_EQ(agent.err, 0u);
  agent.snoop(1, 13);
  EXPECT_EQ(agent.answer, 7u);  // RspSFwdM
  EXPECT_EQ(agent.pushed, MsgHeader{1} | MsgHeader{7} << 1);
}

// Data before the GO, which ends the read; RdCurr, which keeps nothing; an error, which goes first.
TEST(DeviceAgent, PoisonOfEachRead) {
  for (const Op op : {Op::RdOwn, Op::RdShared, Op::RdAny}) {
    for (const bool poison : {false, true}) {
      Hand agent;
      agent.command(op, 6);
      agent.give(line_of(0x77), poison);
      EXPECT_EQ(agent.err, 9u);
      agent.go(1);
      EXPECT_EQ(agent.err, poison ? 3u : 0u);
      EXPECT_EQ(agent.data, line_of(0x77));
      agent.local(6, 0);
      EXPECT_EQ(agent.err, poison ? 3u : 0u);
    }
  }
  Hand agent;
  agent.command(Op::RdCurr, 6);
  agent.give(line_of(0x77), true);
  EXPECT_EQ(agent.err, 3u);
  agent.next();
  agent.local(6, 0);
  EXPECT_EQ(agent.err, 2u);
  agent.command(Op::RdOwn, 6);
  agent.go(4);  // GO-Err
  agent.give(line_of(0x77), true);
  EXPECT_EQ(agent.err, 1u);
}

// What is pushed: a poisoned line with Poison, data of the command's own without, also after it.
TEST(DeviceAgent, PoisonOfEachPush) {
  for (const bool dirty : {false, true}) {
    Hand agent;
    agent.own(5, line_of(0x11), true);
    if (dirty) agent.local(5, 1, line_of(0x22));
    agent.command(dirty ? Op::DirtyEvict : Op::CleanEvict, 5);
    agent.respond(5, 0x123);  // GO_WritePull
    agent.next();
    EXPECT_EQ(agent.pushed, MsgHeader{1} | MsgHeader{0x123} << 1 | bit(kPoisonOut));
    EXPECT_EQ(agent.err, 0u);
    agent.command(Op::ItoMWr, 5, ~std::uint64_t{0}, line_of(0x99));
    agent.respond(5, 0x124);
    EXPECT_EQ(agent.pushed, MsgHeader{1} | MsgHeader{0x124} << 1);
    EXPECT_EQ(agent.sent, line_of(0x99));
  }
}

}  // namespace
}  // namespace cxlgpu::test
