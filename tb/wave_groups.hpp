// The GTKWave save file of an FST: one group a part of the design, named as in the documents.
#pragma once

#include <string>

namespace cxlgpu {

// Text of the save file for a dump of rtl/top/cxlgpu_top with `ports` root ports.
std::string gtkwave_save_file(const std::string& fst, unsigned ports);

}  // namespace cxlgpu
