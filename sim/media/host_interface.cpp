// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/host_interface.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/media/config_reader.hpp"

namespace cxlgpu {

HostInterface load_host_interface(const std::filesystem::path& file, const std::string& name,
                                  const std::filesystem::path& asked_by, int asked_line) {
  constexpr std::uint64_t kMostPs = 1000000000;
  constexpr double kCode = 128.0 / 130;  // PCIe 3.0 to 5.0
  ConfigReader in(file);
  const auto time = [&](const std::string& key) { return Time{in.number(key, 0, kMostPs)}; };
  const Time submit = time("command.submit_ps"), doorbell = time("command.doorbell_ps");
  const Time round_trip = time("command.round_trip_ps");
  const double payload = static_cast<double>(in.number("transfer.payload_bytes", 1, 4096));
  const double overhead = static_cast<double>(in.number("transfer.overhead_bytes", 0, 4096));
  HostInterface found;
  found.submit = submit;
  found.before_read = submit + doorbell + round_trip;
  found.before_write = found.before_read + round_trip;
  found.after = time("command.completion_ps") + time("command.interrupt_ps");
  const std::vector<std::string> links = in.sections("links");
  for (const std::string& link : links) {
    const auto lanes = static_cast<double>(in.number("links." + link + ".lanes", 1, 16));
    const auto rate = static_cast<double>(in.number("links." + link + ".lane_MTps", 1, 1000000));
    if (link != name) continue;
    found.name = name;
    found.gb_s = lanes * rate / 8000 * kCode * payload / (payload + overhead);
  }
  in.finish();
  if (found.name.empty()) {
    throw InputError(fmt::format("{}:{}: key 'interface': '{}' is not known; {}use one of: {}",
                                 asked_by.string(), asked_line, name, did_you_mean(name, links),
                                 fmt::join(links, ", ")));
  }
  return found;
}

}  // namespace cxlgpu
