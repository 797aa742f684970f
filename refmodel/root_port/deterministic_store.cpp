// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/deterministic_store.hpp"

namespace cxlgpu {

void DeterministicStore::wire(In& in) const {
  DsEngine::In& engine = in.engine;
  const DsPace::Out pace = pace_.eval({.interval = in.interval});
  engine.direct = pace.direct;
  engine.flush = pace.flush;
  engine.oldest = pace.oldest;
  const DsIndexBlock::Out index = index_.eval();
  engine.ix_ready = index.req_ready;
  engine.ix_rsp_valid = index.rsp_valid;
  engine.ix_found = index.found;
  engine.ix_slot = index.slot;
}

void DeterministicStore::clock(const In& in, const Out& now) {
  const bool write_taken =
      in.engine.enable && now.mq_valid && now.mq_req.is_write && in.engine.mq_ready;
  index_.clock(
      {.req_valid = now.ix_valid, .op = now.ix_op, .key = now.ix_key, .slot = now.ix_slot});
  pace_.clock({in.rsp_taken, in.dev_load, write_taken, in.interval});
  engine_.clock(in.engine, now);
}

}  // namespace cxlgpu
