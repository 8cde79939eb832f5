#include "cubcal/pdf/pdf_file.h"

#include <zlib.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal::pdf {

namespace {

std::string compressed(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  const int state =
      compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  if (state != Z_OK) throw Error("a PDF stream could not be compressed");
  result.resize(size);
  return result;
}

}  // namespace

std::string pdf_number(double value) {
  const long long steps = std::llround(value * 1000);
  std::string text = std::to_string(std::abs(steps) / 1000);
  if (const long long rest = std::abs(steps) % 1000; rest != 0) {
    std::string decimals = std::to_string(1000 + rest).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    text += "." + decimals;
  }
  return (steps < 0 ? "-" : "") + text;
}

std::string hex4(std::uint32_t number) {
  std::string text;
  for (int shift = 12; shift >= 0; shift -= 4) text += "0123456789ABCDEF"[number >> shift & 0xFU];
  return text;
}

std::string pdf_text(std::string_view utf8) {
  std::string text = "<FEFF";
  for (const std::uint32_t code : code_points(utf8)) {
    if (code < 0x10000) {
      text += hex4(code);
    } else {
      text += hex4(0xD800U + ((code - 0x10000U) >> 10U));
      text += hex4(0xDC00U + ((code - 0x10000U) & 0x3FFU));
    }
  }
  return text + ">";
}

std::size_t PdfFile::reserve() {
  places_.push_back(0);
  return places_.size();
}

void PdfFile::write(std::size_t number, const std::string& body) {
  places_[number - 1] = bytes_.size();
  bytes_ += std::to_string(number) + " 0 obj\n" + body + "\nendobj\n";
}

std::size_t PdfFile::add(const std::string& body) {
  const std::size_t number = reserve();
  write(number, body);
  return number;
}

std::size_t PdfFile::add_stream(std::string_view bytes, const std::string& entries) {
  const std::string packed = compressed(bytes);
  return add("<< /Length " + std::to_string(packed.size()) + " /Filter /FlateDecode" + entries +
             " >>\nstream\n" + packed + "\nendstream");
}

std::string PdfFile::finished(std::size_t catalogue, std::size_t information) {
  const std::size_t table = bytes_.size();
  const std::string size = std::to_string(places_.size() + 1);
  std::string file = bytes_ + "xref\n0 " + size + "\n0000000000 65535 f \n";
  for (const std::size_t place : places_) {
    const std::string digits = std::to_string(place);
    file += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
  }
  return file + "trailer\n<< /Size " + size + " /Root " + reference(catalogue) + " /Info " +
         reference(information) + " >>\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
}

std::string reference(std::size_t number) { return std::to_string(number) + " 0 R"; }

}  // namespace cubcal::pdf
