#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "io/file_fixtures.h"

namespace cubcal::test {

/// A folder to lay data sets out in.
class SetFolder : public TemporaryFolder {
 public:
  /// Writes a file and the folders above it.
  void write(const std::string& name, const std::string& bytes = "x") const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  void write_all(const std::vector<std::string>& names) const {
    for (const std::string& name : names) write(name);
  }
  /// The manifest labels.csv.
  void labels(const std::string& text) const { write("labels.csv", text); }
  Catalog open(const std::string& name = "") const {
    return open_catalog(name.empty() ? path() : file(name));
  }
  /// What opening complains of, without the folder's own path.
  template <class Expected = DataError>
  std::string complaint(const std::string& name = "") const {
    std::string text = message_of<Expected>([&] { open(name); });
    for (const std::string& prefix : {path() + "/", path()}) {
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
        text.erase(at, prefix.size());
      }
    }
    return text;
  }
};

inline std::vector<std::string> files_of(const Catalog& catalog) {
  std::vector<std::string> files;
  for (const Sample& sample : catalog.samples) files.push_back(sample.file);
  return files;
}

/// How many samples have this label and split.
inline std::size_t count_of(const Catalog& catalog, const std::string& label_name,
                            const std::string& split) {
  std::size_t count = 0;
  for (const Sample& sample : catalog.samples) {
    count += sample.label_name == label_name && sample.split == split;
  }
  return count;
}

using Names = std::vector<std::string>;

}  // namespace cubcal::test
