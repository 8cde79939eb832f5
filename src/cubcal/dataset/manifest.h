#pragma once

#include <optional>
#include <string>

#include "cubcal/dataset/catalog.h"

namespace cubcal {

/// Reads a table of images, whose columns are those of column_roles.h. The file is required and
/// relative to the table's folder; file_finder.h says what else is tried. Of the classes speak
/// `label` (0, 1, ... without gaps; -1: none of them), `label_name`, or both, which then must
/// agree; names alone, also those in `label`, are numbered in the order of their bytes. Group and
/// split may be there, and every other column is metadata. A table without labels is of kind
/// kImages. Blank rows are passed over, and 0.0 is the label 0. What was recognised is told in
/// Catalog::notes.
///
/// Rows of label -1 form the split `ood` and the other way round. Throws DataError that lists the
/// faults by line: files that are not there or listed twice, fields left empty, labels that are no
/// class number, skip one, contradict their names or their split, rows without a split among rows
/// with one.
Catalog read_manifest(const std::string& path, const OpenOptions& options = {});

/// Whether a file is a table: a .csv or .tsv file, or a .txt file that looks_like_manifest, as
/// spreadsheet programs write it.
bool is_table_file(const std::string& path);

/// The table that describes a folder: labels.csv, else the one .csv or .tsv file that
/// looks_like_manifest.
/// Throws DataError that names them where there are several.
std::optional<std::string> find_manifest(const std::string& folder);

}  // namespace cubcal
