#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal_nn/recipe/recipe.h"

// Any text is a recipe or an ArgumentError, and a recipe is the same after writing and reading it:
// a run that is resumed reads its own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = cubcal::parse_recipe(text, "input").text;
  } catch (const cubcal::ArgumentError&) {
    return 0;
  }
  if (cubcal::parse_recipe(written, "written").text != written) std::abort();
  return 0;
}
