#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cubcal {

/// "a; b; c", or the first ten "and 5 more".
std::string joined_faults(const std::vector<std::string>& faults);

/// "'a', 'b', 'c'", or the first ten "and 5 more".
std::string quoted_names(const std::vector<std::string>& names);

/// Faults of one data set, gathered so that a person sees them all at once.
class FaultList {
 public:
  /// A fault of a line reads "line 7 <text>".
  void add(std::size_t line, const std::string& text) { faults_.push_back({line, text}); }
  void add(const std::string& text) { faults_.push_back({0, text}); }
  /// "line 7 <text>", in the order of lines.
  std::vector<std::string> texts() const;
  /// Throws DataError "'<subject>' has 3 faults: ...", in the order of lines, where there is one.
  void raise(const std::string& subject) const;

 private:
  struct Fault {
    std::size_t line;  ///< 0: of the whole
    std::string text;
  };
  std::vector<Fault> faults_;
};

}  // namespace cubcal
