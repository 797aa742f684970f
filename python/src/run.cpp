// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu._core.run: a session of the command in this process, engine model.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/session.hpp"
#include "python/src/bindings.hpp"
#include "sim/config/config.hpp"
#include "sim/stats/request_columns.hpp"

namespace cxlgpu::python {

namespace {

using namespace nb::literals;

// A row a request, in the order of the answers.
class Requests : public TraceSink {
 public:
  void on_event(const TraceEvent& event) override { tracker_.on_event(event); }
  [[nodiscard]] nb::dict columns() const {
    nb::dict all;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool wide = columns_[i].shape() == RequestColumn::Shape::Number;
      all[columns_[i].name().c_str()] = wide ? column(numbers_[i]) : column(small_[i]);
    }
    return all;
  }

 private:
  void add(const RequestRecord& record) {
    const RequestCells cells(record);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].shape() == RequestColumn::Shape::Number) {
        numbers_[i].push_back(cells.number(i));
      } else {
        small_[i].push_back(cells.small(i));
      }
    }
  }

  std::vector<RequestColumn> columns_ = request_columns();
  // Of each column, by its shape.
  std::vector<std::vector<std::uint64_t>> numbers_{columns_.size()};
  std::vector<std::vector<std::int8_t>> small_{columns_.size()};
  RequestTracker tracker_{[this](const RequestRecord& record) { add(record); }};
};

// What `work` throws, this throws. Ctrl-C, of which only Python's own thread hears, ends the work
// early: `stop` is then the signal.
template <typename Work>
void interruptible(std::atomic<int>& stop, const Work& work) {
  std::exception_ptr thrown;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_one();
  });
  bool interrupted = false;
  {
    const nb::gil_scoped_release others_run;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      lock.unlock();
      if (!interrupted) {
        const nb::gil_scoped_acquire ask;
        interrupted = PyErr_CheckSignals() != 0;
        if (interrupted) stop = SIGINT;
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (interrupted) throw nb::python_error();
  if (thrown) std::rethrow_exception(thrown);
}

nb::dict run(const std::string& scenario, const std::vector<std::string>& sets,
             const std::string& seed, const std::string& machine, const std::string& trace,
             const std::string& configs, const std::string& out, const std::string& command,
             bool keep_requests) {
  std::atomic<int> stop{0};
  Requests requests;
  SessionResult result;
  std::vector<std::string> notes;
  interruptible(stop, [&] {
    SessionOptions options;
    options.config_dir = configs;
    options.trace = trace;
    options.out = out;
    options.quiet = true;
    options.engine.replay = command;
    options.engine.stop = &stop;
    if (keep_requests) options.sink = &requests;
    const ConfigLoader loader(options.config_dir, scenario_names(options.config_dir), "default",
                              machine);
    RunConfig config = loader.load(scenario, sets, seed);
    config.engine = "model";
    notes = config.notes;
    result = session_result(config, options);
  });
  nb::dict all;
  all["status"] = result.status;
  all["stats"] = result.stats;
  all["problems"] = result.problems;
  all["notes"] = notes;
  all["requests"] = keep_requests ? nb::object(requests.columns()) : nb::object(nb::none());
  return all;
}

}  // namespace

void add_run(nb::module_& module) {
  module.def(
      "request_columns",
      [] {
        constexpr std::array<const char*, 4> kShapes = {"number", "flag", "port", "lookup"};
        nb::list columns;
        for (const RequestColumn& column : request_columns()) {
          columns.append(
              nb::make_tuple(column.name(), kShapes[static_cast<std::size_t>(column.shape())]));
        }
        return nb::tuple(columns);
      },
      nb::sig("def request_columns() -> tuple[tuple[str, str], ...]"));
  module.def(
      "lookup_names",
      [] {
        nb::list names;
        for (const std::string_view name : kLookupNames) names.append(std::string(name));
        return nb::tuple(names);
      },
      nb::sig("def lookup_names() -> tuple[str, ...]"));
  module.def("run", &run, "scenario"_a, "sets"_a, "seed"_a, "machine"_a, "trace"_a, "configs"_a,
             "out"_a, "command"_a, "keep_requests"_a,
             nb::sig("def run(scenario: str, sets: list[str], seed: str, machine: str, trace: str, "
                     "configs: str, out: str, command: str, keep_requests: bool) -> "
                     "dict[str, typing.Any]"));
}

}  // namespace cxlgpu::python
