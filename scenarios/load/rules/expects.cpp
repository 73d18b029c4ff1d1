// Expectations: each line must name a policy, a metric and a value of the metric's unit.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/load/keys/metric_names.hpp"
#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

class Expects {
 public:
  Expects(const Resolved& resolved, const KnownNames& known, Findings& findings)
      : resolved_{resolved}, names_{known}, findings_{findings} {
    const auto policies = resolved.input.written->find("policies");
    if (!policies) {
      policies_.push_back("none");
    } else if (policies->is_object()) {  // one that was not read exists nevertheless
      for (const Node policy : policies->as_object()) policies_.push_back(policy.key());
    } else {
      any_policy_ = true;
    }
  }

  /// Nothing if it cannot be read.
  std::optional<Expect> resolve(const ExpectInput& input) {
    if (!input.that.written) return std::nullopt;
    const Node that = *input.that.written;
    const auto comparison = findings_.attempt([&] { return as_comparison(that); });
    check_policy(input);
    if (!comparison) return std::nullopt;
    Expect expect;
    expect.policy = input.policy;
    expect.text = that.as_text();
    expect.that = *comparison;
    expect.position = that.source().position(that.offset(), that.raw().size());
    expect.at = input.at;
    check_metric(that, *comparison, input.policy);
    check_instant(input, that, *comparison);
    return expect;
  }

 private:
  void check_policy(const ExpectInput& input) {
    if (input.policy == "*" || any_policy_) return;
    if (std::find(policies_.begin(), policies_.end(), input.policy) != policies_.end()) return;
    findings_.error(input.written->find("policy").value_or(*input.written), "E0220",
                    fmt::format("unknown policy {}", in_quotes(input.policy)),
                    "not one of `policies`", did_you_mean(input.policy, policies_));
  }

  void refuse(const Node& that, const MetricComparison& line, std::string_view code,
              std::string message, std::string label, std::string help) {
    findings_.add(within(that, line.metric_offset, line.metric.size(), code, std::move(message),
                         std::move(label))
                      .with_help(std::move(help)));
  }

  void check_metric(const Node& that, const MetricComparison& line, std::string_view policy) {
    const auto use = find_metric(line.metric);
    if (!use) {
      refuse(that, line, "E0221", fmt::format("unknown metric {}", in_quotes(line.metric)),
             "no metric of this name", help_for(line.metric));
      return;
    }
    if (!use->job.empty() && !knows_job(use->job)) {
      refuse(that, line, "E0224", fmt::format("unknown job {}", in_quotes(use->job)),
             "no job of this name", did_you_mean_job(use->job));
    }
    if (!use->pool.empty() && !knows_pool(use->pool)) {
      std::vector<std::string_view> names;
      for (const auto& pool : resolved_.world().pools) names.push_back(pool.name);
      refuse(that, line, "E0224", fmt::format("unknown fleet {}", in_quotes(use->pool)),
             "no fleet of this name", did_you_mean(use->pool, names));
    }
    if (!use->share.empty()) check_share(that, line, use->share);
    if (!use->rule.empty()) check_rule(that, line, use->rule, policy);
    if (!use->owner.empty()) check_owner(that, line, use->owner);
    if (!use->key.empty()) check_tag(that, line, *use);
    if (use->spec->of_one_job && job_count() > 1) {
      refuse(that, line, "E0224",
             fmt::format("{} needs a scenario with one job; this one has {}", use->spec->name,
                         job_count()),
             "name the job", fmt::format("job.NAME.{}", use->spec->name));
    }
    check_literal(that, *use->spec, line.value);
    if (line.tolerance) check_literal(that, *use->spec, *line.tolerance);
  }

  /// "at" goes with metrics that have a value at each instant, and with these alone.
  void check_instant(const ExpectInput& input, const Node& that, const MetricComparison& line) {
    const auto written = input.written->find("at");
    const auto use = find_metric(line.metric);
    if (!use) return;  // reported already
    if (use->spec->at_instant && !written) {
      return refuse(that, line, "E0259", fmt::format("{} needs an instant", use->spec->name),
                    "it has a value at each instant",
                    "add \"at\": \"4h15m\" (after the start of the clock)");
    }
    if (!use->spec->at_instant && written) {
      return findings_.error(*written, "E0259",
                             fmt::format("{} describes a whole run", use->spec->name),
                             "it has no value at an instant", "leave out \"at\"");
    }
    const models::World& world = resolved_.world();
    if (!input.at || world.end == policy::never || *input.at <= world.end - world.start) return;
    findings_.error(*written, "E0259", "the instant is after the end of the clock",
                    fmt::format("it ends after {}", show(world.end - world.start)));
  }

  /// The label of a seat of the policy; of "*": of each.
  void check_rule(const Node& that, const MetricComparison& line, std::string_view label,
                  std::string_view policy) {
    if (findings_.errors() > 0) return;  // a broken policy may have it
    for (const PolicySpec& spec : resolved_.scenario.policies) {
      if (policy != "*" && policy != spec.name) continue;
      std::vector<std::string_view> labels;
      for (const SeatSpec& seat : spec.seats) labels.push_back(seat.label);
      if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
      return refuse(that, line, "E0224",
                    fmt::format("policy {} has no rule {}", in_quotes(spec.name), in_quotes(label)),
                    "no rule of this name", did_you_mean(label, labels));
    }
  }

  void check_share(const Node& that, const MetricComparison& line, std::string_view share) {
    if (findings_.errors() > 0) return;  // a broken one may be meant
    std::vector<std::string_view> names;
    for (const auto& known : resolved_.world().directory.shares) names.push_back(known.name);
    if (std::find(names.begin(), names.end(), share) != names.end()) return;
    refuse(that, line, "E0224", fmt::format("unknown share {}", in_quotes(share)),
           "no share of this name", did_you_mean(share, names));
  }

  void check_owner(const Node& that, const MetricComparison& line, const std::string& owner) {
    if (findings_.errors() > 0) return;  // broken jobs may be the ones meant
    if (names_.owners.contains(owner)) return;
    std::set<std::string> written;
    for (const std::string& known : names_.owners) written.insert(in_metric_name(known, false));
    refuse(that, line, "E0224", fmt::format("no job has the owner {}", in_quotes(owner)),
           "no owner of this name", meant(in_metric_name(owner, false), written));
  }

  /// A key that no job carries is a mistake.  A value may be one that the line expects on no job.
  void check_tag(const Node& that, const MetricComparison& line, const MetricUse& use) {
    if (findings_.errors() > 0) return;  // broken jobs may be the ones meant
    std::set<std::string> keys;          // as they are written in names of metrics
    std::set<std::string> values;
    for (const auto& set : resolved_.world().directory.tag_sets) {
      for (const auto& [key, value] : set) {
        keys.insert(in_metric_name(key, true));
        if (key == use.key) values.insert(in_metric_name(value, false));
      }
    }
    const std::string written_key = in_metric_name(use.key, true);
    const std::string written_value = in_metric_name(use.value, false);
    if (!keys.contains(written_key)) {
      const std::string help = meant(written_key, keys);
      // All jobs may be meant to lack the key, unless one is called nearly so.
      if (use.value == "(untagged)" && help.empty()) return;
      refuse(that, line, "E0224", fmt::format("no job has a tag {}", in_quotes(use.key)),
             "no key of this name", help);
      return;
    }
    if (use.value.empty()) return;  // the metric is of the key
    if (use.value == "(untagged)" || values.contains(written_value)) return;
    Diagnostic found = within(
        that, line.metric_offset, line.metric.size(), "W0495",
        fmt::format("no job has the value {} for tag {}", in_quotes(use.value), in_quotes(use.key)),
        "always 0");
    found.severity = Severity::warning;
    findings_.add(std::move(found).with_help(meant(written_value, values)));
  }

  static std::string meant(const std::string& text, const std::set<std::string>& names) {
    const std::vector<std::string_view> views{names.begin(), names.end()};
    return did_you_mean(text, views);
  }

  void check_literal(const Node& that, const MetricSpec& spec, const Literal& literal) {
    if (fits(spec.unit, literal)) return;
    std::string help;
    if (spec.unit == MetricUnit::duration && literal.kind == Literal::Kind::number) {
      help = fmt::format("a duration has a unit: {0}s, {0}m, {0}h", literal.text);
    }
    findings_.add(
        within(that, literal.offset, literal.text.size(), "E0222",
               fmt::format("{} is {}, but {} is not", spec.name, name_of(spec.unit), literal.text),
               "a value of the wrong kind")
            .with_help(help));
  }

  static bool fits(MetricUnit unit, const Literal& literal) {
    const bool bare = literal.kind == Literal::Kind::number;
    switch (unit) {
      case MetricUnit::usd:
        return literal.usd.has_value() && (bare || literal.kind == Literal::Kind::dollars);
      case MetricUnit::duration:
        return literal.kind == Literal::Kind::duration || (bare && literal.number == 0);
      case MetricUnit::seconds:
        return bare || literal.kind == Literal::Kind::duration;
      case MetricUnit::percent:
        return bare || literal.kind == Literal::Kind::percent;
      case MetricUnit::count:
      case MetricUnit::hours:
      case MetricUnit::gpu_hours:
      case MetricUnit::per_hour:
      case MetricUnit::ratio:
        return bare;
    }
    return false;
  }

  std::uint64_t job_count() const {
    const models::World& world = resolved_.world();
    return world.jobs.specs.size() + (world.drawn ? world.drawn->jobs : 0);
  }

  bool knows_job(std::string_view name) const {
    if (findings_.errors() > 0) return true;  // broken jobs may be the ones meant
    if (names_.job(name)) return true;
    const auto& drawn = resolved_.world().drawn;
    return drawn && drawn_number(name, *drawn);
  }

  bool knows_pool(std::string_view name) const {
    const std::vector<models::Pool>& pools = resolved_.world().pools;
    if (findings_.errors() > 0) return true;  // a broken one may be meant
    return std::any_of(pools.begin(), pools.end(),
                       [&](const models::Pool& pool) { return pool.name == name; });
  }

  std::string did_you_mean_job(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& [job, id] : names_.jobs) {
      if (names.size() >= 10'000) break;
      names.push_back(job);
    }
    return did_you_mean(name, names);
  }

  /// The nearest metric; inside job.NAME.x and tag.K.V.x, the nearest of the last part.
  static std::string help_for(std::string_view metric) {
    const std::string_view family = family_of(metric);
    const bool named = !family.empty();
    std::vector<std::string_view> names;
    for (const MetricSpec& spec : metric_names()) {
      if (!named) names.push_back(spec.name);
      if (named && spec.name.starts_with(family)) {
        names.push_back(spec.name.substr(spec.name.rfind('.') + 1));
      }
    }
    const std::string_view last = named ? metric.substr(metric.rfind('.') + 1) : metric;
    const std::string help = did_you_mean(last, names);
    if (!help.empty()) return help;
    // What one job, fleet, tag or rule has, and not the run.
    for (const MetricSpec& spec : metric_names()) {
      const bool has = spec.name.substr(spec.name.rfind('.') + 1) == last;
      if (has &&
          (named ? spec.name.find('.') == spec.name.npos : spec.name.find('.') != spec.name.npos)) {
        return fmt::format("use {}", in_quotes(spec.name));
      }
    }
    return "run `reeve schema` for the list of metrics";
  }

  const Resolved& resolved_;
  const KnownNames& names_;
  Findings& findings_;
  std::vector<std::string_view> policies_;
  bool any_policy_ = false;  ///< `policies` was not read
};

}  // namespace

std::string Expect::line() const {
  return at ? fmt::format("{} at {}", text, show(*at)) : text;
}

std::vector<models::ScriptedApiFault> resolve_api_faults(const ScenarioInput& input,
                                                         const KnownNames& names,
                                                         Findings& findings) {
  std::vector<models::ScriptedApiFault> faults;
  for (const ApiFaultInput& written : input.platform.api.faults) {
    models::ScriptedApiFault fault = written.fault;
    if (written.job) {
      if (const auto known = names.job(*written.job)) {
        fault.job = *known;
      } else if (findings.errors() == 0) {
        std::vector<std::string_view> known_names;
        for (const auto& [job, id] : names.jobs) known_names.push_back(job);
        findings.error(*written.written->find("job"), "E0224",
                       fmt::format("unknown job {}", in_quotes(*written.job)),
                       "no job of this name", did_you_mean(*written.job, known_names));
      }
    }
    faults.push_back(fault);
  }
  return faults;
}

std::vector<Expect> resolve_expects(const Resolved& resolved, const KnownNames& names,
                                    Findings& findings) {
  Expects expects{resolved, names, findings};
  std::vector<Expect> all;
  for (const ExpectInput& input : resolved.input.expect) {
    if (findings.full()) break;
    if (auto expect = expects.resolve(input)) all.push_back(std::move(*expect));
  }
  return all;
}

}  // namespace reeve::scenarios
