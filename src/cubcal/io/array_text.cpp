#include "cubcal/io/array_text.h"

#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/half.h"
#include "cubcal/io/integer_array.h"

namespace cubcal {

std::vector<std::string> texts_of(const NdArray& array) {
  std::vector<std::string> texts(array.size());
  const auto add_number = [](std::string& text, double value) {
    if (!std::isnan(value)) text = to_text(value);
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    switch (array.dtype()) {
      case DType::kBool: texts[i] = array.as<std::uint8_t>()[i] != 0 ? "true" : "false"; break;
      case DType::kF16: add_number(texts[i], to_float(array.as<Half>()[i])); break;
      case DType::kF32: add_number(texts[i], array.as<float>()[i]); break;
      case DType::kF64: add_number(texts[i], array.as<double>()[i]); break;
      default:
        with_integers(array, [&](const auto* values) { texts[i] = std::to_string(values[i]); });
    }
  }
  return texts;
}

std::vector<std::string> read_as_text(const NpzReader& npz, const std::string& name) {
  return npz.peek(name).is_text() ? npz.read_text(name) : texts_of(npz.read(name));
}

}  // namespace cubcal
