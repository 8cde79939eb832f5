#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/calibration/calibration.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using Json = nlohmann::ordered_json;
using test::expect_error;
using test::LogitSet;
using test::random_logits;

void expect_equal(const Calibration& a, const Calibration& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.thresholds.gamma_low, b.thresholds.gamma_low);
  EXPECT_EQ(a.thresholds.gamma_high, b.thresholds.gamma_high);
  EXPECT_EQ(a.thresholds.eta, b.thresholds.eta);
  EXPECT_EQ(a.t_high, b.t_high);
  EXPECT_EQ(a.t_low, b.t_low);
  EXPECT_EQ(a.box_high.low, b.box_high.low);
  EXPECT_EQ(a.box_high.high, b.box_high.high);
  EXPECT_EQ(a.box_low.low, b.box_low.low);
  EXPECT_EQ(a.box_low.high, b.box_low.high);
  EXPECT_EQ(a.gamma, b.gamma);
  EXPECT_EQ(a.bins, b.bins);
  EXPECT_EQ(a.nll_tolerance, b.nll_tolerance);
  EXPECT_EQ(a.objective_before, b.objective_before);
  EXPECT_EQ(a.objective_after, b.objective_after);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.share_sharpened, b.share_sharpened);
}

Calibration fitted(CalibrationMethod method) {
  const LogitSet set = random_logits({}, 1);
  FitOptions options;
  options.method = method;
  options.grid = 21;
  return fit_calibration(set.view(), set.labels, options).calibration;
}

Json valid(CalibrationMethod method = CalibrationMethod::kDtsGuarded) {
  return Json::parse(calibration_to_json(fitted(method)));
}

void expect_refused(const Json& json, const std::string& words) {
  expect_error<DataError>([&] { calibration_from_json(json.dump()); }, words);
}

TEST(CalibrationJson, KeepsEveryNumberOfEveryMethod) {
  for (const CalibrationMethod method : kCalibrationMethods) {
    const Calibration calibration = fitted(method);
    expect_equal(calibration_from_json(calibration_to_json(calibration)), calibration);
  }
  Calibration odd = fitted(CalibrationMethod::kDts);
  odd.t_high = 0.1 + 0.2;
  odd.t_low = 1.7976931348623157e308;
  odd.box_high = {5e-324, 1.0 / 3};
  odd.objective_before = 1e-300 / 3;
  odd.objective_after = 1e22;
  odd.samples = 4294967295;
  expect_equal(calibration_from_json(calibration_to_json(odd)), odd);
}

TEST(CalibrationJson, SaysWhatItWasFittedOn) {
  Calibration calibration = fitted(CalibrationMethod::kDts);
  EXPECT_FALSE(Json::parse(calibration_to_json(calibration))["fitted_on"].contains("data_hash"));
  calibration.data_hash = "0123456789abcdef";
  EXPECT_EQ(calibration_from_json(calibration_to_json(calibration)).data_hash, "0123456789abcdef");
  EXPECT_EQ(calibration_from_json(valid().dump()).data_hash, "") << "a file of before";
}

TEST(CalibrationJson, KeepsWholeNumberedDoubles) {
  Json json = valid();
  json["temperatures"]["t_low"] = 2;
  EXPECT_EQ(calibration_from_json(json.dump()).t_low, 2.0);
}

TEST(CalibrationJson, GoesThroughAFile) {
  const std::string path = testing::TempDir() + "cubcal_calibration_json_test.json";
  const Calibration calibration = fitted(CalibrationMethod::kDtsGuarded);
  save_calibration(path, calibration);
  expect_equal(load_calibration(path), calibration);
  std::ofstream(path) << "[]";
  expect_error<DataError>([&] { load_calibration(path); },
                          path + ": a calibration needs the field 'format'");
  std::ofstream(path) << std::string((1 << 20) + 1, ' ');
  EXPECT_THROW(load_calibration(path), DataError);
  std::remove(path.c_str());
  EXPECT_THROW(load_calibration(path), IoError);
}

TEST(CalibrationJson, NamesAMissingField) {
  for (const CalibrationMethod method : {CalibrationMethod::kTsNll, CalibrationMethod::kDts}) {
    const Json whole = valid(method);
    for (const auto& item : whole.items()) {
      Json json = whole;
      json.erase(item.key());
      expect_refused(json, "a calibration needs the field '" + item.key() + "'");
      if (!item.value().is_object()) continue;
      for (const auto& inner : item.value().items()) {
        if (inner.key() == "name") continue;  // says what the numbers are, and follows from method
        json = whole;
        json[item.key()].erase(inner.key());
        expect_refused(json, "a calibration needs the field '" + inner.key() + "'");
      }
    }
  }
}

TEST(CalibrationJson, NamesAFieldOfTheWrongType) {
  const Json whole = valid();
  for (const Json& wrong :
       {Json(nullptr), Json(Json::array({"x"})), Json(Json::object()), Json(true), Json(-3.5)}) {
    for (const auto& item : whole.items()) {
      Json json = whole;
      json[item.key()] = wrong;
      expect_error<DataError>([&] { calibration_from_json(json.dump()); }, "'");
      if (!item.value().is_object()) continue;
      for (const auto& inner : item.value().items()) {
        if (inner.key() == "name" || wrong.is_number()) continue;
        json = whole;
        json[item.key()][inner.key()] = wrong;
        expect_refused(json, "'" + inner.key() + "'");
      }
    }
  }
  Json json = whole;
  json["temperatures"]["t_high"] = "1";
  expect_refused(json, "the calibration's field 't_high' must be a number, not string");
  json = whole;
  json["classes"] = 3.5;
  expect_refused(json, "the calibration's field 'classes' must be a whole number from 0 on");
  json = whole;
  json["box"]["t_low"] = {1, 2, 3};
  expect_refused(json, "the calibration's field 't_low' must be a pair of numbers");
}

TEST(CalibrationJson, RefusesOtherFormatsAndVersions) {
  Json json = valid();
  json["format"] = "cubcal-model";
  expect_refused(json, "its format must be 'cubcal-calibration', not 'cubcal-model'");
  json = valid();
  json["version"] = 2;
  expect_refused(json, "cubcal reads calibration files of version 1, not 2");
}

TEST(CalibrationJson, RefusesValuesOutsideTheirDomain) {
  const auto refused = [](const char* outer, const char* inner, const Json& value,
                          const std::string& words) {
    Json json = valid();
    json[outer][inner] = value;
    expect_refused(json, words);
  };
  refused("temperatures", "t_high", -0.5, "temperature must be a positive number, not -0.5");
  refused("temperatures", "t_low", 0, "temperature must be a positive number, not 0");
  refused("thresholds", "eta", -1, "eta must be a positive number, not -1");
  refused("thresholds", "gamma_low", 1.5, "gamma_low must be in (0, 1), not 1.5");
  refused("thresholds", "gamma_high", 0.1, "gamma_high must be in [");
  refused("objective", "gamma", 7, "gamma must be in [");
  refused("objective", "bins", 0, "bins must be at least 1, not 0");
  refused("objective", "nll_tolerance", -0.1, "nll_tolerance must be at least 0, not -0.1");
  refused("fitted_on", "share_sharpened", 1.5, "share_sharpened must be in [0, 1], not 1.5");
  refused("box", "t_low", {2, 1}, "'t_low' must run from a positive number up, not from 2 to 1");
  refused("box", "t_high", {0, 1}, "'t_high' must run from a positive number up, not from 0 to 1");
  Json json = valid();
  json["classes"] = 1;
  expect_refused(json, "the number of classes must be at least 2, not 1");
  json = valid();
  json["method"] = "isotonic";
  expect_refused(
      json, "the calibration method must be ts-nll, ts-bcce, dts or dts-guarded, not 'isotonic'");
}

TEST(CalibrationJson, RefusesWhatIsNoJson) {
  const std::string words = "a calibration must be a JSON object";
  for (const char* text : {"", "{", "nonsense", "{\"format\": \"\xff\"}", "{\"version\": 1e999}",
                           "\xef\xbb\xbf{", "{} {}", "{\"a\": NaN}"}) {
    expect_error<DataError>([&] { calibration_from_json(text); }, words);
  }
  for (const char* text : {"[]", "null", "3", "\"format\"", "{}"}) {
    expect_error<DataError>([&] { calibration_from_json(text); }, "needs the field 'format'");
  }
}

TEST(CalibrationJson, SurvivesDeepNesting) {
  const std::string open(200000, '[');
  expect_error<DataError>([&] { calibration_from_json(open); }, "must be a JSON object");
  const std::string closed = open + std::string(200000, ']');
  expect_error<DataError>([&] { calibration_from_json(closed); }, "nested too deeply");
  std::string objects;
  for (int i = 0; i < 50000; ++i) objects += "{\"format\":";
  expect_error<DataError>([&] { calibration_from_json(objects); }, "must be a JSON object");
}

/// Reading either works or ends in a DataError; everything else lets the test fail.
void read_hostile(const std::string& text) {
  try {
    calibration_from_json(text);
  } catch (const DataError&) {
  }
}

TEST(CalibrationJson, SurvivesTruncationAndDamage) {
  const std::string text = calibration_to_json(fitted(CalibrationMethod::kDtsGuarded));
  for (std::size_t length = 0; length < text.size() - 2; ++length) {
    EXPECT_THROW(calibration_from_json(text.substr(0, length)), DataError);
  }
  SeedStream stream(1, 1);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    std::string damaged = text;
    for (std::uint32_t edits = 1 + stream.below(3); edits > 0; --edits) {
      const std::size_t at = stream.below(static_cast<std::uint32_t>(damaged.size()));
      const char* replacements = "0123456789-+.eE\"{}[]:,xN\\";
      damaged[at] = stream.below(4) == 0 ? static_cast<char>(stream.below(256))
                                         : replacements[stream.below(25)];
    }
    EXPECT_NO_THROW(read_hostile(damaged)) << damaged;
  }
}

}  // namespace
}  // namespace cubcal
