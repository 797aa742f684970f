// One root port, cycle by cycle: its parts' twins wired to each other.
//
// Purpose: twin of rtl/root_port/root_port.sv (the event-driven one of whole-system runs is
//          root_port.hpp).
// Units:   cycles; addr is a byte offset in the port's register page, the register is addr[11:2].
// Errors:  those of the parts.
// Source:  docs/blocks.md, "Root port".
#pragma once

#include "refmodel/controller/cxl_port.hpp"
#include "refmodel/root_port/isolation.hpp"
#include "refmodel/root_port/load_control.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/profiler.hpp"
#include "refmodel/root_port/sr_queue.hpp"
#include "refmodel/root_port/sr_reader.hpp"

namespace cxlgpu {

class RootPortBlock {
 public:
  struct RegisterAccess {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
  };
  struct In {
    bool req_valid = false;
    MemRequest req;
    bool rsp_ready = false;
    RegisterAccess reg;
    ArbMux::In link;  // CXL.io idle, both protocols asked to be Active
  };
  struct Out {
    bool req_ready = false;
    bool rsp_valid = false;
    MemResponse rsp;          // with rsp_valid
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    CxlPort::Out port;
    bool isolated = false;
  };

  explicit RootPortBlock(const ControllerParams& params) : port_(params) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  // Everything that follows from registers and inputs in one cycle.
  struct Cycle {
    Isolation::In isolation_in;
    Isolation::Out isolation;
    SrQueue::In queue_in;
    SrQueue::Out queue;
    SrReaderBlock::In reader_in;
    SrReaderBlock::Out reader;
    MemoryQueueBlock::In memory_in;
    MemoryQueueBlock::Out memory;
    Profiler::In profiler_in;
    LoadControl::In load_in;
    CxlPort::In port_in;
    CxlPort::Out port;
    bool policy_written = false;
  };
  [[nodiscard]] Cycle cycle(const In& in) const;
  [[nodiscard]] std::uint32_t read(std::uint32_t offset, const Cycle& now) const;

  SrPolicy policy_ = SrPolicy::Off;
  bool length_enabled_ = false;
  unsigned clip_log2_ = kNoClip;
  std::uint32_t rdata_ = 0;  // of the vendor block
  Isolation isolation_;
  SrQueue queue_;
  SrReaderBlock reader_;
  MemoryQueueBlock memory_;
  Profiler profiler_;
  LoadControl load_;
  CxlPort port_;
};

}  // namespace cxlgpu
