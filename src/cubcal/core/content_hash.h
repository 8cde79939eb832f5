#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cubcal {

/// A 64-bit FNV-1a hash, by which files, recipes and data sets are told apart and damage is found.
/// It is not a protection against somebody who wants two contents to look alike.
class ContentHash {
 public:
  void add(const void* bytes, std::size_t count);
  /// The length goes in too, so that ("ab", "c") and ("a", "bc") differ.
  void add(const std::string& text);
  std::uint64_t value() const { return state_; }
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t state_ = 14695981039346656037ULL;
};

std::string content_hash(const std::string& text);

/// Throws DataError, a sentence with `name` as its subject, where the text has another hash than
/// the one stored beside it.
void check_content_hash(const std::string& text, const std::string& stored,
                        const std::string& name);

}  // namespace cubcal
