#include "cubcal/spool/image_spool.h"

#include <unistd.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/spool/derived_uid.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLongestNote = 4096;

std::string made_folder(const std::string& path) {
  make_private_folder(path);
  return path;
}

FolderLock locked(const std::string& folder) {
  try {
    return FolderLock(folder);
  } catch (const FolderTaken&) {
    throw FolderTaken("another DICOM node has the spool '" + folder +
                      "': stop it, or name another folder");
  }
}

std::string hash_of(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.text();
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

ImageSpool::ImageSpool(const std::string& folder, std::string answerer, const SpoolLimits& limits)
    : folder_(made_folder(folder)),
      answerer_(std::move(answerer)),
      limits_(limits),
      lock_(locked(folder)),
      image_files_(folder + "/images", ".dcm"),
      report_files_(folder + "/reports", ".dcm"),
      sent_notes_(folder + "/done", ""),
      failed_files_(folder + "/failed", ".dcm"),
      failed_notes_(folder + "/failed", ".json") {
  recover();
}

std::string ImageSpool::report_uid(const std::string& image_uid) const {
  return derived_uid(image_uid + "/" + answerer_);
}

void ImageSpool::recover() {
  for (const std::string& uid : report_files_.uids()) {
    if (sent_notes_.has(uid)) {
      report_files_.remove(uid);
      continue;
    }
    hold(reports_, uid, {report_files_.size_of(uid), ""});
    waiting_reports_.push_back(uid);
  }
  for (const std::string& uid : image_files_.uids()) {
    const std::string report = report_uid(uid);
    if (reports_.count(report) > 0 || sent_notes_.has(report)) {
      image_files_.remove(uid);
      continue;
    }
    hold(images_, uid, {image_files_.size_of(uid), ""});
    waiting_images_.push_back(uid);
  }
  failed_bytes_ = failed_files_.bytes();
}

void ImageSpool::hold(HeldFiles& files, const std::string& uid, HeldFile file) {
  bytes_ += file.bytes;
  files[uid] = std::move(file);
}

ImageSpool::HeldFile ImageSpool::let_go(HeldFiles& files, const std::string& uid) {
  const auto found = files.find(uid);
  if (found == files.end()) return {};
  HeldFile file = std::move(found->second);
  files.erase(found);
  bytes_ -= file.bytes;
  return file;
}

std::optional<std::string> ImageSpool::known_hash(const std::string& image_uid) const {
  const std::string report = report_uid(image_uid);
  if (const auto image = images_.find(image_uid); image != images_.end()) {
    return image->second.image_hash;
  }
  if (const auto held = reports_.find(report); held != reports_.end()) {
    return held->second.image_hash;
  }
  if (!sent_notes_.has(report)) return std::nullopt;
  try {
    const Json note = Json::parse(read_text_file(sent_notes_.path_of(report), kLongestNote));
    return note.value("image_hash", "");
  } catch (const std::exception&) {  // it was sent, whatever the note says
    return "";
  }
}

bool ImageSpool::has_room(std::uint64_t more) {
  const auto fits = [&] { return bytes_ + failed_bytes_ + more <= limits_.bytes; };
  if (fits()) return true;
  failed_bytes_ = failed_files_.bytes();  // somebody may have emptied the folder
  return fits();
}

Intake ImageSpool::accept(const std::string& image_uid, std::string_view bytes) {
  const std::string path = image_files_.path_of(image_uid);
  std::string hash = hash_of(bytes);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return arriving_.count(image_uid) == 0; });
    if (const std::optional<std::string> known = known_hash(image_uid)) {
      if (known->empty() || *known == hash) return Intake::kKnown;
      ++others_;
      return Intake::kOther;
    }
    const bool has_place = images_.size() + arriving_.size() < limits_.images;
    if (!has_place || !has_room(bytes.size())) return Intake::kFull;
    arriving_.insert(image_uid);
    bytes_ += bytes.size();
  }
  try {
    write_file_atomically(path, bytes);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    arriving_.erase(image_uid);
    bytes_ -= bytes.size();
    changed_.notify_all();
    throw;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  arriving_.erase(image_uid);
  bytes_ -= bytes.size();  // of what arrives
  hold(images_, image_uid, {bytes.size(), std::move(hash)});
  waiting_images_.push_back(image_uid);
  changed_.notify_all();
  return Intake::kStored;
}

std::vector<std::string> ImageSpool::take(std::deque<std::string>& queue, std::size_t most,
                                          Wait longest) {
  std::vector<std::string> taken;
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, longest, [&] { return closed_ || !queue.empty(); });
  while (!closed_ && !queue.empty() && taken.size() < most) {
    taken.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  return taken;
}

std::vector<std::string> ImageSpool::next_images(std::size_t most, Wait longest) {
  return take(waiting_images_, most, longest);
}

std::string ImageSpool::read_image(const std::string& image_uid) const {
  return read_text_file(image_files_.path_of(image_uid), kAnySize);
}

void ImageSpool::answered(const std::string& image_uid, std::string_view report) {
  const std::string uid = report_uid(image_uid);
  write_file_atomically(report_files_.path_of(uid), report);
  image_files_.remove(image_uid);
  drop_failure(image_uid);
  const std::lock_guard<std::mutex> lock(mutex_);
  hold(reports_, uid, {report.size(), let_go(images_, image_uid).image_hash});
  waiting_reports_.push_back(uid);
  changed_.notify_all();
}

void ImageSpool::note_failure(const std::string& uid, const char* kind,
                              const std::string& reason) const {
  write_file_atomically(
      failed_notes_.path_of(uid),
      json_line({{kind, uid}, {"time", utc_time_with_milliseconds()}, {"reason", reason}}));
}

void ImageSpool::drop_failure(const std::string& uid) const {
  failed_files_.remove(uid);
  failed_notes_.remove(uid);
}

void ImageSpool::failed(const std::string& image_uid, const std::string& reason) {
  note_failure(image_uid, "image", reason);
  rename_file(image_files_.path_of(image_uid), failed_files_.path_of(image_uid));
  const std::lock_guard<std::mutex> lock(mutex_);
  failed_bytes_ += let_go(images_, image_uid).bytes;
}

void ImageSpool::forget_image(const std::string& image_uid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  let_go(images_, image_uid);
}

void ImageSpool::put_back_image(const std::string& image_uid, bool as_first) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_images_.insert(as_first ? waiting_images_.begin() : waiting_images_.end(), image_uid);
  changed_.notify_all();
}

bool ImageSpool::holds_image(const std::string& image_uid) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return images_.count(image_uid) > 0;
}

std::vector<std::string> ImageSpool::next_reports(std::size_t most, Wait longest) {
  return take(waiting_reports_, most, longest);
}

std::string ImageSpool::read_report(const std::string& report_uid) const {
  return read_text_file(report_files_.path_of(report_uid), kAnySize);
}

void ImageSpool::sent(const std::string& report_uid) {
  Json note = {{"sent", utc_time_with_milliseconds()}};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto held = reports_.find(report_uid);
    const bool has_hash = held != reports_.end() && !held->second.image_hash.empty();
    if (has_hash) note["image_hash"] = held->second.image_hash;
  }
  write_file_atomically(sent_notes_.path_of(report_uid), json_line(note));
  report_files_.remove(report_uid);
  drop_failure(report_uid);
  const std::lock_guard<std::mutex> lock(mutex_);
  let_go(reports_, report_uid);
}

void ImageSpool::refused(const std::string& report_uid, const std::string& reason) {
  note_failure(report_uid, "report", reason);
  rename_file(report_files_.path_of(report_uid), failed_files_.path_of(report_uid));
  const std::lock_guard<std::mutex> lock(mutex_);
  failed_bytes_ += let_go(reports_, report_uid).bytes;
}

void ImageSpool::forget_report(const std::string& report_uid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  let_go(reports_, report_uid);
}

void ImageSpool::put_back_report(const std::string& report_uid, bool as_first) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_reports_.insert(as_first ? waiting_reports_.begin() : waiting_reports_.end(), report_uid);
  changed_.notify_all();
}

bool ImageSpool::note_bad_file(const std::string& key, const std::string& file,
                               const std::string& reason) {
  const std::string path = folder_ + "/failed/file-" + key + ".json";
  if (::access(path.c_str(), F_OK) == 0) return false;
  write_file_atomically(
      path,
      json_line({{"file", file}, {"time", utc_time_with_milliseconds()}, {"reason", reason}}));
  return true;
}

void ImageSpool::forget_sent(std::chrono::hours longer_ago) {
  sent_notes_.remove_older(std::chrono::seconds(longer_ago).count());
}

void ImageSpool::remember(const std::string& image_uid) const {
  sent_notes_.touch(report_uid(image_uid));
}

void ImageSpool::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::size_t ImageSpool::images() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return images_.size();
}

std::size_t ImageSpool::others() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return others_;
}

std::size_t ImageSpool::reports() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return reports_.size();
}

}  // namespace cubcal
