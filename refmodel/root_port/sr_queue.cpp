// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/sr_queue.hpp"

namespace cxlgpu {

SrQueue::Out SrQueue::eval(const In&) const {
  Out out{.in_ready = !full(), .head_valid = !empty(), .loads = loads(), .count = held_};
  if (out.head_valid) out.head = &head();
  if (reader_valid()) {
    out.rd_valid = true;
    out.rd_is_load = !reader_request().is_write;
    out.rd_line = reader_line();
    out.rd_index = reader_slot();
    out.rd_head = reader_at_head();
  }
  return out;
}

void SrQueue::clock(const In& in) {
  const bool enters = in.in_valid && !full();
  if (in.rd_next) reader_next();
  if (in.head_ready && !empty()) pop();
  if (enters) push(in.in_req);
  if (in.beside) beside();
}

}  // namespace cxlgpu
