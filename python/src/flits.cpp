// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu._core.FlitLines: what `cxlgpu flit decode --json` prints of a file, line by line.
#include <nanobind/stl/string.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/flit_command.hpp"
#include "python/src/bindings.hpp"

namespace cxlgpu::python {

namespace {

using namespace nb::literals;

// The command's decoder reads a file to its end; here it does so in a thread that waits while
// nobody takes what it has.
class FlitLines {
 public:
  explicit FlitLines(FlitArguments arguments) : arguments_(std::move(arguments)) {
    arguments_.action = "decode";
    arguments_.json = true;
    arguments_.on_json = [this](const std::string& line) { put(line); };
    reader_ = std::thread([this] { read(); });
  }
  ~FlitLines() {
    {
      const std::lock_guard lock(mutex_);
      left_ = true;
    }
    changed_.notify_all();
    reader_.join();
  }
  FlitLines(const FlitLines&) = delete;
  FlitLines& operator=(const FlitLines&) = delete;

  std::optional<std::string> next() {
    const nb::gil_scoped_release others_run;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !lines_.empty(); });
    if (lines_.empty()) {
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
      return std::nullopt;
    }
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    if (lines_.size() == kMost / 2) changed_.notify_all();
    return line;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  struct Left {};

  void read() {
    std::exception_ptr thrown;
    try {
      flit_command(arguments_);
    } catch (const Left&) {
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    thrown_ = thrown;
    ended_ = true;
    changed_.notify_all();
  }
  void put(const std::string& line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return left_ || lines_.size() < kMost; });
    if (left_) throw Left();
    lines_.push_back(line);
    if (lines_.size() == 1) changed_.notify_all();
  }

  FlitArguments arguments_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::exception_ptr thrown_;
  bool ended_ = false, left_ = false;
  std::thread reader_;
};

}  // namespace

void add_flits(nb::module_& module) {
  nb::class_<FlitLines>(module, "FlitLines")
      .def(
          "__init__",
          [](FlitLines* place, std::string file, std::string direction, std::string link,
             std::uint64_t from_ps, std::uint64_t to_ps) {
            FlitArguments arguments;
            arguments.file = std::move(file);
            arguments.direction = std::move(direction);
            arguments.link = std::move(link);
            arguments.from_ps = from_ps;
            arguments.to_ps = to_ps;
            new (place) FlitLines(std::move(arguments));
          },
          "file"_a, "direction"_a, "link"_a, "from_ps"_a, "to_ps"_a)
      .def(
          "next",
          [](FlitLines& lines) {
            const auto line = lines.next();
            return text_or_none(line ? line->c_str() : nullptr);
          },
          nb::sig("def next(self) -> str | None"), "None: there are no more.");
}

}  // namespace cxlgpu::python
