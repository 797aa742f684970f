// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxl_port, host and device, in lockstep with its twin: messages and CXL.io flits over Flex Bus
// with skew, stalls, damaged flits, Recovery and link down. Each RTL end talks to the other end's
// twin; every message arrives once, in order and unchanged as long as the link stays up.
#include "refmodel/controller/cxl_port.hpp"

#include <deque>

#include "Vcxl_port.h"
#include "tests/common/idle.hpp"
#include "tests/controller/arb_link.hpp"
#include "tests/controller/link_status.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kFlitBits = 528;
constexpr std::array<unsigned, 2> kNdWidth = {87, 30}, kWdWidth = {87, 40};

// cxl_port_tb.sv has the same depths.
ControllerParams params(unsigned end) {
  return end == 0 ? ControllerParams{true, 32, 32, 128, {}}
                  : ControllerParams{false, 24, 12, 40, {}};
}

struct Mix {
  unsigned nd, wd, io, ready, rx_stall;  // percent a cycle
  unsigned damage;                       // per 10 000 flits
  unsigned recovery, down;               // per 100 000 cycles
  unsigned viral;                        // changes, per 100 000 cycles
};
constexpr Mix kMixes[] = {
    {10, 10, 10, 100, 0, 0, 0, 0, 50},   {100, 100, 100, 47, 0, 0, 10, 0, 0},
    {60, 60, 0, 100, 30, 50, 50, 10, 0}, {30, 30, 50, 80, 5, 200, 20, 5, 200},
    {5, 5, 5, 100, 0, 10, 200, 50, 500},
};

class Bench {
 public:
  explicit Bench(Lockstep& run)
      : run_(run), random_(run.seed()), link_({.seed = run.seed() + 1, .flight = {4, 7}}) {
    drive({});
    rtl_.reset();
  }

  void cycle() {
    if (run_.cycle() % 2048 == 1) mix_ = random_.pick(kMixes);
    if (random_.below(100000) < mix_.recovery) link_.start_recovery();
    if (random_.below(100000) < mix_.down) link_.take_down();
    std::array<CxlPort::In, 2> in;
    for (unsigned e = 0; e < 2; ++e) in[e] = inputs(e);
    drive(in);
    rtl_.settle();
    std::array<CxlPort::Out, 2> out;
    std::array<FlexLink::Ask, 2> asks;
    for (unsigned e = 0; e < 2; ++e) {
      out[e] = twins_[e].eval(in[e]);
      compare(e, out[e]);
      after(e, in[e], out[e]);
      asks[e] = {out[e].link.retrain_req, out[e].link.phy_state};
    }
    link_.step(asks);
    rtl_.edge();
    for (unsigned e = 0; e < 2; ++e) twins_[e].clock(in[e]);
  }

  std::uint64_t delivered = 0, io_delivered = 0, damaged = 0, starts = 0, retries = 0;
  std::array<std::uint64_t, 2> announced{}, heard{};  // viral, by end
  [[nodiscard]] std::uint64_t recoveries() const { return link_.recoveries(); }

 private:
  struct End {
    std::deque<MsgHeader> nd, nd_sent;
    std::deque<WdMessage> wd, wd_sent;
    bool was_up = false, viral = false;
    LinkControl control;
    Stream io;
    explicit End(std::uint64_t seed) : io(seed, true) {}
  };

  CxlPort::In inputs(unsigned e) {
    End& end = end_[e];
    CxlPort::In in;
    // Messages only while the link lives: what it drops when it starts again is not looked at.
    const bool up = twins_[e].eval({}).link.cm_link_up;
    const bool lives = up && end.was_up;
    if (up && !end.was_up) {
      end.nd_sent.clear();
      end.wd_sent.clear();
      ++starts;
    }
    end.was_up = up;
    if (end.nd.empty() && random_.percent(mix_.nd)) end.nd.push_back(header(kNdWidth[e]));
    if (end.wd.empty() && random_.percent(mix_.wd)) end.wd.push_back(wd_message(e));
    CxlController::In& m = in.messages;
    m.tx_nd_valid = lives && !end.nd.empty();
    if (m.tx_nd_valid) m.tx_nd_hdr = end.nd.front();
    m.tx_wd_valid = lives && !end.wd.empty();
    if (m.tx_wd_valid) m.tx_wd = end.wd.front();
    m.tx_flush = !lives;
    if (random_.below(100000) < mix_.viral) end.viral = !end.viral;
    m.viral = end.viral;
    if (random_.below(500) == 0) change_control(end.control, random_);
    m.control = end.control;
    m.rx_nd_ready = lives && !random_.percent(mix_.rx_stall);
    m.rx_wd_ready = lives && !random_.percent(mix_.rx_stall);

    end.io.offer(mix_.io);
    ArbMux::In& l = in.link = link_.wire(e);
    l.io_tx_valid = end.io.offered();
    l.io_tx_data = end.io.flit().payload;
    l.io_req = l.cm_req = VlsmCode::kActive;
    l.tx_ready = l.tx_ready && random_.percent(mix_.ready);
    if (random_.percent(1)) l.weight_io = static_cast<unsigned>(random_.below(16));
    if (random_.percent(1)) l.weight_cm = static_cast<unsigned>(random_.below(16));
    if (l.rx_valid && l.rx_kind == FlitKind::kCachemem && random_.below(10000) < mix_.damage) {
      const auto bit = random_.below(512);
      l.rx_flit.payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      ++damaged;
    }
    return in;
  }

  void after(unsigned e, const CxlPort::In& in, const CxlPort::Out& out) {
    End& end = end_[e];
    End& peer = end_[1 - e];
    const CxlController::Out& m = out.messages;
    retries += m.err >> 6 & 1;
    heard[e] += m.viral;
    if (in.messages.tx_nd_valid && m.tx_nd_ready) {
      end.nd_sent.push_back(end.nd.front());
      end.nd.pop_front();
    }
    if (in.messages.tx_wd_valid && m.tx_wd_ready) {
      end.wd_sent.push_back(end.wd.front());
      end.wd.pop_front();
    }
    if (in.messages.rx_nd_ready && m.rx_nd_valid) arrived("ND message", peer.nd_sent, m.rx_nd_hdr);
    if (in.messages.rx_wd_ready && m.rx_wd_valid) arrived("WD message", peer.wd_sent, m.rx_wd);
    if (out.link.tx_valid && in.link.tx_ready) {
      const CrcFlit& sent = out.link.tx_flit;
      link_.send(e, out.link.tx_kind, sent);
      const bool inverted = (crc_of(sent.payload) ^ sent.crc) == 0xFFFF;
      announced[e] += out.link.tx_kind == FlitKind::kCachemem && inverted;
    }
    if (out.link.io_tx_ready) end.io.taken(link_.epoch(e));
    if (out.link.io_rx_valid) {
      peer.io.received({out.link.rx_flit.payload, 0}, link_.spoilt());
      EXPECT_EQ(peer.io.problem(), "");
      ++io_delivered;
    }
  }
  template <typename Queue, typename Message>
  void arrived(const char* what, Queue& sent, const Message& message) {
    ++delivered;
    if (sent.empty() || !(sent.front() == message)) {
      ADD_FAILURE() << what << " lost, repeated or changed, cycle " << run_.cycle() << ", seed "
                    << run_.seed();
    }
    if (!sent.empty()) sent.pop_front();
  }

  MsgHeader header(unsigned width) {
    const MsgHeader bits = MsgHeader{random_.next()} << 64 | random_.next();
    return (bits & flits::low_mask(width)) | 1;
  }
  WdMessage wd_message(unsigned e) {
    WdMessage wd{.header = header(kWdWidth[e])};
    for (std::uint8_t& byte : wd.data) byte = static_cast<std::uint8_t>(random_.bits(8));
    if (e == 0 && random_.percent(30)) wd.enables = random_.next();
    return wd;
  }

  void drive(const std::array<CxlPort::In, 2>& in) {
    Vcxl_port& v = *rtl_;
    for (unsigned e = 0; e < 2; ++e) {
      const CxlController::In& m = in[e].messages;
      const ArbMux::In& l = in[e].link;
      drive_control(v, e, m.control);
      set_bits(v.tx_flush_i, e, 1, m.tx_flush);
      set_bits(v.viral_i, e, 1, m.viral);
      set_bits(v.tx_nd_valid_i, e, 1, m.tx_nd_valid);
      set_header(v.tx_nd_hdr_i, kHeaderPortBits * e, m.tx_nd_hdr);
      set_bits(v.tx_wd_valid_i, e, 1, m.tx_wd_valid);
      set_header(v.tx_wd_hdr_i, kHeaderPortBits * e, m.tx_wd.header);
      set_line(v.tx_wd_data_i, 512 * e, m.tx_wd.data);
      set_bits(v.tx_wd_be_i, 64 * e, 64, m.tx_wd.enables);
      if (!m.tx_nd_valid) idle_.fill(v.tx_nd_hdr_i, kHeaderPortBits * e, kHeaderPortBits);
      if (!m.tx_wd_valid) {
        idle_.fill(v.tx_wd_hdr_i, kHeaderPortBits * e, kHeaderPortBits);
        idle_.fill(v.tx_wd_data_i, 512 * e, 512);
        idle_.fill(v.tx_wd_be_i, 64 * e, 64);
      }
      set_bits(v.rx_nd_ready_i, e, 1, m.rx_nd_ready);
      set_bits(v.rx_wd_ready_i, e, 1, m.rx_wd_ready);
      set_bits(v.io_tx_valid_i, e, 1, l.io_tx_valid);
      set_line(v.io_tx_data_i, 512 * e, l.io_tx_data);
      if (!l.io_tx_valid) idle_.fill(v.io_tx_data_i, 512 * e, 512);
      set_bits(v.io_req_i, 4 * e, 4, static_cast<unsigned>(l.io_req));
      set_bits(v.cm_req_i, 4 * e, 4, static_cast<unsigned>(l.cm_req));
      set_bits(v.link_tx_ready_i, e, 1, l.tx_ready);
      set_bits(v.link_rx_valid_i, e, 1, l.rx_valid);
      set_bits(v.link_rx_kind_i, 2 * e, 2, static_cast<unsigned>(l.rx_kind));
      set_line(v.link_rx_flit_i, kFlitBits * e, l.rx_flit.payload);
      set_bits(v.link_rx_flit_i, kFlitBits * e + 512, 16, l.rx_flit.crc);
      if (!l.rx_valid) {
        idle_.fill(v.link_rx_kind_i, 2 * e, 2);
        idle_.fill(v.link_rx_flit_i, kFlitBits * e, kFlitBits);
      }
      set_bits(v.phy_up_i, e, 1, l.phy_up);
      set_bits(v.phy_recovery_i, e, 1, l.phy_recovery);
      set_bits(v.weight_io_we_i, e, 1, l.weight_io.has_value());
      set_bits(v.weight_io_i, 4 * e, 4, l.weight_io.value_or(5));
      set_bits(v.weight_cm_we_i, e, 1, l.weight_cm.has_value());
      set_bits(v.weight_cm_i, 4 * e, 4, l.weight_cm.value_or(10));
    }
  }

  // Payload outputs count only with their valid.
  void compare(unsigned e, const CxlPort::Out& twin) {
    Vcxl_port& v = *rtl_;
    const CxlController::Out& m = twin.messages;
    const ArbMux::Out& l = twin.link;
    const auto check = [&](const char* field, const auto& port, unsigned width, std::uint64_t t) {
      run_.check(field, get_bits(port, width * e, width), t);
    };
    check("tx_nd_ready_o", v.tx_nd_ready_o, 1, m.tx_nd_ready);
    check("tx_wd_ready_o", v.tx_wd_ready_o, 1, m.tx_wd_ready);
    check("rx_nd_valid_o", v.rx_nd_valid_o, 1, m.rx_nd_valid);
    check("rx_wd_valid_o", v.rx_wd_valid_o, 1, m.rx_wd_valid);
    check("rx_nd_count_o", v.rx_nd_count_o, 7, m.rx_nd_count);
    check("rx_wd_count_o", v.rx_wd_count_o, 7, m.rx_wd_count);
    check("io_tx_ready_o", v.io_tx_ready_o, 1, l.io_tx_ready);
    check("io_rx_valid_o", v.io_rx_valid_o, 1, l.io_rx_valid);
    check("io_link_up_o", v.io_link_up_o, 1, l.io_link_up);
    check("io_state_o", v.io_state_o, 4, static_cast<unsigned>(l.io_state));
    check("cm_state_o", v.cm_state_o, 4, static_cast<unsigned>(l.cm_state));
    check("link_tx_valid_o", v.link_tx_valid_o, 1, l.tx_valid);
    check("link_tx_kind_o", v.link_tx_kind_o, 2, static_cast<unsigned>(l.tx_kind));
    check("retrain_req_o", v.retrain_req_o, 1, l.retrain_req);
    check("phy_state_o", v.phy_state_o, 4, static_cast<unsigned>(l.phy_state));
    check("cm_link_up_o", v.cm_link_up_o, 1, l.cm_link_up);
    check("init_done_o", v.init_done_o, 1, m.init_done);
    check("abort_o", v.abort_o, 1, m.abort);
    check("err_o", v.err_o, 8, m.err);
    if ((m.err & link_err::kViolation) != 0) {
      run_.check_bytes("err_flit_o", get_line(v.err_flit_o, 512 * e), m.err_flit);
    }
    if ((m.err & link_err::kOverflow) != 0) {
      check("err_overflow_o", v.err_overflow_o, 3, m.err_overflow);
    }
    check("viral_o", v.viral_o, 1, m.viral);
    const LinkStatus status = get_status(v.link_status_o, e);
    for (const StatusField& f : kStatusFields) {
      run_.check(f.name, status.*f.member, m.status.*f.member);
    }
    check("weight_io_o", v.weight_io_o, 4, l.weight_io);
    check("weight_cm_o", v.weight_cm_o, 4, l.weight_cm);
    check("arb_err_o", v.arb_err_o, 3, l.damaged | l.malformed << 1 | l.stray << 2);
    if (m.rx_nd_valid) {
      run_.check_bytes("rx_nd_hdr_o",
                       header_bytes(get_header_port(v.rx_nd_hdr_o, kHeaderPortBits * e)),
                       header_bytes(m.rx_nd_hdr));
    }
    if (m.rx_wd_valid) {
      run_.check_bytes("rx_wd_hdr_o",
                       header_bytes(get_header_port(v.rx_wd_hdr_o, kHeaderPortBits * e)),
                       header_bytes(m.rx_wd.header));
      run_.check_bytes("rx_wd_data_o", get_line(v.rx_wd_data_o, 512 * e), m.rx_wd.data);
      check("rx_wd_be_o", v.rx_wd_be_o, 64, m.rx_wd.enables);
    }
    if (l.io_rx_valid) {
      run_.check_bytes("io_rx_data_o", get_line(v.io_rx_data_o, 512 * e), l.rx_flit.payload);
    }
    if (l.tx_valid) {
      run_.check_bytes("link_tx_flit_o", get_line(v.link_tx_flit_o, kFlitBits * e),
                       l.tx_flit.payload);
      run_.check("link_tx_flit_o crc", get_bits(v.link_tx_flit_o, kFlitBits * e + 512, 16),
                 l.tx_flit.crc);
    }
  }

  Lockstep& run_;
  QuickRandom random_;
  Clocked<Vcxl_port> rtl_;
  Idle idle_;
  std::array<CxlPort, 2> twins_ = {CxlPort(params(0)), CxlPort(params(1))};
  FlexLink link_;
  std::array<End, 2> end_ = {End(1), End(2)};
  Mix mix_ = kMixes[0];
};

TEST(CxlPort, Lockstep) {
  Lockstep run("controller/cxl_port", 31);
  Bench bench(run);
  while (run.next()) bench.cycle();
  if (run.cycle() < 100000) return;
  EXPECT_GT(bench.delivered, run.cycle() / 10);
  EXPECT_GT(bench.io_delivered, run.cycle() / 40);
  EXPECT_GT(bench.damaged, 100u);
  EXPECT_GT(bench.retries, 100u);
  EXPECT_GT(bench.recoveries(), 30u);
  EXPECT_GT(bench.starts, 10u);
  for (unsigned e = 0; e < 2; ++e) {
    EXPECT_GT(bench.announced[e], 20u);
    EXPECT_GT(bench.heard[e], 20u);
  }
}

}  // namespace
}  // namespace cxlgpu::test
