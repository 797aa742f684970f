// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The two RTL controllers of cxl_controller_tb.sv or cache_controller_tb.sv (`Top`) as ends of the
// link harness, in lockstep with twins.
//
// Purpose: drives both, compares every output of both every cycle, and gives the harness either the
//          twin's outputs (lockstep: each RTL end talks to the other end's twin) or the RTL's.
// Units:   cycles; end 0 is the host.
// Errors:  a difference is a GoogleTest failure by Lockstep; ok() turns false.
#pragma once

#include "tests/common/idle.hpp"
#include "tests/controller/channel_bins.hpp"
#include "tests/controller/link_harness.hpp"

namespace cxlgpu::test {

template <typename Top>
class RtlEndsOf : public Ends {
 public:
  enum class Source { kTwin, kRtl };

  RtlEndsOf(Lockstep& run, Source source) : Ends({}, kHasCache), run_(run), source_(source) {
    drive({});
    rtl_.reset();
  }

  Outputs outputs() override {
    return source_ == Source::kRtl ? Outputs{read(0), read(1)} : Ends::outputs();
  }

  void clock(const Inputs& in) override {
    if (!run_.advance()) return;
    drive(in);
    rtl_.settle();
    Outputs twin = Ends::outputs();
    // The one output that an input of the cycle changes.
    for (unsigned end = 0; end < 2; ++end) {
      twin[end].status = this->twin(end).link().status(in[end].control);
    }
    for (unsigned end = 0; end < 2; ++end) compare(end, read(end), twin[end]);
    bins_.look(in, twin, [this](unsigned end) -> const CxlController& { return this->twin(end); },
               {{{end_params(0).nd_rx_depth, end_params(0).wd_rx_depth},
                 {end_params(1).nd_rx_depth, end_params(1).wd_rx_depth}}});
    if constexpr (kCacheOff) run_.check("cache_zero_o", rtl_->cache_zero_o, 3);
    for (unsigned end = 0; end < 2 && channels_.on(); ++end) {
      channels_.look(end, this->twin(end), in[end], end_params(end, {}, kHasCache));
    }
    rtl_.edge();
    Ends::clock(in);
    for (unsigned end = 0; end < 2 && channels_.on(); ++end) {
      channels_.count(end, this->twin(end));
    }
  }

  [[nodiscard]] bool ok() const override { return run_.ok(); }
  void harmed(unsigned end, std::optional<coverage::ErrorKind> kind) override {
    bins_.harmed(end, kind);
  }
  void tampered() override { bins_.tampered(); }

 private:
  static constexpr unsigned kFlitBits = 528;
  static constexpr bool kHasCache = requires(Top v) { v.tx_creq_valid_i; };
  static constexpr bool kCacheOff = requires(Top v) { v.cache_noise_i; };  // cxl_controller_tb.sv

  static void set_flag(std::uint8_t& port, unsigned end, bool value) {
    set_bits(port, end, 1, value ? 1 : 0);
  }

  void drive(const Inputs& in) {
    Top& v = *rtl_;
    for (unsigned end = 0; end < 2; ++end) {
      const CxlController::In& i = in[end];
      set_flag(v.link_up_i, end, i.link_up);
      drive_control(v, end, i.control);
      set_flag(v.tx_flush_i, end, i.tx_flush);
      set_flag(v.viral_i, end, i.viral);
      set_flag(v.tx_nd_valid_i, end, i.tx_nd_valid);
      set_header(v.tx_nd_hdr_i, kHeaderPortBits * end, i.tx_nd_hdr);
      set_flag(v.tx_wd_valid_i, end, i.tx_wd_valid);
      set_header(v.tx_wd_hdr_i, kHeaderPortBits * end, i.tx_wd.header);
      set_line(v.tx_wd_data_i, 512 * end, i.tx_wd.data);
      set_bits(v.tx_wd_be_i, 64 * end, 64, i.tx_wd.enables);
      if (!i.tx_nd_valid) idle_.fill(v.tx_nd_hdr_i, kHeaderPortBits * end, kHeaderPortBits);
      if (!i.tx_wd_valid) {
        idle_.fill(v.tx_wd_hdr_i, kHeaderPortBits * end, kHeaderPortBits);
        idle_.fill(v.tx_wd_data_i, 512 * end, 512);
        idle_.fill(v.tx_wd_be_i, 64 * end, 64);
      }
      set_flag(v.rx_nd_ready_i, end, i.rx_nd_ready);
      set_flag(v.rx_wd_ready_i, end, i.rx_wd_ready);
      set_flag(v.link_tx_ready_i, end, i.link_tx_ready);
      set_flag(v.link_rx_valid_i, end, i.link_rx_valid);
      set_line(v.link_rx_flit_i, kFlitBits * end, i.link_rx_flit.payload);
      set_bits(v.link_rx_flit_i, kFlitBits * end + 512, 16, i.link_rx_flit.crc);
      if (!i.link_rx_valid) idle_.fill(v.link_rx_flit_i, kFlitBits * end, kFlitBits);
      set_flag(v.phy_reinit_done_i, end, i.phy_reinit_done);
      if constexpr (kHasCache) drive_cache(v, end, i.cache);
    }
    if constexpr (kCacheOff) {
      for (unsigned word = 0; word < 4; ++word) set_bits(v.cache_noise_i, 32 * word, 32, noise_());
    }
  }

  CxlController::Out read(unsigned end) {
    Top& v = *rtl_;
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
    o.viral = flag(v.viral_o);
    o.status = get_status(v.link_status_o, end);
    o.init_done = flag(v.init_done_o);
    o.abort = flag(v.abort_o);
    o.err = static_cast<unsigned>(get_bits(v.err_o, 8 * end, 8));
    o.err_flit = get_line(v.err_flit_o, 512 * end);
    o.err_overflow = static_cast<unsigned>(get_bits(v.err_overflow_o, 3 * end, 3));
    if constexpr (kHasCache) o.cache = read_cache(v, end);
    return o;
  }

  static void drive_cache(Top& v, unsigned end, const CacheChannels::Ports& i) {
    set_flag(v.tx_creq_valid_i, end, i.tx_valid[kCreq]);
    set_flag(v.tx_crsp_valid_i, end, i.tx_valid[kCrsp]);
    set_flag(v.tx_cdat_valid_i, end, i.tx_valid[kCdat]);
    set_field(v.tx_creq_hdr_i, end, kCachePortBits[kCreq], i.tx_creq_hdr);
    set_field(v.tx_crsp_hdr_i, end, kCachePortBits[kCrsp], i.tx_crsp_hdr);
    set_field(v.tx_cdat_hdr_i, end, kCachePortBits[kCdat], i.tx_cdat.header);
    set_line(v.tx_cdat_data_i, 512 * end, i.tx_cdat.data);
    set_bits(v.tx_cdat_be_i, 64 * end, 64, i.tx_cdat.enables);
    set_flag(v.rx_creq_ready_i, end, i.rx_ready[kCreq]);
    set_flag(v.rx_crsp_ready_i, end, i.rx_ready[kCrsp]);
    set_flag(v.rx_cdat_ready_i, end, i.rx_ready[kCdat]);
  }
  static CacheChannels::Out read_cache(Top& v, unsigned end) {
    const auto flag = [end](const auto& port) { return get_bits(port, end, 1) != 0; };
    CacheChannels::Out o;
    o.tx_ready = {flag(v.tx_creq_ready_o), flag(v.tx_crsp_ready_o), flag(v.tx_cdat_ready_o)};
    o.rx_valid = {flag(v.rx_creq_valid_o), flag(v.rx_crsp_valid_o), flag(v.rx_cdat_valid_o)};
    o.rx_creq_hdr = get_field(v.rx_creq_hdr_o, end, kCachePortBits[kCreq]);
    o.rx_crsp_hdr = get_field(v.rx_crsp_hdr_o, end, kCachePortBits[kCrsp]);
    o.rx_cdat.header = get_field(v.rx_cdat_hdr_o, end, kCachePortBits[kCdat]);
    o.rx_cdat.data = get_line(v.rx_cdat_data_o, 512 * end);
    o.rx_cdat.enables = get_bits(v.rx_cdat_be_o, 64 * end, 64);
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
    if ((twin.err & link_err::kViolation) != 0) {
      check_bytes("err_flit_o", rtl.err_flit, twin.err_flit);
    }
    if ((twin.err & link_err::kOverflow) != 0) {
      check("err_overflow_o", rtl.err_overflow, twin.err_overflow);
    }
    check("viral_o", rtl.viral, twin.viral);
    for (const StatusField& f : kStatusFields) {
      check(f.name, rtl.status.*f.member, twin.status.*f.member);
    }
    if (twin.rx_nd_valid) {
      check_bytes("rx_nd_hdr_o", header_bytes(rtl.rx_nd_hdr), header_bytes(twin.rx_nd_hdr));
    }
    if (twin.rx_wd_valid) {
      check_bytes("rx_wd_hdr_o", header_bytes(rtl.rx_wd.header), header_bytes(twin.rx_wd.header));
      check_bytes("rx_wd_data_o", rtl.rx_wd.data, twin.rx_wd.data);
      check("rx_wd_be_o", rtl.rx_wd.enables, twin.rx_wd.enables);
    }
    compare_cache(end, rtl.cache, twin.cache);
    if (twin.link_tx_valid) {
      check_bytes("link_tx_flit_o", rtl.link_tx_flit.payload, twin.link_tx_flit.payload);
      check("link_tx_flit_o crc", rtl.link_tx_flit.crc, twin.link_tx_flit.crc);
    }
  }

  void compare_cache(unsigned end, const CacheChannels::Out& rtl, const CacheChannels::Out& twin) {
    static constexpr const char* kReady[] = {"tx_creq_ready_o", "tx_crsp_ready_o",
                                             "tx_cdat_ready_o"};
    static constexpr const char* kValid[] = {"rx_creq_valid_o", "rx_crsp_valid_o",
                                             "rx_cdat_valid_o"};
    for (unsigned c = 0; c < kCacheChannels; ++c) {
      if (rtl.tx_ready[c] != twin.tx_ready[c]) {
        run_.check(name(end, kReady[c]), rtl.tx_ready[c], twin.tx_ready[c]);
      }
      if (rtl.rx_valid[c] != twin.rx_valid[c]) {
        run_.check(name(end, kValid[c]), rtl.rx_valid[c], twin.rx_valid[c]);
      }
    }
    const auto check_header = [&](const char* field, MsgHeader r, MsgHeader t) {
      if (r != t) run_.check_bytes(name(end, field), header_bytes(r), header_bytes(t));
    };
    if (twin.rx_valid[kCreq]) check_header("rx_creq_hdr_o", rtl.rx_creq_hdr, twin.rx_creq_hdr);
    if (twin.rx_valid[kCrsp]) check_header("rx_crsp_hdr_o", rtl.rx_crsp_hdr, twin.rx_crsp_hdr);
    if (!twin.rx_valid[kCdat]) return;
    check_header("rx_cdat_hdr_o", rtl.rx_cdat.header, twin.rx_cdat.header);
    run_.check_bytes(name(end, "rx_cdat_data_o"), rtl.rx_cdat.data, twin.rx_cdat.data);
    run_.check(name(end, "rx_cdat_be_o"), rtl.rx_cdat.enables, twin.rx_cdat.enables);
  }

  static const char* name(unsigned end, const char* field) {
    static std::string text;
    text = std::string(end == 0 ? "host " : "device ") + field;
    return text.c_str();
  }

  LinkBins bins_;
  ChannelBins channels_;
  Lockstep& run_;
  Source source_;
  Clocked<Top> rtl_;
  std::mt19937 noise_;
  Idle idle_;
};

}  // namespace cxlgpu::test
