#include "import_command.h"

#include <cstdio>
#include <filesystem>
#include <sstream>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/text_encoding.h"
#include "cubcal/record/model_paths.h"
#include "cubcal_nn/infer/model_change.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "text_lines.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kLargestNames = std::size_t{1} << 20;  // bytes of a file of class names

struct InputSize {
  std::int64_t channels, height, width;
};

InputSize input_size(const ImportCommand& command) {
  if (command.input.empty()) return {command.channels, command.size, command.size};
  InputSize size{};
  int end = 0;
  const int read = std::sscanf(command.input.c_str(), "%4ldx%5ldx%5ld%n", &size.channels,
                               &size.height, &size.width, &end);
  const bool is_whole = read == 3 && static_cast<std::size_t>(end) == command.input.size();
  const auto fits = [](std::int64_t side) { return side >= 8 && side <= 2048; };
  if (!is_whole || (size.channels != 1 && size.channels != 3) || !fits(size.height) ||
      !fits(size.width)) {
    throw ArgumentError(
        "--input must be channels x height x width, as 3x224x224, with 1 or 3 channels and sides "
        "of 8 to 2048, not '" +
        command.input + "'");
  }
  return size;
}

/// A single name that is a file's holds the names, a line each.
std::vector<std::string> given_class_names(const ImportCommand& command) {
  if (command.class_names.size() != 1 ||
      !std::filesystem::is_regular_file(command.class_names.front())) {
    return command.class_names;
  }
  const std::string& file = command.class_names.front();
  std::istringstream lines(
      decode_text(read_text_file(file, kLargestNames), TextEncoding::kAuto, file).text);
  std::vector<std::string> names;
  for_each_line(lines, [&](const std::string& line) {
    const std::string name = trimmed_cell(line);
    if (!name.empty()) names.push_back(name);
  });
  return names;
}

}  // namespace

Preprocessing preprocessing_of(const ImportCommand& command) {
  const InputSize size = input_size(command);
  Preprocessing result;
  result.height = size.height;
  result.width = size.width;
  result.mean = command.mean;
  result.standard_deviation = command.standard_deviation;
  if (command.mean.empty() != command.standard_deviation.empty()) {
    throw ArgumentError("--mean and --std go together");
  }
  if (command.mean.empty()) {
    if (size.channels != 3) {
      throw ArgumentError("--mean and --std are needed for images that have no 3 channels");
    }
    result.mean = kImageNetMean;
    result.standard_deviation = kImageNetDeviation;
  }
  for (const double mean : result.mean) {
    if (mean >= 0 && mean <= 1) continue;
    throw ArgumentError("--mean is of pixels from 0 to 1, and " + to_text(mean) +
                        " is not: divide what is of pixels up to 255 by 255, and --std as well");
  }
  for (const double deviation : result.standard_deviation) {
    if (deviation > 0 && deviation <= 1) continue;
    throw ArgumentError("--std is of pixels from 0 to 1, above 0 and at most 1, not " +
                        to_text(deviation));
  }
  const auto channels = static_cast<std::size_t>(size.channels);
  if (result.mean.size() != channels || result.standard_deviation.size() != channels) {
    throw ArgumentError("--mean and --std need one number per channel, which are " +
                        std::to_string(channels));
  }
  return result;
}

std::vector<std::string> class_names_of(const ImportCommand& command) {
  std::vector<std::string> given = given_class_names(command);
  if (!given.empty()) {
    if (command.classes > 0 && given.size() != command.classes) {
      throw ArgumentError("--class-names names " + std::to_string(given.size()) +
                          " classes, and --classes says " + std::to_string(command.classes));
    }
    return given;
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < command.classes; ++k) names.push_back("class " + std::to_string(k));
  return names;
}

void check_target(const ImportCommand& command) {
  const ModelPaths there{resolved_model_folder(command.output)};
  if (!command.force && std::filesystem::exists(there.description())) {
    throw ArgumentError("'" + command.output + "' holds a model: --force replaces it");
  }
}

void write_import(const ImportCommand& command, const ModelDescription& description,
                  const Network& network) {
  make_folders(command.output);
  const ModelChange change(command.output);
  check_target(command);
  save_model(command.output, description, network);
  remove_detector(command.output);
}

}  // namespace cubcal::app
