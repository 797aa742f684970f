// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The links of the whole system below the link layer, as the wire shows them: bring-up by ALMPs,
// damaged ALMPs, Recovery at any time. Flits are read back from the log.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "flits/flit_log.hpp"
#include "flits/text.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tb/system_engine.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBase = 0x100000000;
constexpr Time kLimit{4'000'000'000};  // 4 ms: far beyond any run here

class BringUp : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("bring_up_test_" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  // Random traffic over both links; all of it answered with the right data, no rule broken on the
  // wire. Returns what was on the wire.
  std::vector<flits::FlitRecord> run_clean(const LinkFaults& faults, std::uint64_t requests,
                                           double bit_error_rate = 0) {
    RunConfig config;
    config.engine = "rtl";
    config.ports = 2;
    config.hdm = {{kBase, 512 << 20, 1024, {0, 1}}};
    config.link.bit_error_rate_m2s = config.link.bit_error_rate_s2m = bit_error_rate;
    RandomTraffic::Options traffic_options;
    traffic_options.seed = test::from_environment("CXLGPU_SEED", 1);
    traffic_options.base = kBase;
    traffic_options.requests = requests;
    traffic_options.lines = 256;
    traffic_options.idle_share = 0;
    SimpleMedia media0(1, Time{20000}, Time{60000}), media1(2, Time{20000}, Time{60000});
    EngineOptions options;
    options.flit_log = (dir_ / "f.log").string();
    options.faults = faults;
    const auto engine = make_engine(config, {{false, 3}, {&media0, &media1}, {}, nullptr}, options);
    CheckedEngine checked(*engine);
    RandomTraffic traffic(traffic_options);
    const RunResult result = run(traffic, checked, kLimit);
    engine->finish();
    EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
    EXPECT_EQ(traffic.answered(), requests);
    EXPECT_TRUE(checked.clean());
    EXPECT_EQ(checked.outstanding(), 0u);
    for (const std::string& problem : engine->problems()) ADD_FAILURE() << problem;
    std::vector<flits::FlitRecord> all;
    flits::FlitLogReader log(options.flit_log);
    flits::FlitRecord record;
    while (log.read(record)) all.push_back(record);
    return all;
  }

  fs::path dir_;
};

bool is_almp(const flits::FlitRecord& r) {
  return !r.recovery && r.flit.protocol_id().id == flits::ProtocolId::Almp;
}

std::uint64_t recoveries(const std::vector<flits::FlitRecord>& all) {
  return static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.end(), [](const flits::FlitRecord& r) { return r.recovery; }));
}

// On a clean link: after a Recovery that finds an end Active both ends ask for a retry.
void expect_retries(const std::vector<flits::FlitRecord>& all) {
  constexpr std::uint64_t kEnoughPs = 100000;  // for Recovery, Status and RETRY.Req
  struct Since {
    std::uint64_t recovery_ps = 0;
    std::array<bool, 2> status{}, asked{};  // by direction
    bool active = false;
  };
  std::map<std::string, Since> links;
  const auto judge = [](const Since& s, std::uint64_t end_ps) {
    if (s.recovery_ps == 0 || !s.active || end_ps - s.recovery_ps < kEnoughPs) return;
    EXPECT_TRUE(s.asked[0] && s.asked[1]) << "no retry after Recovery at " << s.recovery_ps;
  };
  for (const flits::FlitRecord& r : all) {
    Since& s = links[r.link];
    if (r.recovery) {
      judge(s, r.time_ps);
      s = {};
      s.recovery_ps = r.time_ps;
      continue;
    }
    const std::size_t d = flits::index(r.direction);
    if (is_almp(r)) {
      const flits::Almp almp = read_almp(r.flit).almp;
      if (almp.link != flits::AlmpLink::CacheMem || s.status[d]) continue;
      s.status[d] = true;
      s.active |= almp.state == flits::LinkState::Active;
    } else if (const auto control = classify_retry(r.flit)) {
      s.asked[d] |= std::holds_alternative<flits::RetryReq>(*control);
    }
  }
  for (const auto& [name, s] : links) judge(s, all.back().time_ps);
}

TEST_F(BringUp, AlmpsComeFirstAndInOrder) {
  test::shows("link", "The first flit of every link is the host's ALMP", "CXL 2.0, 5.1.2.2");
  const std::vector<std::string> down = {
      "M2S ALMP CXL.io Request Active", "M2S ALMP CXL.cachemem Request Active",
      "M2S ALMP CXL.io Status Active", "M2S ALMP CXL.cachemem Status Active"};
  const std::vector<std::string> up = {
      "S2M ALMP CXL.io Status Active", "S2M ALMP CXL.io Request Active",
      "S2M ALMP CXL.cachemem Status Active", "S2M ALMP CXL.cachemem Request Active"};
  std::map<std::string, std::vector<std::string>> seen;  // link and direction
  std::map<std::string, bool> told;    // by link, receiving direction and protocol
  std::map<std::string, bool> spoken;  // by link
  for (const flits::FlitRecord& r : run_clean({}, 200)) {
    ASSERT_FALSE(r.recovery);
    const std::string way = r.link + std::string(name(r.direction));
    const std::string back = r.link + std::string(name(flits::opposite(r.direction)));
    // CXL 2.0, 5.1.2.2: the host speaks first, by an ALMP.
    if (!std::exchange(spoken[r.link], true)) {
      EXPECT_TRUE(is_almp(r) && r.direction == flits::Direction::M2S) << "first flit of " << r.link;
    }
    if (is_almp(r)) {
      seen[way].push_back(to_text(r.flit, r.direction));
      for (const char* protocol : {"CXL.io", "CXL.cachemem"}) {
        if (seen[way].back().ends_with(std::string(protocol) + " Status Active")) {
          told[back + protocol] = true;
        }
      }
    } else {
      const auto id = r.flit.protocol_id().id;
      ASSERT_TRUE(id == flits::ProtocolId::Io || id == flits::ProtocolId::CacheMem);
      const char* protocol = id == flits::ProtocolId::Io ? "CXL.io" : "CXL.cachemem";
      // 5.1.2.4.1: only in Active, when both ways are agreed.
      ASSERT_TRUE(told[way + protocol] && told[back + protocol])
          << "a " << protocol << " flit at " << r.time_ps << " ps";
    }
  }
  for (const std::string link : {"link0", "link1"}) {
    EXPECT_EQ(seen[link + "M2S"], down);
    EXPECT_EQ(seen[link + "S2M"], up);
  }
}

// In each cycle of bring-up and a while after it, both links alike.
TEST_F(BringUp, RecoveryInEveryCycleOfBringUp) {
  for (std::uint64_t cycle = 6; cycle <= 110; ++cycle) {
    SCOPED_TRACE(cycle);
    LinkFaults faults;
    faults.recovery_at = cycle;
    const auto all = run_clean(faults, 10);
    EXPECT_EQ(recoveries(all), 2u);
    expect_retries(all);
  }
}

// A damaged ALMP is found by its copies and leads to Recovery, after which bring-up goes on.
TEST_F(BringUp, EveryAlmpDamagedOnce) {
  // Which flits are ALMPs, 0 for none: those of CXL.cachemem come when CXL.io already talks.
  std::array<std::vector<std::uint64_t>, 2> almps = {{{0}, {0}}};  // M2S, S2M
  std::array<std::uint64_t, 2> sent{};
  for (const flits::FlitRecord& r : run_clean({}, 10)) {
    if (r.link != "link0") continue;
    const std::size_t d = flits::index(r.direction);
    ++sent[d];
    if (is_almp(r)) almps[d].push_back(sent[d]);
  }
  ASSERT_EQ(almps[0].size(), 1u + 4u);
  ASSERT_EQ(almps[1].size(), 1u + 4u);
  for (const std::uint64_t down : almps[0]) {
    for (const std::uint64_t up : almps[1]) {
      if (down + up == 0) continue;
      SCOPED_TRACE(testing::Message() << down << " M2S, " << up << " S2M");
      LinkFaults faults;
      faults.damage_flit = {down, up};
      const auto all = run_clean(faults, 10);
      const auto damaged = std::count_if(all.begin(), all.end(), [](const flits::FlitRecord& r) {
        return is_almp(r) && read_almp(r.flit).fault == flits::AlmpFault::CopiesDiffer;
      });
      EXPECT_GE(damaged, 2);  // on each link one at least; a second may be lost in the Recovery
      EXPECT_GE(recoveries(all), 2u);
      expect_retries(all);
    }
  }
}

// In the thick of it: flits are lost on both ways, none is missed.
TEST_F(BringUp, RecoveryUnderTrafficCostsNoData) {
  for (const std::uint64_t every : {149u, 401u, 1009u}) {
    SCOPED_TRACE(every);
    LinkFaults faults;
    faults.recovery_every = every;
    const auto all = run_clean(faults, 4000);
    EXPECT_GT(recoveries(all), 10u);
    expect_retries(all);
  }
}

TEST_F(BringUp, RecoveryOnANoisyLinkCostsNoData) {
  LinkFaults faults;
  faults.recovery_every = 3001;
  EXPECT_GT(recoveries(run_clean(faults, 1000, 1e-5)), 0u);
}

}  // namespace
}  // namespace cxlgpu
