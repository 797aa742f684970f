// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tlp.hpp"

#include <bit>

namespace peer {
namespace {

constexpr unsigned kFmtWithData = 2;
constexpr unsigned kFmtFourDw = 1;

struct Code {
  TlpKind kind;
  unsigned type;
  bool data;
};
constexpr std::array kCodes = {
    Code{TlpKind::MemRead, 0x00, false},    Code{TlpKind::MemWrite, 0x00, true},
    Code{TlpKind::IoRead, 0x02, false},     Code{TlpKind::IoWrite, 0x02, true},
    Code{TlpKind::CfgRead0, 0x04, false},   Code{TlpKind::CfgWrite0, 0x04, true},
    Code{TlpKind::CfgRead1, 0x05, false},   Code{TlpKind::CfgWrite1, 0x05, true},
    Code{TlpKind::Completion, 0x0a, false}, Code{TlpKind::Completion, 0x0a, true},
};

TlpKind kind_of(unsigned fmt, unsigned type) {
  if (fmt >= 4) return TlpKind::Other;
  if ((type & 0x18) == 0x10) return TlpKind::Message;
  for (const Code& code : kCodes) {
    if (code.type == type && code.data == ((fmt & kFmtWithData) != 0)) return code.kind;
  }
  return TlpKind::Other;
}

void put16(std::vector<uint8_t>& out, unsigned value) {
  out.push_back(static_cast<uint8_t>(value >> 8));
  out.push_back(static_cast<uint8_t>(value));
}

bool is_request_with_be(TlpKind kind) {
  return kind != TlpKind::Message && kind != TlpKind::Completion && kind != TlpKind::Other;
}
bool is_config(TlpKind kind) {
  return kind >= TlpKind::CfgRead0 && kind <= TlpKind::CfgWrite1;
}
bool is_io(TlpKind kind) {
  return kind == TlpKind::IoRead || kind == TlpKind::IoWrite;
}
bool is_memory(TlpKind kind) {
  return kind == TlpKind::MemRead || kind == TlpKind::MemWrite;
}

bool contiguous(unsigned be) {
  if (be == 0) return true;
  const unsigned shifted = be >> std::countr_zero(be);
  return (shifted & (shifted + 1)) == 0;
}

std::string check_request(const Tlp& t, unsigned fmt) {
  if (is_config(t.kind) || is_io(t.kind)) {
    if (t.length != 1) return "a configuration or I/O request of another length than one DW";
    if (t.last_be != 0) return "a configuration or I/O request with last byte enables";
    if (t.tc != 0) return "a configuration or I/O request with a traffic class";
    if ((t.attr & 3) != 0)
      return "a configuration or I/O request with Relaxed Ordering or No Snoop";
    if (t.address_type != 0) return "a configuration or I/O request with an address type";
    if ((fmt & kFmtFourDw) != 0) return "a configuration or I/O request with a header of four DW";
  }
  if (is_memory(t.kind)) {
    if (t.length == 1 && t.last_be != 0) return "a memory request of one DW with last byte enables";
    if (t.length > 1 && (t.first_be == 0 || t.last_be == 0)) {
      return "a memory request of several DW with no first or no last byte enable";
    }
    const bool aligned_pair = t.length == 2 && t.address % 8 == 0;
    if (t.length > 1 && !aligned_pair) {
      if (!contiguous(t.first_be) || (t.first_be & 8) == 0) return "first byte enables with a gap";
      if (!contiguous(t.last_be) || (t.last_be & 1) == 0) return "last byte enables with a gap";
    }
    if (t.address % 4096 + t.length * 4U > 4096)
      return "a memory request that crosses a 4 KB boundary";
    if ((fmt & kFmtFourDw) != 0 && t.address >> 32 == 0) {
      return "a header of four DW for an address below 4 GB";
    }
  }
  return {};
}

}  // namespace

std::vector<uint8_t> encode(const Tlp& t) {
  unsigned fmt = t.fmt;
  unsigned type = t.type;
  if (t.kind == TlpKind::Message) {
    fmt = kFmtFourDw | (t.with_data() ? kFmtWithData : 0U);
  } else if (t.kind != TlpKind::Other) {
    fmt = (t.with_data() ? kFmtWithData : 0U) |
          (is_memory(t.kind) && t.address >> 32 != 0 ? kFmtFourDw : 0U);
    for (const Code& code : kCodes) {
      if (code.kind == t.kind) type = code.type;
    }
  }
  std::vector<uint8_t> out;
  out.push_back(static_cast<uint8_t>(fmt << 5 | type));
  out.push_back(static_cast<uint8_t>((t.tag >> 9 & 1U) << 7 | t.tc << 4 | (t.tag >> 8 & 1U) << 3 |
                                     (t.attr >> 2 & 1U) << 2 | (t.hint ? 1U : 0U)));
  const unsigned length = t.length & 0x3ffU;
  out.push_back(static_cast<uint8_t>((t.digest ? 0x80U : 0U) | (t.poisoned ? 0x40U : 0U) |
                                     (t.attr & 3U) << 4 | (t.address_type & 3U) << 2 |
                                     length >> 8));
  out.push_back(static_cast<uint8_t>(length));
  if (t.kind == TlpKind::Completion) {
    put16(out, t.completer);
    const unsigned count = t.byte_count & 0xfffU;
    out.push_back(static_cast<uint8_t>(static_cast<unsigned>(t.status) << 5 | (t.bcm ? 0x10U : 0U) |
                                       count >> 8));
    out.push_back(static_cast<uint8_t>(count));
    put16(out, t.requester);
    out.push_back(static_cast<uint8_t>(t.tag));
    out.push_back(t.lower_address & 0x7f);
  } else {
    put16(out, t.requester);
    out.push_back(static_cast<uint8_t>(t.tag));
    if (t.kind == TlpKind::Message) {
      out.push_back(t.code);
      out.insert(out.end(), t.message.begin(), t.message.end());
    } else {
      out.push_back(static_cast<uint8_t>(t.last_be << 4 | (t.first_be & 0xf)));
      if (is_config(t.kind)) {
        put16(out, t.target);
        put16(out, t.address & 0xffc);
      } else {
        if ((fmt & kFmtFourDw) != 0) {
          put16(out, static_cast<unsigned>(t.address >> 48 & 0xffff));
          put16(out, static_cast<unsigned>(t.address >> 32 & 0xffff));
        }
        put16(out, static_cast<unsigned>(t.address >> 16 & 0xffff));
        put16(out, static_cast<unsigned>(t.address & 0xfffc));
      }
    }
  }
  for (const uint32_t dw : t.data) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<uint8_t>(dw >> (8 * i)));
  }
  if (t.digest) out.insert(out.end(), 4, 0xec);  // nobody here checks an ECRC
  return out;
}

ParsedTlp decode_tlp(std::span<const uint8_t> b) {
  ParsedTlp out;
  Tlp& t = out.tlp;
  const auto be16 = [&](size_t at) { return static_cast<uint16_t>(b[at] << 8 | b[at + 1]); };
  if (b.size() < 12) {
    out.malformed = "shorter than a header";
    return out;
  }
  const unsigned fmt = b[0] >> 5;
  t.fmt = static_cast<uint8_t>(fmt);
  t.type = b[0] & 0x1f;
  t.kind = kind_of(fmt, t.type);
  t.tc = b[1] >> 4 & 7;
  t.tag = static_cast<uint16_t>((b[1] >> 7 & 1) << 9 | (b[1] >> 3 & 1) << 8);
  t.hint = (b[1] & 1) != 0;
  t.attr = static_cast<uint8_t>((b[1] >> 2 & 1) << 2 | (b[2] >> 4 & 3));
  t.digest = (b[2] & 0x80) != 0;
  t.poisoned = (b[2] & 0x40) != 0;
  t.address_type = b[2] >> 2 & 3;
  t.length = static_cast<uint16_t>((b[2] & 3) << 8 | b[3]);
  if (t.length == 0) t.length = 1024;
  const size_t header = (fmt & kFmtFourDw) != 0 ? 16 : 12;
  const size_t data = (fmt & kFmtWithData) != 0 ? t.length * 4U : 0;
  if (t.kind == TlpKind::Other) {
    out.malformed = "a reserved Fmt and Type";
  }
  if (b.size() != header + data + (t.digest ? 4 : 0)) {
    out.malformed = "Length, Fmt and TD do not agree with the size of the packet";
    return out;
  }
  if (t.kind == TlpKind::Completion) {
    t.completer = be16(4);
    t.status = static_cast<CplStatus>(b[6] >> 5);
    t.bcm = (b[6] & 0x10) != 0;
    t.byte_count = static_cast<uint16_t>((b[6] & 0xf) << 8 | b[7]);
    if (t.byte_count == 0) t.byte_count = 4096;
    t.requester = be16(8);
    t.tag = static_cast<uint16_t>(t.tag | b[10]);
    t.lower_address = b[11] & 0x7f;
    if (b[11] & 0x80) out.malformed = "a reserved bit of a completion is set";
    if ((fmt & kFmtFourDw) != 0) out.malformed = "a completion with a header of four DW";
  } else {
    t.requester = be16(4);
    t.tag = static_cast<uint16_t>(t.tag | b[6]);
    if (t.kind == TlpKind::Message) {
      t.code = b[7];
      if (header != 16) {
        out.malformed = "a message with a header of three DW";
        return out;
      }
      for (size_t i = 0; i < 8; ++i) t.message[i] = b[8 + i];
    } else {
      t.last_be = b[7] >> 4;
      t.first_be = b[7] & 0xf;
      if (is_config(t.kind)) {
        t.target = be16(8);
        t.address = be16(10) & 0xffc;
      } else if (header == 16) {
        t.address = static_cast<uint64_t>(be16(8)) << 48 | static_cast<uint64_t>(be16(10)) << 32 |
                    static_cast<uint64_t>(be16(12)) << 16 | (be16(14) & 0xfffcU);
      } else {
        t.address = static_cast<uint64_t>(be16(8)) << 16 | (be16(10) & 0xfffcU);
      }
    }
  }
  for (size_t at = header; at < header + data; at += 4) {
    t.data.push_back(b[at] | b[at + 1] << 8 | b[at + 2] << 16 |
                     static_cast<uint32_t>(b[at + 3]) << 24);
  }
  if (out.malformed.empty() && is_request_with_be(t.kind)) out.malformed = check_request(t, fmt);
  return out;
}

unsigned byte_count_of(const Tlp& r) {
  if (r.kind != TlpKind::MemRead) return 4;
  if (r.length == 1) {
    if (r.first_be == 0) return 1;
    return static_cast<unsigned>(std::bit_width(r.first_be)) -
           static_cast<unsigned>(std::countr_zero(r.first_be));
  }
  const auto skipped_first = static_cast<unsigned>(std::countr_zero(r.first_be));
  const unsigned skipped_last = 4 - static_cast<unsigned>(std::bit_width(r.last_be));
  return r.length * 4U - skipped_first - skipped_last;
}

uint8_t lower_address_of(const Tlp& r) {
  if (r.kind != TlpKind::MemRead) return 0;
  const unsigned low = r.first_be == 0 ? 0 : static_cast<unsigned>(std::countr_zero(r.first_be));
  return static_cast<uint8_t>((r.address + low) & 0x7f);
}

}  // namespace peer
