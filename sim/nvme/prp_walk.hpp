// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The pages of a transfer: PRP1, PRP2 and what they lead to.
//
// Purpose: turns the two entries of a command into pieces of memory in order, a list page at a
//          time, so that who has the bus reads it.
// Rules:   PRP1 may begin anywhere in a page, at a multiple of 4. Of two pages PRP2 is the second;
//          of more it is where a list begins, at a multiple of 8. A list ends with its page: if
//          more is left than its last entry covers, that entry is where the next list begins. All
//          entries of a list begin at pages, those of lists too, so that each list after the first
//          covers 511 pages and none leads in a circle. A list is read as far as it is needed.
// Source:  Linux, drivers/nvme/host/pci.c (nvme_pci_setup_prps), QEMU, hw/nvme/ctrl.c
//          (nvme_map_prp).
// Errors:  status() is InvalidPrpOffset for an address that is no beginning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sim/nvme/spec.hpp"

namespace cxlgpu::nvme {

struct Piece {
  std::uint64_t address = 0, bytes = 0;
  bool operator==(const Piece&) const = default;
};

class PrpWalk {
 public:
  PrpWalk() = default;
  PrpWalk(std::uint64_t prp1, std::uint64_t prp2, std::uint64_t bytes) : left_(bytes) {
    if (bytes == 0) return;
    if (prp1 % 4 != 0) {
      fail();
      return;
    }
    add(prp1, kPage - prp1 % kPage);
    if (left_ == 0) return;
    if (prp2 % (left_ <= kPage ? kPage : 8) != 0) {
      fail();
    } else if (left_ <= kPage) {
      add(prp2, kPage);
    } else {
      list_ = prp2;
    }
  }

  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] bool wants_list() const { return left_ != 0 && status_ == Status::Success; }
  // What to read next; precondition of both: wants_list().
  [[nodiscard]] Piece list() const {
    return {list_, std::min(kPage - list_ % kPage, 8 * entries_left())};
  }
  // `chains`: false is a fault that tests put in.
  void take_list(std::span<const std::uint8_t> bytes, bool chains = true) {
    const std::uint64_t entries = bytes.size() / 8;
    for (std::uint64_t i = 0; i < entries; ++i) {
      std::uint64_t entry;
      std::memcpy(&entry, bytes.data() + 8 * i, 8);
      const bool chained = chains && i + 1 == entries && left_ > kPage;
      if (entry % kPage != 0) return fail();
      if (chained) {
        list_ = entry;
      } else {
        add(entry, kPage);
      }
    }
    if (!chains) left_ = 0;
  }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  [[nodiscard]] std::uint64_t entries_left() const { return (left_ + kPage - 1) / kPage; }
  void fail() {
    status_ = Status::InvalidPrpOffset;
    left_ = 0;
  }
  void add(std::uint64_t address, std::uint64_t room) {
    const std::uint64_t bytes = std::min(room, left_);
    pieces_.push_back({address, bytes});
    left_ -= bytes;
  }

  std::vector<Piece> pieces_;
  std::uint64_t left_ = 0, list_ = 0;
  Status status_ = Status::Success;
};

}  // namespace cxlgpu::nvme
