// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A drive: a media part behind NVMe.
//
// Purpose: reads and writes of whole pages with what configs/host/nvme.yaml adds, the same times as
//          a closed loop of `cxlgpu media` gives them, and at most `depth` of them in flight.
// Timing:  HostInterface before the media, the pieces of an I/O through the part's own queues, the
//          link (each direction carries one transfer at a time), HostInterface after it. Flash
//          takes pieces of 4 KiB or a page through slots of its internal DRAM; a write is put into
//          the slot first. An I/O above the depth waits; its time begins when one ends.
// Order:   I/Os of one direction go to the media in the order of their arrival. One that waits
//          for room in the part's queue holds up none of the other direction, but for those that
//          ask for some of the same bytes.
// Rules:   bytes of a write are taken piece by piece and must stay until it is done; contents are
//          read by the backdoor once a read is done. advance() at every next_event().
// Errors:  InputError of make_media.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/media_port.hpp"
#include "sim/host/backdoor.hpp"
#include "sim/media/event_queue.hpp"
#include "sim/media/host_interface.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

struct DriveIo {
  std::uint32_t token = 0;
  bool is_write = false;
  std::uint64_t address = 0, bytes = 0;  // whole pages
  const std::uint8_t* data = nullptr;    // of a write
};

class Drive : public Backdoor {
 public:
  Drive(const MediaConfig& part, std::uint64_t capacity, const HostInterface& host, unsigned depth);

  void submit(const DriveIo& io, Time now);
  [[nodiscard]] Time next_event() const;
  void advance(Time now);
  // Token of the next that is done.
  std::optional<std::uint32_t> take();
  // Time that I/Os waited for a place in the queue, summed up.
  [[nodiscard]] Time queued() const { return queued_; }
  [[nodiscard]] const MediaCounters& counters() const { return part_->counters(); }

  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override;

 private:
  enum class Step : std::uint8_t { AtMedia, Done };
  struct Under {
    DriveIo io;
    std::uint64_t sent = 0, done = 0;  // bytes
    std::uint64_t array_lines = 0;     // of the piece being put into its slot
    std::uint64_t order = 0;           // of arrival at the media
  };
  struct Due {
    Step step;
    std::uint32_t index;
  };
  struct Waiting {
    DriveIo io;
    Time since;
  };

  void start(const DriveIo& io, Time now);
  void step(const Due& due, Time now);
  using Sending = std::deque<std::uint32_t>;
  bool send_piece(Time now);
  bool send_piece(Sending& from, const Sending& others, Time now);
  std::uint32_t slot_for(std::uint64_t line, bool is_write);
  bool put(MediaCommand& command, std::uint32_t index, Time now);
  void answered(const MediaResponse& answer, Time now);

  HostInterface host_;
  unsigned depth_;
  std::uint32_t piece_;
  std::uint32_t slots_;
  std::unique_ptr<Media> part_;
  std::vector<Under> under_;
  std::vector<std::uint32_t> free_;
  std::deque<Waiting> waiting_;
  EventQueue<Due> events_;
  Sending reading_, writing_;  // at the media, in order
  std::uint64_t order_ = 0;
  std::deque<std::uint32_t> finished_;
  std::vector<std::uint32_t> by_id_;
  std::vector<std::uint16_t> free_ids_;
  // Half of the slots is for reads, each with the line that the part takes it for; a line has one
  // at most. A write of such a line goes through its slot, any other through the second half, so
  // that no slot ever shows what is no longer so.
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;
  std::vector<std::uint64_t> line_in_;  // by slot of the first half
  std::uint32_t next_read_ = 0, next_write_ = 0;
  std::size_t commands_ = 0;  // at the media, unanswered
  Time to_drive_free_, from_drive_free_, queued_;
};

}  // namespace cxlgpu
