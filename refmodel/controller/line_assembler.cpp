// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/line_assembler.hpp"

namespace cxlgpu {
namespace {

using flits::MessageKind;

constexpr unsigned kChunksPerHalf = 2;
constexpr std::uint64_t kLowerEnables = 0xffff'ffff;

// Where a header says what holds for the whole line if it holds for a half of it.
template <typename Message>
MsgHeader bits_of(const Message& with) {
  return flits::pack(with) ^ flits::pack(Message{});
}
MsgHeader marks(MessageKind kind) {
  switch (kind) {
    case MessageKind::S2mDrs:
      return bits_of(flits::S2mDrs{.poison = true});
    case MessageKind::H2dDh:
      return bits_of(flits::H2dDh{.poison = true, .go_err = true});
    case MessageKind::D2hDh:
      return bits_of(flits::D2hDh{.bogus = true, .poison = true});
    default:
      return 0;
  }
}

// ChunkValid of a header of CXL.cache: the upper half.
bool upper_half(MessageKind kind, MsgHeader message) {
  return kind == MessageKind::H2dDh ? flits::unpack<flits::H2dDh>(message).chunk_valid
                                    : flits::unpack<flits::D2hDh>(message).chunk_valid;
}

}  // namespace

bool LineAssembler::is_second(const Half& first, const Header& h) {
  if (h.kind != first.kind) return false;
  switch (h.kind) {
    case MessageKind::S2mDrs: {
      const auto a = flits::unpack<flits::S2mDrs>(first.message);
      const auto b = flits::unpack<flits::S2mDrs>(h.message);
      return a.tag == b.tag && a.ld_id == b.ld_id;
    }
    case MessageKind::H2dDh:
      return upper_half(h.kind, h.message) && flits::unpack<flits::H2dDh>(first.message).cqid ==
                                                  flits::unpack<flits::H2dDh>(h.message).cqid;
    case MessageKind::D2hDh:
      return upper_half(h.kind, h.message) && flits::unpack<flits::D2hDh>(first.message).uqid ==
                                                  flits::unpack<flits::D2hDh>(h.message).uqid;
    default:
      return false;
  }
}

LineAssembler::Role LineAssembler::role_of_half(const Header& h) {
  if (h.kind == MessageKind::M2sRwd) return Role::kDropped;
  if (h.kind == MessageKind::S2mDrs) return Role::kLower;
  return upper_half(h.kind, h.message) ? Role::kDropped : Role::kLower;
}

// Several headers in a slot mean whole lines without byte enables; an RwD is never a half; byte
// enables go with an RwD or D2H data.
bool LineAssembler::breaks_rule(const Header& h) {
  if (h.mdh) return h.be || !h.sz;
  const bool no_enables = h.kind == MessageKind::S2mDrs || h.kind == MessageKind::H2dDh;
  return (h.be && no_enables) || (!h.sz && h.kind == MessageKind::M2sRwd);
}

LineAssembler::Opened LineAssembler::open(const Header& h) {
  Opened opened{.err = breaks_rule(h), .half = false};
  const bool small = !h.sz && !h.mdh;
  Waiting next{h.kind, h.message, small ? kChunksPerHalf : kChunksPerLine, Role::kWhole};
  if (h.be && !h.mdh) ++next.chunks;
  if (small && half_ && is_second(*half_, h)) {
    next.role = Role::kUpper;
    next.message |= half_->message & marks(h.kind);
  } else {
    if (small) next.role = role_of_half(h);
    opened.err |= half_.has_value() || next.role == Role::kDropped;
  }
  half_.reset();
  opened.half = next.role == Role::kLower;
  if (opened.half) half_ = Half{h.kind, h.message};
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
    lower_ = finish(waiting);
  } else if (waiting.role != Role::kDropped) {
    line = Line{waiting.kind, finish(waiting)};
  }
  chunks_.clear();
  return line;
}

// The message, or what a lower half is of one.
WdMessage LineAssembler::finish(const Waiting& waiting) {
  if (waiting.role == Role::kWhole) return assemble(waiting.message, chunks_);
  const bool upper = waiting.role == Role::kUpper;
  WdMessage message = upper ? lower_ : WdMessage{};
  message.header = waiting.message;
  for (unsigned k = 0; k < kChunksPerHalf; ++k) {
    set_chunk(message.data, upper ? kChunksPerHalf + k : k, chunks_[k]);
  }
  if (chunks_.size() > kChunksPerHalf && waiting.kind == MessageKind::D2hDh) {
    const std::uint64_t own = upper ? ~kLowerEnables : kLowerEnables;
    std::uint64_t enables;
    std::memcpy(&enables, chunks_[kChunksPerHalf].data(), sizeof enables);
    message.enables = (message.enables & ~own) | (enables & own);
  }
  return message;
}

unsigned LineAssembler::owed() const {
  unsigned chunks = 0;
  for (const Waiting& w : waiting_) chunks += w.chunks;
  return chunks - static_cast<unsigned>(chunks_.size());
}

}  // namespace cxlgpu
