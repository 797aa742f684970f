// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Prints the declared groups as JSON: axes, bins, reasons and who forbids. For functional.py.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/coverage/functional_groups.hpp"

int main() {
  using nlohmann::ordered_json;
  ordered_json out = ordered_json::array();
  for (const cxlgpu::coverage::Group& group : cxlgpu::coverage::functional_groups()) {
    ordered_json axes = ordered_json::array();
    for (const auto& axis : group.axes)
      axes.push_back({{"name", axis.name}, {"values", axis.values}});
    ordered_json bins = ordered_json::object(), by = ordered_json::object();
    for (std::size_t bin = 0; bin < group.bins(); ++bin) {
      const std::string_view reason = group.reason(bin);
      bins[group.bin_name(bin)] = reason;
      if (reason.empty()) continue;
      by[std::string(reason)] =
          group.forbids(bin) == cxlgpu::coverage::By::Standard ? "standard" : "ours";
    }
    out.push_back({{"name", group.name},
                   {"title", group.title},
                   {"seen", group.seen},
                   {"suites", group.suites},
                   {"axes", axes},
                   {"bins", bins},
                   {"by", by}});
  }
  std::puts(out.dump(1).c_str());
}
