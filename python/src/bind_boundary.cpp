#include "arrays.h"
#include "bindings.h"
#include "cubcal/boundary/curve.h"
#include "cubcal/boundary/regions.h"
#include "cubcal/boundary/thresholds.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

/// A function of confidence at each of its values.
template <class Curve>
ArrayOut at_each(const py::buffer& confidence, Curve curve) {
  const VectorIn<double> c(confidence);
  std::vector<double> values;
  values.reserve(c.view().size());
  for (const double each : c.view()) values.push_back(curve(each));
  return array_out(std::move(values));
}

}  // namespace

void bind_boundary(py::module_& module) {
  module.def(
      "u_min",
      [](const py::buffer& c, std::size_t k) {
        return at_each(c, [k](double each) { return u_min(each, k); });
      },
      py::arg("confidence"), py::arg("classes"));
  module.def(
      "u_max",
      [](const py::buffer& c, std::size_t k) {
        return at_each(c, [k](double each) { return u_max(each, k); });
      },
      py::arg("confidence"), py::arg("classes"));
  module.def(
      "u_ideal",
      [](const py::buffer& c, std::size_t k, double gamma) {
        return at_each(c, [k, gamma](double each) { return u_ideal(each, k, gamma); });
      },
      py::arg("confidence"), py::arg("classes"), py::arg("gamma"));
  module.def(
      "thresholds",
      [](double eta, std::size_t classes) {
        const Thresholds thresholds = thresholds_from_eta(eta, classes);
        return py::make_tuple(thresholds.gamma_low, thresholds.gamma_high, thresholds.eta);
      },
      py::arg("eta"), py::arg("classes"));
  module.def(
      "deviation_scale",
      [](double gamma, std::size_t classes) {
        const DeviationScale scale = deviation_scale(gamma, classes);
        return py::make_tuple(scale.accurate_certain, scale.accurate_uncertain,
                              scale.inaccurate_certain, scale.inaccurate_uncertain);
      },
      py::arg("gamma"), py::arg("classes"),
      "What CUB-Loss divides the deviations by: of AC, AU, IC and IU.");
}

}  // namespace cubcal::python
