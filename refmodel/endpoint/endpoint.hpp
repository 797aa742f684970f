// An endpoint of the event-driven model: receive queues to media and back.
//
// Purpose: composes HDM decoder, internal DRAM (tags, MSHRs), DevLoad and the transaction table
// with
//          the cycle costs of docs/blocks.md, stages E1..E4. tick(now) is one clock cycle.
// Units:   picoseconds on clock edges.
// Errors:  a request the HDM decoder does not map is answered as CXL 2.0 asks: reads all ones,
//          writes completed, MemSpecRd dropped.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "refmodel/common/ring_queue.hpp"
#include "refmodel/common/trace_event.hpp"
#include "refmodel/controller/link_direction.hpp"
#include "refmodel/endpoint/dev_load.hpp"
#include "refmodel/endpoint/dram_cache.hpp"
#include "refmodel/host_bridge/hdm_decoder.hpp"
#include "refmodel/media/media.hpp"
#include "refmodel/system/transaction_store.hpp"

namespace cxlgpu {

class Endpoint {
 public:
  struct Parts {
    LinkDirection& m2s;
    LinkDirection& s2m;
    TransactionStore& store;
    Media& media;
    TraceSink* sink;  // may be null
  };
  Endpoint(unsigned port, const Parts& parts);

  // HDM decoder structure at 000h, vendor block at 800h.
  void write_register(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] const HdmDecoder& decoder() const { return decoder_; }

  void tick(Time now);
  [[nodiscard]] Time next_event() const { return next_; }
  void wake(Time at) {
    if (at < next_) next_ = at;
  }

 private:
  static constexpr unsigned kEntries = 32;
  static constexpr unsigned kCommandDepth = 4;
  static constexpr unsigned kSpecDepth = 16;

  struct Entry {
    std::uint16_t tag = 0;
    bool is_write = false;
    std::uint64_t dpa_line = 0;
    std::uint8_t mshr = 0;
    std::uint32_t slot = 0;
  };
  struct Command {
    MediaOp op = MediaOp::Read;
    std::uint8_t id = 0;
    std::uint32_t slot = 0;
    std::uint64_t dpa_line = 0;
    Time visible;
  };
  struct Pending {  // E1 register
    LinkMessage message;
    bool with_data = false;
    bool mapped = false;
    std::uint64_t dpa_line = 0;
    Time visible;
  };
  struct SpecRun {
    std::uint64_t granule = 0;  // DPA
    unsigned left = 0;
  };

  void push_slot(Time now);  // E2; of the steps below, true: used this cycle's push
  bool finish_miss(Time now);
  bool wake_waiter(Time now);
  bool look_up_demand(Time now);
  void look_up_spec(Time now);
  void accept(Time now, bool was_full);  // E1
  void command(Time now);                // E3
  void respond(Time now);                // E4
  [[nodiscard]] bool send_response(const Entry& entry, Time now);
  [[nodiscard]] DevLoad measure(Time now) const;
  void fill_done(unsigned mshr);
  void push_command(const Command& command);
  void push_data_command(unsigned index, bool direct, Time now);
  [[nodiscard]] unsigned allocate_entry();
  void plan(Time now);
  void raise(Time now, Stage stage, std::uint32_t tag, std::uint64_t line,
             std::uint32_t info) const;
  void raise_spec(Time now, Stage stage, std::uint64_t granule) const;

  const unsigned port_;
  Parts parts_;
  HdmDecoder decoder_{HdmDecoder::Role::Device};
  DramCache cache_;
  bool cache_on_ = false, length_enabled_ = false;
  DevLoadThresholds thresholds_{};
  DevLoad dev_load_ = DevLoad::Light, offered_load_ = DevLoad::Light;
  Time last_tick_{0};

  std::array<Entry, kEntries> entries_{};
  std::uint32_t used_ = 0, waiting_ = 0, ready_ = 0;
  std::optional<Pending> pending_, local_answer_;
  std::optional<LookupOutcome> miss_;  // a miss whose Fill still has to be pushed
  unsigned miss_entry_ = 0;
  std::optional<LookupOutcome> spec_miss_;
  RingQueue<SpecRun, kSpecDepth> specs_;
  RingQueue<Command, 16> commands_;
  std::optional<MediaResponse> answer_;
  bool rwd_turn_ = true;
  bool progressed_ = false;
  Time next_ = Time::never();
};

}  // namespace cxlgpu
