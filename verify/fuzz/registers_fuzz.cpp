// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Any register writes between any loads and stores: the golden model never fails.
//
// Input: operations of 1 + 8 bytes: what, where, value. Registers of the host bridge and of both
// root ports (which reach configuration spaces and BARs below them by their access registers),
// lines of the HDM ranges and just beside them, steps of time. Data is not checked: a write may
// well take a range away; the whole system against its model is tests/system/system_soak.
// Left out: ds_base. Where a port's region of local memory is, the GPU says; a port sent elsewhere
// is the firmware's mistake, which the model of local memory refuses (DsRegion, std::logic_error).
#include "common/registers.hpp"
#include "model/engine.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "verify/fuzz/input.hpp"

namespace {

using namespace cxlgpu;

class Machine {
 public:
  Machine(const RunConfig& config, const MediaConfig& part)
      : config_(config),
        media_(config, part, 3),
        engine_(config, {true, 3}, media_.media(), nullptr) {
    for (std::uint32_t id = 0; id < kIds; ++id) free_.push_back(id);
  }

  void step(std::uint64_t what, std::uint64_t where, std::uint64_t value) {
    const auto offset = static_cast<std::uint32_t>(where & 0x1FFC);
    const auto space = what & 1 ? RegisterSpace::RootPort : RegisterSpace::HostBridge;
    const unsigned port = what >> 1 & 1;
    switch (what >> 2 & 3) {
      case 0:
        if (space == RegisterSpace::RootPort && places_region(offset)) break;
        engine_.write(space, port, offset, static_cast<std::uint32_t>(value));
        break;
      case 1:
        (void)engine_.read(space, port, offset);
        break;
      case 2:
        access(where, value, what & 1, what & 2);
        break;
      default:
        advance(Time{(value & 0xFFFF) * 1000});
    }
  }
  void finish() { advance(Time{100'000'000}); }

 private:
  static constexpr std::uint32_t kIds = 64;

  static bool places_region(std::uint32_t offset) {
    return offset == regs::rp::kDsBaseLow || offset == regs::rp::kDsBaseHigh;
  }

  void access(std::uint64_t line, std::uint64_t value, bool is_write, bool partial) {
    if (free_.empty()) return;
    MemRequest request;
    request.id = free_.back();
    request.is_write = is_write;
    request.addr = config_.hdm.empty() ? 0 : config_.hdm.front().base;
    request.addr += (line & 0x3FFF) * kLineBytes;
    if (partial) request.byte_enable = value;
    if (engine_.submit(request)) free_.pop_back();
    advance(Time{1000});
  }
  void advance(Time by) {
    const Time until = engine_.now() + by;
    while (engine_.now() < until) {
      engine_.advance_to(until);
      while (const auto response = engine_.take()) free_.push_back(response->id);
    }
  }

  RunConfig config_;
  EndpointMedia media_;
  ModelEngine engine_;
  std::vector<std::uint32_t> free_;
};

RunConfig config() {
  const ConfigLoader loader(CXLGPU_SOURCE_DIR "/configs", {{"vadd"}, {"dram"}, {"ds"}});
  return loader.load("vadd-dram-ds", {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const RunConfig kConfig = config();
  static const MediaConfig kPart = load_media_config(CXLGPU_SOURCE_DIR "/configs/media/dram.yaml");
  fuzz::Numbers in({data, std::min<std::size_t>(size, 9 * 512)});
  Machine machine(kConfig, kPart);
  while (!in.empty()) {
    const std::uint64_t what = in.take(1), where = in.take(4), value = in.take(4);
    machine.step(what, where, value);
  }
  machine.finish();
  return 0;
}
