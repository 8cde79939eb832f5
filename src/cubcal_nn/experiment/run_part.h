#pragma once

#include <functional>
#include <string>

#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/recipe/recipe.h"

/// A run among others that are compared: of the demo, or of an experiment.
namespace cubcal {

struct RunPart {
  std::string name;    ///< as it is told of
  std::string folder;  ///< the run's
  Recipe recipe;
  std::size_t passes = 80;          ///< of the logits; a deterministic network has fewer
  std::string model_name = "last";  ///< or "best"
  std::string start = "";           ///< the model in the experiment's folder it starts from

  std::string model() const;
  /// The part's logits of a split: "<folder>/val.npz".
  std::string logits(const std::string& split) const;
  McOptions mc() const;
};

/// The recipe that the part's run was started with, where there is one, or else its own: they
/// differ where the experiment's folder was moved. Throws ArgumentError where the folder holds a
/// run of another recipe, naming the first line that differs.
std::string recipe_text(const RunPart& part);

/// Read when first asked for: a part that is whole needs no images.
using ImagesOfPart = std::function<const ImageSet&()>;

/// Trains the part unless that was done before. Throws as make_part does.
void train_part(const RunPart& part, const ImagesOfPart& images, const std::string& indent,
                const std::string& resume_command, WorkObserver& observer);

/// Draws the logits of the part's model of val, test and, where the set has them, ood; those that
/// are there already are not drawn again.
void draw_part_logits(const RunPart& part, const ImagesOfPart& images, WorkObserver& observer);

/// Trains the part and draws its logits of val, test and, where the set has them, ood; what is
/// there already is not made again. Throws ArgumentError where the folder holds a part made with
/// other settings.
void make_part(const RunPart& part, const ImagesOfPart& images, const std::string& indent,
               const std::string& resume_command, WorkObserver& observer);

}  // namespace cubcal
