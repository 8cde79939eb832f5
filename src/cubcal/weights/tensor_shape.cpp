#include "cubcal/weights/tensor_shape.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"

namespace cubcal {

using nlohmann::json;

std::vector<std::size_t> parse_shape(const json& entry, const std::string& where) {
  std::vector<std::size_t> shape;
  bool counts = entry.is_array();
  for (std::size_t i = 0; counts && i < entry.size(); ++i) {
    counts = entry[i].is_number_unsigned();
    if (counts) shape.push_back(entry[i].get<std::size_t>());
  }
  if (!counts) {
    throw DataError("the shape of " + where + " is not a list of non-negative integers");
  }
  return shape;
}

}  // namespace cubcal
