// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.cachemem link layer of one end (CXL 2.0, 4.2.6 to 4.2.8): initialisation, credits,
// acknowledgements, retry.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "flit_codec.hpp"
#include "link_end.hpp"
#include "messages.hpp"
#include "packer.hpp"
#include "retry_buffer.hpp"
#include "unpacker.hpp"
#include "violations.hpp"

namespace peer {

struct LinkLayerConfig {
  Direction tx = Direction::S2M;  // S2M: a device; M2S: a host
  uint64_t seed = 1;

  PackPolicy packing = PackPolicy::Densest;
  bool mdh = true;

  // Retry buffer. The wrap value of INIT.Param and whether a sequence counter runs 0..wrap-1 or
  // 0..wrap (the standard can be read either way; both ends must agree).
  uint8_t wrap = 127;
  bool wrap_inclusive = false;

  // Receive buffers of each channel, and so the credits granted. 0: the channel is not there.
  unsigned buffers_req = 16;
  unsigned buffers_rwd = 16;
  unsigned buffers_ndr = 64;
  unsigned buffers_drs = 64;
  bool one_credit_at_a_time = false;  // a flit returns one credit of one channel at most

  // Acknowledgements (8.2.5.11.6): both have these values as their default and minimum.
  unsigned ack_force_threshold = 16;
  unsigned flush_retimer = 32;

  // Retry (4.2.8.5.1).
  unsigned timeout = 4096;
  unsigned max_num_retry = 10;
  unsigned max_num_phy_reinit = 10;

  // Damage done to sent flits, and retries requested although nothing was damaged, per 65536 flits.
  unsigned corrupt_per_64k = 0;
  unsigned retry_per_64k = 0;

  // Credit fields that have nothing to return name CXL.cache credits; a receiver without the
  // channel drops them.
  bool cache_credits = false;
};

// Liberties that a test may take with the stream; each breaks the standard once.
struct RawFlit {
  Flit flit{};            // sealed by the sender of it
  bool retryable = true;  // it enters the retry buffer
};

class LinkLayer {
 public:
  LinkLayer(const LinkLayerConfig& config, Violations& violations);

  // ---- the upper layer -----------------------------------------------------------------------
  Outbox& outbox() { return outbox_; }  // messages to send, taken as credits allow
  // Complete messages received; the caller takes them and returns their buffers with `release`.
  Inbox& inbox() { return inbox_; }
  void release(MessageKind kind, unsigned count = 1);
  bool initialised() const { return init_sent_ && init_received_; }
  unsigned credits(MessageKind kind) const;  // what the other side has granted and was not used

  // ---- the ARB/MUX ---------------------------------------------------------------------------
  void tick();
  std::optional<Flit> tx();  // the next flit, if there is one to send
  void rx(const Flit& flit);
  void link_up();         // the vLSM has reached Active for the first time on this link
  void link_down();       // the physical link is gone: everything starts again
  void recovery_begin();  // the LTSSM has entered Recovery
  void recovery_end();    // it has left it: a retry follows in any case (4.2.8.6)
  bool take_retrain_request();

  // ---- what a test asks for ------------------------------------------------------------------
  void corrupt_next() { corrupt_next_ = true; }
  void force_retry();  // as if the flit received next were damaged
  void go_viral();
  // Flits sent as they stand, one after the other, between two flits that owe no data.
  // `early`: before the initialisation is done, as soon as the link is up.
  void inject(const std::vector<RawFlit>& flits, bool early = false);
  void inject_framed(const Flit& flit, unsigned frames = 5);
  void stall_init(bool stall) { stall_init_ = stall; }
  // The next INIT.Param names this version instead.
  void send_init_version(uint8_t version) { init_version_ = version; }
  bool init_version_pending() const { return init_version_ != kVersion; }
  bool injection_pending() const { return !raw_.empty(); }
  // Messages of a channel leave without credits while this is set.
  void overuse(bool on) { overuse_ = on; }
  unsigned acknowledged_entries() const { return buffer_.free(); }
  unsigned next_sequence() const { return buffer_.write_pointer(); }
  // Called with every flit about to leave; it may change the flit. False: the flit is not sent at
  // all.
  std::function<bool(Flit&)> on_send;

  bool peer_viral() const { return peer_viral_; }
  bool aborted() const { return lrsm_ == Lrsm::Abort; }
  uint64_t retries_requested() const { return retries_requested_; }
  uint64_t retries_served() const { return retries_served_; }
  uint64_t flits_accepted() const { return flits_accepted_; }
  uint64_t mdh_slots_received() const { return unpacker_.mdh_slots(); }

 private:
  static constexpr uint8_t kVersion = 2;  // CXL 2.0 (4.2.6, Table 54)
  enum class Lrsm : uint8_t { Normal, LlrReq, LocalIdle, PhyReinit, Abort };

  struct Channel {
    unsigned granted = 0;    // credits the other side holds (given and not used yet)
    unsigned to_return = 0;  // credits to give
    unsigned available = 0;  // credits of the other side's buffers that this side holds
  };

  // receive
  void rx_shadow(const Flit& flit);
  void rx_normal(const Flit& flit);
  void accepted();
  void rx_retry(const ControlFlit& control);
  void frames_without_end();
  void rx_retry_req(const ControlFlit& control);
  void rx_retry_ack(const ControlFlit& control);
  void rx_init(const ControlFlit& control);
  void rx_llcrd(const ControlFlit& control);
  void rx_protocol(const Flit& flit);
  void take_credits(uint8_t rsp, uint8_t req, uint8_t data);
  void take_acks(unsigned count);
  void charge(MessageKind kind, unsigned count);
  void bad_flit();

  // transmit
  struct CreditFields {
    uint8_t rsp = 0;
    uint8_t req = 0;
    uint8_t data = 0;
  };
  std::optional<Flit> choose();
  std::optional<Flit> next_of_sequence();
  std::optional<Flit> start_ack();
  std::optional<Flit> start_req();
  std::optional<Flit> new_flit();
  std::optional<Flit> init_flit();
  std::optional<Flit> raw_flit();
  std::optional<Flit> protocol_flit();
  Allowance allowance() const;
  Flit store(const Flit& flit, bool all_data);
  Flit llcrd();
  bool must_force_llcrd() const;
  bool credits_to_return() const;
  void count_ack_and_credits(unsigned acks, const CreditFields& fields);
  uint8_t credit_field(MessageKind kind, bool& one_spent);
  void damage(Flit& flit);
  CreditFields take_credit_fields();
  void watch_peer();
  unsigned modulus(uint8_t wrap) const { return wrap + (config_.wrap_inclusive ? 1u : 0u); }
  Channel& channel(MessageKind kind) { return channels_[static_cast<size_t>(kind)]; }
  const Channel& channel(MessageKind kind) const { return channels_[static_cast<size_t>(kind)]; }
  void begin_credits();
  bool device() const { return config_.tx == Direction::S2M; }

  LinkLayerConfig config_;
  Violations& violations_;
  std::mt19937_64 random_;
  Packer packer_;
  Unpacker unpacker_;
  Outbox outbox_;
  Inbox inbox_;
  RetryBuffer buffer_;
  std::array<Channel, 4> channels_{};

  // initialisation
  bool up_ = false;
  bool rx_seen_ = false;     // a flit with a good CRC has come
  bool clean_sent_ = false;  // a flit has left, so the other side may have seen one
  bool llcrd_sent_ = false;
  bool init_sent_ = false;
  bool init_received_ = false;
  bool stall_init_ = false;
  uint8_t init_version_ = kVersion;
  uint8_t peer_wrap_ = 9;  // until INIT.Param says otherwise (4.2.7)

  // retry, receiving side
  Lrsm lrsm_ = Lrsm::Normal;
  unsigned eseq_ = 0;
  unsigned num_retry_ = 0;
  unsigned num_phy_reinit_ = 0;
  unsigned last_req_num_retry_ = 0;
  unsigned timeout_ = 0;
  unsigned frames_ = 0;
  bool force_retry_ = false;
  unsigned acks_to_return_ = 0;
  uint64_t received_ = 0;    // retryable flits accepted
  uint64_t acked_ = 0;       // of these, acknowledged to the other side
  bool retry_owed_ = false;  // the other side has gone through Recovery and must ask for a retry
  unsigned retry_owed_cycles_ = 0;
  unsigned ack_owed_cycles_ = 0;

  // retry, sending side
  bool ack_wanted_ = false;  // RRSM is LLRACK
  uint8_t ack_num_retry_ = 0;
  uint8_t ack_eseq_ = 0;
  std::deque<Flit> sequence_;  // frames and what follows them, not to be interrupted
  bool sequence_is_req_ = false;
  bool raw_early_ = false;
  bool overuse_ = false;

  unsigned flush_timer_ = 0;
  bool sent_ack_or_credit_ = false;
  bool retrain_request_ = false;
  bool corrupt_next_ = false;
  bool viral_ = false;
  bool viral_corrupt_ = false;
  bool peer_viral_ = false;
  std::deque<RawFlit> raw_;

  uint64_t retries_requested_ = 0;
  uint64_t retries_served_ = 0;
  uint64_t flits_accepted_ = 0;
};

}  // namespace peer
