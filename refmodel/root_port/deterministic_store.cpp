// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/deterministic_store.hpp"

namespace cxlgpu {

void DeterministicStore::wire(In& in) const {
  DsEngine::In& engine = in.engine;
  const DsPace::Out pace = pace_.eval({.interval = in.interval});
  engine.direct = pace.direct;
  engine.flush = pace.flush;
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

std::optional<std::uint32_t> DeterministicStore::rest(In& next) const {
  wire(next);
  DsEngine::In& engine = next.engine;
  if (engine_.moves(engine)) return 0;
  if (engine.flush) return std::nullopt;  // it may, and does not want to
  engine.flush = true;
  if (!engine_.moves(engine)) return std::nullopt;
  return pace_.until_flush(next.interval);
}

}  // namespace cxlgpu
