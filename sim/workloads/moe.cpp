// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// moe: tokens decoded one after the other by a mixture of experts, whose weights lie in CXL memory.
//
// Purpose: reads of whole experts that a small computation names right before them, and could have
//          named a layer earlier: the hidden state changes little from layer to layer, so that the
//          next layer's router, applied to this layer's state, is mostly right.
// Shapes:  `layers` layers of `experts` experts; a hidden state of 64 numbers of a byte, one line.
//          An expert is three matrices of size rows of a line: gate, up, and down, transposed.
//          Router: the state times a line an expert, the top_k greatest are chosen. Expert: of row
//          r the gated product of its lines in gate and up with the state, times its line in down.
//          State: plus the sum over the chosen. All integers, sums modulo 2^32, so in any order.
//          Rows of the chosen experts are dealt to the warps; each adds its sum by atomics. Weights
//          lie in CXL memory, all else before them, in GPU memory where that is large enough.
// Hints:   with `hints`, each layer but the last names, before it reads its own experts, whole
//          experts of the next. The next layer's router is run on this layer's state, and costs
//          what it costs; what is named is a table in GPU memory: the true choice, computed on the
//          host, each expert of it with hint_accuracy per cent, else one that is not chosen. So
//          the accuracy is what the key says, whatever numbers the seed gives.
// Scale:   size is the one key of scale. A model with a hidden state of h numbers and f of them in
//          an expert is at its own size with size h * f / 64: Mixtral 8x7B with 917504 rows, 168
//          MiB an expert, Qwen3-30B-A3B with 24576, 4.5 MiB.
// Source:  config.json of mistralai/Mixtral-8x7B-v0.1 (hidden_size 4096, intermediate_size 14336,
//          num_hidden_layers 32, num_local_experts 8, num_experts_per_tok 2; Jiang et al. 2024) and
//          of Qwen/Qwen3-30B-A3B (2048, moe_intermediate_size 768, 48, num_experts 128, 8); Eliseev
//          and Mazur 2023, experts guessed from an earlier layer's state.
#include "sim/workloads/lines.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kHidden = kLineBytes, kMatrices = 3;

// What a row adds for each of its down line's numbers. Two's complement, shifts keep the sign.
std::int32_t gated(std::int32_t gate, std::int32_t up) {
  return ((std::max(gate, 0) >> 6) * (up >> 6)) >> 8;
}

std::uint64_t next_state(std::uint64_t word, const std::uint32_t* sums) {
  std::uint64_t next = 0;
  for (std::uint64_t n = 0; n < 8; ++n) {
    const auto sum = static_cast<std::uint32_t>(byte_of(word, n)) + (sums[n] >> 16);
    next |= std::uint64_t{sum & 0xff} << (8 * n);
  }
  return next;
}

// Places of the k greatest, the greatest first, of equals the first.
std::vector<std::uint32_t> greatest(const std::vector<std::int32_t>& values, std::uint32_t k) {
  std::vector<std::uint32_t> places(values.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(),
                   [&](auto a, auto b) { return values[a] > values[b]; });
  places.resize(k);
  return places;
}

class Moe : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  void place(Allocator& allocator) override;
  void fill(Backdoor& memory) override;
  WarpTask kernel(Warp& w) const override;
  void decode();
  [[nodiscard]] std::uint32_t named(std::uint64_t choice, std::uint32_t right,
                                    const std::vector<std::uint32_t>& chosen) const;

  [[nodiscard]] std::uint64_t tokens() const { return params().iterations; }
  [[nodiscard]] std::uint64_t layers() const { return params().layers; }
  [[nodiscard]] std::uint64_t experts() const { return params().experts; }
  [[nodiscard]] std::uint64_t top_k() const { return params().top_k; }
  // First line of an expert; its matrices follow one another.
  [[nodiscard]] std::uint64_t expert(std::uint64_t layer, std::uint64_t number) const {
    return (layer * experts() + number) * kMatrices * size();
  }

  // Words of the input.
  static constexpr std::uint64_t kRouter = 1ULL << 48, kTokens = 2ULL << 48, kErrors = 3ULL << 48;
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const {
    return Random(params().seed, i).next();
  }
  [[nodiscard]] Words line(std::uint64_t first, std::uint64_t number) const {
    Words words;
    for (std::uint64_t i = 0; i < kLineWords; ++i) words[i] = word(first + number * kLineWords + i);
    return words;
  }

  DeviceArray<std::uint64_t> tokens_, router_, weights_, out_;
  DeviceArray<std::int32_t> scores_, early_;  // of this layer's router; of the next one's
  DeviceArray<std::uint32_t> sums_, named_;
  // What the host computes.
  std::vector<std::int32_t> expected_scores_, expected_early_;
  std::vector<std::uint32_t> names_;
  std::vector<std::uint64_t> states_;  // after the last layer
};

void Moe::place(Allocator& allocator) {
  const std::uint64_t steps = tokens() * layers();
  tokens_ = allocator.alloc<std::uint64_t>(tokens() * kLineWords);
  router_ = allocator.alloc<std::uint64_t>(layers() * experts() * kLineWords);
  scores_ = allocator.alloc<std::int32_t>(steps * experts());
  early_ = allocator.alloc<std::int32_t>(steps * experts());
  sums_ = allocator.alloc<std::uint32_t>(steps * kHidden);
  named_ = allocator.alloc<std::uint32_t>(steps * top_k());
  out_ = allocator.alloc<std::uint64_t>(tokens() * kLineWords);
  allocator.leave_local();
  weights_ = allocator.alloc<std::uint64_t>(expert(layers(), 0) * kLineWords);
}

void Moe::fill(Backdoor& memory) {
  decode();
  fill_array(memory, tokens_, [&](std::uint64_t i) { return word(kTokens + i); });
  fill_array(memory, router_, [&](std::uint64_t i) { return word(kRouter + i); });
  fill_array(memory, weights_, [&](std::uint64_t i) { return word(i); });
  fill_array(memory, scores_, [](std::uint64_t) { return -1; });
  fill_array(memory, early_, [](std::uint64_t) { return -1; });
  fill_array(memory, sums_, [](std::uint64_t) { return 0U; });
  fill_array(memory, out_, [](std::uint64_t) { return std::uint64_t{0}; });
  copy_to_device(memory, named_, names_);
}

// What a hint for a choice names.
std::uint32_t Moe::named(std::uint64_t choice, std::uint32_t right,
                         const std::vector<std::uint32_t>& chosen) const {
  Random random(params().seed, kErrors + choice * kDraws);
  if (random.below(100) < params().hint_accuracy || experts() == top_k()) return right;
  for (;;) {
    const auto other = static_cast<std::uint32_t>(random.below(experts()));
    if (std::find(chosen.begin(), chosen.end(), other) == chosen.end()) return other;
  }
}

void Moe::decode() {
  expected_scores_.clear();
  expected_early_.clear();
  names_.clear();
  states_.clear();
  const auto scores_of = [&](std::uint64_t layer, const Words& state) {
    std::vector<std::int32_t> scores(experts());
    for (std::uint64_t e = 0; e < experts(); ++e) {
      scores[e] = dot(line(kRouter, layer * experts() + e), state);
    }
    return scores;
  };
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::uint64_t token = 0; token < tokens(); ++token) {
    Words state = line(kTokens, token);
    for (std::uint64_t layer = 0; layer < layers(); ++layer) {
      const auto scores = scores_of(layer, state);
      const auto chosen = greatest(scores, params().top_k);
      append(expected_scores_, scores);
      const bool last = layer + 1 == layers() || !params().hints;
      append(expected_early_,
             last ? std::vector<std::int32_t>(experts(), -1) : scores_of(layer + 1, state));
      for (const std::uint32_t e : chosen) names_.push_back(named(names_.size(), e, chosen));
      std::array<std::uint32_t, kHidden> sums{};
      for (const std::uint32_t e : chosen) {
        const std::uint64_t gate = expert(layer, e), up = gate + size(), down = up + size();
        for (std::uint64_t row = 0; row < size(); ++row) {
          const auto factor = static_cast<std::uint32_t>(
              gated(dot(line(0, gate + row), state), dot(line(0, up + row), state)));
          const Words to = line(0, down + row);
          for (std::uint64_t i = 0; i < kHidden; ++i) {
            sums[i] += factor * static_cast<std::uint32_t>(byte_of(to[i / 8], i % 8));
          }
        }
      }
      for (std::uint64_t i = 0; i < kLineWords; ++i) state[i] = next_state(state[i], &sums[8 * i]);
    }
    append(states_, state);
  }
}

std::optional<std::string> Moe::verify(const Backdoor& memory) const {
  if (auto wrong =
          difference(memory, scores_, "score", [&](auto i) { return expected_scores_[i]; })) {
    return wrong;
  }
  if (auto wrong =
          difference(memory, early_, "early score", [&](auto i) { return expected_early_[i]; })) {
    return wrong;
  }
  return difference(memory, out_, "state", [&](auto i) { return states_[i]; });
}

// Instructions besides the accesses: a router's score is a dot product, 3 for address and loop; the
// choice top_k times a comparison of each vector of scores and 3 for the greatest; a row two dot
// products, 3 of the gate, 8 products, compute_per_line for each of its three lines, 3 a turn; the
// new state 3 for each sum.
WarpTask Moe::kernel(Warp& w) const {
  const std::uint64_t width = w.width(), unroll = params().unroll;
  const auto lane0 = [&](auto value) { return w.map([&](unsigned) { return value; }); };
  for (std::uint64_t token = 0; token < tokens(); ++token) {
    LineLoad first = load_line(w, tokens_, token);
    co_await w.loads();
    Words state = words_of(w, first);
    for (std::uint64_t layer = 0; layer < layers(); ++layer) {
      const std::uint64_t step = token * layers() + layer;
      const bool ahead = params().hints && layer + 1 < layers();
      for (std::uint64_t e = w.id(); e < experts(); e += w.count()) {
        LineLoad row = load_line(w, router_, layer * experts() + e), next;
        if (ahead) next = load_line(w, router_, (layer + 1) * experts() + e);
        co_await w.loads();
        compute_dot(w);
        w.compute(3);
        w.store(scores_, lane0(step * experts() + e), lane0(dot(words_of(w, row), state)),
                lane_bit(0));
        if (!ahead) continue;
        compute_dot(w);
        w.store(early_, lane0(step * experts() + e), lane0(dot(words_of(w, next), state)),
                lane_bit(0));
      }
      co_await w.barrier();

      std::vector<LoadHandle<std::int32_t>> parts;
      for (std::uint64_t e = 0; e < experts(); e += width) {
        parts.push_back(
            w.load(scores_, w.consecutive(step * experts() + e), lanes_below(w, e, experts())));
      }
      co_await w.loads();
      std::vector<std::int32_t> scores(experts());
      for (std::uint64_t e = 0; e < experts(); ++e) scores[e] = parts[e / width].get()[e % width];
      parts.clear();
      const std::vector<std::uint32_t> chosen = greatest(scores, params().top_k);
      w.compute(static_cast<std::uint32_t>(top_k() * ((experts() + width - 1) / width + 3)));

      for (std::uint64_t k = w.id(); ahead && k < top_k(); k += w.count()) {
        auto name = w.load(named_, lane0((step + 1) * top_k() + k), lane_bit(0));
        const std::uint64_t e = (co_await name)[0];
        w.compute(3);  // address, loop
        w.prefetch(weights_, expert(layer + 1, e) * kLineWords, kMatrices * size() * kLineWords);
      }

      std::array<std::uint32_t, kHidden> sums{};
      const WorkRange rows = share(w, top_k() * size() * width);  // a vector of work is a row
      for (std::uint64_t at = rows.first; at < rows.end; at += rows.stride * unroll) {
        std::array<std::array<LineLoad, kMatrices>, kMaxUnroll> loads;
        std::uint64_t n = 0;
        for (std::uint64_t piece = at; n < unroll && piece < rows.end; piece += rows.stride, ++n) {
          const std::uint64_t row = piece / width;
          for (std::uint64_t m = 0; m < kMatrices; ++m) {
            loads[n][m] = load_line(
                w, weights_, expert(layer, chosen[row / size()]) + m * size() + row % size());
          }
        }
        co_await w.loads();
        for (std::uint64_t i = 0; i < n; ++i) {
          const auto factor = static_cast<std::uint32_t>(
              gated(dot(words_of(w, loads[i][0]), state), dot(words_of(w, loads[i][1]), state)));
          const Words to = words_of(w, loads[i][2]);
          for (std::uint64_t j = 0; j < kHidden; ++j) {
            sums[j] += factor * static_cast<std::uint32_t>(byte_of(to[j / 8], j % 8));
          }
          compute_dot(w);
          compute_dot(w);
          w.compute(3);
          w.compute(8, Unit::Mul);
          w.compute(static_cast<std::uint32_t>(kMatrices) * params().compute_per_line);
        }
        w.compute(3);
      }
      for (std::uint64_t v = 0; rows.first < rows.end && v < kHidden; v += width) {
        w.atomic_add(sums_, w.consecutive(step * kHidden + v),
                     w.map([&](unsigned i) { return v + i < kHidden ? sums[v + i] : 0; }),
                     lanes_below(w, v, kHidden));
      }
      co_await w.barrier();

      std::vector<LoadHandle<std::uint32_t>> all;
      for (std::uint64_t v = 0; v < kHidden; v += width) {
        all.push_back(w.load(sums_, w.consecutive(step * kHidden + v), lanes_below(w, v, kHidden)));
      }
      co_await w.loads();
      for (std::uint64_t i = 0; i < kHidden; ++i) sums[i] = all[i / width].get()[i % width];
      all.clear();
      w.compute(static_cast<std::uint32_t>(3 * ((kHidden + width - 1) / width)));
      for (std::uint64_t i = 0; i < kLineWords; ++i) state[i] = next_state(state[i], &sums[8 * i]);
    }
    for (std::uint64_t v = 0; w.id() == 0 && v < kLineWords; v += width) {
      w.store(out_, w.consecutive(token * kLineWords + v),
              w.map([&](unsigned i) { return v + i < kLineWords ? state[v + i] : 0; }),
              lanes_below(w, v, kLineWords));
    }
  }
}

}  // namespace

WorkloadKind moe_workload() {
  return {"moe",
          "decode by a mixture of experts",
          "rows of an expert, three lines each",
          64,
          1,
          1 << 20,
          &make<Moe>,
          {2, 1, 1 << 16, "tokens"}};
}

}  // namespace cxlgpu
