#include "cubcal_nn/recipe/recipe.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/words.h"
#include "cubcal/dataset/dicom_window.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/recipe/strict_table.h"
#include "cubcal_nn/recipe/toml_limits.h"

namespace cubcal {

namespace {

constexpr std::size_t kMaxRecipeBytes = 1 << 20;

constexpr NamedValue<DataKind> kDataKinds[] = {{"phantom", DataKind::kPhantom},
                                               {"path", DataKind::kPath}};
constexpr NamedValue<BadFilePolicy> kBadFilePolicies[] = {{"fail", BadFilePolicy::kFail},
                                                          {"skip", BadFilePolicy::kSkip}};
constexpr NamedValue<bool> kLeaks[] = {{"refuse", false}, {"allow", true}};
constexpr NamedValue<MopedPrior> kMopedPriors[] = {{"zero", MopedPrior::kZero},
                                                   {"weights", MopedPrior::kWeights}};
constexpr NamedValue<StageStart> kStageStarts[] = {{"previous", StageStart::kPrevious},
                                                   {"scratch", StageStart::kScratch}};
constexpr NamedValue<NormMomentumPer> kNormMomentumPer[] = {{"step", NormMomentumPer::kStep},
                                                            {"pass", NormMomentumPer::kPass}};
constexpr NamedValue<const char*> kConvolutions[] = {
    {"auto", "auto"}, {"im2col", "im2col"}, {"onednn", "onednn"}, {"panels", "panels"}};

std::string parse_convolution(const std::string& name) { return value_named(kConvolutions, name); }

void read_phantom(StrictTable table, PhantomOptions& phantom) {
  table.read("seed", phantom.seed);
  table.read("train", phantom.train);
  table.read("val", phantom.val);
  table.read("test", phantom.test);
  table.read("ood", phantom.ood);
  table.read("image_size", phantom.image_size);
  table.read("patient_images", phantom.patient_images);
  table.read("label_noise", phantom.label_noise);
  table.read("ambiguity", phantom.ambiguity);
  table.read("spread", phantom.spread);
  table.read("sensor_noise", phantom.sensor_noise);
  table.finish();
}

void read_shape(StrictTable& table, DataOptions& data, RunOptions& run) {
  ImageShape& shape = data.load.shape;
  std::int64_t resize_to = 0;
  table.read("image_size", run.input_size);
  table.read("resize_to", resize_to);
  table.read("reduce_to", shape.reduce_to);
  table.read_named("fit", shape.fit, parse_image_fit, image_fit_name);
  table.read("channels", shape.channels);
  table.read("keep_16_bits", shape.keep_16_bits);
  table.read_named("dicom_window", data.load.files.dicom_window, parse_dicom_window,
                   dicom_window_name);
  if (resize_to == 0) resize_to = run.input_size;
  if (run.input_size < 0 || resize_to < run.input_size) {
    throw ArgumentError("data.resize_to must be at least data.image_size, and neither below 0");
  }
  shape.height = shape.width = static_cast<std::size_t>(resize_to);
}

/// A name, or [means, deviations] with a number per channel each.
void read_normalise(StrictTable& table, NormaliseOptions& normalise) {
  if (!table.has("normalise") || table.has_text("normalise")) {
    table.read_named("normalise", normalise.with, kNormaliseNames);
    return;
  }
  std::vector<std::vector<double>> lists;
  table.read("normalise", lists);
  const bool fits = lists.size() == 2 && !lists[0].empty() && lists[0].size() == lists[1].size();
  if (!fits) {
    table.refuse("normalise",
                 "must be train, imagenet, model, or a list of means and one of as many "
                 "deviations, a number per channel");
  }
  normalise = {NormaliseWith::kGiven, lists[0], lists[1]};
}

/// How a manifest is read where that is not to be recognised.
void read_columns(StrictTable& table, ManifestOptions& manifest) {
  table.read("file_column", manifest.file_column);
  table.read("label_column", manifest.label_column);
  table.read("group_column", manifest.group_column);
  table.read("split_column", manifest.split_column);
  table.read_named("sep", manifest.separator, parse_separator, separator_name);
  table.read_named("encoding", manifest.encoding, parse_text_encoding, text_encoding_name);
}

void read_rows(StrictTable& table, DataOptions& data) {
  std::vector<std::string> where;
  table.read("where", where);
  for (const std::string& each : where) data.selection.where.push_back(parse_row_filter(each));
  table.read("hold_out", data.selection.hold_out);
  table.read("drop_class", data.selection.drop_class);
  table.read("sample", data.sample);
  table.read("fraction", data.fraction);
  table.read("balance", data.balance);
  table.read("seed", data.seed);
  table.read_named("bad_files", data.load.bad_files, kBadFilePolicies);
}

void read_split(StrictTable table, DataOptions& data) {
  table.read("again", data.split_again);
  table.read("train", data.split.train);
  table.read("val", data.split.val);
  table.read("test", data.split.test);
  table.read("seed", data.split.seed);
  table.read("stratify_by", data.split.stratify_by);
  table.finish();
}

void read_data(StrictTable table, DataOptions& data, RunOptions& run) {
  table.read("path", data.path);
  if (!data.path.empty()) data.kind = DataKind::kPath;
  table.read_named("kind", data.kind, kDataKinds);
  read_columns(table, data.load.open.table);
  read_shape(table, data, run);
  read_normalise(table, run.normalise);
  read_rows(table, data);
  table.read_named("leaks", run.allow_leaks, kLeaks);
  read_split(table.section("split"), data);
  if (data.kind != DataKind::kPhantom) table.note_to(nullptr);  // its options have no effect
  read_phantom(table.section("phantom"), data.phantom);
  table.finish();
  if (data.kind == DataKind::kPath && data.path.empty()) {
    throw ArgumentError("data of kind path needs a path: set data.path or give the option 'data'");
  }
}

void read_model(StrictTable table, RunOptions& run) {
  table.read("network", run.network);
  table.read_named("head", run.head, parse_head_kind, head_kind_name);
  table.read("pretrained", run.pretrained);
  table.read("pretrained_allow_missing", run.pretrained_import.allow_missing);
  table.read("pretrained_ignore", run.pretrained_import.ignore);
  table.finish();
}

void read_augmentation(StrictTable table, RunOptions& run) {
  table.read("enabled", run.augment);
  table.read("horizontal_flip", run.augmentation.horizontal_flip);
  table.read("vertical_flip", run.augmentation.vertical_flip);
  table.read("shift", run.augmentation.shift);
  table.read("rotation", run.augmentation.rotation);
  table.read("crop_least", run.augmentation.crop_least);
  table.read("crop_largest", run.augmentation.crop_largest);
  table.read("crop_aspect", run.augmentation.crop_aspect);
  table.read("brightness", run.augmentation.brightness);
  table.read("contrast", run.augmentation.contrast);
  table.finish();
}

void read_optimiser(StrictTable& table, StageOptions& stage) {
  table.read("learning_rate", stage.learning_rate.peak);
  table.read_named("schedule", stage.learning_rate.schedule, kLearningRateSchedules);
  table.read("warmup_epochs", stage.learning_rate.warmup_epochs);
  table.read("final_share", stage.learning_rate.final_share);
  table.read("rise_share", stage.learning_rate.rise_share);
  table.read("start_share", stage.learning_rate.start_share);
  table.read("momentum", stage.sgd.momentum);
  table.read("nesterov", stage.sgd.nesterov);
  table.read("weight_decay", stage.sgd.weight_decay);
  table.read_named("weight_decay_on", stage.sgd.decay_scope, kDecayScopes);
  table.read("decay_norms_and_biases", stage.sgd.decay_norms_and_biases);
  table.read("clip_norm", stage.sgd.clip_norm);
}

/// Options of every objective are known, but only those of the method's are noted: others change
/// nothing.
void read_objective(StrictTable& table, TrainingMethod& method, Settings* settings) {
  for (const TrainingMethod& each : training_methods()) {
    table.note_to(each.name == method.name ? settings : nullptr);
    std::shared_ptr<Objective> objective = each.objective->clone();
    objective->read_options(table);
    if (each.name == method.name) method.objective = std::move(objective);
  }
}

/// Options that are not the method's are known but not noted.
void read_method(StrictTable& table, StageOptions& stage, Settings* settings) {
  const auto note_if = [&](bool of_the_method) {
    table.note_to(of_the_method ? settings : nullptr);
  };
  note_if(stage.method.kind != LayerKind::kDeterministic);
  table.read("passes", stage.passes);
  table.read("dropout_rate", stage.dropout_rate);
  note_if(has_gaussians(stage.method.kind));
  table.read("initial_rho", stage.initial_rho);
  table.read("moped_delta", stage.moped.delta);
  table.read("moped_sigma_floor", stage.moped.sigma_floor);
  table.read_named("moped_prior", stage.moped.prior, kMopedPriors);
  table.read_named("kl_reduction", stage.kl.reduction, kKlReductions);
  table.read("kl_weight", stage.kl.weight);
  table.read("prior_sigma", stage.kl.prior_sigma);
  read_objective(table, stage.method, settings);
  table.note_to(settings);
}

void read_stage(StrictTable& table, StageOptions& stage, Settings* settings) {
  table.note_to(settings);
  table.read_named("method", stage.method, training_method,
                   [](const TrainingMethod& method) { return method.name; });
  table.read_named("start", stage.start, kStageStarts);
  table.read("epochs", stage.epochs);
  table.read("batch", stage.batch);
  table.read("norm_momentum", stage.norm_momentum);
  table.read_named("norm_momentum_per", stage.norm_momentum_per, kNormMomentumPer);
  table.read("class_weight_power", stage.class_weight_power);
  read_optimiser(table, stage);
  read_method(table, stage, settings);
  table.read("monitor", stage.early_stop.metric);
  table.read("patience", stage.early_stop.patience);
  table.read("min_epochs", stage.early_stop.min_epochs);
  table.finish();
}

void read_stages(StrictTable& table, RunOptions& run, Settings& settings) {
  std::vector<std::int64_t> wanted = {1, 2};
  const bool listed = table.has("stages");
  table.note_to(nullptr);  // each stage that is run notes its own keys
  table.read("stages", wanted);
  for (const std::int64_t number : {1, 2}) {
    StrictTable section = table.section(number == 1 ? "stage1" : "stage2");
    StageOptions stage;
    stage.method = training_method(number == 1 ? kDeterministicMethod : "bnn+cub");
    const bool has_previous = !run.stages.empty() || !run.pretrained.empty();
    stage.start = has_previous ? StageStart::kPrevious : StageStart::kScratch;
    Settings noted;
    read_stage(section, stage, &noted);
    const bool chosen = std::find(wanted.begin(), wanted.end(), number) != wanted.end();
    if (listed && chosen && !section.present()) {
      throw ArgumentError("stages lists " + std::to_string(number) + ", but there is no [stage" +
                          std::to_string(number) + "]");
    }
    if (!chosen || !section.present()) continue;
    run.stages.push_back(stage);
    settings.insert(settings.end(), noted.begin(), noted.end());
  }
}

std::optional<TemperatureBox> read_box(StrictTable& table, const char* key) {
  std::optional<std::pair<double, double>> limits;
  table.read(key, limits);
  if (!limits) return std::nullopt;
  if (!(limits->first > 0 && limits->first <= limits->second)) {
    table.refuse(key, "must be two positive temperatures, the lower one first");
  }
  return TemperatureBox{limits->first, limits->second};
}

void read_calibration(StrictTable table, CalibrationPlan& plan) {
  std::optional<std::pair<double, double>> gammas;
  table.read("thresholds", gammas);
  table.read("eta", plan.eta);
  if (gammas) {
    plan.thresholds = Thresholds{gammas->first, gammas->second, plan.eta};
    try {
      check_thresholds(*plan.thresholds);
    } catch (const ArgumentError& error) {
      table.refuse("thresholds", error.what());
    }
  }
  plan.box = read_box(table, "t");
  plan.box_high = read_box(table, "t_high");
  plan.box_low = read_box(table, "t_low");
  table.finish();
}

ArgumentError reaches_into(const std::string& text, const std::string& name) {
  return ArgumentError("the override '" + text + "' reaches into '" + name +
                       "', which is not a table");
}

/// "a.b=c" put into the table; c as TOML where it is, else as text.
void apply_override(toml::table& table, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw ArgumentError("an override is of the form section.key=value, not '" + text + "'");
  }
  check_toml_depth(text.substr(0, equals), "an override");
  toml::table* target = &table;
  std::string path = text.substr(0, equals);
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
    const std::string name = path.substr(0, dot);
    if (!target->contains(name)) target->insert(name, toml::table{});
    target = target->get(name)->as_table();
    if (target == nullptr) throw reaches_into(text, name);
    path = path.substr(dot + 1);
  }
  const std::string value = text.substr(equals + 1);
  try {
    check_toml_depth("value = " + value, "the override '" + path + "'");
    const toml::table parsed = toml::parse("value = " + value);
    if (parsed.size() != 1) throw ArgumentError("the override '" + text + "' holds several keys");
    const toml::node* node = parsed.get("value");
    node->visit([&](const auto& each) {
      auto copy = each;
      target->insert_or_assign(path, std::move(copy));
    });
    // An override has no line of its own; StrictTable tells it by that.
  } catch (const toml::parse_error&) {
    target->insert_or_assign(path, value);
  }
}

/// Neither the experiment a run is part of, nor what is done to its logits, nor a stage it leaves
/// out is part of the run: where they change, it stays as it is.
std::string text_of_a_run(toml::table table) {
  table.erase("experiment");
  table.erase("calibration");
  if (const toml::array* stages = table["stages"].as_array()) {
    for (const std::int64_t number : {1, 2}) {
      bool chosen = false;
      for (const toml::node& each : *stages)
        chosen = chosen || each.value<std::int64_t>() == number;
      if (!chosen) table.erase("stage" + std::to_string(number));
    }
  }
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

/// Nothing where the text, which may have been damaged, is no TOML.
std::optional<toml::table> table_in(const std::string& text) {
  try {
    check_toml_depth(text, "");
    return toml::parse(text);
  } catch (const toml::parse_error&) {
    return std::nullopt;
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

}  // namespace

Recipe parse_recipe(const std::string& text, const std::string& source,
                    const std::vector<std::string>& overrides) {
  toml::table table;
  try {
    check_toml_depth(text, source);
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw ArgumentError(source + ", line " + std::to_string(error.source().begin.line) +
                        ": this is not TOML: " + std::string(error.description()));
  }
  for (const std::string& each : overrides) apply_override(table, each);
  check_toml_numbers(table, source);

  Recipe recipe;
  StrictTable root(&table, "", source);
  recipe.experiment = read_experiment(root.section("experiment"));
  root.note_to(&recipe.settings);
  recipe.text = text_of_a_run(table);
  RunOptions& run = recipe.run;
  root.read("seed", run.seed);
  recipe.data.phantom.seed = run.seed;
  root.read("threads", recipe.threads);
  if (recipe.threads > kMostThreads) {
    root.refuse("threads", "must be at most " + std::to_string(kMostThreads));
  }
  root.read("device", run.device);
  root.read_named("precision", run.compute.precision, parse_precision, precision_name);
  root.read("fused", run.compute.fused);
  root.read_named("convolution", recipe.convolution, parse_convolution,
                  [](const std::string& name) { return name; });
  recipe.data.seed = run.seed;
  read_data(root.section("data"), recipe.data, run);
  read_model(root.section("model"), run);
  read_augmentation(root.section("augmentation"), run);
  StrictTable loss = root.section("loss");
  loss.read("class_weight_power", run.class_weight_power);
  loss.finish();
  read_stages(root, run, recipe.settings);
  root.note_to(&recipe.settings);
  read_calibration(root.section("calibration"), recipe.experiment.calibration);
  StrictTable validation = root.section("validation");
  validation.read("passes", run.validation.passes);
  validation.read("batch", run.validation.batch);
  validation.read("chance_after_epochs", run.chance_after_epochs);
  validation.finish();
  StrictTable output = root.section("output");
  output.read("save_every_seconds", run.save_every_seconds);
  output.read("checkpoint_every_steps", run.checkpoint_every_steps);
  output.read("tensorboard", run.tensorboard);
  output.finish();
  root.finish();
  try {
    check_experiment_plan(recipe.experiment);
    check_run_options(run);
  } catch (const ArgumentError& error) {
    throw ArgumentError(source + ": " + error.what());
  }
  return recipe;
}

std::string read_recipe_text(const std::string& path) {
  return read_text_file(path, kMaxRecipeBytes);
}

Recipe load_recipe(const std::string& path, const std::vector<std::string>& overrides) {
  if (std::filesystem::is_directory(path)) {
    throw ArgumentError(
        "'" + path +
        "' is a folder, and a recipe is a TOML file; a run's folder is named by the "
        "option 'out'");
  }
  return parse_recipe(read_recipe_text(path), path, overrides);
}

std::string without_data_path(const std::string& text) {
  std::optional<toml::table> table = table_in(text);
  if (!table) return text;
  if (toml::table* data = (*table)["data"].as_table()) {
    data->erase("kind");
    data->erase("path");
  }
  return text_of_a_run(*table);
}

bool differ_in_place_alone(const std::string& there, const std::string& here,
                           const std::string& start) {
  std::vector<std::string> rest;
  for (const std::string& text : {there, here}) {
    std::optional<toml::table> table = table_in(text);
    if (!table) return false;
    const auto weights = (*table)["model"]["pretrained"].value<std::string>();
    if (!weights || !ends_with(*weights, "/" + start)) return false;
    (*table)["model"].as_table()->erase("pretrained");
    rest.push_back(text_of_a_run(*table));
  }
  return rest[0] == rest[1];
}

std::string text_override(const std::string& key, const std::string& value) {
  return key + "=" + nlohmann::json(value).dump();  // a JSON text is a TOML text
}

Provenance make_provenance(const Recipe& recipe, const ImageSet& set) {
  Provenance provenance;
  provenance.recipe = recipe.text;
  provenance.recipe_hash = content_hash(recipe.text);
  provenance.settings = recipe.settings;
  provenance.seed = recipe.run.seed;
  provenance.data = set.name;
  provenance.data_hash = content_hash(set);
  if (recipe.data.kind == DataKind::kPhantom) provenance.phantom = to_json(recipe.data.phantom);
  return provenance;
}

}  // namespace cubcal
