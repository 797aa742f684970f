// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/host_driver.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cxlgpu::nvme {

namespace {

constexpr Time kLimit{500'000'000'000};  // CAP.TO 1: 500 ms
constexpr Time kPollStep{1'000'000};

}  // namespace

HostDriver::HostDriver(Controller& controller, KvBus& bus, FlatMemory& host, std::uint64_t own_base)
    : controller_(controller), bus_(bus), host_(host), own_base_(own_base) {}

bool HostDriver::fail(const std::string& what) {
  why_ = what;
  return false;
}

void HostDriver::advance(Time to) {
  for (;;) {
    const Time next = std::min(bus_.next_event(), controller_.next_event());
    if (next > to) break;
    now_ = std::max(now_, next);
    bus_.step(now_);
    controller_.step(now_);
  }
  now_ = std::max(now_, to);
}

std::uint32_t HostDriver::read(std::uint32_t offset) {
  const Time there = bus_.to_host() + bus_.to_device();
  advance(now_ + there);
  const std::uint32_t value = controller_.read(offset);
  advance(now_ + there);
  return value;
}

void HostDriver::write(std::uint32_t offset, std::uint32_t value) {
  advance(now_ + bus_.to_host() + bus_.to_device());
  controller_.write(offset, value, now_);
  controller_.step(now_);
}

bool HostDriver::wait(std::uint32_t bits, std::uint32_t value) {
  const Time end = now_ + kLimit;
  for (;;) {
    const std::uint32_t csts = read(reg::kCsts);
    if ((csts & bits) == value) return true;
    if ((csts & reg::kFatal) != 0) return fail("the controller reports a fatal status");
    if (now_ >= end) return fail("the controller does not get ready");
    advance(now_ + kPollStep);
  }
}

bool HostDriver::disable() {
  write(reg::kCc, read(reg::kCc) & ~(reg::kCcEnable | reg::kCcShutdown));
  return wait(reg::kReady, 0);
}

bool HostDriver::enable(std::uint32_t entries) {
  const auto put = [&](std::uint32_t at, std::uint64_t value) {
    write(at, static_cast<std::uint32_t>(value));
    write(at + 4, static_cast<std::uint32_t>(value >> 32));
  };
  entries_ = entries;
  tail_ = head_ = 0;
  phase_ = true;
  const std::vector<std::uint8_t> zeros(2 * kPage);
  host_.poke(own_base_, zeros);
  write(reg::kAqa, (entries - 1) | (entries - 1) << 16);
  put(reg::kAsq, own_base_);
  put(reg::kAcq, own_base_ + kPage);
  const bool all_sets = (read(reg::kCap + 4) >> (43 - 32) & 1) != 0;
  const std::uint32_t cc = (all_sets ? reg::kCcCssAll : 0) | reg::kCcSqes | reg::kCcCqes;
  write(reg::kCc, cc);
  write(reg::kCc, cc | reg::kCcEnable);
  return wait(reg::kReady, reg::kReady);
}

std::uint16_t HostDriver::post(Sqe sqe) {
  const std::uint16_t cid = next_++;
  sqe.dw[0] = (sqe.dw[0] & 0xffff) | std::uint32_t{cid} << 16;
  std::array<std::uint8_t, kSqeBytes> bytes;
  std::memcpy(bytes.data(), sqe.dw.data(), kSqeBytes);
  host_.poke(own_base_ + std::uint64_t{kSqeBytes} * tail_, bytes);
  tail_ = (tail_ + 1) % entries_;
  write(reg::sq_tail(0), tail_);
  return cid;
}

HostDriver::Answer HostDriver::command(Sqe sqe) {
  const std::uint16_t cid = post(sqe);
  const Time end = now_ + kLimit;
  for (;;) {
    Cqe cqe;
    std::array<std::uint8_t, kCqeBytes> entry;
    host_.peek(own_base_ + kPage + std::uint64_t{kCqeBytes} * head_, entry);
    std::memcpy(cqe.dw.data(), entry.data(), kCqeBytes);
    if (cqe.phase() == phase_) {
      if (++head_ == entries_) {
        head_ = 0;
        phase_ = !phase_;
      }
      write(reg::cq_head(0), head_);
      return {cqe.status(), cqe.dw[0], cqe.cid() == cid};
    }
    const Time next = std::min(bus_.next_event(), controller_.next_event());
    if (next > end) return {};
    advance(next);
  }
}

bool HostDriver::bring_up() {
  const std::uint32_t cap = read(reg::kCap);
  if (cap == ~0u) return fail("no device answers");
  (void)read(reg::kVs);
  if (!disable() || !enable(kEntries)) return false;
  const auto refused = [&](const char* what, const Answer& answer) {
    return fail(fmt::format(
        "{}: {}", what,
        answer.there ? fmt::format("status {:03x}h", static_cast<unsigned>(answer.status))
                     : std::string("no completion")));
  };
  const auto good = [](const Answer& a) { return a.there && a.status == Status::Success; };
  Sqe identify;
  identify.set(static_cast<std::uint8_t>(Admin::Identify), 0, 0);
  identify.set_prps(page(), 0);
  identify.dw[10] = 1;
  if (const Answer a = command(identify); !good(a)) return refused("Identify controller", a);
  identify.dw[1] = 1;
  identify.dw[10] = 5;
  identify.dw[11] = std::uint32_t{kCsiKv} << 24;
  if (const Answer a = command(identify); !good(a)) return refused("Identify namespace", a);
  Sqe queues;
  queues.set(static_cast<std::uint8_t>(Admin::SetFeatures), 0, 0);
  queues.dw[10] = 7;
  queues.dw[11] = (kQueues - 2) | (kQueues - 2) << 16;
  if (const Answer a = command(queues); !good(a)) return refused("number of queues", a);
  return true;
}

bool HostDriver::create(const QueueRings& rings) {
  const std::uint32_t most = (read(reg::kCap) & 0xffff) + 1;
  Sqe cq, sq;
  cq.set(static_cast<std::uint8_t>(Admin::CreateCq), 0, 0);
  cq.set_prps(rings.cq.base, 0);
  cq.dw[10] = rings.id | (rings.entries - 1) << 16;
  cq.dw[11] = 1;  // contiguous, polled
  sq.set(static_cast<std::uint8_t>(Admin::CreateSq), 0, 0);
  sq.set_prps(rings.sq.base, 0);
  sq.dw[10] = cq.dw[10];
  sq.dw[11] = 1 | std::uint32_t{rings.id} << 16;
  for (const auto& [name, sqe] : {std::pair{"completion", &cq}, {"submission", &sq}}) {
    const Answer answer = command(*sqe);
    if (answer.there && answer.status == Status::Success) continue;
    const char* size = answer.status == Status::QueueSizeInvalid ? " (invalid size)" : "";
    return fail(fmt::format("{} queue {} of {} entries, {} are the most: status {:03x}h{}", name,
                            rings.id, rings.entries, most, static_cast<unsigned>(answer.status),
                            size));
  }
  return true;
}

}  // namespace cxlgpu::nvme
