#include <ctime>
#include <iostream>
#include <memory>

#include "commands.h"
#include "compute_setup.h"
#include "cubcal/classifier.h"
#include "cubcal/core/parallel.h"
#include "cubcal/http/bearer_token.h"
#include "cubcal/http/request_check.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/utf8.h"
#include "cubcal_nn/serve/classifier_model.h"
#include "cubcal_nn/serve/http_server.h"
#include "option_checks.h"
#include "pass_options.h"
#include "serve_demo.h"
#include "served_name.h"
#include "signal_wait.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

struct ServeOptions {
  std::vector<std::string> models;  ///< FOLDER or NAME=FOLDER
  bool demo = false;
  std::string demo_folder = "runs/demo";
  HttpServerOptions http;
  ServiceOptions service;
  ClassifierOptions classifier;
  PassChoice passes;
  std::string token_file;
  std::string admin_token_file;
  std::string certificate;
  std::string key;
  bool insecure = false;
  std::size_t gather_ms = 2;
  std::size_t deadline_ms = 30000;
  std::size_t body_mb = 64;
  std::size_t drain_s = 60;
};

/// Who may use the server. Throws ArgumentError where everybody could without being meant to.
void set_up_access(ServeOptions& options) {
  if (!options.token_file.empty()) options.service.token = read_token_file(options.token_file);
  if (!options.admin_token_file.empty()) {
    options.service.admin_token = read_token_file(options.admin_token_file);
  }
  if (options.certificate.empty() != options.key.empty()) {
    throw ArgumentError("--certificate and --key go together");
  }
  if (!options.certificate.empty()) {
    options.http.certificate = read_text_file(options.certificate, kMegabyte);
    options.http.key = read_text_file(options.key, kMegabyte);
  }
  const bool is_loopback = is_loopback_host(options.http.address);
  options.service.only_this_machine = is_loopback && options.service.token.empty();
  if (!is_loopback && options.service.token.empty() && !options.insecure) {
    throw ArgumentError("at " + options.http.address +
                        " other machines could use the server: give --token-file FILE, or "
                        "--insecure where that is meant");
  }
}

void add_models(Service& service, const ServeOptions& options) {
  for (const std::string& word : options.models) {
    const NamedFolder model = named_folder(word);
    service.add_model(model.name, [folder = model.folder, options] {
      return load_served_model(folder, options.classifier);
    });
    print_served_model(model.name, service.facts(model.name));
  }
}

void print_settings(const ServeOptions& options, std::uint16_t port) {
  const bool is_ipv6 = options.http.address.find(':') != std::string::npos;
  std::cout << "serving at " << (options.http.certificate.empty() ? "http" : "https") << "://"
            << (is_ipv6 ? "[" + options.http.address + "]" : options.http.address) << ":" << port
            << "/  (" << (options.service.token.empty() ? "no token asked" : "token asked")
            << ", batches of " << options.service.batch.most << ", queue of "
            << options.service.batch.queue << ", deadline " << options.deadline_ms << " ms"
            << (options.passes.adaptive ? ", adaptive passes" : "")
            << (options.service.log.empty() ? "" : ", log " + options.service.log)
            << (options.service.log_patients ? " with patients" : "") << ")\n"
            << "A research tool, not a medical device. Ctrl-C or SIGTERM stops after the requests "
               "under way; SIGHUP loads models that changed.\n"
            << std::flush;
}

void serve(ServeOptions options) {
  if (!has_http_server()) {
    throw ArgumentError("cubcal was built without libmicrohttpd and cannot serve");
  }
  if (options.demo) options.models.push_back("demo=" + demo_model(options.demo_folder));
  if (options.models.empty()) throw ArgumentError("serve needs a model folder, or --demo");
  set_up_access(options);
  if (options.classifier.device == "cpu") advise_on_blas();
  apply_choice(options.passes, options.classifier);
  options.classifier.spread = true;
  options.http.max_body = options.body_mb * kMegabyte;
  options.service.deadline = std::chrono::milliseconds(options.deadline_ms);
  options.service.batch.gather = std::chrono::milliseconds(options.gather_ms);
  options.service.decoders = thread_count();
  const SignalWait signals;
  Service service(options.service);
  add_models(service, options);
  HttpServer server(options.http, service);
  print_settings(options, server.port());
  while (signals.next() == SIGHUP) {
    for (const std::string& sentence : service.reload()) {
      std::cout << printable(sentence) << std::endl;
    }
  }
  std::cout << "stopping" << std::endl;
  service.stop_accepting();
  const std::size_t left = server.stop(std::chrono::seconds(options.drain_s));
  if (left > 0) {
    throw Error(std::to_string(left) + " requests were not answered within " +
                std::to_string(options.drain_s) + " s of the end");
  }
}

void add_limits(CLI::App& command, ServeOptions& options) {
  const auto at_least_one = [](std::size_t most) { return within(std::size_t{1}, most); };
  ServiceOptions& service = options.service;
  command.add_option("--batch", service.batch.most, "Images at a time in the network")
      ->capture_default_str()
      ->check(at_least_one(4096));
  command
      .add_option("--gather-ms", options.gather_ms,
                  "How long a batch waits for others under load; a lone image never does")
      ->capture_default_str()
      ->check(within(std::size_t{0}, std::size_t{1000}));
  command.add_option("--queue", service.batch.queue, "Images that may wait; more get 503")
      ->capture_default_str()
      ->check(at_least_one(1000000));
  command.add_option("--deadline-ms", options.deadline_ms, "Answers later than this are 504")
      ->capture_default_str()
      ->check(at_least_one(3600000));
  command.add_option("--max-body-mb", options.body_mb, "Of one request, in MiB; more get 413")
      ->capture_default_str()
      ->check(at_least_one(1024));
  command.add_option("--max-images", service.max_images, "Of one request")
      ->capture_default_str()
      ->check(at_least_one(4096));
  command.add_option("--max-pixels", service.max_pixels, "Of one image")
      ->capture_default_str()
      ->check(at_least_one(kMaxImagePixels));
  command
      .add_option("--client-requests", service.client_requests,
                  "Of one client address at a time, more get 429; 0: any number")
      ->capture_default_str();
  command.add_option("--connections", options.http.connections, "Open at a time")
      ->capture_default_str()
      ->check(at_least_one(10000));
  command.add_option("--drain-s", options.drain_s, "How long a stop waits for requests under way")
      ->capture_default_str()
      ->check(at_least_one(3600));
}

void add_access(CLI::App& command, ServeOptions& options) {
  command
      .add_option("--address", options.http.address,
                  "To listen at; others than this machine's "
                  "need --token-file or --insecure")
      ->capture_default_str();
  command.add_option("--port", options.http.port, "To listen at; 0: any that is free")
      ->capture_default_str()
      ->check(within(0, 65535));
  command.add_option("--token-file", options.token_file,
                     "Clients must send 'Authorization: Bearer' with the first line of this file");
  command.add_option("--admin-token-file", options.admin_token_file,
                     "The token with which versions are loaded, promoted and rolled back");
  command.add_flag("--insecure", options.insecure, "Any machine may ask, without a token");
  command.add_option("--certificate", options.certificate, "PEM file: serve HTTPS");
  command.add_option("--key", options.key, "PEM file of the certificate's key");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command =
      app.add_subcommand("serve", "Answer images over HTTP: a page, an API, health and metrics");
  command->add_option("MODEL", options->models,
                      "Model folders or run folders, or NAME=FOLDER; the first answers where a "
                      "request names none");
  command->add_flag("--demo", options->demo,
                    "Serve the model of 'cubcal demo', trained first where it is not there");
  command->add_option("--demo-folder", options->demo_folder, "Where that is")
      ->capture_default_str();
  add_access(*command, *options);
  add_pass_options(*command, options->classifier, options->passes);
  add_device_option(*command, options->classifier.device);
  add_precision_option(*command, options->classifier.precision);
  CLI::Option* log =
      command->add_option("--log", options->service.log,
                          "Add a JSON line for each answer to this file, for 'cubcal monitor'");
  command
      ->add_flag("--log-patients", options->service.log_patients,
                 "The log also names file, patient and DICOM UIDs")
      ->needs(log);
  add_limits(*command, *options);
  command->footer(
      "A page for people is at /, the API at /v1/predict, the Open Inference Protocol v2 at /v2,\n"
      "its description at /openapi.json, health at /healthz and /readyz, metrics at /metrics.\n"
      "Answers are those of 'cubcal predict', to the bit, whatever is answered beside them.\n\n"
      "Example:\n"
      "  cubcal serve runs/skin --port 8080\n"
      "  curl --data-binary @lesion.png http://127.0.0.1:8080/v1/predict");
  command->callback([options] { serve(*options); });
}

}  // namespace cubcal::app
