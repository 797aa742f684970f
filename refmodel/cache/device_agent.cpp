// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cache/device_agent.hpp"

#include <algorithm>

#include "flits/messages.hpp"

namespace cxlgpu {

namespace {

using Op = flits::D2hReqOpcode;
using Rsp = flits::H2dRspOpcode;

constexpr unsigned kPoisoned = 3;

constexpr Op op_of(unsigned code) {
  return static_cast<Op>(code);
}
constexpr bool reads_data(Op op) {
  return op == Op::RdCurr || op == Op::RdOwn || op == Op::RdShared || op == Op::RdAny;
}
// The GO comes alone, or with data.
constexpr bool wants_go(Op op) {
  return (reads_data(op) && op != Op::RdCurr) || op == Op::RdOwnNoData || op == Op::CLFlush ||
         op == Op::CleanEvictNoData || op == Op::CacheFlushed;
}
constexpr bool weakly_ordered(Op op) {
  return op == Op::WOWrInv || op == Op::WOWrInvF;
}
constexpr bool evicts(Op op) {
  return op == Op::CleanEvict || op == Op::DirtyEvict;
}
// The response that pulls the data of a write; GO_ERR_WritePull may stand for it.
constexpr std::optional<Rsp> pull_of(Op op) {
  if (op == Op::WrInv) return Rsp::WritePull;
  if (weakly_ordered(op)) return Rsp::FastGoWritePull;
  if (op == Op::ItoMWr || op == Op::MemWr || evicts(op)) return Rsp::GoWritePull;
  return std::nullopt;
}
constexpr bool may_pull_with_error(Op op) {
  return pull_of(op) && op != Op::WrInv && op != Op::CleanEvict;
}

}  // namespace

bool DeviceAgent::allowed(const Command& cmd) const {
  const State state = state_of(cmd.line);
  const bool hit = state != State::kI;
  const bool room = hit || entry(cmd.line).state == State::kI;
  const bool clean = state == State::kS || state == State::kE;
  switch (op_of(cmd.op)) {
    case Op::RdCurr:
    case Op::WOWrInv:
    case Op::WrInv:
      return !hit;
    case Op::RdOwn:
    case Op::RdOwnNoData:
      return room && (state == State::kI || state == State::kS);
    case Op::RdShared:
    case Op::RdAny:
      return room && !hit;
    case Op::ItoMWr:
    case Op::MemWr:
    case Op::WOWrInvF:
      return !hit && cmd.enables == kAllEnables;
    case Op::CLFlush:
      return state != State::kM;
    case Op::CleanEvict:
    case Op::CleanEvictNoData:
      return clean;
    case Op::DirtyEvict:
      return state == State::kM;
    case Op::CacheFlushed:
      return std::all_of(entries_.begin(), entries_.end(),
                         [](const Entry& e) { return e.state == State::kI; });
  }
  return false;
}

// A snoop waits while its answer or a pushed line is on its way out, behind a response of the same
// cycle, and for the data of a line that the host believes to be here already.
bool DeviceAgent::snoop_ready(const In& in) const {
  const std::uint64_t line = flits::unpack<flits::H2dReq>(in.link.rx_creq_hdr).address >> 6;
  const bool granted = phase_ == Phase::kWait && got_go_ && line == cmd_.line;
  return !snoop_.rsp && !snoop_.dat && phase_ != Phase::kPush && !in.link.rx_valid[kCrsp] &&
         !granted;
}

DeviceAgent::Out DeviceAgent::eval(const In& in) const {
  Out out{.done = done_, .err = err_};
  out.cmd_ready = phase_ == Phase::kIdle && !(in.link.rx_valid[kCreq] && in.cmd.op == 0);
  out.link.tx_valid = {phase_ == Phase::kSend, snoop_.rsp, snoop_.dat || phase_ == Phase::kPush};
  out.link.tx_creq_hdr = flits::pack(flits::D2hReq{.opcode = op_of(cmd_.op),
                                                   .cqid = static_cast<std::uint16_t>(cqid_),
                                                   .address = cmd_.line << 6});
  const auto snoop_uqid = static_cast<std::uint16_t>(snoop_.uqid);
  out.link.tx_crsp_hdr = flits::pack(
      flits::D2hRsp{.opcode = static_cast<flits::D2hRspOpcode>(snoop_.opcode), .uqid = snoop_uqid});
  if (snoop_.dat) {
    const flits::D2hDh header{.uqid = snoop_uqid, .poison = snoop_.poison};
    out.link.tx_cdat = {flits::pack(header), snoop_.data, kAllEnables};
  } else {
    const bool evict = evicts(op_of(cmd_.op));
    const flits::D2hDh header{
        .uqid = static_cast<std::uint16_t>(uqid_), .bogus = bogus_, .poison = evict && poison_};
    out.link.tx_cdat = {flits::pack(header), evict ? data_ : cmd_.data,
                        evict ? kAllEnables : cmd_.enables};
  }
  out.link.rx_creq_ready = snoop_ready(in);
  return out;
}

void DeviceAgent::clock(const In& in) {
  const Out out = eval(in);
  done_.reset();
  err_ = false;
  const auto sent = [&](CacheChannel c) { return out.link.tx_valid[c] && in.link.tx_ready[c]; };
  const bool push_sent = phase_ == Phase::kPush && !snoop_.dat && sent(kCdat);
  if (sent(kCrsp)) snoop_.rsp = false;
  if (sent(kCdat) && !push_sent) snoop_.dat = false;
  const bool waiting = phase_ == Phase::kWait;
  if (sent(kCreq)) phase_ = Phase::kWait;
  if (push_sent) pushed();
  if (in.link.rx_valid[kCrsp]) waiting ? response(in.link.rx_crsp_hdr) : unexpected();
  if (in.link.rx_valid[kCdat]) waiting ? data(in.link.rx_cdat) : unexpected();
  if (waiting && phase_ == Phase::kWait) end_if_complete();
  // A command looks at the entries as they are before a snoop of the same cycle.
  if (in.cmd_valid && out.cmd_ready) start(in.cmd);
  if (in.link.rx_valid[kCreq] && out.link.rx_creq_ready) snoop(in.link.rx_creq_hdr);
}

// ------------------------------------------------------------------------------------ commands

void DeviceAgent::start(const Command& cmd) {
  if (cmd.op == 0) return local_access(cmd);
  if (!allowed(cmd)) {
    done_ = Done{.err = 2};
    return;
  }
  cmd_ = cmd;
  phase_ = Phase::kSend;
  got_go_ = got_data_ = pulled_ = error_ = bogus_ = false;
}

void DeviceAgent::local_access(const Command& cmd) {
  const State state = state_of(cmd.line);
  if (state == State::kI || (cmd.enables != 0 && state == State::kS)) {
    done_ = Done{.err = 2};
    return;
  }
  Entry& e = entry(cmd.line);
  done_ = Done{.err = e.poison ? kPoisoned : 0, .data = e.data};
  if (cmd.enables == kAllEnables) e.poison = false;
  for (unsigned i = 0; i < e.data.size(); ++i) {
    if ((cmd.enables >> i & 1) != 0) e.data[i] = cmd.data[i];
  }
  if (cmd.enables != 0) e.state = State::kM;
  done_->state = e.state;
}

void DeviceAgent::invalidate(std::uint64_t line) {
  if (state_of(line) != State::kI) entry(line).state = State::kI;
}

void DeviceAgent::response(MsgHeader header) {
  const auto rsp = flits::unpack<flits::H2dRsp>(header);
  const Op op = op_of(cmd_.op);
  const bool ours = rsp.cqid == cqid_;
  const bool last_go = op == Op::WrInv && pulled_;
  if (ours && rsp.opcode == Rsp::Go && !got_go_ && (wants_go(op) || last_go)) {
    go(rsp.rsp_data & 15);
    if (last_go) end();
  } else if (ours && !pulled_ && pull_of(op) == rsp.opcode) {
    pull(rsp.rsp_data, false);
  } else if (ours && !pulled_ && rsp.opcode == Rsp::GoErrWritePull && may_pull_with_error(op)) {
    pull(rsp.rsp_data, true);
  } else if (ours && rsp.opcode == Rsp::GoWritePullDrop && op == Op::CleanEvict && !pulled_) {
    invalidate(cmd_.line);
    end();
  } else if (ours && rsp.opcode == Rsp::ExtCmp && weakly_ordered(op) && pulled_) {
    end();
  } else {
    unexpected();
  }
}

void DeviceAgent::go(unsigned rsp_data) {
  got_go_ = true;
  switch (static_cast<GoState>(rsp_data)) {
    case GoState::kS:
      granted_ = State::kS;
      break;
    case GoState::kE:
      granted_ = State::kE;
      break;
    case GoState::kM:
      granted_ = State::kM;
      break;
    default:
      granted_ = State::kI;
      error_ |= static_cast<GoState>(rsp_data) == GoState::kErr;
  }
}

void DeviceAgent::pull(unsigned rsp_data, bool error) {
  const Op op = op_of(cmd_.op);
  pulled_ = true;
  error_ = error;
  uqid_ = rsp_data;
  phase_ = Phase::kPush;
  if (!evicts(op)) return;
  const State state = state_of(cmd_.line);
  data_ = entry(cmd_.line).data;
  poison_ = entry(cmd_.line).poison;
  bogus_ = op == Op::DirtyEvict ? state != State::kM : state == State::kI;
  invalidate(cmd_.line);
}

void DeviceAgent::data(const WdMessage& message) {
  const auto header = flits::unpack<flits::H2dDh>(message.header);
  if (header.cqid != cqid_ || got_data_ || !reads_data(op_of(cmd_.op))) {
    unexpected();
    return;
  }
  got_data_ = true;
  data_ = message.data;
  poison_ = header.poison;
  error_ |= header.go_err;
}

// The data of a write have left.
void DeviceAgent::pushed() {
  const Op op = op_of(cmd_.op);
  const bool more = weakly_ordered(op) || op == Op::WrInv;
  phase_ = Phase::kWait;
  if (!more || error_) end();
}

// A command without data to push ends with its last response.
void DeviceAgent::end_if_complete() {
  const Op op = op_of(cmd_.op);
  const bool complete = (got_go_ || !wants_go(op)) && (got_data_ || !reads_data(op));
  if (!pull_of(op) && complete) end();
}

void DeviceAgent::end() {
  const Op op = op_of(cmd_.op);
  Done done{.err = error_ ? 1u : 0u};
  if (error_) {
    invalidate(cmd_.line);
  } else if (op == Op::RdCurr) {
    done.data = data_;
  } else if (reads_data(op)) {
    entry(cmd_.line) = {granted_, cmd_.line, data_, poison_};
    done.data = data_;
  } else if (op == Op::RdOwnNoData && (granted_ == State::kE || granted_ == State::kM)) {
    entry(cmd_.line) = {State::kM, cmd_.line, cmd_.data};
  } else if (op == Op::RdOwnNoData || op == Op::CLFlush || op == Op::CleanEvictNoData) {
    invalidate(cmd_.line);
  }
  if (!error_ && reads_data(op) && poison_) done.err = kPoisoned;
  done.state = state_of(cmd_.line);
  done_ = done;
  phase_ = Phase::kIdle;
  cqid_ = (cqid_ + 1) & 0xFFF;
}

// -------------------------------------------------------------------------------------- snoops

void DeviceAgent::snoop(MsgHeader header) {
  using flits::D2hRspOpcode;
  using flits::H2dReqOpcode;
  const auto req = flits::unpack<flits::H2dReq>(header);
  if (!flits::is_defined(req.opcode)) {
    unexpected();
    return;
  }
  const std::uint64_t line = req.address >> 6;
  Entry& e = entry(line);
  const State state = state_of(line);
  const bool modified = state == State::kM;
  D2hRspOpcode answer = D2hRspOpcode::RspIHitI;
  if (state != State::kI) {
    switch (req.opcode) {
      case H2dReqOpcode::SnpData:
        answer = modified ? D2hRspOpcode::RspSFwdM : D2hRspOpcode::RspSHitSE;
        e.state = State::kS;
        break;
      case H2dReqOpcode::SnpInv:
        answer = modified ? D2hRspOpcode::RspIFwdM : D2hRspOpcode::RspIHitSE;
        e.state = State::kI;
        break;
      case H2dReqOpcode::SnpCur:
        answer = modified ? D2hRspOpcode::RspVFwdV : D2hRspOpcode::RspVHitV;
        break;
    }
  }
  snoop_ = {true, modified, static_cast<unsigned>(answer), req.uqid, e.data, e.poison};
}

}  // namespace cxlgpu
