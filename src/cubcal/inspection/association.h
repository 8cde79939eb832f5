#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/image_facts.h"

/// Whether something that is not the disease tells the class: where an image comes from, how large
/// it is, whether it is blurred. A classifier learns what is easiest to see.
namespace cubcal {

/// A rule that looks at nothing but the column: images with one of the values are of this row.
struct AssociationRule {
  std::size_t row = 0;
  std::vector<std::size_t> values;  ///< empty: there is no rule better than none
  double recall = 0;                ///< share of the row's images it finds
  double precision = 0;             ///< share of its answers that are right
};

/// Rows (classes) against the values of a column, counted over images.
struct Association {
  std::string column;
  bool is_derived = false;   ///< seen in the images, not given in the manifest
  bool of_outliers = false;  ///< the rows are "in distribution" and "ood" instead of the classes
  std::vector<std::string> rows;
  std::vector<std::string> values;  ///< the commonest first
  std::vector<std::size_t> counts;  ///< row after row
  /// Uncertainty coefficients (Theil's U): mutual information over the entropy of what is
  /// predicted, the first of the rows, the second of the values. 0: knowing one says nothing about
  /// the other; 1: it settles the other. Freed of its mean under independence, (R - 1) (V - 1) / (2
  /// N); values of fewer than 10 images are left aside, since a handful can agree by chance.
  double row_from_value = 0;
  double value_from_row = 0;
  AssociationRule rule;

  std::size_t count(std::size_t row, std::size_t value) const {
    return counts[row * values.size() + value];
  }
  /// Whether one predicts the other.
  bool is_telling() const;
  /// Whether no value has images of two rows, as with a finer label.
  bool is_nested() const;
};

/// Uncertainty coefficient from which a column counts as telling.
inline constexpr double kTellingCoefficient = 0.2;
/// Columns of more values are numbers (cut at their quartiles) or names (left out).
inline constexpr std::size_t kMostColumnValues = 20;

/// Coefficients and the best rule from the counts: the rule takes the values most of whose images
/// belong to the row; of the classes that one is taken whose (precision - share) recall / (1 -
/// share) is largest, share being its share of all images. In a table of outliers they are the row.
void evaluate(Association& association);

/// The classes against every column of the manifest with 2 to kMostColumnValues values or of
/// numbers, and against what the images show: size, colour, depth, file type, enlarged or not.
/// Outliers take no part; where there are any, the same columns follow with "in distribution" and
/// "ood" as rows.
std::vector<Association> associations(const Catalog& catalog, const std::vector<ImageFacts>& facts);

/// In plain words: "every COVID-19 image has source = ieee8023 or actualmed, which no Control image
/// has; the rule is right in 73% of its answers".
std::string describe_rule(const Association& association);

}  // namespace cubcal
