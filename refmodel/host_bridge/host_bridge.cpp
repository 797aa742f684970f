#include "refmodel/host_bridge/host_bridge.hpp"

#include <bit>
#include <cassert>

namespace cxlgpu {

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

HostBridge::HostBridge(unsigned ports, std::uint8_t port_number_base, unsigned decoders)
    : ports_(ports),
      port_number_base_(port_number_base),
      decoder_(HdmDecoder::Role::HostBridge, decoders),
      arbiter_(ports + 1) {
  assert(ports <= kMaxRootPorts);
}

std::optional<unsigned> HostBridge::granted(const In& in) const {
  if (response_ && !in.rsp_ready) return std::nullopt;
  const bool local = head_ && !head_port_;
  return arbiter_.pick(in.rsp_valid | (local ? 1u << ports_ : 0u));
}

bool HostBridge::head_leaves(const In& in) const {
  if (!head_) return false;
  return head_port_ ? (in.port_ready >> *head_port_) & 1 : granted(in) == ports_;
}

HostBridge::Out HostBridge::eval(const In& in) const {
  Out out;
  out.req_ready = !head_ || head_leaves(in);
  if (head_ && head_port_) {
    out.port_valid = 1u << *head_port_;
    out.port_req = &*head_;
  }
  const auto source = granted(in);
  if (source && *source < ports_) out.rsp_ready = 1u << *source;
  out.rsp_valid = response_.has_value();
  if (response_) out.rsp = *response_;
  out.rdata = decoder_.eval(in.registers).rdata;
  return out;
}

void HostBridge::clock(const In& in) {
  const Out now = eval(in);
  const auto source = granted(in);
  if (response_ && in.rsp_ready) response_.reset();
  if (source) {
    arbiter_.grant(*source);
    response_ = *source < ports_ ? in.rsp[*source] : decode_error_response(*head_);
  }
  if (now.req_ready) {
    head_.reset();
    if (in.req_valid) {
      head_ = in.req;
      head_port_ = route(decoder_, in.req.addr, ports_, port_number_base_);
    }
  }
  decoder_.clock(in.registers);
}

}  // namespace cxlgpu
