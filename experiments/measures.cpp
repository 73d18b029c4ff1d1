#include "experiments/measures.hpp"

#include "experiments/group_measures.hpp"
#include "experiments/rule_measures.hpp"
#include "experiments/run_measures.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::experiments {
namespace {

std::vector<Measure> measures_of_pools(const scenarios::Scenario& scenario,
                                       const RunResult& result) {
  constexpr std::string_view family = "pool.NAME.";
  const Measurer measurer{scenario, result};
  std::vector<Measure> named;
  for (std::uint32_t pool = 0; pool < scenario.world.pools.size(); ++pool) {
    for (const scenarios::MetricSpec& spec : scenarios::metric_names()) {
      if (!spec.name.starts_with(family) || spec.at_instant) continue;
      const std::string_view what = spec.name.substr(family.size());
      std::string name = "pool." + scenario.world.pools[pool].name + '.';
      named.push_back({name.append(what), measurer.of_pool({pool}, what)});
    }
  }
  return named;
}

}  // namespace

std::vector<Measure> measures(const scenarios::Scenario& scenario, const RunResult& result) {
  return Measurer{scenario, result}.all();
}

std::vector<Measure> named_measures(const scenarios::Scenario& scenario, const RunResult& result) {
  const models::Record& record = result.record;
  std::vector<Measure> named = measures_of_pools(scenario, result);
  for (const auto& family :
       {measures_of_tags, measures_of_owners, measures_of_shares, measures_of_rules}) {
    for (Measure& of_group : family(scenario, result)) named.push_back(std::move(of_group));
  }
  for (std::uint32_t job = 0; job < record.job_ticks.size(); ++job) {
    named.push_back({"job." + std::string{record.jobs.name({job})} + ".ticks",
                     static_cast<double>(record.job_ticks[job])});
  }
  return named;
}

std::optional<Quantity> measure(const scenarios::Scenario& scenario, const RunResult& result,
                                std::string_view name) {
  Measurer measurer{scenario, result};
  const std::size_t last = name.rfind('.');
  if (name.starts_with("job.")) {
    const std::string_view job = name.substr(4, last - 4);
    for (std::uint32_t index = 0; index < result.record.job_rows.size(); ++index) {
      if (result.record.jobs.name({index}) == job) {
        return measurer.of_job({index}, name.substr(last + 1));
      }
    }
    return std::nullopt;
  }
  if (name.starts_with("pool.")) {
    const std::string_view pool = name.substr(5, last - 5);
    for (std::uint32_t index = 0; index < scenario.world.pools.size(); ++index) {
      if (scenario.world.pools[index].name == pool) {
        return measurer.of_pool({index}, name.substr(last + 1));
      }
    }
    return std::nullopt;
  }
  if (name.starts_with("rule.")) {
    return of_rule(scenario, result, name.substr(5, last - 5), name.substr(last + 1));
  }
  if (name.starts_with("share.")) {
    return of_share(scenario.world, result.record, name.substr(6, last - 6), name.substr(last + 1));
  }
  if (name.starts_with("owner.")) {
    return of_owner(scenario.world, result.record,
                    scenarios::from_metric_name(name.substr(6, last - 6)), name.substr(last + 1));
  }
  if (name.starts_with("tag.")) {
    const std::size_t key_end = name.find('.', 4);
    if (key_end == last) {
      return jain_index_of_tag(scenario.world, result.record,
                               scenarios::from_metric_name(name.substr(4, last - 4)));
    }
    return of_tag(scenario.world, result.record,
                  scenarios::from_metric_name(name.substr(4, key_end - 4)),
                  scenarios::from_metric_name(name.substr(key_end + 1, last - key_end - 1)),
                  name.substr(last + 1));
  }
  for (const Measure& known : measurer.all()) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

std::optional<Quantity> measure_at(const scenarios::Scenario& scenario, const RunResult& result,
                                   std::string_view name, policy::Instant at) {
  const models::Record& record = result.record;
  const auto use = scenarios::find_metric(name);
  if (!use || !use->spec->at_instant || (record.partial && record.end < at)) return std::nullopt;
  if (!use->share.empty()) {
    const std::string_view what = use->spec->name.substr(use->spec->name.rfind('.') + 1);
    return of_share_at(scenario.world, record, use->share, what, at);
  }
  const auto pool = scenario.world.directory.pool_named(use->pool);
  if (!pool) return std::nullopt;
  std::uint32_t allocated = 0;
  policy::Instant newest = record.start;
  for (const models::UtilizationRow& row : record.utilization) {
    if (row.pool != *pool || row.at > at || row.at < newest) continue;
    newest = row.at;
    allocated = row.allocated;
  }
  return static_cast<double>(allocated);
}

double seconds(policy::Duration duration) {
  return static_cast<double>(duration.count()) / 1e9;
}

double as_double(const Quantity& quantity) {
  if (const auto* usd = std::get_if<policy::Usd>(&quantity)) {
    return static_cast<double>(usd->micros()) / 1e6;
  }
  if (const auto* duration = std::get_if<policy::Duration>(&quantity)) return seconds(*duration);
  return std::get<double>(quantity);
}

}  // namespace reeve::experiments
