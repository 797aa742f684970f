// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

namespace cxlgpu::flits {

namespace {

// Names of unfinished files. A signal handler reaches no object, so they stand here: a slot is
// taken, filled, and only then marked as one to remove.
constexpr std::size_t kSlots = 64, kLongest = 4096;
struct Slot {
  std::atomic<bool> taken{false}, listed{false};
  std::array<char, kLongest> name{};
};
std::array<Slot, kSlots> unfinished;

bool is_listed(const std::string& name) {
  for (const Slot& slot : unfinished) {
    if (slot.listed && name == slot.name.data()) return true;
  }
  return false;
}

void list(const std::string& name) {
  if (name.size() >= kLongest) return;
  for (Slot& slot : unfinished) {
    if (slot.taken.exchange(true)) continue;
    std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
    slot.listed = true;
    return;
  }
}

void unlist(const std::string& name) {
  for (Slot& slot : unfinished) {
    if (!slot.listed || name != slot.name.data()) continue;
    slot.listed = false;
    slot.taken = false;
    return;
  }
}

// The open descriptor that a path is another name of: /dev/stdout and the like.
std::optional<int> own_stream(const struct stat& there) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    if (fstat(stream, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino) {
      return stream;
    }
  }
  return std::nullopt;
}

}  // namespace

OutputPlace::OutputPlace(const std::filesystem::path& path) : path_(path.string()) {
  struct stat there {};
  if (path_.empty()) fail(ENOENT);
  if (stat(path_.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) fail(EISDIR);
    if (S_ISSOCK(there.st_mode) || S_ISBLK(there.st_mode)) fail(ENOTSUP);
    if (!S_ISREG(there.st_mode) || own_stream(there)) return;  // written through
    mode_ = there.st_mode & 07777;
    if (access(path_.c_str(), W_OK) != 0) fail(errno);
  } else if (errno != ENOENT) {
    fail(errno);
  }
  // A link that leads nowhere yet leads to where the file will be.
  std::error_code error;
  std::filesystem::path target = path;
  for (int links = 0; std::filesystem::is_symlink(target, error); ++links) {
    if (links == 40) fail(ELOOP);
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) fail(error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  target_ = target.string();
  const std::string part = target_ + ".part";
  if (is_listed(part)) fail(EBUSY);
  part_ = part;
  list(part_);
}

OutputPlace::OutputPlace(OutputPlace&& other) noexcept
    : path_(other.path_),
      target_(other.target_),
      part_(std::exchange(other.part_, {})),
      companion_(std::exchange(other.companion_, {})),
      mode_(other.mode_) {}

OutputPlace::~OutputPlace() {
  if (part_.empty()) return;
  unlink(part_.c_str());
  if (!companion_.empty()) unlink(companion_.c_str());
  forget();
}

void OutputPlace::forget() {
  unlist(part_);
  if (!companion_.empty()) unlist(companion_);
  part_.clear();
  companion_.clear();
}

void OutputPlace::removes_too(const std::string& file) {
  if (through()) return;
  companion_ = file;
  list(companion_);
}

void OutputPlace::publish() {
  if (through()) return;
  if (mode_ != 0) (void)chmod(part_.c_str(), mode_);
  if (rename(part_.c_str(), target_.c_str()) != 0) fail(errno);
  forget();
}

void OutputPlace::fail(int error) const {
  const char* remedy = "choose another place";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) remedy = "check the space on the disk";
  if (error == EBUSY) remedy = "give each output a name of its own";
  throw OutputError(fmt::format("{}: cannot be written: {}; {}", path_,
                                error == EBUSY ? "it is named twice" : std::strerror(error),
                                remedy));
}

OutputFile::OutputFile(const std::filesystem::path& path) : place_(path) {
  struct stat there {};
  if (place_.through() && stat(place_.path().c_str(), &there) == 0) {
    if (const std::optional<int> stream = own_stream(there)) {
      descriptor_ = fcntl(*stream, F_DUPFD_CLOEXEC, 3);  // shares its place in the file
      if (descriptor_ < 0) fail(errno);
      return;
    }
  }
  const int flags = place_.through() ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  descriptor_ = open(place_.part().c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : place_(std::move(other.place_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::finish() {
  if (descriptor_ < 0) return;
  // Pipes and devices have nothing to bring to a disk.
  const bool synced = place_.through() || fsync(descriptor_) == 0;
  const int error = errno;
  const bool closed = close(std::exchange(descriptor_, -1)) == 0;
  if (!synced) fail(error);
  if (!closed) fail(errno);
}

void OutputFile::publish() {
  finish();
  place_.publish();
}

void remove_unfinished() noexcept {
  for (Slot& slot : unfinished) {
    if (slot.listed) unlink(slot.name.data());
  }
}

}  // namespace cxlgpu::flits
