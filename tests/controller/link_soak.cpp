// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Long soak of two ports (controller and ARB/MUX) over a faulty link: `make link-soak`.
//
// Each seed brings up one pair (sizes, width and flight time follow from the seed: mostly x8), and
// sends flits through it at bit error rates from 1e-9 to 1e-4, with drops, duplicates and
// Recoveries of the physical layer sprinkled in; between CXL.mem flits those of CXL.io and ALMPs,
// some of which are cut, and naps in L1. With --ends bare two controllers without ARB/MUX. Prints
// some lines a seed, as it ends, and tables over all seeds.
// Exit code: 0 nothing wrong, 1 problems (printed), 2 wrong usage.
#include "tests/controller/link_soak.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <ctime>
#include <mutex>
#include <thread>

#include "Vlink_pair_default.h"
#include "Vlink_pair_large.h"
#include "Vlink_pair_small.h"
#include "Vport_pair_default.h"
#include "Vport_pair_large.h"
#include "Vport_pair_small.h"

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
  unsigned jobs = 2;
  std::string sizes = "by seed";
  std::string ends = "ports";
};

struct Sizes {
  std::string name;
  PairSizes sizes{};
  std::unique_ptr<PairModel> (*make_ports)();
  std::unique_ptr<PairModel> (*make_bare)();
};

template <typename Top>
std::unique_ptr<PairModel> make() {
  return std::make_unique<VerilatedPair<Top>>();
}

// tests/bench/CMakeLists.txt has the same.
const std::array<Sizes, 3>& all_sizes() {
  static const std::array<Sizes, 3> sizes{
      Sizes{"default", {}, make<Vport_pair_default>, make<Vlink_pair_default>},
      Sizes{"small",
            {.nd_rx = {3, 2}, .wd_rx = {2, 3}, .llrb = {22, 23}},
            make<Vport_pair_small>,
            make<Vlink_pair_small>},
      Sizes{"large",
            {.nd_rx = {127, 127}, .wd_rx = {127, 127}, .llrb = {255, 255}},
            make<Vport_pair_large>,
            make<Vlink_pair_large>}};
  return sizes;
}

const Sizes& sizes_of(const Options& options, std::uint64_t seed) {
  for (const Sizes& s : all_sizes()) {
    if (s.name == options.sizes) return s;
  }
  return all_sizes()[kSizes[seed % kSizes.size()]];
}

// Of this thread: what others do on the machine does not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What one seed has to say.
struct Report {
  std::string text;
  std::vector<SoakRow> rows;
  bool failed = false;
};

std::string describe_ports(SoakRow& sum) {
  std::string text = fmt::format(
      "  {} ALMPs, {} of them cut, {} CXL.io flits ({} lost in Recovery and faults), {} "
      "Recoveries, "
      "{} vLSMs of the host in L1, {} times the link\n  cut ALMP to the next flits both ways: {} "
      "times, p50 {}, p99 {}, max {} cycles\n  asked for Recovery:",
      sum.ports.almps, sum.cuts, sum.ports.io_sent, sum.ports.io_lost, sum.recoveries,
      sum.ports.naps, sum.ports.sleeps, sum.cut_times.size(), SoakRow::quantile(sum.cut_times, 0.5),
      SoakRow::quantile(sum.cut_times, 0.99), SoakRow::quantile(sum.cut_times, 1));
  for (unsigned cause = 0; cause < kCauses; ++cause) {
    text +=
        fmt::format("{} {} {}", cause == 0 ? "" : ",", kCauseNames[cause], sum.ports.causes[cause]);
  }
  return text + "\n";
}

Report run_seed(const Options& options, std::uint64_t seed) {
  const Sizes& sizes = sizes_of(options, seed);
  const bool ports = options.ends == "ports";
  const std::unique_ptr<PairModel> model = ports ? sizes.make_ports() : sizes.make_bare();
  const PairOptions pair{
      .sizes = sizes.sizes,
      .seed = seed,
      .lanes = seed % 4 == 3 ? 16u : 8u,
      .flight = kFlights[seed / 2 % kFlights.size()],
      .recovery_cycles = 300,
      .checker = options.checker,
      .replay = fmt::format("link_soak --first-seed {} --seeds 1 --flits {} --sizes {} --ends {}",
                            seed, options.flits, sizes.name, options.ends)};
  // Ports: Recoveries are quick and their ALMPs are wanted.
  FaultRates rates{.drop = 1e-6, .duplicate = 1e-6, .recovery = 3e-7};
  if (ports) {
    rates.recovery = rates.request = 2e-5;
    rates.swap = 1e-6;
    rates.cut = 0.05;
    rates.nap = 5e-5;
  }
  std::vector<SoakPhase> phases;
  for (const double rate : kBitErrorRates) {
    rates.bit_error = rate;
    phases.push_back({.rates = rates,
                      .flits = static_cast<std::uint64_t>(options.flits / kBitErrorRates.size())});
  }
  const double start = cpu_seconds();
  SoakRun run(*model, pair);
  run.run(phases);
  const double seconds = cpu_seconds() - start;
  Report report{.text = {}, .rows = run.rows(), .failed = run.failed()};
  SoakRow sum;
  for (const SoakRow& row : report.rows) sum.add(row);
  const double flits = static_cast<double>(sum.flits[0] + sum.flits[1]);
  report.text = fmt::format(
      "seed {}: {}, x{}, flight {} cycles: {:.1f} M flits, {:.1f} M messages, {} silent, ", seed,
      sizes.name, pair.lanes, pair.flight, flits * 1e-6, sum.messages * 1e-6,
      run.pair().faults(0).counts().silent + run.pair().faults(1).counts().silent);
  report.text += fmt::format("{:.0f} s CPU, {:.2f} M cycles/s, {:.2f} M flits/s, {}\n", seconds,
                             sum.cycles * 1e-6 / seconds, flits * 1e-6 / seconds,
                             run.failed() ? "FAILED" : "ok");
  if (ports) report.text += describe_ports(sum);
  for (const std::string& problem : run.pair().problems()) report.text += "  " + problem + "\n";
  return report;
}

void print_table(std::vector<SoakRow>& rows) {
  fmt::print("\n{:>7} {:>9} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8} {:>24}\n", "", "M2S", "S2M",
             "messages", "bad", "", "", "recov-", "recovery, cycles");
  fmt::print("{:>7} {:>9} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8} {:>7} {:>7} {:>8}\n", "BER",
             "M flits", "M flits", "M", "flits", "retries", "timeouts", "eries", "p50", "p99",
             "max");
  for (SoakRow& r : rows) {
    const auto time = [&r](double part) { return SoakRow::quantile(r.recovery_times, part); };
    fmt::print("{:>7.0e} {:>9.2f} {:>9.2f} {:>10.2f} {:>9} {:>9} {:>8} {:>8} {:>7} {:>7} {:>8}\n",
               r.bit_error, r.flits[0] * 1e-6, r.flits[1] * 1e-6, r.messages * 1e-6, r.bad,
               r.retries, r.timeouts, r.recoveries, time(0.5), time(0.99), time(1));
  }
}

void print_port_table(std::vector<SoakRow>& rows) {
  fmt::print("\n{:>7} {:>9} {:>9} {:>8} {:>8} {:>8} {:>30}\n", "", "CXL.io", "", "cut", "vLSMs in",
             "link in", "cut ALMP to next flits, cycles");
  fmt::print("{:>7} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7} {:>6}\n", "BER", "M flits",
             "ALMPs", "ALMPs", "L1", "L1", "times", "p50", "p99", "max");
  SoakRow sum;
  for (SoakRow& r : rows) {
    const auto time = [&r](double part) { return SoakRow::quantile(r.cut_times, part); };
    fmt::print("{:>7.0e} {:>9.2f} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7} {:>6}\n", r.bit_error,
               r.ports.io_sent * 1e-6, r.ports.almps, r.cuts, r.ports.naps, r.ports.sleeps,
               r.cut_times.size(), time(0.5), time(0.99), time(1));
    sum.add(r);
  }
  fmt::print("\nAll rates:\n{}", describe_ports(sum));
}

void print_tables(const Options& options, std::vector<SoakRow>& rows) {
  print_table(rows);
  if (options.ends == "ports") print_port_table(rows);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Soak of two CXL ports over a faulty link"};
  app.add_option("--seeds", options.seeds, "number of seeds")->capture_default_str();
  app.add_option("--first-seed", options.first_seed)->capture_default_str();
  app.add_option("--flits", options.flits, "flits a direction and seed")->capture_default_str();
  app.add_option("--sizes", options.sizes, "default, small, large, or by seed")
      ->capture_default_str();
  app.add_option("--ends", options.ends, "ports, or bare: controllers without ARB/MUX")
      ->check(CLI::IsMember({"ports", "bare"}))
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "seeds at a time")->capture_default_str();
  app.add_flag("!--no-checker", options.checker, "leave flits::LinkChecker out");
  app.add_flag("--table-each", options.table_each, "print the table after every seed");
  CLI11_PARSE(app, argc, argv);

  std::vector<SoakRow> total;
  unsigned failed = 0;
  std::mutex mutex;  // of both
  std::atomic<unsigned> next = 0;
  const auto work = [&] {
    for (unsigned i = next++; i < options.seeds; i = next++) {
      const Report report = run_seed(options, options.first_seed + i);
      const std::lock_guard lock(mutex);
      fmt::print("{}", report.text);
      failed += report.failed ? 1 : 0;
      total.resize(std::max(total.size(), report.rows.size()));
      for (std::size_t row = 0; row < report.rows.size(); ++row) total[row].add(report.rows[row]);
      if (options.table_each) print_tables(options, total);
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min(options.jobs, options.seeds); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (!options.table_each) print_tables(options, total);
  fmt::print("\n{} of {} seeds failed\n", failed, options.seeds);
  return failed == 0 ? 0 : 1;
}
