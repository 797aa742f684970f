// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Messages to flits.
//
// Purpose: twin of rtl/controller/flit_packer.sv. pack_rule.hpp decides what goes where; this class
//          holds the owed chunks and writes the bits.
// Units:   counts of messages and 16-byte chunks.
// Shapes:  two oldest messages of each channel at index 0 (oldest) and 1.
// Errors:  none.
// Source:  CXL 2.0 4.2.3, 4.2.5, 4.2.7, docs/blocks/controller/flit_packer.md.
#pragma once

#include <array>
#include <deque>

#include "refmodel/controller/pack_rule.hpp"
#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

class FlitPacker {
 public:
  struct In {
    bool start = false;     // link start: nothing owed
    bool take = false;      // the offered flit leaves
    bool hold_new = false;  // no new message may start
    bool mdh_disable = false;
    unsigned nd_valid = 0;  // messages offered, 0..2
    std::array<MsgHeader, 2> nd_hdr{};
    unsigned wd_valid = 0;
    std::array<WdMessage, 2> wd{};
    bool ak = false;
    std::uint8_t rsp_crd = 0, req_crd = 0, data_crd = 0;  // four-bit fields
  };
  struct Out {
    Payload flit{};
    bool is_adf = false;
    bool has_content = false;
    unsigned nd_take = 0;
    unsigned wd_take = 0;
    unsigned owed = 0;
    unsigned owed_next = 0;
  };

  explicit FlitPacker(bool is_host) : is_host_(is_host) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] unsigned owed() const { return static_cast<unsigned>(owed_.size()); }

 private:
  using Chunks = std::deque<Chunk>;
  struct Format {  // of a slot that carries messages
    std::uint8_t code;
    std::array<MsgHeader, 2> messages;  // in the order of the format's places that we use
  };
  [[nodiscard]] bool has_enables(const WdMessage& wd) const {
    return is_host_ && wd.enables != kAllEnables;
  }
  [[nodiscard]] PackPlan plan(const In& in) const;
  [[nodiscard]] flits::FlitHeader header(const In& in, const PackPlan& plan) const;
  [[nodiscard]] Format host_format(unsigned slot, SlotUse use, const In& in, unsigned nd) const;
  [[nodiscard]] Format device_format(SlotUse use, const In& in, unsigned nd) const;
  void place(Payload& flit, unsigned slot, const Format& format) const;
  // Owed chunks, then those of the messages this flit takes.
  [[nodiscard]] Chunks chunks(const In& in, const PackPlan& plan) const;

  bool is_host_;
  Chunks owed_;
};

}  // namespace cxlgpu
