// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/kv_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "sim/host/line_reader.hpp"
#include "sim/workloads/data.hpp"

namespace cxlgpu {
namespace {

constexpr std::size_t kMostCharacters = 16 << 20;  // of a line: some two million blocks
constexpr const char* kRound = "write Round NUMBER-NAME: [BLOCK, BLOCK]";
constexpr const char* kSequence = "write Seq NUMBER and a line for each of its rounds";
constexpr const char* kRow =
    R"(write {"timestamp": MS, "input_length": N, "output_length": N, "hash_ids": [N, N]})";

class Reader {
 public:
  Reader(const std::string& path, const std::atomic<int>* stop)
      : lines_(path, stop, kMostCharacters) {}

  KvTrace read() {
    while (const auto raw = lines_.next()) {
      const std::string_view line = trim(*raw);
      if (line.empty()) continue;
      if (trace_.requests.empty()) trace_.shared = line.front() == '{';
      if (trace_.shared) {
        row(line);
      } else {
        text(line);
      }
    }
    if (trace_.references == 0) place().fail("the trace names no block", "give one that does");
    return std::move(trace_);
  }

 private:
  [[nodiscard]] FilePlace place() const { return {lines_.name(), lines_.line()}; }

  void block(std::uint64_t number) {
    if (number >= KvTrace::kMostBlocks) {
      place().fail(fmt::format("block {} is not in 0..{}", number, KvTrace::kMostBlocks - 1),
                   "number the blocks from 0 on");
    }
    if (++trace_.references > KvTrace::kMostReferences) {
      place().fail(fmt::format("the trace names more than {} blocks", KvTrace::kMostReferences),
                   "give a shorter one");
    }
    trace_.requests.back().blocks.push_back(number);
    trace_.blocks = std::max(trace_.blocks, number + 1);
  }

  void text(std::string_view line) {
    if (line.starts_with("Seq")) {
      trace_.requests.emplace_back();
      return;
    }
    if (!line.starts_with("Round")) {
      place().fail(fmt::format("'{}' begins neither a sequence nor a round", shown(line)),
                   kSequence);
    }
    if (trace_.requests.empty()) place().fail("a round stands before any sequence", kSequence);
    const std::size_t begin = line.find('[');
    if (begin == std::string_view::npos || !line.ends_with(']')) {
      place().fail(fmt::format("'{}' has no blocks in brackets", shown(line)), kRound);
    }
    std::string_view all = trim(line.substr(begin + 1, line.size() - begin - 2));
    while (!all.empty()) {
      const std::size_t comma = all.find(',');
      number(trim(all.substr(0, comma)));
      if (comma == std::string_view::npos) return;
      all = trim(all.substr(comma + 1));
      if (all.empty()) place().fail("a comma ends the blocks", kRound);
    }
  }

  void number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      place().fail(fmt::format("block '{}' is not a number that can be used here", shown(text)),
                   kRound);
    }
    block(value);
  }

  void row(std::string_view line) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object()) {
      place().fail(fmt::format("'{}' is not a JSON object of one line", shown(line)), kRow);
    }
    trace_.requests.emplace_back();
    if (row.contains("timestamp")) trace_.requests.back().at_us = arrival(row);
    trace_.requests.back().input_tokens = whole(row, "input_length");
    trace_.requests.back().output_tokens = whole(row, "output_length");
    const auto ids = row.find("hash_ids");
    if (ids == row.end() || !ids->is_array()) place().fail("hash_ids is no list", kRow);
    for (const nlohmann::json& id : *ids) {
      if (!id.is_number_unsigned()) {
        place().fail("hash_ids has what is not a whole number of 0 or more", kRow);
      }
      block(id.get<std::uint64_t>());
    }
  }

  // So that picoseconds of it, and of the run behind it, are far from their end.
  std::uint64_t arrival(const nlohmann::json& row) {
    constexpr std::uint64_t kMostMs = 1'000'000'000;
    const std::uint64_t ms = whole(row, "timestamp");
    if (ms > kMostMs) place().fail(fmt::format("timestamp is over {}", kMostMs), kRow);
    return ms * 1000;
  }

  std::uint64_t whole(const nlohmann::json& row, const char* name) {
    const auto found = row.find(name);
    if (found == row.end() || !found->is_number_unsigned()) {
      place().fail(fmt::format("{} is not a whole number of 0 or more", name), kRow);
    }
    return found->get<std::uint64_t>();
  }

  LineReader lines_;
  KvTrace trace_;
};

}  // namespace

std::vector<std::vector<std::uint64_t>> KvTrace::cached() const {
  std::vector<std::vector<std::uint64_t>> all;
  std::vector<bool> known(shared ? blocks : 0);
  for (const KvRequest& request : requests) {
    std::vector<std::uint64_t>& found = all.emplace_back();
    for (const std::uint64_t block : request.blocks) {
      if (!shared || known[block]) found.push_back(block);
    }
    if (!shared) continue;
    for (const std::uint64_t block : request.blocks) known[block] = true;
  }
  return all;
}

void KvTrace::keep(std::uint64_t count) {
  if (count >= requests.size()) return;
  requests.resize(count);
  references = 0;
  for (const KvRequest& request : requests) references += request.blocks.size();
}

KvTrace read_kv_trace(const std::string& path, const std::atomic<int>* stop) {
  return Reader(path, stop).read();
}

KvTrace drawn_kv_trace(std::uint64_t seed, std::uint64_t requests) {
  constexpr std::uint64_t kAtOnce = 8, kBlocks = 64, kLongestRun = 4;
  KvTrace trace;
  trace.requests.resize(requests);
  Random random(seed);
  for (std::uint64_t first = 0; first < requests; first += kAtOnce) {
    std::vector<std::uint64_t> open;
    for (std::uint64_t i = first; i < std::min(first + kAtOnce, requests); ++i) open.push_back(i);
    while (!open.empty()) {
      const std::uint64_t turn = random.below(open.size());
      std::vector<std::uint64_t>& blocks = trace.requests[open[turn]].blocks;
      for (std::uint64_t run = 1 + random.below(kLongestRun); run > 0; --run) {
        if (blocks.size() < kBlocks) blocks.push_back(trace.blocks++);
      }
      if (blocks.size() == kBlocks) open.erase(open.begin() + static_cast<std::ptrdiff_t>(turn));
    }
  }
  trace.references = trace.blocks;
  return trace;
}

}  // namespace cxlgpu
