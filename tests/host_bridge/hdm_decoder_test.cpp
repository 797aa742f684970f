// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hdm_decoder: host bridge and device twins in lockstep with the RTL, and the rules of the
// specification by known answers.
#include "refmodel/host_bridge/hdm_decoder.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>

#include "Vhdm_decoder.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/host_bridge/hdm_meetings.hpp"
#include "tests/host_bridge/hdm_program.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::kGiB;
using test::kHdmChunk;
using test::Lockstep;
using test::Random;

constexpr unsigned kDecoders = 4;
constexpr std::array<unsigned, 8> kWaysCodes{0, 1, 2, 3, 4, 8, 9, 10};
// Of a host bridge: 1, 2, 4 and 8 ways; its capability bits 11 and 12 are 0 (CXL 3.x, 8.2.4.20.1).
constexpr bool host_has(unsigned iw) {
  return iw <= 3;
}

// ---- Lockstep ----

// Software that mostly knows what it does: programs a decoder field by field, commits, releases.
class Software {
 public:
  explicit Software(bool host) : host_(host) {}

  HdmDecoder::In step(Random& random) {
    HdmDecoder::In in;
    if (script_.empty()) plan(random);
    if (random.percent(15)) {
      anything(in, random);
    } else if (!script_.empty() && random.percent(90)) {
      in = script_.front();
      script_.pop_front();
    } else if (random.percent(50)) {
      read(in, random);
    }
    in.hpa_line = address(random);
    in.hpa_valid = random.percent(95);
    return in;
  }

 private:
  static void anything(HdmDecoder::In& in, Random& random) {
    read(in, random);
    in.write = random.percent(50);
    in.wdata = static_cast<std::uint32_t>(random.bits(32));
    // Capability space behind the decoders and unlikely control words are rare enough.
    if (random.percent(50)) in.wdata &= 0x1fff0fff;
  }
  static void read(HdmDecoder::In& in, Random& random) {
    in.valid = true;
    in.addr = static_cast<std::uint32_t>(4 * random.below(random.percent(90) ? 40 : 1024) |
                                         random.bits(4) << 12);
  }
  void write(std::uint32_t offset, std::uint64_t value) {
    HdmDecoder::In in;
    in.valid = in.write = true;
    in.addr = offset;
    in.wdata = static_cast<std::uint32_t>(value);
    script_.push_back(in);
  }
  void pair(std::uint32_t offset, std::uint64_t value) {
    write(offset, value);
    write(offset + 4, value >> 32);
  }
  void plan(Random& random) {
    if (!host_) write(0x04, random.percent(90) ? 2 : random.bits(32));
    const auto n = next_;
    next_ = random.percent(80) ? (n + 1) % kDecoders : static_cast<unsigned>(random.below(4));
    if (random.percent(60)) write(test::hdm_control(n), 0);
    const unsigned iw =
        random.percent(95) ? random.pick(kWaysCodes) : static_cast<unsigned>(random.bits(4));
    const std::uint64_t ways = std::max(1u, interleave_ways(iw));
    std::uint64_t chunks = ways * random.below(5);
    if (random.percent(10)) chunks = random.below(50);
    if (random.percent(2)) chunks = random.bits(24);
    std::uint64_t base = random.percent(70) && n > 0 ? end_[n - 1] + random.below(3) * kHdmChunk
                                                     : random.below(64) * kHdmChunk;
    if (random.percent(4)) base = random.bits(24) * kHdmChunk;
    if (random.percent(4)) base = -random.below(chunks + 2) * kHdmChunk;  // at the top or over it
    base &= (std::uint64_t{1} << 52) - 1;
    base_[n] = base;
    end_[n] = base + chunks * kHdmChunk;
    const std::uint64_t list = host_ && random.percent(85) ? 0x1716151413121110 ^ random.bits(3)
                               : random.percent(50)        ? random.below(9) * kHdmChunk
                                                           : random.bits(64);
    // The list last or first: a commit may follow a write of the size at once.
    const bool list_first = random.percent(50);
    if (list_first) pair(test::hdm_list(n), list);
    pair(test::hdm_base(n), base | (random.percent(10) ? random.bits(28) : 0));
    pair(test::hdm_size(n), chunks * kHdmChunk | (random.percent(5) ? random.bits(28) : 0));
    if (!list_first) pair(test::hdm_list(n), list);
    const std::uint64_t ig = random.percent(97) ? random.below(7) : random.bits(4);
    write(test::hdm_control(n), ig | iw << 4 | (random.percent(25) ? test::kHdmLock : 0) |
                                    (random.percent(50) ? test::kHdmHostOnly : 0) |
                                    (random.percent(95) ? test::kHdmCommit : 0));
    if (n > 0 && random.percent(20)) write(test::hdm_control(n - 1), 0);  // while it commits
    for (auto left = random.below(40); left > 0; --left) script_.emplace_back();  // use it
  }
  std::uint64_t address(Random& random) const {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
    if (random.percent(5)) return random.bits(46);
    const auto n = random.below(kDecoders);
    const std::uint64_t first = base_[n] >> 6, end = end_[n] >> 6;
    if (random.percent(30))
      return (random.pick(std::array{first, end}) + random.below(5) - 2) & mask;
    return (first + random.below(end > first ? end - first : 1)) & mask;
  }

  bool host_;
  unsigned next_ = 0;
  std::deque<HdmDecoder::In> script_;
  std::array<std::uint64_t, kDecoders> base_{}, end_{};
};

TEST(HdmDecoder, LockstepWithRtl) {
  test::shows("hdm", "The RTL's decoder is its twin's for any registers and addresses",
              "docs/blocks/host_bridge/hdm_decoder.md");
  Lockstep lockstep("host_bridge/hdm_decoder", 0x4d);
  Random random(lockstep.seed());
  Clocked<Vhdm_decoder> rtl;
  rtl.reset();
  const auto fresh = [] {
    return std::array{HdmDecoder(HdmDecoder::Role::HostBridge),
                      HdmDecoder(HdmDecoder::Role::Device)};
  };
  auto twins = fresh();
  std::array software{Software(true), Software(false)};
  std::array<bool, 2> was_read{};
  test::HdmMeetings meetings;
  std::array<std::uint64_t, 2> hits{};
  std::set<std::uint64_t> seen_ways;
  constexpr std::size_t kRegReq = 50;  // valid, write, addr 16, wdata 32
  while (lockstep.next()) {
    std::array<HdmDecoder::In, 2> in;
    for (unsigned i = 0; i < 2; ++i) {
      in[i] = software[i].step(random);
      test::set_bits(rtl->reg_req_i, kRegReq * i + 49, 1, in[i].valid);
      test::set_bits(rtl->reg_req_i, kRegReq * i + 48, 1, in[i].write);
      test::set_bits(rtl->reg_req_i, kRegReq * i + 32, 16, in[i].addr);
      test::set_bits(rtl->reg_req_i, kRegReq * i, 32, in[i].wdata);
      test::set_bits(rtl->hpa_line_i, 46 * i, 46, in[i].hpa_line);
      test::set_bits(rtl->hpa_valid_i, i, 1, in[i].hpa_valid);
    }
    rtl.settle();
    for (unsigned i = 0; i < 2; ++i) {
      meetings.look(*rtl, i, in[i]);
      const HdmDecoder::Out out = twins[i].eval(in[i]);
      const bool host = i == 0;
      lockstep.check(host ? "host hit_o" : "device hit_o", test::get_bits(rtl->hit_o, i, 1),
                     out.hit);
      lockstep.check(host ? "host decoder_o" : "device decoder_o",
                     test::get_bits(rtl->decoder_o, 4 * i, 4), out.decoder);
      lockstep.check(host ? "host way_o" : "device way_o", test::get_bits(rtl->way_o, 4 * i, 4),
                     out.way);
      lockstep.check(host ? "host target_o" : "device target_o",
                     test::get_bits(rtl->target_o, 8 * i, 8), out.target);
      lockstep.check(host ? "host dpa_line_o" : "device dpa_line_o",
                     test::get_bits(rtl->dpa_line_o, 46 * i, 46), out.dpa_line);
      lockstep.check(host ? "host enabled_o" : "device enabled_o",
                     test::get_bits(rtl->enabled_o, i, 1), out.enabled);
      if (was_read[i]) {
        lockstep.check(host ? "host reg_rdata_o" : "device reg_rdata_o",
                       test::get_bits(rtl->reg_rdata_o, 32 * i, 32), out.rdata);
      }
      was_read[i] = in[i].valid && !in[i].write;
      hits[i] += out.hit;
      if (out.hit) seen_ways.insert(out.way);
      twins[i].clock(in[i]);
    }
    rtl.edge();
    if (random.below(1500) == 0) {  // locked decoders stay so until reset
      rtl.reset();
      twins = fresh();
      was_read = {};
      meetings.forget();
    }
  }
  if (lockstep.cycle() > 100000) {
    for (std::uint64_t n : hits) EXPECT_GT(n, lockstep.cycle() / 10);
    EXPECT_EQ(seen_ways.size(), 16u);
  }
}

// Every number of ways at every granularity in the RTL: the lines at the edges of the range and of
// its chunks, and one inside, through the register and decode ports of both decoders.
class BothDecoders {
 public:
  BothDecoders(Clocked<Vhdm_decoder>& rtl, Lockstep& lockstep) : rtl_(rtl), lockstep_(lockstep) {}

  void write(std::uint32_t offset, std::uint64_t value) {
    HdmDecoder::In in;
    in.valid = in.write = true;
    in.addr = offset;
    in.wdata = static_cast<std::uint32_t>(value);
    step(in);
  }
  void write_pair(std::uint32_t offset, std::uint64_t value) {
    write(offset, value);
    write(offset + 4, value >> 32);
  }
  // What both twins say, compared with the RTL: host bridge, device.
  std::array<HdmDecoder::Out, 2> decode(std::uint64_t line) {
    HdmDecoder::In in;
    in.hpa_line = line;
    in.hpa_valid = true;
    return step(in);
  }

 private:
  std::array<HdmDecoder::Out, 2> step(const HdmDecoder::In& in) {
    std::array<HdmDecoder::Out, 2> out;
    for (unsigned i = 0; i < 2; ++i) {
      test::set_bits(rtl_->reg_req_i, 50 * i + 49, 1, in.valid);
      test::set_bits(rtl_->reg_req_i, 50 * i + 48, 1, in.write);
      test::set_bits(rtl_->reg_req_i, 50 * i + 32, 16, in.addr);
      test::set_bits(rtl_->reg_req_i, 50 * i, 32, in.wdata);
      test::set_bits(rtl_->hpa_line_i, 46 * i, 46, in.hpa_line);
      test::set_bits(rtl_->hpa_valid_i, i, 1, in.hpa_valid);
    }
    rtl_.settle();
    for (unsigned i = 0; i < 2; ++i) {
      out[i] = twins_[i].eval(in);
      lockstep_.check("hit_o", test::get_bits(rtl_->hit_o, i, 1), out[i].hit);
      lockstep_.check("decoder_o", test::get_bits(rtl_->decoder_o, 4 * i, 4), out[i].decoder);
      lockstep_.check("way_o", test::get_bits(rtl_->way_o, 4 * i, 4), out[i].way);
      lockstep_.check("target_o", test::get_bits(rtl_->target_o, 8 * i, 8), out[i].target);
      lockstep_.check("dpa_line_o", test::get_bits(rtl_->dpa_line_o, 46 * i, 46), out[i].dpa_line);
      lockstep_.check("enabled_o", test::get_bits(rtl_->enabled_o, i, 1), out[i].enabled);
      twins_[i].clock(in);
    }
    rtl_.edge();
    return out;
  }

  Clocked<Vhdm_decoder>& rtl_;
  Lockstep& lockstep_;
  std::array<HdmDecoder, 2> twins_{HdmDecoder(HdmDecoder::Role::HostBridge),
                                   HdmDecoder(HdmDecoder::Role::Device)};
};

TEST(HdmDecoder, EdgesOfEveryInterleaveInTheRtl) {
  using coverage::HdmPlace;
  test::TestCoverage counts(coverage::hdm());
  Lockstep lockstep("host_bridge/hdm_decoder", 0x4e);
  Random random(lockstep.seed());
  for (unsigned w = 0; w < kWaysCodes.size(); ++w) {
    for (unsigned ig = 0; ig <= 6; ++ig) {
      Clocked<Vhdm_decoder> rtl;
      rtl.reset();
      BothDecoders both(rtl, lockstep);
      const std::uint64_t ways = interleave_ways(kWaysCodes[w]);
      const std::uint64_t base = (1 + random.below(1000)) * kHdmChunk;
      const std::uint64_t size = ways * (1 + random.below(3)) * kHdmChunk;
      both.write(0x04, 2);
      both.write_pair(test::hdm_base(0), base);
      both.write_pair(test::hdm_size(0), size);
      both.write_pair(test::hdm_list(0), 0x1716151413121110);
      const std::uint32_t control = ig | kWaysCodes[w] << 4 | test::kHdmHostOnly;
      both.write(test::hdm_control(0), control);
      both.write(test::hdm_control(0), control | test::kHdmCommit);
      (void)both.decode(0);  // the commit takes an edge
      const std::uint64_t chunk = std::uint64_t{4} << ig, first = base / 64;
      const std::uint64_t end = first + size / 64;
      const auto look = [&](HdmPlace place, std::uint64_t line) {
        const auto out = both.decode(line);
        const bool inside = line >= first && line < end;
        for (unsigned role = 0; role < 2; ++role) {
          const bool can = role == 1 || host_has(kWaysCodes[w]);
          ASSERT_EQ(out[role].hit, inside && can) << ways << " ways, line " << line - first;
          if (inside && can) {
            ASSERT_EQ(out[role].way, (line - first) / chunk % ways);
          }
          if (can) counts.hit({role, w, ig, static_cast<unsigned>(place)});
        }
      };
      look(HdmPlace::Below, first - 1);
      look(HdmPlace::RangeFirst, first);
      look(HdmPlace::RangeLast, end - 1);
      look(HdmPlace::Above, end);
      // A chunk of each way, from the second round on, whose first line is not the range's.
      for (std::uint64_t way = 0; way < ways; ++way) {
        const std::uint64_t at = first + ((1 + random.below(1000)) * ways + way) * chunk;
        look(HdmPlace::ChunkFirst, at);
        look(HdmPlace::ChunkInner, at + 1 + random.below(chunk - 2));
        look(HdmPlace::ChunkLast, at + chunk - 1);
      }
      ASSERT_TRUE(lockstep.ok());
    }
  }
}

// ---- From the specification: the RTL alone, no twin beside it ----

// One of the two decoders of the RTL, as software and a request see it.
class RtlDecoder {
 public:
  explicit RtlDecoder(HdmDecoder::Role role) : at_(role == HdmDecoder::Role::Device ? 1 : 0) {
    reset();
  }
  void reset() { rtl_->reset(); }
  void write(std::uint32_t offset, std::uint32_t value) {
    access(offset, true, value);
    for (unsigned i = 0; i < 3; ++i) rtl_->edge();  // the commit, and what follows from it
  }
  std::uint32_t read(std::uint32_t offset) {
    access(offset, false, 0);
    return static_cast<std::uint32_t>(test::get_bits((*rtl_)->reg_rdata_o, 32 * at_, 32));
  }
  std::optional<HdmDecoder::Decoded> decode(std::uint64_t hpa) {
    auto& top = *rtl_;
    test::set_bits(top->hpa_line_i, 46 * at_, 46, hpa / 64);
    test::set_bits(top->hpa_valid_i, at_, 1, 1);
    top.settle();
    if (test::get_bits(top->hit_o, at_, 1) == 0) return std::nullopt;
    return HdmDecoder::Decoded{static_cast<unsigned>(test::get_bits(top->decoder_o, 4 * at_, 4)),
                               static_cast<unsigned>(test::get_bits(top->way_o, 4 * at_, 4)),
                               static_cast<std::uint8_t>(test::get_bits(top->target_o, 8 * at_, 8)),
                               test::get_bits(top->dpa_line_o, 46 * at_, 46) * 64 + hpa % 64};
  }

 private:
  void access(std::uint32_t offset, bool write, std::uint32_t value) {
    auto& top = *rtl_;
    test::set_bits(top->reg_req_i, 50 * at_ + 49, 1, 1);
    test::set_bits(top->reg_req_i, 50 * at_ + 48, 1, write);
    test::set_bits(top->reg_req_i, 50 * at_ + 32, 16, offset);
    test::set_bits(top->reg_req_i, 50 * at_, 32, value);
    top.edge();
    test::set_bits(top->reg_req_i, 50 * at_ + 49, 1, 0);
    top.settle();
  }

  std::unique_ptr<Clocked<Vhdm_decoder>> rtl_ = std::make_unique<Clocked<Vhdm_decoder>>();
  unsigned at_;
};

RtlDecoder rtl_device() {
  RtlDecoder d(HdmDecoder::Role::Device);
  d.write(0x04, 2);
  return d;
}

struct KnownAnswer {
  std::uint64_t hpa, base;
  unsigned iw, ig;
  std::uint64_t dpa_base;
  unsigned way;
  std::uint64_t dpa;
};
constexpr KnownAnswer kKnownAnswers[] = {
    {0x100012345, 0x100000000, 0, 0, 0, 0, 0x12345},
    {0x100012345, 0x100000000, 1, 0, 0, 1, 0x9145},
    {0x100012345, 0x100000000, 2, 2, 0, 0, 0x4b45},
    {0x2040000404, 0x2000000000, 3, 1, 0x100000000, 2, 0x108000004},  // CXL 2.0's example
    {0x24001c7f0, 0x240000000, 8, 0, 0x10000000, 2, 0x100097f0},
    {0x24001c7f0, 0x240000000, 9, 1, 0, 5, 0x4bf0},
    {0x2000006158, 0x2000000000, 10, 1, 0x100000000, 0, 0x100000958},
    {0x10fedcba98, 0x1000000000, 4, 4, 0, 11, 0xfedca98},
};

TEST(HdmDecoder, KnownAnswers) {
  test::shows("hdm", "1, 2, 4, 8, 16, 3, 6 and 12 ways decode to the known targets and addresses",
              "CXL 2.0, 8.2.5.12");
  for (const KnownAnswer& k : kKnownAnswers) {
    RtlDecoder d = rtl_device();
    const std::uint64_t size = 48 * kHdmChunk;  // a multiple of every number of ways
    ASSERT_TRUE(test::program(d, 0, {k.base, size, k.iw, k.ig, k.dpa_base, true}));
    const auto got = d.decode(k.hpa);
    ASSERT_TRUE(got) << std::hex << k.hpa;
    EXPECT_EQ(got->way, k.way) << std::hex << k.hpa;
    EXPECT_EQ(got->address, k.dpa) << std::hex << k.hpa;
  }
}

TEST(HdmDecoder, HostBridgeExampleOfTheSpecification) {
  RtlDecoder d(HdmDecoder::Role::HostBridge);
  ASSERT_TRUE(test::program(d, 0, {128 * kGiB, 4 * kGiB, 2, 1, 0x13121110, true}));
  const std::uint64_t hpa = 129 * kGiB + 1028;
  EXPECT_EQ(d.decode(hpa), (HdmDecoder::Decoded{0, 2, 0x12, hpa}));
}

// Every line of [0, ways x some granules) and of the end of the range: (way, DPA) leads back to the
// HPA, so no two HPAs share one; DPAs stay below size / ways, so all of it is covered.
TEST(HdmDecoder, EveryWayAndGranularityIsABijection) {
  test::shows(
      "hdm",
      "Host and device decoders together map every HPA of a range to one DPA, and none twice",
      "CXL 2.0, 8.2.5.12");
  for (unsigned iw : kWaysCodes) {
    for (unsigned ig = 0; ig <= 6; ++ig) {
      const std::uint64_t ways = interleave_ways(iw);
      const std::uint64_t base = 7 * kHdmChunk, size = ways * kHdmChunk, skip = 3 * kHdmChunk;
      const std::uint64_t granule = std::uint64_t{256} << ig;
      RtlDecoder device = rtl_device();
      RtlDecoder host(HdmDecoder::Role::HostBridge);
      ASSERT_TRUE(test::program(device, 0, {base, size, iw, ig, skip, true}));
      const bool host_can = host_has(iw);
      ASSERT_EQ(test::program(host, 0, {base, size, iw, ig, 0x1716151413121110, true}), host_can);
      const auto check = [&](std::uint64_t off) {
        const auto got = device.decode(base + off);
        ASSERT_TRUE(got);
        ASSERT_LT(got->way, ways);
        const std::uint64_t dpa = got->address - skip;
        ASSERT_LT(dpa, size / ways);
        ASSERT_EQ((dpa / granule * ways + got->way) * granule + dpa % granule, off);
        const auto from_host = host.decode(base + off);
        ASSERT_EQ(from_host.has_value(), host_can);
        if (host_can) {
          ASSERT_EQ(from_host->way, got->way);
          ASSERT_EQ(from_host->target, 0x10 + got->way);
          ASSERT_EQ(from_host->address, base + off);
        }
      };
      const std::uint64_t stretch = 3 * ways * granule;
      for (std::uint64_t off = 0; off < stretch; off += 64) {
        check(off + off / 64 % 64);  // any byte of the line
        check(size - 1 - off);
      }
      EXPECT_FALSE(device.decode(base - 1));
      EXPECT_FALSE(device.decode(base + size));
    }
  }
}

TEST(HdmDecoder, DpaBasesAccumulate) {
  test::shows("hdm", "The DPA base of a decoder is the sum of the skips and sizes before it",
              "CXL 2.0, 8.2.5.12");
  RtlDecoder d = rtl_device();
  ASSERT_TRUE(test::program(d, 0, {1 * kGiB, 1 * kGiB, 2, 0, kHdmChunk, true}));
  ASSERT_TRUE(test::program(d, 1, {2 * kGiB, 3 * kHdmChunk, 8, 3, 2 * kHdmChunk, true}));
  ASSERT_TRUE(test::program(d, 2, {4 * kGiB, 0, 0, 0, kHdmChunk, true}));  // size 0 is legal
  ASSERT_TRUE(test::program(d, 3, {4 * kGiB, kHdmChunk, 0, 0, 0, true}));
  EXPECT_EQ(d.decode(1 * kGiB)->address, kHdmChunk);
  EXPECT_EQ(d.decode(2 * kGiB - 1)->address, 2 * kHdmChunk - 1);
  EXPECT_EQ(d.decode(2 * kGiB)->address, 4 * kHdmChunk);
  EXPECT_EQ(d.decode(4 * kGiB)->address, 6 * kHdmChunk);
  EXPECT_EQ(d.decode(4 * kGiB)->decoder, 3u);
}

TEST(HdmDecoder, LowestDecoderWinsAndDeviceNeedsEnable) {
  test::shows("hdm", "A device decodes by HDM decoders only after HDM Decoder Enable",
              "CXL 2.0, 8.2.5.12");
  RtlDecoder d(HdmDecoder::Role::Device);
  ASSERT_TRUE(test::program(d, 0, {0, 2 * kHdmChunk, 0, 0, 0, false}));
  ASSERT_TRUE(test::program(d, 1, {kHdmChunk, 2 * kHdmChunk, 0, 0, 0, false}));
  EXPECT_FALSE(d.decode(0));
  d.write(0x04, 2);
  EXPECT_EQ(d.decode(kHdmChunk)->decoder, 0u);
  EXPECT_EQ(d.decode(2 * kHdmChunk)->decoder, 1u);
  EXPECT_FALSE(d.decode(3 * kHdmChunk));
  d.write(test::hdm_control(0), 0);  // Commit 1 -> 0, unlocked
  EXPECT_EQ(d.decode(kHdmChunk)->decoder, 1u);
  EXPECT_EQ(d.decode(kHdmChunk)->address, 0u);
}

TEST(HdmDecoder, CommittedFieldsAreReadOnly) {
  test::shows("hdm", "A committed decoder's fields cannot be written", "CXL 2.0, 8.2.5.12");
  for (bool lock : {false, true}) {
    RtlDecoder d(HdmDecoder::Role::HostBridge);
    ASSERT_TRUE(test::program(d, 0, {kGiB, kHdmChunk, 0, 0, 0x10, lock}));
    d.write(test::hdm_base(0), 0x80000000);
    d.write(test::hdm_list(0), 0x77);
    const std::uint32_t control = d.read(test::hdm_control(0));
    d.write(test::hdm_control(0), control | 0x21);
    EXPECT_EQ(d.read(test::hdm_base(0)), kGiB);
    EXPECT_EQ(d.read(test::hdm_list(0)), 0x10u);
    EXPECT_EQ(d.read(test::hdm_control(0)), control);
    d.write(test::hdm_control(0), 0);
    EXPECT_EQ(d.decode(kGiB).has_value(), lock);
    d.write(test::hdm_base(0), 0x80000000);
    EXPECT_EQ(d.read(test::hdm_base(0)), lock ? kGiB : 2 * kGiB);
  }
}

TEST(HdmDecoder, ChecksRunOnlyWithLock) {
  test::shows("hdm",
              "With Lock On Commit a decoder out of order, overlapping or ill-sized is refused",
              "CXL 2.0, 8.2.5.12");
  struct Case {
    test::HdmRange previous, range;
    const char* why;
  };
  const std::uint64_t top = std::uint64_t{1} << 52;
  const test::HdmRange first{0, 4 * kHdmChunk, 0, 0, 0x10, false};
  const Case cases[] = {
      {first, {3 * kHdmChunk, kHdmChunk, 0, 0, 0x11, true}, "base below previous end"},
      {first, {top - kHdmChunk, 2 * kHdmChunk, 0, 0, 0x11, true}, "wraps"},
      {first, {4 * kHdmChunk, 2 * kHdmChunk, 1, 0, 0x1111, true}, "targets equal"},
      {first, {4 * kHdmChunk, 3 * kHdmChunk, 1, 0, 0x1211, true}, "size no multiple"},
      {{0, 0, 15, 0, 0, false}, {kGiB, kHdmChunk, 0, 0, 0x11, true}, "previous not committed"},
  };
  for (const Case& c : cases) {
    RtlDecoder d(HdmDecoder::Role::HostBridge);
    test::program(d, 0, c.previous);
    EXPECT_FALSE(test::program(d, 1, c.range)) << c.why;
    EXPECT_TRUE(d.read(test::hdm_control(1)) & test::kHdmError) << c.why;
    test::HdmRange unlocked = c.range;
    unlocked.lock = false;
    EXPECT_TRUE(test::program(d, 1, unlocked)) << c.why;
    EXPECT_FALSE(d.read(test::hdm_control(1)) & test::kHdmError) << c.why;
  }
  for (const bool lock : {true, false}) {  // three ways are a device's
    RtlDecoder d = rtl_device();
    test::program(d, 0, {0, 4 * kHdmChunk, 0, 0, 0, false});
    EXPECT_EQ(test::program(d, 1, {4 * kHdmChunk, 4 * kHdmChunk, 8, 0, 0, lock}), !lock);
  }
  RtlDecoder ok(HdmDecoder::Role::HostBridge);
  test::program(ok, 0, first);
  EXPECT_TRUE(test::program(ok, 1, {top - 2 * kHdmChunk, 2 * kHdmChunk, 1, 0, 0x1211, true}));
  EXPECT_TRUE(ok.decode(top - 1));
}

// A commit checks the fields as they are, not as they were before a reset. A size of 0 may be
// committed (CXL 3.2, 8.2.4.20.12 and 14.13.10).
TEST(HdmDecoder, CommitStraightAfterAReset) {
  for (const auto role : {HdmDecoder::Role::HostBridge, HdmDecoder::Role::Device}) {
    RtlDecoder d(role);
    const std::uint64_t top = std::uint64_t{1} << 52;
    test::program(d, 0, {top - kHdmChunk, 2 * kHdmChunk, 0, 0, 0x10, false});
    d.reset();
    d.write(test::hdm_control(0), test::kHdmLock | test::kHdmCommit);
    EXPECT_EQ(d.read(test::hdm_control(0)) & (test::kHdmCommitted | test::kHdmError),
              test::kHdmCommitted);
  }
}

TEST(HdmDecoder, CodesThatNeverCommit) {
  test::shows("hdm", "Reserved way and granularity codes never commit", "CXL 2.0, 8.2.5.12");
  for (unsigned iw = 0; iw < 16; ++iw) {
    for (unsigned ig = 0; ig < 16; ++ig) {
      const unsigned ways = interleave_ways(iw);
      RtlDecoder device = rtl_device();
      RtlDecoder host(HdmDecoder::Role::HostBridge);
      const test::HdmRange range{0, 48 * kHdmChunk, iw, ig, 0x1716151413121110, false};
      EXPECT_EQ(test::program(host, 0, range), ig <= 6 && host_has(iw));
      EXPECT_EQ(test::program(device, 0, range), ig <= 6 && ways >= 1);
    }
  }
}

TEST(HdmDecoder, CommitTakesOneMoreEdge) {
  HdmDecoder d = test::device_decoder();
  test::write_pair(d, test::hdm_size(0), kHdmChunk);
  const auto control = [&] {
    return d.read(test::hdm_control(0)) >> 9 & 7;
  };  // error, done, commit
  HdmDecoder::In in{true, true, test::hdm_control(0), test::kHdmCommit, 0};
  d.clock(in);
  EXPECT_EQ(control(), 1u);
  EXPECT_FALSE(d.eval({}).hit);
  in.addr = test::hdm_size(0);
  in.wdata = 0;
  d.clock(in);  // fields are not writable while the commit runs
  EXPECT_EQ(control(), 3u);
  EXPECT_TRUE(d.eval({}).hit);
}

TEST(HdmDecoder, RegisterMap) {
  RtlDecoder host(HdmDecoder::Role::HostBridge);
  RtlDecoder device(HdmDecoder::Role::Device);
  EXPECT_EQ(host.read(0x00), 0x382u);
  EXPECT_EQ(device.read(0x00), 0x1b02u);
  EXPECT_EQ(HdmDecoder(HdmDecoder::Role::Device, 1).read(0) & 0xf, 0u);
  EXPECT_EQ(HdmDecoder(HdmDecoder::Role::Device, 10).read(0) & 0xf, 5u);
  for (std::uint32_t offset = 4; offset < 0x100; offset += 4) {
    host.write(offset, 0xfffff9ff);  // all but Commit
    device.write(offset, 0xfffff9ff);
  }
  EXPECT_EQ(host.read(0x04), 0u);
  EXPECT_EQ(device.read(0x04), 2u);
  for (unsigned n = 0; n < kDecoders; ++n) {
    for (RtlDecoder* d : {&host, &device}) {
      EXPECT_EQ(d->read(test::hdm_base(n)), 0xf0000000u);
      EXPECT_EQ(d->read(test::hdm_base(n) + 4), 0xff9ffu);
      EXPECT_EQ(d->read(test::hdm_size(n)), 0xf0000000u);
      EXPECT_EQ(d->read(test::hdm_size(n) + 4), 0xff9ffu);
      EXPECT_EQ(d->read(test::hdm_control(n)), 0x11ffu);
      EXPECT_EQ(d->read(test::hdm_list(n) + 8), 0u);
    }
    EXPECT_EQ(host.read(test::hdm_list(n)), 0xfffff9ffu);
    EXPECT_EQ(host.read(test::hdm_list(n) + 4), 0xfffff9ffu);
    EXPECT_EQ(device.read(test::hdm_list(n)), 0xf0000000u);
    EXPECT_EQ(device.read(test::hdm_list(n) + 4), 0xff9ffu);
  }
  EXPECT_EQ(host.read(0x90), 0u);
}

}  // namespace
}  // namespace cxlgpu
