// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The GPU's own memory: contents, and when each access is answered.
//
// Purpose: the local tenth of a data set. Accesses take effect in the order given.
// Timing:  with a part, its DRAM model times each access, and what is left of latency_ps beyond
//          that part's idle read (crossbar, caches' queues) is added to every answer, so that an
//          idle read takes latency_ps. Without one, a fixed latency and a bandwidth.
// Units:   cycles of kCycle; latency in picoseconds, bandwidth in bytes per cycle.
// Shapes:  covers [base, base + bytes); lines of 64 B. The part's addresses begin at 0.
// Errors:  an address outside is a programming error (asserted); LocalMemoryParams that do not fit
//          are refused by local_part() (sim/machine/run_checks) and validate().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/pipe.hpp"
#include "common/request.hpp"
#include "common/time.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/host/backdoor.hpp"
#include "sim/media/dram_controller.hpp"

namespace cxlgpu {

class LocalMemory : public Backdoor {
 public:
  LocalMemory(const LocalMemoryParams& params, const SystemMapParams& map);

  [[nodiscard]] bool contains(std::uint64_t addr) const { return addr - base_ < bytes_.size(); }
  [[nodiscard]] Line read(std::uint64_t addr) const;
  void write(std::uint64_t addr, const Line& data, std::uint64_t byte_enable);
  // Its bytes themselves, which later writes change.
  [[nodiscard]] std::span<const std::uint8_t> page(std::uint64_t addr, std::uint64_t bytes) const {
    return std::span(bytes_).subspan(addr - base_, bytes);
  }
  // One line to be timed; take() gives the token back. `cycle` never falls.
  void submit(std::uint64_t cycle, std::uint64_t addr, DramAccess access, std::uint32_t token);
  // The next access answered at or before `cycle`, to be asked until it gives nothing.
  std::optional<std::uint32_t> take(std::uint64_t cycle);
  // Earliest cycle at which take() may give something; ~0 if none.
  [[nodiscard]] std::uint64_t next_cycle() const { return next_cycle_; }

  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override;

 private:
  void update();  // after a request or an answer

  struct Answer {
    std::uint64_t due = 0;
    std::uint32_t token = 0;
  };

  LocalMemoryParams params_;
  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
  std::optional<DramController> dram_;
  std::uint64_t beyond_part_ = 0;  // cycles
  Pipe<Answer> answers_{256};      // on their way back
  Time free_at_;                   // of the bandwidth, without a part
  std::uint64_t next_cycle_ = ~std::uint64_t{0};
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
