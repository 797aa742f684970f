// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// flit_unpacker in lockstep with its twin, host and device. Flits are drawn slot by slot from all
// formats of the direction (more than our packer ever sends), with a share of illegal ones.
#include "refmodel/controller/flit_unpacker.hpp"

#include <span>

#include "Vflit_unpacker.h"
#include "flits/codec.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/flit_bins.hpp"

namespace cxlgpu::test {
namespace {

struct Mix {
  unsigned valid_message;  // percent of the places that hold a message
  unsigned cache;          // percent of the CXL.cache places that hold one (an error)
  unsigned wild;           // percent of slots with any code and any bits
  unsigned sz;             // percent of flits with Sz
  unsigned be;
  // What is owed and what a data header owes stands in G0 slots, and opcodes are not reserved.
  bool tidy = false;
  // Few tags, so that a DRS of 32 bytes meets its other half.
  bool few_tags = false;
};
constexpr Mix kLegal{60, 0, 0, 100, 30};
constexpr Mix kMixes[] = {kLegal,
                          {90, 0, 0, 100, 0},
                          {30, 0, 0, 100, 50},
                          {60, 5, 5, 95, 30},
                          {50, 20, 40, 50, 50},
                          {50, 0, 0, 100, 50, true},
                          {25, 0, 0, 100, 10, true},
                          {60, 0, 0, 20, 5, false, true},
                          {60, 5, 5, 50, 20, false, true},
                          {40, 0, 0, 0, 0, true, true}};
// Lines in halves, with and without other lines between and byte enables.
constexpr Mix kHalves[] = {{60, 0, 0, 0, 0, true, true},   {30, 0, 0, 0, 0, true, true},
                           {60, 0, 0, 20, 0, true, true},  {60, 0, 0, 50, 0, true, true},
                           {60, 0, 0, 10, 10, true, true}, {60, 2, 2, 30, 10, false, true}};
// The legal flits that chance seldom makes: data headers far back, behind what is owed.
constexpr Mix kTidy[] = {{50, 0, 0, 100, 100, true}, {30, 0, 0, 100, 90, true},
                         {50, 0, 0, 100, 50, true},  {50, 0, 0, 100, 0, true},
                         {30, 0, 0, 100, 0, true},   {70, 0, 0, 100, 0, true}};

constexpr std::uint8_t kHostFormats[] = {0, 3, 3, 4, 5, 0};  // S2M header slots
constexpr std::uint8_t kHostGeneric[] = {0, 4, 5, 6, 0};
constexpr std::uint8_t kDeviceFormats[] = {0, 4, 5, 4, 5};  // M2S
constexpr std::uint8_t kDeviceGeneric[] = {0, 4, 5, 0};

class FlitMaker {
 public:
  FlitMaker(Random& random, bool is_host) : random_(random), is_host_(is_host) {}

  // A protocol flit (or a control flit) when `owed` data slots are owed; if the mix is not tidy,
  // owed slots get data like any empty ones.
  Payload make(const Mix& mix, unsigned owed) {
    Payload flit{};
    unsigned data = mix.tidy ? owed : 0;  // slots to come
    flits::FlitHeader header;
    header.ak = random_.bits(1) != 0;
    header.sz = random_.percent(mix.sz);
    header.be = random_.percent(mix.be);
    for (unsigned slot = 0; slot < 4; ++slot) {
      if (slot > 0 && data > 0) {
        --data;
        or_slot(flit, slot, random_bits(slot));
        continue;
      }
      header.format[slot] = code(slot);
      if (random_.percent(mix.wild)) {
        header.format[slot] = std::uint8_t(random_.bits(3));
        or_slot(flit, slot, random_bits(slot));
      } else if (slot > 0 && header.format[slot] == 0) {
        or_slot(flit, slot, random_bits(slot));
      } else {
        const bool owes = messages(flit, slot, header.format[slot], mix);
        if (mix.tidy && owes) data += (header.sz ? 4 : 2) + (header.be ? 1 : 0);
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
    if (is_host_) return slot == 0 ? random_.pick(kHostFormats) : random_.pick(kHostGeneric);
    return slot == 0 ? random_.pick(kDeviceFormats) : random_.pick(kDeviceGeneric);
  }
  // Anything but reserved opcodes.
  template <typename Message, typename Opcode>
  MsgHeader with_opcode() {
    auto message = flits::unpack<Message>(random_header(random_));
    message.opcode = random_.pick(flits::NamesOf<Opcode>::table).value;
    return flits::pack(message);
  }
  MsgHeader defined(flits::MessageKind kind) {
    using enum flits::MessageKind;
    if (kind == M2sReq) return with_opcode<flits::M2sReq, flits::M2sReqOpcode>();
    if (kind == M2sRwd) return with_opcode<flits::M2sRwd, flits::M2sRwdOpcode>();
    if (kind == S2mNdr) return with_opcode<flits::S2mNdr, flits::S2mNdrOpcode>();
    if (kind == S2mDrs) return with_opcode<flits::S2mDrs, flits::S2mDrsOpcode>();
    return random_header(random_);
  }
  // The tag and LD-ID of a few; the reserved bits stay as they are.
  MsgHeader one_of_few(MsgHeader drs) {
    auto message = flits::unpack<flits::S2mDrs>(drs);
    const MsgHeader rest = drs ^ flits::pack(message);
    message.tag = static_cast<std::uint16_t>(random_.percent(80) ? 0x8001 : random_.below(3));
    message.ld_id = static_cast<std::uint8_t>(random_.percent(90) ? 9 : random_.bits(4));
    message.poison = random_.percent(20);
    return flits::pack(message) | rest;
  }
  // Whether one of them is a data header.
  bool messages(Payload& flit, unsigned slot, unsigned code, const Mix& mix) {
    bool data = false;
    const auto direction = is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    for (const flits::Placement& at : flits::slot_format(direction, slot, code).places()) {
      const bool cache = flits::is_cache(at.kind);
      MsgHeader message = mix.tidy ? defined(at.kind) : random_header(random_);
      if (mix.few_tags && at.kind == flits::MessageKind::S2mDrs) message = one_of_few(message);
      if (!random_.percent(cache ? mix.cache : mix.valid_message)) message &= ~MsgHeader{1};
      data |= (message & 1) != 0 && flits::carries_data(at.kind);
      or_slot(flit, slot, place_message(message, at));
    }
    return data;
  }

  Random& random_;
  bool is_host_;
};

void compare(Lockstep& run, const Vflit_unpacker& rtl, const FlitUnpacker::Out& out) {
  run.check("owed_o", rtl.owed_o, out.owed);
  run.check("is_protocol_o", rtl.is_protocol_o, out.is_protocol);
  run.check("is_control_o", rtl.is_control_o, out.is_control);
  run.check("err_o", rtl.err_o, out.err);
  run.check("nd_valid_o", rtl.nd_valid_o, (1u << out.nd_valid) - 1);
  run.check("wd_valid_o", rtl.wd_valid_o, out.wd_valid);
  run.check("wd_half_o", rtl.wd_half_o, out.wd_half);
  for (unsigned i = 0; i < out.nd_valid; ++i) {
    run.check_bytes("nd_hdr_o", header_bytes(get_header_port(rtl.nd_hdr_o, kHeaderPortBits * i)),
                    header_bytes(out.nd_hdr[i]));
  }
  if (!out.wd_valid) return;
  run.check_bytes("wd_hdr_o", header_bytes(get_header_port(rtl.wd_hdr_o)),
                  header_bytes(out.wd.header));
  run.check_bytes("wd_data_o", get_line(rtl.wd_data_o), out.wd.data);
  run.check("wd_be_o", rtl.wd_be_o, out.wd.enables);
}

void lockstep(bool is_host, std::uint64_t seed, std::span<const Mix> mixes = kMixes) {
  Lockstep run("controller/flit_unpacker", seed);
  FlitBins bins(is_host ? flits::Direction::S2M : flits::Direction::M2S);
  HalfBins half_bins;
  Random random(run.seed());
  Clocked<Vflit_unpacker> rtl;
  FlitUnpacker twin(is_host);
  rtl.reset();
  FlitMaker maker(random, is_host);
  Mix mix = kLegal;
  std::uint64_t messages = 0, errors = 0, halves = 0;
  bool mdh_disable = false;
  while (run.next()) {
    if (run.cycle() % 256 == 0) mix = random.pick(mixes);
    if (random.below(100) == 0) mdh_disable = random.percent(30);
    const FlitUnpacker::In in{.start = random.below(3000) == 0,
                              .mdh_disable = mdh_disable,
                              .valid = random.percent(80),
                              .flit = maker.make(mix, twin.owed())};
    rtl->is_host_i = is_host;
    rtl->start_i = in.start;
    rtl->mdh_disable_i = in.mdh_disable;
    rtl->valid_i = in.valid;
    set_line(rtl->flit_i, 0, in.flit);
    rtl.settle();
    const FlitUnpacker::Out out = twin.eval(in);
    compare(run, *rtl, out);
    messages += out.nd_valid + (out.wd_valid ? 1 : 0);
    errors += out.err ? 1 : 0;
    halves += out.wd_half ? 1 : 0;
    if (in.valid) bins.look(coverage::Side::Unpacked, in.flit, out.owed);
    if (in.valid && is_host) half_bins.look(in.flit, out.owed, out.wd_half);
    rtl.edge();
    twin.clock(in);
  }
  if (run.cycle() < 20000) return;
  EXPECT_GT(messages, run.cycle() / 4);
  if (mixes.data() == kMixes) {
    EXPECT_GT(errors, run.cycle() / 50);
  }
  if (mixes.data() == kHalves && is_host) {
    EXPECT_GT(halves, run.cycle() / 20);
  }
}

TEST(FlitUnpacker, Host) {
  test::shows("flit", "The RTL unpacks S2M flits as its twin does",
              "docs/blocks/controller/flit_unpacker.md");
  lockstep(true, 7);
}
TEST(FlitUnpacker, Device) {
  test::shows("flit", "The RTL unpacks M2S flits as its twin does",
              "docs/blocks/controller/flit_unpacker.md");
  lockstep(false, 8);
}
TEST(FlitUnpacker, HostTidy) {
  for (const std::uint64_t seed : {9u, 10u, 11u}) lockstep(true, seed, kTidy);
}
TEST(FlitUnpacker, DeviceTidy) {
  lockstep(false, 12, kTidy);
}
TEST(FlitUnpacker, HostHalves) {
  lockstep(true, 13, kHalves);
}
TEST(FlitUnpacker, DeviceShortWrites) {
  lockstep(false, 14, kHalves);
}

// ------------------------------------------------------------------------------- by hand, RTL only

class ByHand {
 public:
  explicit ByHand(bool is_host) : is_host_(is_host) {
    rtl->is_host_i = is_host;
    rtl.reset();
  }
  // An accepted flit; the outputs stand until the next.
  void flit(const flits::ProtocolFlit& content) {
    const auto direction = is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    payload(as_payload(flits::encode(direction, content)));
  }
  void payload(const Payload& bytes) {
    if (fresh_) rtl.edge();
    fresh_ = true;
    rtl->valid_i = 1;
    set_line(rtl->flit_i, 0, bytes);
    rtl.settle();
  }
  void expect(bool line, bool half, bool err) {
    EXPECT_EQ(rtl->wd_valid_o != 0, line);
    EXPECT_EQ(rtl->wd_half_o != 0, half);
    EXPECT_EQ(rtl->err_o != 0, err);
  }
  [[nodiscard]] flits::S2mDrs drs() {
    return flits::unpack<flits::S2mDrs>(get_header_port(rtl->wd_hdr_o));
  }
  // The line holds these bytes, each 16 times, and every byte is enabled.
  void expect_line(std::array<std::uint8_t, 4> chunks) {
    Payload line;
    for (unsigned i = 0; i < line.size(); ++i) line[i] = chunks[i / 16];
    EXPECT_EQ(get_line(rtl->wd_data_o), line);
    EXPECT_EQ(rtl->wd_be_o, ~std::uint64_t{0});
  }
  Clocked<Vflit_unpacker> rtl;

 private:
  bool is_host_, fresh_ = false;
};

// An S2M DRS in H3 with what follows in slots 1 to 3 (chunks of one byte value).
flits::ProtocolFlit drs_flit(std::uint16_t tag, bool whole, std::array<std::uint8_t, 3> slots = {},
                             bool poison = false, std::uint8_t ld_id = 0) {
  flits::S2mDrs m;
  m.tag = tag;
  m.poison = poison;
  m.ld_id = ld_id;
  flits::ProtocolFlit f;
  f.header.format[0] = 3;
  f.header.sz = whole;
  f.slots[0].messages = {m};
  for (unsigned s = 1; s < 4; ++s) {
    f.slots[s].is_data = true;
    f.slots[s].raw.fill(slots[s - 1]);
  }
  return f;
}

// CXL 2.0, 3.3 and table 47: a line of two halves, the lower one first.
TEST(FlitUnpackerByHand, LineInTwoHalves) {
  test::shows("flit", "A line that comes in two halves of 32 bytes is put together",
              "CXL 2.0, 3.3 and table 47");
  ByHand host(true);
  host.flit(drs_flit(5, false, {0x11, 0x12, 0}));
  host.expect(false, true, false);
  EXPECT_EQ(host.rtl->owed_o, 0);
  host.flit({});  // an empty flit between
  host.expect(false, false, false);
  host.flit(drs_flit(5, false, {0x13, 0x14, 0}));
  host.expect(true, false, false);
  host.expect_line({0x11, 0x12, 0x13, 0x14});
  EXPECT_EQ(host.drs().tag, 5);
  EXPECT_FALSE(host.drs().poison);
  // The next is a first half again; either half's poison is the line's.
  for (const auto& [first, second] : {std::pair{false, true}, {true, false}, {true, true}}) {
    host.flit(drs_flit(6, false, {1, 2, 0}, first));
    host.expect(false, true, false);
    host.flit(drs_flit(6, false, {3, 4, 0}, second));
    host.expect(true, false, false);
    EXPECT_TRUE(host.drs().poison);
  }
  // A second half whose header comes before the first half's data: in slot 0, behind three owed.
  host.flit(drs_flit(7, true, {1, 2, 3}));  // one chunk owed
  auto f = drs_flit(8, false, {4, 0x21, 0x22});
  host.flit(f);
  host.expect(true, true, false);
  host.expect_line({1, 2, 3, 4});
  host.flit(drs_flit(8, false, {0x23, 0x24, 0}));
  host.expect(true, false, false);
  host.expect_line({0x21, 0x22, 0x23, 0x24});
  EXPECT_EQ(host.drs().tag, 8);
}

// CXL 2.0, tables 30, 36, 39, 42 and 8.2.5.9.1: the flit of a message with a reserved opcode is the
// one to be logged, so the error is raised with the flit. Bit positions of the figures: header bits
// 7:5 and 10:8 are the codes of slots 0 and 1.
TEST(FlitUnpackerByHand, ReservedOpcodesAreErrors) {
  struct Place {
    bool is_host;
    unsigned slot, code, at;  // of the message's valid bit, in its slot
    unsigned bits;            // of its opcode
    std::vector<unsigned> known;
  };
  const std::vector<Place> places = {
      {true, 0, 0, 89, 3, {0, 1, 2}},  // H0: NDR
      {true, 0, 3, 32, 3, {0}},        // H3: DRS
      {true, 0, 3, 72, 3, {0, 1, 2}},  // H3: NDR
      {true, 0, 4, 32, 3, {0, 1, 2}},  // H4: two NDR
      {true, 0, 4, 60, 3, {0, 1, 2}},
      {true, 0, 5, 32, 3, {0}},  // H5: two DRS
      {true, 0, 5, 72, 3, {0}},
      {true, 1, 4, 0, 3, {0}},  // G4: DRS, two NDR
      {true, 1, 4, 40, 3, {0, 1, 2}},
      {true, 1, 4, 68, 3, {0, 1, 2}},
      {true, 1, 5, 0, 3, {0, 1, 2}},  // G5: two NDR
      {true, 1, 5, 28, 3, {0, 1, 2}},
      {true, 1, 6, 0, 3, {0}},  // G6: three DRS
      {true, 1, 6, 40, 3, {0}},
      {true, 1, 6, 80, 3, {0}},
      {false, 0, 4, 32, 4, {1, 2}},           // H4: RwD
      {false, 0, 5, 32, 4, {0, 1, 2, 8, 9}},  // H5: Req
      {false, 1, 4, 0, 4, {0, 1, 2, 8, 9}},   // G4: Req
      {false, 1, 5, 0, 4, {1, 2}},            // G5: RwD
  };
  for (const Place& place : places) {
    for (unsigned opcode = 0; opcode < 1u << place.bits; ++opcode) {
      for (const bool valid : {true, false}) {
        ByHand end(place.is_host);
        Payload flit{};
        flits::FlitHeader header;
        header.sz = true;
        header.format[place.slot] = static_cast<std::uint8_t>(place.code);
        or_slot(flit, 0, flits::pack_header(header));
        or_slot(flit, place.slot, MsgHeader{valid | opcode << 1} << place.at);
        end.payload(flit);
        const bool known = std::ranges::find(place.known, opcode) != place.known.end();
        EXPECT_EQ(end.rtl->err_o != 0, valid && !known)
            << (place.is_host ? "S2M" : "M2S") << " slot " << place.slot << " format " << place.code
            << " bit " << place.at << " opcode " << opcode << " valid " << valid;
      }
    }
  }
}

// The slot behind the two chunks is a message slot again.
TEST(FlitUnpackerByHand, SlotsBehindAHalf) {
  ByHand host(true);
  auto f = drs_flit(5, false, {0x31, 0x32, 0});
  flits::S2mNdr first, second;
  first.tag = 0x101;
  second.tag = 0x102;
  f.header.format[3] = 5;
  f.slots[3] = {};
  f.slots[3].messages = {first, second};
  host.flit(f);
  host.expect(false, true, false);
  EXPECT_EQ(host.rtl->nd_valid_o, 3);
  // A second data header there is an error and does not count, the completion beside it does.
  f = drs_flit(5, false, {0x33, 0x34, 0});
  flits::S2mDrs other;
  other.tag = 9;
  f.header.format[3] = 4;
  f.slots[3] = {};
  f.slots[3].messages = {other, first};
  host.flit(f);
  host.expect(true, false, true);
  host.expect_line({0x31, 0x32, 0x33, 0x34});
  EXPECT_EQ(host.rtl->nd_valid_o, 1);
  host.flit({});
  EXPECT_EQ(host.rtl->owed_o, 0);
}

// What is no second half ends the waiting one, is told, and is taken for itself.
TEST(FlitUnpackerByHand, HalfWithoutItsOther) {
  for (const auto& [tag, ld_id] : {std::pair{6, 0}, {5, 1}}) {
    ByHand host(true);
    host.flit(drs_flit(5, false, {1, 2, 0}));
    host.flit(drs_flit(static_cast<std::uint16_t>(tag), false, {3, 4, 0}, false,
                       static_cast<std::uint8_t>(ld_id)));
    host.expect(false, true, true);
    host.flit(drs_flit(static_cast<std::uint16_t>(tag), false, {5, 6, 0}, false,
                       static_cast<std::uint8_t>(ld_id)));
    host.expect(true, false, false);
    host.expect_line({3, 4, 5, 6});
  }
  ByHand whole(true);
  whole.flit(drs_flit(5, false, {1, 2, 0}));
  whole.flit(drs_flit(5, true, {3, 4, 5}));
  whole.expect(false, false, true);
  whole.flit({});
  whole.expect(true, false, false);
  whole.flit(drs_flit(5, false, {7, 8, 0}));
  whole.expect(false, true, false);  // no half was waiting any more
  ByHand started(true);
  started.flit(drs_flit(5, false, {1, 2, 0}));
  started.rtl->start_i = 1;
  started.flit({});
  started.rtl.edge();
  started.rtl->start_i = 0;
  started.flit(drs_flit(5, false, {3, 4, 0}));
  started.expect(false, true, false);
}

TEST(FlitUnpackerByHand, HalfWithByteEnables) {
  ByHand host(true);
  auto f = drs_flit(5, false, {1, 2, 0xEE});
  f.header.be = true;
  host.flit(f);
  host.expect(false, true, true);
  f = drs_flit(5, false, {3, 4, 0xEE});
  f.header.be = true;
  host.flit(f);
  host.expect(true, false, true);
  host.expect_line({1, 2, 3, 4});
  EXPECT_EQ(host.rtl->owed_o, 0);
}

// A place of a data header outside a slot of several: its valid bit and its opcode's first bit.
struct DataPlace {
  bool is_host;
  unsigned slot, code, at;
  MsgHeader message;
};

// Only a host's write comes with byte enables (a device's CXL.cache data is not of this link): the
// flit of a DRS with BE = 1 is the one to be logged.
TEST(FlitUnpackerByHand, ByteEnablesOfADrs) {
  test::shows("flit", "A DRS with byte enables is an error, a write with them is none",
              "CXL 2.0, 4.2.2, table 47");
  for (const DataPlace& place :
       {DataPlace{true, 0, 3, 32, 1}, DataPlace{true, 1, 4, 0, 1},
        DataPlace{false, 0, 4, 32, 1 | 2 << 1}, DataPlace{false, 1, 5, 0, 1 | 2 << 1}}) {
    for (const bool be : {false, true}) {
      SCOPED_TRACE(::testing::Message()
                   << (place.is_host ? "S2M" : "M2S") << " slot " << place.slot << " BE " << be);
      ByHand end(place.is_host);
      Payload flit{};
      flits::FlitHeader header;
      header.sz = true;
      header.be = be;
      header.format[place.slot] = static_cast<std::uint8_t>(place.code);
      or_slot(flit, 0, flits::pack_header(header));
      or_slot(flit, place.slot, place.message << place.at);
      end.payload(flit);
      EXPECT_EQ(end.rtl->err_o != 0, be && place.is_host);
      end.payload(Payload{});
      EXPECT_EQ(end.rtl->err_o, 0);
      // Four chunks are 64 bytes; the enables are one more.
      EXPECT_EQ(end.rtl->owed_o, (be ? 5 : 4) - (3 - place.slot));
    }
  }
  // A BE bit alone, with no data header, is of nobody.
  ByHand host(true);
  Payload flit{};
  flits::FlitHeader header;
  header.be = true;
  or_slot(flit, 0, flits::pack_header(header));
  host.payload(flit);
  EXPECT_EQ(host.rtl->err_o, 0);
}

// A write is 64 bytes: half a one is dropped, and what comes behind it is read right.
TEST(FlitUnpackerByHand, ShortWriteIsDropped) {
  ByHand device(false);
  for (const bool be : {false, true}) {
    flits::M2sRwd m;
    m.tag = 3;
    flits::ProtocolFlit f;
    f.header.format[0] = 4;
    f.header.be = be;
    f.slots[0].messages = {m};
    f.header.format[3] = be ? 0 : 4;
    if (!be) f.slots[3].messages = {flits::M2sReq{}};
    device.flit(f);
    device.expect(false, false, true);
    EXPECT_EQ(device.rtl->nd_valid_o, be ? 0 : 1);
    f.header.sz = true;
    f.header.be = false;
    f.header.format[3] = 0;
    f.slots[3] = {};
    device.flit(f);
    device.expect(false, false, false);
    device.flit({});
    device.expect(true, false, false);
    EXPECT_EQ(device.rtl->owed_o, 1);
  }
}

// Slots of several data headers while they are switched off: told, and taken all the same.
TEST(FlitUnpackerByHand, MdhWhileDisabled) {
  test::shows("flit", "A slot of several data headers while they are disabled is an error",
              "CXL 2.0, flit packing");
  for (const bool disabled : {false, true}) {
    for (const unsigned slot : {0u, 1u}) {
      ByHand host(true);
      host.rtl->mdh_disable_i = disabled;
      flits::ProtocolFlit f;
      f.header.sz = true;
      f.header.format[slot] = slot == 0 ? 5 : 6;
      f.slots[slot].messages = {flits::S2mDrs{}, flits::S2mDrs{}};
      host.flit(f);
      host.expect(false, false, disabled);
      Payload adf{};
      host.payload(adf);
      EXPECT_EQ(host.rtl->owed_o, slot == 0 ? 5 : 6);
      host.expect(true, false, false);
      f.slots[slot].messages = {};  // none is there
      ByHand empty(true);
      empty.rtl->mdh_disable_i = disabled;
      empty.flit(f);
      empty.expect(false, false, false);
    }
  }
}

// ------------------------------------------------------------------------------- slot formats

// Where a message of CXL.mem stands, from the figures of the slot formats. The last two bits of the
// first of two NDRs stand behind the second: 28 bits here, the pair has a test of its own.
struct Place {
  bool s2m;
  bool header;  // H or G
  unsigned code, at, width;
  bool data;
};
constexpr Place kPlaces[] = {{true, true, 0, 89, 30, false},  {true, true, 3, 32, 40, true},
                             {true, true, 3, 72, 30, false},  {true, true, 4, 32, 28, false},
                             {true, true, 4, 60, 30, false},  {true, true, 5, 32, 40, true},
                             {true, true, 5, 72, 40, true},   {true, false, 4, 0, 40, true},
                             {true, false, 4, 40, 28, false}, {true, false, 4, 68, 30, false},
                             {true, false, 5, 0, 28, false},  {true, false, 5, 28, 30, false},
                             {true, false, 6, 0, 40, true},   {true, false, 6, 40, 40, true},
                             {true, false, 6, 80, 40, true},  {false, true, 4, 32, 87, true},
                             {false, true, 5, 32, 87, false}, {false, false, 4, 0, 87, false},
                             {false, false, 5, 0, 87, true}};

// One message alone in each place, all its bits: it comes out as it is, and nothing else does.
TEST(FlitUnpackerByHand, SlotFormats) {
  test::shows("flit", "Slot formats H0..H6 and G0..G6 place their CXL.mem messages",
              "CXL 2.0, slot formats");
  Random random(65);
  for (const Place& p : kPlaces) {
    for (unsigned slot = p.header ? 0 : 1; slot < (p.header ? 1u : 4u); ++slot) {
      SCOPED_TRACE(::testing::Message() << (p.s2m ? "S2M " : "M2S ") << (p.header ? 'H' : 'G')
                                        << p.code << " bit " << p.at << " slot " << slot);
      ByHand end(p.s2m);
      const MsgHeader message = known_header(random, p.s2m, p.data, p.width);
      flits::FlitHeader header;
      header.format[slot] = static_cast<std::uint8_t>(p.code);
      header.sz = p.data;
      Payload flit{};
      or_slot(flit, 0, flits::pack_header(header));
      or_slot(flit, slot, message << p.at);
      end.payload(flit);
      end.expect(false, false, false);
      EXPECT_EQ(end.rtl->nd_valid_o, p.data ? 0 : 1);
      if (!p.data) {
        EXPECT_EQ(header_bytes(get_header_port(end.rtl->nd_hdr_o)), header_bytes(message));
        continue;
      }
      end.payload({});
      end.expect(true, false, false);
      EXPECT_EQ(header_bytes(get_header_port(end.rtl->wd_hdr_o)), header_bytes(message));
      end.payload({});
      EXPECT_EQ(end.rtl->owed_o, 0);
    }
  }
}

TEST(FlitUnpackerByHand, NdrPairIsSplit) {
  test::shows("flit", "A pair of NDRs in one slot is taken apart as specified",
              "CXL 2.0, slot formats");
  struct Pair {
    unsigned slot, code, first, second, second_load, first_load;
  };
  for (const Pair& p : {Pair{0, 4, 32, 60, 88, 90},
                        {1, 4, 40, 68, 96, 98},
                        {3, 4, 40, 68, 96, 98},
                        {1, 5, 0, 28, 56, 58},
                        {3, 5, 0, 28, 56, 58}}) {
    for (unsigned loads = 0; loads < 16; ++loads) {
      const MsgHeader first = MsgHeader{1} | MsgHeader{0xabcd} << 8;
      const MsgHeader second = MsgHeader{1} | MsgHeader{0x1234} << 8;
      flits::FlitHeader header;
      header.format[p.slot] = static_cast<std::uint8_t>(p.code);
      Payload flit{};
      or_slot(flit, 0, flits::pack_header(header));
      or_slot(flit, p.slot,
              first << p.first | second << p.second | MsgHeader{loads & 3} << p.first_load |
                  MsgHeader{loads >> 2} << p.second_load);
      ByHand host(true);
      host.payload(flit);
      host.expect(false, false, false);
      EXPECT_EQ(host.rtl->nd_valid_o, 3);
      EXPECT_EQ(header_bytes(get_header_port(host.rtl->nd_hdr_o)),
                header_bytes(first | MsgHeader{loads & 3} << 28));
      EXPECT_EQ(header_bytes(get_header_port(host.rtl->nd_hdr_o, kHeaderPortBits)),
                header_bytes(second | MsgHeader{loads >> 2} << 28));
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
