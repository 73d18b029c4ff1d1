// Values in descriptions of AWS Batch, and what is found about them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "scenarios/exchange/batch_reader.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios::batch_reading {
namespace {

/// "Ref" and "Fn::GetAtt" are values that CloudFormation works out.
bool is_worked_out(const Node& node) {
  if (!node.is_object() || node.size() != 1) return false;
  const std::string_view key = (*node.as_object().begin()).key();
  return key == "Ref" || key.starts_with("Fn::");
}

bool is_empty_text(const Node& node) {
  return node.is_null() || ((node.is_array() || node.is_object()) && node.size() == 0);
}

}  // namespace

Shape within_limits(double min, double max) {
  Shape shape;
  shape.kind = ShapeKind::integer;
  shape.min = min;
  shape.max = max;
  return shape;
}

Shape one_of(std::vector<std::string_view> choices) {
  Shape shape;
  shape.kind = ShapeKind::choice;
  shape.choices = std::move(choices);
  return shape;
}

// ---- what is found ---------------------------------------------------------------------------

void BatchReader::error(const Node& node, std::string_view code, std::string message,
                        std::string label, std::string help) {
  findings_.add(at(node, code, std::move(message), std::move(label)).with_help(std::move(help)));
}

void BatchReader::left_out(const Node& node, std::string message, std::string label,
                           std::string help) {
  findings_.add(at(node, "W0581", std::move(message), std::move(label), Severity::warning)
                    .with_help(std::move(help)));
}

void BatchReader::left_out_key(const Node& node, std::span<const std::string_view> known) {
  std::string help = did_you_mean(node.key(), known);
  if (help.starts_with("one of")) help.clear();
  findings_.add(at_key(node, "W0581", fmt::format("{} is omitted", in_quotes(node.key())),
                       "scenarios have no equivalent", Severity::warning)
                    .with_help(std::move(help)));
}

void BatchReader::check_keys(const Resource& from) {
  const Words& words = words_in(from.thing);
  for (const Node member : from.node.as_object()) {
    std::string key{member.key()};
    if (from.in_template && !key.empty()) {
      key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    }
    const auto has = [&](const auto& list) {
      return std::find(list.begin(), list.end(), key) != list.end();
    };
    if (!has(words.keys) && !has(words.facts) && !is_empty_text(member)) {
      left_out_key(member, words.keys);
    }
  }
}

void BatchReader::check_state(const Resource& from) {
  const auto state = value(from, from.node, "state");
  if (!state) return;
  const auto read = read_choice(*state, one_of({"ENABLED", "DISABLED"}), findings_);
  if (read.value_or(0) == 1) {
    left_out(*state, fmt::format("{} is DISABLED", words_in(from.thing).what),
             "treated as enabled");
  }
}

// ---- one value -------------------------------------------------------------------------------

std::optional<Node> BatchReader::value(const Resource& from, const Node& in, std::string_view key) {
  std::string spelt{key};
  if (from.in_template) {
    spelt[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(spelt[0])));
  }
  auto node = in.find(spelt);
  if (!node || node->is_null()) return std::nullopt;
  const bool reference =
      key == "schedulingPolicyArn" || key == "serviceEnvironment" || key == "jobQueue";
  if (reference || !from.in_template || !is_worked_out(*node)) return node;
  error(*node, "E0357", "a value that CloudFormation computes at deployment",
        "unknown before deployment",
        "write the value, or deploy it and import the output of aws batch describe-...");
  return std::nullopt;
}

std::optional<Node> BatchReader::needed(const Resource& from, const Node& in,
                                        std::string_view key) {
  const std::size_t before = findings_.count();
  const auto node = value(from, in, key);
  if (!node && findings_.count() == before) {
    std::string spelt{key};
    if (from.in_template) {
      spelt[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(spelt[0])));
    }
    error(in, "E0202", fmt::format("{} lacks the key \"{}\"", words_in(from.thing).what, spelt),
          "add it here");
  }
  return node;
}

/// Templates may have numbers in quotes.
std::optional<std::int64_t> BatchReader::integer(const Resource& from, const Node& node,
                                                 std::int64_t min, std::int64_t max) {
  if (from.in_template && node.is_text()) {
    const std::string_view text = node.as_text();
    std::int64_t number = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (bad == std::errc{} && end == text.data() + text.size() && number >= min && number <= max) {
      return number;
    }
  }
  return read_integer(node, within_limits(static_cast<double>(min), static_cast<double>(max)),
                      findings_);
}

std::int64_t BatchReader::integer_or(const Resource& from, const Node& in, std::string_view key,
                                     std::int64_t otherwise, std::int64_t min, std::int64_t max) {
  const auto node = value(from, in, key);
  return node ? integer(from, *node, min, max).value_or(otherwise) : otherwise;
}

/// A name, an ARN that ends with it, or in a template what stands for one of its resources.
std::optional<std::string> BatchReader::referred(const Resource& from, const Node& node,
                                                 Thing thing) {
  if (!from.in_template || !is_worked_out(node)) {
    return findings_.attempt([&] { return std::string{last_of_arn(node.as_text())}; });
  }
  const Node inner = *node.as_object().begin();
  const bool attribute = inner.key() == "Fn::GetAtt";
  std::string id;
  if (inner.is_text()) {
    id = inner.as_text();
    if (attribute) id = id.substr(0, id.find('.'));
  } else if (attribute && inner.is_array() && inner.size() > 0 && inner[0].is_text()) {
    id = inner[0].as_text();
  }
  if (id.empty() || (!attribute && inner.key() != "Ref")) {
    error(node, "E0357", "a value that CloudFormation computes at deployment",
          "unknown before deployment", "use { \"Ref\": \"...\" } of a resource in the template");
    return std::nullopt;
  }
  std::vector<std::string_view> ids;
  for (const Resource& each : resources_) {
    if (each.in_template != from.in_template || each.thing != thing) continue;
    if (each.logical_id == id) return each.name;
    ids.push_back(each.logical_id);
  }
  error(inner, "E0356",
        fmt::format("the template has no {} {}", words_in(thing).type, in_quotes(id)),
        "a parameter or a resource of another kind", did_you_mean(id, ids));
  return std::nullopt;
}

/// What is referred to, or E0356.
const Resource* BatchReader::described(const Resource& from, const Node& node, Thing thing) {
  const auto name = referred(from, node, thing);
  if (!name) return nullptr;
  used_.insert({thing, *name});
  std::vector<std::string_view> names;
  for (const Resource& each : resources_) {
    if (each.thing != thing) continue;
    if (each.name == *name) return &each;
    names.push_back(each.name);
  }
  std::string help = did_you_mean(*name, names);
  if (help.empty()) help = words_in(thing).asked_by;
  error(node, "E0356",
        fmt::format("no file describes {} {}", words_in(thing).what, in_quotes(*name)),
        fmt::format("{} refers to it", words_in(from.thing).what), std::move(help));
  return nullptr;
}

bool BatchReader::is_name(const Node& node, std::string_view name, bool identifier) {
  const bool good = !name.empty() &&
                    name.size() <= (identifier ? most_of_identifier : most_characters) &&
                    std::all_of(name.begin(), name.end(), [&](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                             (c >= 'A' && c <= 'Z') || (!identifier && (c == '-' || c == '_'));
                    });
  if (good) return true;
  if (identifier && name.size() > most_of_identifier) {
    error(node, "E0351", fmt::format("{} is too long for a share name", in_quotes(name)),
          fmt::format("{} characters: at most {}", name.size(), most_of_identifier));
    return false;
  }
  error(node, "E0351",
        fmt::format("AWS Batch rejects the name {}", in_quotes(identifier ? node.as_text() : name)),
        identifier ? "only letters and digits, with an optional * at the end"
                   : "at most 128 letters, digits, hyphens and underscores");
  return false;
}

}  // namespace reeve::scenarios::batch_reading
