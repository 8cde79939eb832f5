#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "call.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/calibration/selection.h"
#include "json_out.h"
#include "prediction.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

using Box = std::optional<std::pair<double, double>>;

std::optional<TemperatureBox> to_box(const char* name, const Box& box) {
  if (!box) return std::nullopt;
  if (!(box->first > 0 && box->first <= box->second && box->second <= 1e6)) {
    throw ArgumentError(std::string(name) +
                        " takes two positive temperatures (low, high), such as (0.5, 1)");
  }
  return TemperatureBox{box->first, box->second};
}

/// What both ways of fitting are told.
FitOptions fit_options(double eta, double gamma, std::size_t bins, const Box& box,
                       const Box& box_high, const Box& box_low, double nll_tolerance,
                       bool paper_thresholds_wanted) {
  FitOptions fit;
  fit.eta = eta;
  fit.gamma = gamma;
  fit.bins = bins;
  fit.box = to_box("box", box);
  fit.box_high = to_box("box_high", box_high);
  fit.box_low = to_box("box_low", box_low);
  fit.nll_tolerance = nll_tolerance;
  if (paper_thresholds_wanted) fit.thresholds = paper_thresholds();
  return fit;
}

/// The method of that name, or the best of all where it has none: then perhaps nothing.
std::pair<std::optional<Calibration>, std::vector<std::string>> fitted(
    const py::buffer& buffer, const py::buffer& labels, const std::vector<std::string>& groups,
    const std::optional<std::string>& method, std::uint64_t seed, FitOptions options) {
  const FloatsIn in(buffer);
  const McLogits logits(in.array());
  const VectorIn<std::int64_t> y(labels);
  return without_gil([&]() -> std::pair<std::optional<Calibration>, std::vector<std::string>> {
    if (method) {
      options.method = method_from_name(*method);
      FitResult result = fit_calibration(logits, y.view(), options, groups);
      result.calibration.data_hash = logits_hash(logits);
      return {result.calibration, std::move(result.warnings)};
    }
    SelectionOptions selecting;
    selecting.fit = options;
    selecting.metrics = {options.bins, options.gamma,
                         options.thresholds ? options.thresholds->eta : options.eta};
    selecting.seed = seed;
    const CalibrationSelection selection = select_calibration(logits, y.view(), groups, selecting);
    if (!selection.best) return {std::nullopt, {}};
    FitResult best = selection.candidates[*selection.best].fit;
    best.calibration.data_hash = logits_hash(logits);
    return {best.calibration, best.warnings};
  });
}

Prediction calibrated(const Calibration& calibration, const py::buffer& buffer) {
  const FloatsIn in(buffer);
  const McLogits logits(in.array());
  return without_gil([&] {
    return Prediction{
        std::make_shared<Predictive>(apply_calibration(calibration, logits, predict(logits))),
        logits.passes()};
  });
}

}  // namespace

void bind_calibration(py::module_& module) {
  py::class_<FitOptions>(module, "FitOptions")
      .def(py::init(&fit_options), py::kw_only(), py::arg("eta"), py::arg("gamma"), py::arg("bins"),
           py::arg("box"), py::arg("box_high"), py::arg("box_low"), py::arg("nll_tolerance"),
           py::arg("paper_thresholds"));
  py::class_<Calibration>(module, "Calibration")
      .def_property_readonly("method", [](const Calibration& c) { return method_name(c.method); })
      .def_readonly("classes", &Calibration::classes)
      .def_readonly("t_high", &Calibration::t_high)
      .def_readonly("t_low", &Calibration::t_low)
      .def("apply", &calibrated, py::arg("logits"))
      .def(
          "temperatures",
          [](const Calibration& c, const Prediction& unscaled) {
            return array_out(sample_temperatures(c, *unscaled.predictive));
          },
          py::arg("unscaled"), "The temperature of each sample, from its unscaled prediction.")
      .def("document",
           [](const Calibration& c) {
             return to_python(nlohmann::ordered_json::parse(calibration_to_json(c)));
           })
      .def(
          "save", [](const Calibration& c, const std::string& path) { save_calibration(path, c); },
          py::arg("path"))
      .def(py::pickle(
          [](const Calibration& c) { return py::str(calibration_to_json(c)); },
          [](const py::str& text) { return calibration_from_json(text.cast<std::string>()); }));
  module.def("load_calibration", &load_calibration, py::arg("path"));
  module.def("fit_calibration", &fitted, py::arg("logits"), py::arg("labels"), py::arg("groups"),
             py::arg("method"), py::arg("seed"), py::arg("options"));
  module.def(
      "needs_labels",
      [](const std::string& method) { return needs_labels(method_from_name(method)); },
      py::arg("method"));
  module.def(
      "is_scalar", [](const std::string& method) { return is_scalar(method_from_name(method)); },
      py::arg("method"));
}

}  // namespace cubcal::python
