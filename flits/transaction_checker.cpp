// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/transaction_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flits/text.hpp"

namespace cxlgpu::flits {
namespace {

constexpr unsigned kLineShift = 6;

}  // namespace

TransactionChecker::Answer TransactionChecker::answer_to(M2sReqOpcode opcode) {
  switch (opcode) {
    case M2sReqOpcode::MemRd:
    case M2sReqOpcode::MemRdData:
      return Answer::Data;
    case M2sReqOpcode::MemInv:
    case M2sReqOpcode::MemInvNT:
      return Answer::Completion;
    case M2sReqOpcode::MemSpecRd:
      return Answer::None;
    case M2sReqOpcode::MemRdFwd:
    case M2sReqOpcode::MemWrFwd:
      break;
  }
  return Answer::Illegal;
}

void TransactionChecker::reset() {
  by_tag_.clear();
  tag_of_line_.clear();
}

void TransactionChecker::on_item(std::uint64_t time_ps, const Item& item, FindingList& findings) {
  if (const auto* req = std::get_if<M2sReq>(&item.message)) {
    on_request(time_ps, *req, findings);
  } else if (const auto* rwd = std::get_if<M2sRwd>(&item.message)) {
    on_write(time_ps, *rwd, item, findings);
  } else if (const auto* ndr = std::get_if<S2mNdr>(&item.message)) {
    on_response(time_ps, item, Answer::Completion, ndr->tag, ndr->ld_id, findings);
  } else if (const auto* drs = std::get_if<S2mDrs>(&item.message)) {
    on_response(time_ps, item, Answer::Data, drs->tag, drs->ld_id, findings);
  }
}

void TransactionChecker::on_request(std::uint64_t time_ps, const M2sReq& m, FindingList& findings) {
  const Answer answer = answer_to(m.opcode);
  if (answer == Answer::Illegal || m.snp_type != SnpType::NoOp) {
    findings.add(time_ps, Direction::M2S, Rule::FieldMisuse,
                 fmt::format("{}: not for a Type 3 device", to_text(m)));
  }
  if (answer == Answer::None || answer == Answer::Illegal) return;
  const std::uint8_t bytes = answer == Answer::Data ? 64 : 0;
  open(m.tag, {m, answer, false, m.address >> kLineShift, m.ld_id, bytes, time_ps}, findings);
}

void TransactionChecker::on_write(std::uint64_t time_ps, const M2sRwd& m, const Item& item,
                                  FindingList& findings) {
  if (m.snp_type != SnpType::NoOp || m.meta_field != MetaField::Meta0State) {
    findings.add(time_ps, Direction::M2S, Rule::FieldMisuse,
                 fmt::format("{}: a Type 3 write has SnpType No-Op, MetaField 0", to_text(m)));
  }
  const bool partial = m.opcode == M2sRwdOpcode::MemWrPtl;
  if (partial != item.has_byte_enables ||
      (item.has_byte_enables && item.byte_enables == ~std::uint64_t{0})) {
    findings.add(time_ps, Direction::M2S, Rule::ByteEnableMisuse,
                 fmt::format("{}: {} BE slot, enables {:#018x}", to_text(m),
                             item.has_byte_enables ? "with" : "without", item.byte_enables));
  }
  open(m.tag, {m, Answer::Completion, true, m.address >> kLineShift, m.ld_id, 0, time_ps},
       findings);
}

void TransactionChecker::open(std::uint16_t tag, const Request& request, FindingList& findings) {
  const auto [entry, fresh] = by_tag_.try_emplace(tag, request);
  if (!fresh) {
    findings.add(request.time_ps, Direction::M2S, Rule::TagReuse,
                 fmt::format("{}: tag outstanding since {} ps for {}", to_text(request.message),
                             entry->second.time_ps, to_text(entry->second.message)));
    const auto old = tag_of_line_.find(entry->second.line);
    if (old != tag_of_line_.end() && old->second == tag) tag_of_line_.erase(old);
    entry->second = request;
  }
  const auto [holder, free] = tag_of_line_.try_emplace(request.line, tag);
  if (!free) {
    findings.add(request.time_ps, Direction::M2S, Rule::LineConflict,
                 fmt::format("{}: line is outstanding under tag {:#x}", to_text(request.message),
                             holder->second));
  }
}

void TransactionChecker::on_response(std::uint64_t time_ps, const Item& item, Answer answer,
                                     std::uint16_t tag, std::uint8_t ld_id, FindingList& findings) {
  const auto report = [&](Rule rule, std::string_view what) {
    findings.add(time_ps, Direction::S2M, rule, fmt::format("{}: {}", to_text(item.message), what));
  };
  const auto entry = by_tag_.find(tag);
  if (entry == by_tag_.end()) {
    report(Rule::UnknownTag, "no such request is outstanding");
    return;
  }
  Request& request = entry->second;
  if (request.answer != answer) {
    report(Rule::WrongResponse, fmt::format("the request was {}", to_text(request.message)));
    return;
  }
  if (request.ld_id != ld_id) {
    report(Rule::LdIdMismatch, fmt::format("the request had LD-ID {}", request.ld_id));
  }
  if (const auto* ndr = std::get_if<S2mNdr>(&item.message)) {
    if (ndr->opcode != S2mNdrOpcode::Cmp) report(Rule::WrongResponse, "Type 3 answers Cmp only");
    if (request.is_write && ndr->meta_field != MetaField::NoOp) {
      report(Rule::FieldMisuse, "a write's completion returns no metadata");
    }
  }
  request.bytes_missing -= std::min(request.bytes_missing, item.data_bytes);
  if (request.bytes_missing != 0) return;  // the first 32 B of two
  const auto holder = tag_of_line_.find(request.line);
  if (holder != tag_of_line_.end() && holder->second == tag) tag_of_line_.erase(holder);
  by_tag_.erase(entry);
}

void TransactionChecker::finish(FindingList& findings) const {
  std::vector<const Request*> open;
  for (const auto& [tag, request] : by_tag_) open.push_back(&request);
  std::sort(open.begin(), open.end(),
            [](const Request* a, const Request* b) { return a->time_ps < b->time_ps; });
  for (const Request* r : open) {
    findings.add(r->time_ps, Direction::M2S, Rule::Unanswered,
                 fmt::format("{}: no response until the end", to_text(r->message)));
  }
}

}  // namespace cxlgpu::flits
