#include "cubcal/dataset/folder_tree.h"

#include <algorithm>
#include <map>

#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/split_name.h"

namespace cubcal {

namespace {

class FolderTreeReader {
 public:
  FolderTreeReader(const std::string& root, bool tolerant) : tolerant_(tolerant) {
    catalog_.kind = CatalogKind::kFolderTree;
    catalog_.path = root;
    catalog_.root = root;
  }

  Catalog read(const FolderContents& contents) {
    const bool has_splits =
        std::any_of(contents.folders.begin(), contents.folders.end(), [](const std::string& name) {
          return is_split_name(name) && canonical_split(name) != kOutlierSplit;
        });
    std::vector<std::string> class_folders;
    for (const std::string& name : contents.folders) {
      if (canonical_split(name) == kOutlierSplit) {
        take_outliers(name + "/");
      } else if (!has_splits) {
        class_folders.push_back(name);
      } else if (is_split_name(name)) {
        take_split(name);
      } else {
        complain(name, "lies beside the folders of splits");
      }
    }
    take_classes("", class_folders, "");
    refuse_images(contents, "");
    name_classes();
    std::stable_sort(
        catalog_.samples.begin(), catalog_.samples.end(),
        [](const Sample& a, const Sample& b) { return split_rank(a.split) < split_rank(b.split); });
    if (tolerant_ && !catalog_.samples.empty()) {
      catalog_.faults = faults_.texts();
    } else {
      faults_.raise(catalog_.root);
    }
    return std::move(catalog_);
  }

 private:
  void complain(const std::string& below, const std::string& text) {
    faults_.add("'" + path_in(catalog_.root, below) + "' " + text);
  }

  void refuse_images(const FolderContents& contents, const std::string& below) {
    const FoundImages found = images_among(contents, path_in(catalog_.root, below));
    for (const std::string& image : found.images) {
      complain(below + image, "lies beside the class folders");
    }
    for (const std::string& fault : found.faults) faults_.add(fault);
  }

  void add(const std::string& file, const std::string& name, const std::string& split) {
    Sample sample;
    sample.file = file;
    sample.label_name = name;
    sample.split = split;
    catalog_.samples.push_back(std::move(sample));
  }

  /// Every image below a folder becomes a sample; `below` ends with a slash.
  std::size_t take(const std::string& below, const std::string& name, const std::string& split) {
    const FoundImages found =
        find_images(path_in(catalog_.root, below.substr(0, below.size() - 1)));
    for (const std::string& fault : found.faults) faults_.add(fault);
    for (const std::string& image : found.images) add(below + image, name, split);
    return found.images.size();
  }

  void take_classes(const std::string& below, const std::vector<std::string>& folders,
                    const std::string& split) {
    for (const std::string& name : folders) {
      images_of_class_[name] += take(below + name + "/", name, split);
    }
  }

  void take_split(const std::string& name) {
    const FolderContents contents = list_folder(path_in(catalog_.root, name));
    if (contents.folders.empty()) {
      complain(name, "has no class folders");
      return;
    }
    refuse_images(contents, name + "/");
    take_classes(name + "/", contents.folders, canonical_split(name));
  }

  void take_outliers(const std::string& below) {
    const std::string folder = path_in(catalog_.root, below.substr(0, below.size() - 1));
    const FolderContents contents = list_folder(folder);
    const FoundImages unnamed = images_among(contents, folder);
    for (const std::string& image : unnamed.images) add(below + image, "", kOutlierSplit);
    for (const std::string& fault : unnamed.faults) faults_.add(fault);
    for (const std::string& name : contents.folders) take(below + name + "/", name, kOutlierSplit);
  }

  void name_classes() {
    std::map<std::string, std::int64_t> labels;
    for (const auto& [name, images] : images_of_class_) {
      if (images == 0) faults_.add("no class folder '" + name + "' holds an image");
      if (images == 0 && tolerant_) continue;
      labels[name] = static_cast<std::int64_t>(catalog_.class_names.size());
      catalog_.class_names.push_back(name);
    }
    for (Sample& sample : catalog_.samples) {
      if (sample.split != kOutlierSplit) sample.label = labels.at(sample.label_name);
    }
  }

  bool tolerant_;
  Catalog catalog_;
  std::map<std::string, std::size_t> images_of_class_;
  FaultList faults_;
};

}  // namespace

Catalog read_folder_tree(const std::string& root, const FolderContents& contents, bool tolerant) {
  return FolderTreeReader(root, tolerant).read(contents);
}

}  // namespace cubcal
