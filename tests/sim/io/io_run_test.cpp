// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A whole run on drives of configs/: the tables that are inputs come out again, local and remote.
#include "sim/io/io_run.hpp"

#include <gtest/gtest.h>

#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "tests/sim/paging/configured.hpp"

namespace cxlgpu {
namespace {

IoRunParams params(const std::string& stack, const std::string& medium = "pram") {
  const RunConfig config = configured("vadd-" + medium + "-" + stack);
  IoRunParams p;
  p.stack = config.memory;
  p.host = config.io;
  p.work = config.workload.io;
  p.work.count = 8;
  p.pcie = config.paging.pcie;
  p.part = part(medium);
  p.interface = nvme_link(p.part.interface.empty() ? p.pcie.dram_drive : p.part.interface);
  return p;
}

struct Ran {
  IoResult result;
  StepBook steps;
  Time end;
};

Ran ran(const IoRunParams& p) {
  IoRun run(p);
  FixedLatencyEngine clock;
  run.begin();
  const RunResult ended = cxlgpu::run(run, clock);
  EXPECT_EQ(ended.status, RunStatus::Done);
  run.judge();
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(run.items_left(), 0U);
  EXPECT_EQ(run.result().bytes_checked, p.work.count * p.work.bytes);
  EXPECT_EQ(run.result().bytes_wrong, 0U);
  return {run.result(), run.steps(), ended.end};
}

TEST(IoRun, TableOnesStepsAreWhatTheTableHas) {
  IoRunParams p = params("gds");
  p.work.registration = IoRegistration::Each;
  p.work.count = 1;
  const StepBook steps = ran(p).steps;
  const auto us = [&](IoStep step) { return steps.of(step).time.ns() / 1000; };
  EXPECT_DOUBLE_EQ(us(IoStep::DriverOpen), 107961.7);
  EXPECT_DOUBLE_EQ(us(IoStep::Allocate), 3.2);
  EXPECT_DOUBLE_EQ(us(IoStep::HandleOpen), 307.7);
  EXPECT_DOUBLE_EQ(us(IoStep::Register), 73.8);
  EXPECT_DOUBLE_EQ(us(IoStep::State), 3.4);
  EXPECT_DOUBLE_EQ(us(IoStep::Deregister), 60.5);
  EXPECT_DOUBLE_EQ(us(IoStep::HandleClose), 0.9);
  EXPECT_DOUBLE_EQ(us(IoStep::Free), 3.4);
  EXPECT_DOUBLE_EQ(us(IoStep::DriverClose), 2033194.3);
}

TEST(IoRun, TableTwosStepsAreWhatTheTableHas) {
  const StepBook steps = ran(params("phoenix")).steps;
  EXPECT_DOUBLE_EQ(steps.of(IoStep::DriverOpen).time.ns() / 1000, 2.3);
  EXPECT_DOUBLE_EQ(steps.of(IoStep::DriverClose).time.ns() / 1000, 0.5);
}

TEST(IoRun, ContentsAreRightOnEveryMedium) {
  for (const char* medium : {"dram", "pram", "znand", "nand"}) {
    for (const IoOperation operation : {IoOperation::Read, IoOperation::Write}) {
      IoRunParams p = params("phoenix", medium);
      p.work.operation = operation;
      p.work.threads = 2;
      p.host.drives = 2;
      ran(p);
    }
  }
}

// The software of a read() is counted once: as steps, and no longer in the drive's interface.
TEST(IoRun, ADriveTakesWhatItTakesWithoutTheHostsSoftware) {
  IoRunParams p = params("phoenix");
  p.work.count = 1;
  p.work.bytes = 4096;
  const Ran one = ran(p);
  StripedDrives drives(p.part, 4096, 1, 128 * 1024, p.interface, 1024);
  drives.submit({0, false, 0, 4096}, one.result.begin);
  Time at;
  do {
    at = drives.next_event();
    drives.advance(at);
  } while (!drives.take());
  EXPECT_EQ(one.steps.of(IoStep::Transfer).time + p.interface.submit, at - one.result.begin);
  EXPECT_EQ(p.interface.submit.ps, p.host.kernel.syscall_ps + p.host.kernel.block_ps);
}

TEST(IoRun, ANetworkAddsItsTripThePayloadAndTheServer) {
  IoRunParams p = params("phoenix");
  p.work.count = 4;
  p.host.network.gb_s = 10;
  p.host.network.round_trip_ps = 10'000'000;
  const Time local = ran(p).result.measured();
  const auto more = [&](IoRemote remote, IoOperation operation) {
    IoRunParams far = p;
    far.host.network.remote = remote;
    far.work.operation = operation;
    IoRunParams near = p;
    near.work.operation = operation;
    const Time here = operation == IoOperation::Read ? local : ran(near).result.measured();
    return ran(far).result.measured().ps / 4 - here.ps / 4;
  };
  const std::uint64_t payload = 6'553'600, block = p.host.kernel.block_ps;
  const auto about = [](std::uint64_t got, std::uint64_t expected) {
    EXPECT_NEAR(static_cast<double>(got), static_cast<double>(expected),
                200'000);  // the part's clock
  };
  about(more(IoRemote::NvmeOf, IoOperation::Read), 10'000'000 + payload + block);
  about(more(IoRemote::NvmeOf, IoOperation::Write), 10'000'000 + payload + block);
  about(more(IoRemote::Nfs, IoOperation::Read),
        10'000'000 + payload + block + p.host.kernel.file_system_ps);
}

TEST(IoRun, ANetworkCarriesOnePayloadAtATimeEachWay) {
  IoRunParams p = params("phoenix");
  p.work.threads = 16;
  p.work.count = 64;
  p.host.network.remote = IoRemote::NvmeOf;
  p.host.network.gb_s = 0.5;  // far below the drive
  const Ran slow = ran(p);
  const double gb_s = static_cast<double>(slow.result.bytes) / slow.result.measured().ns();
  EXPECT_LT(gb_s, 0.5);
  EXPECT_GT(gb_s, 0.48);
}

}  // namespace
}  // namespace cxlgpu
