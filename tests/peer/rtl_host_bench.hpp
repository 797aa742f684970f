// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The root complex in RTL over a phy to any peer: registers, AXI traffic, a scoreboard.
//
// Purpose: what the peer's test programs share. Firmware is the project's own and reaches
// everything by registers.
//          Lines are checked byte by byte; a byte is forgotten when a write of it ended with an
//          error.
// Units:   cycles; bytes in addresses.
// Errors:  GoogleTest failures; the first few of a run are told in full.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/registers.hpp"
#include "sim/firmware/hdm.hpp"
#include "sim/firmware/io_port.hpp"
#include "tests/common/fields.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/peer/physical_layer.hpp"

namespace cxlgpu::test {

// What of the traffic a test chooses.
struct HostTraffic {
  std::uint64_t requests = 20000;
  unsigned lines = 512;              // drawn from; the fewer, the more often they meet
  unsigned writes = 50;              // percent
  unsigned partial = 40;             // percent of the writes
  unsigned rate = 100;               // percent of the cycles in which another request is offered
  unsigned outstanding = 64;         // at most
  unsigned ready = 100;              // percent of the cycles in which the system takes an answer
  std::uint64_t limit = 60'000'000;  // cycles
};

struct BusCounts {
  std::uint64_t reads = 0, writes = 0, read_errors = 0, write_errors = 0, wrong = 0, cycles = 0;
};

// Top: the verilated tests/peer/rtl_host_tb.sv, with one reading or the other of the wrap value.
template <typename Top>
class BasicRtlHost : public RegisterBus {
 public:
  BasicRtlHost(peer::LinkEnd& device, const PhyOptions& phy_options)
      : phy(phy_options), random(phy_options.seed + 77), device_(device) {
    drive_bus();
    rtl_.reset();
  }

  PhysicalLayer phy;
  QuickRandom random;
  bool hostile = false;          // errors may be answers to anything
  bool hold_back = false;        // no request is offered that has not been
  bool record = false;           // keeps what the device sends
  std::deque<peer::Flit> heard;  // the last CXL.cachemem flits of it
  // Whether the device may answer this read with poison or as no memory.
  std::function<bool(std::uint64_t addr)> may_fail;
  std::function<void()> each_cycle;  // before a cycle
  BusCounts counts;

  // ---- registers ----
  void write(RegisterSpace space, unsigned index, std::uint32_t offset,
             std::uint32_t value) override {
    rtl_->reg_req_i = reg_access(true, page(space, index) + offset, value);
    cycle();
    rtl_->reg_req_i = 0;
  }
  std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) override {
    rtl_->reg_req_i = reg_access(false, page(space, index) + offset);
    cycle();
    rtl_->reg_req_i = 0;
    rtl_.settle();
    return rtl_->reg_rdata_o;
  }
  std::uint32_t port_register(std::uint32_t offset) {
    return read(RegisterSpace::RootPort, 0, offset);
  }
  void port_register(std::uint32_t offset, std::uint32_t value) {
    write(RegisterSpace::RootPort, 0, offset, value);
  }

  // ---- bring-up ----
  [[nodiscard]] bool trained() const { return rtl_->init_done_o != 0; }
  bool train(unsigned limit = 50000) {
    // What the port says of a link that is down is of before.
    for (unsigned i = 0; i < limit && !phy.up(); ++i) cycle();
    idle_for(kGrace);
    for (unsigned i = 0; i < limit && !trained(); ++i) cycle();
    return trained();
  }
  // What firmware does; the range of the device at `base`.
  void bring_up() {
    system = enumerate(*this, 1);
    ranges = plan_ranges(system, {});
    check_ranges(system, ranges);
    // The link down has reset the device (PCIe 2.9.1). The decoder of the host is locked until the
    // host is reset, and what is committed is not written (8.2.5.12.21).
    const std::uint32_t control = read(RegisterSpace::HostBridge, 0, kDecoderControl);
    if (regs::hdm::kDecControlCommitted.is_set(control)) {
      program_device();
    } else {
      program_ranges(*this, system, ranges);
    }
    enable_mem();
    base = ranges.at(0).base;
    size = ranges.at(0).size;
  }
  // The decoder of the device alone, as 8.2.5.12 has it: base, size, skip, control, Commit.
  void program_device() {
    namespace hdm = regs::hdm;
    IoPort io(*this, 0);
    const std::uint32_t at = system.endpoints.at(0).hdm_base;
    const HdmRange& range = ranges.at(0);
    const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
    io.write(at + hdm::kDec + hdm::kDecBaseLow, static_cast<std::uint32_t>(range.base));
    io.write(at + hdm::kDec + hdm::kDecBaseHigh, high(range.base));
    io.write(at + hdm::kDec + hdm::kDecSizeLow, static_cast<std::uint32_t>(range.size));
    io.write(at + hdm::kDec + hdm::kDecSizeHigh, high(range.size));
    io.write(at + hdm::kDec + hdm::kDecListLow, 0);
    io.write(at + hdm::kDec + hdm::kDecListHigh, 0);
    const std::uint32_t control = hdm::kDecControlHostOnly.mask();
    io.write(at + kDecoderControl, control);
    io.write(at + kDecoderControl, control | hdm::kDecControlCommit.mask());
    bool committed = false;
    for (unsigned poll = 0; poll < 1000 && !committed; ++poll) {
      committed = hdm::kDecControlCommitted.is_set(io.read(at + kDecoderControl));
    }
    EXPECT_TRUE(committed) << "the decoder of the device does not commit";
    io.write(at + hdm::kGlobalControl, hdm::kGlobalControlEnable.mask());
  }
  void enable_mem() {
    Function function = endpoint_function(IoPort(*this, 0));
    const std::uint32_t at = system.endpoints.at(0).cxl_dvsec + regs::dvsec_device::kControl;
    function.write(at,
                   regs::dvsec_device::kControlIo.mask() | regs::dvsec_device::kControlMem.mask());
    EXPECT_TRUE(regs::dvsec_device::kControlMem.is_set(function.read16(at)));
  }
  SystemInfo system;
  std::vector<HdmRange> ranges;
  std::uint64_t base = 0, size = 0;

  // ---- traffic ----
  // As many requests, until all are answered; fewer if `hold_back` gets true. False: they are not
  // answered in time.
  bool run(const HostTraffic& traffic) {
    begin(traffic);
    return finish();
  }
  // The same in two parts; what goes on in between has the traffic beside it.
  void begin(const HostTraffic& traffic) {
    traffic_ = traffic;
    to_offer_ = traffic.requests;
  }
  bool finish() {
    const std::uint64_t limit = cycle_ + traffic_.limit;
    while (((to_offer_ != 0 && !hold_back) || !idle()) && cycle_ < limit) cycle();
    to_offer_ = 0;
    EXPECT_TRUE(idle()) << outstanding_ << " requests without an answer; cycle " << cycle_;
    return idle();
  }
  // One by one.
  struct Answer {
    bool error = false;
    Line data{};
    bool there = false;
  };
  Answer ask(const MemRequest& request, unsigned limit = 200000) {
    asked_ = request;
    asked_->id = kAskedId;
    answer_ = {};
    offer_ = asked_;
    for (unsigned i = 0; i < limit && !answer_.there; ++i) cycle();
    EXPECT_TRUE(answer_.there) << "no answer for address " << request.addr;
    asked_.reset();
    return answer_;
  }
  Answer load(std::uint64_t addr) { return ask({.addr = addr}); }
  Answer store(std::uint64_t addr, const Line& data, std::uint64_t enables = kAllBytes) {
    forget(addr);
    return ask({.is_write = true, .addr = addr, .byte_enable = enables, .data = data});
  }
  // Nothing is known any more: the device was reset.
  void forget_all() {
    memory_.clear();
    for (Pending& p : pending_) p.known = 0;
  }
  // What is open ends in any way, and what it writes is not known.
  void forget_open() {
    for (Pending& p : pending_) {
      if (p.used && p.is_write) lost(p);
    }
    for (Pending& p : pending_) p.known = 0;
  }
  void forget(std::uint64_t addr) { memory_.erase(addr); }
  [[nodiscard]] bool idle() const { return outstanding_ == 0 && !offer_; }
  void idle_for(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) cycle();
  }
  [[nodiscard]] std::uint64_t now() const { return cycle_; }
  [[nodiscard]] unsigned error_pulses() const { return seen_errors_; }  // err_o, ever
  Top& top() { return *rtl_; }

  void cycle() {
    if (each_cycle) each_cycle();
    ++cycle_;
    ++counts.cycles;
    if (!offer_) offer_ = next_offer();
    Top& v = *rtl_;
    drive_bus();
    const PhysicalLayer::Show s = phy.show(0);
    v.phy_up_i = s.up;
    v.phy_recovery_i = s.recovery;
    v.link_tx_ready_i = s.may_send;
    v.link_rx_valid_i = s.rx.has_value();
    if (s.rx) {
      v.link_rx_kind_i = static_cast<std::uint8_t>(s.rx->first);
      std::memcpy(&v.link_rx_flit_i[0], s.rx->second.data(), 66);
      if (record && s.rx->first == peer::FlitKind::CacheMem) {
        heard.push_back(s.rx->second);
        if (heard.size() > kHeard) heard.pop_front();
      }
    }
    std::array<bool, 2> retrain{};
    drive_peer(device_, phy, 1, retrain[1]);
    rtl_.settle();
    if (v.link_tx_valid_o && s.may_send) {
      peer::TaggedFlit flit{static_cast<peer::FlitKind>(v.link_tx_kind_o), {}};
      std::memcpy(flit.second.data(), &v.link_tx_flit_o[0], 66);
      phy.send(0, flit);
    }
    retrain[0] = v.retrain_req_o != 0;
    sample_bus();
    seen_errors_ |= v.err_o | unsigned{v.arb_err_o} << 8;
    phy.step(retrain, v.phy_state_o == kLinkDisable);
    if (!trained() || !(s.up || s.recovery)) unusable_ = cycle_;
    rtl_.edge();
  }

  // Conventional reset of the root complex; the link falls.
  void reset() {
    rtl_.reset();
    phy.reset_end(0);
    unusable_ = cycle_;
    for (Pending& p : pending_) {
      if (p.used && p.is_write) forget(p.addr);
      p.used = false;
    }
    outstanding_ = 0;
    offer_.reset();
  }

 private:
  static constexpr unsigned kLinkDisable = 0xA;
  static constexpr std::uint32_t kDecoderControl = regs::hdm::kDec + regs::hdm::kDecControl;
  static constexpr std::uint32_t kAskedId = 0x8000;
  static constexpr std::size_t kHeard = 4096;
  static constexpr std::uint64_t kGrace =
      4;  // cycles until the host has seen that the link is back
  struct Pending {
    bool used = false, is_write = false;
    std::uint64_t addr = 0, known = 0, enables = 0, since = 0;
    Line expected{};
  };
  struct Bytes {
    Line data{};
    std::uint64_t known = 0;  // bytes
  };

  static std::uint32_t page(RegisterSpace space, unsigned index) {
    return space == RegisterSpace::HostBridge ? 0 : 0x1000 * (index + 1);
  }

  std::optional<MemRequest> next_offer() {
    if (to_offer_ == 0 || hold_back || outstanding_ >= traffic_.outstanding ||
        !random.percent(traffic_.rate)) {
      return std::nullopt;
    }
    --to_offer_;
    MemRequest request;
    request.is_write = random.percent(traffic_.writes);
    // Few lines, over all of the range.
    const std::uint64_t line = random.below(traffic_.lines);
    request.addr = base + (line * 0x9E3779B97F4Aull * kLineBytes % size) / kLineBytes * kLineBytes;
    while (pending_[next_id_].used) next_id_ = (next_id_ + 1) % pending_.size();
    request.id = next_id_;
    Pending& p = pending_[next_id_];
    Bytes& bytes = memory_[request.addr];
    if (request.is_write) {
      request.byte_enable = random.percent(traffic_.partial) ? random.next() : kAllBytes;
      for (std::size_t i = 0; i < kLineBytes; i += 8) {
        const std::uint64_t word = random.next();
        std::memcpy(&request.data[i], &word, 8);
      }
      merge_bytes(bytes.data, request.data, request.byte_enable);
      bytes.known |= request.byte_enable;
    }
    p = {true,   request.is_write, request.addr, bytes.known, request.byte_enable,
         cycle_, bytes.data};
    ++outstanding_;
    return request;
  }

  void drive_bus() {
    Top& v = *rtl_;
    v.awvalid_i = offer_ && offer_->is_write;
    v.arvalid_i = offer_ && !offer_->is_write;
    v.bready_i = v.rready_i = traffic_.ready >= 100 || random.percent(traffic_.ready);
    if (!offer_) return;
    v.awid_i = v.arid_i = static_cast<std::uint16_t>(offer_->id);
    v.awaddr_i = v.araddr_i = offer_->addr;
    v.wstrb_i = offer_->byte_enable;
    set_line(v.wdata_i, 0, offer_->data);
  }
  void sample_bus() {
    Top& v = *rtl_;
    if (offer_ && (offer_->is_write ? v.awready_o : v.arready_o)) offer_.reset();
    if (v.bvalid_o && v.bready_i) answered(v.bid_o, true, v.bresp_o);
    if (v.rvalid_o && v.rready_i) answered(v.rid_o, false, v.rresp_o);
  }
  void answered(unsigned id, bool is_write, unsigned resp) {
    if (asked_ && id == kAskedId) {
      answer_ = {resp != 0, is_write ? Line{} : get_line(rtl_->rdata_o), true};
      return;
    }
    if (id >= pending_.size() || !pending_[id].used || pending_[id].is_write != is_write) {
      ++counts.wrong;
      ADD_FAILURE() << "cycle " << cycle_ << ": an answer that nobody waits for, id " << id;
      return;
    }
    Pending& was = pending_[id];
    was.used = false;
    --outstanding_;
    ++(is_write ? counts.writes : counts.reads);
    if (resp != 0) {
      ++(is_write ? counts.write_errors : counts.read_errors);
      if (is_write) lost(was);
      const bool excused = was.since <= unusable_ + kGrace || hostile ||
                           (!is_write && may_fail && may_fail(was.addr));
      if (!excused) wrong(was, id, "answered with an error");
    } else if (!is_write) {
      const Line data = get_line(rtl_->rdata_o);
      for (unsigned i = 0; i < kLineBytes; ++i) {
        if (((was.known >> i) & 1) == 0 || data[i] == was.expected[i]) continue;
        wrong(was, id, "other data");
        break;
      }
    }
  }
  // A write that ended with an error: done or not.
  void lost(const Pending& write) {
    memory_[write.addr].known &= ~write.enables;
    for (Pending& p : pending_) {
      if (p.used && p.addr == write.addr) p.known &= ~write.enables;
    }
  }
  void wrong(const Pending& was, unsigned id, const char* what) {
    if (++counts.wrong > 5) return;
    ADD_FAILURE() << "cycle " << cycle_ << ": " << (was.is_write ? "write" : "read") << " of 0x"
                  << std::hex << was.addr << std::dec << ", id " << id << ": " << what << ", resp "
                  << unsigned{was.is_write ? rtl_->bresp_o : rtl_->rresp_o};
  }

  peer::LinkEnd& device_;
  mutable Clocked<Top> rtl_;
  HostTraffic traffic_;
  std::array<Pending, 1024> pending_;
  std::unordered_map<std::uint64_t, Bytes> memory_;
  std::optional<MemRequest> offer_, asked_;
  Answer answer_;
  unsigned next_id_ = 0, outstanding_ = 0, seen_errors_ = 0;
  std::uint64_t to_offer_ = 0, cycle_ = 0;
  std::uint64_t unusable_ =
      0;  // last cycle without a usable link: requests of then may end with an error
};

}  // namespace cxlgpu::test
