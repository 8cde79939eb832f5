#include "predict_shard.h"

#include <iostream>

#include "cubcal/core/content_hash.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/io/utf8.h"
#include "cubcal/service/prediction_lines.h"
#include "cubcal/shard/lines_shard.h"
#include "image_arguments.h"
#include "interrupt.h"
#include "option_flags.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kImagesAtATime = 32;

/// Every image of the list goes by: what it comes to, and whether it is of the shard.
struct ImageList {
  ContentHash hash;
  std::size_t count = 0;
};

ImageList walk_images(const ShardPrediction& prediction, std::istream& paths,
                      const std::function<void(std::size_t place, const std::string&)>& use) {
  ImageList list;
  for_each_image(prediction.images, paths, [&](const std::string& path) {
    if (InterruptWatch::interrupted()) throw Interrupted("prediction was interrupted");
    list.hash.add(path);
    const std::size_t place = list.count++;
    if (shard_of(path, prediction.shard.count) == prediction.shard.index) use(place, path);
  });
  return list;
}

/// Images that wait to be answered together, and their rows.
class ShardRowMaker {
 public:
  ShardRowMaker(Classifier& classifier, const ShardPrediction& prediction, LinesShard& shard)
      : classifier_(classifier),
        prediction_(prediction),
        head_(line_head(classifier.facts(), prediction.settings.seed)),
        shard_(shard) {}

  void add(std::size_t place, const std::string& path) {
    places_.push_back(place);
    paths_.push_back(path);
    if (paths_.size() == kImagesAtATime) answer();
  }

  void answer() {
    if (paths_.empty()) return;
    const std::vector<FileAnswer> files = classifier_.predict_files(paths_);
    std::string rows;
    std::size_t unreadable = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      rows +=
          placed_row(places_[i], prediction_line(files[i], classifier_.facts(), head_,
                                                 prediction_.settings.stopping.has_value(), ""));
      if (files[i].answer) continue;
      ++unreadable;
      std::cerr << "cubcal: " << printable(options_as_flags(files[i].problem)) << '\n';
    }
    shard_.add(rows, files.size(), unreadable);
    places_.clear();
    paths_.clear();
  }

 private:
  Classifier& classifier_;
  const ShardPrediction& prediction_;
  nlohmann::ordered_json head_;
  LinesShard& shard_;
  std::vector<std::size_t> places_;
  std::vector<std::string> paths_;
};

void tell(const ShardHead& head, std::size_t before, const std::string& path) {
  std::cout << "shard " << shard_text(head.shard) << ": " << head.rows << " of " << head.images
            << (head.images == 1 ? " image, " : " images, ") << head.rows - head.unreadable
            << " answered, " << head.unreadable << " not readable";
  if (before > 0) std::cout << ", " << before << " done before";
  std::cout << " (" << head.settings.value("compute", "") << "); in " << path << '\n';
}

}  // namespace

void predict_shard(Classifier& classifier, const ShardPrediction& prediction, std::istream& paths) {
  const ModelFacts& model = classifier.facts();
  const std::string path = shard_path(prediction.output, prediction.shard);
  ShardHead head;
  head.shard = prediction.shard;
  head.kind = "predictions";
  head.model = model_json(model);
  head.model["description_hash"] = model.description_hash;
  head.settings = to_json(prediction.settings, model);
  head.processor = model.processor;
  if (const std::optional<ShardHead> done = finished_lines_shard(path)) {
    const ImageList list =
        walk_images(prediction, paths, [](std::size_t /*place*/, const std::string& /*path*/) {});
    head.images = list.count;
    head.data_hash = list.hash.text();
    if (!done->same_job(head)) {
      throw DataError("'" + path +
                      "' is a shard of another model, of other images or with other settings: "
                      "remove it, or name another file");
    }
    return tell(*done, done->rows, path);
  }
  LinesShard shard(path, head);
  try {
    ShardRowMaker rows(classifier, prediction, shard);
    const ImageList list =
        walk_images(prediction, paths, [&](std::size_t place, const auto& image) {
          if (!shard.has(place, image)) rows.add(place, image);
        });
    rows.answer();
    shard.finish(list.count, list.hash.text(), utc_time());
  } catch (const Interrupted&) {
    throw Interrupted("stopped, and what is answered is kept in '" + path +
                      ".part': the same command goes on");
  }
  tell(*finished_lines_shard(path), shard.rows_before(), path);
}

}  // namespace cubcal::app
