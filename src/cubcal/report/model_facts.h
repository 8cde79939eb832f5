#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What record.json and model.json of a run say. Fields that are absent are left out; a file that
/// is not JSON is a DataError that names it.
namespace cubcal::report {

/// A line of the model card.
struct CardRow {
  std::string name;
  std::string value;
};

/// What the page says of the model and of how it was made.
struct ModelFacts {
  std::string method;  ///< of the last stage; empty where it is not known
  std::optional<std::uint64_t> seed;
  std::string data_name;
  std::vector<CardRow> card;
  std::string recipe;
};

struct DescribedModel;

/// Of record.json and model.json; either may be missing (an empty path, null).
ModelFacts model_facts(const std::string& record_path, const DescribedModel* model);

}  // namespace cubcal::report
