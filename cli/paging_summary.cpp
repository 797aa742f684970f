// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/paging_summary.hpp"

#include <fmt/format.h>

#include "cli/figure.hpp"

namespace cxlgpu {

nlohmann::json paging_json(const PagingOutcome& outcome) {
  const PagingStats& e = outcome.engine;
  const StoreStats& s = outcome.store;
  const auto ns = [](Time t) { return figure(t.ns(), "ns"); };
  return {{"frames", figure(outcome.frames, "pages of 4 KiB")},
          {"accesses", figure(e.accesses, "lines")},
          {"waited", figure(e.waited, "lines")},
          {"mean_wait",
           figure(e.waited == 0 ? 0.0 : e.waiting.ns() / static_cast<double>(e.waited), "ns")},
          {"faults", figure(e.faults, "faults")},
          {"stale_faults", figure(e.stale, "faults")},
          {"batches", figure(e.batches, "batches")},
          {"blocks", figure(e.blocks, "blocks of uvm.block_bytes, by batch")},
          {"pages_in", figure(e.pages_in, "pages")},
          {"pages_out", figure(e.pages_out, "pages")},
          {"bytes_in", figure(e.pages_in * kPageBytes, "bytes")},
          {"bytes_out", figure(e.pages_out * kPageBytes, "bytes")},
          {"evicted", figure(e.evicted, "pages")},
          {"prefetched", figure(e.prefetched, "pages")},
          {"prefetched_useless", figure(e.useless, "pages")},
          {"outside_run", ns(outcome.outside)},
          {"time",  // as it went by; the rest of the run no page moved
           {{"raising_faults", ns(e.raising)},
            {"host_runtime", ns(e.runtime)},
            {"evicting", ns(e.evicting)},
            {"bringing", ns(e.bringing)},
            {"draining", ns(e.draining)},
            // The last three again, by what was waited for.
            {"storage", ns(s.storage)},
            {"transfer", ns(s.transfer)}}},
          {"link",
           {{"pushes", figure(s.pushes, "pushes")}, {"bytes", figure(s.pushed_bytes, "bytes")}}},
          {"drives",  // times summed up over requests that overlap
           {{"requests", figure(s.requests, "requests")},
            {"ios", figure(s.ios, "I/Os")},
            {"bytes_read", figure(s.bytes_read, "bytes")},
            {"bytes_written", figure(s.bytes_written, "bytes")},
            {"registration", ns(s.registering)},
            {"software", ns(s.software)},
            {"drive", ns(s.drive)},
            {"queued", ns(s.queued)}}}};
}

std::vector<std::pair<std::string, std::string>> paging_rows(const nlohmann::json& paging) {
  const auto of = [&paging](const char* path) {
    return paging.at(nlohmann::json::json_pointer(path)).at("value").get<double>();
  };
  const auto us = [&of](const char* path) { return of(path) / 1000; };
  std::vector<std::pair<std::string, std::string>> rows = {
      {"faults / batches", fmt::format("{:.0f} / {:.0f}", of("/faults"), of("/batches"))},
      {"pages in / out / GPU memory holds",
       fmt::format("{:.0f} / {:.0f} / {:.0f}", of("/pages_in"), of("/pages_out"), of("/frames"))},
      {"  prefetched / useless",
       fmt::format("{:.0f} / {:.0f}", of("/prefetched"), of("/prefetched_useless"))},
      {"lines that waited / mean wait", fmt::format("{:.0f} of {:.0f} / {:.3f} us", of("/waited"),
                                                    of("/accesses"), us("/mean_wait"))},
      {"time: faults raised, host idle", fmt::format("{:.3f} us", us("/time/raising_faults"))},
      {"  host runtime", fmt::format("{:.3f} us", us("/time/host_runtime"))},
      {"  evicting / bringing / at the end",
       fmt::format("{:.3f} / {:.3f} / {:.3f} us", us("/time/evicting"), us("/time/bringing"),
                   us("/time/draining"))},
      {"  of these storage / transfer",
       fmt::format("{:.3f} / {:.3f} us", us("/time/storage"), us("/time/transfer"))}};
  if (of("/drives/requests") > 0) {
    rows.emplace_back("requests of drives / I/Os",
                      fmt::format("{:.0f} / {:.0f}", of("/drives/requests"), of("/drives/ios")));
    rows.emplace_back("  registration / software / drive",
                      fmt::format("{:.3f} / {:.3f} / {:.3f} us, summed", us("/drives/registration"),
                                  us("/drives/software"), us("/drives/drive")));
  }
  if (of("/outside_run") > 0) {
    rows.emplace_back("opening and closing, not in the run",
                      fmt::format("{:.3f} us", us("/outside_run")));
  }
  return rows;
}

}  // namespace cxlgpu
