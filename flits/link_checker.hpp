// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Protocol checker of one link, both directions, from the flits alone.
//
// Feed every flit as it arrives at its receiver, damaged ones included, in time order, and tell of
// each Recovery of the physical link (almp_checker.hpp says why) and of its going down. The checker
// follows what each receiver must do (accept, discard until its RETRY.Ack) and reports what the
// transmitters did wrong. Bit errors are not findings, only counted. Because a flit is seen when it
// arrives, whatever its sender needed (a credit, an acknowledgement, a RETRY.Req) has been seen
// before it, so nothing legal is reported. (One limit: a RETRY.Req still in flight is not known, so
// a link whose round trip exceeds the retry timeout of 4096 flits cannot be followed.) Who can see
// flits leave their sender too tells of each by on_sent(): then CRCs and viral are judged. Units:
// picoseconds, flits, messages, bytes. Errors: none thrown; see finding.hpp. Source: CXL 2.0 link
// layer initialisation, credits, retry; CXL.mem transaction rules for Type 3.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "flits/almp_checker.hpp"
#include "flits/codec.hpp"
#include "flits/finding.hpp"
#include "flits/transaction_checker.hpp"
#include "flits/viral_checker.hpp"

namespace cxlgpu::flits {

struct LinkCheckerOptions {
  bool cache = false;    // CXL.cache messages are legal too
  bool arb_mux = false;  // ALMPs must come first; else they may be missing altogether
  // How the wrap value of INIT.Param is read: sequence numbers and retry buffer entries run 0..wrap
  // instead of 0..wrap-1. The specification can be read both ways (CXL 2.0, 4.2.8.5.1); both ends
  // of a link have to read it one way.
  bool wrap_inclusive = false;
  DecoderOptions decoder;
  std::size_t max_findings = 1000;  // kept; all are counted
};

struct DirectionStats {
  std::uint64_t flits = 0;                                            // arrived, of any protocol ID
  std::uint64_t protocol = 0, all_data = 0;                           // accepted
  std::array<std::uint64_t, std::variant_size_v<Control>> control{};  // accepted, by alternative
  std::uint64_t io = 0, null = 0, almp = 0;
  std::uint64_t crc_errors = 0, id_errors = 0, id_corrected = 0;
  std::uint64_t almp_errors = 0;  // ALMPs whose copies differ
  std::uint64_t discarded = 0;    // clean, but in the shadow of an error
  std::uint64_t retries = 0;      // times the receiver began to discard
  std::array<std::uint64_t, kMessageKinds> messages{};
  std::uint64_t payload_bytes = 0;  // data of complete messages
};

class LinkChecker {
 public:
  /// Called for each message when its last slot is accepted.
  using Listener = std::function<void(std::uint64_t time_ps, Direction, const Item&)>;

  explicit LinkChecker(LinkCheckerOptions options = {});

  void set_listener(Listener listener) { listener_ = std::move(listener); }

  void on_flit(std::uint64_t time_ps, Direction direction, const Flit& flit);
  /// The same flit as it was sent, some time before it arrives or is lost; optional, for all or
  /// none.
  void on_sent(std::uint64_t time_ps, Direction direction, const Flit& flit);
  /// The physical link went through Recovery: what was in flight is lost, both ends synchronise by
  /// ALMPs and retry. `time_ps` as for flits.
  void on_recovery(std::uint64_t time_ps);
  /// The receiver of `direction` must retry though no bad flit was fed: one was lost on the way,
  /// or, on a link without ARB/MUX, the physical layer went through Recovery (then call it for both
  /// directions).
  void force_retry(Direction direction);
  /// The physical link went down: what was in flight is lost and what was asked for has no answer
  /// to come; before anything else ALMPs must bring the link up. `time_ps` as for flits.
  void on_down(std::uint64_t time_ps);
  /// The link comes up again: link-layer state and outstanding requests are forgotten, findings and
  /// statistics stay.
  void link_up();
  /// Reports requests without a response. Call once, at the end.
  void finish();

  const std::vector<Finding>& findings() const { return findings_.kept(); }
  std::uint64_t finding_count() const { return findings_.total(); }
  const DirectionStats& stats(Direction d) const { return stats_[index(d)]; }
  std::uint64_t recoveries() const { return recoveries_; }
  /// Times the sender of `d` announced that it is viral; needs on_sent().
  std::uint64_t viral_announcements(Direction d) const { return viral_.announcements(d); }
  std::size_t outstanding() const { return transactions_.outstanding(); }
  /// Credits the sender of `kind` holds at this moment, as far as they have arrived.
  std::int64_t credits(MessageKind kind) const { return credits_[index(kind)]; }
  /// What a reader of the log needs to name the next flit of a direction: the data slots owed, and
  /// whether it falls into the shadow of an error (then it is only read if it is a RETRY flit).
  unsigned owed(Direction d) const { return receivers_[index(d)].decoder.owed(); }
  bool discarding(Direction d) const { return receivers_[index(d)].discarding; }
  /// It waits for Recovery: nothing at all is taken.
  bool deaf(Direction d) const { return almps_.deaf(d); }

 private:
  /// The receiver at the end of one direction, and what is known of its transmitter.
  struct Receiver {
    explicit Receiver(Direction d, DecoderOptions o) : decoder(d, o) {}
    Decoder decoder;
    bool contact = false;        // a clean flit has arrived
    bool initialised = false;    // INIT.Param has been accepted
    bool discarding = false;     // waits for its RETRY.Ack
    unsigned wrap = 9;           // of the transmitter's buffer; 9 until INIT.Param
    unsigned eseq = 0;           // next expected sequence number
    std::uint64_t accepted = 0;  // retryable flits
    std::uint64_t acknowledged = 0;
    unsigned frames = 0;              // RETRY.Frames in a row
    std::vector<std::uint8_t> asked;  // NUM_RETRY of each RETRY.Req since it discards
  };

  Receiver& rx(Direction d) { return receivers_[index(d)]; }
  void report(Direction d, Rule rule, std::string text);
  void on_time(std::uint64_t time_ps, Direction d);
  bool accept_protocol_id(Direction d, const Flit& flit);
  void on_almp(Direction d, const Flit& flit);
  void restart_link_layer();
  void on_bad_flit(Direction d);
  void start_discarding(Direction d);

  void on_retry(Direction d, const Flit& flit, const Control& control);
  void check_framing(Direction d, const Control& control);
  void on_retry_req(Direction d, const RetryReq& req);
  void on_retry_ack(Direction d, const RetryAck& ack);

  void accept(Direction d, const Flit& flit);
  void on_control(Direction d, const Control& control);
  void check_init_order(Direction d, const Decoded& decoded);
  [[nodiscard]] unsigned entries(const Receiver& r) const;
  void take_acks(Direction d, unsigned acks);
  void use_credits(Direction d, const Decoded& decoded);
  void deliver(Direction d, const Item& item);

  LinkCheckerOptions options_;
  Listener listener_;
  FindingList findings_;
  AlmpChecker almps_;
  ViralChecker viral_;
  TransactionChecker transactions_;
  std::array<Receiver, 2> receivers_;
  std::array<DirectionStats, 2> stats_{};
  std::array<std::int64_t, kMessageKinds> credits_{};
  std::uint64_t now_ps_ = 0, recoveries_ = 0;
};

}  // namespace cxlgpu::flits
