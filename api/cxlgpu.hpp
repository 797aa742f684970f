// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The library's one header: a machine of the event-driven model, driven request by request.
//
// Purpose: for simulators, generators and media of others. A Machine is made of the same YAML as
//          the command's scenarios: host bridge, root ports, links, endpoints and media, brought
//          up and at time 0. The caller submits requests of one 64-byte line, lets time pass and
//          takes responses; a Registry adds media and speculation policies of the caller's own.
// Units:   picoseconds (Time); addresses are host physical.
// Shapes:  docs/guide/library.md and examples/library, which the tests build and run.
// Errors:  Error alone, for what the caller gave: where, what is wrong, what to do. What a medium
//          or a policy of the caller throws passes as it is; the machine may then be destroyed and
//          nothing else, as one that was moved from, which may be assigned to as well. A response
//          may say that memory answered with an error; that is no exception.
// Threads: a machine is used by one thread at a time; several machines share nothing.
// Version: kApiVersion is that of this header. A name in it does not change its meaning within
//          one; the inline namespace lets two be linked.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/media_port.hpp"
#include "common/request.hpp"
#include "common/time.hpp"
#include "flits/opcodes.hpp"
#include "model/prefetch/prefetcher.hpp"

namespace cxlgpu {
inline namespace v1 {

inline constexpr int kApiVersion = 1;
// Of the library that is linked, as `cxlgpu --version` says it.
[[nodiscard]] std::string_view library_version();

class Error : public std::runtime_error {
 public:
  // "WHERE: WHAT; REMEDY", or less of it, is taken apart.
  explicit Error(const std::string& line);
  Error(const std::string& where, const std::string& what, const std::string& remedy)
      : std::runtime_error(where + ": " + what + "; " + remedy),
        where_(where),
        wrong_(what),
        remedy_(remedy) {}
  [[nodiscard]] const std::string& where() const { return where_; }  // a file and line, a call
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  std::string where_, wrong_, remedy_;
};

// What a medium is asked to be. Of `slots` and `line_bytes`: common/media_port.hpp.
struct MediumShape {
  std::uint64_t capacity = 0;  // bytes
  std::uint32_t slots = 0;     // 0: the endpoint has no internal DRAM
  std::uint32_t line_bytes = 256;
  unsigned port = 0;
};

// Media and policies of the caller's own, by the names that YAML then knows: media.part,
// root_port.policy. A name that YAML has already is then the caller's. Handed to a machine, which
// copies it; there is no global one. Makers are called while a machine is made, and what they make
// is the machine's; null is an Error.
class Registry {
 public:
  using MakeMedium = std::function<std::unique_ptr<Media>(const MediumShape&)>;
  using MakePolicy = std::function<std::unique_ptr<Prefetcher>(unsigned port)>;
  enum class InternalDram : std::uint8_t { Without, With };

  // One for each port. `With`: the medium has the array that an endpoint's internal DRAM is kept
  // in (ArrayRead, ArrayWrite, Fill, WriteBack); `Without`: it is sent Read and Write alone.
  Registry& add_medium(const std::string& name, MakeMedium make,
                       InternalDram internal_dram = InternalDram::Without);
  Registry& add_policy(const std::string& name, MakePolicy make);

 private:
  friend class Machine;
  struct Medium {
    std::string name;
    MakeMedium make;
    InternalDram internal_dram;
  };
  struct Policy {
    std::string name;
    MakePolicy make;
  };
  std::vector<Medium> media_;
  std::vector<Policy> policies_;
};

struct Options {
  // FILE.yaml with keys of docs/guide/keys.md, or a name, e.g. trace-znand-sr.
  std::string scenario = {};
  std::vector<std::string> sets = {};  // key=value, over the file
  std::string machine = {};  // of configs/machines, or a file; empty: as the scenario says
  // Folder of system/, media/, machines/; empty: CXLGPU_CONFIGS of the environment, else this.
  std::filesystem::path configs = {};
#ifdef CXLGPU_PACKAGE_CONFIGS
  std::filesystem::path package_configs = CXLGPU_PACKAGE_CONFIGS;  // by find_package(cxlgpu)
#else
  std::filesystem::path package_configs = {};
#endif
  const Registry* registry = nullptr;
  // Size of the caller's data, for endpoint.cache_percent; 0: all of the HDM ranges.
  std::uint64_t data_bytes = 0;
};

// A line is read or written. Tags are the caller's and need not be unique.
struct Request {
  std::uint64_t tag = 0;
  std::uint64_t address = 0;  // of a line
  bool is_write = false;
  Line data{};  // of a write
  std::uint64_t byte_enable = kAllBytes;
};

// Stages of a request's way, in order; the last is its response. Names: stage_names().
inline constexpr std::size_t kRequestStages = 13;
[[nodiscard]] std::span<const std::string_view, kRequestStages> stage_names();

struct Response {
  std::uint64_t tag = 0;
  std::uint64_t address = 0;
  bool is_write = false;
  bool error = false;  // no decoder has the address, or the data are corrupt
  Line data{};         // of a read
  Time submitted, answered;
  // Time from the stage before that the request passed; 0 for one that it did not. They add up to
  // latency().
  std::array<Time, kRequestStages> stages{};
  // What the endpoint said with it; none if GPU memory answered (deterministic store).
  std::optional<flits::DevLoad> dev_load;
  [[nodiscard]] Time latency() const { return answered - submitted; }
};

struct Latencies {
  std::uint64_t count = 0;
  Time mean, p50, p90, p99, p999, max;
  std::array<double, kRequestStages> stage_mean_ns{};
};

struct Statistics {
  Time now;
  Latencies loads, stores;
  std::array<std::uint64_t, 4> dev_loads{};  // responses that said each DevLoad
  struct {
    std::uint64_t hits = 0, misses = 0, merges = 0;  // of the endpoints' internal DRAM
    double hit_rate = 0;
  } internal_dram;
  struct {
    std::uint64_t sent = 0, granules = 0;                    // MemSpecRd, 256 B that they name
    std::uint64_t filled = 0, dropped = 0;                   // by the endpoints
    std::uint64_t useful = 0, late = 0, evicted_unused = 0;  // of the lines filled
  } speculation;
  struct Port {
    MediaCounters media;
    std::uint64_t flits_to_endpoint = 0, flits_to_host = 0;
  };
  std::vector<Port> ports;
};

class Machine {
 public:
  explicit Machine(const Options& options);
  explicit Machine(const std::string& scenario) : Machine(Options{.scenario = scenario}) {}
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  // The addresses that HDM decoders map: [address_base(), address_base() + address_bytes()).
  [[nodiscard]] std::uint64_t address_base() const;
  [[nodiscard]] std::uint64_t address_bytes() const;

  [[nodiscard]] Time now() const;
  // Puts a request on the system bus, at most one a cycle. False, without a trace of it: the one
  // before is still there; offer it again after time has passed. Error: the address is inside a
  // line.
  bool submit(const Request& request);
  // Says what will be loaded soon, `granules` of 256 B (1..4096, else Error). False: once
  // more later.
  bool hint(std::uint64_t address, unsigned granules);
  // What was answered up to now(), in order.
  std::optional<Response> take();
  // Time passes up to `time`, or to the first edge at which take() has something or a request that
  // was not taken may be. Error: `time` is before now().
  void advance_to(Time time);
  // ... to the next of these, however far away; false if there will be none.
  bool advance();
  [[nodiscard]] std::size_t outstanding() const;  // not yet taken
  // Stores that deterministic store has put off are written. Error: something is outstanding, or a
  // store cannot be written.
  void drain();

  // Contents, without simulated time; poke() before the first request, else Error. Addresses that
  // no range has are ignored and read as 0.
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const;

  // Of all requests answered so far, or since clear_statistics(). Percentiles are exact up to 2^20
  // requests; beyond, at most 1/128 of themselves off, in memory of one size.
  [[nodiscard]] Statistics statistics() const;
  // Latencies, DevLoad, internal DRAM and speculation begin again at 0; media and flits do not.
  // Error: something is outstanding.
  void clear_statistics();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace cxlgpu
