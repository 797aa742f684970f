// The one error for input that a person gave us: traces, configurations, command lines.
//
// Purpose: callers print what() on one line and leave with exit code 2.
// Shapes:  "FILE:LINE: what is wrong; what to do about it", without a line number where there is
//          none. Never contains a line feed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace cxlgpu {

struct InputError : std::runtime_error {
  explicit InputError(const std::string& message) : std::runtime_error(one_line(message)) {}
  InputError(const std::string& file, std::uint64_t line, const std::string& what,
             const std::string& remedy)
      : InputError(file + ":" + std::to_string(line) + ": " + what + "; " + remedy) {}

 private:
  // A message quotes what it was given, which may hold line ends and worse.
  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
    }
    return text;
  }
};

}  // namespace cxlgpu
