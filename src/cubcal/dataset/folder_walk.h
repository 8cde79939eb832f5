#pragma once

#include <string>
#include <vector>

namespace cubcal {

/// What lies in one folder, in the order of the names' bytes. Hidden entries and those that file
/// managers leave behind (Thumbs.db, desktop.ini, __MACOSX) are passed over.
struct FolderContents {
  std::vector<std::string> folders;  ///< links to folders among them
  std::vector<std::string> files;
  std::vector<std::string> broken_links;
};

/// Throws IoError where the folder cannot be read.
FolderContents list_folder(const std::string& folder);

/// Images found, and what looks like images but cannot be used.
struct FoundImages {
  std::vector<std::string> images;  ///< relative to the folder, in the order of bytes
  std::vector<std::string> faults;

  bool empty() const { return images.empty() && faults.empty(); }
};

/// Those among the files of one folder. An image is known by its extension (those of
/// image_codecs(), in any case); a file without one, or with one of digits as DICOM identifiers
/// have, by its first bytes. Pictures of formats that are not read are faults, other files are
/// passed over.
FoundImages images_among(const FolderContents& contents, const std::string& folder);

/// Those of the folder and of all folders below it. A folder that links reach again is walked once.
FoundImages find_images(const std::string& folder);

/// Whether one file is an image by the same rules.
bool is_image_file(const std::string& path);

}  // namespace cubcal
