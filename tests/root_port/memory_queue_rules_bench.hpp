// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bench of memory_queue_rules_test: the RTL alone, its messages written and read field by
// field.
#pragma once

#include <optional>
#include <vector>

#include "Vmemory_queue_rules.h"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::memory_queue_rules {

using test::Clocked;
using test::Random;

inline constexpr unsigned kDepth = 32;
inline constexpr unsigned kLoads = 30;

struct Answer {
  unsigned id = 0;
  bool is_write = false, error = false;
  std::uint32_t data = 0;
};

// Inputs are set on `rtl`; a step settles, notes what the host is given, and clocks. What is
// offered is dropped once it is taken.
class Queue {
 public:
  Queue() {
    rtl.reset();
    rtl->rsp_ready_i = rtl->req_ready_i = rtl->rwd_ready_i = 1;
  }
  void step() {
    rtl.settle();
    if (rtl->rsp_valid_o && rtl->rsp_ready_i) {
      answers.push_back(
          {rtl->rsp_id_o, rtl->rsp_write_o != 0, rtl->rsp_error_o != 0, rtl->rsp_data_o});
    }
    sent_read.reset();
    sent_write.reset();
    if (rtl->req_valid_o && rtl->req_ready_i && !rtl->req_spec_o) sent_read = rtl->req_tag_o;
    if (rtl->rwd_valid_o && rtl->rwd_ready_i) sent_write = rtl->rwd_tag_o;
    drs_taken = rtl->drs_valid_i && rtl->drs_ready_o;
    ndr_taken = rtl->ndr_valid_i && rtl->ndr_ready_o;
    in_taken = rtl->in_valid_i && rtl->in_ready_o;
    bad = rtl->bad_rsp_o != 0;
    refused = rtl->refuse_o != 0;
    rtl.edge();
    if (drs_taken) rtl->drs_valid_i = 0;
    if (ndr_taken) rtl->ndr_valid_i = 0;
    if (in_taken) rtl->in_valid_i = 0;
    rtl.settle();
  }
  void steps(unsigned n) {
    for (unsigned i = 0; i < n; ++i) step();
  }
  void ask(unsigned id, bool is_write, std::uint64_t line) {
    rtl->in_valid_i = 1;
    rtl->in_id_i = static_cast<std::uint16_t>(id);
    rtl->in_write_i = is_write;
    rtl->in_line_i = line;
  }
  void take(unsigned id, bool is_write, std::uint64_t line) {
    ask(id, is_write, line);
    for (unsigned i = 0; i < 100 && rtl->in_valid_i; ++i) step();
    EXPECT_FALSE(rtl->in_valid_i) << "request " << id << " is not taken";
  }
  void drs(unsigned tag, std::uint32_t data, unsigned opcode = 0, unsigned ld_id = 0) {
    rtl->drs_valid_i = 1;
    rtl->drs_tag_i = static_cast<std::uint16_t>(tag);
    rtl->drs_data_i = data;
    rtl->drs_opcode_i = static_cast<std::uint8_t>(opcode);
    rtl->drs_ld_id_i = static_cast<std::uint8_t>(ld_id);
  }
  void ndr(unsigned tag, unsigned opcode = 0, unsigned ld_id = 0) {
    rtl->ndr_valid_i = 1;
    rtl->ndr_tag_i = static_cast<std::uint16_t>(tag);
    rtl->ndr_opcode_i = static_cast<std::uint8_t>(opcode);
    rtl->ndr_ld_id_i = static_cast<std::uint8_t>(ld_id);
  }
  // The one answer that `cycles` cycles bring.
  Answer only(unsigned cycles = 6) {
    answers.clear();
    steps(cycles);
    EXPECT_EQ(answers.size(), 1u);
    return answers.empty() ? Answer{} : answers[0];
  }

  Clocked<Vmemory_queue_rules> rtl;
  std::vector<Answer> answers;
  std::optional<unsigned> sent_read, sent_write;
  bool drs_taken = false, ndr_taken = false, in_taken = false, bad = false, refused = false;
};

}  // namespace cxlgpu::memory_queue_rules
