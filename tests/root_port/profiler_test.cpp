// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// profiler: the twin in lockstep with the RTL.
#include "refmodel/root_port/profiler.hpp"

#include "Vprofiler.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

TEST(Profiler, LockstepWithRtl) {
  test::shows("qos", "Every response's DevLoad is counted and reaches load control",
              "docs/blocks.md, profiler");
  Lockstep lockstep("root_port/profiler", 0x9f);
  Random random(lockstep.seed());
  Clocked<Vprofiler> rtl;
  Profiler twin;
  rtl.reset();
  while (lockstep.next()) {
    Profiler::In in;
    in.load = random.percent(40);
    in.store = !in.load && random.percent(50);  // the SR queue takes one a cycle
    in.spec = random.percent(20);
    in.rsp_valid = random.percent(50);
    in.dev_load = static_cast<DevLoad>(random.bits(2));
    rtl->load_i = in.load;
    rtl->store_i = in.store;
    rtl->spec_i = in.spec;
    rtl->rsp_valid_i = in.rsp_valid;
    rtl->dev_load_i = static_cast<unsigned>(in.dev_load);
    rtl.settle();
    const Profiler::Out out = twin.eval(in);
    lockstep.check("lc_rsp_valid_o", rtl->lc_rsp_valid_o, out.rsp_valid);
    lockstep.check("lc_dev_load_o", rtl->lc_dev_load_o, static_cast<unsigned>(out.dev_load));
    lockstep.check("loads_o", rtl->loads_o, out.counters.loads);
    lockstep.check("stores_o", rtl->stores_o, out.counters.stores);
    lockstep.check("specs_o", rtl->specs_o, out.counters.specs);
    for (unsigned i = 0; i < 4; ++i) {
      lockstep.check("rsp_count_o", test::get_bits(rtl->rsp_count_o, 32 * i, 32),
                     out.counters.responses[i]);
    }
    twin.clock(in);
    rtl.edge();
    if (random.below(5000) == 0) {
      rtl.reset();
      twin = Profiler();
    }
  }
}

}  // namespace
}  // namespace cxlgpu
