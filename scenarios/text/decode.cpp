#include "scenarios/text/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

/// A number as written; one of a thousand digits is cut.
std::string number_text(const Node& node) {
  constexpr std::size_t longest = 40;
  const std::string_view raw = node.raw();
  if (raw.size() <= longest) return std::string{raw};
  return std::string{raw.substr(0, longest)} + "...";
}

/// True if the value is within the shape's limits; else notes what the limits are.
bool in_range(const Node& node, double value, const Shape& shape, Findings& findings) {
  const bool too_small = shape.above_min ? value <= shape.min : value < shape.min;
  if (!too_small && value <= shape.max) return true;
  const std::string limit = show_limit(too_small ? shape.min : shape.max, shape);
  const std::string written = node.is_text() ? in_quotes(node.as_text()) : number_text(node);
  const std::string key = node.has_key() ? fmt::format("\"{}\": ", node.key()) : "";
  const std::string_view bound = !too_small        ? "must be at most"
                                 : shape.above_min ? "must be more than"
                                                   : "must be at least";
  findings.add(at(node, "E0205",
                  fmt::format("{}{} is too {}", key, written, too_small ? "small" : "large"),
                  fmt::format("{} {}", bound, limit)));
  return false;
}

std::string_view keys_word(std::size_t count) {
  return count == 1 ? "key" : "keys";
}

std::string list_in_quotes(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view entry : names) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", entry);
  }
  return text;
}

/// The same mistake in many places is told once, with the number of places.
std::vector<Diagnostic> fold_repeats(std::vector<Diagnostic> all) {
  constexpr std::size_t told_in_full = 3;
  using Said = std::tuple<std::string, std::string, std::string>;
  std::map<Said, std::vector<Position>> told;
  for (const Diagnostic& d : all) told[{d.file, d.code, d.message}].push_back(d.position);
  std::vector<Diagnostic> result;
  for (Diagnostic& d : all) {
    std::vector<Position>& places = told[{d.file, d.code, d.message}];
    if (places.empty()) continue;  // told already
    if (places.size() > told_in_full) {
      d.notes.push_back(fmt::format("the same in {} more places, the next on line {}",
                                    places.size() - 1, places[1].line));
      d.again.assign(places.begin() + 1, places.end());
      places.clear();
    }
    result.push_back(std::move(d));
  }
  return result;
}

/// Says in the last error that there are more.
void note_others(std::vector<Diagnostic>& all, std::size_t others, bool at_least) {
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const Diagnostic& found) {
    return found.severity == Severity::error;
  });
  if (last == all.rend()) return;
  last->notes.push_back(fmt::format("{}{} {} not shown: correct these first",
                                    at_least ? "at least " : "", counted(others, "more error"),
                                    others == 1 ? "is" : "are"));
}

/// 1 to 200 printable bytes without blanks and any of `refused`.
bool is_name(std::string_view text, std::string_view refused) {
  const bool plain = std::none_of(text.begin(), text.end(), [refused](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || refused.find(c) != refused.npos;
  });
  return plain && !text.empty() && text.size() <= 200 && shown(text) == text;
}

bool refuse_name(std::string_view text, std::string_view what, const Node& node, std::string label,
                 Findings& findings) {
  std::string message = fmt::format("{} is not {}", in_quotes(text), what);
  const bool value = node.is_text() && node.as_text() == text;
  findings.add(value ? at(node, "E0229", std::move(message), std::move(label))
                     : at_key(node, "E0229", std::move(message), std::move(label)));
  return false;
}

double in_seconds(Duration value) {
  return std::chrono::duration<double>(value).count();
}

}  // namespace

void Findings::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) {
    ++errors_;
    if (kept_errors_ >= limit) return;
    ++kept_errors_;
  } else if (found_.size() - kept_errors_ >= limit) {
    return;
  }
  found_.push_back(std::move(diagnostic));
}

void Findings::add(const InputError& error) {
  for (const Diagnostic& diagnostic : error.diagnostics()) add(diagnostic);
}

void Findings::error(const Node& node, std::string_view code, std::string message,
                     std::string label, std::string help) {
  add(at(node, code, std::move(message), std::move(label)).with_help(std::move(help)));
}

void Findings::warning(const Node& node, std::string_view code, std::string message,
                       std::string label, std::string help) {
  add(at(node, code, std::move(message), std::move(label), Severity::warning)
          .with_help(std::move(help)));
}

bool Findings::unknown_choice(std::string_view pointer) const {
  return std::any_of(found_.begin(), found_.end(), [&](const Diagnostic& one) {
    return one.code == "E0204" && one.pointer.starts_with(pointer);
  });
}

bool Findings::refused(const std::optional<Node>& node) const {
  if (!node || errors_ == 0) return false;
  const std::string pointer = node->pointer();
  return std::any_of(found_.begin(), found_.end(), [&](const Diagnostic& one) {
    return one.severity == Severity::error && one.pointer == pointer;
  });
}

bool Findings::errors_only_in(std::span<const std::string_view> keys) const {
  if (errors_ > kept_errors_) return false;
  return std::all_of(found_.begin(), found_.end(), [&](const Diagnostic& one) {
    return one.severity != Severity::error ||
           std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
             return one.pointer == key || one.pointer.starts_with(fmt::format("{}/", key));
           });
  });
}

void Findings::move_to(const Node& node, std::string_view file, std::size_t first) {
  for (std::size_t i = first; i < found_.size(); ++i) {
    Diagnostic& found = found_[i];
    if (found.file != file) continue;
    std::string there = fmt::format("on line {} of {}", found.position.line, file);
    if (found.excerpt) {
      const std::string& bytes = found.excerpt->bytes;
      const std::size_t begin = std::min(bytes.find_first_not_of(" \t"), bytes.size());
      const std::size_t comment = bytes.find("//", begin);
      std::string line = bytes.substr(begin, comment - begin);
      line.erase(line.find_last_not_of(" \t") + 1);
      there += ": " + line;
    }
    Diagnostic moved = at_key(node, found.code, found.message, found.label, found.severity);
    moved.help = found.help;
    moved.notes = found.notes;
    moved.notes.insert(moved.notes.begin(), std::move(there));
    found = std::move(moved);
  }
}

std::vector<Diagnostic> Findings::sorted() const {
  const auto place = [](const Diagnostic& d) {
    return std::tie(d.file, d.position.line, d.position.column, d.code, d.message);
  };
  std::vector<Diagnostic> all = found_;
  std::stable_sort(all.begin(), all.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  const auto same = [&](const Diagnostic& a, const Diagnostic& b) { return place(a) == place(b); };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  all = fold_repeats(std::move(all));
  if (errors_ > kept_errors_) note_others(all, errors_ - kept_errors_, full());
  return all;
}

std::string show_limit(double limit, const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::duration:
      if (limit > 0 && std::fmod(limit, 86400) == 0) return fmt::format("{}d", limit / 86400);
      if (limit > 0 && std::fmod(limit, 3600) == 0) return fmt::format("{}h", limit / 3600);
      return fmt::format("{}s", limit);
    case ShapeKind::usd:
      return fmt::format("${}", limit);
    case ShapeKind::usd_per_hour:
      return fmt::format("${} per hour", limit);
    default: {
      const bool whole = std::floor(limit) == limit && std::fabs(limit) < 1e15;
      std::string text =
          whole ? fmt::format("{}", static_cast<std::int64_t>(limit)) : fmt::format("{}", limit);
      if (shape.unit.empty()) return text;
      const bool one = limit == 1 && shape.unit.ends_with('s');
      return fmt::format("{} {}", text, shape.unit.substr(0, shape.unit.size() - (one ? 1 : 0)));
    }
  }
}

bool expect_kind(const Node& node, Kind kind, Findings& findings) {
  return findings
      .attempt([&] {
        if (kind == Kind::array) return node.as_array(), true;
        if (kind == Kind::object) return node.as_object(), true;
        return node.as_text(), true;
      })
      .has_value();
}

bool expect_items(const Node& node, std::size_t min_items, Findings& findings) {
  if (!expect_kind(node, Kind::array, findings)) return false;
  if (node.size() >= min_items) return true;
  findings.add(at(node, "E0205", fmt::format("\"{}\" is empty", node.key()),
                  fmt::format("needs at least {}", min_items)));
  return false;
}

bool expect_pair(const Node& node, std::string_view what, Findings& findings) {
  if (!expect_kind(node, Kind::array, findings)) return false;
  if (node.size() == 2) return true;
  findings.add(at(node, "E0227", std::string{what}, fmt::format("has {} values", node.size())));
  return false;
}

void doubt_shares(const Node& node, const std::vector<double>& weights, Findings& findings) {
  double sum = 0;
  bool fractions = false;
  for (const double weight : weights) {
    if (weight > 1) return;
    fractions = fractions || weight != std::floor(weight);
    sum += weight;
  }
  constexpr double rounding = 0.015;  // "0.33" three times
  if (!fractions || std::fabs(sum - 1) <= rounding) return;
  findings.warning(node, "W0594",
                   fmt::format("the weights of \"{}\" sum to {:.6g}, not to 1", node.key(), sum),
                   fmt::format("each is divided by {:.6g}", sum),
                   "write shares that sum to 1, or whole numbers");
}

std::optional<bool> read_flag(const Node& node, Findings& findings) {
  return findings.attempt([&] { return node.as_boolean(); });
}

std::optional<std::int64_t> read_integer(const Node& node, const Shape& shape, Findings& findings) {
  const auto value = findings.attempt([&] { return node.as_integer(); });
  if (value && !in_range(node, static_cast<double>(*value), shape, findings)) return std::nullopt;
  return value;
}

std::optional<double> read_number(const Node& node, const Shape& shape, Findings& findings) {
  const auto value = findings.attempt([&] { return node.as_number(); });
  if (value && !in_range(node, *value, shape, findings)) return std::nullopt;
  return value;
}

std::optional<Duration> read_duration(const Node& node, const Shape& shape, Findings& findings) {
  const auto value = findings.attempt([&] { return as_duration(node); });
  if (value && !in_range(node, in_seconds(*value), shape, findings)) return std::nullopt;
  return value;
}

std::optional<Usd> read_usd(const Node& node, const Shape& shape, Findings& findings) {
  const auto value = findings.attempt([&] { return as_usd(node); });
  const auto dollars = [](Usd money) { return static_cast<double>(money.micros()) / 1e6; };
  if (value && !in_range(node, dollars(*value), shape, findings)) return std::nullopt;
  return value;
}

std::optional<UsdPerHour> read_usd_per_hour(const Node& node, const Shape& shape,
                                            Findings& findings) {
  const auto value = findings.attempt([&] { return as_usd_per_hour(node); });
  const auto dollars = [](UsdPerHour price) { return static_cast<double>(price.nanos) / 1e9; };
  if (value && !in_range(node, dollars(*value), shape, findings)) return std::nullopt;
  return value;
}

std::optional<std::string> read_text(const Node& node, const Shape& shape, Findings& findings) {
  if (!shape.choices.empty()) {
    const auto index = read_choice(node, shape, findings);
    if (!index) return std::nullopt;
    return std::string{shape.choices[*index]};
  }
  return findings.attempt([&] { return std::string{node.as_text()}; });
}

std::optional<std::size_t> read_choice(const Node& node, const Shape& shape, Findings& findings) {
  const auto text = findings.attempt([&] { return node.as_text(); });
  if (!text) return std::nullopt;
  const auto found = std::find(shape.choices.begin(), shape.choices.end(), *text);
  if (found != shape.choices.end()) {
    return static_cast<std::size_t>(found - shape.choices.begin());
  }
  const std::string key = node.has_key() ? fmt::format("\"{}\": ", node.key()) : "";
  std::string help = did_you_mean(*text, shape.choices);
  if (help.empty()) help = "one of " + list_in_quotes(shape.choices);
  findings.add(at(node, "E0204", fmt::format("{}unknown value {}", key, in_quotes(*text)),
                  "not one of the choices")
                   .with_help(help));
  return std::nullopt;
}

std::vector<std::string> misspelled_keys(std::span<const Node> members, const ObjectShape& shape) {
  std::vector<std::string_view> names;
  for (const FieldShape& row : shape.fields) names.push_back(row.name);
  const auto is_there = [&members](std::string_view key) {
    return std::any_of(members.begin(), members.end(),
                       [key](const Node& member) { return member.key() == key; });
  };
  std::vector<std::string> meant;
  for (const Node& member : members) {
    if (std::find(names.begin(), names.end(), member.key()) != names.end()) continue;
    const auto near = nearest_of(member.key(), names);
    if (near && !is_there(*near)) meant.push_back(*near);
  }
  return meant;
}

std::vector<std::string> misspelled_keys(const Node& object, const ObjectShape& shape) {
  std::vector<Node> members;
  for (const Node member : object.as_object()) members.push_back(member);
  return misspelled_keys(members, shape);
}

void report_unknown_key(const Node& member, const ObjectShape& shape, Findings& findings) {
  std::vector<std::string_view> names;
  for (const FieldShape& row : shape.fields) names.push_back(row.name);
  std::string help = did_you_mean(member.key(), names);
  if (help.empty()) help = fmt::format("the keys of {} are {}", shape.name, fmt::join(names, ", "));
  findings.add(at_key(member, "E0201",
                      fmt::format("unknown key {} in {}", in_quotes(member.key()), shape.name),
                      "not a key of this object")
                   .with_help(help));
}

void report_missing_keys(const Node& object, const std::optional<Node>& under,
                         const ObjectShape& shape, Findings& findings) {
  const std::vector<std::string> meant = misspelled_keys(object, shape);
  const auto stands = [&](std::string_view key) {
    return object.find(key) || (under && under->find(key)) ||
           std::find(meant.begin(), meant.end(), key) != meant.end();
  };
  std::vector<std::string_view> missing;
  for (const FieldShape& row : shape.fields) {
    if (row.required && !stands(row.name)) missing.push_back(row.name);
  }
  if (!missing.empty()) {
    findings.add(at(object, "E0202",
                    fmt::format("{} lacks the {} {}", shape.name, keys_word(missing.size()),
                                list_in_quotes(missing)),
                    "add it here"));
  }
  if (shape.exactly_one.empty()) return;
  std::vector<std::string_view> standing;
  for (const std::string_view key : shape.exactly_one) {
    if (stands(key)) standing.push_back(key);
  }
  if (standing.size() == 1) return;
  findings.add(at(object, "E0206",
                  standing.empty() ? fmt::format("{} needs one of the keys {}", shape.name,
                                                 list_in_quotes(shape.exactly_one))
                                   : fmt::format("{} may have only one of the keys {}", shape.name,
                                                 list_in_quotes(standing)),
                  standing.empty() ? "none is present" : "choose one"));
}

bool is_name(std::string_view text) {
  return is_name(text, "=!<>\"");
}

bool check_name(std::string_view text, std::string_view what, const Node& node,
                Findings& findings) {
  if (is_name(text)) return true;
  return refuse_name(text, what, node, "1 to 200 characters, no whitespace and none of = ! < > \"",
                     findings);
}

bool check_file_name(std::string_view text, std::string_view what, const Node& node,
                     Findings& findings) {
  if (is_name(text, "=!<>\",/\\") && text != "." && text != ".." && text[0] != '-') return true;
  return refuse_name(
      text, what, node,
      "1 to 200 characters, no whitespace, none of = ! < > \" , / \\ and no leading -", findings);
}

}  // namespace reeve::scenarios
