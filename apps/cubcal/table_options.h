#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>

#include "cubcal/dataset/catalog.h"

namespace cubcal::app {

/// How a table of images is read: --file-column, --label-column, --group-column, --split-column,
/// --sep and --encoding; and --keep-names of DICOM files.
struct TableOptions {
  bool keep_names = false;
  ManifestOptions columns;
  std::string separator = "auto";
  std::string encoding = "auto";

  /// Throws ArgumentError.
  ManifestOptions manifest() const;
  OpenOptions open() const;
};

/// The options must outlive the command.
void add_table_options(CLI::App& command, TableOptions& options);

/// Does the work of a command that has these options, so that where no column is known to name
/// files the error says which option does.
void with_table_options(const std::function<void()>& work);

/// Throws ArgumentError where columns, separator or encoding were given for what is not a table.
void check_table_options(const TableOptions& options, const std::string& path, CatalogKind kind);

/// Throws ArgumentError where the manifest to be written is the table that is read, or the one that
/// describes the folder that is read.
void refuse_manifest_over_input(const std::string& output, const std::string& input);

/// What was recognised, a line each, two blanks in front.
void print_notes(std::ostream& out, const Catalog& catalog);

}  // namespace cubcal::app
