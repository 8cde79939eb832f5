#include "cubcal/record/epoch_record.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cubcal/core/error.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/record_limits.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostStages = 1000;
/// JSON counts exactly up to here.
constexpr double kMostCount = 9007199254740992.0;

struct NumberField {
  const char* name;
  double EpochRecord::*place;
};

constexpr NumberField kBeforeObjective[] = {{"learning_rate", &EpochRecord::learning_rate},
                                            {"loss", &EpochRecord::loss},
                                            {"cross_entropy", &EpochRecord::cross_entropy},
                                            {"kl", &EpochRecord::kl},
                                            {"kl_share", &EpochRecord::kl_share}};
constexpr NumberField kAfterObjective[] = {{"train_accuracy", &EpochRecord::train_accuracy},
                                           {"seconds", &EpochRecord::seconds}};
constexpr NumberField kSigma[] = {{"mean", &EpochRecord::sigma_mean},
                                  {"smallest", &EpochRecord::sigma_smallest},
                                  {"largest", &EpochRecord::sigma_largest},
                                  {"noise_to_signal", &EpochRecord::noise_to_signal}};

/// Before lines named the terms of their loss there were two.
std::vector<std::pair<std::string, std::string>> terms_of(const Json& line) {
  const auto found = line.find("terms");
  if (found == line.end()) return {{"cub", "CUB-Loss"}, {"avuc", "AvUC loss"}};
  std::vector<std::pair<std::string, std::string>> terms;
  for (const auto& [name, title] : found->items()) {
    if (title.is_string()) terms.emplace_back(name, title.get<std::string>());
  }
  return terms;
}

double number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : EpochRecord::kUnknown;
}

std::int64_t count_in(const Json& json, const char* name, double least, double most) {
  const double value = number_in(json, name);
  if (std::isnan(value)) return static_cast<std::int64_t>(least);
  if (value < least || value > most) {
    throw DataError("its field '" + std::string(name) + "' is out of bounds");
  }
  return static_cast<std::int64_t>(value);
}

template <std::size_t N>
bool is_one_of(const NumberField (&fields)[N], const std::string& name) {
  return std::any_of(std::begin(fields), std::end(fields),
                     [&](const NumberField& field) { return field.name == name; });
}

bool is_objective(const std::string& name) {
  for (const char* own : {"stage", "epoch", "step", "terms", "sigma", "validation", "best"}) {
    if (name == own) return false;
  }
  return !is_one_of(kBeforeObjective, name) && !is_one_of(kAfterObjective, name);
}

EpochRecord epoch_of(const Json& line) {
  if (!line.is_object()) throw DataError("it is not a JSON object");
  EpochRecord epoch;
  epoch.stage = count_in(line, "stage", 1, kMostStages);
  epoch.epoch = count_in(line, "epoch", 0, kMostCount);
  epoch.steps = count_in(line, "step", 0, kMostCount);
  for (const NumberField& field : kBeforeObjective)
    epoch.*field.place = number_in(line, field.name);
  for (const NumberField& field : kAfterObjective) epoch.*field.place = number_in(line, field.name);
  for (const auto& [name, value] : line.items()) {
    if (value.is_number() && is_objective(name)) {
      epoch.objective.emplace_back(name, value.get<double>());
    }
  }
  epoch.terms = terms_of(line);
  if (const auto sigma = line.find("sigma"); sigma != line.end() && sigma->is_object()) {
    for (const NumberField& field : kSigma) epoch.*field.place = number_in(*sigma, field.name);
  }
  if (const auto found = line.find("validation"); found != line.end() && found->is_object()) {
    for (const auto& [name, value] : found->items()) {
      epoch.validation.emplace_back(
          name, value.is_number() ? value.get<double>() : EpochRecord::kUnknown);
    }
  }
  epoch.best = line.find("best") != line.end() && line.at("best") == true;
  return epoch;
}

}  // namespace

std::map<std::string, double> EpochRecord::values() const {
  std::map<std::string, double> values;
  const auto add = [&values](const std::string& name, double value) {
    if (!std::isnan(value)) values.emplace(name, value);
  };
  for (const NumberField& field : kBeforeObjective) add(field.name, this->*field.place);
  for (const NumberField& field : kAfterObjective) add(field.name, this->*field.place);
  for (const NumberField& field : kSigma) {
    add(std::string("sigma.") + field.name, this->*field.place);
  }
  for (const auto& [name, value] : objective) add(name, value);
  for (const auto& [name, value] : validation) add("validation." + name, value);
  return values;
}

std::string epoch_line(const EpochRecord& epoch) {
  Json line;
  line["stage"] = epoch.stage;
  line["epoch"] = epoch.epoch;
  line["step"] = epoch.steps;
  for (const NumberField& field : kBeforeObjective) line[field.name] = epoch.*field.place;
  for (const auto& [name, value] : epoch.objective) line[name] = value;
  line["terms"] = Json::object();
  for (const auto& [name, title] : epoch.terms) line["terms"][name] = title;
  line["train_accuracy"] = epoch.train_accuracy;
  for (const NumberField& field : kSigma) line["sigma"][field.name] = epoch.*field.place;
  line["validation"] = Json::object();
  for (const auto& [name, value] : epoch.validation) line["validation"][name] = value;
  line["best"] = epoch.best;
  line["seconds"] = epoch.seconds;
  return line.dump() + "\n";
}

std::vector<EpochRecord> read_epochs(const std::string& path) {
  std::istringstream lines(read_text_file(path, kMostRecordBytes));
  std::vector<EpochRecord> epochs;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    const std::string name = "line " + std::to_string(number) + " of '" + path + "'";
    Json json;
    try {
      json = parse_json(line, name);
    } catch (const DataError&) {
      if (lines.eof()) break;  // a training that was killed left it short
      throw;
    }
    try {
      epochs.push_back(epoch_of(json));
    } catch (const DataError& error) {
      throw DataError(name + " does not describe an epoch: " + error.what());
    }
  }
  if (lines.bad()) throw std::bad_alloc();  // all that can go wrong with text in memory
  return epochs;
}

}  // namespace cubcal
