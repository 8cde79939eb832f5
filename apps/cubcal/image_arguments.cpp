#include "image_arguments.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cubcal/core/error.h"
#include "cubcal/dataset/folder_walk.h"
#include "cubcal/io/utf8.h"
#include "text_lines.h"

namespace cubcal::app {

namespace {

void add_folder(const std::string& folder, std::vector<std::string>& paths) {
  const FoundImages found = find_images(folder);
  for (const std::string& fault : found.faults) {
    std::cerr << "cubcal: skipped: " << printable(fault) << '\n';
  }
  if (found.images.empty()) throw DataError("there is no image in the folder '" + folder + "'");
  for (const std::string& image : found.images) {
    paths.push_back((std::filesystem::path(folder) / image).string());
  }
}

/// An image itself, say. Names of files need not be UTF-8, but then the file is there.
bool is_no_path(const std::string& line) {
  std::error_code ignored;
  return line.find('\0') != std::string::npos ||
         (!is_utf8(line) && !std::filesystem::exists(line, ignored));
}

void add_lines(std::istream& lines, std::vector<std::string>& paths) {
  const std::vector<std::string> named = text_lines(lines);
  if (named.empty()) throw DataError("standard input names no image");
  constexpr std::size_t kLooked = 20;
  const auto end = named.begin() + static_cast<std::ptrdiff_t>(std::min(kLooked, named.size()));
  if (std::any_of(named.begin(), end, is_no_path)) {
    throw DataError("standard input is no list of paths, one a line: name files themselves");
  }
  paths.insert(paths.end(), named.begin(), named.end());
}

}  // namespace

std::vector<std::string> image_arguments(const std::vector<std::string>& words,
                                         std::istream& lines) {
  if (std::count(words.begin(), words.end(), "-") > 1) {
    throw ArgumentError("'-' can be given once: standard input is read to its end");
  }
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    std::error_code ignored;
    if (word == "-") {
      add_lines(lines, paths);
    } else if (std::filesystem::is_directory(word, ignored)) {
      add_folder(word, paths);
    } else {
      paths.push_back(word);
    }
  }
  return paths;
}

}  // namespace cubcal::app
