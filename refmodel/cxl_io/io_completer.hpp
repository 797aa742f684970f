// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Endpoint side of CXL.io: a TLP becomes a register access, and a completion if it is non-posted.
//
// Purpose: twin of rtl/cxl_io/io_completer.sv, cycle by cycle.
// Units:   byte addresses; bar0 is address[63:18].
// Errors:  what is not known is answered Unsupported Request or dropped, and shown by Out::event.
// Source:  PCI Express Base 5.0, 2.2.9, 2.3.1; CXL 2.0, 8.2.4, 8.2.5;
//          docs/blocks/cxl_io/io_completer.md.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

class IoCompleter {
 public:
  // Bits of Out::event.
  static constexpr unsigned kUnsupportedRequest = 1, kCompleterAbort = 2, kPoisonedWrite = 4,
                            kUnexpectedCompletion = 8;
  struct In {
    bool link_up = false;
    std::optional<Tlp> tlp_rx = std::nullopt;
    bool tlp_tx_ready = false;
    std::uint32_t cfg_rdata = 0;
    bool mem_space_en = false;
    std::uint64_t bar0 = 0;
    std::uint32_t reg_rdata = 0;
    unsigned weight_io = 0, weight_cm = 0;
  };
  struct Out {
    bool tlp_rx_ready = false;
    std::optional<Tlp> tlp_tx = std::nullopt;
    CfgAccess cfg = {};
    RegAccess reg = {};
    bool weight_io_we = false, weight_cm_we = false;
    unsigned weight = 0;
    unsigned event = 0;
    bool event_posted = false;  // it was of no request that is answered
    TlpHeader event_hdr{};
  };

  // What a TLP in work does in a cycle; the second access is that of a pair.
  enum class Step : std::uint8_t { kAccess, kSecondAccess, kData, kCompletion };

  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  // Of this cycle; none: no TLP is in work.
  [[nodiscard]] std::optional<Step> step() const;

 private:
  // What the table of the page says of a TLP.
  struct Verdict {
    bool access = false;
    CplStatus status = CplStatus::kSuccess;  // of its completion, if it is non-posted
    unsigned event = 0;
  };
  struct InWork {
    Tlp tlp{};
    std::deque<Step> to_do{Step::kAccess};  // this cycle's first
    Verdict verdict = {};                   // from the first access on
    std::vector<std::uint32_t> data{};      // read
  };

  [[nodiscard]] static Verdict judge(const Tlp& tlp, const In& in);
  void access(Out& out, unsigned dw) const;
  [[nodiscard]] std::uint32_t read_data(const In& in, unsigned dw) const;
  [[nodiscard]] Tlp completion() const;
  void work(const In& in);

  std::optional<InWork> in_work_;
  unsigned event_ = 0;  // of the cycle before
  Tlp event_tlp_{};
  std::array<std::uint8_t, 2> completer_id_{};  // as in a completion
};

}  // namespace cxlgpu
