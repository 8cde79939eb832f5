#include "cubcal/http/metric_set.h"

#include <gtest/gtest.h>

#include "cubcal/error.h"

namespace cubcal::test {
namespace {

TEST(MetricSet, WritesPrometheusText) {
  MetricSet metrics;
  metrics.add_counter("a_total", "Things.");
  metrics.add_gauge("b", "Now.");
  metrics.add_histogram("c_seconds", "Took.", {0.1, 1});
  metrics.count("a_total", {{"name", "x\"y\\z\n"}});
  metrics.count("a_total", {{"name", "x\"y\\z\n"}}, 2);
  metrics.set("b", {}, 7);
  for (const double seconds : {0.1, 0.5, 3.0}) metrics.observe("c_seconds", {{"r", "/"}}, seconds);
  EXPECT_EQ(metrics.text(),
            "# HELP a_total Things.\n# TYPE a_total counter\na_total{name=\"x\\\"y\\\\z\\n\"} 3\n"
            "# HELP b Now.\n# TYPE b gauge\nb 7\n"
            "# HELP c_seconds Took.\n# TYPE c_seconds histogram\n"
            "c_seconds_bucket{r=\"/\",le=\"0.1\"} 1\nc_seconds_bucket{r=\"/\",le=\"1\"} 2\n"
            "c_seconds_bucket{r=\"/\",le=\"+Inf\"} 3\nc_seconds_sum{r=\"/\"} 3.6\n"
            "c_seconds_count{r=\"/\"} 3\n");
}

TEST(MetricSet, RefusesWhatWasNotAdded) {
  MetricSet metrics;
  metrics.add_gauge("b", "Now.");
  EXPECT_THROW(metrics.count("b", {}), ArgumentError);
  EXPECT_THROW(metrics.set("d", {}, 1), ArgumentError);
}

}  // namespace
}  // namespace cubcal::test
