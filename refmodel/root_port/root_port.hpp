// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One root port, cycle by cycle: its parts' twins wired to each other.
//
// Purpose: twin of rtl/root_port/root_port.sv (the event-driven one of whole-system runs is
//          model/root_port.hpp).
// Units:   cycles; addr is a byte offset in the port's register page, the register is addr[11:2].
// Errors:  those of the parts.
// Source:  docs/blocks/root_port/root_port.md, root_port/deterministic_store.md,
//          cxl_io/README.md.
#pragma once

#include <array>
#include <cstdint>

#include "common/register_types.hpp"
#include "refmodel/controller/cxl_port.hpp"
#include "refmodel/controller/link_regs.hpp"
#include "refmodel/controller/ras.hpp"
#include "refmodel/cxl_io/io_access.hpp"
#include "refmodel/cxl_io/io_link.hpp"
#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/cxl_io/io_route.hpp"
#include "refmodel/cxl_io/port_config_space.hpp"
#include "refmodel/cxl_io/retrain_request.hpp"
#include "refmodel/root_port/deterministic_store.hpp"
#include "refmodel/root_port/hint_queue.hpp"
#include "refmodel/root_port/isolation.hpp"
#include "refmodel/root_port/load_control.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/profiler.hpp"
#include "refmodel/root_port/sr_queue.hpp"
#include "refmodel/root_port/sr_reader.hpp"

namespace cxlgpu {

class RootPort {
 public:
  struct RegisterAccess {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
  };
  struct In {
    bool req_valid = false;
    MemRequest req;
    bool hint_valid = false;
    std::uint64_t hint_granule = 0;
    bool rsp_ready = false;
    RegisterAccess reg;
    unsigned device = 0;  // number on bus 0, constant
    bool viral = false;   // some port of the root complex is viral
    ArbMux::In link;      // Flex Bus alone: what the protocols say is the port's own
    bool lm_ready = false;
    bool lm_rsp_valid = false;
    LmResponse lm_rsp;
  };
  struct Out {
    bool req_ready = false;  // this and lm_rsp_ready: with their valid
    bool hint_ready = false;
    bool rsp_valid = false;
    MemResponse rsp;  // with rsp_valid
    bool lm_valid = false;
    LmRequest lm_req;           // this and lm_line: with lm_valid
    std::uint64_t lm_line = 0;  // of local memory
    bool lm_rsp_ready = false;
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    CxlPort::Out port;
    bool isolated = false;
    bool refuse = false;  // the memory queue answers by itself
    bool viral = false;
    bool stores_on = false;  // deterministic store
    // Traces: requests that wait in the SR queue; load control's state, whose changes show; what
    // deterministic store did, and what it holds.
    unsigned queue_level = 0;
    Gran granularity = Gran::B256;
    DsEvents ds_events;
    unsigned ds_count = 0;
  };

  static constexpr std::uint16_t kRequesterId = 0;
  static constexpr std::uint32_t kCplTimeout = 10'000'000;  // cycles

  // `io_infinite`: CXL.io grants infinite credits, for a device that makes no requests.
  explicit RootPort(const ControllerParams& params, const DsConfig& stores = {},
                    bool io_infinite = false)
      : stores_params_(stores),
        stores_(stores),
        io_({.infinite = io_infinite}),
        link_regs_({.llrb_depth = params.llrb_depth,
                    .nd_rx_depth = params.nd_rx_depth,
                    .wd_rx_depth = params.wd_rx_depth,
                    .wrap_inclusive = params.wrap_inclusive}),
        port_(params) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  // How its configuration space is set.
  [[nodiscard]] Bridge bridge() const { return port_config_.eval().bridge; }
  // Whether it becomes viral with this cycle: by a fatal error, by what its device says.
  [[nodiscard]] bool turns_viral() const;
  [[nodiscard]] bool hears_viral() const { return port_.eval({}).messages.viral; }
  // CXL.io's data link has an error in this cycle that asks for Recovery, if its link is up.
  [[nodiscard]] bool io_asks_for_recovery() const {
    return (io_.eval({.link_up = true}).err & IoLink::kAskForRetrain) != 0;
  }

 private:
  // Everything that follows from registers and inputs in one cycle.
  struct Cycle {
    Isolation::In isolation_in;
    Isolation::Out isolation;
    bool down = false;  // the link cannot be used
    SrQueue::In queue_in;
    SrQueue::Out queue;
    SrReaderBlock::In reader_in;
    SrReaderBlock::Out reader;
    DeterministicStore::In stores_in;
    DeterministicStore::Out stores;
    bool quiet = false;  // deterministic store may go on or off
    HintQueue::In hints_in;
    HintQueue::Out hints;
    MemoryQueueBlock::In memory_in;
    MemoryQueueBlock::Out memory;
    Profiler::In profiler_in;
    LoadControl::In load_in;
    IoAccess::In access_in;
    IoRoute::In route_in;
    IoRoute::Out route;
    PortConfigSpace::In port_config_in;
    RegisterAccess structures;  // what isolation, RAS and link registers hear: software or route
    IoRequester::In requester_in;
    IoLink::In io_in;
    RetrainRequest::In retrain_in;
    Ras::In ras_in;
    LinkRegs::In link_regs_in;
    CxlPort::In port_in;
    CxlPort::Out port;
    bool policy_written = false;
  };
  // The register blocks of the page.
  enum class Block : std::uint8_t { kIsolation, kRas, kLink, kIoAccess, kVendor };
  [[nodiscard]] static Block block_of(std::uint32_t addr);
  [[nodiscard]] Cycle cycle(const In& in) const;
  // Deterministic store, before what depends on the memory queue's outputs.
  void cycle_stores(const In& in, Cycle& now) const;
  // The hint queue, before the memory queue, whose ready it hears last.
  void cycle_hints(const In& in, Cycle& now) const;
  // Who is at isolation, RAS and link registers.
  void cycle_route(const In& in, Cycle& now) const;
  [[nodiscard]] std::uint32_t structures_rdata() const;
  // CXL.io; what it sends goes into the ARB/MUX's input.
  void cycle_io(const In& in, const ArbMux::Out& link, Cycle& now) const;
  // The errors that the RAS structure hears, when the port's outputs are known.
  void cycle_ras(Cycle& now) const;
  // What configuration space hears, when the port's outputs are known.
  void cycle_port_config(const In& in, Cycle& now) const;
  // The vendor block as a read sees it in this cycle.
  [[nodiscard]] regs::rp::Regs registers(const Cycle& now) const;
  [[nodiscard]] SrPolicy policy() const { return static_cast<SrPolicy>(regs_.policy.select); }
  void clock_viral(const In& in, const Cycle& now, bool fatal);
  void clock_stores(const In& in, const Cycle& now);

  // The vendor block: what software writes, viral, counts of deterministic store; what a read sees
  // beside these is other parts'.
  regs::rp::Regs regs_;
  bool stores_on_ = false;      // deterministic store is in force
  std::uint32_t rdata_ = 0;     // of the vendor block
  std::uint8_t under_way_ = 0;  // requests of the host bridge
  DsConfig stores_params_;
  DeterministicStore stores_;
  Isolation isolation_;
  SrQueue queue_;
  SrReaderBlock reader_;
  HintQueue hints_;
  MemoryQueueBlock memory_;
  Profiler profiler_;
  LoadControl load_;
  IoAccess access_;
  IoRoute route_;
  PortConfigSpace port_config_;
  bool link_was_up_ = false;  // the vLSM's, in the cycle before
  bool routed_ = false;       // route was at the structures in the last cycle
  IoRequester requester_{kRequesterId, kCplTimeout};
  IoLink io_;
  RetrainRequest retrain_;
  Ras ras_;
  LinkRegs link_regs_;
  CxlPort port_;
};

}  // namespace cxlgpu
