#include "experiments/group_measures.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "experiments/fairness.hpp"
#include "experiments/measures.hpp"
#include "experiments/run_measures.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::experiments {
namespace {

using models::Charge;
using models::JobRow;

/// What the jobs with one tag cost.
struct TagSums {
  Charge billed = 0;
  Charge wasted = 0;
  double jobs = 0;

  void add(const TagSums& other) {
    billed += other.billed;
    wasted += other.wasted;
    jobs += other.jobs;
  }
  void take(const TagSums& other) { add({-other.billed, -other.wasted, -other.jobs}); }

  bool any() const { return jobs > 0 || billed != 0 || wasted != 0; }

  Quantity quantity(std::string_view what) const {
    if (what == "jobs") return jobs;
    return models::to_usd(what == "wasted_usd" ? wasted : billed);
  }
};

/// By tag set of the directory.
std::vector<TagSums> sums_by_tag_set(const models::World& world, const models::Record& record) {
  std::vector<TagSums> sums(world.directory.tag_sets.size());
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    const models::JobProfile& profile = world.profiles[record.jobs.specs[job].profile];
    const JobRow& row = record.job_rows[job];
    sums[profile.tags.index].add({row.billed, row.wasted, 1});
  }
  for (const auto& [job, row] : record.untagged) {
    const models::JobProfile& profile = world.profiles[record.jobs.specs[job.index].profile];
    const TagSums clones{row.billed, row.wasted, 0};
    sums[profile.tags.index].take(clones);
    sums[policy::TagSetId{}.index].add(clones);
  }
  return sums;
}

std::optional<policy::ShareId> share_named(const models::World& world, std::string_view name) {
  const auto& shares = world.directory.shares;
  const auto found = std::find_if(shares.begin(), shares.end(),
                                  [&](const auto& share) { return share.name == name; });
  if (found == shares.end()) return std::nullopt;
  return policy::ShareId{static_cast<std::uint32_t>(found - shares.begin())};
}

bool is_of_group(std::string_view what) {
  return std::find(std::begin(group_metrics), std::end(group_metrics), what) !=
         std::end(group_metrics);
}

/// One number of a share in the run as a whole.
class ShareNumbers {
 public:
  ShareNumbers(const models::World& world, const models::Record& record)
      : world_{world}, record_{record}, times_{times_by_share(world, record)} {}

  std::optional<Quantity> value(policy::ShareId share, std::string_view what) const {
    if (is_of_group(what)) return some(times_[share.index].value(what));
    if (what == "preemptions") return preemptions(share);
    if (share.index >= record_.share_rows.size()) return std::nullopt;  // the tick world has none
    const models::ShareRow& row = record_.share_rows[share.index];
    const auto hours = [](Charge time) { return static_cast<double>(time) / hour_ns; };
    if (what == "borrowed_instance_hours") return hours(row.borrowed);
    if (what == "lent_instance_hours") return hours(row.lent);
    if (what == "lost_work_instance_hours") return hours(row.lost_work);
    return std::nullopt;
  }

 private:
  double preemptions(policy::ShareId share) const {
    const auto of_share = [&](const models::PreemptionRow& each) {
      const models::JobSpec& spec = record_.jobs.specs[each.job.index];
      return world_.directory.terms[world_.profiles[spec.profile].terms].share == share;
    };
    const auto& all = record_.preemptions;
    return static_cast<double>(std::count_if(all.begin(), all.end(), of_share));
  }

  const models::World& world_;
  const models::Record& record_;
  std::vector<GroupTimes> times_;
};

}  // namespace

std::optional<Quantity> of_owner(const models::World& world, const models::Record& record,
                                 std::string_view owner, std::string_view what) {
  const auto times = times_by_owner(world, record);
  const auto found = times.find(std::string{owner});
  return found == times.end() ? std::nullopt : some(found->second.value(what));
}

std::optional<Quantity> of_share(const models::World& world, const models::Record& record,
                                 std::string_view name, std::string_view what) {
  const auto share = share_named(world, name);
  if (!share) return std::nullopt;
  return ShareNumbers{world, record}.value(*share, what);
}

std::optional<Quantity> of_share_at(const models::World& world, const models::Record& record,
                                    std::string_view name, std::string_view what,
                                    policy::Instant at) {
  const auto share = share_named(world, name);
  if (!share) return std::nullopt;
  std::vector<models::ShareUseRow> newest(world.pools.size());
  for (const models::ShareUseRow& row : record.share_use) {
    if (row.share == *share && row.at <= at) newest[row.pool.index] = row;
  }
  std::uint64_t sum = 0;
  for (const models::ShareUseRow& row : newest) {
    if (what == "used") sum += row.used;
    if (what == "quota") sum += row.quota;
    if (what == "borrowed") sum += row.borrowed;
    if (what == "lent") sum += row.lent;
  }
  return static_cast<double>(sum);
}

std::optional<Quantity> jain_index_of_tag(const models::World& world, const models::Record& record,
                                          std::string_view key) {
  const auto times = times_by_tag(world, record);
  const auto groups = times.find(key);
  return groups == times.end() ? std::nullopt : some(jain_index_of(groups->second));
}

std::optional<Quantity> of_tag(const models::World& world, const models::Record& record,
                               std::string_view key, std::string_view value,
                               std::string_view what) {
  if (is_of_group(what)) return some(times_of_tag(world, record, key, value).value(what));
  const std::vector<TagSums> of_set = sums_by_tag_set(world, record);
  TagSums sum;
  for (std::uint32_t set = 0; set < of_set.size(); ++set) {
    if (world.directory.tag({set}, key).value_or(untagged) == value) sum.add(of_set[set]);
  }
  return sum.quantity(what);
}

std::vector<Measure> measures_of_tags(const scenarios::Scenario& scenario,
                                      const RunResult& result) {
  const models::Record& record = result.record;
  const auto& sets = scenario.world.directory.tag_sets;
  const std::vector<TagSums> of_set = sums_by_tag_set(scenario.world, record);
  std::map<std::string, std::map<std::string, TagSums>> tags;
  TagSums all;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    if (!of_set[set].any()) continue;
    all.add(of_set[set]);
    for (const auto& [key, value] : sets[set]) tags[key][value].add(of_set[set]);
  }
  std::vector<Measure> named;
  auto times = times_by_tag(scenario.world, record);
  for (auto& [key, values] : tags) {
    TagSums rest = all;
    for (const auto& [value, sums] : values) rest.take(sums);
    if (rest.any()) values.emplace(std::string{untagged}, rest);
    named.push_back({"tag." + scenarios::in_metric_name(key, true) + ".jain_index",
                     some(jain_index_of(times[key]))});
    for (const auto& [value, sums] : values) {
      const std::string name = "tag." + scenarios::in_metric_name(key, true) + '.' +
                               scenarios::in_metric_name(value, false) + '.';
      for (const char* const what : {"billed_usd", "wasted_usd", "jobs"}) {
        named.push_back({name + what, sums.quantity(what)});
      }
      const GroupTimes& of_group = times[key][value];
      for (const std::string_view what : group_metrics) {
        named.push_back({std::string{name}.append(what), some(of_group.value(what))});
      }
    }
  }
  return named;
}

std::vector<Measure> measures_of_owners(const scenarios::Scenario& scenario,
                                        const RunResult& result) {
  std::vector<Measure> named;
  for (const auto& [owner, of_group] : times_by_owner(scenario.world, result.record)) {
    const std::string name = "owner." + scenarios::in_metric_name(owner, false) + '.';
    for (const std::string_view what : group_metrics) {
      named.push_back({std::string{name}.append(what), some(of_group.value(what))});
    }
  }
  return named;
}

std::vector<Measure> measures_of_shares(const scenarios::Scenario& scenario,
                                        const RunResult& result) {
  constexpr std::string_view family = "share.NAME.";
  const ShareNumbers numbers{scenario.world, result.record};
  const auto& shares = scenario.world.directory.shares;
  std::vector<Measure> named;
  for (std::uint32_t share = 0; share < shares.size(); ++share) {
    for (const scenarios::MetricSpec& spec : scenarios::metric_names()) {
      if (!spec.name.starts_with(family) || spec.at_instant) continue;
      const std::string_view what = spec.name.substr(family.size());
      std::string name = "share." + shares[share].name + '.';
      named.push_back({name.append(what), numbers.value({share}, what)});
    }
  }
  return named;
}

}  // namespace reeve::experiments
