// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a sweep shows of itself: its page and its CSV.
//
// Rules:   what comes from outside (names, paths, values) is data of the page, in one JSON element
// in
//          which no "<" stands. A cell of the CSV that a spreadsheet would take for a formula (its
//          first sign is = + - @, a tab or a carriage return) gets an apostrophe before it, numbers
//          apart; quotes are doubled (RFC 4180).
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_plan.hpp"
#include "cli/sweep_store.hpp"

namespace cxlgpu {

// One file that opens without a network.
[[nodiscard]] std::string sweep_page(const SweepPlan& plan, const std::vector<StoredPoint>& points,
                                     const std::vector<StoredFigure>& figures,
                                     const std::string& command);

// A row a point, a column a setting and a figure.
[[nodiscard]] std::string sweep_csv(const SweepPlan& plan, const std::vector<StoredPoint>& points,
                                    const std::vector<StoredFigure>& figures);
[[nodiscard]] std::string csv_cell(const std::string& text);

}  // namespace cxlgpu
