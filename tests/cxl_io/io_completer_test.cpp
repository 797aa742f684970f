// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_completer: the RTL in lockstep with its twin under TLPs of every kind, and what a completion
// says by hand.
#include "refmodel/cxl_io/io_completer.hpp"

#include <map>

#include "Vio_completer.h"
#include "tests/common/idle.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_io.hpp"
#include "tests/cxl_io/tlp_port.hpp"

namespace cxlgpu::test {
namespace {

class Completer {
 public:
  Lockstep run{"cxl_io/io_completer", 0x1c};
  IoCompleter::In in;
  IoCompleter::Out out;  // of the last step

  Completer() { reset(); }
  void reset() {
    twin_ = {};
    rtl_.reset();
    compare();
  }
  void step() {
    drive();
    rtl_.settle();
    compare();
    look();
    rtl_.edge();
    twin_.clock(in);
  }

 private:
  void look() {
    const unsigned link = in.link_up ? 0 : was_up_ ? 1 : 2;
    meets_.hit(
        {static_cast<unsigned>(doing()), static_cast<unsigned>(offered()), in.tlp_tx_ready, link});
    was_up_ = in.link_up;
  }
  [[nodiscard]] coverage::CompleterState doing() const {
    using enum coverage::CompleterState;
    if (!twin_.step()) return Idle;
    switch (*twin_.step()) {
      case IoCompleter::Step::kAccess:
        return Access;
      case IoCompleter::Step::kSecondAccess:
        return Second;
      case IoCompleter::Step::kData:
        return Data;
      case IoCompleter::Step::kCompletion:
        break;
    }
    return Reply;
  }
  [[nodiscard]] coverage::CompleterOffer offered() const {
    using enum coverage::CompleterOffer;
    if (!in.tlp_rx) return None;
    const unsigned type = (*in.tlp_rx)[0] & 0x1f;
    if (type == tlp_type::kConfig0 || type == tlp_type::kConfig1) return Config;
    if (type == tlp_type::kMemory) return has_data(*in.tlp_rx) ? Write : Read;
    if (type >> 3 == 0b10) return Message;
    return type == tlp_type::kCompletion ? Completion : Other;
  }
  void drive() {
    rtl_->link_up_i = in.link_up;
    rtl_->tlp_rx_valid_i = in.tlp_rx.has_value();
    if (in.tlp_rx)
      set_tlp(rtl_->tlp_rx_i, *in.tlp_rx);
    else
      idle_.fill(rtl_->tlp_rx_i, 0, 192);
    rtl_->tlp_tx_ready_i = in.tlp_tx_ready;
    rtl_->cfg_rdata_i = in.cfg_rdata;
    rtl_->mem_space_en_i = in.mem_space_en;
    rtl_->bar0_i = in.bar0;
    rtl_->reg_rdata_i = in.reg_rdata;
    rtl_->weight_io_i = static_cast<std::uint8_t>(in.weight_io);
    rtl_->weight_cm_i = static_cast<std::uint8_t>(in.weight_cm);
  }
  void compare() {
    out = twin_.eval(in);
    run.check("tlp_rx_ready_o", rtl_->tlp_rx_ready_o, out.tlp_rx_ready);
    run.check("tlp_tx_valid_o", rtl_->tlp_tx_valid_o, out.tlp_tx.has_value());
    if (out.tlp_tx) run.check_bytes("tlp_tx_o", get_tlp(rtl_->tlp_tx_o), *out.tlp_tx);
    run.check("cfg_req_o.valid", get_bits(rtl_->cfg_req_o, 47, 1), out.cfg.valid);
    run.check("cfg_req_o.write", get_bits(rtl_->cfg_req_o, 46, 1), out.cfg.write);
    run.check("cfg_req_o.word", get_bits(rtl_->cfg_req_o, 36, 10), out.cfg.word);
    run.check("cfg_req_o.be", get_bits(rtl_->cfg_req_o, 32, 4), out.cfg.enables);
    run.check("cfg_req_o.wdata", get_bits(rtl_->cfg_req_o, 0, 32), out.cfg.data);
    run.check("reg_req_o.valid", get_bits(rtl_->reg_req_o, 49, 1), out.reg.valid);
    run.check("reg_req_o.write", get_bits(rtl_->reg_req_o, 48, 1), out.reg.write);
    run.check("reg_req_o.addr", get_bits(rtl_->reg_req_o, 32, 16), out.reg.addr);
    run.check("reg_req_o.wdata", get_bits(rtl_->reg_req_o, 0, 32), out.reg.data);
    run.check("weight_io_we_o", rtl_->weight_io_we_o, out.weight_io_we);
    run.check("weight_cm_we_o", rtl_->weight_cm_we_o, out.weight_cm_we);
    run.check("weight_o", rtl_->weight_o, out.weight);
    run.check("event_o", rtl_->event_o, out.event);
    run.check("event_posted_o", rtl_->event_posted_o, out.event_posted);
    run.check_bytes("event_hdr_o", get_bytes<16>(rtl_->event_hdr_o, 0), out.event_hdr);
  }

  Clocked<Vio_completer> rtl_;
  Idle idle_;
  IoCompleter twin_;
  bool was_up_ = false;
  TestCoverage meets_{coverage::io_completer_crossings()};
};

void set_address(Tlp& tlp, std::uint64_t address) {
  const unsigned bytes = long_header(tlp) ? 8 : 4;
  for (unsigned i = 0; i < bytes; ++i)
    tlp[8 + i] = static_cast<std::uint8_t>(address >> (8 * (bytes - 1 - i)));
}

unsigned random_offset(Random& random) {
  static constexpr unsigned kEdges[] = {
      0x1000,  0x1004,  0x1008,  0x100c,  0x11fc,  0x1200,  0x1204,  0x1240,  0x127c,  0x1280,
      0x12fc,  0x1300,  0x1308,  0x133c,  0x1340,  0x11300, 0x11200, 0x1a00,  0x3200,  0x17fc,
      0x1800,  0x1ffc,  0x2000,  0xe17c,  0xe180,  0xe184,  0xe1bc,  0xe1c0,  0xe1c4,  0xfffc,
      0x10000, 0x107fc, 0x10800, 0x1180,  0x1e180, 0x11800, 0x11000, 0x11004, 0x0000,  0x1fffc,
      0x20000, 0x203fc, 0x20400, 0x20104, 0x21000, 0x21800, 0x2e180, 0x30000, 0x3fffc, 0x28000};
  const std::uint64_t kind = random.below(100);
  if (kind < 50) return random.pick(kEdges);
  if (kind < 70) return 0x1800 + static_cast<unsigned>(random.bits(11));
  if (kind < 80) return 0x1'0000 + static_cast<unsigned>(random.bits(11));
  if (kind < 90) return 0x2'0000 + static_cast<unsigned>(random.bits(10));
  return static_cast<unsigned>(random.bits(18));
}

unsigned random_type(Random& random) {
  static constexpr unsigned kKnown[] = {
      tlp_type::kMemory,     tlp_type::kMemory,  tlp_type::kMemory,
      tlp_type::kConfig0,    tlp_type::kConfig0, tlp_type::kMemoryLocked,
      tlp_type::kCompletion, tlp_type::kConfig1, 0b10100};
  static constexpr unsigned kAtomic[] = {tlp_type::kFetchAdd, tlp_type::kSwap,
                                         tlp_type::kCompareAndSwap};
  if (random.percent(90)) return random.pick(kKnown);
  return random.percent(50) ? random.pick(kAtomic) : static_cast<unsigned>(random.bits(5));
}

unsigned random_message(Random& random) {
  static constexpr unsigned kCodes[] = {0x00, 0x14, 0x19, 0x20, 0x30, 0x40, 0x41, 0x42,
                                        0x43, 0x47, 0x48, 0x50, 0x53, 0x7e, 0x7f};
  return random.percent(80) ? random.pick(kCodes) : static_cast<unsigned>(random.bits(8));
}

// A TLP that io_link may deliver: Fmt[2] clear, at most 32 DW of data.
Tlp random_tlp(Random& random, std::uint64_t bar0) {
  Tlp tlp = random_bytes(random);
  const unsigned type = random_type(random);
  const bool data = random.percent(50);
  const bool memory = type == tlp_type::kMemory || type == tlp_type::kMemoryLocked;
  const bool four_dw = memory ? bar0 >> 14 != 0 || random.percent(20) : random.percent(10);
  tlp[0] = static_cast<std::uint8_t>((data ? 0x40u : 0) | (four_dw ? 0x20u : 0) | type);
  tlp[2] &= random.percent(80) ? 0x30 : 0xf0;  // EP, TD
  tlp[3] = random.percent(70) ? 1 : 2;
  if (random.percent(15)) {
    auto length = static_cast<unsigned>(random.percent(30) ? random.below(4) : random.bits(10));
    if (data) length = 1 + length % 32;
    tlp[2] = static_cast<std::uint8_t>(tlp[2] | length >> 8);
    tlp[3] = static_cast<std::uint8_t>(length);
  }
  if (random.percent(70)) tlp[7] |= 0xf;
  if (random.percent(10)) tlp[7] &= 0xf0;
  if (random.percent(60)) tlp[7] |= 0xf0;
  if (random.percent(10)) tlp[7] &= 0x0f;
  if (type >> 3 == 0b10) {
    tlp[7] = static_cast<std::uint8_t>(random_message(random));
    if (random.percent(80)) tlp[10] = 0x1e, tlp[11] = 0x98;
    if (random.percent(80)) tlp[15] = 0x68;
  }
  if (memory && random.percent(95)) {
    set_address(tlp, bar0 << 18 | random_offset(random));
    // Just beside BAR0.
    if (random.percent(10)) tlp[8 + random.below(6)] ^= static_cast<std::uint8_t>(random.bits(8));
  } else if (!memory && random.percent(85)) {
    tlp[9] &= 0xf8;  // function 0
  }
  return cut_to_length(tlp);
}

// A register of 64 bits, which takes two accesses.
Tlp random_pair(Random& random, std::uint64_t bar0) {
  Tlp tlp = random_bytes(random);
  tlp[0] = random.percent(50) ? 0x60 : 0x20;
  tlp[2] = 0;
  tlp[3] = 2;
  tlp[7] = static_cast<std::uint8_t>(random.pick(std::array{0xff, 0xff, 0x0f, 0xf0}));
  set_address(tlp, bar0 << 18 | 0x1800u | random.bits(8) << 3);
  return cut_to_length(tlp);
}

struct Rates {
  unsigned link_down, takes, tlps;
  explicit Rates(Random& random)
      : link_down(random.percent(60) ? 0 : static_cast<unsigned>(random.below(20))),
        takes(1 + static_cast<unsigned>(random.below(100))),
        tlps(1 + static_cast<unsigned>(random.below(100))) {}
};

TEST(IoCompleter, LockstepWithRtl) {
  Completer completer;
  Random random(completer.run.seed());
  Rates rates(random);
  std::array<std::uint64_t, 8> replies{};
  std::array<std::uint64_t, 4> events{};
  std::uint64_t configs = 0, registers = 0, weights = 0;
  auto& in = completer.in;
  while (completer.run.next()) {
    const std::uint64_t cycle = completer.run.cycle();
    if (cycle % 300 == 0) {
      rates = Rates(random);
      in.bar0 = random.bits(random.percent(50) ? 14 : 46);
    }
    if (cycle % 20000 == 0) completer.reset();
    in.link_up = !random.percent(rates.link_down);
    in.mem_space_en = random.percent(95);
    in.cfg_rdata = static_cast<std::uint32_t>(random.bits(32));
    in.reg_rdata = static_cast<std::uint32_t>(random.bits(32));
    in.weight_io = static_cast<unsigned>(random.bits(4));
    in.weight_cm = static_cast<unsigned>(random.bits(4));
    in.tlp_tx_ready = random.percent(rates.takes);
    if (!in.tlp_rx && random.percent(rates.tlps)) {
      in.tlp_rx = random.percent(20) ? random_pair(random, in.bar0) : random_tlp(random, in.bar0);
    }
    completer.step();
    const auto& out = completer.out;
    if (out.tlp_rx_ready) in.tlp_rx.reset();
    if (out.tlp_tx && in.tlp_tx_ready) ++replies[(*out.tlp_tx)[6] >> 5];
    for (unsigned bit = 0; bit < 4; ++bit) events[bit] += out.event >> bit & 1;
    configs += out.cfg.valid;
    registers += out.reg.valid;
    weights += out.weight_io_we || out.weight_cm_we;
  }
  if (completer.run.cycle() > 100000) {
    for (const unsigned status : {0u, 1u, 4u}) EXPECT_GT(replies[status], 100u);
    for (unsigned bit = 0; bit < 4; ++bit) EXPECT_GT(events[bit], 100u);
    for (const std::uint64_t n : {configs, registers, weights}) EXPECT_GT(n, 20u);
  }
}

// The completion of a TLP, which must come three cycles after it was taken.
std::optional<Tlp> answer(Completer& completer, const Tlp& tlp) {
  completer.in.link_up = completer.in.tlp_tx_ready = completer.in.mem_space_en = true;
  completer.in.tlp_rx = tlp;
  completer.step();
  EXPECT_TRUE(completer.out.tlp_rx_ready);
  completer.in.tlp_rx.reset();
  completer.step();
  completer.step();
  completer.step();
  return completer.out.tlp_tx;
}

// Requester 5A:18.3, tag 77h, traffic class and attributes set.
Tlp memory_read(unsigned length, unsigned enables, std::uint64_t address) {
  Tlp tlp{0x20, 0x54, 0x10, 0, 0x5a, 0xc3, 0x77};
  tlp[2] |= static_cast<std::uint8_t>(length >> 8 & 3);
  tlp[3] = static_cast<std::uint8_t>(length);
  tlp[7] = static_cast<std::uint8_t>(enables);
  set_address(tlp, address);
  return tlp;
}

constexpr std::uint64_t kBar0 = 0x12'3456'0004'0000;

TEST(IoCompleter, CompletionOfARead) {
  Completer completer;
  completer.in.bar0 = kBar0 >> 18;
  completer.in.reg_rdata = 0x1122'3344;
  EXPECT_EQ(
      answer(completer, memory_read(1, 0xf, kBar0 + 0x1'0048)),
      (Tlp{0x4a, 0x54, 0x10, 1, 0, 0, 0x00, 4, 0x5a, 0xc3, 0x77, 0x48, 0x44, 0x33, 0x22, 0x11}));
  // Two bytes in the middle: count 2, lower address of the first.
  EXPECT_EQ(
      answer(completer, memory_read(1, 0x6, kBar0 + 0x1000)),
      (Tlp{0x4a, 0x54, 0x10, 1, 0, 0, 0x00, 2, 0x5a, 0xc3, 0x77, 0x01, 0x01, 0x00, 0x11, 0x03}));
  // Too long: aborted; 3 DW from byte 1 to byte 2 of the last: 10 bytes.
  EXPECT_EQ(answer(completer, memory_read(3, 0x7e, kBar0 + 0x1004)),
            (Tlp{0x0a, 0x54, 0x10, 0, 0, 0, 0x80, 10, 0x5a, 0xc3, 0x77, 0x05}));
  // 1024 DW: a count of 4096 is 0.
  EXPECT_EQ(answer(completer, memory_read(0, 0xff, kBar0 + 0x1004)),
            (Tlp{0x0a, 0x54, 0x10, 0, 0, 0, 0x80, 0, 0x5a, 0xc3, 0x77, 0x04}));
  EXPECT_EQ(answer(completer, memory_read(1, 0x0, kBar0 + 0x4'0000)),
            (Tlp{0x0a, 0x54, 0x10, 0, 0, 0, 0x20, 1, 0x5a, 0xc3, 0x77, 0x00}));
  Tlp locked = memory_read(1, 0xf, kBar0 + 0x1004);
  locked[0] |= tlp_type::kMemoryLocked;
  EXPECT_EQ(answer(completer, locked),
            (Tlp{0x0b, 0x54, 0x10, 0, 0, 0, 0x20, 4, 0x5a, 0xc3, 0x77, 0x04}));
}

// PCIe 5.0, 2.2.9: of an AtomicOp the count is the operand's size, whatever the status; compare and
// swap brings two operands, so half of its Length. The lower address is reserved. An AtomicOp of
// Length 1, 2, 4 or 8 in BAR0, in an address of 4 DW of header.
TEST(IoCompleter, CountOfARefusedAtomicOp) {
  Completer completer;
  completer.in.bar0 = kBar0 >> 18;
  struct Case {
    const char* name;
    std::uint8_t format, length, count;
  };
  for (const Case& c :
       {Case{"FetchAdd of 4 bytes", 0x6c, 1, 4}, Case{"FetchAdd of 8 bytes", 0x6c, 2, 8},
        Case{"Swap of 4 bytes", 0x6d, 1, 4}, Case{"Swap of 8 bytes", 0x6d, 2, 8},
        Case{"CAS of 4 bytes", 0x6e, 2, 4}, Case{"CAS of 8 bytes", 0x6e, 4, 8},
        Case{"CAS of 16 bytes", 0x6e, 8, 16}}) {
    SCOPED_TRACE(c.name);
    Tlp atomic = memory_read(c.length, 0xff, kBar0 + 0x1'0040);
    atomic[0] = c.format;
    EXPECT_EQ(answer(completer, atomic),
              (Tlp{0x0a, 0x54, 0x10, 0, 0, 0, 0x20, c.count, 0x5a, 0xc3, 0x77, 0x00}));
  }
}

// The access that a TLP makes, in the cycle after it was taken.
RegAccess access(Completer& completer, const Tlp& tlp) {
  completer.in.link_up = completer.in.tlp_tx_ready = completer.in.mem_space_en = true;
  completer.in.tlp_rx = tlp;
  completer.step();
  completer.in.tlp_rx.reset();
  completer.step();
  const RegAccess made = completer.out.reg;
  completer.step();
  completer.step();
  return made;
}

// The component registers: the array, and where the structures are that it names.
TEST(IoCompleter, ComponentRegisters) {
  Completer completer;
  completer.in.bar0 = kBar0 >> 18;
  completer.in.reg_rdata = 0x5555'aaaa;
  const auto read = [&](unsigned offset) {
    return data_of(answer(completer, memory_read(1, 0xf, kBar0 + offset)).value_or(Tlp{}));
  };
  EXPECT_EQ(read(0x1000), 0x0311'0001u);
  EXPECT_EQ(read(0x1004), 0x8001'0005u);
  EXPECT_EQ(read(0x1008), 0x2002'0002u);
  EXPECT_EQ(read(0x100c), 0x3002'0004u);
  for (const unsigned nothing :
       {0x0ffcu, 0x1010u, 0x11fcu, 0x1280u, 0x12fcu, 0x1340u, 0x17fcu, 0x2000u, 0x1'0800u,
        0x1'fffcu, 0x2'0400u, 0x2'1000u, 0x2'e180u, 0x3'fffcu}) {
    EXPECT_EQ(read(nothing), 0u) << std::hex << nothing;
    EXPECT_FALSE(access(completer, memory_read(1, 0xf, kBar0 + nothing)).valid);
  }
  const std::map<unsigned, unsigned> registers{
      {0x1200, 0x1000},   {0x1204, 0x1004},  {0x127c, 0x107c},   {0x1300, 0x1080},
      {0x1308, 0x1088},   {0x133c, 0x10bc},  {0x1800, 0x000},    {0x1ffc, 0x7fc},
      {0x1'0000, 0x800},  {0x1'07fc, 0xffc}, {0x2'0000, 0x1400}, {0x2'0104, 0x1504},
      {0x2'03fc, 0x17fc},
  };
  for (const auto& [offset, addr] : registers) {
    EXPECT_EQ(read(offset), 0x5555'aaaau) << std::hex << offset;
    Tlp tlp = memory_read(1, 0xf, kBar0 + offset);
    EXPECT_EQ(access(completer, tlp), (RegAccess{true, false, addr, 0}));
    tlp[0] |= 0x40;
    set_data(tlp, 0x1357'9bdf);
    EXPECT_EQ(access(completer, tlp), (RegAccess{true, true, addr, 0x1357'9bdf}));
  }
}

// What a 64-bit register is asked with: 8 bytes, aligned, are two accesses.
TEST(IoCompleter, PairOfRegisters) {
  Completer completer;
  auto& in = completer.in;
  in = {.link_up = true, .tlp_tx_ready = true, .mem_space_en = true, .bar0 = kBar0 >> 18};
  // A read: the accesses in n+1 and n+3, each data a cycle later, the completion in n+5.
  in.tlp_rx = memory_read(2, 0xff, kBar0 + 0x2'0108);
  completer.step();
  in.tlp_rx.reset();
  for (unsigned cycle = 1; cycle <= 5; ++cycle) {
    in.reg_rdata = cycle == 2 ? 0x1122'3344 : cycle == 4 ? 0x5566'7788 : 0xffff'ffff;
    completer.step();
    const RegAccess low{true, false, 0x1508, 0}, high{true, false, 0x150c, 0};
    EXPECT_EQ(completer.out.reg, cycle == 1 ? low : cycle == 3 ? high : RegAccess{}) << cycle;
    EXPECT_EQ(completer.out.tlp_tx.has_value(), cycle == 5) << cycle;
  }
  EXPECT_EQ(completer.out.tlp_tx,
            (Tlp{0x4a, 0x54, 0x10, 2,    0,    0,    0x00, 8,    0x5a, 0xc3,
                 0x77, 0x08, 0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55}));
  // A write of both, of either, of none; in n+1 and n+2, the next TLP in n+3.
  for (const unsigned enables : {0xffu, 0x0fu, 0xf0u, 0x00u}) {
    Tlp write = memory_read(2, enables, kBar0 + 0x2'0108);
    write[0] |= 0x40;
    for (unsigned i = 0; i < 8; ++i) write[16 + i] = static_cast<std::uint8_t>(0x10 + i);
    in.tlp_rx = write;
    completer.step();
    in.tlp_rx.reset();
    const RegAccess low{true, true, 0x1508, 0x1312'1110}, high{true, true, 0x150c, 0x1716'1514};
    completer.step();
    EXPECT_EQ(completer.out.reg, (enables & 0xf) != 0 ? low : RegAccess{});
    EXPECT_FALSE(completer.out.tlp_rx_ready);
    completer.step();
    EXPECT_EQ(completer.out.reg, (enables & 0xf0) != 0 ? high : RegAccess{});
    EXPECT_FALSE(completer.out.tlp_rx_ready);
    completer.step();
    EXPECT_TRUE(completer.out.tlp_rx_ready);
    EXPECT_EQ(completer.out.event, 0u);
  }
  // Not aligned: no register takes it. A write tells of it by an event alone.
  EXPECT_EQ(answer(completer, memory_read(2, 0xff, kBar0 + 0x2'0104)),
            (Tlp{0x0a, 0x54, 0x10, 0, 0, 0, 0x80, 8, 0x5a, 0xc3, 0x77, 0x04}));
  completer.step();
  struct Refused {
    unsigned length, enables, offset, poisoned, event;
  };
  for (const Refused r : {Refused{2, 0xff, 0x2'0104, 0, 2}, Refused{2, 0x7f, 0x2'0108, 0, 2},
                          Refused{2, 0xfe, 0x2'0108, 0, 2}, Refused{3, 0xff, 0x2'0108, 0, 2},
                          Refused{32, 0xff, 0x2'0100, 0, 2}, Refused{2, 0xff, 0x2'0108, 1, 4}}) {
    Tlp write = memory_read(r.length, r.enables, kBar0 + r.offset);
    write[0] |= 0x40;
    write[2] = static_cast<std::uint8_t>(write[2] | r.poisoned << 6);
    in.tlp_rx = write;
    completer.step();
    in.tlp_rx.reset();
    completer.step();
    EXPECT_FALSE(completer.out.reg.valid);
    completer.step();
    EXPECT_FALSE(completer.out.reg.valid);
    EXPECT_EQ(completer.out.event, r.event);
    EXPECT_TRUE(completer.out.tlp_rx_ready);
    completer.step();
    EXPECT_EQ(completer.out.event, 0u);
  }
}

// PCIe 5.0 2.2.8, 2.3.1: none is answered; what is not known is an Unsupported Request (event 0),
// but a vendor-defined message of type 1 never is.
TEST(IoCompleter, Messages) {
  struct Message {
    unsigned code, vendor, vendor_code;
    bool taken;
  };
  const Message messages[] = {
      {0x7e, 0x1e98, 0x68, true},   // CXL PM
      {0x7e, 0x1e98, 0x69, false},  // another of CXL
      {0x7e, 0x1e99, 0x68, false},  // of another vendor
      {0x7e, 0x8086, 0x00, false}, {0x7f, 0x8086, 0x00, true},
      {0x7f, 0x1e98, 0x68, true},  {0x00, 0, 0, true},  // Unlock
      {0x14, 0, 0, true},                               // PM_Active_State_Nak
      {0x18, 0, 0, false},                              // PM_PME
      {0x19, 0, 0, true},                               // PME_Turn_Off
      {0x20, 0, 0, false},                              // Assert_INTA
      {0x30, 0, 0, false},                              // ERR_COR
      {0x40, 0, 0, true},          {0x41, 0, 0, true},
      {0x42, 0, 0, false},         {0x43, 0, 0, true},
      {0x44, 0, 0, true},          {0x45, 0, 0, true},
      {0x46, 0, 0, false},         {0x47, 0, 0, true},
      {0x48, 0, 0, true},   // Ignored Messages
      {0x50, 0, 0, true},   // Set_Slot_Power_Limit
      {0x52, 0, 0, false},  // PTM Request
      {0xff, 0, 0, false},
  };
  Completer completer;
  auto& in = completer.in;
  in = {.link_up = true, .tlp_tx_ready = true, .mem_space_en = true, .bar0 = 0};
  for (const unsigned format : {0x34u, 0x74u, 0x70u, 0x33u}) {  // Msg, MsgD, other routings
    for (const Message& m : messages) {
      Tlp tlp{static_cast<std::uint8_t>(format), 0, 0, 4};
      tlp[7] = static_cast<std::uint8_t>(m.code);
      tlp[10] = static_cast<std::uint8_t>(m.vendor >> 8);
      tlp[11] = static_cast<std::uint8_t>(m.vendor);
      tlp[15] = static_cast<std::uint8_t>(m.vendor_code);
      in.tlp_rx = tlp;
      completer.step();
      in.tlp_rx.reset();
      completer.step();
      EXPECT_FALSE(completer.out.reg.valid);
      EXPECT_FALSE(completer.out.cfg.valid);
      completer.step();
      EXPECT_EQ(completer.out.event, m.taken ? 0u : 1u) << std::hex << m.code;
      EXPECT_EQ(completer.out.event_posted, !m.taken);
      for (unsigned i = 0; i < 16; ++i) {
        const bool held = !m.taken && (i < 12 || (format & 0x20) != 0);
        EXPECT_EQ(completer.out.event_hdr[i], held ? tlp[i] : 0) << i;
      }
      EXPECT_TRUE(completer.out.tlp_rx_ready);
      EXPECT_FALSE(completer.out.tlp_tx);
    }
  }
}

TEST(IoCompleter, BusAndDeviceAreCaptured) {
  Completer completer;
  completer.in.cfg_rdata = 0xaabb'ccdd;
  // Read of offset 9FCh, then a write to bus 12h, device 13; only it changes the completer's ID.
  Tlp config{0x04, 0, 0, 1, 0x5a, 0xc3, 0x77, 0x0f, 0x34, 0xf8, 0x09, 0xfc};
  EXPECT_EQ(answer(completer, config),
            (Tlp{0x4a, 0, 0, 1, 0, 0, 0, 4, 0x5a, 0xc3, 0x77, 0, 0xdd, 0xcc, 0xbb, 0xaa}));
  Tlp write{0x44, 0, 0, 1, 0x5a, 0xc3, 0x77, 0x0f, 0x12, 0x68, 0x09, 0xfc, 1, 2, 3, 4};
  EXPECT_EQ(answer(completer, write), (Tlp{0x0a, 0, 0, 0, 0x12, 0x68, 0, 4, 0x5a, 0xc3, 0x77, 0}));
  // Not captured: refused, or a read.
  write[8] = 0x55;
  write[9] = 0xa9;  // function 1
  EXPECT_EQ(answer(completer, write),
            (Tlp{0x0a, 0, 0, 0, 0x12, 0x68, 0x20, 4, 0x5a, 0xc3, 0x77, 0}));
  EXPECT_EQ(answer(completer, config).value_or(Tlp{})[4], 0x12);
}

// PCIe leaves FC_INIT2 on the first TLP: the peer may send it before this end's link is up. It
// waits and is answered.
TEST(IoCompleter, NoTlpIsTakenBeforeTheLinkIsUp) {
  for (const unsigned cycles : {1u, 2u, 3u, 20u}) {
    Completer completer;
    completer.in.cfg_rdata = 0xaabb'ccdd;
    completer.in.tlp_tx_ready = true;
    const Tlp config{0x04, 0, 0, 1, 0x5a, 0xc3, 0x77, 0x0f, 0x34, 0xf8, 0x09, 0xfc};
    completer.in.tlp_rx = config;
    for (unsigned i = 0; i < cycles; ++i) {
      completer.step();
      EXPECT_FALSE(completer.out.tlp_rx_ready);
      EXPECT_FALSE(completer.out.cfg.valid);
    }
    EXPECT_EQ(answer(completer, config),
              (Tlp{0x4a, 0, 0, 1, 0, 0, 0, 4, 0x5a, 0xc3, 0x77, 0, 0xdd, 0xcc, 0xbb, 0xaa}));
  }
}

TEST(IoCompleter, PostedTlpsAreNotAnswered) {
  Completer completer;
  completer.in.bar0 = kBar0 >> 18;
  Tlp write = memory_read(1, 0xf, kBar0 + 0xe180);
  write[0] |= 0x40;
  set_data(write, 0x5a);
  completer.in.link_up = completer.in.mem_space_en = true;
  completer.in.tlp_rx = write;
  completer.step();
  completer.in.tlp_rx.reset();
  completer.step();
  EXPECT_TRUE(completer.out.weight_io_we && !completer.out.weight_cm_we);
  EXPECT_EQ(completer.out.weight, 5u);
  completer.step();
  EXPECT_TRUE(completer.out.tlp_rx_ready);
  EXPECT_EQ(completer.out.event, 0u);
  // A link that went down takes the completion with it.
  answer(completer, memory_read(1, 0xf, kBar0));
  completer.in.tlp_tx_ready = false;
  completer.in.tlp_rx = memory_read(1, 0xf, kBar0);
  completer.step();
  completer.in.tlp_rx.reset();
  for (unsigned i = 0; i < 4; ++i) completer.step();
  EXPECT_TRUE(completer.out.tlp_tx.has_value());
  completer.in.link_up = false;
  completer.step();
  completer.step();
  EXPECT_FALSE(completer.out.tlp_tx.has_value());
}

}  // namespace
}  // namespace cxlgpu::test
