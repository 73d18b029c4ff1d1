// What the jobs of a history held, by instance type and market, and what a bill has for it.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "scenarios/history/join.hpp"
#include "scenarios/history/merged_jobs.hpp"
#include "scenarios/history/regions.hpp"
#include "scenarios/records/market_reading.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr double whole_bill = 0.995;  ///< of the hours of a job; W0628 tells of less

using MachineKey = std::pair<std::string, policy::Market>;

double in_hours(Duration length) {
  return std::chrono::duration<double, std::ratio<3600>>{length}.count();
}

Instant start_of(const HistoryJob& job) {
  return job.started.value_or(job.submitted + job.record.observed_wait.value_or(Duration{0}));
}

bool had_machines(const ImportedJob& job, bool by_nodes) {
  return job.end_status != EndStatus::never_started && job.end_status != EndStatus::pending &&
         machines_of(job, by_nodes) > 0;
}

/// Of reserved instances a replay has the hours that jobs used, not those that were idle.
MachineKey machine_key(const ImportedJob& job) {
  const bool is_spot = job.market == policy::Market::spot;
  return {job.instance_type, is_spot ? policy::Market::spot : policy::Market::on_demand};
}

class MachineCount {
 public:
  explicit MachineCount(JoinedHistory& joined) : joined_{joined} {}

  /// Before hold(): it needs the hours of each job that are on the bill.
  void read(const Bill& bill) {
    BilledJobs{joined_.jobs, bill}.for_each_instance_use(
        bill, [&](const BilledUse& use, std::size_t place, const ImportedJob& record) {
          if (had_machines(record, joined_.by_nodes)) add(use, record, place);
        });
  }

  void hold() {
    std::size_t place = 0;
    for (const HistoryJob& job : joined_.jobs) {
      const auto billed = billed_hours_.find(place++);
      if (!had_machines(job.record, joined_.by_nodes)) continue;
      hold(job, billed == billed_hours_.end() ? 0 : billed->second);
    }
  }

  void finish() {
    for (auto& [key, list] : changes_) {
      std::sort(list.begin(), list.end());  // at one instant, ends come first: they are negative
      std::int64_t now = 0;
      for (const auto& [at, change] : list) {
        machines_[key].most = std::max(machines_[key].most, now += change);
      }
    }
    joined_.machines.clear();
    for (auto& [key, held] : machines_) joined_.machines.push_back(std::move(held));
  }

 private:
  /// Whether the use pays for the instances that the replay has of the job.
  bool is_replayed(const BilledUse& use, const ImportedJob& record) const {
    const bool is_typed = joined_.by_nodes && record.instance_type != untyped_node;
    return !is_typed || use.instance_type.empty() ||
           use.instance_type == type_of_aws(record.instance_type);
  }

  void add(const BilledUse& use, const ImportedJob& record, std::size_t place) {
    if (!is_replayed(use, record)) {
      if (!record.billed_usd) return;  // its credits are in no job
      BilledApart& other = joined_.not_replayed[use.instance_type];
      other.hours += use.instance_hours;
      other.cost += use.cost;
      other.list += use.list;
      return;
    }
    const MachineKey key = machine_key(record);
    HeldMachines& held = machines_[key];
    held.billed_hours += use.instance_hours;
    held.list += use.list;
    if (!record.billed_usd) {
      held.credited_hours += use.instance_hours;
      return;
    }
    billed_hours_[place] += use.instance_hours;
    held.cost += use.cost;
    if (use.market == "savings_plan" || use.market == "reserved") held.committed += use.cost;
  }

  /// `billed`: instance-hours of the job on the bill.
  void hold(const HistoryJob& job, double billed) {
    const ImportedJob& record = job.record;
    const std::int64_t count = machines_of(record, joined_.by_nodes);
    const Duration time = held_by(record);
    const MachineKey key = machine_key(record);
    HeldMachines& held = machines_[key];
    held.instance_type = key.first;
    held.market = key.second;
    held.gpus = joined_.by_nodes ? std::max(held.gpus, record.gpus_per_node.value_or(0)) : 1;
    ++held.jobs;
    held.most = std::max(held.most, count);
    const double hours = in_hours(time) * static_cast<double>(count);
    const double billable =
        record.billed ? in_hours(*record.billed) * static_cast<double>(count) : hours;
    held.instance_hours += hours;
    held.billable_hours += billable;
    if (record.billed_usd) {
      const bool is_whole = billed >= whole_bill * billable;
      held.matched_hours += is_whole ? hours : hours * billed / billable;
    }
    if (time <= Duration{0}) return;
    const Instant from = start_of(job);
    changes_[key].emplace_back(from, count);
    changes_[key].emplace_back(std::max(from + time, job.ended.value_or(from + time)), -count);
  }

  JoinedHistory& joined_;
  std::map<MachineKey, HeldMachines> machines_;
  std::map<MachineKey, std::deque<std::pair<Instant, std::int64_t>>> changes_;
  std::map<std::size_t, double> billed_hours_;  ///< by place of the job
};

}  // namespace

std::int64_t machines_of(const ImportedJob& job, bool by_nodes) {
  return by_nodes ? job.nodes.value_or(1) : job.gpus_total.value_or(0);
}

Duration held_by(const ImportedJob& job) {
  return job.startup.value_or(Duration{0}) + job.duration.value_or(Duration{0}) +
         job.lost.value_or(Duration{0});
}

void count_machines(JoinedHistory& joined, const Bill& bill) {
  MachineCount count{joined};
  joined.not_replayed.clear();
  count.read(bill);
  count.hold();
  count.finish();
}

}  // namespace reeve::scenarios
