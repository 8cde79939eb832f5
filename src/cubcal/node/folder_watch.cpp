#include "cubcal/node/folder_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/node/image_identity.h"
#include "cubcal/node/object_intake.h"
#include "cubcal/node/refusal_reason.h"

namespace cubcal {

namespace {

constexpr int kDeepest = 16;

bool is_unfinished_name(const std::string& name) {
  constexpr std::array<const char*, 3> kSuffixes = {".tmp", ".part", ".filepart"};
  return name.front() == '.' ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](const char* suffix) { return ends_with(name, suffix); });
}

}  // namespace

FolderWatch::FolderWatch(std::string folder, ImageSpool& spool, FolderWatchOptions options,
                         Tell tell)
    : folder_(std::move(folder)), spool_(spool), options_(options), tell_(std::move(tell)) {}

void FolderWatch::look() {
  for (auto& [path, seen] : seen_) seen.is_there = false;
  look_in(folder_, 0);
  for (auto each = seen_.begin(); each != seen_.end();) {
    each = each->second.is_there ? std::next(each) : seen_.erase(each);
  }
  remind_spool();
}

void FolderWatch::remind_spool() {
  const auto now = std::chrono::steady_clock::now();
  if (now - reminded_ < options_.remind) return;
  reminded_ = now;
  for (const auto& [path, seen] : seen_) {
    if (!seen.image_uid.empty()) spool_.remember(seen.image_uid);
  }
}

void FolderWatch::look_in(const std::string& folder, int depth) {
  std::vector<FolderEntry> entries = folder_entries(folder);
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  for (const FolderEntry& entry : entries) {
    if (entry.is_link || is_unfinished_name(entry.name)) continue;
    const std::string path = folder + "/" + entry.name;
    if (entry.is_file) look_at(path);
    if (!entry.is_folder || depth >= kDeepest) continue;
    try {
      look_in(path, depth + 1);
    } catch (const IoError&) {  // it was removed since, or is not for us
      continue;
    }
  }
}

void FolderWatch::look_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return;
  const auto now = std::chrono::steady_clock::now();
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  const std::int64_t changed = facts.st_mtim.tv_sec * kNanoseconds + facts.st_mtim.tv_nsec;
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const auto [place, is_new] = seen_.try_emplace(path);
  Seen& seen = place->second;
  seen.is_there = true;
  if (is_new || seen.size != size || seen.changed != changed) {
    seen = {size, changed, now};
    return;
  }
  if (!seen.is_done && now - seen.since >= options_.settled) seen.is_done = take(path, seen);
}

bool FolderWatch::take(const std::string& path, Seen& seen) {
  try {
    const std::string bytes = read_text_file(path, options_.max_bytes);
    const ImageIdentity identity = read_image_identity(bytes, "the file");
    const bool is_report = identity.modality == "SR";  // ours, where they are written close by
    if (is_report) return true;
    const Intake intake = spool_.accept(identity.sop_uid, bytes);
    if (intake == Intake::kFull) return false;
    if (intake == Intake::kOther) tell_(other_content(spool_));
    seen.image_uid = identity.sop_uid;
    spool_.remember(seen.image_uid);
    return true;
  } catch (const DataError& error) {
    const bool is_large = seen.size > options_.max_bytes;
    refuse(path, seen, is_large ? "it is too large" : "it is not a DICOM image that can be kept",
           error.what());
    return true;
  } catch (const IoError& error) {
    refuse(path, seen, "the system refused to read or keep it", error.what());
    return false;
  }
}

void FolderWatch::refuse(const std::string& path, const Seen& seen, const char* told,
                         const std::string& reason) {
  ContentHash key;  // a file that changes is another one
  key.add(path);
  key.add(std::to_string(seen.size) + "/" + std::to_string(seen.changed));
  try {
    if (spool_.note_bad_file(key.text(), path, reason)) {
      tell_("a file could not be taken, see failed/file-" + key.text() + ".json: " + told);
    }
  } catch (const IoError& error) {
    tell_("a file could neither be taken nor noted: " + refusal_reason(error, "its note"));
  }
}

}  // namespace cubcal
