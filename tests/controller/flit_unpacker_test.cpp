// flit_unpacker in lockstep with its twin, host and device. Flits are drawn slot by slot from all
// formats of the direction (more than our packer ever sends), with a share of illegal ones.
#include "refmodel/controller/flit_unpacker.hpp"

#include <span>

#include "Vflit_unpacker.h"
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
};
constexpr Mix kLegal{60, 0, 0, 100, 30};
constexpr Mix kMixes[] = {kLegal,
                          {90, 0, 0, 100, 0},
                          {30, 0, 0, 100, 50},
                          {60, 5, 5, 95, 30},
                          {50, 20, 40, 50, 50},
                          {50, 0, 0, 100, 50, true},
                          {25, 0, 0, 100, 10, true}};
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
        if (mix.tidy && owes) data += 4;
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
  // Whether one of them is a data header.
  bool messages(Payload& flit, unsigned slot, unsigned code, const Mix& mix) {
    bool data = false;
    const auto direction = is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    for (const flits::Placement& at : flits::slot_format(direction, slot, code).places()) {
      const bool cache = flits::is_cache(at.kind);
      MsgHeader message = mix.tidy ? defined(at.kind) : random_header(random_);
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
  Random random(run.seed());
  Clocked<Vflit_unpacker> rtl;
  FlitUnpacker twin(is_host);
  rtl.reset();
  FlitMaker maker(random, is_host);
  Mix mix = kLegal;
  std::uint64_t messages = 0, errors = 0;
  while (run.next()) {
    if (run.cycle() % 256 == 0) mix = random.pick(mixes);
    const FlitUnpacker::In in{.start = random.below(3000) == 0,
                              .valid = random.percent(80),
                              .flit = maker.make(mix, twin.owed())};
    rtl->is_host_i = is_host;
    rtl->start_i = in.start;
    rtl->valid_i = in.valid;
    set_line(rtl->flit_i, 0, in.flit);
    rtl.settle();
    const FlitUnpacker::Out out = twin.eval(in);
    compare(run, *rtl, out);
    messages += out.nd_valid + (out.wd_valid ? 1 : 0);
    errors += out.err ? 1 : 0;
    if (in.valid) bins.look(coverage::Side::Unpacked, in.flit, out.owed);
    rtl.edge();
    twin.clock(in);
  }
  if (run.cycle() < 20000) return;
  EXPECT_GT(messages, run.cycle() / 4);
  if (mixes.data() == kMixes) {
    EXPECT_GT(errors, run.cycle() / 50);
  }
}

TEST(FlitUnpacker, Host) {
  test::shows("flit", "The RTL unpacks S2M flits as its twin does",
              "docs/blocks.md, flit_unpacker");
  lockstep(true, 7);
}
TEST(FlitUnpacker, Device) {
  test::shows("flit", "The RTL unpacks M2S flits as its twin does",
              "docs/blocks.md, flit_unpacker");
  lockstep(false, 8);
}
TEST(FlitUnpacker, HostTidy) {
  for (const std::uint64_t seed : {9u, 10u, 11u}) lockstep(true, seed, kTidy);
}
TEST(FlitUnpacker, DeviceTidy) {
  lockstep(false, 12, kTidy);
}

}  // namespace
}  // namespace cxlgpu::test
