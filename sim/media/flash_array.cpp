// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/flash_array.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "common/request.hpp"
#include "sim/media/bus_time.hpp"
#include "sim/media/image.hpp"

namespace cxlgpu {

FlashArray::FlashArray(const FlashConfig& config, const CollectionScript& script)
    : config_(config),
      script_(script),
      dies_(std::size_t{config.channels} * config.dies_per_channel),
      channels_(config.channels) {
  if (config.translation) ftl_.emplace(config.ftl_shape(), *config.translation);
  if (!script_.on()) return;
  events_.push(announced_at(script_.first, Time{0}), {Event::Announce, 0});
  events_.push(script_.first, {Event::Collect, 0});
}

std::uint32_t FlashArray::die_of(std::uint64_t page) const {
  const std::uint64_t channel = page % config_.channels;
  const std::uint64_t die = page / config_.channels % config_.dies_per_channel;
  return static_cast<std::uint32_t>(channel * config_.dies_per_channel + die);
}

void FlashArray::read(std::uint64_t page, std::uint32_t bytes, std::uint32_t token, bool command,
                      Time now) {
  const std::uint32_t index = die_of(page);
  Die& die = dies_[index];
  const bool held = config_.share_page_register == SharePageRegister::Always &&
                    (die.state == State::Idle || die.state == State::Transferring);
  if (held && die.page == page && die.shares > 0) {
    --die.shares;
    start_data_out(index, {page, bytes, token, command}, bytes, now);
    return;
  }
  die.reads.push_back({page, bytes, token, command});
  waiting_reads_ += command ? 1 : 0;
  if (config_.share_page_register != SharePageRegister::Never && die.in_tr && die.page == page &&
      die.shares > 0) {
    begin(die.reads.back());
    --die.shares;
  }
  if (die.state == State::Idle) {
    start_next(index, now);
  } else if (command) {
    request_suspension(index, now);
  }
}

void FlashArray::program(std::uint64_t page, bool merge, std::uint32_t token, Time now) {
  const std::uint32_t index = die_of(ftl_ ? ftl_->next_die() : page);
  dies_[index].programs.push({page, token, merge});
  if (dies_[index].state == State::Idle) {
    start_next(index, now);
  } else if (ftl_) {
    update_task(index);
  }
}

void FlashArray::enter(std::uint32_t index, State state, Time now) {
  constexpr std::array<std::string_view, 6> kNames = {"idle",     "senses",   "data out",
                                                      "programs", "collects", "erases"};
  Die& die = dies_[index];
  if (watcher_ != nullptr && die.state != state) {
    if (die.state != State::Idle) {
      watcher_->on_die(index, kNames[static_cast<std::size_t>(die.state)], die.since, now);
    }
    die.since = now;
  }
  die.state = state;
}

void FlashArray::start_next(std::uint32_t index, Time now) {
  choose_next(index, now);
  update_task(index);
}

void FlashArray::update_task(std::uint32_t index) {
  Die& die = dies_[index];
  const std::uint32_t stripe = stripe_of(index);
  const bool suspended_task = die.suspended == State::Erasing || die.suspended_copy;
  const bool task = die.owed > 0 || die.pause_owed || die.copying || die.state == State::Erasing ||
                    die.state == State::Collecting || suspended_task ||
                    (announced_ && stripe < script_.dies(dies())) ||
                    (ftl_ && (ftl_->wants_collection(stripe) || ftl_->nears_collection(stripe)));
  if (task == die.task) return;
  die.task = task;
  task ? ++tasks_ : --tasks_;
}

void FlashArray::choose_next(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  if (die.suspended != State::Idle) {
    serve_suspended(index, now);
    return;
  }
  if (die.owed > 0) {
    --die.owed;
    ++collections_;
    die.page = kNoPage;
    enter(index, State::Collecting, now);
    events_.push(now + script_.busy, {Event::Collected, index});
    return;
  }
  if (die.pause_owed) {
    die.pause_owed = false;
    ++wear_pauses_;
    die.page = kNoPage;
    enter(index, State::Collecting, now);
    events_.push(now + config_.wear_pauses->pause, {Event::Collected, index});
    return;
  }
  if (ftl_) {
    start_translated(index, now);
    return;
  }
  if (die.reads.empty() && die.programs.empty()) return;
  const bool program =
      !die.programs.empty() && (die.reads.empty() || (urgent_ && !die.programmed_last));
  die.programmed_last = program;
  if (program) {
    const Program& next = die.programs.front();
    die.page = kNoPage;
    die.targets.assign(1, next.page);
    die.merging = next.merge;
    enter(index, next.merge ? State::Sensing : State::Programming, now);
    use_channel({next.merge ? Use::Command : Use::DataIn, index, config_.page_bytes, next.token},
                now);
    return;
  }
  start_read(index, 0, now);
}

void FlashArray::start_read(std::uint32_t index, std::size_t which, Time now) {
  Die& die = dies_[index];
  const Read next = die.reads[which];
  const bool held = config_.share_page_register == SharePageRegister::Always;
  if (held && die.page == next.page && die.shares > 0) {
    die.reads.erase(die.reads.begin() + static_cast<std::ptrdiff_t>(which));
    waiting_reads_ -= next.command ? 1 : 0;
    --die.shares;
    start_data_out(index, next, next.bytes, now);
    return;
  }
  die.page = next.page;
  enter(index, State::Sensing, now);
  use_channel({Use::Command, index, 0, next.token}, now);
}

void FlashArray::start_translated(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  const std::uint32_t stripe = stripe_of(index);
  const bool reads = !die.reads.empty(), programs = !die.programs.empty();
  const bool pressing = ftl_->urgent(stripe);
  const std::uint32_t room = programs ? ftl_->room(stripe) : 0;
  const bool collect = pressing || (programs && room == 0) ||
                       (!reads && !programs && ftl_->wants_collection(stripe));
  const bool work = collect || programs;
  if (work && (!reads || ((pressing || urgent_) && !die.programmed_last))) {
    die.programmed_last = true;
    die.page = kNoPage;
    if (collect) {
      start_collection(index, now);
    } else {
      start_user_program(index, room, now);
    }
    return;
  }
  die.programmed_last = false;
  if (reads) start_read(index, 0, now);
}

void FlashArray::start_user_program(std::uint32_t index, std::uint32_t room, Time now) {
  Die& die = dies_[index];
  die.running.clear();
  die.targets.clear();
  while (die.running.size() < room && !die.programs.empty()) {
    const Program& next = die.programs.front();
    die.targets.push_back(ftl_->write(static_cast<std::uint32_t>(next.page), stripe_of(index)));
    if (const auto lost = ftl_->lost_on()) update_task(die_of(*lost));
    die.running.push_back(next.token);
    die.programs.pop();
  }
  die.data_in = static_cast<std::uint32_t>(die.running.size());
  enter(index, State::Programming, now);
  use_channel({Use::DataIn, index, config_.page_bytes, die.running.front()}, now);
}

void FlashArray::start_collection(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  const Ftl::Task task = ftl_->next_task(stripe_of(index));
  assert(task.kind != Ftl::TaskKind::None);
  if (task.kind == Ftl::TaskKind::None) return;
  die.copying = task.kind == Ftl::TaskKind::Copy;
  die.senses = die.data_in = task.count;
  die.targets.clear();
  for (std::uint32_t i = 0; die.copying && i < task.count; ++i) {
    die.targets.push_back(task.moves[i].to);
  }
  enter(index, die.copying ? State::Sensing : State::Erasing, now);
  use_channel({Use::Command, index, 0, 0}, now);
}

// Of the translated: the user's pages, or a collection's.
void FlashArray::programmed(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  if (!die.copying) {
    page_programs_ += die.running.size();
    for (const std::uint32_t token : die.running) done_.push({now, token, true});
  }
  die.copying = false;
  enter(index, State::Idle, now);
  start_next(index, now);
}

// A program or an erase is in the array from `from` on.
void FlashArray::begin_work(std::uint32_t index, Time from, Time takes) {
  Die& die = dies_[index];
  const bool erase = die.state == State::Erasing;
  die.begun = from;
  die.ends = from + takes;
  events_.push(die.ends, {erase ? Event::Erased : Event::Programmed, index});
  if (erase ? config_.suspend.erases : config_.suspend.programs) {
    events_.push(from + config_.suspend.progress, {Event::MaySuspend, index});
  }
}

// The oldest read that a suspension is for.
std::optional<std::size_t> FlashArray::read_for_suspension(const Die& die) {
  for (std::size_t i = 0; i < die.reads.size(); ++i) {
    const Read& read = die.reads[i];
    const bool written =
        std::find(die.targets.begin(), die.targets.end(), read.page) != die.targets.end();  // half
    if (read.command && !written) return i;
  }
  return std::nullopt;
}

void FlashArray::request_suspension(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  const SuspendConfig& s = config_.suspend;
  if (die.ends == Time::never() || die.suspending) return;
  const bool erase = die.state == State::Erasing;
  if (!(erase ? s.erases : s.programs) || now < die.begun + s.progress) return;
  const Time effect = now + (erase ? s.erase : s.program);
  if (effect >= die.ends || !read_for_suspension(die)) return;
  die.suspending = true;
  die.left = die.ends - now;
  die.ends = Time::never();
  ++die.void_ends;  // it comes before the new one, which is a read later at least
  events_.push(effect, {Event::Suspended, index});
}

void FlashArray::suspended(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  ++(die.state == State::Erasing ? erase_suspends_ : program_suspends_);
  die.suspending = false;
  die.suspended = die.state;
  die.suspended_copy = die.copying;
  die.copying = false;
  die.window_ends = now + config_.suspend.window;
  enter(index, State::Idle, now);
  start_next(index, now);
}

void FlashArray::serve_suspended(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  if (now <= die.window_ends) {
    if (const auto read = read_for_suspension(die)) {
      start_read(index, *read, now);
      return;
    }
  }
  enter(index, die.suspended, now);
  die.suspended = State::Idle;
  die.copying = die.suspended_copy;
  die.suspended_copy = false;
  die.page = kNoPage;
  begin_work(index, now + config_.suspend.resume, die.left);
}

void FlashArray::count_write(std::uint32_t index, std::uint64_t page) {
  const std::uint64_t rows = config_.wear_pauses->region_bytes / config_.page_bytes;
  const auto region = static_cast<std::uint32_t>(page / dies_.size() / rows * dies_.size() + index);
  const std::uint32_t before = region_writes_.find(region);
  const std::uint32_t writes = before == NumberMap::kNone ? 1 : before + 1;
  dies_[index].pause_owed = writes == config_.wear_pauses->writes;
  region_writes_.set(region, dies_[index].pause_owed ? 0 : writes);
}

void FlashArray::save(ImageWriter& out) const {
  out.u8(ftl_ ? 1 : 0);
  if (ftl_) ftl_->save(out);
  out.u32(static_cast<std::uint32_t>(region_writes_.size()));
  region_writes_.for_each([&](std::uint32_t region, std::uint32_t writes) {
    out.u32(region);
    out.u32(writes);
  });
}

void FlashArray::load(ImageReader& in) {
  if ((in.u8() != 0) != ftl_.has_value()) {
    in.fail("the image is of another part or translation; use the part that made it");
  }
  if (ftl_) ftl_->load(in);
  for (std::uint32_t left = in.u32(); left > 0; --left) {
    const std::uint32_t region = in.below(NumberMap::kNone);
    region_writes_.set(region, in.below(NumberMap::kNone));
  }
  for (std::uint32_t index = 0; index < dies_.size(); ++index) update_task(index);
}

bool FlashArray::idle() const {
  return std::all_of(dies_.begin(), dies_.end(),
                     [](const Die& die) { return die.state == State::Idle; });
}

void FlashArray::begin(Read& read) {
  read.begun = true;
  waiting_reads_ -= read.command ? 1 : 0;
}

// The die reads its array for those that wait for the page, as many as one tR may serve.
void FlashArray::begin_sensing(std::uint32_t index) {
  Die& die = dies_[index];
  die.in_tr = true;
  die.shares = config_.page_bytes / static_cast<std::uint32_t>(kLineBytes);
  for (Read& read : die.reads) {
    if (read.page != die.page || die.shares == 0) continue;
    begin(read);
    --die.shares;
    if (config_.share_page_register == SharePageRegister::Never) break;
  }
}

// The page is in the register: everyone who waits for it gets it, or (no sharing) the first only.
void FlashArray::sensed(std::uint32_t index, Time now) {
  Die& die = dies_[index];
  ++page_reads_;
  if (die.merging || die.copying) {
    use_channel({Use::MergeOut, index, config_.page_bytes, 0}, now);
    return;
  }
  die.in_tr = false;
  std::size_t kept = 0;
  bool first = true;
  for (const Read& read : die.reads) {
    if (!read.begun) {
      die.reads[kept++] = read;
      continue;
    }
    start_data_out(index, read, first || !config_.page_granule ? read.bytes : 0, now);
    first = false;
  }
  die.reads.resize(kept);
}

void FlashArray::start_data_out(std::uint32_t index, const Read& read, std::uint32_t bytes,
                                Time now) {
  Die& die = dies_[index];
  enter(index, State::Transferring, now);
  ++die.transfers;
  use_channel({Use::DataOut, index, bytes, read.token}, now);
}

void FlashArray::use_channel(const Transfer& transfer, Time now) {
  const std::uint32_t channel = transfer.die / config_.dies_per_channel;
  if (channels_[channel].busy) {
    channels_[channel].waiting.push(transfer);
  } else {
    begin_transfer(channel, transfer, now);
  }
}

void FlashArray::begin_transfer(std::uint32_t channel, const Transfer& transfer, Time now) {
  channels_[channel].busy = true;
  channels_[channel].current = transfer;
  Time takes{0};
  if (transfer.use == Use::Command || transfer.use == Use::DataIn) takes += config_.command;
  if (transfer.use != Use::Command) {
    takes += bus_time(transfer.bytes, config_.channel_bits, config_.channel_mtps);
  }
  events_.push(now + takes, {Event::ChannelFree, channel});
}

void FlashArray::transfer_done(const Transfer& transfer, Time now) {
  Die& die = dies_[transfer.die];
  switch (transfer.use) {
    case Use::Command:
      if (die.state == State::Erasing) {
        begin_work(transfer.die, now, config_.tBERS);
      } else {
        if (!die.merging && !die.copying) begin_sensing(transfer.die);
        events_.push(now + config_.tR, {Event::Sensed, transfer.die});
      }
      return;
    case Use::DataOut:
      done_.push({now, transfer.token, false});
      if (--die.transfers == 0) {
        enter(transfer.die, State::Idle, now);
        start_next(transfer.die, now);
      }
      return;
    case Use::MergeOut:
      if (die.copying) {
        if (--die.senses > 0) {
          use_channel({Use::Command, transfer.die, 0, 0}, now);
          return;
        }
        page_programs_ += die.data_in;
        enter(transfer.die, State::Programming, now);
        use_channel({Use::DataIn, transfer.die, config_.page_bytes, 0}, now);
        return;
      }
      die.merging = false;
      enter(transfer.die, State::Programming, now);
      use_channel({Use::DataIn, transfer.die, config_.page_bytes, die.programs.front().token}, now);
      return;
    case Use::DataIn:
      if (ftl_ && --die.data_in > 0) {
        use_channel({Use::DataIn, transfer.die, config_.page_bytes, transfer.token}, now);
        return;
      }
      begin_work(transfer.die, now, config_.tPROG);
      return;
  }
}

void FlashArray::announce() {
  announced_ = true;
  const std::uint32_t count = script_.dies(dies());
  for (std::uint32_t stripe = 0; stripe < count; ++stripe) update_task(die_of(stripe));
}

// Pages 0, 1, 2 ... lie on the dies in the order of the striping.
void FlashArray::collect(Time now) {
  announced_ = false;
  const std::uint32_t count = script_.dies(dies());
  for (std::uint32_t page = 0; page < count; ++page) {
    const std::uint32_t index = die_of(page);
    ++dies_[index].owed;
    if (dies_[index].state == State::Idle) start_next(index, now);
  }
  if (script_.every.ps == 0) return;
  const Time next = now + script_.every;
  events_.push(announced_at(next, now), {Event::Announce, 0});
  events_.push(next, {Event::Collect, 0});
}

void FlashArray::handle(const Scheduled& what, Time now) {
  if (what.event == Event::Sensed) {
    sensed(what.index, now);
    return;
  }
  if (what.event == Event::MaySuspend) {
    request_suspension(what.index, now);
    return;
  }
  if (what.event == Event::Suspended) {
    suspended(what.index, now);
    return;
  }
  if (what.event == Event::Erased || what.event == Event::Programmed) {
    Die& die = dies_[what.index];
    if (die.void_ends > 0) {
      --die.void_ends;
      return;
    }
    die.ends = Time::never();
  }
  if (what.event == Event::Erased) {
    ftl_->erased(stripe_of(what.index));
    enter(what.index, State::Idle, now);
    start_next(what.index, now);
    return;
  }
  if (what.event == Event::Programmed && ftl_) {
    programmed(what.index, now);
    return;
  }
  if (what.event == Event::Programmed) {
    Die& die = dies_[what.index];
    ++page_programs_;
    done_.push({now, die.programs.front().token, true});
    if (config_.wear_pauses) count_write(what.index, die.programs.front().page);
    die.programs.pop();
    enter(what.index, State::Idle, now);
    start_next(what.index, now);
    return;
  }
  if (what.event == Event::Announce) {
    announce();
    return;
  }
  if (what.event == Event::Collect) {
    collect(now);
    return;
  }
  if (what.event == Event::Collected) {
    enter(what.index, State::Idle, now);
    start_next(what.index, now);
    return;
  }
  Channel& channel = channels_[what.index];
  const Transfer finished = channel.current;
  channel.busy = false;
  if (!channel.waiting.empty()) {
    const Transfer next = channel.waiting.front();
    channel.waiting.pop();
    begin_transfer(what.index, next, now);
  }
  transfer_done(finished, now);
}

std::optional<FlashArray::Done> FlashArray::take(Time now) {
  while (done_.empty() && events_.next() <= now) {
    const Time at = events_.next();
    handle(events_.pop(), at);
  }
  if (done_.empty() || done_.front().at > now) return std::nullopt;
  const Done done = done_.front();
  done_.pop();
  return done;
}

}  // namespace cxlgpu
