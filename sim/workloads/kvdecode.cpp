// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// kvdecode: attention of one decode step over keys and values in pages, which lie in CXL memory.
//
// Purpose: short runs at places that a small table names well ahead, each read once: no history
//          predicts them, and the kernel knows them all.
// Shapes:  size pages of 16 tokens, dealt to the sequences (iterations) by the seed, and scattered
//          over memory by it; a block table names a sequence's pages in order. Keys and values are
//          two arrays, page by page, in a page `kv_heads` heads, of each 16 rows of `head_size`
//          numbers of a byte. A warp takes a head of a sequence, with the four queries that share
//          it; `unroll` tokens are loaded before the first is used.
//          A token's weight is a power of two: softmax to base 2 with exponents rounded to whole
//          numbers, clamped, so that every sum is exact, in any order. The result is float. Keys
//          and values lie in CXL memory, all else before them, in GPU memory where that is large
//          enough.
// Hints:   with `hints`, a warp names its head's part of the keys and of the values of the pages up
//          to hint_ahead behind the one that it reads.
// Scale:   size, the pages: of one layer, at a byte a number, a token has 2 * kv_heads * head_size.
// Source:  Kwon et al. 2023 (vLLM, PagedAttention: blocks of 16 tokens, head by head in a block);
//          config.json of meta-llama/Meta-Llama-3-8B (num_attention_heads 32, num_key_value_heads
//          8, hidden_size 4096, so heads of 128; num_hidden_layers 32).
#include "sim/workloads/lines.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kTokens = 16;  // of a page
constexpr std::uint64_t kQueries = 4;  // of a head of keys and values
constexpr std::int32_t kScale = 13, kMost = 24;

// The exponent of a token's weight.
std::int32_t exponent(std::int32_t score) {
  return std::clamp((score >> kScale) + kMost / 2, 0, kMost);
}

class KvDecode : public Workload {
 public:
  explicit KvDecode(const WorkloadParams& params);
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  void place(Allocator& allocator) override;
  void fill(Backdoor& memory) override;
  WarpTask kernel(Warp& w) const override;

  [[nodiscard]] std::uint64_t heads() const { return params().kv_heads; }
  [[nodiscard]] std::uint64_t lines() const { return params().head_size / kLineBytes; }  // a row
  [[nodiscard]] std::uint64_t sequences() const { return lengths_.size(); }
  // First line of a head's part of a page.
  [[nodiscard]] std::uint64_t part(std::uint64_t page, std::uint64_t head) const {
    return (page * heads() + head) * kTokens * lines();
  }

  // Words of the input.
  static constexpr std::uint64_t kValues = 1ULL << 48, kQuery = 2ULL << 48, kTable = 3ULL << 48;
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const {
    return Random(params().seed, i).next();
  }
  [[nodiscard]] std::vector<float> attend(std::uint64_t piece) const;

  std::vector<std::uint32_t> first_{0}, table_, lengths_;  // by sequence, in tokens
  DeviceArray<std::uint32_t> firsts_, pages_, tokens_;
  DeviceArray<std::uint64_t> query_, keys_, values_;
  DeviceArray<float> out_;
};

KvDecode::KvDecode(const WorkloadParams& params) : Workload(params) {
  Random random(params.seed, kTable);
  const std::uint64_t pages = size();
  std::vector<std::uint32_t> of(std::min(params.iterations, pages), 1);  // pages of a sequence
  for (std::uint64_t n = of.size(); n < pages; ++n) ++of[random.below(of.size())];
  table_.resize(pages);
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::uint64_t j = random.below(i + 1);
    table_[i] = table_[j];
    table_[j] = static_cast<std::uint32_t>(i);
  }
  for (const std::uint32_t n : of) {
    first_.push_back(first_.back() + n);
    lengths_.push_back(static_cast<std::uint32_t>(n * kTokens - random.below(kTokens)));
  }
}

void KvDecode::place(Allocator& allocator) {
  const std::uint64_t pieces = sequences() * heads();
  firsts_ = allocator.alloc<std::uint32_t>(first_.size());
  pages_ = allocator.alloc<std::uint32_t>(table_.size());
  tokens_ = allocator.alloc<std::uint32_t>(lengths_.size());
  query_ = allocator.alloc<std::uint64_t>(pieces * kQueries * lines() * kLineWords);
  out_ = allocator.alloc<float>(pieces * kQueries * params().head_size);
  allocator.leave_local();
  keys_ = allocator.alloc<std::uint64_t>(part(size(), 0) * kLineWords);
  values_ = allocator.alloc<std::uint64_t>(keys_.size);
}

void KvDecode::fill(Backdoor& memory) {
  copy_to_device(memory, firsts_, first_);
  copy_to_device(memory, pages_, table_);
  copy_to_device(memory, tokens_, lengths_);
  fill_array(memory, query_, [&](std::uint64_t i) { return word(kQuery + i); });
  fill_array(memory, keys_, [&](std::uint64_t i) { return word(i); });
  fill_array(memory, values_, [&](std::uint64_t i) { return word(kValues + i); });
  fill_array(memory, out_, [](std::uint64_t) { return -1000.0F; });
}

// The four results of a head of a sequence, number by number.
std::vector<float> KvDecode::attend(std::uint64_t piece) const {
  const std::uint64_t sequence = piece / heads(), head = piece % heads(), n = params().head_size;
  const auto numbers = [&](std::uint64_t first, std::uint64_t count) {
    std::vector<std::int32_t> out;
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(byte_of(word(first + i / 8), i % 8));
    return out;
  };
  const auto query = numbers(kQuery + piece * kQueries * n / 8, kQueries * n);
  std::vector<std::int64_t> sums(kQueries * n), all(kQueries);
  for (std::uint64_t token = 0; token < lengths_[sequence]; ++token) {
    const std::uint64_t page = table_[first_[sequence] + token / kTokens];
    const std::uint64_t row = (part(page, head) + token % kTokens * lines()) * kLineWords;
    const auto key = numbers(row, n), value = numbers(kValues + row, n);
    for (std::uint64_t q = 0; q < kQueries; ++q) {
      std::int32_t score = 0;
      for (std::uint64_t i = 0; i < n; ++i) score += query[q * n + i] * key[i];
      const std::int64_t weight = std::int64_t{1} << exponent(score);
      all[q] += weight;
      for (std::uint64_t i = 0; i < n; ++i) sums[q * n + i] += weight * value[i];
    }
  }
  std::vector<float> out;
  for (std::uint64_t i = 0; i < sums.size(); ++i) {
    out.push_back(
        static_cast<float>(static_cast<double>(sums[i]) / static_cast<double>(all[i / n])));
  }
  return out;
}

std::optional<std::string> KvDecode::verify(const Backdoor& memory) const {
  const std::uint64_t each = kQueries * params().head_size;
  std::vector<float> expected;
  return difference(memory, out_, "out", [&](std::uint64_t i) {
    if (i % each == 0) expected = attend(i / each);
    return expected[i % each];
  });
}

// Instructions besides the accesses: 10 a piece (addresses, sums cleared, loop), 4 a page and 2 a
// prefetch (addresses), of a token and a query the score's dot product, 4 for the weight and 8
// products for each line, compute_per_line for each of the token's lines, 3 a turn; a division for
// each vector of the result.
WarpTask KvDecode::kernel(Warp& w) const {
  const std::uint64_t width = w.width(), unroll = params().unroll, n = params().head_size;
  const auto at = [&](std::uint64_t i) { return w.map([&](unsigned) { return i; }); };
  const WorkRange range = share(w, sequences() * heads() * width);  // a vector of work is a piece
  for (std::uint64_t vector = range.first; vector < range.end; vector += range.stride) {
    const std::uint64_t piece = vector / width, sequence = piece / heads(), head = piece % heads();
    auto first = w.load(firsts_, at(sequence), w.full_mask());
    auto last = w.load(firsts_, at(sequence + 1), w.full_mask());
    auto length = w.load(tokens_, at(sequence), w.full_mask());
    std::vector<LineLoad> query_lines;
    for (std::uint64_t i = 0; i < kQueries * lines(); ++i) {
      query_lines.push_back(load_line(w, query_, piece * kQueries * lines() + i));
    }
    co_await w.loads();
    const std::uint64_t begin = first.get()[0], pages = last.get()[0] - begin;
    const std::uint64_t tokens = length.get()[0];
    std::vector<Words> query;
    for (const LineLoad& line : query_lines) query.push_back(words_of(w, line));
    query_lines.clear();
    w.compute(10);

    std::vector<std::uint32_t> table;
    std::vector<std::int64_t> sums(kQueries * n);
    std::array<std::int64_t, kQueries> all{};
    std::uint64_t hinted = 0;
    for (std::uint64_t page = 0; page < pages; ++page) {
      const std::uint64_t ahead = params().hints ? params().hint_ahead : 0;
      const std::uint64_t needed = std::min(pages, page + 1 + ahead);
      while (table.size() < needed) {
        auto part = w.load(pages_, w.consecutive(begin + table.size()),
                           lanes_below(w, table.size(), pages));
        const Lanes<std::uint32_t> entries = co_await part;
        for (std::uint64_t i = 0; i < width && table.size() < pages; ++i)
          table.push_back(entries[i]);
      }
      for (; params().hints && hinted < needed; ++hinted) {
        const std::uint64_t from = part(table[hinted], head) * kLineWords;
        const std::uint64_t words = kTokens * lines() * kLineWords;
        w.compute(2);
        w.prefetch(keys_, from, words);
        w.prefetch(values_, from, words);
      }
      w.compute(4);
      const std::uint64_t here = std::min(kTokens, tokens - page * kTokens);
      for (std::uint64_t token = 0; token < here; token += unroll) {
        const std::uint64_t together = std::min(unroll, here - token);
        std::vector<LineLoad> keys, values;
        for (std::uint64_t i = 0; i < together * lines(); ++i) {
          const std::uint64_t line = part(table[page], head) + token * lines() + i;
          keys.push_back(load_line(w, keys_, line));
          values.push_back(load_line(w, values_, line));
        }
        co_await w.loads();
        for (std::uint64_t t = 0; t < together; ++t) {
          std::array<std::int32_t, kQueries> scores{};
          for (std::uint64_t i = 0; i < lines(); ++i) {
            const Words key = words_of(w, keys[t * lines() + i]);
            for (std::uint64_t q = 0; q < kQueries; ++q) {
              scores[q] += dot(query[q * lines() + i], key);
            }
          }
          for (std::uint64_t q = 0; q < kQueries; ++q) {
            compute_dot(w, static_cast<std::uint32_t>(lines()));
            w.compute(4);
            all[q] += std::int64_t{1} << exponent(scores[q]);
          }
          for (std::uint64_t i = 0; i < lines(); ++i) {
            const Words value = words_of(w, values[t * lines() + i]);
            for (std::uint64_t q = 0; q < kQueries; ++q) {
              const std::int64_t weight = std::int64_t{1} << exponent(scores[q]);
              w.compute(8, Unit::Mul);
              for (std::uint64_t j = 0; j < kLineBytes; ++j) {
                sums[q * n + i * kLineBytes + j] += weight * byte_of(value[j / 8], j % 8);
              }
            }
          }
          w.compute(static_cast<std::uint32_t>(2 * lines()) * params().compute_per_line);
        }
        w.compute(3);
      }
    }
    for (std::uint64_t v = 0; v < kQueries * n; v += width) {
      w.compute(1, Unit::Sfu);
      const auto result = w.map([&](unsigned i) {
        const std::uint64_t j = std::min(v + i, kQueries * n - 1);
        return static_cast<float>(static_cast<double>(sums[j]) / static_cast<double>(all[j / n]));
      });
      w.store(out_, w.consecutive(piece * kQueries * n + v), result,
              lanes_below(w, v, kQueries * n));
    }
    co_await w.drain();
  }
}

}  // namespace

WorkloadKind kvdecode_workload() {
  return {"kvdecode",
          "attention over keys and values in pages",
          "pages of 16 tokens",
          192,
          1,
          1 << 20,
          &make<KvDecode>,
          {32, 1, 1 << 16, "sequences"}};
}

}  // namespace cxlgpu
