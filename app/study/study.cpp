#include "app/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "app/compare/expectation.hpp"
#include "app/study/interruption.hpp"
#include "app/study/metric_unit.hpp"
#include "app/study/progress_bar.hpp"
#include "app/study/study_collector.hpp"
#include "app/study/study_export.hpp"
#include "app/study/study_timeline.hpp"
#include "experiments/recovered.hpp"
#include "experiments/replicate.hpp"
#include "report/journal_file.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::app {
namespace {

using experiments::Quantity;
using experiments::RunResult;

/// Below this sum over all runs, in dollars, there is nothing to save.
constexpr double least_to_save = 0.005;

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

/// How many samples count: the complete runs, or the one partial run there is.
std::size_t counted(const Study& study) {
  return std::max<std::size_t>(study.runs, 1);
}

/// What such a seat would have stopped is known from its decisions alone.
bool only_wishes(const scenarios::SeatSpec& seat) {
  return seat.mode == host::Mode::shadow || seat.mode == host::Mode::warn;
}

bool needs_decisions(const scenarios::Scenario& scenario, const StudyPlan& plan) {
  return plan.every_measure || plan.out || plan.timeline ||
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

/// Of the runs in which there is something to save, in percent.
experiments::Estimate ratio_of_each(const Study& study, std::span<const double> saved,
                                    std::span<const double> possible) {
  std::vector<double> ratios;
  for (std::size_t run = 0; run < saved.size(); ++run) {
    const bool is_there = possible[run] >= least_to_save;
    if (run == 0 && !is_there && !study.is_forecast()) return {};  // the record itself
    if (is_there) ratios.push_back(100 * saved[run] / possible[run]);
  }
  return experiments::cut_to(study.estimate(ratios), -1e300, 100);
}

/// Whether a line holds of the values of the complete runs.
Verdict judge(const scenarios::MetricComparison& that,
              std::span<const std::optional<Quantity>> values, const Study& study) {
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
  verdict.estimate = estimate_of(that.metric, numbers, study.draws() > 1, jobs_of(*study.scenario));
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

/// What each run keeps.
experiments::RunOptions run_options(const scenarios::Scenario& scenario, const StudyPlan& plan,
                                    const Study& study) {
  experiments::RunOptions options;
  options.decisions = study.decisions;
  options.measures = true;
  options.interrupted = &interruption();
  options.ends_early = note_interruption;
  if (plan.out) {
    options.keep = StudyExport::kept();
    options.counterfactuals = true;
  }
  options.keep.utilization = options.keep.utilization || asks_of_instants(scenario);
  // Who restarts a job is a footnote of the table of a single one.
  if (scenario.world.jobs.specs.size() == 1) options.keep.attempts = true;
  return options;
}

/// Of runs with tables, `out` puts the journals in place together with these.
void run_with_journal(const scenarios::Scenario& scenario, const StudyPlan& plan,
                      const experiments::RunOptions& options, const experiments::Receive& receive,
                      StudyExport* out) {
  for (const scenarios::PolicySpec* policy : plan.policies) {
    auto journal = std::make_unique<report::JournalFile>(journal_of(*plan.journal, *policy));
    experiments::RunOptions written = options;
    written.journal = &journal->stream();
    try {
      receive(experiments::run(scenario, *policy, 0, written));
    } catch (...) {
      journal->close();  // if it cannot be written, the error says so, and why
      throw;
    }
    journal->close();
    if (out != nullptr) {
      out->add_journal(std::move(journal));
    } else {
      journal->put_in_place();
    }
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

std::size_t jobs_of(const scenarios::Scenario& scenario) {
  const models::World& world = scenario.world;
  return world.jobs.specs.size() + (world.drawn ? world.drawn->jobs : 0);
}

std::size_t Study::index(std::string_view measure) const {
  return static_cast<std::size_t>(std::find(measures.begin(), measures.end(), measure) -
                                  measures.begin());
}

Number Study::number(const PolicyNumbers& of, std::string_view measure) const {
  const std::size_t at = index(measure);
  if (at == measures.size() || of.samples.empty()) return {};
  return number_of(measure, of.samples[at], of.exact[at], of.zero[at]);
}

Number Study::number(const OwnNumber& own) const {
  return number_of(own.measure, own.samples, own.exact, own.zero);
}

Number Study::number_of(std::string_view measure, const std::vector<double>& by_run,
                        const std::optional<Quantity>& of_first_run, const Quantity& kind) const {
  Number number;
  const std::vector<double> samples = present(by_run, counted(*this));
  const bool has_record = is_resampled() && !is_forecast();
  if (has_record && (by_run.empty() || std::isnan(by_run.front()))) return number;
  number.estimate = is_resampled() ? estimate(samples)
                                   : estimate_of(measure, samples, draws() > 1, jobs_of(*scenario));
  if (counted(*this) == 1) {
    number.value = of_first_run;
  } else if (!samples.empty()) {
    number.value = like(kind, number.estimate.mean);
  }
  return number;
}

experiments::Estimate Study::estimate(std::span<const double> samples) const {
  if (is_forecast()) return experiments::predicted(samples);
  return is_resampled() ? experiments::bootstrap(samples) : experiments::estimate(samples);
}

bool Study::is_resampled() const {
  return scenario->world.resampling.has_value();
}

bool Study::is_forecast() const {
  return is_resampled() && scenario->world.resampling->forecast.has_value();
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
    const bool is_missing = std::isnan(all_a[run]) || std::isnan(all_b[run]);
    if (is_missing && run == 0 && is_resampled() && !is_forecast()) return {};  // the record itself
    if (is_missing) continue;
    differences.push_back(less(a.zero[measure], all_a[run], all_b[run]));
  }
  return estimate(differences);
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
  return estimate(amounts);
}

experiments::Estimate Study::captured(const PolicyNumbers& of, const PolicyNumbers& base) const {
  const std::size_t bound = index("clairvoyant_usd");
  const std::size_t billed = index("billed_usd");
  if (of.samples.empty() || base.samples.empty() || bound == measures.size()) return {};
  if (partial || !same_jobs_done(of, base)) return {};
  std::vector<double> saved;
  std::vector<double> possible;
  for (std::size_t run = 0; run < counted(*this); ++run) {
    const double mine = of.samples[bound][run];
    const double theirs = base.samples[bound][run];
    if (std::isnan(mine) || std::isnan(theirs)) return {};
    saved.push_back(base.samples[billed][run] - of.samples[billed][run]);
    possible.push_back(base.samples[billed][run] - std::min(mine, theirs));
  }
  const double all = std::accumulate(possible.begin(), possible.end(), 0.0);
  if (all < least_to_save) return {};
  if (is_resampled()) return ratio_of_each(*this, saved, possible);
  const double part = std::accumulate(saved.begin(), saved.end(), 0.0) / all;
  // The interval of a ratio of means: that of the residuals, to first order.
  std::vector<double> residuals;
  for (std::size_t run = 0; run < saved.size(); ++run) {
    residuals.push_back(saved[run] - part * possible[run]);
  }
  experiments::Estimate estimate = experiments::estimate(residuals);
  const double scale = 100 * static_cast<double>(saved.size()) / all;  // the residuals sum to 0
  estimate.low = 100 * part + scale * estimate.low;
  estimate.high = 100 * part + scale * estimate.high;
  estimate.mean = 100 * part;
  if (estimate.high > 100) {
    estimate.high = 100;
    estimate.lopsided = true;
  }
  return estimate;
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
      Verdict verdict = judge(
          expect.that, std::span{values}.first(std::min(counted(*this), values.size())), *this);
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
  StudyCollector collector{study, plan};
  std::shared_ptr<StudyExport> out;
  if (plan.out) out = std::make_shared<StudyExport>(*plan.out, scenario, plan.queue_every);
  std::optional<StudyTimeline> timeline;
  if (plan.timeline) timeline.emplace(*plan.timeline, scenario);

  console.detail(fmt::format("seed {}: {} runs of {} policies on {} threads\n", scenario.world.seed,
                             plan.runs, plan.policies.size(), plan.threads));
  experiments::ReplicateOptions options{
      .policies = plan.policies, .runs = plan.runs, .threads = plan.threads, .run = {}};
  options.run = run_options(scenario, plan, study);
  {
    ProgressBar bar{console,
                    {.runs = std::uint64_t{plan.runs} * plan.policies.size(),
                     .threads = plan.journal ? 1 : plan.threads,
                     .start = scenario.world.start,
                     .end = scenario.world.end,
                     .headline = plan.policies.size() > 1 ? "saved" : "billed"}};
    options.run.progress = bar.run();
    if (timeline) options.first = StudyTimeline::options(options.run);
    const auto receive = [&](RunResult&& result) {
      if (interruption() && !study.partial) {
        study.partial = true;
        console.note(
            "interrupted: writing partial results; press Ctrl-C again to exit without them\n");
      }
      if (timeline) timeline->add(result);
      if (out) {
        out->add(result);
        study.exported = out;
      }
      collector.take(result);  // and its measures, which the tables needed
      bar.finished_run(result.record.events_simulated);
      if (bar.wants_headline()) bar.show_headline(collector.headline());
    };
    if (plan.journal) {
      run_with_journal(scenario, plan, options.of(0), receive, out.get());
    } else {
      experiments::replicate(scenario, options, receive);
    }
  }
  if (interruption()) study.partial = true;
  collector.finish(plan.runs);
  if (timeline && timeline->finish()) study.timeline = plan.timeline;
  study.elapsed = std::chrono::steady_clock::now() - began;
  console.detail(fmt::format("simulated {} events in {:.3f} s\n", study.events,
                             std::chrono::duration<double>(study.elapsed).count()));
  for (const std::string& rule : study.muted) {
    console.complain("reeve: muted " + rule + '\n');
  }
  return study;
}

}  // namespace reeve::app
