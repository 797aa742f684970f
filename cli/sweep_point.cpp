// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_point.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/sweep_digest.hpp"
#include "cli/version.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr const char* kSelf = "/proc/self/exe";

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// In the child, between fork and exec: nothing that may lock.
[[noreturn]] void become(char* const* argv, const char* directory, const char* log) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Ctrl-C is for the sweep, which ends its runs; if it is killed, they end too.
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (in >= 0 && out >= 0 && chdir(directory) == 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
      dup2(out, 2) == 2) {
    execv(kSelf, argv);  // this very program, even if another has its name by now
  }
  _exit(127);
}

}  // namespace

const std::string& sweep_version() {
  static const std::string version = [] {
    std::string text = fmt::format("{} ({})", project_version(), source_commit());
    if (source_commit().find('+') != std::string::npos || source_commit() == "unknown") {
      text += " " + Digest().add_file(kSelf).hex();
    }
    return text;
  }();
  return version;
}

void PointFolder::prepare(const std::filesystem::path& configs,
                          const std::vector<std::string>& words) const {
  remove();
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    throw InputError(fmt::format("{}: cannot be made: {}; choose another place", folder_.string(),
                                 error.message()));
  }
  std::vector<std::string> all = {std::filesystem::read_symlink(kSelf).string(), "--configs",
                                  std::filesystem::absolute(configs).string(), "run"};
  all.insert(all.end(), words.begin(), words.end());
  // The log has what went wrong; all else is in stats.json.
  all.insert(all.end(), {"--quiet", "--out", std::filesystem::absolute(folder_).string()});
  const nlohmann::json command = {{"directory", std::filesystem::current_path().string()},
                                  {"arguments", all},
                                  {"version", sweep_version()}};
  write_file(folder_ / "command.json", json_text(command, 1) + "\n");
}

void PointFolder::remove() const {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::optional<PointExit> PointFolder::exit() const {
  const nlohmann::json read =
      nlohmann::json::parse(read_text(folder_ / "exit.json"), nullptr, false);
  if (!read.is_object() || !read.contains("status") || !read["status"].is_number_integer() ||
      !read.contains("seconds") || !read["seconds"].is_number() || !read.contains("version") ||
      !read["version"].is_string()) {
    return std::nullopt;
  }
  return PointExit{read["status"].get<int>(), read["seconds"].get<double>(),
                   read["version"].get<std::string>()};
}

void PointFolder::write_exit(const PointExit& exit) const {
  write_file(
      folder_ / "exit.json",
      json_text({{"status", exit.status}, {"seconds", exit.seconds}, {"version", exit.version}},
                -1) +
          "\n");
}

std::string PointFolder::last_words() const {
  const std::string text = read_text(folder_ / "log");
  const std::size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  return one_line(text.substr(before == std::string::npos ? 0 : before + 1,
                              end - (before == std::string::npos ? 0 : before + 1) + 1));
}

PointProcess::PointProcess(PointFolder folder)
    : folder_(std::move(folder)), start_(std::chrono::steady_clock::now()) {
  const std::filesystem::path file = folder_.path() / "command.json";
  const nlohmann::json command = nlohmann::json::parse(read_text(file), nullptr, false);
  if (!command.is_object() || !command.contains("arguments") || !command.contains("directory")) {
    throw InputError(
        fmt::format("{}: is no point of a sweep; start `cxlgpu sweep` again", file.string()));
  }
  if (command.value("version", "") != sweep_version()) {
    throw InputError(fmt::format("{}: is of cxlgpu {}, this is {}; use the same on all machines",
                                 file.string(), command.value("version", "?"), sweep_version()));
  }
  auto words = command["arguments"].get<std::vector<std::string>>();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto directory = command["directory"].get<std::string>();
  const std::string log = (std::filesystem::absolute(folder_.path()) / "log").string();
  pid_ = fork();
  if (pid_ == 0) become(argv.data(), directory.c_str(), log.c_str());
  if (pid_ < 0) {
    throw InputError(
        fmt::format("no process can be made: {}; use fewer --jobs", std::strerror(errno)));
  }
}

PointExit PointProcess::ended(int wait_status) const {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  const PointExit exit = {
      WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status),
      taken.count(), sweep_version()};
  if (WIFSIGNALED(wait_status)) {
    std::ofstream(folder_.path() / "log", std::ios::app)
        << "the run was ended by signal " << WTERMSIG(wait_status) << "\n";
  }
  folder_.write_exit(exit);
  return exit;
}

}  // namespace cxlgpu
