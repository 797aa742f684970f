// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "device_registers.hpp"

#include <algorithm>
#include <string_view>

namespace peer {
namespace {

constexpr uint64_t kCapacityUnit = uint64_t{256} << 20;

// The commands that a volatile memory device must have (S20 Tables 152 and 174) and the length of
// their input.
struct Command {
  uint16_t opcode;
  uint16_t input;
  bool exact;  // the input has this length, not just this at least
};
constexpr std::array kCommands = {
    Command{0x0100, 1, true},    Command{0x0101, 6, false}, Command{0x0102, 0, true},
    Command{0x0103, 4, true},    Command{0x0400, 0, true},  Command{0x0401, 0x18, true},
    Command{0x4000, 0, true},    Command{0x4200, 0, true},  Command{0x4201, 0, true},
    Command{0x4202, 0x0c, true},
};
// The Command Effects Log, 0da9c0b5-bf41-4b78-8f79-96b1623b3f17, in the byte order of a UUID on the
// wire.
constexpr std::array<uint8_t, 16> kEffectsLog = {0x0d, 0xa9, 0xc0, 0xb5, 0xbf, 0x41, 0x4b, 0x78,
                                                 0x8f, 0x79, 0x96, 0xb1, 0x62, 0x3b, 0x3f, 0x17};

void put(std::vector<uint8_t>& out, size_t at, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace

DeviceRegisters::DeviceRegisters(uint64_t memory_size, unsigned command_cycles)
    : memory_size_(memory_size), command_cycles_(command_cycles) {
  RegisterFile& r = registers_;
  const auto capability = [&](uint32_t at, uint32_t id, uint32_t offset, uint32_t length) {
    r.define(at, id | 1U << 16);
    r.define(at + 4, offset);
    r.define(at + 8, length);
  };
  r.define(0, 1U << 16);
  r.define(4, 3);
  capability(0x10, 1, kStatus, 8);
  capability(0x20, 2, kMailbox, 0x20 + (1U << kPayloadLog2));
  capability(0x30, 0x4000, kMemoryStatus, 8);
  r.define(kMemoryStatus, 1U << 2 | 1U << 4);  // media ready, mailbox ready
  r.define(kMailbox, kPayloadLog2);
  r.define(kMailbox + 4, 0, 7);
  r.define(kMailbox + 8, 0, 0xffff'ffff);
  r.define(kMailbox + 0xc, 0, 0x1f);
  for (uint32_t i = 0; i < 1U << kPayloadLog2; i += 4)
    r.define(kMailbox + 0x20 + i, 0, 0xffff'ffff);
}

void DeviceRegisters::reset() {
  registers_.reset(true);
  busy_ = 0;
  event_policy_.fill(0);
}

void DeviceRegisters::write(uint32_t at, uint32_t value, unsigned byte_enable) {
  if (busy_ != 0) return;  // nothing of the mailbox may be written while the doorbell is set
  registers_.write(at, value, byte_enable);
  if (at == kMailbox + 4 && (registers_.read(at) & 1) != 0) busy_ = command_cycles_ + 1;
}

void DeviceRegisters::tick() {
  if (busy_ != 0 && --busy_ == 0) execute();
}

void DeviceRegisters::execute() {
  const uint32_t low = registers_.read(kMailbox + 8);
  const unsigned opcode = low & 0xffff;
  const unsigned length = low >> 16 | (registers_.read(kMailbox + 0xc) & 0x1f) << 16;
  Answer answer;
  if (length > 1U << kPayloadLog2) {
    answer.code = Return::InvalidLength;
  } else {
    std::vector<uint8_t> input;
    for (unsigned i = 0; i < length; ++i) {
      input.push_back(
          static_cast<uint8_t>(registers_.read(kMailbox + 0x20 + (i & ~3U)) >> (8 * (i & 3))));
    }
    answer = command(opcode, input);
  }
  const auto out = static_cast<uint32_t>(answer.payload.size());
  answer.payload.resize((out + 3U) & ~3U);
  for (uint32_t i = 0; i < answer.payload.size(); i += 4) {
    uint32_t word = 0;
    for (uint32_t b = 0; b < 4; ++b)
      word |= static_cast<uint32_t>(answer.payload[i + b]) << (8 * b);
    registers_.set(kMailbox + 0x20 + i, word);
  }
  registers_.set(kMailbox + 8, opcode | out << 16);
  registers_.set(kMailbox + 0xc, out >> 16);
  registers_.set(kMailbox + 0x14, static_cast<uint32_t>(answer.code));
  registers_.set(kMailbox + 4, registers_.read(kMailbox + 4) & ~1U);
}

DeviceRegisters::Answer DeviceRegisters::command(unsigned opcode, std::span<const uint8_t> input) {
  const auto known = std::ranges::find(kCommands, opcode, &Command::opcode);
  if (known == kCommands.end()) return {Return::Unsupported, {}};
  if (known->exact ? input.size() != known->input : input.size() < known->input) {
    return {Return::InvalidLength, {}};
  }
  switch (opcode) {
    case 0x0100:  // no event records
      if (input[0] > 3) return {Return::InvalidInput, {}};
      return {Return::Success, std::vector<uint8_t>(0x20)};
    case 0x0101:
      return {input[0] > 3 ? Return::InvalidInput : Return::Success, {}};
    case 0x0102:
      return {Return::Success, {event_policy_.begin(), event_policy_.end()}};
    case 0x0103:
      std::ranges::copy(input, event_policy_.begin());
      return {};
    case 0x0400: {
      std::vector<uint8_t> out(8 + 0x14);
      out[0] = 1;
      std::ranges::copy(kEffectsLog, out.begin() + 8);
      put(out, 0x18, kCommands.size() * 4, 4);
      return {Return::Success, out};
    }
    case 0x0401:
      return get_log(input);
    case 0x4000:
      return identify();
    case 0x4200: {
      std::vector<uint8_t> out(0x12);
      out[3] = 0xff;
      out[4] = out[5] = 0xff;
      return {Return::Success, out};
    }
    case 0x4201:
      return {Return::Success, std::vector<uint8_t>(0x10)};
    default:
      return {};
  }
}

DeviceRegisters::Answer DeviceRegisters::identify() const {
  std::vector<uint8_t> out(0x43);
  const std::string_view revision = "1.0";
  std::ranges::copy(revision, out.begin());
  put(out, 0x10, memory_size_ / kCapacityUnit, 8);
  put(out, 0x18, memory_size_ / kCapacityUnit, 8);
  for (size_t at = 0x30; at < 0x38; at += 2) put(out, at, 1, 2);
  return {Return::Success, out};
}

DeviceRegisters::Answer DeviceRegisters::get_log(std::span<const uint8_t> input) const {
  if (!std::ranges::equal(input.first(16), kEffectsLog)) return {Return::InvalidInput, {}};
  const auto word = [&](size_t at) {
    return static_cast<uint64_t>(input[at] | input[at + 1] << 8 | input[at + 2] << 16) |
           static_cast<uint64_t>(input[at + 3]) << 24;
  };
  const uint64_t offset = word(0x10);
  const uint64_t length = word(0x14);
  std::vector<uint8_t> log(kCommands.size() * 4);
  for (size_t i = 0; i < kCommands.size(); ++i) put(log, 4 * i, kCommands[i].opcode, 2);
  if (offset + length > log.size()) return {Return::InvalidInput, {}};
  const auto from = log.begin() + static_cast<std::ptrdiff_t>(offset);
  return {Return::Success, {from, from + static_cast<std::ptrdiff_t>(length)}};
}

}  // namespace peer
