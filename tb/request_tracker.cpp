#include "tb/request_tracker.hpp"

namespace cxlgpu {

void RequestTracker::on_event(const TraceEvent& event) {
  if (event.stage >= Stage::SpecIssue || event.id >= kRootPortIds) return;
  RequestRecord& record = open_[event.id & 0xffff];
  switch (event.stage) {
    case Stage::SysAccept:
      record = RequestRecord{};
      record.at.fill(Time::never());
      record.id = event.id;
      record.addr = event.addr;
      record.is_write = event.info & 1;
      break;
    case Stage::PortEnqueue:
      record.port = event.port;
      record.routed = true;
      break;
    case Stage::MemqAlloc:
      record.tag = static_cast<std::uint8_t>(event.info);
      break;
    case Stage::EpAccept:
      record.opcode = static_cast<std::uint8_t>(event.info);
      break;
    case Stage::EpLookup:
      record.lookup = static_cast<LookupResult>(event.info & 3);
      record.dpa = event.addr;
      break;
    case Stage::SysRespond:
      record.error = event.info & 1;
      break;
    default:
      break;
  }
  record.at[static_cast<std::size_t>(event.stage)] = event.at;
  if (event.stage == Stage::SysRespond) on_record_(record);
}

}  // namespace cxlgpu
