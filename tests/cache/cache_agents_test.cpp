// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A device's cache agent and its host over two controllers and a link: every D2H request and every
// snoop, what the user gets, what memory holds, and which messages the wire carried for it.
//
// Purpose: Sequences: one transaction at a time against a model written from the request table,
//          errors and refusals included. Races: snoops at any time; every value read must be one
//          that the line had. The protocol checker follows both wires.
// Units:   cycles; line addresses are address[51:6].
// Errors:  GoogleTest failures that name seed and cycle.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "Vcache_agents.h"
#include "flits/link_checker.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

enum Op : unsigned {
  kLocal = 0,
  kRdCurr = 1,
  kRdOwn,
  kRdShared,
  kRdAny,
  kRdOwnNoData,
  kItoMWr,
  kWrCur,
  kCLFlush,
  kCleanEvict,
  kDirtyEvict,
  kCleanEvictNoData,
  kWOWrInv,
  kWOWrInvF,
  kWrInv,
  kCacheFlushed = 16
};
enum State : unsigned { kI, kS, kE, kM };
constexpr unsigned kMemoryLines = 16, kAgentLines = 4;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

struct Command {
  unsigned op = 0;
  std::uint64_t line = 0;
  LineBytes data{};
  std::uint64_t enables = kAll;
};
struct Policy {
  bool drop = false, any_shared = false, own_modified = false, data_first = false, error = false;
};
struct Done {
  unsigned err = 0, state = 0;
  LineBytes data{};
};
struct Snoop {
  unsigned op = 1;
  std::uint64_t line = 0;
};
struct SnoopDone {
  unsigned rsp = 0;
  LineBytes data{};
};

LineBytes merge(const LineBytes& old, const LineBytes& data, std::uint64_t enables) {
  LineBytes line = old;
  for (unsigned b = 0; b < 64; ++b) {
    if ((enables >> b & 1) != 0) line[b] = data[b];
  }
  return line;
}
constexpr LineBytes ones() {
  LineBytes line{};
  for (auto& byte : line) byte = 0xFF;
  return line;
}

class Bench {
 public:
  explicit Bench(std::uint64_t seed, unsigned stall, unsigned error_ppm)
      : random(seed), stall_(stall), error_ppm_(error_ppm), checker_(options()) {
    checker_.set_listener([this](std::uint64_t, flits::Direction, const flits::Item& item) {
      wire.push_back(text(item));
    });
    rtl_.reset();
  }

  Random random;
  Policy policy;
  std::optional<Command> command;  // offered until taken
  std::optional<Snoop> snoop;
  std::optional<Done> done;  // of the last cycle
  std::optional<SnoopDone> snoop_done;
  std::vector<std::string> wire;

  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = "cycle " + std::to_string(cycle_) + ": " + what;
  }
  LineBytes random_line() {
    LineBytes line{};
    for (auto& byte : line) byte = static_cast<std::uint8_t>(random.bits(8));
    return line;
  }

  void step() {
    drive();
    rtl_.settle();
    Vcache_agents& v = *rtl_;
    done.reset();
    snoop_done.reset();
    if (v.done_valid_o) done = Done{v.done_err_o, v.done_state_o, get_line(v.done_data_o)};
    if (v.snp_done_o) snoop_done = SnoopDone{v.snp_rsp_o, get_line(v.snp_data_o)};
    if (v.agent_err_o || v.host_err_o) fail("an agent calls a message unexpected");
    if (command && v.cmd_ready_o) command.reset();
    if (snoop && v.snp_ready_o) snoop.reset();
    for (unsigned end = 0; end < 2; ++end) launch(end);
    rtl_.edge();
    ++cycle_;
  }

 private:
  static constexpr unsigned kFlitBits = 528;
  struct Flying {
    std::uint64_t arrives;
    flits::Flit flit;
  };

  static flits::LinkCheckerOptions options() {
    flits::LinkCheckerOptions o;
    o.cache = true;
    return o;
  }
  static std::string text(const flits::Item& item) {
    const auto word = [](unsigned code) { return std::to_string(code); };
    if (const auto* m = std::get_if<flits::D2hReq>(&item.message)) {
      return "req " + word(static_cast<unsigned>(m->opcode));
    }
    if (const auto* m = std::get_if<flits::H2dReq>(&item.message)) {
      return "snoop " + word(static_cast<unsigned>(m->opcode));
    }
    if (const auto* m = std::get_if<flits::D2hRsp>(&item.message)) {
      return "answer " + word(static_cast<unsigned>(m->opcode));
    }
    if (const auto* m = std::get_if<flits::H2dRsp>(&item.message)) {
      const bool go = m->opcode == flits::H2dRspOpcode::Go;
      return "rsp " + word(static_cast<unsigned>(m->opcode)) + (go ? " " + word(m->rsp_data) : "");
    }
    if (const auto* m = std::get_if<flits::H2dDh>(&item.message)) {
      return m->go_err ? "data err" : "data";
    }
    if (const auto* m = std::get_if<flits::D2hDh>(&item.message)) {
      return m->bogus ? "write bogus" : "write";
    }
    return "mem";
  }

  void drive() {
    Vcache_agents& v = *rtl_;
    v.cmd_valid_i = command.has_value();
    if (command) {
      v.cmd_op_i = static_cast<std::uint8_t>(command->op);
      v.cmd_addr_i = command->line;
      set_line(v.cmd_data_i, 0, command->data);
      v.cmd_be_i = command->enables;
    }
    v.snp_valid_i = snoop.has_value();
    if (snoop) {
      v.snp_op_i = static_cast<std::uint8_t>(snoop->op);
      v.snp_addr_i = snoop->line;
    }
    v.drop_i = policy.drop;
    v.any_shared_i = policy.any_shared;
    v.own_modified_i = policy.own_modified;
    v.data_first_i = policy.data_first;
    v.error_i = policy.error;
    for (unsigned end = 0; end < 2; ++end) {
      set_bits(v.link_tx_ready_i, end, 1, random.percent(stall_) ? 0 : 1);
      auto& in = wires_[1 - end];
      const bool arrives = !in.empty() && in.front().arrives <= cycle_;
      set_bits(v.link_rx_valid_i, end, 1, arrives ? 1 : 0);
      if (!arrives) continue;
      const flits::Flit& flit = in.front().flit;
      for (unsigned i = 0; i < 8; ++i) {
        std::uint64_t word;
        std::memcpy(&word, &flit.bytes[2 + 8 * i], 8);
        set_bits(v.link_rx_flit_i, kFlitBits * end + 64 * i, 64, word);
      }
      set_bits(v.link_rx_flit_i, kFlitBits * end + 512, 16, flit.crc());
      const auto d = end == 1 ? flits::Direction::M2S : flits::Direction::S2M;
      checker_.on_flit(1000 * cycle_, d, flit);
      if (checker_.finding_count() != 0) {
        const auto& f = checker_.findings().front();
        fail(std::string(flits::name(f.rule)) + ": " + f.text);
      }
      in.pop_front();
    }
  }

  void launch(unsigned end) {
    const Vcache_agents& v = *rtl_;
    if (!get_bits(v.link_tx_valid_o, end, 1) || !get_bits(v.link_tx_ready_i, end, 1)) return;
    Flying f{cycle_ + 4, {}};
    f.flit.set_protocol_id(flits::ProtocolId::CacheMem);
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t word = get_bits(v.link_tx_flit_o, kFlitBits * end + 64 * i, 64);
      std::memcpy(&f.flit.bytes[2 + 8 * i], &word, 8);
    }
    const auto crc = get_bits(v.link_tx_flit_o, kFlitBits * end + 512, 16);
    f.flit.bytes[66] = static_cast<std::uint8_t>(crc);
    f.flit.bytes[67] = static_cast<std::uint8_t>(crc >> 8);
    if (random.below(1000000) < error_ppm_) {
      const auto bit = random.below(528);
      f.flit.bytes[2 + bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
    wires_[end].push_back(f);
  }

  unsigned stall_, error_ppm_;
  flits::LinkChecker checker_;
  Clocked<Vcache_agents> rtl_;
  std::array<std::deque<Flying>, 2> wires_;
  std::uint64_t cycle_ = 0;
  std::string problem_;
};

// What one transaction at a time does, from the tables of requests and snoops.
class Model {
 public:
  struct Outcome {
    Done done;
    std::vector<std::string> wire;
  };

  Outcome run(const Command& c, const Policy& p) {
    Entry& e = entries_[c.line % kAgentLines];
    const bool hit = e.state != kI && e.line == c.line;
    const bool room = hit || e.state == kI;
    const unsigned state = hit ? e.state : kI;
    const bool full = c.enables == kAll;
    const Outcome refused{{2, 0, {}}, {}};
    if (c.op == kLocal) {
      if (!hit || (c.enables != 0 && state == kS)) return refused;
      Outcome o{{0, c.enables != 0 ? kM : state, e.data}, {}};
      e.data = merge(e.data, c.data, c.enables);
      e.state = o.done.state;
      return o;
    }
    const bool clean = state == kS || state == kE;
    const bool empty = std::all_of(entries_.begin(), entries_.end(),
                                   [](const Entry& any) { return any.state == kI; });
    const std::map<unsigned, bool> fits{{kRdCurr, !hit},
                                        {kRdOwn, room && state <= kS},
                                        {kRdShared, room && !hit},
                                        {kRdAny, room && !hit},
                                        {kRdOwnNoData, room && state <= kS},
                                        {kItoMWr, !hit && full},
                                        {kWrCur, !hit && full},
                                        {kCLFlush, state != kM},
                                        {kCleanEvict, clean},
                                        {kDirtyEvict, state == kM},
                                        {kCleanEvictNoData, clean},
                                        {kWOWrInv, !hit},
                                        {kWOWrInvF, !hit && full},
                                        {kWrInv, !hit},
                                        {kCacheFlushed, empty}};
    const auto it = fits.find(c.op);
    if (it == fits.end() || !it->second) return refused;

    const bool bad = p.error || c.line >= kMemoryLines;
    Outcome o;
    o.wire.push_back("req " + std::to_string(c.op));
    LineBytes& cell = memory_[c.line % kMemoryLines];
    const auto go = [&](unsigned code) { o.wire.push_back("rsp 4 " + std::to_string(code)); };
    const auto read = [&](unsigned code, unsigned granted) {
      if (c.op != kRdCurr) go(bad ? 4 : code);
      o.wire.emplace_back(bad ? "data err" : "data");
      if (bad) {
        o.done.err = 1;
        if (hit) e.state = kI;
        return;
      }
      o.done.data = cell;
      if (granted != kI) e = {granted, c.line, cell};
    };
    const auto pull = [&](unsigned rsp, const LineBytes& data, std::uint64_t enables) {
      o.wire.push_back("rsp " + std::to_string(bad && c.op != kWrInv ? 15 : rsp));
      o.wire.emplace_back("write");
      if (bad) {
        o.done.err = 1;
      } else {
        cell = merge(cell, data, enables);
      }
    };
    switch (c.op) {
      case kRdCurr:
        read(0, kI);
        break;
      case kRdOwn:
        p.own_modified ? read(6, kM) : read(2, kE);
        break;
      case kRdShared:
        read(1, kS);
        break;
      case kRdAny:
        p.any_shared ? read(1, kS) : read(2, kE);
        break;
      case kRdOwnNoData:
        go(bad ? 4 : 2);
        o.done.err = bad;
        if (!bad) {
          e = {kM, c.line, c.data};
        } else if (hit) {
          e.state = kI;
        }
        break;
      case kItoMWr:
      case kWrCur:
        pull(5, c.data, kAll);
        break;
      case kDirtyEvict:
        pull(5, e.data, kAll);
        e.state = kI;
        break;
      case kCleanEvict:
        if (bad || p.drop) {
          o.wire.emplace_back("rsp 8");
        } else {
          pull(5, e.data, kAll);
        }
        e.state = kI;
        break;
      case kWOWrInv:
      case kWOWrInvF:
        pull(13, c.data, c.enables);
        if (!bad) o.wire.emplace_back("rsp 6");
        break;
      case kWrInv:
        pull(1, c.data, c.enables);
        go(bad ? 4 : 3);
        break;
      case kCLFlush:
        go(bad ? 4 : 3);
        o.done.err = bad;
        if (hit) e.state = kI;
        break;
      default:  // CleanEvictNoData, CacheFlushed
        go(3);
        if (hit) e.state = kI;
    }
    o.done.state = e.state != kI && e.line == c.line ? e.state : kI;
    return o;
  }

  SnoopDone run(const Snoop& s, std::vector<std::string>& wire) {
    Entry& e = entries_[s.line % kAgentLines];
    const unsigned state = e.line == s.line ? e.state : kI;
    const unsigned after = s.op == 1 ? kS : s.op == 2 ? kI : state;
    SnoopDone o;
    static constexpr std::array<unsigned, 4> kClean{0, 1, 5, 6}, kDirty{0, 7, 15, 22};
    o.rsp = state == kI ? 4 : state == kM ? kDirty[s.op] : kClean[s.op];
    wire = {"snoop " + std::to_string(s.op), "answer " + std::to_string(o.rsp)};
    if (state == kM) {
      wire.emplace_back("write");
      o.data = e.data;
      if (s.op != 3 && s.line < kMemoryLines) memory_[s.line] = e.data;
    }
    if (state != kI) e.state = after;
    return o;
  }

 private:
  struct Entry {
    unsigned state = kI;
    std::uint64_t line = 0;
    LineBytes data{};
  };
  std::array<Entry, kAgentLines> entries_{};
  std::array<LineBytes, kMemoryLines> memory_{};
};

// Which requests keep their lines apart: Rsp and Data of a read come in either order.
void sort_tail(std::vector<std::string>& wire) {
  if (wire.size() > 1) std::sort(wire.begin() + 1, wire.end());
}
bool unordered(const std::vector<std::string>& wire) {
  return !wire.empty() && (wire[0] == "req 2" || wire[0] == "req 3" || wire[0] == "req 4" ||
                           wire[0].starts_with("snoop"));
}
std::string join(const std::vector<std::string>& wire) {
  std::string text;
  for (const auto& word : wire) text += word + ", ";
  return text;
}

Command random_command(Bench& b, bool inside) {
  Command c;
  // Five of eight commands are those that bring lines into the agent or change them there.
  static constexpr std::array<unsigned, 24> kOps{0, 0, 0, 0, 1,  2,  2,  3,  4,  5,  5,  6,
                                                 7, 8, 9, 9, 10, 10, 11, 12, 13, 14, 16, 10};
  c.op = b.random.pick(kOps);
  if (b.random.percent(2)) c.op = static_cast<unsigned>(b.random.bits(5));
  c.line = b.random.percent(60) ? b.random.below(6) : b.random.below(inside ? 16 : 20);
  c.data = b.random_line();
  c.enables = b.random.percent(60) ? kAll : b.random.percent(30) ? 0 : b.random.bits(64);
  return c;
}

// ---- one transaction at a time -----------------------------------------------------------------

struct Coverage {
  std::map<std::string, unsigned> outcomes;  // op and err
  std::set<std::string> words;               // on the wire
};

void sequences(std::uint64_t own_seed, unsigned count, unsigned stall, unsigned error_ppm,
               Coverage& seen) {
  const std::uint64_t seed = from_environment("CXLGPU_SEED", own_seed);
  Bench b(seed, stall, error_ppm);
  Model model;
  for (unsigned i = 0; i < 400; ++i) b.step();  // initialisation
  unsigned flush = 0;                           // steps left of: every line away, then CacheFlushed
  for (unsigned n = 0; n < count; ++n) {
    if (flush == 0 && b.random.percent(1)) flush = kMemoryLines + 1;
    b.wire.clear();
    std::vector<std::string> wire;
    std::string what;
    const std::uint64_t limit = b.cycle() + 20000;
    if (flush > 1 || (flush == 0 && b.random.percent(20))) {
      Snoop s{static_cast<unsigned>(1 + b.random.below(3)), b.random.below(8)};
      if (flush > 1) s = {2, flush - 2};
      what = "snoop " + std::to_string(s.op) + " of " + std::to_string(s.line);
      const SnoopDone expected = model.run(s, wire);
      b.snoop = s;
      while (!b.snoop_done && b.cycle() < limit && b.problem().empty()) b.step();
      ASSERT_TRUE(b.snoop_done) << what << " has no end; " << b.problem() << ", seed " << seed;
      ASSERT_EQ(b.snoop_done->rsp, expected.rsp) << what << ", seed " << seed;
      ASSERT_EQ(b.snoop_done->data, expected.data) << what << ", seed " << seed;
    } else {
      Command c = random_command(b, false);
      if (flush == 1) c.op = kCacheFlushed;
      b.policy = {b.random.percent(40), b.random.percent(40), b.random.percent(40),
                  b.random.percent(50), b.random.percent(10)};
      what = "op " + std::to_string(c.op) + " of " + std::to_string(c.line);
      const auto expected = model.run(c, b.policy);
      wire = expected.wire;
      b.command = c;
      while (!b.done && b.cycle() < limit && b.problem().empty()) b.step();
      ASSERT_TRUE(b.done) << what << " has no end; " << b.problem() << ", seed " << seed;
      ASSERT_EQ(b.done->err, expected.done.err) << what << ", seed " << seed;
      ASSERT_EQ(b.done->state, expected.done.state) << what << ", seed " << seed;
      ASSERT_EQ(b.done->data, expected.done.data) << what << ", seed " << seed;
      ++seen.outcomes[std::to_string(c.op) + "/" + std::to_string(b.done->err)];
    }
    if (flush != 0) --flush;
    // What the host still takes in (data of a write that the device has sent).
    for (unsigned i = 0; i < 12 || (b.wire.size() < wire.size() && i < 5000); ++i) b.step();
    ASSERT_EQ(b.problem(), "") << what << ", seed " << seed;
    seen.words.insert(b.wire.begin(), b.wire.end());
    if (unordered(wire)) {
      sort_tail(wire);
      sort_tail(b.wire);
    }
    ASSERT_EQ(join(b.wire), join(wire)) << what << ", seed " << seed;
  }
}

TEST(CacheAgents, EachRequestAndSnoop) {
  Coverage seen;
  sequences(1, 4000, 0, 0, seen);
  if (HasFatalFailure()) return;
  for (unsigned op = 0; op <= 16; ++op) {
    if (op == 15) continue;
    EXPECT_GT(seen.outcomes[std::to_string(op) + "/0"], 3u) << "op " << op;
    const bool may_fail =
        op != kLocal && op != kCleanEvict && op != kCleanEvictNoData && op != kCacheFlushed;
    if (may_fail) {
      EXPECT_GT(seen.outcomes[std::to_string(op) + "/1"], 0u) << "op " << op;
    }
  }
  for (const char* word :
       {"rsp 1",    "rsp 4 1",  "rsp 4 2",   "rsp 4 3",   "rsp 4 4",  "rsp 4 6",  "rsp 5",
        "rsp 6",    "rsp 8",    "rsp 13",    "rsp 15",    "answer 1", "answer 4", "answer 5",
        "answer 6", "answer 7", "answer 15", "answer 22", "data",     "data err", "write"}) {
    EXPECT_TRUE(seen.words.contains(word)) << word;
  }
}

TEST(CacheAgents, OverABadLink) {
  Coverage seen;
  sequences(2, 1200, 30, 3000, seen);
}

// ---- snoops at any time ------------------------------------------------------------------------

// The values each line had, the last one without an end. All of memory is 0 at first, and a snoop
// may bring that 0 after the line's first write is done: it was answered before.
class History {
 public:
  void set(std::uint64_t line, const LineBytes& value, std::uint64_t cycle) {
    of(line).push_back({cycle, value});
  }
  LineBytes now(std::uint64_t line) { return of(line).back().second; }
  bool had(std::uint64_t line, const LineBytes& value, std::uint64_t since) {
    const auto& v = of(line);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const bool gone = i + 1 < v.size() && v[i + 1].first < since;
      if (!gone && v[i].second == value) return true;
    }
    return false;
  }

 private:
  using Values = std::vector<std::pair<std::uint64_t, LineBytes>>;
  Values& of(std::uint64_t line) {
    return values_.try_emplace(line, Values{{0, LineBytes{}}}).first->second;
  }
  std::map<std::uint64_t, Values> values_;
};

TEST(CacheAgents, HistoryBeginsWithZero) {
  History history;
  const LineBytes zero{}, other = ones();
  EXPECT_TRUE(history.had(11, zero, 620));
  EXPECT_FALSE(history.had(11, other, 620));
  history.set(11, other, 642);
  EXPECT_EQ(history.now(11), other);
  EXPECT_TRUE(history.had(11, zero, 620)) << "a snoop from before the first write";
  EXPECT_TRUE(history.had(11, other, 620));
  EXPECT_FALSE(history.had(11, zero, 643)) << "a snoop from after it";
  EXPECT_TRUE(history.had(11, other, 643));
}

void races(std::uint64_t own_seed, std::uint64_t cycles, unsigned stall, unsigned error_ppm,
           unsigned snoop_percent) {
  const std::uint64_t seed = from_environment("CXLGPU_SEED", own_seed);
  Bench b(seed, stall, error_ppm);
  History history;
  std::optional<Command> running;
  std::optional<Snoop> snooping;
  std::uint64_t snoop_since = 0;
  unsigned commands = 0, snoops = 0;
  bool taken = false, pulled = false;  // the running evict's line; its write is to come
  std::set<std::string> words;
  while ((b.cycle() < cycles || running || snooping) && b.cycle() < cycles + 20000 &&
         b.problem().empty()) {
    b.policy = {b.random.percent(40), b.random.percent(40), b.random.percent(40),
                b.random.percent(50), false};
    if (!running && !pulled && b.cycle() < cycles) {
      b.command = running = random_command(b, true);
      taken = false;
    }
    if (!snooping && b.cycle() < cycles && b.random.percent(snoop_percent)) {
      // Most of them at the line that is being worked on.
      const std::uint64_t line =
          running && b.random.percent(70) ? running->line : b.random.below(6);
      b.snoop = snooping = Snoop{static_cast<unsigned>(1 + b.random.below(3)), line};
      snoop_since = b.cycle();
    }
    b.step();
    for (const std::string& word : b.wire) {
      words.insert(word);
      // The write after a GO_WritePull is the evict's: bogus if a snoop took the line before.
      if (word == "rsp 5") {
        pulled = true;
      } else if (pulled && word.starts_with("write")) {
        pulled = false;
        if ((word == "write bogus") != taken) b.fail("Bogus does not say what a snoop did");
      }
    }
    b.wire.clear();
    if (b.done) {
      const Command& c = *running;
      const LineBytes before = history.now(c.line);
      if (b.done->err == 1) b.fail("an error nobody asked for");
      if (b.done->err == 0) {
        ++commands;
        if (c.op <= kRdAny && b.done->data != before) {
          b.fail("op " + std::to_string(c.op) + " reads a value that is not the line's");
        }
        const bool writes = c.op == kItoMWr || c.op == kWrCur || c.op == kWOWrInv ||
                            c.op == kWOWrInvF || c.op == kWrInv || c.op == kLocal;
        if (c.op == kRdOwnNoData) history.set(c.line, c.data, b.cycle());
        if (writes && c.enables != 0) {
          history.set(c.line, merge(before, c.data, c.enables), b.cycle());
        }
      }
      running.reset();
    }
    if (b.snoop_done) {
      ++snoops;
      const unsigned rsp = b.snoop_done->rsp;
      if (running && running->line == snooping->line) {
        if (running->op == kDirtyEvict) taken |= rsp == 7 || rsp == 15;
        if (running->op == kCleanEvict) taken |= rsp == 5;
      }
      const bool data = rsp == 7 || rsp == 15 || rsp == 22;
      if (data && !history.had(snooping->line, b.snoop_done->data, snoop_since)) {
        b.fail("a snoop brings a value that the line did not have");
      }
      snooping.reset();
    }
  }
  ASSERT_EQ(b.problem(), "") << "seed " << seed;
  ASSERT_FALSE(running || snooping) << "no end, seed " << seed;
  EXPECT_GT(commands, cycles / 400);
  EXPECT_GT(snoops, cycles / 400);
  EXPECT_TRUE(words.contains("write bogus"));
  EXPECT_TRUE(words.contains("answer 15"));
  std::printf("%u commands, %u snoops\n", commands, snoops);
}

TEST(CacheAgents, SnoopsAtAnyTime) {
  races(3, from_environment("CXLGPU_CYCLES", 100000), 0, 0, 30);
}

TEST(CacheAgents, SnoopsOverABadLink) {
  races(4, from_environment("CXLGPU_CYCLES", 60000), 30, 2000, 100);
}

}  // namespace
}  // namespace cxlgpu::test
