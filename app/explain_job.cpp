#include "app/explain_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/exit_code.hpp"
#include "app/interruption.hpp"
#include "app/job_story.hpp"
#include "app/what_if.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using experiments::RunResult;
using policy::Duration;
using policy::Usd;

std::optional<policy::JobId> find_job(const models::Jobs& jobs, const std::string& name) {
  for (std::uint32_t index = 0; index < jobs.specs.size(); ++index) {
    if (jobs.name({index}) == name) return policy::JobId{index};
  }
  return std::nullopt;
}

/// Runs policies of one scenario, for one job.
class Asker {
 public:
  Asker(const scenarios::Scenario& scenario, const JobQuestion& question)
      : scenario_{scenario}, question_{question} {}

  JobStory ask(const scenarios::PolicySpec& policy) {
    experiments::RunOptions options;
    options.keep = {.attempts = true,
                    .ledger = true,
                    .utilization = false,
                    .events = true,
                    .alarm_changes = true};
    options.decisions = true;
    options.interrupted = &interruption();
    const RunResult result = experiments::run(scenario_, policy, question_.replication, options);
    start_ = result.record.start;
    partial_ = partial_ || result.record.partial;
    return tell(scenario_, result, *find_job(result.record.jobs, question_.job));
  }
  std::string clock(policy::Instant at) const { return clock_text(at - start_); }
  bool partial() const { return partial_; }

 private:
  const scenarios::Scenario& scenario_;
  const JobQuestion& question_;
  policy::Instant start_;
  bool partial_ = false;
};

const AttemptBill* attempt_of(const JobStory& story, policy::AttemptNumber number) {
  const auto found = std::find_if(story.attempts.begin(), story.attempts.end(),
                                  [&](const AttemptBill& bill) { return bill.number == number; });
  return found == story.attempts.end() ? nullptr : &*found;
}

std::string headline(const Asker& asker, const JobStory& story, const JobQuestion& question) {
  if (story.stop) {
    return fmt::format("{} was stopped at {} by {}", question.job, asker.clock(story.stop->at),
                       story.stop->rule);
  }
  if (story.attempts.empty()) return question.job + " was never started";
  const AttemptBill& last = story.attempts.back();
  if (last.reason == models::EndReason::completed) {
    return fmt::format("{} was done at {}", question.job, asker.clock(last.end));
  }
  return fmt::format("{} did not finish: {} at {}", question.job, report::word(last.reason),
                     asker.clock(last.end));
}

/// "billed until 72:00:00, $16,967.87 more"
std::optional<std::string> had_it_not(Asker& asker, const JobStory& story,
                                      const JobQuestion& question) {
  if (!story.stop) return std::nullopt;
  const JobStory other = asker.ask(in_shadow(*question.policy, story.stop->rule));
  const AttemptBill* mine = attempt_of(story, story.stop->attempt);
  const AttemptBill* theirs = attempt_of(other, story.stop->attempt);
  if (mine == nullptr || theirs == nullptr) return std::nullopt;
  const Usd more = theirs->billed - mine->billed;
  return fmt::format("billed until {}, {} {}", asker.clock(theirs->end),
                     report::money(more < Usd{} ? -more : more), more < Usd{} ? "less" : "more");
}

std::string near_miss(Asker& asker, const JobStory& story, const scenarios::PolicySpec& changed,
                      const std::string& what) {
  const JobStory other = asker.ask(changed);
  const AttemptBill* mine = attempt_of(story, story.stop->attempt);
  const AttemptBill* theirs = attempt_of(other, story.stop->attempt);
  const bool same_stop = other.stop && other.stop->attempt == story.stop->attempt;
  if (!same_stop || mine == nullptr || theirs == nullptr) return what + " does not stop it";
  const Duration later = other.stop->at - story.stop->at;
  if (later == Duration{0}) return what + " stops it at the same time";
  return fmt::format("{} stops it {} {} ({})", what,
                     report::short_duration(later > Duration{0} ? later : -later),
                     later > Duration{0} ? "later" : "earlier",
                     report::money_change(theirs->billed - mine->billed));
}

/// The alarm one datapoint slower, and at the strictest threshold.
std::vector<std::string> near_misses(Asker& asker, const JobStory& story,
                                     const JobQuestion& question) {
  std::vector<std::string> out;
  if (!story.stop) return out;
  const scenarios::PolicySpec& policy = *question.policy;
  const std::string& label = story.stop->rule;
  for (const scenarios::SeatSpec& seat : policy.seats) {
    if (seat.label != label || seat.kind->name != "stalled_gpu") continue;
    const std::vector<std::int64_t> points = seat.options.integers("datapoints");
    if (points.size() == 2) {
      const auto slower = with_option(policy, label, "datapoints",
                                      std::vector<std::int64_t>{points[0] + 1, points[1] + 1});
      const std::string what = fmt::format("datapoints {} of {}", points[0] + 1, points[1] + 1);
      if (slower) out.push_back(near_miss(asker, story, *slower, what));
    }
    if (seat.options.number("threshold") == 0) continue;
    const auto strict = with_option(policy, label, "threshold", 0.0);
    if (strict) out.push_back(near_miss(asker, story, *strict, "threshold 0"));
  }
  return out;
}

std::string cost_line(const AttemptBill& bill) {
  const auto uses = models::apportion(bill.uses);
  report::CentRounding cents;
  std::string parts;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    const Usd shown = cents.next(uses[use]);
    if (shown == Usd{}) continue;
    std::string name{models::name(static_cast<models::Use>(use))};
    std::replace(name.begin(), name.end(), '_', ' ');
    parts += fmt::format("{}{} {}", parts.empty() ? "" : " + ", name, report::money(shown));
  }
  return fmt::format("attempt {}: billed {}{}", bill.number, report::money(bill.billed),
                     parts.empty() ? "" : " = " + parts);
}

nlohmann::ordered_json story_json(const Asker& asker, const JobStory& story) {
  using nlohmann::ordered_json;
  ordered_json out;
  auto& moments = out["moments"] = ordered_json::array();
  for (const Moment& moment : story.moments) {
    moments.push_back({{"at", report::instant(moment.at)},
                       {"clock", asker.clock(moment.at)},
                       {"text", moment.text},
                       {"details", moment.details}});
  }
  auto& attempts = out["attempts"] = ordered_json::array();
  for (const AttemptBill& bill : story.attempts) {
    attempts.push_back({{"attempt", bill.number},
                        {"end", report::instant(bill.end)},
                        {"end_reason", report::word(bill.reason)},
                        {"billed_usd", static_cast<double>(bill.billed.micros()) / 1e6},
                        {"text", cost_line(bill)}});
  }
  return out;
}

std::string story_text(const Asker& asker, const JobStory& story) {
  std::string out;
  for (const Moment& moment : story.moments) {
    const std::string at = asker.clock(moment.at);
    out += fmt::format("  {}  {}\n", at, moment.text);
    for (const std::string& detail : moment.details) {
      out += fmt::format("  {}    {}\n", std::string(at.size(), ' '), detail);
    }
  }
  for (const AttemptBill& bill : story.attempts) out += fmt::format(" {}\n", cost_line(bill));
  return out;
}

}  // namespace

bool has_job(const scenarios::Scenario& scenario, const std::string& job,
             std::uint32_t replication) {
  const auto& names = scenario.world.jobs.names;
  if (std::find(names.begin(), names.end(), job) != names.end()) return true;
  return scenario.world.drawn &&
         find_job(models::materialize(scenario.world, replication), job).has_value();
}

int explain_job(const scenarios::Scenario& scenario, const JobQuestion& question,
                const Console& console) {
  Asker asker{scenario, question};
  const JobStory story = asker.ask(*question.policy);
  const std::string head = headline(asker, story, question);
  const auto otherwise = had_it_not(asker, story, question);
  const std::vector<std::string> misses = near_misses(asker, story, question);
  if (console.json) {
    nlohmann::ordered_json out{{"job", question.job},
                               {"policy", question.policy->name},
                               {"replication", question.replication},
                               {"headline", head}};
    out.update(story_json(asker, story));
    if (otherwise) out["had_it_not"] = *otherwise;
    out["nearest_misses"] = misses;
    out["partial"] = asker.partial();
    console.print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  } else {
    std::string out = fmt::format(" {}\n{}", head, story_text(asker, story));
    if (otherwise) out += fmt::format(" had it not: {}\n", *otherwise);
    for (const std::string& miss : misses) {
      out += fmt::format("{}{}", &miss == &misses.front() ? " nearest miss: " : "; ", miss);
    }
    if (!misses.empty()) out += '\n';
    console.print(out);
  }
  return asker.partial() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace reeve::app
