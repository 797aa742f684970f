// Long soak of two controllers over a faulty link: `make soak`.
//
// Each seed brings up one pair (sizes, width and flight time follow from the seed: mostly x8), and
// sends flits through it at bit error rates from 1e-9 to 1e-4, with drops, duplicates and
// Recoveries of the physical layer sprinkled in. Prints one line a seed and a table over all seeds.
// Exit code: 0 nothing wrong, 1 problems (printed), 2 wrong usage.
#include "tests/controller/link_soak.hpp"

#include <CLI/CLI.hpp>
#include <ctime>

#include "Vlink_pair_default.h"
#include "Vlink_pair_large.h"
#include "Vlink_pair_small.h"

namespace {

using namespace cxlgpu::test;

constexpr std::array kBitErrorRates{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};
constexpr std::array kFlights{2u, 10u, 25u, 60u};            // cycles
constexpr std::array<std::size_t, 5> kSizes{0, 2, 0, 1, 2};  // of all_sizes()

struct Options {
  unsigned seeds = 10;
  std::uint64_t first_seed = 1;
  double flits = 20e6;  // a direction and seed, over all error rates
  bool checker = true;
  bool table_each = false;
  std::string sizes = "by seed";
};

struct Sizes {
  std::string name;
  PairSizes sizes{};
  std::function<std::unique_ptr<PairModel>()> make;
};

template <typename Top>
std::unique_ptr<PairModel> make() {
  return std::make_unique<VerilatedPair<Top>>();
}

// tests/bench/CMakeLists.txt has the same.
const std::array<Sizes, 3>& all_sizes() {
  static const std::array<Sizes, 3> sizes{
      Sizes{"default", {}, make<Vlink_pair_default>},
      Sizes{"small", {.nd_rx = {3, 2}, .wd_rx = {2, 3}, .llrb = {22, 23}}, make<Vlink_pair_small>},
      Sizes{"large",
            {.nd_rx = {127, 127}, .wd_rx = {127, 127}, .llrb = {255, 255}},
            make<Vlink_pair_large>}};
  return sizes;
}

const Sizes& sizes_of(const Options& options, std::uint64_t seed) {
  for (const Sizes& s : all_sizes()) {
    if (s.name == options.sizes) return s;
  }
  return all_sizes()[kSizes[seed % kSizes.size()]];
}

// Of this process: what others do on the machine does not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// True if nothing was wrong.
bool run_seed(const Options& options, std::uint64_t seed, std::vector<SoakRow>& total) {
  const Sizes& sizes = sizes_of(options, seed);
  const std::unique_ptr<PairModel> model = sizes.make();
  const PairOptions pair{.sizes = sizes.sizes,
                         .seed = seed,
                         .lanes = seed % 4 == 3 ? 16u : 8u,
                         .flight = kFlights[seed / 2 % kFlights.size()],
                         .recovery_cycles = 300,
                         .checker = options.checker};
  std::vector<SoakPhase> phases;
  for (const double rate : kBitErrorRates) {
    phases.push_back(
        {.rates = {.bit_error = rate, .drop = 1e-6, .duplicate = 1e-6, .recovery = 3e-7},
         .flits = static_cast<std::uint64_t>(options.flits / kBitErrorRates.size())});
  }
  const double start = cpu_seconds();
  SoakRun run(*model, pair);
  run.run(phases);
  const double seconds = cpu_seconds() - start;
  std::uint64_t flits = 0, messages = 0, cycles = 0;
  for (std::size_t i = 0; i < run.rows().size(); ++i) {
    if (total.size() <= i) total.emplace_back();
    flits += run.rows()[i].flits[0] + run.rows()[i].flits[1];
    messages += run.rows()[i].messages;
    cycles += run.rows()[i].cycles;
    total[i].add(run.rows()[i]);
  }
  fmt::print("seed {}: {}, x{}, flight {} cycles: {:.1f} M flits, {:.1f} M messages, {} silent, ",
             seed, sizes.name, pair.lanes, pair.flight, flits * 1e-6, messages * 1e-6,
             run.pair().faults(0).counts().silent + run.pair().faults(1).counts().silent);
  fmt::print("{:.0f} s CPU, {:.2f} M cycles/s, {:.2f} M flits/s, {}\n", seconds,
             cycles * 1e-6 / seconds, flits * 1e-6 / seconds, run.failed() ? "FAILED" : "ok");
  for (const std::string& problem : run.pair().problems()) fmt::print("  {}\n", problem);
  std::fflush(stdout);
  return !run.failed();
}

void print_table(std::vector<SoakRow>& rows) {
  fmt::print("\n{:>7} {:>9} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8} {:>24}\n", "", "M2S", "S2M",
             "messages", "bad", "", "", "recov-", "recovery, cycles");
  fmt::print("{:>7} {:>9} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8} {:>7} {:>7} {:>8}\n", "BER",
             "M flits", "M flits", "M", "flits", "retries", "timeouts", "eries", "p50", "p99",
             "max");
  for (SoakRow& r : rows) {
    fmt::print("{:>7.0e} {:>9.2f} {:>9.2f} {:>10.2f} {:>9} {:>9} {:>8} {:>8} {:>7} {:>7} {:>8}\n",
               r.bit_error, r.flits[0] * 1e-6, r.flits[1] * 1e-6, r.messages * 1e-6, r.bad,
               r.retries, r.timeouts, r.recoveries, r.recovery_time(0.5), r.recovery_time(0.99),
               r.recovery_time(1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Soak of two CXL controllers over a faulty link"};
  app.add_option("--seeds", options.seeds, "number of seeds")->capture_default_str();
  app.add_option("--first-seed", options.first_seed)->capture_default_str();
  app.add_option("--flits", options.flits, "flits a direction and seed")->capture_default_str();
  app.add_option("--sizes", options.sizes, "default, small, large, or by seed")
      ->capture_default_str();
  app.add_flag("!--no-checker", options.checker, "leave flits::LinkChecker out");
  app.add_flag("--table-each", options.table_each, "print the table after every seed");
  CLI11_PARSE(app, argc, argv);

  std::vector<SoakRow> total;
  unsigned failed = 0;
  for (unsigned i = 0; i < options.seeds; ++i) {
    if (!run_seed(options, options.first_seed + i, total)) ++failed;
    if (options.table_each && i + 1 < options.seeds) print_table(total);
  }
  print_table(total);
  fmt::print("\n{} of {} seeds failed\n", failed, options.seeds);
  return failed == 0 ? 0 : 1;
}
