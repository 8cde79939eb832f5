#include <iostream>
#include <memory>
#include <mutex>

#include "commands.h"
#include "compute_setup.h"
#include "cubcal/classifier.h"
#include "cubcal/core/check.h"
#include "cubcal/http/request_check.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/io/utf8.h"
#include "cubcal/node/answer_worker.h"
#include "cubcal/node/folder_target.h"
#include "cubcal/node/folder_worker.h"
#include "cubcal/node/refusal_reason.h"
#include "cubcal/node/send_worker.h"
#include "cubcal_nn/dicomnet/store_client.h"
#include "cubcal_nn/dicomnet/store_server.h"
#include "cubcal_nn/dicomnet/structured_report.h"
#include "cubcal_nn/serve/classifier_model.h"
#include "option_checks.h"
#include "pass_options.h"
#include "served_name.h"
#include "signal_wait.h"

namespace cubcal::app {

namespace {

struct DicomOptions {
  std::string model;  ///< FOLDER or NAME=FOLDER
  std::string spool = "dicom-spool";
  std::string folder;  ///< to watch; empty: the network
  std::string to;
  std::string out;
  StoreServerOptions server;
  bool insecure = false;
  ClassifierOptions classifier;
  PassChoice passes;
  std::string log;
  bool log_patients = false;
  std::size_t batch = 8;
  std::size_t max_pixels = 25'000'000;
  std::size_t object_mb = 64;
  std::size_t queue_mb = 8192;
  SpoolLimits limits;
  std::size_t remember_days = 30;
  double settle_s = 2;
};

/// Throws ArgumentError where something is missing, or everybody could send without being meant to.
void check_dicom_options(const DicomOptions& options) {
  if (options.to.empty() == options.out.empty()) {
    throw ArgumentError("reports go to one place: give --to AE@HOST:PORT or --out FOLDER");
  }
  if (!options.folder.empty()) return;
  if (!is_loopback_host(options.server.address) && options.server.allowed.empty() &&
      !options.insecure) {
    throw ArgumentError("at " + options.server.address +
                        " other machines could send images: give --allow AE for each that may, or "
                        "--insecure where all may");
  }
}

/// All that an answer follows from but the image: the UID of a report follows from it.
std::string answerer_of(const ModelFacts& facts, const DicomOptions& options) {
  std::string text = facts.decision_hash.empty() ? facts.description_hash : facts.decision_hash;
  text += "/passes " + std::to_string(facts.passes) + "/seed " + std::to_string(facts.seed);
  if (options.classifier.dicom_frame) {
    text += "/frame " + std::to_string(*options.classifier.dicom_frame);
  }
  if (const std::optional<AdaptiveStop>& stop = options.classifier.adaptive_stop) {
    text += "/adaptive " + to_text(stop->error) + " " + std::to_string(stop->first) + " " +
            std::to_string(stop->block) + (stop->gamma ? " gamma" : "");
  }
  return text;
}

/// Lines with their time, of any thread.
Tell told_lines() {
  auto mutex = std::make_shared<std::mutex>();
  return [mutex](const std::string& sentence) {
    const std::lock_guard<std::mutex> lock(*mutex);
    std::cout << utc_time() << " " << printable(sentence) << std::endl;
  };
}

std::unique_ptr<ReportTarget> target_of(const DicomOptions& options) {
  if (!options.out.empty()) return std::make_unique<FolderTarget>(options.out);
  StoreClientOptions client;
  client.ae_title = options.server.ae_title;
  client.to = parse_ae_address(options.to);
  return std::make_unique<StoreClient>(client);
}

AnswerOptions answer_options(const DicomOptions& options, const std::string& name,
                             const std::string& answerer) {
  AnswerOptions answering;
  answering.model_name = name;
  answering.ae_title = options.server.ae_title;
  answering.answerer = answerer;
  answering.batch = options.batch;
  answering.limits.max_pixels = options.max_pixels;
  answering.limits.dicom_frame = options.classifier.dicom_frame;
  answering.patients = options.log_patients;
  return answering;
}

void print_node(const DicomOptions& options, const std::string& source, const ReportTarget& target,
                const ImageSpool& spool) {
  std::cout << source << ", reports go to " << printable(target.name()) << "  (spool "
            << printable(options.spool) << ": " << spool.images() << " images and "
            << spool.reports() << " reports wait"
            << (options.passes.adaptive ? ", adaptive passes" : "")
            << (options.log.empty() ? "" : ", log " + printable(options.log))
            << (options.log_patients ? " with patients" : "") << ")\n"
            << "A research tool, not a medical device. Ctrl-C or SIGTERM stops; what waits is "
               "answered and sent after the next start.\n"
            << std::flush;
}

std::string source_text(const DicomOptions& options, const StoreServer* server) {
  if (server == nullptr) return "watching " + printable(options.folder);
  const StoreServerOptions& at = options.server;
  const bool is_ipv6 = at.address.find(':') != std::string::npos;
  std::string text = at.ae_title + " listens at " +
                     (is_ipv6 ? "[" + at.address + "]" : at.address) + ":" +
                     std::to_string(server->port());
  if (at.allowed.empty()) return text + " for any AE";
  for (std::size_t i = 0; i < at.allowed.size(); ++i) {
    text += (i == 0 ? " for " : ", ") + at.allowed[i];
  }
  return text;
}

void run_node(DicomOptions options) {
  if (!has_dicom_network()) {
    throw ArgumentError("cubcal was built without DCMTK and cannot be a DICOM node");
  }
  check_dicom_options(options);
  options.server.max_object = options.object_mb << 20U;
  options.limits.bytes = std::uint64_t{options.queue_mb} << 20U;
  const std::unique_ptr<ReportTarget> target = target_of(options);
  if (options.classifier.device == "cpu") advise_on_blas();
  apply_choice(options.passes, options.classifier);
  const SignalWait signals;
  const NamedFolder named = named_folder(options.model);
  const ModelVersion model = {1, load_served_model(named.folder, options.classifier), utc_time()};
  print_served_model(named.name, model.model->facts());

  const Tell tell = told_lines();
  const std::string answerer = answerer_of(model.model->facts(), options);
  ImageSpool spool(options.spool, answerer, options.limits);
  std::unique_ptr<AnswerLog> log;
  if (!options.log.empty()) log = std::make_unique<AnswerLog>(options.log);
  // In this order they end from the last to the first.
  SendOptions sending;
  sending.remember = std::chrono::hours(24 * options.remember_days);
  const SendWorker sender(spool, *target, sending, tell);
  const AnswerWorker answering(
      spool, model,
      [tell](const ReportContent& content) { return make_structured_report(content, tell); },
      log.get(), answer_options(options, named.name, answerer), tell);
  std::unique_ptr<FolderWorker> watcher;
  std::unique_ptr<StoreServer> server;
  if (options.folder.empty()) {
    server = std::make_unique<StoreServer>(options.server, spool, tell);
  } else {
    const auto settled = std::chrono::milliseconds(static_cast<long>(1000 * options.settle_s));
    FolderWatchOptions watching;
    watching.max_bytes = options.server.max_object;
    watching.settled = settled;
    watcher = std::make_unique<FolderWorker>(options.folder, spool, watching, tell);
  }
  print_node(options, source_text(options, server.get()), *target, spool);
  while (signals.next() == SIGHUP) {
    try {
      if (log) log->reopen();
    } catch (const IoError& error) {
      tell(refusal_reason(error, "the log"));
    }
  }
  tell("stopping");
}

void add_network(CLI::App& command, DicomOptions& options) {
  StoreServerOptions& server = options.server;
  command.add_option("--ae", server.ae_title, "Our own AE title; clients must call it")
      ->capture_default_str();
  CLI::Option* port =
      command.add_option("--port", server.port, "To listen at; 0: any that is free");
  port->capture_default_str()->check(within(0, 65535));
  command
      .add_option("--address", server.address,
                  "To listen at; others than this machine's need --allow or --insecure")
      ->capture_default_str();
  command
      .add_option("--allow", server.allowed,
                  "An AE title that may send images; may be given again (default: any)")
      ->allow_extra_args(false);
  command.add_flag("--insecure", options.insecure, "Any machine may send images");
  command
      .add_option("--folder", options.folder,
                  "Take the DICOM files that appear in this folder instead of listening")
      ->excludes(port);
  command
      .add_option("--settle-s", options.settle_s,
                  "A file of --folder is complete once it has not changed for so long")
      ->capture_default_str()
      ->check(within(0.0, 3600.0));
  CLI::Option* to =
      command.add_option("--to", options.to, "Where reports are sent by C-STORE: AE@HOST:PORT");
  command.add_option("--out", options.out, "A folder that reports are written to instead")
      ->excludes(to);
}

void add_dicom_limits(CLI::App& command, DicomOptions& options) {
  const auto at_least_one = [](std::size_t most) { return within(std::size_t{1}, most); };
  command
      .add_option("--spool", options.spool, "Folder of what waits, what was sent and what failed")
      ->capture_default_str();
  command.add_option("--queue", options.limits.images, "Images that may wait; more are refused")
      ->capture_default_str()
      ->check(at_least_one(10'000'000));
  command.add_option("--queue-mb", options.queue_mb, "Of all that waits and that failed, in MiB")
      ->capture_default_str()
      ->check(at_least_one(std::size_t{1} << 24U));
  command.add_option("--max-object-mb", options.object_mb, "Of one received object, in MiB")
      ->capture_default_str()
      ->check(at_least_one(2048));
  command.add_option("--max-pixels", options.max_pixels, "Of one image")
      ->capture_default_str()
      ->check(at_least_one(kMaxImagePixels));
  command
      .add_option("--associations", options.server.associations,
                  "Open at a time; clients beyond wait")
      ->capture_default_str()
      ->check(at_least_one(256));
  command
      .add_option("--remember-days", options.remember_days,
                  "How long an image that was answered is known")
      ->capture_default_str()
      ->check(at_least_one(36500));
  command.add_option("--batch", options.batch, "Images at a time in the network")
      ->capture_default_str()
      ->check(at_least_one(4096));
}

}  // namespace

void add_dicom(CLI::App& app) {
  auto options = std::make_shared<DicomOptions>();
  CLI::App* command = app.add_subcommand(
      "dicom", "Be a DICOM node: images in by C-STORE, answers out as structured reports");
  command->add_option("MODEL", options->model, "Model folder or run folder, or NAME=FOLDER")
      ->required();
  add_network(*command, *options);
  command->add_option("--frame", options->classifier.dicom_frame,
                      "Frame to take of images that have several, from 0");
  add_pass_options(*command, options->classifier, options->passes);
  add_device_option(*command, options->classifier.device);
  add_precision_option(*command, options->classifier.precision);
  CLI::Option* log = command->add_option(
      "--log", options->log, "Add a JSON line for each answer to this file, for 'cubcal monitor'");
  command->add_flag("--log-patients", options->log_patients, "The log also names patient and UIDs")
      ->needs(log);
  add_dicom_limits(*command, *options);
  command->footer(
      "An image gets the status 'success' once it is on the disk, and then its report, one only,\n"
      "even where the program is killed in between: the report's UID follows from the image's and\n"
      "the model. Images that cannot be answered are in the folder 'failed' of --spool, with the\n"
      "reason. Reports that cannot be sent are tried again until they are.\n\n"
      "Example:\n"
      "  cubcal dicom models/skin --ae CUBCAL --port 11112 --to ORTHANC@127.0.0.1:4242\n"
      "  cubcal dicom models/skin --folder incoming --out reports");
  command->callback([options] { run_node(*options); });
}

}  // namespace cubcal::app
