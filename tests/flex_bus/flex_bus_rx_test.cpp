// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// flex_bus_rx in lockstep with its twin on legal and damaged streams at every width, and by hand
// the damaged-ID table, the ends of intervals and the ordered sets.
#include "refmodel/flex_bus/flex_bus_rx.hpp"

#include "Vflex_bus_rx.h"
#include "tests/flex_bus/word_stream.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kWidths = 4;
constexpr unsigned lanes_of(unsigned g) {
  return 2u << g;
}

// The receivers of all widths with their twins.
class Receivers {
 public:
  Lockstep run{"flex_bus/flex_bus_rx", 0x4EC};
  std::array<FlexBusRx::In, kWidths> in;
  std::array<FlexBusRx::Out, kWidths> out;  // of the state, compared

  Receivers() { reset(); }

  void step() {
    apply();
    rtl_.settle();
    compare();
    rtl_.edge();
    for (unsigned g = 0; g < kWidths; ++g) twin_[g].clock(in[g]);
  }
  // Asynchronous: what the outputs show at once is compared.
  void reset() {
    for (unsigned g = 0; g < kWidths; ++g) twin_[g] = FlexBusRx(lanes_of(g));
    rtl_->rst_ni = 0;
    rtl_.settle();
    compare();
    rtl_.reset();
  }

 private:
  void apply() {
    for (unsigned g = 0; g < kWidths; ++g) {
      set_bits(rtl_->run_i, g, 1, in[g].run);
      set_bits(rtl_->bypass_i, g, 1, in[g].bypass);
      set_bits(rtl_->expect_i, 4 * g, 4, in[g].expect);
      set_bits(rtl_->lane_valid_i, g, 1, in[g].word.valid);
      set_bits(rtl_->lane_start_i, g, 1, in[g].word.start);
      set_bits(rtl_->lane_sync_i, 2 * g, 2, in[g].word.sync);
      set_lanes(rtl_->lane_data_i, g, in[g].word.lane);
    }
  }
  void compare() {
    for (unsigned g = 0; g < kWidths; ++g) {
      out[g] = twin_[g].eval(in[g]);
      const FlexBusRx::Out& twin = out[g];
      run.check("rx_valid_o", get_bits(rtl_->rx_valid_o, g, 1), twin.rx_valid);
      if (twin.rx_valid) {
        run.check("rx_kind_o", get_bits(rtl_->rx_kind_o, 2 * g, 2),
                  static_cast<unsigned>(twin.rx_kind));
        check_flit(run, get_flit(rtl_->rx_flit_o, g), twin.rx_flit);
      }
      run.check("null_o", get_bits(rtl_->null_o, g, 1), twin.null);
      run.check("synced_o", get_bits(rtl_->synced_o, g, 1), twin.synced);
      run.check("status_o", get_bits(rtl_->status_o, 3 * g, 3), twin.status);
      run.check("recovery_o", get_bits(rtl_->recovery_o, g, 1), twin.recovery());
      if (!run.ok()) {
        ADD_FAILURE() << lanes_of(g) << " lanes, bypass " << in[g].bypass;
        return;
      }
    }
  }

  Clocked<Vflex_bus_rx> rtl_;
  std::vector<FlexBusRx> twin_{kWidths, FlexBusRx(2)};
};

struct Met {
  std::uint64_t flits = 0, nulls = 0, synced = 0, correctable = 0, uncorrectable = 0,
                unexpected = 0;
};

TEST(FlexBusRx, Lockstep) {
  Receivers rx;
  const Cycles cycles(150000);
  Random random(rx.run.seed());
  std::vector<WordStream> stream;
  for (unsigned g = 0; g < kWidths; ++g) stream.emplace_back(lanes_of(g), random);
  std::array<std::uint64_t, kWidths> left{};
  std::array<unsigned, kWidths> valid_percent{}, expect{}, faults{};
  std::array<Met, kWidths> met;
  while (cycles.next(rx.run)) {
    for (unsigned g = 0; g < kWidths; ++g) {
      FlexBusRx::In& in = rx.in[g];
      if (left[g] == 0) {  // a session ends with a cycle or more without run
        in.run = !in.run;
        left[g] = in.run ? 1 + random.below(random.percent(20) ? 100 : 4000) : 1 + random.below(3);
        if (in.run) {
          faults[g] = random.pick(std::array{0u, 3u, 10u, 10u, 40u});
          stream[g].restart(in.bypass, faults[g]);
          valid_percent[g] = random.pick(std::array{60u, 98u, 100u});
          expect[g] = random.percent(10) ? static_cast<unsigned>(random.bits(4)) : 0xF;
        } else {
          in.bypass = random.percent(50);
        }
      }
      --left[g];
      // Most of a broken stream is of no interest.
      if (!rx.out[g].synced && random.percent(2)) stream[g].restart(in.bypass, faults[g]);
      in.expect = random.below(200) == 0 ? static_cast<unsigned>(random.bits(4)) : expect[g];
      if (random.percent(valid_percent[g])) {
        in.word = stream[g].next();
      } else {
        in.word.valid = false;  // the rest is whatever it was
        in.word.start = random.percent(50);
        in.word.lane[0] = tricky_data(random);
      }
    }
    rx.step();
    for (unsigned g = 0; g < kWidths; ++g) {
      const FlexBusRx::Out& out = rx.out[g];
      met[g].flits += out.rx_valid;
      met[g].nulls += out.null;
      met[g].synced += out.synced;
      met[g].correctable += out.status == FlexBusRx::kCorrectable;
      met[g].uncorrectable += out.status == FlexBusRx::kUncorrectable;
      met[g].unexpected += out.status == FlexBusRx::kUnexpected;
    }
    if (random.below(10000) == 0) rx.reset();
  }
  if (!cycles.full(rx.run)) return;
  for (const Met& m : met) {
    EXPECT_GT(m.flits, 1000u);
    EXPECT_GT(m.nulls, 500u);
    EXPECT_GT(m.synced, 50000u);
    EXPECT_GT(m.correctable, 20u);
    EXPECT_GT(m.uncorrectable, 100u);
    EXPECT_GT(m.unexpected, 20u);
  }
}

using Stream = std::deque<Word>;
using Bytes = std::vector<std::uint8_t>;

void append_flit(Bytes& bytes, std::uint8_t a, std::uint8_t b, std::size_t size = 68) {
  bytes.push_back(a);
  bytes.push_back(b);
  for (std::size_t i = 2; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(7 * i + a));
}

struct Seen {
  unsigned flits = 0, nulls = 0, correctable = 0, uncorrectable = 0, unexpected = 0;
  FlitKind last_kind = FlitKind::kNull;
  bool synced = false;  // at the end
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& os, const Seen& s) {
  return os << s.flits << " flits (last of kind " << static_cast<int>(s.last_kind) << "), "
            << s.nulls << " NULL, status 8, 9, 10: " << s.correctable << " " << s.uncorrectable
            << " " << s.unexpected << (s.synced ? ", synced" : ", hunting");
}

// A stream from run's rise on into the receiver g, and what came of it.
Seen receive(Receivers& rx, unsigned g, const Stream& stream, bool bypass, unsigned expect = 0xF) {
  Seen seen;
  const auto step = [&] {
    rx.step();
    const FlexBusRx::Out& out = rx.out[g];
    seen.flits += out.rx_valid;
    if (out.rx_valid) seen.last_kind = out.rx_kind;
    seen.nulls += out.null;
    seen.correctable += out.status == FlexBusRx::kCorrectable;
    seen.uncorrectable += out.status == FlexBusRx::kUncorrectable;
    seen.unexpected += out.status == FlexBusRx::kUnexpected;
    seen.synced = out.synced;
  };
  rx.in[g] = {.run = false, .bypass = bypass, .expect = expect, .word = {}};
  rx.step();
  rx.in[g].run = true;
  for (const Word& word : stream) {
    rx.in[g].word = word;
    step();
  }
  rx.in[g].word = {};
  step();
  return seen;
}

// SDS and 17 blocks: flits of NULL, the ID under test in the first one or, with EDS, in the last.
// The stream stops with the word that completes it.
Stream stream_with_id(unsigned lanes, bool bypass, std::uint8_t a, std::uint8_t b, bool last) {
  Stream stream;
  WordStream::append_sds(stream);
  Bytes bytes;
  const std::size_t flits = last ? 4 * lanes : 1;
  for (std::size_t i = 1; i < flits; ++i) append_flit(bytes, 0x99, 0x99);
  append_flit(bytes, a, b);
  bytes.resize((bytes.size() + 4 * lanes - 1) / (4 * lanes) * (4 * lanes), 0x99);
  WordStream::append_bytes(stream, lanes, bytes, bypass);
  return stream;
}

// The rows of the damaged-ID table, with the status bits by number.
TEST(FlexBusRx, DamagedIdTable) {
  struct Code {
    std::uint8_t byte;
    FlitKind kind;
    bool eds;
    std::uint8_t other;  // another valid code
  };
  const Code codes[] = {
      {0xFF, FlitKind::kIo, false, 0x55},       {0xD2, FlitKind::kIo, true, 0xFF},
      {0x55, FlitKind::kCachemem, false, 0xCC}, {0x87, FlitKind::kCachemem, true, 0x4B},
      {0xCC, FlitKind::kAlmp, false, 0x99},     {0x1E, FlitKind::kAlmp, true, 0xD2},
      {0x99, FlitKind::kNull, false, 0xFF},     {0x4B, FlitKind::kNull, true, 0x99},
  };
  Receivers rx;
  for (unsigned g = 0; g < kWidths; ++g) {
    for (const bool bypass : {false, true}) {
      for (const Code& code : codes) {
        SCOPED_TRACE(testing::Message() << lanes_of(g) << " lanes, bypass " << bypass << ", code 0x"
                                        << std::hex << unsigned{code.byte});
        const unsigned before = code.eds ? 4 * lanes_of(g) - 1 : 0;  // NULL flits
        const bool is_null = code.kind == FlitKind::kNull;
        const unsigned without = 0xF & ~(1u << static_cast<unsigned>(code.kind));
        const auto seen = [&](std::uint8_t a, std::uint8_t b, unsigned expect) {
          const Stream stream = stream_with_id(lanes_of(g), bypass, a, b, code.eds);
          return receive(rx, g, stream, bypass, expect);
        };
        Seen taken{.nulls = before + is_null, .synced = true};
        if (!is_null) {
          taken.flits = 1;
          taken.last_kind = code.kind;
        }
        Seen corrected = taken;
        corrected.correctable = 1;
        Seen unreadable{.nulls = before, .uncorrectable = 1, .synced = false};
        EXPECT_EQ(seen(code.byte, code.byte, 0xF), taken);
        EXPECT_EQ(seen(code.byte, 0x00, 0xF), corrected);
        EXPECT_EQ(seen(0x5A, code.byte, 0xF), corrected);
        EXPECT_EQ(seen(code.byte, code.other, 0xF), unreadable);
        EXPECT_EQ(seen(code.other, code.byte, 0xF), unreadable);
        EXPECT_EQ(seen(0x00, 0x00, 0xF), unreadable);
        EXPECT_EQ(seen(0x5A, 0x11, 0xF), unreadable);
        if (is_null && code.eds) continue;  // NULL flits in front would be unexpected, too
        const Seen unexpected{.nulls = before, .unexpected = 1, .synced = false};
        EXPECT_EQ(seen(code.byte, code.byte, without), unexpected);
        EXPECT_EQ(seen(code.byte, 0x00, without), unexpected);
        EXPECT_EQ(seen(0x5A, code.byte, without), unexpected);
      }
    }
  }
}

// Every length of a short NULL flit, its ID whole and damaged, then the next interval's flit.
TEST(FlexBusRx, ShortNullFlits) {
  Receivers rx;
  for (unsigned g = 0; g < kWidths; ++g) {
    const unsigned lanes = lanes_of(g);
    for (unsigned blocks = 1; blocks <= 17; ++blocks) {
      SCOPED_TRACE(testing::Message() << lanes << " lanes, " << blocks << " blocks");
      const auto seen = [&](std::uint8_t a, std::uint8_t b) {
        const std::size_t total = 16 * lanes * blocks;
        Bytes bytes;
        while (bytes.size() + 68 <= total) append_flit(bytes, 0x55, 0x55);
        if (bytes.size() == total) bytes[total - 68] = bytes[total - 67] = 0x87;
        if (bytes.size() < total) append_flit(bytes, a, b, total - bytes.size());
        Stream stream;
        WordStream::append_sds(stream);
        WordStream::append_bytes(stream, lanes, bytes, false);
        WordStream::append_set(stream, kSkpWord, kSkpWord, 2, kSkpEndWord, true);
        Bytes next;
        append_flit(next, 0xCC, 0xCC);
        next.resize(32 * lanes, 0x99);
        WordStream::append_bytes(stream, lanes, next, false);
        return receive(rx, g, stream, false);
      };
      const unsigned whole = 16 * lanes * blocks / 68;
      const bool is_short = 16 * lanes * blocks % 68 != 0;
      Seen good{.flits = whole, .nulls = is_short, .synced = true};
      if (whole != 0) good.last_kind = FlitKind::kCachemem;
      // What two blocks hold of the next interval: one ALMP and NULL flits.
      if (const unsigned next = 32 * lanes / 68; next != 0) {
        ++good.flits;
        good.nulls += next - 1;
        good.last_kind = FlitKind::kAlmp;
      }
      EXPECT_EQ(seen(0x4B, 0x4B), good);
      if (!is_short) continue;
      Seen corrected = good;
      corrected.correctable = 1;
      EXPECT_EQ(seen(0x4B, 0xFF ^ 0x4B), corrected);
      Seen broken{.flits = whole, .uncorrectable = 1, .synced = false};
      if (whole != 0) broken.last_kind = FlitKind::kCachemem;
      EXPECT_EQ(seen(0x99, 0x99), broken);  // no EDS
      EXPECT_EQ(seen(0x87, 0x87), broken);  // EDS, but not NULL
      EXPECT_EQ(seen(0x4B, 0x99), broken);
    }
  }
}

// SKP ordered sets of one to five SKP words and the end pass; six break the stream.
TEST(FlexBusRx, LengthsOfSkpSets) {
  Receivers rx;
  for (unsigned g = 0; g < kWidths; ++g) {
    for (const bool bypass : {false, true}) {
      for (unsigned words = 1; words <= 7; ++words) {
        Bytes bytes;
        const unsigned flits = 4 * lanes_of(g);
        for (unsigned i = 0; i < flits; ++i) {
          const std::uint8_t id = i + 1 == flits ? 0xD2 : 0xFF;
          append_flit(bytes, id, id);
        }
        Stream stream;
        WordStream::append_sds(stream);
        WordStream::append_bytes(stream, lanes_of(g), bytes, bypass);
        WordStream::append_set(stream, kSkpWord, kSkpWord, words - 1, 0xABCDEFE1, !bypass);
        WordStream::append_bytes(stream, lanes_of(g), bytes, bypass);
        const bool good = words <= 5;
        const Seen want{.flits = good ? 2 * flits : flits,
                        .uncorrectable = !good,
                        .last_kind = FlitKind::kIo,
                        .synced = good};
        EXPECT_EQ(receive(rx, g, stream, bypass), want)
            << lanes_of(g) << " lanes, bypass " << bypass << ", " << words << " words";
      }
    }
  }
}

// EDS in a flit that does not end with the block, and an interval that ends without EDS: only sync
// headers tell that one.
TEST(FlexBusRx, EdsInTheWrongPlace) {
  Receivers rx;
  for (unsigned g = 0; g < kWidths; ++g) {
    for (const bool bypass : {false, true}) {
      EXPECT_EQ(receive(rx, g, stream_with_id(lanes_of(g), bypass, 0x87, 0x87, false), bypass),
                (Seen{.uncorrectable = 1, .synced = false}));
    }
    Stream stream = stream_with_id(lanes_of(g), false, 0x55, 0x55, true);
    WordStream::append_set(stream, kSkpWord, kSkpWord, 2, kSkpEndWord, true);
    const Seen want{.flits = 1,
                    .nulls = 4 * lanes_of(g) - 1,
                    .uncorrectable = 1,
                    .last_kind = FlitKind::kCachemem,
                    .synced = false};
    EXPECT_EQ(receive(rx, g, stream, false), want) << lanes_of(g) << " lanes";
  }
}

}  // namespace
}  // namespace cxlgpu::test
