#include <pybind11/stl.h>

#include "arrays.h"
#include "call.h"
#include "cubcal/core/error.h"
#include "cubcal/uncertainty/output_scores.h"
#include "cubcal/uncertainty/predictive.h"
#include "cubcal/uncertainty/probabilities.h"
#include "prediction.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

/// Numbers of fewer samples may all lie in [0, 1] without being sigmoid outputs.
constexpr std::size_t kFewestSigmoids = 8;

/// Throws the sentence that says so, in the words of this package, where the numbers are no logits.
void refuse_if_not_logits(const McLogits& logits) {
  const std::string calls =
      "cubcal.predict(probabilities=...) takes them, and cubcal.as_logits(probabilities=...) makes "
      "logits of them";
  switch (kind_of_numbers(logits)) {
    case NumberKind::kLogits: return;
    case NumberKind::kSigmoids:
      if (logits.samples() < kFewestSigmoids) return;
      throw DataError("logits look like probabilities, for all lie in [0, 1]: " + calls);
    case NumberKind::kProbabilities:
      throw DataError("logits look like probabilities, for rows sum to 1: " + calls);
    case NumberKind::kPercentages:
      throw DataError("logits look like percentages, for rows sum to 100: divided by 100, " +
                      calls);
  }
}

Prediction predict_logits(const py::buffer& buffer, bool checked) {
  const FloatsIn in(buffer);
  const McLogits logits(in.array());
  return without_gil([&] {
    if (checked) refuse_if_not_logits(logits);
    return Prediction{std::make_shared<Predictive>(predict(logits)), logits.passes()};
  });
}

/// The rows of one after those of the other.
template <class T>
void append(std::vector<T>& values, const std::vector<T>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

Prediction joined(const std::vector<Prediction>& parts) {
  auto whole = std::make_shared<Predictive>();
  std::size_t passes = 0;
  for (const Prediction& part : parts) {
    const Predictive& each = *part.predictive;
    if (whole->samples > 0 && each.classes != whole->classes) {
      throw DataError("predictions to be joined must have as many classes, not " +
                      std::to_string(whole->classes) + " and " + std::to_string(each.classes));
    }
    whole->classes = each.classes;
    whole->samples += each.samples;
    append(whole->probabilities, each.probabilities);
    append(whole->predicted, each.predicted);
    append(whole->confidence, each.confidence);
    append(whole->entropy, each.entropy);
    append(whole->aleatoric, each.aleatoric);
    passes = std::max(passes, part.passes);
  }
  return {whole, passes};
}

/// Of an unscaled prediction, as a pickle holds it.
Prediction restored(const py::buffer& probabilities, const py::buffer& aleatoric,
                    std::size_t passes) {
  const FloatsIn rows(probabilities);
  auto whole = std::make_shared<Predictive>();
  whole->aleatoric = VectorIn<double>(aleatoric).copy();
  whole->samples = whole->aleatoric.size();
  if (rows.array().shape().size() != 2 || rows.array().shape()[0] != whole->samples ||
      rows.array().dtype() != DType::kF64) {
    throw DataError("a prediction holds float64 probabilities [N, K] and an aleatoric part [N]");
  }
  whole->classes = rows.array().shape()[1];
  const double* p = rows.array().as<double>();
  whole->probabilities.assign(p, p + rows.array().size());
  for (std::size_t i = 0; i < whole->samples; ++i) {
    const Summary summary = summarise(p + i * whole->classes, whole->classes);
    whole->predicted.push_back(summary.predicted);
    whole->confidence.push_back(summary.confidence);
    whole->entropy.push_back(summary.entropy);
  }
  return {whole, passes};
}

/// Of a prediction alone where there are no logits, which nothing but the energy looks at.
ArrayOut scores_of(const std::string& name, const std::optional<py::buffer>& buffer,
                   const Prediction& prediction) {
  const Predictive& predictive = *prediction.predictive;
  if (!buffer) {
    if (name == "energy") throw ArgumentError("the score 'energy' needs logits");
    const McLogits none(predictive.probabilities.data(), 1, predictive.samples, predictive.classes);
    return array_out(output_scores(name, none, predictive));
  }
  const FloatsIn in(*buffer);
  const McLogits logits(in.array());
  return without_gil([&] { return array_out(output_scores(name, logits, predictive)); });
}

void check_logits(const py::buffer& buffer) {
  const FloatsIn in(buffer);
  refuse_if_not_logits(McLogits(in.array()));
}

const char* kind_name(const py::buffer& buffer) {
  const FloatsIn in(buffer);
  switch (kind_of_numbers(McLogits(in.array()))) {
    case NumberKind::kProbabilities: return "probabilities";
    case NumberKind::kSigmoids: return "sigmoids";
    case NumberKind::kPercentages: return "percentages";
    default: return "logits";
  }
}

}  // namespace

void bind_prediction(py::module_& module) {
  const auto column = [](auto member) {
    return [member](const Prediction& p) { return array_out(p.predictive, *p.predictive.*member); };
  };
  py::class_<Prediction>(module, "Prediction")
      .def_property_readonly("samples", [](const Prediction& p) { return p.predictive->samples; })
      .def_property_readonly("classes", [](const Prediction& p) { return p.predictive->classes; })
      .def_readonly("passes", &Prediction::passes)
      .def("probabilities",
           [](const Prediction& p) {
             return array_out(p.predictive, p.predictive->probabilities,
                              {static_cast<py::ssize_t>(p.predictive->samples),
                               static_cast<py::ssize_t>(p.predictive->classes)});
           })
      .def("predicted", column(&Predictive::predicted))
      .def("confidence", column(&Predictive::confidence))
      .def("entropy", column(&Predictive::entropy))
      .def("aleatoric", column(&Predictive::aleatoric))
      .def("epistemic",
           [](const Prediction& p) { return array_out(epistemic_parts(*p.predictive)); });

  module.def("predict", &predict_logits, py::arg("logits"), py::arg("checked"),
             "Mean prediction of logits [S,N,K] or [N,K]; checked: of numbers that look like "
             "logits.");
  module.def("check_logits", &check_logits, py::arg("logits"),
             "Refuses what looks like probabilities.");
  module.def("kind_of_numbers", &kind_name, py::arg("numbers"));
  module.def("joined", &joined, py::arg("parts"), "Predictions one after another.");
  module.def("restored", &restored, py::arg("probabilities"), py::arg("aleatoric"),
             py::arg("passes"));
  module.def(
      "log_probabilities",
      [](const py::buffer& buffer) {
        const FloatsIn in(buffer);
        McLogits shape_check(in.array());
        return without_gil([&] {
          return array_out(std::move(log_probabilities(in.array(), "probabilities").logits));
        });
      },
      py::arg("probabilities"), "ln p, floored: logits whose softmax is p.");
  module.def(
      "predict_probabilities",
      [](const py::buffer& buffer) {
        const FloatsIn in(buffer);
        const McLogits passes(in.array());
        return without_gil([&] {
          return Prediction{
              std::make_shared<Predictive>(predict_probabilities(passes, {}, "probabilities")),
              passes.passes()};
        });
      },
      py::arg("probabilities"), "Mean prediction of probabilities as they are.");
  module.def(
      "two_class_probabilities",
      [](const py::buffer& buffer) {
        const FloatsIn in(buffer);
        return without_gil(
            [&] { return array_out(two_class_probabilities(in.array(), "positive")); });
      },
      py::arg("numbers"), "Probabilities [S,N,2] of those of class 1 [S,N,1].");
  module.def(
      "two_class_logits",
      [](const py::buffer& buffer) {
        const FloatsIn in(buffer);
        return without_gil(
            [&] { return array_out(two_class_logits(in.array(), "positive_logits")); });
      },
      py::arg("numbers"), "Logits [S,N,2] of numbers [S,N,1].");
  module.def("output_scores", &scores_of, py::arg("name"), py::arg("logits"),
             py::arg("prediction"));
}

}  // namespace cubcal::python
