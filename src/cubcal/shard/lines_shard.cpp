#include "cubcal/shard/lines_shard.h"

#include <charconv>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

const std::string kPlace = "{\"place\":";
constexpr std::size_t kLargestHead = std::size_t{1} << 20;

std::string image_text(const std::string& image) {
  return Json(image).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string placed_row(std::size_t place, const std::string& row) {
  return kPlace + std::to_string(place) + "," + row.substr(1);
}

std::pair<std::size_t, std::string> row_and_place(const std::string& line,
                                                  const std::string& where) {
  std::size_t place = 0;
  const char* end = line.data() + line.size();
  if (line.compare(0, kPlace.size(), kPlace) == 0) {
    const auto [stop, error] = std::from_chars(line.data() + kPlace.size(), end, place);
    if (error == std::errc() && stop != end && *stop == ',' && line.back() == '}') {
      return {place, "{" + std::string(stop + 1, end)};
    }
  }
  throw DataError(where + " is not a row of a shard");
}

LinesShard::LinesShard(const std::string& path, const ShardHead& head)
    : path_(path),
      folder_(path + ".part"),
      rows_path_(folder_ + "/rows.jsonl"),
      head_(head),
      earlier_(rows_path_) {
  make_folders(folder_);
  lock_.emplace(folder_);
  const std::string head_path = folder_ + "/head.json";
  refuse_link(head_path);
  refuse_link(rows_path_);
  if (std::filesystem::exists(head_path)) {
    const ShardHead there =
        shard_head_from(load_json(head_path, kLargestHead), "'" + head_path + "'");
    if (!there.same_job(head_) || !(there.shard == head_.shard)) {
      throw DataError("'" + folder_ +
                      "' holds the beginning of a shard of another model or with other settings: "
                      "remove it, or name another file");
    }
  } else {
    write_file_atomically(head_path, to_json(head_).dump() + "\n");
  }
  if (!std::filesystem::exists(rows_path_)) open_rows();
}

void LinesShard::open_rows() {
  is_reading_ = false;
  if (std::filesystem::exists(rows_path_)) {
    // What comes after the last whole row was cut off.
    std::filesystem::resize_file(rows_path_, earlier_.position());
  }
  rows_.open(rows_path_, std::ios::binary | std::ios::app);
  if (!rows_) throw system_error("write", rows_path_);
}

bool LinesShard::has(std::size_t place, const std::string& image) {
  if (!is_reading_) return false;
  std::string line;
  if (!earlier_.next(line)) {
    open_rows();
    return false;
  }
  const std::string begin = placed_row(place, "{\"image\":" + image_text(image) + ",");
  if (line.compare(0, begin.size(), begin) != 0) {
    throw DataError("'" + rows_path_ + "' was begun with other images than these: remove '" +
                    folder_ + "', or name another file");
  }
  hash_.add(line);
  ++rows_before_;
  ++head_.rows;
  if (line.compare(begin.size(), 8, "\"error\":") == 0) ++head_.unreadable;
  return true;
}

void LinesShard::add(const std::string& placed_rows, std::size_t rows, std::size_t unreadable) {
  if (is_reading_) open_rows();
  lock_->check();
  rows_ << placed_rows << std::flush;
  if (!rows_) throw system_error("write", rows_path_);
  for (std::size_t start = 0; start < placed_rows.size();) {
    const std::size_t end = placed_rows.find('\n', start);
    hash_.add(placed_rows.substr(start, end - start));
    start = end + 1;
  }
  head_.rows += rows;
  head_.unreadable += unreadable;
}

void LinesShard::finish(std::size_t images, const std::string& data_hash, const std::string& time) {
  if (is_reading_) {
    std::string line;
    if (earlier_.next(line)) {
      throw DataError("'" + rows_path_ + "' was begun with more images than these: remove '" +
                      folder_ + "', or name another file");
    }
    open_rows();
  }
  rows_.close();
  head_.images = images;
  head_.data_hash = data_hash;
  head_.rows_hash = hash_.text();
  head_.time = time;
  lock_->check();
  AtomicFile file(path_);
  file.write(to_json(head_).dump() + "\n");
  LineReader rows(rows_path_);
  for (std::string line; rows.next(line);) {
    line += '\n';
    file.write(line);
  }
  file.commit();
  lock_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::optional<ShardHead> finished_lines_shard(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  LineReader reader(path);
  std::string line;
  if (!reader.next(line))
    throw DataError("'" + path + "' is not a shard that can be merged: it has no line");
  const std::string where = "'" + path + "'";
  return shard_head_from(parse_json(line, where), where);
}

}  // namespace cubcal
