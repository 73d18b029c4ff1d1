// Lints for handlers that do not run, or do something else than they are there for
// (docs/how-to/article-code.md numbers the defects).
#include "scenarios/lints/handlers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"

namespace reeve::scenarios {
namespace {

bool has_defect(const SeatSpec& seat, const policy::ArticleDefect& defect) {
  return says(seat, defect.option, defect.word);
}

/// The defects of articles that the rule itself knows.
void check_defects(const Resolved& /*resolved*/, const SeatSpec& seat, const OptionPlaces& places,
                   Findings& findings) {
  for (const policy::ArticleDefect& defect : seat.kind->defects) {
    if (!has_defect(seat, defect)) continue;
    if (does_nothing(seat) && !defect.never_runs) continue;
    if (!defect.only_if_some.empty() && seat.options.duration(defect.only_if_some) <= Duration{0}) {
      continue;
    }
    findings.warning(places.find(defect.option).value_or(places.seat), defect.code,
                     std::string{defect.message}, std::string{defect.effect},
                     std::string{defect.help});
  }
}

/// D10: a stated rule that means time with machines, and counts it from the submission.
void check_age(const Resolved& /*resolved*/, const SeatSpec& seat, const OptionPlaces& places,
               Findings& findings) {
  const policy::Condition* when = stated(seat);
  if (when == nullptr || !waits_for(*when, policy::ConditionField::age)) return;
  const bool clones = says(seat, known::does, "clone");
  const bool of_started =
      holds_of(*when, in_line) == false && holds_of(*when, awaits_machines) == false;
  if (!clones && !of_started) return;
  if (clones &&
      std::none_of(ends_that_ran.begin(), ends_that_ran.end(),
                   [&](const AttemptStatus& end) { return holds_of(*when, end) != false; })) {
    return;  // of one that waited until its time was over that is the time meant
  }
  Node place = places.find(known::when).value_or(places.seat);
  for (const Node& test : tests_in(place)) {
    if (test.find("field")->as_text() == "age") place = *test.find("field");
  }
  findings.warning(
      place, "W0444", "the time in the queue counts as run time",
      clones ? "a job that never trained is resumed" : "a long wait counts as a long run",
      "\"field\": \"training_time\"");
}

/// D15, where events come twice.
void check_copies(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                  Findings& findings) {
  if (!says(seat, known::handler, "not_idempotent")) return;
  if (resolved.world().platform.events.duplicates <= 0) return;
  findings.warning(
      places.find(known::handler).value_or(places.seat.find("use").value_or(places.seat)), "W0448",
      "the handler acts on each copy of an event",
      "it requests a second clone, which is rejected: the name is taken", "\"handler\": \"works\"");
}

}  // namespace

bool does_nothing(const SeatSpec& seat) {
  const auto& defects = seat.kind->defects;
  return std::any_of(defects.begin(), defects.end(), [&](const policy::ArticleDefect& defect) {
    return defect.never_runs && has_defect(seat, defect);
  });
}

std::span<const Lint> handler_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0433", "an alarm that CloudWatch refuses (defect D1)",
        "AlarmActions must be a list. With a text, PutMetricAlarm fails and creates no alarm.",
        "\"handler\": \"actions_not_a_list\"", "\"handler\": \"works\", once the call has a list"},
       check_defects},
      {{"W0434", "a handler that fails (defect D2)",
        "create_topic returns a dictionary: its ARN is ['TopicArn'], not .arn.",
        "\"handler\": \"topic_of_a_dict\"", "\"handler\": \"works\", once the key is read"},
       check_defects},
      {{"W0445", "a clone that SageMaker refuses (defect D11)",
        "Tags must be the list in the answer of list_tags, not the answer itself.",
        "\"handler\": \"tags_of_an_answer\"", "\"handler\": \"works\", once ['Tags'] is passed"},
       check_defects},
      {{"W0451", "a handler that cannot be deployed (defect D18)",
        "NAME = value: ends in a colon, which is not valid Python.",
        "\"handler\": \"syntax_error\"", "\"handler\": \"works\", once the colon is gone"},
       check_defects},
      {{"W0454", "a list that is never written (defect D21)",
        "The handler reads the list of preempted jobs under the prefix users/preempted-jobs/, with "
        "one hard-coded name. It restarts no job, or the wrong one.",
        "\"handler\": \"list_of_nothing\"",
        "\"handler\": \"works\", once the prefix is that of the list"},
       check_defects},
      {{"W0453", "success that is reported as failure (defect D20)",
        "status==0 compares a text with a number, and they are never equal. The table of "
        "experiments shows each completed job as FAILED.",
        "\"handler\": \"exit_code_as_text\"", "\"handler\": \"works\", once numbers are compared"},
       check_defects},
      {{"W0444", "run time that includes queueing (defect D10)",
        "CreationTime is the time of the request, not of the start, so hours in the queue count as "
        "training.",
        "\"since\": \"creation\"", "\"since\": \"training\""},
       check_defects},
      {also("W0444"), check_age, RunIf::handler_runs},
      {{"W0448", "a handler that acts on each copy of an event (defect D15)",
        "EventBridge delivers at least once, and the article's handler requests a clone for each "
        "copy. Both clones have the same name, so SageMaker refuses one (ResourceInUse). "
        "`duplicate_creates` counts these.",
        "\"handler\": \"not_idempotent\" where \"duplicate_events\" is above 0",
        "\"handler\": \"works\": fixed names of clones and client tokens"},
       check_copies,
       RunIf::handler_runs},
  });
  return rows;
}

}  // namespace reeve::scenarios
