// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/host_bridge/host_bridge.hpp"

#include <bit>
#include <cassert>

namespace cxlgpu {
namespace {

constexpr unsigned kGranuleShift = 8;

}  // namespace

std::optional<unsigned> route(const HdmDecoder& decoder, std::uint64_t hpa, unsigned ports,
                              std::uint8_t port_number_base) {
  const auto decoded = decoder.decode(hpa);
  if (!decoded) return std::nullopt;
  const unsigned port = decoded->target - port_number_base;  // below the base: wraps, far too large
  if (port >= ports) return std::nullopt;
  return port;
}

MemResponse decode_error_response(const MemRequest& request) {
  MemResponse rsp;
  rsp.id = request.id;
  rsp.is_write = request.is_write;
  rsp.error = true;
  if (!request.is_write) rsp.data.fill(0xff);
  return rsp;
}

std::optional<unsigned> RoundRobin::pick(std::uint32_t wanting) const {
  if (wanting == 0) return std::nullopt;
  const std::uint32_t from_next = wanting & (~std::uint32_t{0} << next_);
  return static_cast<unsigned>(std::countr_zero(from_next != 0 ? from_next : wanting));
}

HostBridge::HostBridge(unsigned ports, std::uint8_t port_number_base, unsigned decoders,
                       unsigned hint_depth)
    : ports_(ports),
      port_number_base_(port_number_base),
      decoder_(HdmDecoder::Role::HostBridge, decoders),
      walker_(hint_depth),
      answers_{Answers{RoundRobin(ports + 1), {}}, Answers{RoundRobin(ports + 1), {}}} {
  assert(ports <= kMaxRootPorts);
}

// Without a request the decode is a miss.
unsigned HostBridge::way_of(const In& in) const {
  if (!in.req_valid) return ports_;
  if (kept_way_) return *kept_way_;
  return route(decoder_, in.req.addr, ports_, port_number_base_).value_or(ports_);
}

HintWalker::In HostBridge::walker_in(const In& in) const {
  HintWalker::In w;
  w.in_valid = in.hint_valid;
  w.first = in.hint_first;
  w.len = in.hint_len;
  w.free = !in.req_valid || kept_way_;
  w.port_ready = in.port_hint_ready;
  const HintWalker::Out out = walker_.eval(w);
  if (out.ask) w.target = route(decoder_, out.granule << kGranuleShift, ports_, port_number_base_);
  return w;
}

std::uint32_t HostBridge::offers(const In& in, bool writes) const {
  std::uint32_t offers = 0;
  for (unsigned port = 0; port < ports_; ++port) {
    const bool offered = (in.rsp_valid >> port & 1) != 0;
    if (offered && in.rsp[port].is_write == writes) offers |= 1u << port;
  }
  const auto& local = waiting_[ports_];
  if (local && local->is_write == writes) offers |= 1u << ports_;
  return offers;
}

std::optional<unsigned> HostBridge::granted(const In& in, bool writes) const {
  return answers_[writes].granted(offers(in, writes), writes ? in.b_ready : in.r_ready);
}

bool HostBridge::leaves(const In& in, unsigned way) const {
  if (!waiting_[way]) return false;
  return way < ports_ ? (in.port_ready >> way & 1) != 0
                      : granted(in, waiting_[way]->is_write) == ports_;
}

HostBridge::Out HostBridge::eval(const In& in) const {
  Out out;
  const unsigned way = way_of(in);
  out.req_ready = !waiting_[way] || leaves(in, way);
  for (unsigned port = 0; port < ports_; ++port) {
    if (!waiting_[port]) continue;
    out.port_valid |= 1u << port;
    out.port_req[port] = &*waiting_[port];
  }
  for (const bool writes : {false, true}) {
    const auto source = granted(in, writes);
    if (source && *source < ports_) out.rsp_ready |= 1u << *source;
  }
  out.r = answers_[false].taken;
  out.b = answers_[true].taken;
  out.rdata = decoder_.eval(in.registers).rdata | rdata_;
  const HintWalker::Out walker = walker_.eval(walker_in(in));
  out.port_hint_valid = static_cast<std::uint32_t>(walker.port_valid);
  out.port_hint_granule = walker.port_granule;
  return out;
}

void HostBridge::collect(const In& in, bool writes, std::optional<unsigned> source) {
  Answers& answers = answers_[writes];
  if (writes ? in.b_ready : in.r_ready) answers.taken.reset();
  if (!source) return;
  answers.arbiter.grant(*source);
  answers.taken = *source < ports_ ? in.rsp[*source] : decode_error_response(*waiting_[ports_]);
}

void HostBridge::clock_hints(const In& in) {
  const HintWalker::In walker_in = this->walker_in(in);
  const HintWalker::Out walker = walker_.eval(walker_in);
  const HdmDecoder::In& access = in.registers;
  rdata_ = access.valid && !access.write ? regs_.word_at(access.addr & 0xfff) : 0;
  regs_.hints.count += in.hint_valid ? 1 : 0;
  regs_.hints_lost.count += walker.lost ? 1 : 0;
  regs_.hint_misses.count += walker.miss ? 1 : 0;
  walker_.clock(walker_in);
}

void HostBridge::clock(const In& in) {
  const Out now = eval(in);
  const unsigned into = way_of(in);
  const std::array sources = {granted(in, false), granted(in, true)};
  std::uint32_t left = 0;
  for (unsigned way = 0; way <= ports_; ++way) {
    if (leaves(in, way)) left |= 1u << way;
  }
  for (const bool writes : {false, true}) collect(in, writes, sources[writes]);
  for (unsigned way = 0; way <= ports_; ++way) {
    if ((left >> way & 1) != 0) waiting_[way].reset();
  }
  kept_way_.reset();
  if (in.req_valid) {
    if (now.req_ready) {
      waiting_[into] = in.req;
    } else {
      kept_way_ = into;
    }
  }
  clock_hints(in);
  decoder_.clock(in.registers);
}

}  // namespace cxlgpu
