// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// An endpoint of the event-driven model: receive queues to media and back.
//
// Purpose: composes HDM decoder, internal DRAM (tags, MSHRs), DevLoad and the transaction table
//          with the cycle costs of docs/blocks/endpoint/endpoint.md, stages E1..E4. tick(now) is
//          one clock cycle.
// Units:   picoseconds on clock edges.
// Errors:  a request the HDM decoder does not map is answered as CXL 2.0 asks: reads all ones,
//          writes completed, MemSpecRd dropped.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "common/media_port.hpp"
#include "common/ring_queue.hpp"
#include "common/rtl_sizes.hpp"
#include "common/trace_event.hpp"
#include "model/io_path.hpp"
#include "model/link.hpp"
#include "refmodel/endpoint/dev_load.hpp"
#include "refmodel/endpoint/dram_cache.hpp"
#include "refmodel/endpoint/endpoint_regs.hpp"
#include "refmodel/endpoint/range_decoder.hpp"
#include "refmodel/host_bridge/hdm_decoder.hpp"

namespace cxlgpu {

class EndpointModel : public EndpointRegisters {
 public:
  struct Parts {
    LinkDirection& m2s;
    LinkDirection& s2m;
    Media& media;
    TraceSink* sink;  // may be null
  };
  // Of the internal DRAM. `line_bytes`: a power of two from 64 up. A miss fills a whole line, and
  // what of a MemSpecRd falls into one line is looked up once.
  struct Sizes {
    unsigned mshrs = kDefaultRtl.mshrs;
    std::uint32_t line_bytes = kDefaultRtl.line_bytes;
  };
  EndpointModel(unsigned port, const Parts& parts, const Sizes& sizes);
  EndpointModel(unsigned port, const Parts& parts) : EndpointModel(port, parts, Sizes{}) {}

  // HDM decoder structure at 000h, vendor block at 800h.
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void use_config(const ConfigSpace::Out& config) override;
  void reset_decoders() override { decoder_ = HdmDecoder(HdmDecoder::Role::Device); }

  void tick(Time now);
  // The link falls, or is trained again: docs/blocks/endpoint/endpoint.md, "Link sessions". What is
  // not yet in E1 is lost with the link.
  void set_link(bool up, Time now) {
    link_up_ = up;
    if (!up) between_ = true;
    wake(now);
  }
  // The registers of DevLoad over the cycles since the last tick and before `now`, in which nothing
  // moved here. Call before a register is accessed at `now`.
  void catch_up(Time now);
  [[nodiscard]] Time next_event() const { return next_; }
  void wake(Time at) {
    if (at < next_) next_ = at;
  }

 private:
  static constexpr unsigned kEntries = 32;
  static constexpr unsigned kCommandDepth = 4;
  static constexpr unsigned kSpecDepth = 128;
  static constexpr unsigned kMaxSetsLog2 = 10, kWays = 8;

  struct Stored {  // data of a write as they came, of a read as the media have them
    std::uint64_t byte_enable = 0;
    bool poison = false;
    Line data{};
  };
  struct Demand {  // the E1 register
    enum class Kind : std::uint8_t { None, Access, Answer } kind = Kind::None;
    bool is_read = false;
    std::uint16_t tag = 0;
    std::uint32_t id = 0;    // for traces
    std::uint64_t line = 0;  // DPA; HPA on a decode miss
  };
  struct Entry {  // of the transaction table
    bool is_read = false;
    std::uint16_t tag = 0;
    std::uint8_t mshr = 0;
    std::uint32_t slot = 0;
    std::uint32_t id = 0;    // for traces
    std::uint64_t line = 0;  // DPA
  };
  struct Command {
    MediaOp op = MediaOp::Read;
    std::uint8_t id = 0;  // entry; MSHR of a Fill or WriteBack
    std::uint32_t slot = 0;
    std::uint64_t line = 0;  // DPA
    bool partial = false;
  };
  struct SpecRun {
    std::uint64_t block = 0;  // DPA
    unsigned count = 0;
  };
  // Of load, by LoadSource; eight bits hold each.
  using Measures = std::array<std::uint8_t, kLoadSources>;
  enum class Choice : std::uint8_t { None, Rwd, Req, Spec };  // what E1 is to take next
  enum class Offer : std::uint8_t { None, Media, Local };     // what the controller is offered

  [[nodiscard]] bool wants_lookup() const {
    return demand_.kind == Demand::Kind::Access && used_ != ~std::uint32_t{0};
  }
  [[nodiscard]] bool may_look_up_spec() const {
    return !specs_.empty() && cache_.mshr_used() + spec_reserve_ <= mshrs_;
  }
  void push(Time now);  // E2
  // An open line is to be filled, though no load asks for it.
  [[nodiscard]] bool fills_behind() const {
    const unsigned open = cache_.open_count();
    return cache_on_ && open != 0 && (open > open_max_ || blocked_);
  }
  void push_access(unsigned index, bool opens = false);
  void push_fill(const LookupOutcome& start, std::uint64_t block);
  void push_behind();
  void take_entry(const LookupOutcome& found, LookupResult result, Time now);
  void push_miss(const LookupOutcome& miss, std::uint64_t block);
  void look_up_demand(Time now);
  void look_up_spec(Time now);
  // The mark of a command for the media: every write to what persists has it, and nothing else.
  [[nodiscard]] Durable durability(const MediaCommand& command) const {
    const bool writes = command.op == MediaOp::Write || command.op == MediaOp::ArrayWrite;
    return writes && command.dpa >= persistent_from_ ? durable_ : Durable::Off;
  }
  void issue(Time now);    // E3
  void respond(Time now);  // E4
  void take_answer(Time now);
  void send(Time now);
  [[nodiscard]] Choice choose(Time now) const;
  void accept(Time now, bool specs_full);  // E1
  void run_ahead(Time now);
  void accept_spec(const LinkMessage& message, Time now, bool specs_full);
  [[nodiscard]] bool has_work(Time next) const;
  void look_at_media();
  void plan(Time now);
  [[nodiscard]] std::uint8_t mshrs_that_count() const {
    return static_cast<std::uint8_t>(std::min(cache_.mshr_used() - cache_.open_count(), 255u));
  }
  [[nodiscard]] Measures measure(Time at);
  // All levels are light, and from the last tick up to `now` no measure can have reached a
  // threshold: the levels stay, whatever the measures are.
  [[nodiscard]] bool stays_light(Time now) const;
  [[nodiscard]] std::uint64_t since_clocked(Time now) const {  // cycles in between
    return now > clocked_ + kCycle ? (now - clocked_).ps / kCycle.ps - 1 : 0;
  }
  void clock_levels(const Measures& now);
  void clock_levels_before(Time now);
  void use_thresholds();
  void raise(Time at, Stage stage, std::uint32_t id, std::uint64_t line, std::uint32_t info) const;
  void raise_spec(Time at, Stage stage, std::uint64_t line) const;

  const unsigned port_;
  Parts parts_;
  const unsigned mshrs_, spec_reserve_ = mshrs_ / 8;  // that MemSpecRd leave to demands
  // A line of the internal DRAM, here a block, has 2^block_log2_ lines of 64 B. It is what
  // DramCache calls a granule.
  const unsigned block_log2_;
  [[nodiscard]] std::uint64_t block_of(std::uint64_t line) const { return line >> block_log2_; }
  [[nodiscard]] std::uint64_t first_line(std::uint64_t block) const { return block << block_log2_; }
  // DPA of a line that this device decodes.
  [[nodiscard]] std::optional<std::uint64_t> decode(std::uint64_t line) const;
  HdmDecoder decoder_{HdmDecoder::Role::Device};
  RangeDecoder ranges_;
  RangeDecoder::In memory_;  // what configuration space says of it
  EndpointRegs registers_;
  DramCache cache_;
  bool cache_on_ = false, length_enabled_ = false;
  unsigned open_max_ = 0;              // lines that may be open; 0: stores wait for fills
  std::uint64_t persistent_from_ = 0;  // DPA
  Durable durable_ = Durable::Off;     // when writes from there on are answered
  LoadSettings load_;

  Demand demand_;
  bool rwd_first_ = true;
  RingQueue<SpecRun, kSpecDepth> specs_;

  bool blocked_ = false;   // the demand found no MSHR or way, and none has come free since, as far
                           // as is known
  bool fill_due_ = false;  // the WriteBack of a miss is pushed, its Fill is not
  Command fill_;
  bool open_due_ = false;  // the WriteBack of an OPEN is pushed, its ArrayWrite is not
  LookupOutcome opened_;
  RingQueue<Command, kCommandDepth> commands_;
  Time issue_from_{0};  // the cycle of the oldest, if it was pushed ahead

  std::array<Entry, kEntries> entries_{};
  Stored demand_data_;  // of a write
  std::array<Stored, kEntries> data_{};
  bool link_up_ = true;
  bool between_ = false;     // two sessions: nothing is taken, answers go nowhere
  std::uint32_t used_ = 0;   // bit i: entry i
  std::uint32_t ready_ = 0;  // those whose MSHR is filled
  std::array<std::uint32_t, DramCache::kMaxMshrs> waiting_{};  // those that wait for an MSHR's Fill

  Offer offer_ = Offer::None;  // Media or Local: not taken yet
  DevLoad offered_load_ = DevLoad::Light;
  bool answered_ = false;  // a data command's answer stands on the media port
  bool poison_ = false;
  std::uint8_t answer_entry_ = 0;
  MediaOp answer_op_ = MediaOp::Read;

  DevLoadMeter meter_;
  Measures light_below_{};            // a measure that is less leaves a light level light
  std::uint32_t commands_light_ = 0;  // with fewer on the media their measures are less
  std::uint32_t under_way_ = 0;       // commands not answered
  MediaStatus status_;                // what the media told
  Time status_until_{0};              // that holds before then
  std::optional<Measures> measured_;  // what its levels were last clocked with, as set now
  Time clocked_{0};                   // the last cycle that the meter has seen

  MediaCommand media_command_;  // kept: clearing 64 B that only writes fill would cost more than
                                // all the rest of it
  bool media_moved_ = false;
  Time media_next_ = Time::never();  // first cycle in which the media may have an answer or room
  Time next_ = Time::never();
};

}  // namespace cxlgpu
