// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The flit log: one line a flit as it arrives at the receiver, `time_ps link M2S|S2M hex`.
//
// Units: picoseconds. hex: 68 bytes in transmit order, protocol ID first, 136 digits. `link` is a
// name without spaces. A line `#recovery time_ps link` says that the physical link went through
// Recovery, `#down time_ps link` that it went down, which no flit shows. Blank lines and other
// lines starting with '#' are skipped. The same as pcapng (flits/pcapng.hpp): read by its content,
// written when the name ends with ".pcapng". Reading takes compressed files too (input_file.hpp);
// writing compresses as the name ends (compressed_file.hpp). "-" is standard input/output. Errors:
// InputError, one line "FILE:LINE: what; what to do", of pcapng "FILE: block N: ..."; OutputError,
// "FILE: what; what to do". Source: docs/guide/flits.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "flits/compressed_file.hpp"
#include "flits/flit.hpp"
#include "flits/input_file.hpp"
#include "flits/message.hpp"
#include "flits/pcapng.hpp"

namespace cxlgpu::flits {

struct InputError : std::runtime_error {
  explicit InputError(const std::string& message) : std::runtime_error(one_line(message)) {}
};

class FlitLogReader {
 public:
  explicit FlitLogReader(const std::string& path);

  /// Next flit into `record`; false at the end of the file.
  bool read(FlitRecord& record);
  /// The first line to come that is neither blank nor a remark holds one word, as a file of flits
  /// without time, link and direction has them. Reads nothing away.
  bool bare();
  /// The next flit of such a file.
  bool read_bare(Flit& flit);
  std::uint64_t line() const { return line_; }
  /// "FILE:LINE", of pcapng "FILE: block N", for messages about the record read last.
  std::string where() const;

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const;
  bool read_line(std::string_view& text);
  void fill();
  bool have(std::size_t bytes);
  bool is_pcapng();
  bool read_block(FlitRecord& record);
  void parse(std::string_view text, FlitRecord& record) const;
  [[nodiscard]] FlitRecord parse_event(std::string_view text, std::string_view shape) const;
  [[nodiscard]] std::uint64_t parse_time(std::string_view word) const;

  std::string path_;
  std::unique_ptr<InputFile> file_;
  std::string buffer_;  // bytes read but not yet handed out start at begin_
  std::size_t begin_ = 0;
  bool end_of_file_ = false;
  std::uint64_t line_ = 0;  // or block
  bool looked_ = false;     // whether it is pcapng
  std::optional<PcapngBlocks> blocks_;
};

/// How a log is written.
enum class FlitLogFormat : std::uint8_t { Text, Pcapng };
/// As the name has it: .pcapng, also compressed.
FlitLogFormat flit_log_format(std::string_view path);

/// Only close() gives the file its name (output_file.hpp). Of standard output a failed write is a
/// std::system_error.
class FlitLogWriter {
 public:
  /// `comment`: of a pcapng file, what run it is of.
  explicit FlitLogWriter(const std::string& path, std::string_view comment = {})
      : FlitLogWriter(path, flit_log_format(path), comment) {}
  FlitLogWriter(const std::string& path, FlitLogFormat format, std::string_view comment);
  FlitLogWriter(const FlitLogWriter&) = delete;
  FlitLogWriter& operator=(const FlitLogWriter&) = delete;

  void write(std::uint64_t time_ps, std::string_view link, Direction direction, const Flit& flit);
  void write_recovery(std::uint64_t time_ps, std::string_view link);
  void write_down(std::uint64_t time_ps, std::string_view link);
  void write(const FlitRecord& r);
  void close();

 private:
  void write_event(bool down, std::uint64_t time_ps, std::string_view link);
  void flush();

  std::optional<CompressedFile> file_;  // until close()
  std::string buffer_;
  std::optional<PcapngMaker> pcapng_;  // none: text
};

}  // namespace cxlgpu::flits
