#include <nlohmann/json.hpp>

#include "cubcal/boundary/curve.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/core/check.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "cubcal-calibration";
constexpr const char* kMustBe =
    "a calibration must be a JSON object of the format 'cubcal-calibration'";
constexpr int kFormatVersion = 1;
constexpr std::size_t kLargestFile = 1 << 20;

Json box_to_json(const TemperatureBox& box) { return Json::array({box.low, box.high}); }

TemperatureBox box_from_json(const JsonFields& boxes, const char* name) {
  const Json& value = boxes.at(name);
  if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number()) {
    boxes.refuse(name, "a pair of numbers", value);
  }
  const TemperatureBox box{value[0].get<double>(), value[1].get<double>()};
  if (!(box.low > 0 && box.low <= box.high)) {
    throw DataError(std::string("the calibration's field '") + name +
                    "' must run from a positive number up, not from " + to_text(box.low) + " to " +
                    to_text(box.high));
  }
  return box;
}

Calibration from_fields(const Json& json) {
  const JsonFields fields(json, "calibration");
  if (fields.text("format") != kFormat) {
    throw DataError(std::string("the file is not a calibration: its format must be '") + kFormat +
                    "', not '" + fields.text("format") + "'");
  }
  if (fields.count("version") != kFormatVersion) {
    throw DataError("cubcal reads calibration files of version " + std::to_string(kFormatVersion) +
                    ", not " + std::to_string(fields.count("version")));
  }
  Calibration calibration;
  calibration.method = method_from_name(fields.text("method"));
  calibration.classes = fields.count("classes");
  check_classes(calibration.classes);
  const JsonFields thresholds = fields.object("thresholds");
  calibration.thresholds = {thresholds.number("gamma_low"), thresholds.number("gamma_high"),
                            thresholds.number("eta")};
  check_thresholds(calibration.thresholds);
  const JsonFields temperatures = fields.object("temperatures");
  if (is_scalar(calibration.method)) {
    calibration.t_high = calibration.t_low = temperatures.number("t");
    calibration.box_high = calibration.box_low = box_from_json(fields.object("box"), "t");
  } else {
    calibration.t_high = temperatures.number("t_high");
    calibration.t_low = temperatures.number("t_low");
    calibration.box_high = box_from_json(fields.object("box"), "t_high");
    calibration.box_low = box_from_json(fields.object("box"), "t_low");
  }
  check_positive("temperature", calibration.t_high);
  check_positive("temperature", calibration.t_low);
  const JsonFields objective = fields.object("objective");
  calibration.gamma = objective.number("gamma");
  check_gamma(calibration.gamma, calibration.classes);
  calibration.bins = objective.count("bins");
  check_at_least("bins", static_cast<double>(calibration.bins), 1);
  calibration.objective_before = objective.number("before");
  calibration.objective_after = objective.number("after");
  if (objective.has("nll_tolerance")) {
    calibration.nll_tolerance = objective.number("nll_tolerance");
    check_at_least("nll_tolerance", *calibration.nll_tolerance, 0);
  }
  const JsonFields fitted_on = fields.object("fitted_on");
  calibration.samples = fitted_on.count("samples");
  calibration.share_sharpened = fitted_on.number("share_sharpened");
  check_in_closed("share_sharpened", calibration.share_sharpened, 0, 1);
  if (fitted_on.has("weights_hash")) calibration.weights_hash = fitted_on.text("weights_hash");
  if (fitted_on.has("data_hash")) calibration.data_hash = fitted_on.text("data_hash");
  return calibration;
}

}  // namespace

std::string calibration_to_json(const Calibration& calibration) {
  const bool scalar = is_scalar(calibration.method);
  Json json;
  json["format"] = kFormat;
  json["version"] = kFormatVersion;
  json["method"] = method_name(calibration.method);
  json["classes"] = calibration.classes;
  json["thresholds"] = {{"gamma_low", calibration.thresholds.gamma_low},
                        {"gamma_high", calibration.thresholds.gamma_high},
                        {"eta", calibration.thresholds.eta}};
  if (scalar) {
    json["temperatures"] = {{"t", calibration.t_high}};
    json["box"] = {{"t", box_to_json(calibration.box_high)}};
  } else {
    json["temperatures"] = {{"t_high", calibration.t_high}, {"t_low", calibration.t_low}};
    json["box"] = {{"t_high", box_to_json(calibration.box_high)},
                   {"t_low", box_to_json(calibration.box_low)}};
  }
  json["objective"] = {{"name", calibration.method == CalibrationMethod::kTsNll ? "nll" : "bcce"},
                       {"gamma", calibration.gamma},
                       {"bins", calibration.bins},
                       {"before", calibration.objective_before},
                       {"after", calibration.objective_after}};
  if (calibration.nll_tolerance) json["objective"]["nll_tolerance"] = *calibration.nll_tolerance;
  json["fitted_on"] = {{"samples", calibration.samples},
                       {"share_sharpened", calibration.share_sharpened}};
  if (!calibration.weights_hash.empty()) {
    json["fitted_on"]["weights_hash"] = calibration.weights_hash;
  }
  if (!calibration.data_hash.empty()) json["fitted_on"]["data_hash"] = calibration.data_hash;
  return json.dump(2) + "\n";
}

Calibration calibration_from_json(const std::string& text) {
  try {
    return from_fields(parse_json(text, std::string(kMustBe) + ", and this text"));
  } catch (const Json::exception&) {
    throw DataError(kMustBe);
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the calibration is not usable: ") + error.what());
  }
}

std::string calibration_hash(const std::optional<Calibration>& calibration) {
  if (!calibration) return "";
  ContentHash hash;
  hash.add(calibration_to_json(*calibration));
  return hash.text();
}

void save_calibration(const std::string& path, const Calibration& calibration) {
  write_file_atomically(path, calibration_to_json(calibration));
}

Calibration load_calibration(const std::string& path) {
  try {
    return calibration_from_json(read_text_file(path, kLargestFile));
  } catch (const DataError& error) {
    throw DataError(path + ": " + error.what());
  }
}

}  // namespace cubcal
