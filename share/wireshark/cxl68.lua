-- Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector of 68-byte CXL flits, for captures of `cxlgpu run --flit-log F.pcapng` and
-- `cxlgpu flit convert`: one interface a link and direction, named LINK-M2S or LINK-S2M, packets of
-- 68 bytes; on interface LINK what no flit shows, the text "recovery" or "down". Each link has a link
-- type of its own, USER0 to USER14, all others USER15.
--
-- Written from the CXL 2.0 and PCIe 5.0 layouts, not from the C++ of flits/: the two are compared by
-- tests/flits/wireshark.py. What a flit means depends on those before it (data slots owed, a retry
-- in progress, a TLP that goes on), so that much of each stream's past is kept for every packet
-- when it is seen first; a packet is then right in whatever order packets are looked at.
--
-- Wireshark 4.0 and later. Use: wireshark -X lua_script:cxl68.lua FILE, or the personal Lua folder.

local cxl = Proto("cxl68", "CXL 68-byte flit")
local expert_crc = ProtoExpert.new("cxl68.bad_crc", "CRC wrong", expert.group.CHECKSUM,
                                   expert.severity.ERROR)
local expert_discarded = ProtoExpert.new("cxl68.not_taken", "Discarded by its receiver",
                                         expert.group.SEQUENCE, expert.severity.NOTE)
local expert_broken = ProtoExpert.new("cxl68.broken", "Against the standard",
                                      expert.group.PROTOCOL, expert.severity.WARN)
local expert_event = ProtoExpert.new("cxl68.link_event", "Event of the link", expert.group.SEQUENCE,
                                     expert.severity.NOTE)
local expert_unknown = ProtoExpert.new("cxl68.past_unknown",
                                       "Read without the flits before it, which were not seen",
                                       expert.group.UNDECODED, expert.severity.WARN)
cxl.experts = {expert_crc, expert_discarded, expert_broken, expert_event, expert_unknown}

-- ---- fields ------------------------------------------------------------------------------------

local F, all_fields = {}, {}
local function field(make, name, text, ...)
  local f = make("cxl68." .. name, text, ...)
  F[name] = f
  all_fields[#all_fields + 1] = f
end
local Dec, Hex = base.DEC, base.HEX
field(ProtoField.string, "link", "Link")
field(ProtoField.string, "direction", "Direction")
field(ProtoField.string, "event", "Event")
field(ProtoField.uint16, "protocol_id", "Protocol ID", Hex)
field(ProtoField.string, "protocol", "Protocol")
field(ProtoField.bool, "id_corrected", "Protocol ID corrected")
field(ProtoField.string, "kind", "Kind")
field(ProtoField.uint32, "owed", "Data slots owed before", Dec)
field(ProtoField.uint16, "crc", "CRC", Hex)
field(ProtoField.uint16, "crc_expected", "CRC expected", Hex)
field(ProtoField.bool, "crc_ok", "CRC ok")
field(ProtoField.bool, "discarded", "Discarded")
-- header
field(ProtoField.bytes, "header", "Header")
field(ProtoField.bool, "header.ak", "Ak")
field(ProtoField.bool, "header.be", "BE")
field(ProtoField.bool, "header.sz", "Sz")
for s = 0, 3 do
  field(ProtoField.uint8, "header.slot" .. s, "Slot " .. s .. " format code", Dec)
end
field(ProtoField.uint8, "header.rsp_crd", "RspCrd", Dec)
field(ProtoField.uint8, "header.req_crd", "ReqCrd", Dec)
field(ProtoField.uint8, "header.data_crd", "DataCrd", Dec)
-- slots and messages
field(ProtoField.string, "slot", "Slot")
field(ProtoField.string, "slot.format", "Format")
field(ProtoField.bytes, "slot.data", "Data")
field(ProtoField.bytes, "slot.mac", "MAC")
field(ProtoField.framenum, "slot.of", "Header of this data in", base.NONE, frametype.REQUEST)
field(ProtoField.uint8, "slot.chunk", "Chunk of its data", Dec)
field(ProtoField.uint64, "slot.byte_enables", "Byte enables", Hex)
field(ProtoField.bytes, "chunk", "Chunk")
field(ProtoField.string, "message", "Message")
for _, name in ipairs {"kind", "opcode", "snp_type", "meta_field", "meta_value", "dev_load"} do
  field(ProtoField.string, "message." .. name, name)
end
for _, name in ipairs {"tag", "uqid", "cqid", "rsp_data"} do
  field(ProtoField.uint16, "message." .. name, name, Hex)
end
field(ProtoField.uint64, "message.address", "address", Hex)
for _, name in ipairs {"tc", "ld_id", "rsp_pre"} do
  field(ProtoField.uint8, "message." .. name, name, Dec)
end
for _, name in ipairs {"poison", "nt", "chunk_valid", "go_err", "bogus"} do
  field(ProtoField.bool, "message." .. name, name)
end
-- control flits and ALMPs
field(ProtoField.string, "control", "Control")
for _, name in ipairs {"full_ack", "rsp_crd", "req_crd", "data_crd", "eseq", "num_retry",
                       "num_phy_reinit", "wr_ptr", "num_free_buf", "version", "wrap", "ctl_fmt",
                       "llctrl", "subtype"} do
  field(ProtoField.uint8, "control." .. name, name, Dec)
end
field(ProtoField.bool, "control.empty", "empty")
field(ProtoField.bool, "control.viral", "viral")
field(ProtoField.uint16, "control.viral_ld_id", "viral_ld_id", Hex)
field(ProtoField.string, "control.mac", "mac")
field(ProtoField.string, "almp", "ALMP")
field(ProtoField.string, "almp.link", "link")
field(ProtoField.string, "almp.type", "type")
field(ProtoField.string, "almp.state", "state")
field(ProtoField.string, "almp.fault", "fault")
-- CXL.io
field(ProtoField.string, "packet", "Packet")
field(ProtoField.string, "packet.kind", "kind")
field(ProtoField.string, "packet.type", "type")
field(ProtoField.string, "packet.part", "part")
field(ProtoField.uint8, "packet.dw", "first DW in this flit", Dec)
field(ProtoField.uint16, "packet.dws", "DWs in this flit", Dec)
for _, name in ipairs {"sequence", "length", "byte_count", "hdr_credits", "data_credits"} do
  field(ProtoField.uint16, "packet." .. name, name, Dec)
end
for _, name in ipairs {"vc", "tc", "attr", "at"} do
  field(ProtoField.uint8, "packet." .. name, name, Dec)
end
for _, name in ipairs {"tag", "register"} do
  field(ProtoField.uint16, "packet." .. name, name, Hex)
end
for _, name in ipairs {"first_be", "last_be", "code", "lower_address"} do
  field(ProtoField.uint8, "packet." .. name, name, Hex)
end
field(ProtoField.uint64, "packet.address", "address", Hex)
for _, name in ipairs {"requester", "completer", "target", "status", "routing", "vendor"} do
  field(ProtoField.string, "packet." .. name, name)
end
for _, name in ipairs {"td", "ep", "bcm", "crc_ok", "nullified"} do
  field(ProtoField.bool, "packet." .. name, name)
end
for _, name in ipairs {"header", "data"} do
  field(ProtoField.bytes, "packet." .. name, name)
end
cxl.fields = all_fields

local interface_name = Field.new("frame.interface_name")

-- ---- bits --------------------------------------------------------------------------------------

local bitop = bit32 or bit
local POWER = {[0] = 1}
for i = 1, 53 do POWER[i] = POWER[i - 1] * 2 end

-- `width` bits of byte array `b` (b[0] first, least significant bit first) from bit `at` on.
local function bits(b, at, width)
  local value, scale = 0, 0
  while width > 0 do
    local offset = at % 8
    local take = math.min(8 - offset, width)
    value = value + math.floor(b[(at - offset) / 8] / POWER[offset]) % POWER[take] * POWER[scale]
    scale, at, width = scale + take, at + take, width - take
  end
  return math.floor(value)
end

local function uint64(value)
  return UInt64.new(math.floor(value % POWER[32]), math.floor(value / POWER[32]))
end

local function unsigned(value) return value % POWER[32] end

-- CRC-16 of the flit: 1F053h, bit 511 first, from 0.
local crc16_step = {}
for byte = 0, 255 do
  local crc = byte * 256
  for _ = 1, 8 do
    crc = crc >= 0x8000 and bitop.bxor((crc * 2) % 0x10000, 0xF053) or crc * 2
  end
  crc16_step[byte] = crc
end
local function crc16(payload)
  local crc = 0
  for i = 63, 0, -1 do
    local high = math.floor(crc / 256)
    crc = bitop.bxor(crc16_step[bitop.bxor(high, payload[i])], (crc % 256) * 256)
  end
  return crc
end

-- A reflected CRC over bytes from..to of `b`, after the bytes of `before`.
local function reflected(polynomial, ones)
  local step = {}
  for byte = 0, 255 do
    local crc = byte
    for _ = 1, 8 do
      local half = math.floor(crc / 2)
      crc = crc % 2 == 1 and unsigned(bitop.bxor(half, polynomial)) or half
    end
    step[byte] = crc
  end
  return function(b, from, to, before)
    local crc = ones
    local function take(byte)
      local index = unsigned(bitop.bxor(crc % 256, byte))
      crc = unsigned(bitop.bxor(step[index], math.floor(crc / 256)))
    end
    for _, byte in ipairs(before or {}) do take(byte) end
    for i = from, to do take(b[i]) end
    return ones - crc
  end
end
local lcrc = reflected(0xEDB88320, 0xFFFFFFFF)
local dllp_crc = reflected(0xD008, 0xFFFF)

-- ---- layouts of messages -----------------------------------------------------------------------

local SNP_TYPE = {[0] = "No-Op", "SnpData", "SnpCur", "SnpInv"}
local META_FIELD = {[0] = "Meta0-State", [3] = "No-Op"}
local META_VALUE = {[0] = "Invalid", [2] = "Any", [3] = "Shared"}
local DEV_LOAD = {[0] = "Light", "Optimal", "Moderate", "Severe"}
local function D(name, at, width) return {name = name, at = at, width = width} end
local function E(name, at, width, names) return {name = name, at = at, width = width, names = names} end
local function A(at, width, shift) return {name = "address", at = at, width = width, shift = shift} end
local function B(name, at) return {name = name, at = at, width = 1, flag = true} end

local M2S_REQ = {[0] = "MemInv", "MemRd", "MemRdData", "MemRdFwd", "MemWrFwd",
                 [8] = "MemSpecRd", [9] = "MemInvNT"}
local M2S_RWD = {"MemWr", "MemWrPtl"}
local S2M_NDR = {[0] = "Cmp", "Cmp-S", "Cmp-E"}
local S2M_DRS = {[0] = "MemData"}
local H2D_REQ = {"SnpData", "SnpInv", "SnpCur"}
local H2D_RSP = {"WritePull", [4] = "GO", [5] = "GO_WritePull", [6] = "ExtCmp",
                 [8] = "GO_WritePull_Drop", [12] = "Fast_GO", [13] = "Fast_GO_WritePull",
                 [15] = "GO_ERR_WritePull"}
local D2H_REQ = {"RdCurr", "RdOwn", "RdShared", "RdAny", "RdOwnNoData", "ItoMWr", "MemWr",
                 "CLFlush", "CleanEvict", "DirtyEvict", "CleanEvictNoData", "WOWrInv", "WOWrInvF",
                 "WrInv", [16] = "CacheFlushed"}
local D2H_RSP = {"RspSHitSE", [4] = "RspIHitI", [5] = "RspIHitSE", [6] = "RspVHitV",
                 [7] = "RspSFwdM", [15] = "RspIFwdM", [22] = "RspVFwdV"}

-- `data`: its header is followed by data slots. The last field of `width` bits ends the message.
local MESSAGE = {
  ["M2S Req"] = {width = 87, E("opcode", 1, 4, M2S_REQ), E("snp_type", 5, 3, SNP_TYPE),
                 E("meta_field", 8, 2, META_FIELD), E("meta_value", 10, 2, META_VALUE),
                 D("tag", 12, 16), A(28, 47, 5), D("tc", 75, 2), D("ld_id", 77, 4)},
  ["M2S RwD"] = {width = 87, data = true, E("opcode", 1, 4, M2S_RWD), E("snp_type", 5, 3, SNP_TYPE),
                 E("meta_field", 8, 2, META_FIELD), E("meta_value", 10, 2, META_VALUE),
                 D("tag", 12, 16), A(28, 46, 6), B("poison", 74), D("tc", 75, 2), D("ld_id", 77, 4)},
  ["S2M NDR"] = {width = 30, E("opcode", 1, 3, S2M_NDR), E("meta_field", 4, 2, META_FIELD),
                 E("meta_value", 6, 2, META_VALUE), D("tag", 8, 16), D("ld_id", 24, 4),
                 E("dev_load", 28, 2, DEV_LOAD)},
  ["S2M DRS"] = {width = 40, data = true, E("opcode", 1, 3, S2M_DRS),
                 E("meta_field", 4, 2, META_FIELD), E("meta_value", 6, 2, META_VALUE),
                 D("tag", 8, 16), B("poison", 24), D("ld_id", 25, 4),
                 E("dev_load", 29, 2, DEV_LOAD)},
  ["H2D Req"] = {width = 64, E("opcode", 1, 3, H2D_REQ), A(4, 46, 6), D("uqid", 50, 12)},
  ["H2D Rsp"] = {width = 32, E("opcode", 1, 4, H2D_RSP), D("rsp_data", 5, 12), D("rsp_pre", 17, 2),
                 D("cqid", 19, 12)},
  ["H2D DH"] = {width = 24, data = true, D("cqid", 1, 12), B("chunk_valid", 13), B("poison", 14),
                B("go_err", 15)},
  ["D2H Req"] = {width = 79, E("opcode", 1, 5, D2H_REQ), D("cqid", 6, 12), B("nt", 18),
                 A(26, 46, 6)},
  ["D2H Rsp"] = {width = 20, E("opcode", 1, 5, D2H_RSP), D("uqid", 6, 12)},
  ["D2H DH"] = {width = 17, data = true, D("uqid", 1, 12), B("chunk_valid", 13), B("bogus", 14),
                B("poison", 15)},
}

-- What stands where in a slot, by direction and format: {kind, bit}, or {kind, bit, bit of DevLoad}
-- for the first of two NDR, which kept its 28 bits of CXL 1.1.
local FORMAT = {
  M2S = {
    H0 = {{"H2D Req", 32}, {"H2D Rsp", 96}},
    H1 = {{"H2D DH", 32}, {"H2D Rsp", 56}, {"H2D Rsp", 88}},
    H2 = {{"H2D Req", 32}, {"H2D DH", 96}},
    H3 = {{"H2D DH", 32}, {"H2D DH", 56}, {"H2D DH", 80}, {"H2D DH", 104}},
    H4 = {{"M2S RwD", 32}},
    H5 = {{"M2S Req", 32}},
    H6 = {},
    G0 = {},
    G1 = {{"H2D Rsp", 0}, {"H2D Rsp", 32}, {"H2D Rsp", 64}, {"H2D Rsp", 96}},
    G2 = {{"H2D Req", 0}, {"H2D DH", 64}, {"H2D Rsp", 88}},
    G3 = {{"H2D DH", 0}, {"H2D DH", 24}, {"H2D DH", 48}, {"H2D DH", 72}, {"H2D Rsp", 96}},
    G4 = {{"M2S Req", 0}, {"H2D DH", 88}},
    G5 = {{"M2S RwD", 0}, {"H2D Rsp", 88}},
  },
  S2M = {
    H0 = {{"D2H DH", 32}, {"D2H Rsp", 49}, {"D2H Rsp", 69}, {"S2M NDR", 89}},
    H1 = {{"D2H Req", 32}, {"D2H DH", 111}},
    H2 = {{"D2H DH", 32}, {"D2H DH", 49}, {"D2H DH", 66}, {"D2H DH", 83}, {"D2H Rsp", 100}},
    H3 = {{"S2M DRS", 32}, {"S2M NDR", 72}},
    H4 = {{"S2M NDR", 32, 90}, {"S2M NDR", 60}},
    H5 = {{"S2M DRS", 32}, {"S2M DRS", 72}},
    H6 = {},
    G0 = {},
    G1 = {{"D2H Req", 0}, {"D2H Rsp", 79}, {"D2H Rsp", 99}},
    G2 = {{"D2H Req", 0}, {"D2H DH", 79}, {"D2H Rsp", 96}},
    G3 = {{"D2H DH", 0}, {"D2H DH", 17}, {"D2H DH", 34}, {"D2H DH", 51}},
    G4 = {{"S2M DRS", 0}, {"S2M NDR", 40, 98}, {"S2M NDR", 68}},
    G5 = {{"S2M NDR", 0, 58}, {"S2M NDR", 28}},
    G6 = {{"S2M DRS", 0}, {"S2M DRS", 40}, {"S2M DRS", 80}},
  },
}

local PROTOCOL = {[0xFF] = "CXL.io", [0xD2] = "CXL.io+EDS", [0x55] = "CXL.cachemem",
                  [0x87] = "CXL.cachemem+EDS", [0x99] = "NULL", [0x4B] = "NULL+EDS",
                  [0xCC] = "ALMP", [0x1E] = "ALMP+EDS"}
local FAMILY = {[0xFF] = "io", [0xD2] = "io", [0x55] = "cachemem", [0x87] = "cachemem",
                [0x99] = "null", [0x4B] = "null", [0xCC] = "almp", [0x1E] = "almp"}

-- ---- a flit, apart from how it is shown --------------------------------------------------------

local function protocol_id(b0, b1)
  local known0, known1 = PROTOCOL[b0] ~= nil, PROTOCOL[b1] ~= nil
  if b0 == b1 and known0 then return b0, false end
  if known0 and not known1 then return b0, true end
  if known1 and not known0 then return b1, true end
  return nil, false
end

local function control_of(p)
  local c = {at = {}}
  local function put(name, value) c.at[#c.at + 1] = {name, value} end
  local format, llctrl, subtype = bits(p, 5, 3), bits(p, 32, 4), bits(p, 36, 4)
  local retry = {[0] = "RETRY.Idle", "RETRY.Req", "RETRY.Ack", "RETRY.Frame"}
  local ide = {[0] = "IDE.Idle", "IDE.Start", "IDE.TMAC"}
  if format == 0 and llctrl == 0 and subtype == 1 then
    c.name = "LLCRD"
    put("full_ack", bits(p, 64 + 4, 4) * 16 + bits(p, 2, 1) * 8 + bits(p, 64, 3))
    put("rsp_crd", bits(p, 20, 4))
    put("req_crd", bits(p, 24, 4))
    put("data_crd", bits(p, 28, 4))
  elseif format == 0 and llctrl == 1 and retry[subtype] then
    c.name = retry[subtype]
    if subtype == 1 then
      put("eseq", bits(p, 64, 8))
      put("num_retry", bits(p, 64 + 16, 5))
      put("num_phy_reinit", bits(p, 64 + 21, 5))
      c.num_retry = bits(p, 64 + 16, 5)
    elseif subtype == 2 then
      put("empty", bits(p, 64, 1))
      put("viral", bits(p, 64 + 1, 1))
      put("num_retry", bits(p, 64 + 3, 5))
      put("wr_ptr", bits(p, 64 + 8, 8))
      put("eseq", bits(p, 64 + 16, 8))
      put("num_free_buf", bits(p, 64 + 24, 8))
      put("viral_ld_id", bits(p, 64 + 32, 16))
      c.num_retry = bits(p, 64 + 3, 5)
    end
  elseif format == 0 and llctrl == 12 and subtype == 8 then
    c.name = "INIT.Param"
    put("version", bits(p, 64, 4))
    put("wrap", bits(p, 64 + 24, 8))
  elseif format == 1 and llctrl == 2 and ide[subtype] then
    c.name = ide[subtype]
    if subtype == 2 then
      c.mac = {p[3], p[5], p[6], p[7]}
      for i = 8, 15 do c.mac[#c.mac + 1] = p[i] end
    end
  else
    c.name = "reserved control"
    put("ctl_fmt", format)
    put("llctrl", llctrl)
    put("subtype", subtype)
  end
  return c
end

local ALMP_STATE = {[1] = "Active", [4] = "L1.0", [5] = "L1.1", [6] = "L1.2", [7] = "L1.3",
                    [8] = "L2", [11] = "Retrain"}
-- `fault`: why it is none, but for "rest not zero", with which it is one.
local function almp_of(p, tail)
  local a = {}
  for i = 4, 15 do
    if p[i] ~= p[i % 4] then a.fault = "copies differ" end
  end
  if a.fault then return a end
  local state = p[2] % 16
  a.link = ({"CXL.io", "CXL.cachemem"})[p[3]]
  if p[0] ~= 0 or p[1] ~= 8 or not a.link or math.floor(p[2] / 16) % 8 ~= 0 then
    a.fault = "malformed"
    return a
  end
  local request = p[2] >= 128
  a.type = request and "Request" or "Status"
  a.state = ALMP_STATE[state]
  if request and state == 3 then a.state = "DAPM" end
  if not request and state == 0 then a.state = "Reset" end
  if not a.state then
    a.fault = "illegal state code"
    return a
  end
  a.good = true
  for i = 16, 63 do
    if p[i] ~= 0 then a.fault = "rest not zero" end
  end
  if tail ~= 0 then a.fault = "rest not zero" end
  return a
end

-- Messages of a slot: {kind, bit, values, bits of it}.
local function messages_of(slot, direction, format)
  local found = {}
  for _, place in ipairs(FORMAT[direction][format] or {}) do
    local kind, at, load_at = place[1], place[2], place[3]
    if bits(slot, at, 1) == 1 then
      local layout = MESSAGE[kind]
      local message = {kind = kind, at = at, width = layout.width, data = layout.data, values = {}}
      for i, f in ipairs(layout) do
        local from = at + f.at
        if load_at and f.name == "dev_load" then from = load_at end
        message.values[i] = {f, bits(slot, from, f.width)}
      end
      found[#found + 1] = message
    end
  end
  return found
end

-- A flit of CXL.cachemem. `owed`: data slots owed when it starts; `pending`: the headers that owe
-- them, oldest first, each {frame, chunks, left, enables}. Gives the structure and what is owed after.
local function cachemem_of(p, direction, owed, pending, frame)
  local flit = {slots = {}}
  local queue = {}
  for i, h in ipairs(pending) do
    queue[i] = {frame = h.frame, chunks = h.chunks, left = h.left, enables = h.enables}
  end
  local function take(slot)
    owed = owed - 1
    local head = queue[1]
    if not head then return end
    slot.of, slot.chunk = head.frame, head.chunks - head.left
    head.left = head.left - 1
    slot.enables = head.enables and head.left == 0
    if head.left == 0 then table.remove(queue, 1) end
  end
  if owed >= 4 then
    flit.kind = "all-data"
    for s = 0, 3 do
      flit.slots[s] = {data = true}
      take(flit.slots[s])
    end
  elseif bits(p, 0, 1) == 1 then
    flit.kind = "control"
    flit.control = control_of(p)
  else
    flit.kind = "protocol"
    local be, sz = bits(p, 3, 1) == 1, bits(p, 4, 1) == 1
    for s = 0, 3 do
      local code = bits(p, s == 0 and 5 or 5 + 3 * s, 3)
      local slot = {format = (s == 0 and "H" or "G") .. code, code = code, messages = {}}
      flit.slots[s] = slot
      if s > 0 and owed > 0 then
        slot.data = true
        slot.broken = code ~= 0 and "owes data, but is not G0" or nil
        take(slot)
      else
        slot.bytes = {}
        for i = 0, 15 do slot.bytes[i] = p[16 * s + i] end
        slot.empty = slot.format == "G0"
        slot.mac = slot.format == "H6"
        if not FORMAT[direction][slot.format] then slot.broken = "is of a reserved format" end
        slot.messages = messages_of(slot.bytes, direction, slot.format)
        for _, m in ipairs(slot.messages) do
          if m.data then
            local chunks = (sz and 4 or 2) + (be and 1 or 0)
            owed = owed + chunks
            queue[#queue + 1] = {frame = frame, chunks = chunks, left = chunks, enables = be}
          end
        end
      end
    end
  end
  return flit, owed, queue
end

-- ---- CXL.io: packets of PCIe in the symbol stream ----------------------------------------------

-- x^14..x^4 mod x^4 + x + 1: what bits 0..10 of the length add to the FCRC.
local FCRC = {[0] = 9, 13, 15, 14, 7, 10, 5, 11, 12, 6, 3}

-- Length in DW of the TLP whose STP token the bytes are; nil: not one.
local function stp(b0, b1, b2)
  if b0 % 16 ~= 15 then return nil end
  local length = b1 % 128 * 16 + math.floor(b0 / 16)
  local fcrc, ones = 0, 0
  for i = 0, 10 do
    if bits({[0] = length % 256, math.floor(length / 256)}, i, 1) == 1 then
      fcrc = bitop.bxor(fcrc, FCRC[i])
      ones = ones + 1
    end
  end
  for i = 0, 3 do ones = ones + math.floor(fcrc / POWER[i]) % 2 end
  if math.floor(b2 / 16) ~= fcrc or math.floor(b1 / 128) ~= ones % 2 then return nil end
  if length < 5 or length > 1031 then return nil end
  return length
end

-- Packets of a flit, from payload `p` and the stream's past {bytes, need (DWs), tail}; `bytes`: those
-- of a packet that goes on, `tail`: the flit before ended with the end of a TLP. Each packet
-- {dw, dws, bytes (if it ends here), begun (it began in an earlier flit), edb, bad}.
local function io_of(p, past)
  local packets, dw = {}, 0
  local next_past = {}
  local function is(i, a, b, c, d)
    return p[4 * i] == a and p[4 * i + 1] == b and p[4 * i + 2] == c and p[4 * i + 3] == d
  end
  local function take(bytes, need, begun)
    local packet = {dw = dw, begun = begun}
    while dw < 16 and bytes.n < 4 * need do
      for i = 0, 3 do bytes[bytes.n + i] = p[4 * dw + i] end
      bytes.n, dw = bytes.n + 4, dw + 1
    end
    packet.dws = dw - packet.dw
    packet.sdp = bytes[0] == 0xF0
    if bytes.n == 4 * need then
      packet.bytes = bytes
      if not packet.sdp then
        if dw == 16 then
          next_past.tail = true
        elseif is(dw, 0xC0, 0xC0, 0xC0, 0xC0) then
          packet.edb, dw = true, dw + 1
        end
      end
    else
      next_past.bytes, next_past.need = bytes, need
    end
    packets[#packets + 1] = packet
  end
  if past.bytes then
    local copy = {n = past.bytes.n}
    for i = 0, copy.n - 1 do copy[i] = past.bytes[i] end
    take(copy, past.need, true)
  elseif past.tail and is(0, 0xC0, 0xC0, 0xC0, 0xC0) then
    packets[1] = {dw = 0, dws = 1, late_edb = true}
    dw = 1
  end
  while dw < 16 do
    if is(dw, 0, 0, 0, 0) then
      dw = dw + 1
    elseif p[4 * dw] == 0xF0 and p[4 * dw + 1] == 0xAC then
      take({n = 0}, 2, false)
    else
      local length = stp(p[4 * dw], p[4 * dw + 1], p[4 * dw + 2])
      if not length then
        packets[#packets + 1] = {dw = dw, dws = 16 - dw, bad = true}
        break
      end
      take({n = 0}, length, false)
    end
  end
  return packets, next_past
end

local CREDIT_TYPE = {[0x40] = "InitFC1", [0x80] = "UpdateFC", [0xC0] = "InitFC2"}
local CREDIT_CLASS = {[0] = "P", "NP", "Cpl"}
-- The six bytes of a DLLP behind SDP: {name, value} in order. Bytes have their place in the packet.
local function dllp_of(b)
  local at = {}
  local function put(name, value) at[#at + 1] = {name, value} end
  put("kind", "DLLP")
  local t = b[2]
  local fc, class = CREDIT_TYPE[t - t % 64], CREDIT_CLASS[math.floor(t / 16) % 4]
  if t == 0x00 or t == 0x10 then
    put("type", t == 0 and "Ack" or "Nak")
    put("sequence", b[4] % 16 * 256 + b[5])
  elseif fc and class and t % 16 < 8 then
    put("type", fc .. "-" .. class)
    put("vc", t % 8)
    put("hdr_credits", b[3] % 64 * 4 + math.floor(b[4] / 64))
    put("data_credits", b[4] % 16 * 256 + b[5])
  else
    local other = {[0x02] = "Feature", [0x20] = "PM_Enter_L1", [0x21] = "PM_Enter_L23",
                   [0x23] = "PM_Active_State_Request_L1", [0x24] = "PM_Request_Ack",
                   [0x30] = "Vendor-specific", [0x31] = "NOP"}
    put("type", other[t] or "reserved DLLP")
    put("data", {at = 2, b[2], b[3], b[4], b[5]})
  end
  local crc = dllp_crc(b, 2, 5)
  put("crc_ok", crc == b[6] + 256 * b[7])
  return at
end

local function function_name(high, low)
  return string.format("%02x:%02x.%d", high, math.floor(low / 8), low % 8)
end

local function hex(bytes)
  local text = {}
  for i, byte in ipairs(bytes) do text[i] = string.format("%02x", byte) end
  return table.concat(text)
end

local TLP_TYPE = {
  [0x00] = {[0] = "MRd", "MRd", "MWr", "MWr"},
  [0x01] = {[0] = "MRdLk", "MRdLk"},
  [0x02] = {[0] = "IORd", [2] = "IOWr"},
  [0x04] = {[0] = "CfgRd0", [2] = "CfgWr0"},
  [0x05] = {[0] = "CfgRd1", [2] = "CfgWr1"},
  [0x0A] = {[0] = "Cpl", [2] = "CplD"},
  [0x0B] = {[0] = "CplLk", [2] = "CplDLk"},
  [0x0C] = {[2] = "FetchAdd", [3] = "FetchAdd"},
  [0x0D] = {[2] = "Swap", [3] = "Swap"},
  [0x0E] = {[2] = "CAS", [3] = "CAS"},
}
for routing = 0x10, 0x17 do TLP_TYPE[routing] = {[1] = "Msg", [3] = "MsgD"} end
local ROUTING = {[0] = "to root complex", "by address", "by ID", "broadcast", "local",
                 "gathered", "reserved", "reserved"}
local STATUS = {[0] = "SC", "UR", "CRS", [4] = "CA"}

-- A whole TLP with token and LCRC, bytes 0 .. n-1.
local function tlp_of(b)
  local at = {}
  local function put(name, value) at[#at + 1] = {name, value} end
  local sequence = b[2] % 16 * 256 + b[3]
  local h = {}  -- bytes of the TLP itself
  local n = b.n - 8
  for i = 0, n - 1 do h[i] = b[4 + i] end
  put("kind", "TLP")
  put("sequence", sequence)
  local format, type = math.floor(h[0] / 32), h[0] % 32
  local name = TLP_TYPE[type] and TLP_TYPE[type][format]
  if format >= 4 then name = "prefix" end
  put("type", name or "reserved TLP")
  local header = format % 2 == 1 and 16 or 12
  if not name or format >= 4 then
    local data = {at = 4}
    for i = 0, n - 1 do data[#data + 1] = h[i] end
    put("data", data)
  elseif n < header then
    name = nil
    local data = {at = 4}
    for i = 0, n - 1 do data[#data + 1] = h[i] end
    put("data", data)
  else
    put("tc", math.floor(h[1] / 16) % 8)
    put("attr", math.floor(h[1] / 4) % 2 * 4 + math.floor(h[2] / 16) % 4)
    put("at", math.floor(h[2] / 4) % 4)
    put("td", h[2] >= 128)
    put("ep", math.floor(h[2] / 64) % 2 == 1)
    local length = h[2] % 4 * 256 + h[3]
    if length == 0 then length = 1024 end
    put("length", length)
    local tag_high = math.floor(h[1] / 128) * 512 + math.floor(h[1] / 8) % 2 * 256
    if type == 0x0A or type == 0x0B then
      put("completer", function_name(h[4], h[5]))
      put("status", STATUS[math.floor(h[6] / 32)] or "reserved")
      put("bcm", math.floor(h[6] / 16) % 2 == 1)
      put("byte_count", (h[6] % 16 * 256 + h[7] + 4095) % 4096 + 1)
      put("requester", function_name(h[8], h[9]))
      put("tag", tag_high + h[10])
      put("lower_address", h[11] % 128)
    else
      put("requester", function_name(h[4], h[5]))
      put("tag", tag_high + h[6])
      if type >= 0x10 then
        put("code", h[7])
        put("routing", ROUTING[type % 8])
        if type % 8 == 2 then put("target", function_name(h[8], h[9])) end
        if h[7] == 0x7E or h[7] == 0x7F then
          put("vendor", string.format("%04x", h[10] * 256 + h[11]))
        end
        local words = {at = 4 + 8}
        for i = 8, 15 do words[#words + 1] = h[i] end
        put("header", words)
      else
        put("first_be", h[7] % 16)
        put("last_be", math.floor(h[7] / 16))
        if type == 0x04 or type == 0x05 then
          put("target", function_name(h[8], h[9]))
          put("register", h[10] % 16 * 256 + h[11] - h[11] % 4)
        else
          local low = (h[header - 4] * 65536 + h[header - 3] * 256 + h[header - 2]) * 256 +
                      h[header - 1] - h[header - 1] % 4
          local high = 0
          if header == 16 then
            high = (h[8] * 65536 + h[9] * 256 + h[10]) * 256 + h[11]
          end
          put("address", UInt64.new(low, high))
        end
      end
    end
    local last = n
    if h[2] >= 128 then last = last - 4 end
    if last > header then
      local data = {at = 4 + header}
      for i = header, last - 1 do data[#data + 1] = h[i] end
      put("data", data)
    end
  end
  local crc = lcrc(h, 0, n - 1, {math.floor(sequence / 256), sequence % 256})
  local seen = b[n + 4] + 256 * b[n + 5] + 65536 * b[n + 6] + 16777216 * b[n + 7]
  put("crc_ok", seen == crc)
  return at, seen == 0xFFFFFFFF - crc
end

-- ---- what is kept of the streams ---------------------------------------------------------------

local streams   -- "link direction": the receiver at the end of it
local vlsms     -- link: what its ALMPs of CXL.cachemem have come to
local kept      -- packet number: its stream's past
local unplaced  -- packets seen without their interface's name, by number

function cxl.init()
  streams, vlsms, kept, unplaced = {}, {}, {}, {}
end

local function fresh()
  return {owed = 0, pending = {}, retrying = false, frames = 0, deaf = false, io = {}}
end

local function stream(link, direction)
  local key = link .. " " .. direction
  streams[key] = streams[key] or fresh()
  return streams[key]
end

local function vlsm(link)
  vlsms[link] = vlsms[link] or {told = {}, was_up = false}
  return vlsms[link]
end

local function opposite(direction) return direction == "M2S" and "S2M" or "M2S" end

-- RETRY flits count only if all their other bits are 0.
local function is_clean(p, used)
  for i = 0, 63 do
    if not used[i] and p[i] ~= (i == 0 and 1 or 0) then return false end
  end
  return true
end
local FRAME_USED = {[4] = true}
local REQ_USED = {[4] = true, [8] = true, [10] = true, [11] = true}
local ACK_USED = {[4] = true, [8] = true, [9] = true, [10] = true, [11] = true, [12] = true,
                  [13] = true}

-- The receiver takes a flit of CXL.cachemem with a good CRC; true: it makes nothing of it.
local function receive(st, peer, p, direction, frame)
  local owed = st.retrying and 0 or st.owed
  local flit, owed_after, pending = cachemem_of(p, direction, owed, st.retrying and {} or st.pending,
                                                frame)
  local control = flit.control and flit.control.name or ""
  local frames = st.frames
  st.frames = 0
  if control:sub(1, 6) == "RETRY." then
    if control == "RETRY.Frame" and is_clean(p, FRAME_USED) then
      st.frames = frames + 1
    elseif control == "RETRY.Req" and frames >= 5 and is_clean(p, REQ_USED) then
      -- The end that sends this flit waits for an Ack that repeats its number.
      peer.awaited = flit.control.num_retry
    elseif control == "RETRY.Ack" and frames >= 5 and is_clean(p, ACK_USED) and
           flit.control.num_retry == st.awaited then
      st.retrying = false
    end
    return false
  end
  if st.retrying then return true end
  st.owed, st.pending = owed_after, pending
  return false
end

-- The link layers of both ends: a retry, or all from the beginning.
local function both_retry(link)
  for _, direction in ipairs {"M2S", "S2M"} do
    local st = stream(link, direction)
    st.retrying, st.frames = true, 0
  end
end
local function both_restart(link)
  for _, direction in ipairs {"M2S", "S2M"} do
    local st, new = stream(link, direction), fresh()
    st.owed, st.pending, st.retrying, st.frames = new.owed, new.pending, false, 0
    st.awaited = nil
  end
end

-- A good ALMP that is heard. Recovery is asked for by a Request Retrain; behind Recovery the first
-- Status of each end is a snapshot (CXL 2.0 5.1.2.3), and where both resolve to Reset, or the link
-- entered L2, the link layers begin again. Where Active comes again, they retry.
local function hear_almp(link, direction, st, a)
  if a.type == "Request" then
    if a.state == "Retrain" then st.deaf = true end
    return
  end
  if a.link ~= "CXL.cachemem" then return end
  local v = vlsm(link)
  if v.snapshot then
    v.snapshot[direction] = v.snapshot[direction] or a.state
    local host, device = v.snapshot.M2S, v.snapshot.S2M
    if not host or not device then return end
    v.snapshot = nil
    if host == "Active" and device == "Active" then
      v.told = {M2S = true, S2M = true}
    else
      v.told = {}
    end
    if (host == "Reset" or host == "L2") and (device == "Reset" or device == "L2") and
       (host == "Reset" or device == "Reset") then
      v.was_up = false
      both_restart(link)
    end
  elseif a.state == "Active" then
    v.told[direction] = true
    if v.told.M2S and v.told.S2M then
      if v.was_up then both_retry(link) end
      v.was_up = true
    end
  else
    v.told = {}
    if a.state == "L2" then both_restart(link) end
  end
end

-- The stream goes on by one flit; gives what is needed to read it again.
local function advance(link, direction, p, id, crc_ok, frame)
  local st, peer = stream(link, direction), stream(link, opposite(direction))
  local past = {discarded = false, owed = 0}
  local family = id and FAMILY[id]
  if st.deaf then
    past.discarded, st.io = true, {}
    return past
  end
  if not family then
    past.discarded, st.retrying, st.frames, st.deaf = true, true, 0, true
  elseif family == "almp" then
    local a = almp_of(p, 0)
    past.discarded = a.fault == "copies differ"
    if a.good then hear_almp(link, direction, st, a) else st.deaf = true end
  elseif family == "io" then
    past.io = st.io
    local _
    _, st.io = io_of(p, st.io)
  elseif family == "cachemem" then
    past.owed = st.retrying and 0 or st.owed
    past.pending = past.owed > 0 and st.pending or nil
    if crc_ok then
      past.discarded = receive(st, peer, p, direction, frame)
    else
      past.discarded, st.retrying, st.frames = true, true, 0
    end
  end
  return past
end

-- Recovery: both ends hear again, tell their state and retry; a packet that was on its way is lost.
-- When the link goes down, all begins again.
local function event(link, is_down)
  for _, direction in ipairs {"M2S", "S2M"} do
    local st = stream(link, direction)
    st.deaf, st.io = false, {}
  end
  if is_down then
    vlsms[link] = nil
    both_restart(link)
  else
    vlsm(link).snapshot = {}
    both_retry(link)
  end
end

-- ---- showing it --------------------------------------------------------------------------------

local function credit(code)
  local count = code % 8 == 0 and 0 or POWER[code % 8 - 1]
  return string.format("%s:%d", code >= 8 and "mem" or "cache", count)
end

local function show_message(tree, range, message)
  local text = {message.kind}
  local values = {}
  local no_meta = false
  for _, v in ipairs(message.values) do
    local f, code = v[1], v[2]
    local value, said = code, nil
    if f.names then
      value = f.names[code] or string.format("reserved %d", code)
      said = value
    elseif f.flag then
      value = code == 1
      said = value and f.name or nil
    elseif f.shift then
      value = uint64(code * POWER[f.shift])
      said = string.format("address=0x%x", code * POWER[f.shift])
    elseif f.name == "tag" or f.name == "uqid" or f.name == "cqid" then
      said = string.format("%s=0x%x", f.name, code)
    elseif code ~= 0 then
      said = string.format("%s=%d", f.name, code)
    end
    if f.name == "meta_field" then no_meta = code ~= 0 end
    if f.names and f.name ~= "opcode" then said = string.format("%s=%s", f.name, value) end
    if f.name == "meta_value" and no_meta then said = nil end
    if said then text[#text + 1] = said end
    values[#values + 1] = {f.name, value, f}
  end
  local item = tree:add(F["message"], range, table.concat(text, " "))
  item:add(F["message.kind"], range, message.kind)
  for _, v in ipairs(values) do
    local name, value, f = v[1], v[2], v[3]
    local leaf = item:add(F["message." .. name], range, value)
    local unused = name == "meta_value" and no_meta
    if f.names and not unused and value:sub(1, 9) == "reserved " then
      leaf:add_proto_expert_info(expert_broken, name .. " is a reserved code")
    end
  end
  return table.concat(text, " ")
end

local function show_slot(tree, tvb, s, slot, info)
  local range = tvb(2 + 16 * s, 16)
  local title = slot.data and "data" or slot.format
  local item = tree:add(F["slot"], range, string.format("%d: %s", s, slot.format))
  item:add(F["slot.format"], range, slot.format)
  if slot.broken then
    item:add_proto_expert_info(expert_broken, string.format("Slot %d %s", s, slot.broken))
  end
  if slot.data or slot.empty then
    item:add(F["slot.data"], range)
    if slot.of then
      item:add(F["slot.of"], range, slot.of):set_generated()
      if slot.enables then
        item:append_text(", byte enables")
        item:add(F["slot.byte_enables"], tvb(2 + 16 * s, 8), tvb(2 + 16 * s, 8):le_uint64())
      else
        item:append_text(string.format(", data chunk %d", slot.chunk))
        item:add(F["slot.chunk"], range, slot.chunk):set_generated()
      end
    end
  elseif slot.mac then
    item:add(F["slot.mac"], tvb(6, 12))
  end
  for _, message in ipairs(slot.messages) do
    local first = math.floor(message.at / 8)
    local last = math.floor((message.at + message.width - 1) / 8)
    local text = show_message(item, tvb(2 + 16 * s + first, last - first + 1), message)
    info[#info + 1] = text
  end
  return title
end

local function show_header(tree, tvb, p, info)
  local item = tree:add(F["header"], tvb(2, 4))
  for i, name in ipairs {"ak", "be", "sz"} do
    local set = bits(p, 1 + i, 1) == 1
    item:add(F["header." .. name], tvb(2, 1), set)
    if set then info[#info + 1] = ({"Ak", "BE", "Sz"})[i] end
  end
  for s = 0, 3 do
    item:add(F["header.slot" .. s], tvb(2, 3), bits(p, 5 + 3 * s, 3))
  end
  for i, name in ipairs {"rsp_crd", "req_crd", "data_crd"} do
    local code = bits(p, 16 + 4 * i, 4)
    item:add(F["header." .. name], tvb(i == 1 and 4 or 5, 1), code)
        :append_text(" (" .. credit(code) .. ")")
    if code % 8 ~= 0 then
      info[#info + 1] = ({"RspCrd", "ReqCrd", "DataCrd"})[i] .. "=" .. credit(code)
    end
  end
  if bits(p, 1, 1) ~= 0 or bits(p, 17, 3) ~= 0 then
    item:add_proto_expert_info(expert_broken, "Reserved bits of the header are not 0")
  end
end

local function show_cachemem(tree, tvb, p, direction, past, frame, info)
  local flit = cachemem_of(p, direction, past.owed, past.pending or {}, frame)
  tree:add(F["kind"], tvb(2, 64), flit.kind)
  tree:add(F["owed"], tvb(2, 64), past.owed):set_generated()
  if flit.control then
    local c = flit.control
    local text = {c.name}
    local item = tree:add(F["control"], tvb(2, 16), c.name)
    for _, v in ipairs(c.at) do
      local name, value = v[1], v[2]
      local said = tostring(value)
      if name == "empty" or name == "viral" then
        value = value == 1
        said = value and "1" or "0"
      end
      local leaf = item:add(F["control." .. name], tvb(2, 16), value)
      if name:sub(-4) == "_crd" then
        said = credit(value)
        leaf:append_text(" (" .. said .. ")")
      end
      text[#text + 1] = name .. "=" .. said
    end
    if c.mac then  -- bytes 3, 5 to 7 and 8 to 15 of the slot
      item:add(F["control.mac"], tvb(2, 16), hex(c.mac))
      text[#text + 1] = "mac=" .. hex(c.mac)
    end
    if c.name == "reserved control" then
      item:add_proto_expert_info(expert_broken, "Control flit of a reserved code")
    end
    info[#info + 1] = table.concat(text, " ")
    return
  end
  if flit.kind == "all-data" then
    info[#info + 1] = "all data"
    for s = 0, 3 do
      local range = tvb(2 + 16 * s, 16)
      local item = tree:add(F["chunk"], range)
      local slot = flit.slots[s]
      if slot.of then
        item:add(F["slot.of"], range, slot.of):set_generated()
        if slot.enables then
          item:add(F["slot.byte_enables"], tvb(2 + 16 * s, 8), tvb(2 + 16 * s, 8):le_uint64())
        else
          item:add(F["slot.chunk"], range, slot.chunk):set_generated()
        end
      end
    end
    return
  end
  show_header(tree, tvb, p, info)
  local data = 0
  for s = 0, 3 do
    show_slot(tree, tvb, s, flit.slots[s], info)
    if flit.slots[s].data then data = data + 1 end
  end
  if data > 0 then info[#info + 1] = data .. (data == 1 and " data slot" or " data slots") end
end

local function show_almp(tree, tvb, p, info)
  tree:add(F["kind"], tvb(2, 64), "almp")
  local a = almp_of(p, tvb(66, 2):uint())
  local text = a.good and string.format("%s %s %s", a.link, a.type, a.state) or ""
  if a.fault then text = text .. (a.good and " " or "") .. "(" .. a.fault .. ")" end
  local item = tree:add(F["almp"], tvb(2, 16), text)
  if a.good then
    item:add(F["almp.link"], tvb(5, 1), a.link)
    item:add(F["almp.type"], tvb(4, 1), a.type)
    item:add(F["almp.state"], tvb(4, 1), a.state)
  end
  if a.fault then
    item:add(F["almp.fault"], tvb(2, 64), a.fault):set_generated()
    item:add_proto_expert_info(expert_broken, "ALMP: " .. a.fault)
  end
  info[#info + 1] = "ALMP " .. text
end

local function show_values(item, range, at)
  local text = {}
  for _, v in ipairs(at) do
    local name, value = v[1], v[2]
    if type(value) == "table" then
      item:add(F["packet." .. name], range(value.at, #value))
      value = hex(value)
      if name == "data" then text[#text + 1] = "data=" .. value end
    else
      item:add(F["packet." .. name], range, value)
      if name == "tag" or name == "register" or name == "code" then
        text[#text + 1] = string.format("%s=0x%x", name, value)
      elseif name == "address" then
        text[#text + 1] = "address=0x" .. value:tohex():gsub("^0+(%x)", "%1")
      elseif name == "kind" or name == "type" then
        text[#text + 1] = value
      elseif name == "sequence" or name == "status" or name == "target" or
             name == "hdr_credits" or name == "data_credits" then
        text[#text + 1] = name .. "=" .. tostring(value)
      end
    end
  end
  return table.concat(text, " ")
end

local function show_io(tree, tvb, p, past, info)
  tree:add(F["kind"], tvb(2, 64), "io")
  for _, packet in ipairs(io_of(p, past.io or {})) do
    local range = tvb(2 + 4 * packet.dw, 4 * packet.dws)
    local item = tree:add(F["packet"], range, "")
    local text
    if packet.bad then
      text = "framing error"
      item:add(F["packet.kind"], range, text)
      item:add_proto_expert_info(expert_broken, "No token where one is due")
    elseif packet.late_edb then
      text = "EDB"
      item:add(F["packet.kind"], range, text)
    elseif not packet.bytes then
      item:add(F["packet.kind"], range, packet.sdp and "DLLP" or "TLP")
      item:add(F["packet.part"], range, packet.begun and "goes on" or "begins")
      text = (packet.sdp and "DLLP " or "TLP ") .. (packet.begun and "goes on" or "begins")
    else
      local at, inverted
      local where = range
      if packet.begun then
        local bytes = {}
        for i = 0, packet.bytes.n - 1 do bytes[i + 1] = packet.bytes[i] end
        where = ByteArray.new(hex(bytes)):tvb("Packet"):range()
      end
      if packet.sdp then
        at = dllp_of(packet.bytes)
      else
        at, inverted = tlp_of(packet.bytes)
        at[#at + 1] = {"nullified", inverted and packet.edb == true}
      end
      text = show_values(item, where, at)
      if packet.begun then item:add(F["packet.part"], range, "ends") end
      for _, v in ipairs(at) do
        if v[1] == "crc_ok" and not v[2] then
          text = text .. " (CRC error)"
          item:add_proto_expert_info(expert_crc, "CRC of the packet is wrong")
        end
      end
    end
    item:add(F["packet.dw"], range, packet.dw):set_generated()
    item:add(F["packet.dws"], range, packet.dws):set_generated()
    item:set_text("Packet: " .. text)
    info[#info + 1] = text
  end
end

local function show_event(tvb, pinfo, tree, link)
  local event = tvb():string()
  local item = tree:add(F["event"], tvb(), event)
  item:add_proto_expert_info(expert_event, event == "down" and "The link went down"
                                           or "Recovery of the physical link")
  pinfo.cols.protocol = "CXL link"
  pinfo.cols.info = link .. " " .. (event == "down" and "link down" or "Recovery")
end

local encaps = wtap_encaps or wtap or {}
local USER0 = encaps.USER0 or 45
local USERS = 16

-- The packet's link as it is shown, a key of the link, nil if it cannot be told, and the direction.
-- Without a tree Wireshark has no name of the interface, but its link type and the packet's flags.
local function place(pinfo)
  local user = pinfo.match_uint - USER0
  local f = interface_name()
  local received = pinfo.p2p_dir == P2P_DIR_RECV
  local direction = received and "S2M" or "M2S"
  if f then
    local link, way = f.value:match("^(.+)%-([MS]2[MS])$")
    if way == "M2S" or way == "S2M" then return link, link, way end
    return f.value, f.value, direction
  end
  if user >= 0 and user < USERS - 1 then
    return string.format("USER%d", user), user, direction
  end
  return "?", nil, direction
end

-- The past of a packet: kept from its first sight, or taken now that it is its turn.
local function past_of(pinfo, key, look)
  local number = pinfo.number
  if kept[number] ~= nil then return kept[number], true end
  if key == nil then
    unplaced[number] = true
    return nil, false
  end
  -- Of a 16th link the first pass may have told nothing; then a second pass, in order, is the first.
  unplaced[number] = nil
  if pinfo.visited then
    for other in pairs(unplaced) do
      if other < number then return nil, false end
    end
  end
  kept[number] = look() or false
  return kept[number], true
end

function cxl.dissector(tvb, pinfo, root)
  local link, key, direction = place(pinfo)
  local length = tvb:reported_length_remaining()
  if length ~= 68 then
    local text = tvb:captured_len() == length and length < 16 and tvb():string() or ""
    if text ~= "recovery" and text ~= "down" then return 0 end
    past_of(pinfo, key, function()
      event(key, text == "down")
    end)
    local tree = root:add(cxl, tvb())
    tree:add(F["link"], tvb(), link):set_generated()
    show_event(tvb, pinfo, tree, link)
    return length
  end
  if tvb:captured_len() < 68 then return 0 end
  local b0, b1 = tvb(0, 1):uint(), tvb(1, 1):uint()
  local p = {}
  for i = 0, 63 do p[i] = tvb(2 + i, 1):uint() end
  local id, corrected = protocol_id(b0, b1)
  local family = id and FAMILY[id]
  local crc_seen, crc_right = tvb(66, 2):le_uint(), nil
  if family == "cachemem" then crc_right = crc16(p) end
  local past, known = past_of(pinfo, key, function()
    return advance(key, direction, p, id, crc_seen == crc_right, pinfo.number)
  end)
  past = past or {discarded = false, owed = 0}

  local tree = root:add(cxl, tvb())
  local info = {}
  tree:add(F["link"], tvb(0, 0), link):set_generated()
  tree:add(F["direction"], tvb(0, 0), direction):set_generated()
  if not known then tree:add_proto_expert_info(expert_unknown) end
  tree:add(F["protocol_id"], tvb(0, 2), tvb(0, 2):le_uint())
  tree:add(F["protocol"], tvb(0, 2), id and PROTOCOL[id] or "unknown")
  if corrected then tree:add(F["id_corrected"], tvb(0, 2), true) end
  if not id then
    tree:add_proto_expert_info(expert_broken, "The two bytes of the protocol ID do not give one")
    info[1] = "unknown protocol ID"
  end
  if family == "cachemem" then
    show_cachemem(tree, tvb, p, direction, past, pinfo.number, info)
    local crc = tree:add(F["crc"], tvb(66, 2), crc_seen)
    tree:add(F["crc_ok"], tvb(66, 2), crc_seen == crc_right):set_generated()
    if crc_seen ~= crc_right then
      tree:add(F["crc_expected"], tvb(66, 2), crc_right):set_generated()
      crc:add_proto_expert_info(expert_crc)
      info[#info + 1] = "(CRC error)"
    end
  elseif family == "io" then
    show_io(tree, tvb, p, past, info)
    if #info == 0 then info[1] = "idle" end
  elseif family == "almp" then
    show_almp(tree, tvb, p, info)
  elseif family == "null" then
    tree:add(F["kind"], tvb(2, 64), "null")
    info[1] = "NULL"
  end
  local item = tree:add(F["discarded"], tvb(0, 0), past.discarded)
  item:set_generated()
  if past.discarded then
    item:add_proto_expert_info(expert_discarded)
    if crc_seen == crc_right then info[#info + 1] = "(discarded)" end
  end
  pinfo.cols.protocol = id and (PROTOCOL[id]:gsub("%+EDS", "")) or "CXL"
  pinfo.cols.src = link .. (direction == "M2S" and " host" or " device")
  pinfo.cols.dst = link .. (direction == "M2S" and " device" or " host")
  pinfo.cols.info = direction .. " " .. table.concat(info, " ")
  return 68
end

local table_of_encaps = DissectorTable.get("wtap_encap")
for user = USER0, USER0 + USERS - 1 do table_of_encaps:add(user, cxl) end
