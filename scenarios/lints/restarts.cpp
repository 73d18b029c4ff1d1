#include "scenarios/lints/restarts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"

namespace reeve::scenarios {

const std::int64_t* most_clones(const SeatSpec& seat) {
  return value_of<std::int64_t>(seat,
                                is_stated(*seat.kind) ? known::max_clones : known::max_resumes);
}

bool clones_after(const SeatSpec& seat, const AttemptStatus& end) {
  const policy::Condition* when = stated(seat);
  if (when == nullptr || !says(seat, known::does, "clone")) return false;
  const auto* most = value_of<std::int64_t>(seat, known::max_clones);
  return (most == nullptr || *most != 0) && holds_of(*when, end) != false;
}

Node place_of_least(const SeatSpec& seat, const OptionPlaces& places) {
  const Node rule = places.seat.find("rule").value_or(places.seat);
  if (stated(seat) == nullptr) return places.find(known::min_runtime).value_or(rule);
  const Node when = places.find(known::when).value_or(rule);
  for (const Node& test : tests_in(when)) {
    if (test.find("field")->as_text() == "training_time") return *test.find("field");
  }
  return when;
}

std::string asked_of(const SeatSpec& seat) {
  if (stated(seat) != nullptr) return "the condition requires more";
  return fmt::format("\"min_runtime\" is {}", show(seat.options.duration(known::min_runtime)));
}

std::string asks_less(const SeatSpec& seat) {
  return stated(seat) != nullptr ? "do not test \"training_time\" for these jobs"
                                 : "\"min_runtime\": \"0s\"";
}

bool resumes_failed(const SeatSpec& seat) {
  return seat.mode != host::Mode::off &&
         (lists(seat, known::when, "failed") || lists(seat, known::when, "failed:infrastructure") ||
          clones_after(seat, failed));
}

bool restarts_taken(const SeatSpec& seat, Duration waited, Duration trained) {
  const bool sends_on = has(seat, known::fleets) && has(seat, known::after);  // `alternatives`
  AttemptStatus end = taken;
  end.trained = trained;
  if (seat.kind->relaunches || sends_on || clones_after(seat, end)) return true;
  const auto* most = value_of<std::int64_t>(seat, known::max_resumes);
  if (most != nullptr && *most == 0) return false;
  if (!lists(seat, known::when, "failed") && !lists(seat, known::when, "failed:capacity"))
    return false;
  const auto* least = value_of<Duration>(seat, known::min_runtime);
  return least == nullptr || *least <= (says(seat, known::since, "creation") ? waited : trained);
}

bool restarts_after(const SeatSpec& seat, const AttemptStatus& end) {
  using policy::FailureClass;
  if (const auto* most = most_clones(seat); most != nullptr && *most == 0) return false;
  if (clones_after(seat, end)) return true;
  const auto* least = value_of<Duration>(seat, known::min_runtime);
  if (end.trained && least != nullptr && *end.trained < *least) return false;
  if (end.failure == FailureClass::none) {
    const bool is_limit = end.secondary == policy::Secondary::max_runtime_exceeded;
    return lists(seat, known::when, is_limit ? "max_runtime_exceeded" : "stopped");
  }
  const auto* surely = value_of<double>(seat, known::min_confidence);
  if (end.failure == FailureClass::unknown && surely != nullptr && *surely > 0) return false;
  const auto name = policy::failure_class_names[static_cast<std::size_t>(end.failure)];
  return lists(seat, known::when, "failed") ||
         lists(seat, known::when, fmt::format("failed:{}", name));
}

bool runs_defect(const SeatSpec& seat) {
  return !has(seat, known::handler) || says(seat, known::handler, "works") ||
         says(seat, known::handler, "not_idempotent");
}

bool resumes_stopped(const SeatSpec& seat, const SeatSpec& by, std::optional<Duration> trained) {
  const AttemptStatus stopped{.primary = policy::Primary::stopped,
                              .secondary = policy::Secondary::stopped,
                              .stopped_by = by.kind->name,
                              .stopped_by_name = by.label,
                              .trained = trained};
  if (const auto* most = most_clones(seat); most != nullptr && *most == 0) return false;
  if (clones_after(seat, stopped)) return true;
  const auto* least = value_of<Duration>(seat, known::min_runtime);
  if (trained && least != nullptr && *trained < *least) return false;
  return lists(seat, known::when, "stopped") ||
         lists(seat, known::when, fmt::format("stopped_by:{}", by.kind->name)) ||
         lists(seat, known::when, fmt::format("stopped_by:{}", by.label));
}

}  // namespace reeve::scenarios
