#include "tb/request_tracker.hpp"

namespace cxlgpu {

void RequestTracker::on_event(const TraceEvent& event) {
  if (event.stage >= Stage::SpecIssue) return;
  Open& open = open_[event.id & 0xffff];
  if (event.stage == Stage::SysAccept) {
    open = Open{};
    open.record.at.fill(Time::never());
    open.record.id = event.id;
    open.record.addr = event.addr;
  }
  // The events of many requests come mixed, so that a jump by stage would be mispredicted.
  const auto stage = static_cast<std::size_t>(event.stage);
  open.record.at[stage] = event.at;
  open.info[stage] = event.info;
  open.record.port = event.stage == Stage::PortEnqueue ? event.port : open.record.port;
  open.record.dpa = event.stage == Stage::EpLookup ? event.addr : open.record.dpa;
  if (event.stage == Stage::SysRespond) hand_on(open);
}

void RequestTracker::hand_on(Open& open) {
  const auto info = [&open](Stage stage) { return open.info[static_cast<std::size_t>(stage)]; };
  RequestRecord& record = open.record;
  record.is_write = info(Stage::SysAccept) & 1;
  record.routed = record.time(Stage::PortEnqueue) != Time::never();
  record.tag = static_cast<std::uint8_t>(info(Stage::MemqAlloc));
  record.opcode = static_cast<std::uint8_t>(info(Stage::EpAccept));
  record.lookup = static_cast<LookupResult>(info(Stage::EpLookup) & 3);
  record.error = info(Stage::SysRespond) & 1;
  on_record_(record);
}

}  // namespace cxlgpu
