// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/endpoint/cxl_mailbox.hpp"

#include <algorithm>
#include <string_view>

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
  if (offset >= box::kPayload && regs_.control.doorbell) return 0;
  if (offset == box::kMemoryStatus) {
    box::MemoryStatusReg status = regs_.memory_status;
    status.media = in.media_ready ? 1 : 0;
    return status.word();
  }
  return regs_.word_at(offset);
}

void CxlMailbox::write(std::uint32_t offset, std::uint32_t value) {
  regs_.write_at(offset, value);
  judged_ = false;
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
  const std::uint64_t from = payload(4), count = payload(5);
  if (uuid != kEffectsLog || from + count > kLogBytes) return {Code::InvalidInput};
  const Bytes log = effects_log();
  const auto first = log.begin() + static_cast<std::ptrdiff_t>(from);
  return {Code::Success, Bytes(first, first + static_cast<std::ptrdiff_t>(count))};
}

CxlMailbox::Result CxlMailbox::judge(bool viral) const {
  const auto* command = std::find_if(kCommands.begin(), kCommands.end(), [this](const Command& c) {
    return c.opcode == regs_.command.opcode;
  });
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
    if (regs_.command.opcode == kSetShutdownState && result_.code == Code::Success) {
      dirty_ = byte(0) & 1;
    }
    to_write_ = static_cast<unsigned>(result_.output.size() + 3) / 4;
  } else {
    --to_write_;
  }
  if (to_write_ == 0) finish();
}

void CxlMailbox::finish() {
  Bytes& output = result_.output;
  regs_.status_high.code = static_cast<std::uint32_t>(result_.code);
  regs_.command.length = static_cast<std::uint32_t>(output.size());
  regs_.command_high.length = 0;
  output.resize((output.size() + 3) / 4 * 4);
  for (unsigned i = 0; i < output.size(); i += 4) {
    regs_.payload[i / 4].word.data = output[i] | std::uint32_t{output[i + 1]} << 8 |
                                     std::uint32_t{output[i + 2]} << 16 |
                                     std::uint32_t{output[i + 3]} << 24;
  }
  regs_.control.doorbell = false;
}

void CxlMailbox::clock(const In& in) {
  rdata_ = in.valid && !in.write ? read(in) : 0;
  if (regs_.control.doorbell) {
    work(in.viral);
  } else if (in.valid && in.write) {
    write(in.addr & 0x3fc, in.wdata);
  }
}

}  // namespace cxlgpu
