// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The pages that Identify gives.
//
// Purpose: what a stock driver reads of the controller and its namespaces.
// Shapes:  4 KiB each, zero where nothing is said.
// Source:  Linux, include/linux/nvme.h (nvme_id_ctrl, nvme_id_ns, nvme_id_ns_cs_indep,
//          nvme_ns_id_desc); key-value namespace: kvssd_nvme_spec.h, see spec.hpp.
// Errors:  none.
#pragma once

#include <cstdint>
#include <vector>

namespace cxlgpu::nvme {

struct IdentifyFacts {
  std::uint32_t spaces = 1;  // namespaces: 1 has keys, 2 has blocks
  std::uint64_t room = 0, used = 0, block_bytes = 0;
  std::uint64_t most_value = 0;
};

using IdentifyPage = std::vector<std::uint8_t>;
IdentifyPage identify_controller(const IdentifyFacts& facts);
IdentifyPage identify_key_value(const IdentifyFacts& facts);  // CNS 05h, CSI 1
IdentifyPage identify_blocks(const IdentifyFacts& facts);     // CNS 00h
IdentifyPage identify_independent();                          // CNS 08h
IdentifyPage identify_list(const IdentifyFacts& facts, std::uint32_t after, int csi);  // -1: all
IdentifyPage identify_descriptors(std::uint32_t space);                                // CNS 03h
IdentifyPage identify_combinations(const IdentifyFacts& facts);                        // CNS 1Ch

}  // namespace cxlgpu::nvme
