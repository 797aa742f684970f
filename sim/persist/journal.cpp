// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/persist/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "common/splitmix.hpp"

namespace cxlgpu {

std::size_t Journal::accepted(std::uint64_t line, const Line& data, std::uint64_t bytes, Time at) {
  const std::size_t write = writes_.size();
  writes_.push_back({.line = line, .bytes = bytes, .data = data});
  outside_[line].push_back(write);
  events_.push_back({Step::Accepted, write, at});
  return write;
}

void Journal::entered(std::uint64_t line, const Line& data, std::uint64_t bytes, Time at) {
  const auto found = outside_.find(line);
  if (found == outside_.end()) return;
  std::vector<std::size_t>& outside = found->second;
  const auto is_it = [&](std::size_t write) {
    if (writes_[write].bytes != bytes) return false;
    Line merged = writes_[write].data;
    merge_bytes(merged, data, bytes);
    return merged == writes_[write].data;
  };
  auto same = std::ranges::find_if(
      outside, [&](std::size_t write) { return !writes_[write].refused && is_it(write); });
  if (same == outside.end()) same = std::ranges::find_if(outside, is_it);
  if (same == outside.end()) return;
  writes_[*same].entered = true;
  events_.push_back({Step::Entered, *same, at});
  outside.erase(same);
  if (outside.empty()) outside_.erase(found);
}

void Journal::told(std::size_t write, Time at) {
  writes_[write].told = true;
  events_.push_back({Step::Told, write, at});
}

void Journal::kept(std::uint64_t line, const Line& data, std::uint64_t bytes, Time at) {
  const std::size_t write = writes_.size();
  writes_.push_back({.line = line, .bytes = bytes, .data = data, .entered = true, .told = true});
  for (const Step step : {Step::Accepted, Step::Entered, Step::Told}) {
    events_.push_back({step, write, at});
  }
}

CrashStates::CrashStates(const Journal& journal, const FlatMemory& before) : journal_(journal) {
  sure_.copy(before);
}

void CrashStates::go_to(std::size_t n) {
  for (; done_ < n; ++done_) {
    const Journal::Event& event = journal_.events()[done_];
    const std::uint64_t line = journal_.writes()[event.write].line;
    if (event.step == Journal::Step::Accepted) {
      open_[line].push_back({event.write});
      ++free_;
      continue;
    }
    const auto at = open_.find(line);
    const auto open = std::ranges::find(at->second, event.write, &Open::write);
    if (event.step == Journal::Step::Entered) {
      open->entered = true;
      if (open->told) --broken_;
    } else {
      open->told = true;
      --free_;
      if (!open->entered) ++broken_;
    }
    retire(at);
  }
}

// What is in whatever is chosen. The rest of the line stays in order behind it.
void CrashStates::retire(std::map<std::uint64_t, std::vector<Open>>::iterator at) {
  std::vector<Open>& open = at->second;
  while (!open.empty() && open.front().told && open.front().entered) {
    const Journal::Write& write = journal_.writes()[open.front().write];
    sure_.write_line(write.line, write.data, write.bytes);
    open.erase(open.begin());
  }
  if (open.empty()) open_.erase(at);
}

std::vector<CrashStates::Choice> CrashStates::choices(std::size_t most, std::uint64_t seed) const {
  Choice own, all;
  std::size_t combinations = 1;
  for (const auto& [line, open] : open_) {
    const auto free = static_cast<std::size_t>(std::ranges::count_if(open, &Open::free));
    if (free == 0) continue;
    own.push_back(static_cast<std::size_t>(
        std::ranges::count_if(open, [](const Open& w) { return w.free() && w.entered; })));
    all.push_back(free);
    combinations = std::min(combinations * (free + 1), std::size_t{1} << 32);
  }
  std::vector<Choice> chosen = {own};
  std::set<Choice> seen = {own};
  const auto add = [&](const Choice& choice) {
    if (chosen.size() < most && seen.insert(choice).second) chosen.push_back(choice);
  };
  Choice none(all.size(), 0);
  if (combinations <= std::min(kAll, most)) {
    Choice next = none;
    for (std::size_t n = 0; n < combinations; ++n) {
      add(next);
      for (std::size_t i = 0; i < next.size() && ++next[i] > all[i]; ++i) next[i] = 0;
    }
    return chosen;
  }
  add(none);
  add(all);
  SplitMix random(seed * kSplitMixStep + done_);
  // One write alone, in and out: most faults need no more.
  for (std::size_t i = 0; i < all.size() && chosen.size() < most / 2; ++i) {
    Choice one = none, rest = all;
    one[i] = all[i];
    rest[i] = 0;
    add(one);
    add(rest);
  }
  for (std::size_t tries = 0; chosen.size() < most && tries < 4 * most; ++tries) {
    Choice choice = none;
    for (std::size_t i = 0; i < all.size(); ++i) choice[i] = random.below(all[i] + 1);
    add(choice);
  }
  return chosen;
}

void CrashStates::write_to(FlatMemory& memory, const Choice& choice) const {
  std::size_t next = 0;
  for (const auto& [line, open] : open_) {
    const bool chooses = std::ranges::any_of(open, &Open::free);
    std::size_t left = chooses ? choice[next++] : 0;
    std::size_t sure = open.size();  // up to the last of these
    while (sure != 0 && !(open[sure - 1].told && open[sure - 1].entered)) --sure;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Open& w = open[i];
      const bool in = w.free() ? left != 0 || i < sure : w.entered;
      if (w.free() && left != 0) --left;
      const Journal::Write& write = journal_.writes()[w.write];
      if (in) memory.write_line(line, write.data, write.bytes);
    }
  }
}

std::string CrashStates::text(const Choice& choice) const {
  std::string text;
  std::size_t next = 0;
  for (const auto& [line, open] : open_) {
    const auto free = static_cast<std::size_t>(std::ranges::count_if(open, &Open::free));
    if (free == 0) continue;
    text += fmt::format("{}{:#x}:{}/{}", text.empty() ? "" : " ", line, choice[next++], free);
  }
  return text.empty() ? "nothing" : text;
}

bool JournalEngine::submit(const MemRequest& request) {
  if (!inner_.submit(request)) return false;
  if (request.is_write && request.addr - base_ < bytes_) {
    writes_[request.id] =
        journal_.accepted(request.addr, request.data, request.byte_enable, inner_.now());
  }
  return true;
}

std::optional<MemResponse> JournalEngine::take() {
  const auto response = inner_.take();
  if (!response || !response->is_write) return response;
  const auto found = writes_.find(response->id);
  if (found == writes_.end()) return response;
  if (response->error) {
    journal_.refused(found->second);
  } else {
    journal_.told(found->second, inner_.now());
  }
  writes_.erase(found);
  return response;
}

}  // namespace cxlgpu
