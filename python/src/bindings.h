#pragma once

#include <pybind11/pybind11.h>

/// The parts of the extension, each in a file of its own.
namespace cubcal::python {

void bind_boundary(pybind11::module_& module);
void bind_calibration(pybind11::module_& module);
void bind_density(pybind11::module_& module);
void bind_evaluation(pybind11::module_& module);
void bind_metrics(pybind11::module_& module);
void bind_phantom(pybind11::module_& module);
void bind_report(pybind11::module_& module);
void bind_verdict(pybind11::module_& module);

}  // namespace cubcal::python
