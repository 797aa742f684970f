// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// flit_packer in lockstep with its twin, host and device: every mix of offers, holds, credits and
// enables; the offers hold while they are not taken.
#include "refmodel/controller/flit_packer.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "Vflit_packer.h"
#include "flits/codec.hpp"
#include "tests/common/idle.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/flit_bins.hpp"
#include "tests/flits/stream.hpp"

namespace cxlgpu::test {
namespace {

// Places without a message hold anything.
void drive(Vflit_packer& rtl, const FlitPacker::In& in, bool is_host, Idle& idle) {
  rtl.is_host_i = is_host;
  rtl.start_i = in.start;
  rtl.take_i = in.take;
  rtl.hold_new_i = in.hold_new;
  rtl.mdh_disable_i = in.mdh_disable;
  rtl.nd_valid_i = (1u << in.nd_valid) - 1;
  rtl.wd_valid_i = (1u << in.wd_valid) - 1;
  for (unsigned i = 0; i < 2; ++i) {
    set_header(rtl.nd_hdr_i, kHeaderPortBits * i, in.nd_hdr[i]);
    set_header(rtl.wd_hdr_i, kHeaderPortBits * i, in.wd[i].header);
    set_line(rtl.wd_data_i, 512 * i, in.wd[i].data);
    set_bits(rtl.wd_be_i, 64 * i, 64, in.wd[i].enables);
    if (i >= in.nd_valid) idle.fill(rtl.nd_hdr_i, kHeaderPortBits * i, kHeaderPortBits);
    if (i >= in.wd_valid) {
      idle.fill(rtl.wd_hdr_i, kHeaderPortBits * i, kHeaderPortBits);
      idle.fill(rtl.wd_data_i, 512 * i, 512);
      idle.fill(rtl.wd_be_i, 64 * i, 64);
    }
  }
  rtl.ak_i = in.ak;
  rtl.rsp_crd_i = in.rsp_crd;
  rtl.req_crd_i = in.req_crd;
  rtl.data_crd_i = in.data_crd;
}

void compare(Lockstep& run, const Vflit_packer& rtl, const FlitPacker::Out& out) {
  run.check("owed_o", rtl.owed_o, out.owed);
  run.check("is_adf_o", rtl.is_adf_o, out.is_adf);
  run.check("has_content_o", rtl.has_content_o, out.has_content);
  run.check("nd_take_o", rtl.nd_take_o, out.nd_take);
  run.check("wd_take_o", rtl.wd_take_o, out.wd_take);
  run.check("owed_next_o", rtl.owed_next_o, out.owed_next);
  run.check_bytes("flit_o", get_line(rtl.flit_o), out.flit);
}

struct Mix {
  unsigned nd, wd, partial, take, hold;
};
constexpr Mix kMixes[] = {{50, 50, 30, 70, 10},
                          {90, 90, 50, 100, 0},
                          {0, 100, 20, 100, 0},
                          {100, 20, 100, 90, 5},
                          {20, 5, 0, 50, 30}};

// Up to two waiting messages of each channel, topped up when taken.
class Offers {
 public:
  explicit Offers(Random& random) : random_(random) {}
  void top_up(const Mix& mix) {
    while (nd_.size() < 2 && random_.percent(mix.nd)) nd_.push_back(random_header(random_));
    while (wd_.size() < 2 && random_.percent(mix.wd)) {
      wd_.push_back(random_wd(random_, kHeaderPortBits, mix.partial));
    }
  }
  void fill(FlitPacker::In& in) const {
    in.nd_valid = nd_.size();
    in.wd_valid = wd_.size();
    std::copy(nd_.begin(), nd_.end(), in.nd_hdr.begin());
    std::copy(wd_.begin(), wd_.end(), in.wd.begin());
  }
  void taken(unsigned nd, unsigned wd) {
    nd_.erase(nd_.begin(), nd_.begin() + nd);
    wd_.erase(wd_.begin(), wd_.begin() + wd);
  }

 private:
  Random& random_;
  std::deque<MsgHeader> nd_;
  std::deque<WdMessage> wd_;
};

void lockstep(bool is_host, std::uint64_t seed) {
  Lockstep run("controller/flit_packer", seed);
  FlitBins bins(is_host ? flits::Direction::M2S : flits::Direction::S2M);
  Random random(run.seed());
  Clocked<Vflit_packer> rtl;
  Idle idle;
  FlitPacker twin(is_host);
  rtl.reset();
  Offers offers(random);
  Mix mix = kMixes[0];
  std::set<unsigned> owed_seen;
  bool mdh_disable = false;
  while (run.next()) {
    if (run.cycle() % 256 == 0) {
      mix = random.pick(kMixes);
      mdh_disable = random.percent(30);
    }
    if (random.below(2000) == 0) {
      rtl.reset();
      twin = FlitPacker(is_host);
    }
    offers.top_up(mix);
    FlitPacker::In in{.start = random.below(4000) == 0,
                      .take = random.percent(mix.take),
                      .hold_new = random.percent(mix.hold),
                      .mdh_disable = mdh_disable,
                      .ak = random.bits(1) != 0,
                      .rsp_crd = std::uint8_t(random.bits(4)),
                      .req_crd = std::uint8_t(random.bits(4)),
                      .data_crd = std::uint8_t(random.bits(4))};
    offers.fill(in);
    const FlitPacker::Out out = twin.eval(in);
    in.take = in.take && out.has_content;  // the link layer never sends an empty flit
    drive(*rtl, in, is_host, idle);
    rtl.settle();
    compare(run, *rtl, out);
    owed_seen.insert(out.owed);
    if (in.take) bins.look(coverage::Side::Packed, out.flit, out.owed);
    rtl.edge();
    twin.clock(in);
    if (in.take && !in.start) offers.taken(out.nd_take, out.wd_take);
  }
  if (run.cycle() > 20000) {
    EXPECT_GE(owed_seen.size(), is_host ? 6u : 7u);
  }
}

TEST(FlitPacker, Host) {
  test::shows("flit", "The RTL packs M2S messages as its twin does",
              "docs/blocks/controller/flit_packer.md");
  lockstep(true, 5);
}
TEST(FlitPacker, Device) {
  test::shows("flit", "The RTL packs S2M messages as its twin does",
              "docs/blocks/controller/flit_packer.md");
  lockstep(false, 6);
}

// ------------------------------------------------------------------------------- RTL only

// Legal messages at the RTL's ports; its flits are read by the decoder of flits/.
class Wire {
 public:
  Wire(bool is_host, std::uint64_t seed)
      : host_(is_host),
        random_(seed),
        fields_(seed + 1),
        decoder_(is_host ? flits::Direction::M2S : flits::Direction::S2M) {
    rtl_.reset();
  }
  void run(unsigned cycles) {
    Mix mix = kMixes[0];
    for (unsigned k = 0; k < cycles && !lost; ++k) {
      if (k % 256 == 0) mix = random_.pick(kMixes);
      step(mix);
    }
  }
  // Both channels offer all the time, every flit leaves.
  void run_full(unsigned cycles) {
    for (unsigned k = 0; k < cycles && !lost; ++k) step({100, 100, 50, 100, 0});
  }

  std::map<flits::DecodeRule, unsigned> findings;
  std::array<unsigned, flits::kMessageKinds> most{};  // of a kind in a flit
  unsigned messages = 0, all_data = 0, rolled = 0;    // rolled: flits with data of older messages
  unsigned behind_owed = 0;                           // messages that start in such a flit
  bool lost = false;                                  // something else came out than went in
  std::array<unsigned, 2> longest{};  // flits in a row that left an offered channel out

 private:
  MsgHeader message(flits::MessageKind kind) {
    return std::visit([](const auto& m) { return flits::pack(m); }, fields_.message(kind));
  }
  void top_up(const Mix& mix) {
    using enum flits::MessageKind;
    while (nd_.size() < 2 && random_.percent(mix.nd))
      nd_.push_back(message(host_ ? M2sReq : S2mNdr));
    while (wd_.size() < 2 && random_.percent(mix.wd)) {
      WdMessage wd{.header = message(host_ ? M2sRwd : S2mDrs)};
      wd.data = random_payload(random_);
      wd.enables = host_ ? random_enables(random_, mix.partial) : kAllEnables;
      wd_.push_back(wd);
    }
  }
  void step(const Mix& mix) {
    top_up(mix);
    FlitPacker::In in{.take = random_.percent(mix.take), .hold_new = random_.percent(mix.hold)};
    in.rsp_crd = static_cast<std::uint8_t>(random_.bits(host_ ? 4 : 3));
    in.req_crd = static_cast<std::uint8_t>(random_.bits(host_ ? 3 : 4));
    in.data_crd = static_cast<std::uint8_t>(random_.bits(4));
    in.ak = random_.percent(20);
    in.nd_valid = static_cast<unsigned>(nd_.size());
    in.wd_valid = static_cast<unsigned>(wd_.size());
    std::copy(nd_.begin(), nd_.end(), in.nd_hdr.begin());
    std::copy(wd_.begin(), wd_.end(), in.wd.begin());
    drive(*rtl_, in, host_, idle_);
    rtl_.settle();
    in.take = in.take && rtl_->has_content_o;
    rtl_->take_i = in.take;
    rtl_.settle();
    if (in.take) taken(rtl_->nd_take_o, rtl_->wd_take_o);
    rtl_.edge();
  }
  void taken(unsigned nd, unsigned wd) {
    for (const auto& [channel, took, offers] :
         {std::tuple{0u, nd, nd_.size()}, std::tuple{1u, wd, wd_.size()}}) {
      left_out_[channel] = took == 0 && offers > 0 ? left_out_[channel] + 1 : 0;
      longest[channel] = std::max(longest[channel], left_out_[channel]);
    }
    for (; nd > 0; --nd, nd_.pop_front()) sent_nd_.push_back(nd_.front());
    for (; wd > 0; --wd, wd_.pop_front()) sent_wd_.push_back(wd_.front());
    const unsigned owed = decoder_.owed();
    const flits::Decoded d = decoder_.decode(as_flit(get_line(rtl_->flit_o)));
    for (const flits::DecodeFinding& f : d.findings) ++findings[f.rule];
    all_data += d.kind == flits::FlitKind::AllData;
    rolled += owed > 0 && owed < 4;
    for (unsigned k = 0; k < d.headers.size(); ++k) {
      most[k] = std::max<unsigned>(most[k], d.headers[k]);
      if (owed > 0) behind_owed += d.headers[k];
    }
    for (const flits::Item& item : d.items) received(item);
  }
  void received(const flits::Item& item) {
    const MsgHeader header = std::visit([](const auto& m) { return flits::pack(m); }, item.message);
    ++messages;
    if (item.data_bytes == 0) {
      lost |= sent_nd_.empty() || header != sent_nd_.front();
      if (!sent_nd_.empty()) sent_nd_.pop_front();
      return;
    }
    lost |= sent_wd_.empty() || header != sent_wd_.front().header ||
            item.data != sent_wd_.front().data || item.byte_enables != sent_wd_.front().enables;
    if (!sent_wd_.empty()) sent_wd_.pop_front();
  }

  bool host_;
  Random random_;
  flits::test::Random fields_;
  flits::Decoder decoder_;
  Clocked<Vflit_packer> rtl_;
  Idle idle_;
  std::deque<MsgHeader> nd_, sent_nd_;
  std::deque<WdMessage> wd_, sent_wd_;
  std::array<unsigned, 2> left_out_{};
};

void stream(bool is_host) {
  Wire wire(is_host, 61);
  wire.run(20000);
  EXPECT_FALSE(wire.lost);
  EXPECT_TRUE(wire.findings.empty());
  EXPECT_GT(wire.messages, 5000u);
  EXPECT_GT(wire.all_data, 1000u);
  EXPECT_GT(wire.rolled, 1000u);
}
TEST(FlitPackerWire, StreamsM2S) {
  test::shows("flit",
              "Any stream of M2S messages is read back from the RTL's flits, rollover and all-data "
              "flits included",
              "CXL 2.0, flit packing");
  stream(true);
}
TEST(FlitPackerWire, StreamsS2M) {
  test::shows("flit",
              "Any stream of S2M messages is read back from the RTL's flits, rollover and all-data "
              "flits included",
              "CXL 2.0, flit packing");
  stream(false);
}

TEST(FlitPackerWire, OwedSlotsSayData) {
  test::shows("flit", "A slot that is owed to data is sent with the format code of data",
              "CXL 2.0, flit packing");
  for (const bool is_host : {true, false}) {
    Wire wire(is_host, 62);
    wire.run(5000);
    EXPECT_EQ(wire.findings[flits::DecodeRule::OwedSlotNotData], 0u);
    EXPECT_GT(wire.behind_owed, 500u);
  }
}
TEST(FlitPackerWire, BoundsPerFlit) {
  test::shows("flit",
              "No flit is sent with more messages of a kind than the tight packing rules allow",
              "CXL 2.0, flit packing rules");
  for (const bool is_host : {true, false}) {
    Wire wire(is_host, 63);
    wire.run(5000);
    EXPECT_EQ(wire.findings[flits::DecodeRule::TooManyMessages], 0u);
    EXPECT_EQ(wire.findings[flits::DecodeRule::SeveralDataHeaders], 0u);
    using enum flits::MessageKind;
    EXPECT_EQ(wire.most[flits::index(is_host ? M2sReq : S2mNdr)], 2u);
    EXPECT_EQ(wire.most[flits::index(is_host ? M2sRwd : S2mDrs)], is_host ? 1u : 2u);
  }
}
// Requests against writes, completions against data: with both offered all the time each leaves in
// every flit but the all-data ones and, for a write, those whose last free slot is slot 0. Of these
// never two stand in a row.
TEST(FlitPackerWire, NeitherChannelWaits) {
  for (const bool is_host : {true, false}) {
    Wire wire(is_host, 67);
    wire.run_full(5000);
    EXPECT_EQ(wire.longest[0], 1u);
    EXPECT_EQ(wire.longest[1], 1u);
    EXPECT_FALSE(wire.lost);
    EXPECT_GT(wire.messages, 5000u);
  }
}
TEST(FlitPackerWire, ReservedFieldsAreZero) {
  test::shows("flit", "Reserved fields are sent as zero", "CXL 2.0, link layer");
  for (const bool is_host : {true, false}) {
    Wire wire(is_host, 64);
    wire.run(5000);
    EXPECT_EQ(wire.findings[flits::DecodeRule::NonzeroReserved], 0u);
    EXPECT_EQ(wire.findings[flits::DecodeRule::ReservedSlotFormat], 0u);
    EXPECT_GT(wire.messages, 1000u);
  }
}

// The worked flits of flits/vectors/flits.json that a packer of ours sends: message and credits at
// its ports are cut out of the flit by hand-written bit positions.
TEST(FlitPackerByHand, KnownFlits) {
  test::shows("flit", "Known flits are sent to the bit", "CXL 2.0, link layer");
  std::map<std::string, Payload> vectors;
  std::ifstream file(CXLGPU_SOURCE_DIR "/flits/vectors/flits.json");
  const auto json = nlohmann::json::parse(file);
  for (const auto& v : json["vectors"]) {
    const auto flit = flits::Flit::from_hex(v["flit"].get<std::string>());
    ASSERT_TRUE(flit);
    vectors[v["name"]] = as_payload(*flit);
  }
  Payload line;
  for (unsigned i = 0; i < line.size(); ++i) line[i] = static_cast<std::uint8_t>(i);
  struct Case {
    const char* name;
    bool host, data;
    unsigned bits;  // of the message, from bit 32 of slot 0
  };
  for (const Case& c :
       {Case{"MemRd", true, false, 81}, Case{"MemWr with its first three chunks", true, true, 81},
        Case{"one NDR in H4, credits", false, false, 30},
        Case{"DRS in H3 with three chunks", false, true, 40}}) {
    SCOPED_TRACE(c.name);
    const Payload& expected = vectors.at(c.name);
    MsgHeader header = get_slot(expected, 0) >> 32 & flits::low_mask(c.bits);
    if (std::string(c.name).starts_with("one NDR")) {
      header = (header & flits::low_mask(28)) | (get_slot(expected, 0) >> 90 & 3) << 28;
    }
    FlitPacker::In in{.take = true};
    in.rsp_crd = expected[2] >> 4;
    in.req_crd = expected[3] & 0xf;
    in.data_crd = expected[3] >> 4;
    in.nd_valid = c.data ? 0 : 1;
    in.wd_valid = c.data ? 1 : 0;
    in.nd_hdr[0] = header;
    in.wd[0] = {.header = header, .data = line, .enables = kAllEnables};
    Clocked<Vflit_packer> rtl;
    Idle idle;
    drive(*rtl, {}, c.host, idle);
    rtl.reset();
    drive(*rtl, in, c.host, idle);
    rtl.settle();
    EXPECT_EQ(get_line(rtl->flit_o), expected);
    rtl.edge();
    drive(*rtl, {.take = c.data}, c.host, idle);
    rtl.settle();
    EXPECT_EQ(rtl->has_content_o, c.data);
    if (c.data) {
      EXPECT_EQ(get_line(rtl->flit_o), vectors.at("fourth chunk of the MemWr"));
    }
  }
}

// CXL 2.0, slot formats: the DevLoad of the first of two NDRs stands behind the second.
TEST(FlitPackerByHand, NdrPairIsSplit) {
  test::shows("flit", "A pair of NDRs in one slot is sent split as specified",
              "CXL 2.0, slot formats");
  for (unsigned loads = 0; loads < 16; ++loads) {
    FlitPacker::In in{.take = true};
    in.nd_valid = 2;
    in.nd_hdr[0] = MsgHeader{1} | MsgHeader{0xabcd} << 8 | MsgHeader{loads & 3} << 28;
    in.nd_hdr[1] = MsgHeader{1} | MsgHeader{0x1234} << 8 | MsgHeader{loads >> 2} << 28;
    Clocked<Vflit_packer> rtl;
    Idle idle;
    drive(*rtl, {}, false, idle);
    rtl.reset();
    drive(*rtl, in, false, idle);
    rtl.settle();
    MsgHeader slot = MsgHeader{4} << 5;  // H4
    slot |= (MsgHeader{1} | MsgHeader{0xabcd} << 8) << 32;
    slot |= (MsgHeader{1} | MsgHeader{0x1234} << 8) << 60;
    slot |= MsgHeader{loads >> 2} << 88;
    slot |= MsgHeader{loads & 3} << 90;
    EXPECT_EQ(header_bytes(get_slot(get_line(rtl->flit_o), 0)), header_bytes(slot));
    EXPECT_EQ(rtl->nd_take_o, 2);
  }
}

}  // namespace
}  // namespace cxlgpu::test
