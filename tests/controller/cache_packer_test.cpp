// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cache_packer in lockstep with its twin, host and device: every mix of offers of the five
// channels, holds, credits and enables. The twin itself is checked against flit_packer's twin (no
// CXL.cache message offered: the same flits) and against the decoder of flits/ (what is taken
// arrives, in order, and breaks no rule).
#include "refmodel/controller/cache_packer.hpp"

#include <set>

#include "Vcache_packer.h"
#include "tests/common/idle.hpp"
#include "tests/controller/cache_scenarios.hpp"
#include "tests/coverage/flit_bins.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_cache.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kPortBits[kCacheChannels] = {79, 32, 24};

// Places without a message hold anything.
void drive(Vcache_packer& rtl, const CachePacker::In& in, bool is_host, Idle& idle) {
  const FlitPacker::In& mem = in.mem;
  const CacheOffer& cache = in.cache;
  rtl.is_host_i = is_host;
  rtl.start_i = mem.start;
  rtl.take_i = mem.take;
  rtl.hold_new_i = mem.hold_new;
  rtl.mdh_disable_i = mem.mdh_disable;
  rtl.nd_valid_i = (1u << mem.nd_valid) - 1;
  rtl.wd_valid_i = (1u << mem.wd_valid) - 1;
  rtl.creq_valid_i = (1u << cache.creq_valid) - 1;
  rtl.crsp_valid_i = (1u << cache.crsp_valid) - 1;
  rtl.cdat_valid_i = cache.cdat_valid;
  for (unsigned i = 0; i < 2; ++i) {
    set_header(rtl.nd_hdr_i, kHeaderPortBits * i, mem.nd_hdr[i]);
    set_header(rtl.wd_hdr_i, kHeaderPortBits * i, mem.wd[i].header);
    set_line(rtl.wd_data_i, 512 * i, mem.wd[i].data);
    set_bits(rtl.wd_be_i, 64 * i, 64, mem.wd[i].enables);
    set_field(rtl.creq_hdr_i, i, kPortBits[kCreq], cache.creq_hdr[i]);
    set_field(rtl.crsp_hdr_i, i, kPortBits[kCrsp], cache.crsp_hdr[i]);
    if (i >= mem.nd_valid) idle.fill(rtl.nd_hdr_i, kHeaderPortBits * i, kHeaderPortBits);
    if (i >= mem.wd_valid) {
      idle.fill(rtl.wd_hdr_i, kHeaderPortBits * i, kHeaderPortBits);
      idle.fill(rtl.wd_data_i, 512 * i, 512);
      idle.fill(rtl.wd_be_i, 64 * i, 64);
    }
    if (i >= cache.creq_valid) idle.fill(rtl.creq_hdr_i, kPortBits[kCreq] * i, kPortBits[kCreq]);
    if (i >= cache.crsp_valid) idle.fill(rtl.crsp_hdr_i, kPortBits[kCrsp] * i, kPortBits[kCrsp]);
  }
  set_field(rtl.cdat_hdr_i, 0, kPortBits[kCdat], cache.cdat.header);
  set_line(rtl.cdat_data_i, 0, cache.cdat.data);
  rtl.cdat_be_i = cache.cdat.enables;
  if (!cache.cdat_valid) {
    idle.fill(rtl.cdat_hdr_i, 0, kPortBits[kCdat]);
    idle.fill(rtl.cdat_data_i, 0, 512);
    idle.fill(rtl.cdat_be_i, 0, 64);
  }
  rtl.ak_i = mem.ak;
  rtl.rsp_crd_i = mem.rsp_crd;
  rtl.req_crd_i = mem.req_crd;
  rtl.data_crd_i = mem.data_crd;
}

void compare(Lockstep& run, const Vcache_packer& rtl, const CachePacker::Out& out) {
  run.check("owed_o", rtl.owed_o, out.mem.owed);
  run.check("is_adf_o", rtl.is_adf_o, out.mem.is_adf);
  run.check("has_content_o", rtl.has_content_o, out.mem.has_content);
  run.check("nd_take_o", rtl.nd_take_o, out.mem.nd_take);
  run.check("wd_take_o", rtl.wd_take_o, out.mem.wd_take);
  run.check("creq_take_o", rtl.creq_take_o, out.creq_take);
  run.check("crsp_take_o", rtl.crsp_take_o, out.crsp_take);
  run.check("cdat_take_o", rtl.cdat_take_o, out.cdat_take);
  run.check("owed_next_o", rtl.owed_next_o, out.mem.owed_next);
  run.check_bytes("flit_o", get_line(rtl.flit_o), out.mem.flit);
}

struct Mix {  // percent
  unsigned nd, wd, creq, crsp, cdat, partial, take, hold;
};
constexpr Mix kMixes[] = {
    {50, 50, 50, 50, 50, 30, 70, 10}, {90, 90, 90, 90, 90, 50, 100, 0},
    {0, 0, 60, 60, 60, 30, 100, 0},   {60, 60, 0, 0, 0, 30, 100, 0},
    {20, 10, 20, 20, 10, 0, 50, 30},  {60, 5, 60, 60, 5, 50, 100, 5},
    {30, 5, 5, 80, 20, 100, 100, 0},
};

// Up to two waiting messages of each channel, topped up when taken; now and then some are not
// offered, as without a credit.
class Offers {
 public:
  Offers(Random& random, bool is_host) : random_(random), is_host_(is_host) {}
  bool legal = false;  // messages that the decoder finds nothing wrong with

  void top_up(const Mix& mix) {
    const unsigned end = is_host_ ? 0 : 1;
    fill(nd_, mix.nd, 2, [&] { return mem_header(false); });
    fill(wd_, mix.wd, 2, [&] { return with_data(mem_header(true), is_host_, mix.partial); });
    fill(creq_, mix.creq, 2, [&] { return cache_header(end, kCreq); });
    fill(crsp_, mix.crsp, 2, [&] { return cache_header(end, kCrsp); });
    fill(cdat_, mix.cdat, 1,
         [&] { return with_data(cache_header(end, kCdat), !legal || !is_host_, mix.partial); });
  }
  void offer(CachePacker::In& in) {
    in.mem.nd_valid = some(nd_);
    in.mem.wd_valid = some(wd_);
    in.cache.creq_valid = some(creq_);
    in.cache.crsp_valid = some(crsp_);
    in.cache.cdat_valid = some(cdat_) > 0;
    std::copy(nd_.begin(), nd_.end(), in.mem.nd_hdr.begin());
    std::copy(wd_.begin(), wd_.end(), in.mem.wd.begin());
    std::copy(creq_.begin(), creq_.end(), in.cache.creq_hdr.begin());
    std::copy(crsp_.begin(), crsp_.end(), in.cache.crsp_hdr.begin());
    if (!cdat_.empty()) in.cache.cdat = cdat_.front();
  }
  void taken(const CachePacker::Out& out) {
    drop(nd_, out.mem.nd_take);
    drop(wd_, out.mem.wd_take);
    drop(creq_, out.creq_take);
    drop(crsp_, out.crsp_take);
    drop(cdat_, out.cdat_take ? 1 : 0);
  }

 private:
  template <typename Queue, typename Make>
  void fill(Queue& queue, unsigned percent, std::size_t most, Make make) {
    while (queue.size() < most && random_.percent(percent)) queue.push_back(make());
  }
  template <typename Queue>
  unsigned some(const Queue& queue) {
    const auto n = static_cast<unsigned>(queue.size());
    return random_.percent(85) ? n : static_cast<unsigned>(random_.below(n + 1));
  }
  template <typename Queue>
  static void drop(Queue& queue, unsigned n) {
    queue.erase(queue.begin(), queue.begin() + n);
  }
  MsgHeader mem_header(bool data) {
    if (!legal) return random_header(random_);
    if (is_host_ && data) return legal_message<flits::M2sRwd>(random_);
    if (is_host_) return legal_message<flits::M2sReq>(random_);
    return data ? legal_message<flits::S2mDrs>(random_) : legal_message<flits::S2mNdr>(random_);
  }
  MsgHeader cache_header(unsigned end, CacheChannel channel) {
    if (legal) return legal_cache_message(random_, end, channel);
    return random_header(random_, kPortBits[channel]);
  }
  WdMessage with_data(MsgHeader header, bool partial, unsigned percent) {
    WdMessage message = random_wd(random_, kHeaderPortBits, partial ? percent : 0);
    message.header = header;
    return message;
  }

  Random& random_;
  bool is_host_;
  std::deque<MsgHeader> nd_, creq_, crsp_;
  std::deque<WdMessage> wd_, cdat_;
};

CachePacker::In random_controls(Random& random, const Mix& mix, bool mdh_disable) {
  CachePacker::In in;
  in.mem.start = random.below(200) == 0;
  in.mem.take = random.percent(mix.take);
  in.mem.hold_new = random.percent(mix.hold);
  in.mem.mdh_disable = mdh_disable;
  in.mem.ak = random.bits(1) != 0;
  in.mem.rsp_crd = std::uint8_t(random.bits(4));
  in.mem.req_crd = std::uint8_t(random.bits(4));
  in.mem.data_crd = std::uint8_t(random.bits(4));
  return in;
}

void lockstep(bool is_host, std::uint64_t seed) {
  Lockstep run("controller/cache_packer", seed);
  FlitBins bins(is_host ? flits::Direction::M2S : flits::Direction::S2M);
  PairBins pairs(coverage::cache_packer_pairs());
  Random random(run.seed());
  Clocked<Vcache_packer> rtl;
  Idle idle;
  CachePacker twin(is_host);
  rtl.reset();
  Offers offers(random, is_host);
  Mix mix = kMixes[0];
  std::set<unsigned> owed_seen;
  std::set<std::pair<unsigned, unsigned>> formats_seen;  // slot, code
  bool mdh_disable = false;
  while (run.next()) {
    if (run.cycle() % 256 == 0) {
      mix = random.pick(kMixes);
      mdh_disable = random.percent(30);
    }
    offers.top_up(mix);
    CachePacker::In in = random_controls(random, mix, mdh_disable);
    offers.offer(in);
    const CachePacker::Out out = twin.eval(in);
    in.mem.take = in.mem.take && out.mem.has_content;  // the link layer never sends an empty flit
    drive(*rtl, in, is_host, idle);
    rtl.settle();
    compare(run, *rtl, out);
    owed_seen.insert(out.mem.owed);
    const unsigned owed = out.mem.owed == 0 ? 0 : out.mem.owed < 4 ? 1 : 2;
    if (in.mem.take) {
      pairs.look((is_host ? 0 : 3) + owed,
                 {out.mem.nd_take > 0, out.mem.wd_take > 0, out.creq_take > 0, out.crsp_take > 0,
                  out.cdat_take, in.mem.hold_new, in.mem.start});
    }
    if (in.mem.take) bins.look(coverage::Side::Packed, out.mem.flit, out.mem.owed);
    if (!out.mem.is_adf) {
      const flits::FlitHeader header = get_header(out.mem.flit);
      for (unsigned slot = 0; slot < 4; ++slot) formats_seen.insert({slot, header.format[slot]});
    }
    rtl.edge();
    twin.clock(in);
    if (in.mem.take && !in.mem.start) offers.taken(out);
  }
  if (run.cycle() <= 20000) return;
  EXPECT_EQ(owed_seen.size(), is_host ? 6u : 9u);
  // All formats in slot 0 and in each slot that can be the second place, but those of CXL.cache
  // with several data headers.
  EXPECT_EQ(formats_seen.size(), 5u + 3 * 5);
}

TEST(CachePacker, Host) {
  lockstep(true, 51);
}
TEST(CachePacker, Device) {
  lockstep(false, 52);
}

void same_as_flit_packer(bool is_host) {
  Lockstep run("controller/cache_packer", 53);
  Random random(run.seed());
  CachePacker twin(is_host);
  FlitPacker mem(is_host);
  Offers offers(random, is_host);
  Mix mix{60, 40, 0, 0, 0, 30, 90, 10};
  for (unsigned i = 0; i < 50000 && run.ok(); ++i) {
    if (i % 256 == 0) mix.nd = random.pick(std::array{0u, 20u, 60u, 100u});
    if (i % 512 == 0) mix.wd = random.pick(std::array{0u, 20u, 60u, 100u});
    offers.top_up(mix);
    CachePacker::In in = random_controls(random, mix, i % 1024 < 256);
    offers.offer(in);
    const CachePacker::Out out = twin.eval(in);
    const FlitPacker::Out expected = mem.eval(in.mem);
    run.check_bytes("flit", out.mem.flit, expected.flit);
    run.check("nd_take", out.mem.nd_take, expected.nd_take);
    run.check("wd_take", out.mem.wd_take, expected.wd_take);
    run.check("owed_next", out.mem.owed_next, expected.owed_next);
    run.check("has_content", out.mem.has_content, expected.has_content);
    twin.clock(in);
    mem.clock(in.mem);
    if (in.mem.take && !in.mem.start) offers.taken(out);
  }
}

TEST(CachePacker, SameAsFlitPackerWithoutCache) {
  same_as_flit_packer(true);
  same_as_flit_packer(false);
}

// What the packer takes, as the decoder should give it back.
class Expected {
 public:
  explicit Expected(bool is_host) : is_host_(is_host) {}

  void taken(const CachePacker::In& in, const CachePacker::Out& out) {
    using namespace flits;
    const MessageKind nd = is_host_ ? MessageKind::M2sReq : MessageKind::S2mNdr;
    const MessageKind wd = is_host_ ? MessageKind::M2sRwd : MessageKind::S2mDrs;
    const MessageKind creq = is_host_ ? MessageKind::H2dReq : MessageKind::D2hReq;
    const MessageKind crsp = is_host_ ? MessageKind::H2dRsp : MessageKind::D2hRsp;
    const MessageKind cdat = is_host_ ? MessageKind::H2dDh : MessageKind::D2hDh;
    for (unsigned i = 0; i < out.mem.nd_take; ++i) add(nd, {.header = in.mem.nd_hdr[i]});
    for (unsigned i = 0; i < out.mem.wd_take; ++i) add(wd, in.mem.wd[i]);
    for (unsigned i = 0; i < out.creq_take; ++i) add(creq, {.header = in.cache.creq_hdr[i]});
    for (unsigned i = 0; i < out.crsp_take; ++i) add(crsp, {.header = in.cache.crsp_hdr[i]});
    if (out.cdat_take) add(cdat, in.cache.cdat);
  }
  void received(const flits::Item& item) {
    auto& queue = queues_[flits::index(flits::kind_of(item.message))];
    ASSERT_FALSE(queue.empty());
    const WdMessage& sent = queue.front();
    EXPECT_EQ(header_bytes(flits::pack(item.message)), header_bytes(sent.header));
    if (flits::carries_data(flits::kind_of(item.message))) {
      EXPECT_EQ(item.data_bytes, 64u);
      EXPECT_EQ(item.data, sent.data);
      EXPECT_EQ(item.byte_enables, sent.enables);
    }
    queue.pop_front();
    ++count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void add(flits::MessageKind kind, const WdMessage& message) {
    queues_[flits::index(kind)].push_back(message);
  }
  bool is_host_;
  std::array<std::deque<WdMessage>, flits::kMessageKinds> queues_;
  std::size_t count_ = 0;
};

void decoded(bool is_host) {
  Random random(54);
  CachePacker twin(is_host);
  flits::Decoder decoder(is_host ? flits::Direction::M2S : flits::Direction::S2M);
  Expected expected(is_host);
  Offers offers(random, is_host);
  offers.legal = true;
  Mix mix = kMixes[0];
  for (unsigned i = 0; i < 30000 && !testing::Test::HasFailure(); ++i) {
    if (i % 256 == 0) mix = random.pick(kMixes);
    offers.top_up(mix);
    CachePacker::In in = random_controls(random, mix, false);
    in.mem.start = false;
    in.mem.take = true;
    in.mem.rsp_crd = in.mem.req_crd = in.mem.data_crd = 0;
    offers.offer(in);
    const CachePacker::Out out = twin.eval(in);
    const flits::Decoded d = decoder.decode(as_flit(out.mem.flit));
    for (const flits::DecodeFinding& f : d.findings) ADD_FAILURE() << describe(f);
    expected.taken(in, out);
    for (const flits::Item& item : d.items) expected.received(item);
    twin.clock(in);
    offers.taken(out);
    EXPECT_EQ(decoder.owed(), twin.owed());
  }
  EXPECT_GT(expected.count(), 20000u);
}

TEST(CachePacker, FlitsDecode) {
  decoded(true);
  decoded(false);
}

}  // namespace
}  // namespace cxlgpu::test
