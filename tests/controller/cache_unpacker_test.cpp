// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cache_unpacker in lockstep with its twin, host and device. Flits are drawn slot by slot from all
// formats of the direction (more than our packer ever sends), with a share of illegal ones. The
// twin itself is checked against the decoder of flits/ on legal streams.
#include "refmodel/controller/cache_unpacker.hpp"

#include <set>

#include "Vcache_unpacker.h"
#include "flits/codec.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_cache.hpp"
#include "tests/flits/stream.hpp"

namespace cxlgpu::test {
namespace {

struct Mix {
  unsigned message;  // percent of the places that hold a message
  unsigned data;     // percent of the places for data headers that hold one
  unsigned wild;     // percent of slots with any code and any bits
  unsigned sz;       // percent of flits with Sz
  unsigned be;
  bool few_tags = false;  // so that data of 32 bytes meet their other half
};
constexpr Mix kMixes[] = {
    {60, 30, 0, 100, 0},      {90, 90, 0, 100, 0},      {30, 60, 0, 100, 50},
    {90, 2, 0, 100, 10},      {60, 10, 5, 95, 30},      {50, 40, 40, 50, 50},
    {50, 30, 0, 0, 0, true},  {50, 60, 0, 20, 5, true}, {30, 90, 0, 5, 0, true},
    {20, 90, 0, 2, 50, true}, {40, 40, 0, 0, 90, true}, {100, 100, 0, 100, 0},
    {100, 0, 2, 100, 5}};

class FlitMaker {
 public:
  FlitMaker(Random& random, bool is_host) : random_(random), is_host_(is_host) {}

  // A protocol flit (or a control flit); owed slots get data like any empty ones.
  Payload make(const Mix& mix) {
    Payload flit{};
    flits::FlitHeader header;
    header.ak = random_.bits(1) != 0;
    header.sz = random_.percent(mix.sz);
    header.be = random_.percent(mix.be);
    for (unsigned slot = 0; slot < 4; ++slot) {
      header.format[slot] = code(slot);
      if (random_.percent(mix.wild)) {
        header.format[slot] = std::uint8_t(random_.bits(3));
        or_slot(flit, slot, random_bits(slot));
      } else if (slot > 0 && header.format[slot] == 0) {
        or_slot(flit, slot, random_bits(slot));
      } else {
        messages(flit, slot, header.format[slot], mix);
      }
    }
    or_slot(flit, 0, flits::pack_header(header));
    if (random_.percent(3)) flit[0] |= 1;  // control
    return flit;
  }

 private:
  MsgHeader random_bits(unsigned slot) {
    const MsgHeader bits = MsgHeader{random_.bits(64)} << 64 | random_.bits(64);
    return slot == 0 ? bits >> 32 << 32 : bits;
  }
  std::uint8_t code(unsigned slot) {
    if (slot > 0 && random_.percent(40)) return 0;  // what an owed slot must say
    return std::uint8_t(random_.below(slot > 0 && is_host_ ? 7 : 6));
  }
  void messages(Payload& flit, unsigned slot, unsigned code, const Mix& mix) {
    const auto direction = is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    for (const flits::Placement& at : flits::slot_format(direction, slot, code).places()) {
      MsgHeader message = random_header(random_);
      if (mix.few_tags && at.kind == flits::MessageKind::S2mDrs) {
        auto drs = flits::unpack<flits::S2mDrs>(message);
        drs.tag = random_.percent(90) ? 7 : 8;
        drs.ld_id = random_.percent(90) ? 3 : 4;
        message = flits::pack(drs);
      }
      if (mix.few_tags && at.kind == flits::MessageKind::H2dDh) {
        auto data = flits::unpack<flits::H2dDh>(message);
        data.cqid = random_.percent(95) ? 7 : 0x107;
        data.chunk_valid = next_chunk();
        message = flits::pack(data);
      }
      if (mix.few_tags && at.kind == flits::MessageKind::D2hDh) {
        auto data = flits::unpack<flits::D2hDh>(message);
        data.uqid = random_.percent(95) ? 7 : 0x807;
        data.chunk_valid = next_chunk();
        message = flits::pack(data);
      }
      if (!random_.percent(flits::carries_data(at.kind) ? mix.data : mix.message)) {
        message &= ~MsgHeader{1};
      }
      or_slot(flit, slot, place_message(message, at));
    }
  }

  // Lower and upper half in turn, mostly.
  bool next_chunk() {
    upper_ = random_.percent(90) != upper_;
    return !upper_;
  }

  Random& random_;
  bool is_host_;
  bool upper_ = false;
};

void compare(Lockstep& run, const Vcache_unpacker& rtl, const CacheUnpacker::Out& out) {
  const FlitUnpacker::Out& mem = out.mem;
  const CacheReceived& cache = out.cache;
  run.check("owed_o", rtl.owed_o, mem.owed);
  run.check("is_protocol_o", rtl.is_protocol_o, mem.is_protocol);
  run.check("is_control_o", rtl.is_control_o, mem.is_control);
  run.check("err_o", rtl.err_o, mem.err);
  run.check("nd_valid_o", rtl.nd_valid_o, (1u << mem.nd_valid) - 1);
  run.check("wd_valid_o", rtl.wd_valid_o, mem.wd_valid);
  run.check("wd_half_o", rtl.wd_half_o, mem.wd_half);
  run.check("creq_valid_o", rtl.creq_valid_o, (1u << cache.creq_valid) - 1);
  run.check("crsp_valid_o", rtl.crsp_valid_o, (1u << cache.crsp_valid) - 1);
  run.check("cdat_valid_o", rtl.cdat_valid_o, cache.cdat_valid);
  run.check("cdat_half_o", rtl.cdat_half_o, cache.cdat_half);
  const auto check_header = [&](const char* field, MsgHeader r, MsgHeader t) {
    run.check_bytes(field, header_bytes(r), header_bytes(t));
  };
  for (unsigned i = 0; i < mem.nd_valid; ++i) {
    check_header("nd_hdr_o", get_field(rtl.nd_hdr_o, i, 87), mem.nd_hdr[i]);
  }
  for (unsigned i = 0; i < 4; ++i) {  // 0 without valid
    check_header("creq_hdr_o", get_field(rtl.creq_hdr_o, i, 79), cache.creq_hdr[i]);
    check_header("crsp_hdr_o", get_field(rtl.crsp_hdr_o, i, 32), cache.crsp_hdr[i]);
  }
  for (unsigned i = 0; i < std::min(cache.creq_valid, 2u); ++i) {
    run.check("creq_older_o", get_bits(rtl.creq_older_o, 3 * i, 3), cache.creq_older[i]);
  }
  if (mem.wd_valid) check_header("wd_hdr_o", get_field(rtl.wd_hdr_o, 0, 87), mem.wd.header);
  if (cache.cdat_valid) {
    check_header("cdat_hdr_o", get_field(rtl.cdat_hdr_o, 0, 24), cache.cdat.header);
  }
  if (!mem.wd_valid && !cache.cdat_valid) return;
  const WdMessage& message = mem.wd_valid ? mem.wd : cache.cdat;
  run.check_bytes("wd_data_o", get_line(rtl.wd_data_o), message.data);
  run.check("wd_be_o", rtl.wd_be_o, message.enables);
}

void lockstep(bool is_host, std::uint64_t seed) {
  Lockstep run("controller/cache_unpacker", seed);
  Random random(run.seed());
  Clocked<Vcache_unpacker> rtl;
  CacheUnpacker twin(is_host);
  rtl.reset();
  FlitMaker maker(random, is_host);
  Mix mix = kMixes[0];
  std::uint64_t messages = 0, errors = 0, halves = 0, cache_halves = 0, joined = 0;
  bool half_waits = false;
  bool mdh_disable = false;
  std::set<unsigned> owed_seen, older_seen;
  PairBins pairs(coverage::cache_unpacker_pairs());
  while (run.next()) {
    if (run.cycle() % 256 == 0) mix = random.pick(kMixes);
    if (random.below(100) == 0) mdh_disable = random.percent(30);
    const CacheUnpacker::In in{.start = random.below(100) == 0,
                               .mdh_disable = mdh_disable,
                               .valid = random.percent(80),
                               .flit = maker.make(mix)};
    rtl->is_host_i = is_host;
    rtl->start_i = in.start;
    rtl->mdh_disable_i = in.mdh_disable;
    rtl->valid_i = in.valid;
    set_line(rtl->flit_i, 0, in.flit);
    rtl.settle();
    const CacheUnpacker::Out out = twin.eval(in);
    compare(run, *rtl, out);
    messages += out.mem.nd_valid + out.cache.creq_valid + out.cache.crsp_valid +
                (out.mem.wd_valid || out.cache.cdat_valid ? 1 : 0);
    errors += out.mem.err ? 1 : 0;
    halves += out.mem.wd_half ? 1 : 0;
    cache_halves += out.cache.cdat_half ? 1 : 0;
    joined += half_waits && !out.mem.err && out.cache.cdat_valid ? 1 : 0;
    half_waits = !in.start && (out.cache.cdat_half || (half_waits && !out.cache.cdat_valid));
    owed_seen.insert(out.mem.owed);
    const unsigned owed = out.mem.owed == 0 ? 0 : out.mem.owed < 4 ? 1 : 2;
    pairs.look((is_host ? 0 : 3) + owed,
               {out.mem.nd_valid > 0, out.cache.creq_valid > 0, out.cache.crsp_valid > 0,
                out.mem.wd_valid, out.cache.cdat_valid, out.mem.err, in.start});
    for (unsigned i = 0; i < std::min(out.cache.creq_valid, 2u); ++i) {
      older_seen.insert(out.cache.creq_older[i]);
    }
    rtl.edge();
    twin.clock(in);
  }
  if (run.cycle() < 20000) return;
  EXPECT_GT(messages, run.cycle());
  EXPECT_GT(errors, run.cycle() / 50);
  EXPECT_EQ(halves > run.cycle() / 100, is_host);
  EXPECT_GT(cache_halves, run.cycle() / 200);
  EXPECT_GT(joined, run.cycle() / 1000);
  EXPECT_EQ(owed_seen.size(), 17u);
  EXPECT_EQ(older_seen.size(), is_host ? 1u : 5u);
}

TEST(CacheUnpacker, Host) {
  lockstep(true, 55);
}
TEST(CacheUnpacker, Device) {
  lockstep(false, 56);
}

// A line in two halves as the one message that it is.
void join(std::optional<flits::Item>& lower, flits::Item& upper) {
  auto& drs = std::get<flits::S2mDrs>(upper.message);
  drs.poison = drs.poison || std::get<flits::S2mDrs>(lower->message).poison;
  std::copy_n(upper.data.begin(), 32, upper.data.begin() + 32);
  std::copy_n(lower->data.begin(), 32, upper.data.begin());
  upper.data_bytes = 64;
  lower.reset();
}

// Legal streams up to the first CXL.cache transfer of 32 B, twin against decoder.
void legal_streams(flits::Direction direction) {
  unsigned streams = 0, messages = 0, joined = 0;
  for (std::uint64_t seed = 1; streams < 300; ++seed) {
    const auto stream = flits::test::StreamMaker(direction, seed).make(20);
    CacheUnpacker twin(direction == flits::Direction::S2M);
    std::optional<flits::Item> lower;
    ++streams;
    for (const auto& step : stream.steps) {
      const Payload payload = as_payload(step.flit);
      const CacheUnpacker::Out out = twin.eval({.start = false, .valid = true, .flit = payload});
      ASSERT_EQ(out.mem.owed, step.owed_before);
      const bool small = out.mem.is_protocol && !get_header(payload).sz;
      if (small && (out.mem.err || out.cache.cdat_half)) break;  // 32 B of CXL.cache
      ASSERT_FALSE(out.mem.err) << "seed " << seed;
      std::array<std::deque<WdMessage>, flits::kMessageKinds> got;
      const bool host = direction == flits::Direction::S2M;
      const auto add = [&](flits::MessageKind kind, const WdMessage& m) {
        got[flits::index(kind)].push_back(m);
      };
      using enum flits::MessageKind;
      for (unsigned i = 0; i < out.mem.nd_valid; ++i) {
        add(host ? S2mNdr : M2sReq, {.header = out.mem.nd_hdr[i]});
      }
      for (unsigned i = 0; i < out.cache.creq_valid; ++i) {
        add(host ? D2hReq : H2dReq, {.header = out.cache.creq_hdr[i]});
      }
      for (unsigned i = 0; i < out.cache.crsp_valid; ++i) {
        add(host ? D2hRsp : H2dRsp, {.header = out.cache.crsp_hdr[i]});
      }
      if (out.mem.wd_valid) add(host ? S2mDrs : M2sRwd, out.mem.wd);
      if (out.cache.cdat_valid) add(host ? D2hDh : H2dDh, out.cache.cdat);
      for (flits::Item item : step.items) {
        if (std::holds_alternative<flits::S2mDrs>(item.message) && item.data_bytes == 32) {
          if (item.line_offset == 0) {
            lower = item;
            continue;
          }
          join(lower, item);
          ++joined;
        }
        auto& queue = got[flits::index(flits::kind_of(item.message))];
        ASSERT_FALSE(queue.empty()) << "seed " << seed;
        EXPECT_EQ(header_bytes(queue.front().header), header_bytes(flits::pack(item.message)));
        if (item.data_bytes == 64) {
          EXPECT_EQ(queue.front().data, item.data);
          EXPECT_EQ(queue.front().enables, item.byte_enables);
        }
        queue.pop_front();
        ++messages;
      }
      for (const auto& queue : got) ASSERT_TRUE(queue.empty()) << "seed " << seed;
      twin.clock({.start = false, .valid = true, .flit = payload});
    }
  }
  EXPECT_GT(messages, 3000u);
  EXPECT_EQ(joined > 50, direction == flits::Direction::S2M);
}

TEST(CacheUnpacker, LegalStreamsM2S) {
  legal_streams(flits::Direction::M2S);
}
TEST(CacheUnpacker, LegalStreamsS2M) {
  legal_streams(flits::Direction::S2M);
}

// Where a message of CXL.cache stands, from the figures of the slot formats.
enum class Kind { kReq, kRsp, kData };
struct Place {
  bool s2m;
  bool header;  // H or G
  unsigned code, at;
  Kind kind;
};
constexpr Place kPlaces[] = {{false, true, 0, 32, Kind::kReq},   {false, true, 0, 96, Kind::kRsp},
                             {false, true, 1, 32, Kind::kData},  {false, true, 1, 56, Kind::kRsp},
                             {false, true, 1, 88, Kind::kRsp},   {false, true, 2, 32, Kind::kReq},
                             {false, true, 2, 96, Kind::kData},  {false, true, 3, 32, Kind::kData},
                             {false, true, 3, 56, Kind::kData},  {false, true, 3, 80, Kind::kData},
                             {false, true, 3, 104, Kind::kData}, {false, false, 1, 0, Kind::kRsp},
                             {false, false, 1, 32, Kind::kRsp},  {false, false, 1, 64, Kind::kRsp},
                             {false, false, 1, 96, Kind::kRsp},  {false, false, 2, 0, Kind::kReq},
                             {false, false, 2, 64, Kind::kData}, {false, false, 2, 88, Kind::kRsp},
                             {false, false, 3, 0, Kind::kData},  {false, false, 3, 24, Kind::kData},
                             {false, false, 3, 48, Kind::kData}, {false, false, 3, 72, Kind::kData},
                             {false, false, 3, 96, Kind::kRsp},  {false, false, 4, 88, Kind::kData},
                             {false, false, 5, 88, Kind::kRsp},  {true, true, 0, 32, Kind::kData},
                             {true, true, 0, 49, Kind::kRsp},    {true, true, 0, 69, Kind::kRsp},
                             {true, true, 1, 32, Kind::kReq},    {true, true, 1, 111, Kind::kData},
                             {true, true, 2, 32, Kind::kData},   {true, true, 2, 49, Kind::kData},
                             {true, true, 2, 66, Kind::kData},   {true, true, 2, 83, Kind::kData},
                             {true, true, 2, 100, Kind::kRsp},   {true, false, 1, 0, Kind::kReq},
                             {true, false, 1, 79, Kind::kRsp},   {true, false, 1, 99, Kind::kRsp},
                             {true, false, 2, 0, Kind::kReq},    {true, false, 2, 79, Kind::kData},
                             {true, false, 2, 96, Kind::kRsp},   {true, false, 3, 0, Kind::kData},
                             {true, false, 3, 17, Kind::kData},  {true, false, 3, 34, Kind::kData},
                             {true, false, 3, 51, Kind::kData}};
// Bits of a message: H2D Req 64, Rsp 32, data header 24; D2H 79, 20, 17.
constexpr unsigned width(const Place& p) {
  if (p.kind == Kind::kReq) return p.s2m ? 79 : 64;
  if (p.kind == Kind::kRsp) return p.s2m ? 20 : 32;
  return p.s2m ? 17 : 24;
}

// One message alone in each place, all its bits: it comes out as it is, and nothing else does.
TEST(CacheUnpackerByHand, SlotFormats) {
  test::shows("flit", "Slot formats H0..H6 and G0..G6 place their CXL.cache messages",
              "CXL 2.0, slot formats");
  Random random(66);
  for (const Place& p : kPlaces) {
    for (unsigned slot = p.header ? 0 : 1; slot < (p.header ? 1u : 4u); ++slot) {
      SCOPED_TRACE(::testing::Message() << (p.s2m ? "D2H " : "H2D ") << (p.header ? 'H' : 'G')
                                        << p.code << " bit " << p.at << " slot " << slot);
      Clocked<Vcache_unpacker> rtl;
      rtl->is_host_i = p.s2m;
      rtl.reset();
      const MsgHeader message = random_header(random, width(p));
      flits::FlitHeader header;
      header.format[slot] = static_cast<std::uint8_t>(p.code);
      header.sz = p.kind == Kind::kData;
      Payload flit{};
      or_slot(flit, 0, flits::pack_header(header));
      or_slot(flit, slot, message << p.at);
      rtl->valid_i = 1;
      set_line(rtl->flit_i, 0, flit);
      rtl.settle();
      EXPECT_EQ(rtl->err_o, 0);
      EXPECT_EQ(rtl->nd_valid_o, 0);
      EXPECT_EQ(rtl->creq_valid_o, p.kind == Kind::kReq ? 1 : 0);
      EXPECT_EQ(rtl->crsp_valid_o, p.kind == Kind::kRsp ? 1 : 0);
      MsgHeader got = p.kind == Kind::kReq ? get_field(rtl->creq_hdr_o, 0, 79)
                                           : get_field(rtl->crsp_hdr_o, 0, 32);
      if (p.kind == Kind::kData) {  // comes with the last of its four chunks
        EXPECT_EQ(rtl->cdat_valid_o, 0);
        rtl.edge();
        set_line(rtl->flit_i, 0, Payload{});
        rtl.settle();
        EXPECT_EQ(rtl->cdat_valid_o, 1);
        got = get_field(rtl->cdat_hdr_o, 0, 24);
      }
      EXPECT_EQ(header_bytes(got), header_bytes(message));
      EXPECT_EQ(rtl->wd_valid_o, 0);
    }
  }
}

// Byte enables come with RwD and D2H data alone: with H2D data or a DRS they are an error.
TEST(CacheUnpackerByHand, ByteEnables) {
  struct DataPlace {
    bool is_host;
    unsigned slot, code, at;
    bool legal;
  };
  for (const DataPlace& place : {
           DataPlace{true, 0, 3, 32, false}, DataPlace{true, 1, 4, 0, false},    // DRS
           DataPlace{true, 0, 0, 32, true}, DataPlace{true, 1, 2, 79, true},     // D2H data
           DataPlace{false, 0, 4, 32, true}, DataPlace{false, 1, 5, 0, true},    // RwD
           DataPlace{false, 0, 1, 32, false}, DataPlace{false, 1, 4, 88, false}  // H2D data
       }) {
    for (const bool be : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "host " << place.is_host << " slot " << place.slot
                                        << " format " << place.code << " BE " << be);
      Clocked<Vcache_unpacker> rtl;
      rtl->is_host_i = place.is_host;
      rtl.reset();
      flits::FlitHeader header;
      header.format[place.slot] = static_cast<std::uint8_t>(place.code);
      header.sz = true;
      header.be = be;
      // A RwD's opcode 0 is reserved: MemWrPtl.
      const bool rwd = !place.is_host && place.legal;
      Payload flit{};
      or_slot(flit, 0, flits::pack_header(header));
      or_slot(flit, place.slot, MsgHeader{rwd ? 1u | 2 << 1 : 1u} << place.at);
      rtl->valid_i = 1;
      set_line(rtl->flit_i, 0, flit);
      rtl.settle();
      EXPECT_EQ(rtl->err_o != 0, be && !place.legal);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
