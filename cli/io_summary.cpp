// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/io_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/figure.hpp"

namespace cxlgpu {

namespace {

double per(double value, double count) {
  return count == 0 ? 0 : value / count;
}

}  // namespace

nlohmann::json kv_cache_json(const KvTrace& trace, const KvLoadPlan& plan) {
  return {
      {"requests", figure(trace.requests.size(), "requests")},
      {"references", figure(trace.references, "blocks")},
      {"loaded", figure(plan.bytes() / plan.part_bytes(), "blocks of a layer")},
      {"block_bytes", figure(plan.part_bytes(), "bytes")},
      {"ios", figure(plan.ios(), "I/Os")},
      {"io_bytes",
       figure(per(static_cast<double>(plan.bytes()), static_cast<double>(plan.ios())), "bytes")}};
}

nlohmann::json model_json(const Safetensors& model, const ModelLoadPlan& plan) {
  std::uint64_t bytes = 0, longest = 0;
  for (const Tensor& tensor : model.tensors) {
    bytes += tensor.bytes;
    longest = std::max(longest, tensor.bytes);
  }
  return {{"tensors", figure(model.tensors.size(), "tensors")},
          {"bytes", figure(bytes, "bytes")},
          {"longest", figure(longest, "bytes")},
          {"ios", figure(plan.ios(), "I/Os")}};
}

nlohmann::json steps_json(const StepBook& book) {
  nlohmann::json steps;
  for (std::size_t i = 0; i < kIoStepNames.size(); ++i) {
    const StepBook::Entry& entry = book.of(static_cast<IoStep>(i));
    steps[std::string(kIoStepNames[i])] = {{"count", figure(entry.count, "times")},
                                           {"time", figure(entry.time.ns(), "ns")}};
  }
  return steps;
}

std::vector<std::pair<std::string, std::string>> step_rows(const nlohmann::json& steps) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string_view step : kIoStepNames) {
    const nlohmann::json& of = steps.at(std::string(step));
    const double count = of.at("count").at("value").get<double>();
    if (count == 0) continue;
    std::string name(step);
    std::replace(name.begin(), name.end(), '_', ' ');
    rows.emplace_back("  step: " + name,
                      fmt::format("{:.0f} x {:.3f} us", count,
                                  of.at("time").at("value").get<double>() / 1000 / count));
  }
  return rows;
}

nlohmann::json io_json(const IoResult& result, const StepBook& book) {
  const auto ns = [](Time t) { return figure(t.ns(), "ns"); };
  const nlohmann::json steps = steps_json(book);
  Time once, way, moving;  // of driver and file; of I/Os; of these, drives and copies
  for (std::size_t i = 0; i < kIoStepNames.size(); ++i) {
    const auto step = static_cast<IoStep>(i);
    const StepBook::Entry& entry = book.of(step);
    switch (step) {
      case IoStep::DriverOpen:
      case IoStep::DriverClose:
      case IoStep::HandleOpen:
      case IoStep::HandleClose:
      case IoStep::Allocate:
      case IoStep::Free:
        once += entry.time;
        break;
      case IoStep::Transfer:
      case IoStep::Copy:
        moving += entry.time;
        [[fallthrough]];
      default:
        way += entry.time;
    }
  }
  const double measured = result.measured().ns();
  return {
      {"ios", figure(result.ios, "I/Os")},
      {"failed", figure(result.failed, "I/Os")},
      {"bytes", figure(result.bytes, "bytes")},
      {"bytes_checked", figure(result.bytes_checked, "bytes")},
      {"bytes_wrong", figure(result.bytes_wrong, "bytes")},
      {"measured", figure(measured, "ns")},
      {"bandwidth", figure(per(static_cast<double>(result.bytes), measured), "GB/s")},
      {"rate", figure(per(static_cast<double>(result.ios) * 1e6, measured), "kIOPS")},
      {"calls", figure(result.groups, "calls")},
      {"mean_latency", figure(per(result.latency.ns(), static_cast<double>(result.groups)), "ns")},
      {"longest_latency", ns(result.longest)},
      {"outside", ns(once)},
      {"software_share", figure(100 * per((way - moving).ns(), way.ns()), "%")},
      {"steps", steps}};
}

std::vector<std::pair<std::string, std::string>> io_rows(const nlohmann::json& io) {
  const auto of = [&io](const std::string& path) {
    return io.at(nlohmann::json::json_pointer(path)).at("value").get<double>();
  };
  std::vector<std::pair<std::string, std::string>> rows = {
      {"I/Os / failed / bytes moved",
       fmt::format("{:.0f} / {:.0f} / {:.0f}", of("/ios"), of("/failed"), of("/bytes"))},
      {"bytes checked / wrong",
       fmt::format("{:.0f} / {:.0f}", of("/bytes_checked"), of("/bytes_wrong"))},
      {"I/Os alone: time / bandwidth / rate",
       fmt::format("{:.3f} us / {:.3f} GB/s / {:.1f} kIOPS", of("/measured") / 1000,
                   of("/bandwidth"), of("/rate"))},
      {"latency of a call, mean / longest",
       fmt::format("{:.3f} / {:.3f} us", of("/mean_latency") / 1000,
                   of("/longest_latency") / 1000)},
      {"software's share of an I/O's way", fmt::format("{:.1f} %", of("/software_share"))},
      {"driver, file and memory", fmt::format("{:.3f} us", of("/outside") / 1000)}};
  if (io.contains("kv")) {
    rows.emplace_back("requests / blocks / a layer's part of one",
                      fmt::format("{:.0f} / {:.0f} / {:.0f} bytes", of("/kv/requests"),
                                  of("/kv/references"), of("/kv/block_bytes")));
    rows.emplace_back("parts loaded / I/Os / mean I/O",
                      fmt::format("{:.0f} / {:.0f} / {:.1f} KiB", of("/kv/loaded"), of("/kv/ios"),
                                  of("/kv/io_bytes") / 1024));
  }
  if (io.contains("model")) {
    rows.emplace_back("tensors / their bytes / the longest",
                      fmt::format("{:.0f} / {:.0f} / {:.0f}", of("/model/tensors"),
                                  of("/model/bytes"), of("/model/longest")));
  }
  for (auto& row : step_rows(io.at("steps"))) rows.push_back(std::move(row));
  return rows;
}

}  // namespace cxlgpu
