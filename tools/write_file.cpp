#include "tools/write_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "refmodel/common/input_error.hpp"

namespace cxlgpu {

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path part = path;
  part += ".part";
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) {
      std::error_code ignored;
      std::filesystem::remove(part, ignored);
      throw InputError(fmt::format("{}:0: cannot be written; choose another --out", path.string()));
    }
  }
  std::filesystem::rename(part, path);
}

void make_folder(const std::string& out) {
  if (out.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error || !std::filesystem::is_directory(out)) {
    throw InputError(
        fmt::format("{}:0: is no folder and cannot be made one; choose another place", out));
  }
}

}  // namespace cxlgpu
