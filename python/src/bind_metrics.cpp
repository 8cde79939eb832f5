#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "call.h"
#include "cubcal/metrics/accuracy_vs_uncertainty.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/detection.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/metrics/selective.h"
#include "cubcal/metrics/single_metric.h"
#include "prediction.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

struct Facts {
  std::shared_ptr<const SampleFacts> facts;
};

const MetricInfo& info_of(const std::string& key) {
  std::string keys;
  for (const MetricInfo& info : metric_infos()) {
    if (key == info.key) return info;
    keys += (keys.empty() ? "" : ", ") + std::string(info.key);
  }
  throw ArgumentError("there is no metric '" + key + "': there are " + keys);
}

py::object number_or_none(const MetricInfo& info, const std::optional<double>& value) {
  if (!value) return py::none();
  if (info.unit == MetricUnit::kCount) return py::int_(static_cast<std::int64_t>(*value));
  return py::float_(*value);
}

Facts facts_of(const Prediction& prediction, const py::buffer& labels, std::size_t bins,
               double gamma, double eta) {
  const VectorIn<std::int64_t> y(labels);
  return without_gil([&] {
    return Facts{std::make_shared<SampleFacts>(
        sample_facts(*prediction.predictive, y.view(), {bins, gamma, eta}))};
  });
}

py::dict values_of(const Facts& facts) {
  const MetricValues values = without_gil([&] { return metric_values(*facts.facts); });
  py::dict dict;
  for (const MetricInfo& info : metric_infos()) {
    dict[info.key] = number_or_none(info, values[info.metric]);
  }
  return dict;
}

py::object value_of(const std::string& key, const Prediction& prediction, const py::buffer& labels,
                    std::size_t bins, double gamma, double eta) {
  const MetricInfo& info = info_of(key);
  const VectorIn<std::int64_t> y(labels);
  return number_or_none(
      info, without_gil([&] {
        return metric_value(info.metric, *prediction.predictive, y.view(), {bins, gamma, eta});
      }));
}

py::object value_of_probabilities(const std::string& key, const py::buffer& probabilities,
                                  const py::buffer& labels, std::size_t bins, double gamma,
                                  double eta) {
  const MetricInfo& info = info_of(key);
  const FloatsIn in(probabilities);
  const VectorIn<std::int64_t> y(labels);
  return number_or_none(
      info, without_gil([&] {
        return metric_value(info.metric, in.array(), y.view(), {bins, gamma, eta}, "probabilities");
      }));
}

CalibrationError error_of(const SampleFacts& facts, const std::string& name) {
  if (name == "ece") return expected_calibration_error(facts);
  if (name == "uce") return uncertainty_calibration_error(facts);
  if (name == "bcce") return boundary_curve_calibration_error(facts);
  throw ArgumentError("there are bins of ece, uce and bcce, not of '" + name + "'");
}

/// Rows of (low, high, count, observed, target).
std::vector<std::array<double, 5>> bins_of(const Facts& facts, const std::string& name) {
  std::vector<std::array<double, 5>> rows;
  for (const ReliabilityBin& bin : error_of(*facts.facts, name).bins) {
    rows.push_back({bin.low, bin.high, bin.count, bin.mean_observed, bin.mean_target});
  }
  return rows;
}

Certainty certainty_from_name(const std::string& name) {
  if (name == "uncertainty") return Certainty::kEntropy;
  if (name == "confidence") return Certainty::kConfidence;
  throw ArgumentError("samples are ranked by 'uncertainty' or by 'confidence', not by '" + name +
                      "'");
}

std::vector<double> risks_of(const Facts& facts, const std::string& by) {
  const Certainty certainty = certainty_from_name(by);
  return without_gil([&] { return risk_coverage(*facts.facts, certainty); });
}

double aurc_of(const Facts& facts, const std::string& by) {
  const Certainty certainty = certainty_from_name(by);
  return without_gil(
      [&] { return area_under_risk_coverage(risk_coverage(*facts.facts, certainty)); });
}

py::object detection_of(const py::buffer& inside, const py::buffer& outside) {
  const VectorIn<double> id(inside);
  const VectorIn<double> ood(outside);
  const auto metrics = without_gil([&] { return detection_metrics(id.view(), ood.view()); });
  if (!metrics) return py::none();
  py::dict dict;
  dict["auroc"] = metrics->auroc;
  dict["aupr"] = metrics->aupr;
  dict["fpr95"] = metrics->fpr95;
  return std::move(dict);
}

const char* unit_name(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kPercent: return "percent";
    case MetricUnit::kNats: return "nats";
    case MetricUnit::kCount: return "count";
    default: return "fraction";
  }
}

/// Rows of (key, label, unit, better).
py::list infos() {
  py::list rows;
  for (const MetricInfo& info : metric_infos()) {
    rows.append(py::make_tuple(info.key, info.label, unit_name(info.unit), info.better));
  }
  return rows;
}

}  // namespace

void bind_metrics(py::module_& module) {
  py::class_<Facts>(module, "Facts", "What the metrics need to know of each sample.")
      .def("values", &values_of, "Every metric by its key; None where undefined.")
      .def("bins", &bins_of, py::arg("name"))
      .def(
          "risk", [](const Facts& f, const std::string& by) { return array_out(risks_of(f, by)); },
          py::arg("by"))
      .def("aurc", &aurc_of, py::arg("by"))
      .def(
          "coverage_at_risk",
          [](const Facts& f, double target, const std::string& by) {
            return coverage_at_risk(risks_of(f, by), target);
          },
          py::arg("risk"), py::arg("by"))
      .def("avu_curve",
           [](const Facts& f) {
             std::vector<std::array<double, 3>> rows;
             for (const AvuPoint& point : avu_curve(*f.facts)) {
               rows.push_back({point.t, point.threshold, point.avu});
             }
             return rows;
           })
      .def("correct", [](const Facts& f) { return array_out(f.facts, f.facts->correct); });
  module.def("facts", &facts_of, py::arg("prediction"), py::arg("labels"), py::arg("bins"),
             py::arg("gamma"), py::arg("eta"));
  module.def("metric", &value_of, py::arg("key"), py::arg("prediction"), py::arg("labels"),
             py::arg("bins"), py::arg("gamma"), py::arg("eta"), "One metric alone.");
  module.def("metric_of_probabilities", &value_of_probabilities, py::arg("key"),
             py::arg("probabilities"), py::arg("labels"), py::arg("bins"), py::arg("gamma"),
             py::arg("eta"), "The same of probabilities as they are.");
  module.def("detection", &detection_of, py::arg("inside"), py::arg("outside"));
  module.def("metric_infos", &infos);
  module.def(
      "check_metric", [](const std::string& key) { info_of(key); }, py::arg("key"));
}

}  // namespace cubcal::python
