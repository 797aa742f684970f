// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the controller does with a command: checks, transfers, requests to the store.
#include <algorithm>
#include <utility>

#include "sim/nvme/controller.hpp"
#include "sim/nvme/identify.hpp"

namespace cxlgpu::nvme {

namespace {

constexpr std::uint32_t kAllSpaces = 0xffff'ffff;
constexpr std::uint64_t kBlock = 4096;

}  // namespace

void Controller::decode(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  if (command.dead) return free(index);
  command.times.decoded = now;
  const Sqe& sqe = command.sqe;
  const bool twice = std::any_of(commands_.begin(), commands_.end(), [&](const Command& other) {
    return &other != &command && other.phase != Phase::Free && other.phase != Phase::Decode &&
           !other.dead && other.sq == command.sq && other.sqe.cid() == sqe.cid();
  });
  if (twice) return end(index, Status::IdConflict);
  // SGLs and fused commands are not here (SGLS, FUSES 0).
  if (sqe.psdt() != 0 || sqe.fuse() != 0) return end(index, Status::InvalidField);
  if (command.sq == 0) return admin(index, now);
  if (sqe.nsid() == 0 || sqe.nsid() > spaces()) return end(index, Status::InvalidNamespace);
  sqe.nsid() == 1 ? key_value(index, now) : blocks(index, now);
}

void Controller::key_value(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  const Sqe& sqe = command.sqe;
  StoreRequest& request = command.request;
  request = {.tag = index, .space = sqe.nsid(), .key = {}, .value = {}};
  switch (static_cast<Kv>(sqe.opcode())) {
    case Kv::Store:
      request.op = StoreRequest::Op::Store;
      break;
    case Kv::Retrieve:
      request.op = StoreRequest::Op::Retrieve;
      break;
    case Kv::List:
      request.op = StoreRequest::Op::List;
      break;
    case Kv::Delete:
      request.op = StoreRequest::Op::Delete;
      break;
    case Kv::Exist:
      request.op = StoreRequest::Op::Exist;
      break;
    default:
      return end(index, Status::InvalidOpcode);
  }
  const unsigned length = sqe.dw[11] & 0xff;
  // A list may begin at the first key of all.
  if (length > Key::kMost || (length == 0 && request.op != StoreRequest::Op::List)) {
    return end(index, Status::InvalidKeySize);
  }
  request.key = Key::of(sqe);
  const std::uint64_t bytes = sqe.dw[10];
  switch (request.op) {
    case StoreRequest::Op::Store:
      request.only_if_there = (sqe.dw[11] & kOnlyIfThere) != 0;
      request.only_if_new = (sqe.dw[11] & kOnlyIfNew) != 0;
      if (request.only_if_there && request.only_if_new) return end(index, Status::InvalidField);
      if (bytes > params_.most_value) return end(index, Status::InvalidValueSize);
      return transfer(index, bytes, now);
    case StoreRequest::Op::Retrieve:
    case StoreRequest::Op::List:
      if (bytes > params_.most_value) return end(index, Status::InvalidField);
      if (bytes < 4 && request.op == StoreRequest::Op::List) {
        return end(index, Status::InvalidField);  // no room for the count
      }
      command.to_host = true;
      request.bytes = bytes;
      return transfer(index, bytes, now);
    default:
      return transfer(index, 0, now);
  }
}

void Controller::blocks(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  const Sqe& sqe = command.sqe;
  const auto op = static_cast<Nvm>(sqe.opcode());
  if (op == Nvm::Flush) return end(index, Status::Success);  // VWC 0
  if (op != Nvm::Read && op != Nvm::Write) return end(index, Status::InvalidOpcode);
  const std::uint64_t first = sqe.dw[10] | std::uint64_t{sqe.dw[11]} << 32;
  const std::uint64_t count = (sqe.dw[12] & 0xffff) + 1, all = store_.block_bytes() / kBlock;
  if (count * kBlock > params_.most_value) return end(index, Status::InvalidField);
  if (first >= all || count > all - first) return end(index, Status::LbaRange);
  command.request = {
      .op = op == Nvm::Read ? StoreRequest::Op::ReadBlocks : StoreRequest::Op::WriteBlocks,
      .tag = index,
      .space = sqe.nsid(),
      .key = {},
      .address = first * kBlock,
      .bytes = count * kBlock,
      .value = {}};
  command.to_host = op == Nvm::Read;
  transfer(index, count * kBlock, now);
}

void Controller::transfer(std::uint32_t index, std::uint64_t bytes, Time now) {
  Command& command = commands_[index];
  command.walk = PrpWalk(command.sqe.prp1(), command.sqe.prp2(), bytes);
  go_on(index, now);
}

// Behind a step: the next list of pages, the data of a command that brings some, the store.
void Controller::go_on(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  if (command.failed) return end(index, Status::TransferError);
  if (command.walk.status() != Status::Success) return end(index, command.walk.status());
  if (command.walk.wants_list()) {
    command.phase = Phase::Lists;
    command.reads = 1;
    ++counters_.list_reads;
    const Piece list = command.walk.list();
    return bus_.read(index, list.address, static_cast<std::uint32_t>(list.bytes), now);
  }
  if (command.sq == 0) return write_out(index, now);
  if (!command.to_host && command.phase != Phase::DataIn && !command.walk.pieces().empty()) {
    return read_in(index, now);
  }
  if (command.phase == Phase::DataIn) {
    command.times.data_in = now;
    command.request.value = std::exchange(command.data, {});
  }
  command.phase = Phase::Stored;
  store_.submit(std::move(command.request), now);
}

// A read a piece; memory may answer them in any order.
void Controller::read_in(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  command.phase = Phase::DataIn;
  command.reads = static_cast<std::uint32_t>(command.walk.pieces().size());
  std::uint64_t bytes = 0;
  std::uint32_t tag = index;
  for (const Piece& piece : command.walk.pieces()) {
    bus_.read(tag, piece.address, static_cast<std::uint32_t>(piece.bytes), now);
    bytes += piece.bytes;
    tag += kPieceTag;
  }
  command.data.assign(bytes, 0);
}

void Controller::answered(const DmaPort::Done& done, Time now) {
  const std::uint32_t index = done.tag % kPieceTag;
  Command& command = commands_[index];
  --command.reads;
  if (done.error) {
    ++counters_.refused;
    command.failed = true;
  }
  if (command.dead) {
    if (command.reads == 0) free(index);
    return;
  }
  if (command.phase == Phase::Lists) {
    if (!command.failed) {
      command.walk.take_list(done.data, params_.fault != ControllerFault::NoChain);
    }
    return go_on(index, now);
  }
  const std::uint32_t piece = done.tag / kPieceTag;
  const std::vector<Piece>& pieces = command.walk.pieces();
  const std::uint64_t at = piece == 0 ? 0 : pieces[0].bytes + (piece - 1) * kPage;
  if (!done.error) {
    std::copy(done.data.begin(), done.data.end(),
              command.data.begin() + static_cast<std::ptrdiff_t>(at));
    counters_.data_in += done.data.size();
  }
  if (command.reads == 0) go_on(index, now);
}

void Controller::stored(StoreAnswer answer, Time now) {
  const std::uint32_t index = answer.tag;
  Command& command = commands_[index];
  if (command.dead) return free(index);
  command.times.stored = now;
  const bool deleted =
      command.sqe.nsid() == 1 && static_cast<Kv>(command.sqe.opcode()) == Kv::Delete;
  if (answer.status == Status::KeyNotThere && deleted && !ednek_) answer.status = Status::Success;
  if (answer.status != Status::Success) return end(index, answer.status);
  command.data = std::move(answer.value);
  const bool retrieve = command.to_host && command.sqe.nsid() == 1 &&
                        static_cast<Kv>(command.sqe.opcode()) == Kv::Retrieve;
  command.cqe.dw[0] = retrieve ? answer.length : 0;
  if (params_.fault == ControllerFault::LengthOfBuffer && retrieve) {
    command.cqe.dw[0] = command.sqe.dw[10];
  }
  write_out(index, now);
}

// As much as there is, then the completion.
void Controller::write_out(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  const bool refused = !completes_first(command) && !write_data(command, now);
  if (refused) ++counters_.refused;
  end(index, refused ? Status::TransferError : Status::Success, command.cqe.dw[0]);
}

// False: the device may not write to one of the pieces.
bool Controller::write_data(const Command& command, Time now) {
  std::size_t at = 0;
  bool taken = true;
  for (const Piece& piece : command.walk.pieces()) {
    const std::size_t bytes = std::min<std::size_t>(piece.bytes, command.data.size() - at);
    if (bytes == 0) break;
    taken = bus_.write(piece.address, std::span(command.data).subspan(at, bytes), now) && taken;
    at += bytes;
  }
  counters_.data_out += at;
  return taken;
}

void Controller::admin(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  const Sqe& sqe = command.sqe;
  switch (static_cast<Admin>(sqe.opcode())) {
    case Admin::DeleteSq:
      return delete_sq(index);
    case Admin::CreateSq:
      return create_sq(index);
    case Admin::DeleteCq:
      return delete_cq(index);
    case Admin::CreateCq:
      return create_cq(index);
    case Admin::GetLogPage:
      return log_page(index, now);
    case Admin::Identify:
      return identify(index, now);
    case Admin::Abort:
      return end(index, Status::Success, 1);  // bit 0: not aborted; all end soon
    case Admin::SetFeatures:
    case Admin::GetFeatures:
      return features(index, sqe.opcode() == static_cast<std::uint8_t>(Admin::SetFeatures));
    case Admin::AsyncEvent:
      if (event_commands_.size() >= kMostEvents) return end(index, Status::EventLimit);
      command.phase = Phase::Event;
      event_commands_.push_back(index);
      return send_event();
  }
  end(index, Status::InvalidOpcode);
}

// Of both kinds of queues.
Status Controller::queue_status(const Sqe& sqe, bool taken) const {
  const std::uint32_t id = sqe.dw[10] & 0xffff, entries = (sqe.dw[10] >> 16) + 1;
  if (id == 0 || id >= kQueues || taken) return Status::QueueIdInvalid;
  const bool unchecked = params_.fault == ControllerFault::SizeUnchecked;
  if (entries < 2 || (entries > params_.max_entries && !unchecked)) {
    return Status::QueueSizeInvalid;
  }
  const bool contiguous = (sqe.dw[11] & 1) != 0;
  if (!contiguous && params_.fault != ControllerFault::AnyLayout) return Status::InvalidField;
  if (sqe.prp1() == 0) return Status::InvalidField;
  if (sqe.prp1() % kPage != 0) return Status::InvalidPrpOffset;
  return Status::Success;
}

void Controller::create_cq(std::uint32_t index) {
  const Sqe& sqe = commands_[index].sqe;
  const std::uint32_t id = sqe.dw[10] & 0xffff;
  const Status status = queue_status(sqe, id < kQueues && cqs_[id].there);
  if (status != Status::Success) return end(index, status);
  const bool interrupts = (sqe.dw[11] & 2) != 0;
  if (interrupts && sqe.dw[11] >> 16 >= kVectors) return end(index, Status::InvalidVector);
  if ((cc_ >> 20 & 15) != 4) return end(index, Status::InvalidField);  // CC.IOCQES
  cqs_[id] = {.there = true, .entries = (sqe.dw[10] >> 16) + 1, .base = sqe.prp1()};
  end(index, Status::Success);
}

void Controller::create_sq(std::uint32_t index) {
  const Sqe& sqe = commands_[index].sqe;
  const std::uint32_t id = sqe.dw[10] & 0xffff, cq = sqe.dw[11] >> 16;
  const Status status = queue_status(sqe, id < kQueues && sqs_[id].there);
  if (status != Status::Success) return end(index, status);
  if (cq == 0 || cq >= kQueues || !cqs_[cq].there) return end(index, Status::CqInvalid);
  if ((cc_ >> 16 & 15) != 6) return end(index, Status::InvalidField);  // CC.IOSQES
  sqs_[id] = {.there = true,
              .entries = (sqe.dw[10] >> 16) + 1,
              .cq = static_cast<std::uint16_t>(cq),
              .base = sqe.prp1()};
  end(index, Status::Success);
}

void Controller::delete_sq(std::uint32_t index) {
  const std::uint32_t id = commands_[index].sqe.dw[10] & 0xffff;
  if (id == 0 || id >= kQueues || !sqs_[id].there || sqs_[id].deleted_by) {
    return end(index, Status::QueueIdInvalid);
  }
  Sq& sq = sqs_[id];
  for (Fetch& fetch : fetches_) fetch.dead = fetch.dead || fetch.sq == id;
  sq.fetching = 0;
  if (sq.active != 0) {
    commands_[index].phase = Phase::Event;  // until they have ended
    sq.deleted_by = index;
    return;
  }
  sq = {};
  end(index, Status::Success);
}

void Controller::delete_cq(std::uint32_t index) {
  const std::uint32_t id = commands_[index].sqe.dw[10] & 0xffff;
  if (id == 0 || id >= kQueues || !cqs_[id].there) return end(index, Status::QueueIdInvalid);
  for (const Sq& sq : sqs_) {
    if (sq.there && sq.cq == id) return end(index, Status::QueueDeletion);
  }
  cqs_[id] = {};
  end(index, Status::Success);
}

void Controller::identify(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  const Sqe& sqe = command.sqe;
  const std::uint32_t what = sqe.dw[10] & 0xff, space = sqe.nsid();
  const std::uint32_t csi = sqe.dw[11] >> 24;
  const IdentifyFacts facts = {spaces(), store_.room_bytes(), store_.used_bytes(),
                               store_.block_bytes(), params_.most_value};
  const bool there = space >= 1 && space <= facts.spaces;
  IdentifyPage& page = command.data;
  switch (what) {
    case 0x00:
      if (!there) return end(index, Status::InvalidNamespace);
      if (space == 1) return end(index, Status::InvalidCommandSet);
      page = identify_blocks(facts);
      break;
    case 0x01:
      page = identify_controller(facts);
      break;
    case 0x02:
      if (space >= kAllSpaces - 1) return end(index, Status::InvalidNamespace);
      page = identify_list(facts, space, -1);
      break;
    case 0x03:
      if (!there) return end(index, Status::InvalidNamespace);
      page = identify_descriptors(space);
      break;
    case 0x05:
      if (!there) return end(index, Status::InvalidNamespace);
      if (csi != (space == 1 ? kCsiKv : kCsiNvm)) return end(index, Status::InvalidCommandSet);
      page = space == 1 ? identify_key_value(facts) : IdentifyPage(kPage);
      break;
    case 0x06:
      if (csi != kCsiKv && (csi != kCsiNvm || !has_blocks())) {
        return end(index, Status::InvalidCommandSet);
      }
      page.assign(kPage, 0);
      break;
    case 0x07:
      if (space >= kAllSpaces - 1) return end(index, Status::InvalidNamespace);
      page = identify_list(facts, space, static_cast<int>(csi));
      break;
    case 0x08:
      if (!there) return end(index, Status::InvalidNamespace);
      page = identify_independent();
      break;
    case 0x1c:
      page = identify_combinations(facts);
      break;
    default:
      return end(index, Status::InvalidField);
  }
  transfer(index, page.size(), now);
}

// Errors, health, firmware slots: there is nothing in them. Reading the first lets further events
// of errors through.
void Controller::log_page(std::uint32_t index, Time now) {
  Command& command = commands_[index];
  const Sqe& sqe = command.sqe;
  const std::uint32_t page = sqe.dw[10] & 0xff;
  if (page < 1 || page > 3) return end(index, Status::InvalidLogPage);
  const std::uint64_t bytes =
      4 * ((std::uint64_t{sqe.dw[11] & 0xffff} << 16 | sqe.dw[10] >> 16) + 1);
  if (bytes > params_.most_value) return end(index, Status::InvalidField);
  command.data.assign(bytes, 0);
  if (page == 1) {
    events_masked_ = false;
    send_event();
  }
  transfer(index, bytes, now);
}

void Controller::features(std::uint32_t index, bool set) {
  const Sqe& sqe = commands_[index].sqe;
  const std::uint32_t value = sqe.dw[11];
  constexpr std::uint32_t kCount = kQueues - 2;  // of I/O queues, less 1
  switch (sqe.dw[10] & 0xff) {
    case 0x07:
      if (set && ((value & 0xffff) == 0xffff || value >> 16 == 0xffff)) {
        return end(index, Status::InvalidField);
      }
      if (set && std::any_of(cqs_.begin() + 1, cqs_.end(), [](const Cq& c) { return c.there; })) {
        return end(index, Status::SequenceError);
      }
      return end(index, Status::Success, kCount | kCount << 16);
    case 0x0b:
      return end(index, Status::Success);  // which events: errors alone, which are always on
    case 0x20:
      if (sqe.nsid() != 1 && sqe.nsid() != kAllSpaces) return end(index, Status::InvalidNamespace);
      if (set) ednek_ = (value & 1) != 0;
      return end(index, Status::Success, set ? 0 : ednek_);
    default:
      return end(index, Status::InvalidField);
  }
}

}  // namespace cxlgpu::nvme
