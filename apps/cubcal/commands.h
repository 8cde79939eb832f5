#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

/// One function per subcommand, each in a file of its own: it declares the options and, as
/// callback, what to do with them. Callbacks throw cubcal::Error; main turns that into a sentence
/// and an exit code.
namespace cubcal {
struct Image;
}

namespace cubcal::app {

void add_adaptive(CLI::App& app);
void add_apply(CLI::App& app);
void add_benefit(CLI::App& app);
void add_audit(CLI::App& app);
void add_boundary(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_compare(CLI::App& app);
void add_completion(CLI::App& app);
void add_conformal(CLI::App& app);
void add_data(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_example(CLI::App& app);
void add_prevalence(CLI::App& app);
void add_monitor(CLI::App& app);
void add_manual(CLI::App& app);
void add_merge(CLI::App& app);
void add_results(CLI::App& app);
/// Test images that lie on no disk: by run folder and the value of --data ("phantom", ...).
using DrawnImages =
    std::function<std::function<Image(std::size_t)>(const std::string&, const std::string&)>;
void add_report(CLI::App& app, DrawnImages drawn = {});
#ifdef CUBCAL_NN
void add_attach(CLI::App& app);
void add_bench(CLI::App& app);
void add_demo(CLI::App& app);
void add_deploy(CLI::App& app);
void add_dicom(CLI::App& app);
void add_experiment(CLI::App& app);
void add_import(CLI::App& app);
void add_logits(CLI::App& app);
void add_ood(CLI::App& app);
void add_predict(CLI::App& app);
void add_serve(CLI::App& app);
void add_train(CLI::App& app);
#endif

}  // namespace cubcal::app
