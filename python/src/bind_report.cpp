#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "call.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/evaluation/given_numbers.h"
#include "cubcal/report/write_report.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

/// Arrays of one set, as the report reads them from a file.
struct ReportSet {
  FloatsIn logits;
  std::vector<std::int64_t> labels;
  std::vector<std::string> groups;
  bool probabilities;  ///< not logits
};

report::LogitsInput logits_input(const ReportSet& set, const char* name,
                                 const std::vector<std::string>& class_names) {
  const NdArray& array = set.logits.array();
  report::LogitsInput input;
  input.logits.path = name;
  std::vector<std::size_t> shape = array.shape();
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  input.logits.logits = NdArray(array.dtype(), shape, array.memory());
  if (set.probabilities) take_numbers(input.logits, {true, false});
  input.logits.labels = set.labels;
  input.logits.has_labels = !set.labels.empty();
  input.logits.groups = set.groups;
  input.logits.class_names = class_names;
  ContentHash hash;
  hash.add(reinterpret_cast<const char*>(array.bytes()), array.byte_size());
  input.hash = hash.text();
  return input;
}

std::size_t write(const std::string& output, const std::string& name, const std::string& title,
                  const ReportSet& test, const ReportSet* validation, const ReportSet* outliers,
                  const std::vector<std::string>& class_names,
                  const std::optional<Calibration>& calibration, double risk_target,
                  std::size_t bootstrap, std::uint64_t seed, const MetricOptions& metrics) {
  return without_gil([&] {
    report::ReportOptions options;
    options.output = output;
    options.title = title;
    options.risk_target = risk_target;
    options.bootstrap.replicates = bootstrap;
    options.bootstrap.seed = seed;
    options.metrics = metrics;
    report::RunInput input;
    input.label = name;
    input.test = logits_input(test, "test logits", class_names);
    if (validation) input.validation = logits_input(*validation, "validation logits", class_names);
    if (outliers) input.outliers = logits_input(*outliers, "outlier logits", class_names);
    if (calibration) {
      input.calibrations.push_back(*calibration);
      input.attached = calibration->method;
    }
    return report::write_report(options, std::move(input)).bytes;
  });
}

}  // namespace

void bind_report(py::module_& module) {
  py::class_<ReportSet>(module, "ReportSet")
      .def(py::init([](const py::buffer& logits, const std::optional<py::buffer>& labels,
                       std::vector<std::string> groups, bool probabilities) {
             return ReportSet{
                 FloatsIn(logits),
                 labels ? VectorIn<std::int64_t>(*labels).copy() : std::vector<std::int64_t>{},
                 std::move(groups), probabilities};
           }),
           py::arg("logits"), py::arg("labels"), py::arg("groups"), py::arg("probabilities"));
  module.def(
      "write_report",
      [](const std::string& output, const std::string& name, const std::string& title,
         const ReportSet& test, const ReportSet* validation, const ReportSet* outliers,
         const std::vector<std::string>& class_names, const std::optional<Calibration>& calibration,
         double risk_target, std::size_t bootstrap, std::uint64_t seed, std::size_t bins,
         double gamma, double eta) {
        return write(output, name, title, test, validation, outliers, class_names, calibration,
                     risk_target, bootstrap, seed, {bins, gamma, eta});
      },
      py::kw_only(), py::arg("output"), py::arg("name"), py::arg("title"), py::arg("test"),
      py::arg("validation"), py::arg("outliers"), py::arg("class_names"), py::arg("calibration"),
      py::arg("risk_target"), py::arg("bootstrap"), py::arg("seed"), py::arg("bins"),
      py::arg("gamma"), py::arg("eta"), "Writes the page and says how many bytes it has.");
}

}  // namespace cubcal::python
