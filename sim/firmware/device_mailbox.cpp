// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/device_mailbox.hpp"

#include <fmt/format.h>

#include "common/register_types.hpp"

namespace cxlgpu {

namespace mailbox = regs::mailbox;

namespace {

constexpr std::uint32_t kEntryStride = mailbox::kMailboxCap - mailbox::kStatusCap;
constexpr std::uint32_t kEntryAt = mailbox::kStatusCapAt - mailbox::kStatusCap;
constexpr std::uint16_t kPrimaryMailbox = 0x0002, kMemoryStatus = 0x4000;
constexpr std::uint32_t kMediaReady = 1;
constexpr unsigned kPolls = 10'000;  // a command may take 2 s
constexpr std::uint16_t kIdentify = 0x4000;
constexpr unsigned kIdentifyBytes = 0x43;
constexpr unsigned kTotalCapacity = 0x10 / 4;  // word of its output, low half first
constexpr unsigned kUnitLog2 = 28;             // 256 MiB

// Registers of the mailbox, from its start.
constexpr std::uint32_t from_mailbox(std::uint32_t offset) {
  return offset - mailbox::kCapability;
}

}  // namespace

DeviceMailbox::DeviceMailbox(Function& function, std::uint64_t block)
    : function_(function),
      block_(block),
      mailbox_(capability(kPrimaryMailbox, "primary mailbox")),
      status_(capability(kMemoryStatus, "memory device status")) {}

std::uint64_t DeviceMailbox::capability(std::uint16_t id, const char* what) {
  const bool array = mailbox::ArrayReg::from(read(block_ + mailbox::kArray)).id == 0;
  const unsigned entries =
      array ? mailbox::ArrayCountReg::from(read(block_ + mailbox::kArrayCount)).count : 0;
  for (unsigned n = 0; n < entries; ++n) {
    const std::uint64_t entry = block_ + mailbox::kStatusCap + std::uint64_t{kEntryStride} * n;
    if (mailbox::StatusCapReg::from(read(entry)).id != id) continue;
    return block_ + mailbox::StatusCapAtReg::from(read(entry + kEntryAt)).offset;
  }
  function_.refuse(fmt::format("the CXL device registers have no {} capability", what));
}

void DeviceMailbox::wait_ready() {
  std::uint32_t status = 0;
  for (unsigned poll = 0; poll < kPolls; ++poll) {
    status = read(status_);
    const auto fields = mailbox::MemoryStatusReg::from(status);
    if (fields.media == kMediaReady && fields.mailbox_ready) return;
  }
  function_.refuse(
      fmt::format("media and mailbox do not become ready (memory device status {:02x}h)", status),
      "check the device's media");
}

std::vector<std::uint32_t> DeviceMailbox::run(std::uint16_t opcode, unsigned words,
                                              unsigned bytes) {
  const std::uint64_t control = mailbox_ + from_mailbox(mailbox::kControl);
  const auto over = [&] {
    for (unsigned poll = 0; poll < kPolls; ++poll) {
      if (!mailbox::ControlReg::from(read(control)).doorbell) return;
    }
    function_.refuse(fmt::format("its mailbox does not finish (command {:04x}h)", opcode),
                     "reset the device");
  };
  over();
  const std::uint64_t command = mailbox_ + from_mailbox(mailbox::kCommand);
  function_.io().write(command, mailbox::CommandReg{.opcode = opcode}.word());
  function_.io().write(mailbox_ + from_mailbox(mailbox::kCommandHigh), 0);
  function_.io().write(control, mailbox::ControlReg{.doorbell = true}.word());
  over();
  const std::uint32_t code =
      mailbox::StatusHighReg::from(read(mailbox_ + from_mailbox(mailbox::kStatusHigh))).code;
  const std::uint32_t length = mailbox::CommandReg::from(read(command)).length;
  if (code != 0 || length < bytes) {
    function_.refuse(fmt::format("mailbox command {:04x}h gives return code {:04x}h and {} bytes",
                                 opcode, code, length));
  }
  std::vector<std::uint32_t> output;
  for (unsigned n = 0; n < words; ++n) {
    output.push_back(read(mailbox_ + from_mailbox(mailbox::kPayload) +
                          std::uint64_t{mailbox::kPayloadStride} * n));
  }
  return output;
}

std::uint64_t DeviceMailbox::capacity() {
  const std::vector<std::uint32_t> output = run(kIdentify, kTotalCapacity + 2, kIdentifyBytes);
  return (std::uint64_t{output[kTotalCapacity + 1]} << 32 | output[kTotalCapacity]) << kUnitLog2;
}

}  // namespace cxlgpu
