#include "cubcal/io/logits_csv.h"

#include <algorithm>
#include <array>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/core/words.h"
#include "cubcal/io/labels.h"

namespace cubcal {

namespace {

const std::string kClassPrefix = "p ";
const std::string kExtraPrefix = "column_";
constexpr std::size_t kFewestRowsToJudge = 3;

/// The column of the labels; past the last where there is none.
std::size_t label_column(const CsvTable& table, const LogitsReading& reading) {
  for (const std::string& name : {reading.labels_key, std::string("label")}) {
    if (table.has_column(name)) return table.column(name);
  }
  return table.header.size();
}

std::vector<std::size_t> class_columns(const CsvTable& table, std::size_t label) {
  static const std::array<std::string, 3> kOthers = {"group", "file", "sample"};
  std::vector<std::size_t> named;
  std::vector<std::size_t> rest;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const std::string& name = table.header[c];
    // Without a name: the numbers of the rows, as pandas writes them.
    const bool is_other = c == label || name.empty() || starts_with(name, kExtraPrefix) ||
                          std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
    if (starts_with(name, kClassPrefix)) named.push_back(c);
    if (!is_other) rest.push_back(c);
  }
  return named.empty() ? rest : named;
}

double number_at(const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string& text = table.rows[row][column];
  if (const std::optional<double> value = parse_number(text)) return *value;
  throw DataError("line " + std::to_string(table.lines[row]) + " of '" + table.name + "' has '" +
                  text + "' in the column '" + table.header[column] +
                  "', which is taken for a class and must hold numbers" +
                  (text.find(',') == std::string::npos ? "" : ", with a point for decimals"));
}

bool has_fractions(const CsvTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [column](const auto& row) {
    return row[column].find_first_of(".eE") != std::string::npos;
  });
}

/// An age or the number of a patient among columns of logits would be a class, and the likeliest
/// one.
void refuse_counts_among_logits(const CsvTable& table, const std::vector<std::size_t>& classes) {
  const auto whole = std::find_if(classes.begin(), classes.end(), [&](std::size_t column) {
    return !has_fractions(table, column);
  });
  const bool others_have = std::any_of(classes.begin(), classes.end(), [&](std::size_t column) {
    return has_fractions(table, column);
  });
  if (whole == classes.end() || !others_have || table.rows.size() < kFewestRowsToJudge) return;
  throw DataError("the column '" + table.header[*whole] + "' of '" + table.name +
                  "' would be a class, but holds whole numbers alone and others do not: columns of "
                  "classes are called 'p NAME' where there are others, and '" +
                  kExtraPrefix + "NAME' is none");
}

std::vector<std::string> texts_in(const CsvTable& table, std::size_t column) {
  std::vector<std::string> texts;
  for (const auto& row : table.rows) texts.push_back(row[column]);
  return texts;
}

}  // namespace

LogitsFile read_csv_logits(const CsvTable& table, const LogitsReading& reading) {
  const std::size_t label = label_column(table, reading);
  const std::vector<std::size_t> classes = class_columns(table, label);
  const std::size_t fewest = reading.binary ? 1 : 2;
  if (table.rows.empty() || classes.size() < fewest || (reading.binary && classes.size() > 1)) {
    throw DataError("'" + table.name + "' has " + std::to_string(table.rows.size()) + " rows and " +
                    std::to_string(classes.size()) + " columns of classes, but " +
                    (reading.binary ? "one such column" : "two such columns at least") +
                    " and one row are needed");
  }
  if (!starts_with(table.header[classes.front()], kClassPrefix)) {
    refuse_counts_among_logits(table, classes);
  }
  LogitsFile file;
  file.path = table.name;
  file.logits = NdArray(DType::kF64, {1, table.rows.size(), classes.size()});
  double* values = file.logits.as<double>();
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const std::size_t column : classes) *values++ = number_at(table, row, column);
  }
  for (const std::size_t column : classes) {
    const std::string& name = table.header[column];
    if (reading.binary) break;
    file.class_names.push_back(starts_with(name, kClassPrefix) ? name.substr(kClassPrefix.size())
                                                               : name);
  }
  file.has_labels =
      reading.with_labels && reading.labels_file.empty() && label < table.header.size();
  if (file.has_labels) {
    const RawLabels labels{texts_in(table, label),
                           "the column '" + table.header[label] + "' of '" + table.name + "'",
                           true};
    file.labels = class_indices(labels, reading.binary ? 2 : classes.size(), file.class_names,
                                reading.ignored_label);
  }
  if (table.has_column("group")) file.groups = texts_in(table, table.column("group"));
  if (table.has_column("file")) file.files = texts_in(table, table.column("file"));
  for (std::size_t c = 0; reading.all_columns && c < table.header.size(); ++c) {
    if (!starts_with(table.header[c], kExtraPrefix)) continue;
    file.columns.push_back({table.header[c].substr(kExtraPrefix.size()), texts_in(table, c)});
  }
  for (const std::string& name : reading.columns) {
    file.columns.push_back({name, texts_in(table, table.column(kExtraPrefix + name))});
  }
  return file;
}

}  // namespace cubcal
