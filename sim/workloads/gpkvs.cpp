// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// gpkvs, gpkvs95: a persistent key-value store, in batches of SETs, or of 95 GETs to 5 SETs.
//
// Purpose: scattered changes in place of 16 bytes that know their place only when it is found, each
//          logged before: a batch is in the store as a whole or not at all.
// Shapes:  size operations a batch, `iterations` batches. A store of 2 size buckets of eight ways:
//          a line of keys and a line of values of 8 bytes, key 0 is an empty way. It begins with 4
//          size pairs, of an image that a file would hold. Half the SETs of a batch are of keys
//          that are there; a batch has no key twice, and GETs are of keys that the batch does not
//          set, one in sixteen of a key that nobody set. A log entry is {bucket, way, key, value},
//          24 B. Persistent: the store, the log, the state of the transaction. The image,
//          operations, results of GETs and locks of buckets are volatile.
// Kernels: a batch is one. Eight lanes, or as many as a warp has, look at the ways of a bucket; the
//          one whose way it is logs, stores and persists. A SET has the lock of its bucket: groups
//          that find it taken try again when the others of the warp are done.
// Source:  GPM (S. Pandey et al., ASPLOS 2022): the kind of store, groups of eight, one lane that
//          logs, undo of the batch. Sizes, mix of keys and the locks are this design's.
#include <map>

#include "sim/workloads/transactions.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;

constexpr U64 kWays = 8, kSlot = 2 * kWays;  // words of a bucket
constexpr U64 kAbsent = 1;                   // what a GET of a key that is not there gives

struct Operation {
  U64 key = 0, value = 0;  // value 0: a GET
};

// The keys of a run and what is done with them.
class Plan {
 public:
  Plan(const WorkloadParams& params, bool gets);
  [[nodiscard]] U64 buckets() const { return buckets_; }
  [[nodiscard]] U64 bucket_of(U64 key) const { return (key >> 20) % buckets_; }
  [[nodiscard]] const std::vector<U64>& image() const { return image_; }
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  // The pairs that are there after so many batches; and what GETs of the next give.
  [[nodiscard]] std::map<U64, U64> pairs_after(U64 batches) const;

 private:
  U64 new_key();

  U64 size_, seed_, buckets_, drawn_ = 0;
  std::vector<std::uint8_t> used_;  // ways of a bucket
  std::map<U64, U64> first_;
  std::vector<U64> image_;
  std::vector<Operation> operations_;
};

Plan::Plan(const WorkloadParams& params, bool gets)
    : size_(params.size), seed_(params.seed), buckets_(2 * size_), used_(buckets_) {
  const U64 loaded = 4 * size_;
  image_.assign(buckets_ * kSlot, 0);
  std::vector<U64> keys;
  for (U64 i = 0; i < loaded; ++i) {
    const U64 key = new_key(), bucket = bucket_of(key), way = used_[bucket] - 1U;
    image_[bucket * kSlot + way] = key;
    image_[bucket * kSlot + kWays + way] = first_[key] = Random(seed_, 3 * i).next() | 2;
    keys.push_back(key);
  }
  Random random(seed_, 0xface);
  for (U64 batch = 0; batch < params.iterations; ++batch) {
    const U64 changed = batch % 2 * (loaded / 2), read = loaded / 2 - changed;
    for (U64 i = 0; i < size_; ++i) {
      Operation operation;
      const U64 set = gets ? i / 20 : i;  // number among the SETs
      if (!gets || i % 20 == 7) {
        operation.key = set % 2 == 0 ? new_key() : keys[changed + 2 * i];
        operation.value = random.next() | 2;
      } else if (random.below(16) == 0) {
        operation.key = random.next() | 1;
      } else {
        operation.key = keys[read + random.below(loaded / 2)];
      }
      operations_.push_back(operation);
    }
  }
}

// Of a bucket that has a way left.
U64 Plan::new_key() {
  for (;;) {
    const U64 key = Random(seed_, 1'000'000'007 * ++drawn_).next() & ~U64{1};
    if (key == 0 || used_[bucket_of(key)] == kWays) continue;
    ++used_[bucket_of(key)];
    return key;
  }
}

std::map<U64, U64> Plan::pairs_after(U64 batches) const {
  std::map<U64, U64> pairs = first_;
  for (U64 i = 0; i < batches * size_; ++i) {
    if (operations_[i].value != 0) pairs[operations_[i].key] = operations_[i].value;
  }
  return pairs;
}

class KeyValueStore : public PersistentWorkload {
 public:
  KeyValueStore(const WorkloadParams& params, bool gets)
      : PersistentWorkload(params), gets_(gets), plan_(params, gets) {}
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  // What a warp knows of its operations, a lane of a group like the others.
  struct Step {
    LaneMask gets = 0, sets = 0;
    Lanes<U64> key{}, value{}, number{}, bucket{};
  };

  void place_volatile(Allocator& allocator) override;
  void place_persistent(Allocator& allocator) override;
  void fill_volatile(Backdoor& memory) override;
  WarpTask create(Warp& w) const override;
  WarpTask reopen(Warp& w, bool& ok) const override { return transactions_.open(w, ok); }
  void launch_recovery(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return restore(w); }, true);
  }
  void launch_work(Gpu& gpu) override {
    for (U64 b = 0; b < params().iterations; ++b) {
      gpu.launch([this, b](Warp& w) { return batch(w, b); });
    }
  }
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const override;
  [[nodiscard]] std::string piece() const override { return gets_ ? "gpkvs95" : "gpkvs"; }

  [[nodiscard]] static unsigned lanes_together(unsigned width) {
    unsigned lanes = kWays;
    while (width % lanes != 0) lanes /= 2;
    return lanes;
  }
  [[nodiscard]] U64 steps() const {  // of all warps
    const U64 groups = params().threads / lanes_together(params().threads);
    return (size() + groups - 1) / groups;
  }
  // Lanes of the groups whose first lane is in `leaders`.
  [[nodiscard]] static LaneMask whole_groups(LaneMask leaders, unsigned together) {
    LaneMask mask = leaders;
    for (unsigned i = 1; i < together; ++i) mask |= leaders << i;
    return mask;
  }

  WarpTask restore(Warp& w) const;
  WarpTask put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const;
  WarpTask batch(Warp& w, U64 number) const;
  WarpTask load_step(Warp& w, U64 first, Step& step) const;
  WarpTask find(Warp& w, const Step& step, LaneMask lanes, Lanes<U64>& way, Lanes<U64>& old) const;
  WarpTask get(Warp& w, const Step& step) const;
  WarpTask set(Warp& w, const Step& step) const;
  WarpTask change(Warp& w, const Step& step, LaneMask leaders) const;
  [[nodiscard]] std::optional<std::string> compare(const std::vector<U64>& store, U64 done) const;

  bool gets_;
  Plan plan_;
  DeviceArray<U64> image_, keys_, values_, results_;
  DeviceArray<U32> locks_;
  DeviceArray<U64> store_;
  Transactions transactions_;
};

void KeyValueStore::place_volatile(Allocator& allocator) {
  image_ = allocator.alloc<U64>(plan_.image().size());
  keys_ = allocator.alloc<U64>(plan_.operations().size());
  values_ = allocator.alloc<U64>(keys_.size);
  results_ = allocator.alloc<U64>(gets_ ? keys_.size : 1);
  locks_ = allocator.alloc<U32>(plan_.buckets());
  const U32 each = static_cast<U32>((steps() + params().warps - 1) / params().warps);
  const bool hcl = params().log == LogKind::Hcl;
  const unsigned together = lanes_together(params().threads);
  transactions_.place_volatile(allocator,
                               {.kind = params().log,
                                .words = 6,
                                .warps = params().warps,
                                .lanes = params().threads,
                                .capacity = hcl ? each : each * (params().threads / together),
                                .partitions = hcl ? 1 : params().log_partitions,
                                .logs = !params().assisted});
}

void KeyValueStore::place_persistent(Allocator& allocator) {
  store_ = allocator.alloc_persistent<U64>(plan_.image().size());
  transactions_.place_persistent(allocator, fault());
}

void KeyValueStore::fill_volatile(Backdoor& memory) {
  copy_to_device(memory, image_, plan_.image());
  fill_array(memory, keys_, [&](U64 i) { return plan_.operations()[i].key; });
  fill_array(memory, values_, [&](U64 i) { return plan_.operations()[i].value; });
  fill_array(memory, results_, [](U64) { return U64{0}; });
  fill_array(memory, locks_, [](U64) { return 0U; });
  transactions_.fill_volatile(memory);
}

WarpTask KeyValueStore::create(Warp& w) const {
  co_await transactions_.create(w);
  co_await copy_words(w, {image_.base, image_.size * 2}, {store_.base, store_.size * 2});
  co_await w.persist();
}

WarpTask KeyValueStore::put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const {
  const bool empty = fault() == Fault::UndoToEmpty;
  const auto word = [&](unsigned low, unsigned i) {
    return empty ? U64{0} : U64{entry[low + 1][i]} << 32 | entry[low][i];
  };
  w.compute(4);
  const auto slot = w.map(
      [&](unsigned i) { return has_lane(there, i) ? entry[0][i] * kSlot + entry[1][i] : U64{0}; });
  w.store(store_, slot, w.map([&](unsigned i) { return word(2, i); }), there);
  w.store(store_, w.map([&](unsigned i) { return slot[i] + kWays; }),
          w.map([&](unsigned i) { return word(4, i); }), there);
  co_await w.drain();
}

WarpTask KeyValueStore::restore(Warp& w) const {
  co_await transactions_.undo(w, [this](Warp& warp, const gpm::Chunks& entry, LaneMask there) {
    return put_back(warp, entry, there);
  });
}

WarpTask KeyValueStore::load_step(Warp& w, U64 first, Step& step) const {
  const unsigned together = lanes_together(w.width());
  const U64 end = first / size() * size() + size();  // of the batch
  step = Step{};
  LaneMask mask = 0;
  for (unsigned i = 0; i < w.width(); ++i) {
    step.number[i] = first + i / together;
    if (step.number[i] < end) mask |= lane_bit(i);
  }
  auto keys = w.load(keys_, step.number, mask);
  auto values = w.load(values_, step.number, mask);
  std::tie(step.key, step.value) = co_await all(keys, values);
  w.compute(8);  // address, hash, GET or SET, split
  for (unsigned i = 0; i < w.width(); ++i) step.bucket[i] = plan_.bucket_of(step.key[i]);
  step.sets = lanes_where(mask, [&](unsigned i) { return step.value[i] != 0; });
  step.gets = mask & ~step.sets;
}

// Of each group the way that has the key, else a free one, else kWays; and that way's key.
WarpTask KeyValueStore::find(Warp& w, const Step& step, LaneMask lanes, Lanes<U64>& way,
                             Lanes<U64>& old) const {
  const unsigned together = lanes_together(w.width());
  way.fill(kWays);
  old.fill(0);
  for (U64 first = 0; first < kWays; first += together) {
    const auto keys = co_await w.load_l2(
        store_, w.map([&](unsigned i) { return step.bucket[i] * kSlot + first + i % together; }),
        lanes);
    w.compute(6);  // compare, two votes, choice
    for_lanes(lanes, [&](unsigned i) {
      const unsigned leader = i / together * together;
      const bool match = keys[i] == step.key[i];
      const bool free = keys[i] == 0 && way[leader] == kWays;
      if (!match && !free) return;
      way[leader] = first + i % together;
      old[leader] = keys[i];
    });
  }
  for (unsigned i = 0; i < w.width(); ++i) {
    way[i] = way[i / together * together];
    old[i] = old[i / together * together];
  }
}

WarpTask KeyValueStore::get(Warp& w, const Step& step) const {
  const unsigned together = lanes_together(w.width());
  Lanes<U64> way, old;
  co_await find(w, step, step.gets, way, old);
  const LaneMask one = lanes_where(step.gets, [&](unsigned i) {
    return i % together == (way[i] < kWays ? way[i] % together : 0);
  });
  const LaneMask there = lanes_where(one, [&](unsigned i) { return old[i] == step.key[i]; });
  const auto values = co_await w.load_l2(
      store_, w.map([&](unsigned i) { return step.bucket[i] * kSlot + kWays + way[i] % kWays; }),
      there);
  w.compute(3);
  w.store(results_, step.number,
          w.map([&](unsigned i) { return has_lane(there, i) ? values[i] : kAbsent; }), one);
}

// With the locks of their buckets.
WarpTask KeyValueStore::change(Warp& w, const Step& step, LaneMask leaders) const {
  const unsigned together = lanes_together(w.width());
  const LaneMask groups = whole_groups(leaders, together);
  Lanes<U64> way, old;
  co_await find(w, step, groups, way, old);
  const LaneMask one = lanes_where(
      groups, [&](unsigned i) { return way[i] < kWays && i % together == way[i] % together; });
  const auto slot =
      w.map([&](unsigned i) { return step.bucket[i] * kSlot + std::min(way[i], kWays - 1); });
  const auto value_at = w.map([&](unsigned i) { return slot[i] + kWays; });
  const auto values = co_await w.load_l2(store_, value_at, one);
  w.compute(4);
  const auto in_place = [&] {
    w.store(store_, slot, step.key, one);
    w.store(store_, value_at, step.value, one);
  };
  if (fault() == Fault::InPlaceBeforeUndo) {
    in_place();
    co_await w.persist();
  }
  const auto low = [&](const Lanes<U64>& v) {
    return w.map([&](unsigned i) { return static_cast<U32>(v[i]); });
  };
  const auto high = [&](const Lanes<U64>& v) {
    return w.map([&](unsigned i) { return static_cast<U32>(v[i] >> 32); });
  };
  gpm::Chunks entry = {low(step.bucket), low(way), low(old), high(old), low(values), high(values)};
  bool ok = false;
  co_await transactions_.log(w, std::move(entry), one, ok);
  if (!ok) co_return;
  if (fault() != Fault::InPlaceBeforeUndo) in_place();
  if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
}

WarpTask KeyValueStore::set(Warp& w, const Step& step) const {
  const unsigned together = lanes_together(w.width());
  const auto same = [&](U32 v) { return w.map([v](unsigned) { return v; }); };
  LaneMask waiting = lanes_where(step.sets, [&](unsigned i) { return i % together == 0; });
  while (waiting != 0) {
    const auto before = co_await w.atomic_cas(locks_, step.bucket, same(0), same(1), waiting);
    const LaneMask won = lanes_where(waiting, [&](unsigned i) { return before[i] == 0; });
    w.compute(8);
    if (won == 0) continue;
    co_await change(w, step, won);
    co_await w.fence();
    (void)w.atomic_cas(locks_, step.bucket, same(1), same(0), won);
    waiting &= ~won;
  }
}

WarpTask KeyValueStore::batch(Warp& w, U64 number) const {
  Transactions::State now;
  co_await transactions_.state(w, now);
  if (now.done != number) co_return;  // it is done
  co_await transactions_.begin(w, number);
  const unsigned groups = w.width() / lanes_together(w.width());
  for (U64 s = w.id(); s * groups < size(); s += w.count()) {
    Step step;
    co_await load_step(w, number * size() + s * groups, step);
    if (step.gets != 0) co_await get(w, step);
    if (step.sets != 0) co_await set(w, step);
  }
  co_await transactions_.commit(w, number);
}

// Whether a store has exactly the pairs that so many batches leave.
std::optional<std::string> KeyValueStore::compare(const std::vector<U64>& store, U64 done) const {
  std::map<U64, U64> pairs = plan_.pairs_after(done);
  for (U64 bucket = 0; bucket < plan_.buckets(); ++bucket) {
    for (U64 way = 0; way < kWays; ++way) {
      const U64 key = store[bucket * kSlot + way], value = store[bucket * kSlot + kWays + way];
      if (key == 0) continue;
      const auto pair = pairs.find(key);
      if (pair == pairs.end() || plan_.bucket_of(key) != bucket || pair->second != value) {
        return fmt::format("after {} batches bucket {} way {} has {:#x}: {:#x}, expected {}", done,
                           bucket, way, key, value,
                           pair == pairs.end() ? std::string("no such key, or once")
                                               : fmt::format("{:#x}", pair->second));
      }
      pairs.erase(pair);
    }
  }
  if (pairs.empty()) return std::nullopt;
  return fmt::format("after {} batches key {:#x} is missing", done, pairs.begin()->first);
}

std::optional<std::string> KeyValueStore::holds(const Backdoor& memory) const {
  const Transactions::State now = transactions_.state(memory);
  if (now.done > params().iterations) return fmt::format("{} batches are done", now.done);
  std::vector<U64> store = copy_from_device(memory, store_);
  std::vector<std::vector<U32>> entries;
  if (auto wrong = transactions_.entries(memory, entries)) return wrong;
  for (const std::vector<U32>& e : entries) {
    if (e[0] >= plan_.buckets() || e[1] >= kWays) return "a log entry names no way";
    store[e[0] * kSlot + e[1]] = U64{e[3]} << 32 | e[2];
    store[e[0] * kSlot + kWays + e[1]] = U64{e[5]} << 32 | e[4];
  }
  return compare(store, now.done);
}

std::optional<std::string> KeyValueStore::verify(const Backdoor& memory) const {
  const Transactions::State now = transactions_.state(memory);
  if (now.done != params().iterations || now.under_way) {
    return fmt::format("{} batches are done, expected {}", now.done, params().iterations);
  }
  if (auto wrong = compare(copy_from_device(memory, store_), now.done)) return wrong;
  U64 batch = ~U64{0};
  std::map<U64, U64> pairs;
  bool lost = recovered();  // results of batches that ended before power was lost
  for (U64 i = 0; gets_ && i < results_.size; ++i) {
    const Operation& operation = plan_.operations()[i];
    if (operation.value != 0) continue;
    const U64 result = word_at<U64>(memory, results_.address(i));
    lost = lost && result == 0;
    if (lost) continue;
    if (i / size() != batch) {
      batch = i / size();
      pairs = plan_.pairs_after(batch);
    }
    const auto pair = pairs.find(operation.key);
    const U64 expected = pair == pairs.end() ? kAbsent : pair->second;
    if (result != expected) {
      return fmt::format("results[{}] is {:#x}, expected {:#x}", i, result, expected);
    }
  }
  return std::nullopt;
}

template <bool kGets>
std::unique_ptr<Workload> make_store(const WorkloadParams& params) {
  return std::make_unique<KeyValueStore>(params, kGets);
}

constexpr Iterations kBatches = {.default_value = 3, .min = 1, .max = 16, .counts = "batches"};

}  // namespace

WorkloadKind gpkvs_workload() {
  return {"gpkvs",
          "persistent key-value store, batches of SETs",
          "operations of a batch",
          512,
          8,
          1 << 20,
          make_store<false>,
          kBatches};
}

WorkloadKind gpkvs95_workload() {
  return {"gpkvs95",
          "the same, 95 GETs to 5 SETs",
          "operations of a batch",
          768,
          8,
          1 << 20,
          make_store<true>,
          kBatches};
}

}  // namespace cxlgpu
