#include "cubcal/io/folder_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/host_name.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

namespace {

/// What the file says: "HOST PROCESS".
struct LockOwner {
  std::string host;
  long process = 0;
};

LockOwner owner_in(int descriptor) {
  char text[512] = {};
  const ssize_t got = ::pread(descriptor, text, sizeof text - 1, 0);
  LockOwner owner;
  if (got > 0) std::istringstream(text) >> owner.host >> owner.process;
  return owner;
}

IoError owned_by(const std::string& folder, const LockOwner& owner, const std::string& more) {
  const std::string who = owner.host.empty()
                              ? "another process"
                              : "process " + std::to_string(owner.process) + " on " + owner.host;
  return IoError("the run folder '" + folder + "' is being written by " + who + more);
}

bool is_alive(const LockOwner& owner) {
  if (owner.host != host_name() || owner.process <= 0 || owner.process == ::getpid()) return false;
  return ::kill(static_cast<pid_t>(owner.process), 0) == 0 || errno == EPERM;
}

}  // namespace

class FolderLock::Held {
 public:
  explicit Held(const std::string& folder) : folder_(folder), path_(folder + "/run.lock") {
    refuse_link(path_);
    do {
      if (descriptor_ >= 0) ::close(descriptor_);
      open_locked();
    } while (!is_in_place());  // the last owner removed the file between the two steps
    std::string text = host_name() + " " + std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      const IoError error = system_error("write", path_);
      ::close(descriptor_);
      throw error;
    }
  }
  ~Held() {
    if (is_in_place()) ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  /// Whether the file that is locked is the one of this name.
  bool is_in_place() const {
    struct stat own {};
    struct stat named {};
    return ::fstat(descriptor_, &own) == 0 && ::stat(path_.c_str(), &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
  }
  const std::string& folder() const { return folder_; }

 private:
  void open_locked() {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw system_error("write", path_);
    const int failure = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    const LockOwner owner = owner_in(descriptor_);
    // Some file systems know no locks: there the owner's process decides.
    const bool is_taken = failure == EWOULDBLOCK || (failure != 0 && is_alive(owner));
    if (!is_taken) {
      if (owner.host.empty() || owner.host == host_name()) return;
      ::close(descriptor_);
      throw owned_by(
          folder_, owner,
          ", whose processes cannot be seen from here: where it has ended, remove '" + path_ + "'");
    }
    ::close(descriptor_);
    throw owned_by(folder_, owner, ": wait for it, or train into another folder");
  }

  std::string folder_;
  std::string path_;
  int descriptor_ = -1;
};

FolderLock::FolderLock(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Held>> locks;
  const std::lock_guard<std::mutex> lock(mutex);
  std::error_code error;
  std::weak_ptr<Held>& known = locks[std::filesystem::weakly_canonical(folder, error).string()];
  held_ = known.lock();
  if (held_) return;
  held_ = std::make_shared<Held>(folder);
  known = held_;
}

void FolderLock::check() const {
  if (held_->is_in_place()) return;
  throw IoError("the run folder '" + held_->folder() +
                "' was removed or taken by another process while it was being written: the run "
                "cannot go on");
}

}  // namespace cubcal
