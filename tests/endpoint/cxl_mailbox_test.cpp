// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxl_mailbox: the twin in lockstep with the RTL; what a driver finds in the CXL device registers
// and what its commands answer, by hand from the layouts of CXL 2.0, 8.2.8 and 8.2.9.
#include "refmodel/endpoint/cxl_mailbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Vcxl_mailbox.h"
#include "Vcxl_mailbox___024root.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_registers.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint32_t kCapacity = 128;  // the module's default, 256 MiB each
constexpr unsigned kMailbox = 0x100, kControl = kMailbox + 0x4, kCommand = kMailbox + 0x8,
                   kCommandHigh = kMailbox + 0xc, kStatus = kMailbox + 0x14,
                   kPayload = kMailbox + 0x20, kMemoryStatus = 0x088;
enum Code : unsigned {
  kSuccess = 0x0,
  kInvalidInput = 0x2,
  kUnsupported = 0x3,
  kInternalError = 0x4,
  kInvalidLength = 0x16
};
constexpr std::array<std::uint8_t, 16> kLogUuid{0x0d, 0xa9, 0xc0, 0xb5, 0xbf, 0x41, 0x4b, 0x78,
                                                0x8f, 0x79, 0x96, 0xb1, 0x62, 0x3b, 0x3f, 0x17};
// Opcode and effect of each command.
const std::vector<std::uint8_t> kLog{0x00, 0x04, 0, 0, 0x01, 0x04, 0, 0, 0x00, 0x40, 0, 0,
                                     0x00, 0x41, 0, 0, 0x03, 0x42, 0, 0, 0x04, 0x42, 8, 0};

class Driver {
 public:
  Driver() {
    rtl_.reset();
    rtl_->media_ready_i = 1;
  }

  void set_ready(bool ready) { rtl_->media_ready_i = ready; }
  void set_viral(bool viral) { rtl_->viral_i = viral; }
  [[nodiscard]] bool dirty() { return rtl_->shutdown_dirty_o != 0; }
  void reset() { rtl_.reset(); }

  std::uint32_t read(unsigned offset) {
    access(offset, false, 0);
    const std::uint32_t data = rtl_->reg_rdata_o;
    return data;
  }
  void write(unsigned offset, std::uint32_t data) {
    access(offset, true, data);
    EXPECT_EQ(rtl_->reg_rdata_o, 0u);
  }
  void idle() {
    set_bits(rtl_->reg_req_i, 49, 1, 0);
    rtl_.settle();
    rtl_.edge();
    rtl_.settle();
    EXPECT_EQ(rtl_->reg_rdata_o, 0u);
  }

  void write_payload(const std::vector<std::uint8_t>& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      std::uint32_t word = 0;
      for (std::size_t b = 0; b < 4 && at + b < bytes.size(); ++b)
        word |= std::uint32_t{bytes[at + b]} << (8 * b);
      write(kPayload + static_cast<unsigned>(at), word);
    }
  }
  void set_command(unsigned opcode, std::uint32_t length) {
    write(kCommand, length << 16 | opcode);
    write(kCommandHigh, length >> 16);
  }
  [[nodiscard]] std::uint32_t length() {
    return read(kCommand) >> 16 | (read(kCommandHigh) & 0x1f) << 16;
  }
  // Rings, and counts the cycles in which the doorbell reads 1.
  unsigned ring() {
    write(kControl, 1);
    unsigned cycles = 0;
    while ((read(kControl) & 1) != 0) {
      if (++cycles > 100) {
        ADD_FAILURE() << "the doorbell does not fall";
        break;
      }
    }
    return cycles;
  }
  unsigned code() { return read(kStatus) & 0xffff; }
  // Output of a command that must succeed.
  std::vector<std::uint8_t> run(unsigned opcode, const std::vector<std::uint8_t>& input = {}) {
    write_payload(input);
    set_command(opcode, static_cast<std::uint32_t>(input.size()));
    const unsigned cycles = ring();
    EXPECT_EQ(code(), kSuccess);
    EXPECT_EQ(read(kCommand) & 0xffff, opcode);
    const std::uint32_t bytes = length();
    EXPECT_EQ(cycles, 1 + (bytes + 3) / 4);
    std::vector<std::uint8_t> output;
    for (unsigned at = 0; at < bytes; ++at)
      output.push_back(static_cast<std::uint8_t>(read(kPayload + at / 4 * 4) >> (8 * (at % 4))));
    return output;
  }
  unsigned refused(unsigned opcode, const std::vector<std::uint8_t>& input, std::uint32_t length) {
    write_payload(input);
    set_command(opcode, length);
    EXPECT_EQ(ring(), 1u);
    EXPECT_EQ(this->length(), 0u);
    EXPECT_EQ(read(kCommand) & 0xffff, opcode & 0xffff);
    return code();
  }

 private:
  void access(unsigned offset, bool write, std::uint32_t data) {
    set_bits(rtl_->reg_req_i, 49, 1, 1);
    set_bits(rtl_->reg_req_i, 48, 1, write);
    set_bits(rtl_->reg_req_i, 32, 16, 0x1400 + offset);
    set_bits(rtl_->reg_req_i, 0, 32, data);
    rtl_.settle();
    rtl_.edge();
    set_bits(rtl_->reg_req_i, 49, 1, 0);
    rtl_.settle();
  }

  Clocked<Vcxl_mailbox> rtl_;
};

std::uint64_t little_endian(const std::vector<std::uint8_t>& bytes, std::size_t at, unsigned n) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < n; ++i) value |= std::uint64_t{bytes[at + i]} << (8 * i);
  return value;
}

std::vector<std::uint8_t> get_log(std::uint32_t offset, std::uint32_t length) {
  std::vector<std::uint8_t> input(kLogUuid.begin(), kLogUuid.end());
  for (const std::uint32_t word : {offset, length})
    for (unsigned b = 0; b < 4; ++b) input.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
  return input;
}

// A command with its input, mostly right; or any access.
class RandomDriver {
 public:
  explicit RandomDriver(std::uint64_t seed) : random_(seed) {}

  CxlMailbox::In next() {
    CxlMailbox::In in;
    if (steps_.empty() && random_.percent(60)) plan();
    if (!steps_.empty() && random_.percent(70)) {
      in = steps_.back();
      steps_.pop_back();
    } else {
      in.valid = random_.percent(80);
      in.write = random_.percent(10);
      in.addr = address();
      in.wdata = static_cast<std::uint32_t>(random_.bits(32));
    }
    in.media_ready = random_.percent(50);
    in.viral = random_.percent(30);
    return in;
  }

 private:
  std::uint32_t address() {
    static constexpr unsigned kPlaces[] = {kControl, kControl, kCommand, kCommandHigh, kStatus,
                                           kPayload, 0x088,    0x000,    0x024};
    const std::uint64_t kind = random_.below(100);
    const auto any = static_cast<unsigned>(random_.bits(16)) & ~0x3ffu;
    if (kind < 50) return any | random_.pick(kPlaces);
    if (kind < 80) return any | (kPayload + 4 * static_cast<unsigned>(random_.below(20)));
    return any | static_cast<unsigned>(random_.bits(10));
  }
  void store(unsigned offset, std::uint32_t data) {
    steps_.push_back({.valid = true, .write = true, .addr = 0x1400 + offset, .wdata = data});
  }
  // The last step is made first.
  void plan() {
    static constexpr unsigned kOpcodes[] = {0x0400, 0x0401, 0x0401, 0x0401, 0x4000,
                                            0x4100, 0x4203, 0x4204, 0x4204, 0x4200};
    const unsigned opcode = random_.pick(kOpcodes);
    std::uint32_t length = opcode == 0x0401 ? 24 : opcode == 0x4204 ? 1 : 0;
    if (random_.percent(10)) length ^= 1u << random_.below(21);
    store(kControl, random_.percent(90) ? 1 : static_cast<std::uint32_t>(random_.bits(2)));
    store(kCommandHigh, length >> 16);
    store(kCommand, length << 16 | opcode);
    if (opcode == 0x4204) store(kPayload, static_cast<std::uint32_t>(random_.bits(3)));
    if (opcode != 0x0401) return;
    for (unsigned word = 0; word < 4; ++word) {
      std::uint32_t uuid = 0;
      for (unsigned b = 0; b < 4; ++b) uuid |= std::uint32_t{kLogUuid[4 * word + b]} << (8 * b);
      if (random_.percent(2)) uuid ^= 1u << random_.below(32);
      store(kPayload + 4 * word, uuid);
    }
    const auto offset = static_cast<std::uint32_t>(random_.below(26));
    store(kPayload + 16, random_.percent(5) ? ~offset : offset);
    store(kPayload + 20, static_cast<std::uint32_t>(random_.below(26 - std::min(offset, 24u))));
  }

  Random random_;
  std::vector<CxlMailbox::In> steps_;
};

// What the RTL's command does at an edge, by its state before and after.
coverage::MailboxDoes does(unsigned before, unsigned after, unsigned code) {
  using coverage::MailboxDoes;
  enum State : unsigned { kIdle, kJudge };
  switch (before) {
    case kIdle:
      return MailboxDoes::Idle;
    case kJudge:
      return after != kIdle     ? MailboxDoes::ToCopy
             : code == kSuccess ? MailboxDoes::Done
                                : MailboxDoes::Refused;
    default:
      return after == kIdle ? MailboxDoes::CopiesLast : MailboxDoes::Copies;
  }
}
coverage::MailboxAccess access_of(const CxlMailbox::In& in) {
  using coverage::MailboxAccess;
  const unsigned at = in.addr & 0x3fc;
  const bool payload = at >= kPayload && at < kPayload + 256;
  if (!in.valid || (!in.write && at == 0)) return MailboxAccess::None;
  if (in.write) {
    if (at == kControl && (in.wdata & 1) != 0) return MailboxAccess::Rings;
    if (at == kCommand || at == kCommandHigh) return MailboxAccess::WritesCommand;
    return payload ? MailboxAccess::WritesPayload : MailboxAccess::WritesOther;
  }
  switch (at) {
    case kControl:
      return MailboxAccess::ReadsDoorbell;
    case kCommand:
    case kCommandHigh:
      return MailboxAccess::ReadsCommand;
    case kStatus:
      return MailboxAccess::ReadsStatus;
    case kMemoryStatus:
      return MailboxAccess::ReadsMedia;
    default:
      return payload ? MailboxAccess::ReadsPayload : MailboxAccess::None;
  }
}

TEST(CxlMailbox, LockstepWithRtl) {
  Lockstep run{"endpoint/cxl_mailbox", 0xb0};
  RandomDriver driver(run.seed());
  CxlMailbox twin(kCapacity);
  Clocked<Vcxl_mailbox> rtl;
  rtl.reset();
  Random random(run.seed() + 1);
  TestCoverage pairs(coverage::mailbox_pairs());
  std::uint64_t busy = 0, dirty = 0, data = 0;
  const auto compare = [&](const CxlMailbox::Out& out) {
    run.check("reg_rdata_o", rtl->reg_rdata_o, out.rdata);
    run.check("shutdown_dirty_o", rtl->shutdown_dirty_o, out.shutdown_dirty);
  };
  while (run.next()) {
    if (random.below(5000) == 0) {
      twin = CxlMailbox(kCapacity);
      rtl.reset();
      compare(twin.eval());
    }
    const CxlMailbox::In in = driver.next();
    set_bits(rtl->reg_req_i, 49, 1, in.valid);
    set_bits(rtl->reg_req_i, 48, 1, in.write);
    set_bits(rtl->reg_req_i, 32, 16, in.addr);
    set_bits(rtl->reg_req_i, 0, 32, in.wdata);
    rtl->media_ready_i = in.media_ready;
    rtl->viral_i = in.viral;
    rtl.settle();
    compare(twin.eval());
    twin.clock(in);
    const unsigned state = rtl->rootp->cxl_mailbox__DOT__state_q;
    rtl.edge();
    rtl.settle();
    pairs.hit({static_cast<unsigned>(does(state, rtl->rootp->cxl_mailbox__DOT__state_q,
                                          rtl->rootp->cxl_mailbox__DOT__status_high_q & 0xffff)),
               static_cast<unsigned>(access_of(in)), in.viral});
    const CxlMailbox::Out out = twin.eval();
    busy += in.valid && !in.write && (in.addr & 0x3fc) == kControl && out.rdata != 0;
    data += in.valid && !in.write && (in.addr & 0x3ff) >= kPayload && out.rdata != 0;
    dirty += out.shutdown_dirty;
  }
  if (run.cycle() > 100000) {
    EXPECT_GT(busy, 1000u);
    EXPECT_GT(data, 1000u);
    EXPECT_GT(dirty, 10000u);
    EXPECT_LT(dirty, run.cycle() - 10000);
  }
}

// 8.2.8.1 to 8.2.8.3: the array, and three capabilities that it names and that do not overlap.
TEST(CxlMailbox, CapabilitiesArray) {
  Driver driver;
  EXPECT_EQ(driver.read(0x000), 0x0001'0000u);
  EXPECT_EQ(driver.read(0x004), 3u);
  const std::map<unsigned, std::array<std::uint32_t, 3>> headers{
      {0x10, {0x0001'0001, 0x80, 8}},
      {0x20, {0x0001'0002, 0x100, 0x120}},
      {0x30, {0x0001'4000, 0x88, 8}}};
  for (const auto& [at, header] : headers) {
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(driver.read(at + 4 * i), header[i]);
    EXPECT_EQ(driver.read(at + 0xc), 0u);
  }
  for (unsigned at = 0x40; at < 0x80; at += 4) EXPECT_EQ(driver.read(at), 0u);
  for (const unsigned at : {0x080u, 0x084u, 0x08cu, 0x090u, 0x0fcu, 0x220u, 0x3fcu})
    EXPECT_EQ(driver.read(at), 0u);
  EXPECT_EQ(driver.read(kMailbox), 8u);  // 256 bytes, no interrupts
  for (const unsigned at : {0x110u, 0x114u, 0x118u, 0x11cu, 0x104u}) EXPECT_EQ(driver.read(at), 0u);
  // All of this is read-only.
  for (unsigned at = 0; at < 0x400; at += 4) {
    if (at >= kControl && at < kPayload + 0x100) continue;
    const std::uint32_t before = driver.read(at);
    driver.write(at, ~before);
    EXPECT_EQ(driver.read(at), before) << std::hex << at;
  }
}

// 8.2.8.5.1: media 3:2, mailbox ready 4.
TEST(CxlMailbox, MemoryDeviceStatus) {
  Driver driver;
  EXPECT_EQ(driver.read(0x088), 0x14u);
  driver.set_ready(false);
  EXPECT_EQ(driver.read(0x088), 0x10u);
  driver.idle();
}

TEST(CxlMailbox, PayloadAndCommandKeepWhatIsWritten) {
  Driver driver;
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(driver.read(kPayload + 4 * i), 0u);
  for (unsigned i = 0; i < 64; ++i) driver.write(kPayload + 4 * i, 0x0101'0101u * i + 3);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(driver.read(kPayload + 4 * i), 0x0101'0101u * i + 3);
  driver.write(kCommand, 0xffff'ffff);
  driver.write(kCommandHigh, 0xffff'ffff);
  EXPECT_EQ(driver.read(kCommand), 0xffff'ffffu);
  EXPECT_EQ(driver.read(kCommandHigh), 0x1fu);
  driver.write(kControl, 0xffff'fffe);  // no doorbell: nothing
  EXPECT_EQ(driver.read(kControl), 0u);
  EXPECT_EQ(driver.code(), kSuccess);
  driver.reset();
  EXPECT_EQ(driver.read(kPayload + 0xfc), 0u);
  EXPECT_EQ(driver.read(kCommand), 0u);
}

// 8.2.9.5.1.1: 43h bytes.
TEST(CxlMailbox, Identify) {
  Driver driver;
  for (unsigned i = 0; i < 64; ++i) driver.write(kPayload + 4 * i, 0xdead'beef);
  driver.set_command(0x4000, 0);
  EXPECT_EQ(driver.ring(), 18u);
  const std::vector<std::uint8_t> output = driver.run(0x4000);
  ASSERT_EQ(output.size(), 0x43u);
  EXPECT_EQ(std::string(output.begin(), output.begin() + 8), "cxlgpu 1");
  EXPECT_EQ(little_endian(output, 0x08, 8), 0u);
  EXPECT_EQ(little_endian(output, 0x10, 8), kCapacity);  // total
  EXPECT_EQ(little_endian(output, 0x18, 8), kCapacity);  // volatile only
  for (std::size_t at = 0x20; at < output.size(); ++at) EXPECT_EQ(output[at], 0u) << at;
  EXPECT_EQ(driver.read(kPayload + 0x40), 0u);  // and the last word filled up
  for (unsigned at = 0x44; at < 0x100; at += 4) EXPECT_EQ(driver.read(kPayload + at), 0xdead'beefu);
}

TEST(CxlMailbox, PartitionInfo) {
  Driver driver;
  const std::vector<std::uint8_t> output = driver.run(0x4100);
  ASSERT_EQ(output.size(), 32u);
  EXPECT_EQ(little_endian(output, 0, 8), kCapacity);
  for (std::size_t at = 8; at < 32; ++at) EXPECT_EQ(output[at], 0u);
}

// 8.2.9.4: a driver learns its commands from the command effects log.
TEST(CxlMailbox, CommandEffectsLog) {
  Driver driver;
  const std::vector<std::uint8_t> logs = driver.run(0x0400);
  ASSERT_EQ(logs.size(), 28u);
  EXPECT_EQ(little_endian(logs, 0, 8), 1u);
  EXPECT_TRUE(std::equal(kLogUuid.begin(), kLogUuid.end(), logs.begin() + 8));
  EXPECT_EQ(little_endian(logs, 24, 4), kLog.size());
  EXPECT_EQ(driver.run(0x0401, get_log(0, 24)), kLog);
  // Any part of it.
  for (unsigned offset = 0; offset <= 24; ++offset) {
    for (unsigned length = 0; offset + length <= 24; ++length) {
      const std::vector<std::uint8_t> part(kLog.begin() + offset, kLog.begin() + offset + length);
      EXPECT_EQ(driver.run(0x0401, get_log(offset, length)), part) << offset << ", " << length;
      const std::uint32_t last = driver.read(kPayload + (length - 1) / 4 * 4);
      if (length % 4 != 0) {
        EXPECT_EQ(last >> (8 * (length % 4)), 0u);
      }
    }
  }
  for (const auto& [offset, length] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 25}, {24, 1}, {25, 0}, {1, 24}, {0xffff'ffff, 1}, {8, 0xffff'fff8}, {0, 0x118}}) {
    EXPECT_EQ(driver.refused(0x0401, get_log(offset, length), 24), kInvalidInput)
        << offset << ", " << length;
  }
  for (unsigned byte = 0; byte < 16; ++byte) {
    std::vector<std::uint8_t> input = get_log(0, 4);
    input[byte] ^= 0x20;
    EXPECT_EQ(driver.refused(0x0401, input, 24), kInvalidInput) << byte;
  }
}

// What the log says is all there is: each command answers, any other opcode is unsupported.
TEST(CxlMailbox, OtherCommandsAreUnsupported) {
  Driver driver;
  std::map<unsigned, bool> known;
  for (std::size_t at = 0; at < kLog.size(); at += 4)
    known[static_cast<unsigned>(little_endian(kLog, at, 2))] = true;
  for (const auto& [opcode, yes] : known) {
    driver.set_command(opcode, 0x1f'ffff);
    driver.ring();
    EXPECT_EQ(driver.code(), kInvalidLength) << std::hex << opcode;
  }
  for (unsigned opcode = 0; opcode < 0x1'0000; opcode += opcode < 0x500 ? 1 : 0x11) {
    if (known.contains(opcode)) continue;
    EXPECT_EQ(driver.refused(opcode, {}, 0), kUnsupported) << opcode;
  }
  for (const unsigned opcode : {0x4001u, 0x4101u, 0x4200u, 0x4202u, 0x4205u, 0x4300u, 0xc203u}) {
    EXPECT_EQ(driver.refused(opcode, {}, 0), kUnsupported);
    EXPECT_EQ(driver.refused(opcode, {}, 5), kUnsupported);
  }
}

// 8.2.8.4.5: all 21 bits of the length count, and the payload stays what it was.
TEST(CxlMailbox, WrongPayloadLength) {
  Driver driver;
  const std::map<unsigned, std::uint32_t> input{{0x0400, 0}, {0x0401, 24}, {0x4000, 0},
                                                {0x4100, 0}, {0x4203, 0},  {0x4204, 1}};
  for (const auto& [opcode, right] : input) {
    for (const std::uint32_t length : {0u, 1u, 2u, 4u, 23u, 24u, 25u, 256u, 0x1'0000u, 0x1'0001u,
                                       0x1'0018u, 0x10'0000u, 0x10'0001u}) {
      if (length == right) continue;
      EXPECT_EQ(driver.refused(opcode, get_log(0, 4), length), kInvalidLength)
          << std::hex << opcode << ", " << length;
      EXPECT_EQ(driver.read(kPayload), 0xb5c0'a90du);
    }
  }
  EXPECT_FALSE(driver.dirty());
  driver.run(0x4000);  // and a right one after them
}

TEST(CxlMailbox, ShutdownState) {
  Driver driver;
  EXPECT_EQ(driver.run(0x4203), (std::vector<std::uint8_t>{0}));
  EXPECT_TRUE(driver.run(0x4204, {0xff}).empty());  // reserved bits do not matter
  EXPECT_TRUE(driver.dirty());
  EXPECT_EQ(driver.run(0x4203), (std::vector<std::uint8_t>{1}));
  EXPECT_TRUE(driver.run(0x4204, {0xfe}).empty());
  EXPECT_FALSE(driver.dirty());
  EXPECT_EQ(driver.run(0x4203), (std::vector<std::uint8_t>{0}));
}

// 12.4: a viral device cannot be shut down clean; it can still be made dirty, and tells.
TEST(CxlMailbox, ViralDeviceIsNotClean) {
  Driver driver;
  driver.set_viral(true);
  EXPECT_EQ(driver.refused(0x4204, {0}, 1), kInternalError);
  EXPECT_TRUE(driver.run(0x4204, {1}).empty());
  EXPECT_TRUE(driver.dirty());
  EXPECT_EQ(driver.refused(0x4204, {0}, 1), kInternalError);
  EXPECT_TRUE(driver.dirty());
  EXPECT_EQ(driver.run(0x4203), (std::vector<std::uint8_t>{1}));
  EXPECT_EQ(driver.run(0x4000).size(), 0x43u);
  driver.set_viral(false);
  EXPECT_TRUE(driver.run(0x4204, {0}).empty());
  EXPECT_FALSE(driver.dirty());
}

// While the doorbell is 1 nothing of the mailbox can be written and the payload reads 0.
TEST(CxlMailbox, BusyMailboxTakesNoWrites) {
  for (unsigned cycle = 0; cycle < 18; ++cycle) {
    Driver driver;
    driver.write(kPayload + 0xf0, 0x5555'5555);
    driver.set_command(0x4000, 0);
    driver.write(kControl, 1);
    for (unsigned i = 0; i < cycle; ++i) driver.idle();
    driver.write(kPayload + 0xf0, 0xaaaa'aaaa);
    const std::uint32_t busy = cycle + 1 < 18 ? driver.read(kControl) : 0;
    EXPECT_EQ(busy, cycle + 1 < 18 ? 1u : 0u);
    while (driver.read(kControl) != 0) continue;
    EXPECT_EQ(driver.read(kPayload + 0xf0), 0x5555'5555u) << cycle;
  }
  Driver driver;
  driver.write(kPayload + 0xf0, 0x5555'5555);
  driver.set_command(0x4000, 0);
  driver.write(kControl, 1);
  EXPECT_EQ(driver.read(kPayload + 0xf0), 0u);
  EXPECT_EQ(driver.read(kCommand), 0x0000'4000u);
  driver.write(kCommand, 0x0001'4204);
  driver.write(kCommandHigh, 0x1f);
  driver.write(kControl, 1);
  while (driver.read(kControl) != 0) continue;
  EXPECT_EQ(driver.code(), kSuccess);
  EXPECT_EQ(driver.read(kCommand), 0x0043'4000u);
  EXPECT_EQ(driver.read(kCommandHigh), 0u);
  EXPECT_EQ(driver.read(kPayload + 0xf0), 0x5555'5555u);
  // The old return code is there until the new one is.
  driver.refused(0x1234, {}, 0);
  driver.set_command(0x4100, 0);
  driver.write(kControl, 1);
  EXPECT_EQ(driver.code(), kUnsupported);
  while (driver.read(kControl) != 0) continue;
  EXPECT_EQ(driver.code(), kSuccess);
}

}  // namespace
}  // namespace cxlgpu::test
