// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/config_json.hpp"
#include "cli/copy_summary.hpp"
#include "cli/figure.hpp"
#include "cli/gpu_figures.hpp"
#include "cli/io_summary.hpp"
#include "cli/kv_summary.hpp"
#include "cli/paging_summary.hpp"
#include "cli/prefix_summary.hpp"
#include "cli/version.hpp"

namespace cxlgpu {

namespace {

// When a link went down and came back, and what that took.
std::string outage_text(const nlohmann::json& outage) {
  const auto us = [&](const char* what) { return outage[what].at("value").get<double>() / 1000; };
  const unsigned port = outage["port"].get<unsigned>();
  if (outage["down_at"].is_null()) return fmt::format("port {}: the run ended before", port);
  std::string text = fmt::format("port {}: down at {:.3f} us", port, us("down_at"));
  if (outage["recovered_at"].is_null()) return text + ", not recovered";
  return text + fmt::format(
                    ", up at {:.3f}, recovered at {:.3f}; {:.0f} loads, {:.0f} stores "
                    "issued again",
                    us("up_at"), us("recovered_at"), 1000 * us("replayed_reads"),
                    1000 * us("replayed_writes"));
}

// Its name, and what of it a layer above it changed.
std::string machine_text(const nlohmann::json& machine) {
  constexpr std::size_t kMost = 3;  // of the names, in a line
  std::vector<std::string> changed = machine["changed"].get<std::vector<std::string>>();
  const std::size_t more = changed.size() > kMost ? changed.size() - kMost : 0;
  if (more != 0) changed.resize(kMost);
  std::string text = machine["name"].get<std::string>();
  if (!changed.empty()) text += fmt::format(", but {}", fmt::join(changed, ", "));
  if (more != 0) text += fmt::format(" and {} more keys", more);
  return text;
}

using nlohmann::json;

constexpr std::array<const char*, 4> kDevLoadNames = {"light", "optimal", "moderate", "severe"};
constexpr std::size_t kMostWindows = 1000;  // enough for a picture

json ns(Time t) {
  return figure(t.ns(), "ns");
}

// Eight bins to each doubling (sim/stats/latency_bins.hpp), from the first that is not empty to the
// last.
json histogram(const LatencyBook& book) {
  const auto counts = book.histogram();
  const auto some = [](std::uint64_t n) { return n != 0; };
  const auto first = std::find_if(counts.begin(), counts.end(), some);
  const auto last = std::find_if(counts.rbegin(), counts.rend(), some).base();
  json least = json::array(), count = json::array();
  for (auto bin = first; bin < last; ++bin) {
    least.push_back(
        static_cast<double>(LatencyBins::least(static_cast<std::size_t>(bin - counts.begin()))) /
        1000);
    count.push_back(*bin);
  }
  return {{"from", {{"values", least}, {"unit", "ns"}}},
          {"count", {{"values", count}, {"unit", "requests"}}}};
}

json latency(const LatencyBook& book) {
  const Percentiles p = book.percentiles();
  json stages = json::array();
  const auto means = book.stage_means_ps();
  for (std::size_t i = 1; i < kPathStages; ++i) {
    stages.push_back({{"stage", kStageNames[i]}, {"mean", figure(means[i] / 1000.0, "ns")}});
  }
  return {{"count", figure(p.count, "requests")},
          {"mean", ns(p.mean)},
          {"p50", ns(p.p50)},
          {"p90", ns(p.p90)},
          {"p99", ns(p.p99)},
          {"p99.9", ns(p.p999)},
          {"max", ns(p.max)},
          {"stages", stages}};
}

// All of the run by class; what is not of the run by name besides.
json flit_counts(const std::vector<LinkCounters>& links) {
  constexpr std::array<std::pair<const char*, std::uint64_t LinkCounters::*>, 12> kCounts = {
      {{"all", &LinkCounters::all},
       {"protocol", &LinkCounters::protocol},
       {"all_data", &LinkCounters::all_data},
       {"llcrd", &LinkCounters::llcrd},
       {"retry", &LinkCounters::retry},
       {"damaged", &LinkCounters::damaged},
       {"discarded", &LinkCounters::discarded},
       {"io", &LinkCounters::io},
       {"almp", &LinkCounters::almp},
       {"other", &LinkCounters::other},
       {"bring_up", &LinkCounters::bring_up},
       {"read_out", &LinkCounters::read_out}}};
  json counts = json::object();
  for (const auto& [name, member] : kCounts) {
    std::uint64_t sum = 0;
    for (const LinkCounters& link : links) sum += link.*member;
    counts[name] = figure(sum, "flits");
  }
  return counts;
}

json deterministic_store(const std::vector<DsStats>& ports) {
  json all = json::array();
  for (const DsStats& port : ports) {
    json entry;
    for (std::size_t i = 0; i < kDsEventNames.size(); ++i) {
      entry[std::string(kDsEventNames[i])] = figure(port.count[i], "events");
    }
    entry["peak_deferred"] = figure(port.peak_deferred, "lines");
    all.push_back(entry);
  }
  return all;
}

// What the root ports' own registers say: of what was requested, not of what was filled.
json root_port_speculation(const std::vector<SrCounters>& ports) {
  const auto count = [](std::uint32_t n, std::string_view unit) {
    return figure(std::uint64_t{n}, unit);
  };
  json all = json::array();
  for (const SrCounters& port : ports) {
    all.push_back({{"loads_seen", count(port.loads_seen, "loads")},
                   {"issued", count(port.issued, "MemSpecRd")},
                   {"ring_suppressed", count(port.ring_suppressed, "loads")},
                   {"halt_suppressed", count(port.halt_suppressed, "loads")},
                   {"score_suppressed", count(port.score_suppressed, "predictions")},
                   {"requested", count(port.requested, "granules of 256 B")},
                   {"lines_used", count(port.lines_used, "lines of 64 B")},
                   {"useful_granules", count(port.useful_granules, "granules of 256 B")},
                   {"useless_granules", count(port.useless_granules, "granules of 256 B")},
                   {"issued_late", count(port.issued_late, "MemSpecRd")}});
  }
  return all;
}

// Of hints: what became of the granules by the trace, and what host bridge and ports say.
json hints(const HintStats& seen, const BridgeHintCounters& bridge,
           const std::vector<HintCounters>& ports) {
  const auto granules = [](std::uint64_t n) { return figure(n, "granules of 256 B"); };
  const auto hints = [](std::uint64_t n) { return figure(n, "hints"); };
  json by_port = json::array();
  for (const HintCounters& port : ports) {
    by_port.push_back({{"granules", granules(port.granules)},
                       {"issued", figure(std::uint64_t{port.issued}, "MemSpecRd")},
                       {"dropped", granules(port.dropped)}});
  }
  return {{"hint_granules", granules(seen.granules)},
          {"hint_useful", granules(seen.useful)},
          {"hint_late", granules(seen.late)},
          {"hint_lost", granules(seen.lost)},
          {"hint_wasted", granules(seen.wasted)},
          {"host_bridge",
           {{"hints", hints(bridge.hints)},
            {"lost", hints(bridge.lost)},
            {"misses", granules(bridge.misses)}}},
          {"root_ports", by_port}};
}

// What the endpoints' own registers say; null for an endpoint that does not answer.
json endpoint_dram(const std::vector<std::optional<InternalDramCounters>>& ports,
                   const std::string& lines) {
  json all = json::array();
  for (const std::optional<InternalDramCounters>& port : ports) {
    if (!port) {
      all.push_back(nullptr);
      continue;
    }
    const auto count = [](std::uint32_t n, std::string_view unit) {
      return figure(std::uint64_t{n}, unit);
    };
    const double hit_rate =
        port->demands() == 0 ? 0 : 100.0 * port->demand_hits / static_cast<double>(port->demands());
    all.push_back({{"demand_hits", count(port->demand_hits, "accesses")},
                   {"demand_merges", count(port->demand_merges, "accesses")},
                   {"demand_fills", count(port->demand_fills, lines)},
                   {"spec_fills", count(port->spec_fills, lines)},
                   {"spec_needless", count(port->spec_needless, lines)},
                   {"spec_dropped", count(port->spec_dropped, lines)},
                   {"spec_evicted_unused", count(port->spec_evicted_unused, lines)},
                   {"spec_displaced", count(port->spec_displaced, lines)},
                   {"opened", count(port->opened, lines)},
                   {"filled_behind", count(port->filled_behind, lines)},
                   {"made_whole", count(port->made_whole, lines)},
                   {"hit_rate", figure(hit_rate, "%")}});
  }
  return all;
}

json slow_request(const RequestRecord& r) {
  json stages = json::array();
  for (std::size_t i = 0; i < kPathStages; ++i) {
    if (r.at[i] == Time::never()) continue;
    stages.push_back({{"stage", kStageNames[i]}, {"at", ns(r.at[i])}});
  }
  return {{"address", fmt::format("0x{:x}", r.addr)},
          {"port", r.port},
          {"tag", r.tag},
          {"latency", ns(r.latency())},
          {"stages", stages}};
}

template <typename Bins, typename Point>
json curve(const Bins& bins, const char* unit, Point point) {
  json values = json::array();
  for (const auto& bin : bins) values.push_back(point(bin));
  return {{"values", values}, {"unit", unit}};
}

json latency_series(std::string_view kind, const LatencyBook& book, const TimeBins& bins) {
  const std::vector<Percentiles> all = book.series(bins);
  const auto time = [&all](Time Percentiles::*which) {
    return curve(all, "ns", [which](const Percentiles& p) {
      return p.count == 0 ? json() : json((p.*which).ns());
    });
  };
  return {{"kind", kind},
          {"count", curve(all, "requests", [](const Percentiles& p) { return json(p.count); })},
          {"p50", time(&Percentiles::p50)},
          {"p99", time(&Percentiles::p99)},
          {"max", time(&Percentiles::max)}};
}

// What happened when: the tail of a busy time is lost in the percentiles of a whole run.
json series(const RunStats& stats, Time end) {
  const TimeBins bins = TimeBins::over(end);
  json latencies = json::array();
  const auto add = [&](std::string_view kind, const LatencyBook& book) {
    if (book.count() != 0) latencies.push_back(latency_series(kind, book, bins));
  };
  add("load", stats.loads());
  add("store", stats.stores());
  for (std::size_t k = 0; k < kRequestKindNames.size(); ++k) {
    const auto kind = static_cast<RequestKind>(k);
    if (kind != RequestKind::Store) add(kRequestKindNames[k], stats.kind(kind));
  }
  const std::vector<DevLoadCounts> counts = stats.dev_loads(bins);
  json dev_load;
  for (std::size_t level = 0; level < kDevLoadNames.size(); ++level) {
    dev_load[kDevLoadNames[level]] =
        curve(counts, "responses", [level](const DevLoadCounts& c) { return json(c[level]); });
  }
  const std::vector<double> ingress = stats.ingress().series(bins);
  return {{"bin", ns(bins.width)},
          {"latency", latencies},
          {"dev_load", dev_load},
          {"ingress", {{"values", ingress}, {"unit", "messages, mean"}}}};
}

// The script, and its windows within the run, as requested: a die in an operation starts later.
json collection(const EndpointConfig& c, Time end) {
  if (c.gc_busy_us == 0) return nullptr;
  const auto us = [](std::uint64_t n) { return figure(n, "us"); };
  json starts = json::array();
  for (std::uint64_t at = c.gc_first_us; Time{at * 1000000} < end && starts.size() < kMostWindows;
       at += c.gc_every_us) {
    starts.push_back(Time{at * 1000000}.ns());
    if (c.gc_every_us == 0) break;
  }
  return {{"first", us(c.gc_first_us)},
          {"every", us(c.gc_every_us)},
          {"busy", us(c.gc_busy_us)},
          {"dies", figure(c.gc_dies_percent, "%")},
          {"starts", {{"values", starts}, {"unit", "ns"}}}};
}

json unfinished(const RunOutcome& outcome) {
  if (!outcome.unfinished) return nullptr;
  const Unfinished& u = *outcome.unfinished;
  json all = {{"why", u.why}, {"unanswered", figure(u.unanswered, "requests")}};
  if (u.never_issued) all["never_issued"] = figure(*u.never_issued, "requests");
  if (u.kernels_left) all["kernels_left"] = figure(*u.kernels_left, "kernels");
  if (u.items_left) all["items_left"] = figure(*u.items_left, "I/Os");
  return all;
}

// Wrong data is wrong however the run ended; without it an unfinished run has no verdict.
std::string status_of(const RunOutcome& outcome) {
  if (!outcome.problems.empty()) return "WRONG";
  return outcome.unfinished ? outcome.unfinished->why : "clean";
}

}  // namespace

nlohmann::json to_json(const RunOutcome& outcome, const RunStats& stats) {
  const RunConfig& c = outcome.config;
  json kinds = json::array();
  for (std::size_t k = 0; k < kRequestKindNames.size(); ++k) {
    const LatencyBook& book = stats.kind(static_cast<RequestKind>(k));
    if (book.count() == 0) continue;
    json entry = latency(book);
    entry["kind"] = kRequestKindNames[k];
    entry["histogram"] = histogram(book);
    kinds.push_back(entry);
  }
  json media = json::array();
  for (const MediaCounters& m : outcome.media) {
    const auto commands = [](std::uint64_t n) { return figure(n, "commands"); };
    media.push_back({{"reads", commands(m.reads)},
                     {"writes", commands(m.writes)},
                     {"array_reads", commands(m.array_reads)},
                     {"array_writes", commands(m.array_writes)},
                     {"fills", commands(m.fills)},
                     {"write_backs", commands(m.write_backs)},
                     {"page_reads", figure(m.page_reads, "pages")},
                     {"page_programs", figure(m.page_programs, "pages")},
                     {"collections", figure(m.collections, "dies")},
                     {"moved_pages", figure(m.moved_pages, "pages")},
                     {"erases", figure(m.erases, "blocks")},
                     {"program_suspends", figure(m.program_suspends, "suspensions")},
                     {"erase_suspends", figure(m.erase_suspends, "suspensions")},
                     {"wear_pauses", figure(m.wear_pauses, "pauses")},
                     {"row_hits", commands(m.row_hits)},
                     {"row_misses", commands(m.row_misses)},
                     {"row_conflicts", commands(m.row_conflicts)}});
  }
  json control = json::array();
  for (const LoadControlPoint& p : stats.load_control()) {
    control.push_back({p.at.ns(), p.port, p.state});
  }
  json slow = json::array();
  for (const RequestRecord& r : stats.slowest()) slow.push_back(slow_request(r));
  const SpecStats& s = stats.spec();
  const std::string lines = fmt::format("lines of {} B", c.endpoint.line_bytes);  // internal DRAM
  const json config = config_json(c);
  return {
      {"schema", 2},
      {"scenario", c.scenario},
      {"machine", {{"name", c.machine}, {"changed", c.machine_changed}}},
      {"engine", c.engine},
      {"workload", c.workload.name},
      {"media", c.media},
      {"policy", config.at("/root_port/policy"_json_pointer)},
      {"seed", c.seed},
      {"version", {{"project", project_version()}, {"commit", source_commit()}}},
      {"command", outcome.command},
      {"config", config},
      {"status", status_of(outcome)},
      {"unfinished", unfinished(outcome)},
      {"end_to_end", ns(outcome.end)},
      {"wall", figure(outcome.wall_seconds, "s")},
      {"data_set", figure(outcome.data_bytes, "bytes")},
      {"local_memory", figure(outcome.local_bytes, "bytes")},
      {"internal_dram", figure(outcome.cache_bytes, "bytes")},
      {"checks",
       {{"reads_checked", figure(outcome.reads_checked, "requests")},
        {"writes_sent", figure(outcome.writes_sent, "requests")},
        {"mismatches", figure(outcome.mismatches, "requests")},
        {"problems", outcome.problems}}},
      {"loads", latency(stats.loads())},
      {"stores", latency(stats.stores())},
      {"kinds", kinds},
      {"internal_dram_lookups",
       {{"hit", figure(stats.lookups(LookupResult::Hit), "lookups")},
        {"merge", figure(stats.lookups(LookupResult::Merge), "lookups")},
        {"miss", figure(stats.lookups(LookupResult::Miss), "lookups")},
        {"hit_rate", figure(100.0 * stats.hit_rate(), "%")}}},
      {"internal_dram_counters", endpoint_dram(outcome.internal_dram, lines)},
      {"memspecrd",
       {{"sent", figure(s.sent, "MemSpecRd")},
        {"requested", figure(s.requested, "granules of 256 B")},
        {"filled", figure(s.filled, lines)},
        {"useful_lines", figure(s.useful_lines, lines)},
        {"late_lines", figure(s.late_lines, lines)},
        {"evicted_unused", figure(s.evicted_unused, lines)},
        {"dropped", figure(s.dropped, lines)},
        {"root_ports", root_port_speculation(outcome.speculation)}}},
      {"hints", hints(stats.hints(), outcome.bridge_hints, outcome.hints)},
      {"deterministic_store", deterministic_store(stats.deterministic_store())},
      {"drained", ns(outcome.drained)},
      {"load_control", control},
      {"series", series(stats, std::max(outcome.end, outcome.drained))},
      {"scripted_collection", collection(c.endpoint, outcome.end)},
      {"flits", {{"m2s", flit_counts(outcome.m2s)}, {"s2m", flit_counts(outcome.s2m)}}},
      {"media_counters", media},
      {"slowest_loads", slow},
      {"memory", to_string(c.memory)},
      {"gpu", outcome.gpu},
      {"paging", outcome.paging},
      {"io", outcome.io},
      {"copy", outcome.copy},
      {"prefix", outcome.prefix},
      {"cosim", outcome.cosim},
      {"link_outage", outcome.outage},
  };
}

std::string table(const nlohmann::json& s) {
  const auto value = [&s](const char* path) {
    return s.at(nlohmann::json::json_pointer(path)).at("value").get<double>();
  };
  std::string out;
  const auto row = [&out](std::string_view name, const std::string& text) {
    out += fmt::format("  {:<42} {}\n", name, text);
  };
  out += fmt::format("{}  engine {}  seed {}\n", s["scenario"].get<std::string>(),
                     s["engine"].get<std::string>(), s["seed"].get<std::uint64_t>());
  row("machine", machine_text(s["machine"]));
  row("end-to-end time", fmt::format("{:.3f} us", value("/end_to_end") / 1000.0));
  row("data set / GPU memory", fmt::format("{:.0f} KiB / {:.0f} KiB", value("/data_set") / 1024,
                                           value("/local_memory") / 1024));
  if (!s["io"].is_null()) {
    for (const auto& [name, text] : io_rows(s["io"])) row(name, text);
    row("result", s["status"].get<std::string>());
    return out;
  }
  if (!s["prefix"].is_null()) {
    for (const auto& [name, text] : prefix_rows(s["prefix"])) row(name, text);
    row("result", s["status"].get<std::string>());
    return out;
  }
  if (!s["copy"].is_null()) {
    for (const auto& [name, text] : copy_rows(s["copy"])) row(name, text);
    row("result", s["status"].get<std::string>());
    return out;
  }
  if (s["memory"] == "gpu-dram") {
    row("result", s["status"].get<std::string>());
    return out;
  }
  row("loads checked / mismatches",
      fmt::format("{:.0f} / {:.0f}", value("/checks/reads_checked"), value("/checks/mismatches")));
  const auto latency_row = [&](const std::string& kind) {
    const auto of = [&](const char* what) { return value(("/" + kind + "s/" + what).c_str()); };
    row(kind + " latency p50/p99/p99.9/max",
        fmt::format("{:.0f} / {:.0f} / {:.0f} / {:.0f} ns", of("p50"), of("p99"), of("p99.9"),
                    of("max")));
  };
  if (s["gpu"].is_object()) {
    row("arithmetic of instr. / loads of mem.",
        fmt::format("{:.1f} % / {:.1f} %", value("/gpu/compute_ratio"), value("/gpu/load_ratio")));
  }
  latency_row("load");
  latency_row("store");
  if (!s["paging"].is_null()) {
    for (const auto& [name, text] : paging_rows(s["paging"])) row(name, text);
    row("result", s["status"].get<std::string>());
    return out;
  }
  const double lookups = value("/internal_dram_lookups/hit") +
                         value("/internal_dram_lookups/miss") +
                         value("/internal_dram_lookups/merge");
  row("internal DRAM hit rate",
      lookups == 0 ? std::string("none (direct media)")
                   : fmt::format("{:.1f} %", value("/internal_dram_lookups/hit_rate")));
  row("MemSpecRd sent / lines filled",
      fmt::format("{:.0f} / {:.0f}", value("/memspecrd/sent"), value("/memspecrd/filled")));
  row("  useful lines / late lines / evicted unused",
      fmt::format("{:.0f} / {:.0f} / {:.0f}", value("/memspecrd/useful_lines"),
                  value("/memspecrd/late_lines"), value("/memspecrd/evicted_unused")));
  const json& ports = s["memspecrd"]["root_ports"];
  for (std::size_t port = 0; port < ports.size() && value("/memspecrd/sent") > 0; ++port) {
    const auto of = [&](const char* what) { return ports[port][what].at("value").get<double>(); };
    row(fmt::format("  port {}: loads seen / issued / issued late", port),
        fmt::format("{:.0f} / {:.0f} / {:.0f} MemSpecRd", of("loads_seen"), of("issued"),
                    of("issued_late")));
    row("    ring / halt / score suppressed",
        fmt::format("{:.0f} / {:.0f} / {:.0f}", of("ring_suppressed"), of("halt_suppressed"),
                    of("score_suppressed")));
    row("    requested / lines used",
        fmt::format("{:.0f} granules / {:.0f}", of("requested"), of("lines_used")));
    row("    left the ring used / unused",
        fmt::format("{:.0f} / {:.0f} granules", of("useful_granules"), of("useless_granules")));
  }
  if (value("/hints/host_bridge/hints") > 0) {
    row("hints / lost / granules requested",
        fmt::format("{:.0f} / {:.0f} / {:.0f}", value("/hints/host_bridge/hints"),
                    value("/hints/host_bridge/lost"), value("/hints/hint_granules")));
    row("  useful / late / lost / wasted granules",
        fmt::format("{:.0f} / {:.0f} / {:.0f} / {:.0f}", value("/hints/hint_useful"),
                    value("/hints/hint_late"), value("/hints/hint_lost"),
                    value("/hints/hint_wasted")));
  }
  if (!s["deterministic_store"].empty()) {
    std::map<std::string, double> sum;
    double peak = 0;
    for (const json& port : s["deterministic_store"]) {
      for (const std::string_view name : kDsEventNames) {
        sum[std::string(name)] += port.at(std::string(name)).at("value").get<double>();
      }
      peak = std::max(peak, port.at("peak_deferred").at("value").get<double>());
    }
    row("stores direct / deferred / in place",
        fmt::format("{:.0f} / {:.0f} / {:.0f}", sum["direct"], sum["deferred"], sum["in_place"]));
    row("  flushed / peak deferred", fmt::format("{:.0f} / {:.0f} lines", sum["flushed"], peak));
    row("  write errors / no slot / refused",
        fmt::format("{:.0f} / {:.0f} / {:.0f}", sum["write_errors"], sum["no_slot"],
                    sum["refused"]));
    row("  load hit / load merged / filter false",
        fmt::format("{:.0f} / {:.0f} / {:.0f}", sum["load_hit"], sum["load_merged"],
                    sum["filter_false"]));
    row("  all at the endpoints", fmt::format("{:.3f} us", value("/drained") / 1000.0));
  }
  if (!s["gpu"].is_null()) {
    for (const auto& [name, text] : gpu_rows(s["gpu"])) row(name, text);
  }
  if (s.contains("host_persist")) {
    row("persisted by the host",
        fmt::format("{:.0f} times, {:.0f} bytes", value("/host_persist/turns"),
                    value("/host_persist/written")));
    row("  kernel seen / copied / file / flushed",
        fmt::format("{:.1f} / {:.1f} / {:.1f} / {:.1f} us", value("/host_persist/wait") / 1000,
                    value("/host_persist/copy") / 1000, value("/host_persist/file") / 1000,
                    value("/host_persist/flush") / 1000));
  }
  if (s.contains("kv")) {
    for (const auto& [name, text] : kv_rows(s["kv"])) row(name, text);
  }
  row("flits M2S / S2M",
      fmt::format("{:.0f} / {:.0f}", value("/flits/m2s/all"), value("/flits/s2m/all")));
  if (value("/flits/m2s/damaged") + value("/flits/s2m/damaged") > 0) {
    row("damaged flits M2S / S2M",
        fmt::format("{:.0f} / {:.0f}", value("/flits/m2s/damaged"), value("/flits/s2m/damaged")));
  }
  if (!s["link_outage"].is_null()) row("link outage", outage_text(s["link_outage"]));
  if (!s["cosim"].is_null()) {
    row("requests compared with the model",
        fmt::format("{:.0f} (data differs: {:.0f}, path: {:.0f}, time: {:.0f})",
                    value("/cosim/compared"), value("/cosim/data_mismatches"),
                    value("/cosim/path_mismatches"), value("/cosim/time_mismatches")));
    if (const json& first = s["cosim"]["disturbance"]; !first.is_null()) {
      row(fmt::format("  times after the first {}", first["by"].get<std::string>()),
          fmt::format("from {:.3f} us on: {:.0f} differ, as expected",
                      value("/cosim/disturbance/at") / 1000.0,
                      value("/cosim/time_differences") - value("/cosim/time_mismatches")));
    }
    row("mean latency, model over RTL",
        fmt::format("{:+.2f} %", value("/cosim/latency_difference")));
  }
  row("result", s["status"].get<std::string>());
  return out;
}

}  // namespace cxlgpu
