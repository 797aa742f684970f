// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// seq, around, rand: access patterns by name, each warp a stream of its own.
//
// Purpose: traffic whose pattern is known, with a GPU's caches and warps in front of it.
// Shapes:  size lines of 64 bytes, dealt to 64 streams; a stream is one warp's, its n lines are
//          neighbours (chunked) or every 64th (interleaved).
//            seq     each line once, upwards
//            around  lines within eight of a place that moves on by a line in four steps
//            rand    n lines drawn from the n
//          `store_percent` of the steps, drawn, write their line, the others read it. A stream's
//          checksums are a function of all it has read, in order; it writes them at its end.
#include <utility>

#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kStreams = 64, kWords = kLineBytes / sizeof(std::uint64_t);

enum class Pattern : std::uint8_t { Seq, Around, Rand };

// The steps of one stream, the same for the kernel and for verify().
class Walk {
 public:
  Walk(Pattern pattern, const WorkloadParams& params, std::uint64_t stream, std::uint64_t lines)
      : pattern_(pattern),
        store_percent_(params.store_percent),
        lines_(lines),
        random_(params.seed, (stream + 1) << 40) {}
  [[nodiscard]] std::uint64_t steps() const {
    return pattern_ == Pattern::Around ? 4 * lines_ : lines_;
  }
  // Line of this step, 0..lines-1, and what it stores there; 0: it loads.
  std::pair<std::uint64_t, std::uint64_t> next() {
    std::uint64_t line = step_;
    if (pattern_ == Pattern::Rand) line = random_.below(lines_);
    if (pattern_ == Pattern::Around) {
      const std::uint64_t place = step_ / 4 + random_.below(17);  // 8 too high
      line = std::min(std::max<std::uint64_t>(place, 8) - 8, lines_ - 1);
    }
    ++step_;
    if (store_percent_ == 0) return {line, 0};
    const std::uint64_t number = random_.next();
    return {line, number % 100 < store_percent_ ? number : 0};
  }
  // Arithmetic instructions of a step, without the loop and what is done with the data: a number
  // drawn is nine and a remainder. Around: place, add, clamp (four), address (two).
  [[nodiscard]] std::uint32_t work() const {
    constexpr std::uint32_t kDraw = 10;
    const std::uint32_t store = store_percent_ == 0 ? 0 : kDraw + 2;  // compare, branch
    if (pattern_ == Pattern::Seq) return 1 + store;                   // pointer
    return kDraw + (pattern_ == Pattern::Rand ? 2 : 8) + store;
  }

 private:
  Pattern pattern_;
  std::uint32_t store_percent_;
  std::uint64_t lines_, step_ = 0;
  Random random_;
};

template <Pattern kPattern>
class Streams : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    data_ = allocator.alloc<std::uint64_t>(size() * kWords);
    sums_ = allocator.alloc<std::uint64_t>(kStreams * kWords);
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, data_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, sums_, [](std::uint64_t) { return std::uint64_t{0}; });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  struct Part {  // a stream's line i is first + i * stride
    std::uint64_t first, stride, lines;
  };
  [[nodiscard]] Part part(std::uint64_t stream) const {
    const std::uint64_t each = size() / kStreams, extra = size() % kStreams;
    const std::uint64_t lines = each + (stream < extra ? 1 : 0);
    if (params().distribution == Distribution::Interleaved) return {stream, kStreams, lines};
    return {stream * each + std::min(stream, extra), 1, lines};
  }
  [[nodiscard]] std::uint64_t value(std::uint64_t i) const {
    return Random(params().seed, i).next();
  }
  static constexpr std::uint64_t kFirstSum = 1, kFactor = 0x9e3779b97f4a7c15ULL;
  static std::uint64_t fold(std::uint64_t sum, std::uint64_t word) {
    return (sum ^ word) * kFactor;
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<std::uint64_t> data_, sums_;
};

template <Pattern kPattern>
WarpTask Streams<kPattern>::kernel(Warp& w) const {
  const std::uint64_t width = w.width();
  const std::uint32_t unroll = params().unroll;
  const auto lanes = [&](std::uint64_t word) { return w.active({0, kWords, 1}, word); };
  for (std::uint64_t stream = w.id(); stream < kStreams; stream += w.count()) {
    const Part mine = part(stream);
    Walk walk(kPattern, params(), stream, mine.lines);
    std::array<std::uint64_t, kWords> sums;
    sums.fill(kFirstSum);
    for (std::uint64_t step = 0; step < walk.steps(); step += unroll) {
      std::array<std::array<LoadHandle<std::uint64_t>, kWords>, kMaxUnroll> loads;
      std::array<bool, kMaxUnroll> reads{};
      const std::uint64_t n = std::min<std::uint64_t>(unroll, walk.steps() - step);
      for (std::uint64_t k = 0; k < n; ++k) {
        const auto [line, stored] = walk.next();
        const std::uint64_t at = (mine.first + line * mine.stride) * kWords;
        w.compute(walk.work());
        reads[k] = stored == 0;
        for (std::uint64_t word = 0; word < kWords; word += width) {
          const auto index = w.consecutive(at + word);
          if (reads[k]) {
            loads[k][word] = w.load(data_, index, lanes(word));
          } else {
            const std::uint64_t first = stored + word;
            w.store(data_, index, Lanes<std::uint64_t>(w.consecutive(first)), lanes(word));
          }
        }
      }
      for (std::uint64_t k = 0; k < n; ++k) {
        for (std::uint64_t word = 0; reads[k] && word < kWords; word += width) {
          const Lanes<std::uint64_t> words = co_await loads[k][word];
          w.compute(2);  // exclusive or, multiply
          for (std::uint64_t i = 0; i < width && word + i < kWords; ++i) {
            sums[word + i] = fold(sums[word + i], words[i]);
          }
        }
      }
      w.compute(2);  // counter, branch
      co_await w.drain();
    }
    for (std::uint64_t word = 0; word < kWords; word += width) {
      w.compute(2);  // address
      w.store(sums_, w.consecutive(stream * kWords + word),
              w.map([&](unsigned i) { return word + i < kWords ? sums[word + i] : 0; }),
              lanes(word));
    }
  }
}

template <Pattern kPattern>
std::optional<std::string> Streams<kPattern>::verify(const Backdoor& memory) const {
  std::vector<std::uint64_t> sums(kStreams * kWords, kFirstSum);
  for (std::uint64_t stream = 0; stream < kStreams; ++stream) {
    const Part mine = part(stream);
    const auto at = [&](std::uint64_t line) { return (mine.first + line * mine.stride) * kWords; };
    std::vector<std::uint64_t> data(mine.lines * kWords);  // of one stream at a time
    for (std::uint64_t i = 0; i < data.size(); ++i) data[i] = value(at(i / kWords) + i % kWords);
    Walk walk(kPattern, params(), stream, mine.lines);
    for (std::uint64_t step = 0; step < walk.steps(); ++step) {
      const auto [line, stored] = walk.next();
      for (std::uint64_t word = 0; word < kWords; ++word) {
        std::uint64_t& sum = sums[stream * kWords + word];
        std::uint64_t& here = data[line * kWords + word];
        if (stored != 0) {
          here = stored + word;
        } else {
          sum = fold(sum, here);
        }
      }
    }
    for (std::uint64_t line = 0; line < mine.lines; ++line) {
      const DeviceArray<std::uint64_t> there{data_.address(at(line)), kWords};
      const auto expected = [&](std::uint64_t word) { return data[line * kWords + word]; };
      const std::string name = fmt::format("line {} of stream {}, word ", line, stream);
      if (auto wrong = difference(memory, there, name, expected)) return wrong;
    }
  }
  return difference(memory, sums_, "checksum", [&](std::uint64_t i) { return sums[i]; });
}

constexpr std::uint64_t kLines = 3 << 12, kMostLines = 1ULL << 29;

}  // namespace

WorkloadKind seq_workload() {
  return {"seq",      "streams of lines upwards",  "lines of 64 bytes", kLines, kStreams,
          kMostLines, &make<Streams<Pattern::Seq>>};
}

WorkloadKind around_workload() {
  return {"around",
          "streams to and fro around a moving place",
          "lines of 64 bytes",
          kLines,
          kStreams,
          kMostLines,
          &make<Streams<Pattern::Around>>};
}

WorkloadKind rand_workload() {
  return {"rand",     "streams of random lines",    "lines of 64 bytes", kLines, kStreams,
          kMostLines, &make<Streams<Pattern::Rand>>};
}

}  // namespace cxlgpu
