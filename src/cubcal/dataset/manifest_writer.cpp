#include <algorithm>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/dataset/catalog.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

/// The path with its links resolved, as far as it is there.
std::string true_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  if (error) throw io_error("resolve", path, error.message());
  return normal_path(resolved.string());
}

}  // namespace

void write_manifest(const std::string& path, const Catalog& catalog) {
  const bool has_labels = catalog.kind != CatalogKind::kImages;
  const bool has_groups = catalog.has_groups();
  const bool has_splits = std::any_of(catalog.samples.begin(), catalog.samples.end(),
                                      [](const Sample& sample) { return !sample.split.empty(); });
  std::vector<std::string> fields{"file"};
  if (has_labels) fields.insert(fields.end(), {"label", "label_name"});
  if (has_groups) fields.push_back("group");
  if (has_splits) fields.push_back("split");
  fields.insert(fields.end(), catalog.columns.begin(), catalog.columns.end());

  const std::string root = true_path(catalog.root);
  std::string folder = true_path(folder_of(path));
  if (folder != "/") folder += "/";
  AtomicFile file(path);
  file.write(csv_row(fields));
  for (const Sample& sample : catalog.samples) {
    std::string target = normal_path(path_in(root, sample.file));
    if (!is_utf8(target)) {
      throw DataError("the name " + in_quotes(target) + " is not UTF-8, as a manifest has to be");
    }
    if (target.compare(0, folder.size(), folder) == 0) target.erase(0, folder.size());
    fields = {target};
    if (has_labels) {
      fields.insert(fields.end(), {std::to_string(sample.label), sample.label_name});
    }
    if (has_groups) fields.push_back(sample.group);
    if (has_splits) fields.push_back(sample.split);
    fields.insert(fields.end(), sample.metadata.begin(), sample.metadata.end());
    file.write(csv_row(fields));
  }
  file.commit();
}

}  // namespace cubcal
