// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flex Bus receiver: words on aligned lanes to flits.
//
// Purpose: twin of rtl/flex_bus/flex_bus_rx.sv.
// Units:   status is Flex Bus port status bits 10:8.
// Errors:  a stream that breaks its framing, and IDs: Out::status and Out::recovery.
// Source:  CXL 2.0 6.2, docs/blocks/flex_bus/flex_bus_rx.md.
#pragma once

#include <vector>

#include "refmodel/flex_bus/lane_word.hpp"
#include "refmodel/flex_bus/protocol_id.hpp"

namespace cxlgpu {

class FlexBusRx {
 public:
  static constexpr unsigned kCorrectable = 1, kUncorrectable = 2, kUnexpected = 4;

  struct In {
    bool run = false, bypass = false;
    unsigned expect = 0;
    Word word;
  };
  struct Out {
    bool rx_valid = false;
    FlitKind rx_kind = FlitKind::kNull;
    CrcFlit rx_flit;
    bool null = false;
    bool synced = false;
    unsigned status = 0;
    [[nodiscard]] bool recovery() const { return (status & ~kCorrectable) != 0; }
  };

  explicit FlexBusRx(unsigned lanes) : lanes_(lanes) {}
  [[nodiscard]] Out eval(const In&) const {
    Out out = out_;
    out.synced = phase_ == Phase::kData || phase_ == Phase::kSkp;
    return out;
  }
  void clock(const In& in);

 private:
  enum class Phase : std::uint8_t { kHunt, kSds, kData, kSkp };

  // False if the stream is broken.
  [[nodiscard]] bool accept(const In& in);
  [[nodiscard]] bool accept_data(const In& in);
  [[nodiscard]] bool accept_interval_end(const In& in);
  void take_flit(const IdReading& id);
  [[nodiscard]] IdReading judge(const In& in) const {
    return judge_id(bytes_[0], bytes_[1], in.expect);
  }
  void begin_interval();

  unsigned lanes_;
  Phase phase_ = Phase::kHunt;
  unsigned set_words_ = 0;           // of the ordered set so far
  unsigned position_ = 0;            // word in block
  std::vector<std::uint8_t> bytes_;  // the begun flit
  bool ended_ = false;               // the last flit had EDS
  Out out_;
};

}  // namespace cxlgpu
