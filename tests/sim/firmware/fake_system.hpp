// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A root complex with root ports and endpoints that can be as unlike, and as wrong, as a test
// wants.
//
// Purpose: what firmware sees through registers, without links and time. Configuration spaces and
//          decoders are the model's; single registers can be made to read otherwise.
// Units:   media sizes in 256 MiB, byte offsets.
// Errors:  none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/registers.hpp"
#include "model/io_path.hpp"
#include "refmodel/endpoint/endpoint_regs.hpp"
#include "refmodel/host_bridge/hdm_decoder.hpp"
#include "sim/firmware/bring_up.hpp"
#include "tests/sim/firmware/translation.hpp"

namespace cxlgpu::test {

struct FakeEndpoint {
  std::uint64_t size = 4, size2 = 0;  // ranges 1 and 2, 256 MiB
  unsigned decoders = 4;
  bool there = true;
  std::map<std::uint32_t, std::uint32_t> config =
      {};  // these configuration registers read otherwise
  std::map<std::uint32_t, std::uint32_t> memory = {};  // these registers in BAR0, the same
  // And of the root port above it.
  std::map<std::uint32_t, std::uint32_t> port_config = {}, port_memory = {};
  // Vendor registers of the root port that read so, whatever is written.
  std::map<std::uint32_t, std::uint32_t> port_vendor = {};

  [[nodiscard]] std::uint64_t bytes() const { return (size + size2) << 28; }
};

class FakeSystem : public RegisterBus {
 public:
  explicit FakeSystem(const std::vector<FakeEndpoint>& endpoints, unsigned host_decoders = 4)
      : host_(HdmDecoder::Role::HostBridge, host_decoders) {
    for (const FakeEndpoint& e : endpoints) {
      ports_.push_back(std::make_unique<Port>(static_cast<unsigned>(ports_.size()), e));
    }
  }

  void write(RegisterSpace space, unsigned index, std::uint32_t offset,
             std::uint32_t value) override {
    if (space == RegisterSpace::HostBridge) {
      host_.write(offset, value);
      host_written_ = true;
    } else if (IoPath::has(offset)) {
      ports_[index]->io.write(offset, value);
      const Bridge bridge = ports_[index]->io.bridge();
      sized_while_decoding_ |= bridge.mem_space && (bridge.bar0 & 0xffff) == 0xffff;
    } else {
      ports_[index]->root[offset] = value;
    }
  }
  std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) override {
    if (space == RegisterSpace::HostBridge) return host_.read(offset);
    if (index >= ports_.size()) return 0;
    Port& port = *ports_[index];
    if (!IoPath::has(offset)) return lie(port.fake.port_vendor, offset, port.root[offset]);
    const std::uint32_t value = port.io.read(offset);
    if (offset != regs::io_access::kData) return value;
    // What this answers: the request is still in the registers.
    const auto op =
        static_cast<IoOp>(regs::io_access::kCommandOp.get(port.io.read(regs::io_access::kCommand)));
    const std::uint32_t address = port.io.read(regs::io_access::kAddrLow);
    if (!is_memory(op)) {
      const bool own = (address >> 20 & 0xff) == 0;
      return lie(own ? port.fake.port_config : port.fake.config, address & 0xfff, value);
    }
    const bool own = address >> 16 == port.io.bridge().bar0;  // below 4 GiB as all BARs here
    return own ? lie(port.fake.port_memory, address & 0xffff, value)
               : lie(port.fake.memory, address & 0x3'ffff, value);
  }

  [[nodiscard]] Translation translation() {
    return {[this](std::uint64_t hpa) -> std::optional<unsigned> {
              const auto decoded = host_.decode(hpa);
              if (!decoded) return std::nullopt;
              return decoded->target - kPortNumberBase;
            },
            [this](unsigned port, std::uint64_t hpa) -> std::optional<std::uint64_t> {
              const auto decoded = ports_[port]->decoder.decode(hpa);
              if (!decoded) return std::nullopt;
              return decoded->address;
            }};
  }
  // Of a port; going down it resets the endpoint but for what is sticky.
  void set_link(unsigned port, bool up) { ports_[port]->io.set_link(up); }
  [[nodiscard]] bool holds_down(unsigned port) const { return ports_[port]->io.holds_down(); }
  // From now on these registers of its endpoint read otherwise.
  void lie(unsigned port, const std::map<std::uint32_t, std::uint32_t>& config,
           const std::map<std::uint32_t, std::uint32_t>& memory) {
    ports_[port]->fake.config = config;
    ports_[port]->fake.memory = memory;
  }
  [[nodiscard]] Bridge bridge(unsigned port) const { return ports_[port]->io.bridge(); }
  // A root port's BAR0 was all ones, as for sizing, with memory space on.
  [[nodiscard]] bool sized_while_decoding() const { return sized_while_decoding_; }
  [[nodiscard]] bool host_written() const { return host_written_; }
  [[nodiscard]] EndpointRegs::Out vendor(unsigned port) { return ports_[port]->vendor.eval({}); }
  [[nodiscard]] std::uint32_t root(unsigned port, std::uint32_t offset) {
    return ports_[port]->root[offset];
  }

 private:
  struct Port : EndpointRegisters {
    Port(unsigned number, const FakeEndpoint& e)
        : fake(e),
          decoder(HdmDecoder::Role::Device, e.decoders),
          io(number, parameters(e), e.there ? this : nullptr) {
      root[regs::rp::kSrCap] = regs::rp::kSrCapSrQueue.put(kDefaultRtl.sr_queue_entries);
    }
    static ConfigSpace::Parameters parameters(const FakeEndpoint& e) {
      ConfigSpace::Parameters p;
      p.range1_size = e.size;
      p.range2_size = e.size2;
      return p;
    }
    void write_register(std::uint32_t offset, std::uint32_t value) override {
      if (offset < regs::ep::kBlock) return decoder.write(offset, value);
      vendor.clock({.valid = true, .write = true, .addr = offset, .wdata = value});
    }
    std::uint32_t read_register(std::uint32_t offset) override {
      if (offset < regs::ep::kBlock) return decoder.read(offset);
      vendor.clock({.valid = true, .addr = offset});
      return vendor.eval({}).rdata;
    }
    void reset_decoders() override {
      decoder = HdmDecoder(HdmDecoder::Role::Device, fake.decoders);
    }
    FakeEndpoint fake;
    HdmDecoder decoder;
    EndpointRegs vendor;
    IoPath io;
    std::map<std::uint32_t, std::uint32_t> root;
  };
  static std::uint32_t lie(const std::map<std::uint32_t, std::uint32_t>& lies, std::uint32_t at,
                           std::uint32_t truth) {
    const auto found = lies.find(at);
    return found == lies.end() ? truth : found->second;
  }

  HdmDecoder host_;
  bool host_written_ = false, sized_while_decoding_ = false;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace cxlgpu::test
