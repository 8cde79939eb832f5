#pragma once

#include <string>

#include "cubcal/io/text_encoding.h"

namespace cubcal {

/// How a table of images is to be read, where that is not to be recognised.
struct ManifestOptions {
  std::string file_column = {};   ///< empty: recognised by its name, as are the next three
  std::string label_column = {};  ///< class numbers or class names
  std::string group_column = {};
  std::string split_column = {};
  char separator = '\0';  ///< of fields; zero: recognised
  TextEncoding encoding = TextEncoding::kAuto;

  /// Whether anything is asked for.
  bool is_set() const;
};

/// "," or "comma", ";" or "semicolon", "tab" or a tab, "|" or "bar"; "auto" gives zero. Anything
/// else throws ArgumentError.
char parse_separator(const std::string& text);
/// "comma", "semicolon", "tab", "bar"; "auto" of zero.
const char* separator_name(char separator);

struct OpenOptions {
  ManifestOptions table = {};
  /// For a look at what is wrong: files that are not there stay (reading them will say why), rows
  /// that cannot be used, pictures of formats that are not read and the like are left out and told
  /// in Catalog::faults, and rows may lack a split.
  bool tolerant = false;
  /// Patients and sites of DICOM files by their names, not by hashes of them.
  bool keep_names = false;
};

}  // namespace cubcal
