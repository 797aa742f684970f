// A root port of the event-driven model: queue logic between the host bridge and the controller.
//
// Purpose: composes the root port's rule classes (SR queue, reader, ring buffer, window, load
//          control, memory queue) with the cycle costs of docs/blocks.md. tick(now) is one clock
//          cycle; next_event() tells when the next one can change anything, so idle time is free.
// Units:   picoseconds on clock edges.
// Errors:  offer() only when can_take().
#pragma once

#include <optional>

#include "refmodel/common/request.hpp"
#include "refmodel/common/trace_event.hpp"
#include "refmodel/controller/link_direction.hpp"
#include "refmodel/root_port/load_control.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/ring_buffer.hpp"
#include "refmodel/root_port/sr_queue.hpp"
#include "refmodel/root_port/sr_reader.hpp"
#include "refmodel/system/transaction_store.hpp"

namespace cxlgpu {

class RootPort {
 public:
  struct Parts {
    LinkDirection& m2s;
    LinkDirection& s2m;
    TransactionStore& store;
    TraceSink* sink;  // may be null
  };
  RootPort(unsigned port, const Parts& parts, unsigned drop_spec_every);

  // Vendor registers, by their offset in the port's page.
  void write_register(std::uint32_t offset, std::uint32_t value);

  [[nodiscard]] bool can_take() const { return !incoming_ && !queue_.full(); }
  void offer(const MemRequest& request, Time now);  // visible in the SR queue next cycle

  // The response register, visible from the cycle after the response was taken.
  [[nodiscard]] const MemResponse* response(Time now) const {
    return response_ && response_at_ <= now ? &*response_ : nullptr;
  }
  void take_response() { response_.reset(); }
  [[nodiscard]] bool responding() const { return response_.has_value(); }

  void tick(Time now);
  [[nodiscard]] Time next_event() const { return next_; }
  void wake(Time at) {
    if (at < next_) next_ = at;
  }
  [[nodiscard]] const SrCounters& sr_counters() const { return reader_.counters(); }

 private:
  void issue(Time now);
  bool read_ahead(bool spec_room);  // true if a MemSpecRd took this cycle's allocation
  void dispatch(Time now);
  void respond(Time now);
  [[nodiscard]] bool can_move() const;
  void plan(Time now);
  void raise(Time now, Stage stage, std::uint32_t id, std::uint64_t line, std::uint32_t info) const;

  const unsigned port_;
  Parts parts_;
  const unsigned drop_spec_every_;
  std::uint64_t specs_sent_ = 0;
  SrPolicy policy_ = SrPolicy::Off;
  unsigned clip_log2_ = 15;
  bool length_enabled_ = false;

  SrQueue queue_;
  SrReader reader_;
  RingBuffer ring_;
  LoadControl load_control_;
  MemoryQueue memory_;
  std::optional<MemRequest> incoming_;
  std::optional<MemResponse> response_;
  Time response_at_{0};
  Time next_ = Time::never();
};

}  // namespace cxlgpu
