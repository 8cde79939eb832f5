#include "cubcal/checklist/checklist.h"

#include "cubcal/checklist/item_lists.h"
#include "cubcal/version.h"

namespace cubcal::checklist {

namespace {

struct PublishedList {
  const char* title;
  const char* source;
};

PublishedList published(Kind kind) {
  switch (kind) {
    case Kind::kClaim:
      return {"CLAIM checklist",
              "CLAIM, update of 2024 (Tejani, Klontzas, Gatti, Mongan, Moy, Park, Kahn, Radiology: "
              "Artificial Intelligence 2024; 6(4): e240300)"};
    case Kind::kTripodAi:
      return {"TRIPOD+AI checklist",
              "TRIPOD+AI (Collins, Moons, Dhiman and others, BMJ 2024; 385: e078378)"};
    case Kind::kModelCard: break;
  }
  return {"Model card",
          "Model Cards for Model Reporting (Mitchell and others, FAT* 2019), whose sections are "
          "numbered in their order"};
}

enum class State { kAnswered, kInPart, kToWrite };

std::vector<std::string> known_of(const Item& item, const Evidence& evidence) {
  std::vector<std::string> sentences;
  for (const Topic topic : item.topics) {
    const auto found = evidence.find(topic);
    if (found == evidence.end()) continue;
    sentences.insert(sentences.end(), found->second.begin(), found->second.end());
  }
  return sentences;
}

State state_of(const Item& item, const std::vector<std::string>& known) {
  if (known.empty()) return State::kToWrite;
  return *item.to_write == '\0' ? State::kAnswered : State::kInPart;
}

const char* state_words(State state) {
  switch (state) {
    case State::kAnswered: return "answered";
    case State::kInPart: return "in part";
    case State::kToWrite: break;
  }
  return "to write";
}

/// Characters that Markdown takes for its own, made to stand for themselves; a space for those that
/// terminals act upon.
std::string markdown_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      result += ' ';
      continue;
    }
    if (std::string("\\`*_[]<>|#&").find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string item_text(const Item& item, const std::vector<std::string>& known) {
  const State state = state_of(item, known);
  std::string text =
      "### " + std::string(item.number) + ". " + item.asks + "\n\n*" + state_words(state) + "*\n\n";
  for (const std::string& sentence : known) text += "- " + markdown_text(sentence) + "\n";
  if (!known.empty()) text += "\n";
  if (*item.to_write != '\0') text += "> **To write:** " + std::string(item.to_write) + "\n\n";
  if (known.empty() && *item.to_write == '\0') {
    text += "> **To write:** all of it: the records say nothing here.\n\n";
  }
  return text;
}

}  // namespace

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kClaim: return "claim";
    case Kind::kTripodAi: return "tripod-ai";
    case Kind::kModelCard: break;
  }
  return "model-card";
}

std::optional<Kind> kind_named(const std::string& name) {
  for (const Kind kind : kKinds) {
    if (name == kind_name(kind)) return kind;
  }
  return std::nullopt;
}

const std::vector<Item>& items_of(Kind kind) {
  static const std::vector<Item> claim = claim_items();
  static const std::vector<Item> tripod = tripod_items();
  static const std::vector<Item> card = model_card_items();
  return kind == Kind::kClaim ? claim : kind == Kind::kTripodAi ? tripod : card;
}

std::string checklist_markdown(Kind kind, const std::string& subject, const Evidence& evidence) {
  std::map<State, int> states;
  std::string body;
  std::string part;
  for (const Item& item : items_of(kind)) {
    const std::vector<std::string> known = known_of(item, evidence);
    ++states[state_of(item, known)];
    if (part != item.part) {
      part = item.part;
      body += "## " + part + "\n\n";
    }
    body += item_text(item, known);
  }
  const PublishedList list = published(kind);
  return "# " + std::string(list.title) + ": " + markdown_text(subject) +
         "\n\nItems are those of " + list.source +
         "; the words are not: submit the published form. Filled in by cubcal " + kVersion +
         " from records and logits, a research tool and not a medical device. Everything below "
         "\"To write\" waits for a person, who also answers for the rest.\n\n" +
         std::to_string(items_of(kind).size()) +
         " entries: " + std::to_string(states[State::kAnswered]) + " answered, " +
         std::to_string(states[State::kInPart]) + " in part, " +
         std::to_string(states[State::kToWrite]) + " to write.\n\n" + body;
}

}  // namespace cubcal::checklist
