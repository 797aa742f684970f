// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/controller.hpp"

#include <algorithm>
#include <utility>

namespace cxlgpu::nvme {

Controller::Controller(const ControllerParams& params, DmaPort& bus, StorePort& store)
    : params_(params), bus_(bus), store_(store), commands_(params.commands) {
  for (std::uint32_t i = params.commands; i > 0; --i) free_.push_back(i - 1);
}

// MQES, CQR, a time-out of 500 ms, I/O command sets and NVM, ready with media.
std::uint64_t Controller::capabilities() const {
  return std::uint64_t{params_.max_entries - 1} | 1ULL << 16 | 1ULL << 24 | 1ULL << 37 |
         1ULL << 43 | 1ULL << 59;
}

std::uint32_t Controller::read(std::uint32_t offset) {
  switch (offset) {
    case reg::kCap:
      return static_cast<std::uint32_t>(capabilities());
    case reg::kCap + 4:
      return static_cast<std::uint32_t>(capabilities() >> 32);
    case reg::kVs:
      return reg::kVersion2;
    case reg::kIntms:
    case reg::kIntmc:
      return intms_;
    case reg::kCc:
      return cc_;
    case reg::kCsts:
      return csts_;
    case reg::kAqa:
      return aqa_;
    case reg::kAsq:
      return static_cast<std::uint32_t>(asq_);
    case reg::kAsq + 4:
      return static_cast<std::uint32_t>(asq_ >> 32);
    case reg::kAcq:
      return static_cast<std::uint32_t>(acq_);
    case reg::kAcq + 4:
      return static_cast<std::uint32_t>(acq_ >> 32);
    case reg::kCrto:
      return 1;  // of 500 ms, as CAP.TO
    default:
      // Doorbells are written only.
      if (offset % 4 != 0 || offset >= reg::kBarBytes) ++counters_.bad_access;
      return 0;
  }
}

void Controller::write(std::uint32_t offset, std::uint32_t value, Time now) {
  constexpr std::uint64_t kLow = 0xffff'ffff;
  // A queue begins at a page: the bits below are not there.
  constexpr std::uint64_t kQueueBits = ~(kPage - 1);
  const auto low = [&](std::uint64_t old) { return ((old & ~kLow) | value) & kQueueBits; };
  const auto high = [&](std::uint64_t old) { return (old & kLow) | std::uint64_t{value} << 32; };
  if (offset >= reg::kDoorbells && offset < reg::kBarBytes && offset % 4 == 0) {
    return ring(offset - reg::kDoorbells, value, now);
  }
  switch (offset) {
    case reg::kIntms:
      intms_ |= value;
      break;
    case reg::kIntmc:
      intms_ &= ~value;
      break;
    case reg::kCc:
      write_cc(value, now);
      break;
    case reg::kAqa:
      aqa_ = value & 0x0fff'0fff;
      break;
    case reg::kAsq:
      asq_ = low(asq_);
      break;
    case reg::kAsq + 4:
      asq_ = high(asq_);
      break;
    case reg::kAcq:
      acq_ = low(acq_);
      break;
    case reg::kAcq + 4:
      acq_ = high(acq_);
      break;
    case reg::kCsts:
    case reg::kNssr:
      break;  // no subsystem reset: CAP.NSSRS 0
    default:
      ++counters_.bad_access;
  }
}

void Controller::write_cc(std::uint32_t value, Time now) {
  const std::uint32_t old = cc_;
  cc_ = value & 0x00ff'fff1;
  const bool was = (old & reg::kCcEnable) != 0, is = (cc_ & reg::kCcEnable) != 0;
  if (is && !was) enable(now);
  if (!is && was) {
    drop_all();
    disabling_ = true;
    ready_at_ = Time::never();
    shutting_ = false;
    csts_ &= ~(reg::kFatal | reg::kShutdown);
  }
  if (is && (cc_ & reg::kCcShutdown) != 0 && (old & reg::kCcShutdown) == 0) {
    shutting_ = true;
    csts_ = (csts_ & ~reg::kShutdown) | reg::kShutdownOccurring;
  }
  more_ = true;
}

void Controller::enable(Time now) {
  const std::uint32_t css = cc_ >> 4 & 7, page = cc_ >> 7 & 15, arbitration = cc_ >> 11 & 7;
  const std::uint32_t sq = (aqa_ & 0xfff) + 1, cq = (aqa_ >> 16) + 1;
  const bool good = (css == 0 || css == 6) && page == 0 && arbitration == 0 && sq >= 2 && cq >= 2 &&
                    asq_ != 0 && acq_ != 0 && !disabling_;
  if (!good) {
    csts_ |= reg::kFatal;
    return;
  }
  sqs_[0] = {.there = true, .entries = sq, .cq = 0, .base = asq_};
  cqs_[0] = {.there = true, .entries = cq, .base = acq_};
  ready_at_ = now + Time{params_.ready_ps};
}

// What is in the controller comes to nothing; its slots wait for the answers.
void Controller::drop_all() {
  sqs_ = {};
  cqs_ = {};
  for (Fetch& fetch : fetches_) fetch.dead = true;
  for (std::uint32_t i = 0; i < commands_.size(); ++i) {
    Command& command = commands_[i];
    const bool waits = command.phase == Phase::Lists || command.phase == Phase::DataIn ||
                       command.phase == Phase::Stored || command.phase == Phase::Decode;
    command.dead = waits;
    if (!waits && command.phase != Phase::Free) free(i);
  }
  ended_.clear();
  events_.clear();
  event_commands_.clear();
  events_masked_ = ednek_ = false;
}

bool Controller::idle() const {
  return free_.size() == commands_.size() && free_fetches_.size() == fetches_.size();
}

void Controller::settle(Time now) {
  if (disabling_ && idle()) {
    disabling_ = false;
    csts_ &= ~reg::kReady;
  }
  if (ready_at_ <= now) {
    ready_at_ = Time::never();
    csts_ |= reg::kReady;
  }
  // Commands of events are held for as long as the controller is there.
  const bool quiet = free_.size() + event_commands_.size() == commands_.size() &&
                     free_fetches_.size() == fetches_.size();
  if (shutting_ && quiet) {
    shutting_ = false;
    csts_ = (csts_ & ~reg::kShutdown) | reg::kShutdownDone;
  }
}

void Controller::ring(std::uint32_t offset, std::uint32_t value, Time now) {
  const std::uint32_t queue = offset / 8;
  const bool of_cq = offset % 8 != 0;
  if ((csts_ & reg::kReady) == 0 || (cc_ & reg::kCcEnable) == 0) {
    ++counters_.not_ready;
    return;
  }
  if (queue >= kQueues || !(of_cq ? cqs_[queue].there : sqs_[queue].there)) {
    ++counters_.unknown_queue;
    return report_doorbell(0);
  }
  const std::uint32_t index = value & 0xffff;
  if (of_cq) {
    Cq& cq = cqs_[queue];
    const std::uint32_t posted = (cq.tail + cq.entries - cq.head) % cq.entries;
    const std::uint32_t freed = (index + cq.entries - cq.head) % cq.entries;
    if (index >= cq.entries || freed > posted) {
      ++counters_.bad_value;
      return report_doorbell(1);
    }
    cq.head = index;
    ++counters_.heads;
    post(static_cast<std::uint16_t>(queue), now);
  } else {
    Sq& sq = sqs_[queue];
    if (index >= sq.entries && params_.fault != ControllerFault::TailUnchecked) {
      ++counters_.bad_value;
      return report_doorbell(1);
    }
    if (params_.fault == ControllerFault::DoorbellLost && queue != 0 && ++lost_ % 2 == 0) return;
    sq.tail = index;
    sq.rung = now;
    ++counters_.tails;
  }
  more_ = true;
}

// Type 0, errors; log page 1.
void Controller::report_doorbell(std::uint8_t info) {
  events_.push_back(std::uint32_t{info} << 8 | 1u << 16);
  send_event();
}

void Controller::send_event() {
  if (events_masked_ || events_.empty() || event_commands_.empty()) return;
  const std::uint32_t index = event_commands_.front();
  event_commands_.pop_front();
  end(index, Status::Success, events_.front());
  events_.clear();  // of one type: they are masked until the log is read
  events_masked_ = true;
  more_ = true;
}

void Controller::step(Time now) {
  for (bool moved = true; moved;) {
    moved = std::exchange(more_, false);
    while (auto done = bus_.take(now)) {
      (done->tag & kFetchTag) != 0 ? fetched(*done, now) : answered(*done, now);
      moved = true;
    }
    while (auto answer = store_.take(now)) {
      stored(std::move(*answer), now);
      moved = true;
    }
    for (; decodes_.next() <= now; moved = true) decode(decodes_.pop(), now);
    while (!ended_.empty()) {
      const std::uint32_t index = ended_.front();
      ended_.pop_front();
      const std::uint16_t cq = sqs_[commands_[index].sq].cq;
      cqs_[cq].waiting.push_back(index);
      post(cq, now);
      if (!cqs_[cq].waiting.empty()) ++counters_.held;
      moved = true;
    }
    settle(now);
    while (fetch(now)) moved = true;
  }
}

Time Controller::next_event() const {
  return std::min({bus_.next_event(), store_.next_event(), decodes_.next(), ready_at_});
}

// Of the next queue in turn that has SQEs and may have them fetched.
bool Controller::fetch(Time now) {
  if ((csts_ & (reg::kReady | reg::kFatal)) != reg::kReady || disabling_) return false;
  for (unsigned n = 0; n < kQueues; ++n) {
    const unsigned id = (turn_ + n) % kQueues;
    if (!fetch(static_cast<std::uint16_t>(id), now)) continue;
    turn_ = id + 1;
    return true;
  }
  return false;
}

bool Controller::fetch(std::uint16_t id, Time now) {
  Sq& sq = sqs_[id];
  if (!sq.there || sq.deleted_by || sq.fetching != 0 || sq.head == sq.tail) return false;
  const std::uint32_t ready = (sq.tail + sq.entries - sq.head) % sq.entries;
  const auto room = static_cast<std::uint32_t>(free_.size()) - reserved_;
  std::uint32_t count = std::min({ready, sq.entries - sq.head, params_.fetch, room});
  if (params_.fault == ControllerFault::PastTail && id != 0) {
    count = std::min({sq.entries - sq.head, params_.fetch, room});
  }
  if (count == 0) return false;
  if (free_fetches_.empty()) {
    free_fetches_.push_back(static_cast<std::uint32_t>(fetches_.size()));
    fetches_.emplace_back();
  }
  const std::uint32_t tag = free_fetches_.back();
  free_fetches_.pop_back();
  fetches_[tag] = {id, sq.head, count, false};
  sq.fetching = count;
  reserved_ += count;
  ++counters_.fetches;
  bus_.read(kFetchTag | tag, sq.base + std::uint64_t{kSqeBytes} * sq.head, kSqeBytes * count, now);
  return true;
}

void Controller::fetched(const DmaPort::Done& done, Time now) {
  const std::uint32_t tag = done.tag & ~kFetchTag;
  const Fetch fetch = fetches_[tag];
  free_fetches_.push_back(tag);
  reserved_ -= fetch.count;
  if (fetch.dead) return;
  Sq& sq = sqs_[fetch.sq];
  sq.fetching = 0;
  if (done.error) {
    ++counters_.refused;
    csts_ |= reg::kFatal;
    return;
  }
  sq.head = (sq.head + fetch.count) % sq.entries;
  counters_.fetched += fetch.count;
  for (std::uint32_t i = 0; i < fetch.count; ++i) {
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Command& command = commands_[index];
    command = {};
    command.phase = Phase::Decode;
    command.sq = fetch.sq;
    command.sqe = Sqe::from(std::span(done.data).subspan(std::size_t{kSqeBytes} * i));
    command.times.rung = sq.rung;
    command.times.fetched = now;
    ++sq.active;
    decodes_.push(now + Time{params_.command_ps}, index);
  }
}

void Controller::end(std::uint32_t index, Status status, std::uint32_t dw0, std::uint32_t dw1) {
  Command& command = commands_[index];
  command.phase = Phase::Post;
  command.cqe.dw = {dw0, dw1, 0, static_cast<std::uint32_t>(status) << 17 | command.sqe.cid()};
  if (status != Status::Success) {
    command.cqe.dw[3] |= 1u << 31;  // DNR: it would fail again
    ++counters_.failed;
  }
  ended_.push_back(index);
}

void Controller::post(std::uint16_t id, Time now) {
  Cq& cq = cqs_[id];
  while (!cq.waiting.empty()) {
    const bool full = (cq.tail + 1) % cq.entries == cq.head;
    if (full && params_.fault != ControllerFault::OverrunsCq) return;
    const std::uint32_t index = cq.waiting.front();
    cq.waiting.pop_front();
    Command& command = commands_[index];
    Cqe& cqe = command.cqe;
    cqe.dw[2] = sqs_[command.sq].head | std::uint32_t{command.sq} << 16;
    cqe.dw[3] |= std::uint32_t{cq.phase} << 16;
    std::array<std::uint8_t, kCqeBytes> bytes;
    std::memcpy(bytes.data(), cqe.dw.data(), kCqeBytes);
    if (!bus_.write(cq.base + std::uint64_t{kCqeBytes} * cq.tail, bytes, now)) {
      ++counters_.refused;
      csts_ |= reg::kFatal;
    }
    cq.tail = (cq.tail + 1) % cq.entries;
    const bool stuck = params_.fault == ControllerFault::PhaseStuck && id != 0;
    if (cq.tail == 0 && !stuck) cq.phase = !cq.phase;
    ++counters_.completions;
    command.times.posted = now;
    if (watcher_ != nullptr) watcher_->ended(command.sq, cqe.cid(), command.times);
    if (completes_first(command)) write_data(command, now);
    free(index);
  }
}

// ... and what waited for the last command of its queue goes on.
void Controller::free(std::uint32_t index) {
  Command& command = commands_[index];
  Sq& sq = sqs_[command.sq];
  const bool alive = !command.dead && sq.there;
  command.phase = Phase::Free;
  command.request = {};
  command.data.clear();
  free_.push_back(index);
  more_ = true;
  if (!alive) return;
  --sq.active;
  if (sq.deleted_by && sq.active == 0) {
    const std::uint32_t by = *sq.deleted_by;
    sq = {};
    end(by, Status::Success);
  }
}

}  // namespace cxlgpu::nvme
