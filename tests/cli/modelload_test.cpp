// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload modelload in the command: models by their public shapes, figures, what is refused.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class ModelLoadRun : public Cli {
 protected:
  json loaded(const std::string& stack, const Args& sets) {
    Args args = {"run", "modelload-pram-" + stack, "--out", "o", "--no-report"};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    accepted(args);
    const json s = stats();
    EXPECT_EQ(value(s, "/io/bytes_wrong"), 0);
    EXPECT_EQ(value(s, "/io/bytes_checked"), value(s, "/io/bytes"));
    return s;
  }
  int make_header(const std::string& options) {
    return std::system(("cd '" + dir_.string() +
                        "' && python3 '" CXLGPU_SOURCE_DIR "/eval/safetensors_header.py' " +
                        options + " 2> '" + (base_ / "said").string() + "'")
                           .c_str());
  }
};

TEST_F(ModelLoadRun, LoadsWhatTheHeaderNames) {
  ASSERT_EQ(make_header("opt-2.7b m.safetensors --part 512"), 0);
  for (const std::string stack : {"phoenix", "gds", "posix"}) {
    const json s = loaded(stack, {"workload.file=m.safetensors", "workload.size=4"});
    EXPECT_EQ(value(s, "/io/model/tensors"), 4);
    // 98 rows of the vocabulary and 2050 positions, of 2560; a matrix and a bias of a layer.
    const double wide = 2560 * 2, bytes = wide * (98 + 2050 + 2560 + 1);
    EXPECT_EQ(value(s, "/io/model/bytes"), bytes);
    EXPECT_EQ(value(s, "/io/ios"), 4);
    if (stack == "posix") {
      EXPECT_EQ(value(s, "/io/bytes"), bytes);
      EXPECT_EQ(value(s, "/io/steps/register/count"), 0);
    } else {
      EXPECT_GE(value(s, "/io/bytes"), bytes);
      EXPECT_LT(value(s, "/io/bytes"), bytes + 4 * 8192);
      EXPECT_EQ(value(s, "/io/steps/register/count"), 4);
    }
  }
}

TEST_F(ModelLoadRun, DirectStorageIsAheadOfACopyFromAMappedFile) {
  const std::string layer = "workload.size=7";  // of a layer
  const double posix = value(loaded("posix", {layer}), "/io/measured"),
               gds = value(loaded("gds", {layer}), "/io/measured"),
               phoenix = value(loaded("phoenix", {layer}), "/io/measured");
  EXPECT_GT(posix, gds);
  EXPECT_GT(gds, phoenix);
  EXPECT_GT(phoenix,
            value(loaded("phoenix", {layer, "io.phoenix_register_page_ps=0"}), "/io/measured"));
}

TEST_F(ModelLoadRun, WhatItCannotDoIsRefused) {
  refused({"run", "modelload-pram-cxl"}, {"workload 'modelload'", "phoenix, gds or posix"});
  refused({"run", "modelload-pram-gds", "--set", "workload.file=no.safetensors"},
          {"no.safetensors", "opened"});
  write("text.safetensors", "this is no model, but a text");
  refused({"run", "modelload-pram-gds", "--set", "workload.file=text.safetensors"},
          {"text.safetensors", "more than 100000000", "give a .safetensors file"});
  ASSERT_EQ(make_header("opt-13b whole.safetensors"), 0);
  refused({"run", "modelload-pram-gds", "--set", "workload.file=whole.safetensors"},
          {"whole.safetensors", "644 tensors", "workload.size"});
}

TEST_F(ModelLoadRun, TheWriterOfHeadersSaysWhatIsWrong) {
  EXPECT_NE(make_header("opt-9b m.safetensors"), 0);
  EXPECT_NE(read_text(base_ / "said").find("'opt-9b' is no model"), std::string::npos);
  EXPECT_NE(make_header("opt-2.7b no/m.safetensors"), 0);
  const std::vector<std::string> said = lines_of(read_text(base_ / "said"));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("no/m.safetensors"), std::string::npos);
  EXPECT_NE(make_header("opt-2.7b m.safetensors --part 0"), 0);
}

TEST_F(ModelLoadRun, IsInTheListAndInTheTable) {
  EXPECT_NE(run({"list"}).out.find("  modelload a program that loads a model's tensors"),
            std::string::npos);
  const Result one = run({"run", "modelload-pram-gds", "--set", "workload.size=3"});
  EXPECT_NE(one.out.find("tensors / their bytes / the longest        3 / 2623488 / 2097152"),
            std::string::npos)
      << one.out;
}

}  // namespace
}  // namespace cxlgpu
