#include "cubcal/io/utf8.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

/// Beyond this a matrix cannot be read any more.
constexpr std::size_t kMostClasses = 40;

std::string optional_percent(const std::optional<double>& value) {
  return value ? percent(*value) : "–";
}

/// A long name as an axis has room for it: its beginning and its end.
std::string axis_name(const std::string& name) {
  constexpr std::size_t longest = 24;
  constexpr std::size_t end = 9;
  if (!is_utf8(name)) return printable(name).substr(0, longest);
  const std::vector<std::uint32_t> letters = code_points(name);
  if (letters.size() <= longest) return name;
  std::string text;
  for (std::size_t i = 0; i + end + 1 < longest; ++i) append_utf8(text, letters[i]);
  text += "…";
  for (std::size_t i = letters.size() - end; i < letters.size(); ++i) append_utf8(text, letters[i]);
  return text;
}

std::string matrix_figure(const RunResult& run, Figures& figures) {
  const std::size_t classes = run.facts.classes;
  const std::vector<std::uint64_t> counts = confusion_matrix(run.facts);
  plot::ChartOptions options;
  options.title = "Confusion matrix";
  options.description = "How many images of each class were called what.";
  options.x_label = "called";
  options.y_label = "is";
  options.y_downwards = true;
  options.grid = false;
  const double side = 44.0 * static_cast<double>(classes);
  options.width = std::min(900.0, std::max(400.0, side + 200));
  options.height = std::min(860.0, std::max(350.0, side + 140));
  for (const std::string& name : run.class_names) {
    options.x_categories.push_back(plot::literal(axis_name(name)));
    options.y_categories.push_back(plot::literal(axis_name(name)));
  }
  plot::HeatMap map;
  map.name = "% of the class";
  map.low = 0;
  map.high = 100;
  map.rows = map.columns = classes;
  map.show_values = true;
  for (std::size_t y = 0; y < classes; ++y) {
    std::uint64_t support = 0;
    for (std::size_t k = 0; k < classes; ++k) support += counts[y * classes + k];
    for (std::size_t k = 0; k < classes; ++k) {
      const std::uint64_t count = counts[y * classes + k];
      const double share =
          support > 0 ? static_cast<double>(count) / static_cast<double>(support) : 0;
      map.values.push_back(100 * share);
      map.cell_texts.push_back(std::to_string(count));
      map.cell_notes.push_back(
          run.class_names[y] + ", called " + run.class_names[k] + ": " + counted(count, "image") +
          (support > 0 ? " (" + percent(share) + " of its class)" : ", a class without images"));
    }
  }
  plot::Chart chart(options);
  chart.heat_map(std::move(map));
  return figures.figure(chart,
                        "Rows are the labels, columns the answers; the diagonal is right. Numbers "
                        "are images; a cell is the brighter the larger its share of its row.",
                        "confusion matrix");
}

std::string class_rows(const RunResult& run) {
  Table table({"Class", "images", "recall", "precision", "F1", "mean confidence", "mean U (nats)"});
  const std::vector<ClassRow> rows = class_table(run.facts);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const ClassRow& row = rows[k];
    table.add({run.class_names[k], grouped(row.support), optional_percent(row.recall),
               optional_percent(row.precision), row.f1 ? fixed(*row.f1, 3) : "–",
               optional_percent(row.mean_confidence),
               row.mean_uncertainty ? fixed(*row.mean_uncertainty, 3) : "–"});
  }
  return table.html();
}

}  // namespace

std::string classes_section(const RunResult& run, Figures& figures) {
  const std::string matrix =
      run.facts.classes <= kMostClasses
          ? figure_row(matrix_figure(run, figures))
          : paragraph("The confusion matrix of " + std::to_string(run.facts.classes) +
                      " classes is left out: it could not be read.");
  return section("Classes", matrix + class_rows(run));
}

}  // namespace cubcal::report
