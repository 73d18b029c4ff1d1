// The option table of a rule, and the decoded values.  The scenario loader decodes and validates
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <reeve/policy/condition.hpp>
#include <reeve/policy/pattern.hpp>
#include <reeve/policy/policy.hpp>
#include <reeve/policy/scenario_facts.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reeve::policy {

enum class OptionType : std::uint8_t {
  flag,         ///< true | false                          -> bool
  integer,      ///< a whole number                        -> std::int64_t
  number,       ///< a decimal number                      -> double
  duration,     ///< text with a unit, "5m"                -> Duration
  choice,       ///< one of `choices`                      -> std::string
  text,         ///< any text                              -> std::string
  texts,        ///< a list of texts (of `choices` if any) -> std::vector<std::string>
  integers,     ///< a list of whole numbers               -> std::vector<std::int64_t>
  text_map,     ///< an object of lists of texts           -> std::vector<Tag>, one per key and text
  pattern_map,  ///< the same, of regular expressions -> std::vector<KeyPattern>
  condition,    ///< all, any, not, or one test         -> Condition
};

using OptionValue =
    std::variant<bool, std::int64_t, double, Duration, std::string, std::vector<std::string>,
                 std::vector<std::int64_t>, std::vector<Tag>, std::vector<KeyPattern>, Condition>;

/// Which values of an option make the rule act later, or on fewer jobs: `reeve explain` looks among
/// them for the nearest one that spares a stopped attempt.
enum class Vary : std::uint8_t {
  no,      ///< the option is no threshold
  up,      ///< greater values
  down,    ///< smaller values
  either,  ///< other options, or for a condition its comparisons, decide which
};

/// The rule has no option of that name.
class MissingOption : public std::logic_error {
 public:
  explicit MissingOption(std::string_view name)
      : std::logic_error{"option '" + std::string{name} + "' is not in the rule's table"} {}
};

/// Another option without which this one has no effect.
struct Companion {
  std::string_view option;  ///< of the same table; empty: the option needs none
  std::string_view help;    ///< a value of it with which this option has an effect
  /// Of a choice: the words with which this option has an effect.  Other types: empty; zero, below
  /// zero and an empty list turn this option off.
  std::vector<std::string_view> words = {};

  /// Whether `value` of the companion turns this option off.
  bool turns_off(const OptionValue& value) const {
    if (const auto* text = std::get_if<std::string>(&value)) {
      return std::find(words.begin(), words.end(), *text) == words.end();
    }
    if (const auto* count = std::get_if<std::int64_t>(&value)) return *count <= 0;
    if (const auto* length = std::get_if<Duration>(&value)) return *length <= Duration{0};
    if (const auto* number = std::get_if<double>(&value)) return *number <= 0;
    const auto* texts = std::get_if<std::vector<std::string>>(&value);
    return texts != nullptr && texts->empty();
  }
};

/// A choice that reproduces a defect of the code in an article.
struct ArticleDefect {
  std::string_view option;
  std::string_view word;     ///< the value of the option
  std::string_view code;     ///< of the warning
  std::string_view message;  ///< what is wrong
  std::string_view effect;
  std::string_view help;
  bool never_runs = false;             ///< with it the rule does nothing
  std::string_view only_if_some = {};  ///< a duration of the rule that must be above 0
};

/// One row of a rule's option table.  A dot in the name (`action.stop`) is a nested object.
struct OptionSpec {
  std::string_view name;
  OptionType type = OptionType::text;
  std::string_view unit;          ///< "%", "instances"; empty for durations and texts
  std::string_view default_json;  ///< as written in a scenario; empty: the option is required
  double min = -1e300;            ///< inclusive; durations in seconds; lists: of each element
  double max = 1e300;
  std::vector<std::string_view> choices;
  std::string_view help;
  Vary vary = Vary::no;  ///< of numbers, whole numbers and their lists, durations and conditions
  Companion companion = {};
};

/// A rule's options, complete and in range: each row of the table has a value of its type.
class Options {
 public:
  void set(std::string_view name, OptionValue value) {
    values_.push_back({std::string{name}, std::move(value)});
  }
  bool flag(std::string_view name) const { return get<bool>(name); }
  std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  double number(std::string_view name) const { return get<double>(name); }
  Duration duration(std::string_view name) const { return get<Duration>(name); }
  const std::string& text(std::string_view name) const { return get<std::string>(name); }
  const std::vector<std::string>& texts(std::string_view name) const {
    return get<std::vector<std::string>>(name);
  }
  const std::vector<std::int64_t>& integers(std::string_view name) const {
    return get<std::vector<std::int64_t>>(name);
  }
  const std::vector<Tag>& text_map(std::string_view name) const {
    return get<std::vector<Tag>>(name);
  }
  const std::vector<KeyPattern>& pattern_map(std::string_view name) const {
    return get<std::vector<KeyPattern>>(name);
  }
  const Condition& condition(std::string_view name) const { return get<Condition>(name); }
  /// Of any type.  Throws MissingOption if the table has no such option.
  const OptionValue& value(std::string_view name) const {
    for (const auto& [key, value] : values_) {
      if (key == name) return value;
    }
    throw MissingOption{name};
  }

 private:
  template <class T>
  const T& get(std::string_view name) const {
    return std::get<T>(value(name));
  }
  std::vector<std::pair<std::string, OptionValue>> values_;
};

/// A conflict between options that are each in range; an empty message means none.
struct OptionProblem {
  std::string_view option;
  std::string message;
  std::string help;
  std::string_view against = {};                      ///< the other option of the conflict, if any
  std::optional<std::size_t> element = std::nullopt;  ///< of a list: index of the wrong element
  std::string wrong = {};                             ///< a word that is not in `words`
  std::vector<std::string> words = {};  ///< the diagnostic suggests the nearest of these
};

/// A key of `alerts` in scenario files, and the option of the rule that it sets.
struct AlertKey {
  std::string_view name;
  std::string_view option = {};  ///< empty: none
};

/// A kind of rule: its name in scenario files, its option table and its factory.
struct PolicyKind {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view source;   ///< the article, paper or page that describes the rule
  std::vector<OptionSpec> options;
  bool schedules = false;      ///< jobs stay queued until this rule starts them
  bool places = false;         ///< submitted jobs wait until this rule places them
  bool moves = false;          ///< this rule assigns running jobs to pools at each tick
  bool reads_reports = false;  ///< receives the reports of training scripts (TrainingReported)
  bool minds_alarms = false;   ///< receives alarms of other rules, and results of calls about them
  bool relaunches = false;     ///< acts only on attempts that failed for lack of capacity
  bool finds_stalls = false;   ///< detects stalls: its verdicts include missed stalls
  bool owns_use = false;       ///< has an option named `use`, which elsewhere names a preset
  bool is_plugin = false;      ///< set by reeve
  bool never_stops = false;    ///< no job ends because of this rule
  bool keeps_hours = false;    ///< acts outside weekly hours: has days, from, to, utc_offset_h
  std::span<const ArticleDefect> defects = {};
  std::string_view alert = {};  ///< the `watch` of `alerts` that adds this rule; empty: none
  std::span<const AlertKey> alert_keys = {};  ///< besides `name` and `watch`
  OptionProblem (*check)(const Options&) = nullptr;
  /// An option that has no effect with these types and fleets: a warning, the run continues.
  OptionProblem (*doubt)(const Options&, const Directory&) = nullptr;
  /// Why the rule can never act in such a scenario: a warning; empty: it may.
  OptionProblem (*idle)(const Options&, const ScenarioFacts&) = nullptr;
  /// The fleets to which the rule can move or place jobs of this type that were submitted to
  /// another fleet; null: none.
  std::vector<PoolId> (*reaches)(const Options&, const Directory&, TypeId) = nullptr;
  /// Every verb that the rule may propose with these options; null: it may propose any.
  std::vector<VerbKind> (*verbs)(const Options&) = nullptr;
  std::unique_ptr<Policy> (*make)(const Options&) = nullptr;
};

}  // namespace reeve::policy
