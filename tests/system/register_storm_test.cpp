// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Random registers of the whole system between bursts of traffic, RTL and model side by side.
//
// Each round writes registers of the host bridge, the root ports and, through CXL.io, the endpoints
// in both, compares what is read back, then sends both the same loads and stores, to the HDM ranges
// and beside them, and compares every answer: data, error and the cycle it came in; and every event
// of the trace: stages of requests, of MemSpecRd and of stores, load control. Half of the
// runs move HDM decoders about, the others have deterministic store, which is drained before it is
// switched (an endpoint that refuses its writes would keep it from that).
// Not written: what places things (BARs, bus numbers, windows, the stores' region), switches
// CXL.mem or memory space off or changes the sets of a DRAM in use: nobody would answer, with tests
// of their own in io_access_test and cxl_io/; link and ARB/MUX settings, which change the time of
// flits that the model's link does not have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "common/registers.hpp"
#include "model/engine.hpp"
#include "sim/firmware/enumerate.hpp"
#include "sim/firmware/function.hpp"
#include "tb/rtl_engine.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kStep = 256ull << 20;  // of bases and sizes of decoders
constexpr std::uint64_t kAddressMask = (1ull << 52) - 1;
constexpr unsigned kPorts = 2;
constexpr unsigned kDecoders = 4;         // that are written; the others keep their reset values
constexpr Time kSettle{5'000'000};        // MemSpecRd and write-backs are over
constexpr Time kPatience{2'000'000'000};  // for a burst
constexpr Time kTold = kCycle * 64;       // an event is told of within it

// What became of one request.
struct Answer {
  std::uint64_t cycle = 0;  // since the burst began
  bool error = false;
  Line data{};
  bool operator==(const Answer&) const = default;
};

struct Sent {
  MemRequest request;
  unsigned pause = 0;  // cycles before it
};

// What one engine has answered of a burst.
struct Heard {
  Time begin;
  std::vector<Answer> answers;
  std::size_t count = 0;

  void add(const MemResponse& response, Time now) {
    answers[response.id % 256] = {(now - begin).ps / kCycle.ps, response.error,
                                  response.error ? Line{} : response.data};
    ++count;
  }
};

// What one engine tells of a burst: every stage of every transaction, and of MemSpecRd.
struct Told final : TraceSink {
  std::vector<TraceEvent> events;
  void on_event(const TraceEvent& event) override {
    events.push_back(event);
    // The RTL's wires tell what arrives, not where it goes; its bus tells no port.
    if (event.stage == Stage::WireM2S || event.stage == Stage::WireS2M) events.back().addr = 0;
    if (event.stage == Stage::SysAccept || event.stage == Stage::SysRespond) events.back().port = 0;
  }
};

class RegisterStorm : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  RegisterStorm()
      : seed_(test::from_environment("CXLGPU_SEED", GetParam())),
        random_(seed_),
        base_((1 + random_.below(0xffffe)) << 32),
        stores_(seed_ % 2 == 0),
        cached_(seed_ / 2 % 2 == 0) {
    config_.ports = kPorts;
    config_.hdm = {{base_, 2 * kStep, 1024, {0, 1}}};
    config_.root_port.ds = stores_;
    const EndpointParts parts{cached_, 3};
    rtl_ = std::make_unique<RtlEngine>(
        config_, EngineParts{parts, {&rtl_media_[0], &rtl_media_[1]}, {}, &their_path_},
        EngineOptions{});
    const std::vector<Media*> media{&model_media_[0], &model_media_[1]};
    model_ = std::make_unique<ModelEngine>(config_, parts, media, &our_path_);
    system_ = model_->system();
    align();
  }

  // Both at the same time, with nothing in flight.
  void align() { advance_to(std::max(rtl_->now(), model_->now()) + kSettle); }
  void advance_to(Time until) {
    while (rtl_->now() < until) rtl_->advance_to(until);
    advance_model(until);
  }
  // Past answers too, as the RTL does in an access of a register: they are kept.
  void advance_model(Time until) {
    while (model_->now() < until) {
      model_->advance_to(until);
      while (const auto response = model_->take()) kept_.push_back(*response);
    }
  }

  void write(RegisterSpace space, unsigned port, std::uint32_t offset, std::uint32_t value) {
    written_ += fmt::format("\n  cycle {}: {}{}, {:x}h = {:x}h", rtl_->now().ps / kCycle.ps,
                            space == RegisterSpace::HostBridge ? "host bridge" : "root port ", port,
                            offset, value);
    rtl_->write(space, port, offset, value);
    // Written at the last edge.
    advance_to(rtl_->now());
    model_->write(space, port, offset, value);
    read(space, port, offset);
  }
  std::uint32_t read(RegisterSpace space, unsigned port, std::uint32_t offset) {
    ++compared_;
    const std::uint32_t theirs = rtl_->read(space, port, offset);
    // Read as it stood before the last edge.
    advance_model(rtl_->now() - kCycle);
    const std::uint32_t ours = model_->read(space, port, offset);
    EXPECT_EQ(theirs, ours) << (space == RegisterSpace::HostBridge ? "host bridge" : "root port ")
                            << port << ", 0x" << std::hex << offset << std::dec << ", cycle "
                            << rtl_->now().ps / kCycle.ps << "; written before:" << written_;
    advance_to(rtl_->now());
    return ours;
  }
  void write_memory(unsigned port, std::uint64_t address, std::uint32_t value) {
    written_ += fmt::format("\n  below port {}, {:x}h = {:x}h", port, address, value);
    IoPort(*rtl_, port).write(address, value);
    IoPort(*model_, port).write(address, value);
    check_memory(port, address);
  }
  void check_memory(unsigned port, std::uint64_t address) {
    ++compared_;
    EXPECT_EQ(IoPort(*rtl_, port).read(address), IoPort(*model_, port).read(address))
        << "below port " << port << ", 0x" << std::hex << address;
    advance_to(rtl_->now());
  }
  void check_configuration(unsigned port, std::uint32_t offset) {
    ++compared_;
    EXPECT_EQ(endpoint_function(IoPort(*rtl_, port)).read(offset),
              endpoint_function(IoPort(*model_, port)).read(offset))
        << "configuration space below port " << port << ", 0x" << std::hex << offset;
  }

  // A field that software might well set, or any value.
  std::uint32_t decoder_value(std::uint32_t field) {
    using namespace regs::hdm;
    const auto some = [this](std::uint64_t n) {
      return static_cast<std::uint32_t>(random_.below(n));
    };
    if (random_.percent(5)) return static_cast<std::uint32_t>(random_.bits(32));
    if (field == kDecBaseLow) return some(4) << 28;
    if (field == kDecBaseHigh) return static_cast<std::uint32_t>(base_ >> 32);
    if (field == kDecSizeLow) return (1 + some(3)) << 28;
    if (field == kDecSizeHigh) return random_.percent(30) ? some(1 << some(20)) : 0;
    if (field == kDecListLow) return 0x10101010 | (random_.percent(50) ? 0x0100 : 0x0001);
    if (field == kDecListHigh) return 0x10101010;
    return some(7) | some(2) << 4 | (random_.percent(1) ? kDecControlLock.mask() : 0) |
           (random_.percent(75) ? kDecControlCommit.mask() : 0) | kDecControlHostOnly.mask();
  }
  // Some registers of one decoder, or all of them: of the host bridge, of an endpoint, or of all
  // three alike, which decode together then. Of endpoints the list is the DPA skip.
  void move_decoder() {
    using namespace regs::hdm;
    static constexpr std::array kFields = {kDecControl,  kDecBaseLow, kDecBaseHigh, kDecSizeLow,
                                           kDecSizeHigh, kDecListLow, kDecListHigh, kDecControl};
    const bool all = random_.percent(60);
    const auto who = static_cast<unsigned>(random_.below(1 + kPorts));
    const std::uint32_t decoder =
        kDec + static_cast<std::uint32_t>(random_.below(kDecoders)) * kDecStride;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      const std::uint32_t field = kFields[i];
      if (field != kDecControl && !all && random_.percent(30)) continue;
      const bool is_list = field == kDecListLow || field == kDecListHigh;
      const std::uint32_t value = i == 0 ? 0 : decoder_value(field);
      const auto skip = static_cast<std::uint32_t>(random_.percent(50) ? random_.bits(32) : 0);
      if (all || who == kPorts) write(RegisterSpace::HostBridge, 0, decoder + field, value);
      for (unsigned port = 0; port < kPorts; ++port) {
        if (!all && who != port) continue;
        write_memory(port, system_.endpoints[port].hdm_base + decoder + field,
                     is_list ? skip : value);
      }
    }
  }

  // A range behind the first, which bring-up has locked, as software would set it: over both ports
  // or one of them, anywhere in the endpoints' media.
  void place_range() {
    using namespace regs::hdm;
    const std::uint64_t skip = random_.bits(24) << 28;
    const std::uint32_t control =
        static_cast<std::uint32_t>(random_.below(7) | random_.below(2) << 4) |
        kDecControlCommit.mask() | kDecControlHostOnly.mask();
    const auto put = [this](std::uint32_t offset, std::uint32_t host, std::uint32_t device) {
      write(RegisterSpace::HostBridge, 0, kDec + offset, host);
      for (unsigned port = 0; port < kPorts; ++port) {
        write_memory(port, system_.endpoints[port].hdm_base + kDec + offset, device);
      }
    };
    const auto alike = [&put](std::uint32_t offset, std::uint32_t value) {
      put(offset, value, value);
    };
    for (std::uint32_t n = kDecoders; n > 1; --n) alike((n - 1) * kDecStride + kDecControl, 0);
    alike(kDecStride + kDecBaseLow, 2 * kStep);
    alike(kDecStride + kDecBaseHigh, static_cast<std::uint32_t>(base_ >> 32));
    alike(kDecStride + kDecSizeLow, 2 * kStep);
    alike(kDecStride + kDecSizeHigh, 0);
    put(kDecStride + kDecListLow, decoder_value(kDecListLow), static_cast<std::uint32_t>(skip));
    put(kDecStride + kDecListHigh, decoder_value(kDecListHigh),
        static_cast<std::uint32_t>(skip >> 32));
    alike(kDecStride + kDecControl, control);
    // One that takes nothing of it answers all the same.
    if (random_.percent(20)) {
      const auto port = static_cast<unsigned>(random_.below(kPorts));
      write_memory(port, system_.endpoints[port].hdm_base + kDec + kDecStride + kDecControl, 0);
    }
  }

  void set_root_port() {
    using namespace regs::rp;
    const auto port = static_cast<unsigned>(random_.below(kPorts));
    const auto any = static_cast<std::uint32_t>(random_.bits(32));
    switch (random_.below(stores_ ? 4 : 2)) {
      case 0:
        write(RegisterSpace::RootPort, port, kPolicy,
              (any & ~kPolicySelect.mask()) |
                  kPolicySelect.put(static_cast<std::uint32_t>(random_.below(6))));
        break;
      case 1:
        write(RegisterSpace::RootPort, port, kDsInterval, any);
        break;
      case 2:
        write(RegisterSpace::RootPort, port, kDsControl,
              kDsControlEnable.put(any & 1) |
                  kDsControlMaxWrites.put(1 + static_cast<std::uint32_t>(random_.below(16))));
        break;
      default:
        write(RegisterSpace::RootPort, port, kDsStatus, any);
    }
  }
  void set_endpoint() {
    using namespace regs::ep;
    static constexpr std::array kFields = {kIngressTh, kMshrTh, kBacklogTh, kTasksTh, kQosControl};
    const auto port = static_cast<unsigned>(random_.below(kPorts));
    write_memory(port, vendor(port, kFields[random_.below(kFields.size())]),
                 static_cast<std::uint32_t>(random_.bits(32)));
  }
  void set_errors() {
    using namespace regs::ras;
    static constexpr std::array kFields = {kUncorStatus, kUncorMask, kUncorSeverity,
                                           kCorStatus,   kCorMask,   kControl};
    const auto port = static_cast<unsigned>(random_.below(kPorts));
    write(RegisterSpace::RootPort, port, 0x100 + kFields[random_.below(kFields.size())],
          static_cast<std::uint32_t>(random_.bits(32)));
  }
  [[nodiscard]] std::uint64_t vendor(unsigned port, std::uint32_t offset) const {
    return system_.endpoints[port].vendor_base + (offset - regs::ep::kBlock);
  }

  // All stores to their endpoints, in step.
  void drain() {
    using namespace regs::rp;
    const auto fence = [this](bool on) {
      for (unsigned port = 0; port < kPorts; ++port) {
        const std::uint32_t control = read(RegisterSpace::RootPort, port, kDsControl);
        write(RegisterSpace::RootPort, port, kDsControl,
              (control & ~kDsControlFence.mask()) | kDsControlFence.put(on));
      }
    };
    fence(true);
    const Time limit = rtl_->now() + kPatience;
    for (unsigned port = 0; port < kPorts && rtl_->now() < limit; ++port) {
      while (!kDsStatusEmpty.is_set(read(RegisterSpace::RootPort, port, kDsStatus)) &&
             rtl_->now() < limit) {
        advance_to(rtl_->now() + kCycle * 64);
      }
    }
    EXPECT_LT(rtl_->now(), limit) << "not drained";
    fence(false);
    align();
  }

  // Every register that both sides have, but what tells of the links.
  void check_all() {
    for (std::uint32_t offset = 0; offset < 0x10 + 0x20 * 16; offset += 4) {
      read(RegisterSpace::HostBridge, 0, offset);
    }
    using namespace regs::rp;
    for (unsigned port = 0; port < kPorts; ++port) {
      for (std::uint32_t offset = 0; offset < 0x60; offset += 4) {
        read(RegisterSpace::RootPort, port, offset);          // time-out and isolation
        read(RegisterSpace::RootPort, port, offset + 0x100);  // RAS
      }
      read(RegisterSpace::RootPort, port, kPolicy);
      read(RegisterSpace::RootPort, port, kState);
      for (std::uint32_t offset = kLoadsSeen; offset <= kHaltSuppressed; offset += 4) {
        read(RegisterSpace::RootPort, port, offset);
      }
      for (std::uint32_t offset = kDsControl; offset <= kScoreSuppressed; offset += 4) {
        read(RegisterSpace::RootPort, port, offset);
      }
      for (std::uint32_t offset = 0; offset < regs::hdm::kDec + regs::hdm::kDecStride * kDecoders;
           offset += 4) {
        check_memory(port, system_.endpoints[port].hdm_base + offset);
      }
      for (const std::uint32_t none : {0x100u, 0x200u, 0x400u, 0x5a4u, 0x7fcu}) {
        check_memory(port, system_.endpoints[port].hdm_base + none);
        check_memory(port, vendor(port, regs::ep::kBlock + none));
      }
      for (std::uint32_t offset = regs::ep::kBlock; offset < regs::ep::kBlock + 0x60; offset += 4) {
        if (offset != regs::ep::kQosStatus) check_memory(port, vendor(port, offset));
      }
      for (std::uint32_t offset = 0; offset < 0x1000; offset += 4)
        check_configuration(port, offset);
    }
  }

  std::vector<Sent> burst() {
    const std::size_t size = 50 + random_.below(200);
    const std::uint64_t lines = 256 << random_.below(3);
    // the ranges, or beside
    std::uint64_t window = random_.below(stores_ ? 2 : random_.percent(50) ? 4 : 16) * kStep;
    window += random_.below(kStep / kLineBytes - lines) * kLineBytes;
    if (!stores_ && random_.percent(30)) window += random_.bits(1 + random_.below(20)) << 32;
    std::uint64_t line = random_.below(lines);
    std::vector<Sent> all(size);
    for (std::size_t i = 0; i < size; ++i) {
      MemRequest& request = all[i].request;
      line = random_.percent(60) ? (line + 1) % lines : random_.below(lines);
      request.id = static_cast<std::uint32_t>(i | random_.bits(8) << 8);
      request.addr = (base_ + window + line * kLineBytes) & kAddressMask;
      request.is_write = random_.percent(40);
      if (request.is_write) {
        for (auto& byte : request.data) byte = static_cast<std::uint8_t>(random_.bits(8));
        if (random_.percent(30)) request.byte_enable = random_.bits(64);
      }
      all[i].pause = random_.percent(20) ? static_cast<unsigned>(random_.below(40)) : 0;
    }
    return all;
  }

  // In some bursts registers of the root ports are written during traffic.
  void send() {
    const std::vector<Sent> requests = burst();
    const bool under_way = random_.percent(50);
    const Time begin = rtl_->now();
    Heard theirs{begin, std::vector<Answer>(requests.size())}, ours = theirs;
    std::size_t next = 0;
    Time due = begin;
    while (theirs.count < requests.size() || ours.count < requests.size()) {
      while (const auto response = rtl_->take()) theirs.add(*response, rtl_->now());
      for (const MemResponse& response : kept_) ours.add(response, rtl_->now());
      kept_.clear();
      if (rtl_->now() - begin > kPatience || HasFailure()) {
        ADD_FAILURE() << "answered of " << requests.size() << ": RTL " << theirs.count << ", model "
                      << ours.count;
        break;
      }
      if (next < requests.size() && rtl_->now() >= due) {
        const bool taken = rtl_->submit(requests[next].request);
        EXPECT_EQ(taken, model_->submit(requests[next].request)) << "request " << next;
        next += taken;
        if (taken && next < requests.size()) due += kCycle * (1 + requests[next].pause);
      }
      if (under_way && random_.percent(1)) {
        set_root_port();
      } else {
        advance_to(rtl_->now() + kCycle);
      }
    }
    compare(requests, theirs.answers, ours.answers);
    align();
    compare_paths();
  }
  // Events of one cycle have no order. Deterministic store writes on behind the bursts: of the last
  // cycles one side may have told more than the other; they are compared with the next burst's.
  void compare_paths() {
    const auto key = [](const TraceEvent& e) {
      return std::tuple(e.at.ps, e.stage, e.port, e.id, e.addr, e.info);
    };
    const auto text = [](const std::vector<TraceEvent>& events, std::size_t i) {
      if (i >= events.size()) return std::string("none");
      const TraceEvent& e = events[i];
      return fmt::format("cycle {} {} port {} id {:x} addr {:x} info {:x}", e.at.ps / kCycle.ps,
                         kStageNames[static_cast<std::size_t>(e.stage)], e.port, e.id, e.addr,
                         e.info);
    };
    const Time until = rtl_->now() - kTold;
    const auto told = [&](std::vector<TraceEvent>& events) {
      std::ranges::sort(events, {}, key);
      const auto later = std::ranges::lower_bound(events, until, {}, &TraceEvent::at);
      std::vector<TraceEvent> all(events.begin(), later);
      events.erase(events.begin(), later);
      return all;
    };
    const std::vector<TraceEvent> theirs = told(their_path_.events);
    const std::vector<TraceEvent> ours = told(our_path_.events);
    for (std::size_t i = 0; i < std::max(theirs.size(), ours.size()) && !HasFailure(); ++i) {
      EXPECT_EQ(text(theirs, i), text(ours, i)) << "written before:" << written_;
    }
    events_ += ours.size();
  }
  void compare(const std::vector<Sent>& requests, const std::vector<Answer>& theirs,
               const std::vector<Answer>& ours) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_TRUE(theirs[i] == ours[i])
          << "request " << i << ", 0x" << std::hex << requests[i].request.addr << std::dec
          << (requests[i].request.is_write ? " store" : " load") << ": RTL cycle "
          << theirs[i].cycle << " error " << theirs[i].error << ", model cycle " << ours[i].cycle
          << " error " << ours[i].error << (theirs[i].data == ours[i].data ? "" : ", other data")
          << "; written before:" << written_;
      errors_ += ours[i].error;
      answers_ += !ours[i].error;
      if (HasFailure()) break;
    }
  }

  const std::uint64_t seed_;
  test::Random random_;
  const std::uint64_t base_;  // of the HDM ranges
  bool stores_, cached_;
  RunConfig config_;
  Told their_path_, our_path_;
  std::array<SimpleMedia, kPorts> rtl_media_ = media(), model_media_ = media();
  std::unique_ptr<RtlEngine> rtl_;
  std::unique_ptr<ModelEngine> model_;
  SystemInfo system_;
  std::vector<MemResponse> kept_;  // answers of the model
  std::string written_;            // in this round
  std::uint64_t compared_ = 0, errors_ = 0, answers_ = 0, events_ = 0;

 private:
  static std::array<SimpleMedia, kPorts> media() {
    return {SimpleMedia(1, Time{200000}, Time{900000}), SimpleMedia(2, Time{200000}, Time{900000})};
  }
};

TEST_P(RegisterStorm, ModelAndRtlAnswerAlike) {
  const std::uint64_t rounds = test::from_environment("CXLGPU_ROUNDS", 8 * test::volume());
  for (std::uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + (stores_ ? ", stores" : "") +
                 (cached_ ? ", internal DRAM" : ""));
    if (stores_) drain();
    written_.clear();
    for (std::uint64_t n = 1 + random_.below(6); n > 0; --n) {
      switch (random_.below(4)) {
        case 0:
          stores_ ? set_root_port() : random_.percent(40) ? place_range() : move_decoder();
          break;
        case 1:
          set_root_port();
          break;
        case 2:
          set_endpoint();
          break;
        default:
          set_errors();
      }
    }
    align();
    send();
  }
  if (stores_) drain();
  check_all();
  EXPECT_GT(compared_, 700u);
  EXPECT_GT(answers_, rounds);
  EXPECT_GT(events_, 10 * answers_);
  if (!stores_) {
    EXPECT_GT(errors_, rounds);
  }
  rtl_->finish();
  for (const std::string& problem : rtl_->problems()) ADD_FAILURE() << problem;
  fmt::print("seed {}: {} registers, {} answers, {} events, {} cycles\n", seed_, compared_,
             answers_ + errors_, events_, rtl_->cycles());
}

// 58: an event on its way when the traces are compared.
INSTANTIATE_TEST_SUITE_P(Seeds, RegisterStorm, ::testing::Values(1, 2, 3, 4, 5, 6, 58));

}  // namespace
}  // namespace cxlgpu
