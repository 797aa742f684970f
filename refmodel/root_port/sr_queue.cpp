// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/sr_queue.hpp"

#include <cassert>

namespace cxlgpu {

SrQueue::Out SrQueue::eval(const In&) const {
  Out out;
  out.in_ready = !full();
  out.head_valid = !empty();
  out.head = empty() ? nullptr : &head();
  out.rd_valid = reader_valid();
  out.rd_is_load = reader_valid() && !reader_request().is_write;
  out.rd_line = reader_line();
  out.rd_index = reader_slot();
  out.rd_head = reader_at_head();
  out.loads = loads();
  out.count = count_;
  return out;
}

void SrQueue::clock(const In& in) {
  const Out now = eval(in);
  if (in.rd_next) reader_next();
  if (now.head_valid && in.head_ready) pop();
  assert(!in.beside || !in.in_valid || !now.in_ready);
  if (in.in_valid && now.in_ready) push(in.in_req);
  if (in.beside) beside();
}

}  // namespace cxlgpu
