#include "cubcal/classifier.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>
#include <new>

#include "cubcal/core/check.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/words.h"
#include "cubcal/dataset/dicom_window.h"
#include "cubcal/image/image_file.h"
#include "cubcal_nn/classifier/answering.h"
#include "cubcal_nn/infer/image_input.h"
#include "cubcal_nn/infer/model_json.h"
#include "cubcal_nn/kernels/compute_facts.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/kernels/named_device.h"

namespace cubcal {

namespace {

static_assert(AdaptiveStop{}.error == AdaptiveOptions{}.error &&
                  AdaptiveStop{}.first == AdaptiveOptions{}.first &&
                  AdaptiveStop{}.block == AdaptiveOptions{}.block,
              "one set of defaults");

/// Threads, and on the CPU the convolution path.
ComputeSettings compute_settings(const ClassifierOptions& options, c10::Device device) {
  ComputeSettings settings;
  settings.threads = static_cast<int>(options.threads > 0 ? options.threads : thread_count());
  if (device.is_cpu()) {
    settings.convolution = options.convolution == "auto"
                               ? usual_convolution_backend(ConvolutionWork::kPrediction)
                               : parse_convolution_backend(options.convolution);
  }
  return settings;
}

Image image_of(const PixelView& view) {
  if (view.pixels == nullptr || view.height == 0 || view.width == 0) {
    throw DataError("an image needs pixels, a height and a width");
  }
  if ((view.channels != 1 && view.channels != 3) || (view.bits != 8 && view.bits != 16)) {
    throw DataError("an image must have 1 or 3 channels of 8 or 16 bits, not " +
                    std::to_string(view.channels) + " of " + std::to_string(view.bits));
  }
  if (view.height > kMaxImagePixels / view.width) {
    throw DataError("an image must have at most " + std::to_string(kMaxImagePixels) +
                    " pixels, not " + std::to_string(view.width) + " x " +
                    std::to_string(view.height));
  }
  Image image{view.height, view.width, view.channels, {}, {}};
  const std::size_t count = view.height * view.width * view.channels;
  if (view.bits == 8) {
    const auto* first = static_cast<const std::uint8_t*>(view.pixels);
    image.pixels.assign(first, first + count);
  } else {
    const auto* first = static_cast<const std::uint16_t*>(view.pixels);
    image.deep_pixels.assign(first, first + count);
  }
  return image;
}

/// [1, C, H, W] in levels.
class PreparedTensor : public PreparedImage {
 public:
  explicit PreparedTensor(at::Tensor levels) : levels_(std::move(levels)) {}
  const at::Tensor& levels() const { return levels_; }

 private:
  at::Tensor levels_;
};

const at::Tensor& levels_of(const std::shared_ptr<const PreparedImage>& image) {
  const auto* tensor = dynamic_cast<const PreparedTensor*>(image.get());
  if (tensor == nullptr) throw ArgumentError("an image was prepared by no classifier");
  return tensor->levels();
}

}  // namespace

class Classifier::Room {
 public:
  Room(const std::string& folder, const ClassifierOptions& options)
      : options_(options),
        judging_{load_model(folder, named_device(options.device)), std::nullopt},
        engine_(*judging_.model.network, description().preprocessing),
        settings_(compute_settings(options, judging_.model.network->options().device)) {
    judging_.verdict = load_verdict(judging_.model);
    set_up_answering();
    set_up_facts();
  }

  const ModelFacts& facts() const { return facts_; }

  at::Tensor input(const Image& image) const {
    return image_input(image, description().preprocessing);
  }

  at::Tensor input(const std::string& path) const {
    ImageFileOptions reading;
    reading.dicom_window = description().preprocessing.dicom_window;
    reading.dicom_frame = options_.dicom_frame;
    return input(read_image_file(path, reading));
  }

  std::vector<Answer> answers(const std::vector<at::Tensor>& inputs) {
    if (inputs.empty()) return {};
    const ComputeScope scope(settings_);
    // Each image is the first of a set of its own, so that its prediction depends on no other.
    answering_.mc.samples.assign(inputs.size(), 0);
    try {
      return answer_images(judging_, engine_, at::cat(inputs), answering_);
    } catch (const c10::Error& error) {
      const std::string whole = error.what_without_backtrace();
      throw Error("LibTorch could not compute the prediction: " +
                  whole.substr(0, whole.find('\n')));
    } catch (const std::bad_alloc&) {
      throw Error("there is not enough memory for " + std::to_string(inputs.size()) +
                  " images: predict fewer at a time");
    }
  }

 private:
  const ModelDescription& description() const { return judging_.model.description; }

  void set_up_answering() {
    const std::optional<VerdictModel>& verdict = judging_.verdict;
    McOptions& mc = answering_.mc;
    if (verdict) mc.passes = verdict->policy.passes;
    if (options_.passes) mc.passes = *options_.passes;
    check_at_least("the number of passes", static_cast<double>(mc.passes), 1);
    check_in_closed("the batch size", static_cast<double>(options_.batch), 1,
                    std::numeric_limits<std::int32_t>::max());
    mc.batch = static_cast<std::int64_t>(options_.batch);
    mc.seed = options_.seed;
    mc.keep_draws = true;
    mc.compute.precision = parse_precision(options_.precision);
    resolve_precision(mc.compute.precision, judging_.model.network->options().device);
    mc.progress = options_.progress;
    mc.interrupted = options_.interrupted;
    answering_.spread = options_.spread;
    if (!options_.adaptive_stop) return;
    const AdaptiveStop& stop = *options_.adaptive_stop;
    if (verdict && verdict->policy.features == FeatureSource::kPasses) {
      throw ArgumentError(
          "stopping early cannot save passes with this model, whose verdict takes features of all "
          "of them");
    }
    if (judging_.set_level()) {
      throw ArgumentError(
          "stopping early settles on which side of a threshold the uncertainty lies, and this "
          "model's verdict decides by prediction sets");
    }
    answering_.adaptive = AdaptiveOptions{stop.error, stop.first, stop.block};
    check_adaptive_options(*answering_.adaptive);
    answering_.decision.uncertainty = judging_.refer_above();
    if (!stop.gamma) answering_.decision.gamma.reset();
  }

  void set_up_facts() {
    const ModelDescription& model = description();
    if (model.identity) {
      facts_.name = model.identity->name;
      facts_.version = model.identity->version;
      facts_.status = name_of(kModelStatuses, model.identity->status);
      facts_.intended_use = model.identity->intended_use;
    }
    facts_.weights_hash = judging_.model.weights_hash;
    facts_.decision_hash = judging_.model.decision_hash;
    facts_.network = model.network;
    facts_.class_names = model.class_names;
    if (model.calibration) facts_.calibration = method_name(model.calibration->method);
    facts_.eta = model.operating_point().eta;
    facts_.refer_above = judging_.refer_above();
    facts_.set_level = judging_.set_level();
    facts_.passes = drawn_passes(*judging_.model.network, answering_.mc);
    facts_.seed = options_.seed;
    facts_.height = static_cast<std::size_t>(model.preprocessing.image_height());
    facts_.width = static_cast<std::size_t>(model.preprocessing.image_width());
    facts_.channels = static_cast<std::size_t>(model.preprocessing.channels());
    facts_.dicom_window = dicom_window_name(model.preprocessing.dicom_window);
    ContentHash whole;
    for (const auto& [name, text] : judging_.model.fields) whole.add(name + text);
    facts_.description_hash = whole.text();
    facts_.data = last_part(model.provenance.data);
    facts_.data_hash = model.provenance.data_hash;
    const c10::Device device = judging_.model.network->options().device;
    facts_.compute = compute_text(device, settings_.convolution, answering_.mc.compute.precision);
    facts_.processor = processor_text(device);
    if (!judging_.verdict) return;
    const VerdictPolicy& policy = judging_.verdict->policy;
    facts_.detector = policy.detector;
    facts_.alpha = policy.options.alpha;
    facts_.verdict_passes = policy.passes;
    for (const ProbeRates& each : policy.probes) {
      facts_.probes += each.rates.samples;
      facts_.probes_accepted += each.rates.accepted;
    }
  }

  ClassifierOptions options_;
  JudgingModel judging_;
  McEngine engine_;
  ComputeSettings settings_;
  AnsweringOptions answering_;
  ModelFacts facts_;
};

Classifier::Classifier(const std::string& folder, const ClassifierOptions& options)
    : room_(std::make_unique<Room>(folder, options)) {}
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

const ModelFacts& Classifier::facts() const { return room_->facts(); }

Answer Classifier::predict(const std::string& path) {
  return std::move(room_->answers({room_->input(path)}).front());
}

Answer Classifier::predict(const PixelView& image) {
  return std::move(predict(std::vector<PixelView>{image}).front());
}

std::vector<Answer> Classifier::predict(const std::vector<PixelView>& images) {
  std::vector<at::Tensor> inputs;
  inputs.reserve(images.size());
  for (const PixelView& image : images) inputs.push_back(room_->input(image_of(image)));
  return room_->answers(inputs);
}

std::shared_ptr<const PreparedImage> Classifier::prepare(const PixelView& image) const {
  return std::make_shared<PreparedTensor>(room_->input(image_of(image)));
}

std::vector<Answer> Classifier::predict(
    const std::vector<std::shared_ptr<const PreparedImage>>& images) {
  std::vector<at::Tensor> inputs;
  inputs.reserve(images.size());
  for (const auto& image : images) {
    inputs.push_back(levels_of(image));
    if (!inputs.back().sizes().equals(inputs.front().sizes())) {
      throw ArgumentError("images were prepared for models of different sizes");
    }
  }
  return room_->answers(inputs);
}

std::vector<FileAnswer> Classifier::predict_files(const std::vector<std::string>& paths) {
  std::vector<FileAnswer> files;
  std::vector<at::Tensor> inputs;
  for (const std::string& path : paths) {
    files.push_back({path, std::nullopt, {}});
    try {
      inputs.push_back(room_->input(path));
    } catch (const Error& error) {
      files.back().problem = error.what();
    }
  }
  std::vector<Answer> answers = room_->answers(inputs);
  auto next = answers.begin();
  for (FileAnswer& file : files) {
    if (file.problem.empty()) file.answer = std::move(*next++);
  }
  return files;
}

}  // namespace cubcal
