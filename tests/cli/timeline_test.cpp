// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// --timeline: what the file says, read by a decoder of its own, against the other outputs of the
// same run: --requests, and the counters of stats.json.
//
// Source: the encoding of Protocol Buffers, and the field numbers of Perfetto's published schema
//         (TracePacket, TrackDescriptor, TrackEvent, InternedData, DebugAnnotation).
#include <array>
#include <stdexcept>

#include "flits/input_file.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

// Fields of a message: numbers, and what is a string or a message.
struct Message {
  std::multimap<unsigned, std::uint64_t> numbers;
  std::multimap<unsigned, std::string> bytes;

  explicit Message(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::uint64_t key = varint(text, at);
      const auto field = static_cast<unsigned>(key >> 3);
      if ((key & 7) == 0) {
        numbers.emplace(field, varint(text, at));
      } else if ((key & 7) == 1) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 8; ++i) {
          value |= std::uint64_t{static_cast<unsigned char>(text.at(at++))} << 8 * i;
        }
        numbers.emplace(field, value);
      } else if ((key & 7) == 2) {
        const std::uint64_t size = varint(text, at);
        if (size > text.size() - at) throw std::out_of_range("a field is longer than its message");
        bytes.emplace(field, text.substr(at, size));
        at += size;
      } else {
        throw std::out_of_range("a wire type that is not used here");
      }
    }
  }
  [[nodiscard]] std::uint64_t number(unsigned field, std::uint64_t none = 0) const {
    const auto at = numbers.find(field);
    return at == numbers.end() ? none : at->second;
  }
  [[nodiscard]] std::string text(unsigned field) const {
    const auto at = bytes.find(field);
    return at == bytes.end() ? "" : at->second;
  }

 private:
  static std::uint64_t varint(const std::string& text, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.at(at++));
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw std::out_of_range("a varint without an end");
  }
};

struct Track {
  std::string name, path;  // from the root, "port 0/SR queue"
  std::uint64_t parent = 0, rank = 0;
};

struct Slice {
  std::uint64_t track = 0, from = 0, to = 0, flow = 0;
  bool ends_flow = false;
  std::string name;
  std::map<std::string, std::uint64_t> notes;
};

struct Decoded {
  std::map<std::uint64_t, Track> tracks;
  std::vector<Slice> slices, instants;
  std::map<std::uint64_t, std::vector<Slice>> flows;  // by begin

  explicit Decoded(const fs::path& path) {
    flits::InputFile file(path.string());
    std::string text, block(1 << 16, '\0');
    while (const std::size_t n = file.read(block.data(), block.size()).value_or(0)) {
      text.append(block, 0, n);
    }
    EXPECT_EQ(file.problem(), "");
    const Message trace(text);
    EXPECT_TRUE(trace.numbers.empty());
    std::map<std::uint64_t, std::string> names;
    std::map<std::uint64_t, std::optional<Slice>> open;
    struct Event {
      std::uint64_t at;
      Message fields;
    };
    std::vector<Event> events;
    bool first = true;
    for (auto [at, end] = trace.bytes.equal_range(1); at != end; ++at) {
      const Message packet(at->second);
      EXPECT_NE(packet.number(10), 0u) << "a packet is of a sequence";
      EXPECT_EQ(packet.number(13) & 1, first ? 1u : 0u) << "the first packet clears the state";
      first = false;
      if (const std::string data = packet.text(12); !data.empty()) {
        const Message one(Message(data).text(2));
        EXPECT_TRUE(names.emplace(one.number(1), one.text(2)).second);
      }
      if (const std::string descriptor = packet.text(60); !descriptor.empty()) {
        const Message one(descriptor);
        Track track{one.text(2), one.text(2), one.number(5), one.number(12)};
        EXPECT_EQ(one.number(11), 3u) << "ordered by rank";
        if (track.parent != 0) track.path = tracks.at(track.parent).path + "/" + track.name;
        EXPECT_TRUE(tracks.emplace(one.number(1), track).second);
      }
      if (const std::string event = packet.text(11); !event.empty()) {
        const Message one(event);
        EXPECT_TRUE(packet.number(13) == 2 || one.number(9) == 2) << "what names something";
        EXPECT_TRUE(one.number(9) == 2 || names.contains(one.number(10))) << "named before";
        EXPECT_TRUE(tracks.contains(one.number(11))) << "on a track that is there";
        events.push_back({packet.number(8, ~std::uint64_t{0}), one});
      }
    }
    // As Perfetto does: by time, then as they come.
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    for (const Event& event : events) {
      const Message& fields = event.fields;
      std::optional<Slice>& slice = open[fields.number(11)];
      if (fields.number(9) == 2) {
        if (!slice) {
          ADD_FAILURE() << "an end without a begin at " << event.at;
          continue;
        }
        slice->to = event.at;
        slices.push_back(*slice);
        slice.reset();
        continue;
      }
      Slice made;
      made.track = fields.number(11);
      made.from = event.at;
      made.name = names[fields.number(10)];
      made.ends_flow = fields.numbers.contains(48);
      made.flow = fields.number(47, fields.number(48));
      for (auto [note, end] = fields.bytes.equal_range(4); note != end; ++note) {
        const Message one(note->second);
        made.notes[one.text(10)] = one.number(3, one.number(7));
      }
      if (fields.number(9) == 3) {
        instants.push_back(made);
        continue;
      }
      EXPECT_EQ(fields.number(9), 1u);
      EXPECT_FALSE(slice) << "two at a time on " << tracks[made.track].path << " at " << event.at;
      slice = made;
    }
    for (const auto& [track, slice] : open) EXPECT_FALSE(slice) << "no end on " << track;
    for (const Slice& slice : slices) {
      if (slice.flow != 0) flows[slice.flow].push_back(slice);
    }
    for (auto& [flow, path] : flows) {
      std::sort(path.begin(), path.end(),
                [](const Slice& a, const Slice& b) { return a.from < b.from; });
    }
  }
  [[nodiscard]] const std::string& path(const Slice& slice) const {
    return tracks.at(slice.track).path;
  }
};

// A row of --requests, by the names of its columns.
using Row = std::map<std::string, std::uint64_t>;
std::vector<Row> rows_of(const fs::path& path, std::vector<std::string>& columns) {
  std::vector<Row> rows;
  for (const std::string& line : lines_of(read_text(path))) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ',') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != "lookup") row[columns[i]] = std::strtoull(cells[i].c_str(), nullptr, 10);
    }
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.at("submitted_ps") < b.at("submitted_ps"); });
  return rows;
}

const std::map<std::string, std::string> kQueues = {
    {"port_enqueue_ps", "host bridge/host bridge"},
    {"memq_alloc_ps", "SR queue"},
    {"ctrl_accept_ps", "memory queue"},
    {"wire_m2s_ps", "request on the link"},
    {"ep_accept_ps", "endpoint's receive queue"},
    {"ep_lookup_ps", "internal DRAM lookup"},
    {"media_issue_ps", "wait for the medium"},
    {"media_done_ps", "medium"},
    {"ep_respond_ps", "endpoint's response queue"},
    {"wire_s2m_ps", "response on the link"},
    {"port_respond_ps", "root port takes the response"},
    {"sys_respond_ps", "host bridge/response on the system bus"}};

// Requests that are drawn against their rows: every slice with its queue and both its times.
void expect_drawn(const Decoded& drawn, const std::vector<Row>& rows,
                  const std::vector<std::string>& columns) {
  ASSERT_EQ(drawn.flows.size(), rows.size());
  std::size_t n = 0;
  for (const auto& [flow, path] : drawn.flows) {  // rises as requests are accepted
    const Row& row = rows[n++];
    std::vector<std::string> expected, got;
    std::uint64_t at = row.at("submitted_ps"), sum = 0;
    for (const std::string& column : columns) {
      const auto queue = kQueues.find(column);
      if (queue == kQueues.end()) continue;
      const std::uint64_t end = at + row.at(column);
      if (end / 1000 != at / 1000) {
        const bool bridge = queue->second.find('/') != std::string::npos;
        expected.push_back((bridge ? "" : "port " + std::to_string(row.at("port")) + "/") +
                           queue->second + " " + std::to_string(at / 1000) + " " +
                           std::to_string(end / 1000));
      }
      at = end;
    }
    for (const Slice& slice : path) {
      got.push_back(drawn.path(slice) + " " + std::to_string(slice.from) + " " +
                    std::to_string(slice.to));
      sum += slice.to - slice.from;
      EXPECT_EQ(slice.ends_flow, &slice == &path.back()) << flow;
      EXPECT_EQ(slice.name.substr(0, 4), row.at("is_write") != 0 ? "stor" : "load");
    }
    ASSERT_EQ(got, expected) << flow;
    EXPECT_EQ(sum * 1000, row.at("latency_ps"));
    EXPECT_EQ(path.front().notes.at("request"), flow);
    EXPECT_EQ(path.front().notes.at("address"), row.at("address"));
    EXPECT_EQ(path.front().notes.at("latency_ns") * 1000, row.at("latency_ps"));
  }
}

class Timelines : public CliEngine {
 protected:
  Args args(Args more) const {
    Args all = {"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=2048"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Timelines, ::testing::Values("model", "rtl", "cosim"),
                         engine_name);

TEST_P(Timelines, SayWhatTheRequestsSay) {
  accepted(args({"--requests", "r.csv", "--timeline", "t.pftrace", "--out", "o"}));
  std::vector<std::string> columns;
  const std::vector<Row> rows = rows_of(dir_ / "r.csv", columns);
  ASSERT_GT(rows.size(), 200u);
  const Decoded all(dir_ / "t.pftrace");
  expect_drawn(all, rows, columns);

  // Cores and dies, by what the run has counted.
  std::uint64_t memory_ns = 0, senses = 0;
  std::set<std::string> paths;
  for (const Slice& slice : all.slices) {
    paths.insert(all.path(slice));
    if (slice.name == "waits for memory") memory_ns += slice.to - slice.from;
    if (slice.name == "senses") ++senses;
  }
  EXPECT_EQ(memory_ns, value(stats(), "/gpu/slots/memory"));
  double page_reads = 0;
  const json counters = stats().at("media_counters");
  for (const json& part : counters) page_reads += value(part, "/page_reads");
  EXPECT_GT(senses, 0u);
  EXPECT_EQ(static_cast<double>(senses), page_reads);
  for (const char* path :
       {"cores/core 0", "cores/core 7", "port 0/SR queue", "port 1/medium", "port 0/dies/die 0"}) {
    EXPECT_TRUE(paths.contains(path)) << path;
  }
  std::map<std::string, std::uint64_t> instants;
  for (const Slice& instant : all.instants) {
    EXPECT_NE(all.path(instant).find("/speculation"), std::string::npos);
    ++instants[instant.name];
  }
  EXPECT_EQ(static_cast<double>(instants["MemSpecRd"]), value(stats(), "/memspecrd/sent"));

  // One in seven, compressed; a window.
  accepted(args({"--timeline", "s.pftrace.gz", "--timeline-every", "7"}));
  std::vector<Row> some;
  for (std::size_t i = 0; i < rows.size(); i += 7) some.push_back(rows[i]);
  EXPECT_EQ(read_text(dir_ / "s.pftrace.gz").substr(0, 2), "\x1f\x8b");
  expect_drawn(Decoded(dir_ / "s.pftrace.gz"), some, columns);
  accepted(args({"--timeline", "w.pftrace", "--timeline-from-us", "4", "--timeline-to-us", "6"}));
  some.clear();
  for (const Row& row : rows) {
    if (row.at("submitted_ps") >= 4'000'000 && row.at("submitted_ps") <= 6'000'000) {
      some.push_back(row);
    }
  }
  ASSERT_FALSE(some.empty());
  ASSERT_LT(some.size(), rows.size());
  const Decoded window(dir_ / "w.pftrace");
  expect_drawn(window, some, columns);
  for (const Slice& slice : window.slices) {
    EXPECT_TRUE(slice.flow != 0 || (slice.from >= 4000 && slice.from <= 6000)) << slice.from;
  }
}

TEST_F(Cli, TimelinesOfPagesOfDramAndOfTraces) {
  std::vector<std::string> columns;
  accepted({"run", "vadd-znand-uvm", "--set", "workload.size=512", "--timeline", "p.pftrace",
            "--requests", "r.csv"});
  const Decoded paged(dir_ / "p.pftrace");
  EXPECT_EQ(paged.flows.size(), rows_of(dir_ / "r.csv", columns).size());
  for (const auto& [flow, path] : paged.flows) {
    EXPECT_EQ(paged.path(path.front()).find("paged memory/"), 0u) << paged.path(path.front());
  }
  write("t.csv", "0,R,0x0,64\n5,W,0x40,64\n9,R,0x0,64\n");
  accepted(
      {"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv", "--timeline", "d.pftrace"});
  EXPECT_EQ(Decoded(dir_ / "d.pftrace").flows.size(), 3u);
}

// Times of more bytes than a pattern has for them.
TEST_F(Cli, TimelinesOfWhatComesLate) {
  write("t.csv", "0,R,0x0,64\n40000000000,W,0x40,64\n40000000090,R,0x1000,64\n");
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv", "--set",
            "run.limit_us=100000000", "--timeline", "t.pftrace", "--requests", "r.csv"});
  std::vector<std::string> columns;
  const std::vector<Row> rows = rows_of(dir_ / "r.csv", columns);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_GT(rows.back().at("submitted_ps"), std::uint64_t{1000} << 35);
  expect_drawn(Decoded(dir_ / "t.pftrace"), rows, columns);
}

TEST_F(Cli, TimelinesThatAreRefused) {
  const auto refuse = [&](const Args& more, const std::vector<std::string>& parts) {
    Args args = {"run", "vadd-dram-cxl", "--engine", "model", "--set", "workload.size=512"};
    args.insert(args.end(), more.begin(), more.end());
    refused(args, parts);
  };
  refuse({"--timeline", "t", "--timeline-every", "0"}, {"--timeline-every", "0"});
  refuse({"--timeline-every", "2"}, {"--timeline"});
  refuse({"--timeline", "t", "--timeline-from-us", "4", "--timeline-to-us", "4"}, {"empty"});
  refuse({"--timeline", "nowhere/t"}, {"nowhere/t"});
  refused({"run", "vadd-dram-gpu-dram", "--timeline", "t"}, {"--timeline", "gpu-dram"});
}

}  // namespace
}  // namespace cxlgpu
