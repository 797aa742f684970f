// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// gpdb-insert, gpdb-update: a table of a database in persistent memory; rows at its end, and
// changes of rows that a query finds.
//
// Purpose: a long run of stores that are not aligned, with a log of the table's figures alone; and
//          scattered changes of a few bytes, each logged.
// Shapes:  rows of fifteen columns of 4 bytes, 60 B, one behind the other, so most lie in two
// lines.
//          gpdb-insert: a table of 2 size rows gets size more in each of `iterations` batches; its
//          number of rows and, in a line behind, the sum of each column are changed in place at the
//          batch's end. The log has them as they were, 64 B, by one warp, in one partition.
//          gpdb-update: `iterations` queries over size rows; each changes two columns of the rows
//          whose first column is one of twenty values, to what depends on the old. An entry is
//          {row, both old values}, 12 B. Persistent: table, its figures, log, state of the
//          transaction. Rows as a file would hold them, and a batch's sums, are volatile.
// Source:  GPM (S. Pandey et al., ASPLOS 2022): both kinds, what is logged of each, about 60 B a
// row
//          (3 GB of 50 M rows), one row in twenty (2.5 M of them). Columns and queries are this
//          design's.
#include "sim/workloads/transactions.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;

constexpr U64 kColumns = 15;

// Column c of row r as it is inserted.
U32 cell(U64 seed, U64 row, U64 column) {
  return static_cast<U32>(Random(seed, row * kColumns + column).next() >> 32);
}

class Table : public PersistentWorkload {
 public:
  using PersistentWorkload::PersistentWorkload;

 protected:
  [[nodiscard]] WarpTask reopen(Warp& w, bool& ok) const override {
    return transactions_.open(w, ok);
  }
  void launch_recovery(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return restore(w); }, true);
  }
  void launch_work(Gpu& gpu) override {
    for (U64 b = 0; b < params().iterations; ++b) {
      gpu.launch([this, b](Warp& w) { return batch(w, b); });
    }
  }
  virtual WarpTask batch(Warp& w, U64 number) const = 0;
  virtual WarpTask put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const = 0;
  // The whole table after so many batches, with what the log says put back.
  [[nodiscard]] virtual std::optional<std::string> compare(const Backdoor& memory,
                                                           const std::vector<std::vector<U32>>& log,
                                                           U64 done) const = 0;
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const override {
    const U64 done = transactions_.state(memory).done;
    if (done > params().iterations) return fmt::format("{} batches are done", done);
    std::vector<std::vector<U32>> entries;
    if (auto wrong = transactions_.entries(memory, entries)) return wrong;
    return compare(memory, entries, done);
  }

  Transactions transactions_;

 private:
  WarpTask restore(Warp& w) const {
    co_await transactions_.undo(w, [this](Warp& warp, const gpm::Chunks& entry, LaneMask there) {
      return put_back(warp, entry, there);
    });
  }

 public:
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const Transactions::State now = transactions_.state(memory);
    if (now.done == params().iterations && !now.under_way) return compare(memory, {}, now.done);
    return fmt::format("{} batches are done, expected {}", now.done, params().iterations);
  }
};

// --------------------------------------------------------------------------------------- insert

class Insert : public Table {
 public:
  using Table::Table;

 private:
  static constexpr U64 kFigures = 16;  // rows, and the sums of the columns

  void place_volatile(Allocator& allocator) override {
    new_rows_ = allocator.alloc<U32>(rows_after(params().iterations) * kColumns);
    sums_ = allocator.alloc<U32>(kColumns);
    transactions_.place_volatile(allocator, {.kind = LogKind::Conventional,
                                             .words = kFigures,
                                             .warps = 1,
                                             .lanes = params().threads,
                                             .capacity = 1,
                                             .logs = !params().assisted});
  }
  void place_persistent(Allocator& allocator) override {
    rows_ = allocator.alloc_persistent<U32>(kLineBytes / 4);
    column_sums_ = allocator.alloc_persistent<U32>(kLineBytes / 4);
    table_ = allocator.alloc_persistent<U32>(new_rows_.size);
    transactions_.place_persistent(allocator, fault());
  }
  void fill_volatile(Backdoor& memory) override {
    fill_array(memory, new_rows_,
               [&](U64 i) { return cell(params().seed, i / kColumns, i % kColumns); });
    fill_array(memory, sums_, [](U64) { return 0U; });
    transactions_.fill_volatile(memory);
  }
  [[nodiscard]] U64 rows_after(U64 batches) const { return (2 + batches) * size(); }
  [[nodiscard]] std::string piece() const override { return "gpdb-insert"; }

  WarpTask create(Warp& w) const override;
  WarpTask batch(Warp& w, U64 number) const override;
  WarpTask put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const override;
  // Rows `first` to `end` from the input to the table, their columns added to sums_.
  WarpTask append(Warp& w, U64 first, U64 end) const;
  WarpTask load_figures(Warp& w, std::array<U32, kFigures>& figures) const;
  void store_figures(Warp& w, const std::array<U32, kFigures>& figures) const;
  WarpTask log_figures(Warp& w, const std::array<U32, kFigures>& figures, bool& ok) const;
  WarpTask add_sums(Warp& w, std::array<U32, kFigures>& figures) const;
  WarpTask add_batch(Warp& w, U64 end) const;
  [[nodiscard]] std::optional<std::string> compare(const Backdoor& memory,
                                                   const std::vector<std::vector<U32>>& log,
                                                   U64 done) const override;

  DeviceArray<U32> new_rows_, sums_, rows_, column_sums_, table_;
};

WarpTask Insert::append(Warp& w, U64 first, U64 end) const {
  std::array<U32, kColumns> sums{};
  const U64 step = U64{w.count()} * w.width();
  for (U64 i = first * kColumns + U64{w.id()} * w.width(); i < end * kColumns; i += step) {
    const LaneMask mask = w.active({0, end * kColumns, 1}, i);
    const auto words = co_await w.load(new_rows_, w.consecutive(i), mask);
    w.compute(5);  // pointers, column, sum, branch
    w.store(table_, w.consecutive(i), words, mask);
    for_lanes(mask, [&](unsigned lane) { sums[(i + lane) % kColumns] += words[lane]; });
  }
  for (U64 c = 0; c < kColumns; c += w.width()) {
    (void)w.atomic_add(sums_, w.consecutive(c),
                       w.map([&](unsigned i) { return c + i < kColumns ? sums[c + i] : 0U; }),
                       w.active({0, kColumns, 1}, c));
  }
  co_await w.loads();
}

WarpTask Insert::load_figures(Warp& w, std::array<U32, kFigures>& figures) const {
  gpm::LineWords words{};
  figures[0] = (co_await w.load_l2(rows_, w.uniform(0), lane_bit(0)))[0];
  co_await gpm::load_line(w, column_sums_.base, words);
  std::copy_n(words.begin(), kColumns, figures.begin() + 1);
}

void Insert::store_figures(Warp& w, const std::array<U32, kFigures>& figures) const {
  w.store(rows_, w.uniform(0), w.map([&](unsigned) { return figures[0]; }), lane_bit(0));
  for (U64 c = 0; c < kColumns; c += w.width()) {
    w.store(column_sums_, w.consecutive(c),
            w.map([&](unsigned i) { return c + i < kColumns ? figures[1 + c + i] : 0U; }),
            w.active({0, kColumns, 1}, c));
  }
}

WarpTask Insert::log_figures(Warp& w, const std::array<U32, kFigures>& figures, bool& ok) const {
  gpm::Chunks entry;
  for (const U32 figure : figures) entry.push_back(w.map([=](unsigned) { return figure; }));
  co_await transactions_.log(w, std::move(entry), lane_bit(0), ok);
}

// The batch's sums to those of the table; they are 0 again for the next.
WarpTask Insert::add_sums(Warp& w, std::array<U32, kFigures>& figures) const {
  for (U64 c = 0; c < kColumns; c += w.width()) {
    const LaneMask mask = w.active({0, kColumns, 1}, c);
    const auto sums = co_await w.load_l2(sums_, w.consecutive(c), mask);
    for_lanes(mask, [&](unsigned i) { figures[1 + c + i] += sums[i]; });
    w.compute(2);
    w.store(sums_, w.consecutive(c), w.map([](unsigned) { return 0U; }), mask);
  }
}

WarpTask Insert::create(Warp& w) const {
  co_await transactions_.create(w);
  co_await append(w, 0, rows_after(0));
  co_await w.persist();
  co_await w.barrier();
  if (w.id() != 0) co_return;
  std::array<U32, kFigures> figures{static_cast<U32>(rows_after(0))};
  co_await add_sums(w, figures);
  store_figures(w, figures);
  co_await w.persist();
}

// The figures, by one warp, when all rows are safe.
WarpTask Insert::add_batch(Warp& w, U64 end) const {
  std::array<U32, kFigures> figures{};
  co_await load_figures(w, figures);
  const std::array<U32, kFigures> before = figures;
  co_await add_sums(w, figures);
  figures[0] = static_cast<U32>(end);
  if (fault() == Fault::InPlaceBeforeUndo) {
    store_figures(w, figures);
    co_await w.persist();
  }
  bool ok = false;
  co_await log_figures(w, before, ok);
  if (!ok) co_return;
  if (fault() != Fault::InPlaceBeforeUndo) store_figures(w, figures);
}

WarpTask Insert::batch(Warp& w, U64 number) const {
  Transactions::State now;
  co_await transactions_.state(w, now);
  if (now.done != number) co_return;
  co_await transactions_.begin(w, number);
  co_await append(w, rows_after(number), rows_after(number + 1));
  if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
  co_await w.barrier();
  if (w.id() == 0) co_await add_batch(w, rows_after(number + 1));
  co_await transactions_.commit(w, number);
}

WarpTask Insert::put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const {
  if (there == 0) co_return;
  std::array<U32, kFigures> figures{};
  for (U64 i = 0; i < kFigures && fault() != Fault::UndoToEmpty; ++i) figures[i] = entry[i][0];
  store_figures(w, figures);
}

std::optional<std::string> Insert::compare(const Backdoor& memory,
                                           const std::vector<std::vector<U32>>& log,
                                           U64 done) const {
  std::vector<U32> figures = {word_at<U32>(memory, rows_.base)};
  for (U64 c = 0; c < kColumns; ++c) {
    figures.push_back(word_at<U32>(memory, column_sums_.address(c)));
  }
  if (log.size() > 1) return fmt::format("{} log entries of one batch", log.size());
  if (!log.empty()) figures = log.front();
  const U64 rows = rows_after(done);
  if (figures[0] != rows) return fmt::format("{} rows, expected {}", figures[0], rows);
  std::vector<U32> sums(kColumns);
  for (U64 i = 0; i < rows * kColumns; ++i) {
    const U32 expected = cell(params().seed, i / kColumns, i % kColumns);
    const U32 found = word_at<U32>(memory, table_.address(i));
    sums[i % kColumns] += expected;
    if (found != expected) {
      return fmt::format("column {} of row {} is {}, expected {}", i % kColumns, i / kColumns,
                         found, expected);
    }
  }
  for (U64 c = 0; c < kColumns; ++c) {
    if (figures[1 + c] != sums[c]) {
      return fmt::format("the sum of column {} is {}, expected {}", c, figures[1 + c], sums[c]);
    }
  }
  return std::nullopt;
}

// --------------------------------------------------------------------------------------- update

class Update : public Table {
 public:
  using Table::Table;

 private:
  static constexpr U64 kOneIn = 20, kCounted = 5, kStamped = 12;  // columns that change

  void place_volatile(Allocator& allocator) override {
    image_ = allocator.alloc<U32>(size() * kColumns);
    const U64 lanes = U64{params().warps} * params().threads;
    const U32 each = static_cast<U32>((size() + lanes - 1) / lanes);
    const bool hcl = params().log == LogKind::Hcl;
    transactions_.place_volatile(allocator, {.kind = params().log,
                                             .words = 3,
                                             .warps = params().warps,
                                             .lanes = params().threads,
                                             .capacity = hcl ? each : each * params().threads,
                                             .partitions = hcl ? 1 : params().log_partitions,
                                             .logs = !params().assisted});
  }
  void place_persistent(Allocator& allocator) override {
    table_ = allocator.alloc_persistent<U32>(image_.size);
    transactions_.place_persistent(allocator, fault());
  }
  void fill_volatile(Backdoor& memory) override {
    fill_array(memory, image_, [&](U64 i) { return first_value(i / kColumns, i % kColumns); });
    transactions_.fill_volatile(memory);
  }
  [[nodiscard]] std::string piece() const override { return "gpdb-update"; }
  [[nodiscard]] U32 first_value(U64 row, U64 column) const {
    const U32 value = cell(params().seed, row, column);
    return column == 0 ? value % kOneIn : value;
  }
  [[nodiscard]] static bool wanted(U32 first, U64 query) {
    return first == (5 + 7 * query) % kOneIn;
  }
  static constexpr U32 counted(U32 old, U64 query) { return old + static_cast<U32>(query) + 1; }
  static constexpr U32 stamped(U32 old) { return old * 5 + 1; }

  WarpTask create(Warp& w) const override {
    co_await transactions_.create(w);
    co_await copy_words(w, image_, table_);
    co_await w.persist();
  }
  WarpTask batch(Warp& w, U64 number) const override;
  WarpTask change(Warp& w, U64 first, LaneMask mask, U64 query) const;
  WarpTask put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const override;
  [[nodiscard]] std::optional<std::string> compare(const Backdoor& memory,
                                                   const std::vector<std::vector<U32>>& log,
                                                   U64 done) const override;

  DeviceArray<U32> image_, table_;
};

WarpTask Update::change(Warp& w, U64 first, LaneMask mask, U64 query) const {
  const auto cells = [&](U64 column) {
    return w.map([&, column](unsigned i) { return (first + i) * kColumns + column; });
  };
  const auto counts_at = cells(kCounted), stamps_at = cells(kStamped);
  auto counts = w.load_l2(table_, counts_at, mask);
  auto stamps = w.load_l2(table_, stamps_at, mask);
  const auto [count, stamp] = co_await all(counts, stamps);
  w.compute(6);
  const Lanes<U32> old_count = count, old_stamp = stamp;
  const auto in_place = [&] {
    w.store(table_, counts_at, w.map([&](unsigned i) { return counted(old_count[i], query); }),
            mask);
    w.store(table_, stamps_at, w.map([&](unsigned i) { return stamped(old_stamp[i]); }), mask);
  };
  if (fault() == Fault::InPlaceBeforeUndo) {
    in_place();
    co_await w.persist();
  }
  gpm::Chunks entry = {w.map([&](unsigned i) { return static_cast<U32>(first + i); }), old_count,
                       old_stamp};
  bool ok = false;
  co_await transactions_.log(w, std::move(entry), mask, ok);
  if (!ok) co_return;
  if (fault() != Fault::InPlaceBeforeUndo) in_place();
  if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
}

WarpTask Update::batch(Warp& w, U64 number) const {
  Transactions::State now;
  co_await transactions_.state(w, now);
  if (now.done != number) co_return;
  co_await transactions_.begin(w, number);
  const U64 step = U64{w.count()} * w.width();
  for (U64 row = U64{w.id()} * w.width(); row < size(); row += step) {
    const LaneMask mask = w.active({0, size(), 1}, row);
    const auto first =
        co_await w.load(table_, w.map([&](unsigned i) { return (row + i) * kColumns; }), mask);
    w.compute(5);  // address, compare, split, loop
    const LaneMask found = lanes_where(mask, [&](unsigned i) { return wanted(first[i], number); });
    if (found != 0) co_await change(w, row, found, number);
  }
  co_await transactions_.commit(w, number);
}

WarpTask Update::put_back(Warp& w, const gpm::Chunks& entry, LaneMask there) const {
  const bool empty = fault() == Fault::UndoToEmpty;
  w.compute(4);
  for (const auto& [column, chunk] : {std::pair{kCounted, 1U}, std::pair{kStamped, 2U}}) {
    const Lanes<U32>& old = entry[chunk];
    w.store(table_, w.map([&, at = column](unsigned i) {
      return has_lane(there, i) ? entry[0][i] * kColumns + at : U64{0};
    }),
            w.map([&](unsigned i) { return empty ? 0U : old[i]; }), there);
  }
  co_await w.drain();
}

std::optional<std::string> Update::compare(const Backdoor& memory,
                                           const std::vector<std::vector<U32>>& log,
                                           U64 done) const {
  std::vector<U32> table = copy_from_device(memory, table_);
  for (const std::vector<U32>& entry : log) {
    if (entry[0] >= size()) return "a log entry names no row";
    table[entry[0] * kColumns + kCounted] = entry[1];
    table[entry[0] * kColumns + kStamped] = entry[2];
  }
  for (U64 row = 0; row < size(); ++row) {
    for (U64 column = 0; column < kColumns; ++column) {
      U32 expected = first_value(row, column);
      for (U64 q = 0; q < done; ++q) {
        if (!wanted(first_value(row, 0), q)) continue;
        if (column == kCounted) expected = counted(expected, q);
        if (column == kStamped) expected = stamped(expected);
      }
      if (table[row * kColumns + column] != expected) {
        return fmt::format("after {} queries column {} of row {} is {}, expected {}", done, column,
                           row, table[row * kColumns + column], expected);
      }
    }
  }
  return std::nullopt;
}

constexpr Iterations kBatches = {.default_value = 3, .min = 1, .max = 1000, .counts = "batches"};

}  // namespace

WorkloadKind gpdb_insert_workload() {
  return {"gpdb-insert",
          "rows inserted in a persistent table",
          "rows of a batch",
          512,
          1,
          1 << 22,
          make<Insert>,
          kBatches};
}

WorkloadKind gpdb_update_workload() {
  return {"gpdb-update",
          "one row in twenty of a persistent table changed",
          "rows of the table",
          3 << 10,
          1,
          1 << 24,
          make<Update>,
          {.default_value = 3, .min = 1, .max = 1000, .counts = "queries"}};
}

}  // namespace cxlgpu
