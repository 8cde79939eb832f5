#include "read_images.h"

#include <iostream>

#include "cubcal/io/utf8.h"
#include "interrupt.h"
#include "progress_bar.h"

namespace cubcal::app {

namespace {

void describe(const ImageSet& set, std::ostream& out) {
  out << "data: " << set.name << " (" << set.kind << "), " << set.classes() << " classes, ";
  for (const ImageSplit& split : set.splits) out << split.name << ' ' << split.size() << ", ";
  const at::Tensor& images = set.splits.front().images;
  out << "images of " << images.size(1) << " x " << images.size(2) << " x " << images.size(3)
      << '\n';
  for (const std::string& note : set.notes) out << "  recognised: " << printable(note) << '\n';
  out << std::flush;
}

}  // namespace

ImageSet read_images(DataOptions options, std::ostream& out) {
  if (options.kind == DataKind::kPhantom) return load_data(options);
  const InterruptWatch watch;
  ProgressBar bar("reading images");
  options.load.interrupted = InterruptWatch::interrupted;
  options.load.progress = [&bar](std::size_t done, std::size_t of) { bar.show(done, of); };
  const ImageSet set = load_data(options);
  bar.wipe();
  describe(set, out);
  for (const std::string& reason : set.skipped) {
    std::cerr << "cubcal: skipped: " << printable(reason) << '\n';
  }
  return set;
}

}  // namespace cubcal::app
