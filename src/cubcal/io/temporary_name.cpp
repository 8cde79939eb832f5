#include "cubcal/io/temporary_name.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>

#include "cubcal/core/words.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/io/host_name.h"

namespace cubcal {

namespace {

constexpr const char* kTemporaryStart = ".cubcal-";
constexpr const char* kTemporaryEnd = ".tmp";

/// ".cubcal-HOST-".
std::string temporary_start() {
  std::string start = kTemporaryStart + host_name() + "-";
  std::replace(start.begin(), start.end(), '/', '_');
  return start;
}

/// Whether this is the name of a temporary file of a process of this machine that is gone.
bool is_orphan(const std::string& name, const std::string& start) {
  if (name.compare(0, start.size(), start) != 0) return false;
  char* end = nullptr;
  const long process = std::strtol(name.c_str() + start.size(), &end, 10);
  if (process <= 0 || *end != '-') return false;
  std::strtoul(end + 1, &end, 10);
  if (std::string(end) != kTemporaryEnd) return false;
  return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

bool is_at_rest(const std::string& path) {
  constexpr std::time_t seconds = 60;
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && facts.st_mtime + seconds < std::time(nullptr);
}

void sweep(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> swept;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!swept.insert(folder).second) return;
  const std::string start = temporary_start();
  for (const FolderEntry& entry : folder_entries(folder.empty() ? "." : folder)) {
    const std::string path = folder + entry.name;
    if (is_orphan(entry.name, start) && is_at_rest(path)) ::unlink(path.c_str());
  }
}

}  // namespace

std::string temporary_name(unsigned long number) {
  return temporary_start() + std::to_string(::getpid()) + "-" + std::to_string(number) +
         kTemporaryEnd;
}

bool is_temporary_name(const std::string& name) {
  return starts_with(name, kTemporaryStart) && ends_with(name, kTemporaryEnd);
}

void sweep_temporary_files(const std::string& folder) noexcept {
  try {
    sweep(folder);
  } catch (const std::exception&) {
    return;  // a folder that cannot be listed can be written to all the same
  }
}

}  // namespace cubcal
