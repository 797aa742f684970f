// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// root_port in lockstep with its twin: loads, stores and register traffic from above, a device (the
// twin of the other end, with random answers, and that of its CXL.io) below, Recovery, damaged
// flits, link down, isolation and back; requests over CXL.io, every error that RAS hears, viral at
// either end; deterministic store on and off, with a local memory beside it.
#include "refmodel/root_port/root_port.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "Vroot_port.h"
#include "common/registers.hpp"
#include "flits/messages.hpp"
#include "refmodel/controller/flit_packer.hpp"
#include "tests/common/fields.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/controller/arb_link.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"
#include "tests/cxl_io/config_offsets.hpp"
#include "tests/cxl_io/far_io.hpp"

namespace cxlgpu::test {
namespace {

const ControllerParams kHost{true, 32, 32, 128, {}};
const ControllerParams kDevice{false, 24, 12, 40, {}};
const DsConfig kStores{.depth = 16, .writes = 3};  // as on the bench

struct Mix {
  unsigned requests, writes, rsp_ready, answers, wire_ready;  // percent a cycle
  unsigned registers;                                         // percent a cycle
  unsigned lines;                                             // of the region
  unsigned damage;                                            // per 10 000 flits of CXL.mem
  unsigned io_damage;                                         // percent of the flits of CXL.io
  unsigned refused;         // percent of the host's TLPs answered by one Nak after the other
  unsigned forged;          // per 10 000 cycles without a flit: a control flit of no known kind
  unsigned recovery, down;  // per 100 000 cycles
  unsigned stores = 0;      // percent of the time with deterministic store
  unsigned leaps = 50;      // per 1000 requests: to another region
};
constexpr Mix kMixes[] = {
    {.requests = 20,
     .writes = 30,
     .rsp_ready = 100,
     .answers = 60,
     .wire_ready = 100,
     .registers = 20,
     .lines = 4000,
     .damage = 0,
     .io_damage = 0,
     .refused = 0,
     .forged = 0,
     .recovery = 0,
     .down = 0,
     .stores = 50},
    {100, 40, 100, 100, 47, 2, 4000, 0, 0, 0, 0, 20, 20},
    {100, 10, 100, 40, 60, 5, 40, 20, 5, 10, 0, 30, 20},
    {60, 50, 20, 90, 100, 50, 400, 100, 20, 20, 200, 50, 60},
    {3, 30, 100, 100, 100, 60, 400, 0, 5, 10, 20, 0, 300},
    {100, 0, 100, 100, 100, 1, 4000, 0, 0, 0, 0, 0, 20},
    {8, 0, 6, 100, 100, 80, 4000, 0, 0, 0, 2000, 0, 5},  // answers wait, RAS is looked at often
    // Few lines, so that loads and stores meet; also with a slow device, and with one that is lost.
    {60, 60, 100, 60, 100, 20, 24, 0, 0, 0, 0, 0, 0, 90, 2},
    {100, 50, 60, 60, 60, 10, 40, 20, 5, 10, 0, 30, 20, 80, 2},
    {100, 85, 100, 4, 100, 20, 200, 0, 0, 0, 0, 0, 0, 90, 10},
    {30, 50, 100, 100, 100, 30, 20, 0, 0, 0, 0, 20, 300, 80, 5},
    {10, 50, 100, 60, 100, 20, 40, 0, 0, 0, 0, 0, 0, 60, 20},
    // A MemSpecRd for nearly every load, in isolation too: some are left when all is answered.
    {100, 2, 100, 100, 25, 20, 4000, 0, 0, 0, 0, 0, 100, 50, 800},
    // No order, and a policy that stays: what the stream table predicts is wasted.
    {100, 5, 100, 100, 100, 6, 8000, 0, 0, 0, 0, 0, 0},
    {100, 20, 100, 100, 60, 8, 8000, 0, 0, 0, 0, 0, 0, 0, 10},
};

constexpr unsigned kNumber = 5;  // of the root port

// What software does over CXL.io: one request after the other through the registers of io_access,
// most of them sensible: to the port's own configuration space and registers, and to the device.
class IoDriver {
 public:
  explicit IoDriver(QuickRandom& random) : random_(random) { choose(); }

  RootPort::RegisterAccess next() {
    namespace ioa = regs::io_access;
    RootPort::RegisterAccess a{.valid = true, .write = true};
    switch (step_) {
      case Step::kLow:
        a.addr = ioa::kAddrLow;
        a.wdata = static_cast<std::uint32_t>(request_.addr);
        step_ = Step::kHigh;
        break;
      case Step::kHigh:
        a.addr = ioa::kAddrHigh;
        a.wdata = static_cast<std::uint32_t>(request_.addr >> 32);
        step_ = Step::kData;
        break;
      case Step::kData:
        a.addr = ioa::kData;
        a.wdata = request_.data;
        step_ = Step::kCommand;
        break;
      case Step::kCommand:
        a.addr = ioa::kCommand;
        a.wdata = ioa::kCommandOp.put(static_cast<std::uint32_t>(request_.op)) |
                  ioa::kCommandBe.put(request_.enables) |
                  (static_cast<std::uint32_t>(random_.next()) & 0xFFFF'FF08);
        step_ = Step::kPoll;
        break;
      case Step::kPoll:
        if (random_.percent(10)) {  // has no effect while busy; if not, it begins another
          a.addr = static_cast<std::uint32_t>(ioa::kAddrLow + random_.below(16));
          a.wdata = static_cast<std::uint32_t>(random_.next());
          disturbed_ = true;
          break;
        }
        a.write = false;
        a.addr = ioa::kCommand;
        polls_ = true;
        break;
      case Step::kResult:
        a.write = false;
        a.addr = ioa::kData;
        reads_ = true;
        break;
    }
    return a;
  }
  // The data in the cycle after an access; how the port is set.
  void answer(std::uint32_t rdata, const Bridge& bridge) {
    namespace ioa = regs::io_access;
    if (polls_ && !ioa::kCommandBusy.is_set(rdata)) {
      status_ = static_cast<CplStatus>(ioa::kCommandStatus.get(rdata));
      count(status_);
      step_ = Step::kResult;
    }
    if (reads_) {
      const auto constant = disturbed_ ? std::nullopt : reads_constant(bridge);
      if (constant && status_ == CplStatus::kSuccess) {
        const bool memory = is_memory(request_.op);
        if (is_own(bridge)) {
          ++(memory ? own_memory_constants : own_config_constants);
        } else {
          ++(memory ? memory_constants : config_constants);
        }
        EXPECT_EQ(rdata, *constant);
      }
      choose();
    }
    polls_ = reads_ = false;
  }

  std::uint64_t done = 0, unsupported = 0, unanswered = 0;
  std::uint64_t config_constants = 0, memory_constants = 0;
  std::uint64_t own_config_constants = 0, own_memory_constants = 0;

 private:
  enum class Step : std::uint8_t { kLow, kHigh, kData, kCommand, kPoll, kResult };

  void choose() {
    // Where noise does no harm; what matters for memory accesses is written with sense.
    constexpr unsigned kWritable[] = {0x00C, 0x03C, 0x048, 0x10C, 0x120, 0x124};
    const auto any = [this](unsigned n) { return static_cast<std::uint32_t>(random_.below(n)); };
    const auto config = [this](IoOp op, std::uint64_t offset, std::uint32_t data) {
      request_ = {op, std::uint64_t{1} << 20 | offset, 0xF, data};
    };
    step_ = Step::kLow;
    disturbed_ = false;
    if (begun_ < 8 || random_.percent(45)) {
      choose_own();
      return;
    }
    switch (random_.below(10)) {
      case 0:
        config(IoOp::kCfgWr0, config_offset::kCommand, 0x146);
        break;
      case 1:
        config(IoOp::kCfgWr0, config_offset::kBar0, bar_ = any(0x4000) << 18);
        break;
      case 2:
        bar_high_ = random_.percent(50) ? 0 : static_cast<std::uint32_t>(random_.next());
        config(IoOp::kCfgWr0, config_offset::kBar0High, bar_high_);
        break;
      case 3:
        config(IoOp::kCfgRd0, random_.percent(50) ? 0 : any(0x200), 0);
        break;
      case 4:
        config(IoOp::kCfgWr0, random_.pick(kWritable), static_cast<std::uint32_t>(random_.next()));
        break;
      case 5:
        request_ = {static_cast<IoOp>(random_.below(6)), random_.next() >> random_.below(60),
                    any(16), static_cast<std::uint32_t>(random_.next())};
        break;
      default: {
        constexpr unsigned kPlaces[] = {0x1000, 0x1004, 0x1008, 0x100C, 0x1200,  0x1300,
                                        0x1800, 0x1820, 0xE180, 0xE1C0, 0x1'0000};
        request_.op = random_.percent(50) ? IoOp::kMemRd : IoOp::kMemWr;
        request_.addr = (std::uint64_t{bar_high_} << 32 | bar_) + random_.pick(kPlaces) + any(8);
        request_.enables = random_.percent(90) ? 0xF : any(16);
        request_.data = static_cast<std::uint32_t>(random_.next());
        break;
      }
    }
  }
  // The port itself: first as firmware sets it, then mostly so.
  void choose_own() {
    namespace off = port_config_offset;
    const auto any = [this](unsigned n) { return static_cast<std::uint32_t>(random_.below(n)); };
    const auto word = [this] { return static_cast<std::uint32_t>(random_.next()); };
    const auto config = [this](IoOp op, std::uint64_t offset, std::uint32_t data) {
      request_ = {op, std::uint64_t{kNumber} << 15 | offset, 0xF, data};
    };
    const auto set = [&](unsigned offset, std::uint32_t data) {
      config(IoOp::kCfgWr0, offset, random_.percent(begun_ < 8 ? 0 : 10) ? word() : data);
    };
    const std::uint64_t step = begun_ < 8 ? begun_++ : random_.below(20);
    switch (step) {
      case 0:
        return set(off::kBuses, 0x0003'0100);
      case 1:
        return set(off::kCommand, 0x146);
      case 2:
        return set(off::kMemory, 0xfff0'0000);
      case 3:
        return set(off::kPrefetchable, 0xfff0'0000);
      case 4:
        return set(off::kPreBaseHigh, 1);
      case 5:
        return set(off::kPreLimitHigh, 0xffff'ffff);
      case 6:
        return set(off::kBar0, own_bar_ = 0x5550'0000 + (any(16) << 16));
      case 7:
        return set(off::kBar0High, own_bar_high_ = random_.percent(50) ? 0 : word());
      case 8:
        return set(off::kPortControl, any(0x10000) << 16 | (random_.percent(50) ? 2 : 0));
      case 9:
        return config(IoOp::kCfgWr0, off::kFlexBusStatus, word());
      case 15:  // Link Disable; it ends soon, as nothing is learnt meanwhile
        return config(IoOp::kCfgWr0, off::kLinkControl, random_.percent(8) ? 0x10 : 0);
      case 16:
        return config(IoOp::kCfgWr0, off::kLinkControl, 0);
      case 10:
        return config(IoOp::kCfgRd0, random_.percent(40) ? 0 : any(0x170), 0);
      case 11:
      case 12:
      case 13:
      case 14:
        return config(IoOp::kCfgRd0, random_.pick(kTold), 0);
      default:
        break;
    }
    constexpr unsigned kPlaces[] = {0x1000, 0x1004, 0x1008, 0x100C, 0x1200, 0x1204, 0x1208,
                                    0x120C, 0x1210, 0x1214, 0x1218, 0x1300, 0x1304, 0x1308,
                                    0x130C, 0x1400, 0x1408, 0x140C, 0x1800, 0x0000};
    request_.op = random_.percent(60) ? IoOp::kMemRd : IoOp::kMemWr;
    const unsigned offset = random_.pick(kPlaces);
    if (offset >> 8 == 0x13) request_.op = IoOp::kMemRd;  // stalls are made elsewhere
    request_.addr = (std::uint64_t{own_bar_high_} << 32 | own_bar_) + offset + any(4);
    request_.enables = random_.percent(90) ? 0xF : any(16);
    request_.data = word();
    if (offset == 0x1408) {  // 50 us: the others are longer than a run
      request_.data = (request_.data & ~0xFu) | 1 | regs::timeout::kControlMemIsolation.mask();
      if (random_.percent(70)) request_.data &= ~regs::timeout::kControlMemLinkDown.mask();
    }
    // Masked errors would not be seen.
    if (offset == 0x1204 || offset == 0x1210) request_.data &= random_.percent(80) ? 0 : ~0u;
  }
  // Own configuration registers that show what happens.
  static constexpr unsigned kTold[] = {
      port_config_offset::kLinkControl, port_config_offset::kFlexBusStatus,
      port_config_offset::kFlexBusStatus, port_config_offset::kPortStatus,
      port_config_offset::kPortStatus};
  [[nodiscard]] bool is_own(const Bridge& bridge) const {
    return is_memory(request_.op) ? request_.addr >> 16 == bridge.bar0
                                  : (request_.addr >> 20 & 0xff) == 0;
  }
  // What a register reads that always reads the same, if the request reads such a one.
  [[nodiscard]] std::optional<std::uint32_t> reads_constant(const Bridge& bridge) const {
    constexpr std::uint32_t kOwn[] = {0x0511'0001, 0x2002'0002, 0x3002'0004, 0x4001'0009};
    if (is_own(bridge)) {
      if (request_.op == IoOp::kMemRd && (request_.addr & 0xFFF0) == 0x1000) {
        return kOwn[request_.addr >> 2 & 3];
      }
      const bool id = request_.op == IoOp::kCfgRd0 && (request_.addr & 0xFFC) == 0;
      return id ? std::optional<std::uint32_t>(0xC800'1234) : std::nullopt;
    }
    if (request_.op == IoOp::kCfgRd0 && (request_.addr & 0xFFC) == 0) return 0xC801'1234;
    if (request_.op == IoOp::kMemRd && (request_.addr & 0x3'FFFC) == 0x1004) return 0x8001'0005;
    if (request_.op == IoOp::kMemRd && (request_.addr & 0x3'FFFC) == 0x1008) return 0x2002'0002;
    if (request_.op == IoOp::kMemRd && (request_.addr & 0x3'FFFC) == 0x100C) return 0x3002'0004;
    return std::nullopt;
  }
  void count(CplStatus status) {
    done += status == CplStatus::kSuccess;
    unsupported += status == CplStatus::kUnsupported;
    unanswered += status == CplStatus::kNoAnswer;
  }

  QuickRandom& random_;
  Step step_ = Step::kLow;
  IoRequest request_;
  std::uint32_t bar_ = 0, bar_high_ = 0;
  std::uint32_t own_bar_ = 0, own_bar_high_ = 0;
  std::uint64_t begun_ = 0;  // of what firmware does first
  CplStatus status_ = CplStatus::kSuccess;
  bool polls_ = false, reads_ = false, disturbed_ = false;
};

// The far end: answers what it gets in any order, also after the host gave up on it.
class Device {
 public:
  explicit Device(QuickRandom& random) : random_(random) {}

  CxlController::In inputs(unsigned answers) {
    CxlController::In in;
    in.rx_nd_ready = in.rx_wd_ready = true;
    if (nd_.empty() && !writes_.empty() && random_.percent(answers)) {
      flits::S2mNdr ndr;
      ndr.tag = take(writes_);
      ndr.dev_load = static_cast<flits::DevLoad>(random_.bits(2));
      nd_.push_back(flits::pack(ndr));
    }
    if (wd_.empty() && !reads_.empty() && random_.percent(answers)) {
      flits::S2mDrs drs;
      drs.tag = take(reads_);
      drs.poison = random_.percent(5);
      drs.dev_load = static_cast<flits::DevLoad>(random_.bits(2));
      // Bits 39:31 are reserved: nobody looks at them, but they are logged.
      WdMessage wd{.header = flits::pack(drs) | MsgHeader{random_.bits(9)} << 31};
      for (std::uint8_t& byte : wd.data) byte = static_cast<std::uint8_t>(random_.bits(8));
      wd_.push_back(wd);
    }
    in.tx_nd_valid = !nd_.empty();
    if (in.tx_nd_valid) in.tx_nd_hdr = nd_.front();
    in.tx_wd_valid = !wd_.empty();
    if (in.tx_wd_valid) in.tx_wd = wd_.front();
    return in;
  }
  void after(const CxlController::In& in, const CxlController::Out& out) {
    if (in.tx_nd_valid && out.tx_nd_ready) nd_.pop_front();
    if (in.tx_wd_valid && out.tx_wd_ready) wd_.pop_front();
    if (out.rx_nd_valid) {
      const auto req = flits::unpack<flits::M2sReq>(out.rx_nd_hdr);
      if (req.opcode == flits::M2sReqOpcode::MemSpecRd) {
        ++specs;
      } else {
        reads_.push_back(req.tag);
      }
    }
    if (out.rx_wd_valid) {
      writes_.push_back(flits::unpack<flits::M2sRwd>(out.rx_wd.header).tag);
    }
  }

  std::uint64_t specs = 0;

 private:
  std::uint16_t take(std::vector<std::uint16_t>& tags) {
    std::swap(tags[random_.below(tags.size())], tags.back());
    const std::uint16_t tag = tags.back();
    tags.pop_back();
    return tag;
  }

  QuickRandom& random_;
  std::vector<std::uint16_t> reads_, writes_;
  std::deque<MsgHeader> nd_;
  std::deque<WdMessage> wd_;
};

// The region of deterministic store: a read is answered late and in any order.
class LocalMemory {
 public:
  explicit LocalMemory(QuickRandom& random) : random_(random), lines_(kStores.depth) {}

  void drive(RootPort::In& in) {
    if (random_.below(1000) == 0) {
      constexpr unsigned kRates[] = {100, 100, 60, 10};
      ready_ = random_.pick(kRates);
      answers_ = random_.pick(kRates);
    }
    if (!answer_ && !reads_.empty() && random_.percent(answers_)) {
      std::swap(reads_[random_.below(reads_.size())], reads_.back());
      answer_ = reads_.back();
      reads_.pop_back();
    }
    in.lm_ready = random_.percent(ready_);
    in.lm_rsp_valid = answer_.has_value();
    if (answer_) in.lm_rsp = *answer_;
  }
  void after(const RootPort::In& in, const RootPort::Out& out) {
    if (in.lm_rsp_valid && out.lm_rsp_ready) answer_.reset();
    if (!out.lm_valid || !in.lm_ready) return;
    const LmRequest& request = out.lm_req;
    if (request.write) {
      merge_bytes(lines_[request.slot], request.data, request.byte_enable);
    } else {
      reads_.push_back({request.kind, request.index, lines_[request.slot]});
    }
  }

 private:
  QuickRandom& random_;
  unsigned ready_ = 100, answers_ = 100;
  std::vector<Line> lines_;
  std::vector<LmResponse> reads_;
  std::optional<LmResponse> answer_;
};

// What software does with deterministic store: for a spell it wants it on or off, at times under a
// fence, at times with no new requests until it is so.
class StoreDriver {
 public:
  explicit StoreDriver(QuickRandom& random) : random_(random) {}

  [[nodiscard]] bool is_due() const { return left_ == 0; }
  [[nodiscard]] bool is_on() const { return was_on_; }
  [[nodiscard]] bool holds_requests() const { return holds_; }
  [[nodiscard]] bool is_fenced() const { return fenced_; }
  RootPort::RegisterAccess next_spell(unsigned percent_on) {
    namespace rp = regs::rp;
    RootPort::RegisterAccess a{.valid = true, .write = true, .wdata = any()};
    if (told_) {  // whether it is so at once
      told_ = false;
      left_ = spell_;
      a.write = false;
      a.addr = rp::kDsStatus;
      return a;
    }
    if (!cleared_) {  // an old error would hold up everything
      a.addr = rp::kDsStatus;
      cleared_ = true;
      return a;
    }
    cleared_ = random_.percent(30);
    wanted_ = random_.percent(percent_on);
    holds_ = random_.percent(60);
    spell_ = (holds_ ? 4000 : 100) + static_cast<unsigned>(random_.below(900));
    told_ = true;
    constexpr unsigned kWrites[] = {1, 2, 3, 4, 8, 16, 31};
    a.addr = rp::kDsControl;
    a.wdata = (a.wdata & ~0x7F03u) | rp::kDsControlEnable.put(wanted_) |
              rp::kDsControlFence.put(random_.percent(wanted_ ? 10 : 40)) |
              rp::kDsControlMaxWrites.put(random_.percent(5) ? 0 : random_.pick(kWrites));
    fenced_ = rp::kDsControlFence.is_set(a.wdata);
    return a;
  }
  RootPort::RegisterAccess next() {
    namespace rp = regs::rp;
    RootPort::RegisterAccess a{.valid = true, .wdata = any()};
    switch (random_.below(9)) {
      case 0:
      case 1:
        a.write = true;
        a.addr = rp::kDsStatus;
        break;
      case 2: {
        constexpr unsigned kPauses[] = {0, 0, 0, 1, 3, 5, 6, 9};
        constexpr unsigned kLongPauses[] = {0, 4, 7, 9, 10};
        a.write = true;
        a.addr = rp::kDsInterval;
        a.wdata = (a.wdata & 0xFFFF'0000) | random_.pick(kPauses) | random_.pick(kPauses) << 4 |
                  random_.pick(kPauses) << 8 | random_.pick(kLongPauses) << 12;
        break;
      }
      case 3:
        a.write = random_.percent(50);
        a.addr = random_.percent(50) ? rp::kDsBaseLow : rp::kDsBaseHigh;
        break;
      case 4:
      case 5:
        a.addr = rp::kDsStatus;
        break;
      case 6:
      case 7:
        a.addr = rp::kDsDirect + static_cast<std::uint32_t>(random_.below(0x28));
        break;
      default:
        a.addr = rp::kDsControl + static_cast<std::uint32_t>(random_.below(0x48));
        break;
    }
    return a;
  }
  void after(const RootPort::Out& out) {
    if (left_ > 0) --left_;
    // In isolation the last answer may come before the last MemSpecRd is given up.
    if (out.isolated && !was_isolated_ && random_.percent(60)) {
      left_ = 0;
      told_ = false;
    }
    was_isolated_ = out.isolated;
    if (left_ == kEarly) holds_ |= random_.percent(30);
    if (holds_ && left_ > kEarly && out.stores_on == wanted_) {
      holds_ = false;
      left_ = 100 + static_cast<unsigned>(random_.below(1500));
    }
    switched_on += out.stores_on && !was_on_;
    switched_off += !out.stores_on && was_on_;
    was_on_ = out.stores_on;
    for (unsigned n = 0; n < events.size(); ++n) events[n] += out.ds_events.bits() >> n & 1;
  }

  std::uint64_t switched_on = 0, switched_off = 0;
  std::array<std::uint64_t, 10> events{};  // as in ds_event_t

 private:
  std::uint32_t any() { return static_cast<std::uint32_t>(random_.next()); }

  QuickRandom& random_;
  static constexpr unsigned kEarly = 80;  // cycles before a spell
  unsigned left_ = 2000, spell_ = 0;
  bool wanted_ = false, holds_ = false, cleared_ = false, told_ = false, was_on_ = false;
  bool was_isolated_ = false, fenced_ = false;
};

class Bench {
 public:
  explicit Bench(Lockstep& run)
      : run_(run), random_(run.seed()), link_({.seed = run.seed() + 1, .flight = {4, 5}}) {
    drive({});
    rtl_.reset();
  }

  void cycle() {
    if (run_.cycle() % 4096 == 1 && episode_ != Episode::kStorm) {
      mix_ = random_.pick(kMixes);
      hint_rate_ = random_.pick(kHintRates);
      if (episode_ == Episode::kNone && random_.percent(35)) begin(random_.percent(40));
    }
    end_of_episode();
    if (random_.below(100000) < mix_.recovery) link_.start_recovery();
    if (random_.below(100000) < mix_.down) link_.take_down();
    const RootPort::In in = inputs();
    CxlPort::In far;
    far.messages = device_.inputs(mix_.answers);
    if (random_.below(3000) == 0) far_viral_ = !far_viral_;
    far.messages.viral = far_viral_;
    far.link = wire(1);
    far.link.cm_req = VlsmCode::kActive;
    far_io_.drive(far.link, far_end_.eval(far).link.io_link_up);
    drive(in);
    rtl_.settle();
    const RootPort::Out out = twin_.eval(in);
    const CxlPort::Out far_out = far_end_.eval(far);
    compare(in, out);
    look(in, out);
    after(in, out);
    local_.after(in, out);
    stores_.after(out);
    device_.after(far.messages, far_out.messages);
    carry(0, in.link, out.port.link);
    carry(1, far.link, far_out.link);
    link_.step({FlexLink::Ask{out.port.link.retrain_req, out.port.link.phy_state},
                FlexLink::Ask{far_out.link.retrain_req, far_out.link.phy_state}});
    rtl_.edge();
    twin_.clock(in);
    far_end_.clock(far);
    far_io_.clock(far.link, far_out.link);
  }

  std::uint64_t refusals = 0, disabled = 0;  // cycles: refusing, not isolated; link held down
  std::uint64_t answered = 0, refused = 0, isolations = 0, returns = 0, damaged = 0, reads = 0;
  std::uint64_t granularities = 0;                       // changes of load control's state
  std::uint64_t longest_unanswered = 0;                  // cycles, while refusing
  std::array<std::uint64_t, 6> speculation{};            // times read, 8A0h to 8B4h, and not 0
  std::array<std::uint64_t, 3> hint_counts{};            // 8C4h to 8CCh likewise
  std::uint64_t hints_taken = 0, hints_waited = 0;       // granules, cycles
  std::uint64_t viral_of_port = 0, viral_of_device = 0;  // times read
  std::array<std::uint64_t, 2> announced{};              // viral, by end
  std::array<std::uint64_t, 4> link_states{};            // times read
  std::uint64_t almps_forged = 0;
  std::uint64_t io_damaged = 0, naks = 0, aborts = 0, overflows = 0, encodings = 0;
  [[nodiscard]] std::uint64_t specs() const { return device_.specs; }
  [[nodiscard]] const IoDriver& io() const { return io_; }
  [[nodiscard]] const StoreDriver& stores() const { return stores_; }

 private:
  // Storm: no flit of messages gets through to the host until its link layer gives up. Flood:
  // answers that the host gave no credits for. Both end with the link going down, as only that
  // brings the ends together again.
  enum class Episode : std::uint8_t { kNone, kStorm, kFloodSoon, kFlood };
  static constexpr unsigned kHintRates[] = {0, 2, 20, 100};
  static constexpr unsigned kStormCycles = 12000, kFloodCycles = 60;
  static constexpr unsigned kAlmpDamage = 4;  // percent, when there is damage at all
  // Cycles without a flit after which no data are owed: a wire that always takes one leaves no
  // gaps.
  [[nodiscard]] bool quiet() const { return quiet_ > (mix_.wire_ready == 100 ? 12u : 50u); }

  void look(const RootPort::In& in, const RootPort::Out& out) {
    using coverage::ViralAccess, coverage::ViralEvent;
    namespace rp = regs::rp;
    ViralAccess access = ViralAccess::None;
    if (at_viral(in.reg)) {
      access = !in.reg.write                           ? ViralAccess::Read
               : rp::kViralDevice.is_set(in.reg.wdata) ? ViralAccess::Clear
                                                       : ViralAccess::Write;
    }
    const auto hit = [&](ViralEvent event) {
      viral_pairs_.hit({static_cast<unsigned>(access), static_cast<unsigned>(event)});
    };
    const bool fatal = twin_.turns_viral();
    if (out.port.messages.viral) hit(ViralEvent::Device);
    if (in.viral) hit(ViralEvent::OtherPort);
    if (fatal) hit(ViralEvent::Fatal);
    if (!out.port.messages.viral && !in.viral && !fatal) hit(ViralEvent::None);
    // What a device says comes with a control flit, and shows a few cycles later.
    const ArbMux::In& l = in.link;
    const bool control =
        l.rx_valid && l.rx_kind == FlitKind::kCachemem && (l.rx_flit.payload[0] & 1) != 0;
    control_for_ = control ? 4 : control_for_ - (control_for_ > 0 ? 1 : 0);
  }
  static bool at_viral(const RootPort::RegisterAccess& a) {
    return a.valid && (a.addr & 0xFFC) == regs::rp::kViral;
  }

  void begin(bool storm) {
    episode_ = storm ? Episode::kStorm : Episode::kFloodSoon;
    left_ = kStormCycles;
    if (storm) mix_ = kMixes[0];  // nothing else goes wrong
  }
  void end_of_episode() {
    if (episode_ == Episode::kNone) return;
    if (episode_ == Episode::kFloodSoon && quiet()) {
      episode_ = Episode::kFlood;
      left_ = kFloodCycles;
    }
    if (left_ == 0) {
      if (episode_ != Episode::kFloodSoon) link_.take_down();
      episode_ = Episode::kNone;
    } else {
      --left_;
    }
  }

  RootPort::In inputs() {
    RootPort::In in;
    if (!offered_ && !stores_.holds_requests() && random_.percent(mix_.requests)) {
      do {  // those of loads in flight are unique
        request_.id = static_cast<std::uint32_t>(random_.below(kRootPortIds));
      } while (loads_.contains(request_.id));
      request_.is_write = random_.percent(mix_.writes);
      if (!request_.is_write) loads_.insert(request_.id);
      if (random_.below(1000) < mix_.leaps)
        base_ = random_.below((std::uint64_t{1} << 46) - mix_.lines);
      request_.addr = (base_ + random_.below(mix_.lines)) * kLineBytes;
      request_.byte_enable =
          random_.percent(stores_.is_on() ? 60 : 30) ? random_.next() : kAllBytes;
      for (std::uint8_t& byte : request_.data) byte = static_cast<std::uint8_t>(random_.bits(8));
      offered_ = true;
    }
    in.req_valid = offered_;
    in.req = request_;
    offer_hint(in);
    in.rsp_ready = random_.percent(mix_.rsp_ready);
    in.reg = access();
    in.device = kNumber;
    in.viral = random_.below(at_viral(in.reg) ? 20 : 20000) == 0;
    in.link = wire(0);
    local_.drive(in);
    return in;
  }

  // Of a kernel that walks through memory.
  void offer_hint(RootPort::In& in) {
    if (!hint_offered_ && random_.percent(hint_rate_)) {
      constexpr std::uint64_t kGranules = std::uint64_t{1} << 44;
      if (random_.percent(10)) hint_ = random_.below(kGranules);
      hint_ = (hint_ + 1) % kGranules;
      hint_offered_ = true;
    }
    in.hint_valid = hint_offered_;
    in.hint_granule = hint_;
  }

  // Mostly what software would do: policies, counters, isolation enabled and, when it is over,
  // ended.
  RootPort::RegisterAccess access() {
    namespace rp = regs::rp;
    namespace tmo = regs::timeout;
    RootPort::RegisterAccess a;
    speculation_asked_.reset();
    hint_count_asked_.reset();
    if (run_.cycle() <= 33) {  // what is there after reset
      a.valid = true;
      a.addr = rp::kDsControl + 4 * (static_cast<std::uint32_t>(run_.cycle()) - 1);
      return a;
    }
    if (stores_.is_due()) return stores_.next_spell(mix_.stores);
    // Seldom by itself, so it is aimed at: 840h in the cycle in which the port becomes viral.
    const bool turns = twin_.turns_viral() || (control_for_ > 0 && twin_.hears_viral());
    const bool aimed = turns && !viral_asked_ && random_.percent(75);
    if (!aimed && !random_.percent(mix_.registers)) return a;
    a.valid = true;
    a.wdata = static_cast<std::uint32_t>(random_.next());
    switch (aimed ? 9 : random_.below(18)) {
      case 0:
        a.write = random_.percent(mix_.registers < 10 ? 5 : 20);
        a.addr = rp::kPolicy;
        a.wdata = rp::kPolicySelect.put(
                      random_.percent(60) ? 5 : static_cast<std::uint32_t>(random_.below(6))) |
                  rp::kPolicyWays.put(static_cast<std::uint32_t>(random_.below(4))) |
                  rp::kPolicyStreamSets.put(static_cast<std::uint32_t>(random_.below(9))) |
                  rp::kPolicyLenEnable.put(random_.percent(80)) |
                  rp::kPolicyMatchStart.put(random_.percent(25)) |
                  rp::kPolicySpec64b.put(random_.percent(12)) |
                  rp::kPolicyAround.put(random_.percent(50)) |
                  rp::kPolicyClipLog2.put(random_.percent(50) ? 15 : random_.below(5));
        break;
      case 1:
        a.write = random_.percent(20);
        a.addr = tmo::kControl;
        a.wdata &= ~0xFu;
        a.wdata |= 1;  // 50 us: the others are longer than a run
        if (random_.percent(80)) a.wdata |= tmo::kControlMemIsolation.put(1);
        if (random_.percent(70)) a.wdata &= ~tmo::kControlMemLinkDown.mask();  // it lasts
        break;
      case 2:
        a.write = true;
        a.addr = tmo::kStatus;
        break;
      case 3:
      case 4:
        a = ras_access();
        break;
      case 5:
      case 6:
      case 7:
      case 8:
        if (io_answers_) return {};  // what it does next depends on what it reads
        a = io_.next();
        io_asked_ = !a.write;
        break;
      case 9:
        a.write = random_.percent(aimed ? 70 : 30);
        a.addr = rp::kViral;
        a.wdata &= ~rp::kViralPort.mask();
        a.wdata |= rp::kViralPort.put(random_.percent(10));
        viral_asked_ = !a.write;
        break;
      case 10:
      case 11:
        a = link_access();
        break;
      case 12:
      case 13:
        a = stores_.next();
        break;
      case 14:
        a.addr = rp::kHintControl + static_cast<std::uint32_t>(random_.below(16));
        a.write = a.addr < rp::kHintGranules;
        if (a.write) {
          a.wdata = (a.wdata & 0xFFFE'7777) | rp::kHintControlEnable.put(random_.percent(85));
        } else {
          hint_count_asked_ = (a.addr - rp::kHintGranules) / 4;
        }
        break;
      default:
        a.write = random_.percent(10);
        a.addr = static_cast<std::uint32_t>(random_.percent(50)   ? random_.below(16)
                                            : random_.percent(30) ? 0x8a0 + random_.below(0x18)
                                                                  : 0x800 + random_.below(0xd0));
        if (a.addr >> 2 == tmo::kControl >> 2 || a.addr >> 2 == rp::kDsControl >> 2) {
          a.write = false;
        }
        break;
    }
    if (a.valid && !a.write && a.addr >= rp::kSpecRequested && a.addr < rp::kSpecRequested + 24) {
      speculation_asked_ = (a.addr - rp::kSpecRequested) / 4;
    }
    a.addr |= static_cast<std::uint32_t>(random_.bits(4)) << 12;
    reads += a.valid && !a.write;
    return a;
  }

  // Mostly not masked and cleared soon, so that many an error is the first.
  // Stalls do not last: without credits nothing happens any more.
  RootPort::RegisterAccess link_access() {
    namespace link = regs::link;
    constexpr std::uint32_t kBase = 0x200;
    constexpr unsigned kStall[] = {0, 0, 0, 0, 2, 4};
    RootPort::RegisterAccess a{.valid = true};
    a.wdata = static_cast<std::uint32_t>(random_.next());
    switch (random_.below(8)) {
      case 0:
        a.addr = kBase + link::kAckTimer;
        a.write = random_.percent(50);
        if (random_.percent(50)) a.wdata &= 0xFFFC'1F1F;  // sooner than by reset
        break;
      case 1:
        a.addr = kBase + link::kDefeature;
        a.write = random_.percent(50);
        break;
      case 2:
      case 3:
        a.addr = kBase + link::kControl;
        a.write = true;
        a.wdata = (a.wdata & ~6u) | (stalled_ ? 0 : random_.pick(kStall));
        stalled_ = (a.wdata & 6) != 0;
        break;
      default:
        a.addr = kBase + static_cast<std::uint32_t>(random_.below(256));
        break;
    }
    link_asked_ = !a.write && (a.addr & 0x3C) == link::kControl;
    return a;
  }
  RootPort::RegisterAccess ras_access() {
    namespace ras = regs::ras;
    constexpr std::uint32_t kBase = 0x100;
    constexpr std::uint32_t kStatus[] = {ras::kUncorStatus, ras::kCorStatus};
    constexpr std::uint32_t kSettings[] = {ras::kUncorMask, ras::kUncorSeverity, ras::kCorMask};
    RootPort::RegisterAccess a{.valid = true};
    a.wdata = static_cast<std::uint32_t>(random_.next());
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
        a.write = true;
        a.addr = kBase + random_.pick(kStatus);
        if (random_.percent(70)) a.wdata = ~0u;
        break;
      case 3:
        a.write = true;
        a.addr = kBase + random_.pick(kSettings);
        if (random_.percent(70)) a.wdata = 0;
        break;
      case 4:
        a.write = true;
        a.addr = kBase + ras::kControl;
        break;
      case 5:
      case 6:
      case 7:
      case 8:
        a.addr = kBase + random_.pick(kStatus);
        break;
      default:
        a.write = random_.percent(10);
        a.addr =
            kBase + static_cast<std::uint32_t>(random_.below(random_.percent(80) ? 0x28 : 0x100));
        break;
    }
    return a;
  }

  ArbMux::In wire(unsigned e) {
    ArbMux::In l = link_.wire(e);
    l.tx_ready = l.tx_ready && random_.percent(mix_.wire_ready);
    if (l.rx_valid) {
      hurt(e, l);
    } else if (e == 0 && l.phy_up) {
      forge(l);
    }
    if (e == 0) {
      const bool breaks = !l.phy_up || (l.rx_valid && l.rx_kind == FlitKind::kCachemem);
      quiet_ = breaks ? 0 : quiet_ + 1;
    }
    return l;
  }
  void hurt(unsigned e, ArbMux::In& l) {
    const auto flip = [&](std::uint64_t bit) {
      l.rx_flit.payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    };
    if (l.rx_kind == FlitKind::kCachemem) {
      const bool control = (l.rx_flit.payload[0] & 1) != 0;
      const bool storm = e == 0 && episode_ == Episode::kStorm && !control;
      if (!storm && random_.below(10000) >= mix_.damage) return;
      flip(random_.below(512));
      ++damaged;
    } else if (l.rx_kind == FlitKind::kAlmp && mix_.damage > 0 && random_.percent(kAlmpDamage)) {
      damage(l.rx_flit, random_);
    } else if (l.rx_kind == FlitKind::kIo && random_.percent(mix_.io_damage)) {
      flip(random_.below(28 * 8));
      ++io_damaged;
    }
  }
  // Flits that no right device sends, in cycles without another.
  void forge(ArbMux::In& l) {
    if (twin_.io_asks_for_recovery() && random_.percent(70)) {
      // The vLSM refuses this and does not look at its request in this cycle.
      l.rx_valid = true;
      l.rx_kind = FlitKind::kAlmp;
      l.rx_flit = encode_almp({AlmpLink::kIo, true, VlsmCode::kL1_0});
      ++almps_forged;
    } else if (episode_ == Episode::kFlood) {
      flits::S2mNdr ndr;
      ndr.tag = 0xFFFF;  // no entry's
      FlitPacker::In in;
      in.nd_valid = 2;
      in.nd_hdr = {flits::pack(ndr), flits::pack(ndr)};
      receive(l, FlitKind::kCachemem, FlitPacker(false).eval(in).flit);
    } else if (naks_left_ > 0) {
      --naks_left_;
      ++naks;
      receive(l, FlitKind::kIo, make_flit(AckNak{true, nak_}));
    } else if (quiet() && random_.below(10000) < mix_.forged) {
      receive(l, FlitKind::kCachemem, control_payload(flits::IdeIdle{}));
    }
  }
  static void receive(ArbMux::In& l, FlitKind kind, const Payload& payload) {
    l.rx_valid = true;
    l.rx_kind = kind;
    l.rx_flit = {payload, kind == FlitKind::kIo ? std::uint16_t{0} : crc_of(payload)};
  }
  void carry(unsigned e, const ArbMux::In& in, const ArbMux::Out& out) {
    if (!out.tx_valid || !in.tx_ready) return;
    link_.send(e, out.tx_kind, out.tx_flit);
    const bool inverted = (crc_of(out.tx_flit.payload) ^ out.tx_flit.crc) == 0xFFFF;
    if (out.tx_kind == FlitKind::kCachemem && inverted) ++announced[e];
    if (e == 1 || out.tx_kind != FlitKind::kIo || !random_.percent(mix_.refused)) return;
    const IoVerdict sent = classify(out.tx_flit.payload);
    if (const auto* tlp = std::get_if<SequencedTlp>(&sent)) {
      nak_ = (tlp->sequence + 4095) % 4096;
      naks_left_ = 5;  // the fourth makes REPLAY_NUM roll over
    }
  }

  void after(const RootPort::In& in, const RootPort::Out& out) {
    if (in.req_valid && out.req_ready) offered_ = false;
    if (in.hint_valid && out.hint_ready) hint_offered_ = false;
    hints_taken += in.hint_valid && out.hint_ready;
    hints_waited += in.hint_valid && !out.hint_ready;
    if (out.rsp_valid && in.rsp_ready) {
      ++(out.rsp.error ? refused : answered);
      if (!out.rsp.is_write) loads_.erase(out.rsp.id);
    }
    // While it refuses something is answered, whatever waits; but not what a fence holds.
    under_way_ += in.req_valid && out.req_ready;
    under_way_ -= out.rsp_valid && in.rsp_ready;
    const bool still = out.refuse && under_way_ != 0 && !stores_.is_fenced();
    unanswered_ = still && !(out.rsp_valid && in.rsp_ready) ? unanswered_ + 1 : 0;
    longest_unanswered = std::max(longest_unanswered, unanswered_);
    isolations += out.isolated && !was_isolated_;
    returns += !out.isolated && was_isolated_;
    refusals += out.refuse && !out.isolated;
    disabled += out.port.link.phy_state == VlsmCode::kLinkDisable;
    was_isolated_ = out.isolated;
    if (io_answers_) io_.answer(out.rdata, twin_.bridge());
    io_answers_ = std::exchange(io_asked_, false);
    if (viral_answers_) {
      namespace rp = regs::rp;
      viral_of_port += rp::kViralPort.is_set(out.rdata);
      viral_of_device += rp::kViralDevice.is_set(out.rdata);
    }
    viral_answers_ = std::exchange(viral_asked_, false);
    const auto counter = std::exchange(speculation_answers_, speculation_asked_);
    if (counter) speculation[*counter] += out.rdata != 0;
    const auto hint_count = std::exchange(hint_count_answers_, hint_count_asked_);
    if (hint_count) hint_counts[*hint_count] += out.rdata != 0;
    if (link_answers_) ++link_states[regs::link::kControlInitState.get(out.rdata)];
    link_answers_ = std::exchange(link_asked_, false);
    const CxlController::Out& m = out.port.messages;
    overflows += (m.err & link_err::kOverflow) != 0;
    encodings += (m.err & link_err::kProtocol) != 0;
    if (m.abort && !was_aborted_) {
      ++aborts;
      if (episode_ == Episode::kStorm) left_ = static_cast<unsigned>(random_.below(400));
    }
    was_aborted_ = m.abort;
  }

  void drive(const RootPort::In& in) {
    Vroot_port& v = *rtl_;
    v.req_valid_i = in.req_valid;
    set_sys_req(v.req_i, in.req);
    if (!in.req_valid) idle_.fill(v.req_i, 0, kSysReqBits);
    v.hint_valid_i = in.hint_valid;
    v.hint_granule_i = in.hint_granule;
    if (!in.hint_valid) idle_.fill(v.hint_granule_i, 0, 44);
    v.rsp_ready_i = in.rsp_ready;
    v.device_i = static_cast<std::uint8_t>(in.device);
    v.viral_i = in.viral;
    v.reg_req_i = reg_access(in.reg.write, in.reg.addr & 0xFFFF, in.reg.wdata);
    set_bits(v.reg_req_i, layout::RegReq::valid, in.reg.valid);
    v.link_tx_ready_i = in.link.tx_ready;
    v.link_rx_valid_i = in.link.rx_valid;
    v.link_rx_kind_i = static_cast<unsigned>(in.link.rx_kind);
    set_line(v.link_rx_flit_i, 0, in.link.rx_flit.payload);
    set_bits(v.link_rx_flit_i, 512, 16, in.link.rx_flit.crc);
    if (!in.link.rx_valid) {
      idle_.fill(v.link_rx_kind_i, 0, layout::kFlitKindBits);
      idle_.fill(v.link_rx_flit_i, 0, layout::kFlitBits);
    }
    v.phy_up_i = in.link.phy_up;
    v.phy_recovery_i = in.link.phy_recovery;
    v.lm_ready_i = in.lm_ready;
    v.lm_rsp_valid_i = in.lm_rsp_valid;
    using layout::LmRsp;
    set_line(v.lm_rsp_i, LmRsp::data, in.lm_rsp.data);
    set_bits(v.lm_rsp_i, LmRsp::index, in.lm_rsp.index);
    set_bits(v.lm_rsp_i, LmRsp::kind, static_cast<unsigned>(in.lm_rsp.kind));
    set_bits(v.lm_rsp_i, LmRsp::error, in.lm_rsp.error);
    if (!in.lm_rsp_valid) idle_.fill(v.lm_rsp_i, 0, LmRsp::kBits);
  }

  // Payload outputs count only with their valid.
  void compare(const RootPort::In& in, const RootPort::Out& twin) {
    Vroot_port& v = *rtl_;
    const CxlController::Out& m = twin.port.messages;
    const ArbMux::Out& l = twin.port.link;
    rsp_offer_.look(v.rsp_valid_o != 0, in.rsp_ready, v.rsp_o);
    // With its address, though software writes ds_base at any time here.
    lm_offer_.look(v.lm_valid_o != 0, in.lm_ready, v.lm_req_o, v.lm_line_o);
    if (in.req_valid || !twin.stores_on) {
      run_.check("req_ready_o", v.req_ready_o, twin.req_ready);
    }
    if (in.hint_valid) run_.check("hint_ready_o", v.hint_ready_o, twin.hint_ready);
    run_.check("rsp_valid_o", v.rsp_valid_o, twin.rsp_valid);
    if (twin.rsp_valid) check_sys_rsp(run_, v.rsp_o, twin.rsp);
    compare_local(in, twin);
    compare_traces(in, twin);
    run_.check("reg_rdata_o", v.reg_rdata_o, twin.rdata);
    run_.check("link_tx_valid_o", v.link_tx_valid_o, l.tx_valid);
    run_.check("link_tx_kind_o", v.link_tx_kind_o, static_cast<unsigned>(l.tx_kind));
    if (l.tx_valid) {
      run_.check_bytes("link_tx_flit_o", get_line(v.link_tx_flit_o), l.tx_flit.payload);
      run_.check("link_tx_flit_o crc", get_bits(v.link_tx_flit_o, 512, 16), l.tx_flit.crc);
    }
    run_.check("retrain_req_o", v.retrain_req_o, l.retrain_req);
    run_.check("phy_state_o", v.phy_state_o, static_cast<unsigned>(l.phy_state));
    run_.check("init_done_o", v.init_done_o, m.init_done);
    run_.check("abort_o", v.abort_o, m.abort);
    run_.check("viral_o", v.viral_o, twin.viral);
    run_.check("err_o", v.err_o, m.err);
    run_.check("arb_err_o", v.arb_err_o, l.damaged | l.malformed << 1 | l.stray << 2);
  }

  void compare_local(const RootPort::In& in, const RootPort::Out& twin) {
    Vroot_port& v = *rtl_;
    run_.check("lm_valid_o", v.lm_valid_o, twin.lm_valid);
    if (in.lm_rsp_valid) run_.check("lm_rsp_ready_o", v.lm_rsp_ready_o, twin.lm_rsp_ready);
    if (!twin.lm_valid) return;
    using layout::LmReq;
    const LmRequest& request = twin.lm_req;
    run_.check("lm_line_o", v.lm_line_o, twin.lm_line);
    run_.check("lm_req_o.write", get_bits(v.lm_req_o, LmReq::write), request.write);
    run_.check("lm_req_o.slot", get_bits(v.lm_req_o, LmReq::slot), request.slot);
    if (request.write) {
      run_.check("lm_req_o.be", get_bits(v.lm_req_o, LmReq::be), request.byte_enable);
      run_.check_bytes("lm_req_o.data", get_line(v.lm_req_o, LmReq::data), request.data);
    } else {
      run_.check("lm_req_o.index", get_bits(v.lm_req_o, LmReq::index), request.index);
      run_.check("lm_req_o.kind", get_bits(v.lm_req_o, LmReq::kind),
                 static_cast<unsigned>(request.kind));
    }
  }
  void compare_trace(const char* name, layout::Field point, bool valid, std::uint64_t id,
                     std::uint64_t line, unsigned info) {
    using layout::Trace;
    const auto& trace = rtl_->trace_o;
    run_.check(name, get_bits(trace, point[Trace::valid]), valid);
    if (!valid) return;
    run_.check(name, get_bits(trace, point[Trace::id]), id);
    run_.check(name, get_bits(trace, point[Trace::line]), line);
    run_.check(name, get_bits(trace, point[Trace::info]), info);
  }
  void compare_traces(const RootPort::In& in, const RootPort::Out& twin) {
    using layout::RpTrace;
    compare_trace("trace_o.port_enqueue", RpTrace::port_enqueue, in.req_valid && twin.req_ready,
                  in.req.id, in.req.addr / kLineBytes, twin.queue_level);
    const bool changed = twin.granularity != granularity_;
    granularity_ = twin.granularity;
    granularities += changed;
    compare_trace("trace_o.load_control", RpTrace::load_control, changed, 0, 0,
                  static_cast<unsigned>(twin.granularity));
    const std::uint32_t events = twin.ds_events.bits();
    compare_trace("trace_o.ds", RpTrace::ds, events != 0, events, twin.ds_count, 0);
  }

  Lockstep& run_;
  QuickRandom random_;
  Clocked<Vroot_port> rtl_;
  Idle idle_;
  RootPort twin_{kHost, kStores};
  Offer rsp_offer_{"rsp_o"}, lm_offer_{"lm_req_o"};
  CxlPort far_end_{kDevice};
  Device device_{random_};
  FarIo far_io_;
  IoDriver io_{random_};
  LocalMemory local_{random_};
  StoreDriver stores_{random_};
  FlexLink link_;
  Mix mix_ = kMixes[0];
  Episode episode_ = Episode::kNone;
  unsigned left_ = 0;   // cycles of the episode
  unsigned quiet_ = 0;  // cycles in which the host's end was up and received no CXL.mem
  unsigned nak_ = 0, naks_left_ = 0;
  bool offered_ = false, was_isolated_ = false, was_aborted_ = false;
  bool io_asked_ = false, io_answers_ = false;  // a register is read in this cycle, was in the last
  bool viral_asked_ = false, viral_answers_ = false;
  unsigned control_for_ = 0;  // cycles in which what a control flit said may show
  TestCoverage viral_pairs_{coverage::port_viral_pairs()};
  bool stalled_ = false, link_asked_ = false, link_answers_ = false;
  bool far_viral_ = false;
  std::uint64_t under_way_ = 0, unanswered_ = 0;
  Gran granularity_ = Gran::B256;                                    // in the last cycle
  std::optional<unsigned> speculation_asked_, speculation_answers_;  // which counter is read
  std::optional<unsigned> hint_count_asked_, hint_count_answers_;
  unsigned hint_rate_ = 0;  // percent
  bool hint_offered_ = false;
  std::uint64_t hint_ = 0;  // granule
  MemRequest request_;
  std::unordered_set<std::uint32_t> loads_;  // ids, offered or in flight
  std::uint64_t base_ = 0;
};

TEST(RootPort, Lockstep) {
  test::shows("order",
              "A root port in isolation answers every request, with the region of deterministic "
              "store full as well",
              "docs/blocks/root_port/deterministic_store.md");
  Lockstep run("root_port/root_port", 52);
  Bench bench(run);
  while (run.next()) bench.cycle();
  if (run.cycle() < 100000) return;
  EXPECT_GT(bench.answered, run.cycle() / 50);
  EXPECT_GT(bench.specs(), run.cycle() / 500);
  EXPECT_GT(bench.isolations, 5u);
  EXPECT_GT(bench.returns, 1u);
  EXPECT_GT(bench.refused, 100u);
  EXPECT_GT(bench.damaged, 20u);
  EXPECT_GT(bench.reads, 1000u);
  EXPECT_GT(bench.granularities, 100u);
  EXPECT_GT(bench.io().done, 200u);
  EXPECT_GT(bench.io().unsupported, 20u);
  EXPECT_GT(bench.io().unanswered, 5u);
  EXPECT_GT(bench.io().config_constants, 5u);
  EXPECT_GT(bench.io().memory_constants, 0u);
  EXPECT_GT(bench.io().own_config_constants, 3u);
  EXPECT_GT(bench.io().own_memory_constants, 0u);
  EXPECT_GT(bench.io_damaged, 20u);
  EXPECT_GT(bench.naks, 10u);
  EXPECT_GT(bench.almps_forged, 3u);
  EXPECT_GT(bench.encodings, 5u);
  EXPECT_GT(bench.aborts, 0u);
  EXPECT_GT(bench.overflows, 0u);
  EXPECT_GT(bench.announced[0], 10u);
  EXPECT_GT(bench.announced[1], 10u);
  EXPECT_GT(bench.viral_of_device, 10u);
  EXPECT_GT(bench.viral_of_port, 10u);
  EXPECT_GT(bench.refusals, 100u);
  EXPECT_GT(bench.disabled, 100u);
  EXPECT_GT(bench.stores().switched_on, 6u);
  EXPECT_GT(bench.stores().switched_off, 6u);
  for (const std::uint64_t n : bench.stores().events) EXPECT_GT(n, 3u);
  for (const std::uint64_t n : bench.speculation) EXPECT_GT(n, 3u);
  for (const std::uint64_t n : bench.hint_counts) EXPECT_GT(n, 3u);
  EXPECT_GT(bench.hints_taken, run.cycle() / 100);
  EXPECT_GT(bench.hints_waited, run.cycle() / 100);
  EXPECT_LT(bench.longest_unanswered, 1000u);
  if (std::getenv("CXLGPU_SHOW") != nullptr) {
    std::printf("events");
    for (const std::uint64_t n : bench.stores().events) std::printf(" %" PRIu64, n);
    std::printf("; counters of speculation read");
    for (const std::uint64_t n : bench.speculation) std::printf(" %" PRIu64, n);
    std::printf("; longest unanswered %" PRIu64 "\n", bench.longest_unanswered);
  }
  for (const unsigned state : {0u, 2u, 3u}) EXPECT_GT(bench.link_states[state], 1u) << state;
}

// ------------------------------------------------------------------------------- by hand, RTL only

// A root port whose peer is the test.
class HandPort {
 public:
  HandPort() { rtl_.reset(); }
  void step() {
    Vroot_port& v = *rtl_;
    v.link_tx_ready_i = 1;
    v.phy_up_i = phy_up;
    rtl_.settle();
    if (v.link_tx_valid_o) {
      sent.emplace_back(static_cast<FlitKind>(v.link_tx_kind_o), get_line(v.link_tx_flit_o));
    }
    rtl_.edge();
    v.link_rx_valid_i = 0;
  }
  void steps(unsigned n) {
    while (n-- > 0) step();
  }
  void receive(const CrcFlit& flit, FlitKind kind) {
    Vroot_port& v = *rtl_;
    v.link_rx_valid_i = 1;
    v.link_rx_kind_i = static_cast<unsigned>(kind);
    set_line(v.link_rx_flit_i, 0, flit.payload);
    set_bits(v.link_rx_flit_i, 512, 16, flit.crc);
    step();
  }
  void almp(bool request, AlmpLink link) {
    receive(encode_almp({link, request, VlsmCode::kActive}), FlitKind::kAlmp);
  }
  void receive(const flits::Control& control) {
    const Payload payload = control_payload(control);
    receive({payload, crc_of(payload)}, FlitKind::kCachemem);
  }
  void framed(const flits::Control& control) {
    for (unsigned k = 0; k < 5; ++k) receive(flits::RetryFrame{});
    receive(control);
    steps(4);
  }
  void write(unsigned addr, std::uint32_t value) { access(addr, true, value); }
  std::uint32_t read(unsigned addr) {
    access(addr, false, 0);
    return rtl_->reg_rdata_o;
  }
  // The ALMPs sent since, as their first dwords.
  std::vector<std::uint32_t> almps() {
    std::vector<std::uint32_t> dwords;
    for (const auto& [kind, payload] : sent) {
      if (kind != FlitKind::kAlmp) continue;
      dwords.emplace_back();
      std::memcpy(&dwords.back(), payload.data(), 4);
    }
    sent.clear();
    return dwords;
  }
  void answer_almps() {
    for (const AlmpLink link : {AlmpLink::kIo, AlmpLink::kCachemem}) {
      almp(false, link);
      almp(true, link);
    }
    steps(10);
  }
  // Granules of hints, one after the other; the cycles that they took.
  unsigned hint(std::uint64_t first, unsigned granules) {
    unsigned cycles = 0;
    for (unsigned i = 0; i < granules;) {
      rtl_->hint_valid_i = 1;
      rtl_->hint_granule_i = first + i;
      rtl_.settle();
      i += rtl_->hint_ready_o != 0;
      step();
      if (++cycles > 100'000) return cycles;
    }
    rtl_->hint_valid_i = 0;
    return cycles;
  }
  [[nodiscard]] bool init_done() { return rtl_->init_done_o != 0; }
  [[nodiscard]] bool retrains() { return rtl_->retrain_req_o != 0; }

  bool phy_up = false;
  std::vector<std::pair<FlitKind, Payload>> sent;

 private:
  void access(unsigned addr, bool write, std::uint32_t value) {
    rtl_->reg_req_i = reg_access(write, addr, value);
    step();
    rtl_->reg_req_i = 0;
    rtl_.settle();
  }
  Clocked<Vroot_port> rtl_;
};

// A device that only answers, as every standard one: the port asks without having heard anything,
// and the link is up once it is answered.
TEST(RootPortByHand, LinkComesUpWithASilentDevice) {
  test::shows("link", "A root port brings the link to a silent device up", "CXL 2.0, 5.1.2.2");
  HandPort port;
  port.phy_up = true;
  port.steps(20);
  EXPECT_EQ(port.almps(), (std::vector<std::uint32_t>{0x0181'0800, 0x0281'0800}));
  port.steps(20000);
  EXPECT_TRUE(port.sent.empty()) << "a flit before Active";
  EXPECT_FALSE(port.retrains());
  port.answer_almps();
  EXPECT_EQ(port.almps(), (std::vector<std::uint32_t>{0x0101'0800, 0x0201'0800}));
  port.receive(flits::RetryIdle{});
  port.receive(flits::InitParam{2, 128});
  port.steps(20);
  EXPECT_TRUE(port.init_done());
  EXPECT_FALSE(port.retrains());
}

// Where the region is cannot change while anything may be in it.
TEST(RootPortByHand, DsBaseIsLockedWhileOn) {
  test::shows("ds", "The base of the region is not written while deterministic store is on",
              "docs/blocks/root_port/deterministic_store.md");
  HandPort port;
  const auto base = [&] { return std::uint64_t{port.read(0x860)} << 32 | port.read(0x85c); };
  const auto move = [&](std::uint32_t high, std::uint32_t low) {
    port.write(0x85c, low);
    port.write(0x860, high);
  };
  EXPECT_EQ(base(), 0u);
  move(0xffff'ffff, 0xffff'ffff);
  EXPECT_EQ(base(), 0x000f'ffff'fffc'0000u);
  move(0x0001'2345, 0x6789'ffff);
  EXPECT_EQ(base(), 0x0001'2345'6788'0000u);
  port.write(0x850, 0x801);
  port.step();
  EXPECT_EQ(port.read(0x854) & 1, 1u);
  for (const std::uint32_t data : {0u, 0xffff'ffffu}) {
    move(data, data);
    EXPECT_EQ(base(), 0x0001'2345'6788'0000u);
  }
  port.write(0x850, 0x800);
  port.step();
  EXPECT_EQ(port.read(0x854) & 1, 0u);
  move(0, 0x0004'0000);
  EXPECT_EQ(base(), 0x0004'0000u);
}

// Hints before software enables them are dropped; then they become MemSpecRd, four granules in one
// with the length, one without. With the link down these are accepted and forgotten.
TEST(RootPortByHand, HintsAreCounted) {
  HandPort port;
  const auto counters = [&] {
    return std::array<std::uint32_t, 3>{port.read(0x8c4), port.read(0x8c8), port.read(0x8cc)};
  };
  EXPECT_EQ(port.read(0x8c0), 0xf854u);
  EXPECT_EQ(port.hint(0x100, 8), 8u);
  EXPECT_EQ(counters(), (std::array<std::uint32_t, 3>{8, 0, 8}));
  port.write(0x8c0, 0xffff'0000);
  EXPECT_EQ(port.read(0x8c0), 0x1'0000u);
  port.write(0x800, 0x10);  // length
  port.hint(0x200, 8);
  port.steps(20);
  EXPECT_EQ(counters(), (std::array<std::uint32_t, 3>{16, 2, 8}));
  for (const std::uint32_t policy : {0x00u, 0x50u}) {  // MemSpecRd of 64 B have no length
    port.write(0x800, policy);
    port.hint(0x300, 8);
    port.steps(20);
  }
  EXPECT_EQ(counters(), (std::array<std::uint32_t, 3>{32, 18, 8}));
  // The pause of light load, 2^7 cycles a granule.
  port.write(0x800, 0x10);
  port.write(0x8c0, 0x1'0007);
  port.steps(200);  // over after the last
  port.hint(0x400, 4);
  port.steps(20);
  const unsigned cycles = port.hint(0x404, 5);  // the fifth waits until the four have gone
  EXPECT_GT(cycles, 480u);
  EXPECT_LT(cycles, 520u);
  for (unsigned addr = 0x8c4; addr < 0x8d0; addr += 4) port.write(addr, 0);  // read-only
  port.steps(600);
  EXPECT_EQ(counters(), (std::array<std::uint32_t, 3>{41, 21, 8}));
  EXPECT_EQ(port.read(0x8d0), 0u);
}

// What the peer must not say reaches the RAS structure, the whole flit with it; a masked error
// leaves no trace.
TEST(RootPortByHand, ViolationsReachRas) {
  test::shows("link", "Violations of the link layer are uncorrectable errors, with their flit",
              "CXL 2.0, 4.2.7, 8.2.5.9");
  namespace ras = regs::ras;
  constexpr unsigned kAt = 0x100;
  const flits::RetryAck unasked{.num_retry = 3, .wr_ptr = 9, .eseq = 1, .num_free_buf = 77};
  const flits::RetryReq not_held{200, 1, 0};
  const flits::InitParam param{2, 128};
  const flits::Llcrd early{0, 0, 0x9, 0x9};
  for (unsigned violation = 0; violation < 4; ++violation) {
    for (const bool masked : {true, false}) {
      SCOPED_TRACE(::testing::Message() << "violation " << violation << " masked " << masked);
      HandPort port;
      port.phy_up = true;
      port.steps(20);
      port.answer_almps();
      if (!masked) port.write(kAt + ras::kUncorMask, ~ras::kUncorStatusEncoding.mask());
      port.receive(flits::RetryIdle{});
      Payload bad{};
      if (violation == 0) {
        bad = control_payload(early);
        port.receive(early);
        port.receive(param);
      } else {
        port.receive(param);
        port.steps(50);
        EXPECT_EQ(port.read(kAt + ras::kUncorStatus), 0u);
        const flits::Control what = violation == 1   ? flits::Control{unasked}
                                    : violation == 2 ? flits::Control{not_held}
                                                     : flits::Control{param};
        bad = control_payload(what);
        port.framed(what);
      }
      port.steps(20);
      EXPECT_EQ(port.read(kAt + ras::kUncorStatus), masked ? 0u : ras::kUncorStatusEncoding.mask());
      EXPECT_EQ(port.read(kAt + ras::kControl) & 0x3f, masked ? 0u : 9u);
      for (unsigned word = 0; word < 16; ++word) {
        std::uint32_t expected = 0;
        if (!masked) std::memcpy(&expected, bad.data() + 4 * word, 4);
        EXPECT_EQ(port.read(kAt + ras::kHeaderLog + 4 * word), expected) << word;
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
