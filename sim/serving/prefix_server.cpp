// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/serving/prefix_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "sim/workloads/data.hpp"

namespace cxlgpu {

namespace {

constexpr std::size_t kMostProblems = 4;
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;  // odd: no number comes twice
constexpr std::uint64_t kPsPerUs = 1'000'000;

}  // namespace

PrefixServer::PrefixServer(const PrefixWork& work, const PrefixPlan& plan)
    : work_(work),
      plan_(plan),
      part_(work.kv().part_bytes()),
      there_(work.model.layers),
      holds_(plan.slots, KvTrace::kMostBlocks),
      expected_(part_) {}

Time PrefixServer::wait(Time now) const {
  if (work_.arrivals == PrefixArrivals::Idle) return Time{};
  const Time at = plan_.requests[next_].at;
  return at > now ? at - now : Time{};
}

const PrefixRequest& PrefixServer::begin(Time now) {
  const PrefixRequest& request = plan_.requests[next_];
  arrived_ = work_.arrivals == PrefixArrivals::Idle ? now : request.at;
  began_ = now + Time{work_.overhead_us * kPsPerUs};
  std::fill(there_.begin(), there_.end(), began_);
  result_.requests.emplace_back();
  result_.requests.back().queued = now - arrived_;
  result_.requests.back().hit = !request.slots.empty();
  return request;
}

void PrefixServer::layer_there(unsigned layer, Time now) {
  std::fill(there_.begin() + layer, there_.end(), now);
}

Time PrefixServer::first_token(Time now) {
  const PrefixRequest& request = plan_.requests[next_];
  const PrefillTime time = prefill_time(work_, request.fresh, request.held);
  PrefixResult::One& one = result_.requests.back();
  one.fetched = now - began_;
  one.computed = time.layer * work_.model.layers + time.head;
  Time at = work_.overlap ? began_ : now;
  for (const Time there : there_) at = std::max(at, there) + time.layer;
  return at + time.head;
}

void PrefixServer::end(Time now) {
  const PrefixRequest& request = plan_.requests[next_];
  for (const PrefixCache::Placed& placed : request.placed) holds_[placed.slot] = placed.block;
  result_.requests.back().first_token = now - arrived_;
  result_.tokens += request.fresh + request.held;
  result_.tokens_held += request.held;
  result_.end = now;
  ++next_;
}

PrefixServer::Place PrefixServer::place(std::uint64_t offset) const {
  const std::uint64_t part = offset / part_;
  if (work_.layout == KvLayout::Layer) {
    return {part % plan_.slots, static_cast<unsigned>(part / plan_.slots)};
  }
  return {part / work_.model.layers, static_cast<unsigned>(part % work_.model.layers)};
}

void PrefixServer::draw(std::uint64_t block, unsigned layer, std::span<std::uint8_t> to) const {
  std::uint64_t word = Random(work_.seed, (block << 10) + layer).next();
  for (std::size_t at = 0; at < to.size(); at += kWord, word += kStep) {
    std::memcpy(to.data() + at, &word, kWord);
  }
}

void PrefixServer::fill(std::uint64_t offset, std::span<std::uint8_t> to) const {
  for (std::uint64_t at = 0; at < to.size(); at += part_) {
    const auto [slot, layer] = place(offset + at);
    draw(holds_[slot], layer, to.subspan(at, part_));
  }
}

std::uint64_t PrefixServer::asked(std::uint64_t slot) const {
  const PrefixRequest& request = plan_.requests[next_];
  const auto at = std::find(request.slots.begin(), request.slots.end(), slot);
  assert(at != request.slots.end());
  return request.blocks[static_cast<std::size_t>(at - request.slots.begin())];
}

void PrefixServer::check(std::uint64_t offset, std::span<const std::uint8_t> got) {
  ++result_.calls;
  result_.bytes += got.size();
  for (std::uint64_t at = 0; at < got.size(); at += part_) {
    const auto [slot, layer] = place(offset + at);
    const std::span<const std::uint8_t> part = got.subspan(at, part_);
    draw(asked(slot), layer, expected_);
    result_.bytes_checked += part_;
    if (std::memcmp(part.data(), expected_.data(), part_) == 0) continue;
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < part_; ++i) wrong += part[i] != expected_[i];
    result_.bytes_wrong += wrong;
    problem(fmt::format("request {}: {} of {} bytes of block {}, layer {}, are wrong", next_, wrong,
                        part_, asked(slot), layer));
  }
}

void PrefixServer::failed(std::string line) {
  ++result_.failed;
  problem(fmt::format("request {}: {}", next_, line));
}

void PrefixServer::problem(std::string line) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(line));
}

}  // namespace cxlgpu
