// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What both halves of the link layer share, and what reaches it from the physical layer and from a
// test.
#include "link_layer.hpp"

namespace peer {

namespace {

// Patience with what the other side must do, in cycles: beyond every legal timer.
constexpr unsigned kRetryPatience = 20000;
// On a line that damages flits each end may wait ten times (MAX_NUM_RETRY) for the 4096 flits of
// its time-out.
constexpr unsigned kAckPatience = 100000;

}  // namespace

LinkLayer::LinkLayer(const LinkLayerConfig& config, Violations& violations)
    : config_(config),
      violations_(violations),
      random_(config.seed),
      packer_(config.tx, config.packing, config.mdh, config.seed ^ 0x9e3779b97f4a7c15),
      unpacker_(config.tx == Direction::S2M ? Direction::M2S : Direction::S2M, config.mdh,
                violations),
      buffer_(config.wrap + (config.wrap_inclusive ? 1u : 0u)) {}

void LinkLayer::release(MessageKind kind, unsigned count) {
  channel(kind).to_return += count;
}

unsigned LinkLayer::credits(MessageKind kind) const {
  return channel(kind).available;
}

void LinkLayer::link_up() {
  up_ = true;
}

void LinkLayer::link_down() {
  packer_.reset();
  unpacker_.reset();
  outbox_ = {};
  inbox_ = {};
  buffer_.reset();
  channels_ = {};
  up_ = rx_seen_ = clean_sent_ = llcrd_sent_ = init_sent_ = init_received_ = false;
  peer_wrap_ = 9;
  lrsm_ = Lrsm::Normal;
  eseq_ = num_retry_ = num_phy_reinit_ = last_req_num_retry_ = timeout_ = frames_ = 0;
  force_retry_ = false;
  acks_to_return_ = 0;
  received_ = acked_ = 0;
  retry_owed_ = false;
  retry_owed_cycles_ = ack_owed_cycles_ = 0;
  ack_wanted_ = false;
  sequence_.clear();
  flush_timer_ = 0;
  sent_ack_or_credit_ = retrain_request_ = corrupt_next_ = false;
  raw_.clear();
}

void LinkLayer::recovery_begin() {
  if (!up_ || lrsm_ == Lrsm::Abort) return;
  lrsm_ = Lrsm::PhyReinit;
  ack_wanted_ = false;  // and any RETRY.Ack sequence with it (4.2.8.6)
  sequence_.clear();
  frames_ = 0;
}

void LinkLayer::recovery_end() {
  if (!up_ || lrsm_ == Lrsm::Abort) return;
  lrsm_ = Lrsm::LlrReq;
  num_retry_ = 0;
  timeout_ = 0;
  retry_owed_ = true;
  retry_owed_cycles_ = 0;
}

bool LinkLayer::take_retrain_request() {
  const bool request = retrain_request_;
  retrain_request_ = false;
  return request;
}

void LinkLayer::force_retry() {
  force_retry_ = true;
}

void LinkLayer::go_viral() {
  if (viral_) return;
  viral_ = viral_corrupt_ = true;
}

void LinkLayer::inject(const std::vector<RawFlit>& flits, bool early) {
  raw_.insert(raw_.end(), flits.begin(), flits.end());
  raw_early_ = early;
}

void LinkLayer::inject_framed(const Flit& flit, unsigned frames) {
  std::vector<RawFlit> flits(frames, RawFlit{make_retry_frame(), false});
  flits.push_back({flit, false});
  inject(flits);
}

void LinkLayer::tick() {
  if (!up_) return;
  const bool waiting = acks_to_return_ > 1 || credits_to_return();
  flush_timer_ = !sent_ack_or_credit_ && waiting ? flush_timer_ + 1 : 0;
  sent_ack_or_credit_ = false;
  watch_peer();
}

// Things that the other side must do some time, whatever its timers.
void LinkLayer::watch_peer() {
  if (lrsm_ == Lrsm::PhyReinit || lrsm_ == Lrsm::Abort) return;
  if (retry_owed_ && ++retry_owed_cycles_ == kRetryPatience) {
    violations_.add("4.2.8.6", "no RETRY.Req comes after Recovery");
    retry_owed_ = false;
  }
  const bool owes = initialised() && buffer_.unacknowledged() > 1;
  ack_owed_cycles_ = owes ? ack_owed_cycles_ + 1 : 0;
  if (ack_owed_cycles_ == kAckPatience)
    violations_.add("4.2.8.2", "flits are not acknowledged although the timer must force it");
}

void LinkLayer::begin_credits() {
  channel(MessageKind::Req).to_return = device() ? config_.buffers_req : 0;
  channel(MessageKind::Rwd).to_return = device() ? config_.buffers_rwd : 0;
  channel(MessageKind::Ndr).to_return = device() ? 0 : config_.buffers_ndr;
  channel(MessageKind::Drs).to_return = device() ? 0 : config_.buffers_drs;
}

}  // namespace peer
