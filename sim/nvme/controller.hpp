// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// An NVMe controller: registers, doorbells, queues, commands of administration, key-value and NVM.
//
// Purpose: what a GPU, or a host's driver, rings; between the bus that it masters (DmaPort) and
//          what keeps values (StorePort). A model by itself: it knows no GPU.
// Shapes:  queue 0 is the admin queue, 1..15 are for I/O. Namespace 1 is key-value, 2 has blocks of
//          4 KiB, if the store has any. Page size 4 KiB, DSTRD 0, queues contiguous (CQR 1).
// Order:   SQEs of a queue are fetched in order, up to `fetch` in a read and never past the tail;
//          queues take turns. Commands end in any order. A command's data are written before its
//          completion. An entry of a CQ is written only when the head has left it (the completion
//          waits); its phase begins with 1 and turns over at each wrap.
// Timing:  `command_ps` from an SQE's arrival to its request; the rest is the ports'.
// Source:  spec.hpp; probe and reset as Linux expects them (nvme_enable_ctrl, nvme_disable_ctrl).
// Errors:  of a command in its completion. A doorbell that is not there, beyond its queue, or of a
//          controller that is not ready is dropped and counted, and of a ready one told by an
//          asynchronous event. Memory that cannot be reached: CSTS.CFS, and no more is fetched.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/media/event_queue.hpp"
#include "sim/nvme/kv_config.hpp"
#include "sim/nvme/ports.hpp"
#include "sim/nvme/prp_walk.hpp"
#include "sim/nvme/spec.hpp"

namespace cxlgpu::nvme {

struct ControllerParams {
  unsigned max_entries = 1024;  // of a queue: CAP.MQES + 1
  unsigned commands = 256;      // in the controller
  unsigned fetch = 4;           // SQEs of one read
  std::uint64_t command_ps = 20'000;
  std::uint64_t ready_ps = 1'000'000;  // from CC.EN to CSTS.RDY
  std::uint64_t most_value = 2ULL << 20;
  ControllerFault fault = ControllerFault::None;
};

struct ControllerCounters {
  std::uint64_t tails = 0, heads = 0;  // doorbells taken
  std::uint64_t unknown_queue = 0;     // doorbells of queues that are not there
  std::uint64_t bad_value = 0;         // beyond the queue, or past what was posted
  std::uint64_t not_ready = 0;         // before CSTS.RDY
  std::uint64_t bad_access = 0;        // of no register, or not of 32 bits
  std::uint64_t fetches = 0, fetched = 0;
  std::uint64_t completions = 0, failed = 0;
  std::uint64_t held = 0;  // completions that waited for the head of their CQ
  std::uint64_t list_reads = 0, data_in = 0, data_out = 0;  // bytes of the latter two
  std::uint64_t refused = 0;                                // accesses of memory
};

// When its doorbell came, its SQE, its decoding, its data (of those that bring some), the store's
// answer, and when its completion left.
struct CommandTimes {
  Time rung, fetched, decoded, data_in, stored, posted;
};
class CommandWatcher {
 public:
  virtual ~CommandWatcher() = default;
  virtual void ended(std::uint16_t sq, std::uint16_t cid, const CommandTimes& times) = 0;
};

class Controller {
 public:
  Controller(const ControllerParams& params, DmaPort& bus, StorePort& store);
  // Up to here everything was bring-up: counts begin, and commands are watched.
  void begin_run(CommandWatcher* watcher) {
    watcher_ = watcher;
    counters_ = {};
  }

  // MMIO of 32 bits; 64-bit registers are two of them.
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value, Time now);

  void step(Time now);
  [[nodiscard]] Time next_event() const;
  // Nothing is in it: no command, no read on its way.
  [[nodiscard]] bool idle() const;
  [[nodiscard]] const ControllerCounters& counters() const { return counters_; }

 private:
  static constexpr unsigned kVectors = 1;
  static constexpr std::uint32_t kFetchTag = 0x8000'0000;
  static constexpr std::uint32_t kPieceTag = 0x1'0000;  // a command's number is below
  static constexpr unsigned kMostEvents = 4;

  struct Sq {
    bool there = false;
    std::uint32_t entries = 0;
    std::uint16_t cq = 0;
    std::uint64_t base = 0;
    std::uint32_t head = 0, tail = 0;
    std::uint32_t fetching = 0;                 // SQEs on their way
    std::uint32_t active = 0;                   // commands
    std::optional<std::uint32_t> deleted_by{};  // a command that waits for the others
    Time rung{};
  };
  struct Cq {
    bool there = false;
    std::uint32_t entries = 0;
    std::uint64_t base = 0;
    std::uint32_t head = 0, tail = 0;
    bool phase = true;
    std::deque<std::uint32_t> waiting{};  // commands with a completion
  };
  enum class Phase : std::uint8_t { Free, Decode, Lists, DataIn, Stored, Event, Post };
  struct Command {
    Phase phase = Phase::Free;
    bool dead = false;  // the controller was disabled meanwhile
    bool to_host = false;
    std::uint16_t sq = 0;
    Sqe sqe;
    PrpWalk walk;
    std::uint32_t reads = 0;  // on their way
    bool failed = false;      // one of them
    StoreRequest request;
    std::vector<std::uint8_t> data;  // to the host
    Cqe cqe;
    CommandTimes times;
  };

  // Registers.
  void write_cc(std::uint32_t value, Time now);
  [[nodiscard]] std::uint64_t capabilities() const;
  void enable(Time now);
  void settle(Time now);  // of RDY and SHST
  void drop_all();
  void ring(std::uint32_t offset, std::uint32_t value, Time now);
  void report_doorbell(std::uint8_t info);
  void send_event();

  // Queues.
  bool fetch(Time now);
  bool fetch(std::uint16_t id, Time now);
  void fetched(const DmaPort::Done& done, Time now);
  void post(std::uint16_t cq, Time now);
  void end(std::uint32_t index, Status status, std::uint32_t dw0 = 0, std::uint32_t dw1 = 0);
  void free(std::uint32_t index);

  // Commands.
  void decode(std::uint32_t index, Time now);
  void admin(std::uint32_t index, Time now);
  void key_value(std::uint32_t index, Time now);
  void blocks(std::uint32_t index, Time now);
  void create_sq(std::uint32_t index);
  void create_cq(std::uint32_t index);
  void delete_sq(std::uint32_t index);
  void delete_cq(std::uint32_t index);
  void identify(std::uint32_t index, Time now);
  void log_page(std::uint32_t index, Time now);
  void features(std::uint32_t index, bool set);
  [[nodiscard]] Status queue_status(const Sqe& sqe, bool taken) const;
  // Walks the PRPs of so many bytes, then goes on with what the command is.
  void transfer(std::uint32_t index, std::uint64_t bytes, Time now);
  void go_on(std::uint32_t index, Time now);
  void read_in(std::uint32_t index, Time now);
  void write_out(std::uint32_t index, Time now);
  bool write_data(const Command& command, Time now);
  // By the fault.
  [[nodiscard]] bool completes_first(const Command& command) const {
    return params_.fault == ControllerFault::CompletionFirst && command.sq != 0 && command.to_host;
  }
  void answered(const DmaPort::Done& done, Time now);
  void stored(StoreAnswer answer, Time now);
  [[nodiscard]] bool has_blocks() const { return store_.block_bytes() != 0; }
  [[nodiscard]] std::uint32_t spaces() const { return has_blocks() ? 2 : 1; }

  ControllerParams params_;
  DmaPort& bus_;
  StorePort& store_;
  CommandWatcher* watcher_ = nullptr;
  ControllerCounters counters_;

  std::uint32_t cc_ = 0, csts_ = 0, aqa_ = 0, intms_ = 0;
  std::uint64_t asq_ = 0, acq_ = 0;
  Time ready_at_ = Time::never();
  bool disabling_ = false, shutting_ = false;

  std::array<Sq, kQueues> sqs_{};
  std::array<Cq, kQueues> cqs_{};
  unsigned turn_ = 0;  // the queue that may fetch first
  std::vector<Command> commands_;
  std::vector<std::uint32_t> free_;
  std::uint32_t reserved_ = 0;  // of these, for SQEs on their way
  struct Fetch {
    std::uint16_t sq = 0;
    std::uint32_t first = 0, count = 0;
    bool dead = false;
  };
  std::vector<Fetch> fetches_;  // by tag
  std::vector<std::uint32_t> free_fetches_;
  EventQueue<std::uint32_t> decodes_;
  bool more_ = false;                // to be done at once
  std::deque<std::uint32_t> ended_;  // commands whose completion is new

  std::deque<std::uint32_t> event_commands_, events_;
  bool events_masked_ = false;
  bool ednek_ = false;      // Delete of a key that is not there is an error
  std::uint32_t lost_ = 0;  // of the fault
};

}  // namespace cxlgpu::nvme
