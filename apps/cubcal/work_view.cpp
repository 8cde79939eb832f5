#include "work_view.h"

#include "cubcal/io/utf8.h"
#include "cubcal/record/run_folder.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/recipe/recipe.h"
#include "error_sentence.h"
#include "interrupt.h"
#include "option_flags.h"
#include "progress_bar.h"
#include "read_images.h"
#include "recipe_setup.h"
#include "training_view.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kWidth = 100;

std::string table_of(const std::string& key) {
  const std::size_t dot = key.find('.');
  return dot == std::string::npos ? "run" : key.substr(0, dot);
}

std::string without_quotes(const std::string& json) {
  const bool is_text = json.size() > 2 && json.front() == '"';
  return is_text ? json.substr(1, json.size() - 2) : json;
}

/// The settings of a run, a paragraph for each table of the recipe; what is empty is left out, and
/// so are data and augmentation: training says in words what is done to the images.
std::string settings_text(const Settings& settings, const std::string& indent) {
  std::string text, table;
  std::size_t column = 0;
  for (const auto& [key, value] : settings) {
    const std::string own = table_of(key);
    if (own == "data" || own == "augmentation" || value == "\"\"" || value == "[]") continue;
    const std::string name = own == "run" ? key : key.substr(own.size() + 1);
    std::string words = " " + name + " " + without_quotes(value);
    if (own != table) {
      if (!table.empty()) text += '\n';
      text.append(indent).append(own).append(":");
      column = indent.size() + own.size() + 1;
      table = own;
    } else {
      text += ",";
      if (column + words.size() + 1 > kWidth) {
        text += "\n" + indent + " ";
        column = indent.size() + 1;
      }
    }
    text += words;
    column += words.size() + 1;
  }
  return text.empty() ? text : text + "\n";
}

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

void WorkView::run_failed(const std::string& name, const std::exception& error) {
  warning(name + " was not made: " + error_sentence(error));
}

void WorkView::computing_starts(const Recipe& recipe, const std::string& resumed) {
  set_up_computing(recipe, threads_given_, resumed);
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
