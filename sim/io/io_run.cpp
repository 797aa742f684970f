// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/io_run.hpp"

#include <utility>

namespace cxlgpu {

IoRun::IoRun(const IoRunParams& params) : params_(params) {
  std::unique_ptr<IoPlan> plan = params_.plan ? params_.plan() : make_equal_ios(params_.work);
  system_ = std::make_unique<IoSystem>(params_, plan->file_bytes());
  job_ = std::make_unique<IoJob>(system_->kernel(), system_->gpu(), system_->stack(), params_.work,
                                 std::move(plan));
}

void IoRun::begin() {
  job_->fill(system_->device());
  system_->host().start(job_->run());
}

}  // namespace cxlgpu
