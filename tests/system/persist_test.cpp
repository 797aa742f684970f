// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Persistence on the RTL: the litmus kernels, power lost at every event of them, and what an
// endpoint that does not wait would leave.
#include <utility>

#include "sim/stats/run_stats.hpp"
#include "tb/system_engine.hpp"
#include "tests/sim/persist/litmus.hpp"

namespace cxlgpu {
namespace {

// The RTL as BasicPersistMachine wants it.
class RtlUnderTest : public Engine {
 public:
  static constexpr const char* kName = "rtl";
  RtlUnderTest(const RunConfig& config, const EndpointParts& endpoint,
               const std::vector<Media*>& media, TraceSink*)
      : stats_(config.endpoint.line_bytes) {
    EngineParts parts{endpoint, media, {}, &stats_};
    engine_ = make_engine(config, parts, {});
  }
  ~RtlUnderTest() override {
    engine_->finish();
    for (const std::string& line : engine_->problems()) ADD_FAILURE() << line;
  }
  RtlUnderTest(const RtlUnderTest&) = delete;
  RtlUnderTest& operator=(const RtlUnderTest&) = delete;

  [[nodiscard]] Time now() const override { return engine_->now(); }
  bool submit(const MemRequest& request) override { return engine_->submit(request); }
  std::optional<MemResponse> take() override { return engine_->take(); }
  bool hint(const Hint& hint) override { return engine_->hint(hint); }
  void advance_to(Time t) override { engine_->advance_to(t); }
  [[nodiscard]] unsigned lines_per_cycle() const override { return engine_->lines_per_cycle(); }
  [[nodiscard]] const LinkOutage* outage() const { return engine_->outage(); }
  [[nodiscard]] Time first_damage() const { return engine_->disturbance().at; }

 private:
  RunStats stats_;
  std::unique_ptr<SystemEngine> engine_;
};
using RtlMachine = BasicPersistMachine<RtlUnderTest>;

TEST(PersistRtl, L1StoreBehindAPersistIsNeverThereWithoutTheStoreBefore) {
  for (const char* name : kDomains) {
    for (const U64 apart : {kLineWords, kPortWords}) {
      RtlMachine machine("ps-pram-gpm", domain(name));
      const Seen seen = message_passing(machine, Order::Persist, apart);
      EXPECT_FALSE(seen.forbidden) << name << " " << apart;
      EXPECT_TRUE(seen.none && seen.all) << name;
      EXPECT_GE(seen.points, 7U);
      EXPECT_EQ(seen.broken, 0U) << "a completion before the bytes were safe";
    }
  }
  RtlMachine znand("ps-znand-gpm", domain("buffer")), dram("ps-dram-gpm", domain("device"));
  EXPECT_FALSE(message_passing(znand, Order::Persist, kPortWords).forbidden);
  EXPECT_FALSE(message_passing(dram, Order::Persist, kPortWords).forbidden);
}

TEST(PersistRtl, L1WithoutThePersistOrWithAFenceForItIsSeenTheOtherWayRound) {
  for (const Order order : {Order::Nothing, Order::Fence}) {  // long links come up slowly
    RtlMachine machine("ps-pram-gpm", slow(domain("buffer")));
    EXPECT_TRUE(message_passing(machine, order, kPortWords).forbidden);
  }
  RtlMachine caches("ps-pram-gpm-eadr", domain("host"));
  EXPECT_FALSE(message_passing(caches, Order::Fence, kPortWords).forbidden);
}

// What an endpoint's mark is worth: a media port without it.
class Unmarked : public Media {
 public:
  // `most`: the highest level that passes.
  Unmarked(Media& inner, Durable most) : inner_(inner), most_(most) {}
  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override {
    return inner_.can_accept(now, op);
  }
  void submit(const MediaCommand& command, Time now) override {
    MediaCommand as_any = command;
    as_any.durable = std::min(command.durable, most_);
    inner_.submit(as_any, now);
  }
  std::optional<MediaResponse> take(Time now) override { return inner_.take(now); }
  [[nodiscard]] Time next_event() const override { return inner_.next_event(); }
  [[nodiscard]] const MediaCounters& counters() const override { return inner_.counters(); }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override { return inner_.peek(dpa); }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    inner_.poke(dpa, bytes);
  }

 private:
  Media& inner_;
  Durable most_;
};

TEST(PersistRtl, L1OfAnEndpointThatWaitsForTooLittleIsFound) {
  for (const auto& [name, most] :
       {std::pair{"buffer", Durable::Off}, {"media", Durable::Off}, {"media", Durable::Buffered}}) {
    RtlMachine machine("ps-pram-gpm", domain(name), [most = most](Media& media) {
      return std::make_unique<Unmarked>(media, most);
    });
    EXPECT_GT(message_passing(machine, Order::Persist, kPortWords).broken, 0U) << name;
  }
}

TEST(PersistRtl, L2AFlagBehindAPersistOrdersTheStoresOfTwoWarps) {
  for (const char* name : kDomains) {
    RtlMachine machine("ps-pram-gpm", domain(name));
    const Seen seen = through_a_flag(machine, Order::Persist);
    EXPECT_FALSE(seen.forbidden) << name;
    EXPECT_TRUE(seen.none && seen.all) << name;
  }
  RtlMachine machine("ps-pram-gpm", slow(domain("buffer")));
  EXPECT_TRUE(through_a_flag(machine, Order::Fence).forbidden);
}

TEST(PersistRtl, L3AnUndoEntryIsThereBeforeWhatItUndoes) {
  for (const char* name : kDomains) {
    RtlMachine machine("ps-pram-gpm", domain(name));
    EXPECT_FALSE(undo_fails(machine, true, Order::Persist)) << name;
    RtlMachine wrong("ps-pram-gpm", domain(name));
    EXPECT_TRUE(undo_fails(wrong, false, Order::Persist)) << name << ": in place before the entry";
  }
}

TEST(PersistRtl, L4BytesOfTwoWarpsInALineAreBothKept) {
  for (const char* name : kDomains) {
    for (const char* gather : {"0", "16", "400"}) {
      Sets sets = domain(name);
      sets.push_back(std::string("gpu.persist_gather_cycles=") + gather);
      RtlMachine machine("ps-pram-gpm", sets);
      const WalkResult result = bytes_of_two_warps(machine);
      EXPECT_FALSE(result.failure) << name << " " << gather << " point " << result.failure->point;
      EXPECT_EQ(result.broken, 0U);
    }
  }
}

TEST(PersistRtl, L5OneOfTwoLinksGoesDownAndComesBack) {
  for (const char* name : {"media", "buffer", "device"}) {
    Sets sets = domain(name);
    sets.insert(sets.end(), {"link.down_at_us=3", "link.down_for_us=4", "link.port=1"});
    RtlMachine machine("ps-pram-gpm", sets);
    EXPECT_TRUE(pairs_in_order(machine, Order::Persist, 12, true)) << name;
    ASSERT_NE(machine.engine.outage(), nullptr);
    EXPECT_TRUE(machine.engine.outage()->recovered()) << "the link was down while it ran";
  }
}

TEST(PersistRtl, L5NarrowLinks) {
  Sets sets = domain("buffer");
  sets.push_back("link.lanes=1");
  RtlMachine machine("ps-pram-gpm", sets);
  EXPECT_TRUE(pairs_in_order(machine, Order::Persist, 6));
}

TEST(PersistRtl, L8BitErrorsAndReplay) {
  for (const char* name : {"buffer", "device"}) {  // in media it takes minutes
    Sets sets = domain(name);
    sets.insert(sets.end(), {"link.bit_error_rate_m2s=1e-4", "link.bit_error_rate_s2m=1e-4"});
    RtlMachine machine("ps-pram-gpm", sets);
    EXPECT_TRUE(pairs_in_order(machine, Order::Persist, 6)) << name;
    EXPECT_NE(machine.engine.first_damage(), Time::never());
  }
}

TEST(PersistRtl, L9APersistOverARefusedWriteIsAnsweredAndSaysSo) {
  RtlMachine machine("ps-pram-gpm", domain("buffer"));
  refused_write(machine);
}

}  // namespace
}  // namespace cxlgpu
