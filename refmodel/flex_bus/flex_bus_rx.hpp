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
  [[nodiscard]] Out eval(const In&) const { return out_; }
  void clock(const In& in);

 private:
  enum class Place : std::uint8_t { kSearch, kSds, kInterval, kSkp };

  // The place after a word; nothing: the stream is broken.
  [[nodiscard]] std::optional<Place> follow(const In& in);
  [[nodiscard]] std::optional<Place> follow_interval(const In& in);
  void report(const IdReading& id);

  unsigned lanes_;
  Place place_ = Place::kSearch;
  unsigned words_ = 0;               // of the place, but of those before the first of an interval
  std::vector<std::uint8_t> begun_;  // flit
  bool ended_ = false;               // the flit before had EDS
  Out out_;
};

}  // namespace cxlgpu
