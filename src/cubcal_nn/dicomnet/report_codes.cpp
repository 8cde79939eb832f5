#include "cubcal_nn/dicomnet/report_codes.h"

#include <array>
#include <utility>

#include "cubcal_nn/dicomnet/dcmtk_text.h"

namespace cubcal {

namespace {

constexpr std::size_t kLongestMeaning = 64;

constexpr std::array<std::pair<const char*, const char*>, 9> kConcepts = {{
    {"CLASS", "Most probable class"},
    {"U-TOTAL", "Total uncertainty (entropy)"},
    {"U-ALEATORIC", "Aleatoric uncertainty"},
    {"U-EPISTEMIC", "Epistemic uncertainty"},
    {"OOD-P", "p-value of being within scope"},
    {"VERDICT", "Verdict on the answer"},
    {"VERDICT-REASON", "Reason of the verdict"},
    {"PREDICTION-SET", "Classes of the prediction set"},
    {"PASSES", "Stochastic passes"},
}};

DSRBasicCodedEntry own_code(const std::string& value, const std::string& meaning) {
  return {value.c_str(), kCodingScheme, short_text(meaning, kLongestMeaning).c_str()};
}

}  // namespace

DSRBasicCodedEntry class_code(std::size_t index, const std::string& name) {
  return own_code("CLASS-" + std::to_string(index), name);
}

DSRBasicCodedEntry probability_code(std::size_t index, const std::string& name) {
  return own_code("PROBABILITY-" + std::to_string(index), "Probability of " + name);
}

DSRBasicCodedEntry verdict_code(Decision decision) {
  switch (decision) {
    case Decision::kAccept: return own_code("ACCEPT", "Accept the answer");
    case Decision::kOutOfScope: return own_code("OUT-OF-SCOPE", "Unlike the training images");
    default: return own_code("REFER", "Refer to a person");
  }
}

DSRBasicCodedEntry concept_code(const char* value) {
  for (const auto& [known, meaning] : kConcepts) {
    if (known == std::string(value)) return own_code(value, meaning);
  }
  return own_code(value, value);
}

}  // namespace cubcal
