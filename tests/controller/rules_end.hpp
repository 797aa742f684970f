// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the tests of link_rules_tb.sv share: flits built by hand from the bit positions of CXL 2.0,
// and one end of a link whose peer is the test.
//
// Purpose: an End is one RTL controller of link_rules_tb.sv. The test sends it flits, good or
// damaged,
//          offers messages, and reads what it sends, delivers and reports.
// Units:   cycles. Ends 0 and 2 are hosts, 1 and 3 devices.
// Errors:  a wrong CRC of a sent flit is a GoogleTest failure.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "Vlink_rules.h"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {

inline constexpr unsigned kHost = 0, kDevice = 1;
inline constexpr unsigned kDepth = 4;  // of the receive queues: link_rules_tb.sv
inline constexpr unsigned kLlrb = 22;
inline constexpr std::size_t kFlitBits = 528;

// ------------------------------------------------------------------------------- flits by hand

struct Drs {
  unsigned tag = 0;
  bool poison = false;
  unsigned dev_load = 0;
  unsigned ld_id = 0;
  [[nodiscard]] MsgHeader bits() const {
    return MsgHeader{1} | MsgHeader{tag} << 8 | MsgHeader{poison} << 24 | MsgHeader{ld_id} << 25 |
           MsgHeader{dev_load} << 29;
  }
};

// Codes of slots 0..3 at bits 7:5, 10:8, 13:11, 16:14; Sz bit 4, BE bit 3, Ak bit 2.
inline Payload protocol(std::array<unsigned, 4> codes, bool sz = true, bool be = false) {
  flits::FlitHeader header;
  header.sz = sz;
  header.be = be;
  for (unsigned s = 0; s < 4; ++s) header.format[s] = static_cast<std::uint8_t>(codes[s]);
  Payload flit{};
  or_slot(flit, 0, flits::pack_header(header));
  return flit;
}
inline Chunk chunk(unsigned tag, unsigned k) {
  Chunk bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(37 * tag + 16 * k + i + 1);
  }
  return bytes;
}
inline Line line(unsigned tag) {
  Line bytes;
  for (unsigned k = 0; k < 4; ++k) set_chunk(bytes, k, chunk(tag, k));
  return bytes;
}
// Half h of a line by H3 in slot 0, its chunks in slots 1 and 2.
inline Payload half(const Drs& drs, unsigned h) {
  Payload flit = protocol({3, 0, 0, 0}, false);
  or_slot(flit, 0, drs.bits() << 32);
  for (unsigned k = 0; k < 2; ++k) set_chunk(flit, 1 + k, chunk(drs.tag, 2 * h + k));
  return flit;
}
// A whole line by H3, three chunks here, the last owed.
inline Payload whole(const Drs& drs) {
  Payload flit = protocol({3, 0, 0, 0});
  or_slot(flit, 0, drs.bits() << 32);
  for (unsigned k = 0; k < 3; ++k) set_chunk(flit, 1 + k, chunk(drs.tag, k));
  return flit;
}
inline Payload rest(unsigned tag, unsigned k = 3) {
  Payload flit = protocol({0, 0, 0, 0});
  set_chunk(flit, 1, chunk(tag, k));
  return flit;
}
inline Payload llcrd(unsigned acks = 0, std::uint8_t rsp = 0, std::uint8_t req = 0,
                     std::uint8_t data = 0) {
  return control_payload(flits::Llcrd{static_cast<std::uint8_t>(acks), rsp, req, data});
}

// ------------------------------------------------------------------------------- one end, one peer

class End {
 public:
  explicit End(unsigned index) : i_(index) {
    rtl_.reset();
    steps(3);  // what comes in the cycle of the start is not heard
    sent.clear();
  }

  struct Received {
    bool data;
    MsgHeader header;
    Line line;
  };

  void step() {
    rtl_->link_up_i = up ? 1u << i_ : 0;
    rtl_->mdh_disable_i = mdh_disable ? 0xf : 0;
    set_bits(rtl_->link_tx_ready_i, i_, 1, ready);
    set_bits(rtl_->rx_nd_ready_i, i_, 1, pop);
    set_bits(rtl_->rx_wd_ready_i, i_, 1, pop);
    rtl_.settle();
    if (ready && get_bits(rtl_->link_tx_valid_o, i_, 1) != 0) sent.push_back(tx());
    if (pop && get_bits(rtl_->rx_nd_valid_o, i_, 1) != 0) {
      received.push_back({false, get_header_port(rtl_->rx_nd_hdr_o, kHeaderPortBits * i_), {}});
    }
    if (pop && get_bits(rtl_->rx_wd_valid_o, i_, 1) != 0) {
      received.push_back({true, get_header_port(rtl_->rx_wd_hdr_o, kHeaderPortBits * i_),
                          get_line(rtl_->rx_wd_data_o, 512 * i_)});
      EXPECT_EQ(get_bits(rtl_->rx_wd_be_o, 64 * i_, 64), kAllEnables);
    }
    const auto err = static_cast<unsigned>(get_bits(rtl_->err_o, 8 * i_, 8));
    errors |= err;
    for (unsigned bit = 0; bit < 8; ++bit) counts[bit] += err >> bit & 1;
    if ((err & 0x1e) != 0) err_flit = get_line(rtl_->err_flit_o, 512 * i_);
    if ((err & 0x20) != 0) {
      err_overflow = static_cast<unsigned>(get_bits(rtl_->err_overflow_o, 3 * i_, 3));
    }
    rtl_.edge();
    set_bits(rtl_->link_rx_valid_i, i_, 1, 0);
    ++cycle;
  }
  void steps(unsigned n) {
    while (n-- > 0) step();
  }
  void receive(const Payload& payload, bool damaged = false) {
    receive(payload, crc_of(payload) ^ (damaged ? 1u : 0u));
  }
  // With one of its 528 bits turned.
  void receive_harmed(Payload payload, unsigned bit) {
    const unsigned crc = crc_of(payload);
    if (bit < 512) payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    receive(payload, bit < 512 ? crc : crc ^ 1u << (bit - 512));
  }
  void receive(const flits::Control& control) { receive(control_payload(control)); }
  void framed(const flits::Control& control) {
    for (unsigned k = 0; k < 5; ++k) receive(flits::RetryFrame{});
    receive(control);
  }
  // Both have said INIT.Param; the peer's read as this end's own.
  void init(unsigned wrap = kLlrb) {
    receive(flits::RetryIdle{});
    receive(flits::InitParam{2, static_cast<std::uint8_t>(wrap)});
    steps(60);  // and what it gives is sent
    EXPECT_TRUE(get_bits(rtl_->init_done_o, i_, 1) != 0);
    EXPECT_EQ(errors, 0u);
    sent.clear();
  }
  bool offer_nd(MsgHeader header) {
    set_header(rtl_->tx_nd_hdr_i, kHeaderPortBits * i_, header | 1);
    return offer(rtl_->tx_nd_valid_i, rtl_->tx_nd_ready_o);
  }
  bool offer_wd(MsgHeader header, const Line& data) {
    set_header(rtl_->tx_wd_hdr_i, kHeaderPortBits * i_, header | 1);
    set_line(rtl_->tx_wd_data_i, 0, data);
    return offer(rtl_->tx_wd_valid_i, rtl_->tx_wd_ready_o);
  }
  // The flits sent since, but for RETRY.Idle.
  std::vector<Payload> take() {
    std::vector<Payload> flits;
    for (const Payload& flit : std::exchange(sent, {})) {
      if (flit != control_payload(flits::RetryIdle{})) flits.push_back(flit);
    }
    return flits;
  }
  [[nodiscard]] bool aborted() { return get_bits(rtl_->abort_o, i_, 1) != 0; }

  // The other end acknowledges what was sent since the last take().
  void acknowledge(std::uint8_t rsp = 0, std::uint8_t req = 0, std::uint8_t data = 0) {
    unsigned flits = 0;
    for (const Payload& flit : take()) flits += flits::classify_retry(as_flit(flit)) ? 0 : 1;
    receive(llcrd(flits, rsp, req, data));
  }
  // The last RETRY.Req sent, nothing if there is none.
  [[nodiscard]] std::optional<flits::RetryReq> asked() const {
    std::optional<flits::RetryReq> found;
    for (const Payload& flit : sent) {
      const auto retry = flits::classify_retry(as_flit(flit));
      if (retry && std::holds_alternative<flits::RetryReq>(*retry)) {
        found = std::get<flits::RetryReq>(*retry);
      }
    }
    return found;
  }

  bool up = true, mdh_disable = false, ready = true, pop = true;
  std::vector<Payload> sent;
  std::vector<Received> received;
  unsigned errors = 0;
  std::array<unsigned, 8> counts{};
  Payload err_flit{};
  unsigned err_overflow = 99;
  std::uint64_t cycle = 0;

 private:
  void receive(const Payload& payload, unsigned crc) {
    set_bits(rtl_->link_rx_valid_i, i_, 1, 1);
    set_line(rtl_->link_rx_flit_i, kFlitBits * i_, payload);
    set_bits(rtl_->link_rx_flit_i, kFlitBits * i_ + 512, 16, crc);
    step();
  }
  template <typename Valid, typename Ready>
  bool offer(Valid& valid, const Ready& is_ready) {
    set_bits(valid, i_, 1, 1);
    rtl_.settle();
    const bool taken = get_bits(is_ready, i_, 1) != 0;
    step();
    set_bits(valid, i_, 1, 0);
    return taken;
  }
  Payload tx() {
    const Payload payload = get_line(rtl_->link_tx_flit_o, kFlitBits * i_);
    EXPECT_EQ(get_bits(rtl_->link_tx_flit_o, kFlitBits * i_ + 512, 16), crc_of(payload));
    return payload;
  }

  unsigned i_;
  Clocked<Vlink_rules> rtl_;
};

}  // namespace cxlgpu::test
