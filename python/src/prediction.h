#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/metrics/sample_facts.h"
#include "cubcal/predictive.h"

namespace cubcal::python {

/// A mean prediction that Python holds, with the number of passes it is the mean of.
struct Prediction {
  std::shared_ptr<const Predictive> predictive;
  std::size_t passes;
};

void bind_prediction(pybind11::module_& module);

}  // namespace cubcal::python
