// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint in RTL against a strict host: every knob of the standard that a host has, and every
// wrong thing that a host could do, each alone.
//
// The host enumerates, programs and uses the device by CXL.io and CXL.mem as the standard says,
// with a memory of its own to compare with, and checks each flit. Between them lies the physical
// layer (physical_layer.hpp).
#include "tests/peer/rtl_device.hpp"

#include <algorithm>
#include <cctype>

#include "Vendpoint.h"
#include "Vendpoint_wrap.h"
#include "tests/peer/host.hpp"
#include "tests/peer/knob.hpp"
#include "tests/peer/physical_layer.hpp"

namespace cxlgpu::test {
namespace {

struct Setting {
  peer::HostKnobs host;
  PhyOptions phy;
  MediaOptions media;
  unsigned reset_device_every = 0, reset_host_every = 0;  // cycles, about; the link falls with it
};
struct Legal {
  const char* name;
  const char* what;
  const char* clause;
  void (*set)(Setting&);
};
void PrintTo(const Legal& legal, std::ostream* out) {
  *out << legal.name;
}

constexpr std::uint32_t kAlways = 65536;
constexpr std::uint32_t often(double part) {
  return static_cast<std::uint32_t>(part * kAlways);
}

// What a driver writes to switch the internal DRAM on, with so many sets; see docs/registers.md,
// Endpoint vendor block.
std::vector<peer::VendorWrite> internal_dram(unsigned log2_sets) {
  return {{0x10004, log2_sets}, {0x10000, 1}};
}

constexpr Legal kLegal[] = {
    {"plain", "Every request of a host in turn, at full rate", "3.3", [](Setting&) {}},
    {"pack_one", "One message a flit, always in slot 0", "4.2.5",
     [](Setting& s) { s.host.packing = 0; }},
    {"pack_densest", "As many messages as fit into a flit", "4.2.5",
     [](Setting& s) { s.host.packing = 1; }},
    {"pack_generic", "Messages in generic slots wherever they can be", "4.2.5",
     [](Setting& s) { s.host.packing = 2; }},
    {"pack_random", "Another legal packing in every flit", "4.2.5",
     [](Setting& s) { s.host.packing = 3; }},
    {"bar_above_4g", "The BAR of the device lies above 4 GiB", "PCIe 2.2.4.1",
     [](Setting& s) { s.host.io_bar_above_4g = true; }},
    {"lock_on_commit", "The HDM decoder is locked when it is committed", "8.2.5.12.7",
     [](Setting& s) { s.host.lock_on_commit = true; }},
    {"one_credit", "The host returns one credit at a time", "4.2.8.1",
     [](Setting& s) { s.host.one_credit_at_a_time = true; }},
    {"smallest_buffers", "The host has one buffer for NDR and one for DRS", "4.2.8.1",
     [](Setting& s) { s.host.drs_buffer = s.host.ndr_buffer = 1; }},
    {"late_acceptance", "A response occupies the host's buffer for up to 200 cycles", "4.2.8.1",
     [](Setting& s) {
       s.host.accept_latency_max = 200;
       s.host.drs_buffer = s.host.ndr_buffer = 4;
     }},
    {"smallest_llrb", "The host's retry buffer has 22 entries", "4.2.8.5",
     [](Setting& s) { s.host.llrb_depth = 22; }},
    {"largest_llrb", "The host's retry buffer has 255 entries", "4.2.8.5",
     [](Setting& s) { s.host.llrb_depth = 255; }},
    {"wrap_inclusive", "The wrap value of INIT.Param is the last sequence number, at both ends",
     "4.2.8.5.1",
     [](Setting& s) {
       s.host.llr_wrap_inclusive = true;
       s.phy.damaged = {50, 50};
     }},
    {"retries", "The host has flits sent again", "4.2.8.5",
     [](Setting& s) { s.host.retry_rate = often(0.005); }},
    {"damage", "Flits are damaged on their way, both directions", "4.2.8.5",
     [](Setting& s) {
       s.phy.damaged = {50, 50};
     }},
    {"io_damage", "CXL.io flits are damaged on their way, both directions", "PCIe 3.6",
     [](Setting& s) {
       s.phy.io_damaged = {200, 200};
       s.host.clean_line = false;
       s.host.io_background = true;
     }},
    {"bad_lcrc", "The host's TLPs and DLLPs have a wrong CRC now and then", "PCIe 3.6",
     [](Setting& s) {
       s.host.io_tlp_damage_rate = s.host.io_dllp_damage_rate = often(0.05);
       s.host.io_background = true;
     }},
    {"recovery", "The physical layer recovers at any moment", "5.1.2.4",
     [](Setting& s) { s.phy.recovery_every = 2000; }},
    {"retrain", "The host takes the link through Recovery at any moment", "5.1.2.4",
     [](Setting& s) { s.host.retrain_rate = often(0.0005); }},
    {"bad_crc", "One of 200 flits of the host has a wrong CRC", "4.2.8",
     [](Setting& s) { s.host.damage_rate = often(0.005); }},
    {"late_acks", "Acknowledgements are forced after 500 clocks only", "4.2.8.2; 8.2.5.11.6",
     [](Setting& s) { s.host.flush_retimer = 500; }},
    {"cache_credits", "Credits of CXL.cache, which the device has not", "4.2.7",
     [](Setting& s) { s.host.cache_credits = true; }},
    {"late_status", "A request for Active is answered after 300 cycles", "5.1.2.2",
     [](Setting& s) { s.host.status_delay = 300; }},
    {"io_first", "CXL.io has ten times the weight of CXL.cachemem", "5.3",
     [](Setting& s) {
       s.host.weight_io = 10;
       s.host.io_background = true;
     }},
    {"skew", "The ports come up 500 cycles apart", "5.1.2.2", [](Setting& s) { s.phy.skew = 500; }},
    {"late_init_param", "The host sends INIT.Param late", "4.2.8.5",
     [](Setting& s) { s.host.hold_init_param = true; }},
    {"x8", "The link has 8 lanes", "6.2", [](Setting& s) { s.phy.width = 8; }},
    {"x4", "The link has 4 lanes", "6.2", [](Setting& s) { s.phy.width = 4; }},
    {"x2", "The link has 2 lanes", "6.2", [](Setting& s) { s.phy.width = 2; }},
    {"x1", "The link has 1 lane", "6.2", [](Setting& s) { s.phy.width = 1; }},
    {"far_away", "A flit takes 60 cycles", "6.2",
     [](Setting& s) {
       s.phy.flight = {60, 60};
     }},
    {"reads", "Reads alone", "3.3.3",
     [](Setting& s) {
       s.host.w_mem_wr = s.host.w_mem_wr_ptl = s.host.w_mem_inv = s.host.w_mem_inv_nt = 0;
     }},
    {"writes", "Writes alone", "3.3.4",
     [](Setting& s) {
       s.host.w_mem_rd = s.host.w_mem_rd_data = s.host.w_mem_inv = s.host.w_mem_inv_nt =
           s.host.w_mem_spec_rd = 0;
     }},
    {"speculation", "Nine of ten requests are MemSpecRd", "3.3.3; 3.5.2.1",
     [](Setting& s) { s.host.w_mem_spec_rd = 100; }},
    {"one_line", "All requests have one line, reads of it overlap", "3.3",
     [](Setting& s) {
       s.host.lines = 1;
       s.host.same_line_overlap = true;
     }},
    {"one_at_a_time", "One request at a time", "3.3", [](Setting& s) { s.host.outstanding = 1; }},
    {"many", "A thousand requests outstanding", "3.3",
     [](Setting& s) {
       s.host.outstanding = 1000;
       s.host.lines = 4096;
     }},
    {"conflicts", "Half of the requests meet another of their line, in every order", "3.3",
     [](Setting& s) { s.host.conflict_rate = often(0.5); }},
    {"conflicts_poison", "The same, and a tenth of the writes are poisoned", "3.3; 12.2.3",
     [](Setting& s) {
       s.host.conflict_rate = often(0.5);
       s.host.poison_rate = often(0.1);
     }},
    {"conflicts_slow_media", "The same, and the media takes 100 cycles", "3.3; 12.2.3",
     [](Setting& s) {
       s.host.conflict_rate = often(0.5);
       s.host.poison_rate = often(0.05);
       s.host.tags_at_once = true;
       s.media.latency = 100;
     }},
    {"few_lines", "Eight lines, any number of requests of one, writes of bytes the most", "3.3.4",
     [](Setting& s) {
       s.host.lines = 8;
       s.host.conflict_rate = often(0.9);
       s.host.w_mem_wr_ptl = 8;
     }},
    {"strides", "Many lines a power of two apart, with their neighbours", "3.3",
     [](Setting& s) {
       s.host.strides = true;
       s.host.lines = 8192;
       s.host.outstanding = 256;
       s.host.conflict_rate = often(0.2);
     }},
    {"strides_slow_media", "The same, and the media takes 200 cycles", "3.3",
     [](Setting& s) {
       s.host.strides = true;
       s.host.lines = 8192;
       s.host.outstanding = 256;
       s.host.conflict_rate = often(0.4);
       s.host.w_mem_wr_ptl = 6;
       s.host.w_mem_spec_rd = 4;
       s.media.latency = 200;
     }},
    {"dram", "A driver has switched the internal DRAM on: 64 sets, requests of one line overlap",
     "3.3",
     [](Setting& s) {
       s.host.vendor = internal_dram(6);
       s.host.lines = 2048;
       s.host.conflict_rate = often(0.3);
     }},
    {"dram_strides", "The same, many lines a power of two apart, with their neighbours", "3.3",
     [](Setting& s) {
       s.host.vendor = internal_dram(4);
       s.host.strides = true;
       s.host.lines = 4096;
       s.host.outstanding = 256;
       s.host.conflict_rate = often(0.3);
       s.host.w_mem_wr_ptl = 6;
     }},
    {"dram_one_set", "The same with one set: each miss takes the place of another line",
     "3.3; 12.2.3",
     [](Setting& s) {
       s.host.vendor = internal_dram(0);
       s.host.lines = 256;
       s.host.conflict_rate = often(0.3);
       s.host.poison_rate = often(0.05);
       s.host.w_mem_wr_ptl = 6;
     }},
    {"dram_slow_media",
     "The same, the media takes 200 cycles, and reads have a MemSpecRd near them", "3.3; 3.3.3",
     [](Setting& s) {
       s.host.vendor = internal_dram(2);
       s.host.lines = 512;
       s.host.conflict_rate = often(0.4);
       s.host.spec_near_rate = often(0.5);
       s.host.w_mem_spec_rd = 4;
       s.host.poison_rate = often(0.02);
       s.media.latency = 200;
     }},
    {"dram_bursts", "The same in bursts of 300, tags used again at once", "3.3; 4.2.8.2",
     [](Setting& s) {
       s.host.vendor = internal_dram(3);
       s.host.lines = 1024;
       s.host.burst = 300;
       s.host.tags_at_once = true;
       s.host.conflict_rate = often(0.2);
       s.host.spec_near_rate = often(0.2);
     }},
    {"tags_at_once", "A tag is used again as soon as it is free", "3.3.3",
     [](Setting& s) {
       s.host.tags_at_once = true;
       s.host.conflict_rate = often(0.2);
     }},
    {"bursts", "300 requests at once, of all kinds or of one; the next when all are answered",
     "4.2.8.2",
     [](Setting& s) {
       s.host.burst = 300;
       s.host.lines = 2048;
       s.host.conflict_rate = often(0.1);
     }},
    {"bursts_stalled", "The same, and responses wait for their credits; the media is slow too",
     "4.2.8.2",
     [](Setting& s) {
       s.host.burst = 300;
       s.host.lines = 2048;
       s.host.conflict_rate = often(0.1);
       s.host.accept_latency_max = 60;
       s.host.drs_buffer = s.host.ndr_buffer = 4;
       s.media.percent = 50;
     }},
    {"speculation_near", "Reads with a MemSpecRd of their line just before, behind or both",
     "3.3.3; 3.5.2.1",
     [](Setting& s) {
       s.host.spec_near_rate = often(0.8);
       s.host.conflict_rate = often(0.3);
       s.host.w_mem_spec_rd = 2;
     }},
    {"poison", "A tenth of the writes are poisoned", "12.2.3",
     [](Setting& s) { s.host.poison_rate = often(0.1); }},
    {"viral", "The host says that it is viral", "12.4", [](Setting& s) { s.host.viral_at = 3000; }},
    {"ranges", "Range 1 of DVSEC 0 decodes, the HDM decoder is not enabled", "8.1.3.8",
     [](Setting& s) { s.host.use_ranges = true; }},
    {"config_lock", "CONFIG_LOCK is set after the enumeration", "8.1.3.6",
     [](Setting& s) { s.host.config_lock = true; }},
    {"io_background", "Configuration and register reads beside the traffic", "4.1",
     [](Setting& s) { s.host.io_background = true; }},
    {"io_one_completion", "The host grants room for one completion at a time", "PCIe 2.6.1",
     [](Setting& s) {
       s.host.io_completion_credits = 1;
       s.host.io_background = true;
     }},
    {"io_many_credits", "UpdateFC returns several credits at once", "PCIe 2.6.1",
     [](Setting& s) {
       s.host.io_single_update = false;
       s.host.io_background = true;
     }},
    {"io_one_per_flit", "A packet of CXL.io begins at the first symbol of a flit only", "4.1",
     [](Setting& s) {
       s.host.io_one_per_flit = true;
       s.host.io_background = true;
     }},
    {"no_feature", "The host begins without the Data Link Feature exchange", "PCIe 3.3",
     [](Setting& s) { s.host.io_data_link_feature = false; }},
    {"slow_media", "The media takes 400 cycles", "3.3", [](Setting& s) { s.media.latency = 400; }},
    {"link_down", "The link falls at any moment and comes back", "5.1",
     [](Setting& s) {
       s.phy.down_every = 8000;
       s.host.survives_reset = true;
     }},
    {"link_registers",
     "Software writes all of the link registers; a hot reset keeps them, and then they act",
     "8.2.5.11", [](Setting& s) { s.host.link_registers = s.host.survives_reset = true; }},
    {"device_reset", "The device is reset at any moment", "9.8",
     [](Setting& s) { s.reset_device_every = 10000; }},
    {"host_reset", "The host is reset at any moment", "9.8",
     [](Setting& s) { s.reset_host_every = 10000; }},
    {"all_at_random", "Many of these together", "3.3; 4.2",
     [](Setting& s) {
       s.host.packing = 3;
       s.host.llrb_depth = 40;
       s.host.drs_buffer = 3;
       s.host.ndr_buffer = 2;
       s.host.one_credit_at_a_time = true;
       s.host.damage_rate = s.host.retry_rate = often(0.003);
       s.host.cache_credits = s.host.io_background = s.host.io_one_per_flit = true;
       s.host.status_delay = 20;
       s.host.poison_rate = often(0.02);
       s.host.conflict_rate = often(0.3);
       s.host.spec_near_rate = often(0.2);
       s.host.tags_at_once = s.host.strides = true;
       s.host.vendor = internal_dram(4);
       s.phy.recovery_every = 5000;
       s.media.percent = 50;
     }},
};

template <typename Top>
struct Bench {
  explicit Bench(const Setting& setting)
      : setting(setting),
        random(setting.phy.seed + 9),
        device(setting.media),
        host(setting.host),
        phy(setting.phy) {}

  void cycle() {
    std::array<bool, 2> retrain{};
    drive_peer(host, phy, 0, retrain[0]);
    drive_peer(device, phy, 1, retrain[1]);
    if (host.wants_hot_reset()) phy.take_down();
    phy.step(retrain, false);
    ++cycles;
    strike(setting.reset_host_every, host, 0);
    strike(setting.reset_device_every, device, 1);
  }
  // False: it does not come to an end.
  bool run(std::uint64_t limit) {
    while (!host.done() && cycles < limit) cycle();
    return host.done();
  }

  Setting setting;
  QuickRandom random;
  BasicRtlDevice<Top> device;
  peer::Host host;
  PhysicalLayer phy;
  std::uint64_t cycles = 0;

 private:
  void strike(unsigned every, peer::LinkEnd& end, unsigned number) {
    if (every == 0 || random.below(every) != 0) return;
    end.reset();
    phy.reset_end(number);
  }
};

void expect_no_violation(const peer::Host& host) {
  const auto show = [](const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size() && i < 5; ++i) ADD_FAILURE() << lines[i];
  };
  show(host.violations());
  show(host.findings());
}

template <typename Top>
void run_legal(const Legal& knob, const Setting& setting) {
  Bench<Top> bench(setting);
  EXPECT_TRUE(bench.run(2'000'000 + 400 * setting.host.requests)) << bench.host.where();
  expect_no_violation(bench.host);
  EXPECT_GE(bench.host.counts().answered, setting.host.requests);
  if (setting.host.link_registers) {
    EXPECT_EQ(bench.phy.downs, 2u) << "the first one is that of the start";
    EXPECT_GT(bench.host.counts().mdh_slots, 0u);
    EXPECT_EQ(bench.host.counts().mdh_slots_after, 0u) << "MDH Disable (8.2.5.11.7)";
  }
  ran(bench.host.counts().answered, bench.cycles);
  std::printf(
      "%s: %llu requests, %llu cycles, %llu flits down, %llu up, %llu damaged, %llu Recoveries, "
      "%llu link downs\n",
      knob.name, static_cast<unsigned long long>(bench.host.counts().answered),
      static_cast<unsigned long long>(bench.cycles),
      static_cast<unsigned long long>(bench.phy.flits[0]),
      static_cast<unsigned long long>(bench.phy.flits[1]),
      static_cast<unsigned long long>(bench.phy.bad[0] + bench.phy.bad[1]),
      static_cast<unsigned long long>(bench.phy.recoveries),
      static_cast<unsigned long long>(bench.phy.downs));
}

class RtlDeviceKnobs : public ::testing::TestWithParam<Legal> {};
TEST_P(RtlDeviceKnobs, Legal) {
  const Legal& knob = GetParam();
  says("endpoint", knob.name, knob.what, knob.clause);
  Setting setting;
  setting.host.seed = setting.phy.seed = setting.media.seed = peer_seed();
  setting.host.requests = peer_requests();
  setting.host.lines = 512;
  knob.set(setting);
  if (setting.host.llr_wrap_inclusive) {
    run_legal<Vendpoint_wrap>(knob, setting);
  } else {
    run_legal<Vendpoint>(knob, setting);
  }
}
INSTANTIATE_TEST_SUITE_P(Peer, RtlDeviceKnobs, ::testing::ValuesIn(kLegal), Named<Legal>());

// ------------------------------------------------------------------------------------ what it must
// not do

const char* text_of(peer::Reaction reaction) {
  switch (reaction) {
    case peer::Reaction::Ignored:
      return "Ignored: nothing is logged, traffic goes on";
    case peer::Reaction::LoggedRas:
      return "A bit of the RAS uncorrectable status that the clause names";
    case peer::Reaction::AnyLog:
      return "An uncorrectable error, which one is left open";
    case peer::Reaction::Retry:
      return "A link layer retry, or Recovery; all traffic survives";
    case peer::Reaction::Retrain:
      return "Recovery; all traffic survives";
    case peer::Reaction::AllOnes:
      return "The read is answered with ones";
    case peer::Reaction::Dropped:
      return "The write is completed and nothing is written";
    case peer::Reaction::Nak:
      return "A Nak; the request completes once, after the replay";
    case peer::Reaction::AckAgain:
      return "Acknowledged again and not executed again";
    case peer::Reaction::Completes:
      return "The request completes as if nothing had been wrong";
    case peer::Reaction::UnsupportedRequest:
      return "A completion with Unsupported Request, and its bit of Device Status";
    case peer::Reaction::UnsupportedPosted:
      return "No completion and no effect; Unsupported Request Detected";
    case peer::Reaction::Malformed:
      return "No completion; Fatal Error Detected";
    case peer::Reaction::NotExecuted:
      return "The register keeps its value; a completion that is due is Unsupported Request";
    case peer::Reaction::AdvisoryOrLogged:
      return "Discarded; an error bit of Device Status may be set";
    case peer::Reaction::Open:
      return "Left open; all other traffic stays right";
  }
  return "";
}

class RtlDeviceWrongs : public ::testing::TestWithParam<peer::Rule> {};
TEST_P(RtlDeviceWrongs, Reaction) {
  const peer::Rule& rule = GetParam();
  says("endpoint", rule.name, rule.reason, rule.clause, text_of(rule.reaction));
  Setting setting;
  setting.host.seed = setting.phy.seed = setting.media.seed = peer_seed();
  setting.host.illegal = rule.what;
  setting.host.illegal_at = 400;
  setting.host.requests = 1000;
  Bench<Vendpoint> bench(setting);
  EXPECT_TRUE(bench.run(2'000'000)) << bench.host.where();
  if (rule.traffic_goes_on) expect_no_violation(bench.host);  // else the link may have stopped
  EXPECT_TRUE(bench.host.reaction_seen());
}
struct RuleName {
  std::string operator()(const ::testing::TestParamInfo<peer::Rule>& info) const {
    std::string name(info.param.name);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
  }
};
INSTANTIATE_TEST_SUITE_P(Peer, RtlDeviceWrongs,
                         ::testing::ValuesIn(peer::rules().begin(), peer::rules().end()),
                         RuleName());

}  // namespace
}  // namespace cxlgpu::test
