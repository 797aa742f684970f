// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// An engine wrapper that keeps what each request was answered with, in the order of submission.
//
// Shapes:  a store and what was never answered have a line of zeros.
#pragma once

#include <optional>
#include <vector>

#include "common/engine.hpp"

namespace cxlgpu {

class Recorder : public Engine {
 public:
  explicit Recorder(Engine& inner) : inner_(inner), number_(1u << 16) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  void advance_to(Time t) override { inner_.advance_to(t); }
  bool hint(const Hint& hint) override { return inner_.hint(hint); }
  bool submit(const MemRequest& request) override {
    if (!inner_.submit(request)) return false;
    number_[request.id] = answers_.size();
    answers_.emplace_back();
    return true;
  }
  std::optional<MemResponse> take() override {
    const auto response = inner_.take();
    if (response && !response->is_write) answers_[number_[response->id]] = response->data;
    return response;
  }
  [[nodiscard]] const std::vector<Line>& answers() const { return answers_; }

 private:
  Engine& inner_;
  std::vector<std::size_t> number_;
  std::vector<Line> answers_;
};

}  // namespace cxlgpu
