// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A run's initiator that is a program of the host, and how far it is.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/engine.hpp"

namespace cxlgpu {

class HostProgram : public Initiator {
 public:
  // Of what it does, in the units of counts().
  [[nodiscard]] virtual std::uint64_t items_done() const = 0;
  [[nodiscard]] virtual std::uint64_t items_left() const = 0;
  [[nodiscard]] virtual std::string_view counts() const = 0;
};

}  // namespace cxlgpu
