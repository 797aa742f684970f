// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two controllers with CXL.cache, the link between them, traffic on all channels and a scoreboard.
//
// Purpose: offers random messages on the five channels of each end, stalls receivers and wires,
//          damages flits, and checks that every message arrives once, in order, unchanged; that no
//          snoop passes the response before it; and, with the protocol checker and its own codec,
//          that what is on the wires is legal and is what was sent.
// Units:   cycles; end 0 is the host, wire 0 goes from host to device; rates in percent a cycle.
// Errors:  problem() is the first thing found, empty if none; step() does nothing after it.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "Vcache_pair.h"
#include "flits/link_checker.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

enum class Channel : std::uint8_t { Nd, Wd, Creq, Crsp, Cdat };
inline constexpr unsigned kChannels = 5;

struct PairMessage {
  flits::u128 header = 0;
  LineBytes data{};
  std::uint64_t enables = ~std::uint64_t{0};
  std::uint64_t after = 0;  // H2D Req: responses sent before it
  bool operator==(const PairMessage& o) const {
    return header == o.header && data == o.data && enables == o.enables;
  }
};

struct PairLoad {
  std::array<unsigned, kChannels> host{}, device{};  // device Nd, Wd: the answers decide
  unsigned partial = 30;                             // percent of writes with byte enables
  std::array<unsigned, 2> link_stall{}, rx_stall{};
  unsigned error_ppm = 0;  // of flits
  bool mdh_disable = false;
};

class PairBench {
 public:
  static constexpr unsigned kFlitBits = 528;
  // As cache_pair_tb.sv; by end and channel.
  static constexpr std::array<std::array<unsigned, kChannels>, 2> kRxDepth{
      {{16, 16, 16, 16, 16}, {12, 12, 8, 9, 5}}};

  explicit PairBench(std::uint64_t seed, PairLoad load)
      : load(load), random_(seed), checker_(options()) {
    for (std::uint16_t tag = 0; tag < 64; ++tag) free_tags_.push_back(tag);
    checker_.set_listener(
        [this](std::uint64_t, flits::Direction d, const flits::Item& item) { on_wire(d, item); });
    rtl_.reset();
  }

  PairLoad load;

  // Codes other than 0 in the DataCrd and ReqCrd fields that the device sent, in order.
  std::vector<unsigned> data_codes, req_codes;

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }
  [[nodiscard]] std::uint64_t delivered(unsigned end, Channel c) const {  // to that end
    return delivered_[end][static_cast<unsigned>(c)];
  }
  flits::LinkChecker& checker() { return checker_; }
  [[nodiscard]] bool empty() const {
    for (unsigned end = 0; end < 2; ++end) {
      for (unsigned c = 0; c < kChannels; ++c) {
        if (!waiting_[end][c].empty() || !expected_[end][c].empty()) return false;
      }
    }
    return true;
  }

  void step() {
    if (!problem_.empty()) return;
    make_traffic();
    drive();
    rtl_.settle();
    collect();
    rtl_.edge();
    ++cycle_;
  }
  void run(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles && problem_.empty(); ++i) step();
  }
  // No new messages; until everything has arrived.
  void drain() {
    load.host = load.device = {};
    load.error_ppm = 0;
    load.rx_stall = {};
    for (unsigned i = 0; i < 40000 && problem_.empty() && !empty(); ++i) step();
    if (!empty()) fail("messages are lost: not everything arrived");
    run(1000);
  }

 private:
  struct Flying {
    std::uint64_t arrives;
    flits::Flit flit;
  };

  static flits::LinkCheckerOptions options() {
    flits::LinkCheckerOptions o;
    o.cache = true;
    return o;
  }

  void fail(std::string text) {
    if (problem_.empty()) problem_ = "cycle " + std::to_string(cycle_) + ": " + std::move(text);
  }

  LineBytes random_line() {
    LineBytes line{};
    for (auto& byte : line) byte = static_cast<std::uint8_t>(random_.bits(8));
    return line;
  }
  std::uint64_t address() { return random_.bits(46) << 6; }
  std::uint16_t id() { return static_cast<std::uint16_t>(random_.bits(12)); }
  void send(unsigned end, Channel c, flits::u128 header, bool data = false,
            std::uint64_t enables = ~std::uint64_t{0}) {
    PairMessage m{header, {}, enables, 0};
    if (data) m.data = random_line();
    waiting_[end][static_cast<unsigned>(c)].push_back(m);
  }

  void make_traffic() {
    using namespace flits;
    const auto want = [&](unsigned end, Channel c) {
      const unsigned rate = (end == 0 ? load.host : load.device)[static_cast<unsigned>(c)];
      return waiting_[end][static_cast<unsigned>(c)].size() < 6 && random_.percent(rate);
    };
    if (want(0, Channel::Nd) && !free_tags_.empty()) {
      const unsigned kind = static_cast<unsigned>(random_.below(8));
      const std::uint16_t tag = free_tags_.front();
      const std::uint64_t line = (random_.bits(30) << 6 | tag) << 6;
      if (kind == 0) {
        send(0, Channel::Nd, pack(M2sReq{.opcode = M2sReqOpcode::MemSpecRd, .address = line}));
      } else {
        free_tags_.pop_front();
        const auto opcode = kind < 3 ? M2sReqOpcode::MemInv : M2sReqOpcode::MemRd;
        send(0, Channel::Nd, pack(M2sReq{.opcode = opcode, .tag = tag, .address = line}));
      }
    }
    if (want(0, Channel::Wd) && !free_tags_.empty()) {
      const std::uint16_t tag = free_tags_.front();
      free_tags_.pop_front();
      const std::uint64_t line = (random_.bits(30) << 6 | tag) << 6;
      const bool part = random_.percent(load.partial);
      const auto opcode = part ? M2sRwdOpcode::MemWrPtl : M2sRwdOpcode::MemWr;
      send(0, Channel::Wd, pack(M2sRwd{.opcode = opcode, .tag = tag, .address = line}), true,
           part ? random_.bits(63) : ~std::uint64_t{0});
    }
    if (want(0, Channel::Creq)) {
      const auto opcode = static_cast<H2dReqOpcode>(1 + random_.below(3));
      send(0, Channel::Creq, pack(H2dReq{.opcode = opcode, .address = address(), .uqid = id()}));
    }
    if (want(0, Channel::Crsp)) {
      static constexpr std::array<unsigned, 8> kCodes{1, 4, 5, 6, 8, 12, 13, 15};
      H2dRsp rsp{.opcode = static_cast<H2dRspOpcode>(random_.pick(kCodes)), .cqid = id()};
      rsp.rsp_data = id();
      send(0, Channel::Crsp, pack(rsp));
    }
    if (want(0, Channel::Cdat)) {
      send(0, Channel::Cdat,
           pack(H2dDh{.cqid = id(), .poison = random_.bits(1) != 0, .go_err = random_.percent(9)}),
           true);
    }
    if (want(1, Channel::Creq)) {
      const auto code = 1 + random_.below(15);
      const auto opcode = static_cast<D2hReqOpcode>(code == 15 ? 16 : code);
      send(1, Channel::Creq,
           pack(D2hReq{
               .opcode = opcode, .cqid = id(), .nt = random_.bits(1) != 0, .address = address()}));
    }
    if (want(1, Channel::Crsp)) {
      static constexpr std::array<unsigned, 7> kCodes{1, 4, 5, 6, 7, 15, 22};
      send(1, Channel::Crsp,
           pack(D2hRsp{.opcode = static_cast<D2hRspOpcode>(random_.pick(kCodes)), .uqid = id()}));
    }
    if (want(1, Channel::Cdat)) {
      const bool part = random_.percent(load.partial);
      send(1, Channel::Cdat, pack(D2hDh{.uqid = id(), .bogus = random_.bits(1) != 0}), true,
           part ? random_.bits(63) : ~std::uint64_t{0});
    }
  }

  template <typename Port>
  static void put_header(Port& port, unsigned at, unsigned width, flits::u128 header) {
    set_bits(port, at, width < 64 ? width : 64, static_cast<std::uint64_t>(header));
    if (width > 64) set_bits(port, at + 64, width - 64, static_cast<std::uint64_t>(header >> 64));
  }
  template <typename Port>
  static flits::u128 get_header(const Port& port, unsigned at, unsigned width) {
    flits::u128 header = get_bits(port, at, width < 64 ? width : 64);
    if (width > 64) header |= flits::u128{get_bits(port, at + 64, width - 64)} << 64;
    return header;
  }

  void drive() {
    Vcache_pair& v = *rtl_;
    v.link_up_i = 3;
    v.mdh_disable_i = load.mdh_disable ? 3 : 0;
    for (unsigned end = 0; end < 2; ++end) {
      const auto offer = [&](Channel c, auto& valid, auto& header, unsigned width) {
        auto& queue = waiting_[end][static_cast<unsigned>(c)];
        set_bits(valid, end, 1, queue.empty() ? 0 : 1);
        if (!queue.empty()) put_header(header, end * width, width, queue.front().header);
      };
      offer(Channel::Nd, v.tx_nd_valid_i, v.tx_nd_hdr_i, 87);
      offer(Channel::Wd, v.tx_wd_valid_i, v.tx_wd_hdr_i, 87);
      offer(Channel::Creq, v.tx_creq_valid_i, v.tx_creq_hdr_i, 79);
      offer(Channel::Crsp, v.tx_crsp_valid_i, v.tx_crsp_hdr_i, 32);
      offer(Channel::Cdat, v.tx_cdat_valid_i, v.tx_cdat_hdr_i, 24);
      if (const auto& q = waiting_[end][1]; !q.empty()) {
        set_line(v.tx_wd_data_i, 512 * end, q.front().data);
        set_bits(v.tx_wd_be_i, 64 * end, 64, q.front().enables);
      }
      if (const auto& q = waiting_[end][4]; !q.empty()) {
        set_line(v.tx_cdat_data_i, 512 * end, q.front().data);
        set_bits(v.tx_cdat_be_i, 64 * end, 64, q.front().enables);
      }
      const auto ready = [&] { return random_.percent(load.rx_stall[end]) ? 0u : 1u; };
      set_bits(v.rx_nd_ready_i, end, 1, ready());
      set_bits(v.rx_wd_ready_i, end, 1, ready());
      set_bits(v.rx_creq_ready_i, end, 1, ready());
      set_bits(v.rx_crsp_ready_i, end, 1, ready());
      set_bits(v.rx_cdat_ready_i, end, 1, ready());
      set_bits(v.link_tx_ready_i, end, 1, random_.percent(load.link_stall[end]) ? 0 : 1);
      auto& wire = wires_[1 - end];
      const bool arrives = !wire.empty() && wire.front().arrives <= cycle_;
      set_bits(v.link_rx_valid_i, end, 1, arrives ? 1 : 0);
      if (arrives) {
        const flits::Flit& flit = wire.front().flit;
        for (unsigned i = 0; i < 8; ++i) {
          std::uint64_t word;
          std::memcpy(&word, &flit.bytes[2 + 8 * i], 8);
          set_bits(v.link_rx_flit_i, kFlitBits * end + 64 * i, 64, word);
        }
        set_bits(v.link_rx_flit_i, kFlitBits * end + 512, 16, flit.crc());
        if (end == 0 && checker_.owed(flits::Direction::S2M) < 4) {
          const flits::FlitHeader h = flits::unpack_header(flit.header_bits());
          if (h.data_crd != 0) data_codes.push_back(h.data_crd);
          if (h.req_crd != 0) req_codes.push_back(h.req_crd);
        }
        checker_.on_flit(1000 * cycle_, end == 1 ? flits::Direction::M2S : flits::Direction::S2M,
                         flit);
        if (checker_.finding_count() != 0) {
          const auto& f = checker_.findings().front();
          fail(std::string(flits::name(f.rule)) + ": " + f.text);
        }
        wire.pop_front();
      }
    }
  }

  // Handshakes of this cycle, from the settled outputs.
  void collect() {
    Vcache_pair& v = *rtl_;
    for (unsigned end = 0; end < 2; ++end) {
      const auto taken = [&](Channel c, const auto& valid, const auto& ready) {
        if (get_bits(valid, end, 1) == 0 || get_bits(ready, end, 1) == 0) return;
        auto& queue = waiting_[end][static_cast<unsigned>(c)];
        PairMessage& m = queue.front();
        if (c == Channel::Creq) m.after = accepted_rsp_[end];
        expected_[1 - end][static_cast<unsigned>(c)].push_back(m);
        on_wire_[end][static_cast<unsigned>(c)].push_back(m);
        queue.pop_front();
      };
      // The order of two accepted in one cycle: the response first.
      const bool rsp = get_bits(v.tx_crsp_valid_i, end, 1) && get_bits(v.tx_crsp_ready_o, end, 1);
      accepted_rsp_[end] += rsp;
      taken(Channel::Nd, v.tx_nd_valid_i, v.tx_nd_ready_o);
      taken(Channel::Wd, v.tx_wd_valid_i, v.tx_wd_ready_o);
      taken(Channel::Creq, v.tx_creq_valid_i, v.tx_creq_ready_o);
      taken(Channel::Crsp, v.tx_crsp_valid_i, v.tx_crsp_ready_o);
      taken(Channel::Cdat, v.tx_cdat_valid_i, v.tx_cdat_ready_o);
    }
    for (unsigned end = 0; end < 2; ++end) {
      const auto arrived = [&](Channel c, const auto& valid, const auto& ready, const auto& header,
                               unsigned width) -> bool {
        if (get_bits(valid, end, 1) == 0 || get_bits(ready, end, 1) == 0) return false;
        arrived_.header = get_header(header, end * width, width);
        arrived_.data = {};
        arrived_.enables = ~std::uint64_t{0};
        if (c == Channel::Wd) {
          arrived_.data = get_line(v.rx_wd_data_o, 512 * end);
          arrived_.enables = get_bits(v.rx_wd_be_o, 64 * end, 64);
        } else if (c == Channel::Cdat) {
          arrived_.data = get_line(v.rx_cdat_data_o, 512 * end);
          arrived_.enables = get_bits(v.rx_cdat_be_o, 64 * end, 64);
        }
        auto& queue = expected_[end][static_cast<unsigned>(c)];
        if (queue.empty() || !(queue.front() == arrived_)) {
          fail("end " + std::to_string(end) + " channel " +
               std::to_string(static_cast<unsigned>(c)) +
               (queue.empty() ? ": a message nobody sent" : ": another message than was sent"));
          return false;
        }
        if (c == Channel::Creq && end == 1 && queue.front().after > popped_rsp_) {
          fail("the device sees a snoop before the response sent before it");
        }
        queue.pop_front();
        ++delivered_[end][static_cast<unsigned>(c)];
        return true;
      };
      if (arrived(Channel::Nd, v.rx_nd_valid_o, v.rx_nd_ready_i, v.rx_nd_hdr_o, 87)) answer(end);
      if (arrived(Channel::Wd, v.rx_wd_valid_o, v.rx_wd_ready_i, v.rx_wd_hdr_o, 87)) answer(end);
      arrived(Channel::Creq, v.rx_creq_valid_o, v.rx_creq_ready_i, v.rx_creq_hdr_o, 79);
      const bool rsp =
          arrived(Channel::Crsp, v.rx_crsp_valid_o, v.rx_crsp_ready_i, v.rx_crsp_hdr_o, 32);
      if (rsp && end == 1) ++popped_rsp_;
      arrived(Channel::Cdat, v.rx_cdat_valid_o, v.rx_cdat_ready_i, v.rx_cdat_hdr_o, 24);
      const auto err = get_bits(v.err_o, 8 * end, 8);
      // Damage and what follows from it (0 CRC, 6 retry, 7 timeout) is no fault.
      if ((err & 0x3E) != 0)
        fail("err_o of end " + std::to_string(end) + " " + std::to_string(err));
      if (get_bits(v.link_tx_valid_o, end, 1) && get_bits(v.link_tx_ready_i, end, 1)) launch(end);
    }
  }

  void launch(unsigned end) {
    const Vcache_pair& v = *rtl_;
    Flying f{cycle_ + 4, {}};
    f.flit.set_protocol_id(flits::ProtocolId::CacheMem);
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t word = get_bits(v.link_tx_flit_o, kFlitBits * end + 64 * i, 64);
      std::memcpy(&f.flit.bytes[2 + 8 * i], &word, 8);
    }
    const auto crc = get_bits(v.link_tx_flit_o, kFlitBits * end + 512, 16);
    f.flit.bytes[66] = static_cast<std::uint8_t>(crc);
    f.flit.bytes[67] = static_cast<std::uint8_t>(crc >> 8);
    if (random_.below(1000000) < load.error_ppm) {
      const auto bit = random_.below(528);
      f.flit.bytes[2 + bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      ++damaged_;
    }
    wires_[end].push_back(f);
  }

  // The device answers mem requests, the host frees their tags.
  void answer(unsigned end) {
    using namespace flits;
    if (end == 0) {
      free_tags_.push_back(static_cast<std::uint16_t>(arrived_.header >> 8 & 0xFFFF));
      return;
    }
    const auto tag = static_cast<std::uint16_t>(arrived_.header >> 12 & 0xFFFF);
    const auto dev_load = static_cast<DevLoad>(random_.bits(2));
    const auto opcode = static_cast<unsigned>(arrived_.header >> 1 & 15);
    const bool write = arrived_.data != LineBytes{} || arrived_.enables != ~std::uint64_t{0};
    if (!write && opcode == static_cast<unsigned>(M2sReqOpcode::MemSpecRd)) return;
    if (!write && opcode == static_cast<unsigned>(M2sReqOpcode::MemRd)) {
      send(1, Channel::Wd, pack(S2mDrs{.tag = tag, .dev_load = dev_load}), true);
    } else {
      send(1, Channel::Nd, pack(S2mNdr{.tag = tag, .dev_load = dev_load}));
    }
  }

  void on_wire(flits::Direction d, const flits::Item& item) {
    using K = flits::MessageKind;
    const unsigned end = d == flits::Direction::M2S ? 0 : 1;
    const K kind = flits::kind_of(item.message);
    const Channel c = kind == K::M2sReq || kind == K::S2mNdr   ? Channel::Nd
                      : kind == K::M2sRwd || kind == K::S2mDrs ? Channel::Wd
                      : kind == K::H2dReq || kind == K::D2hReq ? Channel::Creq
                      : kind == K::H2dRsp || kind == K::D2hRsp ? Channel::Crsp
                                                               : Channel::Cdat;
    auto& queue = on_wire_[end][static_cast<unsigned>(c)];
    PairMessage m{flits::pack(item.message), {}, item.byte_enables, 0};
    if (item.data_bytes != 0) m.data = item.data;
    if (queue.empty() || !(queue.front() == m)) return fail("the wire carries something else");
    if (kind == K::H2dReq && queue.front().after > wire_rsp_) {
      fail("a snoop passes the response before it on the wire");
    }
    wire_rsp_ += kind == K::H2dRsp;
    queue.pop_front();
  }

  Clocked<Vcache_pair> rtl_;
  Random random_;
  flits::LinkChecker checker_;
  std::array<std::array<std::deque<PairMessage>, kChannels>, 2> waiting_, on_wire_;  // by sender
  std::array<std::array<std::deque<PairMessage>, kChannels>, 2> expected_;           // by receiver
  std::array<std::deque<Flying>, 2> wires_;
  std::array<std::array<std::uint64_t, kChannels>, 2> delivered_{};
  std::array<std::uint64_t, 2> accepted_rsp_{};
  std::uint64_t popped_rsp_ = 0, wire_rsp_ = 0, cycle_ = 0, damaged_ = 0;
  std::deque<std::uint16_t> free_tags_;
  PairMessage arrived_;
  std::string problem_;
};

}  // namespace cxlgpu::test
