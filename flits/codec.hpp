// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flits from messages and messages from flits.
//
// Three views of a flit, from wire to meaning:
//   Flit         68 bytes (flit.hpp)
//   FlitContent  its structure: header and four slots, four data chunks, or a control flit.
//                encode() and parse() convert; parse() must be told how many data slots are owed.
//   Decoded      what a receiver gets out of it; Decoder keeps the owed data slots (R) itself.
// A data slot is a 16 B chunk; byte enables count as one more, always the last of their message.
// Errors: encode() throws std::invalid_argument if a message has no place in its slot's format.
// Decoder never throws: what breaks a rule is reported as a DecodeFinding and decoding goes on.
// Source: CXL 2.0 link layer, flit packing rules, slot formats, maximum messages per flit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "flits/control.hpp"
#include "flits/flit.hpp"
#include "flits/messages.hpp"
#include "flits/slots.hpp"

namespace cxlgpu::flits {

// ---- structure -------------------------------------------------------------------------------

struct SlotContent {
  bool is_data = false;  // holds `raw`: a chunk, byte enables, a MAC, or an empty G0 slot
  /// Valid messages, in layout order; empty for a data slot.
  StaticVector<Message, kMaxPlaces> messages;
  /// Data or byte enables of G0; MAC of H6 in its first 12 bytes; otherwise unused.
  Chunk raw{};
  bool operator==(const SlotContent&) const = default;
};

struct ProtocolFlit {
  FlitHeader header;  // header.format says how each slot is read
  std::array<SlotContent, 4> slots{};
  bool operator==(const ProtocolFlit&) const = default;
};

struct AllDataFlit {
  std::array<Chunk, 4> chunks{};
  bool operator==(const AllDataFlit&) const = default;
};

using FlitContent = std::variant<ProtocolFlit, AllDataFlit, Control>;

/// Protocol ID CXL.cachemem, CRC included. Messages take the first place of their kind that is
/// still free in the slot; places without a message are zero.
Flit encode(Direction direction, const ProtocolFlit& content);
Flit encode(const AllDataFlit& content);
Flit encode(Direction direction, const FlitContent& content);

/// `owed`: data slots owed when the flit starts; 4 or more make it an all-data flit. Messages whose
/// Valid bit is 0 are left out. The CRC and protocol ID are not looked at.
FlitContent parse(const Flit& flit, Direction direction, unsigned owed);

Chunk byte_enable_chunk(std::uint64_t enables);

// ---- receiver --------------------------------------------------------------------------------

/// A complete message; for data headers, with its line and byte enables (bit n = byte n). A device
/// may answer a read with two S2M DRS of 32 B, each with a header of its own and a credit: the
/// lower half of the line first, then the upper, no other line between them.
struct Item {
  Message message;
  std::uint8_t data_bytes = 0;   // 0, 32 or 64; data beyond it is zero
  std::uint8_t line_offset = 0;  // of data[0] in the line: 32 for the upper half of an S2M DRS
  bool has_byte_enables = false;
  std::uint64_t byte_enables = ~std::uint64_t{0};
  LineData data{};
  bool operator==(const Item&) const = default;
};

struct CreditReturn {
  MessageKind pool;
  unsigned count;
};

enum class DecodeRule : std::uint8_t {
  ReservedSlotFormat,  // code 7, or 6 where it does not exist
  MacWithoutIde,       // H6 while link encryption is off
  ReservedControl,     // unknown control flit
  NonzeroReserved,     // a reserved or constant bit is wrong
  OwedSlotNotData,     // a slot that owes data has another format code
  TooManyMessages,     // more of a kind than one flit may carry
  SeveralDataHeaders,  // more than one data header outside a single MDH slot
  MdhSingleHeader,     // MDH slot with just one header
  MdhNotFullLines,     // MDH with BE = 1 or Sz = 0
  MdhDisabled,         // MDH slot although it was switched off
  ByteEnablesIllegal,  // BE = 1 with H2D or S2M data
  SizeIllegal,         // Sz = 0 with an RwD
  ReservedCode,        // a field of a message holds a reserved code
  ReservedCredit,      // credits for a channel that does not exist
  LoosePacking,        // a later place of a kind is used before an earlier one
  HalvesApart,         // a lower half of an S2M DRS is not followed by its upper half
};
std::string_view name(DecodeRule rule);

struct DecodeFinding {
  DecodeRule rule;
  std::uint8_t slot = 0;
  std::uint32_t value = 0;   // the offending code, count or credit field
  std::string_view subject;  // message or field name; static storage
};
/// One line: what was found and where.
std::string describe(const DecodeFinding& finding);

enum class FlitKind : std::uint8_t { Protocol, AllData, Control };
std::string_view name(FlitKind kind);

inline constexpr std::size_t kMaxItems = 20;
inline constexpr std::size_t kMaxDecodeFindings = 16;

struct Decoded {
  FlitKind kind = FlitKind::Protocol;
  FlitHeader header;               // zero in all-data and control flits
  std::optional<Control> control;  // of a control flit
  unsigned acks = 0;               // flits acknowledged (Ak or Full_Ack)
  StaticVector<CreditReturn, 3> credits;
  /// Valid headers seen in this flit, per message kind: what consumes credits.
  std::array<std::uint8_t, kMessageKinds> headers{};
  /// Messages that became complete with this flit, in flit bit order.
  StaticVector<Item, kMaxItems> items;
  StaticVector<DecodeFinding, kMaxDecodeFindings> findings;
};

struct DecoderOptions {
  bool ide = false;           // accept H6
  bool mdh_disabled = false;  // an MDH slot is a finding
};

/// The receiver of one direction of a link. Feed it exactly the flits the receiver accepts: not
/// those with a CRC error, not those discarded while a retry is in progress. RETRY flits may be fed
/// or kept away; they change nothing here.
class Decoder {
 public:
  explicit Decoder(Direction direction, DecoderOptions options = {})
      : direction_(direction), options_(options) {}

  void reset();
  Direction direction() const { return direction_; }
  /// Data slots owed (R); 4 or more: the next flit is an all-data flit.
  unsigned owed() const { return owed_; }

  Decoded decode(const Flit& flit);

 private:
  struct Pending {
    Item item;
    std::uint8_t data_chunks = 0;  // 2 or 4
    std::uint8_t received = 0;
  };
  // Fewer than 4 slots owed hold at most two headers, and one flit brings at most four more.
  static constexpr std::size_t kMaxPending = 8;

  void decode_control(const Flit& flit, Decoded& out);
  void decode_slot(unsigned slot, u128 bits, Decoded& out, unsigned& data_header_slots);
  void add_message(MessageKind kind, u128 bits, unsigned slot, bool mdh, Decoded& out);
  void join_halves(Item& item, unsigned slot, Decoded& out);
  void take_chunk(u128 bits, unsigned slot, Decoded& out);
  void take_credits(std::uint8_t rsp, std::uint8_t req, std::uint8_t data, Decoded& out);

  Direction direction_;
  DecoderOptions options_;
  unsigned owed_ = 0;
  StaticVector<Pending, kMaxPending> pending_;
  std::optional<S2mDrs> lower_half_;  // its upper half comes next
};

}  // namespace cxlgpu::flits
