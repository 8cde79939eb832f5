#include "cubcal/dataset/image_folder.h"

#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/folder_walk.h"

namespace cubcal {

namespace {

Catalog unlabelled(const std::string& path, const std::string& root,
                   const std::vector<std::string>& files) {
  Catalog catalog;
  catalog.kind = CatalogKind::kImages;
  catalog.path = path;
  catalog.root = root;
  for (const std::string& file : files) {
    Sample sample;
    sample.file = file;
    catalog.samples.push_back(std::move(sample));
  }
  return catalog;
}

}  // namespace

Catalog read_image_folder(const std::string& folder, bool tolerant) {
  const FoundImages found = find_images(folder);
  FaultList faults;
  for (const std::string& fault : found.faults) faults.add(fault);
  if (!tolerant || found.images.empty()) faults.raise(folder);
  Catalog catalog = unlabelled(folder, folder, found.images);
  catalog.faults = faults.texts();
  return catalog;
}

Catalog read_single_image(const std::string& path) {
  return unlabelled(path, folder_of(path), {name_of(path)});
}

}  // namespace cubcal
