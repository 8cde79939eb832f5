#include "cubcal/io/folder_entries.h"

#include <dirent.h>
#include <sys/stat.h>

#include <memory>

#include "cubcal/io/system_error.h"

namespace cubcal {

namespace {

/// Asks the system only for what the folder itself does not say.
FolderEntry entry_of(const std::string& folder, const struct dirent& found) {
  FolderEntry entry{found.d_name, found.d_type == DT_REG, found.d_type == DT_DIR,
                    found.d_type == DT_LNK};
  if (found.d_type != DT_UNKNOWN && found.d_type != DT_LNK) return entry;
  const std::string path = folder + "/" + entry.name;
  struct stat facts {};
  entry.is_link = ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
  if (::stat(path.c_str(), &facts) != 0) return entry;
  entry.is_file = S_ISREG(facts.st_mode);
  entry.is_folder = S_ISDIR(facts.st_mode);
  return entry;
}

}  // namespace

std::vector<FolderEntry> folder_entries(const std::string& folder) {
  const auto close_it = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close_it)> list(::opendir(folder.c_str()), close_it);
  if (!list) throw system_error("read the folder", folder);
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    const struct dirent* found = ::readdir(list.get());
    if (found == nullptr && errno != 0) throw system_error("read the folder", folder);
    if (found == nullptr) return entries;
    const std::string name = found->d_name;
    if (name != "." && name != "..") entries.push_back(entry_of(folder, *found));
  }
}

}  // namespace cubcal
