// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/input_error.hpp"
#include "flits/input_file.hpp"
#include "sim/host/line_reader.hpp"

namespace cxlgpu {
namespace {

constexpr const char* kAgain = "copy the file again, or give a .safetensors file";

constexpr std::array<std::pair<std::string_view, unsigned>, 16> kBytes = {{{"BOOL", 1},
                                                                           {"U8", 1},
                                                                           {"I8", 1},
                                                                           {"F8_E5M2", 1},
                                                                           {"F8_E4M3", 1},
                                                                           {"F8_E8M0", 1},
                                                                           {"I16", 2},
                                                                           {"U16", 2},
                                                                           {"F16", 2},
                                                                           {"BF16", 2},
                                                                           {"I32", 4},
                                                                           {"U32", 4},
                                                                           {"F32", 4},
                                                                           {"I64", 8},
                                                                           {"U64", 8},
                                                                           {"F64", 8}}};

class Reader {
 public:
  explicit Reader(const std::string& path)
      : name_(path == "-" ? "standard input" : path), file_(path) {
    if (!file_.is_open()) fail("cannot be opened", "check the name and its permissions");
  }

  Safetensors read() {
    std::uint64_t bytes = 0;
    const std::string length = take(8);
    for (std::size_t i = 8; i-- > 0;) bytes = bytes << 8 | static_cast<unsigned char>(length[i]);
    if (bytes > Safetensors::kMostHeaderBytes) {
      fail(fmt::format("its header would have {} bytes, more than {}", bytes,
                       Safetensors::kMostHeaderBytes),
           kAgain);
    }
    const nlohmann::json header = nlohmann::json::parse(take(bytes), nullptr, false);
    if (!header.is_object()) fail("its header is no JSON object", kAgain);
    Safetensors all;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      Tensor tensor = read_tensor(name, entry);
      if (tensor.bytes == 0) continue;
      tensor.offset += 8 + bytes;
      all.tensors.push_back(std::move(tensor));
    }
    if (all.tensors.empty()) fail("its header names no tensor", "give a file that has one");
    std::sort(all.tensors.begin(), all.tensors.end(),
              [](const Tensor& a, const Tensor& b) { return a.offset < b.offset; });
    std::uint64_t end = 8 + bytes;
    for (const Tensor& tensor : all.tensors) {
      if (tensor.offset != end) {
        wrong(tensor.name, fmt::format("begins {} the end of what is before it",
                                       tensor.offset < end ? "before" : "behind"));
      }
      end = tensor.offset + tensor.bytes;
    }
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw InputError(name_, 0, what, remedy);
  }
  [[noreturn]] void wrong(const std::string& tensor, const std::string& what) const {
    fail(fmt::format("tensor '{}' {}", shown(tensor), what), kAgain);
  }

  // Grows with what is there, not with what the file says.
  std::string take(std::uint64_t bytes) {
    constexpr std::uint64_t kPiece = 1 << 20;
    std::string text;
    while (text.size() < bytes) {
      const std::size_t old = text.size();
      text.resize(old + std::min<std::uint64_t>(kPiece, bytes - old));
      const std::optional<std::size_t> got = file_.read(text.data() + old, text.size() - old);
      if (!got) fail(std::string(file_.problem()), kAgain);
      text.resize(old + *got);
      if (*got == 0) {
        fail(fmt::format("ends after {} of the {} bytes of its {}", text.size(), bytes,
                         bytes == 8 ? "first number" : "header"),
             kAgain);
      }
    }
    return text;
  }

  std::uint64_t whole(const std::string& tensor, const nlohmann::json& value,
                      const char* what) const {
    if (!value.is_number_unsigned()) {
      wrong(tensor, fmt::format("has {} that is no whole number of 0 or more", what));
    }
    return value.get<std::uint64_t>();
  }

  Tensor read_tensor(const std::string& name, const nlohmann::json& entry) const {
    const auto member = [&](const char* key) -> const nlohmann::json& {
      const auto found = entry.is_object() ? entry.find(key) : entry.end();
      if (found == entry.end()) wrong(name, fmt::format("has no {}", key));
      return *found;
    };
    const nlohmann::json &dtype = member("dtype"), &shape = member("shape"),
                         &offsets = member("data_offsets");
    const std::string type = dtype.is_string() ? dtype.get<std::string>() : "";
    const auto* known = std::find_if(kBytes.begin(), kBytes.end(),
                                     [&](const auto& one) { return one.first == type; });
    std::uint64_t size = known == kBytes.end() ? 0 : known->second;
    if (size == 0) wrong(name, fmt::format("has dtype '{}', which is not known", shown(type)));
    if (!shape.is_array()) wrong(name, "has a shape that is no list");
    bool fits = true;
    for (const nlohmann::json& side : shape) {
      const std::uint64_t numbers = whole(name, side, "a side");
      fits = fits && (numbers == 0 || size <= Safetensors::kMostBytes / numbers);
      size *= fits ? numbers : 0;
    }
    if (!offsets.is_array() || offsets.size() != 2) wrong(name, "has no two data_offsets");
    const std::uint64_t begin = whole(name, offsets[0], "an offset"),
                        end = whole(name, offsets[1], "an offset");
    if (!fits || begin > end || end > Safetensors::kMostBytes || end - begin != size) {
      wrong(name, fmt::format("has bytes {} to {}, which are not those of its shape", begin, end));
    }
    return {name, begin, size};
  }

  std::string name_;
  flits::InputFile file_;
};

}  // namespace

Safetensors read_safetensors(const std::string& path) {
  return Reader(path).read();
}

Safetensors small_model(std::uint64_t count) {
  constexpr std::uint64_t kWide = 1024, kNumber = 2;
  static constexpr std::array<std::pair<const char*, std::uint64_t>, 9> kLayer = {
      {{"input_norm", 1},
       {"q", kWide},
       {"k", kWide / 4},
       {"v", kWide / 4},
       {"o", kWide},
       {"post_norm", 1},
       {"gate", 4 * kWide},
       {"up", 4 * kWide},
       {"down", 4 * kWide}}};
  Safetensors model;
  std::uint64_t at = 8 + 128 * count;  // behind a header of about that
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto& [name, rows] = kLayer[i % kLayer.size()];
    const std::uint64_t bytes = rows * kWide * kNumber;
    model.tensors.push_back({fmt::format("{}.{}", i / kLayer.size(), name), at, bytes});
    at += bytes;
  }
  return model;
}

}  // namespace cxlgpu
