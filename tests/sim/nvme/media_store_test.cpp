// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The store on its part: times by hand, the endpoint beside it, readers of a value that goes away.
#include "sim/nvme/media_store.hpp"

#include "tests/sim/nvme/nvme_rig.hpp"

namespace cxlgpu::nvme {
namespace {

struct StoreRig {
  explicit StoreRig(const std::string& name, StoreFault fault = StoreFault::None,
                    unsigned depth = 96)
      : part(part_of(name, kBytes)),
        shared(*part, depth, name == "dram" ? kLineBytes : 4096),
        store(shared, {0, kBytes / 2, kBytes / 2, kBytes / 2}, fault) {}

  void ask(StoreRequest request) { store.submit(std::move(request), now); }
  StoreAnswer answer() {
    for (;;) {
      if (auto answer = store.take(now)) return *answer;
      const Time next = store.next_event();
      if (next == Time::never()) {
        ADD_FAILURE() << "no answer";
        return {};
      }
      now = std::max(now + Time{1}, next);
    }
  }

  static constexpr std::uint64_t kBytes = 32 << 20;
  std::unique_ptr<Media> part;
  SharedMedia shared;
  MediaStore store;
  Time now;
};

StoreRequest retrieve(std::string_view key, std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.op = StoreRequest::Op::Retrieve, .tag = tag, .key = key_of(key), .bytes = bytes};
}

// configs/media/znand.yaml: look-up 100 ns, command 175, tR 3 000, a byte a nanosecond, ECC 250.
TEST(MediaStore, AReadOfZNandByHand) {
  for (const std::uint64_t bytes : {64ULL, 1024ULL, 4096ULL}) {
    StoreRig rig("znand");
    rig.store.preload(key_of("k"), some_bytes(bytes, 1));
    rig.ask(retrieve("k", 4096));
    const StoreAnswer answer = rig.answer();
    EXPECT_EQ(answer.value, some_bytes(bytes, 1));
    EXPECT_EQ(rig.now, Time{(100 + 175 + 3000 + bytes + 250) * 1000}) << bytes;
    EXPECT_EQ(rig.part->counters().page_reads, 1U);
  }
}

// Values on different dies are sensed together.
TEST(MediaStore, DiesWorkTogether) {
  StoreRig rig("znand");
  for (unsigned i = 0; i < 32; ++i) {
    rig.store.preload(key_of("k" + std::to_string(i)), some_bytes(64, i));
  }
  for (unsigned i = 0; i < 32; ++i) rig.ask(retrieve("k" + std::to_string(i), 4096, i));
  for (unsigned i = 0; i < 32; ++i) (void)rig.answer();
  EXPECT_LT(rig.now, Time{8'000'000});  // one by one 115 us
}

// The endpoint reads and writes through the same part; neither takes the other's answers.
TEST(MediaStore, TheEndpointBesideIt) {
  StoreRig rig("dram", StoreFault::None, 8);
  const Bytes value = some_bytes(64 << 10, 3);
  rig.store.preload(key_of("k"), value);
  Line line;
  line.fill(7);
  std::uint32_t sent = 0, came = 0, retrieved = 0;
  rig.ask(retrieve("k", value.size()));
  for (Time now; retrieved < 3 || came < sent;) {
    if (retrieved < 3 && rig.shared.can_accept(now, MediaOp::Read) && sent < 4000) {
      MediaCommand command{.op = sent % 2 == 0 ? MediaOp::Write : MediaOp::Read};
      command.id = static_cast<std::uint16_t>(sent % 256);
      command.dpa = StoreRig::kBytes / 2 + sent / 2 * kLineBytes;
      command.data = line;
      rig.shared.submit(command, now);
      ++sent;
    }
    while (const auto answer = rig.shared.take(now)) {
      EXPECT_LT(answer->id, 256);
      EXPECT_TRUE(answer->op != MediaOp::Read || answer->data == line);
      ++came;
    }
    while (const auto answer = rig.store.take(now)) {
      EXPECT_EQ(answer->value, value);
      if (++retrieved < 3) {
        rig.now = now;
        rig.ask(retrieve("k", value.size()));
      }
    }
    now = now + kCycle;
    ASSERT_LT(now, Time{10'000'000'000}) << came << " of " << sent;
  }
  EXPECT_GT(sent, 100U);
}

// A new value of a key that is read.
TEST(MediaStore, AReplacedValueIsSeenWhole) {
  for (const StoreFault fault : {StoreFault::None, StoreFault::InPlace}) {
    StoreRig rig("znand", fault);
    const Bytes old = some_bytes(8192, 1), young = some_bytes(8192, 2);
    rig.store.preload(key_of("k"), old);
    rig.ask(retrieve("k", old.size(), 1));
    rig.ask({.op = StoreRequest::Op::Store, .tag = 2, .key = key_of("k"), .value = young});
    bool whole = false;
    for (int i = 0; i < 2; ++i) {
      const StoreAnswer answer = rig.answer();
      if (answer.tag == 1) whole = answer.value == old || answer.value == young;
    }
    EXPECT_EQ(whole, fault == StoreFault::None);
    EXPECT_EQ(rig.store.peek(key_of("k")), young);
  }
}

// Delete, and another value in its place, while it is read.
TEST(MediaStore, AReaderKeepsItsValue) {
  for (const StoreFault fault : {StoreFault::None, StoreFault::FreedAtOnce}) {
    StoreRig rig("znand", fault);
    const Bytes old = some_bytes(8192, 1);
    rig.store.preload(key_of("old"), old);
    rig.ask(retrieve("old", old.size(), 1));
    rig.ask({.op = StoreRequest::Op::Delete, .tag = 2, .key = key_of("old")});
    rig.ask({.op = StoreRequest::Op::Store,
             .tag = 3,
             .key = key_of("new"),
             .value = some_bytes(8192, 2)});
    bool whole = false;
    for (int i = 0; i < 3; ++i) {
      const StoreAnswer answer = rig.answer();
      EXPECT_EQ(answer.status, Status::Success);
      if (answer.tag == 1) whole = answer.value == old;
    }
    EXPECT_EQ(whole, fault == StoreFault::None);
    EXPECT_EQ(rig.store.used_bytes(), 8192);
  }
}

}  // namespace
}  // namespace cxlgpu::nvme
