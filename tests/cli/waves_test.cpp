// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Waveforms as a viewer finds them: names, clock, window, what is shown first.
//
// Purpose: reads FSTs with the library that writes them (its reader is GTKWave's own).
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "tb/fst_file.hpp"
#include "tb/wave_groups.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

struct Fst {
  std::map<std::string, fstHandle> variables;  // by full name, as a save file has it
  std::set<std::string> enumerated;            // of them, those with names of their values
  std::uint64_t first = 0, last = 0;           // ps

  explicit Fst(const fs::path& file) : reader_(fstReaderOpen(file.c_str())) {
    if (reader_ == nullptr) throw std::runtime_error(file.string() + ": no FST");
    first = fstReaderGetStartTime(reader_);
    last = fstReaderGetEndTime(reader_);
    std::vector<std::string> scopes;
    bool names = false;  // of the variable that comes next
    while (const fstHier* item = fstReaderIterateHier(reader_)) {
      if (item->htyp == FST_HT_SCOPE) {
        scopes.emplace_back(item->u.scope.name, item->u.scope.name_length);
      } else if (item->htyp == FST_HT_UPSCOPE) {
        scopes.pop_back();
      } else if (item->htyp == FST_HT_VAR) {
        std::string name;
        for (const std::string& scope : scopes) name += scope + ".";
        std::string own(item->u.var.name, item->u.var.name_length);
        std::erase(own, ' ');
        variables[name + own] = item->u.var.handle;
        if (names) enumerated.insert(name + own);
        names = false;
      } else if (item->htyp == FST_HT_ATTRBEGIN && item->u.attr.typ == FST_AT_MISC &&
                 item->u.attr.subtype == FST_MT_ENUMTABLE && item->u.attr.name_length == 0) {
        names = true;
      }
    }
  }
  ~Fst() { fstReaderClose(reader_); }
  Fst(const Fst&) = delete;
  Fst& operator=(const Fst&) = delete;

  struct Change {
    std::uint64_t ps;
    std::string value;
  };
  std::vector<Change> changes(const std::string& name) {
    fstReaderClrFacProcessMaskAll(reader_);
    fstReaderSetFacProcessMask(reader_, variables.at(name));
    return read();
  }
  // Of all variables, in the order of the file.
  std::vector<Change> changes() {
    fstReaderSetFacProcessMaskAll(reader_);
    return read();
  }

 private:
  std::vector<Change> read() {
    std::vector<Change> all;
    fstReaderIterBlocks(
        reader_,
        [](void* to, std::uint64_t ps, fstHandle, const unsigned char* value) {
          static_cast<std::vector<Change>*>(to)->push_back(
              {ps, reinterpret_cast<const char*>(value)});
        },
        &all, nullptr);
    return all;
  }

  void* reader_;
};

const std::string kBench = "TOP.cxlgpu_bench.";

// What a vector of characters shows: from the first that is one.
std::string ascii(const std::string& bits) {
  std::string text;
  for (std::size_t at = 0; at + 8 <= bits.size(); at += 8) {
    const auto c = static_cast<char>(std::stoi(bits.substr(at, 8), nullptr, 2));
    if (c != 0 || !text.empty()) text += c;
  }
  return text;
}

class Waves : public Cli {
 protected:
  void record(const Args& more) {
    Args args = {"run",   "vadd-znand-sr",     "--engine", "rtl",
                 "--set", "workload.size=512", "--waves",  "w.fst"};
    args.insert(args.end(), more.begin(), more.end());
    accepted(args);
  }
};

TEST_F(Waves, TheClockHasBothEdgesAndTheWindowIsExact) {
  record({"--waves-from-us", "1", "--waves-to-us", "2"});
  Fst fst(dir_ / "w.fst");
  EXPECT_EQ(fst.first, 1'000'000u);
  EXPECT_EQ(fst.last, 2'000'000u);
  const std::vector<Fst::Change> clock = fst.changes(kBench + "clk_i");
  ASSERT_GE(clock.size(), 2000u) << "two edges of each of 1000 cycles";
  EXPECT_LE(clock.size(), 2003u);
  for (std::size_t i = 2; i < clock.size(); ++i) {
    EXPECT_NE(clock[i].value, clock[i - 1].value);
    EXPECT_EQ(clock[i].ps - clock[i - 1].ps, 500u);
  }
}

TEST_F(Waves, TheWindowByCyclesIsExact) {
  record({"--waves-from-cycle", "1000", "--waves-to-cycle", "1999"});
  Fst fst(dir_ / "w.fst");
  EXPECT_EQ(fst.first, 1'000'000u);
  EXPECT_EQ(fst.last, 1'999'500u) << "the rising edge of the last cycle";
  // The first falling edge is a value to begin with.
  EXPECT_EQ(fst.changes(kBench + "clk_i").size(), 2000u);
}

// What the log's decoder makes of each flit, and when it came.
TEST_F(Waves, FlitsAreThereAsText) {
  record({"--flit-log", "f.log"});
  Fst fst(dir_ / "w.fst");
  std::map<std::string, std::vector<Fst::Change>> shown;
  for (const char* name : {"link0.m2s", "link0.s2m", "link1.m2s", "link1.s2m"}) {
    for (const Fst::Change& change : fst.changes(std::string("flits.") + name + "[1279:0]")) {
      const std::string text = ascii(change.value);
      EXPECT_TRUE(text.size() < kWaveTextChars || text.ends_with("...")) << text;
      if (!text.empty()) shown[name].push_back({change.ps, text});
    }
  }
  std::map<std::string, std::size_t> next, kinds;
  for (const std::string& line : lines_of(accepted({"flit", "decode", "f.log", "--json"}).out)) {
    const json flit = json::parse(line);
    if (!flit.contains("direction")) continue;
    const std::string track =
        flit["link"].get<std::string>() + (flit["direction"] == "M2S" ? ".m2s" : ".s2m");
    ASSERT_LT(next[track], shown[track].size()) << line;
    const auto& [ps, text] = shown[track][next[track]++];
    const auto arrived = flit["time_ps"].get<std::uint64_t>();
    EXPECT_GE(ps + 500, arrived) << line;
    EXPECT_LE(ps, arrived + 1000) << line;
    const std::string kind = flit.value("kind", "");
    ++kinds[kind];
    std::vector<std::string> parts;
    if (kind == "protocol") {
      for (const json& slot : flit["slots"]) {
        for (const json& message : slot.value("messages", json::array())) {
          parts.push_back(message["opcode"].get<std::string>() +
                          " tag=" + message["tag"].get<std::string>());
          if (message.contains("address")) parts.push_back(message["address"]);
        }
      }
    } else if (kind == "all-data") {
      EXPECT_EQ(text, "data x4");
    } else if (kind == "control") {
      parts.push_back(flit["control"]["type"]);
    } else if (kind == "almp") {
      const json& almp = flit["almp"];
      parts.push_back("ALMP " + almp["link"].get<std::string>() + " " +
                      almp["type"].get<std::string>() + " " + almp["state"].get<std::string>());
    } else {
      parts.emplace_back("CXL.io");
    }
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks " << part;
    }
  }
  for (const auto& [track, flits] : shown) EXPECT_EQ(next[track], flits.size()) << track;
  for (const char* kind : {"protocol", "all-data", "control", "almp"}) EXPECT_GT(kinds[kind], 0u);
}

// What a damaged flit does to those behind it, as the log's decoder has it.
TEST_F(Waves, DamagedAndDiscardedFlitsAreSaidToBe) {
  record({"--set", "link.bit_error_rate_m2s=2e-5", "--set", "link.bit_error_rate_s2m=2e-5",
          "--seed", "3", "--flit-log", "f.log"});
  Fst fst(dir_ / "w.fst");
  const auto kind = [](const std::string& text) -> std::string {
    if (text.find("CRC error") != std::string::npos) return "damaged";
    return text.find("(discarded)") != std::string::npos ? "discarded" : "taken";
  };
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> decoded;
  const std::regex place("^([0-9]+) (link[01]) (M2S|S2M) ");
  for (const std::string& line : lines_of(accepted({"flit", "decode", "f.log"}).out)) {
    std::smatch found;
    if (!std::regex_search(line, found, place)) continue;
    decoded[found[2].str() + (found[3] == "M2S" ? ".m2s" : ".s2m")].emplace_back(
        std::stoull(found[1]), kind(line));
  }
  std::map<std::string, std::size_t> kinds;
  std::size_t lost = 0;  // in the cycle of a Recovery, and at the end: not in the log
  for (const auto& [track, flits] : decoded) {
    std::size_t next = 0;
    for (const Fst::Change& change : fst.changes("flits." + track + "[1279:0]")) {
      const std::string text = ascii(change.value);
      if (text.empty()) continue;
      if (next == flits.size() || change.ps + 500 < flits[next].first) {
        ++lost;
        continue;
      }
      EXPECT_LE(change.ps, flits[next].first + 1000) << track;
      EXPECT_EQ(kind(text), flits[next].second) << track << " " << change.ps << " " << text;
      ++kinds[flits[next++].second];
    }
    EXPECT_EQ(next, flits.size()) << track;
  }
  EXPECT_EQ(kinds.size(), 3u);
  EXPECT_LE(lost, 8u);
}

TEST_F(Waves, EveryNameOfTheSaveFileIsInTheRtl) {
  record({"--waves-to-us", "1"});
  const Fst fst(dir_ / "w.fst");
  for (const WaveGroup& group : wave_groups(kDefaultRtl)) {
    for (const WaveTrace& trace : group.traces) {
      EXPECT_TRUE(fst.variables.contains(trace.name)) << trace.name;
      // A viewer takes the dump's own names before those of a translate file.
      EXPECT_EQ(fst.enumerated.contains(trace.name), trace.states == kOfTheDump) << trace.name;
    }
  }
  // The file has these and no others.
  std::size_t named = 0;
  for (const std::string& line : lines_of(read_text(dir_ / "w.gtkw"))) {
    if (!line.starts_with("TOP.")) continue;
    EXPECT_TRUE(fst.variables.contains(line)) << line;
    ++named;
  }
  EXPECT_GT(named, 100u);
}

// Names without ranges, items by their number in Surfer's letters, and a format that there is.
TEST_F(Waves, SurferIsGivenTheSame) {
  record({"--waves-to-us", "1"});
  const Fst fst(dir_ / "w.fst");
  std::set<std::string> without_range;
  for (const auto& [name, handle] : fst.variables) {
    without_range.insert(name.substr(0, name.ends_with(":0]") ? name.rfind('[') : name.size()));
  }
  std::vector<std::string> items;
  std::map<std::string, std::string> format_of;
  std::size_t focus = 0;
  std::string cursor;
  for (const std::string& line : lines_of(read_text(dir_ / "w.sucl"))) {
    const std::size_t space = line.find(' ');
    const std::string command = line.substr(0, space);
    const std::string argument = space == std::string::npos ? "" : line.substr(space + 1);
    if (command == "variable_add" || command == "divider_add") {
      items.push_back(argument);
      EXPECT_TRUE(command == "divider_add" || without_range.contains(argument)) << line;
    } else if (command == "item_focus") {
      focus = 0;
      for (const char c : argument) focus = focus * 16 + static_cast<std::size_t>(c - 'a');
      ASSERT_LT(focus, items.size()) << line;
    } else if (command == "item_set_format") {
      format_of[items[focus]] = argument;
    } else if (command == "cursor_set") {
      cursor = argument;
    } else {
      EXPECT_TRUE(command == "item_unfocus" || command == "zoom_in" || command == "marker_set")
          << line;
      if (command == "marker_set") {
        EXPECT_EQ(argument, "first_request " + cursor);
      }
    }
  }
  std::size_t traces = 0;
  for (const WaveGroup& group : wave_groups(kDefaultRtl)) {
    traces += 1 + group.traces.size();
    for (const WaveTrace& trace : group.traces) {
      const std::string name = trace.name.substr(
          0, trace.name.find_last_of('[') == std::string::npos ? std::string::npos
                                                               : trace.name.find_last_of('['));
      const std::string format = trace.states == kText        ? "ASCII"
                                 : trace.states == kOfTheDump ? ""
                                                              : std::string(trace.states);
      EXPECT_EQ(format_of.contains(name) ? format_of[name] : "", format) << name;
    }
  }
  EXPECT_EQ(items.size(), traces);
}

TEST_F(Waves, TheViewOpensOnTheFirstRequest) {
  record({});
  Fst fst(dir_ / "w.fst");
  std::uint64_t first = ~std::uint64_t{0};
  for (const char* valid : {"ar_valid", "aw_valid"}) {
    for (const Fst::Change& change : fst.changes(kBench + valid)) {
      if (change.value == "1") first = std::min(first, change.ps);
    }
  }
  std::smatch found;
  const std::string text = read_text(dir_ / "w.gtkw");
  ASSERT_TRUE(std::regex_search(text, found, std::regex("\n\\*-([0-9.]+) ([0-9]+)\n")));
  EXPECT_NEAR(std::stod(found[2]), static_cast<double>(first), 2000) << "the marker";
  const double shown =
      1000 * std::pow(2.0, std::stod(found[1])) / 200;  // ps in a window of 1000 pixels
  ASSERT_TRUE(std::regex_search(text, found, std::regex("\n\\[timestart\\] ([0-9]+)\n")));
  EXPECT_LT(std::stod(found[1]), static_cast<double>(first));
  EXPECT_GT(std::stod(found[1]) + shown, static_cast<double>(first) + 100'000);
}

TEST_F(Waves, AWindowBehindTheFirstRequestOpensAtItsBegin) {
  record({"--waves-from-us", "10"});
  const std::string text = read_text(dir_ / "w.gtkw");
  EXPECT_NE(text.find("*-16.000000 10000000\n"), std::string::npos) << text.substr(0, 300);
}

TEST_F(Waves, AnFstThatWasCutIsNotWhole) {
  record({"--waves-to-us", "1"});
  const std::string bytes = read_text(dir_ / "w.fst");
  EXPECT_TRUE(is_whole_fst((dir_ / "w.fst").string()));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{330}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_FALSE(is_whole_fst(write("cut.fst", bytes.substr(0, size)).string())) << size;
  }
  EXPECT_FALSE(is_whole_fst(write("text.fst", "no FST at all, but some text\n").string()));
  EXPECT_FALSE(is_whole_fst((dir_ / "nowhere.fst").string()));
}

// Values and names of the enumerations, as the RTL has them.
TEST_F(Waves, StatesHaveTheNamesOfTheRtl) {
  std::string rtl;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(CXLGPU_SOURCE_DIR) / "rtl")) {
    if (entry.path().extension() == ".sv") rtl += read_text(entry.path());
  }
  rtl = std::regex_replace(rtl, std::regex("//[^\n]*"), "");
  std::map<std::string, std::map<unsigned, std::string>> types;
  const std::regex definition("typedef enum logic *\\[[0-9]+:0\\] *\\{([^}]*)\\} *(\\w+) *;");
  for (std::sregex_iterator it(rtl.begin(), rtl.end(), definition), end; it != end; ++it) {
    const std::string body = (*it)[1];
    unsigned next = 0;
    const std::regex member("(\\w+)( *= *[0-9]+'([hdb])([0-9A-Fa-f]+))?");
    for (std::sregex_iterator m(body.begin(), body.end(), member); m != end; ++m) {
      const std::string base = (*m)[3];
      if ((*m)[2].matched) {
        next = static_cast<unsigned>(std::stoul((*m)[4], nullptr,
                                                base == "h"   ? 16
                                                : base == "b" ? 2
                                                              : 10));
      }
      types[(*it)[2]][next++] = (*m)[1];
    }
  }
  record({"--waves-to-us", "1"});
  const std::string save = read_text(dir_ / "w.gtkw");
  for (const StateNames& names : wave_states()) {
    const std::string type(names.type);
    ASSERT_TRUE(types.contains(type)) << type;
    std::map<unsigned, std::string> ours;
    for (const auto& [number, name] : names.states) ours[number] = name;
    EXPECT_EQ(ours, types.at(type)) << type;
    const fs::path file = dir_ / "w.states" / (type + ".txt");
    EXPECT_EQ(lines_of(read_text(file)).size(), ours.size()) << file;
    EXPECT_NE(save.find(" " + file.string() + "\n"), std::string::npos) << file;
    // Surfer's, whose first line is the name of the format.
    const std::vector<std::string> mapping =
        lines_of(read_text(dir_ / "w.states/.surfer/mappings" / (type + ".txt")));
    ASSERT_EQ(mapping.size(), ours.size() + 2) << type;
    EXPECT_EQ(mapping[0], "Name = " + type);
    EXPECT_EQ(mapping[1], "Bits = " + std::to_string(std::bit_width(ours.rbegin()->first)));
    for (const auto& [number, name] : ours) {
      EXPECT_EQ(mapping[number + 2], std::to_string(number) + " " + name);
    }
  }
  for (const WaveGroup& group : wave_groups(kDefaultRtl)) {
    for (const WaveTrace& trace : group.traces) {
      const auto named = std::ranges::any_of(
          wave_states(), [&](const StateNames& names) { return names.type == trace.states; });
      EXPECT_TRUE(trace.states.empty() || trace.states == kOfTheDump || trace.states == kText ||
                  named)
          << trace.name;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
