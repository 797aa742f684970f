// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flit_codec.hpp"

#include <algorithm>
#include <cstring>

namespace peer {

// ---- bits
// -----------------------------------------------------------------------------------------

uint64_t get_bits(const Flit& flit, unsigned position, unsigned width) {
  const unsigned byte = position / 8;
  const unsigned shift = position % 8;
  uint64_t low = 0;
  const size_t available = std::min<size_t>(8, flit.size() - byte);
  for (size_t i = 0; i < available; ++i) low |= uint64_t{flit[byte + i]} << (8 * i);
  uint64_t value = low >> shift;
  if (shift != 0 && shift + width > 64) value |= uint64_t{flit[byte + 8]} << (64 - shift);
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

void put_bits(Flit& flit, unsigned position, unsigned width, uint64_t value) {
  while (width > 0) {
    const unsigned byte = position / 8;
    const unsigned shift = position % 8;
    const unsigned now = std::min(width, 8 - shift);
    const auto mask = static_cast<uint8_t>(((1u << now) - 1) << shift);
    const auto bits = static_cast<uint8_t>((value << shift) & mask);
    flit[byte] = static_cast<uint8_t>((flit[byte] & ~mask) | bits);
    position += now;
    width -= now;
    value >>= now;
  }
}

// ---- CRC
// ------------------------------------------------------------------------------------------

namespace {

constexpr uint16_t kPolynomial = 0xf053;  // x^16 + ...; the polynomial is 1F053h

constexpr std::array<uint16_t, 256> make_crc_table() {
  std::array<uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? kPolynomial : 0);
    table[byte] = static_cast<uint16_t>(crc);
  }
  return table;
}

constexpr auto kCrcTable = make_crc_table();

}  // namespace

uint16_t flit_crc(const Flit& flit) {
  unsigned crc = 0;
  for (int byte = 63; byte >= 0; --byte) {  // bit 511 is the highest power
    crc = ((crc << 8) & 0xffff) ^ kCrcTable[(crc >> 8) ^ flit[static_cast<size_t>(byte)]];
  }
  return static_cast<uint16_t>(crc);
}

void seal(Flit& flit) {
  const uint16_t crc = flit_crc(flit);
  flit[64] = static_cast<uint8_t>(crc & 0xff);
  flit[65] = static_cast<uint8_t>(crc >> 8);
}

bool crc_good(const Flit& flit) {
  const uint16_t crc = flit_crc(flit);
  return flit[64] == (crc & 0xff) && flit[65] == (crc >> 8);
}

// ---- header
// ---------------------------------------------------------------------------------------

FlitHeader get_header(const Flit& flit) {
  const auto word = static_cast<uint32_t>(get_bits(flit, 0, 32));
  FlitHeader header;
  header.control = (word & 1) != 0;
  header.ak = (word >> 2 & 1) != 0;
  header.be = (word >> 3 & 1) != 0;
  header.sz = (word >> 4 & 1) != 0;
  for (unsigned slot = 0; slot < 4; ++slot) header.format[slot] = word >> (5 + 3 * slot) & 7;
  header.rsp_crd = word >> 20 & 15;
  header.req_crd = word >> 24 & 15;
  header.data_crd = word >> 28 & 15;
  header.reserved = static_cast<uint8_t>((word >> 1 & 1) | (word >> 17 & 7) << 1);
  return header;
}

void put_header(Flit& flit, const FlitHeader& header) {
  uint32_t word = 0;
  word |= uint32_t{header.control};
  word |= uint32_t{header.ak} << 2;
  word |= uint32_t{header.be} << 3;
  word |= uint32_t{header.sz} << 4;
  for (unsigned slot = 0; slot < 4; ++slot) word |= uint32_t{header.format[slot]} << (5 + 3 * slot);
  word |= uint32_t{header.rsp_crd} << 20;
  word |= uint32_t{header.req_crd} << 24;
  word |= uint32_t{header.data_crd} << 28;
  word |= (header.reserved & 1u) << 1 | (header.reserved >> 1 & 7u) << 17;
  put_bits(flit, 0, 32, word);
}

unsigned credits_of(uint8_t code) {
  return (code & 7) == 0 ? 0 : 1u << ((code & 7) - 1);
}

uint8_t credit_code_for(unsigned count) {
  uint8_t code = 0;
  while (code < 7 && count >= 1u << code) ++code;
  return code;
}

// ---- slots
// ----------------------------------------------------------------------------------------

namespace {

unsigned message_bits(Direction direction, MessageKind kind) {
  const bool down = direction == Direction::M2S;
  switch (kind) {
    case MessageKind::Req:
    case MessageKind::Rwd:
      return 87;
    case MessageKind::Ndr:
      return 28;  // the two bits of DevLoad are placed apart
    case MessageKind::Drs:
      return 40;
    case MessageKind::CacheReq:
      return down ? 64 : 79;
    case MessageKind::CacheRsp:
      return down ? 32 : 20;
    case MessageKind::CacheData:
      return down ? 24 : 17;
  }
  return 0;
}

struct FormatTables {
  using Table = std::array<SlotFormat, 8>;
  std::array<Table, 4> tables;  // M2S header, M2S generic, S2M header, S2M generic

  FormatTables() {
    using enum MessageKind;
    Table& m2s_header = tables[0];
    m2s_header[0].places = {{CacheReq, 32, 0}, {CacheRsp, 96, 0}};
    m2s_header[1].places = {{CacheData, 32, 0}, {CacheRsp, 56, 0}, {CacheRsp, 88, 0}};
    m2s_header[2].places = {{CacheReq, 32, 0}, {CacheData, 96, 0}};
    m2s_header[3].places = {
        {CacheData, 32, 0}, {CacheData, 56, 0}, {CacheData, 80, 0}, {CacheData, 104, 0}};
    m2s_header[3].mdh = true;
    m2s_header[4].places = {{Rwd, 32, 0}};
    m2s_header[5].places = {{Req, 32, 0}};

    Table& m2s_generic = tables[1];
    m2s_generic[0].data = true;
    m2s_generic[1].places = {
        {CacheRsp, 0, 0}, {CacheRsp, 32, 0}, {CacheRsp, 64, 0}, {CacheRsp, 96, 0}};
    m2s_generic[2].places = {{CacheReq, 0, 0}, {CacheData, 64, 0}, {CacheRsp, 88, 0}};
    m2s_generic[3].places = {{CacheData, 0, 0},
                             {CacheData, 24, 0},
                             {CacheData, 48, 0},
                             {CacheData, 72, 0},
                             {CacheRsp, 96, 0}};
    m2s_generic[3].mdh = true;
    m2s_generic[4].places = {{Req, 0, 0}, {CacheData, 88, 0}};
    m2s_generic[5].places = {{Rwd, 0, 0}, {CacheRsp, 88, 0}};
    m2s_generic[6].reserved = true;

    Table& s2m_header = tables[2];
    s2m_header[0].places = {
        {CacheData, 32, 0}, {CacheRsp, 49, 0}, {CacheRsp, 69, 0}, {Ndr, 89, 117}};
    s2m_header[1].places = {{CacheReq, 32, 0}, {CacheData, 111, 0}};
    s2m_header[2].places = {{CacheData, 32, 0},
                            {CacheData, 49, 0},
                            {CacheData, 66, 0},
                            {CacheData, 83, 0},
                            {CacheRsp, 100, 0}};
    s2m_header[2].mdh = true;
    s2m_header[3].places = {{Drs, 32, 0}, {Ndr, 72, 100}};
    s2m_header[4].places = {{Ndr, 32, 90}, {Ndr, 60, 88}};
    s2m_header[5].places = {{Drs, 32, 0}, {Drs, 72, 0}};
    s2m_header[5].mdh = true;

    Table& s2m_generic = tables[3];
    s2m_generic[0].data = true;
    s2m_generic[1].places = {{CacheReq, 0, 0}, {CacheRsp, 79, 0}, {CacheRsp, 99, 0}};
    s2m_generic[2].places = {{CacheReq, 0, 0}, {CacheData, 79, 0}, {CacheRsp, 96, 0}};
    s2m_generic[3].places = {
        {CacheData, 0, 0}, {CacheData, 17, 0}, {CacheData, 34, 0}, {CacheData, 51, 0}};
    s2m_generic[3].mdh = true;
    s2m_generic[4].places = {{Drs, 0, 0}, {Ndr, 40, 98}, {Ndr, 68, 96}};
    s2m_generic[5].places = {{Ndr, 0, 58}, {Ndr, 28, 56}};
    s2m_generic[6].places = {{Drs, 0, 0}, {Drs, 40, 0}, {Drs, 80, 0}};
    s2m_generic[6].mdh = true;

    m2s_header[6].mac = s2m_header[6].mac = true;
    for (Table& table : tables) table[7].reserved = true;
    for (size_t index = 0; index < tables.size(); ++index) {
      const Direction direction = index < 2 ? Direction::M2S : Direction::S2M;
      for (SlotFormat& format : tables[index]) mark_used(format, direction, index % 2 == 0);
    }
  }

  static void mark_used(SlotFormat& format, Direction direction, bool header_slot) {
    const auto mark = [&](unsigned start, unsigned width) {
      for (unsigned bit = start; bit < start + width; ++bit)
        format.used[bit / 64] |= uint64_t{1} << (bit % 64);
    };
    if (format.data || format.mac || format.reserved) mark(0, 128);
    if (header_slot) mark(0, 32);
    for (const SlotPlace& place : format.places) {
      mark(place.start, message_bits(direction, place.kind));
      if (place.kind == MessageKind::Ndr) mark(place.dev_load, 2);
    }
  }
};

unsigned base(unsigned slot, const SlotPlace& place) {
  return 128 * slot + place.start;
}

// The fields that Req and RwD share.
template <typename Message>
void get_m2s(const Flit& flit, unsigned at, Message& message) {
  message.opcode = static_cast<uint8_t>(get_bits(flit, at + 1, 4));
  message.snp_type = static_cast<uint8_t>(get_bits(flit, at + 5, 3));
  message.meta_field = static_cast<uint8_t>(get_bits(flit, at + 8, 2));
  message.meta_value = static_cast<uint8_t>(get_bits(flit, at + 10, 2));
  message.tag = static_cast<uint16_t>(get_bits(flit, at + 12, 16));
  message.tc = static_cast<uint8_t>(get_bits(flit, at + 75, 2));
  message.ld_id = static_cast<uint8_t>(get_bits(flit, at + 77, 4));
  message.reserved = static_cast<uint8_t>(get_bits(flit, at + 81, 6));
}

template <typename Message>
void put_m2s(Flit& flit, unsigned at, const Message& message) {
  put_bits(flit, at, 1, 1);
  put_bits(flit, at + 1, 4, message.opcode);
  put_bits(flit, at + 5, 3, message.snp_type);
  put_bits(flit, at + 8, 2, message.meta_field);
  put_bits(flit, at + 10, 2, message.meta_value);
  put_bits(flit, at + 12, 16, message.tag);
  put_bits(flit, at + 75, 2, message.tc);
  put_bits(flit, at + 77, 4, message.ld_id);
  put_bits(flit, at + 81, 6, message.reserved);
}

// The fields that NDR and DRS share, all at the same place.
template <typename Message>
void get_s2m(const Flit& flit, unsigned at, Message& message) {
  message.opcode = static_cast<uint8_t>(get_bits(flit, at + 1, 3));
  message.meta_field = static_cast<uint8_t>(get_bits(flit, at + 4, 2));
  message.meta_value = static_cast<uint8_t>(get_bits(flit, at + 6, 2));
  message.tag = static_cast<uint16_t>(get_bits(flit, at + 8, 16));
}

template <typename Message>
void put_s2m(Flit& flit, unsigned at, const Message& message) {
  put_bits(flit, at, 1, 1);
  put_bits(flit, at + 1, 3, message.opcode);
  put_bits(flit, at + 4, 2, message.meta_field);
  put_bits(flit, at + 6, 2, message.meta_value);
  put_bits(flit, at + 8, 16, message.tag);
}

}  // namespace

const SlotFormat& slot_format(Direction direction, bool header_slot, uint8_t code) {
  static const FormatTables kTables;
  const size_t table = (direction == Direction::M2S ? 0u : 2u) + (header_slot ? 0u : 1u);
  return kTables.tables[table][code & 7];
}

bool slot_rest_zero(const Flit& flit, unsigned slot, const SlotFormat& format) {
  return (get_bits(flit, 128 * slot, 64) & ~format.used[0]) == 0 &&
         (get_bits(flit, 128 * slot + 64, 64) & ~format.used[1]) == 0;
}

bool place_valid(const Flit& flit, unsigned slot, const SlotPlace& place) {
  return get_bits(flit, base(slot, place), 1) != 0;
}

MemReq get_req(const Flit& flit, unsigned slot, const SlotPlace& place) {
  MemReq message;
  get_m2s(flit, base(slot, place), message);
  message.address = get_bits(flit, base(slot, place) + 28, 47) << 5;
  return message;
}

MemRwd get_rwd(const Flit& flit, unsigned slot, const SlotPlace& place) {
  MemRwd message;
  get_m2s(flit, base(slot, place), message);
  message.address = get_bits(flit, base(slot, place) + 28, 46) << 6;
  message.poison = get_bits(flit, base(slot, place) + 74, 1) != 0;
  return message;
}

MemNdr get_ndr(const Flit& flit, unsigned slot, const SlotPlace& place) {
  MemNdr message;
  get_s2m(flit, base(slot, place), message);
  message.ld_id = static_cast<uint8_t>(get_bits(flit, base(slot, place) + 24, 4));
  message.dev_load = static_cast<uint8_t>(get_bits(flit, 128 * slot + place.dev_load, 2));
  return message;
}

MemDrs get_drs(const Flit& flit, unsigned slot, const SlotPlace& place) {
  const unsigned at = base(slot, place);
  MemDrs message;
  get_s2m(flit, at, message);
  message.poison = get_bits(flit, at + 24, 1) != 0;
  message.ld_id = static_cast<uint8_t>(get_bits(flit, at + 25, 4));
  message.dev_load = static_cast<uint8_t>(get_bits(flit, at + 29, 2));
  message.reserved = static_cast<uint16_t>(get_bits(flit, at + 31, 9));
  return message;
}

void put_req(Flit& flit, unsigned slot, const SlotPlace& place, const MemReq& message) {
  put_m2s(flit, base(slot, place), message);
  put_bits(flit, base(slot, place) + 28, 47, message.address >> 5);
}

void put_rwd(Flit& flit, unsigned slot, const SlotPlace& place, const MemRwd& message) {
  put_m2s(flit, base(slot, place), message);
  put_bits(flit, base(slot, place) + 28, 46, message.address >> 6);
  put_bits(flit, base(slot, place) + 74, 1, message.poison ? 1 : 0);
}

void put_ndr(Flit& flit, unsigned slot, const SlotPlace& place, const MemNdr& message) {
  put_s2m(flit, base(slot, place), message);
  put_bits(flit, base(slot, place) + 24, 4, message.ld_id);
  put_bits(flit, 128 * slot + place.dev_load, 2, message.dev_load);
}

void put_drs(Flit& flit, unsigned slot, const SlotPlace& place, const MemDrs& message) {
  const unsigned at = base(slot, place);
  put_s2m(flit, at, message);
  put_bits(flit, at + 24, 1, message.poison ? 1 : 0);
  put_bits(flit, at + 25, 4, message.ld_id);
  put_bits(flit, at + 29, 2, message.dev_load);
  put_bits(flit, at + 31, 9, message.reserved);
}

Chunk get_chunk(const Flit& flit, unsigned slot) {
  Chunk chunk;
  std::memcpy(chunk.data(), flit.data() + 16 * slot, chunk.size());
  return chunk;
}

void put_chunk(Flit& flit, unsigned slot, const Chunk& chunk) {
  std::memcpy(flit.data() + 16 * slot, chunk.data(), chunk.size());
}

namespace {

void append_data(std::vector<Chunk>& chunks, const Line& data, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at += 16) {
    Chunk chunk;
    std::memcpy(chunk.data(), data.data() + at, chunk.size());
    chunks.push_back(chunk);
  }
}

}  // namespace

std::vector<Chunk> chunks_of(const MemRwd& message) {
  std::vector<Chunk> chunks;
  append_data(chunks, message.data, 64);
  if (message.byte_enable != ~uint64_t{0}) {
    Chunk enables{};
    for (unsigned byte = 0; byte < 8; ++byte) {
      enables[byte] = static_cast<uint8_t>(message.byte_enable >> (8 * byte));
    }
    chunks.push_back(enables);
  }
  return chunks;
}

std::vector<Chunk> chunks_of(const MemDrs& message) {
  std::vector<Chunk> chunks;
  append_data(chunks, message.data, message.bytes);
  return chunks;
}

}  // namespace peer
