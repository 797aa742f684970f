// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The model's endpoint with stores that do not wait: data and poison against flat memory, over
// every way in which stores, loads and fills meet in a line, and no request without an answer. And
// which of its commands ask for durable completion.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/opcodes.hpp"
#include "common/registers.hpp"
#include "model/endpoint.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

// Media that count what they are asked to make durable.
class MarkedMedia : public SimpleMedia {
 public:
  using SimpleMedia::SimpleMedia;
  void submit(const MediaCommand& c, Time now) override {
    const bool writes = c.op == MediaOp::Write || c.op == MediaOp::ArrayWrite;
    EXPECT_EQ(c.durable, writes && c.dpa >= persists_from ? level : Durable::Off)
        << "op " << static_cast<int>(c.op) << " of " << c.dpa;
    if (writes) ++(c.dpa >= persists_from ? persisted : others);
    SimpleMedia::submit(c, now);
  }
  std::uint64_t persists_from = 0;
  Durable level = Durable::Off;
  std::uint64_t persisted = 0, others = 0;
};

class OpenModel {
 public:
  OpenModel(std::uint64_t seed, unsigned sets_log2, unsigned open, Time high)
      : random_(seed), media_(seed, Time{1000}, high) {
    m2s_.connect(s2m_);
    s2m_.connect(m2s_);
    namespace hdm = regs::hdm;
    namespace ep = regs::ep;
    endpoint_.write_register(hdm::kDec + hdm::kDecSizeLow, 1u << 29);
    endpoint_.write_register(hdm::kDec + hdm::kDecControl, hdm::kDecControlCommit.mask());
    endpoint_.write_register(hdm::kGlobalControl, hdm::kGlobalControlEnable.mask());
    ConfigSpace::Out config;
    config.mem_enable = true;
    endpoint_.use_config(config);
    endpoint_.write_register(ep::kSets, sets_log2);
    endpoint_.write_register(ep::kControl, ep::kControlDramEnable.mask());
    endpoint_.write_register(ep::kOpen, open);
  }

  // From the second 256 MiB on memory persists; run() then uses as many lines on either side.
  void persist(Durable level, bool dram) {
    namespace ep = regs::ep;
    endpoint_.write_register(ep::kPersistentFrom, 1);
    endpoint_.write_register(ep::kDurable, static_cast<unsigned>(level));
    if (!dram) endpoint_.write_register(ep::kControl, 0);
    media_.persists_from = 1u << 28;
    media_.level = level;
    middle_ = media_.persists_from / kLineBytes;
  }
  [[nodiscard]] const MarkedMedia& media() const { return media_; }

  void run(unsigned requests, std::uint64_t lines, unsigned loads_percent) {
    loads_percent_ = loads_percent;
    for (unsigned sent = 0, spins = 0; sent < requests || !waiting_.empty(); ++spins) {
      ASSERT_LT(spins, 4'000'000u) << waiting_.size() << " requests without an answer";
      if (sent < requests && random_() % 3 == 0) {
        const std::uint64_t first = middle_ == 0 ? 0 : middle_ - lines / 2;
        sent += send(first + random_() % lines) ? 1 : 0;
      }
      cycle();
      if (::testing::Test::HasFailure()) return;
    }
  }
  [[nodiscard]] std::uint32_t count(std::uint32_t offset) {
    endpoint_.catch_up(now_);
    return endpoint_.read_register(offset);
  }

 private:
  struct Asked {
    std::uint64_t line = 0;
    bool read = false;
  };
  bool send(std::uint64_t line) {
    if (busy_.contains(line) || waiting_.size() > 40) return false;
    LinkMessage message{.line = line, .tag = tag_};
    const bool load = random_() % 100 < loads_percent_;
    if (load && random_() % 4 == 0) {
      if (!m2s_.nd_ready()) return false;
      message.opcode = kOpMemSpecRd;
      m2s_.push_nd(message, now_);
      return true;
    }
    const bool read = load;
    if (read ? !m2s_.nd_ready() : !m2s_.wd_ready()) return false;
    message.opcode = read ? kOpMemRd : kOpMemWr;
    if (read) {
      m2s_.push_nd(message, now_);
    } else {
      message.error = random_() % 6 == 0;
      const std::uint64_t enables = random_() % 3 == 0 ? random_() : kAllBytes;
      message.partial = enables != kAllBytes;
      LinkData& data = m2s_.push_wd(message, now_);
      for (auto& byte : data.line) byte = static_cast<std::uint8_t>(random_());
      data.byte_enable = enables;
      merge_bytes(memory_[line], data.line, enables);
      if (message.error || enables == kAllBytes) bad_[line] = message.error;
    }
    waiting_[tag_++] = {line, read};
    busy_[line] = true;
    return true;
  }
  void cycle() {
    now_ += kCycle;
    if (endpoint_.next_event() <= now_) endpoint_.tick(now_);
    if (const LinkMessage* ndr = s2m_.nd_head(now_)) {
      answer(ndr->tag, nullptr, false);
      s2m_.pop_nd(now_);
    }
    if (const LinkMessage* drs = s2m_.wd_head(now_)) {
      answer(drs->tag, &s2m_.wd_data().line, drs->error);
      s2m_.pop_wd(now_);
    }
    if (m2s_.pack_event() <= now_) endpoint_.wake(m2s_.pack(now_));
    if (s2m_.pack_event() <= now_) s2m_.pack(now_);
  }
  void answer(std::uint16_t tag, const Line* data, bool poison) {
    const auto found = waiting_.find(tag);
    ASSERT_NE(found, waiting_.end());
    const Asked asked = found->second;
    ASSERT_EQ(asked.read, data != nullptr);
    if (data != nullptr) {
      EXPECT_EQ(*data, memory_[asked.line]) << "line " << asked.line;
      EXPECT_EQ(poison, bad_[asked.line]) << "line " << asked.line;
    }
    busy_.erase(asked.line);
    waiting_.erase(found);
  }

  std::mt19937_64 random_;
  unsigned loads_percent_ = 0;
  std::uint64_t middle_ = 0;  // line from which on memory persists; 0: lines from 0 on
  Time now_{0};
  LinkDirection m2s_{true, {}}, s2m_{false, {}};
  MarkedMedia media_;
  EndpointModel endpoint_{0, {m2s_, s2m_, media_, nullptr}};
  std::uint16_t tag_ = 0;
  std::map<std::uint16_t, Asked> waiting_;
  std::map<std::uint64_t, bool> busy_, bad_;
  std::map<std::uint64_t, Line> memory_;
};

TEST(EndpointOpen, DataAndPoisonAreThoseOfFlatMemory) {
  namespace ep = regs::ep;
  std::uint64_t opened = 0, behind = 0, whole = 0;
  for (const unsigned open : {0u, 1u, 4u, 64u}) {
    for (const unsigned sets_log2 : {0u, 3u}) {
      for (const std::uint64_t high : {2'000u, 4'000'000u}) {
        SCOPED_TRACE(::testing::Message() << open << " open, sets " << sets_log2 << ", " << high);
        OpenModel model(open + 100 * sets_log2, sets_log2, open, Time{high});
        model.run(1500, sets_log2 == 0 ? 100 : 600, 50);
        model.run(1500, 60, 2);
        if (::testing::Test::HasFailure()) return;
        EXPECT_EQ(model.count(ep::kOpened) > 0, open > 0);
        opened += model.count(ep::kOpened);
        behind += model.count(ep::kFilledBehind);
        whole += model.count(ep::kMadeWhole);
      }
    }
  }
  EXPECT_GT(opened, 500u);
  EXPECT_GT(behind, 100u);
  EXPECT_GT(whole, 5u);
}

TEST(EndpointOpen, WritesOfWhatPersistsAndNoOtherCommandsAreDurable) {
  for (const Durable level : {Durable::Off, Durable::Buffered, Durable::Programmed}) {
    for (const bool dram : {true, false}) {
      for (const unsigned open : {0u, 4u}) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(level) << " " << dram << " " << open);
        OpenModel model(open, 1, open, Time{200'000});
        model.persist(level, dram);
        model.run(1000, 200, 40);
        EXPECT_GT(model.media().persisted, 100u);
        EXPECT_GT(model.media().others, 100u);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu
