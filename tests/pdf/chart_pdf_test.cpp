#include "cubcal/pdf/chart_pdf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/pdf/page_drawing.h"
#include "cubcal/plot/chart.h"
#include "expect_error.h"

namespace cubcal::pdf {
namespace {

/// A chart of every kind of mark.
plot::Chart every_mark() {
  plot::ChartOptions options;
  options.title = "All *marks* & more";
  options.x_label = "confidence *c*";
  options.y_label = "*U*_{max} (nats)";
  options.x_min = 0;
  options.x_max = 1;
  options.y_min = 0;
  options.y_max = 1;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  chart.line({"line", {0, 1}, {0, 1}, plot::Colour::kBlue, plot::Stroke::kDashed});
  chart.band({"band", {0, 1}, {0, 0}, {1, 1}});
  chart.region({"region", {0, 1, 1}, {0, 0, 1}});
  chart.scatter({"dots", {0.1, 0.2}, {0.3, 0.4}, plot::Colour::kVermillion});
  chart.bars({"bars", {0, 0.5}, {0.5, 1}, {0.2, 0.4}});
  plot::ReliabilitySeries reliability;
  reliability.name = "accuracy";
  reliability.gap_name = "gap";
  reliability.edges = {0, 0.5, 1};
  reliability.observed = {0.2, 0.6};
  reliability.expected = {0.3, 0.7};
  reliability.count = {3, 4};
  chart.reliability(reliability);
  plot::HeatMap map;
  map.name = "heat";
  map.rows = map.columns = 1;
  map.values = {3};
  map.show_values = true;
  chart.heat_map(map);
  chart.reference({plot::Direction::kVertical, 0.5, "*γ* = 0.5"});
  plot::Annotation note;
  note.x = 0.3;
  note.y = 0.8;
  note.text = "halo";
  note.target_x = 0.6;
  note.target_y = 0.2;
  chart.annotate(note);
  return chart;
}

std::size_t count(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++found;
  }
  return found;
}

TEST(ChartPdf, EveryMarkBecomesOnePageWithItsFonts) {
  const ChartPdf pdf = chart_pdf(every_mark().paper_svg());
  EXPECT_EQ(pdf.bytes.rfind("%PDF-1.5\n", 0), 0U);
  EXPECT_EQ(pdf.bytes.substr(pdf.bytes.size() - 6), "%%EOF\n");
  EXPECT_EQ(pdf.missing, 0U);
  EXPECT_NE(pdf.bytes.find("/MediaBox [0 0 330 255]"), std::string::npos) << "440 by 340 pixels";
  EXPECT_EQ(count(pdf.bytes, "/FontFile2 "), 2U) << "regular and bold, both embedded";
  EXPECT_EQ(pdf.bytes, chart_pdf(every_mark().paper_svg()).bytes);
}

TEST(ChartPdf, TheTableFindsEveryObject) {
  const std::string bytes = chart_pdf(every_mark().paper_svg()).bytes;
  const std::size_t start = std::stoul(bytes.substr(bytes.rfind("startxref\n") + 10));
  ASSERT_EQ(bytes.substr(start, 5), "xref\n");
  const std::size_t objects = std::stoul(bytes.substr(start + 7));
  ASSERT_GT(objects, 8U);
  const std::size_t rows = bytes.find("f \n", start) + 3;
  for (std::size_t i = 1; i < objects; ++i) {
    const std::size_t place = std::stoul(bytes.substr(rows + 20 * (i - 1), 10));
    const std::string wanted = std::to_string(i) + " 0 obj\n";
    EXPECT_EQ(bytes.substr(place, wanted.size()), wanted);
  }
}

TEST(ChartPdf, ColoursOpacitiesDashesAndClipsAreDrawn) {
  const SvgElement svg = parse_svg(every_mark().paper_svg());
  const PageDrawing drawing = page_drawing(svg, 340);
  EXPECT_NE(drawing.operators.find("0.75 0 0 -0.75 0 255 cm\n"), std::string::npos);
  EXPECT_NE(drawing.operators.find("0 0.447 0.698 RG\n"), std::string::npos) << "#0072b2";
  EXPECT_NE(drawing.operators.find("] 0 d\n"), std::string::npos);
  EXPECT_NE(drawing.operators.find("W n\n"), std::string::npos);
  EXPECT_NE(drawing.operators.find("1 Tr\n"), std::string::npos) << "the halo of a remark";
  EXPECT_EQ(count(drawing.operators, "q\n"), count(drawing.operators, "Q\n"));
  EXPECT_GE(drawing.opacities.size(), 3U);
  EXPECT_EQ(drawing.fonts.size(), 2U);
}

TEST(ChartPdf, TextIsPlacedByTheWidthOfItsLetters) {
  const PageDrawing drawing = page_drawing(
      parse_svg("<svg><text x=\"100\" y=\"50\" font-size=\"10\" text-anchor=\"end\">AA</text>"
                "<text x=\"0\" y=\"0\" transform=\"rotate(-90 0 0)\">A</text></svg>"),
      60);
  const double width = 2 * 10 * 1401 / 2048.0;
  EXPECT_NE(drawing.operators.find("1 0 0 1 100 50 cm\n"), std::string::npos);
  const std::size_t place = drawing.operators.find("1 0 0 -1 ");
  EXPECT_NEAR(std::stod(drawing.operators.substr(place + 9)), -width, 1e-3);
  EXPECT_NE(drawing.operators.find("0 -1 1 0 0 0 cm\n"), std::string::npos) << "turned";
}

TEST(ChartPdf, CountsLettersItsFontsDoNotHave) {
  plot::ChartOptions options;
  options.title = "良性 and nevus";
  plot::Chart chart(options);
  chart.line({"line", {0, 1}, {0, 1}});
  EXPECT_EQ(chart_pdf(chart.paper_svg()).missing, 2U);
}

TEST(ChartPdf, RefusesOtherSvg) {
  for (const char* body : {"<image/>", "<path d=\"c1 2 3 4 5 6\"/>", "<rect fill=\"red\"/>",
                           "<g transform=\"scale(2)\"/>", "<g clip-path=\"url(#none)\"/>"}) {
    test::expect_error<ArgumentError>(
        [&] { chart_pdf("<svg width=\"9\" height=\"9\">" + std::string(body) + "</svg>"); },
        "a PDF cannot show");
  }
}

}  // namespace
}  // namespace cubcal::pdf
