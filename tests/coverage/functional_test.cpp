// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The library of functional coverage: what it counts, what it writes, and that the declarations
// are sound.
#include "tests/coverage/functional.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu::coverage {
namespace {

Group small() {
  return {.name = "small",
          .title = "",
          .seen = "",
          .suites = {"none"},
          .axes = {{"x", {"a", "b", "c"}}, {"y", {"1", "2"}}},
          .impossible = {{{"!a|c", "1"}, "first"}, {{"b", "*"}, "second"}}};
}

class Directory : public ::testing::Test {
 protected:
  Directory() {
    path = std::filesystem::temp_directory_path() / ("functional-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path);
  }
  ~Directory() override { std::filesystem::remove_all(path); }
  [[nodiscard]] std::vector<nlohmann::json> files() const {
    std::vector<nlohmann::json> out;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      std::ifstream file(entry.path());
      out.push_back(nlohmann::json::parse(file));
    }
    return out;
  }
  std::filesystem::path path;
};

TEST(Group, BinsHaveNamesAndNumbers) {
  const Group g = small();
  ASSERT_EQ(g.bins(), 6u);
  std::set<std::string> names;
  for (std::size_t bin = 0; bin < g.bins(); ++bin) {
    const auto at = g.position(bin);
    EXPECT_EQ(g.index({at[0], at[1]}), bin);
    names.insert(g.bin_name(bin));
  }
  EXPECT_EQ(names, (std::set<std::string>{"a/1", "a/2", "b/1", "b/2", "c/1", "c/2"}));
  EXPECT_EQ(g.bin_name(g.index({2, 1})), "c/2");
}

TEST(Group, FirstReasonCounts) {
  const Group g = small();
  EXPECT_EQ(g.reason(g.index({0, 0})), "");
  EXPECT_EQ(g.reason(g.index({1, 0})), "first");
  EXPECT_EQ(g.reason(g.index({1, 1})), "second");
  EXPECT_EQ(g.reason(g.index({2, 0})), "");
  EXPECT_TRUE(g.faults().empty());
}

TEST(Group, FaultsOfADeclaration) {
  const auto faults_with = [](Impossible i) {
    Group g = small();
    g.impossible.push_back(std::move(i));
    return g.faults().size();
  };
  EXPECT_EQ(faults_with({{"d", "*"}, "no such value"}), 1u);
  EXPECT_EQ(faults_with({{"!a|d", "*"}, "no such value"}), 1u);
  EXPECT_EQ(faults_with({{"a"}, "an axis is missing"}), 1u);
  EXPECT_EQ(faults_with({{"a", "1"}, ""}), 1u);
  EXPECT_EQ(faults_with({{"b", "2"}, "named before"}), 1u);
  EXPECT_EQ(faults_with({{"a", "1"}, "sound"}), 0u);
  Group slash = small();
  slash.axes[0].values[0] = "a/b";
  EXPECT_FALSE(slash.faults().empty());
  Group twice = small();
  twice.axes[1].values = {"1", "1"};
  EXPECT_FALSE(twice.faults().empty());
}

TEST(GroupDeathTest, OutsideTheAxes) {
  const Group g = small();
  EXPECT_DEATH((void)g.index({3, 0}), "outside its axis");
  EXPECT_DEATH((void)g.index({0}), "another number of axes");
}

TEST_F(Directory, CountsOfAProcessAddUp) {
  Collector first(small(), path), second(small(), path);
  first.hit({0, 1});
  first.hit({0, 1});
  second.hit({0, 1});
  second.hit({2, 0});
  EXPECT_EQ(first.count({0, 1}), 2u);
  first.write();
  EXPECT_EQ(first.count({0, 1}), 0u);
  first.write();  // nothing new
  second.write();
  const auto all = files();
  ASSERT_EQ(all.size(), 1u) << "one file a process, and nothing half-written beside it";
  EXPECT_EQ(all[0], nlohmann::json::parse(R"({"small": {"a/2": 3, "c/1": 1}})"));
}

TEST_F(Directory, OffWithoutADirectory) {
  Collector off(small(), std::nullopt);
  EXPECT_FALSE(off.on());
  off.hit({0, 0});
  EXPECT_EQ(off.count({0, 0}), 0u);
  off.write();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Directory, NothingIsWrittenOverAForeignFile) {
  std::filesystem::create_directories(path);
  const auto file = path / (std::string(program_invocation_short_name) + "-" +
                            std::to_string(::getpid()) + ".json");
  std::ofstream(file) << "not counts";
  Collector c(small(), path);
  c.hit({0, 0});
  EXPECT_THROW(c.write(), std::runtime_error);
}

// functional.py on counts made here; its exit code and what it prints.
class Tool : public Directory {
 protected:
  void hit_all(const std::string& leave_out) const {
    for (const Group& g : functional_groups()) {
      Collector c(g, path);
      for (std::size_t bin = 0; bin < g.bins(); ++bin) {
        const bool hit = g.reason(bin).empty() && g.bin_name(bin) != leave_out;
        if (hit) c.hit(g.position(bin));
      }
      c.write();
    }
  }
  // As if one of the suites had counted; `whose`: who else.
  [[nodiscard]] std::pair<int, std::string> run(
      std::string_view whose = functional_groups().front().suites.front()) const {
    std::filesystem::create_directories(path);
    const std::string pid = "-" + std::to_string(::getpid()) + ".json";
    const auto counted = path / ("coverage_functional_test" + pid);
    if (std::filesystem::exists(counted))
      std::filesystem::rename(counted, path / (std::string(whose) + pid));
    const auto build =
        std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().string();
    const std::string command = std::string(CXLGPU_SOURCE_DIR "/verify/coverage/functional.py") +
                                " --no-run --build " + build + " --counts " + path.string() +
                                " --page " + (path / "page.html").string() + " 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    std::array<char, 4096> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      text.append(buffer.data(), n);
    }
    return {WEXITSTATUS(::pclose(pipe)), text};
  }
};

TEST_F(Tool, AllHit) {
  hit_all("");
  const auto [code, text] = run();
  EXPECT_EQ(code, 0) << text;
  EXPECT_EQ(text.find("hole"), std::string::npos) << text;
  EXPECT_GT(std::filesystem::file_size(path / "page.html"), 10000u);
}

TEST_F(Tool, CountsOfOtherProgramsArePassedOver) {
  hit_all("");
  const auto [code, text] = run("another_test");
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("total: 0 of "), std::string::npos) << text;
}

TEST_F(Tool, OneHole) {
  hit_all("device/3/1 KiB/last of chunk");
  const auto [code, text] = run();
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("holes: device/3/1 KiB/last of chunk\n"), std::string::npos) << text;
}

TEST_F(Tool, NothingRanIsAllHoles) {
  const auto [code, text] = run();
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("total: 0 of "), std::string::npos) << text;
}

TEST_F(Tool, ImpossibleButHit) {
  hit_all("");
  Collector c(hdm(), path);
  c.hit({0, 4, 0, 0});  // 16 ways in a host bridge
  c.write();
  const auto [code, text] = run();
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("impossible but hit: host bridge/16/256 B/first of range\n"),
            std::string::npos)
      << text;
}

TEST_F(Tool, UndeclaredBin) {
  std::filesystem::create_directories(path);
  const std::string file = std::string(functional_groups().front().suites.front()) + "-1.json";
  std::ofstream(path / file) << R"({"hdm": {"device/5/1 KiB/first of chunk": 1}})";
  const auto [code, text] = run();
  EXPECT_EQ(code, 2);
  EXPECT_NE(text.find(file + ": hdm: device/5/1 KiB/first of chunk is not declared"),
            std::string::npos)
      << text;
}

TEST(FunctionalGroups, AreSound) {
  std::set<std::string_view> names;
  for (const Group& g : functional_groups()) {
    EXPECT_TRUE(names.insert(g.name).second) << g.name;
    EXPECT_FALSE(g.suites.empty()) << g.name;
    for (const std::string& fault : g.faults()) ADD_FAILURE() << fault;
    std::size_t possible = 0;
    for (std::size_t bin = 0; bin < g.bins(); ++bin) possible += g.reason(bin).empty();
    EXPECT_GT(possible, 10u) << g.name;
  }
}

TEST(Pairs, EachOnceAndNumbered) {
  const Group g =
      pairs({.name = "p",
             .title = "",
             .seen = "",
             .suites = {"none"},
             .axes = {},
             .impossible = {},
             .words = nullptr},
            {"state", {"s", "t"}}, {"a", "b", "c", "d"},
            {{"s", {"a", "b"}, {"a", "b"}, standard("not both")}, {"t", {"d"}, {"*"}, "no d"}});
  ASSERT_EQ(g.axes[1].values.size(), 6u);
  EXPECT_TRUE(g.faults().empty());
  constexpr std::string_view kEvents = "abcd";
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned j = i + 1; j < 4; ++j) {
      const auto k = static_cast<unsigned>(pair_number(i, j, 4));
      EXPECT_EQ(g.axes[1].values[k], std::string{kEvents[i]} + " + " + kEvents[j]);
      EXPECT_EQ(g.reason(g.index({0, k})), j == 1 ? "not both" : "");
      EXPECT_EQ(g.forbids(g.index({0, k})), j == 1 ? By::Standard : By::Ours);
      EXPECT_EQ(g.reason(g.index({1, k})), j == 3 ? "no d" : "");
    }
  }
}

TEST(Group, OneReasonIsNotOfBoth) {
  Group g = small();
  g.impossible.push_back({{"c", "2"}, standard("first")});
  EXPECT_EQ(g.faults(), std::vector<std::string>{"small: the standard's and ours: first"});
}

// The enums number the values.
TEST(FunctionalGroups, EnumsFitTheAxes) {
  const auto fits = [](const Group& g, std::size_t axis, auto last) {
    EXPECT_EQ(g.axes[axis].values.size(), static_cast<unsigned>(last) + 1) << g.name;
  };
  fits(flits_m2s(), 0, Side::Wire);
  fits(link_flits(), 1, FlitBin::Dropped);
  fits(link_flits(), 2, OwedBin::AllDataNext);
  fits(hdm(), 3, HdmPlace::Above);
  fits(speculation(), 2, WindowSide::ClipEnd);
  fits(ds_hazards(), 0, DsLine::MergeAtLocal);
  fits(ds_hazards(), 1, DsHazard::Fence);
  fits(ds_answers(), 0, DsAnswered::Late);
  fits(ds_answers(), 1, DsLeft::Refused);
  fits(ds_waiting(), 1, DsWaiting::ManyLate);
  fits(retry_lrsm(), 0, Lrsm::Abort);
  fits(retry_lrsm(), 1, ErrorKind::Recovery);
  fits(retry_lrsm(), 2, Traffic::Both);
  fits(retry_rrsm(), 0, Rrsm::Replaying);
  fits(lrsm_events(), 0, Lrsm::Abort);
  fits(lrsm_events(), 1, LrsmEvent::Exhausted);
  fits(rrsm_events(), 2, RrsmEvent::Start);
  fits(wire_faults(), 0, WireFlitBin::Almp);
  fits(wire_faults(), 1, WireFault::Asked);
  fits(wire_faults(), 2, LinkMoment::Nap);
  fits(credits(), 1, CreditLevel::All);
  fits(credits(), 3, QueueLevel::Full);
  fits(llrb_pairs(), 0, LlrbFill::OneFree);
  fits(lrsm_pairs(), 0, Lrsm::Abort);
  fits(credit_tx_pairs(), 0, CountLevel::Most);
  fits(queue_pairs(), 0, QueueState::MultiFull);
  fits(memory_queue_pairs(), 1, MqEnters::HintWaits);
  fits(memory_queue_pairs(), 2, MqLeaves::ThrownAway);
  fits(memory_queue_pairs(), 3, MqMode::Ended);
  fits(memory_queue_levels(), 3, MqLevel::Full);
  fits(ds_meetings(), 1, DsAct::FastDeferred);
  fits(ds_meetings(), 2, DsEvent::ErrorCleared);
  fits(ds_tables(), 1, DsTable::Late);
  fits(ds_tables(), 2, DsLevel::Empties);
  fits(ds_filter_pairs(), 1, FilterUpdate::Dec);
  fits(ds_filter_pairs(), 4, FilterLook::OtherMaybe);
  fits(ds_index_pairs(), 1, IndexTakes::Delete);
  fits(ds_index_pairs(), 2, IndexAnswers::NoPlace);
  fits(ds_index_pairs(), 3, IndexLevel::Full);
  fits(ds_index_inserts(), 0, IndexAside::Was);
  fits(ds_index_inserts(), 1, IndexInserts::NoPlace);
  fits(ras_uncor_pairs(), 1, RasEvent::Masked);
  fits(ras_uncor_pairs(), 2, RasWrite::ClearsOthers);
  fits(ras_uncor_pairs(), 4, RasHeld::Another);
  fits(link_regs_pairs(), 0, WordAccess::WriteHigh);
  fits(endpoint_counter_pairs(), 3, CounterAccess::Write);
  fits(mailbox_pairs(), 0, MailboxDoes::CopiesLast);
  fits(mailbox_pairs(), 1, MailboxAccess::WritesOther);
  fits(range_decoder_pairs(), 0, RangePlace::Behind);
  fits(hdm_decoder_pairs(), 1, HdmDoes::Disables);
  fits(hdm_decoder_pairs(), 2, HdmLook::Misses);
  fits(isolation_ticks(), 1, TickPhase::Tick);
  fits(sr_queue_pairs(), 4, SrLevel::Full);
  fits(sr_queue_pairs(), 5, SrReaderAt::End);
  fits(ring_buffer_pairs(), 1, RingOp::RecordUseless);
  fits(ring_buffer_pairs(), 2, RingLook::Evicted);
  fits(stream_table_pairs(), 1, StreamOp::AddEvicts);
  fits(stream_table_pairs(), 2, StreamAsk::Held);
  fits(sr_reader_pairs(), 0, ReaderDoes::GivesUp);
  fits(sr_reader_pairs(), 1, ReaderMeets::LoadLeaves);
  fits(dram_cache_pairs(), 0, DramLook::Drop);
  fits(dram_cache_pairs(), 1, DramAsker::Write);
  fits(dram_cache_pairs(), 2, DramFill::OwnWaited);
  fits(dram_cache_pairs(), 3, DramWake::OwnLast);
  fits(dram_cache_levels(), 1, DramFrees::Both);
  fits(dram_cache_levels(), 2, DramLevel::Full);
  fits(transaction_table_pairs(), 0, TableTakes::WaitingForTheFill);
  fits(transaction_table_pairs(), 1, TableFill::WakesSeveral);
  fits(transaction_table_pairs(), 2, TableWake::TakenOfTheFill);
  fits(transaction_table_levels(), 2, TableLevel::Full);
  fits(spec_queue_pairs(), 0, SpecIn::NoRoom);
  fits(spec_queue_pairs(), 1, SpecOut::Last);
  fits(host_bridge_requests(), 1, WayOut::Stays);
  fits(elastic_pairs(), 1, LaneIn::SecondSkp);
  fits(elastic_pairs(), 2, LaneAsk::AfterSkp);
  fits(elastic_pairs(), 4, ElasticFill::Full);
  fits(drift_pairs(), 4, DriftFill::Full);
  fits(vlsm_links(), 1, VlsmLink::Back);
}

}  // namespace
}  // namespace cxlgpu::coverage
