// The endpoint behind a host that does what ours never does: all opcodes of M2S Req, poisoned
// writes, responses left lying, wrong CXL.io flits. Its errors in configuration space and RAS, each
// alone.
//
// The far end is the twin of a host's cxl_port with its CXL.io; software is a request at a time
// through it. The media behind is the bench's own and keeps lines by DPA and by slot.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <type_traits>

#include "Vendpoint.h"
#include "flits/messages.hpp"
#include "refmodel/common/registers.hpp"
#include "refmodel/controller/cxl_port.hpp"
#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/media/media.hpp"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/controller/arb_link.hpp"
#include "tests/cxl_io/far_io.hpp"

namespace cxlgpu::test {
namespace {

using flits::M2sReqOpcode;
using flits::M2sRwdOpcode;

constexpr std::uint64_t kRange = std::uint64_t{256} << 20;
constexpr std::uint64_t kBar = 0xc000'0000, kComponents = kBar + 0x1000;
constexpr std::uint64_t kRas = kComponents + 0x200, kHdm = kComponents + 0x800,
                        kVendor = kBar + 0x1'0000;
constexpr unsigned kRasCapability = 2, kHdmCapability = 5;
constexpr std::uint32_t kCommand = 0x04, kBar0 = 0x10, kDevice = 0x48;
constexpr std::uint32_t kCorrectable = 1u << 16, kNonFatal = 2u << 16, kFatal = 4u << 16;
constexpr unsigned kTags = 200;
constexpr std::size_t kTraceValid = 16 + 46 + 8;  // of trace_t: valid, id, line, info

// Lines by DPA and by place in the internal DRAM; answers after some cycles, in any order.
class BenchMedia {
 public:
  void submit(const MediaCommand& c, std::uint64_t due) {
    ++commands[static_cast<unsigned>(c.op)];
    MediaResponse response{.op = c.op, .id = c.id, .error = false, .data = {}};
    const std::uint64_t place = std::uint64_t{c.slot} * 4;
    switch (c.op) {
      case MediaOp::Read:
        response.data = lines_[c.dpa];
        break;
      case MediaOp::ArrayRead:
        response.data = array_[place + c.offset];
        break;
      case MediaOp::Write:
        merge_bytes(lines_[c.dpa], c.data, c.byte_enable);
        break;
      case MediaOp::ArrayWrite:
        merge_bytes(array_[place + c.offset], c.data, c.byte_enable);
        break;
      case MediaOp::Fill:
        for (unsigned i = 0; i < 4; ++i) array_[place + i] = lines_[c.dpa + i];
        break;
      case MediaOp::WriteBack:
        for (unsigned i = 0; i < 4; ++i) lines_[c.dpa + i] = array_[place + i];
        break;
    }
    under_way_.emplace(due, response);
  }
  [[nodiscard]] const MediaResponse* ready(std::uint64_t cycle) const {
    const auto first = under_way_.begin();
    return first != under_way_.end() && first->first <= cycle ? &first->second : nullptr;
  }
  void taken() { under_way_.erase(under_way_.begin()); }
  [[nodiscard]] bool empty() const { return under_way_.empty(); }
  std::array<std::uint64_t, 6> commands{};

 private:
  std::map<std::uint64_t, Line> lines_, array_;  // by line
  std::multimap<std::uint64_t, MediaResponse> under_way_;
};

class HostBench {
 public:
  explicit HostBench(std::uint64_t seed) : random(seed), link_({.seed = seed, .flight = {2, 2}}) {
    rtl_.reset();
    for (unsigned i = 0; i < 5000 && !(rtl_->init_done_o && dl_up_); ++i) cycle();
    EXPECT_TRUE(rtl_->init_done_o && dl_up_) << "the link does not come up";
    config_write(kBar0, kBar);
    config_write(kCommand, 2);  // memory space
    EXPECT_EQ(memory_read(kComponents + 4 * entry_of(kRasCapability)) >> 20, kRas - kComponents);
    EXPECT_EQ(memory_read(kComponents + 4 * entry_of(kHdmCapability)) >> 20, kHdm - kComponents);
    namespace hdm = regs::hdm;
    memory_write(kHdm + hdm::kDec + hdm::kDecSizeLow, kRange);
    memory_write(kHdm + hdm::kDec + hdm::kDecControl, hdm::kDecControlCommit.mask());
    memory_write(kHdm + hdm::kGlobalControl, hdm::kGlobalControlEnable.mask());
  }

  Random random;
  BenchMedia media;
  unsigned take_percent = 100;   // of the cycles in which the host takes a response
  unsigned media_percent = 100;  // in which the media takes a command
  std::uint64_t retrains = 0;
  std::uint64_t forgotten = 0;  // granules asked for ahead and dropped, as the trace tells
  bool deaf = false;            // CXL.io flits to the host are lost

  // ---- CXL.io ----
  void config_write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(request({IoOp::kCfgWr0, offset, 0xf, value}).status, CplStatus::kSuccess);
  }
  std::uint32_t config_read(std::uint32_t offset) {
    return request({IoOp::kCfgRd0, offset, 0xf, 0}).data;
  }
  void memory_write(std::uint64_t address, std::uint64_t value) {
    request({IoOp::kMemWr, address, 0xf, static_cast<std::uint32_t>(value)});
    config_read(0);  // a posted write is over when what comes after it is
  }
  std::uint32_t memory_read(std::uint64_t address) {
    return request({IoOp::kMemRd, address, 0xf, 0}).data;
  }
  // Its error bits, cleared by it.
  std::uint32_t device_status() {
    const std::uint32_t status = config_read(kDevice) & (kCorrectable | kNonFatal | kFatal);
    config_write(kDevice, status);
    return status;
  }
  // A flit of CXL.io that the host's data link knows nothing of.
  template <typename Packet>
  void inject(const Packet& packet) {
    if constexpr (std::is_same_v<Packet, IoFlit>) {
      injected_ = packet;
    } else {
      injected_ = make_flit(packet);
    }
    while (injected_) cycle();
    for (unsigned i = 0; i < 100; ++i) cycle();
  }
  // A flit of CXL.cachemem that the host's link layer knows nothing of.
  void inject_mem(const Payload& payload) {
    forged_ = payload;
    while (forged_) cycle();
    for (unsigned i = 0; i < 20; ++i) cycle();
  }
  void ask(const IoRequest& request) {
    asked_ = request;
    while (asked_) cycle();
  }

  // ---- CXL.mem ----
  struct Answer {
    std::uint64_t at = 0;
    bool drs = false;
    Line data{};
  };
  std::map<unsigned, Answer> answers;  // by tag
  unsigned strange = 0;                // answers nobody waits for

  [[nodiscard]] std::optional<unsigned> free_tag() {
    for (unsigned tag = 0; tag < kTags; ++tag) {
      if (!waiting_.contains(tag) && !answers.contains(tag)) return tag;
    }
    return std::nullopt;
  }
  unsigned send(M2sReqOpcode opcode, std::uint64_t address) {
    const unsigned tag = opcode == M2sReqOpcode::MemSpecRd ? 0xfff : free_tag().value();
    flits::M2sReq req;
    req.opcode = opcode;
    req.address = address;
    req.tag = static_cast<std::uint16_t>(tag);
    nd_.push_back(flits::pack(req));
    if (opcode != M2sReqOpcode::MemSpecRd) waiting_[tag] = true;
    return tag;
  }
  unsigned send(std::uint64_t address, const Line& data, std::uint64_t enables, bool poison) {
    const unsigned tag = free_tag().value();
    flits::M2sRwd rwd;
    rwd.opcode = enables == kAllBytes ? M2sRwdOpcode::MemWr : M2sRwdOpcode::MemWrPtl;
    rwd.address = address;
    rwd.tag = static_cast<std::uint16_t>(tag);
    rwd.poison = poison;
    last_rwd = flits::pack(rwd);
    WdMessage message;
    message.header = last_rwd;
    message.data = data;
    message.enables = enables;
    wd_.push_back(message);
    waiting_[tag] = true;
    return tag;
  }
  [[nodiscard]] bool busy() const { return !waiting_.empty() || !nd_.empty() || !wd_.empty(); }
  void settle() {
    for (unsigned i = 0; i < 20000 && (busy() || !media.empty()); ++i) cycle();
    EXPECT_FALSE(busy()) << waiting_.size() << " requests without an answer";
    for (unsigned i = 0; i < 2000; ++i) cycle();
    EXPECT_EQ(strange, 0u);
  }
  MsgHeader last_rwd = 0;
  unsigned first_sender = 2;  // end that sent the first flit of all; 2: none yet

  void cycle() {
    ++cycle_;
    Vendpoint& v = *rtl_;
    ArbMux::In host_wire = wire(0);
    const ArbMux::In device_wire = wire(1);
    forge(host_wire);
    CxlPort::In in = host_inputs(host_wire);
    v.link_tx_ready_i = device_wire.tx_ready;
    v.link_rx_valid_i = device_wire.rx_valid;
    v.link_rx_kind_i = static_cast<unsigned>(device_wire.rx_kind);
    set_line(v.link_rx_flit_i, 0, device_wire.rx_flit.payload);
    set_bits(v.link_rx_flit_i, 512, 16, device_wire.rx_flit.crc);
    v.phy_up_i = device_wire.phy_up;
    v.phy_recovery_i = device_wire.phy_recovery;
    drive_media();
    rtl_.settle();
    const CxlPort::Out out = port_.eval(in);
    if (v.link_tx_valid_o && device_wire.tx_ready) {
      if (first_sender == 2 && !(out.link.tx_valid && host_wire.tx_ready)) first_sender = 1;
      link_.send(1, static_cast<FlitKind>(v.link_tx_kind_o),
                 {get_line(v.link_tx_flit_o),
                  static_cast<std::uint16_t>(get_bits(v.link_tx_flit_o, 512, 16))});
    }
    if (out.link.tx_valid && host_wire.tx_ready) {
      if (first_sender == 2) first_sender = 0;
      link_.send(0, out.link.tx_kind, out.link.tx_flit);
    }
    retrains += v.retrain_req_o != 0;
    link_.step({FlexLink::Ask{out.link.retrain_req, out.link.phy_state},
                FlexLink::Ask{v.retrain_req_o != 0, static_cast<VlsmCode>(v.phy_state_o)}});
    hear(in, out);
    sample_media();
    rtl_.edge();
    clock_io(in, out);
    port_.clock(in);
  }

 private:
  // A forged flit takes the place of what the host would send.
  void forge(ArbMux::In& host_wire) {
    if (!forged_ || !host_wire.tx_ready) return;
    link_.send(0, FlitKind::kCachemem, {*forged_, crc_of(*forged_)});
    host_wire.tx_ready = false;
    forged_.reset();
  }
  ArbMux::In wire(unsigned e) {
    ArbMux::In l = link_.wire(e);
    l.tx_ready = l.tx_ready && (cycle_ + e) % 2 == 0;
    return l;
  }

  CxlPort::In host_inputs(const ArbMux::In& wire) {
    CxlPort::In in;
    in.link = wire;
    in.link.io_req = in.link.cm_req = VlsmCode::kActive;
    in.messages.link_up = true;
    const IoLink::Out io = io_link_.eval({.link_up = io_up_});
    in.link.io_tx_valid = injected_.has_value() || io.io_tx.has_value();
    if (injected_) {
      in.link.io_tx_data = *injected_;
    } else if (io.io_tx) {
      in.link.io_tx_data = *io.io_tx;
    }
    in.messages.rx_nd_ready = random.percent(take_percent);
    in.messages.rx_wd_ready = random.percent(take_percent);
    in.messages.tx_nd_valid = !nd_.empty();
    if (!nd_.empty()) in.messages.tx_nd_hdr = nd_.front();
    in.messages.tx_wd_valid = !wd_.empty();
    if (!wd_.empty()) in.messages.tx_wd = wd_.front();
    return in;
  }
  void hear(const CxlPort::In& in, const CxlPort::Out& out) {
    if (in.messages.tx_nd_valid && out.messages.tx_nd_ready) nd_.pop_front();
    if (in.messages.tx_wd_valid && out.messages.tx_wd_ready) wd_.pop_front();
    if (out.messages.rx_nd_valid && in.messages.rx_nd_ready) {
      answer(flits::unpack<flits::S2mNdr>(out.messages.rx_nd_hdr).tag, {cycle_, false, {}});
    }
    if (out.messages.rx_wd_valid && in.messages.rx_wd_ready) {
      answer(flits::unpack<flits::S2mDrs>(out.messages.rx_wd.header).tag,
             {cycle_, true, out.messages.rx_wd.data});
    }
  }
  void answer(unsigned tag, const Answer& what) {
    strange += waiting_.erase(tag) == 0;
    answers[tag] = what;
  }

  void clock_io(const CxlPort::In& in, const CxlPort::Out& out) {
    IoLink::In link{.link_up = out.link.io_link_up};
    const IoLink::Out io = io_link_.eval(link);
    const IoRequester::Out requester = requester_.eval();
    link.io_tx_ready = out.link.io_tx_ready && !injected_;
    if (out.link.io_rx_valid && !deaf) link.io_rx = out.link.rx_flit.payload;
    link.tlp_tx = requester.tlp_tx;
    link.tlp_rx_ready = true;
    if (injected_ && in.link.io_tx_valid && out.link.io_tx_ready) injected_.reset();
    IoRequester::In request{.link_up = io.dl_up,
                            .req = asked_,
                            .rsp_ready = true,
                            .tlp_tx_ready = io.tlp_tx_ready,
                            .tlp_rx = io.tlp_rx};
    if (asked_ && requester.req_ready) asked_.reset();
    if (requester.rsp) response_ = requester.rsp;
    io_link_.clock(link);
    requester_.clock(request);
    io_up_ = out.link.io_link_up;
    dl_up_ = io.dl_up;
  }
  IoResponse request(const IoRequest& request) {
    response_.reset();
    asked_ = request;
    for (unsigned i = 0; i < 60000 && !response_; ++i) cycle();
    EXPECT_TRUE(response_.has_value()) << "no answer of CXL.io";
    return response_.value_or(IoResponse{});
  }
  unsigned entry_of(unsigned capability) {
    const unsigned entries = memory_read(kComponents) >> 24;
    for (unsigned n = 1; n <= entries; ++n) {
      if ((memory_read(kComponents + 4 * std::uint64_t{n}) & 0xffff) == capability) return n;
    }
    ADD_FAILURE() << "no structure " << capability;
    return 0;
  }

  // media_cmd_t and media_rsp_t of cxlgpu_pkg, last field at bit 0.
  void drive_media() {
    Vendpoint& v = *rtl_;
    if (!media_takes_) media_takes_ = random.percent(media_percent);
    v.media_cmd_ready_i = media_takes_;
    const MediaResponse* response = media.ready(cycle_);
    v.media_rsp_valid_i = response != nullptr;
    if (response == nullptr) return;
    set_line(v.media_rsp_i, 0, response->data);
    set_bits(v.media_rsp_i, 512, 1, response->error);
    set_bits(v.media_rsp_i, 513, 8, response->id);
    set_bits(v.media_rsp_i, 521, 3, static_cast<unsigned>(response->op));
  }
  void sample_media() {
    Vendpoint& v = *rtl_;
    forgotten += get_bits(v.tr_spec_drop_o, kTraceValid, 1);
    if (v.media_rsp_valid_i && v.media_rsp_ready_o) media.taken();
    if (!v.media_cmd_valid_o || !v.media_cmd_ready_i) return;
    MediaCommand c;
    c.data = get_line(v.media_cmd_o);
    c.byte_enable = get_bits(v.media_cmd_o, 512, 64);
    c.offset = static_cast<std::uint32_t>(get_bits(v.media_cmd_o, 576, 2));
    c.slot = static_cast<std::uint32_t>(get_bits(v.media_cmd_o, 578, 16));
    c.dpa = get_bits(v.media_cmd_o, 594, 46);
    c.id = static_cast<std::uint16_t>(get_bits(v.media_cmd_o, 640, 8));
    c.op = static_cast<MediaOp>(get_bits(v.media_cmd_o, 648, 3));
    media.submit(c, cycle_ + 1 + random.below(60));
    media_takes_ = false;
  }

  Clocked<Vendpoint> rtl_;
  CxlPort port_{{true, 32, 32, 128, {}}};
  IoLink io_link_{{.infinite = true}};
  IoRequester requester_{0, 50000};
  FlexLink link_;
  std::deque<MsgHeader> nd_;
  std::deque<WdMessage> wd_;
  std::map<unsigned, bool> waiting_;
  std::optional<IoFlit> injected_;
  std::optional<Payload> forged_;
  std::optional<IoRequest> asked_;
  std::optional<IoResponse> response_;
  bool io_up_ = false, dl_up_ = false, media_takes_ = false;
  std::uint64_t cycle_ = 0;
};

// Requests of one line follow each other's answers; else all at once.
void traffic(HostBench& bench, unsigned requests, bool holds) {
  std::map<std::uint64_t, Line> memory;
  struct Expected {
    std::uint64_t line;
    bool drs;
    Line data;
  };
  std::map<unsigned, Expected> expected;
  std::map<std::uint64_t, bool> in_use;
  const auto check = [&] {
    for (auto& [tag, answer] : bench.answers) {
      const auto it = expected.find(tag);
      ASSERT_NE(it, expected.end());
      EXPECT_EQ(answer.drs, it->second.drs) << "tag " << tag;
      if (answer.drs) {
        EXPECT_EQ(answer.data, it->second.data) << "line " << it->second.line;
      }
      in_use.erase(it->second.line);
      expected.erase(it);
    }
    bench.answers.clear();
  };
  for (unsigned sent = 0; sent < requests && !::testing::Test::HasFailure();) {
    if (holds && bench.random.below(400) == 0) {  // long enough for all places to fill
      bench.take_percent = 0;
      for (unsigned i = 0; i < 1500; ++i) bench.cycle();
      bench.take_percent = 100;
    }
    check();
    const std::uint64_t line = bench.random.below(2000);
    if (!bench.free_tag() || in_use[line] || bench.random.percent(30)) {
      bench.cycle();
      continue;
    }
    ++sent;
    const std::uint64_t address = line * kLineBytes;
    Line& now = memory[line];
    unsigned tag = 0;
    switch (bench.random.below(8)) {
      case 0:
      case 1:
        tag = bench.send(M2sReqOpcode::MemRd, address);
        expected[tag] = {line, true, now};
        break;
      case 2:
        tag = bench.send(M2sReqOpcode::MemRdData, address);
        expected[tag] = {line, true, now};
        break;
      case 3:
        tag = bench.send(bench.random.bits(1) != 0 ? M2sReqOpcode::MemInv : M2sReqOpcode::MemInvNT,
                         address);
        expected[tag] = {line, false, {}};
        break;
      case 4:
        bench.send(M2sReqOpcode::MemSpecRd, address & ~std::uint64_t{255});
        continue;
      default: {
        const Line data = random_line(bench.random);
        const std::uint64_t enables = bench.random.percent(30) ? bench.random.bits(64) : kAllBytes;
        tag = bench.send(address, data, enables, false);
        merge_bytes(now, data, enables);
        expected[tag] = {line, false, {}};
      }
    }
    in_use[line] = true;
  }
  bench.settle();
  check();
  EXPECT_TRUE(expected.empty());
}

class Endpoint : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(InternalDram, Endpoint, ::testing::Bool());

TEST_P(Endpoint, AnswersAllOpcodes) {
  HostBench bench(GetParam() ? 11 : 12);
  if (GetParam()) {
    bench.memory_write(kVendor + (regs::ep::kSets - regs::ep::kBlock), 3);
    bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  }
  bench.media_percent = 60;
  traffic(bench, 4000, false);
  const auto& commands = bench.media.commands;
  EXPECT_EQ(commands[static_cast<unsigned>(MediaOp::Fill)] > 0, GetParam());
  EXPECT_EQ(commands[static_cast<unsigned>(MediaOp::Read)] > 0, !GetParam());
}

TEST_P(Endpoint, WaitsForAHostThatTakesNothing) {
  HostBench bench(GetParam() ? 21 : 22);
  if (GetParam()) bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  traffic(bench, 6000, true);
}

// MemInv and MemInvNT are answered without the media.
TEST(EndpointAlone, InvalidationsTouchNoMedia) {
  HostBench bench(31);
  for (unsigned i = 0; i < 40; ++i) {
    bench.send(i % 2 == 0 ? M2sReqOpcode::MemInv : M2sReqOpcode::MemInvNT, i * kLineBytes);
  }
  bench.settle();
  for (const auto& [tag, answer] : bench.answers) EXPECT_FALSE(answer.drs) << "tag " << tag;
  EXPECT_EQ(bench.answers.size(), 40u);
  for (const std::uint64_t n : bench.media.commands) EXPECT_EQ(n, 0u);
}

// What waits to be asked for is forgotten when the internal DRAM goes off: each granule is told,
// and none is filled when it comes on again.
TEST(EndpointAlone, ForgetsMemSpecRdWithoutItsDram) {
  HostBench bench(35);
  const auto fills = [&bench] {
    return bench.media.commands[static_cast<unsigned>(MediaOp::Fill)];
  };
  const auto pass = [&bench] {
    for (unsigned i = 0; i < 1000; ++i) bench.cycle();
  };
  bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  bench.media_percent = 0;
  for (unsigned i = 0; i < 30; ++i) bench.send(M2sReqOpcode::MemSpecRd, i * std::uint64_t{256});
  pass();
  bench.memory_write(kVendor, 0);
  bench.media_percent = 100;
  pass();
  const std::uint64_t before = fills();
  EXPECT_GT(before, 0u);
  EXPECT_GT(bench.forgotten, 0u);
  EXPECT_EQ(before + bench.forgotten, 30u);
  bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  pass();
  EXPECT_EQ(fills(), before);
  bench.send(M2sReqOpcode::MemSpecRd, std::uint64_t{100} * 256);
  pass();
  EXPECT_EQ(fills(), before + 1);
}

// Poison in a write: a correctable error while poison is enabled, else an uncorrectable one with
// the header of the write in the log; told as the masks and the severity say.
TEST(EndpointAlone, PoisonedWrites) {
  namespace ras = regs::ras;
  test::shows("order", "A poisoned write shows in the endpoint's RAS, its log and Device Status",
              "CXL 2.0, 8.2.5.9");
  HostBench bench(41);
  const auto poisoned = [&bench](std::uint64_t line) {
    bench.send(line * kLineBytes, random_line(bench.random), kAllBytes, true);
    bench.settle();
    bench.answers.clear();
  };
  EXPECT_EQ(bench.device_status(), 0u);
  poisoned(1);  // masked: no status, no log, no signal
  EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), 0u);
  EXPECT_EQ(bench.device_status(), 0u);
  bench.memory_write(kRas + ras::kCorMask, 0);
  EXPECT_EQ(bench.device_status(), 0u);  // what was masked is not told later
  poisoned(2);
  EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), ras::kCorStatusMemPoison.mask());
  EXPECT_EQ(bench.device_status(), kCorrectable);
  bench.memory_write(kRas + ras::kControl, 0);
  poisoned(3);  // masked
  EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), 0u);
  for (unsigned word = 0; word < 16; ++word) {
    EXPECT_EQ(bench.memory_read(kRas + ras::kHeaderLog + 4 * word), 0u) << "word " << word;
  }
  EXPECT_EQ(bench.device_status(), 0u);
  bench.memory_write(kRas + ras::kUncorMask, 0);
  poisoned(0x1234);
  EXPECT_EQ(bench.device_status(), kFatal);
  for (unsigned word = 0; word < 4; ++word) {
    const auto header = static_cast<std::uint32_t>(bench.last_rwd >> (32 * word));
    EXPECT_EQ(bench.memory_read(kRas + ras::kHeaderLog + 4 * word), header) << "word " << word;
  }
  bench.memory_write(kRas + ras::kUncorStatus, ~0u);
  bench.memory_write(kRas + ras::kUncorSeverity, 0);
  poisoned(4);
  EXPECT_EQ(bench.device_status(), kNonFatal);
}

// What the host must not say on CXL.cachemem: an uncorrectable error of the endpoint, with the
// flit.
TEST(EndpointAlone, ViolationsOfTheLinkLayer) {
  namespace ras = regs::ras;
  test::shows("link", "The endpoint's RAS tells of violations of the link layer, with their flit",
              "CXL 2.0, 4.2.7, 8.2.5.9");
  HostBench bench(43);
  const flits::RetryAck unasked{.num_retry = 3, .wr_ptr = 9, .eseq = 1, .num_free_buf = 77};
  const flits::RetryReq not_held{200, 1, 0};
  const flits::InitParam second{2, 128};
  const auto say = [&bench](const flits::Control& what) {
    for (unsigned k = 0; k < 5; ++k) bench.inject_mem(control_payload(flits::RetryFrame{}));
    bench.inject_mem(control_payload(what));
  };
  say(unasked);  // masked
  EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), 0u);
  EXPECT_EQ(bench.device_status(), 0u);
  bench.memory_write(kRas + ras::kUncorMask, ~ras::kUncorStatusEncoding.mask());
  for (const flits::Control& what :
       {flits::Control{unasked}, flits::Control{not_held}, flits::Control{second}}) {
    say(what);
    EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), ras::kUncorStatusEncoding.mask());
    EXPECT_EQ(bench.memory_read(kRas + ras::kControl) & 0x3f, 9u);
    const Payload bad = control_payload(what);
    for (unsigned word = 0; word < 16; ++word) {
      std::uint32_t expected;
      std::memcpy(&expected, bad.data() + 4 * word, 4);
      EXPECT_EQ(bench.memory_read(kRas + ras::kHeaderLog + 4 * word), expected) << "word " << word;
    }
    EXPECT_EQ(bench.device_status(), kFatal);
    bench.memory_write(kRas + ras::kUncorStatus, ~0u);
  }
}

// The endpoint sends nothing before its host has spoken; then the link comes up.
TEST(EndpointAlone, SilentUntilItsHostSpeaks) {
  test::shows("link", "An endpoint sends nothing before its host has spoken", "CXL 2.0, 5.1.2.2");
  Clocked<Vendpoint> rtl;
  rtl.reset();
  rtl->phy_up_i = 1;
  rtl->link_tx_ready_i = 1;
  for (unsigned i = 0; i < 20000; ++i) {
    rtl.settle();
    ASSERT_EQ(rtl->link_tx_valid_o, 0) << "cycle " << i;
    rtl.edge();
  }
  HostBench bench(44);  // a host that speaks first
  EXPECT_EQ(bench.first_sender, 0u) << "the first flit of the link is the host's";
}

// Errors of CXL.io's data link alone.
TEST(EndpointAlone, ErrorsOfCxlIo) {
  HostBench bench(51);
  EXPECT_EQ(bench.device_status(), 0u);
  IoFlit damaged = make_flit(AckNak{false, 1});
  damaged[6] ^= 1;
  bench.inject(damaged);
  EXPECT_EQ(bench.device_status(), kCorrectable);
  bench.inject(AckNak{false, 2500});  // of a TLP that was never sent
  EXPECT_EQ(bench.device_status(), kFatal);
}

// A completion that the host never acknowledges is sent again, and the fourth Nak in a row without
// progress asks for Recovery.
TEST(EndpointAlone, ReplaysWithoutEndAskForRecovery) {
  HostBench bench(61);
  bench.retrains = 0;
  bench.deaf = true;
  bench.ask({IoOp::kCfgRd0, 0, 0xf, 0});
  for (unsigned i = 0; i < 400; ++i) bench.cycle();
  for (unsigned n = 0; n < 30000 && bench.retrains == 0; ++n) bench.cycle();
  EXPECT_GT(bench.retrains, 0u);
  bench.deaf = false;
  for (unsigned i = 0; i < 4000; ++i) bench.cycle();
  EXPECT_EQ(bench.device_status(), kCorrectable);
}

}  // namespace
}  // namespace cxlgpu::test
