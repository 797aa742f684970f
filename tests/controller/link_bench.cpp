// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What two controllers back to back can do over an x8 link: `make link-bench`.
//
// Three tables: idle latency; payload rate against the ceiling that the packing rules allow; the
// least receive queues and retry buffers that keep 99 % of what large ones reach.
//
// The ceilings are counted in slots: 4 a flit, a flit 68 bytes, 32 GB/s each way. A line read takes
// 4.5 slots of S2M (two DRS headers share slot 0 of H5), 9 flits for 8 lines; a line written 5 of
// M2S, 6 with byte enables; a Req 1, an NDR 1/2. Acknowledgements and credits cost nothing in them.
//
// A receive queue smaller than the one built is had by a consumer that always leaves some messages
// in it: they hold their credits. Retry buffers are built in each size (CXLGPU_LLRB_MODELS).
// Exit code: 0, 1 if a run has problems, 2 wrong usage.
#include <CLI/CLI.hpp>

#include "llrb_models.hpp"
#include "tests/controller/link_traffic.hpp"

namespace {

using namespace cxlgpu::test;

constexpr unsigned kRx = 127;  // queues as built

struct Mix {
  const char* name;
  unsigned read, write;  // of so many lines
  unsigned partial;
  double ceiling;  // GB/s
};
constexpr double kRaw = 32.0;
constexpr std::array kMixes{
    Mix{"read only", 1, 0, 0, kRaw * 8 * 64 / (9 * 68)},
    Mix{"write only", 0, 1, 0, kRaw * 64 / (1.25 * 68)},
    Mix{"write only, byte enables", 0, 1, 100, kRaw * 64 / (1.5 * 68)},
    Mix{"2 reads : 1 write", 2, 1, 0, kRaw * 3 * 64 / (2.375 * 68)},
    Mix{"1 read : 1 write", 1, 1, 0, kRaw * 2 * 64 / (1.5 * 68)},
    Mix{"9 reads : 7 writes", 9, 7, 0, kRaw * 16 * 64 / (11 * 68)},
};
constexpr std::array<std::size_t, 3> kSearched{0, 1, 4};  // of kMixes
constexpr std::array kFlights{2u, 10u, 25u, 50u};         // cycles

struct Bench {
  Bench(PairModel& model, unsigned flight)
      : pair(model, {.sizes = {},
                     .seed = 1,
                     .lanes = 8,
                     .flight = flight,
                     .recovery_cycles = 0,
                     .checker = false}),
        traffic(1, [this](std::string text) { pair.problem(text); }) {
    traffic.mix.read = traffic.mix.write = traffic.mix.odd = 0;
    steps(2000);
  }
  void steps(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) pair.step(traffic);
    for (const std::string& problem : pair.problems()) {
      fmt::print(stderr, "link_bench: {}\n", problem);
      std::exit(1);
    }
  }
  LinkPair pair;
  LinkTraffic traffic;
};

struct Rates {
  double payload = 0;                // GB/s, both ways
  std::array<double, 2> occupied{};  // share of the wire, by direction
};

Rates measure(PairModel& model, unsigned flight, const Mix& mix, unsigned rx,
              std::uint64_t cycles) {
  Bench bench(model, flight);
  LinkTraffic& traffic = bench.traffic;
  traffic.mix.read = mix.read != 0 ? 100 : 0;
  traffic.mix.write = mix.write != 0 ? 100 : 0;
  traffic.mix.partial = mix.partial;
  if (mix.read != 0 && mix.write != 0) traffic.mix.ratio = {mix.read, mix.write};
  traffic.mix.hold = kRx - rx;
  bench.steps(5000);
  const auto lines = [&] {
    return traffic.received(0, LinkTraffic::kWd) + traffic.received(1, LinkTraffic::kWd);
  };
  const std::uint64_t before = lines();
  const std::array<std::uint64_t, 2> flits{bench.pair.flits(0), bench.pair.flits(1)};
  bench.steps(cycles);
  Rates rates{.payload = 64.0 * static_cast<double>(lines() - before) / cycles};
  for (unsigned wire = 0; wire < 2; ++wire) {
    rates.occupied[wire] =
        static_cast<double>(bench.pair.flits(wire) - flits[wire]) * 2.125 / cycles;
  }
  return rates;
}

struct LlrbModel {
  unsigned depth;
  std::unique_ptr<PairModel> (*make)();
};
template <typename Top>
std::unique_ptr<PairModel> make() {
  return std::make_unique<VerilatedPair<Top>>();
}
#define CXLGPU_LLRB_ENTRY(depth) LlrbModel{depth, make<Vlink_pair_llrb##depth>},
constexpr LlrbModel kLlrbModels[]{CXLGPU_LLRB_MODELS(CXLGPU_LLRB_ENTRY)};  // smallest first
#undef CXLGPU_LLRB_ENTRY

const LlrbModel& largest() {
  return kLlrbModels[std::size(kLlrbModels) - 1];
}

// ------------------------------------------------------------------------------------- latency

struct Latency {
  std::uint64_t least = ~0ull, most = 0, sum = 0, count = 0;
  void add(std::uint64_t cycles) {
    least = std::min(least, cycles);
    most = std::max(most, cycles);
    sum += cycles;
    ++count;
  }
};

void print_latency(unsigned flight) {
  const auto model = largest().make();
  Bench bench(*model, flight);
  bench.traffic.mix.partial = 0;
  QuickRandom random(1);
  std::array<Latency, 4> latency;
  for (unsigned i = 0; i < 2000; ++i) {
    i % 2 == 0 ? bench.traffic.one_read() : bench.traffic.one_write();
    bench.steps(2 * flight + 150 + random.below(100));
    if (!bench.traffic.idle()) bench.pair.problem("message in flight for too long");
    const LinkTraffic& t = bench.traffic;
    latency[i % 2].add(t.latency(1, i % 2 == 0 ? LinkTraffic::kNd : LinkTraffic::kWd));
    latency[2 + i % 2].add(t.latency(0, i % 2 == 0 ? LinkTraffic::kWd : LinkTraffic::kNd));
  }
  fmt::print(
      "\nIdle latency, message taken by one controller to message given by the other, cycles\n");
  fmt::print("(x8, flight {} cycles; 1000 of each, random gaps)\n\n", flight);
  fmt::print("{:<24} {:>6} {:>7} {:>6}\n", "", "least", "mean", "most");
  constexpr std::array kNames{"M2S Req", "M2S RwD", "S2M DRS", "S2M NDR"};
  for (unsigned k = 0; k < 4; ++k) {
    const Latency& l = latency[k];
    fmt::print("{:<24} {:>6} {:>7.2f} {:>6}\n", kNames[k], l.least,
               static_cast<double>(l.sum) / l.count, l.most);
  }
}

// ----------------------------------------------------------------------------------- bandwidth

void print_bandwidth(unsigned flight, std::uint64_t cycles) {
  const auto model = largest().make();
  fmt::print(
      "\nPayload, receive queues of {} and retry buffers of {} at both ends, flight {} cycles\n\n",
      kRx, largest().depth, flight);
  fmt::print("{:<26} {:>8} {:>8} {:>8} {:>10} {:>10}\n", "", "ceiling", "GB/s", "of it", "M2S busy",
             "S2M busy");
  for (const Mix& mix : kMixes) {
    const Rates r = measure(*model, flight, mix, kRx, cycles);
    fmt::print("{:<26} {:>8.2f} {:>8.2f} {:>7.1f}% {:>9.1f}% {:>9.1f}%\n", mix.name, mix.ceiling,
               r.payload, 100 * r.payload / mix.ceiling, 100 * r.occupied[0], 100 * r.occupied[1]);
  }
}

// -------------------------------------------------------------------------------------- search

void print_search(std::uint64_t cycles) {
  std::vector<std::unique_ptr<PairModel>> models;
  for (const LlrbModel& m : kLlrbModels) models.push_back(m.make());
  fmt::print("\nLeast sizes that keep 99 % of what {} and {} reach (LLRB in steps:", kRx,
             largest().depth);
  for (const LlrbModel& m : kLlrbModels) fmt::print(" {}", m.depth);
  fmt::print(")\n\n{:<20} {:>14} {:>10} {:>12} {:>12}\n", "", "flight, cycles", "GB/s",
             "rx credits", "LLRB");
  for (const std::size_t index : kSearched) {
    for (const unsigned flight : kFlights) {
      const Mix& mix = kMixes[index];
      const double full = measure(*models.back(), flight, mix, kRx, cycles).payload;
      const auto enough = [&](std::size_t model, unsigned rx) {
        return measure(*models[model], flight, mix, rx, cycles).payload >= 0.99 * full;
      };
      unsigned too_few = 1, rx = kRx;
      while (rx - too_few > 1) {
        const unsigned middle = (rx + too_few) / 2;
        (enough(models.size() - 1, middle) ? rx : too_few) = middle;
      }
      std::size_t least = 0;
      while (least + 1 < models.size() && !enough(least, kRx)) ++least;
      fmt::print("{:<20} {:>14} {:>10.2f} {:>12} {:>12}\n", mix.name, flight, full, rx,
                 kLlrbModels[least].depth);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned flight = 10;
  std::uint64_t cycles = 50000;
  bool search = true;
  CLI::App app{"Latency and bandwidth of two CXL controllers back to back"};
  app.add_option("--flight", flight, "cycles, for the first two tables")->capture_default_str();
  app.add_option("--cycles", cycles, "measured a figure")->capture_default_str();
  app.add_flag("!--no-search", search, "leave the table of sizes out");
  CLI11_PARSE(app, argc, argv);
  print_latency(flight);
  print_bandwidth(flight, cycles);
  if (search) print_search(cycles);
  return 0;
}
