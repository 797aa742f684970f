// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_files.hpp"

namespace cxlgpu {

void RunFiles::open(bool paged) {
  if (!options_.events.empty()) sinks_.push_back(&events_.emplace(options_.events));
  if (options_.sink != nullptr) sinks_.push_back(options_.sink);
  if (!options_.requests.empty()) requests_.emplace(options_.requests);
  if (!options_.timeline.file.empty()) timeline_.emplace(options_.timeline, paged);
}

void RunFiles::close() {
  if (events_) events_->close();
  if (requests_) requests_->close();
  if (timeline_) timeline_->close();
}

}  // namespace cxlgpu
