// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What lies between a drive's media port and a program of the host: NVMe over PCIe.
//
// Purpose: published figures of drives are a host's; ours are the media port's. The same file
//          (configs/host/nvme.yaml) for every drive.
// Timing:  read   submit, doorbell, command fetched | media | data over the link, completion,
//                 interrupt
//          write  submit, doorbell, command fetched, data asked for and over the link | media |
//                 completion, interrupt
//          The link carries one transfer at a time; all else overlaps between commands, as with
//          enough threads.
// Units:   GB/s are 10^9 bytes/s of payload.
// Errors:  InputError, one line with file, line and key.
#pragma once

#include <filesystem>
#include <string>

#include "common/time.hpp"

namespace cxlgpu {

struct HostInterface {
  std::string name;
  Time before_read, before_write, after;  // without the transfer
  Time submit;                            // host software, of both of before_
  double gb_s = 0;                        // 0: no link, a transfer takes no time

  [[nodiscard]] Time transfer(std::uint64_t bytes) const {
    if (gb_s == 0) return {};
    return Time{static_cast<std::uint64_t>(static_cast<double>(bytes) * 1000 / gb_s)};
  }
};

// `asked_by` and `asked_line`: the part's file and the line of its key `interface`, for the
// message.
[[nodiscard]] HostInterface load_host_interface(const std::filesystem::path& file,
                                                const std::string& name,
                                                const std::filesystem::path& asked_by,
                                                int asked_line);

}  // namespace cxlgpu
