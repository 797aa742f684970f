// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload copy: programs that copy between host memory and GPUs, natively, by MMA, or split by
// rule.
//
// Purpose: a stream for each GPU that has copies, the interceptor before it, traffic of others, and
//          every byte checked. The engine of the run keeps the time and gets no requests.
// Shapes:  the 8 bytes at 8 w of a stream's source are a number drawn from seed, stream and w; each
//          copy is of the whole buffer, whose destination holds something else before.
// Timing:  a copy lasts from when its stream reaches it until what is behind it may run.
// Errors:  a copy that ends short, wrong bytes and bytes that were written twice are lines of
//          problems().
// Source:  MMA, 3.2 to 3.4.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/host/host_program.hpp"
#include "sim/multipath/arrivals.hpp"
#include "sim/multipath/interceptor.hpp"

namespace cxlgpu {

struct CopyParams {
  CopyScheme scheme = CopyScheme::Mma;
  MultipathConfig machine;
  CopyWork work;
  // Another rule than the scheme's, for each engine; empty: that one.
  std::function<std::unique_ptr<ChunkSource>(const MultipathConfig&)> source = {};
};

struct CopyResult {
  struct Stream {
    unsigned gpu = 0;
    std::uint64_t copies = 0, bytes = 0;
    Time began, ended;
  };
  struct Link {
    std::uint64_t direct = 0, relayed = 0;  // bytes
    double background = 0;                  // bytes of others
    std::uint64_t lost = 0;                 // chunks that it did not copy
    unsigned most_outstanding = 0;
  };
  std::uint64_t copies = 0, failed = 0;
  std::uint64_t native = 0;  // that were too short for the engine
  std::uint64_t bytes = 0, bytes_checked = 0, bytes_wrong = 0, bytes_twice = 0;
  std::uint64_t chunks = 0, again = 0;
  bool link_lost = false;
  Time began, ended;
  Time latency, longest;  // of a copy; summed up
  Time threads;           // of links and of those that wait, in use; summed up
  double peer_bytes = 0;  // of others, between GPUs
  std::vector<Stream> streams;
  std::vector<Link> links;
  [[nodiscard]] Time measured() const { return ended - began; }
};

class CopyRun : public HostProgram {
 public:
  explicit CopyRun(const CopyParams& params);
  CopyRun(const CopyRun&) = delete;
  CopyRun& operator=(const CopyRun&) = delete;
  ~CopyRun() override;

  // Puts data into host memory, or the GPUs', and the first copies into their streams.
  void begin();

  void step(Engine& engine) override { host_.advance(engine.now()); }
  [[nodiscard]] Time next_event() const override { return host_.next_event(); }
  [[nodiscard]] bool done() const override { return running_ == 0; }
  [[nodiscard]] std::uint64_t items_done() const override { return result_.copies; }
  [[nodiscard]] std::uint64_t items_left() const override;
  [[nodiscard]] std::string_view counts() const override { return "copies"; }

  // After the run.
  void judge();
  [[nodiscard]] const CopyResult& result() const { return result_; }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Stream;
  struct Others;

  void draw(std::size_t stream, std::uint64_t offset, std::span<std::uint8_t> to) const;
  void start_copy(std::size_t stream);
  void end_copy(std::size_t stream, std::uint64_t missing);
  void check(Stream& stream);
  void start_others();
  void stop_others();
  void finish();
  void written(std::span<const std::uint8_t> memory);
  void problem(std::string line);
  [[nodiscard]] unsigned node(unsigned gpu) const;

  CopyParams params_;
  CopyHost host_;
  Interceptor interceptor_;
  std::vector<std::unique_ptr<TransferEngine>> engines_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Others> others_;
  std::size_t running_ = 0;
  CopyResult result_;
  std::vector<std::string> problems_;
};

}  // namespace cxlgpu
