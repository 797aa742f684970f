// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A device pulled out, and one that never answers: what one port loses, the other must not notice.
// Each request gets exactly one answer, a read without an error the right data, and errors come
// within a bounded time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "common/registers.hpp"
#include "flits/flit_log.hpp"
#include "flits/link_checker.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tb/rtl_engine.hpp"
#include "tests/common/environment.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;
namespace timeout = regs::timeout;

constexpr std::uint64_t kBase = 0x100000000;
constexpr std::uint64_t kChunk = 1024;  // of the interleave over both ports
constexpr Time kLimit{4'000'000'000};   // 4 ms: far beyond any run here
constexpr Time kMediaLatency{100000};

// From the removal on the wires to isolation: into the register of the top, through the ARB/MUX
// into the vLSM (the link layer is down), into the isolation bit.
constexpr std::uint64_t kToIsolation = 3;
// From the memory queue's response to the initiator: response register, host bridge, and as much
// for losing the arbitration there to port 1 twice, in the register and at the arbiter.
constexpr std::uint64_t kWayOut = 5;
// From the initiator to the memory queue: AXI stage, host bridge, SR queue, memory queue.
constexpr std::uint64_t kWayIn = 4;
// Ahead of a request: 32 in the SR queue, 30 in the memory queue, one each in AXI stage and host
// bridge. At worst all go to one line, so that each waits for the one before: at most two cycles to
// be taken (a MemSpecRd goes first, but not twice in a row) and two to be answered (every other
// answer of the host bridge may be port 1's).
constexpr std::uint64_t kErrorCycles = kToIsolation + 64 * 4 + kWayIn + kWayOut;

constexpr unsigned port_of(std::uint64_t addr) {
  return (addr - kBase) / kChunk % 2;
}

std::uint64_t cycles(Time t) {
  return t.ps / kCycle.ps;
}

RunConfig make_config() {
  RunConfig config;
  config.engine = "rtl";
  config.ports = 2;
  config.hdm = {{kBase, 512 << 20, kChunk, {0, 1}}};
  return config;
}

// Media that never answers its n-th read, counted from 1; 0: answers all.
class ForgetfulMedia : public SimpleMedia {
 public:
  ForgetfulMedia(std::uint64_t seed, Time low, Time high, std::uint64_t forgets)
      : SimpleMedia(seed, low, high), forgets_(forgets) {}
  std::optional<MediaResponse> take(Time now) override {
    auto response = SimpleMedia::take(now);
    if (response && response->op == MediaOp::Read && ++reads_ == forgets_) {
      response = SimpleMedia::take(now);
    }
    return response;
  }

 private:
  std::uint64_t forgets_, reads_ = 0;
};

// Offers each request at its time whatever became of those before it, so that one port's troubles
// do not change what the other is asked. Ids are unique: an answer too many is seen.
class Schedule : public Initiator {
 public:
  struct Asked {
    MemRequest request;
    Time due, submitted, answered;
    unsigned answers = 0;
    bool error = false;
    [[nodiscard]] unsigned port() const { return port_of(request.addr); }
    // From when it should have been asked: time lost before the bus counts.
    [[nodiscard]] std::uint64_t latency() const { return cycles(answered) - cycles(due); }
  };

  explicit Schedule(std::vector<Asked> asked) : asked_(std::move(asked)) {}

  void step(Engine& engine) override {
    while (const auto response = engine.take()) {
      Asked& a = asked_.at(response->id);
      ++a.answers;
      a.error = response->error;
      a.answered = engine.now();
      ++answered_;
    }
    next_ = Time::never();
    if (sent_ == asked_.size()) return;
    Asked& a = asked_[sent_];
    next_ = std::max(a.due, engine.now() + kCycle);
    if (a.due > engine.now() || !engine.submit(a.request)) return;
    a.submitted = engine.now();
    ++sent_;
    if (sent_ < asked_.size()) next_ = std::max(asked_[sent_].due, engine.now() + kCycle);
  }
  [[nodiscard]] Time next_event() const override { return next_; }
  [[nodiscard]] bool done() const override { return answered_ >= asked_.size(); }
  [[nodiscard]] const std::vector<Asked>& asked() const { return asked_; }

 private:
  std::vector<Asked> asked_;
  std::size_t sent_ = 0, answered_ = 0;
  Time next_{0};
};

// Loads and stores, full and partial, over both ports.
std::vector<Schedule::Asked> mixed(std::uint64_t seed, std::uint32_t count, std::uint64_t gap) {
  std::mt19937_64 rng(seed);
  std::vector<Schedule::Asked> all(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    MemRequest& r = all[i].request;
    r.id = i;
    r.addr = kBase + rng() % 1024 * kLineBytes;
    r.is_write = rng() % 10 < 4;
    for (auto& byte : r.data) byte = static_cast<std::uint8_t>(rng());
    if (r.is_write && rng() % 3 == 0) r.byte_enable = rng() & rng();
    all[i].due = kCycle * ((i + 1) * gap);
  }
  return all;
}

// Where the requests are on their way, and how long errors take inside the port.
class PortWatch : public TraceSink {
 public:
  void on_event(const TraceEvent& e) override {
    if (e.stage == Stage::PortEnqueue) where_[e.id] = {e.port, e.at, {}};
    if (e.stage == Stage::MemqAlloc) where_[e.id].in_queue = e.at;
    if (e.stage == Stage::SpecIssue) last_spec_[e.port] = e.at;
    if (e.stage != Stage::SysRespond) return;
    const Where& w = where_.at(e.id);
    answers_.push_back({w.port, w.enqueued, e.at, (e.info & 1) != 0});
  }
  struct Answer {
    unsigned port = 0;
    Time enqueued, at;
    bool error = false;
  };
  [[nodiscard]] const std::vector<Answer>& answers() const { return answers_; }
  [[nodiscard]] Time in_queue(std::uint32_t id) const { return where_.at(id).in_queue; }
  [[nodiscard]] Time last_spec(unsigned port) const { return last_spec_[port]; }

 private:
  struct Where {
    unsigned port = 0;
    Time enqueued, in_queue;
  };
  std::map<std::uint32_t, Where> where_;
  std::array<Time, 2> last_spec_{};
  std::vector<Answer> answers_;
};

struct System {
  RunConfig config = make_config();
  EndpointParts endpoint{false, 3};
  Time low = kMediaLatency, high = kMediaLatency;
  std::uint64_t forgets = 0;  // media of port 0
  std::uint64_t removal = 0;  // of port 0's device, in cycles of the run; 0: never
  std::uint64_t noise = 0;    // on the link of noisy_port, likewise
  unsigned noisy_port = 0;
  std::uint64_t seed = 1;
  std::string flit_log;

  std::unique_ptr<ForgetfulMedia> media0, media1;
  PortWatch watch;
  std::unique_ptr<RtlEngine> engine;

  // Bring-up takes the same time in each run, so a cycle of the run can be named beforehand.
  void start() {
    media0 = std::make_unique<ForgetfulMedia>(seed, low, high, forgets);
    media1 = std::make_unique<ForgetfulMedia>(seed + 1, low, high, 0);
    EngineOptions options;
    const auto make = [&] {
      return std::make_unique<RtlEngine>(
          config, EngineParts{endpoint, {media0.get(), media1.get()}, {}, &watch}, options);
    };
    engine = make();
    if (removal != 0 || noise != 0 || !flit_log.empty()) {
      options.faults.down_port = 0;
      if (removal != 0) options.faults.down_at = engine->cycles() + removal;
      if (noise != 0) options.faults.noise_at = engine->cycles() + noise;
      options.faults.noise_port = noisy_port;
      options.flit_log = flit_log;
      engine = make();
    }
    ASSERT_EQ(engine->now(), Time{0});
  }
  [[nodiscard]] std::uint32_t status(unsigned port) const {
    return engine->read(RegisterSpace::RootPort, port, timeout::kStatus);
  }
  // Software may, whatever the link does; the other bits stay.
  void end_isolation() const {
    const std::uint32_t before = status(0);
    EXPECT_FALSE(timeout::kStatusBusy.is_set(before));
    engine->write(RegisterSpace::RootPort, 0, timeout::kStatus,
                  timeout::kStatusMemIsolation.mask());
    EXPECT_EQ(status(0), before & ~timeout::kStatusMemIsolation.mask());
  }
  void expect_only(std::uint32_t port0) const {
    EXPECT_EQ(status(0), port0);
    EXPECT_EQ(status(1), 0u);
    for (unsigned port = 0; port < 2; ++port) {
      EXPECT_EQ(engine->read(RegisterSpace::RootPort, port, timeout::kCapability),
                timeout::kCapabilityReset);
    }
  }
};

std::uint64_t seed() {
  return test::from_environment("CXLGPU_SEED", 1);
}

// Runs the schedule to its end; data and the number of answers are right in any case.
std::vector<Schedule::Asked> play(System& system, std::vector<Schedule::Asked> asked) {
  Schedule schedule(std::move(asked));
  CheckedEngine checked(*system.engine);
  const RunResult result = run(schedule, checked, kLimit);
  EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
  // Long enough for an answer too many to come.
  for (int i = 0; i < 2000; ++i) {
    system.engine->advance_to(system.engine->now() + kCycle);
    EXPECT_FALSE(system.engine->take().has_value());
  }
  EXPECT_EQ(checked.outstanding(), 0u);
  EXPECT_EQ(checked.mismatches(), 0u) << to_string(checked.records().at(0));
  EXPECT_EQ(checked.id_errors(), 0u);
  for (const Schedule::Asked& a : schedule.asked()) EXPECT_EQ(a.answers, 1u) << a.request.id;
  return schedule.asked();
}

void expect_quiet(RtlEngine& engine) {
  engine.finish();
  for (const std::string& problem : engine.problems()) ADD_FAILURE() << problem;
}

// What a request to port 1 may lose as long as no queue fills: the cycle of the host bridge's
// response register that an error of port 0 takes, another for an answer that it waited for because
// of its line, and a flit (three cycles) that either made it miss each way.
constexpr std::uint64_t kMargin = 1 + 1 + 2 * 3;

struct Removal {
  std::uint64_t at = 0, errors = 0, late_good = 0, slowest_error = 0;
  std::int64_t worst_port1 = 0;
};

Removal judge(const std::vector<Schedule::Asked>& clean, const std::vector<Schedule::Asked>& pulled,
              std::uint64_t at) {
  Removal result;
  result.at = at;
  for (std::size_t i = 0; i < pulled.size(); ++i) {
    const Schedule::Asked& a = pulled[i];
    SCOPED_TRACE(testing::Message()
                 << "request " << i << ", asked in cycle " << cycles(a.submitted)
                 << ", answered in " << cycles(a.answered) << ", removal in " << at);
    EXPECT_FALSE(clean[i].error);
    EXPECT_EQ(a.submitted, clean[i].submitted) << "the bus was full: no run to compare";
    if (a.port() == 1) {
      EXPECT_FALSE(a.error);
      const auto lost =
          static_cast<std::int64_t>(a.latency()) - static_cast<std::int64_t>(clean[i].latency());
      result.worst_port1 = std::max(result.worst_port1, lost);
      EXPECT_LE(a.latency(), clean[i].latency() + kMargin);
      continue;
    }
    if (cycles(a.submitted) >= at) {
      EXPECT_TRUE(a.error);
    }
    if (a.error) {
      ++result.errors;
      EXPECT_GT(cycles(a.answered), at);
      const std::uint64_t took = cycles(a.answered) - std::max(at, cycles(a.submitted));
      result.slowest_error = std::max(result.slowest_error, took);
      EXPECT_LE(took, kErrorCycles);
    } else if (cycles(a.answered) > at) {
      ++result.late_good;
      EXPECT_LE(cycles(a.answered), at + kToIsolation + kWayOut);
    }
  }
  return result;
}

// Before the first request, at many times in the middle of it, after the last.
TEST(LinkDown, RemovalIsNotSeenAtTheOtherPort) {
  constexpr std::uint32_t kRequests = 1500;
  for (std::uint64_t s = seed(); s < seed() + test::volume(); ++s) {
    for (const std::uint64_t gap : {6u, 40u}) {
      const auto asked = mixed(s, kRequests, gap);
      System whole;
      whole.seed = s;
      whole.start();
      const auto clean = play(whole, asked);
      whole.expect_only(0);
      expect_quiet(*whole.engine);
      const std::uint64_t length = kRequests * gap;
      for (const std::uint64_t at :
           {std::uint64_t{1}, length / 3, length / 2 + s, length - 100, length + 1500}) {
        SCOPED_TRACE(testing::Message() << "seed " << s << " gap " << gap);
        System system;
        system.seed = s;
        system.removal = at;
        system.start();
        const auto pulled = play(system, asked);
        const Removal r = judge(clean, pulled, at);
        std::cout << "seed " << s << " gap " << gap << " removal " << at << ": " << r.errors
                  << " errors, slowest " << r.slowest_error << ", " << r.late_good
                  << " good after removal, port 1 at most " << r.worst_port1 << " later\n";
        EXPECT_EQ(r.errors == 0, at > length);
        system.expect_only(timeout::kStatusMemIsolation.mask() |
                           timeout::kStatusMemLinkDown.mask());
        system.end_isolation();
        expect_quiet(*system.engine);
      }
    }
  }
}

// Queues full at both ports, with and without MemSpecRd. What port 1 is asked now depends on how
// port 0 fares, so nothing is said of its latency.
TEST(LinkDown, RemovalUnderLoad) {
  test::shows("link",
              "When a link goes down under load its requests end in errors in bounded time and the "
              "other port goes on",
              "CXL 3.0, 8.2.4.23");
  for (std::uint64_t s = seed(); s < seed() + test::volume(); ++s) {
    for (const SrPolicy policy : {SrPolicy::Off, SrPolicy::Naive, SrPolicy::Sr}) {
      for (const std::uint64_t lines : {32u, 4096u}) {
        for (const std::uint64_t at : {401u, 3000u}) {
          SCOPED_TRACE(testing::Message() << "seed " << s << " policy " << static_cast<int>(policy)
                                          << " lines " << lines << " removal " << at);
          System system;
          system.seed = s;
          system.config.root_port.policy = policy;
          // Speculation is to go on whatever the media says of itself.
          system.config.endpoint.backlog_thresholds = {127, 127, 127};
          system.config.endpoint.task_thresholds = {127, 127, 127};
          system.endpoint = {policy == SrPolicy::Sr, 3};
          system.low = Time{50000};
          system.high = Time{400000};
          system.removal = at;
          system.start();
          RandomTraffic::Options options;
          options.seed = s;
          options.requests = 4000;
          options.base = kBase;
          options.lines = lines;
          options.outstanding = 256;
          options.idle_share = 0;
          RandomTraffic traffic(options);
          CheckedEngine checked(*system.engine);
          const RunResult result = run(traffic, checked, kLimit);
          expect_quiet(*system.engine);
          EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
          EXPECT_EQ(traffic.answered(), options.requests);
          EXPECT_TRUE(checked.mismatches() == 0 && checked.id_errors() == 0);
          EXPECT_EQ(checked.outstanding(), 0u);
          std::uint64_t errors = 0, slowest = 0;
          for (const PortWatch::Answer& a : system.watch.answers()) {
            if (a.port == 1) {
              EXPECT_FALSE(a.error);
            } else if (a.error) {
              ++errors;
              EXPECT_GT(cycles(a.at), at);
              const std::uint64_t took = cycles(a.at) - std::max(at, cycles(a.enqueued));
              slowest = std::max(slowest, took);
              EXPECT_LE(took, kErrorCycles);
            } else {
              EXPECT_LE(cycles(a.at), at + kToIsolation + kWayOut);
            }
          }
          EXPECT_GT(errors, 62u);
          if (policy != SrPolicy::Off) {
            EXPECT_LE(cycles(system.watch.last_spec(0)), at + kToIsolation);
            // The ring of a port remembers so few lines as there are in the other runs.
            if (lines > 32 || policy == SrPolicy::Naive) {
              EXPECT_GT(cycles(system.watch.last_spec(1)), at + kToIsolation);
            }
          }
          std::cout << "seed " << s << " policy " << static_cast<int>(policy) << " lines " << lines
                    << " removal " << at << ": " << errors << " errors, slowest " << slowest
                    << std::endl;
        }
      }
    }
  }
}

// A link that damages every CXL.mem flit: its ends try again and again, ask for Recovery, and give
// up at last. From then on that port's requests end in errors, like those of a removed device, and
// the other port has noticed nothing.
TEST(LinkDown, ALinkThatGivesUpIsIsolated) {
  // Ten retries before each of ten Recoveries and after the last; each waits for 4096 flits, which
  // are two cycles and an eighth of the wire.
  constexpr std::uint64_t kWaits = 10 * 11 * 4096;
  for (unsigned port = test::volume() == 1 ? 1 : 0; port < 2; ++port) {  // a million cycles each
    SCOPED_TRACE(testing::Message() << "port " << port);
    System system;
    system.noise = 500;
    system.noisy_port = port;
    system.start();
    Schedule schedule(mixed(seed(), 1500, 20));
    CheckedEngine checked(*system.engine);
    const RunResult result = run(schedule, checked, kLimit);
    EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
    EXPECT_EQ(checked.mismatches() + checked.id_errors() + checked.outstanding(), 0u);
    std::uint64_t errors = 0, first = ~std::uint64_t{0}, last = 0;
    for (const Schedule::Asked& a : schedule.asked()) {
      EXPECT_EQ(a.answers, 1u) << a.request.id;
      if (!a.error) continue;
      EXPECT_EQ(a.port(), port) << a.request.id;
      ++errors;
      first = std::min(first, cycles(a.answered));
      last = std::max(last, cycles(a.answered));
    }
    EXPECT_GT(errors, 700u);
    EXPECT_GT(first, kWaits * 17 / 8);
    EXPECT_LT(first, kWaits * 5 / 2);
    // Four cycles for each that was waiting, as in kErrorCycles.
    EXPECT_LT(last, first + 1500 * 4 + kErrorCycles);
    EXPECT_EQ(system.status(port),
              timeout::kStatusMemIsolation.mask() | timeout::kStatusMemLinkDown.mask());
    EXPECT_EQ(system.status(1 - port), 0u);
  }
}

// The log tells of the removal, shows nothing of that link after it, and passes the link rules.
TEST(LinkDown, FlitLogExplainsWhatIsMissing) {
  const fs::path dir = fs::temp_directory_path() / ("link_down_test_" + std::to_string(getpid()));
  fs::create_directories(dir);
  System system;
  system.removal = 1000;
  system.flit_log = (dir / "f.log").string();
  system.start();
  play(system, mixed(seed(), 500, 4));
  expect_quiet(*system.engine);

  flits::LinkCheckerOptions options;
  options.arb_mux = true;
  std::map<std::string, flits::LinkChecker> checkers;
  std::map<std::string, bool> down;
  flits::FlitLogReader log(system.flit_log);
  flits::FlitRecord record;
  std::size_t owed = 0;
  while (log.read(record)) {
    auto& checker = checkers.try_emplace(record.link, options).first->second;
    ASSERT_FALSE(down[record.link]) << "at " << record.time_ps;
    if (record.down) {
      owed = checker.outstanding();
      checker.on_down(record.time_ps);
      down[record.link] = true;
    } else {
      checker.on_flit(record.time_ps, record.direction, record.flit);
    }
  }
  EXPECT_TRUE(down.at("link0"));
  EXPECT_FALSE(down.at("link1"));
  EXPECT_GT(owed, 0u) << "the removal should find requests on the link";
  for (auto& [name, checker] : checkers) {
    checker.finish();
    EXPECT_EQ(checker.finding_count(), 0u) << name << ": " << checker.findings().at(0).text;
  }
  fs::remove_all(dir);
}

constexpr std::uint64_t kPeriod = 50000;  // mem_value 1, in cycles

// A store and, much later, a load of the same line; no line twice otherwise, so that nothing waits
// for the one that is lost.
std::vector<Schedule::Asked> write_then_read(std::uint32_t count, std::uint64_t gap) {
  constexpr std::uint32_t kBehind = 40;
  std::vector<Schedule::Asked> all(count);
  std::mt19937_64 rng(seed());
  for (std::uint32_t i = 0; i < count; ++i) {
    MemRequest& r = all[i].request;
    r.id = i;
    r.is_write = i / kBehind % 2 == 0;
    const std::uint32_t line = r.is_write ? i : i - kBehind;
    r.addr = kBase + std::uint64_t{line} * 17 * kLineBytes;  // both ports, every line of a chunk
    for (auto& byte : r.data) byte = static_cast<std::uint8_t>(rng());
    all[i].due = kCycle * ((i + 1) * gap);
  }
  return all;
}

TEST(CompletionTimeout, ALostRequestEndsInErrorsAndIsolation) {
  constexpr std::uint64_t kGap = 50;
  constexpr std::uint32_t kRequests = 4000;
  // An early read of the first period and a late one.
  for (const std::uint64_t forgets : {3u, 230u}) {
    System system;
    system.forgets = forgets;
    system.start();
    RtlEngine& engine = *system.engine;
    engine.write(RegisterSpace::RootPort, 0, timeout::kControl,
                 timeout::kControlMemValue.put(1) | timeout::kControlMemEnable.mask() |
                     timeout::kControlMemIsolation.mask());
    const auto asked = play(system, write_then_read(kRequests, kGap));
    const auto is_lost = [&](const Schedule::Asked& a) { return a.error; };
    const auto lost = std::find_if(asked.begin(), asked.end(), is_lost);
    ASSERT_NE(lost, asked.end());
    EXPECT_FALSE(lost->request.is_write);
    const std::uint64_t isolated = cycles(lost->answered);  // the lowest entry, the first answer
    const std::uint64_t age = isolated - cycles(system.watch.in_queue(lost->request.id));
    std::cout << "read " << forgets << " of port 0 lost: answered after " << age << " cycles\n";
    EXPECT_GT(age, kPeriod);
    EXPECT_LE(age, 2 * kPeriod + 1 + kWayOut);
    for (const Schedule::Asked& a : asked) {
      SCOPED_TRACE(a.request.id);
      if (a.port() == 1) {
        EXPECT_FALSE(a.error);
      } else if (cycles(a.submitted) > isolated) {
        EXPECT_TRUE(a.error);
        EXPECT_LE(a.latency(), kErrorCycles);
      } else if (a.error) {
        EXPECT_LE(cycles(a.answered), isolated + kErrorCycles);
      } else {
        EXPECT_LE(cycles(a.answered), isolated + kWayOut);
      }
    }
    system.expect_only(timeout::kStatusMemTimeout.mask() | timeout::kStatusMemIsolation.mask());
    system.end_isolation();
    // The device still owes an answer, and the link has not been down: errors, not late data.
    auto elsewhere = mixed(seed(), 100, 10);  // lines that nobody has written
    for (Schedule::Asked& a : elsewhere) a.request.addr += 128 << 20;
    const auto after = play(system, elsewhere);
    for (const Schedule::Asked& a : after) EXPECT_EQ(a.error, a.port() == 0) << a.request.id;
    engine.finish();  // the wire checker is right to miss an answer
    ASSERT_EQ(engine.problems().size(), 1u);
    EXPECT_NE(engine.problems()[0].find("without a response"), std::string::npos);
  }
}

// Seen, but not acted upon.
TEST(CompletionTimeout, WithoutIsolationOnlyTheStatusTells) {
  System system;
  system.forgets = 3;
  system.start();
  system.engine->write(RegisterSpace::RootPort, 0, timeout::kControl,
                       timeout::kControlMemValue.put(1) | timeout::kControlMemEnable.mask());
  Schedule schedule(write_then_read(2500, 50));
  CheckedEngine checked(*system.engine);
  const RunResult result = run(schedule, checked, kCycle * (3 * kPeriod));
  EXPECT_EQ(result.status, RunStatus::TimeLimit);
  EXPECT_EQ(checked.outstanding(), 1u);
  EXPECT_TRUE(checked.clean());
  system.expect_only(timeout::kStatusMemTimeout.mask());
}

}  // namespace
}  // namespace cxlgpu
