#include "cubcal/weights/torchscript_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/io/zip_archive.h"

namespace cubcal {

bool is_torchscript(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  try {
    const auto source = std::make_shared<FileSource>(path);
    if (!ZipArchive::is_likely(*source)) return false;
    const ZipArchive archive(source);
    // The folder above them has the name of the file that was saved.
    return std::any_of(archive.members().begin(), archive.members().end(), [](const auto& each) {
      return each.name.find("/code/") != std::string::npos;
    });
  } catch (const Error&) {
    return false;
  }
}

}  // namespace cubcal
