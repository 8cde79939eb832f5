#include <pybind11/stl.h>

#include <tuple>

#include "arrays.h"
#include "bindings.h"
#include "call.h"
#include "cubcal/conformal/verdict_rule.h"
#include "cubcal/core/check.h"
#include "prediction.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

/// Level, score and whether it is kept for each class by itself.
using SetChoice = std::tuple<double, std::string, bool>;

ConformalOptions set_options(const SetChoice& choice) {
  check_in_open("set_level", std::get<0>(choice), 0, 1);
  ConformalOptions options;
  options.alpha = alpha_of_level(std::get<0>(choice));
  options.score.score = score_from_name(std::get<1>(choice));
  options.by_class = std::get<2>(choice);
  return options;
}

VerdictRule fit_rule(const Prediction& prediction, const py::buffer& scores,
                     const py::buffer& labels, double eta, double alpha,
                     std::optional<double> risk_target, std::optional<double> risk_confidence,
                     const std::optional<SetChoice>& sets) {
  const VectorIn<double> given(scores);
  const VectorIn<std::int64_t> y(labels);
  const Predictive& predictive = *prediction.predictive;
  return without_gil([&] {
    const SampleFacts facts = sample_facts(predictive, y.view(), {});
    VerdictOptions options{alpha, risk_target, risk_confidence};
    if (sets) options.sets = set_options(*sets);
    return fit_verdict({given.view(), predictive.entropy, facts.correct, y.view(), &predictive},
                       eta, options);
  });
}

/// Decisions by name and p-values, one of each for every sample.
std::pair<std::vector<std::string>, ArrayOut> judge_all(const VerdictRule& rule,
                                                        const Prediction& prediction,
                                                        const py::buffer& scores) {
  const VectorIn<double> given(scores);
  const Predictive& predictive = *prediction.predictive;
  check_same_size("scores", given.view().size(), "predictions", predictive.samples);
  std::vector<std::string> decisions;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    const Verdict verdict = judge(rule, given.view()[i], predictive.entropy[i],
                                  &predictive.probabilities[i * predictive.classes]);
    decisions.emplace_back(decision_name(verdict.decision));
    p_values.push_back(verdict.p_value);
  }
  return {std::move(decisions), array_out(std::move(p_values))};
}

py::dict promise_of(const VerdictRule& rule) {
  const VerdictRates& rates = rule.validation;
  py::dict dict;
  dict["samples"] = rates.samples;
  dict["accepted"] = rates.accepted;
  dict["referred"] = rates.referred;
  dict["out_of_scope"] = rates.out_of_scope;
  dict["errors"] = rates.errors;
  dict["risk"] = rates.risk();
  return dict;
}

/// Which classes are in the set of each sample, [N, K]; nothing where U decides.
std::optional<ArrayOut> sets_of(const VerdictRule& rule, const Prediction& prediction) {
  if (!rule.sets) return std::nullopt;
  const Predictive& predictive = *prediction.predictive;
  return array_out(prediction_sets(*rule.sets, predictive, {}));
}

/// As a pickle holds it.
py::tuple state_of(const VerdictRule& rule) {
  const VerdictRates& v = rule.validation;
  py::object sets = py::none();
  if (rule.sets) {
    py::list cells;
    for (const ConformalCell& cell : rule.sets->cells.at("")) {
      cells.append(py::make_tuple(cell.samples, cell.threshold));
    }
    const ConformalOptions& options = rule.sets->options;
    sets = py::make_tuple(options.alpha, score_name(options.score.score), options.by_class,
                          rule.sets->classes, cells);
  }
  return py::make_tuple(rule.options.alpha, rule.options.risk_target, rule.options.risk_confidence,
                        rule.uncertainty,
                        py::make_tuple(v.samples, v.accepted, v.referred, v.out_of_scope, v.errors),
                        rule.id_scores, sets);
}

ConformalRule sets_from_state(const py::tuple& state) {
  ConformalRule rule;
  rule.options.alpha = state[0].cast<double>();
  rule.options.score.score = score_from_name(state[1].cast<std::string>());
  rule.options.by_class = state[2].cast<bool>();
  rule.classes = state[3].cast<std::size_t>();
  for (const auto& [samples, threshold] :
       state[4].cast<std::vector<std::pair<std::size_t, double>>>()) {
    rule.cells[""].push_back({samples, threshold});
  }
  return rule;
}

VerdictRule from_state(const py::tuple& state) {
  VerdictRule rule;
  rule.options = {state[0].cast<double>(), state[1].cast<std::optional<double>>(),
                  state[2].cast<std::optional<double>>()};
  rule.uncertainty = state[3].cast<double>();
  const auto counts = state[4].cast<std::array<std::size_t, 5>>();
  rule.validation = {counts[0], counts[1], counts[2], counts[3], counts[4]};
  rule.id_scores = state[5].cast<std::vector<double>>();
  // Pickles of versions whose verdicts all decide by U have no more.
  if (state.size() > 6 && !state[6].is_none()) {
    rule.sets = sets_from_state(state[6].cast<py::tuple>());
    rule.options.sets = rule.sets->options;
  }
  return rule;
}

}  // namespace

void bind_verdict(py::module_& module) {
  py::class_<VerdictRule>(module, "VerdictRule")
      .def_readonly("uncertainty", &VerdictRule::uncertainty)
      .def("promise", &promise_of)
      .def("judge", &judge_all, py::arg("prediction"), py::arg("scores"))
      .def("sets", &sets_of, py::arg("prediction"))
      .def(py::pickle(&state_of, &from_state));
  module.def("fit_verdict", &fit_rule, py::arg("prediction"), py::arg("scores"), py::arg("labels"),
             py::arg("eta"), py::arg("alpha"), py::arg("risk_target"), py::arg("risk_confidence"),
             py::arg("sets"));
}

}  // namespace cubcal::python
