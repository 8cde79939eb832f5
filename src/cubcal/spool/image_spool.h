#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cubcal/io/folder_lock.h"
#include "cubcal/spool/spool_folder.h"

namespace cubcal {

/// What became of an image that was offered.
enum class Intake {
  kStored,  ///< it is on the disk
  kKnown,   ///< it waits already, or was answered before
  kOther,   ///< the same, but it had other content then: this one is not kept
  kFull     ///< there is no room for it
};

struct SpoolLimits {
  std::size_t images = 10'000;                    ///< that may wait
  std::uint64_t bytes = std::uint64_t{8} << 30U;  ///< of all that waits and all that failed
};

/// Images that wait for an answer and reports that wait to be sent, in a folder that survives the
/// process being killed at any moment.
///
///     images/UID.dcm    accepted, waits for its answer          the UID is the image's
///     reports/UID.dcm   answered, its report waits to be sent   the UID is the report's
///     done/UID          the report was sent                     the UID is the report's
///     failed/UID.dcm    with the reason in failed/UID.json      of an image or a report
///
/// Every file appears whole, and is on the disk before what it follows from is removed. So whatever
/// was accepted is in one of these folders at any time; where it is in two, the later one counts.
/// The UID of a report follows from the image's and from who answers: an image that comes again is
/// known, a report that is sent again since the process ended before it was noted is the same
/// object. For any number of threads of the one process that has the folder.
class ImageSpool {
 public:
  using Wait = std::chrono::milliseconds;

  /// `answerer` names all that an answer follows from but the image. Goes on with what the folder
  /// holds. Throws IoError, also where another process has the folder.
  ImageSpool(const std::string& folder, std::string answerer, const SpoolLimits& limits = {});
  ImageSpool(const ImageSpool&) = delete;
  ImageSpool& operator=(const ImageSpool&) = delete;

  std::string report_uid(const std::string& image_uid) const;

  /// When this returns kStored the image is never lost. Throws DataError for what is not a UID and
  /// IoError where it could not be stored.
  Intake accept(const std::string& image_uid, std::string_view bytes);

  /// The images that wait the longest, none where there is none for so long or after close(). They
  /// are the caller's until one of the functions below is called that take one.
  std::vector<std::string> next_images(std::size_t most, Wait longest);
  std::string read_image(const std::string& image_uid) const;
  void answered(const std::string& image_uid, std::string_view report);
  void failed(const std::string& image_uid, const std::string& reason);
  /// Its file is not there any more.
  void forget_image(const std::string& image_uid);
  /// It is the next one again, or the last.
  void put_back_image(const std::string& image_uid, bool as_first);
  bool holds_image(const std::string& image_uid) const;

  /// The same for reports, by their own UIDs.
  std::vector<std::string> next_reports(std::size_t most, Wait longest);
  std::string read_report(const std::string& report_uid) const;
  void sent(const std::string& report_uid);
  void refused(const std::string& report_uid, const std::string& reason);
  void forget_report(const std::string& report_uid);
  void put_back_report(const std::string& report_uid, bool as_first);

  /// A file that cannot even be stored as an image: `key` becomes part of the entry's name. False
  /// where there is such an entry.
  bool note_bad_file(const std::string& key, const std::string& file, const std::string& reason);

  /// Removes notes of reports that were sent longer ago: an image that comes again later is
  /// answered again, with the same UID.
  void forget_sent(std::chrono::hours longer_ago);
  /// The image may come again, since its file is kept elsewhere: its note, where there is one, is
  /// as good as new.
  void remember(const std::string& image_uid) const;
  /// Nothing is handed out any more.
  void close();

  std::size_t images() const;   ///< that wait or are being answered
  std::size_t reports() const;  ///< that wait or are being sent
  std::size_t others() const;   ///< images that were Intake::kOther

 private:
  struct HeldFile {
    std::uint64_t bytes = 0;
    std::string image_hash = {};  ///< empty: it is not known
  };
  using HeldFiles = std::map<std::string, HeldFile>;

  void hold(HeldFiles& files, const std::string& uid, HeldFile file);
  HeldFile let_go(HeldFiles& files, const std::string& uid);
  /// None where the image is not known.
  std::optional<std::string> known_hash(const std::string& image_uid) const;
  void recover();
  bool has_room(std::uint64_t more);
  std::vector<std::string> take(std::deque<std::string>& queue, std::size_t most, Wait longest);
  void note_failure(const std::string& uid, const char* kind, const std::string& reason) const;
  void drop_failure(const std::string& uid) const;

  const std::string folder_;
  const std::string answerer_;
  const SpoolLimits limits_;
  const FolderLock lock_;
  const SpoolFolder image_files_;
  const SpoolFolder report_files_;
  const SpoolFolder sent_notes_;
  const SpoolFolder failed_files_;
  const SpoolFolder failed_notes_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  std::set<std::string> arriving_;  ///< being written
  HeldFiles images_;                ///< on the disk, not answered
  std::deque<std::string> waiting_images_;
  HeldFiles reports_;
  std::deque<std::string> waiting_reports_;
  std::uint64_t bytes_ = 0;         ///< of images and reports
  std::uint64_t failed_bytes_ = 0;  ///< when last counted
  std::size_t others_ = 0;
};

}  // namespace cubcal
