#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace cubcal::app {

/// The image files that words of the command line mean: a file is itself, a folder is the images in
/// it and below in the order of their names, '-' is the paths that `lines` has, one a line. What
/// looks like an image in a folder and cannot be one is told on stderr. Throws DataError for a
/// folder or a list without any or of other bytes, and ArgumentError for a second '-'.
std::vector<std::string> image_arguments(const std::vector<std::string>& words,
                                         std::istream& lines);

/// The same, one after the other, so that a long list is never held.
void for_each_image(const std::vector<std::string>& words, std::istream& lines,
                    const std::function<void(const std::string& path)>& use);

}  // namespace cubcal::app
