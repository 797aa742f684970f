// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/ring_group.hpp"

namespace cxlgpu {

Task<Done> ring_group(HostKernel& kernel, int fd, std::span<IoPiece> pieces, bool at_once,
                      std::function<Task<Done>(IoPiece&)> when_done) {
  IoUring ring(kernel, pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const IoPiece& piece = pieces[i];
    ring.prep({piece.is_write, fd, piece.buffer->mapped.front(), piece.bytes, piece.offset, i});
    if (!at_once) co_await ring.submit();
  }
  if (at_once) co_await ring.submit();
  for (std::size_t left = pieces.size(); left > 0; --left) {
    const IoUringCqe cqe = co_await ring.wait_cqe();
    IoPiece& piece = pieces[cqe.user_data];
    piece.result = cqe.res;
    if (when_done) co_await when_done(piece);
  }
  co_return Done{};
}

}  // namespace cxlgpu
