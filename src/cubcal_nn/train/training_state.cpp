#include "cubcal_nn/train/training_state.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"

namespace cubcal {

using nlohmann::json;

namespace {

json sums_to_json(const LossTerms& sums) {
  json own = json::object();
  for (const auto& [key, value] : sums.own) own[key] = value;
  return {{"loss", sums.loss},
          {"cross_entropy", sums.cross_entropy},
          {"kl", sums.kl},
          {"correct", sums.correct},
          {"own", own}};
}

LossTerms sums_from_json(const json& object) {
  LossTerms sums{
      object.at("loss"), object.at("cross_entropy"), object.at("kl"), object.at("correct"), {}};
  for (const auto& [key, value] : object.at("own").items()) sums.own.emplace_back(key, value);
  return sums;
}

/// What version 1 had in place of names; each objective finds its own state by its key.
void read_version_1(const json& object, TrainingState& state) {
  const json& list = object.at("sums");
  state.sums = {
      list.at(0), list.at(1), list.at(2), list.at(5), {{"cub", list.at(3)}, {"avuc", list.at(4)}}};
  state.objective = {{"beta", object.at("beta")}, {"avuc", object.at("avuc")}};
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
          {"sums", sums_to_json(state.sums)},
          {"images", state.images},
          {"objective", state.objective},
          {"early_stop", stop_to_json(state.early_stop)},
          {"stage_seconds", state.stage_seconds},
          {"finished", finished},
          {"metrics_bytes", state.metrics_bytes},
          {"events_bytes", state.events_bytes}};
}

TrainingState training_state_from_json(const json& object, int version) {
  try {
    TrainingState state;
    object.at("stage").get_to(state.stage);
    object.at("epoch").get_to(state.epoch);
    object.at("step").get_to(state.step);
    if (version == 1) {
      read_version_1(object, state);
    } else {
      state.sums = sums_from_json(object.at("sums"));
      state.objective = object.at("objective");
    }
    object.at("images").get_to(state.images);
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
