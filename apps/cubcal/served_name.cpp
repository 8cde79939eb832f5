#include "served_name.h"

#include <filesystem>
#include <iostream>

#include "model_warnings.h"

namespace cubcal::app {

NamedFolder named_folder(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign != std::string::npos && word.find('/') > sign) {
    return {word.substr(0, sign), word.substr(sign + 1)};
  }
  namespace fs = std::filesystem;
  fs::path path = fs::absolute(word).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "best" || path.filename() == "last") path = path.parent_path();
  std::string name = path.filename().string().substr(0, 64);
  for (char& each : name) {
    const bool is_plain = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
                          (each >= 'A' && each <= 'Z') || each == '.' || each == '_' ||
                          each == '+' || each == '-';
    if (!is_plain) each = '-';
  }
  return {name, word};
}

void print_served_model(const std::string& name, const ModelFacts& facts) {
  std::cout << "model " << name << ": " << facts.network << ", " << facts.class_names.size()
            << " classes, " << facts.passes << " passes, "
            << (facts.detector ? "verdict by " + *facts.detector : "no OOD detector") << ", "
            << (facts.calibration.empty() ? "not calibrated" : facts.calibration) << ", weights "
            << facts.weights_hash << '\n';
  for (const std::string& warning : model_warnings(facts)) {
    std::cerr << "cubcal: warning: " << warning << '\n';
  }
}

}  // namespace cubcal::app
