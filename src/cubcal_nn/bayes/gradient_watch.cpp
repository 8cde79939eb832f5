#include "cubcal_nn/bayes/gradient_watch.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace cubcal {

struct GradientWatch::Progress {
  std::vector<GradientPiece> pieces;
  std::vector<std::vector<std::size_t>> pieces_of;  ///< by parameter
  std::vector<std::size_t> parameters_in;           ///< by piece
  std::vector<std::size_t> left;                    ///< by piece, on this way back
  std::size_t next = 0;
  Done done;  ///< empty: nobody is to be told

  void begin(Done given) {
    done = std::move(given);
    left = parameters_in;
    next = 0;
  }

  void completed(std::size_t parameter) {
    if (!done) return;
    for (const std::size_t piece : pieces_of[parameter]) --left[piece];
    while (next < pieces.size() && left[next] == 0) done(pieces[next++]);
  }

  void tell_rest() {
    while (next < pieces.size()) done(pieces[next++]);
  }
};

GradientWatch::GradientWatch(const ParameterStore& store, const TensorTable& leaves,
                             std::vector<GradientPiece> pieces)
    : progress_(std::make_shared<Progress>()) {
  using torch::autograd::variable_list;
  const std::vector<ParameterEntry>& parameters = store.parameters();
  progress_->pieces_of.resize(parameters.size());
  progress_->parameters_in.resize(pieces.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      if (!overlap(pieces[piece], parameters[i])) continue;
      progress_->pieces_of[i].push_back(piece);
      ++progress_->parameters_in[piece];
    }
    const auto gathering = torch::autograd::impl::grad_accumulator(leaves[i]);
    gathering->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
        [progress = progress_, i](const variable_list& outputs, const variable_list&) {
          progress->completed(i);
          return outputs;
        }));
    gathering_.push_back(gathering);
  }
  progress_->pieces = std::move(pieces);
}

void GradientWatch::run(const std::function<void()>& way_back, Done done) {
  struct Disarmed {
    Progress& progress;
    ~Disarmed() { progress.done = nullptr; }
  };
  const Disarmed at_the_end{*progress_};
  progress_->begin(std::move(done));
  way_back();
  progress_->tell_rest();
}

}  // namespace cubcal
