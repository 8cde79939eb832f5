#include "arrays.h"
#include "bindings.h"
#include "cubcal/plot/density.h"

namespace cubcal::python {

namespace py = pybind11;

void bind_density(py::module_& module) {
  module.def(
      "density",
      [](const py::buffer& values, double lower, double upper) {
        plot::DensityOptions options;
        options.lower = lower;
        options.upper = upper;
        plot::Density density = estimate_density(VectorIn<double>(values).copy(), options);
        return py::make_tuple(array_out(std::move(density.x)), array_out(std::move(density.y)));
      },
      py::arg("values"), py::arg("lower"), py::arg("upper"),
      "Kernel density between two bounds: x and y.");
}

}  // namespace cubcal::python
