#pragma once

#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"

namespace cubcal {

/// Keeps the samples whose column has one of the values. `column` is a metadata column or one of
/// label_name, group, split.
struct RowFilter {
  std::string column;
  std::vector<std::string> values;
  bool negated = false;  ///< keeps the others instead
};

struct Selection {
  std::vector<RowFilter> where;         ///< all must hold
  std::vector<std::string> hold_out;    ///< classes that become outliers of split kOutlierSplit
  std::vector<std::string> drop_class;  ///< classes that are left out
};

/// Classes that are held out, dropped or left without a sample disappear from class_names; the
/// others keep their order. Outliers are filtered like other samples. Throws ArgumentError for a
/// column, value or class that does not occur, listing what does; where no sample stays; and where
/// fewer than two classes stay of at least two.
Catalog select(const Catalog& catalog, const Selection& selection);

/// "source=kermany", "source!=nih", "etiology=viral,bacterial".
RowFilter parse_row_filter(const std::string& text);

}  // namespace cubcal
