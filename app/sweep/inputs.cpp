#include "app/sweep/inputs.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

#include "app/usage_error.hpp"
#include "report/hash_chain.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::app {
namespace {

/// Nothing: there is no such file.
std::optional<std::string> hash_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::nullopt;
  return report::sha256(file);
}

void add_texts(const scenarios::Node& node, std::vector<std::string>& texts) {
  if (node.is_text()) texts.emplace_back(node.as_text());
  if (node.is_array()) {
    for (const scenarios::Node& child : node.as_array()) add_texts(child, texts);
  }
  if (node.is_object()) {
    for (const scenarios::Node& child : node.as_object()) add_texts(child, texts);
  }
}

}  // namespace

std::map<std::string, std::string> inputs_of(const SweepPlan& plan,
                                             const std::vector<Factor>& factors) {
  const auto document =
      scenarios::Document::parse(scenarios::SourceFile::from_text(plan.file, plan.text));
  std::vector<std::string> texts;
  add_texts(document.root(), texts);
  for (const Factor& factor : factors) {
    for (const std::string& value : factor.values) {
      const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
      texts.push_back(is_quoted ? value.substr(1, value.size() - 2) : value);
    }
  }
  std::map<std::string, std::string> inputs;
  for (const std::string& text : texts) {
    if (text.empty() || text.find('\0') != std::string::npos || inputs.contains(text)) continue;
    if (auto hash = hash_of(std::filesystem::path{plan.folder} / text)) inputs[text] = *hash;
  }
  return inputs;
}

void check_inputs(const SweepPlan& plan) {
  for (const auto& [name, hash] : plan.inputs) {
    const auto now = hash_of(std::filesystem::path{plan.folder} / name);
    if (now == hash) continue;
    throw UsageError{
        name + (now ? " has changed since" : ", which the sweep reads, is missing since") +
            " the sweep was planned",
        "plan it again in a new directory"};
  }
}

}  // namespace reeve::app
