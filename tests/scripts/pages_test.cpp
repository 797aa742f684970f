// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// scripts/pages.py: which long lines of a document are findings, and what it cites must be there;
// scripts/words.py: a page that nobody outside has is not cited.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const std::string kSource = CXLGPU_SOURCE_DIR;

class Pages : public Cli {
 protected:
  // Exit status of a tool for a file with this text; said() is what it prints.
  int status(const std::string& tool, const std::string& name, const std::string& text) {
    const std::string command = "python3 '" + kSource + "/scripts/" + tool + "' '" +
                                write(name, text).string() + "' 2> '" + (base_ / "said").string() +
                                "'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() { return read_text(base_ / "said"); }
  void clean(const std::string& text) {
    EXPECT_EQ(status("pages.py", "page.md", text), 0) << text << "\n" << said();
  }
  void found(const std::string& text, const std::string& part) {
    EXPECT_EQ(status("pages.py", "page.md", text), 1) << text;
    EXPECT_NE(said().find(part), std::string::npos) << said();
    EXPECT_EQ(lines_of(said()).size(), 1u) << said();
  }
};

std::string words(std::size_t columns) {
  std::string text;
  while (text.size() < columns) text += "word ";
  return text.substr(0, columns - 1) + "x";
}

TEST_F(Pages, ProseIsBrokenAtItsColumns) {
  clean("# Title\n\n" + words(120) + "\n");
  found("# Title\n\n" + words(121) + "\n", "page.md:3: 121 columns; break it at 120");
  found("* " + words(130) + "\n", "page.md:1: 132 columns");
  found("# " + words(130) + "\n", "page.md:1: 132 columns");
  // Columns, not bytes.
  std::string times;
  for (unsigned i = 0; i < 60; ++i) times += "× ";
  clean(times.substr(0, times.size() - 1) + "\n");
}

TEST_F(Pages, WhatCannotBeBrokenMayBeLonger) {
  const std::string path(130, 'p');
  clean("| " + words(130) + " | " + words(20) + " |\n");
  clean("```\n" + words(130) + "\n```\n");
  clean("```yaml\n" + words(130) + "\n```\n\n~~~\n" + words(130) + "\n```\n~~~\n");
  clean("<!-- docs-check: run " + words(130) + " -->\n");
  clean("text before\nhttps://example.org/" + path + "\ntext behind\n");
  clean("* `" + words(130) + "`\n");
  clean("[some\ntext](https://example.org/" + path + ")\n");
  // Behind the fence, beside the link, in front of the code, a comment in prose.
  found("```\nmake\n```\n" + words(130) + "\n", "page.md:4");
  found("see https://example.org/" + path + "\n", "page.md:1");
  found("[text](https://example.org/" + path + "), and more\n", "page.md:1");
  found("so `" + words(130) + "`\n", "page.md:1");
  found("<!-- run -->`make " + words(130) + "` prints it\n", "page.md:1");
}

TEST_F(Pages, WhatIsCitedIsThere) {
  write("there.md", "");
  clean("[one](there.md), [two](there.md#place), [three](https://example.org/x), `[4](code)`\n");
  found("text\n[one](nowhere.md)\n", "page.md:2: there is no nowhere.md");
  EXPECT_EQ(status("pages.py", "a.hpp", "// Source: docs/guide.md, docs/blocks/README.md\n"), 0)
      << said();
  EXPECT_EQ(status("pages.py", "a.hpp", "\n// Source: docs/nowhere.md\n"), 1);
  EXPECT_NE(said().find("a.hpp:2: there is no docs/nowhere.md"), std::string::npos) << said();
}

TEST_F(Pages, NoCommentCitesAPageOutsideOfTheTree) {
  EXPECT_EQ(status("words.py", "a.hpp", "// Source:  docs/guide.md; design page,\n// \"Load\".\n"),
            1);
  EXPECT_NE(said().find("a.hpp:1: 'design page'"), std::string::npos) << said();
  EXPECT_EQ(status("words.py", "a.hpp", "// Source:  design\n//          page, \"Load\".\n"), 1);
  EXPECT_EQ(status("words.py", "a.hpp", "// Source:  docs/guide.md.\n"), 0) << said();
}

TEST_F(Pages, TheTreeHasNone) {
  for (const char* tool : {"pages.py", "words.py"}) {
    const std::string command =
        "'" + kSource + "/scripts/" + tool + "' 2> '" + (base_ / "said").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << said();
  }
}

}  // namespace
}  // namespace cxlgpu
