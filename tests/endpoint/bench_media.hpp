// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The media behind an endpoint's bench: lines by DPA and by place in the internal DRAM, and their
// poison, kept as docs/blocks/endpoint/endpoint.md says.
//
// Purpose: answers at the cycles that the bench names, so in any order.
// Units:   DPA in lines of 64 bytes; offsets in lines of a slot.
#pragma once

#include <array>
#include <map>
#include <set>

#include "common/media_port.hpp"

namespace cxlgpu::test {

class BenchMedia {
 public:
  // `due` is when it is answered; a durable write is safe from then on and not before.
  void submit(const MediaCommand& c, std::uint64_t due) {
    ++commands[static_cast<unsigned>(c.op)];
    MediaResponse response{.op = c.op, .id = c.id, .error = false, .data = {}, .poison = false};
    const std::uint64_t place = std::uint64_t{c.slot} * 4;
    switch (c.op) {
      case MediaOp::Read:
        response.data = lines_[c.dpa];
        response.poison = bad_lines_.contains(c.dpa);
        break;
      case MediaOp::ArrayRead:
        response.data = array_[place + c.offset];
        response.poison = bad_array_.contains(place + c.offset);
        break;
      case MediaOp::Write:
        merge_bytes(lines_[c.dpa], c.data, c.byte_enable);
        written(bad_lines_, c.dpa, c);
        break;
      case MediaOp::ArrayWrite:
        if (c.partial) {
          for (unsigned i = 0; i < 4; ++i) {
            held_[place + i] = 0;
            bad_array_.erase(place + i);
          }
        }
        if (const auto at = held_.find(place + c.offset); at != held_.end()) {
          at->second |= c.byte_enable;
        }
        merge_bytes(array_[place + c.offset], c.data, c.byte_enable);
        written(bad_array_, place + c.offset, c);
        if (c.durable != Durable::Off) {
          merge_bytes(lines_[c.dpa], c.data, c.byte_enable);
          written(bad_lines_, c.dpa, c);
        }
        break;
      case MediaOp::Fill:
        for (unsigned i = 0; i < 4; ++i) {
          const auto held = c.partial ? held_.find(place + i) : held_.end();
          const std::uint64_t stays = held == held_.end() ? 0 : held->second;
          if (fail_fills) {
            response.error = true;
            if (stays != kAllBytes) mark(bad_array_, place + i, true);
            continue;
          }
          merge_bytes(array_[place + i], lines_[c.dpa + i], ~stays);
          const bool own = c.partial && bad_array_.contains(place + i);
          mark(bad_array_, place + i,
               own || (stays != kAllBytes && bad_lines_.contains(c.dpa + i)));
        }
        for (unsigned i = 0; i < 4; ++i) held_.erase(place + i);
        break;
      case MediaOp::WriteBack:
        for (unsigned i = 0; i < 4; ++i) {
          lines_[c.dpa + i] = array_[place + i];
          mark(bad_lines_, c.dpa + i, bad_array_.contains(place + i));
        }
        break;
    }
    if (c.durable != Durable::Off) {
      ++durable[static_cast<unsigned>(c.durable)];
      becoming_safe_.emplace(due, Safe{c.durable, c.dpa, c.byte_enable, c.data});
    }
    under_way_.emplace(due, response);
  }
  [[nodiscard]] const MediaResponse* ready(std::uint64_t cycle) const {
    const auto first = under_way_.begin();
    return first != under_way_.end() && first->first <= cycle ? &first->second : nullptr;
  }
  void taken() { under_way_.erase(under_way_.begin()); }
  [[nodiscard]] std::uint64_t count(MediaOp op) const {
    return commands[static_cast<unsigned>(op)];
  }
  [[nodiscard]] std::size_t under_way() const { return under_way_.size(); }
  [[nodiscard]] bool empty() const { return under_way_.empty(); }
  std::array<std::uint64_t, 6> commands{};
  std::array<std::uint64_t, 3> durable{};  // commands by level
  // What a loss of power at `cycle` leaves, by level: kept apart from the contents and from the
  // answers. `bytes`: those that are there.
  struct Left {
    Line data{};
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] const Left& left(Durable level, std::uint64_t line, std::uint64_t cycle) {
    for (auto next = becoming_safe_.begin(); next != becoming_safe_.end() && next->first <= cycle;
         next = becoming_safe_.erase(next)) {
      const Safe& safe = next->second;
      Left& left = left_[static_cast<unsigned>(safe.level)][safe.dpa];
      merge_bytes(left.data, safe.data, safe.bytes);
      left.bytes |= safe.bytes;
    }
    return left_[static_cast<unsigned>(level)][line];
  }
  bool fail_fills = false;  // each Fill is answered with error, and fills nothing

 private:
  struct Safe {
    Durable level;
    std::uint64_t dpa, bytes;
    Line data;
  };
  using Marks = std::set<std::uint64_t>;
  static void mark(Marks& marks, std::uint64_t line, bool bad) {
    if (bad) {
      marks.insert(line);
    } else {
      marks.erase(line);
    }
  }
  static void written(Marks& marks, std::uint64_t line, const MediaCommand& c) {
    if (c.poison || c.byte_enable == kAllBytes) mark(marks, line, c.poison);
  }
  std::map<std::uint64_t, Line> lines_, array_;  // by line
  std::map<std::uint64_t, std::uint64_t> held_;  // by line of a slot that is there in part
  Marks bad_lines_, bad_array_;
  std::multimap<std::uint64_t, MediaResponse> under_way_;
  std::multimap<std::uint64_t, Safe> becoming_safe_;
  std::array<std::map<std::uint64_t, Left>, 3> left_;  // by level, by line
};

}  // namespace cxlgpu::test
