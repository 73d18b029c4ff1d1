#include "experiments/run_measures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/advice.hpp"
#include "experiments/fairness.hpp"
#include "experiments/oracle.hpp"
#include "host/enum_names.hpp"
#include "models/invoice.hpp"

namespace reeve::experiments {
namespace {

using models::Charge;
using models::JobRow;
using models::Use;
using policy::Duration;
using policy::Usd;

}  // namespace

void Measurer::uses(const std::string& prefix, const models::UseCharges& charges, Charge billed) {
  const auto rounded = models::apportion(charges);
  Usd wasted;  // of the rounded parts, so that what is printed sums to what is printed
  for (std::size_t use = 0; use < models::use_count; ++use) {
    if (models::is_waste(static_cast<Use>(use))) wasted += rounded[use];
  }
  add(prefix + "billed_usd", models::to_usd(billed));
  add(prefix + "wasted_usd", wasted);
  for (std::size_t use = 0; use < models::use_count; ++use) {
    add(prefix + std::string{models::name(static_cast<Use>(use))} + "_usd", rounded[use]);
  }
}

void Measurer::money() {
  const models::Ledger& ledger = record_.ledger;
  uses("", ledger.uses(), ledger.billed());
  add("guardrail_usd", models::to_usd(ledger.guardrail()));
  const Usd total = models::to_usd(ledger.billed()) + models::to_usd(ledger.guardrail());
  add("total_usd", total);
  add("cost_per_job_usd", cost_per_job());
  add("clairvoyant_usd", clairvoyant_bill(scenario_.world, record_));
  overlays(total);
  uses("first_attempt.", ledger.first_attempt_uses(), ledger.first_attempt_billed());
  const Usd first_guardrail = models::to_usd(ledger.first_attempt_guardrail());
  add("first_attempt.guardrail_usd", first_guardrail);
  add("first_attempt.total_usd", models::to_usd(ledger.first_attempt_billed()) + first_guardrail);
  add("ledger.residual_usd", ledger.residual_usd());
}

/// What is compared with the bill, and is no part of it.
void Measurer::overlays(Usd total) {
  const policy::Instant end =
      scenario_.world.end == policy::never ? record_.end : scenario_.world.end;
  // Usd per 30 days -> nano-dollars per hour x nanoseconds
  const Usd ops = models::to_usd(Charge{scenario_.ops_per_month.micros()} * 1'000 *
                                 (end - record_.start).count() / 720);
  add("managed_premium_usd", managed_premium());
  add("waived_usd", models::to_usd(record_.waived));
  add("starved_usd", models::to_usd(record_.starved));
  add("straggler_usd", models::to_usd(record_.straggled));
  const models::Invoice invoice = models::invoice(scenario_.world, record_);
  add("amortized_usd", models::to_usd(invoice.amortized));
  add("unblended_usd", models::to_usd(invoice.unblended));
  add("ops_usd", ops);
  const bool stated = scenario_.ops_per_month != Usd{};
  add("total_with_ops_usd", stated ? std::optional<Quantity>{total + ops} : std::nullopt);
}

std::optional<Quantity> Measurer::cost_per_job() const {
  const auto done = std::ranges::count_if(record_.job_rows, &JobRow::done);
  if (done == 0) return std::nullopt;
  const auto billed = static_cast<double>(models::to_usd(record_.ledger.billed()).micros());
  return Usd::from_micros(std::llround(billed / static_cast<double>(done)));
}

/// Nothing where the price without the managed service is not known of every fleet that was used.
std::optional<Quantity> Measurer::managed_premium() const {
  Charge premium = 0;
  for (std::size_t index = 0; index < record_.billed_time.size(); ++index) {
    if (record_.billed_time[index] == 0) continue;  // nothing was bought there
    const models::Pool& pool = scenario_.world.pools[index];
    const auto& ec2 = scenario_.ec2_prices[index];
    if (!ec2) return std::nullopt;
    premium += record_.billed_time[index] * (pool.price.nanos - ec2->nanos);
  }
  return models::to_usd(premium);
}

/// From the onset of the job's first stall to the first thing that noticed it.
std::optional<Duration> Measurer::detection(policy::JobId job) const {
  for (const models::StallRow& stall : record_.stalls) {
    if (stall.job != job) continue;
    if (stall.detected == policy::never) return std::nullopt;  // missed; a later one is another
    return stall.detected - stall.onset;
  }
  return std::nullopt;
}

void Measurer::times() {
  Sample results;
  Sample waits;
  Sample noticed;
  for (std::size_t job = 0; job < record_.job_rows.size(); ++job) {
    const JobRow& row = record_.job_rows[job];
    const policy::Instant submit = record_.jobs.specs[job].submit;
    if (row.done()) results.sorted.push_back((row.end - submit).count());
    if (row.first_start != policy::never)
      waits.sorted.push_back((row.first_start - submit).count());
  }
  for (const models::StallRow& stall : record_.stalls) {
    if (stall.detected != policy::never) {
      noticed.sorted.push_back((stall.detected - stall.onset).count());
    }
  }
  for (Sample* sample : {&results, &waits, &noticed}) {
    std::sort(sample->sorted.begin(), sample->sorted.end());
  }
  const bool only = record_.job_rows.size() == 1;
  add("time_to_result", only ? of_job({0}, "time_to_result") : std::nullopt);
  add("detected_after", only ? of_job({0}, "detected_after") : std::nullopt);
  add("makespan", models::makespan(record_));
  for (const auto& [name, sample] : {std::pair{"time_to_result", &results}, {"wait", &waits}}) {
    add(std::string{"mean_"} + name + "_s", some(sample->mean_s()));
    // Of one job they would say three times the same, and of several runs look like their spread.
    add(std::string{"median_"} + name + "_s", only ? std::nullopt : some(sample->quantile_s(0.5)));
    add(std::string{"p99_"} + name + "_s", only ? std::nullopt : some(sample->quantile_s(0.99)));
  }
  add("mean_detected_after", some(noticed.mean()));
  add("max_detected_after", some(noticed.largest()));
  GroupTimes all;
  const std::vector<GroupTimes> by_profile = times_by_profile(scenario_.world, record_);
  for (const GroupTimes& of : by_profile) all.add(of);
  add("mean_wait_again_s", some(all.value("mean_wait_again_s")));
  add("p99_wait_again_s", only ? std::nullopt : some(all.value("p99_wait_again_s")));
  add("mean_slowdown", some(all.value("mean_slowdown")));
  add("jain_index.shares", some(jain_index_of_shares(scenario_.world, by_profile)));
  add("jain_index.owners", some(jain_index_of_owners(scenario_.world, by_profile)));
  for (const char* const what : {"mean_finish_time_fairness", "worst_finish_time_fairness"}) {
    add(what, only ? std::nullopt : some(all.value(what)));  // alone it is the slowdown
  }
  const WeightedMeans weighted = weighted_means(scenario_.world, record_);
  add("weighted_mean_time_to_result_s", some(weighted.time_to_result_s));
  add("weighted_mean_wait_s", some(weighted.wait_s));
}

/// A job that may still make it when the run ends has missed nothing.
std::uint64_t Measurer::deadlines_missed() const {
  std::uint64_t missed = 0;
  for (std::size_t job = 0; job < record_.job_rows.size(); ++job) {
    const JobRow& row = record_.job_rows[job];
    const models::JobSpec& spec = record_.jobs.specs[job];
    const Duration deadline = scenario_.world.profiles[spec.profile].deadline;
    const policy::Instant result = row.done() ? row.end : record_.end;
    if (row.attempts > 0 && result > policy::later(spec.submit, deadline)) ++missed;
  }
  return missed;
}

void Measurer::counts() {
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  std::uint64_t never_started = 0;
  std::uint64_t not_in_data = 0;
  for (const JobRow& row : record_.job_rows) {
    never_started += row.attempts > 0 && row.first_start == policy::never ? 1u : 0u;
    not_in_data += row.beyond_log ? 1u : 0u;
    finished += row.done() ? 1u : 0u;
    failed += row.status == policy::Primary::failed ? 1u : 0u;
  }
  count("jobs_done", finished);
  count("jobs_failed", failed);
  count("jobs_unfinished", record_.job_rows.size() - finished);
  count("jobs_never_started", never_started);
  count("jobs_not_in_data", not_in_data);
  count("deadlines_missed", deadlines_missed());
  count("cut_off", record_.cut_off ? 1 : 0);
  count("attempts", record_.attempts_made);
  count("interruptions", record_.interruptions);
  count("preemptions", record_.preemptions.size());
  count("queue_blocks", record_.queue_blocks);
  count("notices", record_.notices);
  count("resizes", record_.resizes);
  count("node_losses", record_.node_losses);
  count("notifications", record_.notifications);
  count("alarms_created", static_cast<std::uint64_t>(std::count_if(
                              record_.alarms.begin(), record_.alarms.end(),
                              [](const models::AlarmRow& alarm) { return !alarm.is_local; })));
  count("orphan_alarms", static_cast<std::uint64_t>(std::count_if(
                             record_.alarms.begin(), record_.alarms.end(),
                             [](const models::AlarmRow& alarm) { return alarm.orphan; })));
  count("orphan_instances", record_.orphan_instances);
  count("unmapped_instances", record_.unmapped_instances);
  count("alarms_unheard",
        static_cast<std::uint64_t>(std::count_if(
            record_.alarms.begin(), record_.alarms.end(),
            [](const models::AlarmRow& alarm) { return alarm.unheard != policy::never; })));
  count("retries", record_.retries);
  count("repairs", record_.repairs);
  count("quota_refusals", record_.quota_refusals);
  count("duplicate_creates", record_.duplicate_creates);
  count("false_stops", record_.false_stops);
  count("missed_stalls",
        static_cast<std::uint64_t>(std::count_if(
            record_.stalls.begin(), record_.stalls.end(),
            [](const models::StallRow& stall) { return stall.detected == policy::never; })));
  actions();
}

void Measurer::actions() {
  std::array<std::uint64_t, std::variant_size_v<policy::Verb>> accepted{};
  std::uint64_t refused = 0;
  std::uint64_t guarded = 0;
  std::uint64_t shadowed = 0;
  std::uint64_t expired = 0;
  for (const DecisionRow& row : result_.decisions) {
    if (row.verdict == "accepted") ++accepted[row.verb.index()];
    if (row.verdict == "refused") ++refused;
    if (row.verdict == "refused" && row.why.starts_with("guard")) ++guarded;
    if (row.verdict == "shadow") ++shadowed;
    if (row.outcome == host::name_of(policy::Outcome::expired)) ++expired;
  }
  for (std::size_t verb = 0; verb < accepted.size(); ++verb) {
    count("actions." + std::string{host::name_of(static_cast<policy::VerbKind>(verb))},
          accepted[verb]);
  }
  count("actions.expired", expired);
  count("decisions.refused", refused);
  count("decisions.refused_by_guard", guarded);
  count("decisions.shadow", shadowed);
}

void Measurer::machines() {
  const auto hours = [&](Use use) {
    return static_cast<double>(record_.use_time[static_cast<std::size_t>(use)]) / hour_ns;
  };
  add("productive_instance_hours", hours(Use::productive));
  add("lost_work_instance_hours", hours(Use::lost_work));
  add("stalled_instance_hours", hours(Use::stalled));
  Charge wasted = 0;
  Charge wasted_gpus = 0;
  for (std::size_t use = 0; use < models::use_count; ++use) {
    const auto of = static_cast<Use>(use);
    if (!models::is_waste(of) || of == Use::idle_reserved) continue;
    wasted += record_.use_time[use];
    wasted_gpus += record_.gpu_time[use];
  }
  const Charge productive = record_.gpu_time[static_cast<std::size_t>(Use::productive)];
  add("wasted_instance_hours", static_cast<double>(wasted) / hour_ns);
  add("productive_gpu_hours", static_cast<double>(productive) / hour_ns);
  add("wasted_gpu_hours", static_cast<double>(wasted_gpus) / hour_ns);
  const auto percent = [](Charge part, Charge whole) -> std::optional<Quantity> {
    if (whole <= 0) return std::nullopt;
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  const models::Occupancy occupied = models::occupancy(record_);
  for (const auto& [name, peak] : {std::pair{"peak_allocated_pct", record_.peak_allocated},
                                   {"peak_used_pct", record_.peak_used}}) {
    add(name, percent(Charge{peak.part}, Charge{peak.whole}));
  }
  add("mean_allocated_pct", percent(occupied.allocated, occupied.capacity));
  add("mean_used_pct", percent(occupied.used, occupied.capacity));
}

/// The same in every run.
void Measurer::advice() {
  const Advice advice = advise(scenario_);
  add("advice.break_even_per_hour", advice.break_even_per_hour);
  add("advice.break_even_first_order_per_hour", advice.break_even_first_order_per_hour);
  add("advice.checkpoint_every", advice.checkpoint_every);
  add("advice.losses_per_hour", advice.losses_per_hour);
  add("advice.managed_break_even_usd", advice.managed_break_even);
}

std::optional<Quantity> Measurer::of_job(policy::JobId job, std::string_view what) const {
  const JobRow& row = record_.job_rows[job.index];
  const policy::Instant submit = record_.jobs.specs[job.index].submit;
  if (what == "wait" && row.first_start != policy::never) return row.first_start - submit;
  if (what == "wait_again" && row.first_start != policy::never)
    return models::waited_again(record_, job);
  if (what == "time_to_result" && row.done()) return row.end - submit;
  if (what == "slowdown" && row.done()) {
    return slowdown(row.end - submit, record_.jobs.specs[job.index].work);
  }
  if (what == "detected_after") {
    const auto after = detection(job);
    return after ? std::optional<Quantity>{*after} : std::nullopt;
  }
  if (what == "billed_usd") return models::to_usd(row.billed);
  if (what == "wasted_usd") return models::to_usd(row.wasted);
  if (what == "ticks" && !record_.job_ticks.empty()) {
    return static_cast<double>(record_.job_ticks[job.index]);
  }
  if (what == "attempts") return static_cast<double>(row.attempts);
  if (what == "interruptions") return static_cast<double>(row.interruptions);
  if (what == "preemptions") return static_cast<double>(models::preemptions_of(record_, job));
  if (what == "preempted_at") {
    for (const models::PreemptionRow& each : record_.preemptions) {
      if (each.job == job) return each.at - record_.start;
    }
    return std::nullopt;
  }
  if (what == "done") return row.done() ? 1.0 : 0.0;
  return std::nullopt;
}

/// Over the same time as that of all fleets, whose mean it is, weighed by what was there.
std::optional<Quantity> Measurer::used_pct(policy::PoolId pool) const {
  const Charge there = record_.pool_rows[pool.index].there_time;
  if (there <= 0) return std::nullopt;
  return 100 * static_cast<double>(record_.used_time[pool.index]) / static_cast<double>(there);
}

std::optional<Quantity> Measurer::of_pool(policy::PoolId pool, std::string_view what) const {
  const models::PoolRow& row = record_.pool_rows[pool.index];
  const Charge allocated = record_.allocated_time[pool.index];
  const Charge used = record_.used_time[pool.index];
  const auto hours = [](Charge time) { return static_cast<double>(time) / hour_ns; };
  const auto percent = [&](Charge time) -> std::optional<Quantity> {
    if (row.capacity_time <= 0) return std::nullopt;
    return 100 * static_cast<double>(time) / static_cast<double>(row.capacity_time);
  };
  if (what == "offered_instance_hours") return hours(row.offered_time);
  if (what == "allocated_instance_hours") return hours(allocated);
  if (what == "used_instance_hours") return hours(used);
  if (what == "free_instance_hours") return hours(row.free_time);
  if (what == "down_instance_hours") return hours(row.down_time);
  if (what == "offered_pct") return percent(row.offered_time);
  if (what == "used_pct") return used_pct(pool);
  if (what == "interruptions") return static_cast<double>(row.interruptions);
  if (what == "node_faults") return static_cast<double>(row.node_faults);
  if (what == "node_hits") return static_cast<double>(row.node_hits);
  if (what == "billed_usd") return models::pool_bills(record_)[pool.index];
  return std::nullopt;
}

}  // namespace reeve::experiments
