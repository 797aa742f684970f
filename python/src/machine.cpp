// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu._core.Machine: the library's machine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "api/cxlgpu.hpp"
#include "python/src/bindings.hpp"

namespace cxlgpu::python {

namespace {

using namespace nb::literals;

const char* name_of(const std::optional<flits::DevLoad>& load) {
  constexpr const char* kNames[] = {"light", "optimal", "moderate", "severe"};
  return load ? kNames[static_cast<unsigned>(*load) & 3] : nullptr;
}

nb::bytes bytes_of(const Line& line) {
  return nb::bytes(reinterpret_cast<const char*>(line.data()), line.size());
}

nb::dict by_stage(const auto& values, const auto& make) {
  nb::dict stages;
  for (std::size_t i = 1; i < kRequestStages; ++i) {
    const std::string name(stage_names()[i]);
    stages[name.c_str()] = make(values[i]);
  }
  return stages;
}

// Numbers that Python has put one behind the other.
template <typename Number>
class Numbers {
 public:
  explicit Numbers(const nb::bytes& bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(Number); }
  [[nodiscard]] Number operator[](std::size_t i) const {
    Number number;
    std::memcpy(&number, bytes_.c_str() + i * sizeof(Number), sizeof(Number));
    return number;
  }

 private:
  const nb::bytes& bytes_;
};

// What came back of many requests, by request.
struct Answers {
  explicit Answers(std::size_t n)
      : submitted(n), answered(n), error(n), dev_load(n, -1), data(n * kLineBytes) {
    for (auto& stage : stages) stage.resize(n);
  }
  void put(const Response& r) {
    const std::size_t i = r.tag;
    submitted[i] = r.submitted.ps;
    answered[i] = r.answered.ps;
    error[i] = r.error;
    if (r.dev_load) dev_load[i] = static_cast<std::int8_t>(*r.dev_load);
    std::copy(r.data.begin(), r.data.end(), data.begin() + static_cast<std::ptrdiff_t>(64 * i));
    for (std::size_t stage = 1; stage < kRequestStages; ++stage) {
      stages[stage][i] = r.stages[stage].ps;
    }
    ++done;
  }
  [[nodiscard]] nb::dict columns() const {
    nb::dict all;
    all["submitted_ps"] = column(submitted);
    all["answered_ps"] = column(answered);
    all["error"] = column(error);
    all["dev_load"] = column(dev_load);
    all["data"] = column(data);
    for (std::size_t stage = 1; stage < kRequestStages; ++stage) {
      all[std::string(stage_names()[stage]).c_str()] = column(stages[stage]);
    }
    return all;
  }

  std::vector<std::uint64_t> submitted, answered;
  std::vector<std::uint8_t> error;
  std::vector<std::int8_t> dev_load;  // -1: none
  std::vector<std::uint8_t> data;
  std::array<std::vector<std::uint64_t>, kRequestStages> stages;
  std::size_t done = 0;
};

class PyMachine {
 public:
  explicit PyMachine(const Options& options) : machine_(options) {}

  // While it lives no other thread gets in.
  class Use {
   public:
    Use(PyMachine& owner, const char* call) : owner_(owner) {
      if (owner.used_) {
        throw Error(std::string("Machine.") + call, "another thread is in it",
                    "give each thread a machine of its own");
      }
      owner.used_ = true;
    }
    ~Use() { owner_.used_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Machine* operator->() { return &owner_.machine_; }
    Machine& operator*() { return owner_.machine_; }

   private:
    PyMachine& owner_;
  };

  // Precondition: columns as long as the addresses, or empty.
  nb::dict replay(const nb::bytes& addresses, const nb::bytes& writes, const nb::bytes& data,
                  const nb::bytes& byte_enable, const nb::bytes& at_ps, std::size_t outstanding) {
    Use machine(*this, "replay");
    const Numbers<std::uint64_t> address(addresses), mask(byte_enable), at(at_ps);
    const Numbers<std::uint8_t> write(writes);
    Answers answers(address.size());
    nb::gil_scoped_release others_run;
    const auto take = [&] {
      while (const auto response = machine->take()) answers.put(*response);
    };
    for (std::size_t i = 0; i < address.size(); ++i) {
      if (i % 4096 == 0) check_signals();
      Request request{.tag = i, .address = address[i]};
      request.is_write = write.size() != 0 && write[i] != 0;
      if (mask.size() != 0) request.byte_enable = mask[i];
      if (data.size() != 0) std::memcpy(request.data.data(), data.c_str() + i * 64, 64);
      while (at.size() != 0 && machine->now() < Time{at[i]}) {
        machine->advance_to(Time{at[i]});
        take();
      }
      while (machine->outstanding() >= outstanding || !machine->submit(request)) {
        step(*machine);
        take();
      }
    }
    while (answers.done < address.size()) {
      step(*machine);
      take();
    }
    nb::gil_scoped_acquire again;
    return answers.columns();
  }

 private:
  static void step(Machine& machine) {
    if (machine.advance()) return;
    throw Error("Machine.replay", "nothing moves and requests are unanswered", "report it");
  }
  static void check_signals() {
    const nb::gil_scoped_acquire ask;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  Machine machine_;
  bool used_ = false;  // written with the interpreter's lock
};

Request request_of(std::uint64_t tag, std::uint64_t address, const nb::bytes& data,
                   std::uint64_t byte_enable) {
  Request request{.tag = tag, .address = address, .byte_enable = byte_enable};
  request.is_write = data.size() == kLineBytes;
  if (request.is_write) std::memcpy(request.data.data(), data.c_str(), kLineBytes);
  return request;
}

void add_response(nb::module_& module) {
  nb::class_<Response>(module, "Response", "The answer to a request.")
      .def_ro("tag", &Response::tag)
      .def_ro("address", &Response::address)
      .def_ro("is_write", &Response::is_write)
      .def_ro("error", &Response::error, "No decoder has the address, or the data are corrupt.")
      .def_prop_ro(
          "data", [](const Response& r) { return bytes_of(r.data); }, "64 bytes; of a load.")
      .def_prop_ro("submitted_ps", [](const Response& r) { return r.submitted.ps; })
      .def_prop_ro("answered_ps", [](const Response& r) { return r.answered.ps; })
      .def_prop_ro("latency_ps", [](const Response& r) { return r.latency().ps; })
      .def_prop_ro(
          "stages_ps",
          [](const Response& r) {
            return by_stage(r.stages, [](Time time) { return nb::int_(time.ps); });
          },
          nb::sig("def stages_ps(self) -> dict[str, int]"),
          "Time from the stage before that the request passed; 0 for one that it did not. They\n"
          "add up to latency_ps.")
      .def_prop_ro(
          "dev_load", [](const Response& r) { return text_or_none(name_of(r.dev_load)); },
          nb::sig("def dev_load(self) -> str | None"),
          "What the endpoint said with it: light, optimal, moderate, severe; None if GPU memory\n"
          "answered.")
      .def("__repr__", [](const Response& r) {
        return "Response(tag=" + std::to_string(r.tag) + ", address=" + std::to_string(r.address) +
               (r.is_write ? ", store" : ", load") + (r.error ? ", error" : "") +
               ", latency_ps=" + std::to_string(r.latency().ps) + ")";
      });
}

void add_statistics(nb::module_& module) {
  const auto ps = [](Time Latencies::*time) {
    return [time](const Latencies& l) { return (l.*time).ps; };
  };
  nb::class_<Latencies>(module, "Latencies", "Of loads, or of stores.")
      .def_ro("count", &Latencies::count)
      .def_prop_ro("mean_ps", ps(&Latencies::mean))
      .def_prop_ro("p50_ps", ps(&Latencies::p50))
      .def_prop_ro("p90_ps", ps(&Latencies::p90))
      .def_prop_ro("p99_ps", ps(&Latencies::p99))
      .def_prop_ro("p999_ps", ps(&Latencies::p999))
      .def_prop_ro("max_ps", ps(&Latencies::max))
      .def_prop_ro(
          "stage_mean_ns",
          [](const Latencies& l) {
            return by_stage(l.stage_mean_ns, [](double ns) { return nb::float_(ns); });
          },
          nb::sig("def stage_mean_ns(self) -> dict[str, float]"));
  using Dram = decltype(Statistics::internal_dram);
  nb::class_<Dram>(module, "InternalDram", "Of the endpoints' internal DRAM.")
      .def_ro("hits", &Dram::hits)
      .def_ro("misses", &Dram::misses)
      .def_ro("merges", &Dram::merges)
      .def_ro("hit_rate", &Dram::hit_rate);
  using Spec = decltype(Statistics::speculation);
  nb::class_<Spec>(module, "Speculation", "MemSpecRd, and the lines filled for them.")
      .def_ro("sent", &Spec::sent)
      .def_ro("granules", &Spec::granules, "Of 256 B, that those sent name.")
      .def_ro("filled", &Spec::filled)
      .def_ro("dropped", &Spec::dropped)
      .def_ro("useful", &Spec::useful)
      .def_ro("late", &Spec::late)
      .def_ro("evicted_unused", &Spec::evicted_unused);
  nb::class_<Statistics::Port>(module, "Port", "A root port, its link and the media behind it.")
      .def_ro("flits_to_endpoint", &Statistics::Port::flits_to_endpoint)
      .def_ro("flits_to_host", &Statistics::Port::flits_to_host)
      .def_prop_ro("media_reads", [](const Statistics::Port& p) { return p.media.reads; })
      .def_prop_ro("media_writes", [](const Statistics::Port& p) { return p.media.writes; })
      .def_prop_ro("media_array_reads",
                   [](const Statistics::Port& p) { return p.media.array_reads; })
      .def_prop_ro("media_array_writes",
                   [](const Statistics::Port& p) { return p.media.array_writes; })
      .def_prop_ro("media_fills", [](const Statistics::Port& p) { return p.media.fills; })
      .def_prop_ro("media_write_backs",
                   [](const Statistics::Port& p) { return p.media.write_backs; });
  nb::class_<Statistics>(module, "Statistics", "Of a machine, up to a time.")
      .def_prop_ro("now_ps", [](const Statistics& s) { return s.now.ps; })
      .def_ro("loads", &Statistics::loads)
      .def_ro("stores", &Statistics::stores)
      .def_prop_ro(
          "dev_loads",
          [](const Statistics& s) {
            nb::dict all;
            for (unsigned i = 0; i < 4; ++i) {
              all[name_of(static_cast<flits::DevLoad>(i))] = s.dev_loads[i];
            }
            return all;
          },
          nb::sig("def dev_loads(self) -> dict[str, int]"), "Responses that said each.")
      .def_ro("internal_dram", &Statistics::internal_dram)
      .def_ro("speculation", &Statistics::speculation)
      .def_ro("ports", &Statistics::ports);
}

}  // namespace

void add_machine(nb::module_& module) {
  module.def(
      "stage_names",
      [] {
        nb::list names;
        for (const std::string_view name : stage_names()) names.append(std::string(name));
        return nb::tuple(names);
      },
      nb::sig("def stage_names() -> tuple[str, ...]"));
  add_response(module);
  add_statistics(module);
  using Use = PyMachine::Use;
  nb::class_<PyMachine>(module, "Machine")
      .def(
          "__init__",
          [](PyMachine* place, std::string scenario, std::vector<std::string> sets,
             std::string machine, const std::string& configs, std::uint64_t data_bytes) {
            Options options{.scenario = std::move(scenario),
                            .sets = std::move(sets),
                            .machine = std::move(machine),
                            .configs = configs};
            options.data_bytes = data_bytes;
            const nb::gil_scoped_release others_run;
            new (place) PyMachine(options);
          },
          "scenario"_a, "sets"_a, "machine"_a, "configs"_a, "data_bytes"_a)
      .def_prop_ro("address_base", [](PyMachine& m) { return Use(m, "base")->address_base(); })
      .def_prop_ro("address_bytes", [](PyMachine& m) { return Use(m, "bytes")->address_bytes(); })
      .def_prop_ro("now_ps", [](PyMachine& m) { return Use(m, "now_ps")->now().ps; })
      .def_prop_ro("outstanding", [](PyMachine& m) { return Use(m, "outstanding")->outstanding(); })
      .def(
          "submit",
          [](PyMachine& m, std::uint64_t tag, std::uint64_t address, const nb::bytes& data,
             std::uint64_t byte_enable) {
            return Use(m, "submit")->submit(request_of(tag, address, data, byte_enable));
          },
          "tag"_a, "address"_a, "data"_a, "byte_enable"_a, "`data`: 64 bytes; none: a load.")
      .def(
          "hint",
          [](PyMachine& m, std::uint64_t address, unsigned granules) {
            return Use(m, "hint")->hint(address, granules);
          },
          "address"_a, "granules"_a)
      .def(
          "take",
          [](PyMachine& m) -> nb::object {
            const auto response = Use(m, "take")->take();
            return response ? nb::cast(*response) : nb::object(nb::none());
          },
          nb::sig("def take(self) -> Response | None"))
      .def("advance",
           [](PyMachine& m) {
             Use use(m, "advance");
             const nb::gil_scoped_release others_run;
             return use->advance();
           })
      .def(
          "advance_to",
          [](PyMachine& m, std::uint64_t ps) {
            Use use(m, "advance_to");
            const nb::gil_scoped_release others_run;
            use->advance_to(Time{ps});
          },
          "ps"_a)
      .def("drain",
           [](PyMachine& m) {
             Use use(m, "drain");
             const nb::gil_scoped_release others_run;
             use->drain();
           })
      .def(
          "poke",
          [](PyMachine& m, std::uint64_t address, const nb::bytes& bytes) {
            const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.c_str());
            Use(m, "poke")->poke(address, std::span(first, bytes.size()));
          },
          "address"_a, "bytes"_a)
      .def(
          "peek",
          [](PyMachine& m, std::uint64_t address, std::size_t count) {
            std::vector<std::uint8_t> bytes(count);
            Use(m, "peek")->peek(address, bytes);
            return column(bytes);
          },
          "address"_a, "count"_a)
      .def("replay", &PyMachine::replay, "addresses"_a, "writes"_a, "data"_a, "byte_enable"_a,
           "at_ps"_a, "outstanding"_a,
           nb::sig("def replay(self, addresses: bytes, writes: bytes, "
                   "data: bytes, byte_enable: bytes, at_ps: bytes, outstanding: int) -> dict[str, "
                   "bytes]"))
      .def("statistics", [](PyMachine& m) { return Use(m, "statistics")->statistics(); })
      .def("clear_statistics",
           [](PyMachine& m) { Use(m, "clear_statistics")->clear_statistics(); });
}

}  // namespace cxlgpu::python
