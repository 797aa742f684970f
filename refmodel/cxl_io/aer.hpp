// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Advanced Error Reporting of the endpoint.
//
// Purpose: twin of rtl/cxl_io/aer.sv, cycle by cycle; config_space has it.
// Units:   byte offsets from the head of the capability.
// Errors:  what it is about: they arrive as pulses, a bit each, of the blocks that find them.
// Source:  PCI Express Base 5.0, 6.2 and 7.8.4; docs/blocks/cxl_io/aer.md.
#pragma once

#include <cstdint>

#include "common/register_types.hpp"
#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

class Aer {
 public:
  static constexpr unsigned kBytes = regs::aer::kBlockBytes;
  struct In {
    CfgAccess write{};    // to a register of the capability, counted from its head; or not valid
    unsigned io_err = 0;  // IoLink::Out
    TlpHeader io_err_hdr{};
    unsigned event = 0;  // IoCompleter::Out
    bool event_posted = false;
    TlpHeader event_hdr{};
    unsigned ras = 0;  // fatal, non-fatal, correctable, the latter bit 0
  };

  [[nodiscard]] std::uint32_t read(unsigned offset) const { return regs_.word_at(offset); }
  // What Device Status gets at this edge: correctable, non-fatal, fatal, unsupported request, the
  // first bit 0.
  unsigned clock(const In& in);

 private:
  void write(const CfgAccess& access);
  void log(std::uint32_t errors, const In& in);

  regs::aer::Regs regs_;
  bool held_ = false;  // the first error and its header
};

}  // namespace cxlgpu
