// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A GPU with an NVMe controller behind its root port, as the initiator of a run.
//
// Purpose: between GPU and engine: requests of CXL memory go on to the engine, those of the
//          controller's registers and of host memory are served here. Before the run the host
//          brings the controller up; in the run no CPU is in the way, unless a bridge polls.
// Order:   in a step what is on the links, then the controller, then the GPU.
// Errors:  the constructor throws InputError for a plan that overlaps and for queues that the
//          controller refuses.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/gpu/gpu.hpp"
#include "sim/host/engine_front.hpp"
#include "sim/nvme/bus.hpp"
#include "sim/nvme/controller.hpp"
#include "sim/nvme/kv_config.hpp"
#include "sim/nvme/media_store.hpp"
#include "sim/nvme/plan.hpp"

namespace cxlgpu::nvme {

struct KvHostParams {
  NvmeConfig config;
  SystemMapParams map;
  Time flit, flight;  // of the device's link
  Time edge;          // half of the GPU's fabric
  Time local;         // GPU memory from the LLC and back
  MediaArea area;
  double host_share = 1;  // of the measured lanes that the GPU's link to the host has
};

class KvHost final : public Initiator {
 public:
  // All outlive this.
  KvHost(const KvHostParams& params, Gpu& gpu, SharedMedia& media, KvPlan& plan);

  void step(Engine& engine) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] bool done() const override { return gpu_.done(); }

  // After a run that ended: what the store has and should not, a line each.
  [[nodiscard]] std::vector<std::string> problems() const;
  [[nodiscard]] const ControllerCounters& counters() const { return controller_.counters(); }
  [[nodiscard]] const BusCounters& bus_counters() const { return bus_.counters(); }
  [[nodiscard]] const StageBook& book() const { return plan_.book; }
  [[nodiscard]] Time bring_up() const { return bring_up_; }
  [[nodiscard]] const MediaStore& store() const { return store_; }

 private:
  class GpuSide final : public EngineFront {
   public:
    explicit GpuSide(KvHost& host) : host_(host) {}
    bool submit(const MemRequest& request) override;
    std::optional<MemResponse> take() override;

   private:
    KvHost& host_;
  };

  KvHostParams params_;
  Gpu& gpu_;
  KvPlan& plan_;
  MediaStore store_;
  KvBus bus_;
  Controller controller_;
  GpuSide side_;
  Time bring_up_;
};

}  // namespace cxlgpu::nvme
