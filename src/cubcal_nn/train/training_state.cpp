#include "cubcal_nn/train/training_state.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"

namespace cubcal {

using nlohmann::json;

namespace {

json terms_to_json(const LossTerms& terms) {
  return {terms.loss, terms.cross_entropy, terms.kl, terms.cub, terms.avuc, terms.correct};
}

LossTerms terms_from_json(const json& list) {
  return {list.at(0), list.at(1), list.at(2), list.at(3), list.at(4), list.at(5)};
}

json beta_to_json(const BetaSchedule::State& state) {
  return {{"epoch", state.epoch},   {"current", state.current}, {"data_sum", state.data_sum},
          {"kl_sum", state.kl_sum}, {"cub_sum", state.cub_sum}, {"steps", state.steps}};
}

BetaSchedule::State beta_from_json(const json& object) {
  BetaSchedule::State state;
  object.at("epoch").get_to(state.epoch);
  object.at("current").get_to(state.current);
  object.at("data_sum").get_to(state.data_sum);
  object.at("kl_sum").get_to(state.kl_sum);
  object.at("cub_sum").get_to(state.cub_sum);
  object.at("steps").get_to(state.steps);
  return state;
}

json avuc_to_json(const AvucThreshold& avuc) {
  return {{"value", avuc.value},
          {"epochs", avuc.epochs},
          {"finished_epochs", avuc.finished_epochs},
          {"correct_sum", avuc.correct_sum},
          {"incorrect_sum", avuc.incorrect_sum},
          {"correct_count", avuc.correct_count},
          {"incorrect_count", avuc.incorrect_count}};
}

AvucThreshold avuc_from_json(const json& object) {
  AvucThreshold avuc;
  object.at("value").get_to(avuc.value);
  object.at("epochs").get_to(avuc.epochs);
  object.at("finished_epochs").get_to(avuc.finished_epochs);
  object.at("correct_sum").get_to(avuc.correct_sum);
  object.at("incorrect_sum").get_to(avuc.incorrect_sum);
  object.at("correct_count").get_to(avuc.correct_count);
  object.at("incorrect_count").get_to(avuc.incorrect_count);
  return avuc;
}

json stop_to_json(const EarlyStop& stop) {
  return {{"best", stop.best ? json(*stop.best) : json(nullptr)},
          {"best_epoch", stop.best_epoch},
          {"epochs_since_best", stop.epochs_since_best}};
}

EarlyStop stop_from_json(const json& object) {
  EarlyStop stop;
  if (!object.at("best").is_null()) stop.best = object.at("best").get<double>();
  object.at("best_epoch").get_to(stop.best_epoch);
  object.at("epochs_since_best").get_to(stop.epochs_since_best);
  return stop;
}

json result_to_json(const StageResult& result) {
  return {{"epochs", result.epochs},
          {"best_epoch", result.best_epoch},
          {"best", result.best},
          {"stopped_early", result.stopped_early},
          {"seconds", result.seconds}};
}

StageResult result_from_json(const json& object) {
  return {object.at("epochs"), object.at("best_epoch"), object.at("best"),
          object.at("stopped_early"), object.at("seconds")};
}

}  // namespace

json to_json(const TrainingState& state) {
  json finished = json::array();
  for (const StageResult& result : state.finished) finished.push_back(result_to_json(result));
  return {{"stage", state.stage},
          {"epoch", state.epoch},
          {"step", state.step},
          {"sums", terms_to_json(state.sums)},
          {"images", state.images},
          {"beta", beta_to_json(state.beta)},
          {"avuc", avuc_to_json(state.avuc)},
          {"early_stop", stop_to_json(state.early_stop)},
          {"stage_seconds", state.stage_seconds},
          {"finished", finished},
          {"metrics_bytes", state.metrics_bytes},
          {"events_bytes", state.events_bytes}};
}

TrainingState training_state_from_json(const json& object) {
  try {
    TrainingState state;
    object.at("stage").get_to(state.stage);
    object.at("epoch").get_to(state.epoch);
    object.at("step").get_to(state.step);
    state.sums = terms_from_json(object.at("sums"));
    object.at("images").get_to(state.images);
    state.beta = beta_from_json(object.at("beta"));
    state.avuc = avuc_from_json(object.at("avuc"));
    state.early_stop = stop_from_json(object.at("early_stop"));
    object.at("stage_seconds").get_to(state.stage_seconds);
    for (const json& result : object.at("finished")) {
      state.finished.push_back(result_from_json(result));
    }
    object.at("metrics_bytes").get_to(state.metrics_bytes);
    object.at("events_bytes").get_to(state.events_bytes);
    return state;
  } catch (const json::exception& error) {
    throw DataError(std::string("the state of the checkpoint cannot be read: ") + error.what());
  }
}

}  // namespace cubcal
