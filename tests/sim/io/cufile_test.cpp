// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cuFile: splitting, the lock, batches, streams, and what it refuses.
#include "sim/io/cufile.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

using Error = CUfileOpError;

int minus(Error error) {
  return -static_cast<int>(error);
}

// A driver that is open, a file of `bytes`, and buffers of as many each.
class CuFileTest : public ::testing::Test {
 protected:
  void make(std::uint64_t bytes, unsigned buffers, const IoHostConfig& costs = io_costs()) {
    rig = std::make_unique<IoRig>(costs);
    rig->device.poke(0, numbered(bytes, 4));
    fd = rig->kernel.open({0, bytes});
    gpu.resize(buffers);
    rig->run([&]() -> HostThread {
      EXPECT_EQ(co_await rig->cufile.cuFileDriverOpen(), Error::Success);
      EXPECT_EQ(co_await rig->cufile.cuFileHandleRegister(&fh, fd), Error::Success);
      for (std::uint64_t& one : gpu) {
        co_await rig->gpu.cudaMalloc(&one, bytes);
        EXPECT_EQ(co_await rig->cufile.cuFileBufRegister(one, bytes), Error::Success);
      }
      co_return Done{};
    });
  }
  std::unique_ptr<IoRig> rig;
  int fd = -1;
  CUfileHandle fh = 0;
  std::vector<std::uint64_t> gpu;
};

TEST_F(CuFileTest, AReadIsTheSumOfItsSteps) {
  make(64 * kKiB, 1);
  const Time took = rig->run([&]() -> HostThread {
    EXPECT_EQ(co_await rig->cufile.cuFileRead(fh, gpu[0], 64 * kKiB, 0, 0), 64 * 1024);
    co_return Done{};
  });
  EXPECT_EQ(took, kUs * (1 + 7 + 2 + 3) + rig->device.time(64 * kKiB));
  EXPECT_TRUE(std::ranges::equal(*rig->gpu.find(gpu[0], 64 * kKiB), numbered(64 * kKiB, 4)));
}

TEST_F(CuFileTest, DriverFileAndBufferTakeTheirTimes) {
  make(64 * kKiB, 1);
  EXPECT_EQ(rig->host.now(), kUs * (1000 + 300 + 4 + 50 + 16));
  const Time took = rig->run([&]() -> HostThread {
    EXPECT_EQ(co_await rig->cufile.cuFileBufDeregister(gpu[0]), Error::Success);
    EXPECT_EQ(co_await rig->cufile.cuFileHandleDeregister(fh), Error::Success);
    EXPECT_EQ(co_await rig->cufile.cuFileDriverClose(), Error::Success);
    co_return Done{};
  });
  EXPECT_EQ(took, kUs * (40 + 16 + 100 + 2000));
}

TEST_F(CuFileTest, PartsOf16MiBGoOneAfterTheOther) {
  make(40 * kMiB, 1);
  // Of a longer buffer 16 MiB are registered.
  EXPECT_EQ(rig->host.steps().of(IoStep::Register).time, kUs * (50 + 4096));
  const Time took = rig->run([&]() -> HostThread {
    EXPECT_EQ(co_await rig->cufile.cuFileRead(fh, gpu[0], 40 * kMiB, 0, 0), 40 * 1024 * 1024);
    co_return Done{};
  });
  EXPECT_EQ(rig->device.sizes, (std::vector<std::uint64_t>{16 * kMiB, 16 * kMiB, 8 * kMiB}));
  EXPECT_EQ(rig->device.most, 1U);
  EXPECT_EQ(took,
            kUs * (1 + 3 * 12) + rig->device.time(16 * kMiB) * 2 + rig->device.time(8 * kMiB));
  EXPECT_TRUE(std::ranges::equal(*rig->gpu.find(gpu[0], 40 * kMiB), numbered(40 * kMiB, 4)));
}

RC_GTEST_PROP(CuFile, SplitsAnySizeIntoAsFewPartsAsThereCanBe, ()) {
  const auto pages = *rc::gen::inRange<std::uint64_t>(1, 64);
  const auto chunk = *rc::gen::inRange<unsigned>(0, 4);
  const auto at = *rc::gen::inRange<std::uint64_t>(0, 8);
  IoHostConfig costs = io_costs();
  costs.gds.chunk_bytes = 4096ULL << chunk;
  IoRig rig(costs);
  const std::uint64_t bytes = (pages + at) * 4096;
  rig.device.poke(0, numbered(bytes, 6));
  const int fd = rig.kernel.open({0, bytes});
  std::uint64_t gpu = 0;
  rig.run([&]() -> HostThread {
    CUfileHandle fh = 0;
    co_await rig.cufile.cuFileDriverOpen();
    co_await rig.cufile.cuFileHandleRegister(&fh, fd);
    co_await rig.gpu.cudaMalloc(&gpu, bytes);
    co_await rig.cufile.cuFileBufRegister(gpu, bytes);
    const auto got = co_await rig.cufile.cuFileRead(fh, gpu, pages * 4096, at * 4096, at * 4096);
    EXPECT_EQ(got, static_cast<std::int64_t>(pages * 4096));
    co_return Done{};
  });
  const std::uint64_t parts = (pages + (1ULL << chunk) - 1) >> chunk;
  RC_ASSERT(rig.device.sizes.size() == parts);
  RC_ASSERT(rig.host.steps().of(IoStep::Syscall).count == 1U);
  RC_ASSERT(rig.host.steps().of(IoStep::State).time == kUs * 7 * parts);
  const auto all = numbered(bytes, 6);
  const auto memory = *rig.gpu.find(gpu, bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    RC_ASSERT(memory[i] == (i < at * 4096 ? 0 : all[i]));
  }
}

// n threads over one lock of 5 us: none goes faster than one I/O in 5 us, and with more threads
// than an I/O's whole way has of them, no slower.
TEST_F(CuFileTest, TheLockIsWhatManyThreadsWaitFor) {
  constexpr unsigned kEach = 8;
  const Time alone = kUs * (1 + 7 + 2 + 3 + 10 + 1);  // 24 us: 4.8 locks
  for (const unsigned threads : {1U, 2U, 4U, 5U, 16U, 64U}) {
    make(4096, threads);
    std::vector<std::function<HostThread()>> all;
    for (unsigned i = 0; i < threads; ++i) {
      all.push_back([&, i]() -> HostThread {
        for (unsigned n = 0; n < kEach; ++n) {
          EXPECT_EQ(co_await rig->cufile.cuFileRead(fh, gpu[i], 4096, 0, 0), 4096);
        }
        co_return Done{};
      });
    }
    const Time took = rig->run(all);
    const Time by_lock = kUs * 5 * threads * kEach + (alone - kUs * 5);
    EXPECT_EQ(took, threads < 5 ? alone * kEach + kUs * 5 * (threads - 1) : by_lock) << threads;
  }
}

TEST_F(CuFileTest, ABatchIsOneCallAndItsIosOneAfterTheOther) {
  make(64 * kKiB, 4);
  std::vector<CUfileIOParams> ios;
  for (std::uint64_t i = 0; i < 4; ++i)
    ios.push_back({false, fh, gpu[i], 4096, i * 4096, 0, 10 + i});
  const Time took = rig->run([&]() -> HostThread {
    std::uint64_t batch = 0;
    EXPECT_EQ(rig->cufile.cuFileBatchIOSetUp(&batch, 4), Error::Success);
    EXPECT_EQ(co_await rig->cufile.cuFileBatchIOSubmit(batch, ios), Error::Success);
    std::vector<CUfileIOEvents> events;
    EXPECT_EQ(rig->cufile.cuFileBatchIOGetStatus(batch, &events), Error::Success);
    EXPECT_EQ(events.size(), 4U);
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(events[i].cookie, 10 + i);
      EXPECT_EQ(events[i].ret, 4096);
    }
    EXPECT_EQ(rig->cufile.cuFileBatchIOGetStatus(batch, &events), Error::Success);
    EXPECT_TRUE(events.empty());
    EXPECT_EQ(rig->cufile.cuFileBatchIODestroy(batch), Error::Success);
    EXPECT_EQ(rig->cufile.cuFileBatchIODestroy(batch), Error::InvalidValue);
    co_return Done{};
  });
  EXPECT_EQ(took, kUs + (kUs * 12 + rig->device.time(4096)) * 4);
  EXPECT_EQ(rig->device.most, 1U);
}

TEST_F(CuFileTest, ABatchBeyondItsLimitsDoesNothing) {
  make(2 * kMiB, 1);
  const Time took = rig->run([&]() -> HostThread {
    CuFile& c = rig->cufile;
    std::uint64_t batch = 0;
    EXPECT_EQ(c.cuFileBatchIOSetUp(&batch, 257), Error::InvalidValue);
    EXPECT_EQ(c.cuFileBatchIOSetUp(&batch, 0), Error::InvalidValue);
    EXPECT_EQ(c.cuFileBatchIOSetUp(&batch, 256), Error::Success);
    const std::vector<CUfileIOParams> many(257, {false, fh, gpu[0], 4096, 0, 0, 0});
    EXPECT_EQ(co_await c.cuFileBatchIOSubmit(batch, many), Error::BatchFull);
    // 1 MiB of one buffer, and a page more.
    std::vector<CUfileIOParams> ios(1, {false, fh, gpu[0], kMiB, 0, 0, 0});
    ios.push_back({false, fh, gpu[0], 4096, 0, 0, 0});
    EXPECT_EQ(co_await c.cuFileBatchIOSubmit(batch, ios), Error::InvalidValue);
    EXPECT_EQ(co_await c.cuFileBatchIOSubmit(batch + 9, ios), Error::InvalidValue);
    co_return Done{};
  });
  EXPECT_EQ(took, Time{});
  EXPECT_TRUE(rig->device.sizes.empty());
  rig->run([&]() -> HostThread {  // what fits goes
    std::uint64_t batch = 0;
    rig->cufile.cuFileBatchIOSetUp(&batch, 256);
    const std::vector<CUfileIOParams> ios(256, {false, fh, gpu[0], 4096, 0, 0, 0});
    EXPECT_EQ(co_await rig->cufile.cuFileBatchIOSubmit(batch, ios), Error::Success);
    co_return Done{};
  });
  EXPECT_EQ(rig->device.sizes.size(), 256U);
  rig->run([&]() -> HostThread {  // so does one I/O of more, alone in its buffer
    std::uint64_t batch = 0;
    rig->cufile.cuFileBatchIOSetUp(&batch, 1);
    const std::vector<CUfileIOParams> one(1, {false, fh, gpu[0], 2 * kMiB, 0, 0, 0});
    EXPECT_EQ(co_await rig->cufile.cuFileBatchIOSubmit(batch, one), Error::Success);
    co_return Done{};
  });
  EXPECT_EQ(rig->device.sizes.back(), 2 * kMiB);
}

// An I/O is handed over in 12 us, 7 of states and 5 of file system and block layer; the drive takes
// 20. Of two in flight a third waits for the first, from 25 to 33.
TEST_F(CuFileTest, ABatchMayOverlapAsFarAsItIsAllowedTo) {
  for (const auto& [at_a_time, expected] :
       {std::pair{1U, 1 + (12 + 20) * 4}, {2U, 33 + 12 + 12 + 20}, {4U, 1 + 12 * 4 + 20}}) {
    IoHostConfig costs = io_costs();
    costs.gds.batch_in_flight = at_a_time;
    make(kMiB, 4, costs);
    const Time took = rig->run([&]() -> HostThread {
      std::uint64_t batch = 0;
      std::vector<CUfileIOParams> ios;
      for (std::uint64_t i = 0; i < 4; ++i)
        ios.push_back({false, fh, gpu[i], 40 * kKiB, 40 * kKiB * i, 0, i});
      rig->cufile.cuFileBatchIOSetUp(&batch, 4);
      EXPECT_EQ(co_await rig->cufile.cuFileBatchIOSubmit(batch, ios), Error::Success);
      std::vector<CUfileIOEvents> events;
      rig->cufile.cuFileBatchIOGetStatus(batch, &events);
      EXPECT_EQ(events.size(), 4U);
      for (const CUfileIOEvents& event : events) EXPECT_EQ(event.ret, 40 * 1024);
      co_return Done{};
    });
    EXPECT_EQ(took, kUs * expected) << at_a_time;
    EXPECT_EQ(rig->device.most, std::min(at_a_time, 2U));
    const std::vector<std::uint8_t> file = numbered(kMiB, 4);
    for (std::uint64_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(std::ranges::equal(*rig->gpu.find(gpu[i], 40 * kKiB),
                                     std::span(file).subspan(40 * kKiB * i, 40 * kKiB)));
    }
  }
}

TEST_F(CuFileTest, AStreamHasOneIoAtATimeInItsOrder) {
  IoHostConfig costs = io_costs();
  costs.gds.stream_ps = 100 * kUs.ps;
  make(64 * kKiB, 1, costs);
  std::array<std::uint64_t, 3> size{4096, 8192, 4096}, offset{0, 4096, 12288}, at{0, 4096, 12288};
  std::array<std::int64_t, 3> result{};
  CudaStream stream(rig->host, kUs * 11);
  const Time took = rig->run([&]() -> HostThread {
    for (unsigned i = 0; i < 3; ++i) {
      EXPECT_EQ(
          rig->cufile.cuFileReadAsync(fh, gpu[0], &size[i], &offset[i], &at[i], &result[i], stream),
          Error::Success);
    }
    size[2] = 16384;  // is read when the stream comes to it
    co_await stream.cudaStreamSynchronize();
    co_return Done{};
  });
  EXPECT_EQ(result, (std::array<std::int64_t, 3>{4096, 8192, 16384}));
  EXPECT_EQ(rig->device.sizes, (std::vector<std::uint64_t>{4096, 8192, 16384}));
  EXPECT_EQ(rig->device.most, 1U);
  EXPECT_EQ(took, kUs * 3 * (11 + 100 + 13) + rig->device.time(4096) + rig->device.time(8192) +
                      rig->device.time(16384));
}

TEST_F(CuFileTest, WritesLandInTheFile) {
  make(64 * kKiB, 1);
  const auto bytes = numbered(8192, 77);
  std::ranges::copy(bytes, rig->gpu.find(gpu[0] + 4096, 8192)->begin());
  rig->run([&]() -> HostThread {
    EXPECT_EQ(co_await rig->cufile.cuFileWrite(fh, gpu[0], 8192, 16384, 4096), 8192);
    co_return Done{};
  });
  std::vector<std::uint8_t> there(8192);
  rig->device.peek(16384, there);
  EXPECT_EQ(there, bytes);
}

TEST_F(CuFileTest, RefusesWhatIsNotAligned) {
  make(64 * kKiB, 1);
  const Time took = rig->run([&]() -> HostThread {
    CuFile& c = rig->cufile;
    EXPECT_EQ(co_await c.cuFileRead(fh, gpu[0], 4095, 0, 0), minus(Error::InvalidValue));
    EXPECT_EQ(co_await c.cuFileRead(fh, gpu[0], 4096, 512, 0), minus(Error::InvalidValue));
    EXPECT_EQ(co_await c.cuFileRead(fh, gpu[0], 4096, 0, 256), minus(Error::InvalidValue));
    EXPECT_EQ(co_await c.cuFileRead(fh, gpu[0], 8192, 0, 60 * kKiB), minus(Error::InvalidValue));
    co_return Done{};
  });
  EXPECT_EQ(took, Time{});
  EXPECT_TRUE(rig->device.sizes.empty());
}

TEST_F(CuFileTest, RefusesWhatIsNotOpenOrRegistered) {
  IoRig one;
  const int file = one.kernel.open({0, 4096}), buffered = one.kernel.open({0, 4096, true, false});
  one.run([&]() -> HostThread {
    CuFile& c = one.cufile;
    CUfileHandle handle = 0;
    std::uint64_t memory = 0, batch = 0;
    co_await one.gpu.cudaMalloc(&memory, 8192);
    EXPECT_EQ(co_await c.cuFileHandleRegister(&handle, file), Error::DriverNotInitialized);
    EXPECT_EQ(co_await c.cuFileBufRegister(memory, 4096), Error::DriverNotInitialized);
    EXPECT_EQ(co_await c.cuFileRead(1, memory, 4096, 0, 0), minus(Error::DriverNotInitialized));
    EXPECT_EQ(c.cuFileBatchIOSetUp(&batch, 1), Error::DriverNotInitialized);
    EXPECT_EQ(co_await c.cuFileDriverClose(), Error::DriverNotInitialized);
    EXPECT_EQ(co_await c.cuFileDriverOpen(), Error::Success);
    EXPECT_EQ(co_await c.cuFileDriverOpen(), Error::DriverAlreadyOpen);
    EXPECT_EQ(co_await c.cuFileHandleRegister(&handle, 99), Error::InvalidValue);
    EXPECT_EQ(co_await c.cuFileHandleRegister(&handle, buffered), Error::DioNotSet);
    EXPECT_EQ(co_await c.cuFileHandleRegister(&handle, file), Error::Success);
    EXPECT_EQ(co_await c.cuFileHandleRegister(&handle, file), Error::HandleAlreadyRegistered);
    EXPECT_EQ(co_await c.cuFileRead(handle, memory, 4096, 0, 0), minus(Error::MemoryNotRegistered));
    EXPECT_EQ(co_await c.cuFileBufRegister(memory, 0), Error::InvalidValue);
    EXPECT_EQ(co_await c.cuFileBufRegister(memory, 8193), Error::CudaPointerInvalid);
    EXPECT_EQ(co_await c.cuFileBufRegister(memory, 8192), Error::Success);
    EXPECT_EQ(co_await c.cuFileBufRegister(memory, 8192), Error::MemoryAlreadyRegistered);
    EXPECT_EQ(co_await c.cuFileRead(handle + 50, memory, 4096, 0, 0),
              minus(Error::HandleNotRegistered));
    EXPECT_EQ(co_await c.cuFileBufDeregister(memory), Error::Success);
    EXPECT_EQ(co_await c.cuFileBufDeregister(memory), Error::MemoryNotRegistered);
    EXPECT_EQ(co_await c.cuFileHandleDeregister(handle), Error::Success);
    EXPECT_EQ(co_await c.cuFileHandleDeregister(handle), Error::HandleNotRegistered);
    co_return Done{};
  });
}

// As cufile.h has them.
TEST(CuFileErrors, HaveTheLibrarysNumbers) {
  EXPECT_EQ(static_cast<int>(Error::DriverNotInitialized), 5001);
  EXPECT_EQ(static_cast<int>(Error::CudaPointerInvalid), 5012);
  EXPECT_EQ(static_cast<int>(Error::DioNotSet), 5020);
  EXPECT_EQ(static_cast<int>(Error::InvalidValue), 5022);
  EXPECT_EQ(static_cast<int>(Error::MemoryAlreadyRegistered), 5023);
  EXPECT_EQ(static_cast<int>(Error::MemoryNotRegistered), 5024);
  EXPECT_EQ(static_cast<int>(Error::DriverAlreadyOpen), 5026);
  EXPECT_EQ(static_cast<int>(Error::HandleNotRegistered), 5027);
  EXPECT_EQ(static_cast<int>(Error::HandleAlreadyRegistered), 5028);
  EXPECT_EQ(static_cast<int>(Error::BatchFull), 5037);
}

}  // namespace
}  // namespace cxlgpu
