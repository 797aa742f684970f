// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One element of an Euler solver on an unstructured mesh, in single precision.
//
// Purpose: the arithmetic of cfd, in one place for kernel and comparison: what they have apart is
//          which element is read from where, and when.
// Units:   far field: density 1.4, pressure 1, Mach 1.2 along x.
// Errors:  none. Built without contraction of products and sums, so that every build gives the same
//          bits.
// Source:  scheme and constants of Rodinia's euler3d (central flux with scalar smoothing, three
//          Runge-Kutta stages); the time step is the usual one for a closed cell, CFL over the sum
//          of face areas times wave speed.
#pragma once

#include <array>
#include <cmath>

namespace cxlgpu::euler {

inline constexpr float kGamma = 1.4F, kMach = 1.2F, kSmoothing = 0.2F, kCfl = 0.5F;
inline constexpr unsigned kStages = 3;
inline constexpr unsigned kVars = 5;

// Density, three parts of momentum, energy, each of a unit of volume.
using State = std::array<float, kVars>;
using Vec = std::array<float, 3>;

inline State far_field() {
  const float density = 1.4F, pressure = 1.0F;
  const float speed = kMach * std::sqrt(kGamma * pressure / density);
  return {density, density * speed, 0, 0,
          0.5F * density * speed * speed + pressure / (kGamma - 1.0F)};
}

struct Flow {
  State state;
  Vec velocity;
  float speed, pressure, sound;
};

inline Flow flow_of(const State& u) {
  Flow f{u, {u[1] / u[0], u[2] / u[0], u[3] / u[0]}, 0, 0, 0};
  const float square =
      f.velocity[0] * f.velocity[0] + f.velocity[1] * f.velocity[1] + f.velocity[2] * f.velocity[2];
  f.speed = std::sqrt(square);
  f.pressure = (kGamma - 1.0F) * (u[4] - 0.5F * u[0] * square);
  f.sound = std::sqrt(kGamma * f.pressure / u[0]);
  return f;
}

// What flows along axis d.
inline State along(const Flow& f, unsigned d) {
  State out;
  out[0] = f.state[1 + d];
  for (unsigned i = 0; i < 3; ++i) out[1 + i] = f.velocity[d] * f.state[1 + i];
  out[1 + d] = out[1 + d] + f.pressure;
  out[4] = f.velocity[d] * (f.state[4] + f.pressure);
  return out;
}

inline void add_central(State& sum, const Flow& own, const Flow& other, const Vec& normal) {
  for (unsigned d = 0; d < 3; ++d) {
    const State a = along(own, d), b = along(other, d);
    const float half = 0.5F * normal[d];
    for (unsigned v = 0; v < kVars; ++v) sum[v] = sum[v] + half * (b[v] + a[v]);
  }
}

inline void add_inner_face(State& sum, const Flow& own, const Flow& other, const Vec& normal) {
  const float area =
      std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const float smooth =
      -area * kSmoothing * 0.5F * (own.speed + other.speed + own.sound + other.sound);
  for (unsigned v = 0; v < kVars; ++v) {
    sum[v] = sum[v] + smooth * (own.state[v] - other.state[v]);
  }
  add_central(sum, own, other, normal);
}

inline void add_open_face(State& sum, const Flow& own, const Vec& normal) {
  add_central(sum, own, flow_of(far_field()), normal);
}

inline void add_wall(State& sum, const Flow& own, const Vec& normal) {
  for (unsigned d = 0; d < 3; ++d) sum[1 + d] = sum[1 + d] + normal[d] * own.pressure;
}

// Time step over volume.
inline float step_factor(const State& u, float half_surface) {
  const Flow f = flow_of(u);
  return kCfl / (half_surface * (f.speed + f.sound));
}

inline float stage_factor(float step, unsigned stage) {
  return step / static_cast<float>(kStages - stage);
}

}  // namespace cxlgpu::euler
