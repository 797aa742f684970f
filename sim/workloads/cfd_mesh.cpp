// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/cfd_mesh.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/workloads/data.hpp"

namespace cxlgpu {
namespace {

using Vec = std::array<double, 3>;
using Corner = std::array<std::uint64_t, 3>;

Vec minus(const Vec& a, const Vec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The path along the three axes by which a tetrahedron goes from its cube's lowest corner to its
// highest.
constexpr std::array<std::array<unsigned, 3>, 6> kPaths = {
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

unsigned path_number(unsigned a, unsigned b, unsigned c) {
  for (unsigned p = 0; p < kPaths.size(); ++p) {
    if (kPaths[p] == std::array<unsigned, 3>{a, b, c}) return p;
  }
  return 0;
}

class Box {
 public:
  Box(std::uint64_t elements, std::uint64_t seed) : elements_(elements), seed_(seed) {
    const std::uint64_t cubes = (elements + 5) / 6;
    cubes_[0] = cubes_[1] =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(std::cbrt(cubes))));
    cubes_[2] = (cubes + cubes_[0] * cubes_[1] - 1) / (cubes_[0] * cubes_[1]);
  }

  // The four corners of an element in the order of its path.
  [[nodiscard]] std::array<Corner, 4> corners(std::uint64_t element) const {
    const std::uint64_t cube = element / 6;
    std::array<Corner, 4> out;
    out[0] = {cube % cubes_[0], cube / cubes_[0] % cubes_[1], cube / (cubes_[0] * cubes_[1])};
    for (unsigned step = 0; step < 3; ++step) {
      out[step + 1] = out[step];
      ++out[step + 1][kPaths[element % 6][step]];
    }
    return out;
  }

  [[nodiscard]] Vec position(const Corner& corner) const {
    Random random(seed_, number(corner));
    Vec at;
    for (unsigned d = 0; d < 3; ++d) {
      const double part = static_cast<double>(random.below(1 << 24)) * 0x1p-24;
      at[d] = static_cast<double>(corner[d]) + 0.3 * (part - 0.5);
    }
    return at;
  }
  [[nodiscard]] std::uint64_t number(const Corner& c) const {
    return (c[2] * (cubes_[1] + 1) + c[1]) * (cubes_[0] + 1) + c[0];
  }

  // The element behind the face that does not have corner `opposite`.
  [[nodiscard]] std::int64_t neighbour(std::uint64_t element, unsigned opposite) const {
    const auto [a, b, c] = kPaths[element % 6];
    Corner cube = corners(element)[0];
    unsigned path = 0;
    switch (opposite) {
      case 0:
        if (++cube[a] == cubes_[a]) return CfdMesh::kOpen;
        path = path_number(b, c, a);
        break;
      case 1:
        path = path_number(b, a, c);
        break;
      case 2:
        path = path_number(a, c, b);
        break;
      default:
        if (cube[c] == 0) return c == 2 ? CfdMesh::kWall : CfdMesh::kOpen;
        --cube[c];
        path = path_number(c, a, b);
        break;
    }
    const std::uint64_t other = ((cube[2] * cubes_[1] + cube[1]) * cubes_[0] + cube[0]) * 6 + path;
    return other < elements_ ? static_cast<std::int64_t>(other) : CfdMesh::kOpen;
  }

  // Of the face without corner `opposite`, into the element. Corners are taken in the order of
  // their numbers, so that both sides of a face have the same normal but for the sign.
  [[nodiscard]] Vec normal(std::uint64_t element, unsigned opposite) const {
    const std::array<Corner, 4> all = corners(element);
    std::array<Corner, 3> face;
    for (unsigned i = 0, n = 0; i < 4; ++i) {
      if (i != opposite) face[n++] = all[i];
    }
    std::sort(face.begin(), face.end(),
              [&](const Corner& x, const Corner& y) { return number(x) < number(y); });
    const Vec p0 = position(face[0]);
    const Vec twice = cross(minus(position(face[1]), p0), minus(position(face[2]), p0));
    const double sign = dot(twice, minus(position(all[opposite]), p0)) > 0 ? 0.5 : -0.5;
    return {sign * twice[0], sign * twice[1], sign * twice[2]};
  }

 private:
  std::uint64_t elements_, seed_;
  Corner cubes_{};
};

std::vector<std::uint32_t> shuffled_in_windows(std::uint64_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> number(n);
  std::iota(number.begin(), number.end(), 0U);
  for (std::uint64_t first = 0; first < n; first += CfdMesh::kWindow) {
    Random random(seed, ~first);
    for (std::uint64_t i = std::min(CfdMesh::kWindow, n - first); i > 1; --i) {
      std::swap(number[first + i - 1], number[first + random.below(i)]);
    }
  }
  return number;
}

}  // namespace

CfdMesh make_cfd_mesh(std::uint64_t elements, std::uint64_t seed) {
  const Box box(elements, seed);
  const std::vector<std::uint32_t> number = shuffled_in_windows(elements, seed);
  CfdMesh mesh;
  mesh.elements = elements;
  mesh.neighbours.resize(CfdMesh::kFaces * elements);
  mesh.normals.resize(3 * CfdMesh::kFaces * elements);
  mesh.half_surface.resize(elements);
  for (std::uint64_t e = 0; e < elements; ++e) {
    double surface = 0;
    for (unsigned face = 0; face < CfdMesh::kFaces; ++face) {
      const std::int64_t other = box.neighbour(e, face);
      mesh.neighbours[face * elements + number[e]] =
          other < 0 ? static_cast<std::int32_t>(other)
                    : static_cast<std::int32_t>(number[static_cast<std::uint64_t>(other)]);
      const Vec normal = box.normal(e, face);
      for (unsigned part = 0; part < 3; ++part) {
        mesh.normals[(face * 3 + part) * elements + number[e]] = static_cast<float>(normal[part]);
      }
      surface += std::sqrt(dot(normal, normal));
    }
    mesh.half_surface[number[e]] = static_cast<float>(0.5 * surface);
  }
  return mesh;
}

}  // namespace cxlgpu
