// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/samples_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "sim/machine/memory_map.hpp"

namespace cxlgpu {

namespace {

using nlohmann::json;

// Four digits: a pixel is coarser.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

// To a tenth of a nanosecond.
double ns(Time t) {
  return std::round(t.ns() * 10) / 10;
}

json curves(const RunSamples& samples) {
  struct Shown {
    const char* name;
    RunSamples::Curve curve;
    const char* unit;
  };
  constexpr Shown kAll[] = {{"bandwidth_loads", RunSamples::LoadBytes, "GB/s"},
                            {"bandwidth_stores", RunSamples::StoreBytes, "GB/s"},
                            {"sr_queue", RunSamples::PortQueue, "requests, mean"},
                            {"memory_queue", RunSamples::MemoryQueue, "requests, mean"},
                            {"endpoint_queue", RunSamples::EndpointQueue, "requests, mean"},
                            {"media_busy", RunSamples::MediaBusy, "requests, mean"},
                            {"memspecrd_sent", RunSamples::SpecSent, "MemSpecRd"},
                            {"memspecrd_filled", RunSamples::SpecFilled, "lines"},
                            {"memspecrd_dropped", RunSamples::SpecDropped, "MemSpecRd"},
                            {"ds_deferred", RunSamples::Deferred, "lines, most"},
                            {"flits_m2s", RunSamples::FlitsM2S, "flits"},
                            {"flits_s2m", RunSamples::FlitsS2M, "flits"},
                            {"flits_damaged", RunSamples::Damaged, "flits"},
                            {"flits_retry", RunSamples::Retried, "flits"},
                            {"collections", RunSamples::Collections, "collections and erases"},
                            {"programs", RunSamples::Programs, "pages"},
                            {"suspends", RunSamples::Suspends, "suspensions"},
                            {"page_faults", RunSamples::PageFaults, "entries"},
                            {"pages_in", RunSamples::PagesIn, "pages"},
                            {"pages_out", RunSamples::PagesOut, "pages"}};
  const GrowingBins& bins = samples.bins();
  const auto width = static_cast<double>(bins.width().ps);
  json all = json::object();
  const auto add = [&](const std::string& name, std::size_t curve, const char* unit, double over) {
    json values = json::array();
    bool any = false;
    for (std::size_t bin = 0; bin < bins.count(); ++bin) {
      const double value = rounded(bins.at(curve, bin) / over);
      any = any || value != 0;
      values.push_back(value);
    }
    if (any) all[name] = {{"values", values}, {"unit", unit}};
  };
  for (const Shown& shown : kAll) {
    const std::string_view unit = shown.unit;
    const double over = unit == "GB/s" ? width / 1000 : unit == "requests, mean" ? width : 1;
    add(shown.name, shown.curve, shown.unit, over);
  }
  // DevLoad moves it without speculation too, to no end.
  const std::size_t ports = samples.speculation().seen() == 0 ? 0 : samples.control_ports();
  for (std::size_t port = 0; port < ports; ++port) {
    add(fmt::format("granularity_{}", port), RunSamples::FirstGranularity + port, "B", width);
  }
  return all;
}

json accesses(const RunSamples& samples, const RunConfig& config) {
  const MemoryMap map(config.hdm, {});
  const auto list = [](const RunSamples::Accesses& some, const auto& point) {
    json points = json::array();
    for (const RunSamples::Access& access : some.kept()) {
      json made = point(access);
      if (!made.is_null()) points.push_back(std::move(made));
    }
    return json{{"points", points}, {"of", some.seen()}};
  };
  const auto with_info = [](const RunSamples::Access& a) { return json{ns(a.at), a.addr, a.info}; };
  return {{"loads", list(samples.loads(), with_info)},
          {"memspecrd", list(samples.speculation(), with_info)},
          {"fills", list(samples.fills(), [&](const RunSamples::Access& a) {
             const auto addr = map.address({a.port, a.addr});
             return addr ? json{ns(a.at), *addr} : json();
           })}};
}

// Each request once, whatever it is an example of.
class Requests {
 public:
  std::size_t index(const RequestRecord& r, std::size_t kind) {
    const auto [found, is_new] =
        known_.try_emplace({r.time(Stage::SysAccept).ps, r.id, kind}, all_.size());
    if (!is_new) return found->second;
    json stages = json::array();
    for (std::size_t stage = 1; stage < kPathStages; ++stage) {
      stages.push_back(r.at[stage] == Time::never() ? json() : json(ns(time_in_stage(r, stage))));
    }
    all_.push_back({kind, r.port, fmt::format("0x{:x}", r.addr), r.tag,
                    ns(r.time(Stage::SysAccept)), std::move(stages)});
    return found->second;
  }
  [[nodiscard]] json take() { return std::move(all_); }

 private:
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::size_t>, std::size_t> known_;
  json all_ = json::array();
};

}  // namespace

json samples_json(const RunSamples& samples, const RunConfig& config) {
  Requests requests;
  json longest = json::object(), by_latency = json::object();
  for (std::size_t k = 0; k < kRequestKindNames.size(); ++k) {
    const RunSamples::KindSamples& kind = samples.kind(static_cast<RequestKind>(k));
    if (kind.by_latency.empty()) continue;
    json stages = json::array(), some = json::array();
    for (std::size_t stage = 1; stage < kPathStages; ++stage) {
      json of_stage = json::array();
      for (const RequestRecord& r : kind.longest[stage]) of_stage.push_back(requests.index(r, k));
      stages.push_back(of_stage);
    }
    for (const RequestRecord& r : kind.by_latency) some.push_back(requests.index(r, k));
    const std::string name(kRequestKindNames[k]);
    longest[name] = stages;
    by_latency[name] = some;
  }
  return {{"bin", ns(samples.bins().width())},
          {"curves", curves(samples)},
          {"accesses", accesses(samples, config)},
          {"kind_names", kRequestKindNames},
          {"longest", longest},
          {"by_latency", by_latency},
          {"requests", requests.take()}};
}

}  // namespace cxlgpu
