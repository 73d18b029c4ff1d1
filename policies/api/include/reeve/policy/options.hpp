// How a rule declares its options and reads them: one table per rule, decoded and checked
// elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <reeve/policy/condition.hpp>
#include <reeve/policy/pattern.hpp>
#include <reeve/policy/policy.hpp>
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

/// One row of a rule's option table.  A dot in the name (`action.stop`) means a nested object.
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
};

/// A rule's options, complete and in range: every row of the table has a value of its type.
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
  /// Whatever its type is.
  const OptionValue& value(std::string_view name) const {
    for (const auto& [key, value] : values_) {
      if (key == name) return value;
    }
    throw std::logic_error("option '" + std::string{name} + "' is not in the rule's table");
  }

 private:
  template <class T>
  const T& get(std::string_view name) const {
    return std::get<T>(value(name));
  }
  std::vector<std::pair<std::string, OptionValue>> values_;
};

/// A problem between options that each are in range by themselves; empty message: none.
struct OptionProblem {
  std::string_view option;
  std::string message;
  std::string help;
  std::string_view against = {};                      ///< the option it contradicts, if another
  std::optional<std::size_t> element = std::nullopt;  ///< of a list: which one is wrong, from 0
  std::string wrong = {};                             ///< a word that is none of `words`
  std::vector<std::string> words = {};                ///< the nearest of these is told
};

/// A kind of rule: its name in scenario files, its option table and how to make one.
struct PolicyKind {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view source;   ///< the article, paper or page the rule is from
  std::vector<OptionSpec> options;
  bool schedules = false;      ///< jobs wait in the queue until this rule starts them
  bool places = false;         ///< submitted jobs wait until this rule has placed them
  bool moves = false;          ///< running jobs go where this rule says, from tick to tick
  bool reads_reports = false;  ///< is told what training scripts report (TrainingReported)
  bool minds_alarms = false;   ///< is told of the alarms of other rules, and of calls about them
  bool relaunches = false;     ///< acts on attempts alone that failed for lack of machines
  bool finds_stalls = false;   ///< is there to stop what stands still: judged by what it missed too
  bool owns_use = false;       ///< has an option called `use`, which elsewhere names a preset
  OptionProblem (*check)(const Options&) = nullptr;
  /// What cannot be meant where there are only these types and fleets: said, and run all the same.
  OptionProblem (*doubt)(const Options&, const Directory&) = nullptr;
  /// The fleets where the rule may have jobs of a type run that asked for others; null: it does
  /// not.
  std::vector<PoolId> (*reaches)(const Options&, const Directory&, TypeId) = nullptr;
  std::unique_ptr<Policy> (*make)(const Options&) = nullptr;
};

}  // namespace reeve::policy
