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

  JobStory ask(const scenarios::PolicySpec& policy, bool counterfactuals) {
    experiments::RunOptions options;
    options.keep = {.attempts = true,
                    .ledger = true,
                    .utilization = false,
                    .events = true,
                    .alarm_changes = true};
    options.decisions = true;
    options.counterfactuals = counterfactuals;
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

/// Something said in words and, for whoever reads JSON, in numbers.
struct Finding {
  std::string text;
  nlohmann::ordered_json numbers;
};

nlohmann::ordered_json usd_json(Usd amount) {
  return static_cast<double>(amount.micros()) / 1e6;
}

nlohmann::ordered_json seconds_json(Duration length) {
  return static_cast<double>(length.count()) / 1e9;
}

/// "attempt 1 alone would have been billed until 72:00:00, $16,967.87 more"
std::optional<Finding> had_it_not(const Asker& asker, const JobStory& story) {
  if (!story.stop || !story.stop->if_not) return std::nullopt;
  const experiments::IfNot& other = *story.stop->if_not;
  Finding finding;
  finding.numbers = {{"rule", story.stop->rule},
                     {"attempt", story.stop->attempt},
                     {"until", report::instant(other.until)},
                     {"billed_longer_s", seconds_json(other.longer)},
                     {"cost_if_not_usd", nullptr}};
  if (other.more) {
    finding.numbers["cost_if_not_usd"] = usd_json(*other.more);
    finding.text = fmt::format("attempt {} alone would have been billed until {}, {} {}",
                               story.stop->attempt, asker.clock(other.until),
                               report::money(*other.more < Usd{} ? -*other.more : *other.more),
                               *other.more < Usd{} ? "less" : "more");
  } else {  // reserved machines are paid for anyway
    const bool less = other.longer < Duration{0};
    finding.text = fmt::format(
        "attempt {} alone would have held its reserved machines until {}, {} {}",
        story.stop->attempt, asker.clock(other.until),
        report::duration(less ? -other.longer : other.longer), less ? "less" : "longer");
  }
  return finding;
}

nlohmann::ordered_json with_text(const Finding& finding) {
  nlohmann::ordered_json json = finding.numbers;
  json["text"] = finding.text;
  return json;
}

/// By how much more `theirs` adds to the bill than `mine`; nothing where reserved machines are all
/// that either had.
std::optional<Usd> more_spent(const AttemptBill& mine, const AttemptBill& theirs) {
  const bool only_reserved = (mine.reserved && (theirs.reserved || !theirs.had_machines)) ||
                             (theirs.reserved && !mine.had_machines);
  if (only_reserved) return std::nullopt;
  return (theirs.reserved ? Usd{} : theirs.billed) - (mine.reserved ? Usd{} : mine.billed);
}

Finding near_miss(Asker& asker, const JobStory& story, const scenarios::PolicySpec& changed,
                  const std::string& what) {
  const JobStory other = asker.ask(changed, false);
  const AttemptBill* mine = attempt_of(story, story.stop->attempt);
  const AttemptBill* theirs = attempt_of(other, story.stop->attempt);
  const bool same_stop = other.stop && other.stop->attempt == story.stop->attempt;
  Finding finding;
  finding.numbers = {{"change", what}, {"stops", same_stop}};
  if (!same_stop || mine == nullptr || theirs == nullptr) {
    finding.text = what + " does not stop it";
    return finding;
  }
  const Duration later = other.stop->at - story.stop->at;
  finding.numbers["later_s"] = seconds_json(later);
  const std::optional<Usd> more = more_spent(*mine, *theirs);
  finding.numbers["more_usd"] = more ? usd_json(*more) : nlohmann::ordered_json(nullptr);
  if (later == Duration{0}) {
    finding.text = what + " stops it at the same time";
    return finding;
  }
  finding.text = fmt::format("{} stops it {} {}", what,
                             report::short_duration(later > Duration{0} ? later : -later),
                             later > Duration{0} ? "later" : "earlier");
  if (more) finding.text += fmt::format(" ({})", report::money_change(*more));
  return finding;
}

/// The alarm one datapoint slower, and at the strictest threshold.
std::vector<Finding> near_misses(Asker& asker, const JobStory& story, const JobQuestion& question) {
  std::vector<Finding> out;
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
    auto uses = ordered_json::object();
    const auto rounded = models::apportion(bill.uses);
    for (std::size_t use = 0; use < rounded.size(); ++use) {
      uses[std::string{models::name(static_cast<models::Use>(use))} + "_usd"] =
          usd_json(rounded[use]);
    }
    attempts.push_back({{"attempt", bill.number},
                        {"end", report::instant(bill.end)},
                        {"end_reason", report::word(bill.reason)},
                        {"billed_usd", usd_json(bill.billed)},
                        {"uses", std::move(uses)},
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
  const JobStory story = asker.ask(*question.policy, true);
  const std::string head = headline(asker, story, question);
  const auto otherwise = had_it_not(asker, story);
  const std::vector<Finding> misses = near_misses(asker, story, question);
  if (console.json) {
    nlohmann::ordered_json out{{"job", question.job},
                               {"policy", question.policy->name},
                               {"replication", question.replication},
                               {"headline", head}};
    out.update(story_json(asker, story));
    out["had_it_not"] = otherwise ? with_text(*otherwise) : nlohmann::ordered_json(nullptr);
    auto& nearest = out["nearest_misses"] = nlohmann::ordered_json::array();
    for (const Finding& miss : misses) nearest.push_back(with_text(miss));
    out["partial"] = asker.partial();
    console.print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  } else {
    std::string out = fmt::format(" {}\n{}", head, story_text(asker, story));
    if (otherwise) out += fmt::format(" had it not: {}\n", otherwise->text);
    for (const Finding& miss : misses) {
      out += fmt::format("{}{}", &miss == &misses.front() ? " nearest miss: " : "; ", miss.text);
    }
    if (!misses.empty()) out += '\n';
    console.print(out);
  }
  return asker.partial() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace reeve::app
