#include "cubcal/dataset/load_samples.h"

#include <algorithm>
#include <mutex>

#include "cubcal/core/parallel.h"
#include "cubcal/dataset/pack_file.h"

namespace cubcal {

namespace {

std::string size_text(const Image& image) {
  return std::to_string(image.height) + " x " + std::to_string(image.width);
}

struct Decoded {
  std::vector<Image> images;  ///< empty where bad
  std::vector<BadFile> bad;   ///< in the order of the samples
};

Decoded decode(const Catalog& catalog, const LoadOptions& options) {
  const SampleReader reader(catalog, options.files);
  const std::size_t count = catalog.samples.size();
  Decoded decoded;
  decoded.images.resize(count);
  std::vector<std::string> reasons(count);
  std::size_t done = 0;
  std::mutex counting;
  parallel_blocks(count, 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (options.interrupted && options.interrupted()) throw Interrupted("loading was stopped");
      try {
        decoded.images[i] = shape_image(reader.read(i), options.shape);
      } catch (const Error& error) {
        reasons[i] = error.what();
      }
      const std::lock_guard<std::mutex> lock(counting);
      ++done;
      if (options.progress) options.progress(done, count);
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (!reasons[i].empty()) decoded.bad.push_back({i, reasons[i]});
  }
  return decoded;
}

void drop_bad(Catalog& catalog, Decoded& decoded) {
  std::vector<bool> is_bad(catalog.samples.size(), false);
  for (const BadFile& bad : decoded.bad) is_bad[bad.sample] = true;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < is_bad.size(); ++i) {
    if (is_bad[i]) continue;
    if (kept != i) {
      catalog.samples[kept] = std::move(catalog.samples[i]);
      decoded.images[kept] = std::move(decoded.images[i]);
    }
    ++kept;
  }
  catalog.samples.resize(kept);
  decoded.images.resize(kept);
}

void check_one_size(const Catalog& catalog, const std::vector<Image>& images) {
  const Image& first = images.front();
  for (std::size_t i = 1; i < images.size(); ++i) {
    if (images[i].height == first.height && images[i].width == first.width) continue;
    throw DataError("images differ in size: '" + catalog.samples[0].file + "' has " +
                    size_text(first) + " pixels and '" + catalog.samples[i].file + "' " +
                    size_text(images[i]) + "; give the size they are to be brought to");
  }
}

void check_pack(const SampleBlock& pack, const std::string& path, const ImageShape& shape) {
  const bool fits =
      (shape.height == 0 || (shape.height == pack.height() && shape.width == pack.width())) &&
      (shape.channels == 0 || shape.channels == pack.channels()) &&
      (shape.reduce_to == 0 || shape.reduce_to == pack.reduce_to);
  if (fits) return;
  throw ArgumentError("the pack '" + path + "' holds images of " + std::to_string(pack.channels()) +
                      " x " + std::to_string(pack.height()) + " x " + std::to_string(pack.width()) +
                      (pack.reduce_to > 0 ? " reduced to " + std::to_string(pack.reduce_to) : "") +
                      ", not of the size, the channels or the reduction asked for: pack the set "
                      "anew");
}

}  // namespace

SampleBlock load_samples(const Catalog& catalog, const LoadOptions& options) {
  check_image_shape(options.shape);
  SampleBlock block;
  block.fit = options.shape.fit;
  block.reduce_to = options.shape.reduce_to;
  block.dicom_window = options.files.dicom_window;
  block.catalog = ordered_by_split(catalog);
  Decoded decoded = decode(block.catalog, options);
  if (!decoded.bad.empty()) {
    if (options.bad_files == BadFilePolicy::kFail) throw DataError(bad_files_message(decoded.bad));
    for (const BadFile& bad : decoded.bad) block.skipped.push_back(bad.reason);
    drop_bad(block.catalog, decoded);
  }
  if (decoded.images.empty()) throw DataError("'" + catalog.path + "' has no image to load");
  check_one_size(block.catalog, decoded.images);
  const auto is_colour = [](const Image& image) { return image.channels == 3; };
  const auto is_deep = [](const Image& image) { return image.is_deep(); };
  const std::vector<Image>& images = decoded.images;
  const bool colour = std::any_of(images.begin(), images.end(), is_colour);
  const bool deep = std::any_of(images.begin(), images.end(), is_deep);
  block.images = stack_images(decoded.images, colour ? 3 : 1, deep);
  return block;
}

SampleBlock open_samples(const std::string& path, const LoadOptions& options,
                         const std::function<Catalog(const Catalog&)>& choose) {
  check_image_shape(options.shape);
  if (!is_pack_file(path)) return load_samples(choose(open_catalog(path, options.open)), options);
  const SampleBlock pack = read_pack(path);
  check_pack(pack, path, options.shape);
  return subset(pack, choose(pack.catalog));
}

}  // namespace cubcal
