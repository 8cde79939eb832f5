#include "model_data.h"

#include <charconv>
#include <iostream>

#include "cubcal/core/error.h"
#include "cubcal/data/npz_set.h"
#include "cubcal/data/phantom.h"
#include "cubcal/infer/content_hash.h"

namespace cubcal::app {

namespace {

const std::string kPhantom = "phantom";

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end) {
    throw ArgumentError("--data phantom:SEED needs a whole number from 0 on, not '" + text + "'");
  }
  return seed;
}

ImageSet phantom_set(const std::string& data, const Provenance& provenance) {
  PhantomOptions options = provenance.phantom.value_or(PhantomOptions{});
  if (data.size() > kPhantom.size()) options.seed = parse_seed(data.substr(kPhantom.size() + 1));
  const bool is_the_models = provenance.phantom && options.seed == provenance.phantom->seed;
  ImageSet set = make_phantom_set(options).set;
  if (is_the_models && !provenance.data_hash.empty() && content_hash(set) != provenance.data_hash) {
    std::cerr << "cubcal: the phantom set drawn here differs from the one the model was trained on "
                 "(another version or math library); splits may overlap with its training images\n";
  }
  return set;
}

}  // namespace

ImageSet model_data(const std::string& data, const Provenance& provenance) {
  const bool is_phantom = data == kPhantom || data.rfind(kPhantom + ":", 0) == 0;
  return is_phantom ? phantom_set(data, provenance) : load_npz_set(data);
}

}  // namespace cubcal::app
