// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The memory client of the strict host: CXL.mem requests to a Type 3 HDM-H device, and a memory of
// its own to compare with. It makes every request that S20 3.3 and appendix B allow a host to such
// a device.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "host.hpp"
#include "line_history.hpp"
#include "messages.hpp"
#include "violations.hpp"
#include "wire.hpp"

namespace peer {

class Traffic {
 public:
  Traffic(const HostKnobs& knobs, Wire& wire, Violations& violations, HostCounts& counts);

  void begin(uint64_t window_base, uint64_t window_size);
  void link_down();
  void cycle(bool may_send);
  bool all_sent() const { return sent_ >= knobs_.requests; }
  bool idle() const { return open_count_ == 0 && releases_.empty(); }
  uint64_t sent() const { return sent_; }

  // A message outside the traffic, legal or not; what comes for its tag is noted, not checked.
  struct Loose {
    uint16_t tag = 0;
    unsigned ndrs = 0, drss = 0;
    MemDrs last_drs;
    MemNdr last_ndr;
  };
  uint16_t send_loose(MemReq req);
  uint16_t send_loose(MemRwd rwd);
  uint16_t expect_loose();  // a tag for a message that travels in another way
  const Loose& loose(uint16_t tag) const { return loose_.at(tag); }
  uint64_t window_line(uint64_t n) const { return lines_[n % lines_.size()].address; }
  uint64_t address_outside() const { return base_ + size_ + 0x4000; }
  // No request leaves for this line; `wait` until nothing is open for it. For probes of its own
  // data.
  bool quiet(uint64_t line) const { return lines_[line].reads == 0 && lines_[line].writes == 0; }
  void hold(bool held) { held_ = held; }
  const std::array<uint8_t, 64>& bytes_of(uint64_t line) const { return lines_[line].data; }
  uint64_t known_of(uint64_t line) const { return lines_[line].known; }
  bool poisoned(uint64_t line) const { return lines_[line].poison == Poison::Yes; }

 private:
  enum class Poison : uint8_t { No, Yes, Unknown };
  enum class Op : uint8_t { Rd, RdData, Wr, WrPtl, Inv, InvNt, SpecRd };
  struct MemLine {
    uint64_t address = 0;
    std::array<uint8_t, 64> data{};
    uint64_t known = 0;  // bit n: byte n is known
    Poison poison = Poison::Unknown;
    std::optional<uint8_t> meta;  // the last state written, if the device keeps any
    unsigned reads = 0;
    unsigned writes = 0;  // and what changes metadata
    LineHistory history;  // with conflicts; all above it but the counts is then not used
  };
  struct Open {
    bool busy = false;
    Op op = Op::Rd;
    uint32_t line = 0;
    uint8_t meta_field = 0, meta_value = 0;
    bool poison = false;
    uint64_t byte_enable = 0;
    std::array<uint8_t, 64> data{};
    bool half = false;   // the lower half has come
    uint64_t since = 0;  // its place in the order of events
  };

  bool conflicts() const { return knobs_.conflict_rate != 0; }
  bool with_burst();
  void place_lines(uint64_t total);
  void place_strides(uint64_t total);
  uint32_t choose_line();
  void generate();
  void speculate(const MemLine& line);
  void send_read(const MemReq& req, const MemLine& line);
  void make(Op op, MemLine& line, uint32_t index);
  uint16_t new_tag();
  Op choose_op();
  uint8_t state_value();
  void take_ndr(const MemNdr& ndr);
  void take_drs(const MemDrs& drs);
  void check_read(Open& open, const MemDrs& drs, unsigned first, unsigned bytes);
  void check_overlapped(Open& open, const MemDrs& drs, unsigned first, unsigned bytes);
  void check_meta(const Open& open, uint8_t field, uint8_t value);
  void finish(uint16_t tag);
  void release(MessageKind kind);
  bool chance(uint32_t rate) { return rate != 0 && (random_() & 0xffff) < rate; }

  HostKnobs knobs_;
  Wire& wire_;
  Violations& violations_;
  HostCounts& counts_;
  std::mt19937_64 random_;
  uint64_t base_ = 0, size_ = 0;
  std::vector<MemLine> lines_;
  std::vector<Open> open_;  // by tag
  std::unordered_map<uint16_t, Loose> loose_;
  std::optional<uint16_t> half_tag_;
  unsigned open_count_ = 0;
  uint64_t sent_ = 0;
  uint64_t now_ = 0;
  uint64_t events_ = 0;          // requests made and answers taken
  std::vector<uint16_t> freed_;  // tags, the last at the end
  std::deque<uint32_t> recent_;  // the last lines
  enum class Burst : uint8_t { Mixed, Reads, Writes, PartialWrites };
  Burst burst_ = Burst::Mixed;
  uint32_t burst_left_ = 0;
  uint64_t group_ = 0;  // of strides, which requests are made of now
  bool held_ = false;
  struct Release {
    uint64_t due;
    MessageKind kind;
  };
  std::deque<Release> releases_;
};

}  // namespace peer
