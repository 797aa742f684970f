// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The store on its part: times by hand, the endpoint beside it, readers of a value that goes away.
#include "sim/nvme/media_store.hpp"

#include "tests/common/lockstep.hpp"
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

// Stores under a condition and Deletes of few keys, all in flight together, in any order: each must
// have acted in one instant. So a key was made as often as it was deleted, and once more if it is
// there now.
bool conditions_hold(StoreFault fault) {
  constexpr unsigned kKeys = 4;
  StoreRig rig("znand", fault);
  test::Random random(test::from_environment("CXLGPU_SEED", 0x5107e));
  std::array<int, kKeys> made{};
  std::array<unsigned, kKeys> in_flight{};  // Stores "only if new"
  std::map<std::uint32_t, StoreRequest> open;
  const auto answered = [&] {
    const StoreAnswer answer = rig.answer();
    const StoreRequest& request = open.at(answer.tag);
    const unsigned at = request.key.bytes[1] - '0';
    if (request.only_if_new) --in_flight[at];
    const int makes = request.only_if_new ? 1 : request.op == StoreRequest::Op::Delete ? -1 : 0;
    if (answer.status == Status::Success) made[at] += makes;
    open.erase(answer.tag);
  };
  unsigned met = 0;
  for (std::uint32_t tag = 0; tag < 2000; ++tag) {
    if (open.size() == 12) answered();
    const auto at = static_cast<unsigned>(random.below(kKeys));
    StoreRequest request{
        .op = StoreRequest::Op::Store, .tag = tag, .key = key_of("k" + std::to_string(at))};
    if (random.percent(30)) {
      request.op = StoreRequest::Op::Delete;
    } else {
      request.only_if_new = random.percent(70);
      request.only_if_there = !request.only_if_new;
      request.value = some_bytes(1 + random.below(8192), tag);
    }
    if (request.only_if_new && in_flight[at]++ != 0) ++met;
    open.emplace(tag, request);
    rig.ask(std::move(request));
  }
  EXPECT_GT(met, 100U);
  while (!open.empty()) answered();
  bool holds = true;
  std::uint64_t kept = 0;
  for (unsigned at = 0; at < kKeys; ++at) {
    const auto value = rig.store.peek(key_of("k" + std::to_string(at)));
    holds = holds && made[at] == (value ? 1 : 0);
    if (value) kept += (value->size() + 4095) / 4096 * 4096;
  }
  EXPECT_EQ(rig.store.used_bytes(), kept);  // nothing is left of those that failed
  return holds;
}
TEST(MediaStore, ConditionsHoldTogether) {
  EXPECT_TRUE(conditions_hold(StoreFault::None));
  EXPECT_FALSE(conditions_hold(StoreFault::CheckedEarly));
}

// By hand: of two Stores "only if new" the second to end finds the first; one "only if there" that
// a Delete overtakes finds nothing, and the key stays away.
TEST(MediaStore, OneOfTwoStoresIsNew) {
  StoreRig rig("znand");
  const Bytes first = some_bytes(64, 1), second = some_bytes(8192, 2);
  StoreRequest store{.op = StoreRequest::Op::Store, .tag = 1, .key = key_of("k")};
  store.only_if_new = true;
  store.value = second;
  rig.ask(store);
  store.tag = 2;
  store.value = first;
  rig.ask(store);
  std::map<std::uint32_t, Status> status;
  for (int i = 0; i < 2; ++i) {
    const StoreAnswer answer = rig.answer();
    status[answer.tag] = answer.status;
  }
  EXPECT_EQ(status,
            (std::map<std::uint32_t, Status>{{1, Status::KeyExists}, {2, Status::Success}}));
  EXPECT_EQ(rig.store.peek(key_of("k")), first);
  EXPECT_EQ(rig.store.used_bytes(), 4096U);

  store = {.op = StoreRequest::Op::Store, .tag = 3, .key = key_of("k")};
  store.only_if_there = true;
  store.value = second;
  rig.ask(store);
  rig.ask({.op = StoreRequest::Op::Delete, .tag = 4, .key = key_of("k")});
  for (int i = 0; i < 2; ++i) {
    const StoreAnswer answer = rig.answer();
    status[answer.tag] = answer.status;
  }
  EXPECT_EQ(status[3], Status::KeyNotThere);
  EXPECT_EQ(status[4], Status::Success);
  EXPECT_FALSE(rig.store.peek(key_of("k")));
  EXPECT_EQ(rig.store.used_bytes(), 0U);
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
