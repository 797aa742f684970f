// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Headers of models' files: what is read, and each error.
#include "sim/host/safetensors.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/input_error.hpp"

namespace cxlgpu {
namespace {

std::string with_length(const std::string& json, std::uint64_t bytes) {
  std::string file;
  for (unsigned i = 0; i < 8; ++i) file += static_cast<char>(bytes >> 8 * i);
  return file + json;
}
std::string with_length(const std::string& json) {
  return with_length(json, json.size());
}
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return '"' + name + R"(": {"dtype": ")" + dtype + R"(", "shape": )" + shape +
         R"(, "data_offsets": )" + offsets + "}";
}

class SafetensorsTest : public testing::Test {
 protected:
  ~SafetensorsTest() override { std::filesystem::remove(path_); }
  Safetensors read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_safetensors(path_.string());
  }
  std::string refused(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.rfind(path_.string() + ": ", 0), 0U) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
      return said.substr(path_.string().size() + 2);
    }
    ADD_FAILURE() << "read";
    return "";
  }
  // Of a header with one entry.
  std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return refused(with_length("{" + entry("a", dtype, shape, offsets) + "}"));
  }
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("st_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(SafetensorsTest, ReadsTensorsInTheOrderOfTheFile) {
  const std::string json = "{" + entry("b", "F16", "[2, 3]", "[4, 16]") + ", " +
                           R"("__metadata__": {"format": "pt"}, )" +
                           entry("a", "F32", "[]", "[0, 4]") + ", " +
                           entry("none", "U8", "[0, 5]", "[16, 16]") + ", " +
                           entry("c", "F64", "[1]", "[16, 24]") + "}  ";
  const std::string tail = "data that nobody reads";
  for (const std::string& file : {with_length(json), with_length(json) + tail}) {
    Safetensors all = read(file);
    ASSERT_EQ(all.tensors.size(), 3U);
    EXPECT_EQ(all.tensors[0].name, "a");
    EXPECT_EQ(all.tensors[0].offset, 8 + json.size());
    EXPECT_EQ(all.tensors[1].name, "b");
    EXPECT_EQ(all.tensors[1].bytes, 12U);
    EXPECT_EQ(all.file_bytes(), 8 + json.size() + 24);
    all.keep(2);
    EXPECT_EQ(all.file_bytes(), 8 + json.size() + 16);
  }
}

TEST_F(SafetensorsTest, WhatIsWrongIsOneLine) {
  EXPECT_EQ(refused("").substr(0, 43), "ends after 0 of the 8 bytes of its first nu");
  EXPECT_NE(refused(with_length("{}", 90)).find("ends after 2 of the 90 bytes of its header"),
            std::string::npos);
  EXPECT_NE(refused(with_length("{}", 1ULL << 60)).find("more than 100000000"), std::string::npos);
  EXPECT_NE(refused(with_length("[1]")).find("no JSON object"), std::string::npos);
  EXPECT_NE(refused(with_length("{\"a\":")).find("no JSON object"), std::string::npos);
  EXPECT_NE(refused(with_length("{}")).find("names no tensor"), std::string::npos);
  EXPECT_NE(refused(with_length(R"({"a": 3})")).find("tensor 'a' has no dtype"), std::string::npos);
  EXPECT_NE(one("Q4", "[1]", "[0, 1]").find("has dtype 'Q4'"), std::string::npos);
  EXPECT_NE(one("F16", "3", "[0, 6]").find("shape that is no list"), std::string::npos);
  EXPECT_NE(one("F16", "[-1]", "[0, 6]").find("a side that is no whole number"), std::string::npos);
  EXPECT_NE(one("F16", "[3]", "[0]").find("no two data_offsets"), std::string::npos);
  EXPECT_NE(one("F16", "[3]", "[0, 1.5]").find("an offset that is no"), std::string::npos);
  EXPECT_NE(one("F16", "[3]", "[0, 7]").find("bytes 0 to 7, which are not"), std::string::npos);
  EXPECT_NE(one("F16", "[3]", "[6, 0]").find("bytes 6 to 0, which are not"), std::string::npos);
  EXPECT_NE(one("F16", "[4294967296, 4294967296, 4294967296]", "[0, 0]").find("are not those"),
            std::string::npos);
  EXPECT_NE(one("F16", "[3]", "[2, 8]").find("begins behind the end"), std::string::npos);
  EXPECT_NE(refused(with_length("{" + entry("a", "U8", "[4]", "[0, 4]") + "," +
                                entry("b", "U8", "[4]", "[2, 6]") + "}"))
                .find("tensor 'b' begins before the end"),
            std::string::npos);
}

TEST_F(SafetensorsTest, ASmallModelsTensorsFollowEachOther) {
  const Safetensors model = small_model(20);
  ASSERT_EQ(model.tensors.size(), 20U);
  for (std::size_t i = 1; i < 20; ++i) {
    EXPECT_EQ(model.tensors[i].offset, model.tensors[i - 1].offset + model.tensors[i - 1].bytes);
  }
}

}  // namespace
}  // namespace cxlgpu
