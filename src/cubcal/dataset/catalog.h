#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/dataset/open_options.h"

/// A catalog says which images a data set has and what is known of each, without decoding one.
namespace cubcal {

/// How a data set lies on disk.
enum class CatalogKind {
  kManifest,    ///< a CSV file with a row per image, or a folder that holds one as labels.csv
  kFolderTree,  ///< [split/]class/image files
  kNpz,         ///< one file in the layout of MedMNIST
  kImages,      ///< images or DICOM files without labels
  kPack         ///< one file of 'cubcal data pack', read by the module loading
};

/// "manifest", "class folders", "npz set", "images without labels", "pack".
const char* catalog_kind_name(CatalogKind kind);

inline constexpr std::int64_t kNoLabel = -1;
/// A label in a file is smaller, so that a mistaken one never makes a huge table.
inline constexpr std::int64_t kMostClasses = 10'000;
inline const std::string kOutlierSplit = "ood";

struct Sample {
  std::string file;                   ///< relative to Catalog::root; of an npz set "train/17"
  std::int64_t label = kNoLabel;      ///< index into class_names; kNoLabel: none of the classes
  std::string label_name = {};        ///< an outlier keeps the name it was given
  std::string group = {};             ///< patient, eye or lesion; empty: not known
  std::string split = {};             ///< empty: not split yet; kOutlierSplit: of no class
  std::vector<std::string> metadata;  ///< one per Catalog::columns
};

struct Catalog {
  CatalogKind kind = CatalogKind::kManifest;
  std::string path;  ///< as given
  std::string root;  ///< the folder sample files are relative to; of an npz set the file
  std::vector<std::string> class_names;
  std::vector<std::string> columns;  ///< further columns of the manifest, in its order
  std::vector<Sample> samples;
  /// The table's own name of a column, and what it became here: label_name, group or split.
  std::vector<std::pair<std::string, std::string>> aliases = {};
  /// What was recognised of a table that is not laid out as ours, a sentence each: to be told.
  std::vector<std::string> notes = {};
  /// Names of splits with blanks around them, as the table has them, and the images of each.
  std::map<std::string, std::size_t> blank_splits = {};
  /// Numbers below the largest label that no row has, where OpenOptions::tolerant let it be: the
  /// classes that are there are numbered without them.
  std::vector<std::int64_t> label_gaps = {};
  /// What was left out where OpenOptions::tolerant let it be, a sentence each.
  std::vector<std::string> faults = {};

  std::size_t classes() const { return class_names.size(); }
  /// Whether a sample that is not an outlier has a split.
  bool has_splits() const;
  bool has_groups() const;
  /// In the order train, val, test, others as they first come, ood.
  std::vector<std::string> split_names() const;
  /// Throws ArgumentError, listing the columns there are.
  std::size_t column(const std::string& name) const;
  std::string file_path(const Sample& sample) const;
};

/// Recognises the kind by what lies at the path: an .npz file; a .csv file or a folder with
/// labels.csv; a folder of class folders, with or without a level of splits above it; a folder or a
/// file of images. docs/data.md gives the rules. What DICOM files say is added (dicom_rows.h).
/// Throws IoError where the path cannot be read and DataError, naming line or folder, where it is
/// no data set: every fault of a manifest that one reading can find is in the one message (the
/// first ten, and how many more).
Catalog open_catalog(const std::string& path, const OpenOptions& options = {});

/// The catalog as a manifest: file, label and label_name (where there are classes), group and split
/// (where a sample has one), then the further columns. Reading it again gives the same samples, so
/// it reproduces a run. Files are written relative to the manifest's folder where they lie below
/// it, else as absolute paths; images of an npz set as "set.npz/train/17".
void write_manifest(const std::string& path, const Catalog& catalog);

}  // namespace cubcal
