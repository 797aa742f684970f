// Files that are whole or not there: written beside their place and renamed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cxlgpu {

// Errors: InputError when the place cannot be written.
void write_file(const std::filesystem::path& path, std::string_view text);

// Makes the folder for results, if `out` names one. To be called before anything is simulated.
// Errors: InputError when there can be none.
void make_folder(const std::string& out);

}  // namespace cxlgpu
