#include "cubcal/report/model_facts.h"

#include "cubcal/core/check.h"
#include "cubcal/plot/svg.h"
#include "cubcal/record/run_record.h"
#include "cubcal/report/described_model.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/shown_path.h"

namespace cubcal::report {

namespace {

class Card {
 public:
  explicit Card(std::vector<CardRow>& rows) : rows_(rows) {}

  void add(const char* name, const std::string& value) {
    if (!value.empty()) rows_.push_back({name, value});
  }

 private:
  std::vector<CardRow>& rows_;
};

std::string stage_text(const StageRecord& stage) {
  std::string text = stage.method;
  if (stage.epochs) text += ", " + std::to_string(*stage.epochs) + " epochs";
  if (stage.stopped_early) text += ", stopped early";
  if (stage.best.epoch) {
    text += ", best after epoch " + std::to_string(*stage.best.epoch);
    if (!stage.monitored.empty()) text += " by " + stage.monitored + " of validation";
  }
  if (stage.seconds) text += ", " + fixed(*stage.seconds, 0) + " s";
  return text;
}

template <class Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : std::string();
}

void add_run_record(const RunRecord& run, ModelFacts& facts) {
  Card card(facts.card);
  card.add("Network", run.network);
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const std::string name = run.stages.size() == 1 ? "Training" : "Stage " + std::to_string(i + 1);
    card.add(name.c_str(), stage_text(run.stages[i]));
    facts.method = run.stages[i].method;
  }
  facts.seed = run.seed;
  facts.data_name = run.data;
  facts.recipe = run.recipe;
  card.add("Seed", text_of(run.seed));
  card.add("Training data", shown_path(run.data));
  card.add("Hash of the data", run.data_hash);
  card.add("Hash of the recipe", run.recipe_hash);
  card.add("Program", run.program);
  card.add("LibTorch", run.libtorch);
  card.add("Device", run.device);
  card.add("Threads", text_of(run.threads));
  if (run.distributed) {
    card.add("Ranks", std::to_string(run.distributed->ranks) + " over " + run.distributed->split +
                          " by " + run.distributed->backend);
  }
}

/// What the verdict did with images that none may accept (docs/ood.md).
void add_probes(const VerdictRecord& verdict, Card& card) {
  if (verdict.probes.empty()) return;
  std::size_t images = 0;
  std::size_t accepted = 0;
  for (const ProbeRates& each : verdict.probes) {
    images += each.rates.samples;
    accepted += each.rates.accepted;
  }
  card.add("Noise, blank, inverted and other images that no verdict may accept",
           plot::readable_number(static_cast<double>(accepted)) + " of " +
               plot::readable_number(static_cast<double>(images)) + " accepted");
}

std::string input_text(const InputRecord& input) {
  return std::to_string(input.channels) + " × " + std::to_string(input.height) + " × " +
         std::to_string(input.width);
}

void add_origin(const DescribedModel& model, ModelFacts& facts) {
  const Provenance& provenance = model.provenance;
  Card card(facts.card);
  card.add("Network", model.record.network);
  card.add("Seed", text_of(provenance.seed));
  card.add("Training data", shown_path(provenance.data));
  card.add("Hash of the data", provenance.data_hash);
  card.add("Program", provenance.program);
  facts.method = provenance.stage;
  facts.data_name = provenance.data;
  facts.recipe = provenance.recipe;
}

void add_model(const DescribedModel& model, ModelFacts& facts) {
  const ModelRecord& record = model.record;
  if (facts.card.empty()) add_origin(model, facts);
  Card card(facts.card);
  card.add("Layers", record.layers);
  if (record.input) card.add("Input", input_text(*record.input));
  if (record.prior_sigma) {
    card.add("Standard deviation of the prior", to_text(*record.prior_sigma));
  }
  card.add("Hash of the weights", record.weights_hash);
  if (!model.deployed || !model.deployed->verdict) return;
  const VerdictRecord& verdict = *model.deployed->verdict;
  add_probes(verdict, card);
  card.add("Verdict of single images", verdict.detector + " refuses at most " +
                                           percent(verdict.options.alpha, 0) +
                                           " of images like the training images");
}

}  // namespace

ModelFacts model_facts(const std::string& record_path, const DescribedModel* model) {
  ModelFacts facts;
  if (!record_path.empty()) add_run_record(read_run_record(record_path), facts);
  if (model != nullptr) add_model(*model, facts);
  return facts;
}

}  // namespace cubcal::report
