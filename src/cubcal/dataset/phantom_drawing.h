#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cubcal/core/array_view.h"

/// How one phantom image is drawn: a pigmented lesion on skin.
///
/// A lesion is a point in the space of `Appearance`. Every class has a prototype there; a sample
/// of class y lies on the way from its prototype to that of a confusable class, the rival,
///
///   appearance = (1 - a/2) prototype(y) + (a/2) prototype(rival) + spread * jitter,
///
/// where a in [0, 1] is the sample's ambiguity: 0 is a textbook case and 1 lies half-way, where
/// nobody can tell the two classes apart. The jitter is standard normal in every coordinate.
namespace cubcal {

enum class PhantomClass { kSmooth, kIrregular, kTextured, kVascular };
constexpr std::size_t kPhantomClasses = 4;

/// Lesions that no training image shows, alike in colour and background: near-OOD.
enum class PhantomOutlier { kStreak, kCluster };
constexpr std::size_t kPhantomOutliers = 2;

enum class PhantomSplit { kTrain, kVal, kTest, kOod };
constexpr std::size_t kPhantomSplits = 4;

const char* phantom_class_name(PhantomClass lesion);
const char* phantom_outlier_name(PhantomOutlier outlier);
const char* phantom_split_name(PhantomSplit split);

struct PhantomOptions {
  std::uint64_t seed = 1;          ///< everything drawn follows from it
  std::size_t train = 2000;        ///< images in split train
  std::size_t val = 500;           ///< images in split val
  std::size_t test = 1000;         ///< images in split test
  std::size_t ood = 400;           ///< images in split ood, half of each kind in expectation
  std::size_t image_size = 32;     ///< height and width in pixels, 16 to 256
  std::size_t patient_images = 4;  ///< images that share a patient's skin and camera light
  /// Share of each class, in the order of PhantomClass; they sum to 1.
  std::array<double, kPhantomClasses> class_share = {0.50, 0.25, 0.15, 0.10};
  double label_noise = 0.03;   ///< share of labels replaced by the rival class, in [0, 0.5)
  double ambiguity = 1.0;      ///< scales the samples' ambiguity, in [0, 1]
  double spread = 1.0;         ///< scales the jitter around the prototypes, at least 0
  double sensor_noise = 0.02;  ///< sd of the noise added to each channel, of a range of 1
};

/// Throws ArgumentError where a field is outside its domain.
void check_phantom_options(const PhantomOptions& options);

/// What the generator knows about a sample and a classifier does not.
struct PhantomTruth {
  std::int64_t label = 0;        ///< the label given; -1 for an outlier
  std::int64_t clean_label = 0;  ///< the class that was drawn; the kind of outlier in split ood
  std::int64_t rival = 0;        ///< the class it was mixed with; -1 for an outlier
  double ambiguity = 0;          ///< a, see above; 0 for an outlier
  bool noisy_label = false;      ///< label != clean_label although the sample is not an outlier
  std::int64_t patient = 0;      ///< unique over all splits
};

/// Draws sample `index` of `split` into pixels, 3 planes (red, green, blue) of image_size^2 bytes.
/// Depends on (options, split, index) alone and not on the sizes of the splits. Between math
/// libraries a byte may differ by one level. The options must have been checked.
PhantomTruth draw_phantom(const PhantomOptions& options, PhantomSplit split, std::uint32_t index,
                          ArrayView<std::uint8_t> pixels);

}  // namespace cubcal
