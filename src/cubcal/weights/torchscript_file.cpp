#include "cubcal/weights/torchscript_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/io/zip_archive.h"

namespace cubcal {

namespace {

/// The folder above it has the name of the file that was saved.
bool has_member(const ZipArchive& archive, const char* within) {
  return std::any_of(archive.members().begin(), archive.members().end(),
                     [&](const auto& each) { return each.name.find(within) != std::string::npos; });
}

bool holds_code(const ZipArchive& archive) { return has_member(archive, "/code/"); }

}  // namespace

bool is_torchscript(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  try {
    const auto source = std::make_shared<FileSource>(path);
    if (!ZipArchive::is_likely(*source)) return false;
    return holds_code(ZipArchive(source));
  } catch (const Error&) {
    return false;
  }
}

void check_torchscript(const std::string& bytes, const std::string& file) {
  const auto source = std::make_shared<const MemorySource>(file, bytes);
  if (!ZipArchive::is_likely(*source)) {
    throw DataError(file + " is not a TorchScript file, as torch.jit.save writes it");
  }
  const ZipArchive archive(source);
  if (!holds_code(archive)) {
    throw DataError(file + (has_member(archive, "/data.pkl")
                                ? " holds weights or a pickled module without code: name its "
                                  "network, or save it by torch.jit.save"
                                : " is not a TorchScript file: it holds no code"));
  }
  for (const ZipMember& member : archive.members()) {
    archive.read(member, static_cast<std::size_t>(member.size));
  }
}

}  // namespace cubcal
