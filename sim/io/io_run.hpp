// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Everything that a run of workloads io, kvload and modelload is made of, as the initiator of a
// run.
//
// Purpose: drives, host, GPU memory, stack and job in their order of life. The engine of the run
//          keeps the time and gets no requests.
// Errors:  InputError of the drives' part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/host/host_program.hpp"
#include "sim/io/io_system.hpp"

namespace cxlgpu {

class IoRun : public HostProgram {
 public:
  explicit IoRun(const IoRunParams& params);

  // Null: the stack does what the work asks for; else why not, to end a sentence.
  [[nodiscard]] const char* without() const { return system_->stack().without(params_.work.mode); }
  [[nodiscard]] std::uint64_t file_bytes() const { return job_->file_bytes(); }
  [[nodiscard]] std::uint64_t buffer_bytes() const { return job_->buffer_bytes(); }
  // Puts the file on the drives, and the program's first thread on the host.
  void begin();

  void step(Engine& engine) override { system_->host().advance(engine.now()); }
  [[nodiscard]] Time next_event() const override { return system_->host().next_event(); }
  [[nodiscard]] bool done() const override { return system_->host().done(); }
  [[nodiscard]] std::uint64_t items_done() const override { return result().ios; }
  [[nodiscard]] std::uint64_t items_left() const override {
    return job_->plan().ios() - result().ios;
  }
  [[nodiscard]] std::string_view counts() const override { return "I/Os"; }

  // After the run.
  void judge() { job_->check_file(system_->device()); }
  [[nodiscard]] const IoResult& result() const { return job_->result(); }
  [[nodiscard]] const std::vector<std::string>& problems() const { return job_->problems(); }
  [[nodiscard]] const StepBook& steps() const { return system_->host().steps(); }
  [[nodiscard]] std::vector<MediaCounters> media() const { return system_->media(); }

 private:
  IoRunParams params_;
  std::unique_ptr<IoSystem> system_;
  std::unique_ptr<IoJob> job_;
};

}  // namespace cxlgpu
