#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "call.h"
#include "cubcal/dataset/phantom_drawing.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

PhantomSplit split_from_name(const std::string& name) {
  for (std::size_t i = 0; i < kPhantomSplits; ++i) {
    const auto split = static_cast<PhantomSplit>(i);
    if (name == phantom_split_name(split)) return split;
  }
  throw ArgumentError("the phantom set has the splits train, val, test and ood, not '" + name +
                      "'");
}

/// Pixels [N, 3, size, size], labels and patients of the first images of a split.
py::tuple draw(const std::string& name, std::size_t images, std::size_t image_size,
               std::uint64_t seed) {
  PhantomOptions options;
  options.image_size = image_size;
  options.seed = seed;
  check_phantom_options(options);
  const PhantomSplit split = split_from_name(name);
  const std::size_t bytes = 3 * image_size * image_size;
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(images * bytes);
  std::vector<std::int64_t> labels(images);
  std::vector<std::int64_t> patients(images);
  without_gil([&] {
    parallel_blocks(images, 16, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const PhantomTruth truth = draw_phantom(options, split, static_cast<std::uint32_t>(i),
                                                {pixels->data() + i * bytes, bytes});
        labels[i] = truth.label;
        patients[i] = truth.patient;
      }
    });
  });
  const auto side = static_cast<py::ssize_t>(image_size);
  return py::make_tuple(
      array_out(pixels, *pixels, {static_cast<py::ssize_t>(images), 3, side, side}),
      array_out(std::move(labels)), array_out(std::move(patients)));
}

}  // namespace

void bind_phantom(py::module_& module) {
  module.def("draw_phantom", &draw, py::arg("split"), py::arg("images"), py::arg("image_size"),
             py::arg("seed"));
}

}  // namespace cubcal::python
