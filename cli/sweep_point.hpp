// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One point of a sweep in its folder: what is to be run, and how it ended.
//
// Purpose: DIR/points/ID has command.json, and after the run log, exit.json, stats.json and
//          report.html. A run is a process of its own, whoever starts it: the sweep, or a job of a
//          cluster, which knows the folder alone.
// Rules:   words of a point are arguments of a process; no shell reads them. exit.json comes last:
//          a folder without it is of a run that did not end, and counts for nothing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cxlgpu {

// Which command this is: points of another one are run again. Of a tree with changes, and without
// git, it has a digest of the program.
[[nodiscard]] const std::string& sweep_version();

struct PointExit {
  int status = 0;  // as a shell has it, 128 + signal
  double seconds = 0;
  std::string version;
};

class PointFolder {
 public:
  PointFolder(const std::filesystem::path& sweep, const std::string& id)
      : folder_(sweep / "points" / id) {}

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  // Makes the folder, empty. `words` are those of `cxlgpu run`, without --out.
  void prepare(const std::filesystem::path& configs, const std::vector<std::string>& words) const;
  // Nothing is left of it.
  void remove() const;
  [[nodiscard]] std::optional<PointExit> exit() const;
  void write_exit(const PointExit& exit) const;
  // The last line of the log.
  [[nodiscard]] std::string last_words() const;

 private:
  std::filesystem::path folder_;
};

// The command of a prepared folder, running.
class PointProcess {
 public:
  // Errors: InputError if the folder is none or of another version of this command.
  explicit PointProcess(PointFolder folder);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const PointFolder& folder() const { return folder_; }
  // After waitpid(): writes exit.json.
  PointExit ended(int wait_status) const;

 private:
  PointFolder folder_;
  pid_t pid_ = -1;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace cxlgpu
