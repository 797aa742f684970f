// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_route.hpp"

#include "common/register_types.hpp"

namespace cxlgpu {

namespace component = regs::component;

namespace {

// Own registers: windows of BAR0 onto the port's register page, and what never changes.
struct RegisterWindow {
  unsigned first, bytes, page;
};
constexpr RegisterWindow kWindows[] = {
    {0x1200, 0x80, 0x100}, {0x1300, 0x40, 0x200}, {0x1400, 0x10, 0x000}};
constexpr component::Regs kArray = [] {
  component::Regs regs;
  regs.header.array_size = 5;
  regs.entry[0].header = {.id = 2, .version = 2, .offset = 0x200};  // RAS
  regs.entry[1].header = {.id = 4, .version = 2, .offset = 0x300};  // link
  regs.entry[2].header = {.id = 9, .version = 1, .offset = 0x400};  // timeout and isolation
  regs.entry[3].header = {.id = 6, .version = 1, .offset = 0x410};  // extended security
  regs.entry[4].header = {.id = 8, .version = 1, .offset = 0x420};  // snoop filter
  return regs;
}();
constexpr unsigned kAllBytes = 0xf;

bool within(std::uint64_t value, std::uint64_t base, std::uint64_t limit) {
  return base <= value && value <= limit;
}

bool opens(const BridgeWindows& windows, std::uint64_t address) {
  const std::uint64_t mib = address >> 20;
  return within(mib, windows.mem_base, windows.mem_limit) ||
         within(mib, windows.pre_base, windows.pre_limit);
}

}  // namespace

IoResponse IoRoute::answer(CplStatus status, std::uint32_t read_data) const {
  if (is_write(request_.op)) return {status, 0};
  return {status, status == CplStatus::kSuccess ? read_data : 0xffff'ffff};
}

IoRoute::Way IoRoute::config_way(unsigned device, const Bridge& bridge) const {
  const bool write = is_write(request_.op);
  const unsigned bus = request_.addr >> 20 & 0xff;
  if (bus == 0) {
    const unsigned function = request_.addr >> 12 & 0xff;  // device, function
    if (function != device << 3) return answer(CplStatus::kUnsupported);
    return CfgAccess{.valid = true,
                     .write = write,
                     .word = static_cast<unsigned>(request_.addr >> 2 & 0x3ff),
                     .enables = write ? request_.enables : 0,
                     .data = write ? request_.data : 0};
  }
  const bool alternate = bridge.alt && within(bus, bridge.alt_bus_base, bridge.alt_bus_limit);
  const bool next = bus == bridge.secondary || (alternate && bus == bridge.alt_bus_base);
  const bool beyond = (bridge.secondary < bus && bus <= bridge.subordinate) || alternate;
  if (!next && !beyond) return answer(CplStatus::kUnsupported);
  IoRequest down = request_;
  if (next) {
    down.op = write ? IoOp::kCfgWr0 : IoOp::kCfgRd0;
  } else {
    down.op = write ? IoOp::kCfgWr1 : IoOp::kCfgRd1;
  }
  return down;
}

IoRoute::Way IoRoute::register_way() const {
  const bool write = is_write(request_.op);
  const unsigned offset = request_.addr & 0xfffc;
  if (write && request_.enables == 0) return answer(CplStatus::kSuccess);
  if (write && request_.enables != kAllBytes) return answer(CplStatus::kAbort);
  for (const RegisterWindow& window : kWindows) {
    if (offset < window.first || offset >= window.first + window.bytes) continue;
    return RegAccess{.valid = true,
                     .write = write,
                     .addr = window.page + offset - window.first,
                     .data = write ? request_.data : 0};
  }
  return answer(CplStatus::kSuccess, kArray.word_at(offset));
}

IoRoute::Way IoRoute::way(unsigned device, const Bridge& bridge) const {
  if (!is_memory(request_.op)) return config_way(device, bridge);
  if (bridge.mem_space && request_.addr >> 16 == bridge.bar0) return register_way();
  // The alternates do not ask for memory space.
  if ((bridge.mem_space && opens(bridge.windows, request_.addr)) ||
      (bridge.alt && opens(bridge.alt_windows, request_.addr))) {
    return request_;
  }
  return answer(CplStatus::kUnsupported);
}

IoRoute::Out IoRoute::eval(const In& in) const {
  Out out{.req_ready = state_ == State::kIdle, .down_rsp_ready = state_ == State::kWait};
  if (state_ == State::kRespond) out.rsp = response_;
  if (state_ == State::kDown) out.down = request_;
  if (state_ == State::kRoute) {
    const Way found = way(in.device, in.bridge);
    if (const auto* config = std::get_if<CfgAccess>(&found)) out.cfg = *config;
    if (const auto* own = std::get_if<RegAccess>(&found); own && !in.reg_busy) out.reg = *own;
  }
  return out;
}

void IoRoute::route(const In& in) {
  const Way found = way(in.device, in.bridge);
  if (const auto* answered = std::get_if<IoResponse>(&found)) {
    response_ = *answered;
    state_ = State::kRespond;
  } else if (const auto* down = std::get_if<IoRequest>(&found)) {
    request_ = *down;
    state_ = State::kDown;
  } else if (own_config_ = std::holds_alternative<CfgAccess>(found); own_config_ || !in.reg_busy) {
    state_ = State::kData;
  }
}

void IoRoute::clock(const In& in) {
  switch (state_) {
    case State::kIdle:
      if (!in.req) return;
      request_ = *in.req;
      state_ = State::kRoute;
      return;
    case State::kRoute:
      return route(in);
    case State::kData:
      response_ = answer(CplStatus::kSuccess, own_config_ ? in.cfg_rdata : in.reg_rdata);
      state_ = State::kRespond;
      return;
    case State::kDown:
      if (in.down_ready) state_ = State::kWait;
      return;
    case State::kWait:
      if (!in.down_rsp) return;
      response_ = *in.down_rsp;
      state_ = State::kRespond;
      return;
    case State::kRespond:
      if (in.rsp_ready) state_ = State::kIdle;
      return;
  }
}

}  // namespace cxlgpu
