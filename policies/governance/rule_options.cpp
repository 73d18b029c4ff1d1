#include "rule_options.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "alarm_options.hpp"
#include "clone_terms.hpp"
#include "truth.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::int64_t kUsualClones = 2;

bool has_text(const Condition& test, std::string_view text) {
  if (test.comparison == Comparison::matches) return test.pattern->matches(text);
  const bool named = std::find(test.texts.begin(), test.texts.end(), text) != test.texts.end();
  return named != (test.comparison == Comparison::differs);
}

/// Whether such a field has no value in that status: it says what ended an attempt.
bool must_lack(ConditionField field, Primary primary) {
  if (field == ConditionField::failure) return primary != Primary::failed;
  const bool says_who =
      field == ConditionField::stopped_by || field == ConditionField::stopped_by_name;
  return says_who && !is_terminal(primary);
}

/// What a test says of all attempts in this status; nothing if it says no such thing.
std::optional<bool> says(const Condition& test, Primary primary, Secondary secondary) {
  if (must_lack(test.field, primary)) return test.comparison == Comparison::differs;
  constexpr std::int64_t sure = 100;  // of what has not failed
  if (test.field == ConditionField::confidence_pct && primary != Primary::failed) {
    return number_holds(test, sure);
  }
  const bool starts = secondary == Secondary::starting || secondary == Secondary::downloading;
  if (test.field == ConditionField::startup_time && !starts) return length_holds(test, Duration{0});
  if (test.field == ConditionField::primary_status) {
    return has_text(test, primary_names[static_cast<std::size_t>(primary)]);
  }
  if (test.field != ConditionField::status) return std::nullopt;
  for (const auto& [name, known] : secondary_names) {
    if (known == secondary) return has_text(test, name);
  }
  return test.comparison == Comparison::differs;  // one that is not produced any more
}

/// Whether it can hold in this status, whatever else there is to say of the job.
Truth outlook(const Condition& condition, Primary primary, Secondary secondary) {
  if (condition.kind == Condition::Kind::test) {
    const auto holds = says(condition, primary, secondary);
    if (!holds) return Truth::unknown;
    return *holds ? Truth::yes : Truth::no;
  }
  const bool any = condition.kind == Condition::Kind::any;
  Truth whole = any ? Truth::no : Truth::yes;
  for (const Condition& part : condition.parts) {
    const Truth one = outlook(part, primary, secondary);
    whole = any ? std::max(whole, one) : std::min(whole, one);
  }
  if (condition.kind != Condition::Kind::none || whole == Truth::unknown) return whole;
  return whole == Truth::yes ? Truth::no : Truth::yes;
}

/// Whether it can ever hold of an attempt that the action may be done to.
bool can_act(const Condition& when, Deed deed) {
  if (deed == Deed::notify) return true;
  const bool of_ends = deed == Deed::clone;
  for (std::size_t i = 0; i < primary_names.size(); ++i) {
    const auto primary = static_cast<Primary>(i);
    if (primary == Primary::stopping || is_terminal(primary) != of_ends) continue;
    for (const auto& [name, secondary] : secondary_names) {
      if ((secondary >= Secondary::completed) != of_ends) continue;
      if (outlook(when, primary, secondary) != Truth::no) return true;
    }
  }
  return false;
}

/// An option that the action has no use for.
OptionProblem useless(std::string_view option, std::string_view action) {
  return {.option = option,
          .message = "only \"do\": \"" + std::string{action} + "\" uses it",
          .help = "leave it out",
          .against = "do"};
}

}  // namespace

Deed deed_named(std::string_view name) {
  if (name == "notify") return Deed::notify;
  if (name == "clone") return Deed::clone;
  if (name == "save") return Deed::save;
  return name == "limit_runtime" ? Deed::limit_runtime : Deed::stop;
}

OptionProblem check_rule(const Options& options) {
  const Deed deed = deed_named(options.text("do"));
  if (options.text("reason").empty()) {
    return {.option = "reason",
            .message = "is empty",
            .help = "write a reason, or leave the option out"};
  }
  if (deed != Deed::stop && options.text("accuses") != kByAlarm) return useless("accuses", "stop");
  const bool limited = options.duration("limit") > Duration{0};
  if (deed == Deed::limit_runtime && !limited) {
    return {.option = "limit",
            .message = "must state the maximum training time",
            .help = R"(as in "limit": "24h")",
            .against = "do"};
  }
  if (deed != Deed::limit_runtime && limited) return useless("limit", "limit_runtime");
  const OptionProblem of_alarm = check_alarm(options, AlarmOptions::nested);
  if (!of_alarm.message.empty()) return of_alarm;
  const OptionProblem of_clones = check_clone_terms(options);
  if (deed == Deed::clone || !of_clones.message.empty()) return of_clones;
  const std::string_view of_clone = stated_clone_option(options);
  if (!of_clone.empty()) return useless(of_clone, "clone");
  if (options.integer("max_clones") != kUsualClones) return useless("max_clones", "clone");
  return {};
}

OptionProblem doubt_rule(const Options& options, const Directory& directory) {
  const Deed deed = deed_named(options.text("do"));
  if (deed == Deed::clone && options.integer("max_clones") == 0) {
    return {.option = "max_clones",
            .message = "is 0: the rule never acts",
            .help = "use -1 for no limit"};
  }
  if (can_act(options.condition("when"), deed)) return doubt_clone_terms(options, directory);
  const bool clones = deed == Deed::clone;
  return {.option = "when",
          .message = std::string{"cannot hold for an attempt that is "} +
                     (clones ? "over" : "queued or in progress") + ": the rule never acts",
          .help = clones ? "write a condition for ended attempts: only these are cloned"
                         : "use \"notify\" or \"clone\" for ended attempts",
          .against = "do"};
}

std::vector<OptionSpec> rule_options() {
  std::vector<OptionSpec> all{
      {.name = "when",
       .type = OptionType::condition,
       .unit = "",
       .default_json = "",
       .choices = {},
       .help = "condition on the newest attempt of a job",
       .vary = Vary::either},
      {.name = "do",
       .type = OptionType::choice,
       .unit = "",
       .default_json = "",
       .choices = {"stop", "notify", "clone", "limit_runtime", "save"},
       .help = "action, taken once per attempt"},
      {.name = "after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "how long the condition must hold; clone: time since the end",
       .vary = Vary::up},
      {.name = "latency",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "time from then to the action, which happens even if the condition stops holding"},
      {.name = "reason",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("the condition of the rule holds")",
       .choices = {},
       .help = "reason shown in decisions.csv and in `reeve explain`"},
      {.name = "accuses",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("by_alarm")",
       .choices = {kByAlarm, "rule_broken", "standing_still", "learning_nothing", "using_little",
                   "never_starting"},
       .help = "stop: cause that decides whether the stop is a true positive; by_alarm: "
               "standing_still if the condition tests `alarm`, else rule_broken"},
      {.name = "limit",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "limit_runtime: maximum training time of the attempt",
       .vary = Vary::up},
  };
  all.push_back({.name = "max_clones",
                 .type = OptionType::integer,
                 .unit = "clones",
                 .default_json = "2",
                 .min = -1,
                 .max = 65534,
                 .choices = {},
                 .help = "maximum clones per job by this rule; -1: no limit"});
  for (OptionSpec& row : clone_options()) all.push_back(std::move(row));
  for (const OptionSpec& row : alarm_options(AlarmOptions::nested)) all.push_back(row);
  return all;
}

std::vector<VerbKind> rule_verbs(const Options& options) {
  std::vector<VerbKind> all;
  if (asks_for(options.condition("when"), ConditionField::alarm)) {
    all = {VerbKind::put_alarm, VerbKind::delete_alarm};
  }
  switch (deed_named(options.text("do"))) {
    case Deed::stop:
      all.push_back(VerbKind::stop_job);
      break;
    case Deed::notify:
      all.push_back(VerbKind::notify);
      break;
    case Deed::clone:
      all.push_back(VerbKind::clone_job);
      break;
    case Deed::limit_runtime:
      all.push_back(VerbKind::limit_runtime);
      break;
    case Deed::save:
      all.push_back(VerbKind::save_checkpoint);
      break;
  }
  return all;
}

}  // namespace reeve::policies
