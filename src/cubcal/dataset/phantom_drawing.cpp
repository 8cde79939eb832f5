#include "cubcal/dataset/phantom_drawing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cubcal/core/check.h"
#include "cubcal/core/stream_purpose.h"

namespace cubcal {

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Colour {
  double red, green, blue;
};

Colour mix(const Colour& a, const Colour& b, double weight) {
  return {a.red + weight * (b.red - a.red), a.green + weight * (b.green - a.green),
          a.blue + weight * (b.blue - a.blue)};
}

Colour scaled(const Colour& colour, double factor) {
  return {colour.red * factor, colour.green * factor, colour.blue * factor};
}

/// The traits a lesion is described by, each about 0 to 1.
enum Trait {
  kIrregularity,  ///< how far the border strays from an ellipse
  kVariegation,   ///< patches of darker and blue-grey pigment
  kGrain,         ///< fine speckle
  kRedness,       ///< blood instead of pigment
  kRing,          ///< a pale centre
  kDarkness,      ///< amount of pigment
  kSharpness,     ///< of the border
  kTraits
};
using Appearance = std::array<double, kTraits>;

constexpr std::array<Appearance, kPhantomClasses> kPrototype = {{
    // irregular variegated grain red   ring  dark  sharp
    {{0.10, 0.15, 0.15, 0.20, 0.15, 0.50, 0.40}},  // smooth
    {{0.62, 0.65, 0.25, 0.20, 0.10, 0.66, 0.55}},  // irregular
    {{0.35, 0.25, 0.80, 0.10, 0.10, 0.48, 0.80}},  // textured
    {{0.20, 0.10, 0.15, 0.75, 0.60, 0.40, 0.45}},  // vascular
}};

constexpr Appearance kJitter = {{0.08, 0.10, 0.08, 0.10, 0.08, 0.10, 0.15}};

/// Row y: the chances with which each class is the rival of y.
constexpr std::array<std::array<double, kPhantomClasses>, kPhantomClasses> kRivalShare = {{
    {{0.00, 0.55, 0.25, 0.20}},
    {{0.65, 0.00, 0.25, 0.10}},
    {{0.45, 0.45, 0.00, 0.10}},
    {{0.65, 0.20, 0.15, 0.00}},
}};

std::size_t draw_from(const std::array<double, kPhantomClasses>& shares, SeedStream& random) {
  const double point = random.uniform();
  double below = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    last = i;
    below += shares[i];
    if (point < below) return i;
  }
  return last;
}

double between(double low, double high, SeedStream& random) {
  return low + (high - low) * random.uniform();
}

/// A smooth random field of about zero mean and unit variance: a few plane waves. Coordinates are
/// in units of the image width.
class Waves {
 public:
  Waves(double low_frequency, double high_frequency, SeedStream& random) {
    for (Wave& wave : waves_) {
      const double direction = 2 * kPi * random.uniform();
      const double frequency = 2 * kPi * between(low_frequency, high_frequency, random);
      wave = {frequency * std::cos(direction), frequency * std::sin(direction),
              2 * kPi * random.uniform()};
    }
  }

  double at(double x, double y) const {
    double sum = 0;
    for (const Wave& wave : waves_) sum += std::sin(wave.x * x + wave.y * y + wave.phase);
    return sum * std::sqrt(2.0 / static_cast<double>(waves_.size()));
  }

 private:
  struct Wave {
    double x, y, phase;
  };
  std::array<Wave, 6> waves_;
};

/// A rough random field of about zero mean: independent values on a lattice, interpolated between.
class Speckle {
 public:
  explicit Speckle(SeedStream& random) {
    for (double& value : lattice_) value = random.normal();
  }

  double at(double x, double y) const {
    const double column = std::clamp(x, 0.0, 1.0) * (kCells - 1);
    const double row = std::clamp(y, 0.0, 1.0) * (kCells - 1);
    const auto left = std::min<std::size_t>(static_cast<std::size_t>(column), kCells - 2);
    const auto top = std::min<std::size_t>(static_cast<std::size_t>(row), kCells - 2);
    const double* corner = lattice_.data() + top * kCells + left;
    const double right_weight = column - static_cast<double>(left);
    const double upper = corner[0] + right_weight * (corner[1] - corner[0]);
    const double lower = corner[kCells] + right_weight * (corner[kCells + 1] - corner[kCells]);
    return upper + (row - static_cast<double>(top)) * (lower - upper);
  }

 private:
  static constexpr std::size_t kCells = 17;
  std::array<double, kCells * kCells> lattice_;
};

/// What all images of a patient share.
struct Skin {
  Colour tone;
  Waves mottle;
  double mottle_strength;
  double light_direction;
  double light_strength;
  double hairiness;
};

Skin draw_skin(SeedStream random) {
  const Colour light = {0.93, 0.76, 0.68};
  const Colour dark = {0.66, 0.47, 0.37};
  const double pigment = random.uniform();
  Colour tone = mix(light, dark, pigment * pigment);
  const double redness = 0.02 * random.normal();
  tone = {tone.red, tone.green - redness, tone.blue - redness};
  Waves mottle(1.0, 5.0, random);
  const double mottle_strength = between(0.008, 0.025, random);
  const double light_direction = 2 * kPi * random.uniform();
  const double light_strength = between(0.02, 0.16, random);
  const double hairiness = random.uniform();
  return {tone, mottle, mottle_strength, light_direction, light_strength, hairiness};
}

/// An ellipse with a wavy border.
struct Outline {
  double x, y;                          ///< centre
  double radius;                        ///< of the circle with the ellipse's area
  double stretch;                       ///< long axis / short axis, square-rooted
  double cosine, sine;                  ///< of the long axis' direction
  double softness;                      ///< width of the border
  std::array<double, 6> even{}, odd{};  ///< cosine and sine weights of the waves 2 to 7 per turn

  struct Place {
    double inside;    ///< 1 well inside, 0 well outside
    double distance;  ///< from the centre as a share of the border's distance
  };

  Place at(double px, double py) const {
    const double dx = px - x, dy = py - y;
    const double along = (dx * cosine + dy * sine) / stretch;
    const double across = (dy * cosine - dx * sine) * stretch;
    const double distance = std::hypot(along, across);
    // cos k t and sin k t for k = 2, 3, ... by the addition theorem from those of t, the direction.
    const double cosine_1 = distance > 0 ? along / distance : 1;
    const double sine_1 = distance > 0 ? across / distance : 0;
    double cosine_k = cosine_1, sine_k = sine_1;
    double border = 1;
    for (std::size_t k = 0; k < even.size(); ++k) {
      const double next = cosine_k * cosine_1 - sine_k * sine_1;
      sine_k = sine_k * cosine_1 + cosine_k * sine_1;
      cosine_k = next;
      border += even[k] * cosine_k + odd[k] * sine_k;
    }
    border = radius * std::max(0.25, border);
    return {1 / (1 + std::exp((distance - border) / softness)), distance / border};
  }
};

Outline draw_outline(double x, double y, double radius, double irregularity, double sharpness,
                     double stretch, SeedStream& random) {
  Outline outline;
  outline.x = x;
  outline.y = y;
  outline.radius = radius;
  outline.stretch = stretch;
  const double direction = kPi * random.uniform();
  outline.cosine = std::cos(direction);
  outline.sine = std::sin(direction);
  outline.softness = 0.012 + 0.028 * (1 - std::clamp(sharpness, 0.0, 1.0));
  for (std::size_t k = 0; k < outline.even.size(); ++k) {
    const double amplitude =
        irregularity * 0.16 * random.normal() / std::sqrt(1.0 + 0.35 * static_cast<double>(k));
    const double phase = 2 * kPi * random.uniform();
    outline.even[k] = amplitude * std::cos(phase);
    outline.odd[k] = -amplitude * std::sin(phase);
  }
  return outline;
}

/// The colour inside a lesion and how much of the skin it covers.
class Pigment {
 public:
  Pigment(const Appearance& traits, SeedStream& random)
      : traits_(traits), patches_(1.2, 3.2, random), grain_(random) {}

  Colour over(const Colour& skin, double x, double y, const Outline::Place& place) const {
    const Colour brown = {0.36, 0.20, 0.13};
    const Colour blood = {0.66, 0.15, 0.19};
    const Colour slate = {0.18, 0.16, 0.19};
    Colour colour = mix(brown, blood, std::clamp(traits_[kRedness], 0.0, 1.0));
    const double patch = patches_.at(x, y);
    colour = mix(colour, slate, std::clamp(traits_[kVariegation] * 0.9 * patch, 0.0, 0.9));
    double cover = traits_[kDarkness] * (1 + 0.12 * patches_.at(y, x));
    cover *= 1 - 0.35 * traits_[kVariegation] * std::max(0.0, -patch);
    cover *= 1 + 0.75 * traits_[kGrain] * grain_.at(x, y);
    // Rings: the centre fades and the rim darkens, as around a vessel's lumen.
    const double rim = std::exp(-std::pow((place.distance - 0.75) / 0.25, 2));
    cover *= 1 + traits_[kRing] * (1.1 * rim - 0.75);
    return mix(skin, colour, std::clamp(cover, 0.0, 0.97) * place.inside);
  }

 private:
  Appearance traits_;
  Waves patches_;
  Speckle grain_;
};

/// A dark curved line across the image.
struct Hair {
  double x, y, cosine, sine, bend, width, opacity;

  double cover(double px, double py) const {
    const double along = (px - x) * cosine + (py - y) * sine;
    const double across = (py - y) * cosine - (px - x) * sine - bend * along * along;
    return opacity * std::exp(-(across * across) / (2 * width * width));
  }
};

Hair draw_hair(SeedStream& random) {
  const double direction = kPi * random.uniform();
  Hair hair;
  hair.x = random.uniform();
  hair.y = random.uniform();
  hair.cosine = std::cos(direction);
  hair.sine = std::sin(direction);
  hair.bend = 0.5 * random.normal();
  hair.width = between(0.008, 0.014, random);
  hair.opacity = between(0.35, 0.8, random);
  return hair;
}

struct Lesion {
  std::vector<Outline> outlines;
  std::vector<Pigment> pigments;
};

Appearance jittered(Appearance traits, double spread, SeedStream& random) {
  for (std::size_t i = 0; i < kTraits; ++i) {
    traits[i] = std::clamp(traits[i] + spread * kJitter[i] * random.normal(), 0.0, 1.0);
  }
  return traits;
}

Lesion draw_known_lesion(const PhantomOptions& options, PhantomTruth& truth, SeedStream& random) {
  const std::size_t drawn = draw_from(options.class_share, random);
  const std::size_t rival = draw_from(kRivalShare[drawn], random);
  const double u = random.uniform();
  truth.ambiguity = options.ambiguity * u * u * std::sqrt(u);
  truth.noisy_label = random.uniform() < options.label_noise;
  truth.clean_label = static_cast<std::int64_t>(drawn);
  truth.rival = static_cast<std::int64_t>(rival);
  truth.label = truth.noisy_label ? truth.rival : truth.clean_label;

  Appearance traits;
  for (std::size_t i = 0; i < kTraits; ++i) {
    traits[i] = kPrototype[drawn][i] +
                0.5 * truth.ambiguity * (kPrototype[rival][i] - kPrototype[drawn][i]);
  }
  traits = jittered(traits, options.spread, random);
  Lesion lesion;
  const double x = 0.5 + 0.06 * random.normal(), y = 0.5 + 0.06 * random.normal();
  const double radius = between(0.20, 0.34, random), stretch = between(1.0, 1.18, random);
  lesion.outlines.push_back(
      draw_outline(x, y, radius, traits[kIrregularity], traits[kSharpness], stretch, random));
  lesion.pigments.emplace_back(traits, random);
  return lesion;
}

Lesion draw_outlier(const PhantomOptions& options, PhantomTruth& truth, SeedStream& random) {
  const auto kind = static_cast<PhantomOutlier>(random.below(kPhantomOutliers));
  truth.label = -1;
  truth.clean_label = static_cast<std::int64_t>(kind);
  truth.rival = -1;
  // Colours of a known class: only the morphology is new.
  const std::size_t palette = draw_from(options.class_share, random);
  const Appearance traits = jittered(kPrototype[palette], options.spread, random);
  Lesion lesion;
  const double x = 0.5 + 0.06 * random.normal(), y = 0.5 + 0.06 * random.normal();
  const auto add = [&](double at_x, double at_y, double radius, double stretch) {
    lesion.outlines.push_back(draw_outline(at_x, at_y, radius, traits[kIrregularity],
                                           traits[kSharpness], stretch, random));
    lesion.pigments.emplace_back(traits, random);
  };
  if (kind == PhantomOutlier::kStreak) {
    const double radius = between(0.14, 0.20, random), stretch = between(1.7, 2.1, random);
    add(x, y, radius, stretch);
  } else {
    const std::uint32_t spots = 4 + random.below(4);
    const double turn = 2 * kPi * random.uniform();
    for (std::uint32_t i = 0; i < spots; ++i) {
      const double direction = turn + 2 * kPi * (i + between(-0.25, 0.25, random)) / spots;
      const double reach = between(0.13, 0.32, random), radius = between(0.045, 0.10, random);
      const double stretch = between(1.0, 1.15, random);
      add(x + reach * std::cos(direction), y + reach * std::sin(direction), radius, stretch);
    }
  }
  return lesion;
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
}

}  // namespace

const char* phantom_class_name(PhantomClass lesion) {
  switch (lesion) {
    case PhantomClass::kSmooth: return "smooth";
    case PhantomClass::kIrregular: return "irregular";
    case PhantomClass::kTextured: return "textured";
    case PhantomClass::kVascular: return "vascular";
  }
  return "unknown";
}

const char* phantom_outlier_name(PhantomOutlier outlier) {
  return outlier == PhantomOutlier::kStreak ? "streak" : "cluster";
}

const char* phantom_split_name(PhantomSplit split) {
  switch (split) {
    case PhantomSplit::kTrain: return "train";
    case PhantomSplit::kVal: return "val";
    case PhantomSplit::kTest: return "test";
    case PhantomSplit::kOod: return "ood";
  }
  return "unknown";
}

void check_phantom_options(const PhantomOptions& options) {
  check_in_closed("the phantom image size", static_cast<double>(options.image_size), 16, 256);
  check_at_least("the number of phantom images per patient",
                 static_cast<double>(options.patient_images), 1);
  const std::size_t sizes[] = {options.train, options.val, options.test, options.ood};
  for (const std::size_t size : sizes) {
    check_in_closed("the size of a phantom split", static_cast<double>(size), 0, 1e6);
  }
  double sum = 0;
  for (const double share : options.class_share) {
    check_in_closed("a phantom class share", share, 0, 1);
    sum += share;
  }
  if (std::abs(sum - 1) > 1e-9) {
    throw ArgumentError("the phantom class shares must sum to 1, not " + to_text(sum));
  }
  check_at_least("the phantom label noise", options.label_noise, 0);
  if (!(options.label_noise < 0.5)) {
    throw ArgumentError("the phantom label noise must be below 0.5, not " +
                        to_text(options.label_noise));
  }
  check_in_closed("the phantom ambiguity", options.ambiguity, 0, 1);
  check_in_closed("the phantom spread", options.spread, 0, 10);
  check_in_closed("the phantom sensor noise", options.sensor_noise, 0, 1);
}

PhantomTruth draw_phantom(const PhantomOptions& options, PhantomSplit split, std::uint32_t index,
                          ArrayView<std::uint8_t> pixels) {
  const std::size_t side = options.image_size;
  check_same_size("the phantom pixel buffer", pixels.size(), "the phantom image", 3 * side * side);
  const auto split_number = static_cast<std::uint64_t>(split);
  const auto patient = static_cast<std::uint32_t>(index / options.patient_images);
  const Skin skin = draw_skin(
      purpose_stream(options.seed, StreamPurpose::kPhantomPatient, split_number, patient));
  SeedStream random =
      purpose_stream(options.seed, StreamPurpose::kPhantomSample, split_number, index);

  PhantomTruth truth;
  truth.patient = static_cast<std::int64_t>(split_number * 1'000'000 + patient);
  const Lesion lesion = split == PhantomSplit::kOod ? draw_outlier(options, truth, random)
                                                    : draw_known_lesion(options, truth, random);
  // Each image is another site on the patient's skin.
  const double site_x = 8 * random.uniform(), site_y = 8 * random.uniform();
  const double exposure = 1 + 0.05 * random.normal();
  std::vector<Hair> hairs;
  for (int i = 0; i < 4; ++i) {
    const Hair hair = draw_hair(random);
    if (random.uniform() < 0.45 * skin.hairiness) hairs.push_back(hair);
  }

  const Colour hair_colour = {0.16, 0.11, 0.09};
  const double light_x = std::cos(skin.light_direction), light_y = std::sin(skin.light_direction);
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      const double x = (static_cast<double>(column) + 0.5) / static_cast<double>(side);
      const double y = (static_cast<double>(row) + 0.5) / static_cast<double>(side);
      Colour colour =
          scaled(skin.tone, 1 + skin.mottle_strength * skin.mottle.at(x + site_x, y + site_y));
      for (std::size_t i = 0; i < lesion.outlines.size(); ++i) {
        const Outline::Place place = lesion.outlines[i].at(x, y);
        if (place.inside > 1e-3) colour = lesion.pigments[i].over(colour, x, y, place);
      }
      for (const Hair& hair : hairs) colour = mix(colour, hair_colour, hair.cover(x, y));
      const double slope = skin.light_strength * ((x - 0.5) * light_x + (y - 0.5) * light_y);
      const double vignette = 0.35 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5));
      colour = scaled(colour, exposure * (1 + 2 * slope) * (1 - vignette));
      const std::size_t at = row * side + column;
      pixels[at] = to_byte(colour.red + options.sensor_noise * random.normal());
      pixels[side * side + at] = to_byte(colour.green + options.sensor_noise * random.normal());
      pixels[2 * side * side + at] = to_byte(colour.blue + options.sensor_noise * random.normal());
    }
  }
  return truth;
}

}  // namespace cubcal
