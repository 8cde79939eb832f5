#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "call.h"
#include "cubcal/evaluation/comparison.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "json_out.h"
#include "prediction.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

struct Measuring {
  std::vector<std::string> groups;
  EvaluationPlan plan;
};

Measuring measuring(std::vector<std::string> groups, std::size_t bins, double gamma, double eta,
                    std::size_t replicates, double level, std::uint64_t seed, bool clinical) {
  Measuring result{std::move(groups), {{bins, gamma, eta}}};
  if (replicates > 0) {
    result.plan.bootstrap = BootstrapOptions{replicates, level, seed};
    check_bootstrap_options(*result.plan.bootstrap);
  }
  if (clinical) result.plan.clinical = ClinicalOptions{};
  return result;
}

py::object evaluate(const Prediction& prediction, const py::buffer& labels,
                    const Measuring& measuring, const std::vector<std::string>& class_names,
                    const std::optional<Calibration>& calibration,
                    const std::optional<Prediction>& outliers) {
  const VectorIn<std::int64_t> y(labels);
  const nlohmann::ordered_json document = without_gil([&] {
    Evaluation evaluation =
        evaluate_prediction(*prediction.predictive, y.view(), measuring.groups, measuring.plan);
    evaluation.passes = prediction.passes;
    evaluation.class_names = class_names;
    if (calibration) evaluation.calibration = applied(*calibration);
    if (outliers) {
      evaluation.detection =
          output_detection(*prediction.predictive, *outliers->predictive, "outliers");
    }
    return evaluation_document(evaluation);
  });
  return to_python(document);
}

py::object compare(const Prediction& a, const std::vector<Prediction>& others,
                   const py::buffer& labels, const Measuring& measuring) {
  const VectorIn<std::int64_t> y(labels);
  const nlohmann::ordered_json document = without_gil([&] {
    const MetricOptions& metrics = measuring.plan.metrics;
    const BootstrapOptions& bootstrap = *measuring.plan.bootstrap;
    const SampleFacts facts_a = sample_facts(*a.predictive, y.view(), metrics);
    ComparisonResult result;
    result.matched_by = "order";
    result.samples = facts_a.samples;
    result.classes = facts_a.classes;
    result.by_group = !measuring.groups.empty();
    result.metrics = metrics;
    result.bootstrap = bootstrap;
    result.values_a = metric_values(facts_a);
    for (const Prediction& other : others) {
      const SampleFacts facts = sample_facts(*other.predictive, y.view(), metrics);
      const std::string name = model_name(1 + result.others.size());
      result.others.push_back({name,
                               name,
                               "",
                               metric_values(facts),
                               paired_bootstrap(facts_a, facts, measuring.groups, bootstrap),
                               {}});
    }
    adjust_p_values(result.others);
    return comparison_json(result);
  });
  return to_python(document);
}

}  // namespace

void bind_evaluation(py::module_& module) {
  py::class_<Measuring>(module, "Measuring", "What is measured, and with what.")
      .def(py::init(&measuring), py::kw_only(), py::arg("groups"), py::arg("bins"),
           py::arg("gamma"), py::arg("eta"), py::arg("bootstrap"), py::arg("level"),
           py::arg("seed"), py::arg("clinical"));
  module.def("evaluate", &evaluate, py::arg("prediction"), py::arg("labels"), py::arg("measuring"),
             py::arg("class_names"), py::arg("calibration"), py::arg("outliers"),
             "The document of 'cubcal evaluate --json'.");
  module.def("compare", &compare, py::arg("a"), py::arg("others"), py::arg("labels"),
             py::arg("measuring"), "The document of 'cubcal compare --json'.");
}

}  // namespace cubcal::python
