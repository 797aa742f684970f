// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/copy_summary.hpp"

#include <fmt/format.h>

#include "cli/figure.hpp"

namespace cxlgpu {

namespace {

double per(double value, double count) {
  return count == 0 ? 0 : value / count;
}

}  // namespace

nlohmann::json link_json(const CopyResult::Link& link) {
  return {{"direct", figure(link.direct, "bytes")},
          {"relayed", figure(link.relayed, "bytes")},
          {"lost_chunks", figure(link.lost, "chunks")},
          {"most_outstanding", figure(link.most_outstanding, "chunks")}};
}

nlohmann::json copy_json(const CopyResult& result) {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  const double measured = result.measured().ns();
  nlohmann::json streams = nlohmann::json::array(), links = nlohmann::json::array();
  for (const CopyResult::Stream& stream : result.streams) {
    const double time = stream.copies == 0 ? 0 : (stream.ended - stream.began).ns();
    streams.push_back({{"gpu", stream.gpu},
                       {"copies", figure(stream.copies, "copies")},
                       {"bytes", figure(stream.bytes, "bytes")},
                       {"time", figure(time, "ns")},
                       {"bandwidth", figure(per(number(stream.bytes), time), "GB/s")}});
  }
  for (const CopyResult::Link& link : result.links) {
    links.push_back(link_json(link));
    links.back()["others"] = figure(per(link.background, measured), "GB/s");
  }
  return {{"copies", figure(result.copies, "copies")},
          {"failed", figure(result.failed, "copies")},
          {"native", figure(result.native, "copies")},
          {"bytes", figure(result.bytes, "bytes")},
          {"bytes_checked", figure(result.bytes_checked, "bytes")},
          {"bytes_wrong", figure(result.bytes_wrong, "bytes")},
          {"bytes_twice", figure(result.bytes_twice, "bytes")},
          {"chunks", figure(result.chunks, "chunks")},
          {"links_lost", figure(result.link_lost ? 1 : 0, "links")},
          {"chunks_again", figure(result.again, "chunks")},
          {"measured", figure(measured, "ns")},
          {"bandwidth", figure(per(number(result.bytes), measured), "GB/s")},
          {"mean_latency", figure(per(result.latency.ns(), number(result.copies)), "ns")},
          {"longest_latency", figure(result.longest.ns(), "ns")},
          {"host_threads", figure(per(100 * result.threads.ns(), measured), "%")},
          {"peer_bandwidth", figure(per(result.peer_bytes, measured), "GB/s")},
          {"streams", streams},
          {"links", links}};
}

std::vector<std::pair<std::string, std::string>> copy_rows(const nlohmann::json& copy) {
  const auto of = [](const nlohmann::json& from, const char* name) {
    return from.at(name).at("value").get<double>();
  };
  std::vector<std::pair<std::string, std::string>> rows = {
      {"copies / failed / native", fmt::format("{:.0f} / {:.0f} / {:.0f}", of(copy, "copies"),
                                               of(copy, "failed"), of(copy, "native"))},
      {"bytes checked / wrong / written twice",
       fmt::format("{:.0f} / {:.0f} / {:.0f}", of(copy, "bytes_checked"), of(copy, "bytes_wrong"),
                   of(copy, "bytes_twice"))},
      {"copies alone: time / bandwidth",
       fmt::format("{:.3f} us / {:.3f} GB/s", of(copy, "measured") / 1000, of(copy, "bandwidth"))},
      {"a copy, mean / longest", fmt::format("{:.3f} / {:.3f} us", of(copy, "mean_latency") / 1000,
                                             of(copy, "longest_latency") / 1000)},
      {"chunks", fmt::format("{:.0f}", of(copy, "chunks"))}};
  if (of(copy, "links_lost") != 0) {
    rows.emplace_back(
        "links lost / chunks copied again",
        fmt::format("{:.0f} / {:.0f}", of(copy, "links_lost"), of(copy, "chunks_again")));
  }
  if (of(copy, "host_threads") != 0) {
    rows.emplace_back("threads of the host in use",
                      fmt::format("{:.0f} %", of(copy, "host_threads")));
  }
  if (of(copy, "peer_bandwidth") != 0) {
    rows.emplace_back("others, between GPUs",
                      fmt::format("{:.3f} GB/s", of(copy, "peer_bandwidth")));
  }
  if (copy.at("streams").size() > 1) {
    for (const nlohmann::json& stream : copy.at("streams")) {
      rows.emplace_back(fmt::format("  stream of GPU {}", stream.at("gpu").get<unsigned>()),
                        fmt::format("{:.3f} GB/s", of(stream, "bandwidth")));
    }
  }
  for (std::size_t gpu = 0; gpu < copy.at("links").size(); ++gpu) {
    const nlohmann::json& link = copy.at("links")[gpu];
    if (of(link, "direct") + of(link, "relayed") + of(link, "others") == 0) continue;
    rows.emplace_back(fmt::format("  link of GPU {}: direct / relayed / others", gpu),
                      fmt::format("{:.1f} MB / {:.1f} MB / {:.3f} GB/s", of(link, "direct") / 1e6,
                                  of(link, "relayed") / 1e6, of(link, "others")));
  }
  return rows;
}

}  // namespace cxlgpu
