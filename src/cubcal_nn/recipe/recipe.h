#pragma once

#include <string>
#include <vector>

#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/recipe/experiment_plan.h"
#include "cubcal_nn/recipe/recipe_data.h"
#include "cubcal_nn/train/run_options.h"

/// A recipe is a TOML file from which a run can be made again. docs/train.md lists its keys.
namespace cubcal {

struct Recipe {
  DataOptions data;
  RunOptions run;
  std::size_t threads = 0;           ///< 0: all processors
  std::string convolution = "auto";  ///< "auto": the usual one of training; or a backend's name
  ExperimentPlan experiment;         ///< the grid around the run
  Settings settings;                 ///< every key that has an effect, defaults included
  std::string text;                  ///< of the run as TOML, overrides applied
};

/// Strict: a key that does not exist is an ArgumentError that names it, its line and the nearest
/// one that does; so is a value of a wrong type. `overrides` are "a.b=c", c as TOML or, where that
/// is not TOML, as text. `source` names the recipe in errors.
///
/// Stages: those that have a table, [stage1] and [stage2], or of these the ones `stages` lists. The
/// seed of the phantom set, of `fraction` and of `balance` is the run's unless given.
Recipe parse_recipe(const std::string& text, const std::string& source,
                    const std::vector<std::string>& overrides = {});
/// The text of a recipe's file, of which a megabyte is the most.
std::string read_recipe_text(const std::string& path);
Recipe load_recipe(const std::string& path, const std::vector<std::string>& overrides = {});

/// The text of a recipe without where its data lie, which may change while they do not.
std::string without_data_path(const std::string& text);

/// Whether two texts are the same but for the folder of an experiment, which was moved or is named
/// otherwise now: the first weights of both are the model `start` in it, as "all/seed1/bnn/last".
bool differ_in_place_alone(const std::string& there, const std::string& here,
                           const std::string& start);

/// The override that sets a key to this very text, whatever signs it holds.
std::string text_override(const std::string& key, const std::string& value);

/// What is kept with the models of a run: the recipe's text and the data, with their hashes.
Provenance make_provenance(const Recipe& recipe, const ImageSet& set);

}  // namespace cubcal
