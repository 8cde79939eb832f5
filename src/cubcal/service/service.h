#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/http/client_limit.h"
#include "cubcal/http/http_message.h"
#include "cubcal/http/metric_set.h"
#include "cubcal/http/request_target.h"
#include "cubcal/service/answer_log.h"
#include "cubcal/service/image_upload.h"
#include "cubcal/service/inference_tensors.h"
#include "cubcal/service/model_slot.h"
#include "cubcal/service/slots.h"

namespace cubcal {

struct ServiceOptions {
  std::string token = {};               ///< asked of all but the page and health; empty: of none
  std::string admin_token = {};         ///< asked of what changes versions; empty: nobody may
  bool only_this_machine = true;        ///< the name in Host must be this machine's
  std::size_t max_images = 64;          ///< of one request
  std::size_t max_pixels = 25'000'000;  ///< of one image
  std::size_t client_requests = 0;      ///< of one client at a time; 0: any number
  std::chrono::milliseconds deadline{30'000};
  std::size_t decoders = 2;  ///< images that are decoded at a time
  BatchOptions batch = {};
  std::string log = {};       ///< a file; empty: none
  bool log_patients = false;  ///< the log names patients, studies and images
};

/// Requests to responses: who may ask, the routes, the models' queues, metrics and the log. Knows
/// no socket; any number of threads may call it at once.
class Service {
 public:
  /// Throws IoError where the log cannot be written.
  explicit Service(const ServiceOptions& options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Before the first request. The first model answers where none is named. Throws ArgumentError
  /// for a name that is taken or has other than letters, digits and "._+-", and what the loader
  /// throws.
  void add_model(const std::string& name, ModelSlot::Loader loader);

  /// Looks at a request whose body is still to come: a response where it is refused, else none, and
  /// then end() must be called once, whatever becomes of the request.
  std::optional<HttpResponse> begin(const HttpRequest& head);
  void end(const HttpRequest& head);
  /// The response to a request that has begun. Throws nothing but std::bad_alloc.
  HttpResponse respond(const HttpRequest& request);

  /// From now on new requests are refused and the service says that it is not ready.
  void stop_accepting() { accepting_ = false; }
  /// Opens the log anew, and loads and promotes what is new in the models' folders since they were
  /// last read. One sentence for each thing that was done or went wrong.
  std::vector<std::string> reload();

  std::vector<std::string> model_names() const;
  const ModelFacts& facts(const std::string& name) const;

 private:
  struct Route;
  struct Call;      ///< a request with what was read of its address
  struct Answered;  ///< an image with its answer
  static const std::vector<Route>& routes();
  const Route& route_of(const HttpRequest& request, Call& call) const;
  void check_access(const Route& route, const HttpRequest& request) const;
  HttpResponse guarded(const Route& route, const Call& call);

  ModelSlot& slot_named(const std::string& name);
  ModelVersion version_named(ModelSlot& slot, const Call& call) const;
  std::vector<Answered> answer(ModelSlot& slot, const ModelVersion& version,
                               std::vector<ReceivedImage> images, const Call& call);
  void record(const ModelSlot& slot, const ModelVersion& version, const Answered& each,
              const Call& call);

  HttpResponse page(const Call& call);
  HttpResponse health(const Call& call);
  HttpResponse readiness(const Call& call);
  HttpResponse metrics(const Call& call);
  HttpResponse open_api(const Call& call);
  HttpResponse predict(const Call& call);
  HttpResponse models(const Call& call);
  HttpResponse model(const Call& call);
  HttpResponse boundary(const Call& call);
  HttpResponse load_version(const Call& call);
  HttpResponse promote_version(const Call& call);
  HttpResponse roll_back(const Call& call);
  HttpResponse inference_server(const Call& call);
  HttpResponse inference_model(const Call& call);
  HttpResponse inference_ready(const Call& call);
  HttpResponse infer(const Call& call);

  const ServiceOptions options_;
  std::atomic<bool> accepting_{true};
  std::atomic<std::uint64_t> request_count_{0};
  std::string run_id_;  ///< start of the requests' names
  MetricSet metrics_;
  ClientLimit clients_;
  Slots decoders_;
  std::unique_ptr<AnswerLog> log_;
  std::vector<std::unique_ptr<ModelSlot>> slots_;
};

}  // namespace cubcal
