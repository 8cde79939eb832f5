#include "cubcal/dataset/folder_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cubcal/core/words.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/io/regular_file.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

namespace {

bool is_passed_over(const std::string& name) {
  const std::string lower = lower_case(name);
  return name[0] == '.' || lower == "thumbs.db" || lower == "desktop.ini" || lower == "__macosx";
}

bool is_one_of(std::string_view word, const std::vector<std::string_view>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_image_content(const std::string& path) {
  std::string bytes;
  try {
    bytes = head_of_file(path, kImageHead);
  } catch (const IoError&) {
    return false;
  }
  const auto& codecs = image_codecs();
  return std::any_of(codecs.begin(), codecs.end(),
                     [&](const ImageCodec& codec) { return codec.has_signature(bytes); });
}

enum class FileRole { kImage, kUnreadFormat, kOther };

FileRole role_of(const std::string& path) {
  const std::string extension = extension_of(path);
  for (const ImageCodec& codec : image_codecs()) {
    if (is_one_of(extension, codec.extensions)) return FileRole::kImage;
  }
  if (is_one_of(extension, {"heic", "heif", "jxl", "mha", "nii", "nrrd", "psd", "svs"})) {
    return FileRole::kUnreadFormat;
  }
  const bool has_none = extension.find_first_not_of("0123456789") == std::string::npos;
  // DICOMDIR is a table of contents in the form of a DICOM file.
  if (!has_none || lower_case(name_of(path)) == "dicomdir") return FileRole::kOther;
  return has_image_content(path) ? FileRole::kImage : FileRole::kOther;
}

/// What a folder is, whatever path leads to it.
using FolderIdentity = std::pair<dev_t, ino_t>;

FolderIdentity identity_of(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) throw system_error("read the folder", folder);
  return {status.st_dev, status.st_ino};
}

}  // namespace

FolderContents list_folder(const std::string& folder) {
  FolderContents contents;
  for (const FolderEntry& entry : folder_entries(folder)) {
    if (is_passed_over(entry.name)) continue;
    if (entry.is_folder) {
      contents.folders.push_back(entry.name);
    } else if (entry.is_file) {
      contents.files.push_back(entry.name);
    } else if (entry.is_link) {
      contents.broken_links.push_back(entry.name);
    }
  }
  std::sort(contents.folders.begin(), contents.folders.end());
  std::sort(contents.files.begin(), contents.files.end());
  std::sort(contents.broken_links.begin(), contents.broken_links.end());
  return contents;
}

FoundImages images_among(const FolderContents& contents, const std::string& folder) {
  FoundImages found;
  for (const std::string& name : contents.files) {
    const std::string path = path_in(folder, name);
    switch (role_of(path)) {
      case FileRole::kImage: found.images.push_back(name); break;
      case FileRole::kUnreadFormat:
        found.faults.push_back("'" + path + "' is of a format that is not read (" +
                               image_format_names() + " are)");
        break;
      case FileRole::kOther: break;
    }
  }
  for (const std::string& name : contents.broken_links) {
    found.faults.push_back("'" + path_in(folder, name) + "' is a link that leads nowhere");
  }
  return found;
}

FoundImages find_images(const std::string& folder) {
  FoundImages found;
  std::set<FolderIdentity> walked;
  std::vector<std::string> waiting{""};  // relative, "" or with a closing slash
  while (!waiting.empty()) {
    const std::string below = std::move(waiting.back());
    waiting.pop_back();
    const std::string path =
        below.empty() ? folder : path_in(folder, below.substr(0, below.size() - 1));
    if (!walked.insert(identity_of(path)).second) continue;
    const FolderContents contents = list_folder(path);
    FoundImages here = images_among(contents, path);
    for (const std::string& image : here.images) found.images.push_back(below + image);
    std::move(here.faults.begin(), here.faults.end(), std::back_inserter(found.faults));
    for (auto name = contents.folders.rbegin(); name != contents.folders.rend(); ++name) {
      waiting.push_back(below + *name + "/");
    }
  }
  std::sort(found.images.begin(), found.images.end());
  return found;
}

bool is_image_file(const std::string& path) { return role_of(path) == FileRole::kImage; }

}  // namespace cubcal
