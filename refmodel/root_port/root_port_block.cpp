#include "refmodel/root_port/root_port_block.hpp"

#include "flits/messages.hpp"
#include "refmodel/common/registers.hpp"

namespace cxlgpu {

RootPortBlock::Cycle RootPortBlock::cycle(const In& in) const {
  Cycle now;
  const CxlPort::Out port = port_.eval({{}, in.link});
  const bool vendor = (in.reg.addr & 0x800) != 0;
  now.policy_written = in.reg.valid && in.reg.write && (in.reg.addr & 0xFFC) == regs::rp::kPolicy;

  now.isolation_in.valid = in.reg.valid && !vendor;
  now.isolation_in.write = in.reg.write;
  now.isolation_in.addr = in.reg.addr & 0xFFF;
  now.isolation_in.wdata = in.reg.wdata;
  now.isolation_in.link_up = port.link.cm_link_up && port.messages.init_done;
  now.isolation_in.abort = port.messages.abort;
  now.isolation = isolation_.eval(now.isolation_in);

  const SrQueue::Out queue = queue_.eval({});
  now.reader_in.policy = policy_;
  now.reader_in.length_enabled = length_enabled_;
  now.reader_in.clip_log2 = clip_log2_;
  now.reader_in.gran = load_.state();
  now.reader_in.flush = now.policy_written;
  now.reader_in.rd_valid = queue.rd_valid;
  now.reader_in.rd_is_load = queue.rd_is_load;
  now.reader_in.rd_line = queue.rd_line;
  now.reader_in.rd_index = queue.rd_index;
  now.reader_in.loads = queue.loads;
  const MemoryQueueBlock::Out memory = memory_.eval({});
  now.reader_in.mem = memory.lines;
  now.reader_in.spec_ready = memory.spec_ready;
  now.reader = reader_.eval(now.reader_in);

  MemoryQueueBlock::In& m = now.memory_in;
  m.in_valid = queue.head_valid;
  if (queue.head_valid) m.in_req = *queue.head;
  m.spec_valid = now.reader.spec_valid;
  m.spec = {now.reader.run, now.reader.spec_line, length_enabled_};
  m.req_ready = port.messages.tx_nd_ready;
  m.rwd_ready = port.messages.tx_wd_ready;
  if (port.messages.rx_wd_valid) {
    const auto drs = flits::unpack<flits::S2mDrs>(port.messages.rx_wd.header);
    m.drs = {true, drs.tag, static_cast<unsigned>(drs.dev_load), drs.poison,
             port.messages.rx_wd.data};
  }
  if (port.messages.rx_nd_valid) {
    const auto ndr = flits::unpack<flits::S2mNdr>(port.messages.rx_nd_hdr);
    m.ndr = {true, ndr.tag, static_cast<unsigned>(ndr.dev_load), false, {}};
  }
  m.rsp_ready = in.rsp_ready;
  m.isolate = now.isolation.isolated;
  m.tick = now.isolation.tick;
  now.memory = memory_.eval(m);
  now.isolation_in.timed_out = now.memory.timed_out;
  now.isolation_in.busy = now.memory.busy;

  now.queue_in.in_valid = in.req_valid;
  now.queue_in.in_req = in.req;
  now.queue_in.head_ready = now.memory.in_ready;
  now.queue_in.rd_next = now.reader.rd_next;
  now.queue = queue_.eval(now.queue_in);

  const bool enqueued = in.req_valid && now.queue.in_ready;
  now.profiler_in.load = enqueued && !in.req.is_write;
  now.profiler_in.store = enqueued && in.req.is_write;
  now.profiler_in.spec = now.memory.req_valid && now.memory.req_is_spec && m.req_ready;
  now.profiler_in.rsp_valid = now.memory.rsp_taken;
  now.profiler_in.dev_load = static_cast<DevLoad>(now.memory.rsp_dev_load);
  now.load_in = {now.policy_written, now.memory.rsp_taken, now.profiler_in.dev_load};

  CxlController::In& c = now.port_in.messages;
  c.tx_flush = now.isolation.isolated;
  c.tx_nd_valid = now.memory.req_valid;
  c.tx_nd_hdr = now.memory.req_header();
  c.tx_wd_valid = now.memory.rwd_valid;
  if (c.tx_wd_valid) {
    c.tx_wd = {now.memory.rwd_header(), now.memory.rwd->data, now.memory.rwd->byte_enable};
  }
  c.rx_nd_ready = now.memory.ndr_ready;
  c.rx_wd_ready = now.memory.drs_ready;
  now.port_in.link = in.link;
  now.port = port_.eval(now.port_in);
  return now;
}

RootPortBlock::Out RootPortBlock::eval(const In& in) const {
  const Cycle now = cycle(in);
  Out out;
  out.req_ready = now.queue.in_ready;
  out.rsp_valid = now.memory.rsp_valid;
  if (out.rsp_valid) out.rsp = now.memory.rsp;
  out.rdata = rdata_ | now.isolation.rdata;
  out.port = now.port;
  out.isolated = now.isolation.isolated;
  return out;
}

std::uint32_t RootPortBlock::read(std::uint32_t offset, const Cycle& now) const {
  namespace rp = regs::rp;
  const PortCounters& count = profiler_.eval({}).counters;
  const auto responses = [&](DevLoad load) {
    return count.responses[static_cast<std::size_t>(load)];
  };
  switch (offset) {
    case rp::kPolicy:
      return rp::kPolicySelect.put(static_cast<std::uint32_t>(policy_)) |
             rp::kPolicyLenEnable.put(length_enabled_) | rp::kPolicyClipLog2.put(clip_log2_);
    case rp::kState:
      return rp::kStateGran.put(static_cast<std::uint32_t>(load_.state()));
    case rp::kLoads:
      return count.loads;
    case rp::kStores:
      return count.stores;
    case rp::kSpecs:
      return count.specs;
    case rp::kLight:
      return responses(DevLoad::Light);
    case rp::kOptimal:
      return responses(DevLoad::Optimal);
    case rp::kModerate:
      return responses(DevLoad::Moderate);
    case rp::kSevere:
      return responses(DevLoad::Severe);
    case rp::kSeen:
      return now.reader.counters.loads;
    case rp::kIssued:
      return now.reader.counters.issued;
    case rp::kRingSuppressed:
      return now.reader.counters.covered;
    case rp::kHaltSuppressed:
      return now.reader.counters.halted;
    case rp::kUnexpected:
      return now.memory.unexpected;
    default:
      return 0;
  }
}

void RootPortBlock::clock(const In& in) {
  const Cycle now = cycle(in);
  const bool vendor = (in.reg.addr & 0x800) != 0;
  rdata_ = in.reg.valid && !in.reg.write && vendor ? read(in.reg.addr & 0xFFC, now) : 0;
  if (now.policy_written) {
    policy_ = static_cast<SrPolicy>(regs::rp::kPolicySelect.get(in.reg.wdata));
    length_enabled_ = regs::rp::kPolicyLenEnable.is_set(in.reg.wdata);
    clip_log2_ = regs::rp::kPolicyClipLog2.get(in.reg.wdata);
  }
  // The parts keep pointers into each other's state in their inputs: the readers of a part go
  // before the part itself.
  port_.clock(now.port_in);
  profiler_.clock(now.profiler_in);
  load_.clock(now.load_in);
  isolation_.clock(now.isolation_in);
  reader_.clock(now.reader_in);
  memory_.clock(now.memory_in);
  queue_.clock(now.queue_in);
}

}  // namespace cxlgpu
