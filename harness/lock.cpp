// SPDX-License-Identifier: MIT
// The file is never removed: between looking at a name and locking it, another could be locking the one that was
// removed. It stays, empty, and everybody may write it.
#include "lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace iobench {

namespace fs = std::filesystem;

namespace {

// It is emptied and written: never by another name of somebody's file, which a folder for everybody may hold.
Descriptor only_file(Descriptor file, const fs::path& path) {
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    throw Error(fmt::format("open {}, the lock against two runs at once: it is not a file of its own; remove it, or name another "
                            "by IOBENCH_LOCK",
                            path.string()));
  return file;
}

// Without O_CREAT on a file that exists: in a folder for everybody the kernel refuses to "create" another's file.
Descriptor open_lock(const fs::path& path) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  constexpr mode_t for_everybody = 0666;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const int fd = ::open(path.c_str(), flags | O_NONBLOCK); fd >= 0) return only_file(Descriptor(fd), path);
    if (errno != ENOENT) throw_errno(fmt::format("open {}, the lock against two runs at once", path.string()));
    if (const int fd = ::open(path.c_str(), flags | O_CREAT | O_EXCL, for_everybody); fd >= 0) {
      ::fchmod(fd, for_everybody);  // whatever the umask
      return Descriptor(fd);
    }
    if (errno != EEXIST) throw_errno(fmt::format("create {}, the lock against two runs at once", path.string()));
  }
  throw_errno(fmt::format("open {}, the lock against two runs at once", path.string()), ENOENT);
}

std::string holder(const Descriptor& file) {
  char text[4096];
  const ssize_t got = ::pread(file.get(), text, sizeof text, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "another process";
}

}  // namespace

fs::path lock_path() {
  const char* named = std::getenv("IOBENCH_LOCK");
  return named && *named ? named : "/tmp/iobench.lock";
}

MachineLock::MachineLock(const std::string& doing, const fs::path& path) : path_(path), file_(open_lock(path)) {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw_errno(fmt::format("lock {}", path.string()));
    throw Error(fmt::format("another measurement is going on, {}; two at once would measure one another: wait for it, or end it",
                            holder(file_)));
  }
  say(doing);
}

void MachineLock::say(const std::string& doing) const {
  const std::string text = fmt::format("process {}, {}", ::getpid(), doing);
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
    throw_errno(fmt::format("write {}", path_.string()));
  write_all(file_.get(), text.data(), text.size(), path_);
}

MachineLock::~MachineLock() {
  [[maybe_unused]] const int cut = ::ftruncate(file_.get(), 0);
}

}  // namespace iobench
