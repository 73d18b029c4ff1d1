#include "app/study/study_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "app/compare/group_table.hpp"
#include "app/compare/share_table.hpp"
#include "app/compare/stop_table.hpp"
#include "app/text/clock_text.hpp"
#include "host/check.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"

namespace reeve::app {
namespace {

using experiments::Quantity;
using experiments::RunResult;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double sample(const std::optional<Quantity>& value) {
  return value ? experiments::as_double(*value) : none;
}

void note_not_in_data(const models::Record& record, PolicyNumbers& numbers) {
  for (std::uint32_t job = 0; job < record.job_rows.size(); ++job) {
    if (record.job_rows[job].beyond_log) numbers.not_in_data.insert({job});
  }
}

/// "big-train since 01:16:00", each attempt once; beyond a handful only how many there are.
std::vector<std::string> unheard_alarms(const models::Record& record) {
  constexpr std::size_t shown = 5;
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, policy::Instant> first;
  for (const models::AlarmRow& alarm : record.alarms) {
    if (alarm.unheard == policy::never) continue;
    const auto known = first.try_emplace({alarm.id.job, alarm.attempt}, alarm.unheard).first;
    known->second = std::min(known->second, alarm.unheard);
  }
  std::vector<std::string> lines;
  for (const auto& [of, since] : first) {
    if (lines.size() == shown) {
      lines.push_back(fmt::format("{} more", first.size() - shown));
      break;
    }
    lines.push_back(
        fmt::format("{} since {}", record.jobs.name(of.first), clock_text(since - record.start)));
  }
  return lines;
}

bool is_given_up(const experiments::DecisionRow& row) {
  return row.outcome == host::name_of(policy::Outcome::expired);
}

/// "stop job of big-train at 01:16:00, 5 tries"; beyond a handful only how many there are.
void note_given_up(const experiments::RunResult& result, PolicyNumbers& numbers) {
  constexpr std::size_t shown = 5;
  std::size_t more = 0;
  for (const experiments::DecisionRow& row : result.decisions) {
    if (!is_given_up(row)) continue;
    const std::string job = result.record.jobs.name(row.job);
    if (numbers.given_up.size() == shown) {
      ++more;
      continue;
    }
    std::string verb{host::name_of(host::kind_of(row.verb))};
    std::replace(verb.begin(), verb.end(), '_', ' ');
    numbers.given_up.push_back(fmt::format(
        "{} of {} at {}, {}", verb, job, clock_text(row.settled_at - result.record.start),
        row.tries == 1 ? "1 try" : fmt::format("{} tries", row.tries)));
  }
  if (more > 0) numbers.given_up.push_back(fmt::format("{} more", more));
}

/// What speaks for explaining a job, the first part first: that it is unfinished, and what it then
/// wasted; that an action on it did not work; what false stops of it destroyed; that a rule stopped
/// or preempted it, and what it wasted; how long it waited.
struct Interest {
  bool unfinished = false;
  models::Charge wasted_unfinished = 0;
  bool given_up = false;
  models::Charge destroyed = 0;
  bool acted_on = false;
  models::Charge wasted = 0;
  policy::Duration waited{0};

  auto operator<=>(const Interest&) const = default;
};

/// The unfinished job that wasted most; if all are finished, the job with the costliest decision.
/// Of equals the first.
policy::JobId costliest_job(const RunResult& result) {
  const models::Record& record = result.record;
  std::vector<Interest> jobs(record.job_rows.size());
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const models::JobRow& row = record.job_rows[job];
    jobs[job].unfinished = !row.done();
    if (!row.done()) jobs[job].wasted_unfinished = row.wasted;
    jobs[job].wasted = row.wasted;
    if (row.first_start == policy::never) continue;
    jobs[job].waited = row.first_start - record.jobs.specs[job].submit;
  }
  for (const experiments::DecisionRow& row : result.decisions) {
    if (is_given_up(row) && row.job.index < jobs.size()) jobs[row.job.index].given_up = true;
  }
  for (const models::StopRow& stop : record.stops) {
    jobs[stop.job.index].acted_on = true;
    jobs[stop.job.index].destroyed += stop.destroyed;
  }
  for (const models::PreemptionRow& each : record.preemptions) {
    jobs[each.job.index].acted_on = true;
  }
  const auto most = std::max_element(jobs.begin(), jobs.end());
  return {static_cast<std::uint32_t>(most - jobs.begin())};
}

/// Of two policies on the same draws: the same of the same jobs (FNV-1a, by job).
std::uint64_t hash_of_done(const models::Record& record) {
  std::uint64_t hash = 14'695'981'039'346'656'037u;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    if (record.job_rows[job].status != policy::Primary::completed) continue;
    hash = (hash ^ job) * 1'099'511'628'211u;
  }
  return hash;
}

}  // namespace

StudyCollector::StudyCollector(Study& study, const StudyPlan& plan) : study_{study} {
  for (const scenarios::PolicySpec* policy : plan.policies) {
    PolicyNumbers numbers;
    numbers.policy = policy;
    numbers.expected.resize(study.scenario->expects.size());
    study.policies.push_back(std::move(numbers));
  }
}

void StudyCollector::take(RunResult& result) {
  const std::string id = fmt::format("{}/{}", result.policy, result.replication);
  chain_.append(std::array{chain_.head(), id, result.digest});
  report::HashChain& own = chains_[result.policy];
  own.append(std::array{own.head(), id, result.digest});
  study_.events += result.record.events_simulated;
  if (result.record.ledger.residual() != 0) ++study_.unbalanced;
  if (result.record.partial) study_.partial = true;
  for (const experiments::MutedRule& rule : result.muted) {
    study_.muted.push_back(fmt::format(
        "rule {} of policy {} in run {} after {}: {}", rule.rule, result.policy, result.replication,
        clock_text(rule.at - study_.scenario->world.start), rule.why));
  }
  PolicyNumbers& numbers =
      *std::find_if(study_.policies.begin(), study_.policies.end(),
                    [&](const PolicyNumbers& of) { return of.policy->name == result.policy; });
  if (result.replication == 0) first(numbers, result);
  if (result.record.partial && result.replication > 0) return;  // no sample of the whole
  add_verdicts(*study_.scenario, result, numbers.verdicts);
  add_shares(*study_.scenario, result, numbers.shares);
  if (study_.by) add_groups(*study_.scenario, result, *study_.by, numbers);
  std::vector<experiments::Measure> measures = std::move(result.measures);
  if (!study_.decisions) {
    std::erase_if(measures, [](const auto& measure) { return counts_actions(measure.name); });
  }
  if (study_.measures.empty()) name(measures);
  if (numbers.samples.empty()) prepare(numbers, measures);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    numbers.samples[i].push_back(sample(measures[i].value));
    if (measures[i].value) numbers.zero[i] = *measures[i].value;
  }
  for (const experiments::Measure& measure : measures) {
    if (measure.name == "jain_index.shares") add_evenness(measure, numbers.shares_evenness);
    if (study_.by != by_owner || measure.name != "jain_index.owners") continue;
    add_evenness(measure, numbers.evenness);
  }
  numbers.done.push_back(hash_of_done(result.record));
  if (study_.scenario->history) {
    numbers.bills.push_back(experiments::history_bill(*study_.scenario, result.record));
  }
  // Runs of drawn weeks have jobs of their own.
  const bool is_record = result.replication == 0 && !study_.is_forecast();
  if (!study_.is_resampled() || is_record) note_not_in_data(result.record, numbers);
  add_own(numbers, result);
  if (&numbers == &study_.policies.back()) add_headline();
  expect(numbers, result, measures);
}

void StudyCollector::finish(std::size_t runs) {
  std::size_t complete = runs;
  for (const PolicyNumbers& numbers : study_.policies) {
    complete = std::min(complete, numbers.samples.empty() ? 0 : numbers.samples[0].size());
  }
  const bool whole = !study_.partial || complete > 1 || !first_was_partial_;
  study_.runs = whole ? static_cast<std::uint32_t>(complete) : 0;
  if (runs > 1) {
    for (PolicyNumbers& numbers : study_.policies) {
      numbers.digest = chains_[numbers.policy->name].head().substr(0, 32);
    }
  }
  const bool one = study_.policies.size() == 1;
  study_.digest = one ? study_.policies[0].digest : chain_.head().substr(0, 32);
}

double StudyCollector::headline() const {
  const experiments::Estimate saved = saved_.now();
  return saved.samples < 2 ? none : saved.reach();
}

void StudyCollector::add_own(PolicyNumbers& numbers, const RunResult& result) const {
  std::vector<experiments::Measure> own;
  if (study_.decisions) own = experiments::measures_of_rules(*study_.scenario, result);
  for (experiments::Measure& of : experiments::measures_of_shares(*study_.scenario, result)) {
    own.push_back(std::move(of));
  }
  if (numbers.own.empty()) {
    for (const experiments::Measure& of : own) numbers.own.push_back({of.name, 0.0, of.value});
  }
  REEVE_CHECK(own.size() == numbers.own.size(), own.size(), numbers.own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    numbers.own[i].samples.push_back(sample(own[i].value));
    if (own[i].value) numbers.own[i].zero = *own[i].value;
  }
}

void StudyCollector::add_headline() {
  const std::size_t at = study_.index("billed_usd");
  const PolicyNumbers& base = study_.policies.front();
  const PolicyNumbers& last = study_.policies.back();
  if (at == study_.measures.size() || base.samples.empty()) return;
  const double mine = last.samples[at].back();
  saved_.add(&base == &last ? mine : base.samples[at].back() - mine);
}

void StudyCollector::name(const std::vector<experiments::Measure>& measures) {
  for (const experiments::Measure& measure : measures) study_.measures.push_back(measure.name);
}

void StudyCollector::prepare(PolicyNumbers& numbers,
                             const std::vector<experiments::Measure>& measures) {
  numbers.samples.resize(measures.size());
  numbers.zero.assign(measures.size(), Quantity{0.0});
  for (const experiments::Measure& measure : measures) numbers.exact.push_back(measure.value);
}

void StudyCollector::first(PolicyNumbers& numbers, const RunResult& result) {
  first_was_partial_ = first_was_partial_ || result.record.partial;
  numbers.digest = result.digest;
  numbers.uses = result.record.ledger.uses();
  numbers.unheard = unheard_alarms(result.record);
  if (study_.scenario->history && !study_.is_forecast())
    numbers.replayed = experiments::replayed_jobs(result);
  note_given_up(result, numbers);
  if (!result.record.job_rows.empty()) {
    numbers.costliest = result.record.jobs.name(costliest_job(result));
  }
  for (const models::AttemptRow& attempt : result.record.attempts) {
    if (attempt.number == 1 || attempt.origin != policy::Origin::person) continue;
    if (!attempt.had_machines()) continue;  // asked for, but not restarted
    numbers.person_restarts.push_back(attempt.requested - result.record.start);
  }
}

std::map<std::string, std::optional<Quantity>, std::less<>> StudyCollector::group_values(
    const RunResult& result) const {
  const auto& expects = study_.scenario->expects;
  std::map<std::string, std::optional<Quantity>, std::less<>> values;
  const auto of_groups = std::count_if(expects.begin(), expects.end(), [](const auto& expect) {
    return expect.that.metric.starts_with("owner.") || expect.that.metric.starts_with("tag.");
  });
  if (of_groups < 2) return values;
  for (experiments::Measure& of : experiments::named_measures(*study_.scenario, result)) {
    values.emplace(std::move(of.name), of.value);
  }
  return values;
}

void StudyCollector::expect(PolicyNumbers& numbers, const RunResult& result,
                            const std::vector<experiments::Measure>& measures) {
  const auto& expects = study_.scenario->expects;
  const auto of_groups = group_values(result);
  for (std::size_t i = 0; i < expects.size(); ++i) {
    if (!concerns(expects[i], result.policy)) continue;
    const std::string& metric = expects[i].that.metric;
    if (const auto at = expects[i].at) {
      const policy::Instant then = policy::later(study_.scenario->world.start, *at);
      numbers.expected[i].push_back(
          experiments::measure_at(*study_.scenario, result, metric, then));
      continue;
    }
    const auto known =
        std::find_if(measures.begin(), measures.end(),
                     [&](const experiments::Measure& measure) { return measure.name == metric; });
    if (known != measures.end()) {
      numbers.expected[i].push_back(known->value);
      continue;
    }
    const auto of_group = of_groups.find(metric);
    numbers.expected[i].push_back(of_group != of_groups.end()
                                      ? of_group->second
                                      : experiments::measure(*study_.scenario, result, metric));
  }
}

}  // namespace reeve::app
