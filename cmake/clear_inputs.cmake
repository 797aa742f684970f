# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# clear_inputs() of tests/common/clear_inputs.hpp for one top: a test sees inputs that it does not drive as zero,
# whatever CXLGPU_X_SEED says, for random is what the block itself leaves without a value. The inputs are those of the
# verilated top's header. The text includes none of ours, so it is compiled with the verilated code.
function(cxlgpu_clear_inputs_text out header prefix)
  file(STRINGS ${header} inputs REGEX "^ *VL_IN[0-9W]*\\(&")
  set(lines)
  foreach(input ${inputs})
    string(REGEX REPLACE "^ *VL_IN[0-9W]*\\(&([A-Za-z0-9_]+),.*" "\\1" name "${input}")
    string(APPEND lines "  clear_port(top.${name});\n")
  endforeach()
  set(${out} "#include \"${prefix}.h\"
namespace cxlgpu {
namespace test {
namespace {
template <typename Word>
void clear_port(Word& word) {
  word = 0;
}
template <std::size_t N>
void clear_port(VlWide<N>& words) {
  for (std::size_t i = 0; i < N; ++i) words[i] = 0;
}
}  // namespace
template <typename Top>
void clear_inputs(Top& top);
template <>
void clear_inputs(${prefix}& top) {
${lines}}
}  // namespace test
}  // namespace cxlgpu
" PARENT_SCOPE)
endfunction()
