#include "cubcal_nn/script/script_graph.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/frozen_conv_folding.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/passes/remove_mutation.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal_nn/script/script_error.h"
#include "cubcal_nn/script/script_layers.h"
#include "cubcal_nn/script/script_split.h"

namespace cubcal {

namespace {

namespace jit = torch::jit;
using Graph = jit::Graph;

constexpr const char* kForward = "forward";

/// The path of a value that is a submodule, or nothing.
std::optional<std::string> path_of(const jit::Value* value, const Graph& graph) {
  if (value == graph.inputs().at(0)) return std::string();
  const jit::Node* node = value->node();
  if (node->kind() != c10::prim::GetAttr) return std::nullopt;
  const std::optional<std::string> parent = path_of(node->input(0), graph);
  if (!parent) return std::nullopt;
  return (parent->empty() ? "" : *parent + ".") + node->s(c10::attr::name);
}

/// The last call at the graph's top level, of a method of a submodule, that `wanted` says yes to.
jit::Node* last_call(
    Graph& graph,
    const std::function<bool(const std::string& path, const std::string& method)>& wanted) {
  jit::Node* found = nullptr;
  for (jit::Node* node : graph.nodes()) {
    if (node->kind() != c10::prim::CallMethod) continue;
    const std::optional<std::string> path = path_of(node->input(0), graph);
    if (path && wanted(*path, node->s(c10::attr::name))) found = node;
  }
  return found;
}

void inline_call(jit::Node* call) {
  const auto type = call->input(0)->type()->expect<c10::ClassType>();
  jit::GraphFunction& callee = jit::toGraphFunction(type->getMethod(call->s(c10::attr::name)));
  callee.ensure_defined();
  // Not its optimized graph, in which the calls within it are inlined too.
  jit::inlineCallTo(call, &callee, callee.graph().get());
}

/// "conv1, layer1, layer1.0, ...".
std::string layer_list(const jit::Module& module) {
  constexpr std::size_t kListed = 40;
  std::string list;
  std::size_t count = 0;
  for (const auto& each : module.named_modules()) {
    if (each.name.empty()) continue;
    if (++count > kListed) continue;
    if (!list.empty()) list += ", ";
    list += each.name;
  }
  if (count > kListed) list += " and " + std::to_string(count - kListed) + " more";
  return list.empty() ? "none" : list;
}

DataError no_such_layer(const jit::Module& module, const std::string& path,
                        const std::string& file) {
  return DataError("forward() of " + file + " calls no layer '" + path +
                   "' whose output could be read; its layers are " + layer_list(module));
}

/// Puts a tap behind the call of the submodule, inlining those it lies in.
void tap_layer(const jit::Module& module, const std::string& path, const std::string& file) {
  Graph& graph = *jit::toGraphFunction(module.get_method(kForward).function()).graph();
  const auto around = [&path](const std::string& each, const std::string& /*method*/) {
    return each.empty() || starts_with(path, each + ".");
  };
  const auto is_it = [&path](const std::string& each, const std::string& method) {
    return each == path && method == kForward;
  };
  while (last_call(graph, is_it) == nullptr) {
    jit::Node* call = last_call(graph, around);
    if (call == nullptr) throw no_such_layer(module, path, file);
    inline_call(call);
  }
  jit::Node* call = last_call(graph, is_it);
  if (!call->output()->type()->isSubtypeOf(*c10::TensorType::get())) {
    throw DataError("the layer '" + path + "' of " + file + " gives " +
                    call->output()->type()->str() + ", and features must be one tensor");
  }
  jit::Node* tap = graph.create(tap_symbol(), {call->output()}, 1)->insertAfter(call);
  tap->output()->setType(c10::TensorType::get());
  call->output()->replaceAllUsesAfterNodeWith(tap, tap->output());
}

/// self and one tensor; what else forward() takes must have a default, which it gets.
void keep_images_alone(const jit::Module& module, const std::string& file) {
  const c10::FunctionSchema& schema = module.get_method(kForward).function().getSchema();
  const auto& arguments = schema.arguments();
  Graph& graph = *jit::toGraphFunction(module.get_method(kForward).function()).graph();
  const bool takes_tensor =
      arguments.size() >= 2 && arguments[1].type()->isSubtypeOf(*c10::TensorType::get());
  const bool has_defaults =
      arguments.size() >= 2 &&
      std::all_of(arguments.begin() + 2, arguments.end(),
                  [](const auto& each) { return each.default_value().has_value(); });
  if (!takes_tensor || !has_defaults) {
    std::ostringstream is;
    is << schema;
    throw DataError("forward() of " + file +
                    " must take images, and nothing else that has no default: it is " + is.str());
  }
  const jit::WithInsertPoint at_start(*graph.nodes().begin());
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    graph.inputs().at(i)->replaceAllUsesWith(graph.insertConstant(*arguments[i].default_value()));
  }
}

void visit_nodes(jit::Block* block, const std::function<void(jit::Node*)>& visit) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    jit::Node* node = *it;
    ++it;  // the visitor may take the node away
    for (jit::Block* inner : node->blocks()) visit_nodes(inner, visit);
    visit(node);
  }
}

constexpr const char* kEncoders[] = {"aten::_transformer_encoder_layer_fwd",
                                     "aten::_native_multi_head_attention"};

/// PyTorch's encoder layers in one operator, taken where no gradient is wanted, draw no dropout. In
/// a scripted network the layers themselves stand in the other branch, which then is always taken.
void leave_out_fused_encoders(Graph& graph, const std::string& file) {
  visit_nodes(graph.block(), [&](jit::Node* node) {
    const std::string name = node->kind().toQualString();
    if (std::find(std::begin(kEncoders), std::end(kEncoders), name) == std::end(kEncoders)) return;
    jit::Node* choice = node->owningBlock()->owningNode();
    if (choice == nullptr || choice->kind() != c10::prim::If) {
      throw DataError(file + " was traced without gradients, where " + name +
                      " leaves out dropout: trace it outside of torch.no_grad(), or script it");
    }
    const bool in_first = choice->blocks().at(0) == node->owningBlock();
    const jit::WithInsertPoint before(choice);
    // Also where the answer is used as "has returned".
    jit::Value* other = graph.insertConstant(!in_first);
    choice->input(0)->replaceAllUsesAfterNodeWith(other->node(), other);
  });
}

/// Whether a dropout of the module was traced in eval mode: a scripted one asks whether to drop.
bool has_traced_dropout(const jit::Module& module) {
  bool found = false;
  for (const jit::Module& each : module.modules()) {
    if (!each.find_method(kForward)) continue;
    visit_nodes(each.get_method(kForward).graph()->block(), [&](jit::Node* node) {
      const bool drops = node->kind() == c10::aten::dropout;
      found = found || (drops && jit::toIValue(node->input(2)).has_value());
    });
  }
  return found;
}

bool reuses_dropped(Graph& graph) {
  bool reused = false;
  visit_nodes(graph.block(), [&](jit::Node* node) {
    reused = reused || (node->kind() == dropout_symbol() && node->output()->uses().size() > 1);
  });
  return reused;
}

void check_weights(const jit::Module& module, const std::string& file) {
  for (const at::Tensor& weight : module.parameters()) {
    if (!weight.is_floating_point() || weight.scalar_type() == at::kFloat) continue;
    throw DataError(file + " has weights of type " + at::toString(weight.scalar_type()) +
                    ", and only float32 can be run: save it after float()");
  }
}

struct DropoutName {
  const char* name;
  bool channels;
  bool in_place;
};
constexpr DropoutName kDropouts[] = {{"aten::dropout", false, false},
                                     {"aten::dropout_", false, true},
                                     {"aten::feature_dropout", true, false},
                                     {"aten::feature_dropout_", true, true}};

/// Every dropout becomes one of ours; returns how many there are.
std::size_t replace_dropouts(Graph& graph, jit::Value* draw) {
  std::size_t count = 0;
  visit_nodes(graph.block(), [&](jit::Node* node) {
    const std::string name = node->kind().toQualString();
    const auto* known = std::find_if(std::begin(kDropouts), std::end(kDropouts),
                                     [&](const DropoutName& each) { return name == each.name; });
    if (known == std::end(kDropouts)) return;
    const jit::WithInsertPoint here(node);
    jit::Value* layer = graph.insertConstant(static_cast<std::int64_t>(count++));
    jit::Value* channels = graph.insertConstant(known->channels);
    const at::Symbol symbol = known->in_place ? dropout_in_place_symbol() : dropout_symbol();
    jit::Node* ours = graph.insertNode(
        graph.create(symbol, {node->input(0), node->input(1), layer, channels, draw}, 1));
    ours->output()->setType(c10::TensorType::get());
    node->output()->replaceAllUsesWith(ours->output());
    node->destroy();
  });
  return count;
}

/// Convolutions and linear layers by kernels under which an image has the same bits in any batch.
void replace_products(Graph& graph) {
  visit_nodes(graph.block(), [&](jit::Node* node) {
    const std::string name = node->kind().toQualString();
    std::vector<jit::Value*> inputs;
    if (name == "aten::linear") {
      inputs = node->inputs().vec();
    } else if (name == "aten::conv2d") {
      inputs = node->inputs().vec();
      if (!inputs.at(4)->type()->isSubtypeOf(*c10::ListType::ofInts())) return;  // "same"
    } else if (name == "aten::_convolution") {
      const auto transposed = jit::toIValue(node->input(6));
      const auto strides = jit::toIValue(node->input(3));
      const bool takes = transposed && transposed->isBool() && !transposed->toBool() && strides &&
                         strides->isIntList() && strides->toIntVector().size() == 2;
      if (!takes) return;
      for (const std::size_t i : {0, 1, 2, 3, 4, 5, 8}) inputs.push_back(node->input(i));
    } else {
      return;
    }
    const jit::WithInsertPoint here(node);
    const at::Symbol symbol = name == "aten::linear" ? linear_symbol() : conv2d_symbol();
    jit::Node* ours = graph.insertNode(graph.create(symbol, inputs, 1));
    ours->output()->setType(c10::TensorType::get());
    node->output()->replaceAllUsesWith(ours->output());
    node->destroy();
  });
}

/// Looks at every node; throws for what would make predictions depend on chance or on neighbours.
void check_nodes(Graph& graph, const std::string& file) {
  visit_nodes(graph.block(), [&](jit::Node* node) {
    const std::string name = node->kind().toQualString();
    const auto* schema = node->maybeSchema();
    if (schema == nullptr) return;
    const auto constant = [&](const std::string& argument) -> std::optional<c10::IValue> {
      const auto index = schema->argumentIndexWithName(argument);
      if (!index) return std::nullopt;
      const auto value = jit::toIValue(node->input(static_cast<std::size_t>(*index)));
      return value ? std::optional<c10::IValue>(*value) : std::nullopt;
    };
    if (name == "aten::batch_norm") {
      const auto training = constant("training");
      if (training && training->isBool() && training->toBool()) {
        throw DataError(file +
                        " has batch norms that take the statistics of a batch, as when traced in "
                        "training mode or made without running statistics: trace it after eval(), "
                        "dropout is drawn all the same");
      }
    }
    const auto rate = constant("dropout_p");
    const bool random =
        node->isNondeterministic() || (rate && rate->isDouble() && rate->toDouble() > 0);
    if (random) {
      throw DataError(file + " draws random numbers by " + name +
                      ", which could not be repeated: only dropout layers may be random");
    }
  });
}

/// The value that the tap marks, or what goes into the last linear layer, or null.
jit::Value* feature_value(Graph& graph) {
  for (jit::Node* node : graph.nodes()) {
    if (node->kind() == tap_symbol()) return node->input();
  }
  const jit::Node* last = graph.outputs().at(0)->node();
  const bool is_linear = last->kind() == linear_symbol();
  if (!is_linear && last->kind() != c10::aten::addmm) return nullptr;
  jit::Value* value = const_cast<jit::Node*>(last)->input(is_linear ? 0 : 1);
  while (value->node()->kind() == dropout_symbol() ||
         value->node()->kind() == dropout_in_place_symbol()) {
    value = value->node()->input(0);
  }
  return value;
}

ScriptGraph make_graph(const std::string& bytes, const std::string& file,
                       const ScriptGraphOptions& options) {
  std::istringstream stream(bytes);
  jit::Module loaded = jit::load(stream, options.device);
  if (!loaded.find_method(kForward)) throw DataError(file + " has no forward()");
  loaded.eval();
  check_weights(loaded, file);
  const bool traced = has_traced_dropout(loaded);
  keep_images_alone(loaded, file);
  if (!options.features.empty()) tap_layer(loaded, options.features, file);
  ScriptGraph result;
  result.module = jit::freeze_module(loaded);
  std::shared_ptr<Graph> graph = result.module.get_method(kForward).graph()->copy();
  jit::Inline(*graph);
  jit::RemoveTensorMutation(graph);
  for (std::size_t i = graph->inputs().size(); i-- > 2;) graph->eraseInput(i);
  if (graph->outputs().size() != 1 ||
      !graph->outputs().at(0)->type()->isSubtypeOf(*c10::TensorType::get())) {
    throw DataError("forward() of " + file + " must give one tensor of logits, not " +
                    graph->outputs().at(0)->type()->str());
  }
  leave_out_fused_encoders(*graph, file);
  jit::Value* draw = graph->addInput("draw");
  draw->setType(c10::ListType::ofInts());
  result.dropouts = replace_dropouts(*graph, draw);
  jit::EliminateDeadCode(graph);
  result.reuses_dropped = traced && reuses_dropped(*graph);
  result.changes_tensors = changes_tensors(*graph);
  check_nodes(*graph, file);
  jit::FoldFrozenConvBatchnorm(graph);
  replace_products(*graph);
  if (jit::Value* features = feature_value(*graph)) {
    result.has_features = true;
    graph->registerOutput(features);
  } else if (!options.features.empty()) {
    throw DataError("the layer '" + options.features + "' of " + file +
                    " has no part in its logits, so that its features cannot be read");
  }
  result.graph = graph;
  return result;
}

}  // namespace

ScriptGraph load_script_graph(const std::string& bytes, const std::string& file,
                              const ScriptGraphOptions& options) {
  try {
    return make_graph(bytes, file, options);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw DataError("LibTorch cannot load " + file + " as TorchScript: " + script_problem(error));
  }
}

}  // namespace cubcal
