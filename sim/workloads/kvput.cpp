// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// kvput and kvget: values by key, from and to memory that the GPU names, rung by the GPU.
//
// Purpose: a warp a queue stores or retrieves its share of the keys in batches, with one doorbell
//          each. Values are the published pattern (sim/nvme/pattern.hpp), value i beginning where a
//          whole value before it ends.
// Shapes:  `size` keys of 16 bytes, "gpukey" and ten digits. Value i is (i mod 4) sixteenths
//          shorter than workload.kv_value_bytes, and odd, so that its length is its own. Buffers
//          begin at pages, one a key; of more than two pages a list, made once. With blocks
//          (kv-block) all values are whole, value i from its buffer's place on.
// Check:   kvget: all warps compare every byte; kvput: the machine compares the store's. Both:
//          status and length of each completion.
#include <array>
#include <cstring>

#include "sim/nvme/pattern.hpp"
#include "sim/nvme/plan.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

using namespace nvme;  // NOLINT(google-build-using-namespace)

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U32 kNotThere = 0xffff'ffff;

class KeyValue : public Workload {
 public:
  KeyValue(const WorkloadParams& params, bool get) : Workload(params), get_(get) {}

  KvPlan* kv_plan() override { return &plan_; }
  void place(Allocator& allocator) override;
  void fill(Backdoor& memory) override;
  void launch(Gpu& gpu) override;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  [[nodiscard]] const KvWork& kv() const { return params().kv; }
  [[nodiscard]] bool blocks() const { return kv().interface == Interface::Blocks; }
  [[nodiscard]] bool mode(unsigned bit) const { return (kv().memory_mode & bit) != 0; }
  [[nodiscard]] U64 stride() const { return (kv().value_bytes + kPage - 1) / kPage * kPage; }
  [[nodiscard]] U64 length(U64 i) const {
    const U64 less = i % 4 * (kv().value_bytes / 16);
    return blocks() || less == 0 ? kv().value_bytes : (kv().value_bytes - less) | 1;
  }
  [[nodiscard]] static Key key(U64 i) {
    const std::string text = fmt::format("gpukey{:010}", i);
    return Key::of(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  }
  [[nodiscard]] std::uint8_t byte(U64 i, U64 at) const {
    return pattern(i * kv().value_bytes + at);
  }
  // Whole words; those beyond a value's end are the next one's.
  [[nodiscard]] U64 word(U64 i, U64 at) const {
    U64 bytes = 0;
    for (unsigned b = 0; b < 8; ++b) bytes |= U64{byte(i, at * 8 + b)} << 8 * b;
    return bytes;
  }
  [[nodiscard]] Sqe command(U64 i) const;
  // At a page, in GPU memory by that bit of the mode, else in the host's.
  template <typename T>
  DeviceArray<T> at_page(Allocator& allocator, HostAllocator& host, unsigned bit, U64 elements) {
    if (!mode(bit)) return host.alloc<T>(elements);
    const auto room = allocator.alloc<std::uint8_t>(elements * sizeof(T) + kPage);
    return {(room.base + kPage - 1) / kPage * kPage, elements};
  }
  void poke(Backdoor& memory, unsigned bit, U64 address, std::span<const std::uint8_t> bytes);

  WarpTask make_values(Warp& w) const;
  WarpTask ring(Warp& w);
  WarpTask check_values(Warp& w) const;

  bool get_;
  KvPlan plan_;
  DeviceArray<U64> values_, lists_;
  DeviceArray<U32> status_, length_, wrong_, errors_;
};

void KeyValue::place(Allocator& allocator) {
  plan_.rings.clear();
  plan_.blocks = blocks();
  HostAllocator host(kv().host_base);
  const auto bells = at_page<U32>(allocator, host, 4, 2 * kQueues);
  plan_.shadow = bells.base;
  for (unsigned q = 0; q < kv().queues; ++q) {
    QueueRings rings;
    rings.id = static_cast<std::uint16_t>(q + 1);
    rings.entries = kv().entries;
    rings.sq = at_page<U64>(allocator, host, 1, U64{kv().entries} * 8);
    rings.cq = at_page<U32>(allocator, host, 2, U64{kv().entries} * 4);
    // The doorbells of a bridge are words of memory, the others registers.
    rings.bell = kv().bridge ? DeviceArray<U32>{bells.address(2 * rings.id), 2}
                             : DeviceArray<U32>{kv().bar_base + reg::sq_tail(rings.id), 2};
    rings.sq_in_host = !mode(1);
    if (q == 0 && kv().ring_base != 0) rings.sq.base = kv().ring_base;
    plan_.rings.push_back(rings);
  }
  values_ = at_page<U64>(allocator, host, 8, size() * stride() / 8);
  lists_ = {};
  if (stride() > 2 * kPage) lists_ = at_page<U64>(allocator, host, 1, size() * (kPage / 8));
  for (auto* array : {&status_, &length_, &wrong_}) *array = allocator.alloc<U32>(size());
  errors_ = allocator.alloc<U32>(kv().queues);
}

void KeyValue::poke(Backdoor& memory, unsigned bit, U64 address,
                    std::span<const std::uint8_t> bytes) {
  if (mode(bit)) {
    memory.poke(address, bytes);
  } else {
    plan_.host.poke(address, bytes);
  }
}

void KeyValue::fill(Backdoor& memory) {
  for (const QueueRings& rings : plan_.rings) {
    const std::vector<std::uint8_t> zeros(rings.cq.bytes());
    poke(memory, 2, rings.cq.base, zeros);
  }
  fill_array(memory, status_, [](U64) { return kNotThere; });
  fill_array(memory, length_, [](U64) { return kNotThere; });
  fill_array(memory, wrong_, [](U64) { return kNotThere; });
  fill_array(memory, errors_, [](U64) { return U32{0}; });
  for (U64 i = 0; i < size() && lists_.size != 0; ++i) {
    std::array<U64, kPage / 8> list{};
    for (U64 page = 1; page < stride() / kPage; ++page) {
      list[page - 1] = values_.base + i * stride() + page * kPage;
    }
    poke(memory, 1, lists_.base + i * kPage,
         {reinterpret_cast<const std::uint8_t*>(list.data()), kPage});
  }
  plan_.before.clear();
  plan_.after.clear();
  for (U64 i = 0; i < size(); ++i) {
    KvPlan::Value value{key(i), std::vector<std::uint8_t>(length(i))};
    for (U64 at = 0; at < value.bytes.size(); ++at) value.bytes[at] = byte(i, at);
    if (get_) plan_.before.push_back(value);
    plan_.after.push_back(std::move(value));
  }
}

void KeyValue::launch(Gpu& gpu) {
  if (!get_) gpu.launch([this](Warp& w) { return make_values(w); });
  gpu.launch([this](Warp& w) { return ring(w); });
  if (get_) gpu.launch([this](Warp& w) { return check_values(w); });
}

Sqe KeyValue::command(U64 i) const {
  Sqe sqe;
  const U64 buffer = values_.base + i * stride(), bytes = get_ ? kv().value_bytes : length(i);
  if (blocks()) {
    sqe.set(static_cast<std::uint8_t>(get_ ? Nvm::Read : Nvm::Write), 0, 2);
    const U64 block = i * stride() / kPage;
    sqe.dw[10] = static_cast<U32>(block);
    sqe.dw[11] = static_cast<U32>(block >> 32);
    sqe.dw[12] = static_cast<U32>(stride() / kPage - 1);
  } else {
    sqe.set(static_cast<std::uint8_t>(get_ ? Kv::Retrieve : Kv::Store), 0, 1);
    sqe.dw[10] = static_cast<U32>(bytes);
    key(i).put_into(sqe);
  }
  const U64 pages = (bytes + kPage - 1) / kPage;
  sqe.set_prps(buffer, pages < 2 ? 0 : pages == 2 ? buffer + kPage : lists_.base + i * kPage);
  return sqe;
}

WarpTask KeyValue::make_values(Warp& w) const {
  const U64 words = stride() / 8;
  const WorkRange range = share(w, size() * words);
  for (U64 base = range.first; base < range.end; base += range.stride) {
    w.compute(8 * 5);  // of the hash, of eight bytes
    w.compute(8 * 2, Unit::Mul);
    w.store(values_, w.consecutive(base), w.map([&](unsigned lane) {
      const U64 at = std::min(base + lane, range.end - 1);
      return word(at / words, at % words);
    }),
            w.active(range, base));
    if (base / range.stride % 16 == 15) co_await w.drain();
  }
  co_await w.fence_system();
}

WarpTask KeyValue::ring(Warp& w) {
  if (w.id() >= kv().queues) co_return;
  const U64 first = size() * w.id() / kv().queues, end = size() * (w.id() + 1) / kv().queues;
  NvmeQueue queue(plan_.rings[w.id()], kv().limits, &plan_.book);
  QueueError error = QueueError::None;
  std::vector<Completion> done;
  for (U64 base = first; base < end && error == QueueError::None; base += kv().batch) {
    const auto n = static_cast<U32>(std::min<U64>(kv().batch, end - base));
    co_await queue.submit(
        w, n, [&](U32 i) { return command(base + i); }, error);
    if (error == QueueError::None) co_await queue.reap(w, done, error);
    for (U32 at = 0; at < done.size(); at += w.width()) {
      const LaneMask mask = w.active({0, done.size(), 1}, at);
      const auto of = [&](auto value) {
        return w.map([&](unsigned lane) -> U32 {
          const std::size_t i = std::min<std::size_t>(at + lane, done.size() - 1);
          return done[i].there ? value(done[i]) : kNotThere;
        });
      };
      w.store(status_, w.consecutive(base + at),
              of([](const Completion& c) { return static_cast<U32>(c.status); }), mask);
      w.store(length_, w.consecutive(base + at), of([](const Completion& c) { return c.result; }),
              mask);
    }
    co_await w.drain();
  }
  Lanes<U32> code{};
  code[0] = static_cast<U32>(error);
  w.store(errors_, w.uniform(w.id()), code, lane_bit(0));
}

// A warp a value, its lanes side by side; the bytes beyond its end are not looked at.
WarpTask KeyValue::check_values(Warp& w) const {
  for (U64 i = w.id(); i < size(); i += w.count()) {
    const U64 bytes = length(i), words = (bytes + 7) / 8;
    U32 wrong = 0;
    for (U64 base = 0; base < words;) {
      std::array<LoadHandle<U64>, 4> loads;
      std::array<U64, 4> from{};
      unsigned n = 0;
      for (; n < loads.size() && base < words; ++n, base += w.width()) {
        from[n] = base;
        loads[n] = w.load_l2(values_, w.consecutive(i * stride() / 8 + base),
                             w.active({0, words, 1}, base));
      }
      co_await w.loads();
      for (unsigned k = 0; k < n; ++k) {
        w.compute(8 * 6);
        w.compute(8 * 2, Unit::Mul);
        const Lanes<U64> got = loads[k].get();
        for (U64 lane = 0; lane < w.width() && from[k] + lane < words; ++lane) {
          const U64 at = from[k] + lane, left = bytes - at * 8;
          const U64 mask = left >= 8 ? ~U64{0} : (U64{1} << 8 * left) - 1;
          wrong += ((got[lane] ^ word(i, at)) & mask) != 0;
        }
      }
    }
    Lanes<U32> count{};
    count[0] = wrong;
    w.store(wrong_, w.uniform(i), count, lane_bit(0));
    co_await w.drain();
  }
}

std::optional<std::string> KeyValue::verify(const Backdoor& memory) const {
  constexpr std::array<std::string_view, 4> kErrors = {"", "a batch does not fit in the queue",
                                                       "no completion came within kv.wait_us",
                                                       "a completion of no command in flight"};
  const auto errors = copy_from_device(memory, errors_);
  for (std::size_t q = 0; q < errors.size(); ++q) {
    if (errors[q] != 0) return fmt::format("queue {}: {}", q + 1, kErrors.at(errors[q]));
  }
  const auto status = copy_from_device(memory, status_), length = copy_from_device(memory, length_);
  const auto wrong = copy_from_device(memory, wrong_);
  for (U64 i = 0; i < size(); ++i) {
    if (status[i] == kNotThere) return fmt::format("key {}: no completion", i);
    if (status[i] != 0) return fmt::format("key {}: status {:03x}h", i, status[i]);
    const U64 kept = get_ && !blocks() ? this->length(i) : 0;
    if (length[i] != kept) {
      return fmt::format("key {}: the completion says {} bytes, not {}", i, length[i], kept);
    }
    if (get_ && wrong[i] != 0) {
      return fmt::format("key {}: {} words are not those of its value", i, wrong[i]);
    }
  }
  return std::nullopt;
}

class KvPut : public KeyValue {
 public:
  explicit KvPut(const WorkloadParams& params) : KeyValue(params, false) {}
};
class KvGet : public KeyValue {
 public:
  explicit KvGet(const WorkloadParams& params) : KeyValue(params, true) {}
};

constexpr U64 kMostKeys = 1 << 16;

}  // namespace

WorkloadKind kvput_workload() {
  return {"kvput", "values stored by key over NVMe", "keys", 4, 1, kMostKeys, make<KvPut>};
}
WorkloadKind kvget_workload() {
  return {"kvget", "values retrieved by key over NVMe", "keys", 4, 1, kMostKeys, make<KvGet>};
}

}  // namespace cxlgpu
