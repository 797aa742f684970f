// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_files.hpp"

namespace cxlgpu {

RunFiles::RunFiles(const SessionOptions& options) : options_(options) {
  if (!options_.events.empty()) events_.emplace();
}

TraceSink& RunFiles::before(TraceSink& next) {
  TraceSink* all = &next;
  if (options_.sink != nullptr) all = &with_sink_.emplace(*options_.sink, *all);
  if (!events_) return *all;
  events_->hand_to(*all);
  return *events_;
}

void RunFiles::open(bool paged) {
  if (events_) events_->open(options_.events);
  if (!options_.requests.empty()) requests_.emplace(options_.requests);
  if (!options_.timeline.file.empty()) timeline_.emplace(options_.timeline, paged);
}

void RunFiles::close() {
  if (events_) events_->close();
  if (requests_) requests_->close();
  if (timeline_) timeline_->close();
}

}  // namespace cxlgpu
