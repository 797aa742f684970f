// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Commands as text that a shell reads back.
#pragma once

#include <string>
#include <vector>

namespace cxlgpu {

// In single quotes if a shell would see anything else in it.
[[nodiscard]] std::string shell_word(const std::string& word);
[[nodiscard]] std::string shell_command(const std::vector<std::string>& words);

}  // namespace cxlgpu
