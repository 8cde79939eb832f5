#include "cubcal_nn/experiment/model_data.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/io/utf8.h"
#include "cubcal/record/provenance.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/phantom/phantom.h"
#include "cubcal_nn/recipe/recipe.h"

namespace cubcal {

namespace {

std::uint64_t parse_seed(const std::string& text) {
  const std::optional<std::uint64_t> seed = parse_whole<std::uint64_t>(text);
  if (!seed) {
    throw ArgumentError("the option 'data' phantom:SEED needs a whole number from 0 on, not '" +
                        text + "'");
  }
  return *seed;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + in_quotes(name);
  return text;
}

std::string unnamed_classes_text(const std::string& set, const std::vector<std::string>& names) {
  std::string labels;
  for (std::size_t k = 0; k < names.size(); ++k) {
    labels += (labels.empty() ? "" : ", ") + std::to_string(k);
  }
  return "'" + set + "' does not name its classes: its labels " + labels + " are taken for " +
         listed(names) + " in this order";
}

/// Labels of the set become those of the model, by class name; names that are numbers are the
/// model's labels already, and whether they fit is seen later.
void adopt_classes(ImageSet& set, const std::vector<std::string>& names, WorkObserver& observer) {
  const bool needs_labels = std::any_of(set.splits.begin(), set.splits.end(),
                                        [](const ImageSplit& split) { return !split.outliers; });
  if (set.class_names.empty() && needs_labels) {
    throw DataError("the images of '" + set.name + "' have no labels" + kWhereClassesAreTold);
  }
  std::vector<std::int64_t> label_of;
  bool unnamed = false;
  for (const std::string& name : set.class_names) {
    const auto found = std::find(names.begin(), names.end(), name);
    const std::optional<std::int64_t> number = parse_whole<std::int64_t>(name);
    if (found == names.end() && !number) {
      throw DataError("class '" + name + "' of '" + set.name +
                      "' is none of the model's, which are " + listed(names));
    }
    label_of.push_back(found != names.end() ? found - names.begin() : *number);
    unnamed = unnamed || found == names.end();
  }
  if (unnamed) observer.warning(unnamed_classes_text(set.name, names));
  const at::Tensor labels = at::tensor(label_of, at::kLong);
  for (ImageSplit& split : set.splits) {
    if (!split.outliers) split.labels = labels.index_select(0, split.labels);
  }
  set.class_names = names;
}

ImageSet phantom_set(const std::string& data, const ModelDescription& model,
                     WorkObserver& observer) {
  const Provenance& provenance = model.provenance;
  const std::optional<PhantomOptions> drawn = drawn_phantom(provenance);
  PhantomOptions options = drawn.value_or(PhantomOptions{});
  if (data != kPhantomName) options.seed = parse_seed(data.substr(kPhantomName.size() + 1));
  const bool is_the_models = drawn && options.seed == drawn->seed;
  ImageSet set = make_phantom_set(options).set;
  if (is_the_models && !provenance.data_hash.empty() && content_hash(set) != provenance.data_hash) {
    observer.warning(
        "the phantom set drawn here differs from the one the model was trained on (another version "
        "or math library); splits may overlap with its training images");
  }
  if (!drawn) adopt_classes(set, model.class_names, observer);
  return set;
}

/// What the model was trained with, or the defaults where it comes from no recipe.
Recipe recipe_in(const Provenance& provenance) {
  if (provenance.recipe_hash.empty()) return {};
  try {
    return parse_recipe(provenance.recipe, "the model's recipe");
  } catch (const ArgumentError& error) {
    throw DataError(error.what());
  }
}

ImageSet set_on_disk(const std::string& path, const ModelDescription& model, WorkObserver& observer,
                     bool all_rows) {
  const Recipe recipe = all_rows ? Recipe{} : recipe_in(model.provenance);
  DataOptions options = recipe.data;
  options.kind = DataKind::kPath;
  options.path = path;
  const Preprocessing& preprocessing = model.preprocessing;
  ImageShape& shape = options.load.shape;
  shape.reduce_to = static_cast<std::size_t>(preprocessing.reduce_to);
  shape.height = static_cast<std::size_t>(preprocessing.image_height());
  shape.width = static_cast<std::size_t>(preprocessing.image_width());
  shape.fit = preprocessing.fit;
  shape.channels = static_cast<std::size_t>(preprocessing.channels());
  shape.keep_16_bits = preprocessing.largest_level > 255;
  options.load.files.dicom_window = preprocessing.dicom_window;
  ImageSet set = observer.read_images(options);
  adopt_classes(set, model.class_names, observer);
  return set;
}

}  // namespace

ImageSet model_data(const std::string& data, const ModelDescription& model, WorkObserver& observer,
                    bool all_rows) {
  return is_phantom_name(data) ? phantom_set(data, model, observer)
                               : set_on_disk(data, model, observer, all_rows);
}

}  // namespace cubcal
