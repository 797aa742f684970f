// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Made by scripts/rtl_sizes.py from configs/rtl/default.yaml: do not edit.
//
// Sizes of the machine, which its tops hand down to the blocks.

package cxlgpu_size_pkg;

  typedef struct packed {
    int unsigned ports;                 // ports, 1..15
    int unsigned sr_queue_entries;      // entries, 4..64
    int unsigned memory_queue_entries;  // entries, 4..64
    int unsigned ring_entries;          // granules, 16..4096, a power of two
    int unsigned spec_cap_bytes;        // bytes, 1024..1024
    int unsigned ds_lines;              // lines, 16..4096, a power of two
    int unsigned ds_writes;             // writes, 1..64
    int unsigned mshrs;                 // fills, 16..256, a power of two
    int unsigned line_bytes;            // bytes, 64..1024, a power of two
  } rtl_sizes_t;

  parameter rtl_sizes_t DefaultSizes = '{
    ports:                2,
    sr_queue_entries:     32,
    memory_queue_entries: 32,
    ring_entries:         1024,
    spec_cap_bytes:       1024,
    ds_lines:             1024,
    ds_writes:            32,
    mshrs:                128,
    line_bytes:           256
  };

endpackage
