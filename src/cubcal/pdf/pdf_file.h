#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal::pdf {

/// A number as PDF takes it: at most three decimals, never an exponent.
std::string pdf_number(double value);

/// Four hexadecimal digits of a number below 65536.
std::string hex4(std::uint32_t number);

/// Text for an entry of the document, as UTF-16 in hexadecimal digits.
std::string pdf_text(std::string_view utf8);

/// The objects of a PDF file and their table.
class PdfFile {
 public:
  /// Keeps a number for an object that is written later.
  std::size_t reserve();
  void write(std::size_t number, const std::string& body);
  std::size_t add(const std::string& body);
  /// Compressed; `entries` are further ones of its dictionary, with a leading space each.
  std::size_t add_stream(std::string_view bytes, const std::string& entries = {});

  std::string finished(std::size_t catalogue, std::size_t information);

 private:
  std::string bytes_ = "%PDF-1.5\n%\xE2\xE3\xCF\xD3\n";
  std::vector<std::size_t> places_;
};

/// "7 0 R".
std::string reference(std::size_t number);

}  // namespace cubcal::pdf
