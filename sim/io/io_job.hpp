// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Threads that read from a file into GPU memory, or write it out of it (workloads io, kvload
// and modelload).
//
// Purpose: opens the driver and the file, allocates and registers buffers, moves what a plan says
//          I/O by I/O and undoes it all, by the calls of a stack. Every byte is checked: of a read
//          in GPU memory once the call has returned, of a write in the file at the end.
// Shapes:  a group has a buffer for each of its I/Os. The 8 bytes at 8 w of the file are a number
//          drawn from seed and w.
// Timing:  measured() is from when all buffers are registered to the end of the last I/O.
// Errors:  a call that fails, and wrong bytes, are lines of problems().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/io/io_plan.hpp"
#include "sim/io/io_stack.hpp"

namespace cxlgpu {

struct IoResult {
  std::uint64_t ios = 0, failed = 0;
  std::uint64_t bytes = 0, bytes_checked = 0, bytes_wrong = 0;
  Time begin, end;           // of what is measured
  std::uint64_t groups = 0;  // calls that a thread waited for
  Time latency, longest;     // of them, with their registration if it is of each; summed up
  [[nodiscard]] Time measured() const { return end - begin; }
};

class IoJob {
 public:
  // Of `work` its operation, mode, registration and seed; the plan has the I/Os. What is not handed
  // over outlives the job. Precondition of a plan that writes: it writes the whole file.
  IoJob(HostKernel& kernel, DeviceMemory& gpu, IoStack& stack, const IoWork& work,
        std::unique_ptr<IoPlan> plan);
  IoJob(const IoJob&) = delete;
  IoJob& operator=(const IoJob&) = delete;
  ~IoJob();

  // What the file has at first.
  void fill(Backdoor& device) const;
  // To be started on the host.
  HostThread run();
  [[nodiscard]] const IoResult& result() const { return result_; }
  // After the run: the file against what it should hold, for writes.
  void check_file(const Backdoor& device);
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  [[nodiscard]] std::uint64_t file_bytes() const;    // whole pages
  [[nodiscard]] std::uint64_t buffer_bytes() const;  // of all threads
  [[nodiscard]] const IoPlan& plan() const { return *plan_; }

 private:
  [[nodiscard]] bool is_write() const { return work_.operation == IoOperation::Write; }
  // Bytes of the file from `offset` on, of the data or of what is there before a write.
  void draw(std::uint64_t seed, std::uint64_t offset, ByteMap::Bytes to) const;
  void expect(int error, const char* call);
  void problem(std::string line);
  void check(const IoPiece& piece);
  // Bytes that should be the file's from `offset` on.
  void compare(ByteMap::Bytes got, std::uint64_t offset, const char* where);

  HostThread thread(unsigned number, std::span<IoBuffer> buffers);
  Task<Done> one_group(std::span<IoPiece> pieces);
  struct Meetings;

  HostKernel& kernel_;
  DeviceMemory& gpu_;
  IoStack& stack_;
  IoWork work_;
  std::unique_ptr<IoPlan> plan_;
  IoResult result_;
  std::vector<std::string> problems_;
  std::vector<IoBuffer> buffers_;
  std::unique_ptr<Meetings> meetings_;
  std::vector<std::uint8_t> expected_;  // of what is compared
};

}  // namespace cxlgpu
