// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The two CXL.cache agents of the golden model over two controllers of the golden model and a link
// with bit errors: does what the contract of the agents says keep one memory coherent?
//
// The device is the only writer, so the last data that it wrote to a line, by a store or by a write
// request, is what every later read, local access and snoop must give. And when a snoop has been
// answered the line is in the state that the answer told. No RTL.
#include <deque>
#include <map>
#include <set>

#include "refmodel/cache/device_agent.hpp"
#include "refmodel/cache/host_responder.hpp"
#include "refmodel/controller/cxl_controller.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {
namespace {

using Op = flits::D2hReqOpcode;
using State = DeviceAgent::State;

constexpr unsigned kHostLines = 16;

ControllerParams params(bool is_host) {
  ControllerParams p;
  p.is_host = is_host;
  p.has_cache = true;
  return p;
}

struct Mix {
  unsigned snoop;      // percent a cycle
  unsigned pool;       // lines in use
  unsigned error_ppm;  // flits
  unsigned stall;      // percent
};

class System {
 public:
  explicit System(Random& random) : random_(random) {}

  std::function<void(const DeviceAgent::Command&, const DeviceAgent::Done&)> on_done;
  std::function<void(unsigned op, std::uint64_t line, const HostResponder::Done&)> on_snoop;

  [[nodiscard]] State device_state(std::uint64_t line) const { return dev_.state_of(line); }
  [[nodiscard]] bool idle() const { return !command_ && !running_ && !snoop_ && !snooping_; }
  void offer(const DeviceAgent::Command& command) { command_ = true, next_ = command; }
  void offer_snoop(unsigned op, std::uint64_t line) {
    snoop_ = true;
    snoop_op_ = op;
    snoop_line_ = line;
  }
  [[nodiscard]] bool busy() const { return command_ || running_; }
  [[nodiscard]] bool snooping() const { return snoop_ || snooping_; }

  void step(const Mix& mix) {
    const CxlController::Out host_link = host_link_.eval({});
    const CxlController::Out dev_link = dev_link_.eval({});
    HostResponder::In host_in{.snp_valid = snoop_, .snp_op = snoop_op_, .snp_line = snoop_line_};
    host_in.policy = {random_.bits(1) != 0, random_.bits(1) != 0, random_.bits(1) != 0,
                      random_.bits(1) != 0, false};
    host_in.link = agent_in(host_link);
    DeviceAgent::In dev_in{.cmd_valid = command_, .cmd = next_, .link = agent_in(dev_link)};
    const HostResponder::Out host = host_.eval(host_in);
    const DeviceAgent::Out dev = dev_.eval(dev_in);
    EXPECT_FALSE(host.err || dev.err) << "unexpected message in cycle " << cycle_;

    CxlController::In host_ctl = controller_in(host.link, 1, mix);
    CxlController::In dev_ctl = controller_in(dev.link, 0, mix);
    launch(0, host_ctl, host_link, mix);
    launch(1, dev_ctl, dev_link, mix);

    if (dev.done) {
      running_ = false;
      on_done(current_, *dev.done);
    }
    if (host.done) {
      snooping_ = false;
      on_snoop(snoop_op_, snoop_line_, *host.done);
    }
    if (command_ && dev.cmd_ready) {
      command_ = false;
      running_ = true;
      current_ = next_;
    }
    if (snoop_ && host.snp_ready) {
      snoop_ = false;
      snooping_ = true;
    }
    host_link_.clock(host_ctl);
    dev_link_.clock(dev_ctl);
    host_.clock(host_in);
    dev_.clock(dev_in);
    ++cycle_;
  }

 private:
  static AgentIn agent_in(const CxlController::Out& link) {
    AgentIn in;
    in.tx_ready = link.cache.tx_ready;
    in.rx_valid = link.cache.rx_valid;
    in.rx_creq_hdr = link.cache.rx_creq_hdr;
    in.rx_crsp_hdr = link.cache.rx_crsp_hdr;
    in.rx_cdat = link.cache.rx_cdat;
    return in;
  }
  CxlController::In controller_in(const AgentOut& agent, unsigned wire, const Mix& mix) {
    CxlController::In in;
    in.link_up = true;
    in.cache = {agent.tx_valid,
                agent.tx_creq_hdr,
                agent.tx_crsp_hdr,
                agent.tx_cdat,
                {agent.rx_creq_ready, true, true}};
    in.link_tx_ready = !random_.percent(mix.stall);
    auto& flying = wires_[wire];
    if (!flying.empty() && flying.front().first <= cycle_) {
      in.link_rx_valid = true;
      in.link_rx_flit = flying.front().second;
      flying.pop_front();
    }
    return in;
  }
  void launch(unsigned wire, const CxlController::In& in, const CxlController::Out& out,
              const Mix& mix) {
    if (!in.link_tx_ready || !out.link_tx_valid) return;
    CrcFlit flit = out.link_tx_flit;
    if (random_.below(1000000) < mix.error_ppm) flit.payload[random_.below(64)] ^= 1;
    wires_[wire].push_back({cycle_ + 5, flit});
  }

  Random& random_;
  CxlController host_link_{params(true)}, dev_link_{params(false)};
  HostResponder host_{kHostLines};
  DeviceAgent dev_{4};
  std::array<std::deque<std::pair<std::uint64_t, CrcFlit>>, 2> wires_;  // 0: to the device
  DeviceAgent::Command next_{}, current_{};
  bool command_ = false, running_ = false, snoop_ = false, snooping_ = false;
  unsigned snoop_op_ = 1;
  std::uint64_t snoop_line_ = 0, cycle_ = 0;
};

class Memory {
 public:
  Line& operator[](std::uint64_t line) { return lines_[line]; }
  static void merge(Line& line, const DeviceAgent::Command& cmd) {
    for (unsigned i = 0; i < line.size(); ++i) {
      if ((cmd.enables >> i & 1) != 0) line[i] = cmd.data[i];
    }
  }

 private:
  std::map<std::uint64_t, Line> lines_;
};

void check_done(Memory& memory, const DeviceAgent::Command& cmd, const DeviceAgent::Done& done) {
  if (done.err == 2) return;
  EXPECT_EQ(done.err, 0u);
  Line& line = memory[cmd.line];
  switch (static_cast<Op>(cmd.op)) {
    case Op::RdCurr:
    case Op::RdOwn:
    case Op::RdShared:
    case Op::RdAny:
      EXPECT_EQ(done.data, line) << "op " << cmd.op << " line " << cmd.line;
      break;
    case Op::RdOwnNoData:
      EXPECT_EQ(done.state, State::kM);
      line = cmd.data;
      break;
    case Op::ItoMWr:
    case Op::MemWr:
    case Op::WOWrInv:
    case Op::WOWrInvF:
    case Op::WrInv:
      Memory::merge(line, cmd);
      break;
    case Op::CLFlush:
    case Op::CleanEvict:
    case Op::DirtyEvict:
    case Op::CleanEvictNoData:
      EXPECT_EQ(done.state, State::kI) << "op " << cmd.op << " line " << cmd.line;
      break;
    default:
      if (cmd.op != 0) break;
      EXPECT_EQ(done.data, line) << "local, line " << cmd.line;
      Memory::merge(line, cmd);
  }
}

// The answer to a snoop against the state of the line when the host has it. The device may have
// stored to a line that it kept as its own.
void expect_told(flits::D2hRspOpcode rsp, State state) {
  switch (rsp) {
    case flits::D2hRspOpcode::RspIHitI:
    case flits::D2hRspOpcode::RspIHitSE:
    case flits::D2hRspOpcode::RspIFwdM:
      EXPECT_EQ(state, State::kI);
      break;
    case flits::D2hRspOpcode::RspSHitSE:
    case flits::D2hRspOpcode::RspSFwdM:
      EXPECT_EQ(state, State::kS);
      break;
    case flits::D2hRspOpcode::RspVHitV:
      EXPECT_NE(state, State::kI);
      break;
    case flits::D2hRspOpcode::RspVFwdV:
      EXPECT_EQ(state, State::kM);
      break;
  }
}

DeviceAgent::Command random_command(Random& random, unsigned pool) {
  DeviceAgent::Command cmd;
  cmd.op = random.percent(40) ? 0 : static_cast<unsigned>(random.below(17));
  cmd.line = random.below(pool);
  cmd.data = random_payload(random);
  cmd.enables = random_enables(random, 40);
  return cmd;
}

void coherent(const Mix& mix, std::uint64_t seed) {
  Random random(from_environment("CXLGPU_SEED", seed));
  System system(random);
  Memory memory;
  std::set<std::pair<unsigned, unsigned>> ends, answers;
  DeviceAgent::Command last;
  // The answer to a SnpCur leaves the line modified: a store after it makes `memory` newer.
  bool stored = false;
  system.on_done = [&](const DeviceAgent::Command& cmd, const DeviceAgent::Done& done) {
    check_done(memory, cmd, done);
    ends.insert({cmd.op, done.err});
    stored |= cmd.op == 0 && cmd.enables != 0 && done.err == 0;
    last = cmd;
  };
  system.on_snoop = [&](unsigned op, std::uint64_t line, const HostResponder::Done& done) {
    const auto rsp = static_cast<flits::D2hRspOpcode>(done.rsp);
    const bool data = rsp == flits::D2hRspOpcode::RspSFwdM ||
                      rsp == flits::D2hRspOpcode::RspIFwdM || rsp == flits::D2hRspOpcode::RspVFwdV;
    const bool newer = stored && op == static_cast<unsigned>(flits::H2dReqOpcode::SnpCur);
    if (data && !newer) {
      EXPECT_EQ(done.data, memory[line]) << "snoop " << op << " line " << line;
    }
    expect_told(rsp, system.device_state(line));
    answers.insert({op, done.rsp});
  };
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 40000);
  for (std::uint64_t i = 0; i < cycles && !testing::Test::HasFailure(); ++i) {
    if (!system.busy() && random.percent(50)) system.offer(random_command(random, mix.pool));
    if (!system.snooping() && random.percent(mix.snoop)) {
      stored = false;
      system.offer_snoop(1 + static_cast<unsigned>(random.below(3)), random.below(mix.pool));
    }
    system.step(mix);
  }
  for (unsigned i = 0; i < 20000 && !system.idle(); ++i) system.step({0, mix.pool, 0, 0});
  EXPECT_TRUE(system.idle());
  // At the end every line is read back, through the cache or past it.
  for (std::uint64_t line = 0; line < mix.pool; ++line) {
    system.offer_snoop(static_cast<unsigned>(flits::H2dReqOpcode::SnpInv), line);
    stored = false;
    for (unsigned i = 0; i < 2000 && !system.idle(); ++i) system.step({0, mix.pool, 0, 0});
    system.offer({.op = static_cast<unsigned>(Op::RdCurr), .line = line});
    for (unsigned i = 0; i < 2000 && !system.idle(); ++i) system.step({0, mix.pool, 0, 0});
    EXPECT_EQ(last.line, line);
    EXPECT_EQ(last.op, static_cast<unsigned>(Op::RdCurr));
  }
  if (cycles < 40000) return;
  for (unsigned op = 0; op <= 16; ++op) {
    if (op == 15 || (op == 16 && mix.pool > 3)) continue;  // all entries I: with few lines only
    EXPECT_TRUE(ends.contains({op, 0})) << "op " << op << " never done";
  }
  EXPECT_GE(answers.size(), mix.snoop == 0 ? 3u : 9u);
}

TEST(Coherence, FewLines) {
  coherent({10, 2, 0, 0}, 91);
}
TEST(Coherence, ManyLines) {
  coherent({5, kHostLines, 0, 20}, 92);
}
TEST(Coherence, SnoopStorm) {
  coherent({100, 3, 0, 0}, 93);
}
TEST(Coherence, BitErrors) {
  coherent({20, 4, 1000, 10}, 94);
}

}  // namespace
}  // namespace cxlgpu::test
