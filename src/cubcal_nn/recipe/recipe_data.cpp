#include "cubcal_nn/recipe/recipe_data.h"

#include "cubcal_nn/batches/balance.h"
#include "cubcal_nn/batches/sample_set.h"
#include "cubcal_nn/phantom/phantom.h"

namespace cubcal {

Catalog choose_samples(const Catalog& catalog, const DataOptions& options) {
  Catalog chosen = select(catalog, options.selection);
  if (options.split_again || !chosen.has_splits()) chosen = split_catalog(chosen, options.split);
  if (options.sample != 1) {
    chosen = take_fraction(chosen, options.sample, options.seed, chosen.split_names());
  }
  if (options.fraction < 1) chosen = take_fraction(chosen, options.fraction, options.seed);
  return chosen;
}

ImageSet load_data(const DataOptions& options) {
  if (options.kind == DataKind::kPhantom) return make_phantom_set(options.phantom).set;
  const SampleBlock block =
      open_samples(options.path, options.load,
                   [&options](const Catalog& catalog) { return choose_samples(catalog, options); });
  ImageSet set = to_image_set(block);
  if (!options.balance) return set;
  for (ImageSplit& split : set.splits) {
    if (split.name != "train" && split.name != "val") continue;
    split = balance_split(split, set.classes(), options.seed);
  }
  return set;
}

}  // namespace cubcal
