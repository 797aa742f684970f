// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The data link layer of CXL.io: PCIe 5.0, chapter 3, over the symbol stream of io_frame.hpp.
//
// Data Link Feature exchange, flow-control initialisation, credits, sequence numbers, Ack and Nak,
// replay.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string_view>

#include "io_frame.hpp"
#include "io_side.hpp"
#include "violations.hpp"

namespace peer {

// The three kinds of flow control.
enum class Flow : uint8_t { Posted, NonPosted, Completion };
constexpr size_t kFlows = 3;
Flow flow_of(std::span<const uint8_t> tlp);
unsigned data_credits_of(std::span<const uint8_t> tlp);  // units of 16 bytes

struct IoLinkConfig {
  uint64_t seed = 1;
  // Buffers granted, by Flow. 0: infinite.
  std::array<unsigned, kFlows> headers{4, 4, 0};
  std::array<unsigned, kFlows> data{32, 4, 0};
  bool data_link_feature = true;  // of a port for 16 GT/s and more, it has to be true
  bool single_update =
      true;  // an UpdateFC for each header freed; else the credits of 64 cycles in one
  bool one_per_flit = false;   // packets start at the first symbol of a flit only
  bool spread = false;         // every packet in a symbol time of its own
  unsigned ack_delay_max = 0;  // cycles that an Ack is held back, random from 0
  // Damage done to sent packets, per 65536.
  unsigned dllp_damage = 0;
  unsigned tlp_damage = 0;
  // Nothing but this end damages packets: what arrives damaged was sent so.
  bool clean_line = true;
  // The other side must grant completions without limit (an endpoint, and a root port without
  // peer-to-peer).
  bool peer_completions_infinite = true;
  // Cycles (nanoseconds).
  unsigned init_interval =
      400;  // between two rounds of InitFC; the standard asks for 34 us at most
  unsigned replay_timer = 7000;      // 24000 to 31000 symbol times of 250 ps
  unsigned update_interval = 10000;  // between two UpdateFC of a kind; 30 us at most
};

// Wrong things of the data link, each done once to the next packet concerned.
enum class LinkWrong : uint8_t {
  None,
  BadLcrc,
  SequenceAhead,
  SequenceRepeated,
  NullifiedTlp,
  BadDllpCrc,
  UnknownDllp,
  FramingToken,
  LoseInitFc2,  // all InitFC2 of this end are lost, the first TLP ends the other side's FC_INIT2
};

class IoLink : public IoSide {
 public:
  explicit IoLink(const IoLinkConfig& config);

  // ---- the ARB/MUX ----
  void tick() override;
  std::optional<Flit> tx() override;
  void rx(const Flit& flit) override;
  void active(bool is_active) override;
  void link_down() override;
  // The stream cannot be read on: the physical layer has to go through Recovery.
  bool take_retrain_request();

  // ---- the transaction layer ----
  bool up() const { return state_ == State::Active; }
  void send(Bytes tlp);
  size_t unsent() const;
  std::optional<Bytes> take();                 // the next TLP received
  void release(std::span<const uint8_t> tlp);  // its buffers are free again

  void do_wrong(LinkWrong wrong) {
    wrong_ = wrong;
    excuse_nak(next_sequence_);
  }
  bool wrong_done() const { return wrong_ == LinkWrong::None; }
  // The next TLPs received count as damaged on their way, replays too.
  void find_damaged(unsigned tlps) { find_damaged_ = tlps; }
  unsigned still_to_damage() const { return find_damaged_; }

  struct Counts {
    uint64_t naks_received = 0, acks_received = 0, naks_sent = 0, replays = 0, duplicates = 0;
    uint64_t tlps_received = 0, tlps_sent = 0;
    uint64_t bad_dllps = 0, bad_tlps = 0, framing_errors = 0;
  };
  const Counts& counts() const { return counts_; }
  bool peer_feature_seen() const { return remote_feature_valid_; }
  Violations& violations() { return violations_; }

 private:
  enum class State : uint8_t { Inactive, Feature, Init1, Init2, Active };
  struct Credit {
    bool known = false;
    bool infinite_headers = false, infinite_data = false;
    unsigned header_limit = 0, data_limit = 0;  // granted by the other side, modulo their width
    unsigned headers_used = 0, data_used = 0;   // consumed by sent TLPs
    unsigned headers_granted = 0,
             data_granted = 0;                   // granted by this end, as the other side counts
    unsigned headers_taken = 0, data_taken = 0;  // of these, used by received TLPs
    unsigned headers_freed = 0, data_freed = 0;  // not yet announced
    unsigned since_update = 0;
  };
  struct Sent {
    uint16_t sequence = 0;
    Bytes tlp;
  };

  void enter(State state);
  std::optional<IoFramer::Packet> next_packet();
  std::optional<IoFramer::Packet> next_init();
  std::optional<IoFramer::Packet> next_dllp();
  std::optional<IoFramer::Packet> next_tlp();
  IoFramer::Packet dllp(const Dllp& dllp);
  IoFramer::Packet tlp(const Sent& sent);
  Dllp flow_dllp(unsigned type, Flow flow, unsigned headers, unsigned data) const;
  bool may_send(const Bytes& tlp, Flow flow) const;
  void take_dllp(const Dllp& dllp, bool crc_good);
  void take_flow_dllp(const Dllp& dllp);
  void take_init(const Dllp& dllp, Flow flow, unsigned round);
  void take_update(const Dllp& dllp, Flow flow);
  void take_ack(const Dllp& dllp, bool nak);
  void take_tlp(const FramedTlp& framed);
  void accept(const FramedTlp& framed);
  void request_nak();
  void excuse_nak(unsigned last) {
    excused_nak_ = true;
    excused_last_ = static_cast<uint16_t>(last);
  }
  void start_replay();
  bool chance(unsigned per_64k) { return per_64k != 0 && (random_() & 0xffff) < per_64k; }
  Credit& credit(Flow flow) { return credits_[static_cast<size_t>(flow)]; }

  IoLinkConfig config_;
  Violations violations_;
  std::mt19937_64 random_;
  IoFramer framer_;
  IoDeframer deframer_;
  uint64_t now_ = 0;

  State state_ = State::Inactive;
  bool active_ = false;  // the vLSM
  bool retrain_ = false;
  LinkWrong wrong_ = LinkWrong::None;
  unsigned find_damaged_ = 0;

  // initialisation
  bool remote_feature_valid_ = false;
  bool remote_scaled_ = false;
  bool scaled_ = false;
  bool fi2_ = false;
  unsigned init_timer_ = 0;
  unsigned init_next_ = kFlows;  // the flow whose InitFC leaves next; kFlows: the round is over
  bool init2_round_done_ = false, init2_last_round_ = false;
  unsigned init1_expected_ = 0;  // of the other side's InitFC1 triple
  std::array<Credit, kFlows> credits_{};

  // transmitter
  std::array<std::deque<Bytes>, kFlows> queue_;
  std::deque<Sent> retry_;
  size_t replay_at_ = SIZE_MAX;  // index into retry_ while a replay runs
  uint16_t next_sequence_ = 0;
  uint16_t acked_ = 0xfff;
  unsigned replay_timer_ = 0;
  unsigned replay_number_ = 0;
  bool excused_nak_ = false;  // Recovery may have lost what was sent, up to this one
  uint16_t excused_last_ = 0;
  std::optional<Sent> last_acked_;

  // receiver
  uint16_t expected_ = 0;
  bool nak_scheduled_ = false;
  bool nak_due_ = false;
  bool ack_due_ = false;
  unsigned ack_delay_ = 0;
  bool excused_gap_ = false;
  std::deque<Bytes> received_;
  Counts counts_;
};

}  // namespace peer
