// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "cli/sweep_digest.hpp"

namespace cxlgpu {

namespace {

// 0 <= x < 1, of 53 bits.
double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// 0..count-1: the upper half of a product, which is even enough for so few values.
std::uint64_t below(std::uint64_t bits, std::uint64_t count) {
  if (count == 0) return bits;  // all there are
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{bits} * count) >> 64);
}

}  // namespace

Draw::Draw(Kind kind, const KeyFacts& facts, const std::string& low, const std::string& high,
           const std::string& where)
    : facts_(facts), kind_(kind) {
  const auto refuse = [&](const std::string& what) { fail(where, facts.path, what); };
  const std::string shown = fmt::format("[{}, {}]", low, high);
  decimal_ = facts.range.type == KeyRange::Type::Decimal;
  if (decimal_) {
    if (kind == Kind::Int) refuse("is a decimal; draw it with 'real' or 'log'");
    least_ = parse_decimal(facts, low, where, facts.path);
    most_ = parse_decimal(facts, high, where, facts.path);
    if (least_ > most_) refuse(shown + " ends below its beginning; turn it round");
    if (kind == Kind::Log && least_ <= 0) refuse(shown + " has no logarithm at 0; begin above it");
    return;
  }
  if (facts.range.type != KeyRange::Type::Number) {
    refuse(fmt::format("is no number but {}; draw it with 'choice'", type_name(facts.range)));
  }
  if (kind == Kind::Real) refuse("is a whole number; draw it with 'int' or 'log'");
  const KeyRange& range = facts.range;
  const std::uint64_t from = parse_range(low, where, facts.path, range.low, range.high);
  const std::uint64_t to = parse_range(high, where, facts.path, range.low, range.high);
  if (from > to) refuse(shown + " ends below its beginning; turn it round");
  if (kind == Kind::Log && from == 0) refuse(shown + " has no logarithm at 0; begin above it");
  steps_between(from, to, where);
}

void Draw::steps_between(std::uint64_t low, std::uint64_t high, const std::string& where) {
  if (facts_.range.power_of_two) {
    first_ = low <= 1 ? 0 : static_cast<unsigned>(std::bit_width(low - 1));
    last_ = high == 0 ? 0 : static_cast<unsigned>(std::bit_width(high)) - 1;
    if (high == 0) first_ = 1;
  } else {
    const std::uint64_t step = facts_.range.step;
    first_ = low / step + (low % step == 0 ? 0 : 1);
    last_ = high / step;
  }
  if (first_ > last_) {
    fail(where, facts_.path,
         fmt::format("takes no value from {} to {}; it is {}", low, high, range_text(facts_)));
  }
}

std::string Draw::value(std::uint64_t seed, std::uint64_t point, const std::string& name) const {
  const std::uint64_t bits = Digest().add(fmt::format("{} {}", seed, point)).add(name).value();
  if (!choices_.empty()) return choices_[below(bits, choices_.size())];
  const double share = unit_interval(bits);
  if (decimal_) {
    const double drawn = kind_ == Kind::Log ? least_ * std::pow(most_ / least_, share)
                                            : least_ + (most_ - least_) * share;
    return fmt::format("{:.6g}", std::clamp(drawn, least_, most_));
  }
  if (facts_.range.power_of_two) {
    const std::uint64_t exponent = first_ + below(bits, last_ - first_ + 1);
    return number_text(std::uint64_t{1} << exponent, facts_.unit);
  }
  std::uint64_t steps = first_ + below(bits, last_ - first_ + 1);
  if (kind_ == Kind::Log) {
    const double low = std::log(static_cast<double>(std::max<std::uint64_t>(first_, 1)));
    const double high = std::log(static_cast<double>(last_) + 1);
    const double drawn = std::floor(std::exp(low + (high - low) * share));
    steps = std::clamp(static_cast<std::uint64_t>(drawn), first_, last_);
  }
  return number_text(steps * facts_.range.step, facts_.unit);
}

}  // namespace cxlgpu
