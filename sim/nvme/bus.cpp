// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/bus.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace cxlgpu::nvme {

namespace {

constexpr std::uint64_t kMostData = 256, kMostRead = 512;        // of a TLP, of a read request
constexpr std::uint64_t kFlitBytes = 64, kFraming = 4 + 16 + 4;  // STP token, header, LCRC
constexpr std::uint32_t kShadowBytes = 8 * kQueues;

}  // namespace

KvBus::KvBus(const BusParams& params, FlatMemory& host, Gpu* gpu)
    : params_(params), host_(host), gpu_(gpu), shadow_(kShadowBytes) {}

void KvBus::begin_run() {
  up_ = down_ = host_up_ = host_down_ = {};
  counters_ = {};
  if (params_.poll != Time{0}) send(params_.poll, {.hop = Hop::Poll});
}

Time KvBus::flits(std::uint64_t bytes) const {
  return params_.flit * ((kFraming + bytes + kFlitBytes - 1) / kFlitBytes);
}

Time KvBus::host_bytes(std::uint64_t bytes) const {
  return Time{static_cast<std::uint64_t>(static_cast<double>(bytes) * 1000 / params_.host_gb_s)};
}

bool KvBus::reaches(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t last = address + bytes - 1;
  return (in_gpu(address) && in_gpu(last)) || (in_host(address) && in_host(last));
}

void KvBus::send(Time at, Message message) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  const bool answers = message.hop == Hop::Answer;
  messages_[index] = std::move(message);
  (answers ? to_gpu_ : events_).push(at, index);
}

void KvBus::read(std::uint32_t tag, std::uint64_t address, std::uint32_t bytes, Time now) {
  if (free_reads_.empty()) {
    free_reads_.push_back(static_cast<std::uint32_t>(reading_.size()));
    reading_.emplace_back();
  }
  const std::uint32_t index = free_reads_.back();
  free_reads_.pop_back();
  Reading& reading = reading_[index];
  reading = {.done = {.tag = tag, .data = {}}, .left = bytes, .begin = address, .busy = true};
  if (!reaches(address, bytes)) {
    // Answered as an unsupported request by the root port.
    ++counters_.refused;
    reading.done.error = true;
    done_.push(up_.after(now, flits(0)) + (params_.flight + params_.port) * 2 + flits(0), index);
    return;
  }
  counters_.device_reads += bytes;
  reading.done.data.resize(bytes);
  for (std::uint64_t at = address, end = address + bytes; at < end;) {
    const std::uint64_t next = std::min(end, at - at % kMostRead + kMostRead);
    send(up_.after(now, flits(0)) + params_.flight + params_.port,
         {.hop = Hop::RootRead,
          .address = at,
          .bytes = static_cast<std::uint32_t>(next - at),
          .tag = index});
    at = next;
  }
}

bool KvBus::write(std::uint64_t address, std::span<const std::uint8_t> bytes, Time now) {
  if (!reaches(address, bytes.size())) {
    ++counters_.refused;
    return false;
  }
  counters_.device_writes += bytes.size();
  for (std::uint64_t at = address, end = address + bytes.size(); at < end;) {
    const std::uint64_t next = std::min(end, at - at % kMostData + kMostData);
    const auto piece = bytes.subspan(at - address, next - at);
    send(up_.after(now, flits(piece.size())) + params_.flight + params_.port,
         {.hop = Hop::RootWrite, .address = at, .data = {piece.begin(), piece.end()}});
    at = next;
  }
  return true;
}

std::optional<DmaPort::Done> KvBus::take(Time now) {
  if (done_.next() > now) return std::nullopt;
  const std::uint32_t index = done_.pop();
  free_reads_.push_back(index);
  return std::move(reading_[index].done);
}

Time KvBus::next_event() const {
  return std::min({events_.next(), done_.next(), to_gpu_.next()});
}

void KvBus::submit(const MemRequest& request, Time now) {
  const bool bar = in_bar(request.addr);
  if (request.is_write) {
    MemResponse done{.id = request.id, .is_write = true};
    if (bar) {
      // Posted: the root port has it.
      ++counters_.mmio_writes;
      send(down_.after(now, flits(4)) + params_.flight + params_.port,
           {.hop = Hop::Mmio, .request = request});
      send(now + kCycle, {.hop = Hop::Answer, .response = done});
      return;
    }
    ++counters_.host_writes;
    const auto bytes = static_cast<std::uint64_t>(std::popcount(request.byte_enable));
    Message message{.of_gpu = true, .address = request.addr, .request = request};
    to_host_link(std::move(message), Hop::HostWrite, bytes, now);
    send(now + params_.host_write, {.hop = Hop::Answer, .response = done});
    return;
  }
  if (bar) {
    ++counters_.mmio_reads;
    send(down_.after(now, flits(0)) + params_.flight + params_.port,
         {.hop = Hop::MmioRead, .request = request});
    return;
  }
  ++counters_.host_reads;
  Message message{.of_gpu = true, .address = request.addr, .bytes = kLineBytes, .request = request};
  to_host_link(std::move(message), Hop::HostRead, 0, now);
}

std::optional<MemResponse> KvBus::answer(Time now) {
  if (to_gpu_.next() > now) return std::nullopt;
  const std::uint32_t index = to_gpu_.pop();
  free_.push_back(index);
  return messages_[index].response;
}

void KvBus::step(Time now) {
  while (events_.next() <= now) {
    const std::uint32_t index = events_.pop();
    Message message = std::move(messages_[index]);
    free_.push_back(index);
    arrive(std::move(message), now);
  }
}

void KvBus::to_host_link(Message message, Hop hop, std::uint64_t bytes, Time now) {
  message.hop = hop;
  send(host_up_.after(now, host_bytes(bytes)) + to_host(), std::move(message));
}

void KvBus::arrive(Message message, Time now) {
  const std::uint64_t address = message.address;
  switch (message.hop) {
    case Hop::RootWrite:
      if (in_gpu(address)) {
        message.hop = Hop::GpuWrite;
        send(now + params_.edge, std::move(message));
      } else {
        const std::uint64_t bytes = message.data.size();
        to_host_link(std::move(message), Hop::HostWrite, bytes, now);
      }
      return;
    case Hop::RootRead:
      if (in_gpu(address)) {
        message.hop = Hop::GpuRead;
        send(now + params_.edge, std::move(message));
      } else {
        to_host_link(std::move(message), Hop::HostRead, 0, now);
      }
      return;
    case Hop::GpuWrite:
      gpu_->dma_write(address, message.data);
      return;
    case Hop::GpuRead: {
      message.data.resize(message.bytes);
      const bool near = gpu_->dma_read(address, message.data);
      message.hop = Hop::RootData;
      send(now + (near ? Time{0} : params_.local) + params_.edge, std::move(message));
      return;
    }
    case Hop::HostWrite:
      if (message.of_gpu) {
        host_.write_line(address, message.request.data, message.request.byte_enable);
      } else {
        host_.poke(address, message.data);
      }
      return;
    case Hop::HostRead: {
      const Time back = host_down_.after(now, host_bytes(message.bytes)) + to_host();
      if (message.of_gpu) {
        message.hop = Hop::Answer;
        message.response = {
            .id = message.request.id, .is_write = false, .data = host_.read_line(address)};
      } else {
        message.hop = Hop::RootData;
        message.data.resize(message.bytes);
        host_.peek(address, message.data);
      }
      send(back, std::move(message));
      return;
    }
    case Hop::RootData:
      return gather(std::move(message), now);
    case Hop::Mmio:
      for (std::uint32_t at = 0; at < kLineBytes; at += 4) {
        if ((message.request.byte_enable >> at & 0xf) != 0xf) continue;
        std::uint32_t value;
        std::memcpy(&value, message.request.data.data() + at, 4);
        const auto line = static_cast<std::uint32_t>(message.request.addr - params_.bar_base);
        controller_->write(line + at, value, now);
      }
      return;
    case Hop::MmioRead: {
      // A load of a line: registers as software reads them are read by the word.
      message.hop = Hop::Answer;
      message.response = {.id = message.request.id, .is_write = false};
      for (std::uint32_t at = 0; at < kLineBytes; at += 4) {
        const auto line = static_cast<std::uint32_t>(message.request.addr - params_.bar_base);
        const std::uint32_t value = controller_->read(line + at);
        std::memcpy(message.response.data.data() + at, &value, 4);
      }
      const Time back = up_.after(now, flits(kLineBytes)) + params_.flight + params_.port;
      send(back, std::move(message));
      return;
    }
    case Hop::Answer:
      return;  // not in this queue
    case Hop::Poll:
      return poll(now);
    case Hop::Looked:
      return ring_changed(message.data, now);
    case Hop::Ring:
      controller_->write(static_cast<std::uint32_t>(address), message.bytes, now);
      return;
  }
}

// Data of a read request go down as completions, of a TLP's data each.
void KvBus::gather(Message message, Time now) {
  Reading& reading = reading_[message.tag];
  Time at = now;
  for (std::uint64_t left = message.data.size(); left > 0;) {
    const std::uint64_t piece = std::min(left, kMostData);
    at = down_.after(now, flits(piece));
    left -= piece;
  }
  std::copy(
      message.data.begin(), message.data.end(),
      reading.done.data.begin() + static_cast<std::ptrdiff_t>(message.address - reading.begin));
  reading.left -= message.bytes;
  if (reading.left == 0) done_.push(at + params_.flight + params_.port, message.tag);
}

// The host looks at its own memory at once, at the GPU's through its link.
void KvBus::poll(Time now) {
  ++counters_.polls;
  send(now + params_.poll, {.hop = Hop::Poll});
  std::vector<std::uint8_t> words(kShadowBytes);
  if (in_gpu(params_.shadow)) {
    const bool near = gpu_->dma_read(params_.shadow, words);
    const Time there = params_.host_read + (near ? Time{0} : params_.local);
    send(now + there, {.hop = Hop::Looked, .data = std::move(words)});
  } else {
    host_.peek(params_.shadow, words);
    ring_changed(words, now);
  }
}

void KvBus::ring_changed(const std::vector<std::uint8_t>& shadow, Time now) {
  for (std::uint32_t at = 0; at < kShadowBytes; at += 4) {
    std::uint32_t value, before;
    std::memcpy(&value, shadow.data() + at, 4);
    std::memcpy(&before, shadow_.data() + at, 4);
    if (value == before) continue;
    send(now + to_host() + to_device(),
         {.hop = Hop::Ring, .address = reg::kDoorbells + at, .bytes = value});
  }
  shadow_ = shadow;
}

}  // namespace cxlgpu::nvme
