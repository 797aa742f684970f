// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Any flits on a link: decoder, link checker and text never fail, and what is parsed encodes again.
//
// Input: a byte of options, then flits of 70 bytes: a byte of direction and events, a byte of
// `owed`, 68 bytes of flit.
#include "flits/codec.hpp"
#include "flits/link_checker.hpp"
#include "flits/text.hpp"
#include "verify/fuzz/input.hpp"

namespace {

using namespace cxlgpu::flits;

void check_round_trip(const Flit& flit, Direction direction, unsigned owed) {
  const FlitContent content = parse(flit, direction, owed);
  Flit again;
  try {
    again = encode(direction, content);
  } catch (const std::invalid_argument&) {
    return;  // a message that has no place in its slot's format
  }
  if (!(parse(again, direction, owed) == content)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  cxlgpu::fuzz::Numbers in({data, size});
  const std::uint64_t option = in.take(1);
  LinkCheckerOptions options;
  options.cache = option & 1;
  options.arb_mux = option & 2;
  options.wrap_inclusive = option & 4;
  options.max_findings = 16;
  LinkChecker checker(options);
  std::uint64_t time = 0;
  while (!in.empty()) {
    const std::uint64_t event = in.take(1), owed = in.take(1) & 7;
    const Direction direction = event & 1 ? Direction::S2M : Direction::M2S;
    Flit flit;
    for (auto& byte : flit.bytes) byte = static_cast<std::uint8_t>(in.take(1));
    if (event & 2) flit.set_crc();  // else a good one would never be seen
    check_round_trip(flit, direction, static_cast<unsigned>(owed));
    time += 1000;
    if (event & 4) checker.on_sent(time, direction, flit);
    checker.on_flit(time, direction, flit);
    if ((event & 0x70) == 0x70) checker.on_recovery(time);
    if ((event & 0x70) == 0x60) checker.on_down(time);
    if ((event & 0x70) == 0x50) checker.force_retry(direction);
    if ((event & 0x70) == 0x40) checker.link_up();
  }
  checker.finish();
  if (checker.findings().size() > options.max_findings) __builtin_trap();
  return 0;
}
