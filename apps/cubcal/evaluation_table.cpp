#include "evaluation_table.h"

#include <set>

#include "cubcal/io/csv.h"
#include "evaluation_text.h"
#include "metric_options.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

/// One number of each file.
struct TableLine {
  MetricLabel label;
  std::vector<std::optional<double>> values;
  std::vector<std::optional<Interval>> intervals;
};

TableLine metric_line(const std::vector<Evaluation>& evaluations, const MetricInfo& info) {
  TableLine line{{info.key, info.label, info.unit}, {}, {}};
  for (const Evaluation& each : evaluations) {
    line.values.push_back(each.values[info.metric]);
    line.intervals.push_back(each.intervals[static_cast<std::size_t>(info.metric)]);
  }
  return line;
}

TableLine clinical_line(const std::vector<Evaluation>& evaluations, std::size_t metric) {
  TableLine line{clinical_infos()[metric], {}, {}};
  for (const Evaluation& each : evaluations) {
    const ClinicalResult& clinical = *each.clinical;
    line.values.push_back(clinical.values.overall[metric]);
    line.intervals.push_back(clinical.intervals ? clinical.intervals->overall[metric]
                                                : std::nullopt);
  }
  return line;
}

std::vector<TableLine> lines_of(const std::vector<Evaluation>& evaluations) {
  std::vector<TableLine> lines;
  for (const MetricInfo& info : metric_infos()) lines.push_back(metric_line(evaluations, info));
  for (std::size_t m = 0; evaluations.front().clinical && m < kClinicalCount; ++m) {
    lines.push_back(clinical_line(evaluations, m));
  }
  return lines;
}

/// "84.07 [82.33, 85.87]".
std::string cell_text(const TableLine& line, std::size_t file) {
  std::string value = metric_text(line.label.unit, line.values[file]);
  if (!line.intervals[file]) return value;
  return value + " " + interval_text(line.label.unit, line.intervals[file]);
}

/// `row` with a number and its interval, all digits, at the end.
void add_csv_row(PaperTable& table, std::vector<std::string> row,
                 const std::optional<double>& value, const std::optional<Interval>& interval) {
  for (std::string& name : row) name = no_formula(name);
  row.push_back(exact_text(value));
  for (std::string& end : exact_interval(interval)) row.push_back(std::move(end));
  table.csv_rows.push_back(std::move(row));
}

void add_class_rows(PaperTable& table, const Evaluation& evaluation) {
  const ClinicalResult& clinical = *evaluation.clinical;
  for (std::size_t k = 0; k < evaluation.class_names.size(); ++k) {
    for (std::size_t m = 0; m < kClassMetricCount; ++m) {
      add_csv_row(table, {evaluation.file, class_metric_infos()[m].key, evaluation.class_names[k]},
                  clinical.values.by_class[k][m],
                  clinical.intervals ? clinical.intervals->by_class[k][m] : std::nullopt);
    }
  }
}

/// Whether two files are of the same images, as far as names, labels and their number tell.
bool are_same_images(const Evaluation& a, const Evaluation& b) {
  if (a.files.empty() || b.files.empty()) return a.facts.labels == b.facts.labels;
  return std::multiset<std::string>(a.files.begin(), a.files.end()) ==
         std::multiset<std::string>(b.files.begin(), b.files.end());
}

}  // namespace

PaperTable evaluation_table(const std::vector<Evaluation>& evaluations) {
  PaperTable table;
  table.texts.header = {""};
  table.csv_header = {"file", "metric", "class", "value", "low", "high"};
  for (const Evaluation& each : evaluations) table.texts.header.push_back(each.file);
  const std::vector<TableLine> lines = lines_of(evaluations);
  for (const TableLine& line : lines) {
    if (line.label.unit == MetricUnit::kCount) continue;
    std::vector<std::string> row{metric_heading(line.label)};
    for (std::size_t f = 0; f < evaluations.size(); ++f) row.push_back(cell_text(line, f));
    table.texts.rows.push_back(std::move(row));
  }
  for (std::size_t f = 0; f < evaluations.size(); ++f) {
    for (const TableLine& line : lines) {
      add_csv_row(table, {evaluations[f].file, line.label.key, ""}, line.values[f],
                  line.intervals[f]);
    }
    if (evaluations[f].clinical) add_class_rows(table, evaluations[f]);
  }
  return table;
}

void print_evaluations(std::ostream& out, const std::vector<Evaluation>& evaluations) {
  for (const Evaluation& each : evaluations) out << each.title << '\n';
  const PaperTable paper = evaluation_table(evaluations);
  TextTable table(paper.texts.header);
  for (const auto& row : paper.texts.rows) table.add(row);
  out << '\n' << table << '\n' << convention_text(evaluations.front().facts.options) << ".\n";
  bool is_any_outside = false;
  for (const TableLine& line : lines_of(evaluations)) {
    for (std::size_t f = 0; f < evaluations.size(); ++f) {
      is_any_outside = is_any_outside || is_outside(line.values[f], line.intervals[f]);
    }
  }
  print_outside_note(out, is_any_outside);
  for (const Evaluation& each : evaluations) {
    if (are_same_images(each, evaluations.front())) continue;
    out << "'" << each.file << "' is not of the same images as '" << evaluations.front().file
        << "': what they differ by is also a difference of images.\n";
  }
}

}  // namespace cubcal::app
