// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cache_unpacker against the flit codec's decoder: every slot format of both directions, filled as
// another implementer's packer may fill it, 32-byte halves of DRS and CXL.cache data, and each kind
// of illegal flit.
// Behind it the receive queues of cache_channels: all comes out, in order, and no snoop before an
// older response.
//
// Units:   flits; end 0 is the host's unpacker (receives D2H and S2M), end 1 the device's.
// Errors:  GoogleTest failures that name end, flit number and seed.
#include <algorithm>
#include <deque>
#include <optional>
#include <set>

#include "Vcache_formats.h"
#include "flits/codec.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

using flits::MessageKind;
using flits::u128;

enum class Harm : unsigned {
  None,
  ReservedCode,
  OwedCode,
  HalfLine,
  MdhEnables,
  H2dEnables,
  TooMany,
  HalvesApart,
  SecondHeader,
  kCount
};

struct Made {
  flits::Flit flit;
  bool legal = true;
  bool first_half = false;  // the lower half of a DRS starts in it
  bool cache_half = false;  // the lower half of CXL.cache data
};

class Maker {
 public:
  Maker(Random& random, flits::Direction direction) : random_(random), direction_(direction) {}

  // A protocol flit with `owed` (0..3) data slots; the harm is done only where it can be.
  Made make(unsigned owed, Harm harm, std::set<unsigned>& seen) {
    Made made;
    std::array<u128, 4> slots{};
    flits::FlitHeader header;
    header.sz = !(harm == Harm::HalfLine || harm == Harm::SecondHeader || wants_half(harm));
    header.be = random_.bits(1) != 0;
    header.ak = random_.bits(1) != 0;
    const unsigned density = harm == Harm::TooMany || harm == Harm::SecondHeader
                                 ? 100
                                 : static_cast<unsigned>(random_.pick(std::array{20, 60, 95}));
    std::array<unsigned, flits::kMessageKinds> count{};
    bool data = false, harmed = false;
    unsigned chunks = 0;  // slots that the data of this flit may still take
    for (unsigned s = 0; s < 4; ++s) {
      u128 bits = u128{random_.bits(64)} << 64 | random_.bits(64);
      if (s != 0 && (chunks != 0 || s <= owed)) {
        slots[s] = bits;
        if (s > owed) --chunks;
        if (harm == Harm::OwedCode && !harmed) {
          header.format[s] = static_cast<std::uint8_t>(1 + random_.below(7));
          harmed = true;
        }
        continue;
      }
      std::uint8_t code = static_cast<std::uint8_t>(random_.bits(3));
      if (harm == Harm::ReservedCode && !harmed) {
        do code = static_cast<std::uint8_t>(6 + random_.bits(1));
        while (!bad(s, code) || (s == 0 && code == 7 && random_.bits(1)));
        harmed = true;
      } else {
        while (bad(s, code)) code = static_cast<std::uint8_t>(random_.bits(3));
        seen.insert((s == 0 ? 0 : 8) + code);
        const flits::SlotFormat& format = flits::slot_format(direction_, s, code);
        const bool second = data;  // a data header in a slot of its own is one too many
        for (const flits::Placement& p : format.places()) {
          const bool full = count[index(p.kind)] == kMost[index(p.kind)];
          bool valid = random_.percent(density);
          if (harm == Harm::TooMany ? carries_data(p.kind) : full) valid = false;
          if (carries_data(p.kind) && !fits(p.kind, format.mdh, second, header.sz, harm))
            valid = false;
          bits = valid ? bits | u128{1} << p.at : bits & ~(u128{1} << p.at);
          if (!valid) continue;
          if (full || (second && carries_data(p.kind))) harmed = true;
          if (!full) ++count[index(p.kind)];
          if (!carries_data(p.kind) || data) continue;
          harmed |= !start(p, format.mdh, harm, header, bits, made);
          data = true;
          chunks = header.sz || format.mdh ? 4 : header.be ? 3 : 2;
        }
      }
      header.format[s] = code;
      slots[s] = s == 0 ? bits >> 32 << 32 : bits;
    }
    if (harmed) lower_.reset();  // the receiver starts again after it
    header.rsp_crd = static_cast<std::uint8_t>(random_.bits(4));
    slots[0] |= flits::pack_header(header);
    for (unsigned s = 0; s < 4; ++s) made.flit.set_slot(s, slots[s]);
    made.legal = !harmed;
    return made;
  }

 private:
  static constexpr std::array<unsigned, flits::kMessageKinds> kMost{2, 1, 2, 3, 2, 4, 4, 4, 2, 4};
  static constexpr u128 kDrsBits = (u128{1} << 40) - 1;

  bool wants_half(Harm harm) {
    if (harm == Harm::HalvesApart) return random_.bits(1) != 0;
    return harm == Harm::None && (lower_ || random_.percent(20));
  }
  static bool is_cache_data(MessageKind kind) {
    return kind == MessageKind::D2hDh || kind == MessageKind::H2dDh;
  }
  // Whether a flit with this harm may have this data header; `second` in a slot after the first.
  [[nodiscard]] bool fits(MessageKind kind, bool mdh, bool second, bool sz, Harm harm) const {
    if (second) return harm == Harm::SecondHeader;
    if (harm != Harm::None && harm != Harm::SecondHeader) return true;
    if (harm == Harm::None && lower_ && lower_->kind != kind) return false;
    return sz || ((kind == MessageKind::S2mDrs || is_cache_data(kind)) && !mdh);
  }
  // The first data header of a flit; false if the flit may not have it. A half is legal for a DRS
  // and CXL.cache data (CXL 2.0, table 47), with byte enables for D2H data alone: the lower one
  // first, and the next data header is that of its upper half, with the same Tag and LD-ID, or the
  // same queue ID and ChunkValid set (3.2.3.3, 3.2.3.6, 3.2.5.13).
  bool start(const flits::Placement& p, bool mdh, Harm harm, flits::FlitHeader& header, u128& bits,
             Made& made) {
    using K = MessageKind;
    const bool drs = p.kind == K::S2mDrs;
    if (mdh || p.kind == K::H2dDh) {
      header.be = harm == (mdh ? Harm::MdhEnables : Harm::H2dEnables);
      if (header.be) return false;
    } else if (drs && (header.sz || harm != Harm::HalfLine)) {
      header.be = false;
    }
    if (is_cache_data(p.kind)) return start_cache(p, mdh, harm, header, bits, made);
    const bool half = drs && !mdh && !header.sz;
    if (!header.sz && (!half || header.be)) return false;
    const bool waits = lower_ && lower_->kind == K::S2mDrs;
    auto message = flits::unpack<flits::S2mDrs>(bits >> p.at & kDrsBits);
    if (drs && !mdh && waits && (harm == Harm::None || harm == Harm::HalvesApart)) {
      // Apart: often by one of the two alone.
      const bool both = harm == Harm::None;
      if (both || random_.bits(1)) message.tag = lower_->drs.tag;
      if (both || random_.bits(1)) message.ld_id = lower_->drs.ld_id;
      bits = (bits & ~(kDrsBits << p.at)) | flits::pack(message) << p.at;
    }
    const bool upper =
        half && waits && lower_->drs.tag == message.tag && lower_->drs.ld_id == message.ld_id;
    if (lower_ && !upper) return false;
    made.first_half = half && !upper;
    lower_.reset();
    if (made.first_half) lower_ = Lower{.kind = p.kind, .drs = message};
    return true;
  }
  bool start_cache(const flits::Placement& p, bool mdh, Harm harm, const flits::FlitHeader& header,
                   u128& bits, Made& made) {
    if (mdh && !header.sz) return false;
    const u128 id_bits = u128{0xfff} << (p.at + 1), chunk_bit = u128{1} << (p.at + 13);
    const bool half = !header.sz;
    const bool waits = lower_ && lower_->kind == p.kind;
    if (half && (harm == Harm::None || harm == Harm::HalvesApart)) {
      const bool right = harm == Harm::None;
      if (waits && (right || random_.bits(1))) {
        bits = (bits & ~id_bits) | u128{lower_->id} << (p.at + 1);
      }
      if (right || random_.bits(1)) bits = waits ? bits | chunk_bit : bits & ~chunk_bit;
    }
    const auto id = static_cast<unsigned>((bits & id_bits) >> (p.at + 1));
    const bool chunk_valid = (bits & chunk_bit) != 0;
    const bool upper = half && waits && lower_->id == id && chunk_valid;
    if (lower_ && !upper) return false;
    if (half && !upper && chunk_valid) return false;
    made.cache_half = half && !upper;
    lower_.reset();
    if (made.cache_half) lower_ = Lower{.kind = p.kind, .id = id};
    return true;
  }
  [[nodiscard]] bool bad(unsigned s, unsigned code) const {
    const flits::SlotFormat& f = flits::slot_format(direction_, s, code);
    return !f.defined() || (s == 0 && f.raw);
  }

  Random& random_;
  flits::Direction direction_;
  struct Lower {
    MessageKind kind;
    flits::S2mDrs drs{};
    unsigned id = 0;  // of CXL.cache: UQID or CQID
  };
  std::optional<Lower> lower_;  // a lower half whose upper half comes next
};

// Without its reserved bits.
u128 plain(MessageKind kind, u128 bits) {
  return flits::pack(flits::unpack(kind, bits));
}

template <typename Port>
u128 bits_at(const Port& port, unsigned at, unsigned width) {
  u128 value = get_bits(port, at, width < 64 ? width : 64);
  if (width > 64) value |= u128{get_bits(port, at + 64, width - 64)} << 64;
  return value;
}

struct Waiting {
  u128 header = 0;
  LineBytes data{};
  std::uint64_t enables = 0;
  std::uint64_t after = 0;  // H2D Req: responses before it
};

// The receive queues: what waits in them, by channel (Creq, Crsp, Cdat).
class Queues {
 public:
  static constexpr unsigned kDepth = 16;
  std::array<std::deque<Waiting>, 3> waiting;
  std::uint64_t pushed_rsp = 0;

  // Room for whatever a flit may bring.
  [[nodiscard]] bool room() const {
    return std::all_of(waiting.begin(), waiting.end(),
                       [](const auto& q) { return q.size() + 4 <= kDepth; });
  }
  void clear() {
    for (auto& q : waiting) q.clear();
    popped_rsp_ = pushed_rsp = 0;
  }
  void ready(Vcache_formats& v, unsigned end, Random& random, unsigned percent) {
    set_bits(v.rx_creq_ready_i, end, 1, random.percent(percent) ? 1 : 0);
    set_bits(v.rx_crsp_ready_i, end, 1, random.percent(percent) ? 1 : 0);
    set_bits(v.rx_cdat_ready_i, end, 1, random.percent(percent) ? 1 : 0);
  }
  // What is handed over in this cycle; before what the flit of the cycle brings is pushed.
  void pop(const Vcache_formats& v, unsigned end) {
    const std::uint64_t popped_before = popped_rsp_;
    const auto head = [&](unsigned c, bool valid, bool ready, u128 header) -> const Waiting* {
      if (!valid || !ready) return nullptr;
      EXPECT_FALSE(waiting[c].empty()) << "channel " << c << ": nothing was sent";
      if (waiting[c].empty()) return nullptr;
      out_ = waiting[c].front();
      waiting[c].pop_front();
      EXPECT_TRUE(out_.header == header) << "channel " << c;
      return &out_;
    };
    if (head(1, get_bits(v.rx_crsp_valid_o, end, 1), get_bits(v.rx_crsp_ready_i, end, 1),
             bits_at(v.rx_crsp_hdr_o, 32 * end, 32)) != nullptr) {
      ++popped_rsp_;
    }
    if (const auto* w =
            head(0, get_bits(v.rx_creq_valid_o, end, 1), get_bits(v.rx_creq_ready_i, end, 1),
                 bits_at(v.rx_creq_hdr_o, 79 * end, 79))) {
      EXPECT_TRUE(end == 0 || w->after <= popped_before) << "a snoop passes a response";
    }
    if (const auto* w =
            head(2, get_bits(v.rx_cdat_valid_o, end, 1), get_bits(v.rx_cdat_ready_i, end, 1),
                 bits_at(v.rx_cdat_hdr_o, 24 * end, 24))) {
      EXPECT_EQ(get_line(v.rx_cdat_data_o, 512 * end), w->data);
      EXPECT_EQ(get_bits(v.rx_cdat_be_o, 64 * end, 64), w->enables);
    }
  }

 private:
  Waiting out_;
  std::uint64_t popped_rsp_ = 0;
};

// A line in two halves as the one message that the receiver makes of it: the upper one's header,
// bad if one of them is; of the byte enables each has those of its own bytes.
void join(const flits::Item& lower, flits::Item& upper) {
  if (auto* drs = std::get_if<flits::S2mDrs>(&upper.message)) {
    drs->poison |= std::get<flits::S2mDrs>(lower.message).poison;
  } else if (auto* d2h = std::get_if<flits::D2hDh>(&upper.message)) {
    d2h->poison |= std::get<flits::D2hDh>(lower.message).poison;
    d2h->bogus |= std::get<flits::D2hDh>(lower.message).bogus;
  } else if (auto* h2d = std::get_if<flits::H2dDh>(&upper.message)) {
    h2d->poison |= std::get<flits::H2dDh>(lower.message).poison;
    h2d->go_err |= std::get<flits::H2dDh>(lower.message).go_err;
  }
  constexpr std::uint64_t kLower = 0xffff'ffff;
  upper.byte_enables = (lower.byte_enables & kLower) | (upper.byte_enables & ~kLower);
  std::copy_n(upper.data.begin(), 32, upper.data.begin() + 32);
  std::copy_n(lower.data.begin(), 32, upper.data.begin());
}

bool chunk_valid(const flits::Item& item) {
  if (const auto* d2h = std::get_if<flits::D2hDh>(&item.message)) return d2h->chunk_valid;
  return std::get<flits::H2dDh>(item.message).chunk_valid;
}

void formats(unsigned end, std::uint64_t own_seed) {
  using K = MessageKind;
  const std::uint64_t seed = from_environment("CXLGPU_SEED", own_seed);
  const std::uint64_t flits_to_run = from_environment("CXLGPU_CYCLES", 100000);
  Random random(seed);
  const auto direction = end == 0 ? flits::Direction::S2M : flits::Direction::M2S;
  const K nd = end == 0 ? K::S2mNdr : K::M2sReq, wd = end == 0 ? K::S2mDrs : K::M2sRwd;
  const K creq = end == 0 ? K::D2hReq : K::H2dReq, crsp = end == 0 ? K::D2hRsp : K::H2dRsp;
  const K cdat = end == 0 ? K::D2hDh : K::H2dDh;
  Maker maker(random, direction);
  flits::Decoder decoder(direction);
  Clocked<Vcache_formats> rtl;
  rtl.reset();
  std::set<unsigned> seen;
  std::array<unsigned, static_cast<unsigned>(Harm::kCount)> harms{};
  std::array<std::uint64_t, flits::kMessageKinds> got{};
  unsigned most_owed = 0;
  Queues queues;
  std::optional<flits::Item> lower;  // complete, its upper half is to come
  unsigned joined = 0, joined_cache = 0;
  for (std::uint64_t n = 0; n < flits_to_run; ++n) {
    const auto note = [&] {
      return "end " + std::to_string(end) + " flit " + std::to_string(n) + " seed " +
             std::to_string(seed);
    };
    const unsigned owed = decoder.owed();
    most_owed = std::max(most_owed, owed);
    Made made;
    const auto harm = random.percent(5)
                          ? static_cast<Harm>(random.below(static_cast<unsigned>(Harm::kCount)))
                          : Harm::None;
    if (owed >= 4) {
      for (unsigned s = 0; s < 4; ++s) {
        made.flit.set_slot(s, u128{random.bits(64)} << 64 | random.bits(64));
      }
    } else {
      made = maker.make(owed, harm, seen);
    }
    Vcache_formats& v = *rtl;
    v.start_i = 0;
    // The queues empty until there is room for this flit.
    for (unsigned i = 0; i < 400 && !queues.room(); ++i) {
      v.valid_i = 0;
      queues.ready(v, end, random, 50);
      rtl.settle();
      queues.pop(v, end);
      rtl.edge();
    }
    ASSERT_TRUE(queues.room()) << note() << ": what waits is not offered";
    queues.ready(v, end, random, 40);
    set_bits(v.valid_i, 0, 2, 1u << end);
    for (unsigned i = 0; i < 4; ++i) {
      const u128 slot = made.flit.slot(i);
      set_bits(v.flit_i, 512 * end + 128 * i, 64, static_cast<std::uint64_t>(slot));
      set_bits(v.flit_i, 512 * end + 128 * i + 64, 64, static_cast<std::uint64_t>(slot >> 64));
    }
    rtl.settle();
    ASSERT_EQ(get_bits(v.owed_o, 5 * end, 5), owed) << note();
    ASSERT_TRUE(made.legal || harm != Harm::None) << note();
    ASSERT_EQ(get_bits(v.err_o, end, 1), made.legal ? 0u : 1u)
        << note() << " harm " << static_cast<unsigned>(harm);
    if (!made.legal) {
      // What else comes out of it has its own rules; begin again.
      ++harms[static_cast<unsigned>(harm)];
      v.start_i = 3;
      rtl.edge();
      decoder.reset();
      lower.reset();
      queues.clear();
      continue;
    }
    queues.pop(v, end);
    ASSERT_EQ(get_bits(v.overflow_o, end, 1), 0u) << note();
    ASSERT_EQ(get_bits(v.wd_half_o, end, 1), made.first_half ? 1u : 0u) << note();
    ASSERT_EQ(get_bits(v.cdat_half_o, end, 1), made.cache_half ? 1u : 0u) << note();
    const flits::Decoded decoded = decoder.decode(made.flit);
    for (const auto& finding : decoded.findings) {
      ASSERT_NE(finding.rule, flits::DecodeRule::HalvesApart) << note();
      ASSERT_NE(finding.rule, flits::DecodeRule::SizeIllegal) << note();
    }
    std::array<unsigned, flits::kMessageKinds> count{};
    bool line = false;
    for (flits::Item item : decoded.items) {
      if (item.data_bytes == 32) {
        const bool cache = flits::kind_of(item.message) == cdat;
        if (cache ? !chunk_valid(item) : item.line_offset == 0) {
          ASSERT_FALSE(lower) << note();
          lower = item;
          continue;
        }
        ASSERT_TRUE(lower) << note();
        join(*lower, item);
        lower.reset();
        ++(cache ? joined_cache : joined);
      }
      const K kind = flits::kind_of(item.message);
      const unsigned k = count[index(kind)]++;
      const u128 header = flits::pack(item.message);
      ++got[index(kind)];
      u128 rtl_header = 0;
      bool valid = false;
      if (kind == nd) {
        valid = get_bits(v.nd_valid_o, 2 * end + k, 1);
        rtl_header = bits_at(v.nd_hdr_o, 87 * (2 * end + k), 87);
      } else if (kind == creq) {
        valid = get_bits(v.creq_valid_o, 4 * end + k, 1);
        rtl_header = bits_at(v.creq_hdr_o, 79 * (4 * end + k), 79);
        if (end == 1) {
          ASSERT_EQ(get_bits(v.creq_older_o, 6 + 3 * k, 3), count[index(crsp)]) << note();
        }
      } else if (kind == crsp) {
        valid = get_bits(v.crsp_valid_o, 4 * end + k, 1);
        rtl_header = bits_at(v.crsp_hdr_o, 32 * (4 * end + k), 32);
      } else {
        line = true;
        valid = kind == wd ? get_bits(v.wd_valid_o, end, 1) : get_bits(v.cdat_valid_o, end, 1);
        rtl_header =
            kind == wd ? bits_at(v.wd_hdr_o, 87 * end, 87) : bits_at(v.cdat_hdr_o, 24 * end, 24);
        ASSERT_EQ(get_line(v.wd_data_o, 512 * end), item.data) << note();
        ASSERT_EQ(get_bits(v.wd_be_o, 64 * end, 64), item.byte_enables) << note();
      }
      if (kind == creq) queues.waiting[0].push_back({rtl_header, {}, 0, queues.pushed_rsp});
      if (kind == cdat) queues.waiting[2].push_back({rtl_header, item.data, item.byte_enables, 0});
      if (kind == crsp) {
        queues.waiting[1].push_back({rtl_header, {}, 0, 0});
        ++queues.pushed_rsp;
      }
      ASSERT_TRUE(valid) << note() << " " << flits::name(kind) << " is missing";
      ASSERT_TRUE(plain(kind, rtl_header) == header) << note() << " " << flits::name(kind);
    }
    // And nothing else.
    ASSERT_EQ(get_bits(v.nd_valid_o, 2 * end, 2), (1u << count[index(nd)]) - 1) << note();
    ASSERT_EQ(get_bits(v.creq_valid_o, 4 * end, 4), (1u << count[index(creq)]) - 1) << note();
    ASSERT_EQ(get_bits(v.crsp_valid_o, 4 * end, 4), (1u << count[index(crsp)]) - 1) << note();
    ASSERT_EQ(get_bits(v.wd_valid_o, end, 1) + get_bits(v.cdat_valid_o, end, 1), line ? 1u : 0u)
        << note();
    ASSERT_EQ(get_bits(v.is_protocol_o, end, 1), owed < 4 ? 1u : 0u) << note();
    rtl.edge();
  }
  EXPECT_EQ(seen.size(), end == 0 ? 13u : 12u) << "slot formats";
  EXPECT_EQ(most_owed, 16u);
  EXPECT_EQ(joined > flits_to_run / 200, end == 0) << joined;
  EXPECT_GT(joined_cache, flits_to_run / 200);
  for (const K kind : {nd, wd, creq, crsp, cdat}) EXPECT_GT(got[index(kind)], flits_to_run / 50);
  for (unsigned h = 1; h < static_cast<unsigned>(Harm::kCount); ++h) {
    const auto harm = static_cast<Harm>(h);
    if (harm == (end == 0 ? Harm::H2dEnables : Harm::SecondHeader)) continue;
    EXPECT_GT(harms[h], 10u) << "illegal flit " << h;
  }
}

TEST(CacheFormats, HostEnd) {
  formats(0, 1);
}
TEST(CacheFormats, DeviceEnd) {
  formats(1, 2);
}

}  // namespace
}  // namespace cxlgpu::test
