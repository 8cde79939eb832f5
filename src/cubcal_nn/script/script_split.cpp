#include "cubcal_nn/script/script_split.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cubcal_nn/script/script_layers.h"

namespace cubcal {

namespace {

namespace jit = torch::jit;
using Values = std::unordered_set<const jit::Value*>;

bool is_tensor(const jit::Value* value) {
  return value->type()->isSubtypeOf(*c10::TensorType::get());
}

/// The node and all within it.
void visit_within(jit::Node* node, const std::function<void(jit::Node*)>& visit) {
  visit(node);
  for (jit::Block* block : node->blocks()) {
    for (jit::Node* inner : block->nodes()) visit_within(inner, visit);
    visit(block->return_node());
  }
}

std::vector<jit::Value*> used_by(jit::Node* node) {
  std::vector<jit::Value*> used;
  visit_within(node, [&](jit::Node* each) {
    used.insert(used.end(), each->inputs().begin(), each->inputs().end());
  });
  return used;
}

bool changes_in_place(jit::Node* node) {
  bool changes = false;
  visit_within(node, [&](jit::Node* each) {
    const auto* schema = each->maybeSchema();
    if (schema == nullptr) return;
    for (const auto& argument : schema->arguments()) {
      changes = changes || (argument.alias_info() != nullptr && argument.alias_info()->isWrite());
    }
  });
  return changes;
}

/// Which nodes of the top level come after a dropout, and which follow from constants alone.
class Order {
 public:
  explicit Order(jit::Graph& graph) : graph_(graph) {
    const jit::Value* draw = graph.inputs().at(2);
    late_.insert(draw);
    for (jit::Node* node : graph.nodes()) {
      const std::vector<jit::Value*> used = used_by(node);
      const auto all_constant = [&] {
        return std::all_of(used.begin(), used.end(),
                           [&](jit::Value* each) { return constant_.count(each) > 0; });
      };
      if (std::any_of(used.begin(), used.end(),
                      [&](jit::Value* v) { return late_.count(v) > 0; })) {
        late_nodes_.insert(node);
        late_.insert(node->outputs().begin(), node->outputs().end());
      } else if (node->kind() == c10::prim::Constant ||
                 (node->blocks().empty() && !node->hasSideEffects() && all_constant() &&
                  std::none_of(node->outputs().begin(), node->outputs().end(), is_tensor))) {
        constant_nodes_.insert(node);
        constant_.insert(node->outputs().begin(), node->outputs().end());
      }
    }
  }

  bool is_late(const jit::Value* value) const { return late_.count(value) > 0; }
  bool is_late(jit::Node* node) const { return late_nodes_.count(node) > 0; }
  bool is_constant(const jit::Value* value) const { return constant_.count(value) > 0; }
  bool is_constant(jit::Node* node) const { return constant_nodes_.count(node) > 0; }

  /// Reordering is safe where nothing is changed in place from the first dropout on.
  bool is_safe() const {
    bool after = false;
    for (jit::Node* node : graph_.nodes()) {
      after = after || is_late(node);
      if (after && changes_in_place(node)) return false;
    }
    return after;
  }

  /// What late nodes need of early ones.
  std::vector<jit::Value*> boundary() const {
    std::vector<jit::Value*> values;
    const auto add = [&](jit::Value* value) {
      // Values from within a node's own blocks are not the top level's.
      const bool is_inner = value->node()->owningBlock() != graph_.block() &&
                            value->node() != graph_.block()->param_node();
      if (is_inner || is_late(value) || is_constant(value) || value == graph_.inputs().at(0)) {
        return;
      }
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    };
    for (jit::Node* node : graph_.nodes()) {
      if (!is_late(node)) continue;
      for (jit::Value* value : used_by(node)) add(value);
    }
    add(graph_.outputs().at(0));
    return values;
  }

 private:
  jit::Graph& graph_;
  Values late_, constant_;
  std::unordered_set<jit::Node*> late_nodes_, constant_nodes_;
};

/// Copies nodes of one graph into another.
class Copy {
 public:
  Copy() : graph_(std::make_shared<jit::Graph>()) {}

  void input(jit::Value* from) { map_[from] = graph_->addInput()->setType(from->type()); }
  void node(jit::Node* from) {
    jit::Node* clone = graph_->insertNode(
        graph_->createClone(from, [this](jit::Value* value) { return map_.at(value); }));
    for (std::size_t i = 0; i < from->outputs().size(); ++i) {
      map_[from->outputs()[i]] = clone->outputs()[i];
    }
  }
  void output(jit::Value* from) { graph_->registerOutput(map_.at(from)); }
  const std::shared_ptr<jit::Graph>& graph() const { return graph_; }

 private:
  std::shared_ptr<jit::Graph> graph_;
  std::unordered_map<const jit::Value*, jit::Value*> map_;
};

}  // namespace

bool changes_tensors(jit::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), changes_in_place);
}

std::optional<SplitGraph> split_at_dropout(jit::Graph& graph) {
  const Order order(graph);
  if (!order.is_safe()) return std::nullopt;
  const std::vector<jit::Value*> boundary = order.boundary();
  if (boundary.size() != 1 || !is_tensor(boundary.front())) return std::nullopt;
  SplitGraph split;
  Copy trunk, head;
  trunk.input(graph.inputs().at(0));
  trunk.input(graph.inputs().at(1));
  head.input(graph.inputs().at(0));
  head.input(boundary.front());
  head.input(graph.inputs().at(2));
  for (jit::Node* node : graph.nodes()) {
    if (!order.is_late(node)) trunk.node(node);
    if (order.is_late(node) || order.is_constant(node)) head.node(node);
  }
  trunk.output(boundary.front());
  head.output(graph.outputs().at(0));
  if (graph.outputs().size() > 1) {
    jit::Value* features = graph.outputs().at(1);
    split.features_in_trunk = !order.is_late(features);
    (split.features_in_trunk ? trunk : head).output(features);
  }
  split.trunk = trunk.graph();
  split.head = head.graph();
  return split;
}

}  // namespace cubcal
