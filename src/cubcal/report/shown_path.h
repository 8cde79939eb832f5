#pragma once

#include <string>
#include <vector>

/// A page goes to other people: it names files, but not where they lie on somebody's machine.
namespace cubcal::report {

/// The path as it was given where it is relative; of an absolute one the last part.
std::string shown_path(const std::string& path);

/// The text with every absolute path in quotes, double or single, cut to its last part, after "…/".
std::string without_folders(const std::string& text);

/// For each path as many of its last parts, without its extension, as tell it from the others; the
/// same path twice is numbered.
std::vector<std::string> distinct_tails(const std::vector<std::string>& paths);

}  // namespace cubcal::report
