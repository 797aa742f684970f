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
constexpr Mix kMixes[] = {{60, 10, 60, 0, 0, 4, 30},  {90, 30, 90, 0, 20, 2, 30},
                          {60, 5, 50, 10, 30, 8, 20}, {50, 50, 40, 2, 50, 3, 20},
                          {90, 0, 90, 1, 0, 6, 0},    {50, 60, 90, 0, 0, 4, 90},
                          {90, 30, 30, 5, 10, 1, 50}, {70, 20, 70, 50, 10, 5, 30}};

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
    flits::H2dDh data{.cqid = cqid(mix), .go_err = random_.percent(4)};
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
  static constexpr MsgHeader kDataBits = 0x9FFF;  // valid, CQID, GO-Err
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
      bogus_ += flits::unpack<flits::D2hDh>(out.link.tx_cdat.header).bogus ? 1 : 0;
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
    EXPECT_EQ(answers_.size(), 7u);
    EXPECT_GT(errors_, 100u);
    EXPECT_GT(bogus_, 20u);
  }

 private:
  unsigned op_ = 0;
  std::set<std::pair<unsigned, unsigned>> ends_;
  std::set<flits::D2hRspOpcode> answers_;
  std::uint64_t errors_ = 0, bogus_ = 0;
};

TEST(DeviceAgent, Lockstep) {
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
    around->observe(in, out);
    rtl.edge();
    twin.clock(in);
    if (random.below(2000) == 0) {  // whatever was under way
      drive(*rtl, {}, idle);
      rtl.reset();
      twin = DeviceAgent(kLines);
      around.emplace(random);
    }
  }
  if (run.ok() && run.cycle() > 100000) coverage.expect_full();
}

}  // namespace
}  // namespace cxlgpu::test
