#include "cubcal/report/figure_files.h"

#include "cubcal/io/atomic_file.h"
#include "cubcal/pdf/chart_pdf.h"
#include "cubcal/report/numbers.h"

namespace cubcal::report {

namespace {

struct DrawnFigure {
  std::string path;  ///< without its end
  std::string svg;
  std::string pdf;
};

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
  std::vector<std::string> paths;
  for (const DrawnFigure& figure : figures) {
    write_file_atomically(figure.path + ".svg", figure.svg);
    write_file_atomically(figure.path + ".pdf", figure.pdf);
    paths.push_back(figure.path);
  }
  return paths;
}

}  // namespace cubcal::report
