// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/prefix_summary.hpp"

#include <fmt/format.h>

#include "cli/copy_summary.hpp"
#include "cli/figure.hpp"
#include "cli/io_summary.hpp"
#include "sim/stats/latency_counts.hpp"

namespace cxlgpu {

namespace {

double per(double value, double count) {
  return count == 0 ? 0 : value / count;
}

nlohmann::json times_json(std::vector<std::uint64_t> times) {
  const Percentiles of = percentiles_of(std::move(times));
  const auto ns = [](Time time) { return figure(time.ns(), "ns"); };
  return {{"requests", figure(of.count, "requests")},
          {"mean", ns(of.mean)},
          {"p50", ns(of.p50)},
          {"p90", ns(of.p90)},
          {"p99", ns(of.p99)},
          {"max", ns(of.max)}};
}

std::string ms(double ns) {
  return fmt::format("{:.3f}", ns / 1e6);
}

}  // namespace

nlohmann::json prefix_json(const PrefixRun& run, const PrefixWork& work) {
  const PrefixResult& result = run.result();
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  std::vector<std::uint64_t> all, hits, misses;
  Time queued, fetched, computed;
  for (const PrefixResult::One& one : result.requests) {
    if (one.first_token == Time{}) continue;  // the run ended before
    all.push_back(one.first_token.ps);
    (one.hit ? hits : misses).push_back(one.first_token.ps);
    queued += one.queued;
    fetched += one.fetched;
    computed += one.computed;
  }
  const double count = number(all.size());
  const auto mean = [count](Time time) { return figure(per(time.ns(), count), "ns"); };
  nlohmann::json links = nlohmann::json::array();
  for (const CopyResult::Link& link : run.links()) links.push_back(link_json(link));
  nlohmann::json json = {
      {"requests", figure(all.size(), "requests")},
      {"blocks", figure(run.plan().blocks, "blocks")},
      {"blocks_found", figure(run.plan().fetched, "blocks")},
      {"blocks_evicted", figure(run.plan().evicted, "blocks")},
      {"cache", figure(run.plan().slots, "blocks")},
      {"block_bytes", figure(work.block_bytes(), "bytes")},
      {"tokens", figure(result.tokens, "tokens")},
      {"tokens_found", figure(result.tokens_held, "tokens")},
      {"hit_rate", figure(100 * per(number(result.tokens_held), number(result.tokens)), "%")},
      {"calls", figure(result.calls, "calls")},
      {"failed", figure(result.failed, "calls")},
      {"call_bytes", figure(per(number(result.bytes), number(result.calls)), "bytes")},
      {"native", figure(run.native(), "copies")},
      {"chunks", figure(run.chunks(), "chunks")},
      {"bytes", figure(result.bytes, "bytes")},
      {"bytes_checked", figure(result.bytes_checked, "bytes")},
      {"bytes_wrong", figure(result.bytes_wrong, "bytes")},
      {"bandwidth", figure(per(number(result.bytes), fetched.ns()), "GB/s")},
      {"queued", mean(queued)},
      {"fetched", mean(fetched)},
      {"computed", mean(computed)},
      {"first_token", times_json(all)},
      {"first_token_found", times_json(hits)},
      {"first_token_not_found", times_json(misses)},
      {"links", links}};
  if (run.steps() != nullptr) json["steps"] = steps_json(*run.steps());
  return json;
}

std::vector<std::pair<std::string, std::string>> prefix_rows(const nlohmann::json& prefix) {
  const auto of = [&prefix](const std::string& path) {
    return prefix.at(nlohmann::json::json_pointer("/" + path)).at("value").get<double>();
  };
  std::vector<std::pair<std::string, std::string>> rows = {
      {"requests / tokens / found in the cache",
       fmt::format("{:.0f} / {:.0f} / {:.1f} %", of("requests"), of("tokens"), of("hit_rate"))},
      {"blocks / found / evicted", fmt::format("{:.0f} / {:.0f} / {:.0f}", of("blocks"),
                                               of("blocks_found"), of("blocks_evicted"))},
      {"bytes checked / wrong",
       fmt::format("{:.0f} / {:.0f}", of("bytes_checked"), of("bytes_wrong"))},
      {"calls / failed / mean size", fmt::format("{:.0f} / {:.0f} / {:.1f} KiB", of("calls"),
                                                 of("failed"), of("call_bytes") / 1024)},
      {"fetched at", fmt::format("{:.3f} GB/s", of("bandwidth"))},
      {"queued / fetched / computed, mean",
       fmt::format("{} / {} / {} ms", ms(of("queued")), ms(of("fetched")), ms(of("computed")))}};
  for (const auto& [name, path] : {std::pair{"time to the first token", "first_token"},
                                   std::pair{"  with a prefix found", "first_token_found"},
                                   std::pair{"  without", "first_token_not_found"}}) {
    const std::string at = std::string(path) + "/";
    if (of(at + "requests") == 0) continue;
    rows.emplace_back(std::string(name) + ": mean / p50 / p90 / p99",
                      fmt::format("{} / {} / {} / {} ms", ms(of(at + "mean")), ms(of(at + "p50")),
                                  ms(of(at + "p90")), ms(of(at + "p99"))));
  }
  for (std::size_t gpu = 0; gpu < prefix.at("links").size(); ++gpu) {
    const std::string link = fmt::format("links/{}/", gpu);
    if (of(link + "direct") + of(link + "relayed") == 0) continue;
    rows.emplace_back(fmt::format("  link of GPU {}: direct / relayed", gpu),
                      fmt::format("{:.1f} MB / {:.1f} MB", of(link + "direct") / 1e6,
                                  of(link + "relayed") / 1e6));
  }
  if (prefix.contains("steps")) {
    for (auto& row : step_rows(prefix.at("steps"))) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cxlgpu
