// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The strict host: a standard CXL 2.0 downstream port with an operating system and a memory client
// behind it.
//
// It brings the link up as its downstream end, enumerates the device through configuration
// requests, programs the HDM decoder, and drives CXL.mem requests against its own memory of bytes
// and poison. It checks all that the device does. It knows nothing of the device but what the
// standard tells a host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "enumerator.hpp"
#include "illegal.hpp"
#include "link_end.hpp"

namespace peer {

// How much of the chances a host takes. Rates are per 65536 (0: never, 65536: always).
struct HostKnobs {
  uint64_t seed = 1;

  // What is to be done.
  bool enumerate = true;  // false: no CXL.io at all; traffic starts as soon as the link layer is up
  bool use_ranges = false;               // program DVSEC range 1 and leave the HDM decoder disabled
  bool config_lock = false;              // set CONFIG_LOCK after the enumeration
  uint64_t window_base = 0x1'0000'0000;  // HPA of the device's memory (multiple of 256 MB)
  uint64_t window_size = 0;              // 0: all that the device reports
  uint64_t requests = 2000;              // CXL.mem requests in all; done() after their answers
  uint32_t lines = 64;                   // lines of the working set, spread over the window
  uint32_t outstanding = 64;             // requests open at once, 1..4096
  bool same_line_overlap =
      false;  // MemRd may overlap MemRd of the same line (never write with anything)
  // Of requests made of one of the last lines, whatever is open for it: reads and writes of one
  // line in every order. What they may return is what some order of them gives (line_history.hpp).
  uint32_t conflict_rate = 0;
  bool strides = false;       // lines lie at powers of two from one another
  bool tags_at_once = false;  // the tag freed last is the next one used
  uint32_t spec_near_rate =
      0;               // of reads with a MemSpecRd of their line just before, behind or both
  uint32_t burst = 0;  // so many requests at once whatever is open, then all answers; 0: never

  // The mix, relative weights.
  uint32_t w_mem_rd = 4, w_mem_rd_data = 2, w_mem_wr = 4, w_mem_wr_ptl = 2;
  uint32_t w_mem_inv = 1, w_mem_inv_nt = 1, w_mem_spec_rd = 1;
  uint32_t poison_rate = 0;  // of writes that carry poison
  uint32_t idle_rate = 0;    // of cycles in which no new request is made

  // How the messages travel.
  bool one_credit_at_a_time = false;          // the host returns each credit alone
  uint32_t drs_buffer = 64, ndr_buffer = 64;  // receive buffers = credits granted, from 1
  uint32_t accept_latency_max = 0;  // cycles that a response may occupy its buffer, random from 0
  uint32_t packing = 0;             // packing policy of the wire; see the wire's header
  uint32_t llrb_depth = 64;         // from 22 to 255
  bool llr_wrap_inclusive = false;  // the other reading of the wrap value, at this end
  uint32_t retry_rate = 0;          // of received flits that this end takes as damaged
  uint32_t damage_rate = 0;         // of sent flits damaged on the way
  uint32_t retrain_rate = 0;        // of cycles with a request to go through recovery
  bool device_may_poison = false;   // the device may answer any read with poison (media errors)
  uint32_t flush_retimer = 32;      // cycles until acknowledgements are forced, from 32
  bool cache_credits = false;       // unused credit fields name CXL.cache
  uint32_t status_delay = 0;        // cycles before a Request{Active} is answered
  uint32_t weight_io = 1;           // of CXL.io against CXL.cachemem
  bool hold_init_param = false;     // INIT.Param is sent late

  // CXL.io
  bool io_one_per_flit = false;      // a packet starts at the first symbol of a flit only
  uint32_t io_dllp_damage_rate = 0;  // of DLLPs and of TLPs sent with a wrong CRC
  uint32_t io_tlp_damage_rate = 0;
  uint32_t io_completion_credits =
      0;  // completions headers granted at once; 0: infinite, as a root port must
  bool io_single_update = true;  // one credit at a time in UpdateFC
  bool io_data_link_feature =
      true;  // start with the Data Link Feature exchange, as a 32 GT/s port must
  bool clean_line =
      true;  // nothing but the ends damages CXL.io packets: a damaged one is a violation
  bool power_management = true;     // the PM messages of 3.1.2.1 at the start of a link
  bool io_bar_above_4g = false;     // the BAR lies above 4 GB: headers of four DW
  bool lock_on_commit = false;      // the decoder is locked
  std::vector<VendorWrite> vendor;  // by a driver of the device, before CXL.mem is used
  bool io_background = false;       // configuration and register reads beside the CXL.mem traffic

  // What happens once, in cycles after the start of CXL.mem traffic; 0: never.
  uint64_t viral_at = 0;        // the host announces viral
  bool survives_reset = false;  // the contents of the memory outlive a link down or a reset
  // Half-way the link registers are written and a hot reset is asked for: wants_hot_reset().
  bool link_registers = false;

  // One illegal thing, done once, `illegal_at` requests into the traffic where that makes sense.
  Illegal illegal = Illegal::None;
  uint64_t illegal_at = 100;

  // Cycles without any progress after which the host calls it a violation.
  uint64_t patience = 200'000;
};

struct HostCounts {
  uint64_t cycles = 0;
  uint64_t sent = 0, answered = 0;  // CXL.mem requests, MemSpecRd not counted
  uint64_t reads = 0, writes = 0, partial_writes = 0, invalidates = 0, speculative = 0;
  uint64_t poison_written = 0, poison_read = 0;
  uint64_t dev_load[4] = {};
  uint64_t config_requests = 0, memory_requests = 0;  // CXL.io
  uint64_t link_ups = 0;
  uint64_t dropped = 0;  // requests open at a link down or reset: forgotten, made again
  uint64_t mdh_slots = 0, mdh_slots_after = 0;  // received; of these, after the hot reset
};

class Host : public LinkEnd {
 public:
  explicit Host(const HostKnobs& knobs);
  ~Host() override;

  LinkOut cycle(const LinkIn& in) override;
  // All but what survives_reset says is as at power-up; the host starts with the link again and
  // enumerates again.
  void reset() override;

  // All requests answered, the illegal thing done and its reaction seen.
  bool done() const;
  // The enumeration is over and CXL.mem traffic runs.
  bool in_traffic() const;
  // The link is to be taken down now, as a hot reset does it.
  bool wants_hot_reset() const;
  // What the device did against the standard, each with its clause. Empty: nothing.
  const std::vector<std::string>& violations() const;
  // What the registers of the device show against the standard.
  const std::vector<std::string>& findings() const;
  // What the standard asks for and the device lacks without hurt to the traffic (capabilities not
  // shown).
  const std::vector<std::string>& remarks() const;
  const HostCounts& counts() const;
  // With Knobs::illegal: the reaction of the rule was seen.
  bool reaction_seen() const;
  // What the host does now, for the message of a hanging test.
  std::string where() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace peer
