// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/root_port.hpp"

#include <cstring>

#include "flits/messages.hpp"
#include "refmodel/root_port/port_registers.hpp"

namespace cxlgpu {

RootPort::Block RootPort::block_of(std::uint32_t addr) {
  switch (addr >> 10 & 3) {
    case 0:
      if ((addr >> 8 & 3) == 1) return Block::kRas;
      return (addr >> 8 & 3) == 2 ? Block::kLink : Block::kIsolation;
    case 1:
      return Block::kIoAccess;
    default:
      return Block::kVendor;
  }
}

std::uint32_t RootPort::structures_rdata() const {
  return isolation_.eval({}).rdata | ras_.eval({}).rdata | link_regs_.eval().rdata;
}

void RootPort::cycle_route(const In& in, Cycle& now) const {
  const IoRequester::Out requester = requester_.eval();
  const PortConfigSpace::Out config = port_config_.eval();
  const Block block = block_of(in.reg.addr);
  now.route_in = {.device = in.device,
                  .req = access_.eval().req,
                  .rsp_ready = true,
                  .down_ready = requester.req_ready,
                  .down_rsp = requester.rsp,
                  .cfg_rdata = config.rdata,
                  .bridge = config.bridge,
                  .reg_busy = in.reg.valid && block != Block::kIoAccess && block != Block::kVendor,
                  .reg_rdata = structures_rdata()};
  now.route = route_.eval(now.route_in);
  now.structures = in.reg;
  if (const RegAccess& own = now.route.reg; own.valid) {
    now.structures = {own.valid, own.write, own.addr, own.data};
  }
}

void RootPort::cycle_io(const In& in, const ArbMux::Out& link, Cycle& now) const {
  IoLink::In& io = now.io_in;
  io.link_up = link.io_link_up;
  const IoLink::Out out = io_.eval(io);  // no output but these from an input of this cycle
  const IoRequester::Out requester = requester_.eval(out.dl_up);
  io.tlp_tx = requester.tlp_tx;
  io.tlp_rx_ready = requester.tlp_rx_ready;

  now.access_in = {.reg = {.valid = in.reg.valid && block_of(in.reg.addr) == Block::kIoAccess,
                           .write = in.reg.write,
                           .addr = in.reg.addr & 0xFFF,
                           .data = in.reg.wdata},
                   .link_up = out.dl_up,
                   .req_ready = now.route.req_ready,
                   .rsp = now.route.rsp};
  now.requester_in = {.link_up = out.dl_up,
                      .req = now.route.down,
                      .rsp_ready = now.route.down_rsp_ready,
                      .tlp_tx_ready = out.tlp_tx_ready,
                      .tlp_rx = out.tlp_rx};

  ArbMux::In& arb_mux = now.port_in.link;
  arb_mux = in.link;
  now.retrain_in = {.err = out.err,
                    .retrain_req = link.retrain_req,
                    .phy_up = in.link.phy_up,
                    .phy_recovery = in.link.phy_recovery};
  arb_mux.cm_req = VlsmCode::kActive;
  arb_mux.io_req = retrain_.eval(now.retrain_in);
  if (now.isolation.force_down || port_config_.eval().link_disable) {
    arb_mux.io_req = arb_mux.cm_req = VlsmCode::kLinkDisable;
  }
  arb_mux.io_tx_valid = out.io_tx.has_value();
  if (out.io_tx) arb_mux.io_tx_data = *out.io_tx;
}

void RootPort::cycle_ras(Cycle& now) const {
  const CxlController::Out& messages = now.port.messages;
  const ArbMux::Out& link = now.port.link;
  const auto raised = [&](unsigned error) { return (messages.err & error) != 0; };
  namespace ras = regs::ras;
  Ras::In& r = now.ras_in;
  const RegisterAccess& access = now.structures;
  r.valid = access.valid && block_of(access.addr) == Block::kRas;
  r.write = access.write;
  r.addr = access.addr & 0xFFF;
  r.wdata = access.wdata;
  r.uncor = ras::UncorStatusReg{.reinit_threshold = messages.abort,
                                .encoding = raised(link_err::kViolation) || now.memory.bad_rsp,
                                .overflow = raised(link_err::kOverflow)}
                .word();
  r.cor = ras::CorStatusReg{.phy = link.damaged || link.malformed || link.stray}.word();
  r.crc = raised(link_err::kCrc);
  r.retry = raised(link_err::kRetry);
  for (unsigned word = 0; word < r.log_flit.size(); ++word) {
    std::memcpy(&r.log_flit[word], messages.err_flit.data() + sizeof(r.log_flit[0]) * word,
                sizeof r.log_flit[0]);
  }
  r.log_overflow = messages.err_overflow;
  r.poison = now.memory_in.drs.valid && now.memory.drs_ready && now.memory_in.drs.poison;
  if (!r.poison) return;
  for (unsigned word = 0; word < 3; ++word) {
    r.log_header[word] = static_cast<std::uint32_t>(messages.rx_wd.header >> (32 * word));
  }
}

void RootPort::cycle_port_config(const In& in, Cycle& now) const {
  constexpr std::uint32_t kTrainingData = 0x416;
  const ArbMux::Out& link = now.port.link;
  now.port_config_in = {.access = now.route.cfg,
                        .device = in.device,
                        .link_up = now.access_in.link_up,
                        .port_status = regs::dvsec_flex_bus::StatusReg{.io = link.io_link_up,
                                                                       .mem = link.cm_link_up,
                                                                       .sync_bypass = true,
                                                                       .drift_buffer = true,
                                                                       .cxl2 = true}
                                           .word(),
                        .ts_data = kTrainingData};
}

// A fatal error, and software has said that it makes the port viral.
bool RootPort::turns_viral() const {
  return ras_.eval({}).fatal && regs_.viral.on_fatal;
}

void RootPort::cycle_stores(const In& in, Cycle& now) const {
  namespace rp = regs::rp;
  const SrQueue::Out queue = queue_.eval({});
  const MemoryQueueBlock::Out memory = memory_.eval({});
  DeterministicStore::In& s = now.stores_in;
  s.interval = intervals(regs_.ds_interval);
  DsEngine::In& e = s.engine;
  e.enable = stores_on_;
  e.fence = regs_.ds_control.fence;
  e.isolate = memory_.eval(now.memory_in).refuse;
  e.clear_error = in.reg.valid && in.reg.write && (in.reg.addr & 0xFFC) == rp::kDsStatus &&
                  rp::kDsStatusError.is_set(in.reg.wdata);
  e.max_writes = regs_.ds_control.max_writes;
  e.req_valid = in.req_valid;
  e.req = in.req;
  e.sr_ready = queue.in_ready;
  e.head_valid = queue.head_valid;
  if (queue.head_valid) e.head = *queue.head;
  e.loads = queue.loads;
  e.mem = memory.lines;
  e.mq_rsp_valid = memory.rsp_valid;
  e.mq_rsp = memory.rsp;
  e.rsp_ready = in.rsp_ready;
  e.lm_ready = in.lm_ready;
  e.lm_rsp_valid = in.lm_rsp_valid;
  e.lm_rsp = in.lm_rsp;
  now.stores = stores_.eval(s);  // what it offers the memory queue does not depend on its ready
}

void RootPort::cycle_hints(const In& in, Cycle& now) const {
  now.hints_in = {.enable = regs_.hint_control.enable,
                  .len_en = modes_of(regs_.policy).with_length(),
                  .interval = intervals(regs_.hint_control),
                  .level = load_.level(),
                  .in_valid = in.hint_valid,
                  .granule = in.hint_granule};
  now.hints = hints_.eval(now.hints_in);  // nothing in it depends on the memory queue's ready
}

RootPort::Cycle RootPort::cycle(const In& in) const {
  Cycle now;
  const CxlPort::Out port = port_.eval({{}, in.link});
  now.policy_written = in.reg.valid && in.reg.write && (in.reg.addr & 0xFFC) == regs::rp::kPolicy;

  cycle_route(in, now);
  const RegisterAccess& access = now.structures;
  now.isolation_in.valid = access.valid && block_of(access.addr) == Block::kIsolation;
  now.isolation_in.write = access.write;
  now.isolation_in.addr = access.addr & 0xFFF;
  now.isolation_in.wdata = access.wdata;
  // In the first cycle of a link init_done still speaks of the one before.
  now.isolation_in.link_up = port.link.cm_link_up && link_was_up_ && port.messages.init_done;
  now.isolation_in.abort = port.messages.abort;
  now.isolation = isolation_.eval(now.isolation_in);
  now.down = !now.isolation_in.link_up || now.isolation_in.abort;
  now.memory_in.isolate = now.isolation.isolated;
  now.memory_in.down = now.down;

  const SrQueue::Out queue = queue_.eval({});
  now.reader_in.policy = policy();
  now.reader_in.modes = modes_of(regs_.policy);
  now.reader_in.gran = load_.state();
  now.reader_in.level = load_.level();
  now.reader_in.flush = now.policy_written;
  now.reader_in.rd_valid = queue.rd_valid;
  now.reader_in.rd_is_load = queue.rd_is_load;
  now.reader_in.rd_line = queue.rd_line;
  now.reader_in.rd_index = queue.rd_index;
  now.reader_in.rd_head = queue.rd_head;
  now.reader_in.loads = queue.loads;
  const MemoryQueueBlock::Out memory = memory_.eval({});
  now.reader_in.mem = memory.lines;
  now.reader_in.spec_ready = memory.spec_ready;
  now.reader = reader_.eval(now.reader_in);

  cycle_stores(in, now);
  MemoryQueueBlock::In& m = now.memory_in;
  m.in_valid = now.stores.mq_valid;
  if (now.stores.mq_valid) m.in_req = now.stores.mq_req;
  m.spec_valid = now.reader.spec_valid;
  m.spec = now.reader.run;
  m.spec_line = now.reader.spec_line;
  m.len_en = modes_of(regs_.policy).with_length();
  cycle_hints(in, now);
  m.hint_valid = now.hints.hint_valid;
  m.hint = now.hints.run;
  m.req_ready = port.messages.tx_nd_ready;
  m.rwd_ready = port.messages.tx_wd_ready;
  if (port.messages.rx_wd_valid) {
    const auto drs = flits::unpack<flits::S2mDrs>(port.messages.rx_wd.header);
    m.drs = {true,
             drs.tag,
             static_cast<unsigned>(drs.dev_load),
             drs.poison,
             port.messages.rx_wd.data,
             static_cast<unsigned>(drs.opcode),
             drs.ld_id};
  }
  if (port.messages.rx_nd_valid) {
    const auto ndr = flits::unpack<flits::S2mNdr>(port.messages.rx_nd_hdr);
    m.ndr = {true,     ndr.tag, static_cast<unsigned>(ndr.dev_load),
             false,    {},      static_cast<unsigned>(ndr.opcode),
             ndr.ld_id};
  }
  m.rsp_ready = now.stores.mq_rsp_ready;
  m.tick = now.isolation.tick;
  now.memory = memory_.eval(m);
  now.hints_in.hint_ready = now.memory.hint_ready;
  now.isolation_in.timed_out = now.memory.timed_out;
  now.isolation_in.busy = now.memory.busy;

  now.stores_in.engine.mq_ready = now.memory.in_ready;
  now.stores_in.rsp_taken = now.memory.rsp_taken;
  now.stores_in.dev_load = static_cast<DevLoad>(now.memory.rsp_dev_load);
  stores_.hear_ready(now.stores, now.stores_in);
  now.quiet = !in.req_valid && now.stores.empty && !now.memory.busy && under_way_ == 0;

  now.queue_in.in_valid = now.stores.sr_valid;
  now.queue_in.in_req = in.req;
  now.queue_in.head_ready = now.stores.head_ready;
  now.queue_in.rd_next = now.reader.rd_next;
  const bool enqueued = in.req_valid && now.stores.req_ready;
  now.queue_in.beside = enqueued && !now.stores.sr_valid;
  now.queue = queue_.eval(now.queue_in);

  now.profiler_in.load = enqueued && !in.req.is_write;
  now.profiler_in.store = enqueued && in.req.is_write;
  now.profiler_in.spec = now.memory.req_valid && now.memory.req_is_spec && m.req_ready;
  now.profiler_in.rsp_valid = now.memory.rsp_taken;
  now.profiler_in.dev_load = now.stores_in.dev_load;
  now.load_in = {now.policy_written, now.memory.rsp_taken, now.profiler_in.dev_load};

  CxlController::In& c = now.port_in.messages;
  c.tx_flush = now.down;
  c.tx_nd_valid = now.memory.req_valid;
  c.tx_nd_hdr = now.memory.req_header();
  c.tx_wd_valid = now.memory.rwd_valid;
  if (c.tx_wd_valid) {
    c.tx_wd = {now.memory.rwd_header(), now.memory.rwd->data, now.memory.rwd->byte_enable};
  }
  c.rx_nd_ready = now.memory.ndr_ready;
  c.rx_wd_ready = now.memory.drs_ready;
  c.viral = regs_.viral.port;
  c.control = link_regs_.eval().control;
  cycle_io(in, port.link, now);
  now.port = port_.eval(now.port_in);
  now.io_in.io_tx_ready = now.port.link.io_tx_ready;
  if (now.port.link.io_rx_valid) now.io_in.io_rx = now.port.link.rx_flit.payload;
  cycle_ras(now);
  cycle_port_config(in, now);
  now.link_regs_in = {.valid = access.valid && block_of(access.addr) == Block::kLink,
                      .write = access.write,
                      .addr = access.addr & 0xFFF,
                      .wdata = access.wdata,
                      .link_up = now.port.link.cm_link_up,
                      .status = now.port.messages.status};
  return now;
}

RootPort::Out RootPort::eval(const In& in) const {
  const Cycle now = cycle(in);
  Out out;
  out.req_ready = now.stores.req_ready;
  out.hint_ready = now.hints.in_ready;
  out.rsp_valid = now.stores.rsp_valid;
  if (out.rsp_valid) out.rsp = now.stores.rsp;
  out.lm_valid = now.stores.lm_valid;
  out.lm_req = now.stores.lm_req;
  out.lm_line = region_base(regs_) / kLineBytes + out.lm_req.slot;
  out.lm_rsp_ready = now.stores.lm_rsp_ready;
  out.rdata = rdata_ | access_.eval().rdata | (routed_ ? 0 : structures_rdata());
  out.port = now.port;
  out.isolated = now.isolation.isolated;
  out.refuse = now.memory.refuse;
  out.viral = regs_.viral.port;
  out.stores_on = stores_on_;
  out.queue_level = queue_.count();
  out.granularity = load_.state();
  out.ds_events = now.stores.events;
  out.ds_count = now.stores.count;
  return out;
}

regs::rp::Regs RootPort::registers(const Cycle& now) const {
  regs::rp::Regs regs = regs_;
  const PortCounters& counters = profiler_.eval({}).counters;
  const auto responses = [&](DevLoad load) {
    return counters.responses[static_cast<std::size_t>(load)];
  };
  regs.state.gran = static_cast<std::uint32_t>(load_.state());
  regs.loads.count = counters.loads;
  regs.stores.count = counters.stores;
  regs.specs.count = counters.specs;
  regs.light.count = responses(DevLoad::Light);
  regs.optimal.count = responses(DevLoad::Optimal);
  regs.moderate.count = responses(DevLoad::Moderate);
  regs.severe.count = responses(DevLoad::Severe);
  show(now.reader.counters, regs);
  show(now.hints.counters, regs);
  regs.unexpected.count = now.memory.unexpected;
  regs.ds_status = {.on = stores_on_,
                    .empty = now.stores.empty,
                    .error = now.stores.error,
                    .count = now.stores.count};
  regs.sr_cap = {.sr_queue = kDefaultRtl.sr_queue_entries,
                 .memory_queue = kDefaultRtl.memory_queue_entries,
                 .ring = kDefaultRtl.ring_entries,
                 .spec_granules = kDefaultRtl.spec_cap_bytes / 256};
  regs.ds_cap = {.slots = stores_params_.depth, .writes = stores_params_.writes};
  return regs;
}

// What happens in a cycle is stronger than what is written in it. Nothing but reset ends viral.
void RootPort::clock_viral(const In& in, const Cycle& now, bool fatal) {
  const bool heard = now.port.messages.viral;
  regs_.viral.port |= fatal || in.viral || heard;
  regs_.viral.device |= heard;
}

void RootPort::clock_stores(const In& in, const Cycle& now) {
  if (now.quiet) stores_on_ = regs_.ds_control.enable;
  if (in.req_valid && now.stores.req_ready) ++under_way_;
  if (now.stores.rsp_valid && in.rsp_ready) --under_way_;
  count(now.stores.events, regs_);
}

void RootPort::clock(const In& in) {
  const Cycle now = cycle(in);
  const bool fatal = turns_viral();
  const bool locked = stores_on_;
  const bool vendor = in.reg.valid && block_of(in.reg.addr) == Block::kVendor;
  const std::uint32_t offset = in.reg.addr & 0xFFC;
  rdata_ = vendor && !in.reg.write ? registers(now).word_at(offset) : 0;
  clock_stores(in, now);
  if (vendor && in.reg.write) regs_.write_at(offset, in.reg.wdata, locked);
  clock_viral(in, now, fatal);
  // The parts keep pointers into each other's state in their inputs: the readers of a part go
  // before the part itself.
  link_was_up_ = now.port.link.cm_link_up;
  port_.clock(now.port_in);
  access_.clock(now.access_in);
  route_.clock(now.route_in);
  port_config_.clock(now.port_config_in);
  routed_ = now.route.reg.valid;
  requester_.clock(now.requester_in);
  io_.clock(now.io_in);
  retrain_.clock(now.retrain_in);
  ras_.clock(now.ras_in);
  link_regs_.clock(now.link_regs_in);
  profiler_.clock(now.profiler_in);
  load_.clock(now.load_in);
  isolation_.clock(now.isolation_in);
  reader_.clock(now.reader_in);
  if (now.policy_written) reader_.use_stream_sets(regs_.policy.stream_sets);
  stores_.clock(now.stores_in, now.stores);
  hints_.clock(now.hints_in);
  memory_.clock(now.memory_in);
  queue_.clock(now.queue_in);
}

}  // namespace cxlgpu
