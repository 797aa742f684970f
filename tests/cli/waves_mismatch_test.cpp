// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Waves around the first mismatch of a run.
//
// Purpose: a part behind the RTL that once does what the model's does not: the FST holds the cycles
//          around that, the viewers' files stand on it, the printed command makes the same FST.
#include <gtkwave/fstapi.h>

#include <cstdio>
#include <regex>

#include "cli/session.hpp"
#include "cli/shell_word.hpp"
#include "cli/version.hpp"
#include "common/media_port.hpp"
#include "sim/config/config.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

// Every change of every variable.
struct Change {
  std::uint64_t ps;
  fstHandle variable;
  std::string value;
  bool operator==(const Change&) const = default;
};
struct Recorded {
  std::uint64_t first = 0, last = 0;  // ps
  std::vector<Change> changes;

  explicit Recorded(const fs::path& file) {
    void* reader = fstReaderOpen(file.c_str());
    if (reader == nullptr) throw std::runtime_error(file.string() + ": no FST");
    first = fstReaderGetStartTime(reader);
    last = fstReaderGetEndTime(reader);
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks(
        reader,
        [](void* to, std::uint64_t ps, fstHandle variable, const unsigned char* value) {
          static_cast<std::vector<Change>*>(to)->push_back(
              {ps, variable, reinterpret_cast<const char*>(value)});
        },
        &changes, nullptr);
    fstReaderClose(reader);
  }
};

// The first answer after a time is late or wrong.
enum class Fault { Late, Wrong };
class FaultyOnce : public Media {
 public:
  FaultyOnce(Media& inner, Fault fault, Time from) : inner_(inner), fault_(fault), from_(from) {}

  std::optional<MediaResponse> take(Time now) override {
    if (kept_) {
      if (now < until_) return std::nullopt;
      return std::exchange(kept_, std::nullopt);
    }
    std::optional<MediaResponse> answer = inner_.take(now);
    if (!answer || done_ || now < from_ || answer->op == MediaOp::Write) return answer;
    done_ = now;
    if (fault_ == Fault::Wrong) {
      answer->data[5] ^= 0x10;
      return answer;
    }
    kept_ = answer;
    until_ = now + Time{50'000};
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Time> done() const { return done_; }

  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override {
    return inner_.can_accept(now, op);
  }
  void submit(const MediaCommand& command, Time now) override { inner_.submit(command, now); }
  [[nodiscard]] Time next_event() const override { return inner_.next_event(); }
  [[nodiscard]] const MediaCounters& counters() const override { return inner_.counters(); }
  [[nodiscard]] MediaStatus status(Time now) override { return inner_.status(now); }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override { return inner_.peek(dpa); }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    inner_.poke(dpa, bytes);
  }

 private:
  Media& inner_;
  Fault fault_;
  Time from_;
  std::optional<Time> done_;
  std::optional<MediaResponse> kept_;
  Time until_{0};
};

// What the line about the FST says.
struct Said {
  std::uint64_t from = 0, to = 0, cycle = 0;
  std::string what;
  double ns = 0;  // of the run
  std::string replay;
};
Said read_said(const std::string& err, const fs::path& fst) {
  const std::regex line(
      "([^\n]*): cycles ([0-9]+) to ([0-9]+), around ([0-9]+): ([^\n]*) \\(([0-9.]+) ns of the "
      "run\\); replay: ([^\n]*)\n");
  std::smatch found;
  std::string rest = err;
  if (!std::regex_search(rest, found, line)) throw std::runtime_error("no line of waves in " + err);
  EXPECT_EQ(found[1], fst.string());
  return {std::stoull(found[2]), std::stoull(found[3]),
          std::stoull(found[4]), found[5],
          std::stod(found[6]),   found[7]};
}

class WavesAround : public Cli {
 protected:
  // Window, marker and view of all files.
  void expect_window(const fs::path& fst, const Said& said, std::uint64_t before) {
    const Recorded recorded(fst);
    EXPECT_EQ(said.from, said.cycle - before);
    EXPECT_EQ(recorded.first, said.from * 1000);
    EXPECT_EQ(recorded.last, said.to * 1000 + 500);
    EXPECT_GT(said.to, said.cycle + 100);
    const std::string save = read_text(fs::path(fst).replace_extension(".gtkw"));
    std::smatch found;
    ASSERT_TRUE(std::regex_search(save, found, std::regex("\n\\*-[0-9.]+ ([0-9]+)\n")));
    EXPECT_EQ(std::stoull(found[1]) / 1000, said.cycle);
    ASSERT_TRUE(std::regex_search(save, found, std::regex("\n\\[timestart\\] ([0-9]+)\n")));
    EXPECT_GE(std::stoull(found[1]), said.from * 1000);
    EXPECT_LT(std::stoull(found[1]), said.cycle * 1000);
    const std::string commands = read_text(fs::path(fst).replace_extension(".sucl"));
    ASSERT_TRUE(std::regex_search(commands, found, std::regex("\nmarker_set mismatch ([0-9]+)\n")));
    EXPECT_EQ(std::stoull(found[1]) / 1000, said.cycle);
  }

  // Runs the printed command in the folder; the FST that it wrote.
  Recorded replayed(const Said& said, const fs::path& fst, int status) {
    fs::remove(fst);
    const std::string line = "cd " + dir_.string() + " && " + said.replay + " > /dev/null 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), status) << line;
    return Recorded(fst);
  }

  // A cosim whose RTL has one faulty answer of a part, which is at `faulty_at_`.
  Said run_with(Fault fault) {
    const fs::path configs = fs::path(CXLGPU_SOURCE_DIR) / "configs";
    const ConfigLoader loader(configs, scenario_names(configs), rtl_configuration(), "");
    RunConfig config = loader.load("vadd-dram-cxl", {"workload.size=4096"}, "");
    config.engine = "cosim";
    std::vector<std::unique_ptr<FaultyOnce>> parts;
    SessionOptions options;
    options.config_dir = configs;
    options.quiet = true;
    options.engine.waves = fst_.string();
    options.engine.replay = "the run";
    options.waves_around = kBefore;
    options.waves_replay =
        shell_command({CXLGPU_BINARY, "run", "vadd-dram-cxl", "--engine", "cosim", "--set",
                       "workload.size=4096", "--waves", fst_.string()});
    options.make_rtl = [&](const RunConfig& whole, const EngineParts& given,
                           const EngineOptions& engine) {
      EngineParts with = given;
      parts.push_back(std::make_unique<FaultyOnce>(*with.media.front(), fault, kFaultFrom));
      with.media.front() = parts.back().get();
      return make_rtl_engine(whole, with, engine);
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_session(config, options), 1);
    const std::string err = testing::internal::GetCapturedStderr();
    EXPECT_EQ(parts.size(), 2u) << "a run without waves, one with them";
    faulty_at_ = parts.front()->done().value_or(Time{0});
    EXPECT_EQ(parts.back()->done(), faulty_at_);
    return read_said(err, fst_);
  }

  static constexpr std::uint64_t kBefore = 400;
  static constexpr Time kFaultFrom{1'500'000};
  const fs::path fst_ = dir_ / "m.fst";
  Time faulty_at_;
};

TEST_F(WavesAround, ALateAnswerIsHeldByTheFst) {
  const Said said = run_with(Fault::Late);
  expect_window(fst_, said, kBefore);
  EXPECT_NE(said.what.find("media_done"), std::string::npos) << said.what;
  EXPECT_GE(said.ns, faulty_at_.ns());
  EXPECT_LE(said.ns, faulty_at_.ns() + 3) << "where the model had its answer, not the RTL later";
  // The command runs the same without the fault: both are alike up to the marker and not beyond.
  const Recorded faulty(fst_), sound = replayed(said, fst_, 0);
  EXPECT_EQ(sound.first, faulty.first);
  EXPECT_EQ(sound.last, faulty.last);
  std::size_t same = 0;
  while (same < faulty.changes.size() && same < sound.changes.size() &&
         faulty.changes[same] == sound.changes[same]) {
    ++same;
  }
  ASSERT_LT(same, faulty.changes.size());
  const std::uint64_t apart = faulty.changes[same].ps / 1000;
  EXPECT_GE(apart + 2, said.cycle);
  EXPECT_LE(apart, said.cycle + 2);
}

TEST_F(WavesAround, WrongDataIsHeldByTheFst) {
  const Said said = run_with(Fault::Wrong);
  expect_window(fst_, said, kBefore);
  EXPECT_GE(said.ns, faulty_at_.ns());
  EXPECT_LE(said.ns, faulty_at_.ns() + 300) << "when it was answered";
  // The endpoint's answer with that byte is on the wire within the window.
  const Recorded faulty(fst_), sound = replayed(said, fst_, 0);
  const auto differ = std::mismatch(faulty.changes.begin(), faulty.changes.end(),
                                    sound.changes.begin(), sound.changes.end());
  ASSERT_NE(differ.first, faulty.changes.end());
  EXPECT_GE(differ.first->ps, said.from * 1000);
  EXPECT_LE(differ.first->ps, said.cycle * 1000);
}

TEST_F(WavesAround, TheCommandMakesTheSameFst) {
  const Args args = {"run", "vadd-znand-sr", "--engine",       "rtl",     "--waves-around-mismatch",
                     "300", "--set",         "run.limit_us=5", "--waves", "m.fst"};
  const Result result = run(args);
  EXPECT_EQ(result.status, 3);
  const Said said = read_said(result.err, "m.fst");
  EXPECT_EQ(said.ns, 5000) << "run.limit_us";
  EXPECT_EQ(said.replay.find("around"), std::string::npos) << said.replay;
  expect_window(fst_, said, 300);
  const Recorded first(fst_), second = replayed(said, fst_, 3);
  EXPECT_GT(first.changes.size(), 10'000u);
  // Cut by the same limit, but it goes on to read the registers.
  EXPECT_EQ(second.first, first.first);
  EXPECT_EQ(second.last, first.last);
  EXPECT_EQ(second.changes, first.changes);
}

TEST_F(WavesAround, WithoutAMismatchThereIsNoFile) {
  const Result result =
      accepted({"run", "vadd-znand-sr", "--engine", "cosim", "--set", "workload.size=512",
                "--waves", "m.fst", "--waves-around-mismatch"});
  EXPECT_NE(result.out.find("none, there was no mismatch"), std::string::npos) << result.out;
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace cxlgpu
