// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/wave_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace cxlgpu {

namespace {

constexpr std::string_view kBench = "TOP.cxlgpu_bench.";
constexpr unsigned kSpecEntries = 2;   // of the memory queue, for MemSpecRd alone
constexpr unsigned kAddressBits = 52;  // of HPA and DPA

struct Signal {
  std::string name;
  std::string_view states = {};
};
struct Group {
  std::string name;
  std::string scope;  // below the bench, but for that of text
  std::vector<Signal> signals;
};

// Widths that follow a size are worked out from it, as the RTL does.
std::vector<Group> groups(const RtlSizes& sizes) {
  const auto indexed = [](std::string_view name, unsigned bits) {
    return fmt::format("{}[{}:0]", name, bits - 1);
  };
  const auto line_log2 = static_cast<unsigned>(std::countr_zero(sizes.line_bytes));
  std::vector<Group> all = {{"system bus",
                             "",
                             {{"clk_i"},
                              {"rst_ni"},
                              {"ar_valid"},
                              {"ar_ready"},
                              {"ar_id[15:0]"},
                              {"ar_addr[63:0]"},
                              {"aw_valid"},
                              {"aw_ready"},
                              {"aw_id[15:0]"},
                              {"aw_addr[63:0]"},
                              {"w_strb[63:0]"},
                              {"r_valid"},
                              {"r_id[15:0]"},
                              {"b_valid"},
                              {"b_id[15:0]"}}}};
  for (unsigned p = 0; p < sizes.ports; ++p) {
    all.push_back({fmt::format("link {}, flits as they arrive", p),
                   fmt::format("flits.link{}.", p),
                   {{indexed("m2s", 8 * kWaveTextChars), kText},
                    {indexed("s2m", 8 * kWaveTextChars), kText}}});
    const std::string root = fmt::format("u_top.u_root_complex.gen_port[{}].u_root_port.", p);
    const std::string end = fmt::format("u_top.gen_endpoint[{}].u_endpoint.", p);
    all.push_back({fmt::format("root port {} queue logic", p),
                   root,
                   {{"u_sr_reader.policy_i[2:0]", kOfTheDump},
                    {"state[2:0]", kOfTheDump},
                    {indexed("sr_count", std::bit_width(sizes.sr_queue_entries))},
                    {indexed("load_valid", sizes.sr_queue_entries)},
                    {"rd_line[45:0]"},
                    {"spec_first[43:0]"},
                    {"spec_len[1:0]"},
                    {indexed("mem_valid", sizes.memory_queue_entries - kSpecEntries)},
                    {"lc_dev_load[1:0]", "dev_load_e"}}});
    all.push_back({fmt::format("root port {} ARB/MUX", p),
                   root + "u_port.u_arb_mux.",
                   {{"phase_q[1:0]", kOfTheDump},
                    {"io_state_o[3:0]", kOfTheDump},
                    {"cm_state_o[3:0]", kOfTheDump},
                    {"tx_valid_o"},
                    {"tx_kind_o[1:0]", kOfTheDump},
                    {"rx_valid_i"},
                    {"rx_kind_i[1:0]", kOfTheDump},
                    {"retrain_req_o"},
                    {"err_o[2:0]"}}});
    all.push_back({fmt::format("root port {} link layer", p),
                   root + "u_port.u_controller.u_link.",
                   {{"lrsm[2:0]", kOfTheDump},
                    {"sel[3:0]", kOfTheDump},
                    {"pk_owed_i[3:0]"},
                    {"num_free[8:0]"},
                    {"num_ack_q[9:0]"},
                    {"timer_q[9:0]"},
                    {"eseq[7:0]"},
                    {"wr_ptr[7:0]"},
                    {"link_tx_flit_o[527:0]"},
                    {"link_rx_flit_i[527:0]"},
                    {"err_o[7:0]"}}});
    all.push_back({fmt::format("endpoint {} link layer", p),
                   end + "u_port.u_controller.u_link.",
                   {{"lrsm[2:0]", kOfTheDump},
                    {"sel[3:0]", kOfTheDump},
                    {"pk_owed_i[3:0]"},
                    {"num_free[8:0]"},
                    {"num_ack_q[9:0]"},
                    {"eseq[7:0]"},
                    {"link_tx_flit_o[527:0]"}}});
    all.push_back({fmt::format("endpoint {}", p),
                   end,
                   {{"rx_nd_count[6:0]"},
                    {"rx_wd_count[6:0]"},
                    {"hpa[45:0]"},
                    {"dpa[45:0]"},
                    {indexed("lookup_key", kAddressBits - line_log2)},
                    {"result[2:0]", "cache_result_e"},
                    {"slot[15:0]"},
                    {"mshr[7:0]"},
                    {"mshr_used[8:0]"},
                    {"dev_load[1:0]", kOfTheDump},
                    {"load_status[18:0]"},
                    {"u_dev_load.media_i[13:0]"},
                    {"media_cmd[656:0]"},
                    {"rsp_tag[15:0]"}}});
  }
  return all;
}

}  // namespace

const std::vector<StateNames>& wave_states() {
  static const std::vector<StateNames> all = {
      {"dev_load_e",
       2,
       {{0, "LoadLight"}, {1, "LoadOptimal"}, {2, "LoadModerate"}, {3, "LoadSevere"}}},
      {"cache_result_e",
       3,
       {{0, "CacheHit"},
        {1, "CacheMerge"},
        {2, "CacheMiss"},
        {3, "CacheBlocked"},
        {4, "CacheDrop"},
        {5, "CacheHeld"},
        {6, "CacheStart"},
        {7, "CacheOpen"}}}};
  return all;
}

std::vector<WaveGroup> wave_groups(const RtlSizes& sizes) {
  std::vector<WaveGroup> all;
  for (const Group& group : groups(sizes)) {
    WaveGroup& named = all.emplace_back(WaveGroup{group.name, {}});
    for (const Signal& signal : group.signals) {
      const std::string_view top = signal.states == kText ? "" : kBench;
      named.traces.push_back({fmt::format("{}{}{}", top, group.scope, signal.name), signal.states});
    }
  }
  return all;
}

std::string gtkwave_translate_file(const StateNames& names) {
  std::string text;
  for (const auto& [value, name] : names.states) text += fmt::format("{:x} {}\n", value, name);
  return text;
}

std::string surfer_mapping_file(const StateNames& names) {
  std::string text = fmt::format("Name = {}\nBits = {}\n", names.type, names.bits);
  for (const auto& [value, name] : names.states) text += fmt::format("{} {}\n", value, name);
  return text;
}

std::filesystem::path wave_states_folder(const std::filesystem::path& fst) {
  return std::filesystem::path(fst).replace_extension(".states");
}

std::filesystem::path surfer_mappings_folder(const std::filesystem::path& fst) {
  return wave_states_folder(fst) / ".surfer" / "mappings";
}

std::string gtkwave_save_file(const std::filesystem::path& fst, const RtlSizes& sizes,
                              const WaveView& view) {
  // GTKWave finds files that have moved with the save file, if all of them are absolute here.
  const std::filesystem::path absolute = std::filesystem::absolute(fst);
  std::string text = fmt::format(
      "[dumpfile] \"{}\"\n[savefile] \"{}\"\n[timestart] {}\n", absolute.string(),
      std::filesystem::path(absolute).replace_extension(".gtkw").string(), view.from.ps);
  // A pixel is 2^16 / 200 ps: some 300 cycles in a window. Then the primary marker.
  text += fmt::format("*-16.000000 {}\n", view.marker.ps);
  // Flags of GTKWave's save format: 28 a bit, 22 a vector in hex, 20 a vector by the dump's own
  // names, 820 as ASCII, 2022 by a translate file; 800200 opens a group, 1000200 closes it.
  std::vector<std::string_view> used;
  for (const WaveGroup& group : wave_groups(sizes)) {
    text += fmt::format("@800200\n-{}\n", group.name);
    for (const WaveTrace& trace : group.traces) {
      if (trace.states == kOfTheDump || trace.states == kText) {
        text += fmt::format("@{}\n{}\n", trace.states == kText ? "820" : "20", trace.name);
      } else if (!trace.states.empty()) {
        // A translate file has one number throughout.
        const auto at = std::find(used.begin(), used.end(), trace.states);
        const auto number = at - used.begin() + 1;
        if (at == used.end()) used.push_back(trace.states);
        text += fmt::format(
            "@2022\n^{} {}\n{}\n", number,
            (wave_states_folder(absolute) / fmt::format("{}.txt", trace.states)).string(),
            trace.name);
      } else {
        text += fmt::format("@{}\n{}\n", trace.name.ends_with(']') ? "22" : "28", trace.name);
      }
    }
    text += fmt::format("@1000200\n-{}\n", group.name);
  }
  return text;
}

namespace {

// Surfer numbers what it shows in hexadecimal, by the letters a to p.
std::string surfer_number(std::size_t item) {
  std::string text = fmt::format("{:x}", item);
  for (char& c : text) c = static_cast<char>(c <= '9' ? c - '0' + 'a' : c - 'a' + 'k');
  return text;
}

}  // namespace

std::string surfer_command_file(const RtlSizes& sizes, const WaveView& view) {
  std::string text, formats;
  std::size_t item = 0;
  for (const WaveGroup& group : wave_groups(sizes)) {
    text += fmt::format("divider_add {}\n", group.name);
    ++item;
    for (const WaveTrace& trace : group.traces) {
      // A range is no part of a name there.
      text += fmt::format("variable_add {}\n", trace.name.ends_with(']')
                                                   ? trace.name.substr(0, trace.name.rfind('['))
                                                   : trace.name);
      // It takes the dump's own names by itself.
      if (trace.states == kText || (!trace.states.empty() && trace.states != kOfTheDump)) {
        formats += fmt::format("item_focus {}\nitem_set_format {}\n", surfer_number(item),
                               trace.states == kText ? "ASCII" : trace.states);
      }
      ++item;
    }
  }
  text += formats + "item_unfocus\n";
  // It opens on the whole file; a step halves the view.
  constexpr std::uint64_t kShown = 300;  // cycles
  for (Time shown = view.length; shown > kCycle * (2 * kShown); shown.ps /= 2) text += "zoom_in\n";
  text +=
      fmt::format("cursor_set {}\nmarker_set {} {}\n", view.marker.ps, view.label, view.marker.ps);
  return text;
}

}  // namespace cxlgpu
