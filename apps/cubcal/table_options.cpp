#include "table_options.h"

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/dataset/column_roles.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/folder_walk.h"
#include "cubcal/dataset/manifest.h"
#include "cubcal/io/utf8.h"

namespace cubcal::app {

ManifestOptions TableOptions::manifest() const {
  ManifestOptions options = columns;
  options.separator = parse_separator(separator);
  options.encoding = parse_text_encoding(encoding);
  return options;
}

OpenOptions TableOptions::open() const {
  OpenOptions options;
  options.table = manifest();
  options.keep_names = keep_names;
  return options;
}

void add_table_options(CLI::App& command, TableOptions& options) {
  const std::string group = "Tables of images";
  command.add_flag("--keep-names", options.keep_names,
                   "Keep names of patients and sites in DICOM files instead of hashes of them");
  command
      .add_option("--file-column", options.columns.file_column,
                  "Column that names the files (default: recognised)")
      ->group(group);
  command
      .add_option("--label-column", options.columns.label_column,
                  "Column of the classes, numbers or names; or several of 0 and 1, a class each, "
                  "separated by commas (default: recognised)")
      ->group(group);
  command
      .add_option("--group-column", options.columns.group_column,
                  "Column of patient, eye or lesion (default: recognised)")
      ->group(group);
  command
      .add_option("--split-column", options.columns.split_column,
                  "Column of the split (default: recognised)")
      ->group(group);
  command
      .add_option("--sep", options.separator,
                  "What separates fields: auto, comma, semicolon, tab or bar")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--encoding", options.encoding,
                  "How the text is stored: auto, utf-8, utf-16, utf-16be or latin-1")
      ->capture_default_str()
      ->group(group);
}

void with_table_options(const std::function<void()>& work) {
  try {
    work();
  } catch (const NoFileColumn& error) {
    throw DataError(std::string(error.what()) + ": name the one with the files by --file-column");
  }
}

void check_table_options(const TableOptions& options, const std::string& path, CatalogKind kind) {
  const bool is_table = kind == CatalogKind::kManifest || kind == CatalogKind::kImages;
  if (is_table || !options.manifest().is_set()) return;
  throw ArgumentError("columns, --sep and --encoding are for tables, and '" + path + "' is " +
                      (kind == CatalogKind::kFolderTree ? "" : "one ") + catalog_kind_name(kind));
}

void refuse_manifest_over_input(const std::string& output, const std::string& input) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string table = input;
  for (int levels = 0; levels < 8 && fs::is_directory(table, ignored); ++levels) {
    if (const auto manifest = find_manifest(table)) {
      table = *manifest;
      break;
    }
    const FolderContents contents = list_folder(table);
    if (contents.folders.size() != 1) break;
    table = path_in(table, contents.folders[0]);
  }
  if (fs::equivalent(output, table, ignored)) {
    throw ArgumentError("'" + output + "' is the data set that is read: name another file");
  }
}

void print_notes(std::ostream& out, const Catalog& catalog) {
  for (const std::string& note : catalog.notes) {
    out << "  recognised: " << printable(note) << '\n';
  }
}

}  // namespace cubcal::app
