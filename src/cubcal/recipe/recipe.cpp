#include "cubcal/recipe/recipe.h"

#include <sstream>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/loading/dicom_window.h"
#include "cubcal/recipe/strict_table.h"
#include "cubcal/recipe/toml_limits.h"

namespace cubcal {

namespace {

constexpr std::size_t kMaxRecipeBytes = 1 << 20;

DataKind parse_data_kind(const std::string& name) {
  if (name == "phantom") return DataKind::kPhantom;
  if (name == "path") return DataKind::kPath;
  throw ArgumentError("there is no kind of data '" + name + "'; known are phantom and path");
}

BadFilePolicy parse_bad_file_policy(const std::string& name) {
  if (name == "fail") return BadFilePolicy::kFail;
  if (name == "skip") return BadFilePolicy::kSkip;
  throw ArgumentError("must be fail or skip, not '" + name + "'");
}

bool parse_leaks(const std::string& name) {
  if (name == "refuse") return false;
  if (name == "allow") return true;
  throw ArgumentError("must be refuse or allow, not '" + name + "'");
}

MopedPrior parse_moped_prior(const std::string& name) {
  if (name == "zero") return MopedPrior::kZero;
  if (name == "weights") return MopedPrior::kWeights;
  throw ArgumentError("must be zero or weights, not '" + name + "'");
}

BetaMode parse_beta_mode(const std::string& name) {
  if (name == "fixed") return BetaMode::kFixed;
  if (name == "auto") return BetaMode::kAutomatic;
  if (name == "share") return BetaMode::kShare;
  throw ArgumentError("must be fixed, share or auto, not '" + name + "'");
}

BatchReduction parse_batch_reduction(const std::string& name) {
  if (name == "sum") return BatchReduction::kSum;
  if (name == "mean") return BatchReduction::kMean;
  throw ArgumentError("must be sum or mean, not '" + name + "'");
}

StageStart parse_stage_start(const std::string& name) {
  if (name == "previous") return StageStart::kPrevious;
  if (name == "scratch") return StageStart::kScratch;
  throw ArgumentError("must be previous or scratch, not '" + name + "'");
}

std::string parse_convolution(const std::string& name) {
  if (name == "auto" || name == "im2col" || name == "onednn" || name == "panels") return name;
  throw ArgumentError("must be auto, im2col, onednn or panels, not '" + name + "'");
}

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
  table.read_as("fit", shape.fit, parse_image_fit);
  table.read("channels", shape.channels);
  table.read("keep_16_bits", shape.keep_16_bits);
  table.read_as("dicom_window", data.load.files.dicom_window, parse_dicom_window);
  if (resize_to == 0) resize_to = run.input_size;
  if (run.input_size < 0 || resize_to < run.input_size) {
    throw ArgumentError("data.resize_to must be at least data.image_size, and neither below 0");
  }
  shape.height = shape.width = static_cast<std::size_t>(resize_to);
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
  table.read_as("bad_files", data.load.bad_files, parse_bad_file_policy);
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
  table.read_as("kind", data.kind, parse_data_kind);
  read_shape(table, data, run);
  read_rows(table, data);
  table.read_as("leaks", run.allow_leaks, parse_leaks);
  read_split(table.section("split"), data);
  read_phantom(table.section("phantom"), data.phantom);
  table.finish();
  if (data.kind == DataKind::kPath && data.path.empty()) {
    throw ArgumentError("data of kind path needs a path: set data.path or give --data PATH");
  }
}

void read_model(StrictTable table, RunOptions& run) {
  table.read("network", run.network);
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
  table.read_as("schedule", stage.learning_rate.schedule, parse_learning_rate_schedule);
  table.read("warmup_epochs", stage.learning_rate.warmup_epochs);
  table.read("final_share", stage.learning_rate.final_share);
  table.read("rise_share", stage.learning_rate.rise_share);
  table.read("start_share", stage.learning_rate.start_share);
  table.read("momentum", stage.sgd.momentum);
  table.read("nesterov", stage.sgd.nesterov);
  table.read("weight_decay", stage.sgd.weight_decay);
  table.read_as("weight_decay_on", stage.sgd.decay_scope, parse_decay_scope);
  table.read("decay_norms_and_biases", stage.sgd.decay_norms_and_biases);
  table.read("clip_norm", stage.sgd.clip_norm);
}

void read_bayes(StrictTable& table, StageOptions& stage) {
  table.read("passes", stage.passes);
  table.read("initial_rho", stage.initial_rho);
  table.read("moped_delta", stage.moped.delta);
  table.read("moped_sigma_floor", stage.moped.sigma_floor);
  table.read_as("moped_prior", stage.moped.prior, parse_moped_prior);
  table.read("dropout_rate", stage.dropout_rate);
  table.read_as("kl_reduction", stage.kl.reduction, parse_kl_reduction);
  table.read("kl_weight", stage.kl.weight);
  table.read("prior_sigma", stage.kl.prior_sigma);
  table.read("gamma", stage.cub.gamma);
  table.read_as("cub_reduction", stage.cub.reduction, parse_batch_reduction);
  table.read("cub_epsilon", stage.cub.epsilon);
  table.read_as("beta_mode", stage.beta.mode, parse_beta_mode);
  table.read("beta", stage.beta.beta);
  table.read("beta_share", stage.beta.share);
  table.read("beta_warmup_epochs", stage.beta.warmup_epochs);
  table.read("avuc_weight", stage.avuc_weight);
  table.read("avuc_threshold_epochs", stage.avuc_threshold_epochs);
}

void read_stage(StrictTable& table, StageOptions& stage) {
  table.read_as("method", stage.method, parse_training_method);
  table.read_as("start", stage.start, parse_stage_start);
  table.read("epochs", stage.epochs);
  table.read("batch", stage.batch);
  table.read("norm_momentum", stage.norm_momentum);
  read_optimiser(table, stage);
  read_bayes(table, stage);
  table.read("monitor", stage.early_stop.metric);
  table.read("patience", stage.early_stop.patience);
  table.read("min_epochs", stage.early_stop.min_epochs);
  table.finish();
}

void read_stages(StrictTable& table, RunOptions& run) {
  std::vector<std::int64_t> wanted = {1, 2};
  const bool listed = table.has("stages");
  table.read("stages", wanted);
  for (const std::int64_t number : {1, 2}) {
    StrictTable section = table.section(number == 1 ? "stage1" : "stage2");
    StageOptions stage;
    stage.method = number == 1 ? TrainingMethod::kDeterministic : TrainingMethod::kBnnCub;
    const bool has_previous = !run.stages.empty() || !run.pretrained.empty();
    stage.start = has_previous ? StageStart::kPrevious : StageStart::kScratch;
    read_stage(section, stage);
    const bool chosen = std::find(wanted.begin(), wanted.end(), number) != wanted.end();
    if (listed && chosen && !section.present()) {
      throw ArgumentError("stages lists " + std::to_string(number) + ", but there is no [stage" +
                          std::to_string(number) + "]");
    }
    if (chosen && section.present()) run.stages.push_back(stage);
  }
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
    if (target == nullptr) {
      throw ArgumentError("the override '" + text + "' reaches into '" + name +
                          "', which is no table");
    }
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

/// Neither the experiment a run is part of nor a stage it leaves out is part of the run: where
/// they change, it stays as it is.
std::string text_of_a_run(toml::table table) {
  table.erase("experiment");
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

}  // namespace

Recipe parse_recipe(const std::string& text, const std::string& source,
                    const std::vector<std::string>& overrides) {
  toml::table table;
  try {
    check_toml_depth(text, source);
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw ArgumentError(source + ", line " + std::to_string(error.source().begin.line) +
                        ": this is no TOML: " + std::string(error.description()));
  }
  for (const std::string& each : overrides) apply_override(table, each);

  Recipe recipe;
  StrictTable root(&table, "", source);
  recipe.experiment = read_experiment(root.section("experiment"));
  recipe.text = text_of_a_run(table);
  RunOptions& run = recipe.run;
  root.read("seed", run.seed);
  recipe.data.phantom.seed = run.seed;
  root.read("threads", recipe.threads);
  root.read("device", run.device);
  root.read_as("precision", run.compute.precision, parse_precision);
  root.read("fused", run.compute.fused);
  root.read_as("convolution", recipe.convolution, parse_convolution);
  recipe.data.seed = run.seed;
  read_data(root.section("data"), recipe.data, run);
  read_model(root.section("model"), run);
  read_augmentation(root.section("augmentation"), run);
  StrictTable loss = root.section("loss");
  loss.read("class_weight_power", run.class_weight_power);
  loss.finish();
  read_stages(root, run);
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

Recipe load_recipe(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_recipe(read_text_file(path, kMaxRecipeBytes), path, overrides);
}

Provenance make_provenance(const Recipe& recipe, const ImageSet& set) {
  Provenance provenance;
  provenance.recipe = recipe.text;
  provenance.recipe_hash = content_hash(recipe.text);
  provenance.seed = recipe.run.seed;
  provenance.data = set.name;
  provenance.data_hash = content_hash(set);
  if (recipe.data.kind == DataKind::kPhantom) provenance.phantom = recipe.data.phantom;
  return provenance;
}

}  // namespace cubcal
