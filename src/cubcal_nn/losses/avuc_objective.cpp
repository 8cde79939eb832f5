#include "cubcal_nn/losses/avuc_objective.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"

namespace cubcal {

using nlohmann::json;

namespace {

constexpr const char* kAvuc = "avuc";

}  // namespace

AvucObjective::AvucObjective(const AvucOptions& options) : weight_(options.weight) {
  threshold_.epochs = options.threshold_epochs;
}

std::unique_ptr<Objective> AvucObjective::clone() const {
  return std::make_unique<AvucObjective>(*this);
}

StepLoss AvucObjective::evaluate(const StepInput& input) const {
  const at::Tensor avuc = avuc_loss(input.prediction, input.labels, input.scalars[0]);
  return {input.cross_entropy + weight_ * avuc,
          {avuc},
          uncertainty_sums(input.prediction, input.labels)};
}

std::vector<TermName> AvucObjective::terms() const { return {{kAvuc, "AvUC loss"}}; }

std::vector<double> AvucObjective::scalars() const { return {threshold_.value}; }

void AvucObjective::observe(const StepNumbers& numbers) {
  threshold_.observe(to_uncertainty_sums(numbers.observed.data(), numbers.batch));
}

void AvucObjective::end_epoch() { threshold_.end_epoch(); }

void AvucObjective::read_options(OptionReader& reader) {
  reader.read("avuc_weight", weight_);
  reader.read("avuc_threshold_epochs", threshold_.epochs);
}

void AvucObjective::check(const ObjectiveUse&) const {
  check_at_least("avuc_weight", weight_, 0);
  check_at_least("avuc_threshold_epochs", threshold_.epochs, 0);
}

json AvucObjective::state() const {
  return {{kAvuc,
           {{"value", threshold_.value},
            {"finished_epochs", threshold_.finished_epochs},
            {"correct_sum", threshold_.correct_sum},
            {"incorrect_sum", threshold_.incorrect_sum},
            {"correct_count", threshold_.correct_count},
            {"incorrect_count", threshold_.incorrect_count}}}};
}

void AvucObjective::restore(const json& state) {
  const json& object = state.at(kAvuc);
  object.at("value").get_to(threshold_.value);
  object.at("finished_epochs").get_to(threshold_.finished_epochs);
  object.at("correct_sum").get_to(threshold_.correct_sum);
  object.at("incorrect_sum").get_to(threshold_.incorrect_sum);
  object.at("correct_count").get_to(threshold_.correct_count);
  object.at("incorrect_count").get_to(threshold_.incorrect_count);
}

NamedNumbers AvucObjective::values() const { return {{"avuc_threshold", threshold_.value}}; }

std::string AvucObjective::summary(const LossTerms& means) const {
  return "AvUC " + fixed(number_named(means.own, kAvuc), 3);
}

}  // namespace cubcal
