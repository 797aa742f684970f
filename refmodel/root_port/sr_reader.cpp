// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/sr_reader.hpp"

namespace cxlgpu {
namespace {

bool uses_window(SrPolicy p) {
  return p == SrPolicy::SrPaper || p == SrPolicy::Sr;
}
bool uses_ring(SrPolicy p) {
  return p == SrPolicy::Dyn || uses_window(p);
}

constexpr unsigned kGranuleShift = 2;  // lines to granules

}  // namespace

SrVerdict sr_verdict(bool is_load, std::uint64_t line, SrPolicy policy, Gran gran,
                     const RingBuffer& ring, bool by_line) {
  if (!is_load) return SrVerdict::Store;
  if (policy == SrPolicy::Naive) return SrVerdict::Issue;
  if (!uses_ring(policy)) return SrVerdict::Off;
  if (gran == Gran::Halted) return SrVerdict::Halted;
  const bool covered = by_line ? ring.line_used(line) : ring.contains(line >> kGranuleShift);
  return covered ? SrVerdict::Covered : SrVerdict::Issue;
}

SrVerdict SrReader::look(bool is_load, std::uint64_t line, unsigned slot, SrPolicy policy,
                         Gran gran, const SrModes& modes, bool at_head, DevLoad level,
                         RingBuffer& ring) {
  ask_ = {};
  const StreamTable::View view{.at_head = at_head,
                               .level = static_cast<unsigned>(level),
                               .length_enabled = modes.with_length(),
                               .clip_log2 = modes.clip_log2,
                               .other_ways = modes.other_ways};
  const SrVerdict v = is_load && policy == SrPolicy::Stream
                          ? look_stream(line, view)
                          : sr_verdict(is_load, line, policy, gran, ring, modes.spec_64b);
  if (v != SrVerdict::Store && v != SrVerdict::Off) counters_.lines_used += ring.use(line);
  counters_.loads_seen += v != SrVerdict::Store;
  counters_.halt_suppressed += v == SrVerdict::Halted;
  counters_.ring_suppressed += v == SrVerdict::Covered;
  if (v == SrVerdict::Issue) {
    issuing_ = slot_held_ = true;
    line_ = line;
    slot_ = slot;
    policy_ = policy;
    gran_ = gran;
  }
  return v;
}

SrVerdict SrReader::look_stream(std::uint64_t line, const StreamTable::View& view) {
  ask_ = streams_.look(line, view);
  counters_.score_suppressed += ask_.held;
  if (ask_.kind != StreamTable::Ask::Kind::Nothing) return SrVerdict::Issue;
  return view.level == static_cast<unsigned>(DevLoad::Severe) ? SrVerdict::Halted
                                                              : SrVerdict::Covered;
}

void SrReader::give_up() {
  issuing_ = false;
  if (streams_.next_known()) return;
  streams_.add();
  ++counters_.score_suppressed;
}

GranuleRun SrReader::window(const SrModes& modes, LineTable mem, LineTable loads) const {
  if (ask_.kind == StreamTable::Ask::Kind::Run) return ask_.run;
  if (ask_.kind == StreamTable::Ask::Kind::Next) return streams_.next();
  const GranuleRun own{line_ >> kGranuleShift, 0};
  if (policy_ == SrPolicy::Naive || !modes.with_length()) return own;
  if (policy_ == SrPolicy::Dyn) {
    const GranuleRun run{own.first, granules_of(gran_) - 1};
    return shorten(clip_to_chunk(run, line_, modes.clip_log2), own.first, cap_);
  }
  if (slot_held_) loads.valid &= ~(std::uint64_t{1} << slot_);
  const WindowRule rule = policy_ == SrPolicy::SrPaper ? WindowRule::Paper
                          : modes.around               ? WindowRule::Around
                                                       : WindowRule::Ahead;
  return shorten(compute_window(line_, gran_, rule, mem, loads, modes.clip_log2), own.first, cap_);
}

std::uint64_t SrReader::line_of(GranuleRun run) const {
  return (line_ >> kGranuleShift) - run.first <= run.len ? line_ : run.first << kGranuleShift;
}

void SrReader::issued(GranuleRun run, bool match_start, RingBuffer& ring) {
  const bool own_only = match_start && uses_ring(policy_);
  const RingBuffer::Recorded told =
      ring.record(own_only ? GranuleRun{line_ >> kGranuleShift, 0} : run, line_);
  counters_.requested += run.len + 1;
  counters_.lines_used += told.own_use;
  counters_.useful_granules += told.useful;
  counters_.useless_granules += told.useless;
  counters_.issued_late += !slot_held_ && (line_ >> kGranuleShift) - run.first <= run.len;
  if (ask_.kind == StreamTable::Ask::Kind::Next) streams_.add();
  issuing_ = false;
  ++counters_.issued;
}

SrReaderBlock::Out SrReaderBlock::eval(const In& in) const {
  Out out;
  out.counters = reader_.counters();
  out.rd_next = !reader_.issuing() && in.rd_valid;
  out.spec_valid = reader_.issuing() && !reader_.gives_up();
  if (out.spec_valid) {
    out.run = reader_.window(in.modes, in.mem, in.loads);
    out.spec_line = reader_.line_of(out.run);
  }
  return out;
}

void SrReaderBlock::clock(const In& in) {
  const Out now = eval(in);
  if (reader_.issuing()) {
    // A slot that left is free for a cycle at least before another load takes it.
    if (!((in.loads.valid >> reader_.slot()) & 1)) reader_.slot_left(reader_.slot());
    if (reader_.gives_up()) {
      reader_.give_up();
    } else if (in.spec_ready) {
      reader_.issued(now.run, in.modes.match_start, ring_);
    }
  } else if (in.rd_valid) {
    reader_.look(in.rd_is_load, in.rd_line, in.rd_index, in.policy, in.gran, in.modes, in.rd_head,
                 in.level, ring_);
  }
  if (in.flush) {
    ring_.flush();
    reader_.flush_streams();
    reader_.ring_flushed(now.counters);
  }
}

}  // namespace cxlgpu
