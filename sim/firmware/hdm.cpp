// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/hdm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>

#include "common/input_error.hpp"
#include "common/register_types.hpp"
#include "sim/firmware/io_port.hpp"

namespace cxlgpu {

namespace hdm = regs::hdm;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kMultiple = 256 * kMiB;  // of a base, and of a size over the ways
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 52;
constexpr std::uint64_t kLeastGranularity = 256, kMostGranularity = 16384;
constexpr std::uint64_t kMostLowGranularity = 2048;  // address bits 11:8
constexpr std::size_t kMostWays = 8;                 // of a host bridge
constexpr unsigned kCommitPolls = 10'000;            // a commit may take 10 ms

bool power_of_two(std::uint64_t v) {
  return std::has_single_bit(v);
}

bool uses(const HdmRange& range, unsigned port) {
  return std::find(range.ports.begin(), range.ports.end(), port) != range.ports.end();
}

// Checks of one range, its key in front of what is wrong.
class RangeCheck {
 public:
  RangeCheck(const SystemInfo& system, const HdmRange& range, std::size_t index)
      : system_(system), range_(range), index_(index) {}

  void run() const {
    ports();
    const std::size_t ways = range_.ports.size();
    if (range_.base % kMultiple != 0) {
      refuse(fmt::format("base 0x{:x} is not a multiple of 256 MiB", range_.base), "move it");
    }
    if (range_.size == 0 || range_.size % (kMultiple * ways) != 0) {
      refuse(fmt::format("size 0x{:x} is not a multiple of {} x 256 MiB", range_.size, ways),
             "round it down");
    }
    if (range_.base >= kAddressEnd || range_.size > kAddressEnd - range_.base) {
      refuse("it passes 2^52", "lower base or size");
    }
    if (!power_of_two(range_.granularity) || range_.granularity < kLeastGranularity ||
        range_.granularity > kMostGranularity) {
      refuse(fmt::format("granularity {}", range_.granularity),
             "use a power of two from 256 to 16384");
    }
    if (ways == 1) return;
    interleave(system_.host, "the host bridge");
    if (system_.host.targets < ways) {
      refuse(fmt::format("{} ways, but the host bridge's target lists have {} entries", ways,
                         system_.host.targets),
             "use fewer ways");
    }
    for (const unsigned port : range_.ports) {
      interleave(system_.endpoints[port].hdm, fmt::format("the endpoint of port {}", port));
    }
  }

  void follows(const HdmRange& before) const {
    if (range_.base < before.base + before.size) {
      refuse(fmt::format("base 0x{:x} does not come after the range before", range_.base),
             "let ranges rise without overlap");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw InputError(fmt::format("key 'hdm.ranges[{}]': {}; {}", index_, what, remedy));
  }
  void ports() const {
    const std::size_t ways = range_.ports.size();
    if (!power_of_two(ways) || ways > kMostWays) {
      refuse(fmt::format("{} ways", ways), "a host bridge interleaves 1, 2, 4 or 8");
    }
    if (std::set<unsigned>(range_.ports.begin(), range_.ports.end()).size() != ways) {
      refuse("it names a port twice", "name each once");
    }
    for (const unsigned port : range_.ports) {
      if (port >= system_.endpoints.size()) {
        refuse(fmt::format("port {} has no endpoint", port),
               fmt::format("use ports below {}", system_.endpoints.size()));
      }
    }
  }
  void interleave(const DecoderAbility& ability, const std::string& who) const {
    if (range_.granularity <= kMostLowGranularity ? ability.low : ability.high) return;
    refuse(fmt::format("{} cannot interleave by {} bytes", who, range_.granularity),
           range_.granularity <= kMostLowGranularity ? "use 4096 or more" : "use 2048 or less");
  }

  const SystemInfo& system_;
  const HdmRange& range_;
  std::size_t index_;
};

void check_endpoint(const EndpointInfo& endpoint, const std::vector<HdmRange>& ranges) {
  std::uint64_t bytes = 0;
  unsigned decoders = 0;
  for (const HdmRange& range : ranges) {
    if (!uses(range, endpoint.port)) continue;
    bytes += range.size / range.ports.size();
    ++decoders;
  }
  if (bytes > endpoint.bytes) {
    throw InputError(
        fmt::format("key 'hdm.ranges': they need {} MiB of port {}, whose endpoint has {} MiB; "
                    "make them smaller",
                    bytes / kMiB, endpoint.port, endpoint.bytes / kMiB));
  }
  if (decoders > endpoint.hdm.decoders) {
    throw InputError(fmt::format(
        "key 'hdm.ranges': {} ranges use port {}, whose endpoint has {} HDM decoders; use fewer",
        decoders, endpoint.port, endpoint.hdm.decoders));
  }
}

// A set of decoders: the host bridge's, or an endpoint's at `base` in memory space.
class Decoders {
 public:
  explicit Decoders(FirmwareThread& thread) : name_("host bridge"), thread_(&thread) {}
  Decoders(const IoThread& io, std::uint64_t base)
      : name_(fmt::format("endpoint {}", io.number())),
        thread_(&io.thread()),
        io_(io),
        base_(base) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  FirmwareJob write(std::uint32_t offset, std::uint32_t value) const {
    if (io_) {
      co_await io_->write(base_ + offset, value);
    } else {
      co_await thread_->write(RegisterSpace::HostBridge, 0, offset, value);
    }
    co_return Done{};
  }
  FirmwareTask<std::uint32_t> read(std::uint32_t offset) const {
    if (io_) co_return co_await io_->read(base_ + offset);
    co_return co_await thread_->read(RegisterSpace::HostBridge, 0, offset);
  }

 private:
  std::string name_;
  FirmwareThread* thread_;
  std::optional<IoThread> io_;
  std::uint64_t base_ = 0;
};

// `decoders` and `range` outlive the task.
FirmwareJob program(const Decoders& decoders, unsigned number, const HdmRange& range,
                    std::uint64_t targets_or_skip) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const std::uint32_t at = hdm::kDec + hdm::kDecStride * number;
  std::uint32_t seen = co_await decoders.read(at + hdm::kDecControl);
  // It would keep what it has and say Committed.
  if (hdm::DecControlReg::from(seen).committed) {
    throw InputError(
        fmt::format("key 'hdm.ranges': {} decoder {} is committed already; reset the "
                    "system before it is brought up again",
                    decoders.name(), number));
  }
  co_await decoders.write(at + hdm::kDecBaseLow, low(range.base));
  co_await decoders.write(at + hdm::kDecBaseHigh, high(range.base));
  co_await decoders.write(at + hdm::kDecSizeLow, low(range.size));
  co_await decoders.write(at + hdm::kDecSizeHigh, high(range.size));
  co_await decoders.write(at + hdm::kDecListLow, low(targets_or_skip));
  co_await decoders.write(at + hdm::kDecListHigh, high(targets_or_skip));
  const auto granularity = static_cast<std::uint32_t>(std::countr_zero(range.granularity) - 8);
  const auto ways = static_cast<std::uint32_t>(std::countr_zero(range.ports.size()));
  hdm::DecControlReg control{.ig = granularity, .iw = ways, .lock = true, .host_only = true};
  co_await decoders.write(at + hdm::kDecControl, control.word());
  control.commit = true;
  co_await decoders.write(at + hdm::kDecControl, control.word());
  for (unsigned poll = 0; poll < kCommitPolls; ++poll) {
    seen = co_await decoders.read(at + hdm::kDecControl);
    const auto result = hdm::DecControlReg::from(seen);
    if (result.committed) co_return Done{};
    if (result.error) break;
  }
  throw InputError(
      fmt::format("key 'hdm.ranges': {} decoder {} did not commit (control 0x{:x}); "
                  "check base, size and ports of the range at 0x{:x}",
                  decoders.name(), number, seen, range.base));
}

// `ranges` outlives the task.
FirmwareJob program_host(FirmwareThread& thread, const std::vector<HdmRange>& ranges) {
  const Decoders host(thread);
  for (unsigned number = 0; number < ranges.size(); ++number) {
    const HdmRange& range = ranges[number];
    std::uint64_t targets = 0;
    for (std::size_t way = 0; way < range.ports.size(); ++way) {
      targets |= std::uint64_t{kPortNumberBase + range.ports[way]} << (8 * way);
    }
    co_await program(host, number, range, targets);
  }
  co_return Done{};
}

}  // namespace

std::vector<HdmRange> plan_ranges(const SystemInfo& system, const InterleaveWish& wish) {
  const std::vector<EndpointInfo>& endpoints = system.endpoints;
  if (endpoints.empty() || wish.ways == 0 || endpoints.size() % wish.ways != 0) {
    throw InputError(fmt::format(
        "interleave: {} endpoints cannot be grouped by {}; use ways that divide their number",
        endpoints.size(), wish.ways));
  }
  std::vector<HdmRange> ranges;
  std::uint64_t base = wish.base;
  for (std::size_t first = 0; first < endpoints.size(); first += wish.ways) {
    HdmRange range{base, 0, wish.granularity, {}};
    const EndpointInfo& leader = endpoints[first];
    for (std::size_t i = first; i < first + wish.ways; ++i) {
      if (endpoints[i].bytes != leader.bytes) {
        throw InputError(fmt::format(
            "interleave: ports {} ({} MiB) and {} ({} MiB) differ in size; interleave equal "
            "endpoints or use 1 way",
            leader.port, leader.bytes / kMiB, endpoints[i].port, endpoints[i].bytes / kMiB));
      }
      range.ports.push_back(endpoints[i].port);
      range.size += endpoints[i].bytes;
    }
    base += range.size;
    ranges.push_back(range);
  }
  return ranges;
}

void check_ranges(const SystemInfo& system, const std::vector<HdmRange>& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const RangeCheck range(system, ranges[i], i);
    range.run();
    if (i > 0) range.follows(ranges[i - 1]);
  }
  if (ranges.size() > system.host.decoders) {
    throw InputError(fmt::format(
        "key 'hdm.ranges': {} ranges, but the host bridge has {} HDM decoders; use fewer",
        ranges.size(), system.host.decoders));
  }
  for (const EndpointInfo& endpoint : system.endpoints) check_endpoint(endpoint, ranges);
}

FirmwareJob program_endpoint(IoThread io, std::uint64_t hdm_base, std::vector<HdmRange> ranges) {
  const Decoders device(io, hdm_base);
  unsigned number = 0;
  for (const HdmRange& range : ranges) {
    if (uses(range, io.number())) co_await program(device, number++, range, 0);
  }
  co_await device.write(hdm::kGlobalControl, hdm::GlobalControlReg{.enable = true}.word());
  const std::uint32_t global = co_await device.read(hdm::kGlobalControl);
  if (!hdm::GlobalControlReg::from(global).enable) {
    throw InputError(fmt::format(
        "port {}: its endpoint does not enable its HDM decoders; replace the device", io.number()));
  }
  co_return Done{};
}

void program_ranges(RegisterBus& bus, const SystemInfo& system,
                    const std::vector<HdmRange>& ranges) {
  FirmwareThread thread;
  run_at_once(bus, thread, program_host(thread, ranges));
  for (const EndpointInfo& endpoint : system.endpoints) {
    IoPort(bus, endpoint.port).run([&](const IoThread& io) {
      return program_endpoint(io, endpoint.hdm_base, ranges);
    });
  }
}

}  // namespace cxlgpu
