#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace cubcal::test {

/// A client that sends DICOM files by C-STORE, as a modality does.
class ImageSender {
 public:
  explicit ImageSender(std::uint16_t port, std::string calling = "SENDER",
                       std::string called = "CUBCAL");
  ~ImageSender();
  ImageSender(const ImageSender&) = delete;
  ImageSender& operator=(const ImageSender&) = delete;

  bool echo();
  /// The status, or -1 where no answer came; the association is then opened anew next time.
  int send(const std::string& file_bytes,
           const std::string& sop_class = "1.2.840.10008.5.1.4.1.1.7");
  /// Why there was no answer.
  std::string problem() const { return problem_; }

 private:
  class Association;
  bool connect();
  const std::uint16_t port_;
  const std::string calling_;
  const std::string called_;
  std::string problem_;
  std::unique_ptr<Association> association_;
};

/// What a report says, as DCMTK reads it.
struct ReadReport {
  bool is_valid = false;  ///< DCMTK finds a Comprehensive SR without anything to complain of
  std::string text;       ///< as 'dsrdump' would print it
  std::string sop_uid, series_uid, study_uid, image_uid, patient_name, patient_id;
};

ReadReport read_report_file(const std::string& bytes);

}  // namespace cubcal::test
