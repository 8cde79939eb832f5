#include <pybind11/pybind11.h>

#include "arrays.h"
#include "bindings.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/version.h"
#include "prediction.h"

namespace py = pybind11;

namespace {

/// The library's sentences under the names that Python has for them.
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const cubcal::IoError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const cubcal::Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The numeric half of cubcal. Use it through the package cubcal.";
  module.attr("__version__") = cubcal::kVersion;
  py::register_local_exception_translator(translate);
  cubcal::python::bind_arrays(module);
  cubcal::python::bind_prediction(module);
  cubcal::python::bind_metrics(module);
  cubcal::python::bind_calibration(module);
  cubcal::python::bind_evaluation(module);
  cubcal::python::bind_verdict(module);
  cubcal::python::bind_boundary(module);
  cubcal::python::bind_density(module);
  cubcal::python::bind_phantom(module);
  cubcal::python::bind_report(module);
  module.def("set_threads", &cubcal::set_thread_count, py::arg("threads"));
  module.def("threads", &cubcal::thread_count);
}
