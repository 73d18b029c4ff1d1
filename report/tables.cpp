#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "host/check.hpp"
#include "models/attempt_names.hpp"
#include "models/invoice.hpp"
#include "report/format.hpp"
#include "report/hash_chain.hpp"
#include "report/words.hpp"

namespace reeve::report {
namespace {

using models::Charge;
using models::Record;
using models::Use;
using policy::Duration;
using policy::Instant;
using policy::never;

std::string to_json(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// What a job's row needs from the world, found once per run.
class Names {
 public:
  explicit Names(const RunRows& run) : run_{run}, id_{run_id(run.info)} {
    for (const auto& tags : run.world.directory.tag_sets) {
      auto object = nlohmann::ordered_json::object();
      for (const policy::Tag& tag : tags) object[tag.first] = tag.second;
      tags_json_.push_back(to_json(object));
    }
  }

  const std::string& run() const { return id_; }
  std::string job(policy::JobId job) const { return run_.record.jobs.name(job); }
  const models::JobSpec& spec(policy::JobId job) const { return run_.record.jobs.specs[job.index]; }
  const models::JobProfile& profile(policy::JobId job) const {
    return run_.world.profiles[spec(job).profile];
  }
  const models::Pool& pool(policy::PoolId pool) const { return run_.world.pools[pool.index]; }
  const std::string& type(const models::Pool& pool) const {
    return run_.world.directory.types[pool.type.index].name;
  }
  const policy::JobTerms& terms(const models::JobProfile& profile) const {
    return run_.world.directory.terms[profile.terms];
  }
  /// Empty: none.
  std::string_view queue(const policy::JobTerms& terms) const {
    if (!terms.queue) return {};
    return run_.world.directory.queues[terms.queue->index].name;
  }
  std::string_view share(const policy::JobTerms& terms) const {
    return terms.share ? share(*terms.share) : std::string_view{};
  }
  std::string_view share(policy::ShareId share) const {
    return run_.world.directory.shares[share.index].name;
  }
  policy::TagSetId tags(policy::JobId job, policy::AttemptNumber attempt) const {
    return models::tags_of(run_.record, job, attempt, profile(job).tags);
  }
  const std::string& tags_json(policy::TagSetId tags) const { return tags_json_[tags.index]; }
  std::string_view tag(policy::TagSetId tags, std::string_view key) const {
    return run_.world.directory.tag(tags, key).value_or(std::string_view{});
  }

 private:
  const RunRows& run_;
  std::string id_;
  std::vector<std::string> tags_json_;
};

void write_costs(CsvWriter& csv, const models::Ledger& ledger) {
  const auto uses = models::apportion(ledger.uses());
  const auto of = [&](Use use) { return uses[static_cast<std::size_t>(use)]; };
  policy::Usd wasted;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    if (models::is_waste(static_cast<Use>(use))) wasted += uses[use];
  }
  csv.usd(models::to_usd(ledger.billed()));
  csv.usd(of(Use::productive));
  csv.usd(wasted);
  for (const Use use : {Use::startup, Use::checkpoint, Use::stalled, Use::lost_work, Use::drain,
                        Use::orphan, Use::idle_reserved}) {
    csv.usd(of(use));
  }
  csv.usd(models::to_usd(ledger.guardrail()));
  csv.usd(ledger.residual_usd());
}

void write_run(CsvWriter& csv, const Names& names, const RunRows& run) {
  const Record& record = run.record;
  const auto jobs_that = [&](policy::Primary status) {
    return static_cast<std::uint64_t>(
        std::ranges::count(record.job_rows, status, &models::JobRow::status));
  };
  csv.text(names.run());
  csv.text(run.info.scenario);
  csv.text(run.info.policy);
  csv.count(run.info.replication);
  csv.count(run.info.seed);
  csv.text(run.info.digest);
  csv.text(run.info.engine_version);
  csv.text(run.info.price_book);
  write_costs(csv, record.ledger);
  if (const auto makespan = models::makespan(record))
    csv.seconds(*makespan);
  else
    csv.empty();
  csv.count(jobs_that(policy::Primary::completed));
  csv.count(jobs_that(policy::Primary::failed));
  csv.count(record.false_stops);
  csv.count(static_cast<std::uint64_t>(
      std::ranges::count(record.stalls, never, &models::StallRow::detected)));
  csv.count(record.peak_instances);
  const models::Occupancy occupied = models::occupancy(record);
  csv.percent(occupied.allocated, occupied.capacity);
  csv.percent(occupied.used, occupied.capacity);
  csv.boolean(record.partial);
  csv.usd(
      models::apportion(record.ledger.uses())[static_cast<std::size_t>(models::Use::false_stop)]);
  for (const models::Peak& peak : {record.peak_allocated, record.peak_used}) {
    csv.percent(Charge{peak.part}, Charge{peak.whole});
  }
  csv.end_row();
}

/// What each ledger line costs in micro-dollars: every exported amount is a sum of these.
std::vector<policy::Usd> line_costs(const Names& names, const Record& record) {
  std::vector<policy::Usd> costs;
  if (record.ledger_lines.empty()) return costs;
  models::LineRounding rounding{record.ledger.uses()};
  for (const models::LedgerLine& line : record.ledger_lines) {
    costs.push_back(rounding.next(line.use, line.amount));
  }
  REEVE_CHECK(rounding.complete(), "ledger lines of", names.run(), "do not sum to its bill");
  return costs;
}

struct JobCost {
  policy::Usd billed;
  policy::Usd wasted;
};

/// By job: the sum of its ledger lines; without those, to the nearest micro-dollar.
std::vector<JobCost> job_costs(const Names& names, const Record& record) {
  std::vector<JobCost> costs(record.job_rows.size());
  const std::vector<policy::Usd> lines = line_costs(names, record);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const models::LedgerLine& line = record.ledger_lines[at];
    if (line.attempt == 0) continue;
    costs[line.job.index].billed += lines[at];
    if (models::is_waste(line.use)) costs[line.job.index].wasted += lines[at];
  }
  if (!lines.empty()) return costs;
  for (std::size_t job = 0; job < costs.size(); ++job) {
    costs[job] = {models::to_usd(record.job_rows[job].billed),
                  models::to_usd(record.job_rows[job].wasted)};
  }
  return costs;
}

/// What its script ended with: 0 is success.  What a machine took with it, what never started, and
/// what was stopped has said nothing.
void write_exit_code(CsvWriter& csv, const models::JobRow& row) {
  using policy::FailureClass;
  if (row.status == policy::Primary::completed) return csv.integer(0);
  const bool failed = row.status == policy::Primary::failed;
  const bool by_machines =
      row.failure == FailureClass::capacity || row.failure == FailureClass::infrastructure ||
      row.failure == FailureClass::hardware || row.failure == FailureClass::quota;
  if (!failed || by_machines) return csv.empty();
  csv.integer(1);
}

/// Attempts that are called as their job with "clone" behind it.
using AppendedNames = std::set<std::pair<policy::JobId, policy::AttemptNumber>>;

AppendedNames appended_names(const RunRows& run) {
  AppendedNames names;
  for (const DecisionRow& row : run.decisions) {
    if (row.appends_to_name && row.outcome == "done") names.insert({row.job, row.attempt});
  }
  return names;
}

/// What the platform calls attempts, and their log streams.
class LogNames {
 public:
  explicit LogNames(const RunRows& run)
      : jobs_{run.record.jobs}, names_{jobs_}, appended_{appended_names(run)} {}

  std::string of(policy::JobId job, policy::AttemptNumber attempt) const {
    const bool appended = attempt > 1 && appended_.contains({job, attempt});
    return appended ? policy::appended_name(jobs_.name(job), attempt)
                    : names_.numbered(job, attempt);
  }

 private:
  const models::Jobs& jobs_;
  models::AttemptNames names_;
  AppendedNames appended_;
};

void write_job(CsvWriter& csv, const Names& names, const RunRows& run, policy::JobId job,
               policy::PoolId ran_in, const JobCost& cost, std::uint32_t preemptions,
               const LogNames& logs) {
  const Instant start = run.record.start;
  const models::JobSpec& spec = names.spec(job);
  const models::JobRow& row = run.record.job_rows[job.index];
  const models::JobProfile& profile = names.profile(job);
  const bool done = row.status == policy::Primary::completed && row.end != never;
  csv.text(names.run());
  csv.text(names.job(job));
  const policy::JobTerms& terms = names.terms(profile);
  csv.text(names.share(terms));
  csv.text(names.queue(terms));
  csv.text(names.tag(profile.tags, "tier"));
  csv.text(profile.owner);
  csv.text(names.tag(profile.tags, "project"));
  csv.text(names.tags_json(profile.tags));
  csv.text(names.type(names.pool(ran_in)));
  csv.count(spec.instances);
  csv.since(start, spec.submit);
  csv.since(start, row.first_start);
  csv.since(start, row.end);
  csv.since(spec.submit, row.first_start);
  csv.since(spec.submit, done ? row.end : never);
  csv.text(word(row.status));
  csv.count(row.attempts);
  csv.count(row.interruptions);
  if (terms.queue) {
    csv.count(preemptions);
  } else {
    csv.empty();
  }
  csv.seconds(spec.work);
  csv.seconds(row.progress);
  csv.usd(cost.billed);
  csv.usd(cost.wasted);
  write_exit_code(csv, row);
  csv.text(row.first_start == never ? std::string{} : logs.of(job, row.attempts));
  csv.text(names.tag(profile.tags, "code"));
  if (row.first_start == never) {
    csv.empty();
  } else {
    csv.seconds(models::waited_again(run.record, job));
  }
  csv.end_row();
}

/// By job: of its newest attempt that had machines; that it asked for if none had.
std::vector<policy::PoolId> newest_pools(const Names& names, const Record& record) {
  std::vector<policy::PoolId> pools(record.job_rows.size());
  std::vector<policy::AttemptNumber> newest(record.job_rows.size(), 0);
  for (std::uint32_t job = 0; job < pools.size(); ++job) pools[job] = names.profile({job}).pool;
  for (const models::AttemptRow& attempt : record.attempts) {
    if (!attempt.had_machines() || attempt.number < newest[attempt.job.index]) continue;
    newest[attempt.job.index] = attempt.number;
    pools[attempt.job.index] = attempt.pool;
  }
  return pools;
}

void write_jobs(CsvWriter& csv, const Names& names, const RunRows& run) {
  const std::vector<JobCost> costs = job_costs(names, run.record);
  const std::vector<policy::PoolId> pools = newest_pools(names, run.record);
  std::vector<std::uint32_t> preemptions(run.record.job_rows.size());
  for (const models::PreemptionRow& each : run.record.preemptions) ++preemptions[each.job.index];
  const LogNames logs{run};
  for (std::uint32_t job = 0; job < run.record.job_rows.size(); ++job) {
    write_job(csv, names, run, {job}, pools[job], costs[job], preemptions[job], logs);
  }
}

void write_attempts(CsvWriter& csv, const Names& names, const RunRows& run) {
  const LogNames logs{run};
  for (const models::AttemptRow& attempt : run.record.attempts) {
    const models::Pool& pool = names.pool(attempt.pool);
    csv.text(names.run());
    csv.text(names.job(attempt.job));
    csv.count(attempt.number);
    csv.since(run.record.start, attempt.billed_from);
    csv.since(run.record.start, attempt.end);
    csv.text(word(pool.market));
    csv.text(names.type(pool));
    csv.seconds(attempt.resumed_from);
    csv.text(word(attempt.reason));
    csv.text(word(attempt.failure));
    csv.seconds(attempt.billed);
    csv.seconds(attempt.billable);
    csv.text(attempt.had_machines() ? logs.of(attempt.job, attempt.number) : std::string{});
    csv.end_row();
  }
}

/// What an invoice says of ledger lines, whose own amounts are amortized.  Where it says something
/// else of any, one running sum of all is rounded, then differenced: they come to the invoice
/// exactly.  Payments come first in it, so that each is told in full.
class InvoicedCosts {
 public:
  InvoicedCosts(const Names& names, const models::World& world, bool any_purchase)
      : names_{names},
        differs_{any_purchase ||
                 std::any_of(world.pools.begin(), world.pools.end(), is_invoiced_otherwise)} {}

  policy::Usd paid(Charge purchase) { return come_to(purchase); }

  policy::Usd next(const models::LedgerLine& line, policy::Usd amortized) {
    if (!differs_) return amortized;
    const models::Pool& pool = names_.pool(line.pool);
    if (!is_invoiced_otherwise(pool)) return come_to(line.amount);
    if (line.instances == 0) return {};  // between windows all was paid up front
    return come_to(line.amount / pool.price.nanos * models::invoiced_hourly(pool).nanos);
  }

 private:
  static bool is_invoiced_otherwise(const models::Pool& pool) {
    return policy::is_reserved(pool.market) &&
           models::invoiced_hourly(pool).nanos != pool.price.nanos;
  }
  policy::Usd come_to(Charge amount) {
    const policy::Usd before = models::to_usd(sum_);
    sum_ += amount;
    return models::to_usd(sum_) - before;
  }

  const Names& names_;
  bool differs_;
  Charge sum_ = 0;
};

void write_ledger_line(CsvWriter& csv, const Names& names, const models::LedgerLine& line,
                       policy::Usd cost, policy::Usd invoiced) {
  const models::Pool& pool = names.pool(line.pool);
  const bool of_job = line.attempt > 0;
  const std::string job = of_job ? names.job(line.job) : std::string{};
  csv.usd(invoiced);
  csv.usd(cost);
  csv.text("USD");
  csv.text("Usage");
  csv.instant(line.from);
  csv.instant(line.until);
  csv.text(of_job ? job + '/' + std::to_string(line.attempt) : pool.name);
  csv.text(pool.region);
  csv.text(of_job ? names.tags_json(names.tags(line.job, line.attempt)) : std::string{"{}"});
  csv.text(job);
  if (of_job)
    csv.count(line.attempt);
  else
    csv.empty();
  csv.text(name(line.use));
  csv.count(line.instances);
  csv.text(names.type(pool));
  csv.text(word(pool.market));
  csv.end_row();
}

/// An up-front payment costs nothing itself: the use of what it bought does.
void write_purchase(CsvWriter& csv, const Names& names, const models::Purchase& purchase,
                    policy::Usd paid) {
  const models::Pool& pool = names.pool(purchase.pool);
  csv.usd(paid);
  csv.usd({});
  csv.text("USD");
  csv.text("Purchase");
  csv.instant(purchase.at);
  csv.instant(purchase.at);
  csv.text(pool.name);
  csv.text(pool.region);
  csv.text("{}");
  csv.empty();  // x_job
  csv.empty();  // x_attempt
  csv.empty();  // x_class
  csv.count(pool.capacity);
  csv.text(names.type(pool));
  csv.text(word(pool.market));
  csv.end_row();
}

void write_ledger(CsvWriter& csv, const Names& names, const RunRows& run) {
  const std::vector<policy::Usd> costs = line_costs(names, run.record);
  const std::vector<models::Purchase> purchases = models::purchases(run.world, run.record);
  InvoicedCosts invoiced{names, run.world, !purchases.empty()};
  std::vector<policy::Usd> paid;
  paid.reserve(purchases.size());
  for (const models::Purchase& purchase : purchases) paid.push_back(invoiced.paid(purchase.amount));
  for (std::size_t at = 0; at < costs.size(); ++at) {
    const models::LedgerLine& line = run.record.ledger_lines[at];
    csv.text(names.run());
    csv.count(at + 1);
    write_ledger_line(csv, names, line, costs[at], invoiced.next(line, costs[at]));
  }
  for (std::size_t at = 0; at < purchases.size(); ++at) {
    csv.text(names.run());
    csv.count(costs.size() + at + 1);
    write_purchase(csv, names, purchases[at], paid[at]);
  }
}

/// What the hosts of jobs with a trace, a distribution or phases read.
void write_host_readings(CsvWriter& csv, const Names& names, const models::Record& record) {
  for (const models::HostReadingRow& row : record.host_readings) {
    csv.text(names.run());
    csv.since(record.start, row.at);
    csv.text(row.drawn ? "drawn_host" : "host");
    csv.text(names.job(row.job) + "/algo-" + std::to_string(row.host));
    for (int column = 0; column < 7; ++column) csv.empty();  // those of pools
    row.percent ? csv.number(*row.percent) : csv.empty();
    csv.end_row();
  }
}

void write_share_use(CsvWriter& csv, const Names& names, const Record& record) {
  for (const models::ShareUseRow& row : record.share_use) {
    csv.text(names.run());
    csv.since(record.start, row.at);
    csv.text("share");
    csv.text(fmt::format("{}/{}", names.share(row.share), names.pool(row.pool).name));
    csv.empty();  // capacity
    csv.count(row.used);
    csv.empty();  // used
    csv.count(row.quota);
    csv.count(row.borrowed);
    csv.count(row.lent);
    csv.empty();  // runnable
    csv.empty();  // gpu_util_pct
    csv.end_row();
  }
}

void write_utilization(CsvWriter& csv, const Names& names, const RunRows& run) {
  const auto& rows = run.record.utilization;
  // Of several changes of a pool at one instant the last counts: (run, time, pool) is the key.
  std::vector<bool> replaced(rows.size());
  std::vector<Instant> next(run.world.pools.size(), never);
  for (std::size_t row = rows.size(); row-- > 0;) {
    Instant& later = next[rows[row].pool.index];
    replaced[row] = later == rows[row].at;
    later = rows[row].at;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (replaced[row]) continue;
    const models::Pool& pool = names.pool(rows[row].pool);
    csv.text(names.run());
    csv.since(run.record.start, rows[row].at);
    csv.text("pool");
    csv.text(pool.name);
    csv.count(rows[row].there);
    csv.count(rows[row].allocated);
    csv.count(rows[row].used);
    csv.empty();  // quota
    csv.empty();  // borrowed
    csv.empty();  // lent
    csv.count(rows[row].runnable);
    csv.empty();  // gpu_util_pct
    csv.end_row();
  }
  write_share_use(csv, names, run.record);
  write_host_readings(csv, names, run.record);
}

std::string inputs_json(const DecisionRow& row) {
  nlohmann::ordered_json inputs{{"attempt", row.attempt}};
  if (!row.reason.empty()) inputs["reason"] = row.reason;
  if (!row.basis.empty()) inputs["basis"] = row.basis;
  if (!row.why.empty()) inputs["refused_by"] = row.why;
  if (row.tries > 0) inputs["tries"] = row.tries;
  if (!row.alarm_json.empty()) inputs.update(nlohmann::ordered_json::parse(row.alarm_json));
  return to_json(inputs);
}

std::vector<std::string> decision_cells(const Names& names, const RunRows& run,
                                        const DecisionRow& row) {
  std::string at;
  append_seconds(at, row.at - run.record.start);
  std::string threshold;
  if (row.threshold) append_double(threshold, *row.threshold);
  std::string latency;
  if (row.settled_at != never) append_seconds(latency, row.settled_at - row.at);
  std::string cost;
  if (row.cost_if_not) append_usd(cost, *row.cost_if_not);
  return {names.run(),
          std::to_string(row.id),
          at,
          names.job(row.job),
          row.rule,
          row.mode,
          row.verdict,
          row.action,
          inputs_json(row),
          threshold,
          row.alternatives_json,
          row.dedupe_key,
          latency,
          cost,
          row.outcome};
}

std::string write_decisions(CsvWriter& csv, const Names& names, const RunRows& run) {
  HashChain chain;
  for (const DecisionRow& row : run.decisions) {
    std::vector<std::string> cells = decision_cells(names, run, row);
    cells.push_back(chain.head());
    chain.append(cells);
    for (const std::string& cell : cells) csv.text(cell);
    csv.text(chain.head());
    csv.end_row();
  }
  return chain.head();
}

using EventKey =
    std::tuple<policy::JobId, policy::AttemptNumber, Instant, policy::Primary, policy::Secondary>;

EventKey key(const models::EventRow& row) {
  return {row.job, row.attempt, row.at, row.primary, row.secondary};
}

void write_events(CsvWriter& csv, const Names& names, const RunRows& run) {
  const auto& rows = run.record.events;
  std::vector<std::pair<EventKey, std::uint64_t>> originals;
  if (std::ranges::any_of(rows, &models::EventRow::duplicate)) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows[row].duplicate) originals.emplace_back(key(rows[row]), row + 1);
    }
    std::ranges::sort(originals);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const models::EventRow& event = rows[row];
    csv.text(names.run());
    csv.count(row + 1);
    csv.since(run.record.start, event.at);
    csv.text(word(run.world.platform.model));
    csv.text(names.job(event.job));
    csv.text(word(event.primary));
    csv.text(word(event.secondary));
    const auto original = std::ranges::lower_bound(originals, std::pair{key(event), 0UL});
    const bool known =
        event.duplicate && original != originals.end() && original->first == key(event);
    if (known)
      csv.count(original->second);
    else
      csv.empty();
    csv.since(run.record.start, event.delivered);
    csv.text(event.reason);
    csv.end_row();
  }
}

std::string alarm_name(const Names& names, const RunInfo& info, const models::AlarmRow& alarm) {
  const std::uint16_t seat = alarm.id.seat;
  return names.job(alarm.id.job) + '/' + std::to_string(alarm.attempt) + '/' +
         host_name(alarm.id.host) + '/' +
         (seat < info.seats.size() ? info.seats[seat] : "seat-" + std::to_string(seat));
}

void write_alarms(CsvWriter& csv, const Names& names, const RunRows& run) {
  std::map<std::string, std::uint64_t, std::less<>> times;
  const Instant start = run.record.start;
  for (const models::AlarmRow& alarm : run.record.alarms) {
    std::string name = alarm_name(names, run.info, alarm);
    const std::uint64_t nth = ++times[name];
    if (nth > 1) name += '#' + std::to_string(nth);
    csv.text(names.run());
    csv.text(name);
    csv.text(names.job(alarm.id.job));
    csv.since(start, alarm.created);
    csv.since(start, alarm.deleted);
    csv.since(start, alarm.fired);
    csv.text(word(alarm.state));
    csv.boolean(alarm.orphan);
    csv.end_row();
  }
}

void write_pools(CsvWriter& csv, const Names& names, const RunRows& run) {
  const std::vector<policy::Usd> bills = models::pool_bills(run.record);
  for (std::uint32_t index = 0; index < run.record.pool_rows.size(); ++index) {
    const models::Pool& pool = names.pool({index});
    const models::PoolRow& row = run.record.pool_rows[index];
    csv.text(names.run());
    csv.text(pool.name);
    csv.text(names.type(pool));
    csv.text(word(pool.market));
    csv.text(pool.zone);
    csv.count(pool.capacity);
    for (const Charge time : {row.capacity_time, row.offered_time, run.record.allocated_time[index],
                              run.record.used_time[index], row.free_time, row.down_time}) {
      csv.number(static_cast<double>(time) / 1e9);
    }
    csv.count(row.interruptions);
    csv.count(row.node_faults);
    csv.count(row.node_hits);
    csv.usd(bills[index]);
    csv.end_row();
  }
}

/// What a pool of Spot offers at what price, from one change of either to the next.
std::vector<models::OfferRow> market_rows(const RunRows& run, std::uint32_t index) {
  const models::Pool& pool = run.world.pools[index];
  std::vector<models::OfferRow> rows;
  if (pool.market != models::Market::spot) return rows;
  for (const models::OfferRow& row : run.record.offers) {
    if (row.pool.index == index) rows.push_back(row);
  }
  if (rows.empty()) return rows;
  std::vector<models::OfferRow> all;
  std::size_t next = 0;
  for (const models::PriceStep& step : pool.prices) {
    const Instant at = policy::later(run.record.start, step.at);
    if (at >= run.record.end) break;
    while (next < rows.size() && rows[next].at <= at) all.push_back(rows[next++]);
    if (!all.empty() && all.back().at < at) all.push_back({at, {index}, all.back().offered});
  }
  all.insert(all.end(), rows.begin() + static_cast<std::ptrdiff_t>(next), rows.end());
  return all;
}

void write_spot(CsvWriter& csv, const Names& names, const RunRows& run) {
  std::uint64_t seq = 0;
  for (std::uint32_t index = 0; index < run.world.pools.size(); ++index) {
    const models::Pool& pool = names.pool({index});
    for (const models::OfferRow& row : market_rows(run, index)) {
      const Duration since = row.at - run.record.start;
      const policy::UsdPerHour price =
          pool.prices.empty() ? pool.price : models::price_at(pool.prices, since);
      csv.text(names.run());
      csv.count(++seq);
      csv.since(run.record.start, row.at);
      csv.text(names.type(pool));
      csv.text(pool.zone);
      csv.count(row.offered);
      csv.number(static_cast<double>(price.nanos) / 1e9);
      row.notice ? csv.seconds(*row.notice) : csv.empty();
      csv.count(row.lost);
      csv.text(pool.name);
      csv.end_row();
    }
  }
}

void write_metrics(CsvWriter& csv, const Names& names, const RunRows& run) {
  for (const MetricRow& row : run.metrics) {
    csv.text(names.run());
    csv.text(row.name);
    csv.text(row.unit);
    if (!row.value) {
      csv.empty();
    } else if (const auto* usd = std::get_if<policy::Usd>(&*row.value)) {
      csv.usd(*usd);
    } else if (const auto* length = std::get_if<Duration>(&*row.value)) {
      csv.seconds(*length);
    } else {
      csv.number(std::get<double>(*row.value));
    }
    csv.end_row();
  }
}

void write_stops(CsvWriter& csv, const Names& names, const RunRows& run) {
  std::uint64_t seq = 0;
  const auto since_start = [&](Instant at) {
    at == never ? csv.empty() : csv.since(run.record.start, at);
  };
  for (const StopVerdictRow& row : run.stops) {
    csv.text(names.run());
    csv.count(++seq);
    csv.text(row.seat);
    csv.text(row.rule);
    csv.text(row.mode);
    csv.text(names.job(row.job));
    csv.count(row.attempt);
    csv.text(row.verdict);
    since_start(row.onset);
    since_start(row.decided);
    const bool delayed = row.onset != never && row.decided != never;
    delayed ? csv.seconds(row.decided - row.onset) : csv.empty();
    csv.usd(row.usd);
    csv.end_row();
  }
}

void write_queue(CsvWriter& csv, const Names& names, const RunRows& run) {
  for (const QueueRow& row : run.queue) {
    csv.text(names.run());
    csv.since(run.record.start, row.at);
    csv.text(names.pool(row.pool).name);
    csv.count(row.position);
    csv.text(row.queue);
    csv.text(names.job(row.job));
    csv.count(row.attempt);
    csv.text(row.share);
    csv.integer(row.priority);
    csv.count(row.instances);
    csv.text("RUNNABLE");
    csv.text(row.reason);
    csv.since(row.since, row.at);
    csv.since(run.record.start, row.starts);
    csv.end_row();
  }
}

using AttemptId = std::pair<policy::JobId, policy::AttemptNumber>;

/// Of the attempts that lost any.
std::map<AttemptId, Charge> lost_work(const Record& record) {
  std::map<AttemptId, Charge> lost;
  for (const models::LedgerLine& line : record.ledger_lines) {
    if (line.use == models::Use::lost_work) lost[{line.job, line.attempt}] += line.amount;
  }
  return lost;
}

void write_preemptions(CsvWriter& csv, const Names& names, const RunRows& run) {
  if (run.record.preemptions.empty()) return;
  const std::map<AttemptId, Charge> lost = lost_work(run.record);
  std::uint64_t seq = 0;
  for (const models::PreemptionRow& row : run.record.preemptions) {
    const bool for_somebody = row.to != row.job;
    csv.text(names.run());
    csv.count(++seq);
    csv.since(run.record.start, row.at);
    csv.text(names.job(row.job));
    csv.count(row.attempt);
    csv.text(names.share(names.terms(names.profile(row.job))));
    csv.count(row.instances);
    csv.text(policy::preempt_cause_names[static_cast<std::size_t>(row.cause)]);
    csv.text(for_somebody ? names.job(row.to) : std::string{});
    csv.text(for_somebody ? names.share(names.terms(names.profile(row.to))) : std::string_view{});
    csv.boolean(row.requeued);
    const auto found = lost.find({row.job, row.attempt});
    if (run.record.ledger_lines.empty()) {
      csv.empty();
    } else {
      csv.usd(models::to_usd(found == lost.end() ? Charge{0} : found->second));
    }
    csv.end_row();
  }
}

}  // namespace

std::string run_id(const RunInfo& info) {
  return info.policy + '/' + std::to_string(info.replication);
}

void write_header(CsvWriter& csv, TableName table) {
  for (const Field& field : schema(table).fields) csv.text(field.name);
  csv.end_row();
}

std::string write_rows(CsvWriter& csv, TableName table, const RunRows& run) {
  const Names names{run};
  switch (table) {
    case TableName::runs:
      write_run(csv, names, run);
      break;
    case TableName::jobs:
      write_jobs(csv, names, run);
      break;
    case TableName::attempts:
      write_attempts(csv, names, run);
      break;
    case TableName::ledger:
      write_ledger(csv, names, run);
      break;
    case TableName::utilization:
      write_utilization(csv, names, run);
      break;
    case TableName::decisions:
      return write_decisions(csv, names, run);
    case TableName::events:
      write_events(csv, names, run);
      break;
    case TableName::alarms:
      write_alarms(csv, names, run);
      break;
    case TableName::pools:
      write_pools(csv, names, run);
      break;
    case TableName::spot:
      write_spot(csv, names, run);
      break;
    case TableName::metrics:
      write_metrics(csv, names, run);
      break;
    case TableName::stops:
      write_stops(csv, names, run);
      break;
    case TableName::queue:
      write_queue(csv, names, run);
      break;
    case TableName::preemptions:
      write_preemptions(csv, names, run);
      break;
  }
  return {};
}

}  // namespace reeve::report
