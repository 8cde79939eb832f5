#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal::test {

/// A folder that exists as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cubcal-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw IoError("no temporary folder for the test");
    folder_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return folder_.string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }

 private:
  std::filesystem::path folder_;
};

/// A file that make_vectors.py wrote.
inline std::string vector_path(const std::string& name) {
  return std::string(CUBCAL_TEST_DATA) + "/npy/" + name;
}

inline std::string file_bytes(const std::string& path) {
  return read_text_file(path, std::size_t{1} << 30);
}

/// The message of the Expected error that the action throws; fails the test where it does not.
template <class Expected, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// Succeeds where the text contains the part.
inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << text << "\" does not contain \"" << part << "\"";
}

}  // namespace cubcal::test
