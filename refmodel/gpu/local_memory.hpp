// The GPU's own memory: contents, a fixed latency and a bandwidth.
//
// Purpose: the local tenth of a data set. Requests take effect in the order given.
// Units:   latency in picoseconds, bandwidth in bytes per cycle of kCycle.
// Shapes:  covers [base, base + bytes); lines of 64 B.
// Errors:  an address outside is a programming error (asserted).
#pragma once

#include <cstdint>
#include <vector>

#include "refmodel/common/request.hpp"
#include "refmodel/common/time.hpp"
#include "refmodel/gpu/gpu_config.hpp"
#include "refmodel/host/backdoor.hpp"

namespace cxlgpu {

class LocalMemory : public Backdoor {
 public:
  LocalMemory(const LocalMemoryParams& params, const SystemMapParams& map);

  [[nodiscard]] bool contains(std::uint64_t addr) const { return addr - base_ < bytes_.size(); }
  [[nodiscard]] Line read(std::uint64_t addr) const;
  void write(std::uint64_t addr, const Line& data, std::uint64_t byte_enable);
  // One line moved: reserves the bandwidth and gives the cycle of the answer. `cycle` never falls.
  std::uint64_t schedule(std::uint64_t cycle);

  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override;

 private:
  LocalMemoryParams params_;
  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
  Time free_at_;
};

// The whole device memory as a host copy sees it: local memory, and HDM behind a backdoor.
class SystemMemory : public Backdoor {
 public:
  SystemMemory(LocalMemory& local, Backdoor& hdm, const SystemMapParams& map)
      : local_(local), hdm_(hdm), hdm_base_(map.hdm_base) {}
  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override;

 private:
  [[nodiscard]] std::size_t local_part(std::uint64_t hpa, std::size_t bytes) const;
  LocalMemory& local_;
  Backdoor& hdm_;
  std::uint64_t hdm_base_;
};

}  // namespace cxlgpu
