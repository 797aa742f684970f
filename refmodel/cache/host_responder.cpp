// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cache/host_responder.hpp"

namespace cxlgpu {

namespace {

using Op = flits::D2hReqOpcode;
using Rsp = flits::H2dRspOpcode;
using SnoopRsp = flits::D2hRspOpcode;

constexpr bool reads_data(Op op) {
  return op == Op::RdCurr || op == Op::RdOwn || op == Op::RdShared || op == Op::RdAny;
}

constexpr bool brings_data(SnoopRsp rsp) {
  return rsp == SnoopRsp::RspSFwdM || rsp == SnoopRsp::RspIFwdM || rsp == SnoopRsp::RspVFwdV;
}

constexpr bool legal(flits::H2dReqOpcode snoop, SnoopRsp rsp) {
  using flits::H2dReqOpcode;
  switch (rsp) {
    case SnoopRsp::RspIHitI:
    case SnoopRsp::RspIHitSE:
    case SnoopRsp::RspIFwdM:
      return true;
    case SnoopRsp::RspSHitSE:
    case SnoopRsp::RspSFwdM:
      return snoop != H2dReqOpcode::SnpInv;
    case SnoopRsp::RspVHitV:
    case SnoopRsp::RspVFwdV:
      return snoop == H2dReqOpcode::SnpCur;
  }
  return false;
}

Line all_ones() {
  Line line;
  line.fill(0xFF);
  return line;
}

}  // namespace

bool HostResponder::response_offered() const {
  if (phase_ == Phase::kFinal) return true;
  const bool waits = request_.data_first && request_.data;
  return phase_ == Phase::kAnswer && request_.response && !waits;
}

HostResponder::Out HostResponder::eval(const In& in) const {
  Out out{.snp_ready = phase_ == Phase::kIdle, .done = done_, .err = err_};
  out.link.rx_creq_ready = phase_ == Phase::kIdle && !in.snp_valid;
  out.link.tx_valid = {phase_ == Phase::kSnoop, response_offered(),
                       phase_ == Phase::kAnswer && request_.data.has_value()};
  if (out.link.tx_valid[kCreq]) out.link.tx_creq_hdr = flits::pack(snoop_);
  if (out.link.tx_valid[kCrsp]) {
    const auto& rsp = phase_ == Phase::kFinal ? request_.last : request_.response;
    out.link.tx_crsp_hdr = flits::pack(*rsp);
  }
  if (out.link.tx_valid[kCdat]) out.link.tx_cdat = *request_.data;
  return out;
}

void HostResponder::clock(const In& in) {
  const Out out = eval(in);
  done_.reset();
  err_ = false;
  const auto sent = [&](CacheChannel c) { return out.link.tx_valid[c] && in.link.tx_ready[c]; };
  const Phase phase = phase_;
  if (in.link.rx_valid[kCrsp]) {
    phase == Phase::kSnoopWait ? snoop_response(in.link.rx_crsp_hdr) : void(err_ = true);
  }
  if (in.link.rx_valid[kCdat]) {
    if (phase == Phase::kPull) {
      pulled(in.link.rx_cdat);
    } else if (phase == Phase::kSnoopWait) {
      snoop_data(in.link.rx_cdat);
    } else {
      err_ = true;
    }
  }
  switch (phase) {
    case Phase::kIdle:
      accept(in);
      break;
    case Phase::kAnswer:
      if (sent(kCrsp)) request_.response.reset();
      if (sent(kCdat)) request_.data.reset();
      if (request_.response || request_.data) break;
      if (request_.pull) {
        phase_ = Phase::kPull;
      } else {
        end();
      }
      break;
    case Phase::kFinal:
      if (sent(kCrsp)) end();
      break;
    case Phase::kSnoop:
      if (sent(kCreq)) phase_ = Phase::kSnoopWait;
      break;
    case Phase::kSnoopWait:
      snoop_end();
      break;
    case Phase::kPull:
      break;
  }
}

void HostResponder::end() {
  phase_ = Phase::kIdle;
  uqid_ = (uqid_ + 1) & 0xFFF;
}

void HostResponder::accept(const In& in) {
  if (in.snp_valid) {
    snoop_ = {.opcode = static_cast<flits::H2dReqOpcode>(in.snp_op),
              .address = in.snp_line << 6,
              .uqid = static_cast<std::uint16_t>(uqid_)};
    snoop_rsp_.reset();
    snoop_data_.reset();
    phase_ = Phase::kSnoop;
  } else if (in.link.rx_valid[kCreq]) {
    const auto req = flits::unpack<flits::D2hReq>(in.link.rx_creq_hdr);
    if (flits::is_defined(req.opcode)) {
      answer(req, in.policy);
    } else {
      err_ = true;
    }
  }
}

void HostResponder::answer(const flits::D2hReq& req, const Policy& policy) {
  const std::uint64_t line = req.address >> 6;
  const bool error = policy.error || !inside(line);
  request_ = Request{};
  request_.line = line;
  request_.data_first = policy.data_first;
  request_.error = error;
  phase_ = Phase::kAnswer;
  const auto respond = [&](Rsp opcode, unsigned rsp_data) {
    return Response{
        .opcode = opcode, .rsp_data = static_cast<std::uint16_t>(rsp_data), .cqid = req.cqid};
  };
  const auto go = [&](GoState state) { return respond(Rsp::Go, static_cast<unsigned>(state)); };
  const auto pull = [&](Rsp opcode, std::optional<Response> last = std::nullopt) {
    request_.response = respond(opcode, uqid_);
    request_.pull = true;
    request_.last = last;
  };
  const auto grant = [&](GoState state) { request_.response = go(error ? GoState::kErr : state); };
  if (reads_data(req.opcode)) {
    const flits::H2dDh header{
        .cqid = req.cqid, .poison = !error && poisoned_[line], .go_err = error};
    request_.data = {flits::pack(header), error ? all_ones() : memory_[line]};
  }
  switch (req.opcode) {
    case Op::RdCurr:
      break;
    case Op::RdOwn:
      return grant(policy.own_modified ? GoState::kM : GoState::kE);
    case Op::RdShared:
      return grant(GoState::kS);
    case Op::RdAny:
      return grant(policy.any_shared ? GoState::kS : GoState::kE);
    case Op::RdOwnNoData:
      return grant(GoState::kE);
    case Op::CLFlush:
      return grant(GoState::kI);
    case Op::CleanEvictNoData:
    case Op::CacheFlushed:
      request_.response = go(GoState::kI);
      break;
    case Op::ItoMWr:
    case Op::MemWr:
    case Op::DirtyEvict:
      return pull(error ? Rsp::GoErrWritePull : Rsp::GoWritePull);
    case Op::CleanEvict:
      if (!error && !policy.drop) return pull(Rsp::GoWritePull);
      request_.response = respond(Rsp::GoWritePullDrop, 0);
      break;
    case Op::WOWrInv:
    case Op::WOWrInvF:
      if (error) return pull(Rsp::GoErrWritePull);
      return pull(Rsp::FastGoWritePull, respond(Rsp::ExtCmp, 0));
    case Op::WrInv:
      return pull(Rsp::WritePull, go(error ? GoState::kErr : GoState::kI));
  }
}

void HostResponder::pulled(const WdMessage& message) {
  const auto header = flits::unpack<flits::D2hDh>(message.header);
  if (header.uqid != uqid_) {
    err_ = true;
    return;
  }
  if (!header.bogus && !request_.error) {
    Line& line = memory_[request_.line];
    for (unsigned i = 0; i < line.size(); ++i) {
      if ((message.enables >> i & 1) != 0) line[i] = message.data[i];
    }
    // Bad bytes make the line bad; it is good again when all of it is.
    if (header.poison || message.enables == kAllEnables) poisoned_[request_.line] = header.poison;
  }
  if (request_.last) {
    phase_ = Phase::kFinal;
  } else {
    end();
  }
}

void HostResponder::snoop_response(MsgHeader header) {
  const auto rsp = flits::unpack<flits::D2hRsp>(header);
  if (rsp.uqid != uqid_ || snoop_rsp_ || !legal(snoop_.opcode, rsp.opcode)) {
    err_ = true;
  } else {
    snoop_rsp_ = rsp.opcode;
  }
}

void HostResponder::snoop_data(const WdMessage& message) {
  const auto header = flits::unpack<flits::D2hDh>(message.header);
  if (header.uqid != uqid_ || snoop_data_) {
    err_ = true;
  } else {
    snoop_data_ = message.data;
    snoop_poison_ = header.poison;
  }
}

// Ends the snoop if its last message is there.
void HostResponder::snoop_end() {
  if (!snoop_rsp_ || (brings_data(*snoop_rsp_) && !snoop_data_)) return;
  Done done{.rsp = static_cast<unsigned>(*snoop_rsp_)};
  if (brings_data(*snoop_rsp_)) {
    done.data = *snoop_data_;
    done.poison = snoop_poison_;
    const std::uint64_t line = snoop_.address >> 6;
    if (*snoop_rsp_ != SnoopRsp::RspVFwdV && inside(line)) {
      memory_[line] = *snoop_data_;
      poisoned_[line] = snoop_poison_;
    }
  } else if (snoop_data_) {
    err_ = true;  // data that the response does not bring
  }
  done_ = done;
  end();
}

}  // namespace cxlgpu
