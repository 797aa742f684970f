// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Does one illegal thing to the device, alone, and looks for the reaction that the standard asks
// for.
#pragma once

#include <cstdint>
#include <string>

#include "enumerator.hpp"
#include "host.hpp"
#include "io_host.hpp"
#include "task.hpp"
#include "traffic.hpp"
#include "wire.hpp"

namespace peer {

class Prober {
 public:
  struct World {
    IoHost& io;
    Wire& wire;
    Traffic& traffic;
    const Machine& machine;
    const uint64_t& recoveries;  // passes through Recovery seen so far
  };
  Prober(Illegal what, World world) : what_(what), world_(world) {}

  // What has to be arranged before the link comes up.
  void arrange();
  Task<void> run();
  bool seen() const { return seen_; }
  bool done() const { return done_; }
  // The link may rightly have stopped: nothing more is asked of it.
  bool ended() const { return ended_; }
  const std::string& finding() const { return finding_; }

 private:
  struct Log {
    uint32_t ras = 0, aer = 0, aer_correctable = 0, status = 0;
  };
  Task<void> clear_log();
  Task<Log> read_log();
  Task<bool> settle_traffic();
  Task<void> probe_message();
  Task<void> probe_wire();
  Task<void> probe_link();
  Task<void> probe_transaction();
  Task<void> probe_overuse();
  void judge(bool right, const char* otherwise);
  const Rule& rule() const { return rule_of(what_); }

  Illegal what_;
  World world_;
  Log last_;  // as read last
  bool seen_ = false, done_ = false, ended_ = false;
  std::string finding_;
};

}  // namespace peer
