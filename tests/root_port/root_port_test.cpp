// root_port in lockstep with its twin: loads, stores and register traffic from above, a device (the
// twin of the other end, with random answers) below, Recovery, damaged flits, link down, isolation
// and back.
#include <vector>

#include "Vroot_port.h"
#include "flits/messages.hpp"
#include "refmodel/common/registers.hpp"
#include "refmodel/root_port/root_port_block.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/controller/arb_link.hpp"

namespace cxlgpu::test {
namespace {

const ControllerParams kHost{true, 32, 32, 128, {}};
const ControllerParams kDevice{false, 24, 12, 40, {}};

struct Mix {
  unsigned requests, writes, rsp_ready, answers, wire_ready;  // percent a cycle
  unsigned registers;                                         // percent a cycle
  unsigned lines;                                             // of the region
  unsigned damage;                                            // per 10 000 flits
  unsigned recovery, down;                                    // per 100 000 cycles
};
constexpr Mix kMixes[] = {
    {20, 30, 100, 60, 100, 1, 4000, 0, 0, 0},   {100, 40, 100, 100, 47, 2, 4000, 0, 20, 20},
    {100, 10, 100, 40, 60, 5, 40, 20, 30, 20},  {60, 50, 20, 90, 100, 20, 400, 100, 50, 60},
    {3, 30, 100, 100, 100, 60, 400, 0, 0, 300}, {100, 0, 100, 100, 100, 1, 4000, 0, 0, 20},
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
      WdMessage wd{.header = flits::pack(drs)};
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

class Bench {
 public:
  explicit Bench(Lockstep& run)
      : run_(run), random_(run.seed()), link_({.seed = run.seed() + 1, .flight = {4, 5}}) {
    drive({});
    rtl_.reset();
  }

  void cycle() {
    if (run_.cycle() % 4096 == 1) mix_ = random_.pick(kMixes);
    if (random_.below(100000) < mix_.recovery) link_.start_recovery();
    if (random_.below(100000) < mix_.down) link_.take_down();
    const RootPortBlock::In in = inputs();
    CxlPort::In far;
    far.messages = device_.inputs(mix_.answers);
    far.link = wire(1);
    drive(in);
    rtl_.settle();
    const RootPortBlock::Out out = twin_.eval(in);
    const CxlPort::Out far_out = far_end_.eval(far);
    compare(out);
    after(in, out);
    device_.after(far.messages, far_out.messages);
    carry(0, in.link, out.port.link);
    carry(1, far.link, far_out.link);
    link_.step({FlexLink::Ask{out.port.link.retrain_req, out.port.link.phy_state},
                FlexLink::Ask{far_out.link.retrain_req, far_out.link.phy_state}});
    rtl_.edge();
    twin_.clock(in);
    far_end_.clock(far);
  }

  std::uint64_t answered = 0, refused = 0, isolations = 0, returns = 0, damaged = 0, reads = 0;
  [[nodiscard]] std::uint64_t specs() const { return device_.specs; }

 private:
  RootPortBlock::In inputs() {
    RootPortBlock::In in;
    if (!offered_ && random_.percent(mix_.requests)) {
      request_.id = static_cast<std::uint32_t>(random_.bits(16));
      request_.is_write = random_.percent(mix_.writes);
      if (random_.percent(5)) base_ = random_.bits(40);
      request_.addr = (base_ + random_.below(mix_.lines)) * kLineBytes;
      request_.byte_enable = random_.percent(30) ? random_.next() : kAllBytes;
      for (std::uint8_t& byte : request_.data) byte = static_cast<std::uint8_t>(random_.bits(8));
      offered_ = true;
    }
    in.req_valid = offered_;
    in.req = request_;
    in.rsp_ready = random_.percent(mix_.rsp_ready);
    in.reg = access();
    in.link = wire(0);
    return in;
  }

  // Mostly what software would do: policies, counters, isolation enabled and, when it is over,
  // ended.
  RootPortBlock::RegisterAccess access() {
    namespace rp = regs::rp;
    namespace tmo = regs::timeout;
    RootPortBlock::RegisterAccess a;
    if (!random_.percent(mix_.registers)) return a;
    a.valid = true;
    a.wdata = static_cast<std::uint32_t>(random_.next());
    switch (random_.below(6)) {
      case 0:
        a.write = random_.percent(20);
        a.addr = rp::kPolicy;
        a.wdata = rp::kPolicySelect.put(static_cast<std::uint32_t>(random_.below(5))) |
                  rp::kPolicyLenEnable.put(random_.bits(1)) |
                  rp::kPolicyClipLog2.put(random_.percent(50) ? 15 : random_.below(5));
        break;
      case 1:
        a.write = random_.percent(20);
        a.addr = tmo::kControl;
        a.wdata &= ~0xFu;
        a.wdata |= 1;  // 50 us: the others are longer than a run
        if (random_.percent(80)) a.wdata |= tmo::kControlMemLinkDown.put(1);
        break;
      case 2:
        a.write = true;
        a.addr = tmo::kStatus;
        break;
      default:
        a.write = random_.percent(10);
        a.addr = static_cast<std::uint32_t>(random_.percent(50) ? random_.below(16)
                                                                : 0x800 + random_.below(0x48));
        if (a.write && a.addr >> 2 == tmo::kControl >> 2) a.write = false;
        break;
    }
    a.addr |= static_cast<std::uint32_t>(random_.bits(4)) << 12;
    reads += a.valid && !a.write;
    return a;
  }

  ArbMux::In wire(unsigned e) {
    ArbMux::In l;
    l.io_req = l.cm_req = VlsmCode::kActive;
    l.tx_ready = link_.may_send(e) && random_.percent(mix_.wire_ready);
    l.phy_up = link_.up(e);
    l.phy_recovery = link_.recovery(e);
    if (const auto flying = link_.arrival(e)) {
      l.rx_valid = true;
      l.rx_kind = flying->kind;
      l.rx_flit = flying->flit;
      if (l.rx_kind == FlitKind::kCachemem && random_.below(10000) < mix_.damage) {
        const auto bit = random_.below(512);
        l.rx_flit.payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
        ++damaged;
      }
    }
    return l;
  }
  void carry(unsigned e, const ArbMux::In& in, const ArbMux::Out& out) {
    if (out.tx_valid && in.tx_ready) link_.send(e, out.tx_kind, out.tx_flit);
  }

  void after(const RootPortBlock::In& in, const RootPortBlock::Out& out) {
    if (in.req_valid && out.req_ready) offered_ = false;
    if (out.rsp_valid && in.rsp_ready) ++(out.rsp.error ? refused : answered);
    isolations += out.isolated && !was_isolated_;
    returns += !out.isolated && was_isolated_;
    was_isolated_ = out.isolated;
  }

  void drive(const RootPortBlock::In& in) {
    Vroot_port& v = *rtl_;
    v.req_valid_i = in.req_valid;
    set_sys_req(v.req_i, in.req);
    v.rsp_ready_i = in.rsp_ready;
    v.reg_req_i = std::uint64_t{in.reg.valid} << 49 | std::uint64_t{in.reg.write} << 48 |
                  std::uint64_t{in.reg.addr & 0xFFFF} << 32 | in.reg.wdata;
    v.link_tx_ready_i = in.link.tx_ready;
    v.link_rx_valid_i = in.link.rx_valid;
    v.link_rx_kind_i = static_cast<unsigned>(in.link.rx_kind);
    set_line(v.link_rx_flit_i, 0, in.link.rx_flit.payload);
    set_bits(v.link_rx_flit_i, 512, 16, in.link.rx_flit.crc);
    v.phy_up_i = in.link.phy_up;
    v.phy_recovery_i = in.link.phy_recovery;
  }

  // Payload outputs count only with their valid.
  void compare(const RootPortBlock::Out& twin) {
    Vroot_port& v = *rtl_;
    const CxlController::Out& m = twin.port.messages;
    const ArbMux::Out& l = twin.port.link;
    run_.check("req_ready_o", v.req_ready_o, twin.req_ready);
    run_.check("rsp_valid_o", v.rsp_valid_o, twin.rsp_valid);
    if (twin.rsp_valid) check_sys_rsp(run_, v.rsp_o, twin.rsp);
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
    run_.check("err_o", v.err_o, m.err);
    run_.check("arb_err_o", v.arb_err_o, l.damaged | l.malformed << 1 | l.stray << 2);
  }

  Lockstep& run_;
  QuickRandom random_;
  Clocked<Vroot_port> rtl_;
  RootPortBlock twin_{kHost};
  CxlPort far_end_{kDevice};
  Device device_{random_};
  FlexLink link_;
  Mix mix_ = kMixes[0];
  bool offered_ = false, was_isolated_ = false;
  MemRequest request_;
  std::uint64_t base_ = 0;
};

TEST(RootPort, Lockstep) {
  Lockstep run("root_port/root_port", 51);
  Bench bench(run);
  while (run.next()) bench.cycle();
  if (run.cycle() < 100000) return;
  EXPECT_GT(bench.answered, run.cycle() / 50);
  EXPECT_GT(bench.specs(), run.cycle() / 500);
  EXPECT_GT(bench.isolations, 5u);
  EXPECT_GT(bench.returns, 3u);
  EXPECT_GT(bench.refused, 100u);
  EXPECT_GT(bench.damaged, 20u);
  EXPECT_GT(bench.reads, 1000u);
}

}  // namespace
}  // namespace cxlgpu::test
