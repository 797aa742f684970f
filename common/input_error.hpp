// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The one error for input that a person gave us: traces, configurations, command lines.
//
// Purpose: callers print what() on one line and leave with exit code 2.
// Shapes:  "FILE:LINE: what is wrong; what to do about it", without a line number where there is
//          none. Never contains a line feed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "flits/message.hpp"

namespace cxlgpu {

struct InputError : std::runtime_error {
  explicit InputError(const std::string& message) : std::runtime_error(one_line(message)) {}
  // Line 0: of the file as a whole.
  InputError(const std::string& file, std::uint64_t line, const std::string& what,
             const std::string& remedy)
      : InputError(place(file, line) + what + "; " + remedy) {}

 private:
  static std::string place(std::string file, std::uint64_t line) {
    if (line != 0) file.append(1, ':').append(std::to_string(line));
    return file.append(": ");
  }
};

}  // namespace cxlgpu
