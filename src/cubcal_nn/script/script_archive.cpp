#include "cubcal_nn/script/script_archive.h"

#include <algorithm>
#include <memory>

#include "cubcal/core/ends_with.h"
#include "cubcal/core/error.h"
#include "cubcal/io/zip_archive.h"

namespace cubcal {

void check_script_archive(const std::string& bytes, const std::string& file) {
  const auto source = std::make_shared<const MemorySource>(file, bytes);
  if (!ZipArchive::is_likely(*source)) {
    throw DataError(file + " is not a TorchScript file, as torch.jit.save writes it");
  }
  const ZipArchive archive(source);
  const auto has = [&](const std::string& name) {
    return std::any_of(archive.members().begin(), archive.members().end(),
                       [&](const ZipMember& member) { return ends_with(member.name, name); });
  };
  if (!has("/constants.pkl")) {
    throw DataError(file + (has("/data.pkl") ? " holds weights or a pickled module without code: "
                                               "name its network, or save it by torch.jit.save"
                                             : " is not a TorchScript file: it holds no code"));
  }
  for (const ZipMember& member : archive.members()) {
    archive.read(member, static_cast<std::size_t>(member.size));
  }
}

}  // namespace cubcal
