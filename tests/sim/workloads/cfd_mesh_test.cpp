// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The mesh of cfd is one: closed elements, faces that both sides agree on; and the flow through it
// conserves what it should.
#include "sim/workloads/cfd_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/workloads/euler.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kSizes[] = {1, 6, 7, 1000, 3001};

euler::Vec normal(const CfdMesh& mesh, std::uint64_t element, unsigned face) {
  euler::Vec out;
  for (unsigned part = 0; part < 3; ++part) {
    out[part] = mesh.normals[(face * 3 + part) * mesh.elements + element];
  }
  return out;
}
std::int32_t neighbour(const CfdMesh& mesh, std::uint64_t element, unsigned face) {
  return mesh.neighbours[face * mesh.elements + element];
}

TEST(CfdMesh, ElementsAreClosed) {
  for (const std::uint64_t n : kSizes) {
    const CfdMesh mesh = make_cfd_mesh(n, 1);
    for (std::uint64_t e = 0; e < n; ++e) {
      euler::Vec sum{};
      double surface = 0;
      for (unsigned face = 0; face < CfdMesh::kFaces; ++face) {
        const euler::Vec v = normal(mesh, e, face);
        for (unsigned part = 0; part < 3; ++part) sum[part] += v[part];
        surface += std::hypot(v[0], v[1], v[2]);
      }
      for (const float s : sum) EXPECT_NEAR(s, 0, 1e-6) << e;
      EXPECT_NEAR(mesh.half_surface[e], surface / 2, 1e-5);
      EXPECT_GT(surface, 0.5);
    }
  }
}

TEST(CfdMesh, NeighboursAgreeOnTheirFace) {
  for (const std::uint64_t n : kSizes) {
    const CfdMesh mesh = make_cfd_mesh(n, 7);
    std::uint64_t inner = 0, wall = 0;
    for (std::uint64_t e = 0; e < n; ++e) {
      for (unsigned face = 0; face < CfdMesh::kFaces; ++face) {
        const std::int32_t other = neighbour(mesh, e, face);
        wall += other == CfdMesh::kWall;
        if (other < 0) continue;
        ++inner;
        ASSERT_LT(static_cast<std::uint64_t>(other), n);
        unsigned back = 0;
        for (unsigned f = 0; f < CfdMesh::kFaces; ++f) {
          if (neighbour(mesh, static_cast<std::uint64_t>(other), f) !=
              static_cast<std::int32_t>(e)) {
            continue;
          }
          ++back;
          const euler::Vec a = normal(mesh, e, face);
          const euler::Vec b = normal(mesh, static_cast<std::uint64_t>(other), f);
          for (unsigned part = 0; part < 3; ++part) EXPECT_EQ(a[part], -b[part]);
        }
        EXPECT_EQ(back, 1U) << e << " and " << other;
      }
    }
    EXPECT_GT(wall, 0U);
    if (n >= 1000) {
      EXPECT_GT(inner, 3 * n);
    }
  }
}

TEST(CfdMesh, NumbersAreShuffledButNear) {
  const CfdMesh mesh = make_cfd_mesh(6000, 1), other = make_cfd_mesh(6000, 2);
  EXPECT_NE(mesh.neighbours, other.neighbours);
  EXPECT_NE(mesh.normals, other.normals);
  std::uint64_t next = 0;
  for (std::uint64_t e = 0; e < mesh.elements; ++e) {
    next += std::abs(neighbour(mesh, e, 1) - static_cast<std::int64_t>(e)) == 1;
  }
  EXPECT_LT(next, mesh.elements / 20) << "faces inside a cube would all be next to each other";
}

// Density 2, velocity (3, 4, 5), energy 55: pressure is 0.4 * (55 - 50).
TEST(Euler, FlowAlongEachAxis) {
  const euler::Flow flow = euler::flow_of({2, 6, 8, 10, 55});
  EXPECT_NEAR(flow.pressure, 2, 1e-5);
  EXPECT_NEAR(flow.sound * flow.sound, 1.4, 1e-5);
  const euler::State expected[] = {
      {6, 18 + 2, 24, 30, 3 * 57}, {8, 24, 32 + 2, 40, 4 * 57}, {10, 30, 40, 50 + 2, 5 * 57}};
  for (unsigned d = 0; d < 3; ++d) {
    for (unsigned v = 0; v < euler::kVars; ++v) {
      EXPECT_NEAR(euler::along(flow, d)[v], expected[d][v], 1e-4) << d << v;
    }
  }
}

TEST(Euler, StagesAreAThirdAHalfAWhole) {
  EXPECT_FLOAT_EQ(euler::stage_factor(6, 0), 2);
  EXPECT_FLOAT_EQ(euler::stage_factor(6, 1), 3);
  EXPECT_FLOAT_EQ(euler::stage_factor(6, 2), 6);
  const euler::Flow flow = euler::flow_of({2, 6, 8, 10, 55});
  EXPECT_NEAR(euler::step_factor(flow.state, 3) * 3 * (flow.speed + flow.sound), 0.5, 1e-6);
}

// A flow that is the same everywhere stays so: nothing is gained or lost at inner and open faces.
TEST(Euler, UniformFlowStays) {
  const CfdMesh mesh = make_cfd_mesh(600, 3);
  const euler::Flow flow = euler::flow_of(euler::far_field());
  for (std::uint64_t e = 0; e < mesh.elements; ++e) {
    euler::State sum{};
    bool at_wall = false;
    for (unsigned face = 0; face < CfdMesh::kFaces; ++face) {
      at_wall |= neighbour(mesh, e, face) == CfdMesh::kWall;
      const euler::Vec n = normal(mesh, e, face);
      if (neighbour(mesh, e, face) >= 0) {
        euler::add_inner_face(sum, flow, flow, n);
      } else {
        euler::add_open_face(sum, flow, n);
      }
    }
    if (at_wall) continue;
    for (const float s : sum) EXPECT_NEAR(s, 0, 1e-5);
  }
}

// What one side of a face loses the other gains.
TEST(Euler, FacesConserve) {
  const euler::Flow a = euler::flow_of({1.4F, 1.7F, 0.1F, -0.2F, 3.5F});
  const euler::Flow b = euler::flow_of({1.2F, 1.5F, -0.1F, 0.3F, 3.3F});
  euler::State one{}, other{};
  euler::add_inner_face(one, a, b, {0.3F, -0.2F, 0.4F});
  euler::add_inner_face(other, b, a, {-0.3F, 0.2F, -0.4F});
  for (unsigned v = 0; v < euler::kVars; ++v) EXPECT_NEAR(one[v], -other[v], 1e-6);
  EXPECT_NE(one[0], 0.0F);
}

TEST(Euler, FarFieldHasItsMachNumberAndPressure) {
  const euler::Flow far = euler::flow_of(euler::far_field());
  EXPECT_NEAR(far.pressure, 1, 1e-5);
  EXPECT_NEAR(far.speed / far.sound, euler::kMach, 1e-5);
}

// At a wall only pressure acts, along the normal.
TEST(Euler, WallsPush) {
  euler::State sum{};
  const euler::Flow flow = euler::flow_of(euler::far_field());
  euler::add_wall(sum, flow, {0, 0, 0.5F});
  EXPECT_EQ(sum[0], 0);
  EXPECT_EQ(sum[1], 0);
  EXPECT_NEAR(sum[3], 0.5, 1e-5);
  EXPECT_EQ(sum[4], 0);
}

}  // namespace
}  // namespace cxlgpu
