#!/bin/sh
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# The other configurations of the RTL (configs/rtl): each is built, and runs six scenarios in cosim, where RTL and model
# must differ for no request in data, path or time. A line each; exit status 1 if one failed.
# Usage: scripts/rtl_scenarios.sh [CONFIG...]      default: small large
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- small large

failed=0
for config in "$@"; do
  name=$(basename "$config" .yaml)
  make -s build RTL="$config" || { echo "rtl_scenarios: $name is not built" >&2; failed=1; continue; }
  # The data of a run lie behind every port that there is.
  count=$(scripts/rtl_sizes.py --value ports "$config")
  ports=$(seq -s, 0 $((count - 1)))
  writes=$(scripts/rtl_sizes.py --value ds_writes "$config")
  for scenario in vadd-znand-sr bfs-znand-stream sort-znand-ds gemm-pram-dyn rand-dram-cxl around-nand-ds; do
    out=out/rtl/$name/$scenario
    mkdir -p "$out"
    if "build/$name/bin/cxlgpu" run "$scenario" --engine cosim --out "$out" --set "root_port.ds_max_writes=$writes" \
      --set "hdm.ranges=[{base: 0x100000000, size: $((256 * count))MiB, ports: [$ports], granularity: 1024}]" >"$out/log" 2>&1; then
      echo "$name $scenario: $(grep -m1 "requests compared" "$out/log")"
    else
      echo "$name $scenario: FAILED, see $out/log" >&2
      failed=1
    fi
  done
done
exit "$failed"
