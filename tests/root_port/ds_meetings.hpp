// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What meets in one cycle of a ds_engine, from the pins of ds_alone_tb, for functional coverage.
//
// Use:     observe() in each cycle with the inputs settled, before the edge; the collectors count
//          only if the test passed (functional_gtest.hpp).
// Source:  rtl/root_port/ds_sequencer.sv, for the states of the sequencer; ds_act_t of cxlgpu_pkg.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tb/layout.hpp"
#include "tests/common/bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_ds.hpp"

namespace cxlgpu::test {

class DsMeetings {
 public:
  template <typename Top>
  void observe(const Top& top, bool least) {
    if (!acts_.on()) return;
    size_ = least ? 0 : 1;
    using coverage::DsAct;
    const std::optional<DsAct> act = act_of(top);
    if (act) count_events(top, *act);
    if (does(top, FastDirect) || does(top, FastDefers)) count_events(top, DsAct::FastBegins);
    const bool answered = inserting_ && ix(top, IxAnswer);
    if (answered && !ix(top, IxFound)) count_events(top, DsAct::Inserted);
    if (does(top, DirectLeaves)) count_events(top, DsAct::DirectLeaves);
    if (does(top, DeferredLeaves)) count_events(top, DsAct::FastDeferred);
    count_beside(top);
    count_tables(top);
    isolated_ = top.isolate_i != 0;
    fenced_ = top.fence_i != 0;
    if (answered) inserting_ = false;
    if (ix(top, IxValid)) inserting_ = asked_for(top) == kInsert;
    if (top.state_o == SLook || top.state_o == SFind) found_ = top.state_o == SFind;
    before_ = top.state_o;
    completes_ = (static_cast<unsigned>(top.tables_o) >> kNoCompletion & 1) == 0;
  }

 private:
  enum State : unsigned {
    Idle = 0,
    MRead,
    SLook = 8,
    SFind,
    SNew,
    SWrite,
    SMask = 12,
    SPut,
    LLook = 16,
    LFind,
    LSlot,
    LMask,
    LRead,
    FPick = 32,
    FMask = 34,
    FDelete,
    FRead,
    CTake = 48,
    CFree,
    CPut
  };
  // Bits of fast_o.
  enum Fast : unsigned {
    FastDirect,
    FastDefers,
    DirectLeaves = 4,
    DeferredLeaves,
    LateStalls = 10
  };
  static constexpr unsigned kFast = 14;
  enum Beside : unsigned { CompletionWaits = kFast, InsertionTaken, InsertionAnswered, StepWaits };
  static constexpr unsigned kNoCompletion = 17;  // of tables_o
  // Bits of ix_o.
  enum Ix : unsigned { IxValid, IxReady, IxAnswer = 4, IxFound };
  static constexpr unsigned kInsert = 1;
  using Act = layout::DsAct;

  template <typename Top>
  static bool ix(const Top& top, Ix what) {
    return (top.ix_o >> what & 1) != 0;
  }
  template <typename Top>
  static unsigned asked_for(const Top& top) {
    return top.ix_o >> 2 & 3;
  }
  template <typename Top>
  static bool does(const Top& top, Fast what) {
    return (top.fast_o >> what & 1) != 0;
  }
  template <typename Top>
  [[nodiscard]] std::optional<coverage::DsAct> act_of(const Top& top) const {
    using coverage::DsAct;
    const auto does = [&](layout::Field act) { return (top.act_o >> act.lo & 1) != 0; };
    const auto with = [](bool there, DsAct act) {
      return there ? std::optional<DsAct>(act) : std::nullopt;
    };
    switch (top.state_o) {
      case LRead:
        return with(does(Act::head_local), DsAct::LoadHit);
      case LMask:
        return with(does(Act::merge_add), DsAct::LoadMerge);
      case LFind:
        return with(does(Act::set_pass), DsAct::LoadFalse);
      case LSlot:
        return with(before_ == LLook, DsAct::LoadLate);
      case SNew:
        return does(Act::slot_take) ? DsAct::SlotTaken
               : does(Act::refused) ? DsAct::Refused
                                    : DsAct::NoSlot;
      case SWrite:
        return with(does(Act::stored), does(Act::write_mark) ? DsAct::JoinsWrite : DsAct::Written);
      case SMask:
        return found_ ? DsAct::JoinsDeferred : DsAct::JoinsLate;
      case SPut:
        return DsAct::Deferred;
      case FPick:
        return DsAct::FlushPicks;
      case FMask:
        return does(Act::pop) ? DsAct::FlushedLate : DsAct::FlushLooks;
      case FDelete:
        return with(does(Act::pop), DsAct::Flushed);
      case FRead:
        return with(top.lm_ready_i != 0, DsAct::FlushRead);
      case CTake:
        return DsAct::Completed;
      case CFree:
        return DsAct::Freed;
      case CPut:
        return DsAct::KeptAgain;
      case MRead:
        return with(does(Act::merge_sent), DsAct::MergeRead);
      default:
        return std::nullopt;
    }
  }

  template <typename Top>
  void count_events(const Top& top, coverage::DsAct act) {
    using coverage::DsEvent;
    const auto event = [&](bool there, DsEvent event) {
      if (there) acts_.hit({size_, static_cast<unsigned>(act), static_cast<unsigned>(event)});
    };
    const bool store = top.req_valid_i != 0 && get_bits(top.req_i, 622, 1) != 0;
    const bool load = top.req_valid_i != 0 && !store;
    event(store && top.req_ready_o != 0, DsEvent::StoreEnters);
    event(store && top.req_ready_o == 0 && top.fence_i == 0, DsEvent::StoreStalled);
    event(store && top.fence_i != 0, DsEvent::StoreFenced);
    event(load && top.req_ready_o != 0, DsEvent::LoadEnters);
    event(load && top.sr_valid_o == 0, DsEvent::LoadHeld);
    const bool sent = top.mq_valid_o != 0 && top.mq_ready_i != 0;
    const bool write = get_bits(top.mq_req_o, 622, 1) != 0;
    event(sent && !write, DsEvent::HeadGoes);
    event(sent && write, DsEvent::FlushGoes);
    event(top.mq_valid_o != 0 && top.mq_ready_i == 0, DsEvent::MqStalled);
    const bool back = top.mq_rsp_valid_i != 0;
    const bool done = back && get_bits(top.mq_rsp_i, 513, 1) != 0;
    event(done, DsEvent::WriteDone);
    event(top.match_o != 0, DsEvent::MergeData);
    const bool passes = back && !done && top.match_o == 0;
    event(passes && top.mq_rsp_ready_o != 0, DsEvent::LoadData);
    event(passes && top.mq_rsp_ready_o == 0, DsEvent::LoadDataStalled);
    const auto kind = static_cast<unsigned>(get_bits(top.lm_rsp_i, 518, 2));
    const bool local = top.lm_rsp_valid_i != 0;
    event(local && kind == 2, DsEvent::FlushData);
    event(local && kind == 1, DsEvent::SlotData);
    event(local && kind == 0 && top.lm_rsp_ready_o != 0, DsEvent::LocalData);
    event(local && kind == 0 && top.lm_rsp_ready_o == 0, DsEvent::LocalDataStalled);
    event(top.rsp_valid_o != 0 && top.rsp_ready_i != 0, DsEvent::AnswerGoes);
    event(top.rsp_valid_o != 0 && top.rsp_ready_i == 0, DsEvent::AnswerStalled);
    event(top.isolate_i != 0, DsEvent::Isolated);
    event(top.isolate_i != 0 && !isolated_, DsEvent::IsolationBegins);
    event(top.fence_i != 0 && !fenced_, DsEvent::FenceBegins);
    event(top.clear_error_i != 0 && top.error_o != 0, DsEvent::ErrorCleared);
  }

  // Step of the sequencer, in the order of coverage::DsStep.
  static unsigned step_of(unsigned state) {
    using coverage::DsStep;
    const auto from = [state](unsigned first, DsStep step) {
      return static_cast<unsigned>(step) + state - first;
    };
    if (state >= CTake) return from(CTake, DsStep::CTake);
    if (state >= FPick) return from(FPick, DsStep::FPick);
    if (state >= LLook) return from(LLook, DsStep::LLook);
    return state >= SLook ? from(SLook, DsStep::SLook) : state;
  }
  template <typename Top>
  void count_beside(const Top& top) {
    const unsigned step = step_of(top.state_o);
    for (unsigned what = 0; what < kFast; ++what) {
      if ((top.fast_o >> what & 1) != 0) beside_.hit({size_, what, step});
    }
    const auto hit = [&](Beside what, bool there) {
      if (there) beside_.hit({size_, what, step});
    };
    // C is before all the others: what begins instead says that it may not.
    hit(CompletionWaits, before_ == Idle && completes_ && top.state_o != CTake);
    hit(InsertionTaken, ix(top, IxValid) && ix(top, IxReady) && asked_for(top) == kInsert);
    hit(InsertionAnswered, inserting_ && ix(top, IxAnswer));
    const bool asks = top.state_o == LFind || top.state_o == SFind || top.state_o == FDelete;
    hit(StepWaits, asks ? inserting_ : top.state_o == FMask && before_ == FMask);
  }

  template <typename Top>
  void count_tables(const Top& top) {
    using coverage::DsLevel;
    using coverage::DsTable;
    for (unsigned table = 0; table < kTables; ++table) {
      const auto flags = static_cast<unsigned>(top.tables_o >> (4 * table) & 15);
      const bool full = (flags & 1) != 0, empty = (flags & 2) != 0;
      const bool comes = (flags & 4) != 0, goes = (flags & 8) != 0;
      const auto level = [&](bool there, DsLevel level) {
        if (there) tables_.hit({size_, table, static_cast<unsigned>(level)});
      };
      level(full && !full_[table], DsLevel::Fills);
      level(comes && goes, DsLevel::BothWays);
      level(full && goes, DsLevel::LeavesFull);
      level(empty && !empty_[table], DsLevel::Empties);
      level(full && asked(top, static_cast<DsTable>(table)), DsLevel::AskedAtFull);
      full_[table] = full;
      empty_[table] = empty;
    }
    looked_ = top.state_o == LMask && (top.act_o >> Act::merge_add.lo & 1) == 0;
  }
  // For an entry of a table that is full.
  template <typename Top>
  [[nodiscard]] bool asked(const Top& top, coverage::DsTable table) const {
    using coverage::DsTable;
    switch (table) {
      case DsTable::Stores:
        return top.req_valid_i != 0 && get_bits(top.req_i, 622, 1) != 0 && top.fence_i == 0;
      case DsTable::Reads:
        return top.state_o == Idle && top.head_valid_i != 0 && top.head_ready_o == 0;
      case DsTable::Merges:
        return looked_ && top.state_o == Idle;  // a part, and no entry: the load has to come again
      case DsTable::Writes:
        return (top.flush_i != 0 || top.fence_i != 0) && top.count_o != 0 && top.error_o == 0;
      case DsTable::Slots:
        return top.state_o == SNew;
      case DsTable::Late:
        return does(top, LateStalls);
      default:
        return false;
    }
  }

  static constexpr unsigned kTables = 9;
  TestCoverage acts_{coverage::ds_meetings()};
  TestCoverage beside_{coverage::ds_beside()};
  TestCoverage tables_{coverage::ds_tables()};
  std::array<bool, kTables> full_{}, empty_{};
  unsigned size_ = 0;
  bool looked_ = false, isolated_ = false, fenced_ = false;
  unsigned before_ = Idle;  // the state in the cycle before
  bool completes_ = false;  // and whether a completion waited in it
  bool inserting_ = false;  // an insertion stands at the index
  bool found_ = false;      // the last store to be looked up asked the index
};

}  // namespace cxlgpu::test
