// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/shell_word.hpp"
#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr int kSchema = 1;       // of the file, its user_version
constexpr int kWaitMs = 10'000;  // while somebody else reads or writes

constexpr const char* kTables = R"(
CREATE TABLE sweep(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE points(
  row INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL,
  number INTEGER,  -- place in the file; NULL: the file has this point no more
  status TEXT NOT NULL DEFAULT 'missing',
  scenario TEXT, engine TEXT, machine TEXT, seed TEXT, trace TEXT,
  exit INTEGER, seconds REAL, version TEXT, command TEXT, folder TEXT, log TEXT, message TEXT);
CREATE TABLE settings(
  point INTEGER NOT NULL REFERENCES points(row) ON DELETE CASCADE, key TEXT NOT NULL,
  value TEXT, number NUMERIC, unit TEXT, PRIMARY KEY(point, key)) WITHOUT ROWID;
CREATE TABLE figures(row INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, unit TEXT);
CREATE TABLE numbers(
  point INTEGER NOT NULL REFERENCES points(row) ON DELETE CASCADE,
  figure INTEGER NOT NULL REFERENCES figures(row), value NOT NULL,  -- a count is a whole number
  PRIMARY KEY(point, figure)) WITHOUT ROWID;
CREATE VIEW results AS
  SELECT points.id AS point, points.number AS number, figures.path AS path,
         numbers.value AS value, figures.unit AS unit
  FROM numbers JOIN points ON points.row = numbers.point
               JOIN figures ON figures.row = numbers.figure
  WHERE points.number IS NOT NULL;
)";

// An SQL literal or name; `mark` is ' or ".
std::string sql_quoted(const std::string& text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) quoted += c == mark ? std::string(2, mark) : std::string(1, c);
  return quoted + mark;
}

std::string status_of(int exit, bool results) {
  if (!results) return "failed";
  return exit == 0 ? "clean" : exit == 3 ? "limit" : exit == 1 ? "wrong" : "failed";
}

// A kind of request and a stage have their name for a place: which of them a run has differs.
std::string name_in_list(const nlohmann::json& entry, std::size_t at) {
  for (const char* name : {"kind", "stage"}) {
    if (entry.is_object() && entry.contains(name) && entry[name].is_string()) {
      return entry[name].get<std::string>();
    }
  }
  return std::to_string(at);
}

using Visit = std::function<void(const std::string& path, const nlohmann::json& value,
                                 const std::string& unit)>;

// Every number of stats.json that has a unit, by its path with dots.
void visit_figures(const nlohmann::json& node, const std::string& path, const Visit& visit) {
  const auto below = [&path](const std::string& name) {
    return path.empty() ? name : path + "." + name;
  };
  if (node.is_object()) {
    if (node.size() == 2 && node.contains("value") && node.contains("unit")) {
      if (node["value"].is_number() && node["unit"].is_string()) {
        visit(path, node["value"], node["unit"].get<std::string>());
      }
      return;
    }
    for (const auto& [name, child] : node.items()) visit_figures(child, below(name), visit);
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      visit_figures(node[i], below(name_in_list(node[i], i)), visit);
    }
  }
}

}  // namespace

void SweepStore::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

// A statement with what is bound to it.
class SweepStore::Statement {
 public:
  Statement(const SweepStore& store, const char* sql) : store_(store) {
    if (sqlite3_prepare_v2(store.database_.get(), sql, -1, &statement_, nullptr) != SQLITE_OK) {
      store.fail();
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    return checked(sqlite3_bind_text64(statement_, ++at_, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  Statement& bind(double value) { return checked(sqlite3_bind_double(statement_, ++at_, value)); }
  Statement& bind(std::int64_t value) {
    return checked(sqlite3_bind_int64(statement_, ++at_, value));
  }
  Statement& bind(const std::optional<double>& value) {
    return value ? bind(*value) : checked(sqlite3_bind_null(statement_, ++at_));
  }
  // A row, or the end.
  bool step() {
    const int done = sqlite3_step(statement_);
    if (done != SQLITE_ROW && done != SQLITE_DONE) store_.fail();
    return done == SQLITE_ROW;
  }
  void run() {
    step();
    sqlite3_reset(statement_);
    at_ = 0;
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? "" : text;
  }
  [[nodiscard]] double number(int column) const {
    return sqlite3_column_double(statement_, column);
  }
  [[nodiscard]] std::int64_t whole(int column) const {
    return sqlite3_column_int64(statement_, column);
  }

 private:
  Statement& checked(int result) {
    if (result != SQLITE_OK) store_.fail();
    return *this;
  }

  const SweepStore& store_;
  sqlite3_stmt* statement_ = nullptr;
  int at_ = 0;
};

// All or nothing.
class SweepStore::Transaction {
 public:
  explicit Transaction(SweepStore& store) : store_(store) { store.run("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!done_) sqlite3_exec(store_.database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    store_.run("COMMIT");
    done_ = true;
  }

 private:
  SweepStore& store_;
  bool done_ = false;
};

void SweepStore::fail() const {
  throw InputError(fmt::format("{}: {}; give another --out, or move the file away", file_.string(),
                               sqlite3_errmsg(database_.get())));
}

void SweepStore::run(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

SweepStore::SweepStore(std::filesystem::path file) : file_(std::move(file)) {
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(file_.c_str(), &database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) fail();
  sqlite3_busy_timeout(database, kWaitMs);
  run("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL");
  std::int64_t schema = 0, tables = 0;
  {
    Statement version(*this, "PRAGMA user_version");
    if (version.step()) schema = version.whole(0);
    Statement count(*this, "SELECT count(*) FROM sqlite_master");
    if (count.step()) tables = count.whole(0);
  }
  if (schema == 0 && tables == 0) {
    make_tables();
  } else if (schema != kSchema) {
    throw InputError(fmt::format("{}: is no database of this command's sweeps; give another --out",
                                 file_.string()));
  }
}

void SweepStore::make_tables() {
  Transaction transaction(*this);
  run(kTables);
  run(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

void SweepStore::make_wide(const SweepPlan& plan) {
  std::string columns;
  for (const SweepColumn& column : plan.columns) {
    columns += fmt::format(
        ", (SELECT coalesce(number, value) FROM settings WHERE point = points.row AND key = {}) AS "
        "{}",
        sql_quoted(column.name, '\''), sql_quoted(column.name, '"'));
  }
  run(fmt::format(
      "DROP VIEW IF EXISTS wide; CREATE VIEW wide AS SELECT number, id, status, seconds{}, (SELECT "
      "value FROM numbers JOIN figures ON figures.row = figure WHERE point = points.row AND path = "
      "{}) AS objective FROM points WHERE number IS NOT NULL ORDER BY number",
      columns, sql_quoted(plan.objective, '\'')));
}

void SweepStore::begin(const SweepPlan& plan, const std::string& command) {
  Transaction transaction(*this);
  Statement about(*this, "INSERT OR REPLACE INTO sweep VALUES(?, ?)");
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"file", plan.file},           {"text", plan.text},
      {"title", plan.title},         {"kind", plan.kind},
      {"objective", plan.objective}, {"better", plan.higher_is_better ? "higher" : "lower"},
      {"command", command},          {"version", sweep_version()}};
  for (const auto& [name, value] : facts) about.bind(name).bind(value).run();
  run("UPDATE points SET number = NULL; DELETE FROM settings");
  Statement insert(*this,
                   "INSERT INTO points(id, number, scenario, engine, machine, seed, trace) "
                   "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET number = "
                   "excluded.number");
  Statement place(*this, "UPDATE points SET command = ?, folder = ?, log = ? WHERE id = ?");
  Statement settings(*this, "INSERT INTO settings SELECT row, ?, ?, ?, ? FROM points WHERE id = ?");
  std::int64_t number = 0;
  for (const SweepPoint& point : plan.points) {
    insert.bind(point.id).bind(++number).bind(point.scenario).bind(point.engine);
    insert.bind(point.machine).bind(point.seed).bind(point.trace).run();
    std::vector<std::string> words = {"cxlgpu", "run"};
    for (const std::string& word : run_words(point)) words.push_back(word);
    const std::string folder = "points/" + point.id;
    place.bind(shell_command(words)).bind(folder).bind(folder + "/log").bind(point.id).run();
    for (std::size_t i = 0; i < plan.columns.size(); ++i) {
      settings.bind(plan.columns[i].name).bind(point.cells[i]).bind(point.numbers[i]);
      settings.bind(plan.columns[i].unit).bind(point.id).run();
    }
  }
  make_wide(plan);
  transaction.commit();
}

std::string SweepStore::status(const std::string& id) const {
  Statement find(*this, "SELECT status FROM points WHERE id = ?");
  find.bind(id);
  return find.step() ? find.text(0) : "missing";
}

void SweepStore::forget(const std::string& id) {
  Transaction transaction(*this);
  Statement numbers(*this,
                    "DELETE FROM numbers WHERE point = (SELECT row FROM points WHERE id = ?)");
  numbers.bind(id).run();
  Statement point(*this,
                  "UPDATE points SET status = 'missing', exit = NULL, seconds = NULL, version = "
                  "NULL, message = NULL WHERE id = ?");
  point.bind(id).run();
  transaction.commit();
}

std::string SweepStore::record(const std::string& id, const PointFolder& folder,
                               const PointExit& exit) {
  std::ifstream in(folder.path() / "stats.json", std::ios::binary);
  const nlohmann::json stats =
      nlohmann::json::parse(std::string((std::istreambuf_iterator<char>(in)), {}), nullptr, false);
  const std::string status = status_of(exit.status, stats.is_object());
  Transaction transaction(*this);
  Statement point(*this,
                  "UPDATE points SET status = ?, exit = ?, seconds = ?, version = ?, message = ? "
                  "WHERE id = ?");
  point.bind(status).bind(std::int64_t{exit.status}).bind(exit.seconds).bind(exit.version);
  point.bind(status == "clean" ? "" : folder.last_words()).bind(id).run();
  if (stats.is_object()) {
    Statement figure(*this, "INSERT OR IGNORE INTO figures(path, unit) VALUES(?, ?)");
    Statement number(*this,
                     "INSERT OR REPLACE INTO numbers SELECT points.row, figures.row, ? FROM "
                     "points, figures WHERE points.id = ? AND figures.path = ?");
    const auto store = [&](const std::string& path, const nlohmann::json& value,
                           const std::string& unit) {
      if (!std::isfinite(value.get<double>())) return;
      figure.bind(path).bind(unit).run();
      if (value.is_number_integer() && value.get<double>() < 9e18) {
        number.bind(value.get<std::int64_t>());
      } else {
        number.bind(value.get<double>());
      }
      number.bind(id).bind(path).run();
    };
    visit_figures(stats, "", store);
  }
  transaction.commit();
  return status;
}

std::vector<StoredPoint> SweepStore::points() const {
  std::vector<StoredPoint> all;
  Statement rows(*this,
                 "SELECT id, status, coalesce(message, ''), command, folder, coalesce(seconds, 0) "
                 "FROM points WHERE number IS NOT NULL ORDER BY number");
  while (rows.step()) {
    const std::filesystem::path page = file_.parent_path() / rows.text(4) / "report.html";
    std::error_code error;
    all.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                   std::filesystem::is_regular_file(page, error), rows.number(5)});
  }
  return all;
}

std::vector<StoredFigure> SweepStore::figures() const {
  Statement count(*this, "SELECT count(*) FROM points WHERE number IS NOT NULL");
  const std::size_t points = count.step() ? static_cast<std::size_t>(count.whole(0)) : 0;
  std::vector<StoredFigure> all;
  std::map<std::int64_t, std::size_t> place;
  Statement rows(*this,
                 "SELECT figure, path, unit, number, value FROM numbers JOIN points ON points.row "
                 "= point JOIN figures ON figures.row = figure WHERE number IS NOT NULL");
  while (rows.step()) {
    const auto [found, is_new] = place.emplace(rows.whole(0), all.size());
    if (is_new) {
      all.push_back({rows.text(1), rows.text(2), std::vector<std::optional<double>>(points)});
    }
    all[found->second].values.at(static_cast<std::size_t>(rows.whole(3) - 1)) = rows.number(4);
  }
  std::sort(all.begin(), all.end(),
            [](const StoredFigure& a, const StoredFigure& b) { return a.path < b.path; });
  return all;
}

}  // namespace cxlgpu
