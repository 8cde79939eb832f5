#include "cubcal_nn/train/training_state.h"

#include <nlohmann/json.hpp>

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

LossTerms sums_from_json(const JsonFields& fields) {
  LossTerms sums{fields.number("loss"),
                 fields.number("cross_entropy"),
                 fields.number("kl"),
                 fields.number("correct"),
                 {}};
  for (const auto& [key, value] : fields.named_numbers("own")) sums.own.emplace_back(key, value);
  return sums;
}

/// What version 1 had in place of names; each objective finds its own state by its key.
void read_version_1(const JsonFields& fields, TrainingState& state) {
  const std::vector<double> list = fields.numbers("sums");
  if (list.size() != 6) fields.refuse("sums", "a list of 6 numbers", fields.at("sums"));
  state.sums = {list[0], list[1], list[2], list[5], {{"cub", list[3]}, {"avuc", list[4]}}};
  state.objective = {{"beta", fields.at("beta")}, {"avuc", fields.at("avuc")}};
}

/// Epochs, steps, images: nothing that is counted on from there leaves 64 bits.
std::int64_t counted(const JsonFields& fields, const char* name) {
  constexpr std::size_t kMost = 1'000'000'000'000;
  return static_cast<std::int64_t>(fields.count(name, 0, kMost));
}

/// -1 where there is none.
std::int64_t best_epoch(const JsonFields& fields) {
  return fields.whole_number("best_epoch") == -1 ? -1 : counted(fields, "best_epoch");
}

json stop_to_json(const EarlyStop& stop) {
  return {{"best", stop.best ? json(*stop.best) : json(nullptr)},
          {"best_epoch", stop.best_epoch},
          {"epochs_since_best", stop.epochs_since_best}};
}

EarlyStop stop_from_json(const JsonFields& fields) {
  return {fields.number_or_null("best"), best_epoch(fields), counted(fields, "epochs_since_best")};
}

json result_to_json(const StageResult& result) {
  return {{"epochs", result.epochs},
          {"best_epoch", result.best_epoch},
          {"best", result.best},
          {"stopped_early", result.stopped_early},
          {"seconds", result.seconds}};
}

StageResult result_from_json(const JsonFields& fields) {
  return {counted(fields, "epochs"), best_epoch(fields), fields.number("best"),
          fields.flag("stopped_early"), fields.number("seconds")};
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

TrainingState training_state_from_json(const JsonFields& fields, std::int64_t version) {
  TrainingState state;
  state.stage = counted(fields, "stage");
  state.epoch = counted(fields, "epoch");
  state.step = counted(fields, "step");
  if (version == 1) {
    read_version_1(fields, state);
  } else {
    state.sums = sums_from_json(fields.object("sums"));
    state.objective = fields.at("objective");
  }
  if (state.objective.is_null() && (state.epoch > 0 || state.step > 0)) {
    fields.refuse("objective", "the state of the loss", fields.at("objective"));
  }
  state.images = counted(fields, "images");
  state.early_stop = stop_from_json(fields.object("early_stop"));
  state.stage_seconds = fields.number("stage_seconds");
  for (const JsonFields& result : fields.objects("finished")) {
    state.finished.push_back(result_from_json(result));
  }
  if (static_cast<std::int64_t>(state.finished.size()) != state.stage) {
    fields.refuse("stage",
                  "the number of finished stages, " + std::to_string(state.finished.size()),
                  fields.at("stage"));
  }
  state.metrics_bytes = fields.count("metrics_bytes");
  state.events_bytes = fields.count("events_bytes");
  return state;
}

}  // namespace cubcal
