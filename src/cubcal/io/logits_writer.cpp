#include "cubcal/io/logits_writer.h"

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/io/logits_shape.h"

namespace cubcal {

namespace {

void check_logits_array(const NdArray& logits) {
  if (is_floating(logits.dtype()) && logits.shape().size() == 3) return;
  throw ArgumentError("logits must be a floating-point array [S,N,K], not " +
                      std::string(dtype_name(logits.dtype())) + " of shape " + logits.shape_text());
}

class SampleArrays {
 public:
  SampleArrays(NpzWriter& npz, std::size_t samples) : npz_(npz), samples_(samples) {}

  void add(const char* name, const std::optional<std::vector<std::int64_t>>& numbers) {
    if (!numbers) return;
    check_same_size(name, numbers->size(), "the sample axis", samples_);
    npz_.add(name, ArrayView<const std::int64_t>(*numbers), {samples_});
  }
  void add(const char* name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    check_same_size(name, texts.size(), "the sample axis", samples_);
    npz_.add_text(name, texts);
  }
  void add(const SampleColumn& column) {
    check_same_size(column.name.c_str(), column.values.size(), "the sample axis", samples_);
    npz_.add_text(kColumnPrefix + column.name, column.values);
  }

 private:
  NpzWriter& npz_;
  std::size_t samples_;
};

}  // namespace

void add_logits_arrays(NpzWriter& npz, const LogitsArrays& arrays) {
  check_logits_array(arrays.logits);
  const std::vector<std::size_t>& shape = arrays.logits.shape();
  SampleArrays samples(npz, shape[1]);
  npz.add("logits", arrays.logits);
  samples.add("labels", arrays.labels);
  samples.add("groups", arrays.group_numbers);
  samples.add("groups", arrays.groups);
  if (!arrays.class_names.empty()) {
    check_same_size("class_names", arrays.class_names.size(), "the class axis", shape[2]);
    npz.add_text("class_names", arrays.class_names);
  }
  if (!arrays.weights_hash.empty()) npz.add_text(kWeightsHashArray, {arrays.weights_hash});
  samples.add("files", arrays.files);
  for (const SampleColumn& column : arrays.columns) samples.add(column);
}

}  // namespace cubcal
