// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What an initiator takes for the engine, while a part of its addresses is served before it.
//
// Purpose: a host between GPU and engine says in submit() and take() what it serves itself; time
// and
//          hints are the engine's.
// Rules:   put_before() before anything else of a step. Time is not let pass from here: the host's
//          own next event is its initiator's.
// Errors:  none.
#pragma once

#include "common/engine.hpp"

namespace cxlgpu {

class EngineFront : public Engine {
 public:
  void put_before(Engine& engine) { behind_ = &engine; }
  [[nodiscard]] Engine& behind() const { return *behind_; }

  [[nodiscard]] Time now() const override { return behind_->now(); }
  bool hint(const Hint& hint) override { return behind_->hint(hint); }
  void advance_to(Time) override {}
  [[nodiscard]] unsigned lines_per_cycle() const override { return behind_->lines_per_cycle(); }

 private:
  Engine* behind_ = nullptr;
};

}  // namespace cxlgpu
