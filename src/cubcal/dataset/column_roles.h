#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/dataset/open_options.h"
#include "cubcal/io/csv.h"

namespace cubcal {

/// No column of a table is known to name files.
class NoFileColumn : public DataError {
 public:
  using DataError::DataError;
};

/// Which columns of a table of images say what, by their places in the header.
struct ColumnRoles {
  using Column = std::optional<std::size_t>;

  std::size_t file = 0;
  Column label = {};       ///< class numbers, or names where label_name is empty
  Column label_name = {};  ///< beside numbers, or alone
  /// Of 0 and 1, a class each; then neither of the two before.
  std::vector<std::size_t> class_columns = {};
  Column group = {};
  Column split = {};

  bool has(std::size_t column) const {
    return column == file || column == label || column == label_name || column == group ||
           column == split ||
           std::find(class_columns.begin(), class_columns.end(), column) != class_columns.end();
  }
};

/// By the options; where they are silent, by the names `file`, `label`, `label_name`, `group` and
/// `split`; where there is none of these, by names that other tables use (docs/data.md lists them),
/// whatever their case, blanks, hyphens and underscores. Of several columns that would do, a path
/// goes before a name and a name before an identifier, and the patient before the lesion; where
/// that does not settle it, throws DataError that lists them, and NoFileColumn where no column
/// names the files. A column of the options that is not there is an ArgumentError. Several columns
/// of classes, separated by commas, are class_columns.
ColumnRoles recognise_columns(const CsvTable& table, const ManifestOptions& options);

/// Whether a header looks like that of a table of images: it has a column `file`, or columns that
/// can be recognised as file and class.
bool looks_like_manifest(const CsvTable& table);

}  // namespace cubcal
