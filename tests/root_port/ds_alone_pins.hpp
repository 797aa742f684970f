// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The pins of ds_alone_tb, whichever of its four sizes is behind them.
//
// Each size is a top of its own: one with all four would evaluate them all.
// Use:     DsAloneTop top(size) is a Clocked<> of that size; top->req_valid_i = 1; top.settle();
// top.edge().
#pragma once

#include <memory>
#include <utility>

#include "Vds_alone_0.h"
#include "Vds_alone_1.h"
#include "Vds_alone_2.h"
#include "Vds_alone_3.h"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

struct DsAlonePins {
  template <typename Top>
  explicit DsAlonePins(Top& top)
      : rst_ni(top.rst_ni),
        clk_i(top.clk_i),
        fence_i(top.fence_i),
        isolate_i(top.isolate_i),
        clear_error_i(top.clear_error_i),
        max_writes_i(top.max_writes_i),
        direct_i(top.direct_i),
        flush_i(top.flush_i),
        oldest_i(top.oldest_i),
        req_valid_i(top.req_valid_i),
        req_ready_o(top.req_ready_o),
        sr_valid_o(top.sr_valid_o),
        sr_ready_i(top.sr_ready_i),
        head_valid_i(top.head_valid_i),
        head_ready_o(top.head_ready_o),
        mq_valid_o(top.mq_valid_o),
        mq_ready_i(top.mq_ready_i),
        mq_rsp_valid_i(top.mq_rsp_valid_i),
        mq_rsp_ready_o(top.mq_rsp_ready_o),
        rsp_valid_o(top.rsp_valid_o),
        rsp_ready_i(top.rsp_ready_i),
        lm_valid_o(top.lm_valid_o),
        lm_ready_i(top.lm_ready_i),
        lm_rsp_valid_i(top.lm_rsp_valid_i),
        lm_rsp_ready_o(top.lm_rsp_ready_o),
        empty_o(top.empty_o),
        error_o(top.error_o),
        state_o(top.state_o),
        ix_o(top.ix_o),
        match_o(top.match_o),
        tables_o(top.tables_o),
        count_o(top.count_o),
        ev_o(top.ev_o),
        fast_o(top.fast_o),
        req_i(top.req_i),
        head_req_i(top.head_req_i),
        mq_req_o(top.mq_req_o),
        mq_rsp_i(top.mq_rsp_i),
        rsp_o(top.rsp_o),
        lm_req_o(top.lm_req_o),
        lm_rsp_i(top.lm_rsp_i),
        act_o(top.act_o),
        load_valid_i(top.load_valid_i),
        load_line_i(top.load_line_i),
        mem_valid_i(top.mem_valid_i),
        mem_line_i(top.mem_line_i) {}

  CData& rst_ni;
  CData& clk_i;
  CData& fence_i;
  CData& isolate_i;
  CData& clear_error_i;
  CData& max_writes_i;
  CData& direct_i;
  CData& flush_i;
  CData& oldest_i;
  CData& req_valid_i;
  CData& req_ready_o;
  CData& sr_valid_o;
  CData& sr_ready_i;
  CData& head_valid_i;
  CData& head_ready_o;
  CData& mq_valid_o;
  CData& mq_ready_i;
  CData& mq_rsp_valid_i;
  CData& mq_rsp_ready_o;
  CData& rsp_valid_o;
  CData& rsp_ready_i;
  CData& lm_valid_o;
  CData& lm_ready_i;
  CData& lm_rsp_valid_i;
  CData& lm_rsp_ready_o;
  CData& empty_o;
  CData& error_o;
  CData& state_o;
  CData& ix_o;
  CData& match_o;
  QData& tables_o;
  SData& count_o;
  SData& ev_o;
  SData& fast_o;
  VlWide<20>& req_i;
  VlWide<20>& head_req_i;
  VlWide<20>& mq_req_o;
  VlWide<17>& mq_rsp_i;
  VlWide<17>& rsp_o;
  VlWide<19>& lm_req_o;
  VlWide<17>& lm_rsp_i;
  IData& act_o;
  QData& load_valid_i;
  VlWide<92>& load_line_i;
  QData& mem_valid_i;
  VlWide<90>& mem_line_i;
};

class DsAloneTop {
 public:
  explicit DsAloneTop(unsigned size) {
    switch (size) {
      case 0:
        hold<Vds_alone_0>();
        break;
      case 1:
        hold<Vds_alone_1>();
        break;
      case 2:
        hold<Vds_alone_2>();
        break;
      default:
        hold<Vds_alone_3>();
    }
  }
  DsAlonePins* operator->() { return &*pins_; }
  DsAlonePins& operator*() { return *pins_; }
  void settle() { top_->settle(); }
  void edge() { top_->edge(); }
  void reset() { top_->reset(); }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual void settle() = 0;
    virtual void edge() = 0;
    virtual void reset() = 0;
  };
  template <typename Top>
  struct Held final : Any {
    void settle() override { clocked.settle(); }
    void edge() override { clocked.edge(); }
    void reset() override { clocked.reset(); }
    Clocked<Top> clocked;
  };
  template <typename Top>
  void hold() {
    auto held = std::make_unique<Held<Top>>();
    pins_ = std::make_unique<DsAlonePins>(*held->clocked);
    top_ = std::move(held);
  }

  std::unique_ptr<Any> top_;
  std::unique_ptr<DsAlonePins> pins_;
};

}  // namespace cxlgpu::test
