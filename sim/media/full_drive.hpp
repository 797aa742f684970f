// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A full drive of a part with a translation layer: what stands for it, and how much it writes.
//
// Purpose: the figures *_full of media_figures.hpp. A drive whose whole space random writes have
//          filled is far too large to be written over; two smaller ones tell all of it.
// Die:     user pages go to the dies in turn, so that one die of the part's own blocks amplifies as
//          the drive does. It is written without time (ftl.hpp), which gives pages programmed a
//          page written: of random writes once it is steady, and of the tenth of a sequential pass
//          that follows.
// Channel: what a page costs in time is measured on one channel with all of its dies and its share
//          of buffer and queues: channels do not hinder each other. Its blocks are the part's own,
//          or shorter ones if the part's take too long (tBERS shrinks with them).
// Short:   a die too large for that has fewer blocks, and shorter ones down to kLeastBlock pages of
//          all planes; what that changes by the closed form is made good.
// Closed:  T physical and U logical pages, a = T / U, W Lambert's function: a / (a + W(-a e^-a)),
//          for uniform random writes, cleaning in order of writing and blocks of many pages
//          (P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012).
// Units:   amplification: (moved pages / the user's) + 1.
#pragma once

#include <cstdint>

#include "sim/media/media_config.hpp"

namespace cxlgpu {

struct DieWrites {
  double random = 1, sequential = 1;          // amplification
  std::uint32_t blocks = 0, block_pages = 0;  // of the die, all planes
  bool shortened = false;                     // not the part's own
};

// Precondition of all: a translation layer.
[[nodiscard]] DieWrites die_writes(const FlashConfig& config, std::uint32_t seed);

// Small enough to be written over as it is.
[[nodiscard]] bool timed_whole(const FlashConfig& config);

// The drive to be timed, full. Precondition as above.
[[nodiscard]] MediaConfig timed_drive(const MediaConfig& config);
// User pages to be written to it before it is counted, until its dies keep collecting, and while.
[[nodiscard]] std::uint64_t pages_to_settle(const FlashConfig& timed);
[[nodiscard]] std::uint64_t pages_to_count(const FlashConfig& timed);

[[nodiscard]] double closed_amplification(double physical, double logical);

}  // namespace cxlgpu
