#include "cubcal/report/boundary_figure.h"

#include <gtest/gtest.h>

#include <set>

#include "cubcal/core/error.h"
#include "plot/xml_document.h"

namespace cubcal::report {
namespace {

std::set<std::string> tooltips(const std::string& svg) {
  std::set<std::string> titles;
  const plot::XmlElement root = plot::parse_xml(svg);
  for (const plot::XmlElement* title : root.all("title")) titles.insert(title->text);
  return titles;
}

TEST(BoundaryFigure, ShowsBothFigures) {
  const std::set<std::string> titles =
      tooltips(boundary_figure(3, 0.9, thresholds_from_eta(0.325, 3)));
  for (const char* wanted :
       {"Confidence\u2013uncertainty boundary curve (K = 3); Scaling regions (K = 3)", "feasible",
        "U_min", "U_max", "U_ideal", "attainable minimum", "\u03B3 = 0.9", "\u03B3_low = 0.900",
        "\u03B3_high = 0.923", "\u03B7 = 0.325", "soften with T_low", "sharpen with T_high"}) {
    EXPECT_EQ(titles.count(wanted), 1U) << wanted;
  }
}

TEST(BoundaryFigure, HasNoBandForTwoClasses) {
  const std::set<std::string> titles =
      tooltips(boundary_figure(2, 0.9, thresholds_from_eta(0.325, 2)));
  EXPECT_EQ(titles.count("U_min = U_max"), 1U);
  EXPECT_EQ(titles.count("feasible"), 0U);
  EXPECT_EQ(titles.count("attainable minimum"), 0U);
}

TEST(BoundaryFigure, TakesAnyClassesAndThresholds) {
  for (const std::size_t classes : {2U, 3U, 5U, 7U, 50U, 1000U}) {
    const double lowest = 1.0 / static_cast<double>(classes);
    for (const double gamma : {lowest, 0.6, 1.0}) {
      EXPECT_NO_THROW(tooltips(boundary_figure(classes, gamma, paper_thresholds())));
      for (const double eta : {1e-3, 0.325, 0.69}) {
        EXPECT_NO_THROW(
            tooltips(boundary_figure(classes, gamma, thresholds_from_eta(eta, classes))));
      }
      EXPECT_NO_THROW(tooltips(boundary_figure(classes, gamma, {1e-4, 2e-4, 50.0})));
      EXPECT_NO_THROW(tooltips(boundary_figure(classes, gamma, {0.5, 1.0, 0.3})));
    }
  }
}

TEST(BoundaryFigure, RefusesWhatTheCurveRefuses) {
  EXPECT_THROW(boundary_figure(1, 0.9, paper_thresholds()), ArgumentError);
  EXPECT_THROW(boundary_figure(3, 0.2, paper_thresholds()), ArgumentError);
  EXPECT_THROW(boundary_figure(3, 0.9, {0.9, 0.8, 0.3}), ArgumentError);
}

}  // namespace
}  // namespace cubcal::report
