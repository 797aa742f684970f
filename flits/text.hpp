// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flits as one line of text for people and as JSON for programs.
//
// JSON of a flit: {"direction","protocol","kind", ...}, with per kind
//   protocol  "header": {ak, be, sz, rsp_crd, req_crd, data_crd: codes, "credits":
//   {"rsp"|"req"|"data":
//             {"pool": "mem"|"cache", "count"}}}, "slots": [{"format": "H5",
//             "messages": [{"kind": "M2S Req", "opcode": "MemRd", ...}]} | {"format", "data": hex}]
//   all-data  "chunks": four hex strings of 16 bytes
//   control   "control": {"type": "LLCRD", ...fields}
//   almp      "almp": {"link": "CXL.cachemem", "type": "Request"|"Status", "state": "Active"};
//             "fault": what is wrong with it
//   other     CXL.io, NULL, damaged protocol ID; packets of CXL.io: io_stream.hpp
// "id_corrected": true where one of the two bytes of the protocol ID was damaged.
// Fields wider than 8 bits are hex strings; reserved codes are numbers. Where these fields do not
// say everything (bad CRC, odd protocol ID, reserved or stale bits), "raw" holds all 68 bytes and
// wins when the flit is read back, so flit_from_json(to_json(f)) == f for every flit.
// Errors: flit_from_json throws FormatError, one line that names the key and what to do.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "flits/almp.hpp"
#include "flits/codec.hpp"

namespace cxlgpu::flits {

struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `owed`: data slots owed when the flit starts (Decoder::owed() before decode()).
std::string to_text(const Flit& flit, Direction direction, unsigned owed = 0);
std::string to_text(const Message& message);
std::string to_text(const Control& control);
std::string to_text(const Almp& almp);

nlohmann::ordered_json to_json(const Flit& flit, Direction direction, unsigned owed = 0);
nlohmann::ordered_json to_json(const Message& message);
nlohmann::ordered_json to_json(const Control& control);

Flit flit_from_json(const nlohmann::ordered_json& json);
Message message_from_json(const nlohmann::ordered_json& json);
Control control_from_json(const nlohmann::ordered_json& json);

}  // namespace cxlgpu::flits
