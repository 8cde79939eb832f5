#include "cubcal/dataset/pack_file.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cubcal/core/checksums.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/dataset/dicom_window.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/json_text.h"
#include "cubcal/weights/safetensors.h"

namespace cubcal {

namespace {

using nlohmann::json;

constexpr const char* kFormat = "cubcal-pack";
constexpr const char* kVersion = "1";
constexpr std::size_t kFixedColumns = 4;  // file, label_name, group, split

std::string manifest_text(const Catalog& catalog) {
  std::vector<std::string> header = {"file", "label_name", "group", "split"};
  header.insert(header.end(), catalog.columns.begin(), catalog.columns.end());
  std::string text = csv_row(header);
  for (const Sample& sample : catalog.samples) {
    std::vector<std::string> row = {sample.file, sample.label_name, sample.group, sample.split};
    row.insert(row.end(), sample.metadata.begin(), sample.metadata.end());
    text += csv_row(row);
  }
  return text;
}

DataError no_pack(const std::string& path, const std::string& why) {
  return DataError("'" + path + "' is not a pack of images: " + why);
}

const std::string& field(const TensorFile& file, const std::string& path, const std::string& name) {
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end()) throw no_pack(path, "its metadata has no " + name);
  return found->second;
}

std::vector<std::string> list_field(const TensorFile& file, const std::string& path,
                                    const std::string& name) {
  try {
    // A list of texts, as long as there are columns or classes.
    constexpr JsonLimits kListLimits{1, 0, 1'000'000};
    return parse_json<json>(field(file, path, name), "its " + name, kListLimits)
        .get<std::vector<std::string>>();
  } catch (const json::exception&) {
    throw no_pack(path, "its " + name + " is not a JSON list of texts");
  } catch (const DataError& error) {
    throw no_pack(path, error.what());
  }
}

const NdArray& tensor(const TensorFile& file, const std::string& path, const char* name) {
  const NdArray* values = file.tensors.find(name);
  if (values == nullptr) throw no_pack(path, "it has no tensor '" + std::string(name) + "'");
  return *values;
}

void check_pack_images(const NdArray& images, const std::string& path) {
  const bool is_levels = images.dtype() == DType::kU8 || images.dtype() == DType::kU16;
  const std::vector<std::size_t>& shape = images.shape();
  if (!is_levels || shape.size() != 4 || images.size() == 0 || (shape[1] != 1 && shape[1] != 3)) {
    throw no_pack(path, std::string("its images are ") + dtype_name(images.dtype()) + " of shape " +
                            images.shape_text() +
                            ", but uint8 or uint16 [N, 1 or 3, H, W] is expected");
  }
}

std::vector<Sample> read_samples(const TensorFile& file, const std::string& path,
                                 const Catalog& catalog, std::size_t count) {
  const NdArray& labels = tensor(file, path, "labels");
  const NdArray& manifest = tensor(file, path, "manifest");
  if (labels.dtype() != DType::kI64 || labels.shape() != std::vector<std::size_t>{count}) {
    throw no_pack(path,
                  "its labels are not int64 [N] for its " + std::to_string(count) + " images");
  }
  if (manifest.dtype() != DType::kU8) throw no_pack(path, "its manifest is not uint8");
  const CsvTable table = parse_csv({manifest.as<char>(), manifest.size()}, "manifest of " + path);
  if (table.rows.size() != count || table.header.size() != kFixedColumns + catalog.columns.size()) {
    throw no_pack(path, "its manifest does not fit its images");
  }
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::string>& row = table.rows[i];
    Sample sample{row[0], labels.as<std::int64_t>()[i], row[1], row[2], row[3], {}};
    sample.metadata.assign(row.begin() + kFixedColumns, row.end());
    if (sample.label < kNoLabel || sample.label >= static_cast<std::int64_t>(catalog.classes())) {
      throw no_pack(path, "label " + std::to_string(sample.label) + " of image " +
                              std::to_string(i) + " is none of its classes");
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

bool is_pack_file(const std::string& path) {
  return std::filesystem::path(path).extension() == ".safetensors";
}

std::string write_pack(const std::string& path, const SampleBlock& block) {
  std::string hash = content_hash(block);
  const std::string manifest = manifest_text(block.catalog);
  std::vector<std::int64_t> labels;
  for (const Sample& sample : block.catalog.samples) labels.push_back(sample.label);
  write_safetensors(
      path,
      {{"images", block.images.dtype(), block.images.shape(), block.images.bytes()},
       {"labels", DType::kI64, {labels.size()}, reinterpret_cast<const std::byte*>(labels.data())},
       {"manifest",
        DType::kU8,
        {manifest.size()},
        reinterpret_cast<const std::byte*>(manifest.data())}},
      {{"format", kFormat},
       {"version", kVersion},
       {"class_names", json(block.catalog.class_names).dump()},
       {"columns", json(block.catalog.columns).dump()},
       {"fit", image_fit_name(block.fit)},
       {"reduce_to", std::to_string(block.reduce_to)},
       {"dicom_window", dicom_window_name(block.dicom_window)},
       {"content_hash", hash}});
  return hash;
}

SampleBlock read_pack(const std::string& path) {
  const TensorFile file = read_safetensors(path);
  if (field(file, path, "format") != kFormat) throw no_pack(path, "its format is another");
  if (field(file, path, "version") != kVersion) {
    throw no_pack(path, "it is of version " + field(file, path, "version") +
                            ", and cubcal reads version " + kVersion);
  }
  SampleBlock block;
  const NdArray& images = tensor(file, path, "images");
  check_pack_images(images, path);
  try {
    block.fit = parse_image_fit(field(file, path, "fit"));
    block.dicom_window = parse_dicom_window(field(file, path, "dicom_window"));
  } catch (const ArgumentError& error) {
    throw no_pack(path, std::string("its fit or DICOM window ") + error.what());
  }
  if (file.metadata.count("reduce_to") > 0) {  // packs of before that key were not reduced
    const auto reduce_to = parse_whole<decltype(block.reduce_to)>(file.metadata.at("reduce_to"));
    if (!reduce_to) throw no_pack(path, "its reduce_to is not a whole number from 0 on");
    block.reduce_to = *reduce_to;
  }
  block.catalog.kind = CatalogKind::kPack;
  block.catalog.path = block.catalog.root = path;
  block.catalog.class_names = list_field(file, path, "class_names");
  block.catalog.columns = list_field(file, path, "columns");
  block.catalog.samples = read_samples(file, path, block.catalog, images.shape()[0]);
  block.images = NdArray(images.dtype(), images.shape(), images.memory());
  const std::string promised = field(file, path, "content_hash");
  const std::string found = content_hash(block);
  if (checksums_count && found != promised) {
    throw DataError("the pack '" + path + "' was written with content hash " + promised +
                    ", but its content has " + found + ": the file is damaged");
  }
  return block;
}

}  // namespace cubcal
