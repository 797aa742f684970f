// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/endpoint/cxl_mailbox.hpp"

#include <algorithm>
#include <string_view>

#include "common/registers.hpp"

namespace cxlgpu {

namespace {

namespace box = regs::mailbox;

struct Command {
  std::uint16_t opcode;
  std::uint32_t input_bytes;
  std::uint16_t effects;
};
constexpr std::uint16_t kGetSupportedLogs = 0x0400, kGetLog = 0x0401, kIdentify = 0x4000,
                        kGetPartitionInfo = 0x4100, kGetShutdownState = 0x4203,
                        kSetShutdownState = 0x4204;
constexpr std::uint16_t kPolicyChange = 1 << 3;
constexpr std::array kCommands = {
    Command{kGetSupportedLogs, 0, 0}, Command{kGetLog, 24, 0},
    Command{kIdentify, 0, 0},         Command{kGetPartitionInfo, 0, 0},
    Command{kGetShutdownState, 0, 0}, Command{kSetShutdownState, 1, kPolicyChange}};
constexpr std::array<std::uint8_t, 16> kEffectsLog = {
    0x0d, 0xa9, 0xc0, 0xb5, 0xbf, 0x41, 0x4b, 0x78, 0x8f, 0x79, 0x96, 0xb1, 0x62, 0x3b, 0x3f, 0x17};
constexpr unsigned kLogBytes = 4 * kCommands.size();

void put(std::vector<std::uint8_t>& bytes, unsigned at, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

std::vector<std::uint8_t> effects_log() {
  std::vector<std::uint8_t> log(kLogBytes);
  for (unsigned i = 0; i < kCommands.size(); ++i) {
    put(log, 4 * i, kCommands[i].opcode, 2);
    put(log, 4 * i + 2, kCommands[i].effects, 2);
  }
  return log;
}

std::vector<std::uint8_t> supported_logs() {
  std::vector<std::uint8_t> out(28);
  put(out, 0, 1, 2);
  std::copy(kEffectsLog.begin(), kEffectsLog.end(), out.begin() + 8);
  put(out, 24, kLogBytes, 4);
  return out;
}

}  // namespace

std::uint32_t CxlMailbox::read(const In& in) const {
  const std::uint32_t offset = in.addr & 0x3fc;
  if (offset >= box::kPayload && offset < box::kPayload + 4 * kPayloadWords) {
    return doorbell_ ? 0 : payload_[(offset - box::kPayload) / 4];
  }
  switch (offset) {
    case box::kArray:
      return 0x0001'0000;
    case box::kArrayCount:
      return 3;
    case box::kStatusCap:
      return 0x0001'0001;
    case box::kStatusCapAt:
      return box::kEventStatus;
    case box::kStatusCapBytes:
    case box::kMemoryCapBytes:
      return 8;
    case box::kMailboxCap:
      return 0x0001'0002;
    case box::kMailboxCapAt:
      return box::kCapability;
    case box::kMailboxCapBytes:
      return 0x120;
    case box::kMemoryCap:
      return 0x0001'4000;
    case box::kMemoryCapAt:
      return box::kMemoryStatus;
    case box::kMemoryStatus:
      return box::kMemoryStatusMailboxReady.put(1) | box::kMemoryStatusMedia.put(in.media_ready);
    case box::kCapability:
      return 8;
    case box::kControl:
      return box::kControlDoorbell.put(doorbell_);
    case box::kCommand:
      return box::kCommandOpcode.put(opcode_) | box::kCommandLength.put(length_low_);
    case box::kCommandHigh:
      return length_high_;
    case box::kStatusHigh:
      return box::kStatusHighCode.put(code_);
    default:
      return 0;
  }
}

void CxlMailbox::write(std::uint32_t offset, std::uint32_t value) {
  if (offset >= box::kPayload && offset < box::kPayload + 4 * kPayloadWords) {
    payload_[(offset - box::kPayload) / 4] = value;
  } else if (offset == box::kCommand) {
    opcode_ = box::kCommandOpcode.get(value);
    length_low_ = box::kCommandLength.get(value);
  } else if (offset == box::kCommandHigh) {
    length_high_ = box::kCommandHighLength.get(value);
  } else if (offset == box::kControl && box::kControlDoorbell.is_set(value)) {
    doorbell_ = true;
    judged_ = false;
  }
}

CxlMailbox::Bytes CxlMailbox::identity() const {
  constexpr std::string_view kFirmware = "cxlgpu 1";
  Bytes out(67);
  std::copy(kFirmware.begin(), kFirmware.end(), out.begin());
  put(out, 0x10, capacity_, 8);  // in all
  put(out, 0x18, capacity_, 8);  // volatile only
  return out;
}

CxlMailbox::Result CxlMailbox::get_log() const {
  std::array<std::uint8_t, kEffectsLog.size()> uuid{};
  for (unsigned i = 0; i < uuid.size(); ++i) uuid[i] = byte(i);
  const std::uint64_t from = payload_[4], count = payload_[5];
  if (uuid != kEffectsLog || from + count > kLogBytes) return {Code::InvalidInput};
  const Bytes log = effects_log();
  const auto first = log.begin() + static_cast<std::ptrdiff_t>(from);
  return {Code::Success, Bytes(first, first + static_cast<std::ptrdiff_t>(count))};
}

CxlMailbox::Result CxlMailbox::judge(bool viral) const {
  const auto* command = std::find_if(kCommands.begin(), kCommands.end(),
                                     [this](const Command& c) { return c.opcode == opcode_; });
  if (command == kCommands.end()) return {Code::Unsupported};
  if (length() != command->input_bytes) return {Code::InvalidLength};
  switch (command->opcode) {
    case kGetSupportedLogs:
      return {Code::Success, supported_logs()};
    case kGetLog:
      return get_log();
    case kIdentify:
      return {Code::Success, identity()};
    case kGetPartitionInfo: {
      Bytes out(32);
      put(out, 0, capacity_, 8);
      return {Code::Success, out};
    }
    case kGetShutdownState:
      return {Code::Success, {static_cast<std::uint8_t>(dirty_)}};
    default:  // a viral device cannot vouch for a clean shutdown
      return {viral && (byte(0) & 1) == 0 ? Code::Internal : Code::Success};
  }
}

// One cycle under the doorbell: the first judges, each further one moves a word of output.
void CxlMailbox::work(bool viral) {
  if (!judged_) {
    judged_ = true;
    result_ = judge(viral);
    if (opcode_ == kSetShutdownState && result_.code == Code::Success) dirty_ = byte(0) & 1;
    to_write_ = static_cast<unsigned>(result_.output.size() + 3) / 4;
  } else {
    --to_write_;
  }
  if (to_write_ == 0) finish();
}

void CxlMailbox::finish() {
  Bytes& output = result_.output;
  code_ = static_cast<std::uint16_t>(result_.code);
  length_low_ = static_cast<std::uint32_t>(output.size());
  length_high_ = 0;
  output.resize((output.size() + 3) / 4 * 4);
  for (unsigned i = 0; i < output.size(); i += 4) {
    payload_[i / 4] = output[i] | std::uint32_t{output[i + 1]} << 8 |
                      std::uint32_t{output[i + 2]} << 16 | std::uint32_t{output[i + 3]} << 24;
  }
  doorbell_ = false;
}

void CxlMailbox::clock(const In& in) {
  rdata_ = in.valid && !in.write ? read(in) : 0;
  if (doorbell_) {
    work(in.viral);
  } else if (in.valid && in.write) {
    write(in.addr & 0x3fc, in.wdata);
  }
}

}  // namespace cxlgpu
