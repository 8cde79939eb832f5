#include "cubcal/service/prediction_lines.h"

#include <filesystem>
#include <ostream>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_image.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/record/model_mark.h"
#include "cubcal/service/answer_json.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestLog = std::size_t{4} << 30;

/// What a line must share with this run for its image to need no answer again.
constexpr const char* kSame[] = {"model_name",    "model_version", "weights_hash",
                                 "decision_hash", "seed",          "passes_asked"};

bool is_dicom_name(const FileAnswer& file) {
  const std::string end = std::filesystem::path(file.path).extension().string();
  return end == ".dcm" || end == ".DCM" || end == ".dicom" || end.empty();
}

/// Of a DICOM file; nothing is added for others.
void add_uids(const FileAnswer& file, Json& line) {
  if (!file.answer || !is_dicom_name(file)) return;
  try {
    const DicomFacts facts = read_dicom_facts(file.path);
    line["sop_instance_uid"] = text_or_null(facts.sop_uid);
    line["study_instance_uid"] = text_or_null(facts.study_uid);
  } catch (const Error&) {
    return;  // a file of another kind without an ending
  }
}

}  // namespace

Json line_head(const ModelFacts& model, std::uint64_t seed) {
  Json head = model_json(model);
  head["seed"] = seed;
  head["passes_asked"] = model.passes;
  return head;
}

std::string prediction_line(const FileAnswer& file, const ModelFacts& model, const Json& head,
                            bool adaptive, const std::string& time) {
  Json line = file.answer ? answer_json(file, model, adaptive)
                          : Json{{"image", file.path}, {"error", file.problem}};
  add_uids(file, line);
  line.update(head);
  if (!time.empty()) line["time"] = time;
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

PredictionLines::PredictionLines(const std::string& path, const ModelFacts& model,
                                 std::uint64_t seed, bool adaptive, bool with_time,
                                 std::ostream* out)
    : path_(path),
      model_(model),
      head_(line_head(model, seed)),
      adaptive_(adaptive),
      with_time_(with_time),
      out_(out) {
  if (out_ != nullptr) return;
  if (std::filesystem::exists(path_)) read_log();
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_) throw system_error("write", path_);
}

void PredictionLines::read_log() {
  const std::string text = read_text_file(path_, kLargestLog);
  const ModelMark own = model_mark(head_);
  std::size_t start = 0;
  for (std::size_t number = 1; start < text.size(); ++number) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;  // cut off
    const std::string where = "line " + std::to_string(number) + " of '" + path_ + "'";
    const Json line = parse_json(text.substr(start, end - start), where);
    start = end + 1;
    if (!line.is_object() || !line.contains("image") || !line["image"].is_string()) {
      throw DataError(where + " is not a prediction: name another file for these");
    }
    const ModelMark mark = model_mark(line);
    for (const std::string ModelMark::*hash :
         {&ModelMark::weights_hash, &ModelMark::decision_hash}) {
      if (mark.weights_hash.empty() || mark.*hash == own.*hash) continue;
      throw DataError(where + " was answered by " + mark.text() + ", not by " + own.text() +
                      ": name another file for these");
    }
    bool is_same = line.contains("class");
    for (const char* field : kSame) {
      is_same = is_same && line.contains(field) && line[field] == head_[field];
    }
    if (is_same) answered_.insert(line["image"].get<std::string>());
  }
  if (start < text.size()) std::filesystem::resize_file(path_, start);
}

void PredictionLines::add(const std::vector<FileAnswer>& files) {
  std::string text;
  const std::string time = with_time_ ? utc_time() : "";
  for (const FileAnswer& file : files) {
    text += prediction_line(file, model_, head_, adaptive_, time);
  }
  if (out_ != nullptr) {
    *out_ << text << std::flush;
    return;
  }
  file_ << text << std::flush;
  if (!file_) throw system_error("write", path_);
}

}  // namespace cubcal
