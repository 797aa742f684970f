// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host that makes one request at a time, for tests of both ends of CXL.io.
//
// Purpose: drives io_pair_tb.sv, carries the flits over two wires, collects responses and events.
// Units:   cycles; byte addresses.
// Errors:  what never happens throws std::runtime_error; Bench::read and its like throw too if the
//          device does not answer with success.
// Source:  docs/blocks/cxl_io/README.md.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vio_pair.h"
#include "tests/cxl_io/io_wire.hpp"

namespace cxlgpu::test {

constexpr std::uint32_t kOnes = 0xffff'ffff;
constexpr unsigned kCplTimeout = 20000;  // of io_pair_tb.sv

enum class Op : unsigned { kCfgRd0, kCfgWr0, kCfgRd1, kCfgWr1, kMemRd, kMemWr };
enum class Status : unsigned { kSuccess = 0, kUnsupported = 1, kAbort = 4, kNoAnswer = 7 };

struct Response {
  Status status;
  std::uint32_t data;
  bool operator==(const Response&) const = default;
};
inline void PrintTo(const Response& r, std::ostream* os) {
  *os << "status " << static_cast<unsigned>(r.status) << " data 0x" << std::hex << r.data
      << std::dec;
}
constexpr Response kDone{Status::kSuccess, 0};
constexpr Response kUnsupportedRead{Status::kUnsupported, kOnes};
constexpr Response kUnsupportedWrite{Status::kUnsupported, 0};
constexpr Response kNoAnswer{Status::kNoAnswer, kOnes};

constexpr std::uint64_t function_address(unsigned bus, unsigned device, unsigned function,
                                         unsigned offset = 0) {
  return std::uint64_t{bus} << 20 | device << 15 | function << 12 | offset;
}

struct Conditions {
  std::uint64_t seed = 1;
  unsigned damage_percent = 0;
  unsigned ready_percent = 100;  // of the cycles in which the wire takes a flit
  unsigned down_delay = 20;      // cycles, to the endpoint
  unsigned up_delay = 20;
};

class Bench {
 public:
  explicit Bench(const Conditions& c)
      : random(c.seed), to_ep(c.down_delay), to_rp(c.up_delay), ready_percent_(c.ready_percent) {
    to_ep.set_damage(c.damage_percent);
    to_rp.set_damage(c.damage_percent);
    rtl_->rsp_ready_i = 0;
    rtl_.reset();
    rtl_->mem_active_i = 1;
    rtl_->link_up_i = 1;
  }

  Random random;
  Wire to_ep, to_rp;
  SendChecker rp_sent, ep_sent;
  std::vector<Flit> rp_first, ep_first;  // the first flits sent

  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  // Pulses of event_o: 0 unsupported request, 1 abort, 2 poisoned write, 3 unexpected completion.
  [[nodiscard]] std::uint64_t events(unsigned bit) const { return events_[bit]; }
  [[nodiscard]] std::uint64_t unexpected() const { return unexpected_; }
  // Ack out of range, malformed TLP, no room.
  [[nodiscard]] std::uint64_t fatal_errors() const { return fatal_errors_; }
  [[nodiscard]] std::size_t stray_responses() const { return responses_.size(); }
  [[nodiscard]] bool mem_enable() { return rtl_->mem_enable_o != 0; }
  void set_mem_active(bool active) { rtl_->mem_active_i = active; }

  // The device address of a host address, as the endpoint decodes it.
  std::optional<std::uint64_t> translate(std::uint64_t hpa) {
    rtl_->hpa_line_i = hpa / 64;
    rtl_.settle();
    if (rtl_->hit_o == 0) return std::nullopt;
    return std::uint64_t{rtl_->dpa_line_o} * 64;
  }

  void step() {
    rtl_->rp_tx_ready_i = random.percent(ready_percent_);
    rtl_->ep_tx_ready_i = random.percent(ready_percent_);
    rtl_->rsp_ready_i = random.percent(50);
    receive(to_ep, rtl_->ep_rx_valid_i, rtl_->ep_rx_data_i);
    receive(to_rp, rtl_->rp_rx_valid_i, rtl_->rp_rx_data_i);
    rtl_.settle();
    if (rtl_->rp_tx_valid_o && rtl_->rp_tx_ready_i)
      sent(get_line(rtl_->rp_tx_data_o), rp_sent, rp_first, to_ep);
    if (rtl_->ep_tx_valid_o && rtl_->ep_tx_ready_i)
      sent(get_line(rtl_->ep_tx_data_o), ep_sent, ep_first, to_rp);
    if (rtl_->rsp_valid_o && rtl_->rsp_ready_i)
      responses_.push_back({static_cast<Status>(get_bits(rtl_->rsp_o, 32, 3)),
                            static_cast<std::uint32_t>(get_bits(rtl_->rsp_o, 0, 32))});
    count_events();
    rtl_.edge();
    ++cycle_;
  }
  void steps(std::uint64_t n) {
    for (; n > 0; --n) step();
  }

  void bring_up() {
    step_until([this] { return rtl_->rp_dl_up_o && rtl_->ep_dl_up_o; },
               "data link does not come up");
  }
  // Both ends lose the link, and what is on the wire with it.
  void bounce(std::uint64_t cycles_down) {
    rtl_->link_up_i = 0;
    steps(cycles_down);
    to_ep.clear();
    to_rp.clear();
    rp_sent.link_down();
    ep_sent.link_down();
    rtl_->link_up_i = 1;
    bring_up();
  }

  // As far as the root port alone is up; the endpoint waits for what is on the wire.
  void root_port_up() {
    step_until([this] { return rtl_->rp_dl_up_o != 0; },
               "the root port's data link does not come up");
  }
  [[nodiscard]] bool endpoint_is_up() { return rtl_->ep_dl_up_o != 0; }

  void start(Op op, std::uint64_t address, std::uint32_t data = 0, unsigned enables = 0xf) {
    set_bits(rtl_->req_i, 100, 3, static_cast<unsigned>(op));
    set_bits(rtl_->req_i, 36, 64, address);
    set_bits(rtl_->req_i, 32, 4, enables);
    set_bits(rtl_->req_i, 0, 32, data);
    rtl_->req_valid_i = 1;
    rtl_.settle();
    step_until([this] { return rtl_->req_ready_o != 0; }, "request not taken");
    if (!responses_.empty()) throw std::runtime_error("a response without a request");
    step();
    rtl_->req_valid_i = 0;
  }
  Response finish() {
    step_until([this] { return !responses_.empty(); }, "request not answered");
    const Response response = responses_.front();
    responses_.pop_front();
    return response;
  }
  Response request(Op op, std::uint64_t address, std::uint32_t data = 0, unsigned enables = 0xf) {
    start(op, address, data, enables);
    return finish();
  }

  // The device at 1:0.0 and its memory: these must succeed.
  std::uint32_t config_read(unsigned offset) {
    return succeed(request(Op::kCfgRd0, function_address(1, 0, 0, offset)));
  }
  void config_write(unsigned offset, std::uint32_t data, unsigned enables = 0xf) {
    EXPECT_EQ(succeed(request(Op::kCfgWr0, function_address(1, 0, 0, offset), data, enables)), 0u);
  }
  std::uint32_t read(std::uint64_t address) { return succeed(request(Op::kMemRd, address)); }
  void write(std::uint64_t address, std::uint32_t data, unsigned enables = 0xf) {
    EXPECT_EQ(succeed(request(Op::kMemWr, address, data, enables)), 0u);
  }

 private:
  template <typename Condition>
  void step_until(Condition condition, const char* what) {
    const std::uint64_t limit = cycle_ + 3 * kCplTimeout;
    while (!condition()) {
      if (cycle_ == limit) throw std::runtime_error(what);
      step();
    }
  }
  static std::uint32_t succeed(const Response& response) {
    if (response.status != Status::kSuccess)
      throw std::runtime_error("status " + std::to_string(static_cast<unsigned>(response.status)));
    return response.data;
  }
  template <typename Data>
  void receive(Wire& wire, CData& valid, Data& data) {
    const std::optional<Flit> flit = wire.receive(cycle_);
    valid = flit.has_value();
    if (flit) set_line(data, 0, *flit);
  }
  void sent(const Flit& flit, SendChecker& checker, std::vector<Flit>& first, Wire& wire) {
    const bool up = rtl_->link_up_i != 0;
    checker.flit(flit, up);
    if (!up) return;
    if (first.size() < 64) first.push_back(flit);
    wire.send(cycle_, flit, random);
  }
  void count_events() {
    for (unsigned bit = 0; bit < 4; ++bit) events_[bit] += get_bits(rtl_->event_o, bit, 1);
    unexpected_ += rtl_->unexpected_o;
    fatal_errors_ += (rtl_->rp_err_o >> 5 & 7) != 0;
    fatal_errors_ += (rtl_->ep_err_o >> 5 & 7) != 0;
  }

  Clocked<Vio_pair> rtl_;
  std::deque<Response> responses_;
  std::array<std::uint64_t, 4> events_{};
  std::uint64_t cycle_ = 0, unexpected_ = 0, fatal_errors_ = 0;
  unsigned ready_percent_;
};

inline void expect_quiet(Bench& bench, std::uint64_t unsupported, std::uint64_t unexpected = 0) {
  bench.steps(100);
  EXPECT_EQ(bench.rp_sent.wrong(), "");
  EXPECT_EQ(bench.ep_sent.wrong(), "");
  EXPECT_EQ(bench.unexpected(), unexpected);
  EXPECT_EQ(bench.stray_responses(), 0u);
  EXPECT_EQ(bench.fatal_errors(), 0u);
  EXPECT_EQ(bench.events(0), unsupported);
  EXPECT_EQ(bench.events(2), 0u);
  EXPECT_EQ(bench.events(3), 0u);
}

}  // namespace cxlgpu::test
