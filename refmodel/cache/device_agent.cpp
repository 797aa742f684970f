// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cache/device_agent.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cxlgpu {
namespace {

using State = DeviceAgent::State;
using enum flits::D2hReqOpcode;
using Rsp = flits::H2dRspOpcode;

constexpr unsigned kHostError = 1, kRefused = 2, kPoisoned = 3;

// A D2H request as the table of the page has it.
struct Rule {
  flits::D2hReqOpcode op;
  std::string_view states;  // in which the line may be; I is no hit
  std::optional<Rsp> first = std::nullopt, last = std::nullopt;
  bool data = false;  // H2D data come
  bool room = false;  // the line is to be kept
  bool full = false;  // all enables
};
constexpr Rule kRules[] = {
    {.op = RdCurr, .states = "I", .data = true},
    {.op = RdOwn, .states = "IS", .first = Rsp::Go, .data = true, .room = true},
    {.op = RdShared, .states = "I", .first = Rsp::Go, .data = true, .room = true},
    {.op = RdAny, .states = "I", .first = Rsp::Go, .data = true, .room = true},
    {.op = RdOwnNoData, .states = "IS", .first = Rsp::Go, .room = true},
    {.op = ItoMWr, .states = "I", .first = Rsp::GoWritePull, .full = true},
    {.op = MemWr, .states = "I", .first = Rsp::GoWritePull, .full = true},
    {.op = CLFlush, .states = "ISE", .first = Rsp::Go},
    {.op = CleanEvict, .states = "SE", .first = Rsp::GoWritePull},
    {.op = DirtyEvict, .states = "M", .first = Rsp::GoWritePull},
    {.op = CleanEvictNoData, .states = "SE", .first = Rsp::Go},
    {.op = WOWrInv, .states = "I", .first = Rsp::FastGoWritePull, .last = Rsp::ExtCmp},
    {.op = WOWrInvF,
     .states = "I",
     .first = Rsp::FastGoWritePull,
     .last = Rsp::ExtCmp,
     .full = true},
    {.op = WrInv, .states = "I", .first = Rsp::WritePull, .last = Rsp::Go},
    {.op = CacheFlushed, .states = "I", .first = Rsp::Go},
};

State state_granted(GoState go) {
  return go == GoState::kS   ? State::kS
         : go == GoState::kE ? State::kE
         : go == GoState::kM ? State::kM
                             : State::kI;
}

struct Answer {
  flits::D2hRspOpcode opcode;
  State after;
};
Answer answer(flits::H2dReqOpcode op, State before) {
  using enum flits::D2hRspOpcode;
  const bool dirty = before == State::kM;
  if (before == State::kI) return {RspIHitI, State::kI};
  switch (op) {
    case flits::H2dReqOpcode::SnpData:
      return {dirty ? RspSFwdM : RspSHitSE, State::kS};
    case flits::H2dReqOpcode::SnpInv:
      return {dirty ? RspIFwdM : RspIHitSE, State::kI};
    default:  // SnpCur
      return {dirty ? RspVFwdV : RspVHitV, before};
  }
}

}  // namespace

State DeviceAgent::state_of(std::uint64_t line) const {
  const Entry& e = entries_[line % entries_.size()];
  return e.line == line ? e.state : State::kI;
}

DeviceAgent::Phase DeviceAgent::phase() const {
  if (!request_) return Phase::kIdle;
  if (!request_->sent) return Phase::kSend;
  return request_->push ? Phase::kPush : Phase::kWait;
}

bool DeviceAgent::access(const Command& cmd) {
  Entry& e = entry(cmd.line);
  const State state = state_of(cmd.line);
  if (state == State::kI || (state == State::kS && cmd.enables != 0)) return false;
  done_ = Done{.err = e.poison ? kPoisoned : 0, .data = e.data};
  for (unsigned i = 0; i < e.data.size(); ++i) {
    if ((cmd.enables >> i & 1) != 0) e.data[i] = cmd.data[i];
  }
  if (cmd.enables != 0) e.state = State::kM;
  if (cmd.enables == kAllEnables) e.poison = false;
  done_->state = e.state;
  return true;
}

bool DeviceAgent::request(const Command& cmd) {
  const auto op = flits::D2hReqOpcode(cmd.op);
  const auto rule = std::ranges::find(kRules, op, &Rule::op);
  const State state = state_of(cmd.line);
  const auto empty = [](const Entry& e) { return e.state == State::kI; };
  if (rule == std::end(kRules) ||
      rule->states.find("ISEM"[unsigned(state)]) == std::string_view::npos ||
      (rule->full && cmd.enables != kAllEnables) ||
      (rule->room && state == State::kI && !empty(entry(cmd.line))) ||
      (op == CacheFlushed && !std::ranges::all_of(entries_, empty))) {
    return false;
  }
  request_ = Request{.cmd = cmd, .cqid = next_cqid_, .data_due = rule->data};
  for (const auto& rsp : {rule->first, rule->last}) {
    if (rsp) request_->responses_due.push_back(*rsp);
  }
  next_cqid_ = (next_cqid_ + 1) & 0xFFF;
  return true;
}

void DeviceAgent::invalidate(std::uint64_t line) {
  if (entry(line).line == line) entry(line).state = State::kI;
}

bool DeviceAgent::respond(const flits::H2dRsp& rsp) {
  Request& r = *request_;
  if (rsp.cqid != r.cqid || r.responses_due.empty()) return false;
  const Rsp due = r.responses_due.front();
  const bool refused = rsp.opcode == Rsp::GoErrWritePull && r.op() != CleanEvict &&
                       (due == Rsp::GoWritePull || due == Rsp::FastGoWritePull);
  const bool dropped = rsp.opcode == Rsp::GoWritePullDrop && r.op() == CleanEvict;
  if (rsp.opcode != due && !refused && !dropped) return false;
  r.responses_due.pop_front();
  if (rsp.opcode == Rsp::Go) {
    r.granted = GoState(rsp.rsp_data & 0xF);
    r.failed |= r.granted == GoState::kErr;
  } else if (dropped) {
    invalidate(r.cmd.line);
  } else if (rsp.opcode != Rsp::ExtCmp) {
    pull(rsp.rsp_data);
  }
  if (refused) {
    r.failed = true;
    r.responses_due.clear();
  }
  return true;
}

bool DeviceAgent::receive(const WdMessage& message) {
  Request& r = *request_;
  const auto header = flits::unpack<flits::H2dDh>(message.header);
  if (!r.data_due || header.cqid != r.cqid) return false;
  r.data_due = false;
  r.data = message;
  r.failed |= header.go_err;
  return true;
}

void DeviceAgent::pull(std::uint16_t uqid) {
  Request& r = *request_;
  flits::D2hDh header{.uqid = uqid};
  if (r.op() == CleanEvict || r.op() == DirtyEvict) {
    const Entry& e = entry(r.cmd.line);
    const State state = state_of(r.cmd.line);
    header.bogus = r.op() == DirtyEvict ? state != State::kM : state == State::kI;
    header.poison = e.poison;
    r.push = {flits::pack(header), e.data, kAllEnables};
    invalidate(r.cmd.line);
  } else {
    r.push = {flits::pack(header), r.cmd.data, r.cmd.enables};
  }
}

void DeviceAgent::finish() {
  const Request r = *std::exchange(request_, std::nullopt);
  const std::uint64_t line = r.cmd.line;
  Done done;
  if (r.failed) {
    done.err = kHostError;
    invalidate(line);
  } else if (r.data) {
    const bool poison = flits::unpack<flits::H2dDh>(r.data->header).poison;
    done.err = poison ? kPoisoned : 0;
    done.data = r.data->data;
    if (r.granted) entry(line) = {line, state_granted(*r.granted), r.data->data, poison};
  } else if (r.op() == RdOwnNoData && (r.granted == GoState::kE || r.granted == GoState::kM)) {
    entry(line) = {line, State::kM, r.cmd.data, false};
  } else if (r.granted) {
    invalidate(line);
  }
  done.state = state_of(line);
  done_ = done;
}

void DeviceAgent::snoop(const flits::H2dReq& req) {
  if (!flits::is_defined(req.opcode)) {
    unexpected_ = true;
    return;
  }
  const std::uint64_t line = req.address >> 6;
  const State before = state_of(line);
  const Answer given = answer(req.opcode, before);
  snoop_answer_ = {.opcode = given.opcode, .uqid = req.uqid};
  Entry& e = entry(line);
  if (before == State::kM) {
    forwarded_ = {flits::pack(flits::D2hDh{.uqid = req.uqid, .poison = e.poison}), e.data,
                  kAllEnables};
  }
  if (before != State::kI) e.state = given.after;
}

DeviceAgent::Out DeviceAgent::eval(const In& in) const {
  Out out{.done = done_, .err = unexpected_};
  const std::uint64_t snooped = flits::unpack<flits::H2dReq>(in.link.rx_creq_hdr).address >> 6;
  const bool granted = request_ && request_->granted && request_->data_due;
  out.cmd_ready = !request_ && !(in.cmd.op == 0 && in.link.rx_valid[kCreq]);
  out.link.rx_creq_ready = !snoop_answer_ && !forwarded_ && phase() != Phase::kPush &&
                           !in.link.rx_valid[kCrsp] && !(granted && snooped == line());
  if (phase() == Phase::kSend) {
    out.link.tx_valid[kCreq] = true;
    out.link.tx_creq_hdr = flits::pack(
        flits::D2hReq{.opcode = request_->op(), .cqid = request_->cqid, .address = line() << 6});
  }
  if (snoop_answer_) {
    out.link.tx_valid[kCrsp] = true;
    out.link.tx_crsp_hdr = flits::pack(*snoop_answer_);
  }
  if (forwarded_ || phase() == Phase::kPush) {
    out.link.tx_valid[kCdat] = true;
    out.link.tx_cdat = forwarded_ ? *forwarded_ : *request_->push;
  }
  return out;
}

void DeviceAgent::clock(const In& in) {
  const Out out = eval(in);
  const auto leaves = [&](CacheChannel c) { return out.link.tx_valid[c] && in.link.tx_ready[c]; };
  const bool waits = phase() == Phase::kWait;
  done_.reset();
  unexpected_ = false;
  if (in.cmd_valid && out.cmd_ready) {
    const bool accepted = in.cmd.op == 0 ? access(in.cmd) : request(in.cmd);
    if (!accepted) done_ = Done{.err = kRefused};
  }
  if (in.link.rx_valid[kCrsp]) {
    unexpected_ |= !waits || !respond(flits::unpack<flits::H2dRsp>(in.link.rx_crsp_hdr));
  }
  if (in.link.rx_valid[kCdat]) unexpected_ |= !waits || !receive(in.link.rx_cdat);
  if (in.link.rx_valid[kCreq] && out.link.rx_creq_ready) {
    snoop(flits::unpack<flits::H2dReq>(in.link.rx_creq_hdr));
  }
  if (leaves(kCreq)) request_->sent = true;
  if (leaves(kCrsp)) snoop_answer_.reset();
  if (leaves(kCdat)) (forwarded_ ? forwarded_ : request_->push).reset();
  if (request_ && request_->over()) finish();
}

}  // namespace cxlgpu
