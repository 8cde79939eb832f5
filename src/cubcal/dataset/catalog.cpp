#include "cubcal/dataset/catalog.h"

#include <algorithm>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/dataset/dicom_rows.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/folder_tree.h"
#include "cubcal/dataset/folder_walk.h"
#include "cubcal/dataset/image_folder.h"
#include "cubcal/dataset/manifest.h"
#include "cubcal/dataset/npz_catalog.h"
#include "cubcal/dataset/split_name.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace fs = std::filesystem;

namespace {

/// A folder without a single image, and what may have been meant.
[[noreturn]] void refuse_empty(const std::string& folder, const FolderContents& contents) {
  std::vector<std::string> sets;
  for (const std::string& name : contents.files) {
    if (extension_of(name) == "npz") sets.push_back(name);
  }
  if (!sets.empty()) {
    throw DataError("'" + folder + "' holds no images but npz files (" + quoted_names(sets) +
                    "): name one of them");
  }
  throw DataError(
      "'" + folder +
      "' holds no images: a data set is a manifest labels.csv, class folders of images (" +
      image_format_names() + "), or an .npz file");
}

Catalog open_folder(const std::string& folder, const OpenOptions& options) {
  std::string root = folder;
  FolderContents contents = list_folder(root);
  // What was unpacked into a folder of its own lies one level deeper; links could lead for ever.
  for (int levels = 0; levels < 8; ++levels) {
    if (const auto manifest = find_manifest(root)) return read_manifest(*manifest, options);
    const bool is_wrapper = contents.folders.size() == 1 && !is_split_name(contents.folders[0]) &&
                            images_among(contents, root).empty();
    if (!is_wrapper) break;
    root = path_in(root, contents.folders[0]);
    contents = list_folder(root);
  }
  const auto with_images = std::find_if(
      contents.folders.begin(), contents.folders.end(),
      [&](const std::string& name) { return !find_images(path_in(root, name)).empty(); });
  const bool has_image_folders = with_images != contents.folders.end();
  if (images_among(contents, root).empty()) {
    if (!has_image_folders) refuse_empty(root, contents);
    return read_folder_tree(root, contents, options.tolerant);
  }
  if (has_image_folders) {
    throw DataError("'" + root + "' holds images beside folders of images, such as " +
                    in_quotes(*with_images) +
                    ": put them into class folders, or list them all in a manifest labels.csv");
  }
  return read_image_folder(root, options.tolerant);
}

Catalog open_file(const std::string& path, const OpenOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == "npz") return open_npz_catalog(path);
  if (is_table_file(path)) return read_manifest(path, options);
  if (is_image_file(path)) return read_single_image(path);
  if (extension == "xlsx" || extension == "xls" || extension == "ods") {
    throw DataError("'" + path + "' is a workbook of a spreadsheet program: save its sheet as CSV");
  }
  throw DataError("'" + path +
                  "' is not a data set: a manifest (.csv, .tsv), an npz set (.npz), an image (" +
                  image_format_names() + ") or a folder is expected");
}

}  // namespace

const char* catalog_kind_name(CatalogKind kind) {
  switch (kind) {
    case CatalogKind::kManifest: return "manifest";
    case CatalogKind::kFolderTree: return "class folders";
    case CatalogKind::kNpz: return "npz set";
    case CatalogKind::kPack: return "pack";
    default: return "images without labels";
  }
}

bool Catalog::has_splits() const {
  return std::any_of(samples.begin(), samples.end(), [](const Sample& sample) {
    return !sample.split.empty() && sample.split != kOutlierSplit;
  });
}

bool Catalog::has_groups() const {
  return std::any_of(samples.begin(), samples.end(),
                     [](const Sample& sample) { return !sample.group.empty(); });
}

std::vector<std::string> Catalog::split_names() const {
  std::vector<std::string> names;
  for (const Sample& sample : samples) {
    const bool is_known = std::find(names.begin(), names.end(), sample.split) != names.end();
    if (!sample.split.empty() && !is_known) names.push_back(sample.split);
  }
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return split_rank(a) < split_rank(b);
  });
  return names;
}

std::size_t Catalog::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    throw ArgumentError("'" + path + "' has no column " + in_quotes(name) +
                        (columns.empty() ? " besides those it must have"
                                         : "; its columns are " + quoted_names(columns)));
  }
  return static_cast<std::size_t>(found - columns.begin());
}

std::string Catalog::file_path(const Sample& sample) const { return path_in(root, sample.file); }

Catalog open_catalog(const std::string& path, const OpenOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) throw io_error("read", path, error.message());
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.back() == '/') trimmed.pop_back();
  Catalog catalog =
      fs::is_directory(status) ? open_folder(trimmed, options) : open_file(trimmed, options);
  catalog.path = path;
  if (catalog.kind != CatalogKind::kNpz) take_dicom_rows(catalog, options.keep_names);
  return catalog;
}

}  // namespace cubcal
