// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Link layer: select (T2), output stages (T2, T3), receive stages (R1 and R2), retry and credits.
//
// Purpose: twin of rtl/controller/link_layer.sv, composed of the twins of its parts. What it adds
//          is the priority list of the transmitter, the detection of framed RETRY sequences, LLCRD
//          forcing, NumAck, initialisation and the error pulses.
// Units:   cycles; credits in messages; acknowledgements in flits.
// Shapes:  the two oldest messages of each channel are offered; at most two ND and one WD message
//          come out a cycle. "ND" is the channel without data, "WD" the one with. A link with
//          CXL.cache also moves its messages and credits, whose queues are cache_channels.hpp.
// Errors:  Out::err, bits as in docs/blocks/controller/link_layer.md (bit 5 belongs to the receive
//          FIFOs and is 0 here).
// Source:  CXL 2.0 4.2.6, 4.2.8, docs/blocks/controller/link_layer.md.
#pragma once

#include <cstdint>
#include <optional>

#include "refmodel/controller/credit_return.hpp"
#include "refmodel/controller/credit_tx.hpp"
#include "refmodel/controller/link_codec.hpp"
#include "refmodel/controller/link_control.hpp"
#include "refmodel/controller/retry_buffer.hpp"
#include "refmodel/controller/retry_local.hpp"

namespace cxlgpu {

namespace link_err {
inline constexpr unsigned kCrc = 1 << 0, kProtocol = 1 << 1, kBeforeInit = 1 << 2,
                          kSecondInit = 1 << 3, kUnexpectedAck = 1 << 4, kOverflow = 1 << 5,
                          kRetry = 1 << 6, kTimeout = 1 << 7,
                          kViolation = kProtocol | kBeforeInit | kSecondInit | kUnexpectedAck;
}  // namespace link_err

struct ControllerParams {
  bool is_host = false;
  unsigned nd_rx_depth = 32;
  unsigned wd_rx_depth = 32;
  unsigned llrb_depth = 128;
  RetryLocal::Limits limits{};
  bool has_cache = false;
  std::array<unsigned, kCacheChannels> cache_rx_depth{16, 16, 16};
  // How both ends read the wrap value of INIT.Param: the last sequence number, or their count.
  bool wrap_inclusive = false;
};

class LinkLayer {
 public:
  struct In {
    bool link_up = false;
    LinkControl control{};
    unsigned nd_count = 0;  // messages waiting in the transmit FIFOs (above 2 counts as 2)
    std::array<MsgHeader, 2> nd_hdr{};
    unsigned wd_count = 0;
    std::array<WdMessage, 2> wd{};
    bool nd_freed = false;  // one entry of a receive FIFO was popped
    bool wd_freed = false;
    bool link_tx_ready = false;
    bool link_rx_valid = false;
    CrcFlit link_rx_flit{};
    bool phy_reinit_done = false;
    bool viral = false;  // this end is viral
    CacheToLink cache{};
  };
  struct Out {
    bool start = false;  // everything but the transmit FIFOs is cleared at this edge
    unsigned nd_take = 0;
    unsigned wd_take = 0;
    unsigned nd_valid = 0;  // received this cycle
    std::array<MsgHeader, 2> nd_hdr{};
    bool wd_valid = false;
    WdMessage wd{};
    bool link_tx_valid = false;
    CrcFlit link_tx_flit{};
    bool phy_reinit_req = false;
    bool init_done = false;
    bool abort = false;
    unsigned err = 0;
    Payload err_flit{};  // with a bit of link_err::kViolation: the flit that did it
    bool viral = false;  // pulse: the peer has said that it is viral
    LinkStatus status{};
    LinkToCache cache{};
  };

  explicit LinkLayer(const ControllerParams& params);
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

  // What select can choose; also what a monitor or a directed test wants to see.
  enum class Choice : std::uint8_t {
    kNothing,
    kFrame,
    kAck,
    kReq,
    kReplay,
    kIdle,
    kInitParam,
    kLlcrd,
    kNew
  };
  enum class Sequence : std::uint8_t { kNone, kAck, kReq };
  struct Selection {
    Choice choice = Choice::kNothing;
    Sequence sequence = Sequence::kNone;  // kFrame, kAck, kReq: which it belongs to
    Payload payload{};
    CachePacker::Out packed{};   // kNew
    unsigned acks_returned = 0;  // Ak or Full_Ack of a new flit
    bool damaged = false;        // sent with its CRC inverted, which announces viral
    // A new flit with Ak and credit fields.
    [[nodiscard]] bool bearing() const {
      return choice == Choice::kLlcrd || (choice == Choice::kNew && !packed.mem.is_adf);
    }
  };
  [[nodiscard]] Selection select(const In& in) const;
  // Of inputs nothing but the control counts.
  [[nodiscard]] LinkStatus status(const LinkControl& control) const;
  [[nodiscard]] RetryLocal::Out local() const { return local_.eval({}); }
  [[nodiscard]] RetryBuffer::Out remote() const { return buffer_.eval(); }
  [[nodiscard]] unsigned num_ack() const { return num_ack_; }
  [[nodiscard]] unsigned nd_credits() const { return nd_credit_.eval().avail; }
  [[nodiscard]] unsigned wd_credits() const { return wd_credit_.eval().avail; }
  [[nodiscard]] unsigned rx_owed() const { return unpacker_.owed(); }
  [[nodiscard]] unsigned tx_owed() const { return packer_.owed(); }

 private:
  static constexpr unsigned kFrames = 5;
  static constexpr unsigned kInitialWrap = 9;
  static constexpr unsigned kAkUnit = 8;
  static constexpr unsigned kMostAcks = 1023;
  static constexpr unsigned kFlush = 32;     // cycles, if the control says 0
  static constexpr unsigned kAckForce = 16;  // flits, the same
  static constexpr unsigned kRoomForRun = 6;

  struct CreditField {
    std::uint8_t code = 0;  // four bits
    Pool pool = Pool::kNone;
  };
  struct CreditFields {
    CreditField req, rsp, data;
  };
  struct Checked {  // a flit in R2
    Payload payload{};
    bool bad = false;
  };
  struct Received {  // what R2 makes of it
    bool good = false;
    bool accepted = false;
    CacheUnpacker::Out unpacked{};
    flits::Control control = flits::UnknownControl{};  // if it is a control flit
    bool retryable = false;
    bool early = false;        // before INIT.Param: counted, else passed over
    bool has_credits = false;  // protocol flit or LLCRD
    unsigned acks = 0;
    unsigned frames_next = 0;
    std::optional<flits::RetryReq> req_seq;  // good and framed
    std::optional<flits::RetryAck> ack_seq;
  };

  [[nodiscard]] bool starting(const In& in) const { return in.link_up && !up_; }
  [[nodiscard]] bool output_free(const In& in) const { return !output_ || in.link_tx_ready; }
  [[nodiscard]] bool can_select(const In& in) const {
    return up_ && (!selected_ || output_free(in));
  }
  [[nodiscard]] CreditFields credit_fields(const In& in) const;
  [[nodiscard]] CachePacker::In packer_in(const In& in) const;
  [[nodiscard]] bool initialised() const { return param_sent_ && param_received_; }
  [[nodiscard]] bool announce(const In& in) const {
    return in.viral && initialised() && !viral_sent_;
  }
  [[nodiscard]] static unsigned flush(const In& in) {
    return in.control.flush == 0 ? kFlush : in.control.flush;
  }
  [[nodiscard]] bool force(const In& in) const {
    const unsigned acks = in.control.ack_force == 0 ? kAckForce : in.control.ack_force;
    return timer_ >= flush(in) || num_ack_ >= acks || announce(in);
  }
  [[nodiscard]] bool adf_run() const;
  [[nodiscard]] Sequence sequence_due() const;
  [[nodiscard]] Selection sequence_flit(Sequence kind) const;
  [[nodiscard]] std::optional<flits::Llcrd> forced_llcrd(const In& in) const;
  [[nodiscard]] Selection new_flit(const In& in) const;
  [[nodiscard]] Selection priority(const In& in) const;
  [[nodiscard]] FlitUnpacker::In unpacker_in(const In& in, bool valid) const;
  [[nodiscard]] Received receive(const In& in) const;
  [[nodiscard]] LinkToCache to_cache(const In& in, const Selection& s, const Received& r) const;
  void find_sequence(Received& r) const;
  [[nodiscard]] unsigned errors(const Received& r) const;
  [[nodiscard]] bool hears_viral(const Received& r) const;
  [[nodiscard]] unsigned retry_errors(const In& in, RetryLocal::State before) const;
  void restart(const LinkControl& control);
  void clock_transmit(const In& in, const Selection& s);
  void clock_receive(const In& in, const Received& r);
  void clock_acks_and_timer(const In& in, const Selection& s, const Received& r);
  void clock_credits(const In& in, const Selection& s, const Received& r);
  void clock_retry(const In& in, const Selection& s, const Received& r);
  [[nodiscard]] unsigned wrap_value() const {
    return params_.llrb_depth - (params_.wrap_inclusive ? 1 : 0);
  }
  void clock_init(const Selection& s, const Received& r);
  void clock_viral(const In& in, const Selection& s);
  void clock_seen(const Received& r);

  ControllerParams params_;
  bool up_ = false;
  // Parts.
  LinkPacker packer_;
  LinkUnpacker unpacker_;
  CreditTx nd_credit_, wd_credit_;
  CreditReturn nd_return_, wd_return_;
  RetryLocal local_;
  RetryBuffer buffer_;
  // Transmit.
  Sequence sequence_ = Sequence::kNone;
  unsigned frames_sent_ = 0;
  unsigned num_ack_ = 0;
  unsigned timer_ = 0;
  struct Selected {  // sel_q
    Payload payload{};
    bool damaged = false;
  };
  std::optional<Selected> selected_;
  std::optional<CrcFlit> output_;
  // Receive.
  std::optional<Checked> r1_;
  unsigned frames_ = 0;
  // Initialisation and report.
  bool heard_ = false, param_sent_ = false, param_received_ = false;
  unsigned wrap_ = kInitialWrap;
  unsigned err_ = 0;
  Payload err_flit_{};
  bool viral_sent_ = false, viral_heard_ = false;
  LinkStatus seen_{};  // what flits of the peer said; the rest of it is not used
};

}  // namespace cxlgpu
