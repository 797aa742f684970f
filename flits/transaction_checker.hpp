// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Requests and responses of one Type 3 (HDM-H) link, matched by tag.
//
// Fed with complete messages in the order of their arrival. Rules: each response answers an
// outstanding request of the right kind with its LD-ID; no tag and no 64 B line is used twice at a
// time (MemSpecRd is exempt and gets no response); byte enables go with MemWrPtl and only with it.
// Source: CXL 2.0 appendix on Type 3 requests; tag and line rules are this project's host's.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "flits/codec.hpp"
#include "flits/finding.hpp"

namespace cxlgpu::flits {

class TransactionChecker {
 public:
  void on_item(std::uint64_t time_ps, const Item& item, FindingList& findings);
  /// Reports each request that is still without its response, oldest first.
  void finish(FindingList& findings) const;
  void reset();
  std::size_t outstanding() const { return by_tag_.size(); }

 private:
  enum class Answer : std::uint8_t { Data, Completion, None, Illegal };
  struct Request {
    Message message;
    Answer answer;
    bool is_write;
    std::uint64_t line;
    std::uint8_t ld_id;
    std::uint8_t bytes_missing;
    std::uint64_t time_ps;
  };

  static Answer answer_to(M2sReqOpcode opcode);
  void on_request(std::uint64_t time_ps, const M2sReq& m, FindingList& findings);
  void on_write(std::uint64_t time_ps, const M2sRwd& m, const Item& item, FindingList& findings);
  void open(std::uint16_t tag, const Request& request, FindingList& findings);
  void on_response(std::uint64_t time_ps, const Item& item, Answer answer, std::uint16_t tag,
                   std::uint8_t ld_id, FindingList& findings);

  std::unordered_map<std::uint16_t, Request> by_tag_;
  std::unordered_map<std::uint64_t, std::uint16_t> tag_of_line_;
};

}  // namespace cxlgpu::flits
