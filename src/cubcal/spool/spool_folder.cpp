#include "cubcal/spool/spool_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/spool/dicom_uid.h"

namespace cubcal {

namespace {

bool look_at(const std::string& path, struct stat& facts) {
  return ::lstat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

void make_private_folder(const std::string& path) {
  struct stat facts {};
  const bool is_new = ::stat(path.c_str(), &facts) != 0;
  make_folders(path);
  if (is_new && ::chmod(path.c_str(), S_IRWXU) != 0) throw system_error("protect", path);
}

void write_private_file(const std::string& path, std::string_view contents) {
  const std::size_t name = path.rfind('/') + 1;
  const std::string hidden = path.substr(0, name) + "." + path.substr(name) + ".part";
  const int descriptor =
      ::open(hidden.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor < 0) throw system_error("write", path);
  ::close(descriptor);
  write_file_atomically(hidden, contents);  // which keeps the permissions
  rename_file(hidden, path);
}

SpoolFolder::SpoolFolder(const std::string& path, std::string suffix)
    : path_(path + "/"), suffix_(std::move(suffix)) {
  refuse_link(path);
  make_folders(path);
}

std::string SpoolFolder::path_of(const std::string& uid) const {
  if (!is_dicom_uid(uid)) throw DataError(std::string(kDicomUidRule) + ", not " + in_quotes(uid));
  return path_ + uid + suffix_;
}

bool SpoolFolder::has(const std::string& uid) const {
  struct stat facts {};
  return look_at(path_of(uid), facts);
}

std::uint64_t SpoolFolder::size_of(const std::string& uid) const {
  struct stat facts {};
  return look_at(path_of(uid), facts) ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

void SpoolFolder::remove(const std::string& uid) const {
  const std::string path = path_of(uid);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw system_error("remove", path);
}

void SpoolFolder::touch(const std::string& uid) const {
  const std::string path = path_of(uid);
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT) {
    throw system_error("touch", path);
  }
}

std::vector<std::string> SpoolFolder::uids() const {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> found;
  for (const FolderEntry& entry : folder_entries(path_)) {
    const std::size_t size = entry.name.size();
    if (size <= suffix_.size() || entry.name.substr(size - suffix_.size()) != suffix_) continue;
    const std::string uid = entry.name.substr(0, size - suffix_.size());
    struct stat facts {};
    if (!is_dicom_uid(uid) || !look_at(path_ + entry.name, facts)) continue;
    found.emplace_back(facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, uid);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> uids;
  uids.reserve(found.size());
  for (auto& each : found) uids.push_back(std::move(std::get<2>(each)));
  return uids;
}

std::uint64_t SpoolFolder::bytes() const {
  std::uint64_t sum = 0;
  for (const FolderEntry& entry : folder_entries(path_)) {
    struct stat facts {};
    if (look_at(path_ + entry.name, facts)) sum += static_cast<std::uint64_t>(facts.st_size);
  }
  return sum;
}

std::size_t SpoolFolder::remove_older(std::int64_t seconds) const {
  const std::int64_t limit = static_cast<std::int64_t>(std::time(nullptr)) - seconds;
  std::size_t removed = 0;
  for (const std::string& uid : uids()) {
    struct stat facts {};
    if (!look_at(path_of(uid), facts) || facts.st_mtim.tv_sec >= limit) continue;
    remove(uid);
    ++removed;
  }
  return removed;
}

}  // namespace cubcal
