// Files that are whole or not there: written beside their place and renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace cxlgpu {

// Errors: InputError when the place cannot be written.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace cxlgpu
