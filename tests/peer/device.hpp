// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A Type 3 device (HDM-H) of CXL 2.0, built from the standard alone.
//
// It answers what it must, in every way that the knobs allow, and notes whatever the host does
// against the standard.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "io_side.hpp"
#include "knobs.hpp"
#include "line_store.hpp"
#include "link_end.hpp"
#include "messages.hpp"
#include "wire.hpp"
#include "wrong.hpp"

namespace peer {

// What the HDM decoders (or the ranges of DVSEC 0) say of an address of a request.
struct Decoded {
  bool hit = false;
  uint64_t dpa = 0;
  bool poison_miss = false;  // Poison On Decode Error Enable
};

class Device : public LinkEnd {
 public:
  using Decode = std::function<Decoded(uint64_t hpa)>;

  // `io` may be a link layer of CXL.io that never sends. `decode` is asked for every request.
  Device(const DeviceKnobs& knobs, IoSide& io, Decode decode);

  LinkOut cycle(const LinkIn& in) override;
  void reset() override;  // the memory keeps its contents: a conventional reset need not clear it

  // One wrong, done once at the next chance.
  void do_wrong(Wrong wrong);
  bool wrong_done() const;
  // Tags of the transactions that the wrong concerned, in the order in which it was done.
  const std::vector<uint16_t>& wronged_tags() const { return wronged_tags_; }

  // A read of this address may rightly come back poisoned.
  bool may_fail(uint64_t hpa) const;
  void force_retry() { wire_.force_retry(); }
  void corrupt_next() { wire_.corrupt_next(); }
  void retrain() { wire_.retrain(); }
  void go_viral();

  const DeviceKnobs& knobs() const { return knobs_; }
  LineStore& memory() { return store_; }
  Wire& wire() { return wire_; }
  const std::vector<std::string>& violations() { return wire_.violations().lines(); }
  bool idle() const { return jobs_.empty(); }
  bool host_viral() const { return wire_.peer_viral(); }

  struct Counts {
    uint64_t reads = 0;
    uint64_t writes = 0;
    uint64_t invalidates = 0;
    uint64_t spec_reads = 0;
    uint64_t misses = 0;
    uint64_t poison_received = 0;
    uint64_t poison_stored = 0;
    uint64_t poison_sent = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr unsigned kBothHalves = 3;  // bit 0: the lower half, bit 1: the upper
  struct Job {
    bool write = false;
    bool silent = false;  // MemSpecRd: occupies the media, answers nothing
    MemReq req;
    MemRwd rwd;
    uint64_t due = 0;
  };

  void forget();  // all that belongs to the link, not to the memory
  void accept();
  void accept_req(const MemReq& req);
  void accept_rwd(const MemRwd& rwd);
  void serve();
  void finish(Job& job);
  void finish_read(const MemReq& req);
  void finish_invalidate(const MemReq& req);
  void finish_write(const MemRwd& rwd);
  void commit(const MemRwd& rwd);
  void send(const MemNdr& ndr, bool to_write);
  void send(MemDrs drs, unsigned poisoned_halves = kBothHalves);
  void send_halves(const MemDrs& drs, unsigned poisoned_halves);
  void spoil(MemDrs& drs);
  void send_ready_halves();
  bool wrong_ndr(const MemNdr& ndr, bool to_write);
  bool wrong_drs(const MemDrs& drs);
  void wrong_alone();
  void overuse();
  uint16_t unused_tag();
  void wronged(uint16_t tag);
  void inject_drs_flits(const std::vector<MemDrs>& messages, Wrong how);
  uint8_t dev_load();
  uint8_t any_of_two_bits();
  uint64_t latency();
  void done(uint16_t tag);

  DeviceKnobs knobs_;
  Decode decode_;
  Wire wire_;
  LineStore store_;
  std::mt19937_64 random_;
  std::deque<Job> jobs_;
  std::unordered_multiset<uint16_t> open_tags_;
  std::unordered_set<uint64_t> random_poison_;  // HPA lines answered with poison by the knob
  Wrong wrong_ = Wrong::None;
  std::vector<MemDrs> held_drs_;  // waiting for a partner of a wrong flit
  std::vector<MemNdr> held_ndr_;
  std::optional<MemDrs> upper_half_;  // to be sent behind the line of another read
  struct Half {
    MemDrs drs;
    uint64_t due = 0;
  };
  std::deque<Half> halves_;    // in the order in which they leave, each from its cycle on
  unsigned overuse_left_ = 0;  // messages without credits that have not left
  std::vector<uint16_t> wronged_tags_;
  bool was_up_ = false;
  bool viral_ = false;
  uint64_t cycle_ = 0;
  uint64_t up_for_ = 0;  // cycles in Active
  Counts counts_;
};

}  // namespace peer
