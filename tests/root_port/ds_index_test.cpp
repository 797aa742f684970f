// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_index: the RTL against its twin and against std::map, its tree walked from outside, and the
// twin against std::map.
#include "refmodel/root_port/ds_index.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "Vds_index.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_ds.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::get_bits;
using test::Lockstep;
using test::Random;
using test::set_bits;

constexpr unsigned kDepths[] = {1024, 8, 4096};  // of the instances on the bench
constexpr unsigned kInstances = 3, kGreatest = 2;
constexpr unsigned kKeyBits[] = {46, 64, 46}, kNone = 0x1000;
constexpr unsigned kSlotBits = 12, kLinkBits = 13;
constexpr unsigned kNodeBits = 104;  // of a word on the bench, its key 64

unsigned height_bound(unsigned nodes) {
  return 2 * (std::bit_width(nodes + 1) - 1);
}

unsigned cycles_bound(unsigned op, unsigned nodes) {
  const unsigned h = height_bound(nodes);
  return op == 1 ? 4 * h + 5 : op == 2 ? 3 * h + 12 : h + 1;
}

// A copy of the node memory, kept by its write port, and the rules of a red-black tree.
class NodeMemory {
 public:
  explicit NodeMemory(unsigned depth) : nodes_(depth) {}

  template <typename Port>
  void write(unsigned slot, const Port& port, std::size_t at) {
    Node& node = nodes_[slot];
    node.key = get_bits(port, at, 64);
    node.parent = static_cast<unsigned>(get_bits(port, at + 64, kLinkBits));
    node.right = static_cast<unsigned>(get_bits(port, at + 77, kLinkBits));
    node.left = static_cast<unsigned>(get_bits(port, at + 90, kLinkBits));
    node.red = get_bits(port, at + 103, 1) != 0;
  }

  // Every key of the tree with its slot, if the tree is one.
  [[nodiscard]] std::map<std::uint64_t, unsigned> walk(unsigned root) const {
    keys_.clear();
    trouble_.clear();
    if (!none(root) && nodes_[root].red) trouble_ = "the root is red";
    blacks(root, kNone, 0, ~std::uint64_t{0});
    return keys_;
  }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Node {
    std::uint64_t key = 0;
    unsigned parent = kNone, left = kNone, right = kNone;
    bool red = false;
  };
  static bool none(unsigned link) { return (link & kNone) != 0; }

  // Black nodes on each way down; keys lie in [least, most].
  int blacks(unsigned link, unsigned parent, std::uint64_t least, std::uint64_t most) const {
    if (none(link) || !trouble_.empty()) return 0;
    const Node& node = nodes_[link];
    if (none(parent) != none(node.parent) || (!none(parent) && parent != node.parent)) {
      trouble_ = "a parent does not match";
    } else if (node.key < least || node.key > most) {
      trouble_ = "keys are out of order";
    } else if (!keys_.try_emplace(node.key, link).second) {
      trouble_ = "a node is there twice";
    } else if (node.red && !none(parent) && nodes_[parent].red) {
      trouble_ = "a red node has a red parent";
    }
    // A child of the least or greatest key there is would be a key twice.
    const int left = blacks(node.left, link, least, std::max<std::uint64_t>(node.key, 1) - 1);
    const int right = blacks(node.right, link, node.key + (~node.key != 0), most);
    if (left != right && trouble_.empty()) trouble_ = "ways with unlike numbers of black nodes";
    return left + !node.red;
  }

  std::vector<Node> nodes_;
  mutable std::map<std::uint64_t, unsigned> keys_;
  mutable std::string trouble_;
};

// Where keys come from: few, so that they meet; in order; anything, with the ends.
std::uint64_t random_key(Random& random, unsigned depth, unsigned key_bits, unsigned phase) {
  switch (phase % 3) {
    case 0:
      return random.below(2 * depth);
    case 1:
      return (std::uint64_t{1} << (key_bits - 1)) + random.below(3 * depth) * 64;
    default:
      return random.percent(20) ? (~std::uint64_t{0} >> (64 - key_bits)) - random.below(4)
                                : random.bits(key_bits);
  }
}

// One instance: its caller, its twin, its copy of the memory.
class Caller {
 public:
  Caller(Clocked<Vds_index>& rtl, Lockstep& lockstep, Random& random, unsigned instance)
      : rtl_(rtl),
        lockstep_(lockstep),
        random_(random),
        g_(instance),
        depth_(kDepths[instance]),
        twin_(depth_),
        memory_(depth_) {
    for (unsigned s = 0; s < depth_; ++s) free_.push_back(s);
  }

  void drive() {
    offered_ = false;
    cleared_ = false;
    const bool ready = get_bits(rtl_->req_ready_o, g_, 1) != 0;
    if (pause_ > 0) --pause_;
    if (to_clear_) {  // no request may wait then
      // At the earliest with the answer. The large one takes long to fill: not when it is full.
      const auto nodes = get_bits(rtl_->count_o, kLinkBits * g_, kLinkBits);
      if (depth_ > 8 && nodes + 1 >= depth_) to_clear_ = false;
      cleared_ = to_clear_ && ready && pause_ == 0;
    } else if (choose_new_ && pause_ > 0) {
      // nothing is asked, perhaps until after the answer
    } else if (!choose_new_ || random_.percent(80)) {
      choose();
      offered_ = true;
    }
    set_bits(rtl_->clear_i, g_, 1, cleared_);
    set_bits(rtl_->req_valid_i, g_, 1, offered_);
    set_bits(rtl_->op_i, 2 * g_, 2, op_);
    set_bits(rtl_->key_i, 64 * g_, 64, key_);
    set_bits(rtl_->slot_i, kSlotBits * g_, kSlotBits, slot_);
  }

  // Inputs are settled, the edge has not come.
  void check_and_clock() {
    const DsIndexBlock::Out twin = twin_.eval();
    const bool ready = get_bits(rtl_->req_ready_o, g_, 1) != 0;
    if (under_way_) ++cycles_;
    lockstep_.check("req_ready_o", ready, twin.req_ready);
    lockstep_.check("rsp_valid_o", get_bits(rtl_->rsp_valid_o, g_, 1), twin.rsp_valid);
    lockstep_.check("found_o", get_bits(rtl_->found_o, g_, 1), twin.found);
    lockstep_.check("slot_o", get_bits(rtl_->slot_o, kSlotBits * g_, kSlotBits), twin.slot);
    if (under_way_) {
      lockstep_.check("cycles within the bound", cycles_ <= cycles_bound(now_.op, before_), true);
    }
    meet(twin, ready);
    if (twin.rsp_valid) finish(twin);
    if (!under_way_) check_tree(twin);
    if (get_bits(rtl_->node_we_o, g_, 1) != 0) {
      memory_.write(static_cast<unsigned>(get_bits(rtl_->node_slot_o, kSlotBits * g_, kSlotBits)),
                    rtl_->node_o, std::size_t{kNodeBits} * g_);
    }
    if (cleared_) {
      free_.clear();
      for (unsigned s = 0; s < depth_; ++s) free_.push_back(s);
      changed_ = true;
      to_clear_ = false;
      ++clears_;
    } else if (offered_ && ready) {
      now_ = {op_, key_, slot_};
      if (op_ == 1) std::erase(free_, slot_);
      under_way_ = true;
      before_ = twin.count;
      cycles_ = 0;
      changed_ = true;
      choose_new_ = true;
      // In the beginning the large one as well is empty time and again.
      const unsigned clears = depth_ == 8                  ? 40
                              : lockstep_.cycle() < 10'000 ? 3
                              : depth_ == 1024             ? 5'000
                                                           : 1'000'000;
      to_clear_ = random_.below(clears) == 0;
      pause_ = random_.percent(30) ? static_cast<unsigned>(random_.below(60)) : 0;
    }
    twin_.clock({cleared_, offered_, op_, key_, slot_});
  }

  [[nodiscard]] std::uint64_t done(unsigned op) const { return done_[op]; }
  [[nodiscard]] unsigned clears() const { return clears_; }
  [[nodiscard]] unsigned most_nodes() const { return most_nodes_; }
  [[nodiscard]] unsigned refused() const { return refused_; }
  // Cycles of find, insert, delete with three quarters of the slots in use, or more.
  struct Cycles {
    std::uint64_t operations = 0, sum = 0;
    unsigned most = 0;
    void add(unsigned cycles) {
      ++operations;
      sum += cycles;
      most = std::max(most, cycles);
    }
  };
  [[nodiscard]] const Cycles& crowded(unsigned op) const { return crowded_[op]; }

 private:
  struct Request {
    unsigned op = 0;
    std::uint64_t key = 0;
    unsigned slot = 0;
  };

  void choose() {
    if (!choose_new_) return;  // held while stalled
    choose_new_ = false;
    const unsigned phase = static_cast<unsigned>(lockstep_.cycle() / 16'384);
    // Now and then the key of before: of an index that is all but empty it is the only one.
    if (!random_.percent(before_ < 2 ? 60 : 25))
      key_ = random_key(random_, depth_, kKeyBits[g_], phase);
    // It fills, shrinks, fills up, and is all but empty; the large one fills once and stays so
    // long.
    constexpr unsigned kInserts[] = {70, 30, 85, 5};
    const unsigned inserts = depth_ == 8                  ? kInserts[lockstep_.cycle() / 4'096 % 4]
                             : lockstep_.cycle() < 10'000 ? 50
                             : lockstep_.cycle() < fills_ ? 90
                                                          : 40;
    op_ = random_.percent(30) ? (random_.percent(20) ? 3 : 0) : (random_.percent(inserts) ? 1 : 2);
    // The caller does not look whether the key is there, but it owns the free slots.
    if (op_ == 1 && free_.empty()) {
      op_ = 2;
      ++refused_;
    }
    slot_ = op_ == 1 ? free_[random_.below(free_.size())] : static_cast<unsigned>(random_.bits(3));
  }

  void meet(const DsIndexBlock::Out& out, bool ready) {
    using namespace coverage;
    if (g_ == kGreatest) return;  // the bins know the other two
    const IndexTakes takes = cleared_               ? IndexTakes::Clear
                             : !(offered_ && ready) ? IndexTakes::Nothing
                             : op_ == 1             ? IndexTakes::Insert
                             : op_ == 2             ? IndexTakes::Delete
                                                    : IndexTakes::Find;
    const IndexAnswers answer = !out.rsp_valid ? IndexAnswers::No
                                : out.found    ? IndexAnswers::Found
                                               : IndexAnswers::NotFound;
    const IndexLevel level = out.count == 0            ? IndexLevel::Empty
                             : out.count == 1          ? IndexLevel::One
                             : out.count == depth_     ? IndexLevel::Full
                             : out.count == depth_ - 1 ? IndexLevel::OneFree
                                                       : IndexLevel::Some;
    pairs_.hit({g_, static_cast<unsigned>(takes), static_cast<unsigned>(answer),
                static_cast<unsigned>(level)});
  }

  void finish(const DsIndexBlock::Out& answer) {
    under_way_ = false;
    if (now_.op == 1 && answer.found) free_.push_back(now_.slot);
    if (now_.op == 2 && answer.found) free_.push_back(answer.slot);
    ++done_[now_.op];
    if (before_ >= depth_ * 3 / 4) crowded_[now_.op % 3].add(cycles_);
    most_nodes_ = std::max(most_nodes_, answer.count);
  }

  void check_tree(const DsIndexBlock::Out& twin) {
    const auto root = static_cast<unsigned>(get_bits(rtl_->root_o, kLinkBits * g_, kLinkBits));
    lockstep_.check("count_o", get_bits(rtl_->count_o, kLinkBits * g_, kLinkBits), twin.count);
    lockstep_.check("root_o none", (root & kNone) != 0, !twin.root);
    if (twin.root) lockstep_.check("root_o slot", root, *twin.root);
    // The large one is walked now and then: the way of every key is longer than an operation.
    if (!changed_ || (depth_ > 8 && random_.below(depth_ / 64) != 0)) return;
    changed_ = false;
    const auto keys = memory_.walk(root);
    if (!memory_.trouble().empty()) {
      lockstep_.check(memory_.trouble().c_str(), 1, 0);
      return;
    }
    lockstep_.check("nodes in the tree", keys.size(), twin.count);
    for (const auto& [key, slot] : keys) {
      const DsIndex::Answer there = twin_.index().find(key);
      lockstep_.check("a key in the tree", 1, there.found);
      lockstep_.check("slot of a key in the tree", slot, there.slot);
    }
  }

  Clocked<Vds_index>& rtl_;
  Lockstep& lockstep_;
  Random& random_;
  unsigned g_, depth_;
  std::uint64_t fills_ = depth_ == 4096 ? 550'000 : 130'000;  // until this cycle; of a large one
  DsIndexBlock twin_;
  NodeMemory memory_;
  std::vector<unsigned> free_;
  bool offered_ = false, cleared_ = false, under_way_ = false;
  bool changed_ = false, choose_new_ = true, to_clear_ = false;
  unsigned pause_ = 0;  // cycles without a request
  unsigned op_ = 0, slot_ = 0, cycles_ = 0, before_ = 0, most_nodes_ = 0, clears_ = 0, refused_ = 0;
  std::uint64_t key_ = 0;
  Request now_;
  std::uint64_t done_[4] = {};
  Cycles crowded_[3];
  test::TestCoverage pairs_{coverage::ds_index_pairs()};
};

TEST(DsIndex, LockstepWithRtl) {
  test::shows("ds",
              "The index finds each deferred line in its slot, stays a red-black tree and keeps "
              "its worst-case cycles",
              "docs/blocks/root_port/ds_index.md");
  Lockstep lockstep("root_port/ds_index", 0xd51);
  Random random(lockstep.seed());
  Clocked<Vds_index> rtl;
  rtl.reset();
  Caller callers[] = {{rtl, lockstep, random, 0}, {rtl, lockstep, random, 1}};
  while (lockstep.next()) {
    for (Caller& caller : callers) caller.drive();
    rtl.settle();
    for (Caller& caller : callers) caller.check_and_clock();
    rtl.edge();
  }
  if (lockstep.ok() && lockstep.cycle() > 100'000) {
    for (unsigned g = 0; g < 2; ++g) {
      EXPECT_EQ(callers[g].most_nodes(), kDepths[g]);
      EXPECT_GT(callers[g].refused(), 0u);  // an insert with every slot in use was not made
    }
    for (const Caller& caller : callers) {
      EXPECT_GT(caller.clears(), 0u);
      for (unsigned op = 0; op < 4; ++op) EXPECT_GT(caller.done(op), 100u) << "op " << op;
    }
    const char* names[] = {"find", "insert", "delete"};
    for (unsigned op = 0; op < 3; ++op) {  // of the large one
      const Caller::Cycles& cycles = callers[0].crowded(op);
      RecordProperty(std::string(names[op]) + "_mean_cycles",
                     std::to_string(static_cast<double>(cycles.sum) / cycles.operations));
      RecordProperty(std::string(names[op]) + "_most_cycles", static_cast<int>(cycles.most));
    }
  }
}

// As many lines as a root port can be built with: filled to the last slot, the others stand still.
TEST(DsIndex, GreatestInLockstepWithRtl) {
  Lockstep lockstep("root_port/ds_index", 0xd55, 650'000);
  Random random(lockstep.seed());
  Clocked<Vds_index> rtl;
  rtl.reset();
  Caller caller(rtl, lockstep, random, kGreatest);
  while (lockstep.next()) {
    caller.drive();
    rtl.settle();
    caller.check_and_clock();
    rtl.edge();
  }
  if (lockstep.ok() && lockstep.cycle() > 600'000) {
    EXPECT_EQ(caller.most_nodes(), kDepths[kGreatest]);
    EXPECT_GT(caller.refused(), 0u);
    EXPECT_GT(caller.clears(), 0u);
    for (unsigned op = 0; op < 4; ++op) EXPECT_GT(caller.done(op), 100u) << "op " << op;
  }
}

// The RTL against a plain map; no twin. Each phase of operations is one of its own: keys in order,
// in the opposite order, from both ends inwards, and at random; found, missing, doubled; filled to
// the last slot, then emptied in another order.
class Map {
 public:
  explicit Map(unsigned instance) : g_(instance), depth_(kDepths[instance]), memory_(depth_) {
    rtl_.reset();
    for (unsigned s = 0; s < depth_; ++s) free_.push_back(depth_ - 1 - s);
  }
  void find(std::uint64_t key) {
    const auto at = map_.find(key);
    operate(random_.percent(20) ? 3 : 0, key, 0);
    expect(at != map_.end(), at != map_.end() ? at->second : 0);
  }
  void insert(std::uint64_t key) {
    const auto at = map_.find(key);
    const unsigned slot = free_.back();
    operate(1, key, slot);
    expect(at != map_.end(), at != map_.end() ? at->second : slot);
    if (at != map_.end()) return;
    map_[key] = slot;
    free_.pop_back();
  }
  void erase(std::uint64_t key) {
    const auto at = map_.find(key);
    const bool found = at != map_.end();
    const unsigned slot = found ? at->second : 0;
    operate(2, key, static_cast<unsigned>(random_.bits(3)));
    expect(found, slot);
    if (!found) return;
    free_.push_back(slot);
    map_.erase(at);
  }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::size_t size() const { return map_.size(); }
  void expect_tree() {
    const auto keys = memory_.walk(
        static_cast<unsigned>(get_bits(rtl_->root_o, std::size_t{kLinkBits} * g_, kLinkBits)));
    EXPECT_EQ(memory_.trouble(), "");
    EXPECT_EQ(keys, map_);
  }

 private:
  void operate(unsigned op, std::uint64_t key, unsigned slot) {
    const unsigned bound = cycles_bound(op, static_cast<unsigned>(map_.size()));
    set_bits(rtl_->req_valid_i, g_, 1, 1);
    set_bits(rtl_->op_i, 2 * g_, 2, op);
    set_bits(rtl_->key_i, 64 * g_, 64, key);
    set_bits(rtl_->slot_i, std::size_t{kSlotBits} * g_, kSlotBits, slot);
    clock();
    set_bits(rtl_->req_valid_i, g_, 1, 0);
    rtl_.settle();
    unsigned cycles = 1;
    for (; get_bits(rtl_->rsp_valid_o, g_, 1) == 0 && cycles <= bound; ++cycles) clock();
    EXPECT_LE(cycles, bound) << "op " << op;
    found_ = get_bits(rtl_->found_o, g_, 1) != 0;
    slot_ = static_cast<unsigned>(get_bits(rtl_->slot_o, std::size_t{kSlotBits} * g_, kSlotBits));
  }
  void clock() {
    rtl_.settle();
    if (get_bits(rtl_->node_we_o, g_, 1) != 0) {
      memory_.write(static_cast<unsigned>(
                        get_bits(rtl_->node_slot_o, std::size_t{kSlotBits} * g_, kSlotBits)),
                    rtl_->node_o, std::size_t{kNodeBits} * g_);
    }
    rtl_.edge();
  }
  void expect(bool found, unsigned slot) {
    EXPECT_EQ(found_, found);
    EXPECT_EQ(slot_, slot);
  }

  const unsigned g_, depth_;
  Random random_{0xd53};
  Clocked<Vds_index> rtl_;
  NodeMemory memory_;
  std::map<std::uint64_t, unsigned> map_;
  std::vector<unsigned> free_;
  bool found_ = false;
  unsigned slot_ = 0;
};

TEST(DsIndex, IsAMap) {
  test::shows("ds",
              "The index is a map from line to slot, in any order of keys, from empty to the last "
              "slot and back, within the page's cycles",
              "docs/blocks/root_port/ds_index.md");
  Random random(0xd54);
  for (unsigned g = 0; g < kInstances; ++g) {
    Map map(g);
    const std::uint64_t n = kDepths[g];
    const auto key_of = [&](unsigned way, std::uint64_t i) -> std::uint64_t {
      const std::uint64_t from_ends = i % 2 == 0 ? i / 2 : n - 1 - i / 2;
      const std::uint64_t at[] = {i, n - 1 - i, from_ends, i * 5 % n};
      return at[way] * 0x9e37;
    };
    for (unsigned way = 0; way < 4 && !HasFailure(); ++way) {
      for (std::uint64_t i = 0; i < n; ++i) {
        map.insert(key_of(way, i));
        map.find(key_of(way, i / 2));
        map.find(key_of(way, i) + 1);
        if (!map.full()) map.insert(key_of(way, i / 3));
      }
      EXPECT_TRUE(map.full());
      map.expect_tree();
      for (std::uint64_t i = 0; i < n; ++i) map.find(key_of(way, i));
      for (std::uint64_t i = 0; i < n; ++i) {
        map.erase(key_of(3 - way, i));
        map.erase(key_of(3 - way, i / 2));
        if (i % std::max<std::uint64_t>(n / 16, 1) == 0) map.expect_tree();
      }
      EXPECT_EQ(map.size(), 0u);
    }
    for (unsigned i = 0; i < 20'000 && !HasFailure(); ++i) {
      const std::uint64_t key = random.below(2 * n) * 0x9e37;
      const std::uint64_t op = random.below(3);
      if (op == 0) map.find(key);
      if (op == 1 && !map.full()) map.insert(key);
      if (op == 2) map.erase(key);
      if (i % 256 == 0) map.expect_tree();
    }
  }
}

// CXLGPU_CYCLES counts operations here.
TEST(DsIndex, TwinIsAMap) {
  Random random(test::from_environment("CXLGPU_SEED", 0xd52));
  const std::uint64_t operations = test::from_environment("CXLGPU_CYCLES", 1'000'000);
  for (const unsigned depth : {4u, 256u, 4096u}) {
    DsIndex twin(depth);
    std::map<std::uint64_t, unsigned> map;
    std::vector<unsigned> free;
    for (unsigned s = 0; s < depth; ++s) free.push_back(s);
    for (std::uint64_t n = 0; n < operations / 3; ++n) {
      const std::uint64_t key = random_key(random, depth, 64, static_cast<unsigned>(n >> 16));
      const auto there = map.find(key);
      const bool found = there != map.end();
      const unsigned slot = found ? there->second : 0;
      const unsigned before = twin.size();
      const auto op = static_cast<unsigned>(random.below(3));
      if (op == 1 && free.empty()) continue;
      const DsIndex::Answer answer = op == 0   ? twin.find(key)
                                     : op == 1 ? twin.insert(key, free.back())
                                               : twin.erase(key);
      ASSERT_EQ(answer.found, found) << "operation " << n;
      ASSERT_EQ(answer.slot, op == 1 && !found ? free.back() : slot) << "operation " << n;
      ASSERT_GE(answer.cycles, 1u);
      ASSERT_LE(answer.cycles, cycles_bound(op, before)) << "operation " << n;
      if (op == 1 && !found) {
        map.emplace(key, free.back());
        free.pop_back();
      } else if (op == 2 && found) {
        free.push_back(slot);
        map.erase(there);
      }
      ASSERT_EQ(twin.size(), map.size());
    }
  }
}

}  // namespace
}  // namespace cxlgpu
