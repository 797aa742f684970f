// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/media_store.hpp"

#include <algorithm>
#include <utility>

namespace cxlgpu::nvme {

MediaStore::MediaStore(SharedMedia& media, const MediaArea& area, StoreFault fault)
    : media_(media), area_(area), fault_(fault) {
  for (std::uint64_t at = area.key_bytes; at > 0; at -= kGranule) {
    free_.push_back(area.key_base + at - kGranule);
  }
}

MediaStore::Held MediaStore::new_value(std::uint64_t bytes) {
  const std::uint64_t granules = (bytes + kGranule - 1) / kGranule;
  if (granules > free_.size()) return nullptr;
  Held value(new Value, [this](Value* gone) {
    free_.insert(free_.end(), gone->granules.rbegin(), gone->granules.rend());
    delete gone;
  });
  value->length = static_cast<std::uint32_t>(bytes);
  for (std::uint64_t i = 0; i < granules; ++i) {
    value->granules.push_back(free_.back());
    free_.pop_back();
  }
  return value;
}

void MediaStore::submit(StoreRequest request, Time now) {
  using Op = StoreRequest::Op;
  StoreAnswer answer{.tag = request.tag};
  if (answers_.empty()) answered_ = now;
  if (request.op == Op::ReadBlocks || request.op == Op::WriteBlocks) {
    Held blocks = std::make_shared<Value>();
    for (std::uint64_t at = 0; at < request.bytes; at += kGranule) {
      blocks->granules.push_back(area_.block_base + request.address + at);
    }
    const std::uint64_t bytes = request.bytes;
    return work(std::move(request), std::move(blocks), bytes, now);
  }
  const auto found = index_.find(request.key);
  const bool there = found != index_.end();
  if (there) answer.length = found->second->length;
  switch (request.op) {
    case Op::Store: {
      answer.status = condition(request);
      if (answer.status != Status::Success) break;
      const std::uint64_t bytes = request.value.size();
      Held value = there && fault_ == StoreFault::InPlace &&
                           found->second->granules.size() * kGranule >= bytes
                       ? found->second
                       : new_value(bytes);
      if (value == nullptr) {
        answer.status = Status::CapacityExceeded;
        break;
      }
      if (fault_ == StoreFault::InPlace) value->length = static_cast<std::uint32_t>(bytes);
      return work(std::move(request), std::move(value), bytes, now);
    }
    case Op::Retrieve: {
      if (!there) {
        answer.status = Status::KeyNotThere;
        break;
      }
      Held value = found->second;
      const std::uint64_t bytes = std::min<std::uint64_t>(request.bytes, value->length);
      if (fault_ == StoreFault::FreedAtOnce) value = std::make_shared<Value>(*value);
      return work(std::move(request), std::move(value), bytes, now);
    }
    case Op::List:
      list(request, answer);
      break;
    case Op::Delete:
      if (there) {
        index_.erase(found);
      } else {
        answer.status = Status::KeyNotThere;
      }
      break;
    default:
      if (!there) answer.status = Status::KeyNotThere;
  }
  answers_.push_back(std::move(answer));
}

Status MediaStore::condition(const StoreRequest& request) const {
  const bool there = index_.contains(request.key);
  if (request.only_if_there && !there) return Status::KeyNotThere;
  if (request.only_if_new && there) return Status::KeyExists;
  return Status::Success;
}

void MediaStore::list(const StoreRequest& request, StoreAnswer& answer) const {
  std::vector<std::uint8_t>& out = answer.value;
  out.assign(4, 0);
  std::uint32_t count = 0;
  for (auto at = index_.lower_bound(request.key); at != index_.end(); ++at) {
    const Key& key = at->first;
    const std::size_t bytes = 2u + key.length;
    const std::size_t padded = fault_ == StoreFault::NoPadding ? bytes : (bytes + 3) / 4 * 4;
    if (out.size() + padded > request.bytes) break;
    const std::size_t begin = out.size();
    out.resize(begin + padded);
    out[begin] = key.length;
    std::copy_n(key.bytes.begin(), key.length,
                out.begin() + static_cast<std::ptrdiff_t>(begin) + 2);
    ++count;
  }
  std::memcpy(out.data(), &count, 4);
}

void MediaStore::work(StoreRequest request, Held value, std::uint64_t bytes, Time now) {
  if (free_jobs_.empty()) {
    free_jobs_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.emplace_back();
  }
  const std::uint32_t index = free_jobs_.back();
  free_jobs_.pop_back();
  Job& job = jobs_[index];
  job = {};
  job.request = std::move(request);
  job.value = std::move(value);
  job.answer.tag = job.request.tag;
  job.bytes = bytes;
  job.busy = true;
  const auto op = job.request.op;
  if (op == StoreRequest::Op::Retrieve || op == StoreRequest::Op::ReadBlocks) {
    job.answer.value.resize(bytes);
  }
  if (bytes == 0) {
    end(job);
    free_jobs_.push_back(index);
    return;
  }
  sending_.push_back(index);
  pump(now);
}

void MediaStore::pump(Time now) {
  asked_ = now;
  while (!sending_.empty()) {
    const std::uint32_t index = sending_.front();
    if (!send(index, now)) return;
    sending_.pop_front();
    const Job& job = jobs_[index];
    if (job.sent * kLineBytes < job.bytes) sending_.push_back(index);
  }
}

// The next line of it.
bool MediaStore::send(std::uint32_t index, Time now) {
  Job& job = jobs_[index];
  const auto op = job.request.op;
  const bool writes = op == StoreRequest::Op::Store || op == StoreRequest::Op::WriteBlocks;
  const std::uint64_t offset = job.sent * kLineBytes;
  MediaCommand command;
  command.op = writes ? MediaOp::Write : MediaOp::Read;
  command.dpa = job.value->at(offset);
  if (writes) {
    const std::uint64_t bytes = std::min<std::uint64_t>(kLineBytes, job.bytes - offset);
    std::copy_n(job.request.value.begin() + static_cast<std::ptrdiff_t>(offset), bytes,
                command.data.begin());
    command.durable = Durable::Buffered;
  }
  const auto token = static_cast<std::uint32_t>(index | job.sent << 12);
  const std::uint64_t lines = writes ? 1 : read_lines(job, offset);
  command.lines = static_cast<std::uint32_t>(lines);
  if (!media_.submit_own(command, token, now)) return false;
  job.sent += lines;
  return true;
}

// From `offset` on, as far as the part reads at once.
std::uint64_t MediaStore::read_lines(const Job& job, std::uint64_t offset) const {
  const std::uint64_t bytes =
      std::min(media_.piece() - offset % media_.piece(), job.bytes - offset);
  return (bytes + kLineBytes - 1) / kLineBytes;
}

void MediaStore::came(const SharedMedia::Answer& answer) {
  const std::uint32_t index = answer.token & 0xfff;
  const std::uint64_t offset = (answer.token >> 12) * kLineBytes;
  Job& job = jobs_[index];
  if (answer.response.error || answer.response.poison) job.answer.status = Status::Unrecovered;
  const bool read = answer.response.op == MediaOp::Read;
  const std::uint64_t lines = read ? read_lines(job, offset) : 1;
  for (std::uint64_t i = 0; read && i < lines; ++i) {
    const std::uint64_t at = offset + i * kLineBytes;
    const Line line = i == 0 ? answer.response.data : media_.peek(job.value->at(at));
    std::copy_n(line.begin(), std::min<std::uint64_t>(kLineBytes, job.bytes - at),
                job.answer.value.begin() + static_cast<std::ptrdiff_t>(at));
  }
  job.done += lines;
  if (job.done * kLineBytes < job.bytes) return;
  end(job);
  free_jobs_.push_back(index);
}

void MediaStore::end(Job& job) {
  const bool stores = job.request.op == StoreRequest::Op::Store;
  // Others may have stored or deleted the key while the value was written.
  if (stores && job.answer.status == Status::Success && fault_ != StoreFault::CheckedEarly) {
    job.answer.status = condition(job.request);
  }
  if (job.answer.status == Status::Success) {
    if (stores) index_[job.request.key] = job.value;
    const bool lost = fault_ == StoreFault::LengthLost;
    job.answer.length = lost ? static_cast<std::uint32_t>(job.value->granules.size() * kGranule)
                             : job.value->length;
  } else {
    job.answer.value.clear();
  }
  answers_.push_back(std::move(job.answer));
  job = {};
}

std::optional<StoreAnswer> MediaStore::take(Time now) {
  while (const auto answer = media_.take_own(now)) {
    if (answers_.empty()) answered_ = now;
    came(*answer);
  }
  pump(now);
  if (answers_.empty()) return std::nullopt;
  StoreAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

Time MediaStore::next_event() const {
  if (!answers_.empty()) return answered_;
  if (media_.own_in_flight() || !sending_.empty()) {
    return std::max(media_.next_own(), asked_ + kCycle);
  }
  return Time::never();
}

void MediaStore::preload(const Key& key, std::span<const std::uint8_t> value) {
  Held held = new_value(value.size());
  if (held == nullptr) return;
  write_at(*held, value);
  index_[key] = std::move(held);
}

void MediaStore::write_at(const Value& value, std::span<const std::uint8_t> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kGranule) {
    media_.poke(value.at(at), bytes.subspan(at, std::min(kGranule, bytes.size() - at)));
  }
}

std::vector<std::uint8_t> MediaStore::bytes_at(const Value& value) const {
  std::vector<std::uint8_t> bytes(value.length);
  for (std::size_t at = 0; at < bytes.size(); at += kLineBytes) {
    const Line line = media_.peek(value.at(at));
    std::copy_n(line.begin(), std::min(kLineBytes, bytes.size() - at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return bytes;
}

std::optional<std::vector<std::uint8_t>> MediaStore::peek(const Key& key) const {
  const auto found = index_.find(key);
  if (found == index_.end()) return std::nullopt;
  return bytes_at(*found->second);
}

void MediaStore::preload_block(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  media_.poke(area_.block_base + address, bytes);
}

std::vector<std::uint8_t> MediaStore::peek_block(std::uint64_t address, std::uint64_t bytes) const {
  Value value;
  value.length = static_cast<std::uint32_t>(bytes);
  for (std::uint64_t at = 0; at < bytes; at += kGranule) {
    value.granules.push_back(area_.block_base + address + at);
  }
  return bytes_at(value);
}

}  // namespace cxlgpu::nvme
