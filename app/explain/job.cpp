#include "app/explain/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "app/exit_code.hpp"
#include "app/explain/story_text.hpp"
#include "app/study/interruption.hpp"
#include "app/text/clock_text.hpp"
#include "app/text/quantity_text.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using experiments::AttemptBill;
using experiments::JobExplanation;
using experiments::JobQuestion;
using experiments::NearestChange;
using experiments::NearestChanges;
using experiments::OtherRun;
using policy::Duration;
using policy::Usd;

/// Something said in words and, for JSON, in numbers.
struct Finding {
  std::string text;
  nlohmann::ordered_json numbers;
};

/// Instants of a run as "01:16:02" since its start.
class Clock {
 public:
  explicit Clock(const JobExplanation& all) : start_{all.result.record.start} {}
  std::string operator()(policy::Instant at) const { return clock_text(at - start_); }

 private:
  policy::Instant start_;
};

std::string headline(const JobExplanation& all, const JobQuestion& question) {
  const Clock clock{all};
  const experiments::JobOutcome& job = all.outcome;
  if (!job.stops.empty()) {
    const experiments::RuleStop& first = job.stops.front();
    const experiments::RuleStop& last = job.stops.back();
    std::string text =
        fmt::format("{} was stopped at {} by {}", question.job, clock(first.at), first.rule);
    if (last.attempt == first.attempt) return text;
    const bool for_good = last.attempt == job.attempts.back().number;
    return text + fmt::format(", {} at {} by {}", for_good ? "for good" : "last", clock(last.at),
                              last.rule);
  }
  if (job.attempts.empty()) return question.job + " was never started";
  const AttemptBill& last = job.attempts.back();
  if (last.reason == models::EndReason::completed) {
    return fmt::format("{} was done at {}", question.job, clock(last.end));
  }
  // What would have tried it again may not: an end that nothing else in the story accounts for.
  constexpr auto most = std::numeric_limits<policy::AttemptNumber>::max();
  const char* const spent = last.number == most ? "; a job has no more than 65,535 attempts" : "";
  return fmt::format("{} did not finish: {} at {}{}", question.job, report::word(last.reason),
                     clock(last.end), spent);
}

nlohmann::ordered_json usd_json(Usd amount) {
  return static_cast<double>(amount.micros()) / 1e6;
}

nlohmann::ordered_json seconds_json(Duration length) {
  return static_cast<double>(length.count()) / 1e9;
}

/// "$1.00 more in all", and how much of it is this job's if that is not all.
std::string more_text(const experiments::Otherwise& other) {
  const auto change = [](Usd more) {
    return fmt::format("{} {}", report::money(more < Usd{} ? -more : more),
                       more < Usd{} ? "less" : "more");
  };
  std::string all =
      other.all_more == Usd{} ? "the same bill in all" : change(other.all_more) + " in all";
  if (other.job_more == other.all_more || change(other.job_more) + " in all" == all) return all;
  return fmt::format("{}, {} for this job", all, change(other.job_more));
}

std::string done_text(const Clock& clock, const experiments::Otherwise& other) {
  return other.done_at ? "the job would be done at " + clock(*other.done_at)
                       : "the job would not be done";
}

/// What a run without that one decision comes to.
Finding without(const Clock& clock, const OtherRun& run) {
  const experiments::DecisionRow& row = run.decision;
  const experiments::Otherwise& other = run.outcome;
  Finding finding;
  finding.numbers = {{"rule", row.rule},
                     {"action", host::name_of(host::kind_of(row.verb))},
                     {"attempt", row.attempt},
                     {"at", report::instant(row.at)},
                     {"until", nullptr},
                     {"done_at", nullptr},
                     {"job_cost_if_not_usd", usd_json(other.job_more)},
                     {"run_cost_if_not_usd", usd_json(other.all_more)}};
  if (other.attempt_end) finding.numbers["until"] = report::instant(*other.attempt_end);
  if (other.done_at) finding.numbers["done_at"] = report::instant(*other.done_at);
  if (other.attempt_end && host::kind_of(row.verb) != policy::VerbKind::clone_job) {
    finding.text = fmt::format("attempt {} would have lasted until {}, ", row.attempt,
                               clock(*other.attempt_end));
  }
  finding.text += fmt::format("{}; {}", done_text(clock, other), more_text(other));
  return finding;
}

/// What a run with something else in place of that decision comes to.
Finding instead(const Clock& clock, const OtherRun& run) {
  const experiments::DecisionRow& row = run.decision;
  const experiments::Otherwise& other = run.outcome;
  Finding finding;
  finding.numbers = {{"rule", row.rule},       {"action", host::name_of(host::kind_of(row.verb))},
                     {"attempt", row.attempt}, {"at", report::instant(row.at)},
                     {"instead", run.instead}, {"failed", nullptr}};
  if (!other.failed.empty()) {
    finding.numbers["failed"] = other.failed;
    finding.text = "could not be done (" + other.failed + ")";
    return finding;
  }
  finding.numbers["done_at"] = nullptr;
  if (other.done_at) finding.numbers["done_at"] = report::instant(*other.done_at);
  finding.numbers["job_cost_more_usd"] = usd_json(other.job_more);
  finding.numbers["cost_more_usd"] = usd_json(other.all_more);
  finding.text = done_text(clock, other) + "; " + more_text(other);
  return finding;
}

nlohmann::ordered_json with_text(const Finding& finding) {
  nlohmann::ordered_json json = finding.numbers;
  json["text"] = finding.text;
  return json;
}

/// "(+$4.00)", or whose they are where the whole run has others.
std::string dollars_text(Usd more, std::string_view whose, Usd in_all) {
  if (more == in_all) return fmt::format("({})", report::money_change(more));
  return fmt::format("({} for {}, {} in all)", report::money_change(more), whose,
                     report::money_change(in_all));
}

/// "5 min later"; what is of minutes to the second.
std::string apart_text(Duration later) {
  using namespace std::chrono;
  Duration apart = later < Duration{0} ? -later : later;
  if (apart >= minutes{1}) apart = round<seconds>(apart);
  return fmt::format("{} {}", report::short_duration(apart),
                     later < Duration{0} ? "earlier" : "later");
}

/// "10 min", "4 of 4", "0.666".
std::string value_text(const experiments::Setting& setting) {
  return std::visit(
      [](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Duration>) {
          return value == Duration{0} ? "0s" : report::short_duration(value);
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
          return fmt::format("{}", fmt::join(value, " of "));
        } else {
          return fmt::format("{}", value);
        }
      },
      setting.set_to);
}

/// What becomes of a stop by `rule` if one of its options has another value.
Finding nearest(const NearestChange& change, const std::string& rule) {
  const std::string what = fmt::format("{} {}", change.setting.subject, value_text(change.setting));
  const bool is_own = change.stop && change.stop->rule == rule;
  Finding finding;
  finding.numbers = {{"change", what}, {"stops", is_own}};
  if (!change.stop) {
    finding.text = what + " does not stop it";
    if (change.is_cut_off) finding.text += " before the run ends";
    return finding;
  }
  finding.numbers["later_s"] = seconds_json(*change.later);
  finding.numbers["attempt_more_usd"] = nullptr;
  if (change.attempt_more) finding.numbers["attempt_more_usd"] = usd_json(*change.attempt_more);
  finding.numbers["run_more_usd"] = usd_json(change.run_more);
  if (!is_own) finding.numbers["stopped_by"] = change.stop->rule;
  finding.text = is_own
                     ? what + " stops it "
                     : fmt::format("{} leaves it to {}, which stops it ", what, change.stop->rule);
  if (*change.later == Duration{0}) {
    finding.text += "at the same time";
    return finding;
  }
  finding.text += apart_text(*change.later);
  if (change.attempt_more) {
    finding.text += ' ' + dollars_text(*change.attempt_more, "the attempt", change.run_more);
  }
  return finding;
}

/// "lost work": the use as `demo` and `compare` print it.
std::string use_text(const models::World& world, models::Use use) {
  if (use == models::Use::drain) return std::string{drain_text(world)};
  std::string name{models::name(use)};
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string cost_line(const models::World& world, const AttemptBill& bill) {
  const auto uses = models::apportion(bill.uses);
  report::CentRounding cents;
  std::string parts;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    const Usd shown = cents.next(uses[use]);
    if (shown == Usd{}) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : " + ",
                         use_text(world, static_cast<models::Use>(use)), report::money(shown));
  }
  return fmt::format("attempt {}: billed {}{}", bill.number, report::money(bill.billed),
                     parts.empty() ? "" : " = " + parts);
}

nlohmann::ordered_json story_json(const models::World& world, const JobExplanation& all,
                                  const std::vector<StoryLine>& story) {
  const Clock clock{all};
  using nlohmann::ordered_json;
  ordered_json out;
  auto& moments = out["moments"] = ordered_json::array();
  for (const StoryLine& moment : story) {
    moments.push_back({{"at", report::instant(moment.at)},
                       {"clock", clock(moment.at)},
                       {"text", moment.text},
                       {"details", moment.details}});
  }
  auto& attempts = out["attempts"] = ordered_json::array();
  for (const AttemptBill& bill : all.outcome.attempts) {
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
                        {"text", cost_line(world, bill)}});
  }
  return out;
}

std::string story_text(const models::World& world, const JobExplanation& all,
                       const std::vector<StoryLine>& story) {
  const Clock clock{all};
  std::string out;
  for (const StoryLine& moment : story) {
    const std::string at = clock(moment.at);
    out += fmt::format("  {}  {}\n", at, moment.text);
    for (const std::string& detail : moment.details) {
      out += fmt::format("  {}    {}\n", std::string(at.size(), ' '), detail);
    }
  }
  for (const AttemptBill& bill : all.outcome.attempts)
    out += fmt::format(" {}\n", cost_line(world, bill));
  return out;
}

/// "stop job of gpu-alarm at 01:16:02"
std::string named(const Clock& clock, const experiments::DecisionRow& row) {
  std::string verb{host::name_of(host::kind_of(row.verb))};
  std::replace(verb.begin(), verb.end(), '_', ' ');
  const bool clones = std::holds_alternative<policy::CloneJob>(row.verb);
  return fmt::format("{} of {} {} {}{}", verb, row.rule, clones ? "from" : "at", clock(row.at),
                     clones ? " on" : "");
}

/// One line for each decision that was undone; which one, if there are several.
std::string without_text(const JobExplanation& all) {
  const Clock clock{all};
  const std::size_t changes = all.outcome.changes.size();
  std::string out;
  for (const OtherRun& run : all.without) {
    const bool stops = std::holds_alternative<policy::StopJob>(run.decision.verb);
    const std::string one = stops ? "this stop" : "this action";
    out += fmt::format(" without {}: {}\n", changes == 1 ? one : named(clock, run.decision),
                       without(clock, run).text);
  }
  if (changes > all.without.size() && !all.without.empty()) {
    out += fmt::format(" {} further decisions are not undone here\n", changes - all.without.size());
  }
  return out;
}

/// The alternative in words; results keep its name in `decisions.csv`.
std::string_view alternative_text(std::string_view name) {
  return name == "only tell people" ? "only notify" : name;
}

/// Below each decision what could have been done in its place.
std::string instead_text(const JobExplanation& all) {
  const Clock clock{all};
  std::string out;
  std::uint64_t decision = 0;
  for (const OtherRun& run : all.instead) {
    if (run.decision.id != decision) {
      out += fmt::format(" instead of {}\n", named(clock, run.decision));
    }
    decision = run.decision.id;
    out += fmt::format("   {}: {}\n", alternative_text(run.instead), instead(clock, run).text);
  }
  return out;
}

std::string nearest_text(const NearestChanges& all) {
  std::string changes;
  for (const NearestChange& change : all.changes) {
    changes += (changes.empty() ? "" : "; ") + nearest(change, all.stop.rule).text;
  }
  std::string out =
      fmt::format(" nearest miss: {}\n", changes.empty() ? "none was found" : changes);
  if (!all.no_difference.empty()) {
    out += fmt::format(" no difference: {}\n", fmt::join(all.no_difference, ", "));
  }
  if (!all.all_tried)
    out += " other thresholds: not tried to the end, the search has a limit of replays\n";
  return out;
}

void add_nearest(nlohmann::ordered_json& out, const std::optional<NearestChanges>& all) {
  auto& misses = out["nearest_misses"] = nlohmann::ordered_json::array();
  out["no_difference"] = nlohmann::ordered_json::array();
  if (!all) return;
  out["no_difference"] = all->no_difference;
  out["all_thresholds_tried"] = all->all_tried;
  for (const NearestChange& change : all->changes) {
    misses.push_back({{"rule", all->stop.rule},
                      {"attempt", all->stop.attempt},
                      {"at", report::instant(all->stop.at)}});
    misses.back().update(with_text(nearest(change, all->stop.rule)));
  }
}

nlohmann::ordered_json explanation_json(const scenarios::Scenario& scenario,
                                        const JobExplanation& all,
                                        const std::vector<StoryLine>& story,
                                        const JobQuestion& question) {
  const Clock clock{all};
  nlohmann::ordered_json out{{"job", question.job},
                             {"policy", question.policy->name},
                             {"replication", question.replication},
                             {"headline", headline(all, question)}};
  out.update(story_json(scenario.world, all, story));
  auto& had_not = out["had_it_not"] = nlohmann::ordered_json::array();
  for (const OtherRun& run : all.without) had_not.push_back(with_text(without(clock, run)));
  auto& could = out["alternatives"] = nlohmann::ordered_json::array();
  for (const OtherRun& run : all.instead) could.push_back(with_text(instead(clock, run)));
  add_nearest(out, all.nearest);
  out["partial"] = all.partial;
  return out;
}

}  // namespace

bool has_job(const scenarios::Scenario& scenario, const std::string& job,
             std::uint32_t replication) {
  const models::World& world = scenario.world;
  const bool is_forecast = world.resampling && world.resampling->forecast;
  const auto& names = world.jobs.names;
  if (!is_forecast && std::find(names.begin(), names.end(), job) != names.end()) return true;
  return (world.drawn || is_forecast) &&
         experiments::job_named(models::materialize(scenario.world, replication), job).has_value();
}

int explain_job(const scenarios::Scenario& scenario, const JobQuestion& question,
                const Console& console) {
  note_interruption();  // runs look at it
  const JobExplanation all = experiments::explain_job(scenario, question, &interruption());
  const std::vector<StoryLine> story = story_lines(scenario, all.result, all.outcome);
  if (console.json) {
    const auto out = explanation_json(scenario, all, story, question);
    console.print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  } else {
    std::string out =
        fmt::format(" {}\n{}", headline(all, question), story_text(scenario.world, all, story));
    out += without_text(all);
    out += instead_text(all);
    const bool is_known = all.nearest && !(all.partial && all.nearest->changes.empty());
    if (is_known) out += nearest_text(*all.nearest);
    if (all.partial) out += " partial: interrupted, the explanation is incomplete\n";
    console.print(out);
  }
  return all.partial ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace reeve::app
