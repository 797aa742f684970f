// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The host bridge: sends each request to the root port that its address decodes to.
//
// Purpose: routing (HDM decoder, then port number -> root port), a register for each way out, the
//          answer to addresses that no port owns, and the two round robins, for reads and for
//          writes, that merge the ports' responses. A request is decoded once; granules of hints
//          take the decoder in all other cycles.
// Units:   byte addresses in requests, granules (address[51:8]) in hints.
// Shapes:  root port i has PCIe port number port_number_base + i. Response sources: ports 0..N-1,
//          then the local answer (N).
// Errors:  no hit, or a target that is no port: reads all ones, write completed, error set.
// Source:  CXL 2.0 8.2.5.12; docs/blocks/host_bridge/host_bridge.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/register_types.hpp"
#include "common/request.hpp"
#include "refmodel/host_bridge/hdm_decoder.hpp"
#include "refmodel/host_bridge/hint_walker.hpp"

namespace cxlgpu {

inline constexpr unsigned kMaxRootPorts = 16;

// The root port of an address, or nothing if the host bridge must answer itself.
[[nodiscard]] std::optional<unsigned> route(const HdmDecoder& decoder, std::uint64_t hpa,
                                            unsigned ports, std::uint8_t port_number_base = 0x10);

// The answer to a request that no port owns.
[[nodiscard]] MemResponse decode_error_response(const MemRequest& request);

// Round robin: the first source with its bit set in `wanting`, starting after the last one granted.
class RoundRobin {
 public:
  explicit RoundRobin(unsigned sources) : sources_(sources) {}
  [[nodiscard]] std::optional<unsigned> pick(std::uint32_t wanting) const;
  void grant(unsigned source) { next_ = source + 1 == sources_ ? 0 : source + 1; }

 private:
  unsigned sources_;
  unsigned next_ = 0;
};

// Cycle-exact.
class HostBridge {
 public:
  static constexpr unsigned kMaxWays = kMaxRootPorts + 1;  // out: ports, local answer

  struct In {
    bool req_valid = false;
    MemRequest req;
    std::uint32_t port_ready = 0;  // bit i: root port i takes a request
    std::uint32_t rsp_valid = 0;   // bit i: root port i offers rsp[i]
    std::array<MemResponse, kMaxRootPorts> rsp{};
    bool r_ready = false, b_ready = false;  // the system bus takes a read's, a write's answer
    HdmDecoder::In registers;               // the register port; hpa_line is not used
    bool hint_valid = false;
    std::uint64_t hint_first = 0;       // granule
    unsigned hint_len = 0;              // granules less one
    std::uint32_t port_hint_ready = 0;  // bit i: root port i
  };
  struct Out {
    bool req_ready = false;
    std::uint32_t port_valid = 0;  // bit i: port i is offered port_req[i]
    std::array<const MemRequest*, kMaxRootPorts> port_req{};
    std::uint32_t rsp_ready = 0;  // towards the ports
    std::optional<MemResponse> r, b;
    std::uint32_t rdata = 0;            // in the cycle after a register read
    std::uint32_t port_hint_valid = 0;  // bit i: root port i
    std::uint64_t port_hint_granule = 0;
  };

  explicit HostBridge(unsigned ports, std::uint8_t port_number_base = 0x10, unsigned decoders = 4,
                      unsigned hint_depth = 16);
  [[nodiscard]] HdmDecoder& decoder() { return decoder_; }
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  // Answers of one kind, reads or writes, on their way to the bus.
  struct Answers {
    RoundRobin arbiter;
    std::optional<MemResponse> taken;  // the register

    // The source granted in this cycle, of those that offer an answer of this kind.
    [[nodiscard]] std::optional<unsigned> granted(std::uint32_t offers, bool ready) const {
      return taken && !ready ? std::nullopt : arbiter.pick(offers);
    }
  };
  [[nodiscard]] unsigned way_of(const In& in) const;
  [[nodiscard]] HintWalker::In walker_in(const In& in) const;
  [[nodiscard]] std::uint32_t offers(const In& in, bool writes) const;
  [[nodiscard]] std::optional<unsigned> granted(const In& in, bool writes) const;
  [[nodiscard]] bool leaves(const In& in, unsigned way) const;
  void collect(const In& in, bool writes, std::optional<unsigned> source);
  void clock_hints(const In& in);

  unsigned ports_;  // the local answer is way out number ports_
  std::uint8_t port_number_base_;
  HdmDecoder decoder_;
  HintWalker walker_;
  regs::hb::Regs regs_;
  std::uint32_t rdata_ = 0;                                  // of the vendor block
  std::array<Answers, 2> answers_;                           // reads, writes
  std::array<std::optional<MemRequest>, kMaxWays> waiting_;  // H1 of each way out
  std::optional<unsigned> kept_way_;  // of the request that was not accepted in the cycle before
};

}  // namespace cxlgpu
