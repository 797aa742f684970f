// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/line_assembler.hpp"

namespace cxlgpu {
namespace {

constexpr unsigned kChunksPerHalf = 2;

// The Poison bit of an S2M DRS, where it stands.
const MsgHeader kPoison = [] {
  flits::S2mDrs clean, poisoned;
  poisoned.poison = true;
  return flits::pack(clean) ^ flits::pack(poisoned);
}();

}  // namespace

bool LineAssembler::same_line(MsgHeader first, MsgHeader second) {
  const auto a = flits::unpack<flits::S2mDrs>(first);
  const auto b = flits::unpack<flits::S2mDrs>(second);
  return a.tag == b.tag && a.ld_id == b.ld_id;
}

// Several headers in a slot mean whole lines without byte enables; a line comes in halves as S2M
// DRS only, and byte enables go with 64 bytes of an RwD or of D2H data.
bool LineAssembler::breaks_rule(const Header& h) {
  if (h.mdh) return h.be || !h.sz;
  if (!h.sz) return h.be || h.kind != flits::MessageKind::S2mDrs;
  return h.be && (h.kind == flits::MessageKind::S2mDrs || h.kind == flits::MessageKind::H2dDh);
}

LineAssembler::Opened LineAssembler::open(const Header& h) {
  Opened opened{.err = breaks_rule(h), .half = false};
  const bool small = !h.sz && !h.mdh;
  const bool is_half = small && h.kind == flits::MessageKind::S2mDrs;
  Waiting next{h.kind, h.message, small ? kChunksPerHalf : kChunksPerLine, Role::kWhole};
  if (h.be && !h.mdh) ++next.chunks;
  if (small) next.role = is_half ? Role::kLower : Role::kDropped;
  if (half_) {
    if (is_half && same_line(*half_, h.message)) {
      next.role = Role::kUpper;
      next.message |= *half_ & kPoison;
    } else {
      opened.err = true;
    }
    half_.reset();
  }
  opened.half = next.role == Role::kLower;
  if (opened.half) half_ = h.message;
  waiting_.push_back(next);
  return opened;
}

std::optional<LineAssembler::Line> LineAssembler::take(const Chunk& chunk) {
  chunks_.push_back(chunk);
  const Waiting waiting = waiting_.front();
  if (chunks_.size() < waiting.chunks) return std::nullopt;
  waiting_.pop_front();
  std::optional<Line> line;
  if (waiting.role == Role::kLower) {
    lower_ = chunks_;
    lower_.resize(kChunksPerHalf);
  } else if (waiting.role != Role::kDropped) {
    line = Line{waiting.kind, finish(waiting)};
  }
  chunks_.clear();
  return line;
}

WdMessage LineAssembler::finish(const Waiting& waiting) {
  if (waiting.role == Role::kWhole) return assemble(waiting.message, chunks_);
  std::vector<Chunk> both = lower_;
  both.insert(both.end(), chunks_.begin(), chunks_.begin() + kChunksPerHalf);
  return assemble(waiting.message, both);
}

unsigned LineAssembler::owed() const {
  unsigned chunks = 0;
  for (const Waiting& w : waiting_) chunks += w.chunks;
  return chunks - static_cast<unsigned>(chunks_.size());
}

}  // namespace cxlgpu
