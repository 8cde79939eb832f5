#include "cubcal_nn/deploy/deployment.h"

#include <filesystem>
#include <memory>

#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/core/class_difference.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal/record/provenance.h"
#include "cubcal/record/run_folder.h"
#include "cubcal/report/write_report.h"
#include "cubcal_nn/deploy/deploy_folder.h"
#include "cubcal_nn/deploy/split_image.h"
#include "cubcal_nn/experiment/model_data.h"
#include "cubcal_nn/experiment/split_logits.h"
#include "cubcal_nn/infer/model_versions.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "cubcal_nn/recipe/recipe.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kCalibrationNote = "calibration";
constexpr const char* kCalibrationHashNote = "calibration_hash";
constexpr const char* kNoCalibration = "none";
constexpr std::size_t kLargestText = std::size_t{1} << 30;

/// Everything that what is written depends on, but the time.
Json settings_of(const DeployOptions& options, const std::string& data, const LoadedModel& model,
                 const ModelIdentity& identity) {
  VerdictPolicy asked;
  asked.options = options.verdict.options;
  asked.detector = options.verdict.detector;
  Json named = identity_to_json(identity);
  named.erase("made");
  return {{"identity", named},
          {"drawing",
           {{"weights_hash", model.weights_hash},
            {"data", data},
            {"passes", options.mc.passes},
            {"seed", options.mc.seed}}},
          {"verdict", Json::parse(verdict_to_json(asked))},
          {"fit_split", options.verdict.fit_split},
          {"probes", options.verdict.probes == ProbeRule::kWarn ? "warn" : "refuse"},
          {"bootstrap", options.bootstrap.replicates}};
}

class Deployer {
 public:
  Deployer(const DeployOptions& options, const DeployReports& reports, WorkObserver& observer)
      : options_(options),
        reports_(reports),
        observer_(observer),
        folder_(options.output),
        run_(load_model(options.run, options.device)),
        data_(options.data.empty() ? data_of(run_.description) : options.data) {
    options_.mc.passes = drawn_passes(*run_.network, options_.mc);
    result_.folder = folder_.model();
  }

  Deployment deploy() {
    if (const auto& earlier = folder_.earlier()) {
      result_.earlier = earlier;
      result_.identity = options_.identity(earlier);
      if (folder_.is_done(settings())) {
        result_.identity = *earlier;
        result_.done_before = true;
        folder_.tidy();
        return std::move(result_);
      }
      refuse_other_classes();
      is_kept(folder_.model(), *earlier);  // or cannot be, which is told before the work
      result_.identity = options_.identity(following(*earlier, folder_.model()));
      refuse_version_passed(folder_.model(), earlier, result_.identity.version);
    } else {
      result_.identity = options_.identity(std::nullopt);
    }
    const RunFolder run{options_.run};
    if (fs::exists(run.record())) read_run_record(run.record());  // for the page, at the end
    const FolderLock lock = folder_.take();
    if (folder_.begin(settings())) {
      observer_.line("goes on with what was done before");
    }
    make_model();
    draw_logits();
    calibrate();
    judge();
    name();
    describe();
    result_.kept = folder_.finish();
    return std::move(result_);
  }

 private:
  Json settings() const { return settings_of(options_, data_, run_, result_.identity); }

  /// Whoever uses the model by its name reads its answers as those of its classes.
  void refuse_other_classes() const {
    const auto difference = class_difference(read_model_description(folder_.model()).class_names,
                                             run_.description.class_names);
    if (!difference) return;
    throw ArgumentError("the run is not a version of the model in '" + folder_.model() +
                        "', its classes are others: " + *difference + "; name another folder");
  }

  /// Read when first asked for: most of what is left after a stop needs no images.
  const ImageSet& images() {
    if (set_) return *set_;
    auto set = std::make_unique<ImageSet>(model_data(data_, run_.description, observer_));
    for (const char* name : {"train", "val", "test"}) {
      if (!set->has_split(name)) {
        throw ArgumentError("deploying takes the splits train, val and test, and '" + set->name +
                            "' has no split '" + name + "'");
      }
    }
    check_held_out(*set, options_.verdict);
    const std::string& trained_on = run_.description.provenance.data_hash;
    if (!trained_on.empty() && content_hash(*set) != trained_on) {
      observer_.warning("the images of '" + set->name +
                        "' are not those the model was trained on: if training images are among "
                        "its validation or test images, everything below flatters");
    }
    set_ = std::move(set);
    return *set_;
  }

  /// The run's model as it was trained, without what was attached to it since.
  void make_model() {
    const bool is_there = fs::exists(folder_.files().description());
    if (!is_there) images();  // before anything is written
    const RunFolder run{options_.run};
    const RunFolder own{folder_.path()};
    const std::pair<std::string, std::string> kept[] = {{run.record(), own.record()},
                                                        {run.metrics(), own.metrics()}};
    for (const auto& [from, to] : kept) {
      refuse_link(to);
      if (fs::exists(from)) write_file_atomically(to, read_text_file(from, kLargestText));
    }
    if (is_there) return;
    ModelDescription description = run_.description;
    description.calibration.reset();
    description.identity.reset();
    save_model(folder_.path(), description, *run_.network);
  }

  std::string logits(const std::string& split) const {
    return RunFolder{folder_.path()}.logits(split);
  }

  /// What was drawn may have been removed or damaged since: then it is drawn again.
  bool is_drawn(const std::string& split) const {
    if (!fs::exists(logits(split))) return false;
    try {
      read_logits_file(logits(split));
      return true;
    } catch (const DataError&) {
      return false;
    }
  }

  bool are_drawn() const {
    const std::optional<std::string> note = folder_.note("logits");
    if (!note) return false;
    const bool has_outliers = note->find("ood") != std::string::npos;
    return is_drawn("val") && is_drawn("test") && (!has_outliers || is_drawn("ood"));
  }

  void draw_logits() {
    if (are_drawn()) return observer_.line("logits: drawn before");
    const ImageSet& set = images();
    for (const char* name : {"val", "test", "ood"}) {
      if (!set.has_split(name)) continue;
      if (is_drawn(name)) {
        observer_.line(std::string("logits of ") + name + ": drawn before");
        continue;
      }
      const ImageSplit& split = set.split(name);
      write_split_logits(
          logits(name), set, split, run_,
          draw_split(run_, split, options_.mc, std::string("logits of ") + name, observer_));
      observer_.line(std::string("logits of ") + name + ": " + std::to_string(split.size()) +
                     " images, " + std::to_string(options_.mc.passes) + " passes");
    }
    folder_.add_note("logits", set.has_split("ood") ? "val, test, ood" : "val, test");
  }

  /// A model that another calibration was attached to since has the file of that one.
  bool has_chosen_file(const std::string& method) const {
    const std::string path = folder_.files().calibration();
    if (method == kNoCalibration) return !fs::exists(path);
    try {
      return fs::exists(path) && folder_.note(kCalibrationHashNote) ==
                                     std::optional(calibration_hash(load_calibration(path)));
    } catch (const DataError&) {
      return false;
    }
  }

  void calibrate() {
    const std::optional<std::string> done = folder_.note(kCalibrationNote);
    if (done && has_chosen_file(*done)) {
      if (*done != kNoCalibration) {
        result_.calibration = *done;
        if (!read_model_description(folder_.path()).calibration) {
          attach_calibration(folder_.path(), load_calibration(folder_.files().calibration()));
        }
      }
      return observer_.line("calibration: " + *done + ", chosen before");
    }
    fs::remove(folder_.files().calibration());
    const LogitsFile validation = read_logits_file(logits("val"));
    const CalibrationChoice choice =
        choose_calibration(validation, read_logits_file(logits("test")), FitOptions{}, {});
    if (const FitResult* best = choice.best()) {
      result_.calibration = method_name(best->calibration.method);
      save_calibration(folder_.files().calibration(), best->calibration);
      attach_calibration(folder_.path(), best->calibration);
      folder_.add_note(kCalibrationHashNote, calibration_hash(best->calibration));
      for (const std::string& each : best->warnings) observer_.warning(each);
    }
    if (reports_.calibrated) reports_.calibrated(validation, choice);
    folder_.add_note(kCalibrationNote,
                     result_.calibration.empty() ? kNoCalibration : result_.calibration);
  }

  void judge() {
    if (read_model_field(folder_.path(), "verdict")) {
      return observer_.line("verdict: fitted before");
    }
    const ImageSet& set = images();
    LoadedModel model = load_model(folder_.path(), options_.device);
    OodRunOptions run_options;
    run_options.mc = options_.mc;
    run_options.device = options_.device;
    OodRun run(model, set, run_options, observer_);
    for (const char* name : {"val", "test", "ood"}) {
      if (!set.has_split(name)) continue;
      LogitsReading reading;
      reading.with_labels = false;
      run.use_logits(name, read_logits_file(logits(name), reading).logits);
    }
    const FittedVerdict verdict = fit_and_attach(run, folder_.path(), model, set, run_options,
                                                 options_.verdict, "test", "ood");
    if (reports_.judged) reports_.judged(verdict, model.description.class_names);
    for (const std::string& each : verdict.warnings) observer_.warning(each);
  }

  void name() {
    const std::optional<ModelIdentity> there = read_model_description(folder_.path()).identity;
    if (there) {
      result_.identity = *there;
    } else {
      attach_identity(folder_.path(), result_.identity);
    }
  }

  /// The page names files but not where they lie, which of a path that is absolute it does not.
  void describe() {
    const std::string whole = fs::absolute(folder_.path()).string();
    report::ReportOptions page;
    page.output = folder_.files().report();
    page.runs = {whole};
    page.title = result_.identity.name + ", version " + result_.identity.version;
    page.bootstrap = options_.bootstrap;
    page.checklists = {{checklist::Kind::kModelCard, folder_.files().card()}};
    if (is_phantom_name(data_)) {
      // Read here, as pictures are made by many threads at once.
      page.test_image = [&test = images().split("test")](std::size_t index) {
        return split_image(test, index);
      };
    } else {
      page.data = data_;
    }
    result_.notes = report::write_report(page).notes;
  }

  DeployOptions options_;
  const DeployReports& reports_;
  WorkObserver& observer_;
  DeployFolder folder_;
  LoadedModel run_;
  std::string data_;
  std::unique_ptr<ImageSet> set_;
  Deployment result_;
};

}  // namespace

std::string data_of(const ModelDescription& model) {
  const Provenance& provenance = model.provenance;
  if (!provenance.phantom.is_null()) return kPhantomName;
  if (!provenance.recipe_hash.empty()) {
    const Recipe recipe = parse_recipe(provenance.recipe, "the model's recipe");
    if (recipe.data.kind == DataKind::kPath) return recipe.data.path;
  }
  throw ArgumentError(
      "the model does not say which data set it was trained on: give the option "
      "'data'");
}

ModelIdentity kept_identity(const ModelIdentity& earlier, const std::string& name) {
  ModelIdentity kept = earlier;
  kept.status = ModelStatus::kResearch;
  if (name != earlier.name) kept.intended_use.clear();
  return kept;
}

Deployment deploy(const DeployOptions& options, const DeployReports& reports,
                  WorkObserver& observer) {
  try {
    return Deployer(options, reports, observer).deploy();
  } catch (const Interrupted&) {
    throw Interrupted("stopped, and what is done is kept: go on with '" + options.command + "'");
  }
}

}  // namespace cubcal
