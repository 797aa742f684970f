// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/link_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flits/text.hpp"

namespace cxlgpu::flits {
namespace {

constexpr unsigned kFrames = 5;  // RETRY.Frames before a Req or Ack
constexpr unsigned kMinRetryBuffer = 22;
constexpr std::int64_t kMaxCredits = 1 << 20;  // far above any counter; keeps sums bounded

}  // namespace

std::string_view name(Rule rule) {
  switch (rule) {
    case Rule::TimeOrder:
      return "time order";
    case Rule::Encoding:
      return "encoding";
    case Rule::NonRetryBeforeInit:
      return "non-RETRY flit before INIT.Param";
    case Rule::SecondInitParam:
      return "second INIT.Param";
    case Rule::InitParamField:
      return "INIT.Param field";
    case Rule::InitBeforeContact:
      return "INIT.Param before a clean flit arrived";
    case Rule::TrafficBeforeInitDone:
      return "traffic before the peer's INIT.Param";
    case Rule::RetryFraming:
      return "retry framing";
    case Rule::UnexpectedRetryReq:
      return "unexpected RETRY.Req";
    case Rule::RetryReqSequence:
      return "sequence number in RETRY.Req or RETRY.Ack";
    case Rule::UnexpectedRetryAck:
      return "unexpected RETRY.Ack";
    case Rule::RetryAckMismatch:
      return "RETRY.Ack echoes no RETRY.Req";
    case Rule::AckOveruse:
      return "more flits acknowledged than received";
    case Rule::RetryBufferOverrun:
      return "retry buffer overrun";
    case Rule::CreditOveruse:
      return "message without a credit";
    case Rule::CacheOnMemLink:
      return "CXL.cache message on a CXL.mem link";
    case Rule::TagReuse:
      return "tag in use";
    case Rule::LineConflict:
      return "line in use";
    case Rule::UnknownTag:
      return "response without a request";
    case Rule::WrongResponse:
      return "wrong kind of response";
    case Rule::LdIdMismatch:
      return "LD-ID of the response";
    case Rule::ByteEnableMisuse:
      return "byte enables";
    case Rule::FieldMisuse:
      return "field not for Type 3";
    case Rule::Unanswered:
      return "request without a response";
    case Rule::AlmpEncoding:
      return "ALMP encoding";
    case Rule::DeviceSpokeFirst:
      return "device spoke before the host";
    case Rule::UnaskedStatus:
      return "Status without a Request";
    case Rule::UnexpectedAlmp:
      return "unexpected ALMP";
    case Rule::TrafficBeforeActive:
      return "protocol flit before Active";
    case Rule::CrcSent:
      return "CRC as sent";
    case Rule::ViralMismatch:
      return "Viral in RETRY.Ack";
  }
  return {};
}

LinkChecker::LinkChecker(LinkCheckerOptions options)
    : options_(options),
      findings_(options.max_findings),
      almps_(options.arb_mux),
      receivers_{Receiver(Direction::M2S, options.decoder),
                 Receiver(Direction::S2M, options.decoder)} {}

void LinkChecker::link_up() {
  almps_ = AlmpChecker(options_.arb_mux);
  restart_link_layer();
}

void LinkChecker::restart_link_layer() {
  receivers_ = {Receiver(Direction::M2S, options_.decoder),
                Receiver(Direction::S2M, options_.decoder)};
  credits_.fill(0);
  transactions_.reset();
  viral_.restart();
}

void LinkChecker::finish() {
  transactions_.finish(findings_);
}

void LinkChecker::report(Direction d, Rule rule, std::string text) {
  findings_.add(now_ps_, d, rule, std::move(text));
}

void LinkChecker::on_time(std::uint64_t time_ps, Direction d) {
  if (time_ps < now_ps_) {
    report(d, Rule::TimeOrder, fmt::format("flit at {} ps after one at {} ps", time_ps, now_ps_));
  }
  now_ps_ = time_ps;
}

void LinkChecker::on_recovery(std::uint64_t time_ps) {
  on_time(time_ps, Direction::M2S);
  ++recoveries_;
  almps_.on_recovery();
}

void LinkChecker::on_down(std::uint64_t time_ps) {
  on_time(time_ps, Direction::M2S);
  link_up();
}

void LinkChecker::on_flit(std::uint64_t time_ps, Direction d, const Flit& flit) {
  on_time(time_ps, d);
  ++stats_[index(d)].flits;
  if (!accept_protocol_id(d, flit)) return;
  if (!flit.crc_ok()) {
    ++stats_[index(d)].crc_errors;
    on_bad_flit(d);
    return;
  }
  Receiver& r = rx(d);
  r.contact = true;

  // Where the receiver knows that data is owed, a flit that looks like RETRY is data.
  const bool is_data = !r.discarding && r.decoder.owed() >= 4;
  if (!is_data) {
    auto retry = classify_retry(flit);
    if (!retry && !r.discarding) {  // wrong constant bits: reported, then taken for what it says
      retry = classify_control(flit);
      if (retry && !is_retry(*retry)) retry.reset();
    }
    if (retry) {
      on_retry(d, flit, *retry);
      return;
    }
  }
  if (r.frames != 0 && !r.discarding) {
    report(d, Rule::RetryFraming, fmt::format("{} RETRY.Frame without Req or Ack", r.frames));
  }
  r.frames = 0;
  if (r.discarding) {
    ++stats_[index(d)].discarded;
    return;
  }
  accept(d, flit);
}

void LinkChecker::on_sent(std::uint64_t time_ps, Direction d, const Flit& flit) {
  const auto id = flit.protocol_id().id;
  if (id && is_cachemem(*id)) viral_.on_sent(time_ps, d, flit, findings_);
}

// True if the flit goes on to the link layer.
bool LinkChecker::accept_protocol_id(Direction d, const Flit& flit) {
  DirectionStats& stats = stats_[index(d)];
  const ProtocolIdVerdict verdict = flit.protocol_id();
  if (verdict.corrected) ++stats.id_corrected;
  if (!verdict.id) {
    ++stats.id_errors;
    if (almps_.in_use()) {
      almps_.on_lost_flit(d);  // Recovery comes, and a retry with it
    } else {
      on_bad_flit(d);
    }
    return false;
  }
  switch (*verdict.id) {
    case ProtocolId::CacheMem:
    case ProtocolId::CacheMemEds:
      return almps_.on_flit(now_ps_, d, AlmpLink::CacheMem, findings_);
    case ProtocolId::Io:
    case ProtocolId::IoEds:
      ++stats.io;
      almps_.on_flit(now_ps_, d, AlmpLink::Io, findings_);
      break;
    case ProtocolId::Null:
    case ProtocolId::NullEds:
      ++stats.null;
      break;
    case ProtocolId::Almp:
    case ProtocolId::AlmpEds:
      on_almp(d, flit);
      break;
  }
  return false;
}

void LinkChecker::on_almp(Direction d, const Flit& flit) {
  ++stats_[index(d)].almp;
  if (read_almp(flit).fault == AlmpFault::CopiesDiffer) ++stats_[index(d)].almp_errors;
  switch (almps_.on_almp(now_ps_, d, flit, findings_)) {
    case AlmpChecker::Effect::None:
      break;
    case AlmpChecker::Effect::Retry:
      for (const Direction direction : {Direction::M2S, Direction::S2M}) force_retry(direction);
      break;
    case AlmpChecker::Effect::Restart:
      restart_link_layer();
      break;
  }
}

void LinkChecker::on_bad_flit(Direction d) {
  rx(d).frames = 0;
  start_discarding(d);
}

void LinkChecker::force_retry(Direction d) {
  on_bad_flit(d);
  rx(d).asked.clear();  // nothing asked for before will be answered
}

void LinkChecker::start_discarding(Direction d) {
  Receiver& r = rx(d);
  if (r.discarding) return;
  r.discarding = true;
  r.asked.clear();
  ++stats_[index(d)].retries;
}

// ---- retry -----------------------------------------------------------------------------------

void LinkChecker::on_retry(Direction d, const Flit& flit, const Control& control) {
  ++stats_[index(d)].control[control.index()];
  if (!is_canonical(flit, control)) {
    report(d, Rule::Encoding, fmt::format("{}: reserved bits not zero", name(control)));
  }
  Receiver& r = rx(d);
  if (std::holds_alternative<RetryFrame>(control)) {
    ++r.frames;
    return;
  }
  check_framing(d, control);
  const bool framed = r.frames >= kFrames;
  r.frames = 0;
  if (!framed) return;  // every receiver drops it
  if (const auto* req = std::get_if<RetryReq>(&control)) on_retry_req(d, *req);
  if (const auto* ack = std::get_if<RetryAck>(&control)) on_retry_ack(d, *ack);
}

// A damaged Frame is not the sender's fault, and in the shadow of an error an all-data flit can
// look like any of these; so only what cannot be explained that way is reported.
void LinkChecker::check_framing(Direction d, const Control& control) {
  const Receiver& r = rx(d);
  if (r.discarding) return;
  const unsigned wanted = std::holds_alternative<RetryIdle>(control) ? 0 : kFrames;
  if (r.frames != wanted) {
    report(d, Rule::RetryFraming, fmt::format("{} after {} RETRY.Frame", name(control), r.frames));
  }
}

// A RETRY.Req that travels in direction d comes from the receiver of the other direction.
void LinkChecker::on_retry_req(Direction d, const RetryReq& req) {
  Receiver& asking = rx(opposite(d));
  if (!asking.discarding) {
    if (asking.initialised) {
      report(d, Rule::UnexpectedRetryReq, "no flit was damaged on the way to the asking end");
    }
    start_discarding(opposite(d));
  }
  if (req.eseq != asking.eseq) {
    report(d, Rule::RetryReqSequence,
           fmt::format("RETRY.Req asks for flit {}, next expected is {}", req.eseq, asking.eseq));
  }
  asking.asked.push_back(req.num_retry);
}

void LinkChecker::on_retry_ack(Direction d, const RetryAck& ack) {
  Receiver& r = rx(d);
  if (!r.discarding) {
    report(d, Rule::UnexpectedRetryAck, "RETRY.Ack although no retry is in progress");
    return;
  }
  if (std::find(r.asked.begin(), r.asked.end(), ack.num_retry) == r.asked.end()) {
    report(d, Rule::RetryAckMismatch, fmt::format("RETRY.Ack echoes NUM_RETRY {}", ack.num_retry));
    return;
  }
  if (ack.eseq != r.eseq) {
    report(d, Rule::RetryReqSequence,
           fmt::format("RETRY.Ack echoes flit {}, {} was requested", ack.eseq, r.eseq));
  }
  if (ack.num_retry != r.asked.back()) return;  // an answer to an earlier request: stale
  r.discarding = false;                         // what follows is the replay, R goes on as it was
}

// ---- accepted flits --------------------------------------------------------------------------

void LinkChecker::accept(Direction d, const Flit& flit) {
  Receiver& r = rx(d);
  DirectionStats& stats = stats_[index(d)];
  const Decoded decoded = r.decoder.decode(flit);
  for (const DecodeFinding& f : decoded.findings) report(d, Rule::Encoding, describe(f));

  check_init_order(d, decoded);
  ++r.accepted;
  r.eseq = (r.eseq + 1) % entries(r);
  if (decoded.control) {
    on_control(d, *decoded.control);
  } else {
    ++(decoded.kind == FlitKind::AllData ? stats.all_data : stats.protocol);
  }
  if (r.initialised && r.accepted - r.acknowledged > entries(r) - 1) {
    report(d, Rule::RetryBufferOverrun,
           fmt::format("{} flits not acknowledged, buffer of {} keeps one free",
                       r.accepted - r.acknowledged, entries(r)));
  }
  take_acks(d, decoded.acks);
  for (const CreditReturn& c : decoded.credits) {
    credits_[index(c.pool)] = std::min(credits_[index(c.pool)] + c.count, kMaxCredits);
  }
  use_credits(d, decoded);
  for (const Item& item : decoded.items) deliver(d, item);
}

void LinkChecker::check_init_order(Direction d, const Decoded& decoded) {
  const Receiver& r = rx(d);
  const bool init = decoded.control && std::holds_alternative<InitParam>(*decoded.control);
  const auto what = decoded.control ? name(*decoded.control) : name(decoded.kind);
  if (init) {
    if (r.initialised) report(d, Rule::SecondInitParam, "INIT.Param was accepted before");
    if (!rx(opposite(d)).contact) {
      report(d, Rule::InitBeforeContact, "its sender cannot have received a clean flit yet");
    }
  } else if (!r.initialised) {
    report(d, Rule::NonRetryBeforeInit, fmt::format("{} flit", what));
  } else if (!rx(opposite(d)).initialised) {
    report(d, Rule::TrafficBeforeInitDone, fmt::format("{} flit", what));
  }
}

void LinkChecker::on_control(Direction d, const Control& control) {
  ++stats_[index(d)].control[control.index()];
  const bool ide = std::holds_alternative<IdeIdle>(control) ||
                   std::holds_alternative<IdeStart>(control) ||
                   std::holds_alternative<IdeTmac>(control);
  if (ide && !options_.decoder.ide) {
    report(d, Rule::Encoding, fmt::format("{} while link encryption is off", name(control)));
  }
  const auto* init = std::get_if<InitParam>(&control);
  Receiver& r = rx(d);
  if (!init || r.initialised) return;
  const unsigned least = kMinRetryBuffer - (options_.wrap_inclusive ? 1 : 0);
  if ((init->version != 1 && init->version != 2) || init->wrap < least) {
    report(d, Rule::InitParamField,
           fmt::format("version {}, wrap {}; version is 1 or 2, wrap at least {}", init->version,
                       init->wrap, least));
  }
  r.initialised = true;
  r.wrap = std::max<unsigned>(init->wrap, 2);
}

// Sequence numbers there are, and entries of the transmitter's retry buffer.
unsigned LinkChecker::entries(const Receiver& r) const {
  return r.wrap + (options_.wrap_inclusive ? 1 : 0);
}

// Acknowledgements in direction d are for flits of the other direction.
void LinkChecker::take_acks(Direction d, unsigned acks) {
  Receiver& acknowledging = rx(opposite(d));
  acknowledging.acknowledged += acks;
  if (acknowledging.acknowledged > acknowledging.accepted) {
    report(d, Rule::AckOveruse,
           fmt::format("{} acknowledged, {} received", acknowledging.acknowledged,
                       acknowledging.accepted));
    acknowledging.acknowledged = acknowledging.accepted;
  }
}

void LinkChecker::use_credits(Direction d, const Decoded& decoded) {
  for (std::size_t k = 0; k < kMessageKinds; ++k) {
    if (decoded.headers[k] == 0) continue;
    const auto kind = static_cast<MessageKind>(k);
    if (is_cache(kind) && !options_.cache) report(d, Rule::CacheOnMemLink, std::string(name(kind)));
    credits_[k] -= decoded.headers[k];
    if (credits_[k] < 0) {
      report(d, Rule::CreditOveruse,
             fmt::format("{}: {} without credit", name(kind), -credits_[k]));
      credits_[k] = 0;
    }
  }
}

void LinkChecker::deliver(Direction d, const Item& item) {
  DirectionStats& stats = stats_[index(d)];
  ++stats.messages[item.message.index()];
  stats.payload_bytes += item.data_bytes;
  transactions_.on_item(now_ps_, item, findings_);
  if (listener_) listener_(now_ps_, d, item);
}

}  // namespace cxlgpu::flits
