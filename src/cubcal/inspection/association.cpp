#include "cubcal/inspection/association.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/inspection/column_values.h"
#include "cubcal/inspection/overview.h"
#include "cubcal/inspection/wording.h"

namespace cubcal {

namespace {

constexpr std::size_t kFewestImages = 10;  ///< of a value that counts
constexpr std::size_t kOutlierRow = 1;     ///< in a table of outliers

double entropy(const std::vector<double>& counts, double total) {
  double sum = 0;
  for (const double count : counts) {
    if (count > 0) sum -= count / total * std::log(count / total);
  }
  return sum;
}

/// The part of the table that counts.
struct Margins {
  std::vector<std::size_t> values;  ///< those with enough images
  std::vector<double> value_totals;
  std::vector<double> row_totals;
  double total = 0;
};

Margins margins_of(const Association& table) {
  Margins margins;
  margins.row_totals.assign(table.rows.size(), 0.0);
  for (std::size_t v = 0; v < table.values.size(); ++v) {
    std::size_t images = 0;
    for (std::size_t r = 0; r < table.rows.size(); ++r) images += table.count(r, v);
    if (images < kFewestImages) continue;
    margins.values.push_back(v);
    margins.value_totals.push_back(static_cast<double>(images));
    margins.total += static_cast<double>(images);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      margins.row_totals[r] += static_cast<double>(table.count(r, v));
    }
  }
  return margins;
}

void set_coefficients(Association& table, const Margins& margins) {
  const double row_entropy = entropy(margins.row_totals, margins.total);
  const double value_entropy = entropy(margins.value_totals, margins.total);
  std::vector<double> cells;
  for (const std::size_t v : margins.values) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      cells.push_back(static_cast<double>(table.count(r, v)));
    }
  }
  const auto used_rows =
      static_cast<double>(std::count_if(margins.row_totals.begin(), margins.row_totals.end(),
                                        [](double images) { return images > 0; }));
  const auto used_values = static_cast<double>(margins.values.size());
  const double by_chance = (used_rows - 1) * (used_values - 1) / (2 * margins.total);
  const double information =
      row_entropy + value_entropy - entropy(cells, margins.total) - by_chance;
  const auto share_of = [&](double whole) {
    return whole > 0 ? std::clamp(information / whole, 0.0, 1.0) : 0.0;
  };
  table.row_from_value = share_of(row_entropy);
  table.value_from_row = share_of(value_entropy);
}

AssociationRule rule_for(const Association& table, const Margins& margins, std::size_t row) {
  AssociationRule rule;
  rule.row = row;
  double right = 0;
  double answers = 0;
  for (std::size_t i = 0; i < margins.values.size(); ++i) {
    const auto images = static_cast<double>(table.count(row, margins.values[i]));
    if (2 * images <= margins.value_totals[i]) continue;
    rule.values.push_back(margins.values[i]);
    right += images;
    answers += margins.value_totals[i];
  }
  if (answers > 0) {
    rule.recall = right / margins.row_totals[row];
    rule.precision = right / answers;
  }
  return rule;
}

AssociationRule best_rule(const Association& table, const Margins& margins) {
  AssociationRule best;
  double best_gain = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double share = margins.row_totals[row] / margins.total;
    if (share <= 0 || share >= 1) continue;
    const AssociationRule rule = rule_for(table, margins, row);
    const double gain = (rule.precision - share) * rule.recall / (1 - share);
    if (gain > best_gain) {
      best_gain = gain;
      best = rule;
    }
  }
  return best;
}

/// The row of each sample; -1: takes no part.
using RowOf = std::vector<std::int64_t>;

Association tabulate(const ColumnValues& column, const std::vector<std::string>& rows,
                     const RowOf& row_of, bool of_outliers) {
  Association table;
  table.of_outliers = of_outliers;
  table.column = column.name;
  table.is_derived = column.is_derived;
  table.rows = rows;
  std::vector<std::string> taking_part;
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    if (row_of[i] >= 0 && !column.values[i].empty()) taking_part.push_back(column.values[i]);
  }
  std::vector<std::pair<std::string, std::size_t>> places;
  for (const auto& entry : tally(taking_part)) {
    places.emplace_back(entry.first, table.values.size());
    table.values.push_back(entry.first);
  }
  std::sort(places.begin(), places.end());
  table.counts.assign(rows.size() * table.values.size(), 0);
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    if (row_of[i] < 0 || column.values[i].empty()) continue;
    const auto place = std::lower_bound(places.begin(), places.end(),
                                        std::make_pair(column.values[i], std::size_t{0}));
    ++table.counts[static_cast<std::size_t>(row_of[i]) * table.values.size() + place->second];
  }
  evaluate(table);
  return table;
}

}  // namespace

bool Association::is_telling() const {
  return std::max(row_from_value, value_from_row) >= kTellingCoefficient;
}

bool Association::is_nested() const {
  for (std::size_t v = 0; v < values.size(); ++v) {
    std::size_t rows_with_images = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) rows_with_images += count(r, v) > 0 ? 1 : 0;
    if (rows_with_images > 1) return false;
  }
  return true;
}

void evaluate(Association& association) {
  const Margins margins = margins_of(association);
  if (margins.values.size() < 2) return;
  set_coefficients(association, margins);
  association.rule = association.of_outliers ? rule_for(association, margins, kOutlierRow)
                                             : best_rule(association, margins);
}

std::vector<Association> associations(const Catalog& catalog,
                                      const std::vector<ImageFacts>& facts) {
  check_same_size("image facts", facts.size(), "samples", catalog.samples.size());
  RowOf class_of;
  RowOf outlier_of;
  bool has_outliers = false;
  for (const Sample& sample : catalog.samples) {
    const bool is_outlier = sample.split == kOutlierSplit;
    has_outliers = has_outliers || is_outlier;
    class_of.push_back(is_outlier ? -1 : sample.label);
    outlier_of.push_back(is_outlier ? 1 : sample.label == kNoLabel ? -1 : 0);
  }
  const std::vector<ColumnValues> columns = comparable_columns(catalog, facts);
  std::vector<Association> tables;
  if (catalog.classes() > 1) {
    for (const ColumnValues& column : columns) {
      tables.push_back(tabulate(column, catalog.class_names, class_of, false));
    }
  }
  if (has_outliers) {
    for (const ColumnValues& column : columns) {
      tables.push_back(tabulate(column, {"in distribution", kOutlierSplit}, outlier_of, true));
    }
  }
  tables.erase(std::remove_if(tables.begin(), tables.end(),
                              [](const Association& table) { return table.values.size() < 2; }),
               tables.end());
  return tables;
}

std::string describe_rule(const Association& association) {
  const AssociationRule& rule = association.rule;
  if (rule.values.empty()) return {};
  std::vector<std::string> values;
  for (const std::size_t v : rule.values) values.push_back(association.values[v]);
  std::vector<std::string> strangers;
  for (std::size_t r = 0; r < association.rows.size(); ++r) {
    const bool has_none = std::all_of(rule.values.begin(), rule.values.end(),
                                      [&](std::size_t v) { return association.count(r, v) == 0; });
    if (r != rule.row && has_none) strangers.push_back(association.rows[r]);
  }
  const bool all = rule.recall == 1;
  std::string text = all ? "every " : whole_percent(rule.recall) + " of the ";
  text += association.rows[rule.row] + (all ? " image has " : " images have ") +
          association.column + " = " + listed(values, "or");
  if (!strangers.empty()) text += ", which no " + listed(strangers, "or") + " image has";
  return text + "; guessing " + association.rows[rule.row] + " from that alone is right in " +
         whole_percent(rule.precision) + " of cases";
}

}  // namespace cubcal
