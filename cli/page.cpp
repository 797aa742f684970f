// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/page.hpp"

#include <nlohmann/json.hpp>

#include "cli/write_file.hpp"

namespace cxlgpu {

namespace {

// Inside <script> a "</script" or a "<!--" would change what the browser reads as data; JSON allows
// any character by its number.
std::string data_text(const nlohmann::json& data) {
  const std::string plain = json_text(data, -1);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace

// The parts stand in the page in this order, so that a mark in one of them is no mark.
std::string html_page(const PageParts& parts, const nlohmann::json& data) {
  const std::string_view whole = parts.page;
  std::string text;
  std::size_t from = 0;
  const auto put = [&](std::string_view mark, std::string_view part) {
    const std::size_t at = whole.find(mark, from);
    text.append(whole.substr(from, at - from)).append(part);
    from = at + mark.size();
  };
  put("__STYLE__", parts.style);
  put("__DATA__", data_text(data));
  put("__LIBRARY__", parts.library);
  put("__SCRIPT__", parts.script);
  return text.append(whole.substr(from));
}

}  // namespace cxlgpu
