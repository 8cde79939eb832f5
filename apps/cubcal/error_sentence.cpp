#include "error_sentence.h"

#include <filesystem>

#include "cubcal/core/error.h"

namespace cubcal::app {

namespace {

/// "cannot use 'PATH': REASON" of what the standard library's file functions throw.
std::string file_sentence(const std::filesystem::filesystem_error& error) {
  return "cannot use '" + error.path1().string() + "': " + error.code().message();
}

/// LibTorch puts a list of its functions below the first line, and its words for a lack of memory
/// are for its own developers.
std::string library_sentence(const std::string& text) {
  const bool lacks_memory = text.find("out of memory") != std::string::npos ||
                            text.find("allocate memory") != std::string::npos ||
                            text.find("not enough memory") != std::string::npos;
  if (lacks_memory) return "there is not enough memory for this: use smaller batches or images";
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string error_sentence(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error) != nullptr) return error.what();
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return file_sentence(*file);
  }
  return library_sentence(error.what());
}

}  // namespace cubcal::app
