#include "app/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "app/modelled.hpp"
#include "app/quantity_text.hpp"
#include "experiments/advice.hpp"
#include "experiments/pareto.hpp"
#include "models/platform_presets.hpp"
#include "reeve/version.hpp"
#include "report/format.hpp"
#include "report/sentences.hpp"

namespace reeve::app {
namespace {

using experiments::Quantity;
using policy::Duration;
using policy::Usd;
using report::Table;

struct ShownMeasure {
  std::string_view measure;
  std::string_view title;
  bool always = false;  ///< even if it is zero for every policy
};

constexpr std::array story_columns{ShownMeasure{"first_attempt.billed_usd", "first attempt", true},
                                   ShownMeasure{"wasted_usd", "wasted", true},
                                   ShownMeasure{"detected_after", "detected in"},
                                   ShownMeasure{"billed_usd", "cost to result", true},
                                   ShownMeasure{"time_to_result", "time to result", true},
                                   ShownMeasure{"false_stops", "false stops"},
                                   ShownMeasure{"interruptions", "interruptions"},
                                   ShownMeasure{"orphan_alarms", "orphan alarms"}};

constexpr std::array fleet_columns{ShownMeasure{"jobs_done", "jobs done", true},
                                   ShownMeasure{"mean_wait_s", "mean wait", true},
                                   ShownMeasure{"mean_wait_again_s", "requeue wait"},
                                   ShownMeasure{"jobs_never_started", "never started"},
                                   ShownMeasure{"mean_time_to_result_s", "mean JCT", true},
                                   ShownMeasure{"makespan", "makespan", true},
                                   ShownMeasure{"billed_usd", "billed", true},
                                   ShownMeasure{"wasted_usd", "wasted"},
                                   ShownMeasure{"mean_detected_after", "detected in"},
                                   ShownMeasure{"missed_stalls", "missed stalls"},
                                   ShownMeasure{"false_stops", "false stops"},
                                   ShownMeasure{"mean_allocated_pct", "allocated", true},
                                   ShownMeasure{"orphan_alarms", "orphan alarms"}};

bool is_story(const Study& study) {
  return study.scenario->world.jobs.specs.size() == 1 && !study.scenario->world.drawn;
}

bool is_zero(const Number& number) {
  return !number.value || experiments::as_double(*number.value) == 0;
}

/// The columns in which any policy has something to show.
std::vector<ShownMeasure> columns_of(const Study& study) {
  std::vector<ShownMeasure> out;
  const auto consider = [&](const ShownMeasure& column) {
    const bool shown =
        column.always ||
        std::any_of(study.policies.begin(), study.policies.end(), [&](const PolicyNumbers& of) {
          return !is_zero(study.number(of, column.measure));
        });
    if (shown) out.push_back(column);
  };
  if (is_story(study)) {
    std::for_each(story_columns.begin(), story_columns.end(), consider);
  } else {
    std::for_each(fleet_columns.begin(), fleet_columns.end(), consider);
  }
  return out;
}

/// "first_attempt_billed_usd", "detected_after_s": the name as a JSON key with its unit.
std::string json_key(const Study& study, std::string_view measure) {
  std::string key{measure};
  std::replace(key.begin(), key.end(), '.', '_');
  const std::size_t at = study.index(measure);
  for (const PolicyNumbers& numbers : study.policies) {
    if (at >= numbers.zero.size()) continue;
    if (std::holds_alternative<Duration>(numbers.zero[at])) return key + "_s";
  }
  return key;
}

/// Means of durations are printed to the second.
Quantity printed(const Number& number) {
  return number.estimate.samples < 2 ? *number.value : to_the_second(*number.value);
}

/// a - b, as what is printed of the two says, unless runs that only one of them counts spoil it.
std::optional<Quantity> printed_difference(const Study& study, const PolicyNumbers& a,
                                           const PolicyNumbers& b, std::string_view measure) {
  const Number of_a = study.number(a, measure);
  const Number of_b = study.number(b, measure);
  if (!of_a.value || !of_b.value) return std::nullopt;
  const auto diff = study.difference(a, b, study.index(measure));
  if (diff.samples == 0) return std::nullopt;
  const std::size_t pairs = std::max(of_a.estimate.samples, of_b.estimate.samples);
  if (diff.samples < pairs) return quantity_like(*of_a.value, diff.mean);
  return shown_difference(measure, printed(of_a), printed(of_b));
}

/// The half width of an interval, as fine as its mean is shown.
std::string half_text(std::string_view measure, const Number& number) {
  const double half = number.estimate.half_width();
  if (measure.ends_with("_s") && std::abs(number.estimate.mean) >= 60) {
    return report::duration(std::chrono::seconds{std::llround(half)});
  }
  return quantity_text(measure, quantity_like(*number.value, half));
}

report::Cell number_cell(const Study& study, const PolicyNumbers& of, std::string_view measure) {
  const Number number = study.number(of, measure);
  if (!number.value) return report::no_cell();
  report::Cell cell = quantity_cell(measure, *number.value);
  if (number.estimate.samples < 2) return cell;
  cell.text = quantity_text(measure, printed(number));
  if (number.estimate.half_width() > 0) cell.text += " ± " + half_text(measure, number);
  return cell;
}

/// The number of a footnote in the table, which is there once.
std::uint8_t footnote(std::string text, Table& table) {
  const auto known = std::find(table.footnotes.begin(), table.footnotes.end(), text);
  const auto index = static_cast<std::uint8_t>(known - table.footnotes.begin());
  if (known == table.footnotes.end()) table.footnotes.push_back(std::move(text));
  return static_cast<std::uint8_t>(index + 1);
}

/// Whether an alarm of the policy fired and no rule or user acted on it.
bool is_unheard(const Study& study, const PolicyNumbers& of) {
  return !is_zero(study.number(of, "alarms_unheard")) &&
         !is_zero(study.number(of, "actions.put_alarm"));
}

/// The number of the footnote on a person who submits the job again; 0: the job has none.
std::uint8_t restart_footnote(const PolicyNumbers& of, Table& table) {
  if (of.person_restarts.empty()) return 0;
  std::string text = "a person restarts it at ";
  for (const Duration& at : of.person_restarts) {
    text += (&at == &of.person_restarts.front() ? "" : ", ") + report::short_duration(at);
  }
  return footnote(std::move(text), table);
}

void add_rows(const Study& study, Table& table) {
  const std::vector<ShownMeasure> columns = columns_of(study);
  table.columns.push_back({"policy", "policy", report::Align::left});
  for (const ShownMeasure& column : columns) {
    table.columns.push_back({json_key(study, column.measure), std::string{column.title}});
  }
  for (const PolicyNumbers& numbers : study.policies) {
    report::TableRow row;
    row.cells.push_back(report::cell(numbers.policy->name));
    for (const ShownMeasure& column : columns) {
      report::Cell cell = number_cell(study, numbers, column.measure);
      if (column.measure.ends_with("detected_after") && is_unheard(study, numbers)) {
        cell.footnote = footnote("an alarm fired then, and no rule acted on it", table);
      }
      if (column.measure == "mean_wait_s" &&
          !is_zero(study.number(numbers, "jobs_never_started"))) {
        cell.footnote = footnote(std::string{waits_are_of_started_jobs}, table);
      }
      if (column.measure == "time_to_result" && !numbers.person_restarts.empty()) {
        cell.footnote = restart_footnote(numbers, table);
      }
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
}

std::string machines(const models::World& world, policy::PoolId id, std::uint64_t instances) {
  const models::Pool& pool = world.pools[id.index];
  return fmt::format("{} × {} at {}", report::count(instances),
                     world.directory.types[pool.type.index].name, report::price(pool.price));
}

void add_facts(const Study& study, Table& table) {
  const scenarios::Scenario& scenario = *study.scenario;
  const models::World& world = scenario.world;
  std::vector<std::string> what{scenario.name};
  if (is_story(study)) {
    const models::JobSpec& job = world.jobs.specs[0];
    const models::JobProfile& profile = world.profiles[job.profile];
    what.push_back(machines(world, profile.pool, job.instances));
    what.push_back("work " + report::short_duration(job.work));
    if (profile.checkpoint.every > Duration{0}) {
      what.push_back("checkpoint " + report::short_duration(profile.checkpoint.every));
    }
  } else {
    const std::uint64_t drawn = world.drawn ? world.drawn->jobs : 0;
    what.push_back(report::count(world.jobs.specs.size() + drawn) + " jobs");
    for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
      what.push_back(machines(world, {pool}, world.pools[pool].capacity));
    }
  }
  table.facts.push_back(std::move(what));
  table.facts.push_back({draws_text(study), "digest " + short_digest(study.digest)});
}

/// The exact value if there is one, else the mean.
template <class T>
std::optional<T> value_as(const Study& study, const PolicyNumbers& of, std::string_view measure) {
  const Number number = study.number(of, measure);
  if (!number.value || !std::holds_alternative<T>(*number.value)) return std::nullopt;
  return std::get<T>(*number.value);
}

std::string_view result_measure(const Study& study) {
  return is_story(study) ? "time_to_result" : "mean_time_to_result_s";
}

std::optional<double> result_after_s(const Study& study, const PolicyNumbers& of) {
  const Number number = study.number(of, result_measure(study));
  if (!number.value) return std::nullopt;
  return experiments::as_double(*number.value);
}

/// How much sooner than under `base` the results are there; negative: later.
std::optional<Duration> sooner_than(const Study& study, const PolicyNumbers& of,
                                    const PolicyNumbers& base) {
  const auto later = printed_difference(study, of, base, result_measure(study));
  if (!later) return std::nullopt;
  if (const auto* exact = std::get_if<Duration>(&*later)) return -*exact;
  return Duration{-std::llround(std::get<double>(*later) * 1e9)};
}

Usd saved_by(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base) {
  const auto mine = value_as<Usd>(study, of, "billed_usd");
  const auto theirs = value_as<Usd>(study, base, "billed_usd");
  return mine && theirs ? *theirs - *mine : Usd{};
}

/// What alarms, calls and messages cost less under `of`.
Usd guardrails_saved(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base) {
  const auto saved = printed_difference(study, base, of, "guardrail_usd");
  return saved ? std::get<Usd>(*saved) : Usd{};
}

/// Mean number of jobs with a result; the job of a story is the same under every policy or its
/// absence shows as "–".
double jobs_done(const Study& study, const PolicyNumbers& of) {
  return study.number(of, "jobs_done").estimate.mean;
}

/// The policy that finishes most jobs (a policy that stops every job saves most); then the one that
/// saves most, has its results first, spends least on guardrails, is named first.
const PolicyNumbers* best_of(const Study& study, const PolicyNumbers& base) {
  const PolicyNumbers* best = nullptr;
  for (const PolicyNumbers& candidate : study.policies) {
    if (&candidate == &base || candidate.samples.empty()) continue;
    if (best == nullptr) {
      best = &candidate;
      continue;
    }
    const double more = jobs_done(study, candidate) - jobs_done(study, *best);
    const Usd gain = saved_by(study, candidate, base) - saved_by(study, *best, base);
    const auto mine = result_after_s(study, candidate);
    const auto theirs = result_after_s(study, *best);
    const bool same = study.same_jobs_done(candidate, *best);  // else their means are no times
    const bool sooner = mine && (!theirs || (same && *mine < *theirs));
    const bool leaner = mine == theirs && guardrails_saved(study, candidate, base) >
                                              guardrails_saved(study, *best, base);
    const bool cheaper = gain > Usd{} || (gain == Usd{} && (sooner || leaner));
    if (more > 0 || (more == 0 && cheaper)) best = &candidate;
  }
  return best;
}

bool all_reserved(const models::World& world) {
  return std::all_of(world.pools.begin(), world.pools.end(),
                     [](const models::Pool& pool) { return policy::is_reserved(pool.market); });
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

/// "2 more jobs are done", "the job is not done"; of the mean number `more` of them.
std::string jobs_changed(const Study& study, double more) {
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
  const std::string number =
      size < 0.005 ? fmt::format("{:.1g}", size) : quantity_text("jobs_done", size);
  return fmt::format("{} {} {} done", number, more > 0 ? "more" : "fewer",
                     size == 1 ? "job is" : "jobs are");
}

std::string capital(std::string text) {
  if (text.starts_with('t')) text.front() = 'T';
  return text;
}

/// What was wasted is idle or at work now, and what was idle may be at work: the more of the two,
/// and where one was gained and the other lost what was worked.
models::Charge recovered_by(const PolicyNumbers& best, const PolicyNumbers& base) {
  const models::Charge freed = base.misused_time - best.misused_time;
  const models::Charge worked = best.productive_time - base.productive_time;
  if ((freed < 0 && worked > 0) || (freed > 0 && worked < 0)) return worked;
  return freed < 0 || worked < 0 ? std::min(freed, worked) : std::max(freed, worked);
}

std::string closing_sentence(const Study& study, const PolicyNumbers& base,
                             const PolicyNumbers& best) {
  report::Comparison that;
  that.policy = best.policy->name;
  that.baseline = base.policy->name;
  const Spending spending = spending_of(study, base, best);
  that.saved = spending.saved;
  that.spent = spending.spent;
  that.guardrails_saved = guardrails_saved(study, best, base);
  const double half = study.difference(best, base, study.index("billed_usd")).half_width();
  that.interval = Usd::from_micros(std::llround(half * 1e6));
  that.runs = study.draws();
  that.reserved = all_reserved(study.scenario->world);
  that.recovered = recovered_by(best, base);
  const auto sooner = sooner_than(study, best, base);
  const double more = study.difference(best, base, study.index("jobs_done")).mean;
  if (more < 0) {  // finishing fewer jobs costs less, so the sentence starts with that
    that.undone = jobs_changed(study, more);
    return report::sentence(that);
  }
  if (is_story(study)) that.sooner = sooner;
  if (more > 0) {  // then the mean results are of different jobs
    return fmt::format("{} {}.", report::sentence(that), capital(jobs_changed(study, more)));
  }
  if (is_story(study)) return report::sentence(that);
  if (!study.same_jobs_done(best, base)) {
    return fmt::format(
        "{} It finishes different jobs than {}, so their mean JCT cannot be compared.",
        report::sentence(that), that.baseline);
  }
  if (!sooner || *sooner == Duration{0}) return report::sentence(that);
  const bool earlier = *sooner > Duration{0};
  const std::string times = fmt::format("{}: on average, jobs finish {} {} than under {}.",
                                        that.policy, report::duration(earlier ? *sooner : -*sooner),
                                        earlier ? "sooner" : "later", that.baseline);
  const bool changes =
      that.reserved ? that.recovered != 0 && study.draws() == 1 : that.saved != Usd{};
  return changes ? report::sentence(that) + ' ' + times : times;
}

/// What the least wasteful policy still wastes, by use.
std::string least_waste(const Study& study) {
  if (study.draws() > 1) return {};
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

/// Policies that none beats in both cost and time, where all get the same jobs done; fewer than
/// three leave nothing to choose.
std::vector<std::string> pareto_front(const Study& study) {
  std::vector<experiments::CostAndTime> choices;
  for (const PolicyNumbers& numbers : study.policies) {
    const Number cost = study.number(numbers, "billed_usd");
    const auto time = result_after_s(study, numbers);
    if (!cost.value || !time) return {};
    if (!study.same_jobs_done(numbers, study.policies.front())) return {};
    choices.push_back({experiments::as_double(*cost.value), *time});
  }
  std::vector<std::string> names;
  if (choices.size() < 3) return names;
  const std::vector<bool> front = experiments::on_front(choices);
  std::set<std::pair<double, double>> different;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!front[i]) continue;
    names.push_back(study.policies[i].policy->name);
    different.emplace(choices[i].cost, choices[i].time);
  }
  if (different.size() < 2) names.clear();  // all the same: there is nothing to choose
  return names;
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

nlohmann::ordered_json number_json(const Number& number) {
  if (!number.value) return nullptr;
  const double value = experiments::as_double(*number.value);
  nlohmann::ordered_json json{{"value", value}, {"runs", number.estimate.samples}};
  if (number.estimate.samples > 1) {
    json["lo"] = number.estimate.low;
    json["hi"] = number.estimate.high;
  }
  return json;
}

nlohmann::ordered_json lines_json(const Study& study) {
  auto out = nlohmann::ordered_json::array();
  for (const ExpectLine& line : study.lines()) {
    for (const Verdict& verdict : line.verdicts) {
      nlohmann::ordered_json entry{{"policy", verdict.policy},
                                   {"that", line.expect->text},
                                   {"line", line.expect->position.line},
                                   {"held", verdict.held}};
      if (line.expect->at) {
        entry["at_s"] = experiments::as_double(experiments::Quantity{*line.expect->at});
      }
      entry["actual"] = verdict.actual
                            ? nlohmann::ordered_json(experiments::as_double(*verdict.actual))
                            : nlohmann::ordered_json(nullptr);
      if (!verdict.broken.empty()) entry["broken_replications"] = verdict.broken;
      out.push_back(std::move(entry));
    }
  }
  return out;
}

nlohmann::ordered_json speed_json(const OtherSpeed& other) {
  const auto number = [](const std::optional<double>& value) -> nlohmann::ordered_json {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  auto numbers = nlohmann::ordered_json::array();
  for (const SpeedNumber& of : other.numbers) {
    numbers.push_back({{"policy", of.policy},
                       {"metric", of.metric},
                       {"value", number(of.now)},
                       {"then", number(of.then)},
                       {"diff", number(of.diff)},
                       {"runs", of.runs}});
  }
  return {{"factor", other.factor}, {"numbers", std::move(numbers)}};
}

nlohmann::ordered_json differences_json(const Study& study, std::size_t baseline) {
  auto out = nlohmann::ordered_json::array();
  const PolicyNumbers& base = study.policies[baseline];
  for (const PolicyNumbers& numbers : study.policies) {
    if (&numbers == &base) continue;
    for (std::size_t measure = 0; measure < study.measures.size(); ++measure) {
      const auto diff = study.difference(numbers, base, measure);
      if (diff.samples == 0) continue;
      const bool interval = study.has_interval(diff.samples);
      const auto end = [&](double value) -> nlohmann::ordered_json {
        return interval ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
      };
      out.push_back({{"policy_a", numbers.policy->name},
                     {"policy_b", base.policy->name},
                     {"metric", study.measures[measure]},
                     {"diff", diff.mean},
                     {"lo", end(diff.low)},
                     {"hi", end(diff.high)},
                     {"runs", diff.samples},
                     {"paired", true}});
    }
  }
  return out;
}

}  // namespace

std::string unmapped_text(const Study& study, const PolicyNumbers& of) {
  const Number left = study.number(of, "unmapped_instances");
  if (is_zero(left)) return {};
  const double instances = experiments::as_double(*left.value);
  return fmt::format("{:.4g} instance{} that no rule can map to a job", instances,
                     instances == 1 ? "" : "s");
}

std::size_t baseline_of(const Study& study, const std::string& name) {
  const std::string wanted = name.empty() ? "none" : name;
  for (std::size_t i = 0; i < study.policies.size(); ++i) {
    if (study.policies[i].policy->name == wanted) return i;
  }
  return 0;
}

std::string draws_text(const Study& study) {
  const scenarios::Scenario& scenario = *study.scenario;
  const std::string seed = fmt::format("seed {}", scenario.world.seed);
  if (!scenario.random) return seed + ", nothing random: 1 run is exact";
  return fmt::format("{}, {} run{} of each policy on the same draws", seed,
                     report::count(study.runs), study.runs == 1 ? "" : "s");
}

std::string short_digest(const std::string& digest) {
  if (digest.size() < 8) return digest;
  return digest.substr(0, 4) + "…" + digest.substr(digest.size() - 4);
}

/// A mean over the jobs that are done is over others where a policy gets others of them done.
bool means_are_of_other_jobs(const Study& study) {
  if (is_story(study)) return false;
  return std::any_of(study.policies.begin(), study.policies.end(), [&](const PolicyNumbers& of) {
    return !study.same_jobs_done(of, study.policies.front());
  });
}

Table comparison_table(const Study& study, std::size_t baseline, const std::string& next) {
  Table table;
  table.name = study.scenario->name;
  add_facts(study, table);
  add_rows(study, table);
  const PolicyNumbers& base = study.policies[baseline];
  const PolicyNumbers* best = best_of(study, base);
  if (std::string waste = least_waste(study); !waste.empty()) table.notes.push_back(waste);
  if (means_are_of_other_jobs(study)) {
    table.notes.emplace_back("mean JCT is over finished jobs, which differ between policies");
  }
  if (const auto front = pareto_front(study); front.size() > 1) {
    table.notes.push_back(
        fmt::format("Pareto-optimal in cost and time: {}", fmt::join(front, ", ")));
  }
  for (std::string& note : unfinished_notes(study)) table.notes.push_back(std::move(note));
  for (std::string& note : cut_notes(study)) table.notes.push_back(std::move(note));
  for (std::string& note : unmapped_notes(study)) table.notes.push_back(std::move(note));
  for (std::string& note : advice_notes(study)) table.notes.push_back(std::move(note));
  table.notes.insert(table.notes.end(), study.advice.begin(), study.advice.end());
  if (study.partial) {
    table.closing.push_back(
        {fmt::format("partial: interrupted after {} of {} runs of each policy",
                     report::count(study.runs), report::count(study.runs_asked)),
         report::Tone::bad});
  } else if (best != nullptr) {
    table.closing.push_back({closing_sentence(study, base, *best), report::Tone::strong});
  }
  const bool asked = !study.scenario->expects.empty() && !study.partial;
  if (asked || study.unbalanced > 0) {
    table.closing.push_back({});
    const std::size_t all = study.lines_asked();
    const std::size_t held = study.lines_held();
    table.closing.push_back(
        {report::expectations(held, all), held == all ? report::Tone::good : report::Tone::bad});
    for (std::string& line : untrue_lines(study)) {
      table.closing.push_back({std::move(line), report::Tone::bad});
    }
  }
  if (!next.empty()) table.closing.push_back({"next: " + next, report::Tone::faint});
  return table;
}

Table difference_table(const Study& study, std::size_t baseline) {
  Table table;
  table.name = "differences";
  const PolicyNumbers& base = study.policies[baseline];
  if (study.draws() < 2 || study.policies.size() < 2) return table;
  table.facts = {{"against " + base.policy->name, "paired by run", "95 % intervals"}};
  table.names = 2;
  table.columns = {{"policy", "policy", report::Align::left},
                   {"metric", "measure", report::Align::left},
                   {"diff", "difference"},
                   {"lo", "from"},
                   {"hi", "to"},
                   {"excludes_zero", "", report::Align::left}};
  const std::vector<ShownMeasure> columns = columns_of(study);
  for (const PolicyNumbers& numbers : study.policies) {
    if (&numbers == &base || numbers.samples.empty()) continue;
    for (const ShownMeasure& column : columns) {
      const std::size_t at = study.index(column.measure);
      if (at == study.measures.size()) continue;
      const auto diff = study.difference(numbers, base, at);
      const bool nothing = std::max(std::abs(diff.low), std::abs(diff.high)) < 1e-9;
      if (diff.samples < 2 || nothing) continue;
      const bool excludes = diff.low > 0 || diff.high < 0;
      report::TableRow row;
      row.cells = {report::cell(numbers.policy->name), report::cell(column.title)};
      for (const double value : {diff.mean, diff.low, diff.high}) {
        row.cells.push_back(quantity_cell(column.measure, quantity_like(numbers.zero[at], value)));
      }
      if (const auto shown = printed_difference(study, numbers, base, column.measure)) {
        row.cells[2].text = quantity_text(column.measure, *shown);
      }
      row.cells.push_back({excludes ? "differs" : "not significant", excludes, 0,
                           excludes ? report::Tone::plain : report::Tone::faint});
      table.rows.push_back(std::move(row));
    }
  }
  if (table.rows.empty()) table.columns.clear();
  return table;
}

std::string actual_text(const Study& study, const Verdict& verdict) {
  std::string text = verdict.policy + ": ";
  text += verdict.actual ? exact_text(*verdict.actual) : "no value";
  if (study.runs > 1 && !verdict.broken.empty()) {
    text += fmt::format(" in replication {}", verdict.broken.front());
    text += verdict.broken.size() == 1 ? fmt::format(", the only one of {} that fails", study.runs)
                                       : fmt::format(", the first of {} that fail, of {}",
                                                     verdict.broken.size(), study.runs);
  } else if (study.draws() > 1) {
    text += fmt::format(", the mean of {} of {} runs", verdict.samples, study.runs);
  }
  return text;
}

std::vector<std::string> untrue_lines(const Study& study) {
  std::vector<std::string> out;
  const std::string file = study.scenario->file.generic_string();
  for (const ExpectLine& line : study.lines()) {
    for (const Verdict& verdict : line.verdicts) {
      if (verdict.held) continue;
      out.push_back(fmt::format("✗ {}:{}: {}; {}", file, line.expect->position.line,
                                line.expect->line(), actual_text(study, verdict)));
    }
  }
  if (study.unbalanced > 0) {
    out.push_back(fmt::format("✗ {}: {} runs have a ledger that does not sum to their bill", file,
                              study.unbalanced));
  }
  return out;
}

std::string comparison_json(const Study& study, std::size_t baseline,
                            const std::vector<Table>& tables) {
  using nlohmann::ordered_json;
  ordered_json out{{"scenario", study.scenario->name},
                   {"title", study.scenario->title},
                   {"engine_version", kVersion},
                   {"modelled_on", models::modelled_on(study.scenario->world.platform.model)},
                   {"seed", study.scenario->world.seed},
                   {"runs", study.runs},
                   {"runs_asked", study.runs_asked},
                   {"partial", study.partial},
                   {"digest", study.digest},
                   {"baseline", study.policies[baseline].policy->name},
                   {"pareto_front", pareto_front(study)}};
  auto& policies = out["policies"] = ordered_json::object();
  for (const PolicyNumbers& numbers : study.policies) {
    auto& of = policies[numbers.policy->name] = ordered_json::object();
    of["digest"] = numbers.digest;
    for (const Modelled& one : modelled(*numbers.policy)) of["model"][one.option] = one.value;
    for (const std::string& measure : study.measures) {
      of["measures"][measure] = number_json(study.number(numbers, measure));
    }
    for (const OwnNumber& own : numbers.own) {
      of["measures"][own.measure] = number_json(study.number(own));
    }
  }
  out["differences"] = differences_json(study, baseline);
  out["expectations"] = {{"held", study.lines_held()},
                         {"all", study.lines_asked()},
                         {"unbalanced_runs", study.unbalanced},
                         {"lines", lines_json(study)}};
  if (study.other_speed) out["what_if_speed"] = speed_json(*study.other_speed);
  auto& printed = out["printed"] = ordered_json::array();
  for (const Table& table : tables) {
    if (!table.columns.empty()) printed.push_back(ordered_json::parse(report::json(table)));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace reeve::app
