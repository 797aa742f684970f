// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Data link of CXL.io, one end: sequence numbers, Ack and Nak, replay, credits.
//
// Purpose: twin of rtl/cxl_io/io_link.sv, cycle by cycle.
// Units:   cycles; credits of one header or four DW of data; sequence numbers of 12 bits.
// Errors:  pulses in Out::err, a bit each (IoLink::Error).
// Source:  PCI Express Base 5.0, 2.6, 3; docs/blocks/cxl_io/io_link.md.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "common/ring_queue.hpp"
#include "refmodel/cxl_io/io_flit.hpp"
#include "refmodel/cxl_io/io_unframe.hpp"

namespace cxlgpu {

class IoLink {
 public:
  enum Error : unsigned {
    kDamagedTlp,
    kDamagedDllp,
    kNakReplay,
    kTimeoutReplay,
    kReplayRollover,
    kAckRange,
    kMalformed,
    kNoRoom,
    kFraming,
  };
  // What asks the ARB/MUX for Retrain.
  static constexpr unsigned kAskForRetrain = 1u << kReplayRollover | 1u << kFraming;
  static constexpr unsigned kMaxReplay = 64, kMaxQueue = 64;
  struct Parameters {
    unsigned p_hdr = 4, p_data = 8, np_hdr = 4, np_data = 4;
    unsigned cpl_room = 4;
    bool infinite = false;      // credits of all classes; the numbers above only size the queue
    unsigned replay_depth = 4;  // a power of two
    unsigned replay_timeout = 6144;
    unsigned fc_refresh = 30000;
    // That may wait to be unframed, before the peer hears from this end.
    [[nodiscard]] unsigned flits() const {
      return std::bit_ceil(p_hdr + np_hdr + 2 * replay_depth);
    }
  };
  struct In {
    bool link_up = false;
    bool io_tx_ready = false;
    std::optional<IoFlit> io_rx = std::nullopt;
    std::optional<Tlp> tlp_tx = std::nullopt;
    bool tlp_rx_ready = false;
  };
  struct Out {
    bool dl_up = false;
    std::optional<IoFlit> io_tx = std::nullopt;
    bool tlp_tx_ready = false;
    std::optional<Tlp> tlp_rx = std::nullopt;
    unsigned err = 0;
    TlpHeader err_hdr{};  // of a TLP malformed or without room
  };

  enum class Choice : std::uint8_t {
    kNothing,
    kInitFc,
    kNak,
    kAck,
    kUpdatePosted,
    kUpdateNonPosted,
    kReplay,
    kNew,
  };
  // What meets in one cycle, by the registers before its edge. For functional coverage.
  struct Moment {
    bool stalled = false;  // the packet chosen last has not left: none is chosen
    Choice choice = Choice::kNothing;
    bool live = false;  // FC_INIT1 is over: what arrives counts
    IoVerdict arrives;
    unsigned outstanding = 0, queued = 0;  // TLPs
    bool replaying = false;
    bool timeout_due = false;  // unless something is acknowledged in this very cycle
    bool refresh = false;      // the UpdateFC timer ends
  };

  explicit IoLink(const Parameters& parameters);
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

  [[nodiscard]] unsigned next_received() const { return s_.nrs; }       // NRS
  [[nodiscard]] unsigned last_acknowledged() const { return s_.ackd; }  // ACKD
  [[nodiscard]] unsigned next_sent() const { return s_.nts; }           // NTS
  [[nodiscard]] unsigned silent_for() const { return s_.timer; }        // the replay timer
  [[nodiscard]] Moment moment(const In& in) const;

 private:
  enum class Phase : std::uint8_t { kInit1, kInit2, kActive };
  struct Credits {
    unsigned header = 0, data = 0;
    bool operator==(const Credits&) const = default;
  };
  struct Peer {  // what it granted in one class, and what of that is used
    Credits limit, used;
    bool header_infinite = false, data_infinite = false;
    bool header_ok = false, data_ok = false;
  };
  using Packet = std::variant<AckNak, FlowControl, SequencedTlp>;
  // All that a link down resets.
  struct State {
    Phase phase = Phase::kInit1;
    unsigned next_init = 0;  // class
    unsigned seen = 0;       // classes
    bool seen2 = false;
    std::array<Peer, 3> peer{};
    std::array<Credits, 2> alloc{};
    unsigned update = 3;  // classes
    unsigned refresh = 0;
    std::optional<Tlp> pend;
    std::optional<Packet> selected;

    unsigned nts = 0, ackd = 0xfff;
    std::array<Tlp, kMaxReplay> replay_memory{};
    bool replaying = false;
    unsigned again = 0;
    unsigned replay_num = 0;
    unsigned timer = 0;

    unsigned nrs = 0;
    bool nak_sched = false, nak_pend = false, ack_pend = false;
    RingQueue<Tlp, kMaxQueue> queue;
    IoUnframe unframe{};
    std::optional<IoUnframe::Piece> r1;
    std::vector<std::uint8_t> packet;  // what has come of it
    IoVerdict r2;
    bool r2_bad = false;  // on a piece that is no packet
    unsigned err = 0;
    TlpHeader err_hdr{};
  };
  // What an Ack or Nak does to the transmitter.
  struct Progress {
    unsigned good = 0;  // TLPs acknowledged
    bool nak_replay = false;
  };

  [[nodiscard]] State reset_state() const;
  [[nodiscard]] unsigned count() const;
  [[nodiscard]] bool offers(bool link_up) const { return out_.has_value() && (!link_up || up_q_); }
  [[nodiscard]] bool credit() const;
  [[nodiscard]] Choice choose() const;
  [[nodiscard]] Packet packet(Choice choice) const;
  [[nodiscard]] Progress acknowledge(const IoVerdict& verdict);
  void chosen(Choice choice);
  void init_fc_sent();
  void new_tlp_sent();
  void compute_credit();
  void replay(const Progress& progress, unsigned old_count, bool replay_sent);
  void receive(const IoVerdict& verdict, bool bad, Phase phase, bool full);
  [[nodiscard]] IoVerdict assemble();
  void receive_fc(const FlowControl& fc, Phase phase);
  void receive_tlp(const SequencedTlp& received, bool full);
  void damaged();
  void tlp_leaves();
  void raise(Error error) { s_.err |= 1u << error; }
  void refuse(Error error, const Tlp& tlp) {
    raise(error);
    s_.err_hdr = header_of(tlp);
  }

  Parameters parameters_;
  State s_;
  bool up_q_ = false;
  std::optional<IoFlit> out_;
};

}  // namespace cxlgpu
