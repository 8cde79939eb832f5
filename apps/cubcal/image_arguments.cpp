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

using UsePath = std::function<void(const std::string& path)>;

void use_folder(const std::string& folder, const UsePath& use) {
  const FoundImages found = find_images(folder);
  for (const std::string& fault : found.faults) {
    std::cerr << "cubcal: skipped: " << printable(fault) << '\n';
  }
  if (found.images.empty()) throw DataError("there is no image in the folder '" + folder + "'");
  for (const std::string& image : found.images) {
    use((std::filesystem::path(folder) / image).string());
  }
}

/// An image itself, say. Names of files need not be UTF-8, but then the file is there.
bool is_no_path(const std::string& line) {
  std::error_code ignored;
  return line.find('\0') != std::string::npos ||
         (!is_utf8(line) && !std::filesystem::exists(line, ignored));
}

void use_lines(std::istream& lines, const UsePath& use) {
  constexpr std::size_t kLooked = 20;
  std::size_t count = 0;
  for_each_line(lines, [&](const std::string& line) {
    if (++count <= kLooked && is_no_path(line)) {
      throw DataError("standard input is not a list of paths, one a line: name files themselves");
    }
    use(line);
  });
  if (count == 0) throw DataError("standard input names no image");
}

}  // namespace

void for_each_image(const std::vector<std::string>& words, std::istream& lines,
                    const UsePath& use) {
  if (std::count(words.begin(), words.end(), "-") > 1) {
    throw ArgumentError("'-' can be given once: standard input is read to its end");
  }
  for (const std::string& word : words) {
    std::error_code ignored;
    if (word == "-") {
      use_lines(lines, use);
    } else if (std::filesystem::is_directory(word, ignored)) {
      use_folder(word, use);
    } else {
      use(word);
    }
  }
}

std::vector<std::string> image_arguments(const std::vector<std::string>& words,
                                         std::istream& lines) {
  std::vector<std::string> paths;
  for_each_image(words, lines, [&](const std::string& path) { paths.push_back(path); });
  return paths;
}

}  // namespace cubcal::app
