// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/closed_loop.hpp"

#include <algorithm>

#include "sim/media/make_media.hpp"

namespace cxlgpu {

std::uint32_t ClosedLoop::piece_bytes(const MediaConfig& config, std::uint32_t bytes) {
  const auto* flash = std::get_if<FlashConfig>(&config.params);
  if (flash == nullptr || bytes <= kLineBytes) return static_cast<std::uint32_t>(kLineBytes);
  return std::min({bytes, std::uint32_t{4096}, flash->page_bytes});
}

ClosedLoop::ClosedLoop(const MediaConfig& config, const LoopShape& shape, std::uint32_t seed,
                       const HostInterface& host)
    : shape_(shape),
      host_(host),
      piece_(piece_bytes(config, shape.bytes)),
      pieces_(shape.bytes / piece_),
      random_(seed),
      places_(config.capacity() / shape.bytes),
      requests_(shape.depth) {
  MediaShape part;
  part.capacity = config.capacity() / shape.bytes * shape.bytes;
  if (piece_ > kLineBytes) {
    part.slots = kSlots;
    part.line_bytes = piece_;
  }
  part_ = make_media(config, part);
  for (std::uint32_t i = 0; i < shape.depth; ++i) begin(i, now_);
}

void ClosedLoop::begin(std::uint32_t index, Time now) {
  Request& request = requests_[index];
  request.began = now;
  request.left = pieces_;
  request.address = (shape_.stream ? sequence_++ : random_()) % places_ * shape_.bytes;
  Time at = now + (shape_.write ? host_.before_write : host_.before_read);
  if (shape_.write) {
    at = std::max(at, link_free_) + host_.transfer(shape_.bytes);
    link_free_ = at;
  }
  arriving_.push_back({at, index});
}

// The next command of the oldest request that has arrived, if there is room for it.
bool ClosedLoop::submit_piece() {
  if (arriving_.empty() || arriving_.front().at > now_) return false;
  const bool line = piece_ <= kLineBytes;
  MediaCommand command;
  command.op = shape_.write ? (line ? MediaOp::Write : MediaOp::WriteBack)
                            : (line ? MediaOp::Read : MediaOp::Fill);
  if (!part_->can_accept(now_, command.op)) return false;
  if (free_ids_.empty()) {
    free_ids_.push_back(static_cast<std::uint16_t>(by_id_.size()));
    by_id_.push_back(0);
  }
  const std::uint32_t index = arriving_.front().request;
  command.id = free_ids_.back();
  free_ids_.pop_back();
  by_id_[command.id] = index;
  command.dpa = requests_[index].address + std::uint64_t{sent_pieces_} * piece_;
  command.slot = slot_++ % kSlots;
  part_->submit(command, now_);
  if (++sent_pieces_ == pieces_) {
    sent_pieces_ = 0;
    arriving_.pop_front();
  }
  return true;
}

Time ClosedLoop::next_time() const {
  Time next = part_->next_event();
  if (!leaving_.empty()) next = std::min(next, leaving_.front().at);
  // One that has arrived waits for room, which the part's own event makes.
  if (!arriving_.empty() && arriving_.front().at > now_) {
    next = std::min(next, arriving_.front().at);
  }
  return std::max(now_, next);
}

LoopResult ClosedLoop::run(std::uint64_t count) {
  const Time from = now_;
  std::vector<Time> latencies;
  latencies.reserve(count);
  while (latencies.size() < count) {
    if (!leaving_.empty() && leaving_.front().at <= now_) {
      const std::uint32_t index = leaving_.front().request;
      leaving_.pop_front();
      latencies.push_back(now_ - requests_[index].began);
      begin(index, now_);
      continue;
    }
    if (submit_piece()) continue;
    if (const auto answer = part_->take(now_)) {
      const std::uint32_t index = by_id_[answer->id];
      free_ids_.push_back(answer->id);
      if (--requests_[index].left > 0) continue;
      Time done = now_;
      if (!shape_.write) {
        done = std::max(now_, link_free_) + host_.transfer(shape_.bytes);
        link_free_ = done;
      }
      leaving_.push_back({done + host_.after, index});
      continue;
    }
    now_ = next_time();
  }
  LoopResult result;
  result.bytes = shape_.bytes;
  std::uint64_t sum = 0;
  for (const Time t : latencies) sum += t.ps;
  result.mean = Time{sum / count};
  const auto p99 = latencies.begin() + static_cast<std::ptrdiff_t>(count * 99 / 100);
  std::nth_element(latencies.begin(), p99, latencies.end());
  result.p99 = *p99;
  result.per_second = static_cast<double>(count) / (now_ - from).ns() * 1e9;
  return result;
}

}  // namespace cxlgpu
