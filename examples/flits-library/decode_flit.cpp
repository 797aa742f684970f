// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Decodes 68-byte flits with the component flits alone: the one given in hex, or a MemRd of its
// own that is encoded first.
//
// Usage: decode_flit [HEX OF 68 BYTES]   (from the host to the device)
#include <cstdio>
#include <cxlgpu/flits/codec.hpp>

namespace {

using namespace cxlgpu::flits;

Flit mem_rd() {
  ProtocolFlit content;
  content.header.format = {5, 0, 0, 0};  // H5: one request or one write
  content.slots[0].messages.push_back(
      M2sReq{.opcode = M2sReqOpcode::MemRd, .tag = 0x2a, .address = 0x1234'5640});
  return encode(Direction::M2S, content);
}

int decode(const Flit& flit) {
  if (!flit.crc_ok()) {
    std::puts("CRC wrong");
    return 1;
  }
  const Decoded decoded = Decoder(Direction::M2S).decode(flit);
  std::printf("%u messages, %u findings\n", static_cast<unsigned>(decoded.items.size()),
              static_cast<unsigned>(decoded.findings.size()));
  for (const Item& item : decoded.items) {
    if (const auto* req = std::get_if<M2sReq>(&item.message)) {
      std::printf("M2S Req opcode %u, tag %x, address %llx\n", static_cast<unsigned>(req->opcode),
                  unsigned{req->tag}, static_cast<unsigned long long>(req->address));
    }
  }
  return decoded.findings.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return decode(mem_rd());
  const std::optional<Flit> flit = Flit::from_hex(argv[1]);
  if (!flit) {
    std::fprintf(stderr, "%s: is not a flit; give 136 hex digits\n", argv[1]);
    return 2;
  }
  return decode(*flit);
}
