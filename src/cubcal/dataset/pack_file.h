#pragma once

#include <string>

#include "cubcal/dataset/sample_block.h"

/// A pack is a data set decoded once: one safetensors file with `images` [N, C, H, W] (U8 or U16),
/// `labels` [N] (I64; -1: none of the classes) and `manifest` (U8), the catalog as CSV text. Any
/// reader of safetensors opens it; images are mapped, so that opening one costs no more than their
/// hash. Its metadata has `format` = "cubcal-pack", `version`, `class_names` and `columns` (JSON
/// lists), `fit`, `reduce_to`, `dicom_window`, and `content_hash`, which goes into the record of
/// every run that is trained on it.
namespace cubcal {

/// By the extension .safetensors.
bool is_pack_file(const std::string& path);

/// The file appears whole or not at all. Returns its content hash.
std::string write_pack(const std::string& path, const SampleBlock& block);

/// Throws DataError naming the file where it is not a pack, its parts do not fit together or its
/// content is not the one it was written with, by its hash.
SampleBlock read_pack(const std::string& path);

}  // namespace cubcal
