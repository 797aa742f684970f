// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Stimulus and ports that the elastic and drift buffer tests share.
//
// Purpose: one lane as it comes from the far end, with SKP sets, rates that drift apart, and words
//          out of order.
// Units:   rates in percent of cycles.
// Errors:  as in tests/common/bits.hpp.
#pragma once

#include <deque>
#include <optional>

#include "tests/flex_bus/ports.hpp"

namespace cxlgpu::test {

// One lane's words: data blocks and SKP sets, some of them damaged or cut short.
class LaneWords {
 public:
  LaneWord next(Random& random) {
    if (words_.empty()) extend(random);
    const LaneWord word = words_.front();
    words_.pop_front();
    return word;
  }

 private:
  void extend(Random& random) {
    if (random.percent(40)) {  // data, some of it like ordered sets
      for (std::uint64_t i = 1 + random.below(12); i > 0; --i) {
        const bool start = random.percent(25);
        words_.push_back(
            {start, start ? static_cast<unsigned>(random.bits(2)) : 0u, tricky_data(random)});
      }
      return;
    }
    words_.push_back({true, random.percent(95) ? kSyncOrderedSet : kSyncData, kSkpWord});
    for (std::uint64_t i = random.below(5); i > 0; --i) {
      const bool odd = random.percent(4);
      words_.push_back({odd, odd ? static_cast<unsigned>(random.bits(2)) : 0u, kSkpWord});
    }
    words_.push_back({false, 0, kSkpEndWord});
  }
  std::deque<LaneWord> words_;
};

// When words come and when they are asked for: phases in which one side is faster, both are even,
// or both stand still.
class Rates {
 public:
  void phase(Random& random) {
    if (random.below(40) != 0) return;
    write_ = random.pick(std::array{0u, 50u, 90u, 98u, 100u});
    read_ = random.percent(50) ? write_ : random.pick(std::array{0u, 50u, 90u, 98u, 100u});
  }
  bool write(Random& random) const { return random.percent(write_); }
  bool read(Random& random) const { return random.percent(read_); }

 private:
  unsigned write_ = 90, read_ = 90;
};

template <typename Top, typename In>
void drive_buffer(Top& rtl, unsigned g, const In& in) {
  set_bits(rtl.clear_i, g, 1, in.clear);
  set_bits(rtl.wr_valid_i, g, 1, in.write.has_value());
  if (in.write) {  // else what was there stays
    set_bits(rtl.wr_start_i, g, 1, in.write->start);
    set_bits(rtl.wr_sync_i, 2 * g, 2, in.write->sync);
    set_bits(rtl.wr_data_i, 32 * g, 32, in.write->data);
  }
  set_bits(rtl.rd_en_i, g, 1, in.read);
}

template <typename Top, typename Out>
void compare_buffer(Lockstep& run, const Top& rtl, unsigned g, unsigned count_bits,
                    const Out& twin) {
  run.check("rd_valid_o", get_bits(rtl.rd_valid_o, g, 1), twin.word.has_value());
  if (twin.word) {
    run.check("rd_start_o", get_bits(rtl.rd_start_o, g, 1), twin.word->start);
    run.check("rd_sync_o", get_bits(rtl.rd_sync_o, 2 * g, 2), twin.word->sync);
    run.check("rd_data_o", get_bits(rtl.rd_data_o, 32 * g, 32), twin.word->data);
  }
  run.check("count_o", get_bits(rtl.count_o, count_bits * g, count_bits), twin.count);
  run.check("overflow_o", get_bits(rtl.overflow_o, g, 1), twin.overflow);
  run.check("underflow_o", get_bits(rtl.underflow_o, g, 1), twin.underflow);
  if (!run.ok()) ADD_FAILURE() << "buffer " << g;
}

}  // namespace cxlgpu::test
