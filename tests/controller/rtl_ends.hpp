// The two RTL controllers of cxl_controller_tb.sv as ends of the link harness, in lockstep with
// twins.
//
// Purpose: drives both, compares every output of both every cycle, and gives the harness either the
//          twin's outputs (lockstep: each RTL end talks to the other end's twin) or the RTL's.
// Units:   cycles; end 0 is the host.
// Errors:  a difference is a GoogleTest failure by Lockstep; ok() turns false.
#pragma once

#include "Vcxl_controller.h"
#include "tests/controller/link_harness.hpp"

namespace cxlgpu::test {

class RtlEnds : public Ends {
 public:
  enum class Source { kTwin, kRtl };

  RtlEnds(Lockstep& run, Source source) : run_(run), source_(source) {
    drive({});
    rtl_.reset();
  }

  Outputs outputs() override {
    return source_ == Source::kRtl ? Outputs{read(0), read(1)} : Ends::outputs();
  }

  void clock(const Inputs& in) override {
    if (!run_.next()) return;
    drive(in);
    rtl_.settle();
    const Outputs twin = Ends::outputs();
    for (unsigned end = 0; end < 2; ++end) compare(end, read(end), twin[end]);
    rtl_.edge();
    Ends::clock(in);
  }

  [[nodiscard]] bool ok() const override { return run_.ok(); }

 private:
  static constexpr unsigned kFlitBits = 528;

  static void set_flag(std::uint8_t& port, unsigned end, bool value) {
    set_bits(port, end, 1, value ? 1 : 0);
  }

  void drive(const Inputs& in) {
    Vcxl_controller& v = *rtl_;
    for (unsigned end = 0; end < 2; ++end) {
      const CxlController::In& i = in[end];
      set_flag(v.link_up_i, end, i.link_up);
      set_flag(v.mdh_disable_i, end, i.mdh_disable);
      set_flag(v.tx_flush_i, end, i.tx_flush);
      set_flag(v.tx_nd_valid_i, end, i.tx_nd_valid);
      set_header(v.tx_nd_hdr_i, kHeaderPortBits * end, i.tx_nd_hdr);
      set_flag(v.tx_wd_valid_i, end, i.tx_wd_valid);
      set_header(v.tx_wd_hdr_i, kHeaderPortBits * end, i.tx_wd.header);
      set_line(v.tx_wd_data_i, 512 * end, i.tx_wd.data);
      set_bits(v.tx_wd_be_i, 64 * end, 64, i.tx_wd.enables);
      set_flag(v.rx_nd_ready_i, end, i.rx_nd_ready);
      set_flag(v.rx_wd_ready_i, end, i.rx_wd_ready);
      set_flag(v.link_tx_ready_i, end, i.link_tx_ready);
      set_flag(v.link_rx_valid_i, end, i.link_rx_valid);
      set_line(v.link_rx_flit_i, kFlitBits * end, i.link_rx_flit.payload);
      set_bits(v.link_rx_flit_i, kFlitBits * end + 512, 16, i.link_rx_flit.crc);
      set_flag(v.phy_reinit_done_i, end, i.phy_reinit_done);
    }
  }

  CxlController::Out read(unsigned end) {
    Vcxl_controller& v = *rtl_;
    const auto flag = [end](const auto& port) { return get_bits(port, end, 1) != 0; };
    CxlController::Out o;
    o.tx_nd_ready = flag(v.tx_nd_ready_o);
    o.tx_wd_ready = flag(v.tx_wd_ready_o);
    o.rx_nd_valid = flag(v.rx_nd_valid_o);
    o.rx_nd_hdr = get_header_port(v.rx_nd_hdr_o, kHeaderPortBits * end);
    o.rx_wd_valid = flag(v.rx_wd_valid_o);
    o.rx_wd.header = get_header_port(v.rx_wd_hdr_o, kHeaderPortBits * end);
    o.rx_wd.data = get_line(v.rx_wd_data_o, 512 * end);
    o.rx_wd.enables = get_bits(v.rx_wd_be_o, 64 * end, 64);
    o.rx_nd_count = static_cast<unsigned>(get_bits(v.rx_nd_count_o, 7 * end, 7));
    o.rx_wd_count = static_cast<unsigned>(get_bits(v.rx_wd_count_o, 7 * end, 7));
    o.link_tx_valid = flag(v.link_tx_valid_o);
    o.link_tx_flit.payload = get_line(v.link_tx_flit_o, kFlitBits * end);
    o.link_tx_flit.crc =
        static_cast<std::uint16_t>(get_bits(v.link_tx_flit_o, kFlitBits * end + 512, 16));
    o.phy_reinit_req = flag(v.phy_reinit_req_o);
    o.init_done = flag(v.init_done_o);
    o.abort = flag(v.abort_o);
    o.err = static_cast<unsigned>(get_bits(v.err_o, 8 * end, 8));
    return o;
  }

  // Payload outputs count only with their valid.
  void compare(unsigned end, const CxlController::Out& rtl, const CxlController::Out& twin) {
    const auto check = [&](const char* field, std::uint64_t r, std::uint64_t t) {
      if (r != t) run_.check(name(end, field), r, t);
    };
    const auto check_bytes = [&](const char* field, const auto& r, const auto& t) {
      if (r != t) run_.check_bytes(name(end, field), r, t);
    };
    check("tx_nd_ready_o", rtl.tx_nd_ready, twin.tx_nd_ready);
    check("tx_wd_ready_o", rtl.tx_wd_ready, twin.tx_wd_ready);
    check("rx_nd_valid_o", rtl.rx_nd_valid, twin.rx_nd_valid);
    check("rx_wd_valid_o", rtl.rx_wd_valid, twin.rx_wd_valid);
    check("rx_nd_count_o", rtl.rx_nd_count, twin.rx_nd_count);
    check("rx_wd_count_o", rtl.rx_wd_count, twin.rx_wd_count);
    check("link_tx_valid_o", rtl.link_tx_valid, twin.link_tx_valid);
    check("phy_reinit_req_o", rtl.phy_reinit_req, twin.phy_reinit_req);
    check("init_done_o", rtl.init_done, twin.init_done);
    check("abort_o", rtl.abort, twin.abort);
    check("err_o", rtl.err, twin.err);
    if (twin.rx_nd_valid) {
      check_bytes("rx_nd_hdr_o", header_bytes(rtl.rx_nd_hdr), header_bytes(twin.rx_nd_hdr));
    }
    if (twin.rx_wd_valid) {
      check_bytes("rx_wd_hdr_o", header_bytes(rtl.rx_wd.header), header_bytes(twin.rx_wd.header));
      check_bytes("rx_wd_data_o", rtl.rx_wd.data, twin.rx_wd.data);
      check("rx_wd_be_o", rtl.rx_wd.enables, twin.rx_wd.enables);
    }
    if (twin.link_tx_valid) {
      check_bytes("link_tx_flit_o", rtl.link_tx_flit.payload, twin.link_tx_flit.payload);
      check("link_tx_flit_o crc", rtl.link_tx_flit.crc, twin.link_tx_flit.crc);
    }
  }

  static const char* name(unsigned end, const char* field) {
    static std::string text;
    text = std::string(end == 0 ? "host " : "device ") + field;
    return text.c_str();
  }

  Lockstep& run_;
  Source source_;
  Clocked<Vcxl_controller> rtl_;
};

}  // namespace cxlgpu::test
