// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A verilated endpoint behind a host that does what ours never does: all opcodes of M2S Req,
// poisoned writes, responses left lying, wrong CXL.io flits, links that fall.
//
// Purpose: the far end is the twin of a host's cxl_port with its CXL.io; software is a request at a
//          time through it. The media behind is the bench's own (bench_media.hpp).
// Units:   cycles; bytes in addresses.
// Errors:  GoogleTest failures.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <type_traits>

#include "Vendpoint.h"
#include "common/registers.hpp"
#include "flits/messages.hpp"
#include "refmodel/controller/cxl_port.hpp"
#include "refmodel/cxl_io/io_requester.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/controller/arb_link.hpp"
#include "tests/cxl_io/far_io.hpp"
#include "tests/endpoint/bench_media.hpp"
#include "tests/endpoint/media_bins.hpp"
#include "tests/endpoint/media_pins.hpp"

namespace cxlgpu::test {

using flits::M2sReqOpcode;
using flits::M2sRwdOpcode;

inline constexpr std::uint64_t kRange = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kBar = 0xc000'0000, kComponents = kBar + 0x1000;
inline constexpr std::uint64_t kRas = kComponents + 0x200, kHdm = kComponents + 0x800,
                               kVendor = kBar + 0x1'0000;
inline constexpr unsigned kRasCapability = 2, kHdmCapability = 5;
inline constexpr std::uint32_t kCommand = 0x04, kBar0 = 0x10, kDevice = 0x48, kAer = 0x1c0;
inline constexpr std::uint32_t kCxlControl = 0x10c, kMemEnable = 4, kRange1Base = 0x120;
inline constexpr std::uint32_t kCorrectable = 1u << 16, kNonFatal = 2u << 16, kFatal = 4u << 16;
inline constexpr unsigned kTags = 200;

class HostBench {
 public:
  // `range`: bytes from 0 on that are decoded, DPA 0 on.
  explicit HostBench(std::uint64_t seed, std::uint64_t range = kRange)
      : random(seed), range_(range), link_({.seed = seed, .flight = {2, 2}}) {
    rtl_.reset();
    for (unsigned i = 0; i < 5000 && !(rtl_->init_done_o && dl_up_); ++i) cycle();
    EXPECT_TRUE(rtl_->init_done_o && dl_up_) << "the link does not come up";
    set_up();
    EXPECT_EQ(memory_read(kComponents + 4 * entry_of(kRasCapability)) >> 20, kRas - kComponents);
    EXPECT_EQ(memory_read(kComponents + 4 * entry_of(kHdmCapability)) >> 20, kHdm - kComponents);
  }
  // What a link down resets: the range at 0 is decoded.
  void set_up() {
    for (unsigned i = 0; i < 5000 && !dl_up_; ++i) cycle();
    EXPECT_TRUE(dl_up_) << "the data link does not come up";
    config_write(kBar0, kBar);
    config_write(kCommand, 2);  // memory space
    namespace hdm = regs::hdm;
    const auto post = [this](std::uint64_t offset, std::uint64_t value) {
      request({IoOp::kMemWr, kHdm + offset, 0xf, static_cast<std::uint32_t>(value)});
    };
    post(hdm::kDec + hdm::kDecSizeLow, range_ & 0xffff'ffff);
    post(hdm::kDec + hdm::kDecSizeHigh, range_ >> 32);
    post(hdm::kDec + hdm::kDecControl, hdm::kDecControlCommit.mask());
    post(hdm::kGlobalControl, hdm::kGlobalControlEnable.mask());
    config_write(kCxlControl, kMemEnable);
  }

  Random random;
  BenchMedia media;
  MediaBins bins;
  unsigned take_percent = 100;   // of the cycles in which the host takes a response
  unsigned media_percent = 100;  // in which the media takes a command
  unsigned media_latency = 0;    // cycles from command to answer; 0: 1 to 60 at random
  unsigned durable_latency = 0;  // cycles that a durable write takes beyond these; 0: 0 to 250
  bool media_answers = true;     // else its answers wait; not to be changed while one is offered
  std::uint64_t retrains = 0;
  std::uint64_t forgotten = 0;  // granules prefetched and dropped, as the trace tells
  bool deaf = false;            // CXL.io flits to the host are lost

  // ---- CXL.io ----
  void config_write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(request({IoOp::kCfgWr0, offset, 0xf, value}).status, CplStatus::kSuccess);
  }
  std::uint32_t config_read(std::uint32_t offset) {
    return request({IoOp::kCfgRd0, offset, 0xf, 0}).data;
  }
  void memory_write(std::uint64_t address, std::uint64_t value) {
    request({IoOp::kMemWr, address, 0xf, static_cast<std::uint32_t>(value)});
    config_read(0);  // a posted write is over when what comes after it is
  }
  std::uint32_t memory_read(std::uint64_t address) {
    return request({IoOp::kMemRd, address, 0xf, 0}).data;
  }
  // Its error bits, cleared by it.
  std::uint32_t device_status() {
    const std::uint32_t status = config_read(kDevice) & (kCorrectable | kNonFatal | kFatal);
    config_write(kDevice, status);
    return status;
  }
  // A flit of CXL.io that the host's data link knows nothing of.
  template <typename Packet>
  void inject(const Packet& packet) {
    if constexpr (std::is_same_v<Packet, IoFlit>) {
      injected_ = packet;
    } else {
      injected_ = make_flit(packet);
    }
    while (injected_) cycle();
    for (unsigned i = 0; i < 100; ++i) cycle();
  }
  // A flit of CXL.cachemem that the host's link layer knows nothing of.
  void inject_mem(const Payload& payload) {
    forged_ = payload;
    while (forged_) cycle();
    for (unsigned i = 0; i < 20; ++i) cycle();
  }
  void ask(const IoRequest& request) {
    asked_ = request;
    while (asked_) cycle();
  }

  // ---- CXL.mem ----
  struct Answer {
    std::uint64_t at = 0;
    bool drs = false;
    Line data{};
    bool poison = false;
  };
  std::map<unsigned, Answer> answers;  // by tag
  // Writes from there on are to be safe at this level when they are answered: each Cmp is held
  // against what a loss of power in its cycle would leave.
  std::uint64_t persists_from = ~std::uint64_t{0};
  Durable level = Durable::Off;
  std::uint64_t safe_writes = 0;  // so many of them were
  unsigned strange = 0;           // answers nobody waits for

  [[nodiscard]] std::optional<unsigned> free_tag() {
    for (unsigned tag = 0; tag < kTags; ++tag) {
      if (!waiting_.contains(tag) && !answers.contains(tag)) return tag;
    }
    return std::nullopt;
  }
  unsigned send(M2sReqOpcode opcode, std::uint64_t address) {
    const unsigned tag = opcode == M2sReqOpcode::MemSpecRd ? 0xfff : free_tag().value();
    flits::M2sReq req;
    req.opcode = opcode;
    req.address = address;
    req.tag = static_cast<std::uint16_t>(tag);
    nd_.push_back(flits::pack(req));
    if (opcode != M2sReqOpcode::MemSpecRd) waiting_[tag] = true;
    return tag;
  }
  unsigned send(std::uint64_t address, const Line& data, std::uint64_t enables, bool poison) {
    const unsigned tag = free_tag().value();
    flits::M2sRwd rwd;
    rwd.opcode = enables == kAllBytes ? M2sRwdOpcode::MemWr : M2sRwdOpcode::MemWrPtl;
    rwd.address = address;
    rwd.tag = static_cast<std::uint16_t>(tag);
    rwd.poison = poison;
    WdMessage message;
    message.header = flits::pack(rwd);
    message.data = data;
    message.enables = enables;
    wd_.push_back(message);
    waiting_[tag] = true;
    writes_[tag] = {address, enables, data};
    return tag;
  }
  // A message nobody waits for the answer of.
  void send_unknown_req(unsigned opcode, std::uint64_t address) {
    flits::M2sReq req;
    req.opcode = static_cast<M2sReqOpcode>(opcode);
    req.address = address;
    req.tag = 0xabc;
    nd_.push_back(flits::pack(req));
  }
  void send_unknown_rwd(unsigned opcode, std::uint64_t address, const Line& data) {
    flits::M2sRwd rwd;
    rwd.opcode = static_cast<M2sRwdOpcode>(opcode);
    rwd.address = address;
    rwd.tag = 0xabc;
    WdMessage message;
    message.header = flits::pack(rwd);
    message.data = data;
    wd_.push_back(message);
  }
  // Its answer, once it is there.
  Answer await(unsigned tag) {
    for (unsigned i = 0; i < 20000 && !answers.contains(tag); ++i) cycle();
    EXPECT_TRUE(answers.contains(tag)) << "no answer to tag " << tag;
    const Answer answer = answers[tag];
    answers.erase(tag);
    return answer;
  }
  Answer read(std::uint64_t address) { return await(send(M2sReqOpcode::MemRd, address)); }
  void write(std::uint64_t address, const Line& data, std::uint64_t enables = kAllBytes,
             bool poison = false) {
    EXPECT_FALSE(await(send(address, data, enables, poison)).drs);
  }

  // The link falls and comes up again; the host forgets what it has asked, so that all tags are
  // free. Returns in the first cycle of the host's new link, in which the device decodes nothing.
  void lose_link() {
    link_.take_down();
    forgets_ = true;
    const auto until = [this](bool up) {
      for (unsigned i = 0; i < 5000 && mem_up_ != up; ++i) cycle();
      EXPECT_EQ(mem_up_, up) << "the host's link";
    };
    until(false);
    until(true);
    forgets_ = false;
    nd_.clear();
    wd_.clear();
    waiting_.clear();
    writes_.clear();
    answers.clear();
  }

  [[nodiscard]] std::uint64_t now() const { return cycle_; }
  [[nodiscard]] std::size_t unanswered() const { return waiting_.size(); }
  [[nodiscard]] bool busy() const { return !waiting_.empty() || !nd_.empty() || !wd_.empty(); }
  void settle() {
    for (unsigned i = 0; i < 20000 && (busy() || !media.empty()); ++i) cycle();
    EXPECT_FALSE(busy()) << waiting_.size() << " requests without an answer";
    for (unsigned i = 0; i < 2000; ++i) cycle();
    EXPECT_EQ(strange, 0u);
  }

  unsigned first_sender = 2;  // end that sent the first flit of all; 2: none yet

  void cycle() {
    ++cycle_;
    Vendpoint& v = *rtl_;
    ArbMux::In host_wire = wire(0);
    const ArbMux::In device_wire = wire(1);
    forge(host_wire);
    CxlPort::In in = host_inputs(host_wire);
    v.link_tx_ready_i = device_wire.tx_ready;
    v.link_rx_valid_i = device_wire.rx_valid;
    v.link_rx_kind_i = static_cast<unsigned>(device_wire.rx_kind);
    set_line(v.link_rx_flit_i, 0, device_wire.rx_flit.payload);
    set_bits(v.link_rx_flit_i, 512, 16, device_wire.rx_flit.crc);
    if (!device_wire.rx_valid) {
      idle_.fill(v.link_rx_kind_i, 0, layout::kFlitKindBits);
      idle_.fill(v.link_rx_flit_i, 0, layout::kFlitBits);
    }
    v.phy_up_i = device_wire.phy_up;
    v.phy_recovery_i = device_wire.phy_recovery;
    drive_media();
    rtl_.settle();
    const CxlPort::Out out = port_.eval(in);
    if (v.link_tx_valid_o && device_wire.tx_ready) {
      if (first_sender == 2 && !(out.link.tx_valid && host_wire.tx_ready)) first_sender = 1;
      link_.send(1, static_cast<FlitKind>(v.link_tx_kind_o),
                 {get_line(v.link_tx_flit_o),
                  static_cast<std::uint16_t>(get_bits(v.link_tx_flit_o, 512, 16))});
    }
    if (out.link.tx_valid && host_wire.tx_ready) {
      if (first_sender == 2) first_sender = 0;
      link_.send(0, out.link.tx_kind, out.link.tx_flit);
    }
    retrains += v.retrain_req_o != 0;
    link_.step({FlexLink::Ask{out.link.retrain_req, out.link.phy_state},
                FlexLink::Ask{v.retrain_req_o != 0, static_cast<VlsmCode>(v.phy_state_o)}});
    hear(in, out);
    sample_media();
    rtl_.edge();
    clock_io(in, out);
    port_.clock(in);
  }

 private:
  // A forged flit takes the place of what the host would send.
  void forge(ArbMux::In& host_wire) {
    if (!forged_ || !host_wire.tx_ready) return;
    link_.send(0, FlitKind::kCachemem, {*forged_, crc_of(*forged_)});
    host_wire.tx_ready = false;
    forged_.reset();
  }
  ArbMux::In wire(unsigned e) {
    ArbMux::In l = link_.wire(e);
    l.tx_ready = l.tx_ready && (cycle_ + e) % 2 == 0;
    return l;
  }

  CxlPort::In host_inputs(const ArbMux::In& wire) {
    CxlPort::In in;
    in.link = wire;
    in.link.io_req = in.link.cm_req = VlsmCode::kActive;
    in.messages.link_up = true;
    const IoLink::Out io = io_link_.eval({.link_up = io_up_});
    in.link.io_tx_valid = injected_.has_value() || io.io_tx.has_value();
    if (injected_) {
      in.link.io_tx_data = *injected_;
    } else if (io.io_tx) {
      in.link.io_tx_data = *io.io_tx;
    }
    in.messages.tx_flush = forgets_;
    in.messages.rx_nd_ready = random.percent(take_percent);
    in.messages.rx_wd_ready = random.percent(take_percent);
    in.messages.tx_nd_valid = !nd_.empty();
    if (!nd_.empty()) in.messages.tx_nd_hdr = nd_.front();
    in.messages.tx_wd_valid = !wd_.empty();
    if (!wd_.empty()) in.messages.tx_wd = wd_.front();
    return in;
  }
  void hear(const CxlPort::In& in, const CxlPort::Out& out) {
    mem_up_ = out.link.cm_link_up;
    if (in.messages.tx_nd_valid && out.messages.tx_nd_ready) nd_.pop_front();
    if (in.messages.tx_wd_valid && out.messages.tx_wd_ready) wd_.pop_front();
    if (out.messages.rx_nd_valid && in.messages.rx_nd_ready) {
      answer(flits::unpack<flits::S2mNdr>(out.messages.rx_nd_hdr).tag, {cycle_, false, {}, false});
    }
    if (out.messages.rx_wd_valid && in.messages.rx_wd_ready) {
      const auto drs = flits::unpack<flits::S2mDrs>(out.messages.rx_wd.header);
      answer(drs.tag, {cycle_, true, out.messages.rx_wd.data, drs.poison});
    }
  }
  void answer(unsigned tag, const Answer& what) {
    const auto write = writes_.find(tag);
    if (write != writes_.end() && !what.drs) {
      is_safe(write->second);
      writes_.erase(write);
    }
    if (forgets_) return;
    strange += waiting_.erase(tag) == 0;
    answers[tag] = what;
  }

  struct Stored {
    std::uint64_t address, bytes;
    Line data;
  };
  void is_safe(const Stored& write) {
    if (level == Durable::Off || write.address < persists_from) return;
    const BenchMedia::Left& left = media.left(level, write.address / kLineBytes, cycle_);
    Line expected = left.data;
    merge_bytes(expected, write.data, write.bytes);
    EXPECT_EQ(left.bytes & write.bytes, write.bytes)
        << "0x" << std::hex << write.address << " is completed and would be lost";
    EXPECT_EQ(left.data, expected) << "0x" << std::hex << write.address;
    ++safe_writes;
  }

  void clock_io(const CxlPort::In& in, const CxlPort::Out& out) {
    IoLink::In link{.link_up = out.link.io_link_up};
    const IoLink::Out io = io_link_.eval(link);
    const IoRequester::Out requester = requester_.eval(io.dl_up);
    link.io_tx_ready = out.link.io_tx_ready && !injected_;
    if (out.link.io_rx_valid && !deaf) link.io_rx = out.link.rx_flit.payload;
    link.tlp_tx = requester.tlp_tx;
    link.tlp_rx_ready = requester.tlp_rx_ready;
    if (injected_ && in.link.io_tx_valid && out.link.io_tx_ready) injected_.reset();
    IoRequester::In request{.link_up = io.dl_up,
                            .req = asked_,
                            .rsp_ready = true,
                            .tlp_tx_ready = io.tlp_tx_ready,
                            .tlp_rx = io.tlp_rx};
    if (asked_ && requester.req_ready) asked_.reset();
    if (requester.rsp) response_ = requester.rsp;
    io_link_.clock(link);
    requester_.clock(request);
    io_up_ = out.link.io_link_up;
    dl_up_ = io.dl_up;
  }
  IoResponse request(const IoRequest& request) {
    response_.reset();
    asked_ = request;
    for (unsigned i = 0; i < 60000 && !response_; ++i) cycle();
    EXPECT_TRUE(response_.has_value()) << "no answer of CXL.io";
    return response_.value_or(IoResponse{});
  }
  unsigned entry_of(unsigned capability) {
    const unsigned entries = memory_read(kComponents) >> 24;
    for (unsigned n = 1; n <= entries; ++n) {
      if ((memory_read(kComponents + 4 * std::uint64_t{n}) & 0xffff) == capability) return n;
    }
    ADD_FAILURE() << "no structure " << capability;
    return 0;
  }

  void drive_media() {
    if (!media_takes_) media_takes_ = random.percent(media_percent);
    media_says_ = media_answers ? media.ready(cycle_) : nullptr;
    drive_media_port(rtl_->media_i, media_takes_, media_says_, &idle_);
  }
  void sample_media() {
    using Pins = layout::ToMedia;
    const auto& asks = rtl_->media_o;
    forgotten += get_bits(rtl_->trace_o, layout::EpTrace::spec_drop[layout::Trace::valid]);
    const bool taken = media_says_ != nullptr && get_bits(asks, Pins::rsp_ready) != 0;
    const bool asked = get_bits(asks, Pins::cmd_valid) != 0 && media_takes_;
    MediaCommand command;
    if (asked) command = media_command(asks);
    if (bins.on()) bins.look(asked ? &command : nullptr, taken ? media_says_ : nullptr);
    if (taken) media.taken();
    if (!asked) return;
    unsigned latency =
        media_latency != 0 ? media_latency : static_cast<unsigned>(1 + random.below(60));
    if (command.durable != Durable::Off) {
      latency += durable_latency != 0 ? durable_latency : static_cast<unsigned>(random.below(251));
    }
    media.submit(command, cycle_ + latency);
    media_takes_ = false;
  }

  std::uint64_t range_;
  Clocked<Vendpoint> rtl_;
  Idle idle_;
  CxlPort port_{{true, 32, 32, 128, {}}};
  IoLink io_link_{{.infinite = true}};
  IoRequester requester_{0, 50000};
  FlexLink link_;
  std::deque<MsgHeader> nd_;
  std::deque<WdMessage> wd_;
  std::map<unsigned, bool> waiting_;
  std::map<unsigned, Stored> writes_;  // by tag
  std::optional<IoFlit> injected_;
  std::optional<Payload> forged_;
  std::optional<IoRequest> asked_;
  std::optional<IoResponse> response_;
  bool io_up_ = false, dl_up_ = false, mem_up_ = false, media_takes_ = false;
  const MediaResponse* media_says_ = nullptr;  // on offer in this cycle
  bool forgets_ = false;  // the host's link falls: what it hears or has asked counts no more
  std::uint64_t cycle_ = 0;
};

}  // namespace cxlgpu::test
