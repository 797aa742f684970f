// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The root complex in RTL against a strict device: every choice that the standard leaves a device,
// and every wrong thing that a device could do, each alone.
//
// The project's firmware brings the device up by registers; AXI traffic is checked byte by byte.
// Between the two ends lies the physical layer (physical_layer.hpp).
#include <ostream>
#include <string>
#include <vector>

#include "Vrtl_host.h"
#include "Vrtl_host_wrap.h"
#include "tests/peer/knob.hpp"
#include "tests/peer/rtl_host_pair.hpp"

namespace cxlgpu::test {
namespace {

namespace ras = regs::ras;
namespace rp = regs::rp;
namespace timeout = regs::timeout;

constexpr std::uint32_t kRas = 0x100;  // of the port's page
constexpr std::uint32_t kAlwaysPolicy = 1;
constexpr unsigned kFalls = 20;  // cycles until both ends are down, at most
constexpr unsigned kPieces = 8;  // of a knob's requests, with an event in each

struct Legal {
  const char* name;
  const char* what;
  const char* clause;
  std::function<void(Setting&)> set;
};
void PrintTo(const Legal& legal, std::ostream* out) {
  *out << legal.name;
}

// What the physical layer, resets and the traffic add to the device's own knobs.
std::vector<Legal> legal_knobs() {
  std::vector<Legal> all;
  for (const peer::DeviceKnob& knob : peer::legal_device_knobs()) {
    const bool speculation =
        knob.clause == std::string_view("3.3.3");  // a MemSpecRd for every load
    all.push_back({knob.name, knob.what, knob.clause, [&knob, speculation](Setting& s) {
                     s.device = knob.set;
                     if (speculation) s.policy = kAlwaysPolicy;
                   }});
  }
  all.insert(
      all.end(),
      {{"wire_damage", "Flits are damaged on their way, both directions", "4.2.8.5",
        [](Setting& s) {
          s.phy.damaged = {50, 50};
        }},
       {"wrap_inclusive", "The wrap value of INIT.Param is the last sequence number, at both ends",
        "4.2.8.1",
        [](Setting& s) {
          s.device.wrap_inclusive = true;
          s.phy.damaged = {50, 50};
        }},
       {"silent", "The device is silent until the first ALMP; its port comes up 500 cycles apart",
        "5.1.2.2", [](Setting& s) { s.phy.skew = 500; }},
       {"wire_recovery", "The physical layer recovers at any moment", "5.1.2.4",
        [](Setting& s) { s.phy.recovery_every = 2000; }},
       {"wire_x8", "The link has 8 lanes", "6.2", [](Setting& s) { s.phy.width = 8; }},
       {"wire_x4", "The link has 4 lanes", "6.2", [](Setting& s) { s.phy.width = 4; }},
       {"wire_x2", "The link has 2 lanes", "6.2", [](Setting& s) { s.phy.width = 2; }},
       {"wire_x1", "The link has 1 lane", "6.2", [](Setting& s) { s.phy.width = 1; }},
       {"wire_long", "A flit takes 60 cycles", "6.2",
        [](Setting& s) {
          s.phy.flight = {60, 60};
        }},
       {"io_damage", "CXL.io flits are damaged on their way, both directions", "PCIe 3.6",
        [](Setting& s) {
          s.phy.io_damaged = {200, 200};
          s.io.clean_line = false;
          s.io_requests = 200;
        }},
       {"io_bad_crc", "TLPs and DLLPs of the device have a wrong CRC now and then", "PCIe 3.6",
        [](Setting& s) {
          s.io.dllp_damage = s.io.tlp_damage = 3000;
          s.io_requests = 200;
        }},
       {"io_late", "A completion takes up to 2000 cycles", "PCIe 2.8",
        [](Setting& s) {
          s.io.latency_max = 2000;
          s.io_requests = 25;
        }},
       {"io_retry_status", "Configuration requests after reset get Request Retry Status",
        "PCIe 2.3.1", [](Setting& s) { s.io.retry_status_cycles = 20000; }},
       {"io_smallest_credits", "The device grants the smallest credits that the standard allows",
        "PCIe 2.6.1",
        [](Setting& s) {
          s.io.smallest_credits = true;
          s.io_requests = 200;
        }},
       {"io_infinite_credits", "The device grants infinite credits", "PCIe 2.6.1",
        [](Setting& s) {
          s.io.infinite_credits = true;
          s.io_requests = 200;
        }},
       {"io_no_feature", "The device begins without the Data Link Feature exchange", "PCIe 3.3",
        [](Setting& s) { s.io.data_link_feature = false; }},
       {"io_joint_update", "UpdateFC returns several credits at once", "PCIe 2.6.1",
        [](Setting& s) {
          s.io.single_update = false;
          s.io_requests = 200;
        }},
       {"io_spread", "Each packet has a symbol time of its own", "PCIe 4.2.2",
        [](Setting& s) {
          s.io.spread = true;
          s.io_requests = 200;
        }},
       {"io_late_ack", "An Ack is held back for up to 1000 cycles", "PCIe 3.6.3",
        [](Setting& s) {
          s.io.ack_delay_max = 1000;
          s.io_requests = 60;
        }},
       {"device_requests", "The device reads and writes the memory of the host, which lets it not",
        "PCIe 2.3.1",
        [](Setting& s) {
          s.io.requests_per_64k = 2000;
          s.io_requests = 200;
        }},
       {"device_requests_late", "The same, beside late completions and the smallest credits",
        "PCIe 2.3.1; 2.4.1",
        [](Setting& s) {
          s.io.requests_per_64k = 4000;
          s.io.latency_max = 200;
          s.io.smallest_credits = true;
          s.io_requests = 50;
        }},
       {"ten_decoders", "The device has ten HDM decoders, which commit late", "8.2.5.12",
        [](Setting& s) {
          s.io.decoders = 10;
          s.io.commit_cycles = 2000;
        }},
       {"large_memory", "The device has 64 GiB", "8.1.3.8",
        [](Setting& s) { s.io.memory_size = std::uint64_t{64} << 30; }},
       {"host_stalls", "The system takes an answer in a third of the cycles", "4.2.8.1",
        [](Setting& s) { s.traffic.ready = 33; }},
       {"one_line", "All requests have one line", "3.3", [](Setting& s) { s.traffic.lines = 1; }},
       {"reads", "Reads alone", "3.3.3", [](Setting& s) { s.traffic.writes = 0; }},
       {"writes", "Writes alone", "3.3.4", [](Setting& s) { s.traffic.writes = 100; }},
       {"link_down", "The link falls at any moment and comes back", "5.1; 9.9",
        [](Setting& s) { s.link_downs = true; }},
       {"link_down_isolated", "The same, and the port isolates until software ends it",
        "CXL 3.1, 8.2.4.24", [](Setting& s) { s.link_downs = s.isolation = true; }},
       {"link_down_lost", "The same, and the memory of the device is lost with the link", "9.8",
        [](Setting& s) { s.link_downs = s.loses_memory = s.isolation = true; }},
       {"device_reset", "The device is reset at any moment", "9.8",
        [](Setting& s) { s.device_resets = true; }},
       {"host_reset", "The host is reset at any moment", "9.8",
        [](Setting& s) { s.host_resets = true; }}});
  return all;
}

// Each read of the device has had its completion (PCIe 5.0, 2.3.1); writes get none.
template <typename Top>
void expect_requests_refused(Bench<Top>& bench) {
  peer::IoDevice& device = bench.device.io();
  device.stop_requests();
  const peer::IoDevice::OwnRequests& own = device.own_requests();
  for (unsigned i = 0; i < 20000 && own.open != 0; ++i) bench.host.cycle();
  EXPECT_EQ(own.open, 0u) << "reads of the device without a completion, of " << own.reads;
  EXPECT_GT(own.refused, 0u);
  EXPECT_GT(own.writes, 0u);
}

template <typename Top>
void run_legal(const Legal& knob, Setting setting) {
  Bench<Top> bench(setting);
  auto& host = bench.host;
  const bool up = bench.bring_up();
  if (!up) expect_no_violation(bench.device);
  ASSERT_TRUE(up);
  const std::uint64_t requests = peer_requests();
  setting.traffic.requests = (requests + kPieces - 1) / kPieces;
  const bool events = setting.link_downs || setting.device_resets || setting.host_resets;
  const bool forgets = setting.loses_memory || !setting.link_downs;
  for (unsigned piece = 0; piece < kPieces; ++piece) {
    std::uint64_t at = events ? host.now() + host.random.below(2 * setting.traffic.requests) : 0;
    host.each_cycle = [&] {
      if (at == 0 || host.now() < at) return;
      at = 0;
      // Firmware brings the device up again before another request is made: with the link its
      // registers are lost.
      host.hold_back = true;
      if (setting.isolation) host.hostile = true;
      if (setting.device_resets) {
        bench.device.reset();
        host.phy.reset_end(1);
      }
      if (setting.host_resets) host.reset();
      if (setting.loses_memory) bench.device.mem().memory().clear();
      if (forgets) host.forget_all();
      // What is open then has no outcome that the standard states, unless the port isolates: it may
      // reach the device before firmware has brought that up again.
      if (!setting.isolation) host.forget_open();
      host.phy.take_down();
    };
    host.begin(setting.traffic);
    if (!events && setting.io_requests != 0) bench.use_io(setting.io_requests);
    ASSERT_TRUE(host.finish());
    host.each_cycle = nullptr;
    if (!events) continue;
    // Every second time it falls once more while it comes up.
    if (piece % 2 != 0) {
      host.idle_for(static_cast<unsigned>(host.random.below(600)));
      host.phy.take_down();
      host.idle_for(kFalls);
    }
    if (setting.isolation) bench.end_isolation();
    ASSERT_TRUE(bench.bring_up());
    if (forgets) host.forget_all();
    host.hold_back = host.hostile = false;
  }
  if (setting.io.requests_per_64k != 0) expect_requests_refused(bench);
  expect_no_violation(bench.device);
  const BusCounts& c = host.counts;
  ran(c.reads + c.writes, c.cycles);
  std::printf(
      "%s: %llu reads (%llu errors), %llu writes (%llu errors), %llu cycles, flits %llu down, %llu "
      "up, "
      "%llu damaged, %llu Recoveries, %llu link downs\n",
      knob.name, static_cast<unsigned long long>(c.reads),
      static_cast<unsigned long long>(c.read_errors), static_cast<unsigned long long>(c.writes),
      static_cast<unsigned long long>(c.write_errors), static_cast<unsigned long long>(c.cycles),
      static_cast<unsigned long long>(host.phy.flits[0]),
      static_cast<unsigned long long>(host.phy.flits[1]),
      static_cast<unsigned long long>(host.phy.bad[0] + host.phy.bad[1]),
      static_cast<unsigned long long>(host.phy.recoveries),
      static_cast<unsigned long long>(host.phy.downs));
}

class RtlHostKnobs : public ::testing::TestWithParam<Legal> {};
TEST_P(RtlHostKnobs, Legal) {
  const Legal& knob = GetParam();
  says("root complex", knob.name, knob.what, knob.clause);
  Setting setting;
  setting.phy.seed = peer_seed();
  knob.set(setting);
  setting.device.seed = setting.io.seed = peer_seed();
  if (setting.device.wrap_inclusive) {
    run_legal<Vrtl_host_wrap>(knob, setting);
  } else {
    run_legal<Vrtl_host>(knob, setting);
  }
}
INSTANTIATE_TEST_SUITE_P(Peer, RtlHostKnobs, ::testing::ValuesIn(legal_knobs()), Named<Legal>());

// ------------------------------------------------------------------------------------ what it must
// not do

class RtlHostWrongs : public ::testing::TestWithParam<peer::WrongEntry> {
 protected:
  static constexpr std::uint64_t kSome = 400;  // requests before, with and after it

  std::uint32_t ras_register(std::uint32_t offset) {
    return bench_->host.port_register(kRas + offset);
  }
  // Both masks are ones after reset, and what is masked is not logged (8.2.5.9.2, 8.2.5.9.4).
  void clear_ras() {
    bench_->host.port_register(kRas + ras::kUncorMask, 0);
    bench_->host.port_register(kRas + ras::kCorMask, 0);
    bench_->host.port_register(kRas + ras::kUncorStatus, ~0u);
    bench_->host.port_register(kRas + ras::kCorStatus, ~0u);
    EXPECT_EQ(ras_register(ras::kUncorStatus), 0u);
    EXPECT_EQ(ras_register(ras::kCorStatus), 0u);
  }
  bool log_is_a_flit() {
    peer::Flit log{};
    for (unsigned word = 0; word < 16; ++word) {
      const std::uint32_t value = ras_register(ras::kHeaderLog + 4 * word);
      std::memcpy(&log[4 * word], &value, 4);
    }
    return std::ranges::any_of(bench_->host.heard, [&](const peer::Flit& flit) {
      return std::equal(flit.begin(), flit.begin() + 64, log.begin());
    });
  }
  // Another link that begins with the wrong; the registers of the port stay as they are, the
  // device has lost its own.
  void link_again(const peer::WrongEntry& entry) {
    auto& host = bench_->host;
    host.phy.held = true;
    host.phy.take_down();
    for (unsigned i = 0; i < 200 && !host.phy.down(); ++i) host.cycle();
    ASSERT_TRUE(host.phy.down());
    bench_->device.mem().do_wrong(entry.wrong);
    host.phy.held = false;
    const bool up = host.train();
    ASSERT_TRUE(up || entry.expect.fatal_allowed) << "the link does not come up";
    bench_->end_isolation();
    if (up) {
      ASSERT_TRUE(bench_->bring_up());
    }
  }
  // After a reset and another link all is as before.
  void back_to_normal() {
    auto& host = bench_->host;
    host.reset();
    host.forget_all();
    host.phy.take_down();
    ASSERT_TRUE(bench_->bring_up());
    bench_->isolate(true);
  }

  std::optional<Bench<Vrtl_host>> bench_;
};

TEST_P(RtlHostWrongs, Reaction) {
  const peer::WrongEntry& entry = GetParam();
  const peer::Expect& expect = entry.expect;
  says("root complex", entry.name, entry.what, entry.clause, entry.reaction);
  Setting setting;
  setting.phy.seed = setting.device.seed = peer_seed();
  setting.policy = kAlwaysPolicy;
  setting.traffic.requests = kSome;
  bench_.emplace(setting);
  auto& host = bench_->host;
  ASSERT_TRUE(bench_->bring_up());
  bench_->isolate(true);
  ASSERT_TRUE(host.run(setting.traffic));
  clear_ras();
  const std::uint64_t recoveries = host.phy.recoveries;
  const std::uint64_t retries = bench_->device.mem().wire().link().retries_served();

  host.hostile = expect.fatal_allowed || expect.concerned_may_fail || !expect.unharmed;
  host.record = true;
  if (begins_a_link(entry.wrong)) {
    ASSERT_NO_FATAL_FAILURE(link_again(entry));
  } else {
    bench_->device.mem().do_wrong(entry.wrong);
    for (unsigned round = 0; round < 10 && !bench_->device.mem().wrong_done(); ++round) {
      ASSERT_TRUE(host.run(setting.traffic));
    }
  }
  ASSERT_TRUE(bench_->device.mem().wrong_done()) << "the peer has had no chance";
  ASSERT_TRUE(host.run(setting.traffic));
  host.idle_for(3000);
  host.record = false;

  const std::uint32_t uncorrectable = ras_register(ras::kUncorStatus);
  const std::uint32_t correctable = ras_register(ras::kCorStatus);
  const bool stopped = host.top().abort_o != 0;
  const bool recovery = host.phy.recoveries != recoveries;
  const bool retry = bench_->device.mem().wire().link().retries_served() != retries;
  std::printf(
      "%s: RAS uncorrectable %05x, correctable %02x, log %08x%s%s%s; %llu errors at the bus\n",
      entry.name, uncorrectable, correctable, ras_register(ras::kHeaderLog),
      stopped ? ", link stopped" : "", recovery ? ", Recovery" : "", retry ? ", retry" : "",
      static_cast<unsigned long long>(host.counts.read_errors + host.counts.write_errors));
  EXPECT_EQ(uncorrectable & ~expect.uncorrectable, 0u) << "what is logged has another name";
  if (expect.stated) {
    const bool fatal = expect.fatal_allowed && stopped;
    EXPECT_TRUE(fatal || expect.uncorrectable == 0 || (uncorrectable & expect.uncorrectable) != 0);
    EXPECT_TRUE(fatal || !expect.recovery || recovery);
    EXPECT_TRUE(fatal || !expect.retry || retry);
    if (expect.ignored) {
      EXPECT_EQ(uncorrectable, 0u);
      EXPECT_EQ(correctable, 0u);
      EXPECT_FALSE(recovery || retry || stopped);
    }
  }
  EXPECT_TRUE(!expect.flit_logged || uncorrectable == 0 || log_is_a_flit());
  if (expect.overflow_code >= 0 && (uncorrectable & expect.uncorrectable) != 0) {
    EXPECT_EQ(ras_register(ras::kHeaderLog) & 7, static_cast<unsigned>(expect.overflow_code));
  }
  EXPECT_TRUE(!stopped || expect.fatal_allowed);

  back_to_normal();
  host.hostile = false;
  ASSERT_TRUE(host.run(setting.traffic));
}
INSTANTIATE_TEST_SUITE_P(Peer, RtlHostWrongs,
                         ::testing::ValuesIn(peer::device_wrongs().begin(),
                                             peer::device_wrongs().end()),
                         Named<peer::WrongEntry>());

}  // namespace
}  // namespace cxlgpu::test
