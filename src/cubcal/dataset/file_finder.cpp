#include "cubcal/dataset/file_finder.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/folder_walk.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

std::string upper_case(std::string text) {
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return text;
}

std::string without_extension(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string counted_files(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " file" : " files");
}

}  // namespace

FileFinder::FileFinder(std::string root) : root_(std::move(root)) {}

bool FileFinder::is_there(const std::string& file) {
  return presence_.complaint(normal_path(path_in(root_, file))).empty();
}

std::vector<std::string> FileFinder::with_extensions(const std::string& file) {
  std::vector<std::string> found;
  for (const ImageCodec& codec : image_codecs()) {
    for (const std::string_view extension : codec.extensions) {
      const std::string small = file + "." + std::string(extension);
      const std::string large = file + "." + upper_case(std::string(extension));
      if (is_there(small)) {
        found.push_back(small);
      } else if (is_there(large)) {
        found.push_back(large);
      }
    }
  }
  return found;
}

const std::vector<std::string>& FileFinder::below_root(const std::string& name) {
  static const std::vector<std::string> none;
  if (!is_walked_) {
    is_walked_ = true;
    try {
      for (const std::string& image : find_images(root_).images) {
        const std::string own = name_of(image);
        by_name_[own].push_back(image);
        if (without_extension(own) != own) by_name_[without_extension(own)].push_back(image);
      }
    } catch (const IoError&) {
      by_name_.clear();  // then files are not there, which is told of each
    }
  }
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

FileFinder::Found FileFinder::find(const std::string& file) {
  std::string complaint = presence_.complaint(normal_path(path_in(root_, file)));
  if (complaint.empty()) return {file, ""};
  std::string clean = trimmed_cell(file);
  std::replace(clean.begin(), clean.end(), '\\', '/');
  if (clean.empty()) return {file, complaint};
  if (clean != file && is_there(clean)) {
    ++cleaned_;
    return {clean, ""};
  }
  const std::vector<std::string> extended = with_extensions(clean);
  const bool is_plain = clean.find('/') == std::string::npos;
  const std::vector<std::string>& candidates =
      extended.empty() && is_plain ? below_root(clean) : extended;
  if (candidates.empty()) return {file, complaint};
  if (candidates.size() > 1) return {file, "could be any of " + quoted_names(candidates)};
  const std::string& only = candidates.front();
  if (name_of(only) != name_of(clean)) ++extended_[only.substr(only.rfind('.'))];
  if (folder_of(only) != folder_of(clean)) ++moved_[folder_of(only)];
  if (clean != file) ++cleaned_;
  return {only, ""};
}

std::vector<std::string> FileFinder::notes() const {
  std::vector<std::string> notes;
  if (cleaned_ > 0) {
    notes.push_back(counted_files(cleaned_) +
                    " found after backslashes became slashes and blanks at the ends were left out");
  }
  for (const auto& [extension, count] : extended_) {
    notes.push_back(counted_files(count) + " found by adding " + extension);
  }
  for (const auto& [folder, count] : moved_) {
    notes.push_back(counted_files(count) + " found in the folder " + in_quotes(folder));
  }
  return notes;
}

}  // namespace cubcal
