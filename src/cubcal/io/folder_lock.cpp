#include "cubcal/io/folder_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/host_name.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/temporary_name.h"
#include "cubcal/io/unfinished_file.h"

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

std::string owned_by(const std::string& folder, const LockOwner& owner) {
  const std::string who = owner.host.empty()
                              ? "another process"
                              : "process " + std::to_string(owner.process) + " on " + owner.host;
  return "the folder '" + folder + "' is being written by " + who;
}

constexpr const char* kTryAgain = ": try again when it has ended";

/// Between two touches of the file, and without one after which its owner is taken for dead.
constexpr std::chrono::seconds kBeat{30};
constexpr std::chrono::seconds kDead{600};
/// For which a process that took over from another machine waits whether a third one did too.
constexpr std::chrono::milliseconds kTakeOver{1000};
/// Of the temporary file that tells the file system's time; AtomicFile's count from 0.
constexpr unsigned long kProbeNumber = 1'000'000'000;

/// How long ago the open file in `folder` was touched, by the clock of the file system, which need
/// not be that of this machine.
std::chrono::seconds untouched_for(int descriptor, const std::string& folder) {
  struct stat lock {};
  struct stat now {};
  const std::string probe = folder + "/" + temporary_name(kProbeNumber);
  const int made = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0) throw system_error("write", probe);
  const bool known = ::fstat(made, &now) == 0 && ::fstat(descriptor, &lock) == 0;
  ::close(made);
  ::unlink(probe.c_str());
  return std::chrono::seconds(known ? now.st_mtime - lock.st_mtime : 0);
}

bool is_alive(const LockOwner& owner) {
  if (owner.host != host_name() || owner.process <= 0 || owner.process == ::getpid()) return false;
  return ::kill(static_cast<pid_t>(owner.process), 0) == 0 || errno == EPERM;
}

}  // namespace

class FolderLock::Held {
 public:
  /// `is_above_owned`: this process has a folder that holds this one.
  Held(const std::string& folder, bool is_above_owned)
      : folder_(folder), path_(folder + "/" + kLockFile), is_above_owned_(is_above_owned) {
    refuse_link(path_);
    do {
      if (descriptor_ >= 0) ::close(descriptor_);
      open_locked();
    } while (!is_in_place());  // the last owner removed the file between the two steps
    std::string text = host_name() + " " + std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      const IoError error = system_error("write", path_);
      ::unlink(path_.c_str());
      ::close(descriptor_);
      throw error;
    }
    if (was_elsewhere_) settle();
    unfinished_.emplace(path_);
    beating_ = std::thread([this] { beat(); });
  }
  ~Held() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    ending_.notify_all();
    beating_.join();
    unfinished_.reset();
    if (is_owned()) ::unlink(path_.c_str());
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
  /// Whether it is, and still names this process.
  bool is_owned() const {
    const LockOwner owner = owner_in(descriptor_);
    return is_in_place() && owner.host == host_name() && owner.process == ::getpid();
  }
  const std::string& folder() const { return folder_; }

 private:
  /// Where a file system keeps no locks between machines, the last of two that took over has it.
  void settle() {
    std::this_thread::sleep_for(kTakeOver);
    if (is_owned()) return;
    const LockOwner owner = owner_in(descriptor_);
    ::close(descriptor_);
    throw FolderTaken(owned_by(folder_, owner) + kTryAgain);
  }

  /// Touches the file for those on other machines, until the end.
  void beat() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ending_.wait_for(lock, kBeat, [this] { return ends_; })) {
      ::futimens(descriptor_, nullptr);
    }
  }

  void open_locked() {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw system_error("write", path_);
    const int failure = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    const LockOwner owner = owner_in(descriptor_);
    // Some file systems know no locks: there the owner's process decides.
    const bool is_taken = failure == EWOULDBLOCK || (failure != 0 && is_alive(owner));
    if (!is_taken) {
      was_elsewhere_ = !owner.host.empty() && owner.host != host_name();
      if (!was_elsewhere_ || is_above_owned_ || untouched_for(descriptor_, folder_) >= kDead) {
        return;
      }
      ::close(descriptor_);
      throw FolderTaken(owned_by(folder_, owner) +
                        ", whose processes cannot be seen from here: where it has ended, wait ten "
                        "minutes or remove '" +
                        path_ + "'");
    }
    ::close(descriptor_);
    throw FolderTaken(owned_by(folder_, owner) + kTryAgain);
  }

  std::string folder_;
  std::string path_;
  bool is_above_owned_;
  int descriptor_ = -1;
  bool was_elsewhere_ = false;  ///< the owner before
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread beating_;
  std::optional<UnfinishedFile> unfinished_;  ///< the lock
};

FolderLock::FolderLock(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Held>> locks;
  const std::lock_guard<std::mutex> lock(mutex);
  std::error_code error;
  const std::filesystem::path place = std::filesystem::weakly_canonical(folder, error);
  std::weak_ptr<Held>& known = locks[place.string()];
  held_ = known.lock();
  if (held_) return;
  const bool is_above_owned = std::any_of(locks.begin(), locks.end(), [&](const auto& other) {
    return !other.second.expired() && starts_with(place.string(), other.first + "/");
  });
  held_ = std::make_shared<Held>(folder, is_above_owned);
  known = held_;
}

void FolderLock::check() const {
  if (held_->is_owned()) return;
  throw IoError("the folder '" + held_->folder() +
                "' was removed or taken by another process while it was being written: the run "
                "cannot go on");
}

FolderLock wait_for_folder(const std::string& folder, std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds look{20};
  const auto end = std::chrono::steady_clock::now() + longest;
  while (true) {
    try {
      return FolderLock(folder);
    } catch (const FolderTaken&) {
      if (std::chrono::steady_clock::now() >= end) throw;
    }
    std::this_thread::sleep_for(look);
  }
}

}  // namespace cubcal
