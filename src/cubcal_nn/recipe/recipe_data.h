#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cubcal/dataset/load_samples.h"
#include "cubcal/dataset/phantom_drawing.h"
#include "cubcal/dataset/selection.h"
#include "cubcal/dataset/splitting.h"
#include "cubcal_nn/batches/image_set.h"

/// The images of a run, as the [data] table of its recipe says.
namespace cubcal {

enum class DataKind {
  kPhantom,  ///< drawn by the program
  kPath      ///< a data set on disk; its kind is recognised
};

struct DataOptions {
  DataKind kind = DataKind::kPhantom;
  std::string path = {};     ///< of kPath
  PhantomOptions phantom;    ///< of kPhantom; all that follows is of kPath
  Selection selection;       ///< which rows and classes
  SplitOptions split;        ///< of a set that is not split yet
  bool split_again = false;  ///< split it anew though it is
  double sample = 1;         ///< of every split that is used at all: for trying things out
  double fraction = 1;       ///< of train and val that is used
  bool balance = false;      ///< fill up the smaller classes of train and val with copies
  std::uint64_t seed = 1;    ///< of sample, fraction and balance
  LoadOptions load;
};

/// Draws or reads the images.
ImageSet load_data(const DataOptions& options);

/// The same catalog that load_data reads: selection, split and fraction applied.
Catalog choose_samples(const Catalog& catalog, const DataOptions& options);

}  // namespace cubcal
