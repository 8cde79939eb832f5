#include "cubcal/dataset/file_presence.h"

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/dataset/dicom_rows.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/npz_catalog.h"
#include "cubcal/dicom/dicom_image.h"
#include "cubcal/io/folder_entries.h"

namespace cubcal {

namespace fs = std::filesystem;

namespace {

/// Fewer questions about one folder are put to the system one by one.
constexpr std::size_t kAskedSingly = 16;

std::unordered_set<std::string> regular_files(const std::string& folder) {
  std::unordered_set<std::string> names;
  try {
    for (const FolderEntry& entry : folder_entries(folder)) {
      if (entry.is_file) names.insert(entry.name);
    }
  } catch (const IoError&) {
    names.clear();  // then the system is asked for each
  }
  return names;
}

/// Pages of a TIFF file are counted when it is read.
std::string frame_complaint(const FrameMember& member) {
  try {
    const std::size_t frames = read_dicom_facts(member.file).frames;
    if (member.frame < frames) return "";
    return "is beyond the " + std::to_string(frames) + " frames there";
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

bool FilePresence::is_listed_file(const std::string& path) {
  Folder& folder = folders_[folder_of(path)];
  if (++folder.asked <= kAskedSingly) return false;
  if (!folder.is_listed) folder.files = regular_files(folder_of(path));
  folder.is_listed = true;
  return folder.files.count(name_of(path)) > 0;
}

std::string FilePresence::npz_complaint(const std::string& file, const std::string& split,
                                        std::size_t index) {
  const std::string key = file + "/" + split;
  auto known = npz_sizes_.find(key);
  if (known == npz_sizes_.end()) {
    try {
      known = npz_sizes_.emplace(key, npz_split_size(file, split)).first;
    } catch (const Error& error) {
      return std::string("cannot be read: ") + error.what();
    }
  }
  if (index < known->second) return "";
  return "is beyond the " + std::to_string(known->second) + " images there";
}

std::string FilePresence::complaint(const std::string& path) {
  if (is_listed_file(path)) return "";
  if (const auto member = npz_member(path)) {
    return npz_complaint(member->file, member->split, member->index);
  }
  if (const auto member = frame_member(path)) return frame_complaint(*member);
  // Listing and name may differ where a file system takes no heed of case: the system knows best.
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_regular_file(status)) return "";
  if (status.type() == fs::file_type::not_found) return "does not exist";
  if (fs::is_directory(status)) return "is a folder";
  return error ? "cannot be reached: " + error.message() : "is not a regular file";
}

}  // namespace cubcal
