// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Trace events: everything that reports, checkers and comparisons know about a request.
//
// Purpose: the RTL's trace ports and the model raise the same events; waterfalls and time
//          series are built from these alone.
// Units:   `at` in picoseconds, always on a clock edge except the two wire stages.
// Shapes:  `id` is the system-bus id (engines translate link tags before they report); from
//          kRootPortIds on it is a write of a root port's own, which is of no request.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/time.hpp"

namespace cxlgpu {

// In the order in which a request passes them. A request that a stage does not concern (a read
// that hits the internal DRAM has no fill) simply does not raise it; the waterfall charges the
// time to the next stage that is raised.
enum class Stage : std::uint8_t {
  SysAccept,    // request taken from the system bus; info: 1 write, 0 read
  PortEnqueue,  // entered the root port's SR queue
  MemqAlloc,    // entered the memory queue; info: tag
  CtrlAccept,   // handed to the root port's controller
  WireM2S,      // last byte of the flit that completes it reached the endpoint
  EpAccept,     // taken out of the endpoint's receive queue
  EpLookup,     // internal DRAM looked up; info: LookupResult
  MediaIssue,   // data command handed to the media port (array or direct)
  MediaDone,    // media answered
  EpRespond,    // response handed to the endpoint's controller
  WireS2M,      // last byte of the flit that completes the response reached the root port
  PortRespond,  // response taken from the controller, tag freed; info: tag, DevLoad << 6
  SysRespond,   // response handed to the system bus; info: 1 error
  // Not part of a request's path:
  SpecIssue,    // MemSpecRd handed to the controller; id kHintSpecId: of a hint, else 0; addr first
                // 256 B granule, info: granules
  SpecFill,     // endpoint started a fill for a MemSpecRd; addr: DPA
  SpecDrop,     // endpoint dropped (part of) a MemSpecRd; addr: DPA
  LoadControl,  // load-control state changed; info: state
  DsEvent,      // deterministic store did something; id 0, info: ds_event_t, pending lines << 16
  Count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Stage::Count)> kStageNames =
    {"sys_accept",  "port_enqueue", "memq_alloc", "ctrl_accept", "wire_m2s",     "ep_accept",
     "ep_lookup",   "media_issue",  "media_done", "ep_respond",  "wire_s2m",     "port_respond",
     "sys_respond", "spec_issue",   "spec_fill",  "spec_drop",   "load_control", "ds"};

enum class LookupResult : std::uint8_t { Bypass = 0, Hit = 1, Miss = 2, Merge = 3 };

inline constexpr std::uint32_t kHintSpecId = 1;

struct TraceEvent {
  Time at;
  Stage stage = Stage::SysAccept;
  std::uint8_t port = 0;  // root port, equal to endpoint number
  std::uint32_t id = 0;
  std::uint64_t addr = 0;
  std::uint32_t info = 0;
};

// Receives events in time order per request. Implementations must not call back into the engine.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void on_event(const TraceEvent& event) = 0;
};

}  // namespace cxlgpu
