// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Named pieces of persistent memory.
//
// Purpose: gpm_map() finds a piece by its name after a loss of power, or makes it. Kernels await
//          it; so its stores and persists cost what they cost, and can be cut short.
// Order:   an entry is stored with state 0 and persisted, then gets state 1 and is persisted: it is
//          there as a whole or not at all. What the caller puts into the piece counts from then on
//          by marks of its own.
// Source:  the names are those of GPM's table 2 (S. Pandey et al., ASPLOS 2022).
// Errors:  `Mapped::ok` false: no entry of the name and none to be made, the directory is full, or
//          a persist was refused.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/gpm/layout.hpp"
#include "sim/gpu/warp.hpp"

namespace cxlgpu::gpm {

// A step left out, or done in the wrong order: for tests, which must see that it is found.
enum class Fault : std::uint8_t {
  None,
  StateWithEntry,       // a name or header is valid before what it stands for
  NoCrcCheck,           // an entry or header is taken as it is
  NoPersistBeforeTail,  // the tail of a log, the index of a checkpoint may be there before its data
  TailBeforeData,       // it is stored before it
  NoPersistAfterTail,   // an insert ends before its tail is safe
  IndexBeforeCopy,      // a checkpoint counts before it is copied
  PackedIndex,          // indices of a byte a group, four to a word that is read and written back
  MarkBeforeData,       // of a workload: its mark is stored before what it stands for
  NoPersistBeforeMark,  // or without a persist between
  NoPersistAfterMark,   // the workload goes on before its mark is safe
  ClearsAtRecovery,     // recovery begins afresh but keeps a mark
  InPlaceBeforeUndo,    // old values are overwritten before they are logged
  UndoToEmpty,          // undoing leaves nothing in place of what was logged
  LogDroppedFirst,      // entries are dropped before what they undo has ended
  KeepsOldLog,          // entries of what has ended are still there when the next begins
  MarkAsClaim           // what an interrupted step marked counts as dealt with
};

struct Place {
  std::uint64_t base = 0, bytes = 0;
};

// Of one warp. All lanes pass together.
WarpTask store_line(Warp& w, std::uint64_t address, LineWords words);
WarpTask load_line(Warp& w, std::uint64_t address, LineWords& words);

struct Mapped {
  Place place;
  bool ok = false, created = false;
};
// `wanted`: where it goes if it is made. `create` false: only an entry that is there.
WarpTask gpm_map(Warp& w, std::uint64_t directory, std::string_view name, Kind kind, Place wanted,
                 bool create, Mapped& out, Fault fault = Fault::None);
// Frees the entry.
WarpTask gpm_unmap(Warp& w, std::uint64_t directory, std::string_view name);

// A structure's first line: stored and persisted, and read again.
WarpTask write_header(Warp& w, std::uint64_t address, Kind kind,
                      std::array<std::uint32_t, 8> of_kind);
WarpTask read_header(Warp& w, std::uint64_t address, Kind kind, Header& header, bool& valid,
                     Fault fault = Fault::None);

}  // namespace cxlgpu::gpm
