#include "app/compare/comparison_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "app/compare/comparison_table.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/text/quantity_text.hpp"
#include "experiments/advice.hpp"
#include "models/platform_presets.hpp"
#include "report/format.hpp"
#include "report/sentences.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using policy::Duration;
using policy::Usd;

/// How much sooner than under the baseline the results are there; negative: later.
struct Sooner {
  std::optional<Duration> by;
  report::Reach<Duration> interval;
};

Sooner sooner_than(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base) {
  const std::string_view measure = result_measure(study);
  const auto later = printed_difference(study, of, base, measure);
  if (!later) return {};
  const Estimate diff = study.difference(of, base, study.index(measure));
  const Duration width{std::llround(diff.half_width() * 1e9)};
  const Duration by{-std::llround(experiments::as_double(*later) * 1e9)};
  const auto reach = [&](double seconds) {
    return readable_beside(Duration{std::llround(seconds * 1e9)}, width);
  };
  const report::Reach<double> interval = reach_of(diff);
  return {readable_beside(by, width), {reach(interval.toward), reach(interval.away)}};
}

/// What the baseline spent and how much of it the other policy saves: parts of one amount.
struct Spending {
  Usd spent;
  Usd saved;
};

/// Of the first attempt where all that is saved is saved there, for what comes after it is the
/// same.
Spending spending_of(const Study& study, const PolicyNumbers& base, const PolicyNumbers& best) {
  const auto of = [&](std::string_view measure) {
    const auto saved = printed_difference(study, base, best, measure);
    const auto spent = value_as<Usd>(study, base, measure);
    return Spending{spent.value_or(Usd{}), saved ? std::get<Usd>(*saved) : Usd{}};
  };
  const Spending all = of("billed_usd");
  if (!is_story(study)) return all;
  const Spending first = of("first_attempt.billed_usd");
  return first.saved == all.saved ? first : all;
}

/// "2 more jobs are done", "the job is not done".
std::string jobs_changed(const Study& study, const experiments::Estimate& jobs) {
  const double more = jobs.mean;
  if (is_story(study) && study.draws() == 1) {
    return more > 0 ? "the job is done" : "the job is not done";
  }
  if (is_story(study)) {
    return fmt::format(
        "the job is done in {} {} of {} runs",
        report::count(static_cast<std::uint64_t>(std::llround(std::abs(more) * study.draws()))),
        more > 0 ? "more" : "fewer", report::count(study.draws()));
  }
  const double size = std::abs(more);
  std::string number =
      size < 0.005 ? fmt::format("{:.1g}", size) : quantity_text("jobs_done", size);
  const report::Reach<double> reach = reach_of(jobs);
  number += report::reach_text(size, reach,
                               [](double count) { return quantity_text("jobs_done", count); });
  return fmt::format("{} {} {} done{}", number, more > 0 ? "more" : "fewer",
                     size == 1 && reach.is_exact() ? "job is" : "jobs are",
                     reach.excludes_zero(size) ? "" : report::not_significant);
}

std::string capital(std::string text) {
  if (text.starts_with('t')) text.front() = 'T';
  return text;
}

/// Hours as instance-nanoseconds.
models::Charge instance_time(double hours) {
  return static_cast<models::Charge>(std::llround(hours * 3.6e12));
}

/// What the least wasteful policy still wastes, by use.
std::string least_waste(const Study& study) {
  if (study.draws() > 1 || !is_story(study)) return {};  // else the table has its parts
  const PolicyNumbers* least = nullptr;
  std::optional<Usd> amount;
  for (const PolicyNumbers& numbers : study.policies) {
    const auto wasted = value_as<Usd>(study, numbers, "wasted_usd");
    if (!wasted || *wasted == Usd{} || (amount && *wasted >= *amount)) continue;
    least = &numbers;
    amount = wasted;
  }
  if (least == nullptr) return {};
  return report::waste_note(least->policy->name, least->uses, drain_text(study.scenario->world));
}

/// Of machines of one's own: a request for Spot is over with its first loss.
bool ends_on_loss(const models::World& world) {
  return models::is_unmanaged(world.platform.model) &&
         world.platform.unmanaged.spot_request == models::SpotRequest::one_time;
}

/// What the scenario's numbers say before any run.
std::vector<std::string> advice_notes(const Study& study) {
  const experiments::Advice advice = experiments::advise(*study.scenario);
  std::vector<std::string> notes;
  if (advice.break_even_per_hour) {
    const double rate = *advice.break_even_per_hour;
    notes.push_back(
        fmt::format("Spot is cheaper up to about {} interruptions per hour, if they are random{}",
                    rate < 1 ? fmt::format("{:.2g}", rate) : fmt::format("{:.1f}", rate),
                    ends_on_loss(study.scenario->world)
                        ? " and a rule restarts the job at once (Spot requests are one-time)"
                        : ""));
  }
  if (!advice.no_break_even.empty()) {
    notes.push_back("no break-even rate of Spot interruptions: " + advice.no_break_even);
  }
  if (advice.never_done) {
    notes.push_back(
        "Spot reclaims the instances before the first checkpoint: the job never finishes there");
  }
  if (advice.losses_are_rare) {
    notes.push_back("losses of instances are too rare for checkpoints to pay off");
  }
  if (advice.checkpoint_every) {
    notes.push_back("a checkpoint about every " + report::duration(*advice.checkpoint_every) +
                    " loses least");
  }
  if (advice.managed_break_even) {
    notes.push_back("the managed premium exceeds prices.ops_usd_per_month from about " +
                    report::money(*advice.managed_break_even) + " a month on");
  }
  return notes;
}

/// Runs that were ended, for they would not have ended.
std::vector<std::string> cut_notes(const Study& study) {
  std::vector<std::string> names;
  for (const PolicyNumbers& numbers : study.policies) {
    if (!is_zero(study.number(numbers, "cut_off"))) names.push_back(numbers.policy->name);
  }
  if (names.empty()) return {};
  return {fmt::format("{}: cut off after 366 days without progress of any job; set a \"horizon\"",
                      fmt::join(names, ", "))};
}

/// Instances that run to the end because no rule and no person can map them to a job.
std::vector<std::string> unmapped_notes(const Study& study) {
  std::vector<std::string> notes;
  for (const PolicyNumbers& numbers : study.policies) {
    const std::string text = unmapped_text(study, numbers);
    if (!text.empty()) notes.push_back(numbers.policy->name + ": " + text);
  }
  return notes;
}

/// Jobs of which the log does not show what the policy has them do.
std::vector<std::string> not_in_data_notes(const Study& study) {
  std::vector<std::string> notes;
  for (const PolicyNumbers& numbers : study.policies) {
    const std::string text = not_in_data_text(study, numbers);
    if (!text.empty()) notes.push_back(numbers.policy->name + ": " + text);
  }
  return notes;
}

/// Of one job: where its cost is of all runs, and its time of those that have a result.
std::vector<std::string> unfinished_notes(const Study& study) {
  std::vector<std::string> notes;
  if (!is_story(study)) return notes;
  for (const PolicyNumbers& numbers : study.policies) {
    const Number done = study.number(numbers, "jobs_done");
    if (!done.value || done.estimate.mean >= 1) continue;
    const std::string& name = numbers.policy->name;
    if (done.estimate.mean == 0) {
      notes.push_back(
          fmt::format("{}: no run has a result; the cost is that of all attempts", name));
    } else {
      notes.push_back(
          fmt::format("{}: {:.3g} % of the runs have no result; the cost is over all runs, the "
                      "time over the others",
                      name, 100 * (1 - done.estimate.mean)));
    }
  }
  return notes;
}

/// A mean over the jobs that are done is over others where a policy gets others of them done.
bool means_are_of_other_jobs(const Study& study) {
  if (is_story(study)) return false;
  return std::any_of(study.policies.begin(), study.policies.end(), [&](const PolicyNumbers& of) {
    return !study.same_jobs_done(of, study.policies.front());
  });
}

}  // namespace

std::string closing_sentence(const Study& study, const PolicyNumbers& base,
                             const PolicyNumbers& best) {
  report::Comparison that;
  that.policy = best.policy->name;
  that.baseline = base.policy->name;
  const Spending spending = spending_of(study, base, best);
  that.saved = spending.saved;
  that.spent = spending.spent;
  that.guardrails_saved = guardrails_saved(study, best, base);
  const auto cost = reach_of(study.difference(best, base, study.index("billed_usd")));
  that.interval = {Usd::from_micros(std::llround(cost.toward * 1e6)),
                   Usd::from_micros(std::llround(cost.away * 1e6))};
  that.runs = study.draws();
  that.reserved = all_reserved(study.scenario->world);
  const auto recovered = study.recovered(best, base, "instance_hours");
  that.recovered = instance_time(recovered.mean);
  const report::Reach<double> reach = reach_of(recovered);
  that.recovered_interval = {instance_time(reach.toward), instance_time(reach.away)};
  const auto jobs = study.difference(best, base, study.index("jobs_done"));
  if (jobs.mean < 0) {  // finishing fewer jobs costs less, so the sentence starts with that
    that.undone = jobs_changed(study, jobs);
    return report::sentence(that);
  }
  const Sooner sooner = sooner_than(study, best, base);
  if (is_story(study)) {
    that.sooner = sooner.by;
    that.sooner_interval = sooner.interval;
  }
  if (jobs.mean > 0) {  // then the mean results are of different jobs
    return fmt::format("{} {}.", report::sentence(that), capital(jobs_changed(study, jobs)));
  }
  if (is_story(study)) return report::sentence(that);
  if (!study.same_jobs_done(best, base)) {
    return fmt::format(
        "{} It finishes different jobs than {}, so their mean JCT cannot be compared.",
        report::sentence(that), that.baseline);
  }
  if (!sooner.by || *sooner.by == Duration{0}) return report::sentence(that);
  const std::string times =
      fmt::format("{}: on average, jobs finish {} than under {}.", that.policy,
                  report::sooner_or_later(*sooner.by, sooner.interval), that.baseline);
  const bool changes = that.reserved ? that.recovered != 0 : that.saved != Usd{};
  return changes ? report::sentence(that) + ' ' + times : times;
}

std::vector<std::string> comparison_notes(const Study& study) {
  std::vector<std::string> notes;
  if (std::string waste = least_waste(study); !waste.empty()) notes.push_back(std::move(waste));
  if (means_are_of_other_jobs(study)) {
    notes.emplace_back("mean JCT is over finished jobs, which differ between policies");
  }
  if (const auto front = pareto_front(study); front.size() > 1) {
    notes.push_back(fmt::format("Pareto-optimal in cost and time: {}", fmt::join(front, ", ")));
  }
  for (const auto notes_of :
       {unfinished_notes, cut_notes, unmapped_notes, not_in_data_notes, advice_notes}) {
    for (std::string& note : notes_of(study)) notes.push_back(std::move(note));
  }
  notes.insert(notes.end(), study.advice.begin(), study.advice.end());
  return notes;
}

}  // namespace reeve::app
