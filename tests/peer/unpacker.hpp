// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Takes protocol flits and all-data flits apart and checks every packing rule (CXL 2.0, 4.2.5) on
// the way.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "flit_codec.hpp"
#include "messages.hpp"
#include "violations.hpp"

namespace peer {

// Complete messages that wait for the upper layer.
struct Inbox {
  std::deque<MemReq> req;
  std::deque<MemRwd> rwd;
  std::deque<MemNdr> ndr;
  std::deque<MemDrs> drs;
};

class Unpacker {
 public:
  // `direction` is that of the messages received.
  Unpacker(Direction direction, bool mdh_allowed, Violations& violations);

  struct Result {
    bool all_data = false;
    FlitHeader header;  // of a protocol flit
    std::array<unsigned, 4>
        headers{};  // messages begun in this flit, by MessageKind Req, Rwd, Ndr, Drs
  };
  Result take(const Flit& flit, Inbox& inbox);
  bool all_data_next() const { return owed_ >= 4; }
  unsigned owed() const { return owed_; }
  uint64_t mdh_slots() const { return mdh_slots_; }  // ever
  void reset();

 private:
  struct Pending {
    MessageKind kind = MessageKind::Drs;
    MemRwd rwd;
    MemDrs drs;
    bool byte_enables = false;
    unsigned chunks = 0;  // in all, the byte enables too
    unsigned taken = 0;
  };
  struct FlitCheck {
    unsigned data_headers = 0;
    bool mdh = false;
    std::array<unsigned, 4> count{};
    std::array<bool, 4>
        room_left{};  // an earlier slot had an empty place for a message of this kind
  };

  void take_chunk(const Flit& flit, unsigned slot, Inbox& inbox);
  void take_slot(const Flit& flit, unsigned slot, const FlitHeader& header, FlitCheck& check,
                 Inbox& inbox);
  void take_message(const Flit& flit, unsigned slot, const SlotPlace& place,
                    const FlitHeader& header, Inbox& inbox);
  void begin_data(Pending pending);
  void check_flit(const FlitHeader& header, const FlitCheck& check);
  void check_req(const MemReq& message);
  void check_rwd(const MemRwd& message, const FlitHeader& header);
  void check_ndr(const MemNdr& message);
  void check_drs(const MemDrs& message, const FlitHeader& header);

  Direction direction_;
  bool mdh_allowed_;
  Violations& violations_;
  std::deque<Pending> pending_;
  unsigned owed_ = 0;
  uint64_t mdh_slots_ = 0;
};

}  // namespace peer
