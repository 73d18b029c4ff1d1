#include "app/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>

#include "app/clock_text.hpp"
#include "app/expectation.hpp"
#include "app/group_table.hpp"
#include "app/interruption.hpp"
#include "app/journal_file.hpp"
#include "app/progress_bar.hpp"
#include "app/share_table.hpp"
#include "app/stop_table.hpp"
#include "app/study_export.hpp"
#include "experiments/recovered.hpp"
#include "experiments/replicate.hpp"
#include "host/check.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "report/hash_chain.hpp"
#include "scenarios/load/metric_names.hpp"

namespace reeve::app {
namespace {

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

/// "stop job of big-train at 01:16:00, 5 tries"; beyond a handful only how many there are.
void note_given_up(const experiments::RunResult& result, PolicyNumbers& numbers) {
  constexpr std::size_t shown = 5;
  std::size_t more = 0;
  for (const experiments::DecisionRow& row : result.decisions) {
    if (row.outcome != host::name_of(policy::Outcome::expired)) continue;
    const std::string job = result.record.jobs.name(row.job);
    if (numbers.given_up.empty()) numbers.given_up_first = job;
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

/// What speaks for explaining a job, the first part first: what false stops of it destroyed; that a
/// rule stopped or preempted it, and what it wasted; how long it waited.
struct Interest {
  models::Charge destroyed = 0;
  bool acted_on = false;
  models::Charge wasted = 0;
  policy::Duration waited{0};

  auto operator<=>(const Interest&) const = default;
};

/// The job with the costliest decision; of equals the first.
policy::JobId costliest_job(const models::Record& record) {
  std::vector<Interest> jobs(record.job_rows.size());
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const models::JobRow& row = record.job_rows[job];
    jobs[job].wasted = row.wasted;
    if (row.first_start == policy::never) continue;
    jobs[job].waited = row.first_start - record.jobs.specs[job].submit;
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

using experiments::Quantity;
using experiments::RunResult;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double sample(const std::optional<Quantity>& value) {
  return value ? experiments::as_double(*value) : none;
}

Quantity like(const Quantity& kind, double value) {
  if (std::holds_alternative<policy::Usd>(kind)) {
    return policy::Usd::from_micros(std::llround(value * 1e6));
  }
  if (std::holds_alternative<policy::Duration>(kind)) {
    return policy::Duration{std::llround(value * 1e9)};
  }
  return value;
}

/// a - b to the micro-dollar or nanosecond that both count, without the noise of binary fractions.
double less(const Quantity& kind, double a, double b) {
  const double units = std::holds_alternative<policy::Usd>(kind)        ? 1e6
                       : std::holds_alternative<policy::Duration>(kind) ? 1e9
                                                                        : 0;
  if (units == 0) return a - b;
  return static_cast<double>(std::llround(a * units) - std::llround(b * units)) / units;
}

/// The first `runs` samples that are there.
std::vector<double> present(const std::vector<double>& samples, std::size_t runs) {
  std::vector<double> out;
  for (std::size_t run = 0; run < std::min(runs, samples.size()); ++run) {
    if (!std::isnan(samples[run])) out.push_back(samples[run]);
  }
  return out;
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

/// How many samples count: the complete runs, or the one partial run there is.
std::size_t counted(const Study& study) {
  return std::max<std::size_t>(study.runs, 1);
}

bool concerns(const scenarios::Expect& expect, std::string_view policy) {
  return expect.policy == "*" || expect.policy == policy;
}

bool counts_actions(std::string_view metric) {
  return metric.starts_with("actions.") || metric.starts_with("decisions.") ||
         metric.starts_with("rule.");
}

/// What such a seat would have stopped is known from its decisions alone.
bool only_wishes(const scenarios::SeatSpec& seat) {
  return seat.mode == host::Mode::shadow || seat.mode == host::Mode::warn;
}

bool needs_decisions(const scenarios::Scenario& scenario, const StudyPlan& plan) {
  return plan.every_measure || plan.out ||
         std::any_of(plan.policies.begin(), plan.policies.end(),
                     [](const scenarios::PolicySpec* policy) {
                       return std::any_of(policy->seats.begin(), policy->seats.end(), only_wishes);
                     }) ||
         std::any_of(
             scenario.expects.begin(), scenario.expects.end(),
             [](const scenarios::Expect& expect) { return counts_actions(expect.that.metric); });
}

/// What had which value when is in tables that grow with time.
bool asks_of_instants(const scenarios::Scenario& scenario) {
  return std::any_of(scenario.expects.begin(), scenario.expects.end(),
                     [](const scenarios::Expect& expect) { return expect.at.has_value(); });
}

/// The interval of a metric has no value that the metric cannot have.
experiments::Estimate within_range(const experiments::Estimate& estimate,
                                   std::string_view measure) {
  const auto metric = scenarios::find_metric(measure);
  if (!metric) return estimate;
  const scenarios::MetricRange range = scenarios::range_of(*metric->spec);
  return experiments::cut_to(estimate, range.least, range.most);
}

/// The mean of the values that there are, exact if there is but one.
std::optional<Quantity> mean_of(std::span<const std::optional<Quantity>> values) {
  std::vector<double> samples;
  std::optional<Quantity> kind;
  for (const std::optional<Quantity>& value : values) {
    if (!value) continue;
    kind = value;
    samples.push_back(experiments::as_double(*value));
  }
  if (samples.size() < 2) return kind;
  return like(*kind, experiments::estimate(samples).mean);
}

/// Whether a line holds of the values of the complete runs.
Verdict judge(const scenarios::MetricComparison& that,
              std::span<const std::optional<Quantity>> values) {
  using scenarios::CompareOp;
  Verdict verdict;
  verdict.actual = mean_of(values);
  verdict.samples = static_cast<std::size_t>(std::count_if(
      values.begin(), values.end(), [](const auto& value) { return value.has_value(); }));
  std::vector<double> numbers;
  for (const auto& value : values) {
    if (!value) continue;
    numbers.push_back(experiments::as_double(*value));
    verdict.zero = *value;
  }
  verdict.estimate = within_range(experiments::estimate(numbers), that.metric);
  if (that.op != CompareOp::equal && that.op != CompareOp::not_equal) {
    verdict.held = verdict.samples == values.size() && holds(that, verdict.actual);
    return verdict;
  }
  for (std::uint32_t run = 0; run < values.size(); ++run) {
    if (!holds(that, values[run])) verdict.broken.push_back(run);
  }
  verdict.held = verdict.broken.empty() && !values.empty();
  if (!verdict.broken.empty()) verdict.actual = values[verdict.broken.front()];
  return verdict;
}

/// Takes results in, one after the other.
class Collector {
 public:
  Collector(Study& study, const StudyPlan& plan) : study_{study} {
    for (const scenarios::PolicySpec* policy : plan.policies) {
      PolicyNumbers numbers;
      numbers.policy = policy;
      numbers.expected.resize(study.scenario->expects.size());
      study.policies.push_back(std::move(numbers));
    }
  }

  void take(const RunResult& result) {
    const std::string id = fmt::format("{}/{}", result.policy, result.replication);
    chain_.append(std::array{chain_.head(), id, result.digest});
    report::HashChain& own = chains_[result.policy];
    own.append(std::array{own.head(), id, result.digest});
    study_.events += result.record.events_simulated;
    if (result.record.ledger.residual() != 0) ++study_.unbalanced;
    if (result.record.partial) study_.partial = true;
    for (const experiments::MutedRule& rule : result.muted) {
      study_.muted.push_back(fmt::format(
          "rule {} of policy {} in run {} after {}: {}", rule.rule, result.policy,
          result.replication, clock_text(rule.at - study_.scenario->world.start), rule.why));
    }
    PolicyNumbers& numbers =
        *std::find_if(study_.policies.begin(), study_.policies.end(),
                      [&](const PolicyNumbers& of) { return of.policy->name == result.policy; });
    if (result.replication == 0) first(numbers, result);
    if (result.record.partial && result.replication > 0) return;  // no sample of the whole
    add_verdicts(*study_.scenario, result, numbers.verdicts);
    add_shares(*study_.scenario, result, numbers.shares);
    if (study_.by) add_groups(*study_.scenario, result, *study_.by, numbers);
    std::vector<experiments::Measure> measures = experiments::measures(*study_.scenario, result);
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
    add_own(numbers, result);
    if (&numbers == &study_.policies.back()) add_headline();
    expect(numbers, result, measures);
  }

  void finish(std::size_t runs) {
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

  /// Half the width of the interval of what the last policy saves against the first.
  double headline() const {
    const experiments::Estimate saved = saved_.now();
    return saved.samples < 2 ? none : saved.half_width();
  }

 private:
  /// The same names in each run of a policy, in the same order.
  void add_own(PolicyNumbers& numbers, const RunResult& result) const {
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

  /// The last policy of a replication is in: results come in the order of the plan.
  void add_headline() {
    const std::size_t at = study_.index("billed_usd");
    const PolicyNumbers& base = study_.policies.front();
    const PolicyNumbers& last = study_.policies.back();
    if (at == study_.measures.size() || base.samples.empty()) return;
    const double mine = last.samples[at].back();
    saved_.add(&base == &last ? mine : base.samples[at].back() - mine);
  }

  void name(const std::vector<experiments::Measure>& measures) {
    for (const experiments::Measure& measure : measures) study_.measures.push_back(measure.name);
  }

  void prepare(PolicyNumbers& numbers, const std::vector<experiments::Measure>& measures) {
    numbers.samples.resize(measures.size());
    numbers.zero.assign(measures.size(), Quantity{0.0});
    for (const experiments::Measure& measure : measures) numbers.exact.push_back(measure.value);
  }

  void first(PolicyNumbers& numbers, const RunResult& result) {
    first_was_partial_ = first_was_partial_ || result.record.partial;
    numbers.digest = result.digest;
    numbers.uses = result.record.ledger.uses();
    numbers.unheard = unheard_alarms(result.record);
    note_given_up(result, numbers);
    if (!result.record.job_rows.empty()) {
      numbers.costliest = result.record.jobs.name(costliest_job(result.record));
    }
    for (const models::AttemptRow& attempt : result.record.attempts) {
      if (attempt.number == 1 || attempt.origin != policy::Origin::person) continue;
      if (!attempt.had_machines()) continue;  // asked for, but not restarted
      numbers.person_restarts.push_back(attempt.requested - result.record.start);
    }
  }

  /// Values of groups by name: each by itself takes a look at every job.
  std::map<std::string, std::optional<Quantity>, std::less<>> group_values(
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

  void expect(PolicyNumbers& numbers, const RunResult& result,
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

  Study& study_;
  report::HashChain chain_;                          ///< of all runs, in the order of the plan
  std::map<std::string, report::HashChain> chains_;  ///< of the runs of each policy
  experiments::RunningEstimate saved_;               ///< by the last policy against the first
  bool first_was_partial_ = false;
};

void run_with_journal(const scenarios::Scenario& scenario, const StudyPlan& plan,
                      const experiments::RunOptions& options, const experiments::Receive& receive) {
  for (const scenarios::PolicySpec* policy : plan.policies) {
    JournalFile journal{journal_of(*plan.journal, *policy)};
    experiments::RunOptions written = options;
    written.journal = &journal.stream();
    receive(experiments::run(scenario, *policy, 0, written));
    journal.close();
    if (options.interrupted != nullptr && *options.interrupted) return;
  }
}

}  // namespace

std::filesystem::path journal_of(const std::filesystem::path& pattern,
                                 const scenarios::PolicySpec& policy) {
  if (pattern.filename() != "{}.journal") return pattern;
  std::filesystem::path file = pattern;
  return file.replace_filename(policy.name + ".journal");
}

std::size_t Study::index(std::string_view measure) const {
  return static_cast<std::size_t>(std::find(measures.begin(), measures.end(), measure) -
                                  measures.begin());
}

Number Study::number(const PolicyNumbers& of, std::string_view measure) const {
  const std::size_t at = index(measure);
  if (at == measures.size() || of.samples.empty()) return {};
  Number number = number_of(of.samples[at], of.exact[at], of.zero[at]);
  number.estimate = within_range(number.estimate, measure);
  return number;
}

Number Study::number(const OwnNumber& own) const {
  Number number = number_of(own.samples, own.exact, own.zero);
  number.estimate = within_range(number.estimate, own.measure);
  return number;
}

Number Study::number_of(const std::vector<double>& by_run,
                        const std::optional<Quantity>& of_first_run, const Quantity& kind) const {
  Number number;
  const std::vector<double> samples = present(by_run, counted(*this));
  number.estimate = experiments::estimate(samples);
  if (counted(*this) == 1) {
    number.value = of_first_run;
  } else if (!samples.empty()) {
    number.value = like(kind, number.estimate.mean);
  }
  return number;
}

experiments::Estimate Study::difference(const PolicyNumbers& a, const PolicyNumbers& b,
                                        std::size_t measure) const {
  return difference(a, *this, b, measure);
}

experiments::Estimate Study::difference(const PolicyNumbers& a, const Study& other,
                                        const PolicyNumbers& b, std::size_t measure) const {
  std::vector<double> differences;
  if (a.samples.empty() || b.samples.empty()) return {};
  const auto& all_a = a.samples[measure];
  const auto& all_b = b.samples[measure];
  const std::size_t paired = std::min({counted(*this), counted(other), all_a.size(), all_b.size()});
  for (std::size_t run = 0; run < paired; ++run) {
    if (std::isnan(all_a[run]) || std::isnan(all_b[run])) continue;
    differences.push_back(less(a.zero[measure], all_a[run], all_b[run]));
  }
  return experiments::estimate(differences);
}

experiments::Estimate Study::recovered(const PolicyNumbers& of, const PolicyNumbers& base,
                                       std::string_view unit) const {
  const std::size_t wasted = index(fmt::format("wasted_{}", unit));
  const std::size_t productive = index(fmt::format("productive_{}", unit));
  if (of.samples.empty() || base.samples.empty() || wasted == measures.size()) return {};
  std::vector<double> amounts;
  const std::size_t paired =
      std::min({counted(*this), of.samples[wasted].size(), base.samples[wasted].size()});
  for (std::size_t run = 0; run < paired; ++run) {
    amounts.push_back(
        experiments::recovered(base.samples[wasted][run] - of.samples[wasted][run],
                               of.samples[productive][run] - base.samples[productive][run]));
  }
  return experiments::estimate(amounts);
}

bool Study::same_jobs_done(const PolicyNumbers& a, const PolicyNumbers& b) const {
  const std::size_t paired = std::min({counted(*this), a.done.size(), b.done.size()});
  return std::equal(a.done.begin(), a.done.begin() + static_cast<std::ptrdiff_t>(paired),
                    b.done.begin());
}

bool ExpectLine::held() const {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.held; });
}

std::size_t Study::lines_asked() const {
  return lines().size() + 1;
}

std::size_t Study::lines_held() const {
  std::size_t held = unbalanced == 0 ? 1 : 0;
  for (const ExpectLine& line : lines()) held += line.held() ? 1U : 0U;
  return held;
}

std::vector<ExpectLine> Study::lines() const {
  std::vector<ExpectLine> out;
  for (std::size_t line = 0; line < scenario->expects.size(); ++line) {
    const scenarios::Expect& expect = scenario->expects[line];
    ExpectLine& entry = out.emplace_back();
    entry.expect = &expect;
    for (const PolicyNumbers& numbers : policies) {
      if (!concerns(expect, numbers.policy->name)) continue;
      const auto& values = numbers.expected[line];
      Verdict verdict =
          judge(expect.that, std::span{values}.first(std::min(counted(*this), values.size())));
      verdict.expect = &expect;
      verdict.policy = numbers.policy->name;
      entry.verdicts.push_back(std::move(verdict));
    }
    if (entry.verdicts.empty()) out.pop_back();
  }
  return out;
}

Study run_study(const scenarios::Scenario& scenario, const StudyPlan& plan,
                const Console& console) {
  const auto began = std::chrono::steady_clock::now();
  Study study;
  study.scenario = &scenario;
  study.runs_asked = plan.runs;
  study.by = plan.by;
  study.decisions = needs_decisions(scenario, plan);
  Collector collector{study, plan};
  std::shared_ptr<StudyExport> out;
  if (plan.out) out = std::make_shared<StudyExport>(*plan.out, scenario, plan.queue_every);

  console.detail(fmt::format("seed {}: {} runs of {} policies on {} threads\n", scenario.world.seed,
                             plan.runs, plan.policies.size(), plan.threads));
  experiments::ReplicateOptions options{
      .policies = plan.policies, .runs = plan.runs, .threads = plan.threads, .run = {}};
  options.run.decisions = study.decisions;
  options.run.interrupted = &interruption();
  options.run.ends_early = note_interruption;
  if (out) {
    options.run.keep = StudyExport::kept();
    options.run.counterfactuals = true;
  }
  options.run.keep.utilization = options.run.keep.utilization || asks_of_instants(scenario);
  // Who restarts a job is a footnote of the table of a single one.
  if (scenario.world.jobs.specs.size() == 1) options.run.keep.attempts = true;
  {
    ProgressBar bar{console,
                    {.runs = std::uint64_t{plan.runs} * plan.policies.size(),
                     .threads = plan.journal ? 1 : plan.threads,
                     .start = scenario.world.start,
                     .end = scenario.world.end,
                     .headline = plan.policies.size() > 1 ? "saved" : "billed"}};
    options.run.progress = bar.run();
    const auto receive = [&](RunResult&& result) {
      if (interruption() && !study.partial) {
        study.partial = true;
        console.note(
            "interrupted: writing partial results; press Ctrl-C again to exit without them\n");
      }
      collector.take(result);
      if (out) {
        out->add(result);
        study.exported = out;
      }
      bar.finished_run(result.record.events_simulated);
      if (bar.wants_headline()) bar.show_headline(collector.headline());
    };
    if (plan.journal) {
      run_with_journal(scenario, plan, options.run, receive);
    } else {
      experiments::replicate(scenario, options, receive);
    }
  }
  if (interruption()) study.partial = true;
  collector.finish(plan.runs);
  study.elapsed = std::chrono::steady_clock::now() - began;
  console.detail(fmt::format("simulated {} events in {:.3f} s\n", study.events,
                             std::chrono::duration<double>(study.elapsed).count()));
  for (const std::string& rule : study.muted) {
    console.complain("reeve: muted " + rule + '\n');
  }
  return study;
}

}  // namespace reeve::app
