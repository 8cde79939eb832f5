#include <filesystem>
#include <set>

#include "cubcal/io/atomic_file.h"
#include "cubcal/pdf/chart_pdf.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/outputs.h"

namespace cubcal::report {

namespace {

struct DrawnFigure {
  std::string path;  ///< without its end
  std::string svg;
  std::string pdf;
};

/// Charts of an earlier run look like those of this one.
void note_older_charts(const std::string& folder, const std::vector<NamedChart>& charts,
                       std::vector<std::string>& notes) {
  std::set<std::string> names;
  for (const NamedChart& each : charts) names.insert(each.name);
  std::set<std::string> older;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::filesystem::path& path = entry.path();
    const bool is_chart = path.extension() == ".svg" || path.extension() == ".pdf";
    if (is_chart && names.count(path.stem().string()) == 0) older.insert(path.stem().string());
  }
  if (older.empty()) return;
  notes.push_back("'" + folder + "' also holds " + counted(older.size(), "chart") +
                  " that this report did not write, such as '" + *older.begin() +
                  "': of an earlier one?");
}

}  // namespace

std::vector<std::string> write_figures(const std::string& folder,
                                       const std::vector<NamedChart>& charts,
                                       std::vector<std::string>& notes) {
  std::vector<DrawnFigure> figures;
  for (const NamedChart& each : charts) {
    const std::string path = folder + "/" + each.name;
    std::string svg = each.chart.paper_svg();
    pdf::ChartPdf pdf = pdf::chart_pdf(svg);
    if (pdf.missing > 0) {
      notes.push_back("The fonts of " + each.name + ".pdf lack " +
                      counted(pdf.missing, "character") + ", shown as empty boxes; " + each.name +
                      ".svg has them.");
    }
    figures.push_back({path, std::move(svg), std::move(pdf.bytes)});
  }
  make_folders(folder);
  note_older_charts(folder, charts, notes);
  std::vector<std::string> paths;
  for (const DrawnFigure& figure : figures) {
    write_file_atomically(figure.path + ".svg", figure.svg);
    write_file_atomically(figure.path + ".pdf", figure.pdf);
    paths.push_back(figure.path);
  }
  return paths;
}

}  // namespace cubcal::report
