// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tests/cli/cli.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cxlgpu {

namespace {

constexpr unsigned kTimeoutSeconds = 120;

}  // namespace

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Args& args) {
  std::string text = "cxlgpu";
  for (const std::string& arg : args) text += " " + arg;
  return text;
}

Cli::Cli() {
  std::string name = (fs::temp_directory_path() / "cxlgpu_cli_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  base_ = name;
  dir_ = base_ / "work";
  fs::create_directory(dir_);
}

Cli::~Cli() {
  fs::remove_all(base_);
}

fs::path Cli::write(const std::string& name, const std::string& text) {
  std::ofstream(dir_ / name, std::ios::binary) << text;
  return dir_ / name;
}

Result Cli::run(const Args& args, const std::string& input) {
  return run(args, input, {});
}

Result Cli::run(const Args& args, const std::string& input, const Setting& setting) {
  std::ofstream(base_ / "in", std::ios::binary) << input;
  std::vector<char*> argv = {const_cast<char*>(CXLGPU_BINARY)};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  const fs::path err = base_ / "err", in = base_ / "in";
  const fs::path out = setting.out.empty() ? base_ / "out" : fs::path(setting.out);
  const pid_t child = fork();
  if (child == 0) {
    const bool ready = chdir(dir_.c_str()) == 0 && freopen(in.c_str(), "r", stdin) != nullptr &&
                       freopen(out.c_str(), "w", stdout) != nullptr &&
                       freopen(err.c_str(), "w", stderr) != nullptr;
    alarm(kTimeoutSeconds);
    if (setting.before) setting.before();
    if (ready) execv(argv[0], argv.data());
    _exit(127);
  }
  if (setting.meanwhile) setting.meanwhile(child);
  int status = 0;
  waitpid(child, &status, 0);
  Result result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (setting.out.empty()) result.out = read_text(out);
  const std::string said = read_text(err);
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size() - 1) + 1;
    const std::string line = said.substr(at, end - at);
    if (line.starts_with("progress: ") && line.ends_with("\n")) {
      result.progress.push_back(line.substr(0, line.size() - 1));
    } else {
      result.err += line;
    }
    at = end;
  }
  return result;
}

Result Cli::accepted(const Args& args, const std::string& input) {
  const Result result = run(args, input);
  EXPECT_EQ(result.status, 0) << joined(args) << "\n" << result.err;
  EXPECT_EQ(result.err, "") << joined(args);
  return result;
}

void Cli::refused(const Args& args, const std::vector<std::string>& parts) {
  const std::set<std::string> before = files();
  const Result result = run(args);
  EXPECT_EQ(result.status, 2) << joined(args) << "\n" << result.err;
  EXPECT_EQ(lines_of(result.err).size(), 1u) << joined(args) << "\n" << result.err;
  EXPECT_TRUE(result.err.ends_with("\n")) << joined(args) << "\n" << result.err;
  for (const std::string& part : parts) {
    EXPECT_NE(result.err.find(part), std::string::npos)
        << joined(args) << "\n  says:    " << result.err << "  without: " << part;
  }
  EXPECT_EQ(result.out, "") << joined(args);
  EXPECT_EQ(files(), before) << joined(args);
}

std::set<std::string> Cli::files() const {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
    names.insert(entry.path().string());
  }
  return names;
}

json Cli::stats(const std::string& out) {
  return json::parse(read_text(dir_ / out / "stats.json"));
}

std::vector<std::string> Cli::keys() {
  std::vector<std::string> names;
  for (const json& key : json::parse(accepted({"list", "--keys", "--json"}).out)) {
    const auto name = key.at("key").get<std::string>();
    if (name.find('[') == std::string::npos) names.push_back(name);
  }
  EXPECT_GT(names.size(), 100u);
  return names;
}

double value(const json& document, const char* path) {
  const json& figure = document.at(json::json_pointer(path));
  EXPECT_TRUE(figure.at("unit").is_string()) << path;
  return figure.at("value").get<double>();
}

void write_gzip(const fs::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

}  // namespace cxlgpu
