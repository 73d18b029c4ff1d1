#include "experiments/fairness.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/finish_time.hpp"
#include "experiments/measures.hpp"

namespace reeve::experiments {
namespace {

using models::Charge;
using models::JobRow;
using models::JobSpec;
using models::Record;
using policy::Duration;

constexpr std::int64_t second_ns = 1'000'000'000;

/// A sum of nanoseconds over a number of them, in seconds: whole ones exactly.
double mean_of(Charge sum, Charge count) {
  const auto whole = static_cast<double>(sum / second_ns);
  const auto rest = static_cast<double>(static_cast<std::int64_t>(sum % second_ns)) * 1e-9;
  return (whole + rest) / static_cast<double>(count);
}

Charge sum_of(const std::vector<std::int64_t>& values) {
  Charge sum = 0;
  for (const std::int64_t value : values) sum += value;
  return sum;
}

/// Without the waits of each job, which take their place.
template <class Group>
class MeanSlowdowns {
 public:
  void add(const Group& group, const GroupTimes& times) {
    const auto [sum, count] = times.slowdowns();
    if (count == 0) return;
    auto& [sum_so_far, count_so_far] = of_[group];
    sum_so_far += sum;
    count_so_far += count;
  }
  std::vector<double> values() const {
    std::vector<double> means;
    for (const auto& [group, of] : of_) means.push_back(of.first / static_cast<double>(of.second));
    return means;
  }

 private:
  std::map<Group, std::pair<double, std::uint64_t>> of_;
};

}  // namespace

std::optional<double> Sample::mean_s() const {
  if (sorted.empty()) return std::nullopt;
  return mean_of(sum_of(sorted), static_cast<Charge>(sorted.size()));
}

std::optional<Duration> Sample::mean() const {
  if (sorted.empty()) return std::nullopt;
  return Duration{static_cast<std::int64_t>(sum_of(sorted) / static_cast<Charge>(sorted.size()))};
}

std::optional<Duration> Sample::largest() const {
  if (sorted.empty()) return std::nullopt;
  return Duration{sorted.back()};
}

std::optional<double> Sample::quantile_s(double p) const {
  if (sorted.empty()) return std::nullopt;
  const double rank = std::ceil(p * static_cast<double>(sorted.size()));
  const auto place = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return seconds(Duration{sorted[std::min(place, sorted.size() - 1)]});
}

double slowdown(Duration time_to_result, Duration work) {
  constexpr Duration bound = std::chrono::seconds{10};
  return std::max(1.0, seconds(time_to_result) / seconds(std::max(work, bound)));
}

void GroupTimes::add(const Record& record, policy::JobId job, double fairness) {
  const JobRow& row = record.job_rows[job.index];
  const JobSpec& spec = record.jobs.specs[job.index];
  ++jobs_;
  if (row.first_start != policy::never) waits_.push_back((row.first_start - spec.submit).count());
  const Duration again = models::waited_again(record, job);
  if (again > Duration{0}) waits_again_.push_back(again.count());
  if (!row.done()) return;
  ++done_;
  slowdowns_ += slowdown(row.end - spec.submit, spec.work);
  fairness_ += fairness;
  worst_ = std::max(worst_, fairness);
}

void GroupTimes::add(const GroupTimes& others) {
  waits_.insert(waits_.end(), others.waits_.begin(), others.waits_.end());
  waits_again_.insert(waits_again_.end(), others.waits_again_.begin(), others.waits_again_.end());
  slowdowns_ += others.slowdowns_;
  fairness_ += others.fairness_;
  worst_ = std::max(worst_, others.worst_);
  done_ += others.done_;
  jobs_ += others.jobs_;
}

std::optional<double> GroupTimes::value(std::string_view what) const {
  const bool again = what.ends_with("_wait_again_s");
  const bool is_wait = again || what.ends_with("_wait_s");
  if (!is_wait && done_ == 0) return std::nullopt;
  if (what == "mean_slowdown") return slowdowns_ / static_cast<double>(done_);
  if (what == "mean_finish_time_fairness") return fairness_ / static_cast<double>(done_);
  if (what == "worst_finish_time_fairness") return worst_;
  Sample waits{again ? waits_again_ : waits_};
  waits.sorted.resize(waits_.size());
  if (what.starts_with("mean")) return waits.mean_s();
  std::sort(waits.sorted.begin(), waits.sorted.end());
  return waits.quantile_s(0.99);
}

std::optional<double> jain_index(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(values.size()) * squares);
}

std::optional<double> jain_index_of_shares(const models::World& world,
                                           const std::vector<GroupTimes>& by_profile) {
  MeanSlowdowns<std::uint32_t> shares;
  for (std::size_t profile = 0; profile < by_profile.size(); ++profile) {
    const auto& share = world.directory.terms[world.profiles[profile].terms].share;
    if (share) shares.add(share->index, by_profile[profile]);
  }
  return jain_index(shares.values());
}

std::optional<double> jain_index_of_owners(const models::World& world,
                                           const std::vector<GroupTimes>& by_profile) {
  MeanSlowdowns<std::string_view> owners;
  for (std::size_t profile = 0; profile < by_profile.size(); ++profile) {
    const std::string& owner = world.profiles[profile].owner;
    if (!owner.empty()) owners.add(owner, by_profile[profile]);
  }
  return jain_index(owners.values());
}

std::optional<double> jain_index_of(const std::map<std::string, GroupTimes, std::less<>>& groups) {
  MeanSlowdowns<std::string_view> means;
  for (const auto& [name, group] : groups) means.add(name, group);
  return jain_index(means.values());
}

std::vector<GroupTimes> times_by_profile(const models::World& world, const models::Record& record) {
  std::vector<GroupTimes> times(world.profiles.size());
  const std::vector<double> fairness = finish_time_fairness(world, record);
  for (std::uint32_t job = 0; job < record.job_rows.size(); ++job) {
    times[record.jobs.specs[job].profile].add(record, {job}, fairness[job]);
  }
  return times;
}

std::map<std::string, GroupTimes> times_by_owner(const models::World& world,
                                                 const models::Record& record) {
  const std::vector<GroupTimes> of_profile = times_by_profile(world, record);
  std::map<std::string, GroupTimes> times;
  for (std::size_t profile = 0; profile < of_profile.size(); ++profile) {
    const std::string& owner = world.profiles[profile].owner;
    if (!owner.empty() && of_profile[profile].any()) times[owner].add(of_profile[profile]);
  }
  return times;
}

std::vector<GroupTimes> times_by_share(const models::World& world, const models::Record& record) {
  const std::vector<GroupTimes> of_profile = times_by_profile(world, record);
  std::vector<GroupTimes> times(world.directory.shares.size());
  for (std::size_t profile = 0; profile < of_profile.size(); ++profile) {
    const auto& share = world.directory.terms[world.profiles[profile].terms].share;
    if (share) times[share->index].add(of_profile[profile]);
  }
  return times;
}

std::map<std::string, std::map<std::string, GroupTimes, std::less<>>, std::less<>> times_by_tag(
    const models::World& world, const models::Record& record) {
  const std::vector<GroupTimes> of_profile = times_by_profile(world, record);
  std::map<std::string, std::map<std::string, GroupTimes, std::less<>>, std::less<>> times;
  const auto tags_of = [&](std::size_t profile) -> const std::vector<policy::Tag>& {
    return world.directory.tag_sets[world.profiles[profile].tags.index];
  };
  for (std::size_t profile = 0; profile < of_profile.size(); ++profile) {
    if (!of_profile[profile].any()) continue;
    for (const auto& [key, value] : tags_of(profile)) times[key][value].add(of_profile[profile]);
  }
  for (auto& [key, values] : times) {
    for (std::size_t profile = 0; profile < of_profile.size(); ++profile) {
      const bool lacks = !world.directory.tag(world.profiles[profile].tags, key).has_value();
      if (lacks && of_profile[profile].any()) {
        values[std::string{untagged}].add(of_profile[profile]);
      }
    }
  }
  return times;
}

GroupTimes times_of_tag(const models::World& world, const models::Record& record,
                        std::string_view key, std::string_view value) {
  const std::vector<GroupTimes> of_profile = times_by_profile(world, record);
  GroupTimes times;
  for (std::size_t profile = 0; profile < of_profile.size(); ++profile) {
    const policy::TagSetId tags = world.profiles[profile].tags;
    if (world.directory.tag(tags, key).value_or(untagged) == value) times.add(of_profile[profile]);
  }
  return times;
}

WeightedMeans weighted_means(const models::World& world, const models::Record& record) {
  const bool weighted =
      std::any_of(world.profiles.begin(), world.profiles.end(),
                  [](const models::JobProfile& profile) { return profile.weight != 1; });
  if (!weighted) return {};
  Charge results = 0, results_of = 0, waits = 0, waits_of = 0;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    const JobRow& row = record.job_rows[job];
    const JobSpec& spec = record.jobs.specs[job];
    const Charge weight = world.profiles[spec.profile].weight;
    if (row.done()) {
      results += weight * (row.end - spec.submit).count();
      results_of += weight;
    }
    if (row.first_start != policy::never) {
      waits += weight * (row.first_start - spec.submit).count();
      waits_of += weight;
    }
  }
  WeightedMeans means;
  if (results_of > 0) means.time_to_result_s = mean_of(results, results_of);
  if (waits_of > 0) means.wait_s = mean_of(waits, waits_of);
  return means;
}

}  // namespace reeve::experiments
