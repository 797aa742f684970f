// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A root port of the event-driven model: queue logic between the host bridge and the controller.
//
// Purpose: composes the root port's rule classes (SR queue, reader, ring buffer, window, load
//          control, memory queue) with the cycle costs of docs/blocks/root_port. tick(now) is one
//          clock cycle; next_event() tells when the next one can change anything, so idle time is
//          free. With deterministic store off none of its parts is looked at.
// Units:   picoseconds on clock edges.
// Errors:  offer() only when can_take().
#pragma once

#include <memory>
#include <optional>

#include "common/register_types.hpp"
#include "common/request.hpp"
#include "common/rtl_sizes.hpp"
#include "common/trace_event.hpp"
#include "model/deterministic_store.hpp"
#include "model/hint_queue.hpp"
#include "model/link.hpp"
#include "model/prefetch/prefetch_reader.hpp"
#include "refmodel/root_port/load_control.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/port_registers.hpp"
#include "refmodel/root_port/ring_buffer.hpp"
#include "refmodel/root_port/sr_queue.hpp"
#include "refmodel/root_port/sr_reader.hpp"
#include "sim/gpu/ds_region.hpp"

namespace cxlgpu {

class RootPortModel {
 public:
  struct Parts {
    LinkDirection& m2s;
    LinkDirection& s2m;
    DsRegion& local;
    TraceSink* sink;  // may be null
  };
  // Those of the RTL (configs/rtl) and further; limits in sim/config/keys_port.cpp.
  struct Sizes {
    unsigned sr_queue = kDefaultRtl.sr_queue_entries;  // entries, as the next
    unsigned memory_queue = kDefaultRtl.memory_queue_entries;
    unsigned ring = kDefaultRtl.ring_entries;  // granules, as the next
    unsigned spec_cap = kDefaultRtl.spec_cap_bytes / 256;
    unsigned ds_lines = kDefaultRtl.ds_lines, ds_writes = kDefaultRtl.ds_writes;
    SrPolicy model_policy = SrPolicy::Off;  // one that no register can say; else says nothing
  };
  // `own_policy`: precondition of policy Own; else null.
  RootPortModel(unsigned port, const Parts& parts, const Sizes& sizes,
                std::unique_ptr<Prefetcher> own_policy = nullptr);

  // Vendor registers, by their offset in the port's page. Deterministic store goes on or off with
  // the access if the port is quiet, else when it is.
  void write_register(std::uint32_t offset, std::uint32_t value, Time now);
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset, Time now);

  // The link can be used or not; software has isolated the port or not. While either stands in the
  // way the port answers with errors ("Refusing" in docs/blocks/root_port/memory_queue.md).
  void set_link(bool up, Time now) {
    down_ = !up;
    wake(now);
  }
  // When the link will fall by itself, if it is known: nothing is handed over ahead of that.
  void set_fall(Time at) { falls_at_ = at; }
  void set_isolated(bool isolated, Time now) {
    isolated_ = isolated;
    wake(now);
  }
  // RP Busy.
  [[nodiscard]] bool busy() const { return memory_.busy(); }

  [[nodiscard]] bool can_take(const MemRequest& request) const {
    if (incoming_) return false;
    return on_ ? ds_.can_enter(request, !queue_.full()) : !queue_.full();
  }
  void offer(const MemRequest& request, Time now);  // visible in the SR queue next cycle

  // A granule of a hint at the port in the cycle `now`: it can be taken; is taken; or waits, which
  // closes what is open (true: something changes).
  [[nodiscard]] bool can_take_hint(std::uint64_t granule, Time now) const {
    return !regs_.hint_control.enable || hints_.can_take(granule, with_length(), now);
  }
  void offer_hint(std::uint64_t granule, Time now);
  [[nodiscard]] bool hint_blocks(Time now) const { return hints_.open(now); }
  bool hint_blocked(Time now) {
    const bool closes = hints_.blocked(now);
    if (closes) wake(now);
    return closes;
  }

  // The response register, visible from the cycle after the response was taken.
  [[nodiscard]] const MemResponse* response(Time now) const {
    if (on_) return ds_.response();
    return response_ && response_at_ <= now ? &*response_ : nullptr;
  }
  // In the cycle `now`, which is yet to come or begins.
  void take_response(Time now) {
    response_left_at_ = now;
    --under_way_;
    bool at_once = still_refuses_ || on_ != regs_.ds_control.enable || own_answers(refuses()) != 0;
    if (on_) {
      ds_.response_taken(now);
      at_once |= ds_.wants_to_answer(store_input(now));
    } else {
      response_.reset();
    }
    if (at_once) return wake(now);
    if (!on_) wake(parts_.s2m.rx_event(now));
  }
  [[nodiscard]] bool responding() const {
    return on_ ? ds_.response() != nullptr : response_.has_value();
  }

  void tick(Time now);
  [[nodiscard]] Time next_event() const { return next_; }
  void wake(Time at) {
    if (at < next_) next_ = at;
  }
  [[nodiscard]] const SrCounters& sr_counters() const {
    return prefetch_ ? prefetch_->counters() : reader_.counters();
  }

 private:
  void tick_plain(Time now);
  void tick_stores(Time now);
  // What deterministic store sees in the cycle `now`.
  [[nodiscard]] DeterministicStoreModel::In store_input(Time now) const {
    return {.isolate = refuses(),
            .clear_error = clear_error_,
            .mq_rsp = response_ ? &*response_ : nullptr,
            .lm_rsp = parts_.local.answer(port_, now)};
  }
  [[nodiscard]] bool is_quiet() const;
  [[nodiscard]] bool response_leaves(Time now) const {
    return response_left_at_ != Time::never() && response_left_at_ >= now;
  }
  // Deterministic store as it is before this cycle's edge.
  [[nodiscard]] bool base_locked(Time now) const { return switched_ == now ? was_on_ : on_; }
  [[nodiscard]] bool refuses() const { return down_ || isolated_ || still_refuses_; }
  [[nodiscard]] std::uint64_t own_answers(bool refuse) const {
    return refuse ? memory_.held() : memory_.refused();
  }
  void issue_or_drop(bool refuse, Time now);
  void answer_refused(std::uint64_t entries, Time now);
  void issue(Time now);
  void hand_over_req(Time now, Time at);
  void hand_over_rwd(Time now, Time at);
  // What the reader does for the memory queue in a cycle.
  enum class Ahead : std::uint8_t { Nothing, Waits, Taken };  // the last two: offers a MemSpecRd
  Ahead read_ahead(bool spec_room, bool refuse, Time now);
  [[nodiscard]] bool reads_ahead() const {
    return queue_.reader_valid() ||
           (prefetch_ ? prefetch_->issuing() || prefetch_->rests() : reader_.issuing());
  }
  Ahead prefetch_ahead(bool spec_room, bool refuse, Time now);
  [[nodiscard]] bool halted() const {
    return load_control_.state() == Gran::Halted || load_control_.level() == DevLoad::Severe;
  }
  [[nodiscard]] bool reader_can_move() const;
  bool dispatch(bool refuse, Time now);  // true: a load or store is taken
  void issue_hint(bool may, bool refuse, Time now);
  // Log2 of the cycles that a hint's granule has.
  [[nodiscard]] unsigned hint_pace() const {
    return intervals(regs_.hint_control)[static_cast<std::size_t>(load_control_.level())];
  }
  [[nodiscard]] bool with_length() const {
    return regs_.policy.len_enable && !regs_.policy.spec_64b;
  }
  void accept(const MemRequest& request, bool refuse, Time now);  // into the memory queue
  void head_leaves();
  std::optional<DevLoad> respond(bool refuse, Time now);  // of the response taken
  [[nodiscard]] bool can_move() const;
  void tell_gran();
  void policy_written(Time now);
  void plan(Time now);
  [[nodiscard]] Time next_store_event(Time now);
  void told(const DsEvents& events, Time at);
  void count_told(Time now);
  void enter(const MemRequest& request, bool loaded);
  [[nodiscard]] bool is_loaded() const { return load_control_.level() != DevLoad::Light; }
  void raise(Time now, Stage stage, std::uint32_t id, std::uint64_t line, std::uint32_t info) const;

  const unsigned port_;
  const Sizes sizes_;
  Parts parts_;
  regs::rp::Regs regs_;  // what software writes, counts of deterministic store

  SrQueue queue_;
  SrReader reader_;
  std::unique_ptr<PrefetchReader> prefetch_;  // in its place, with a policy of the model alone
  SrCounters before_read_ahead_;  // what a flush at the end of the last such cycle goes back to
  Time read_ahead_at_{0};
  RingBuffer ring_;
  LoadControl load_control_;
  // Told a cycle late: a register write at the edge of the change may take it back.
  Gran told_gran_ = Gran::B256;
  Time gran_changes_ = Time::never();
  MemoryQueue memory_;
  // Deterministic store, and what stands between the queues and the port's edges.
  HintQueueModel hints_;
  const DsConfig ds_config_;
  bool clear_error_ = false;
  bool on_ = false, was_on_ = false;  // the latter before `switched_`
  Time switched_ = Time::never();
  DeterministicStoreModel ds_;
  DsEvents told_;  // counted when their cycle is over
  Time told_at_ = Time::never();
  Time response_left_at_ = Time::never();  // the last cycle in which one left, on or off
  unsigned under_way_ = 0;                 // requests taken and not yet answered

  std::optional<MemRequest> incoming_;
  bool down_ = false, isolated_ = false;
  Time falls_at_ = Time::never();
  bool still_refuses_ = false;  // the last cycle refused and was busy
  unsigned refuse_from_ = 0;    // entry that is answered next
  bool drs_turn_ = true;        // a DRS goes before an NDR
  std::optional<MemResponse> response_;
  Time response_at_{0};
  Time next_ = Time::never();
};

}  // namespace cxlgpu
