// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// link_control_t and link_status_t on verilated ports.
//
// Purpose: where each field is, written from docs/blocks/controller/link_regs.md; random settings
//          of software.
// Units:   bits, as on the page.
// Errors:  none.
#pragma once

#include "refmodel/controller/link_control.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

struct StatusField {
  const char* name;
  unsigned LinkStatus::*member;
  unsigned lo, width;
};
inline constexpr unsigned kStatusBits = 96;
inline constexpr StatusField kStatusFields[] = {
    {"link_status_o.init_state", &LinkStatus::init_state, 0, 2},
    {"link_status_o.llrb_used", &LinkStatus::llrb_used, 2, 8},
    {"link_status_o.version", &LinkStatus::version, 10, 4},
    {"link_status_o.wrap", &LinkStatus::wrap, 14, 8},
    {"link_status_o.num_retry", &LinkStatus::num_retry, 22, 5},
    {"link_status_o.num_phy_reinit", &LinkStatus::num_phy_reinit, 27, 5},
    {"link_status_o.wr_ptr", &LinkStatus::wr_ptr, 32, 8},
    {"link_status_o.eseq_echo", &LinkStatus::eseq_echo, 40, 8},
    {"link_status_o.num_free", &LinkStatus::num_free, 48, 8},
    {"link_status_o.nd_return", &LinkStatus::nd_return, 56, 10},
    {"link_status_o.wd_return", &LinkStatus::wd_return, 66, 10},
    {"link_status_o.nd_credit", &LinkStatus::nd_credit, 76, 10},
    {"link_status_o.wd_credit", &LinkStatus::wd_credit, 86, 10},
};

// Element `end` of an array port of link_status_t.
template <typename Port>
LinkStatus get_status(const Port& port, unsigned end = 0) {
  LinkStatus status;
  for (const StatusField& f : kStatusFields) {
    status.*f.member = static_cast<unsigned>(get_bits(port, kStatusBits * end + f.lo, f.width));
  }
  return status;
}

// The inputs of a bench with two ends that stand for link_control_i.
template <typename Top>
void drive_control(Top& v, unsigned end, const LinkControl& control) {
  set_bits(v.mdh_disable_i, end, 1, control.mdh_disable);
  set_bits(v.init_stall_i, end, 1, control.init_stall);
  set_bits(v.crd_stall_i, end, 1, control.crd_stall);
  set_bits(v.ack_force_i, 8 * end, 8, control.ack_force);
  set_bits(v.flush_i, 10 * end, 10, control.flush);
  set_bits(v.nd_held_i, 7 * end, 7, control.nd_held);
  set_bits(v.wd_held_i, 7 * end, 7, control.wd_held);
}

// A new setting; stalls are rare, so that traffic flows.
template <typename AnyRandom>
void change_control(LinkControl& control, AnyRandom& random, unsigned stall_percent = 20) {
  switch (random.below(6)) {
    case 0:
      control.mdh_disable = random.percent(50);
      break;
    case 1:
      control.init_stall = random.percent(stall_percent);
      break;
    case 2:
      control.crd_stall = random.percent(stall_percent);
      break;
    case 3:
      control.ack_force = random.pick(std::array{0u, 1u, 2u, 9u, 16u, 40u, 255u});
      break;
    case 4:  // one credit is left at least, by the lowest depth of the benches
      control.nd_held = random.pick(std::array{0u, 0u, 1u, 7u, 11u});
      control.wd_held = random.pick(std::array{0u, 0u, 1u, 7u, 11u});
      break;
    default:
      control.flush = random.pick(std::array{0u, 1u, 5u, 32u, 33u, 200u, 1023u});
      break;
  }
}

}  // namespace cxlgpu::test
