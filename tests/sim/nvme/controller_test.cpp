// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Registers, start and stop, commands of administration, doorbells; and a stock driver's probe.
#include "sim/nvme/controller.hpp"

#include "tests/sim/nvme/nvme_rig.hpp"

namespace cxlgpu::nvme {
namespace {

std::uint64_t cap_of(Rig& rig) {
  return rig.driver.read(reg::kCap) | std::uint64_t{rig.driver.read(reg::kCap + 4)} << 32;
}
Status status(Rig& rig, const Sqe& sqe) {
  const HostDriver::Answer answer = rig.driver.command(sqe);
  EXPECT_TRUE(answer.there);
  return answer.status;
}
Bytes page_of(Rig& rig, std::size_t bytes = kPage) {
  Bytes page(bytes);
  rig.host.peek(rig.driver.page(), page);
  return page;
}
std::uint32_t word(const Bytes& page, std::size_t at, unsigned bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, page.data() + at, bytes);
  return value;
}

// By hand: the fields of CAP, each from its bits.
TEST(NvmeController, CapabilitiesByHand) {
  Rig rig;
  const std::uint64_t cap = cap_of(rig);
  EXPECT_EQ(cap & 0xffff, 1023U);      // MQES
  EXPECT_EQ(cap >> 16 & 1, 1U);        // CQR
  EXPECT_EQ(cap >> 24 & 0xff, 1U);     // TO, 500 ms
  EXPECT_EQ(cap >> 32 & 0xf, 0U);      // DSTRD
  EXPECT_EQ(cap >> 37 & 0xff, 0x41U);  // CSS: NVM, and I/O command sets
  EXPECT_EQ(cap >> 48 & 0xff, 0U);     // MPSMIN, MPSMAX: 4 KiB
  EXPECT_EQ(cap >> 59 & 3, 1U);        // CRMS
  EXPECT_EQ(rig.driver.read(reg::kVs), 0x0002'0000U);
  // A published one (SPDK's vfio-user target): 256 entries, 15 s, NVM alone.
  constexpr std::uint64_t kPublished = 0x0800'0020'1e01'00ff;
  EXPECT_EQ((kPublished & 0xffff) + 1, 256U);
  EXPECT_EQ((kPublished >> 24 & 0xff) * 500, 15'000U);
  RigParams small;
  small.controller.max_entries = 256;
  Rig other(small);
  EXPECT_EQ(cap_of(other) & 0xffff, kPublished & 0xffff);
}

// The order of Linux: nvme_pci_enable, nvme_pci_configure_admin_queue, nvme_init_ctrl_finish,
// nvme_setup_io_queues, nvme_scan_work; and what each of them checks.
TEST(NvmeController, AStockDriversProbe) {
  Rig rig;
  HostDriver& d = rig.driver;
  EXPECT_NE(d.read(reg::kCsts), ~0u);  // the device is there
  const std::uint64_t cap = cap_of(rig);
  const std::uint32_t depth = std::min<std::uint32_t>((cap & 0xffff) + 1, 1024);
  EXPECT_GE(d.read(reg::kVs), 0x0001'0100U);
  ASSERT_TRUE(d.disable());
  EXPECT_EQ(d.read(reg::kCsts) & reg::kReady, 0U);
  ASSERT_LE(cap >> 48 & 0xf, 0U) << "the host's pages are 4 KiB";
  ASSERT_TRUE(d.enable(32)) << d.why();  // NVME_AQ_DEPTH
  EXPECT_EQ(d.read(reg::kAqa), 0x001f'001fU);

  ASSERT_EQ(status(rig, admin(Admin::Identify, 1, 0, d.page())), Status::Success);
  const Bytes id = page_of(rig);
  EXPECT_EQ(id[512] & 0xf, 6) << "SQES, least";
  EXPECT_EQ(id[513] & 0xf, 4) << "CQES, least";
  EXPECT_EQ(id[111], 1) << "CNTRLTYPE, an I/O controller";
  EXPECT_EQ(id[77], 9) << "MDTS, 2 MiB";
  EXPECT_EQ(word(id, 80, 4), 0x0002'0000U) << "VER is VS";
  EXPECT_EQ(word(id, 516, 4), 2U) << "NN";
  EXPECT_EQ(std::string(id.begin() + 768, id.begin() + 772), "nqn.");
  for (int at = 4; at < 72; ++at) EXPECT_TRUE(id[at] >= 0x20 && id[at] < 0x7f) << at;

  const HostDriver::Answer queues = d.command(admin(Admin::SetFeatures, 7, 3 | 3 << 16));
  ASSERT_EQ(queues.status, Status::Success);
  EXPECT_GE(std::min(queues.result & 0xffff, queues.result >> 16) + 1, 4U);
  for (std::uint16_t q = 1; q <= 4; ++q) {
    const std::uint32_t size = std::uint32_t{q} | (depth - 1) << 16;
    const std::uint64_t sq = Rig::kSq + q * 0x2'0000ULL, cq = Rig::kCq + q * 0x2'0000ULL;
    // CQ first; physically contiguous, with interrupts by vector 0.
    ASSERT_EQ(status(rig, admin(Admin::CreateCq, size, 3, cq)), Status::Success);
    ASSERT_EQ(status(rig, admin(Admin::CreateSq, size, 1 | std::uint32_t{q} << 16, sq)),
              Status::Success);
  }

  // Namespaces: the list, then descriptors, then what does not depend on the command set, since
  // keys are no set that the driver has a disk for.
  ASSERT_EQ(status(rig, admin(Admin::Identify, 2, 0, d.page(), 0)), Status::Success);
  const Bytes list = page_of(rig);
  EXPECT_EQ(word(list, 0, 4), 1U);
  EXPECT_EQ(word(list, 4, 4), 2U);
  EXPECT_EQ(word(list, 8, 4), 0U);
  for (std::uint32_t space : {1U, 2U}) {
    ASSERT_EQ(status(rig, admin(Admin::Identify, 3, 0, d.page(), space)), Status::Success);
    std::map<unsigned, Bytes> descriptors;
    const Bytes page = page_of(rig);
    for (std::size_t at = 0; page[at + 1] != 0; at += 4u + page[at + 1]) {
      descriptors[page[at]] =
          Bytes(page.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                page.begin() + static_cast<std::ptrdiff_t>(at) + 4 + page[at + 1]);
    }
    ASSERT_TRUE(descriptors.contains(4)) << "CSI is mandatory with CC.CSS 110b";
    EXPECT_EQ(descriptors[4], Bytes{space == 1 ? kCsiKv : kCsiNvm});
    EXPECT_EQ(descriptors[2].size(), 16U);
  }
  ASSERT_EQ(status(rig, admin(Admin::Identify, 8, 0, d.page(), 1)), Status::Success);
  EXPECT_EQ(page_of(rig)[14] & 1, 1) << "NSTAT: ready";
  ASSERT_EQ(status(rig, admin(Admin::Identify, 6, 0, d.page())), Status::Success);
  ASSERT_EQ(status(rig, admin(Admin::Identify, 0, 0, d.page(), 2)), Status::Success);
  const Bytes blocks = page_of(rig);
  EXPECT_EQ(word(blocks, 0, 4), (1U << 20) / 4096) << "NSZE";
  EXPECT_EQ(word(blocks, 8, 4), (1U << 20) / 4096) << "NCAP is not 0: the namespace is there";
  EXPECT_EQ(blocks[130], 12) << "LBADS";

  // Removal: queues, then a shutdown, which is to end within RTD3E.
  for (std::uint32_t q = 1; q <= 4; ++q) {
    EXPECT_EQ(status(rig, admin(Admin::DeleteSq, q)), Status::Success);
    EXPECT_EQ(status(rig, admin(Admin::DeleteCq, q)), Status::Success);
  }
  d.write(reg::kCc, (d.read(reg::kCc) & ~reg::kCcShutdown) | 1u << 14);
  EXPECT_TRUE(d.wait(reg::kShutdown, reg::kShutdownDone));
  EXPECT_TRUE(d.disable());
}

// SPDK's client of keys: command sets, then the namespace of keys.
TEST(NvmeController, IdentifyOfKeys) {
  Rig rig;
  rig.up();
  const auto identify = [&](std::uint32_t cns, std::uint32_t csi, std::uint32_t space) {
    return status(rig, admin(Admin::Identify, cns, csi << 24, rig.driver.page(), space));
  };
  ASSERT_EQ(identify(0x1c, 0, 0), Status::Success);
  EXPECT_EQ(word(page_of(rig), 0, 4), 3U);
  ASSERT_EQ(identify(7, kCsiKv, 0), Status::Success);
  EXPECT_EQ(word(page_of(rig), 0, 4), 1U);
  EXPECT_EQ(word(page_of(rig), 4, 4), 0U);
  ASSERT_EQ(identify(5, kCsiKv, 1), Status::Success);
  Bytes page = page_of(rig);
  EXPECT_EQ(word(page, 0, 4), 64U << 20);  // NSZE
  EXPECT_EQ(word(page, 16, 4), 0U);        // NUSE
  EXPECT_EQ(page[25], 0);                  // NKVF, less 1
  EXPECT_EQ(word(page, 72, 2), 16U);       // longest key
  EXPECT_EQ(word(page, 76, 4), 2U << 20);  // longest value
  EXPECT_EQ(rig.put_value(key_of("k"), Bytes(5000, 1)).status(), Status::Success);
  ASSERT_EQ(identify(5, kCsiKv, 1), Status::Success);
  EXPECT_EQ(word(page_of(rig), 16, 4), 8192U);
  EXPECT_EQ(identify(0, 0, 1), Status::InvalidCommandSet);
  EXPECT_EQ(identify(5, kCsiNvm, 1), Status::InvalidCommandSet);
  EXPECT_EQ(identify(5, kCsiKv, 3), Status::InvalidNamespace);
  EXPECT_EQ(identify(0, 0, 0), Status::InvalidNamespace);
  EXPECT_EQ(identify(2, 0, 0xffff'ffff), Status::InvalidNamespace);
  EXPECT_EQ(identify(6, 2, 0), Status::InvalidCommandSet);
  EXPECT_EQ(identify(0x20, 0, 0), Status::InvalidField);
}

TEST(NvmeController, QueuesThatAreRefused) {
  RigParams params;
  params.controller.max_entries = 256;
  Rig rig(params);
  ASSERT_TRUE(rig.driver.bring_up());
  const auto cq = [&](std::uint32_t id, std::uint32_t entries, std::uint32_t dw11,
                      std::uint64_t at = Rig::kCq) {
    return status(rig, admin(Admin::CreateCq, id | (entries - 1) << 16, dw11, at));
  };
  const auto sq = [&](std::uint32_t id, std::uint32_t entries, std::uint32_t dw11,
                      std::uint64_t at = Rig::kSq) {
    return status(rig, admin(Admin::CreateSq, id | (entries - 1) << 16, dw11, at));
  };
  EXPECT_EQ(cq(1, 1024, 1), Status::QueueSizeInvalid);  // as published: 1024 asked, 256 allowed
  EXPECT_EQ(cq(1, 257, 1), Status::QueueSizeInvalid);
  EXPECT_EQ(cq(1, 1, 1), Status::QueueSizeInvalid);
  EXPECT_EQ(cq(0, 16, 1), Status::QueueIdInvalid);
  EXPECT_EQ(cq(16, 16, 1), Status::QueueIdInvalid);
  EXPECT_EQ(cq(1, 16, 0), Status::InvalidField);  // PC 0 with CAP.CQR 1
  EXPECT_EQ(cq(1, 16, 3 | 1 << 16), Status::InvalidVector);
  EXPECT_EQ(cq(1, 16, 1, Rig::kCq + 64), Status::InvalidPrpOffset);
  EXPECT_EQ(cq(1, 16, 1, 0), Status::InvalidField);
  EXPECT_EQ(cq(1, 256, 1), Status::Success);
  EXPECT_EQ(cq(1, 16, 1), Status::QueueIdInvalid);  // there is one
  EXPECT_EQ(sq(1, 16, 1 | 2 << 16), Status::CqInvalid);
  EXPECT_EQ(sq(1, 16, 1), Status::CqInvalid);  // not the admin queue's
  EXPECT_EQ(sq(1, 16, 0 | 1 << 16), Status::InvalidField);
  EXPECT_EQ(sq(1, 512, 1 | 1 << 16), Status::QueueSizeInvalid);
  EXPECT_EQ(sq(1, 16, 1 | 1 << 16), Status::Success);
  EXPECT_EQ(status(rig, admin(Admin::DeleteCq, 1)), Status::QueueDeletion);
  EXPECT_EQ(status(rig, admin(Admin::DeleteSq, 2)), Status::QueueIdInvalid);
  EXPECT_EQ(status(rig, admin(Admin::DeleteSq, 0)), Status::QueueIdInvalid);
  EXPECT_EQ(status(rig, admin(Admin::DeleteSq, 1)), Status::Success);
  EXPECT_EQ(status(rig, admin(Admin::DeleteCq, 1)), Status::Success);
  EXPECT_EQ(status(rig, admin(Admin::DeleteCq, 1)), Status::QueueIdInvalid);
}

TEST(NvmeController, OtherCommandsOfAdministration) {
  Rig rig;
  ASSERT_TRUE(rig.driver.bring_up());
  EXPECT_EQ(status(rig, admin(static_cast<Admin>(0x7f))), Status::InvalidOpcode);
  EXPECT_EQ(status(rig, admin(Admin::GetLogPage, 2 | 127 << 16, 0, rig.driver.page())),
            Status::Success);
  EXPECT_EQ(status(rig, admin(Admin::GetLogPage, 0x70, 0, rig.driver.page())),
            Status::InvalidLogPage);
  EXPECT_EQ(status(rig, admin(Admin::SetFeatures, 7, 0xffff)), Status::InvalidField);
  EXPECT_EQ(status(rig, admin(Admin::SetFeatures, 2)), Status::InvalidField);
  EXPECT_EQ(rig.driver.command(admin(Admin::Abort)).result & 1, 1U);
  Sqe sgl = admin(Admin::Identify, 1, 0, rig.driver.page());
  sgl.dw[0] |= 1u << 14;
  EXPECT_EQ(status(rig, sgl), Status::InvalidField);
  Sqe fused = admin(Admin::Identify, 1, 0, rig.driver.page());
  fused.dw[0] |= 1u << 8;
  EXPECT_EQ(status(rig, fused), Status::InvalidField);
  ASSERT_TRUE(rig.driver.create(rig.rings()));
  EXPECT_EQ(status(rig, admin(Admin::SetFeatures, 7, 1 | 1 << 16)), Status::SequenceError);
  // Delete of a key that is not there: an error only if the host wants it.
  EXPECT_EQ(rig.remove(key_of("x")), Status::Success);
  EXPECT_EQ(status(rig, admin(Admin::SetFeatures, 0x20, 1, 0, 1)), Status::Success);
  EXPECT_EQ(rig.driver.command(admin(Admin::GetFeatures, 0x20, 0, 0, 1)).result, 1U);
  EXPECT_EQ(rig.remove(key_of("x")), Status::KeyNotThere);
}

TEST(NvmeController, SettingsThatAreNotThere) {
  for (const std::uint32_t cc : {1u << 4, 1u << 7, 1u << 11}) {  // CSS, MPS, AMS
    Rig rig;
    rig.driver.write(reg::kAqa, 0x001f'001f);
    rig.driver.write(reg::kAsq + 4, 0x100);
    rig.driver.write(reg::kAcq + 4, 0x100);
    rig.driver.write(reg::kCc, cc | reg::kCcEnable);
    rig.settle();
    EXPECT_EQ(rig.driver.read(reg::kCsts), reg::kFatal) << cc;
    rig.driver.write(reg::kCc, 0);
    EXPECT_EQ(rig.driver.read(reg::kCsts), 0U);
  }
  Rig small;  // a queue of one entry
  small.driver.write(reg::kAqa, 0);
  small.driver.write(reg::kCc, reg::kCcEnable);
  EXPECT_EQ(small.driver.read(reg::kCsts), reg::kFatal);
}

// Dropped, counted, told by an event; never a loop.
TEST(NvmeController, DoorbellsThatAreNotThere) {
  Rig rig;
  rig.driver.write(reg::sq_tail(1), 1);
  EXPECT_EQ(rig.controller.counters().not_ready, 1U);
  ASSERT_TRUE(rig.driver.bring_up());
  rig.driver.write(reg::sq_tail(1), 1);  // a queue that was refused, as published
  rig.driver.write(reg::cq_head(9), 1);
  rig.driver.write(reg::sq_tail(99), 1);
  EXPECT_EQ(rig.controller.counters().unknown_queue, 3U);
  ASSERT_TRUE(rig.driver.create(rig.rings()));
  for (const std::uint32_t value : {16U, 17U, 0xffffU}) rig.driver.write(reg::sq_tail(1), value);
  EXPECT_EQ(rig.controller.counters().bad_value, 3U);
  rig.driver.write(reg::cq_head(1), 1);  // nothing was posted
  EXPECT_EQ(rig.controller.counters().bad_value, 4U);
  rig.settle();
  EXPECT_EQ(rig.controller.counters().fetched, 5U);  // commands of administration alone
  EXPECT_EQ(rig.put_value(key_of("k"), Bytes(10, 1)).status(), Status::Success);
  // The event waits for a command to tell it.
  const HostDriver::Answer event = rig.driver.command(admin(Admin::AsyncEvent));
  EXPECT_EQ(event.result, 1u << 16);  // errors, an unknown doorbell, log page 1
  rig.driver.write(0x50, 1);
  rig.driver.write(reg::kDoorbells + 2, 1);
  EXPECT_EQ(rig.controller.counters().bad_access, 2U);
}

TEST(NvmeController, EventsAreHeldAndMasked) {
  Rig rig;
  rig.up();
  const std::uint64_t before = rig.controller.counters().completions;
  // Four are held, a fifth is one too many.
  for (int i = 0; i < 5; ++i) rig.driver.post(admin(Admin::AsyncEvent));
  rig.settle();
  EXPECT_EQ(rig.controller.counters().completions, before + 1);  // EventLimit
  rig.driver.write(reg::sq_tail(1), 77);
  rig.driver.write(reg::sq_tail(1), 78);
  rig.settle();
  EXPECT_EQ(rig.controller.counters().completions, before + 2);  // one of its type
}

// Commands in flight come to nothing; the controller starts again.
TEST(NvmeController, DisabledInTheMiddle) {
  for (std::uint64_t after = 0; after < 4'000'000; after += 100'000) {
    Rig rig;
    rig.up();
    rig.host.poke(Rig::kBuffer, some_bytes(9000, 1));
    for (int i = 0; i < 8; ++i) {
      Sqe sqe = rig.keyed(Kv::Store, key_of("key" + std::to_string(i)), 9000, Rig::kBuffer);
      sqe.dw[0] |= static_cast<std::uint32_t>(i) << 16;
      rig.put(sqe);
    }
    rig.ring();
    rig.settle(Time{after});
    ASSERT_TRUE(rig.driver.disable()) << rig.driver.why();
    ASSERT_TRUE(rig.controller.idle());
    const Cqe left = rig.entry(0);
    rig.settle();
    EXPECT_EQ(rig.entry(0).dw, left.dw) << "nothing is posted after RDY 0";
    rig.tail = rig.head = 0;
    rig.phase = true;
    rig.host.poke(Rig::kCq, Bytes(kPage));
    rig.up();
    EXPECT_EQ(rig.put_value(key_of("again"), Bytes(100, 7)).status(), Status::Success);
    EXPECT_EQ(rig.exists(key_of("again")), Status::Success);
  }
}

// A queue where the device may not read: an error that is told, and nothing hangs.
TEST(NvmeController, AQueueOutsideMemory) {
  Rig rig;
  ASSERT_TRUE(rig.driver.bring_up());
  QueueRings rings = rig.rings();
  rings.sq.base = 0xc000'0000;  // its own registers
  ASSERT_TRUE(rig.driver.create(rings));
  rig.driver.write(reg::sq_tail(1), 1);
  rig.settle();
  EXPECT_EQ(rig.driver.read(reg::kCsts) & reg::kFatal, reg::kFatal);
  EXPECT_EQ(rig.controller.counters().refused, 1U);
  EXPECT_TRUE(rig.driver.disable());
}

}  // namespace
}  // namespace cxlgpu::nvme
