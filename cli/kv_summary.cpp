// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/kv_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/figure.hpp"
#include "sim/stats/latency_counts.hpp"

namespace cxlgpu {

nlohmann::json kv_json(const nvme::KvHost& kv) {
  const nvme::StageBook& book = kv.book();
  const nvme::ControllerCounters& c = kv.counters();
  const nvme::BusCounters& b = kv.bus_counters();
  std::vector<std::uint64_t> latencies;
  for (const Time latency : book.latencies()) latencies.push_back(latency.ps);
  const Percentiles of_latency = percentiles_of(std::move(latencies));
  const auto count = static_cast<double>(std::max<std::uint64_t>(book.count(), 1));
  nlohmann::json stages = nlohmann::json::array();
  double mean = 0;
  for (std::size_t i = 0; i < nvme::kKvStageNames.size(); ++i) {
    const double ns = book.sum(static_cast<nvme::KvStage>(i)).ns() / count;
    mean += ns;
    stages.push_back({{"stage", nvme::kKvStageNames[i]}, {"mean", figure(ns, "ns")}});
  }
  const auto commands = [](std::uint64_t n) { return figure(n, "commands"); };
  const auto bytes = [](std::uint64_t n) { return figure(n, "bytes"); };
  return {{"commands", commands(book.count())},
          {"failed", commands(c.failed)},
          {"unknown", commands(book.unknown())},
          {"doorbells", figure(c.tails, "writes")},
          {"heads", figure(c.heads, "writes")},
          {"fetches", figure(c.fetches, "reads")},
          {"held", commands(c.held)},
          {"dropped_doorbells", figure(c.unknown_queue + c.bad_value + c.not_ready, "writes")},
          {"refused", figure(c.refused, "accesses")},
          {"polls", figure(b.polls, "polls")},
          {"mmio_writes", figure(b.mmio_writes, "writes")},
          {"data_in", bytes(c.data_in)},
          {"data_out", bytes(c.data_out)},
          {"host_lines", figure(b.host_reads + b.host_writes, "lines")},
          {"span", figure(book.span().ns(), "ns")},
          {"a_command", figure(book.span().ns() / count, "ns")},
          {"latency",
           {{"mean", figure(mean, "ns")},
            {"p50", figure(of_latency.p50.ns(), "ns")},
            {"p99", figure(of_latency.p99.ns(), "ns")},
            {"max", figure(of_latency.max.ns(), "ns")}}},
          {"stages", stages},
          {"bring_up", figure(kv.bring_up().ns(), "ns")}};
}

std::vector<std::pair<std::string, std::string>> kv_rows(const nlohmann::json& kv) {
  const auto of = [&kv](const std::string& path) {
    return kv.at(nlohmann::json::json_pointer(path)).at("value").get<double>();
  };
  std::vector<std::pair<std::string, std::string>> rows = {
      {"NVMe: commands / failed / tails rung",
       fmt::format("{:.0f} / {:.0f} / {:.0f}", of("/commands"), of("/failed"), of("/doorbells"))},
      {"  latency mean / p50 / p99",
       fmt::format("{:.3f} / {:.3f} / {:.3f} us", of("/latency/mean") / 1000,
                   of("/latency/p50") / 1000, of("/latency/p99") / 1000)},
      {"  a command, of all from first to last",
       fmt::format("{:.3f} us", of("/a_command") / 1000)}};
  for (const auto& stage : kv.at("stages")) {
    std::string name = stage.at("stage").get<std::string>();
    std::replace(name.begin(), name.end(), '_', ' ');
    rows.emplace_back("  stage: " + name,
                      fmt::format("{:.3f} us", stage.at("mean").at("value").get<double>() / 1000));
  }
  return rows;
}

}  // namespace cxlgpu
