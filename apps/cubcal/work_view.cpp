#include "work_view.h"

#include "cubcal/io/utf8.h"
#include "interrupt.h"
#include "option_flags.h"
#include "progress_bar.h"
#include "read_images.h"
#include "recipe_setup.h"
#include "settings_text.h"
#include "training_view.h"

namespace cubcal::app {

namespace {

class WatchedTraining : public TrainingView {
 public:
  using TrainingView::TrainingView;

 private:
  InterruptWatch watch_;
};

}  // namespace

void WorkView::line(const std::string& text) { lines_ << printable(text) << '\n' << std::flush; }

void WorkView::warning(const std::string& sentence) {
  std::cerr << "cubcal: warning: " << printable(options_as_flags(sentence)) << '\n';
}

void WorkView::computing_starts(const Recipe& recipe) {
  set_up_computing(recipe, threads_given_, "");
}

ImageSet WorkView::read_images(const DataOptions& options) {
  return app::read_images(options, lines_);
}

McOutput WorkView::run_passes(McEngine& engine, const at::Tensor& images, const McOptions& options,
                              const std::string& title) {
  const InterruptWatch watch;
  ProgressBar bar(title);
  McOptions shown = options;
  shown.interrupted = InterruptWatch::interrupted;
  shown.progress = [&bar](std::size_t done, std::size_t of) { bar.show(done, of); };
  return engine.run(images, shown);
}

std::unique_ptr<TrainObserver> WorkView::follow_training(const Recipe& recipe,
                                                         const RunFolder& folder,
                                                         const std::string& indent) {
  std::cout << settings_text(recipe.settings, indent);
  return std::make_unique<WatchedTraining>(indent, folder.log());
}

}  // namespace cubcal::app
