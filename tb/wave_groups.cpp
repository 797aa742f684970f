#include "tb/wave_groups.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace cxlgpu {

namespace {

constexpr std::string_view kTop = "TOP.cxlgpu_bench.u_top.";

struct Group {
  std::string name;
  std::string scope;  // below the top
  std::vector<std::string_view> signals;
};

std::vector<Group> groups(unsigned ports) {
  std::vector<Group> all = {
      {"system bus",
       "",
       {"clk_i", "rst_ni", "arvalid_i", "arready_o", "arid_i[15:0]", "araddr_i[63:0]", "awvalid_i",
        "awready_o", "awid_i[15:0]", "awaddr_i[63:0]", "wstrb_i[63:0]", "rvalid_o", "rid_o[15:0]",
        "bvalid_o", "bid_o[15:0]"}}};
  for (unsigned p = 0; p < ports; ++p) {
    const std::string root = fmt::format("u_root_complex.gen_port[{}].u_root_port.", p);
    const std::string end = fmt::format("gen_endpoint[{}].u_endpoint.", p);
    all.push_back(
        {fmt::format("root port {} queue logic", p),
         root,
         {"policy_q[2:0]", "state[2:0]", "sr_count[5:0]", "load_valid[31:0]", "rd_line[45:0]",
          "spec_first[43:0]", "spec_len[1:0]", "mem_valid[29:0]", "lc_dev_load[1:0]"}});
    all.push_back(
        {fmt::format("root port {} ARB/MUX", p),
         root + "u_port.u_arb_mux.",
         {"phase_q[1:0]", "io_state_o[3:0]", "cm_state_o[3:0]", "tx_valid_o", "tx_kind_o[1:0]",
          "rx_valid_i", "rx_kind_i[1:0]", "retrain_req_o", "err_o[2:0]"}});
    all.push_back({fmt::format("root port {} link layer", p),
                   root + "u_port.u_controller.u_link.",
                   {"lrsm[2:0]", "sel[3:0]", "pk_owed_i[3:0]", "num_free[8:0]", "num_ack_q[9:0]",
                    "timer_q[5:0]", "eseq[7:0]", "wr_ptr[7:0]", "link_tx_flit_o[527:0]",
                    "link_rx_flit_i[527:0]", "err_o[7:0]"}});
    all.push_back({fmt::format("endpoint {} link layer", p),
                   end + "u_port.u_controller.u_link.",
                   {"lrsm[2:0]", "sel[3:0]", "pk_owed_i[3:0]", "num_free[8:0]", "num_ack_q[9:0]",
                    "eseq[7:0]", "link_tx_flit_o[527:0]"}});
    all.push_back(
        {fmt::format("endpoint {}", p),
         end,
         {"rx_nd_count[6:0]", "rx_wd_count[6:0]", "hpa[45:0]", "dpa[45:0]", "lookup_granule[43:0]",
          "result[2:0]", "slot[15:0]", "mshr[7:0]", "mshr_used[7:0]", "dev_load[1:0]",
          "load_status[18:0]", "media_status_i[13:0]", "media_cmd_o[651:0]", "rsp_tag[15:0]"}});
  }
  return all;
}

}  // namespace

std::string gtkwave_save_file(const std::string& fst, unsigned ports) {
  // Flags of GTKWave's save format: 28 a bit or 22 a vector in hex; 800200 opens a group, 1000200
  // closes it.
  std::string text = fmt::format("[dumpfile] \"{}\"\n[timestart] 0\n", fst);
  for (const Group& group : groups(ports)) {
    text += fmt::format("@800200\n-{}\n", group.name);
    for (const std::string_view signal : group.signals) {
      const bool vector = signal.find('[') != std::string_view::npos;
      text += fmt::format("@{}\n{}{}{}\n", vector ? "22" : "28", kTop, group.scope, signal);
    }
    text += fmt::format("@1000200\n-{}\n", group.name);
  }
  return text;
}

}  // namespace cxlgpu
