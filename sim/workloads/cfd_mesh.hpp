// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The unstructured mesh of cfd: tetrahedra with four neighbours each.
//
// Purpose: irregular accesses as a mesh generator's output makes them: neighbours are near each
//          other, but in no order.
// Shapes:  n elements. A box of cubes, each cut into six tetrahedra along its diagonal, with every
//          corner moved by up to 0.15 of a cube's edge; elements are numbered at random within
//          windows of kWindow. Face k of element e is at [k * n + e]: neighbours, and normals of
//          three parts at [(k * 3 + part) * n + e], as long as the face is large and directed into
//          the element. The floor of the box is a wall, its other sides are open, as is what the
//          box has beyond n elements.
// Units:   edge of a cube 1.
// Errors:  none.
// Source:  layout and boundary numbers as in Rodinia's euler3d.
#pragma once

#include <cstdint>
#include <vector>

namespace cxlgpu {

struct CfdMesh {
  static constexpr std::int32_t kWall = -1, kOpen = -2;
  static constexpr std::uint64_t kWindow = 512;
  static constexpr unsigned kFaces = 4;

  std::uint64_t elements = 0;
  std::vector<std::int32_t> neighbours;
  std::vector<float> normals;
  std::vector<float> half_surface;  // half the area of an element's faces
};

CfdMesh make_cfd_mesh(std::uint64_t elements, std::uint64_t seed);

}  // namespace cxlgpu
