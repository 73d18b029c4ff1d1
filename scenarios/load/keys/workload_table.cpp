// The keys of `workload`: a trace, or jobs drawn from distributions.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "scenarios/load/keys/input.hpp"
#include "scenarios/records/trace_columns.hpp"

namespace reeve::scenarios {
namespace {

using models::Arrivals;
using models::DurationLaw;

using std::chrono::nanoseconds;

struct LognormalInput {
  Duration median{0};
  double sigma = 0;
};

struct WeibullInput {
  Duration scale{0};
  double shape = 0;
};

struct ParetoInput {
  Duration minimum{0};
  double shape = 0;
};

struct LawInput {
  std::optional<Duration> exponential;
  std::optional<LognormalInput> lognormal;
  std::optional<WeibullInput> weibull;
  std::optional<ParetoInput> pareto;
  std::optional<std::pair<Duration, Duration>> uniform;
  std::optional<Duration> max;
};

Codec<Duration> positive() {
  return duration(nanoseconds{0}, true);
}

const ObjectTable<LognormalInput>& lognormal_table() {
  static const ObjectTable<LognormalInput> table{
      "lognormal",
      "Lognormal distribution.",
      {field<LognormalInput>("median", &LognormalInput::median, positive(),
                             "half of the draws are longer", {{}, true}),
       field<LognormalInput>("sigma", &LognormalInput::sigma, number(0, 10),
                             "standard deviation of the logarithm", {{}, true})}};
  return table;
}

const ObjectTable<WeibullInput>& weibull_table() {
  static const ObjectTable<WeibullInput> table{
      "weibull",
      "Weibull distribution: early (shape < 1) or late (shape > 1) events.",
      {field<WeibullInput>("scale", &WeibullInput::scale, positive(),
                           "63 % of the draws are shorter", {{}, true}),
       field<WeibullInput>("shape", &WeibullInput::shape, number(0.05, 100), "k", {{}, true})}};
  return table;
}

const ObjectTable<ParetoInput>& pareto_table() {
  static const ObjectTable<ParetoInput> table{
      "pareto",
      "Pareto distribution, with a heavy tail.",
      {field<ParetoInput>("minimum", &ParetoInput::minimum, positive(), "no draw is shorter",
                          {{}, true}),
       field<ParetoInput>("shape", &ParetoInput::shape, number(0.05, 100), "alpha", {{}, true})}};
  return table;
}

const ObjectTable<LawInput>& law_table() {
  static const ObjectTable<LawInput> table{
      "a distribution",
      "Durations drawn from one probability distribution.",
      {field<LawInput>("exponential", &LawInput::exponential, positive(), "mean"),
       field<LawInput>("lognormal", &LawInput::lognormal, object(lognormal_table()),
                       "median and sigma"),
       field<LawInput>("weibull", &LawInput::weibull, object(weibull_table()), "scale and shape"),
       field<LawInput>("pareto", &LawInput::pareto, object(pareto_table()), "minimum and shape"),
       field<LawInput>("uniform", &LawInput::uniform, interval(), "[\"shortest\", \"longest\"]"),
       field<LawInput>("max", &LawInput::max, positive(),
                       "longer draws are reduced to this. Default: 100 years")},
      {"exponential", "lognormal", "weibull", "pareto", "uniform"}};
  return table;
}

std::optional<DurationLaw> to_law(const LawInput& input, const Node& node, Findings& findings) {
  const Duration high = input.max.value_or(longest_duration);
  DurationLaw law;
  if (input.exponential) law = {models::Shape::exponential, *input.exponential, 0, high};
  if (input.lognormal) {
    law = {models::Shape::lognormal, input.lognormal->median, input.lognormal->sigma, high};
  }
  if (input.weibull)
    law = {models::Shape::weibull, input.weibull->scale, input.weibull->shape, high};
  if (input.pareto) law = {models::Shape::pareto, input.pareto->minimum, input.pareto->shape, high};
  if (!input.uniform) return law;
  if (input.max) {
    findings.add(at_key(*node.find("max"), "E0228", "\"max\" cannot be combined with \"uniform\"",
                        "the second value of \"uniform\" is the maximum"));
    return std::nullopt;
  }
  return DurationLaw{models::Shape::uniform, input.uniform->first, 0, input.uniform->second};
}

const ObjectTable<ArrivalsInput>& arrivals_table() {
  static const ObjectTable<ArrivalsInput> table{
      "arrivals",
      "When the drawn jobs are submitted.",
      {field<ArrivalsInput>("process", &ArrivalsInput::process,
                            choice<Arrivals>({{"poisson", Arrivals::poisson},
                                              {"fixed", Arrivals::fixed_gap},
                                              {"all_at_once", Arrivals::all_at_once}}),
                            "exponential gaps, equal gaps, or none", {"\"poisson\""}),
       field<ArrivalsInput>("gap", &ArrivalsInput::gap, positive(),
                            "mean or fixed time between two submissions"),
       field<ArrivalsInput>("first", &ArrivalsInput::first, duration(),
                            "first submission, after the start of the clock", {"\"0s\""})}};
  return table;
}

using Sizes = std::vector<std::pair<std::uint32_t, double>>;

/// 8, or { "1": 0.8, "8": 0.2 }.
Codec<Sizes> sizes() {
  using Weights = std::vector<std::pair<std::string, double>>;
  const Codec<Sizes> one =
      through<Sizes, std::uint32_t>(integer<std::uint32_t>(1, 1'000'000, "instances"),
                                    [](std::uint32_t size, const Node&, Findings&) {
                                      return std::optional{Sizes{{size, 1.0}}};
                                    });
  const Codec<Sizes> many = through<Sizes, Weights>(
      map_of(number(0, 1e9)),
      [](const Weights& weights, const Node& node, Findings& findings) -> std::optional<Sizes> {
        Sizes result;
        double sum = 0;
        for (const auto& [key, weight] : weights) {
          const auto size = parse_decimal(key, 0);
          if (!size || *size < 1 || *size > 1'000'000) {
            findings.add(at_key(*node.find(key), "E0205",
                                in_quotes(key) + " is not a number of instances",
                                "a whole number, 1 to 1000000"));
            return std::nullopt;
          }
          result.emplace_back(static_cast<std::uint32_t>(*size), weight);
          sum += weight;
        }
        std::vector<double> shares;
        for (const auto& [size, weight] : result) shares.push_back(weight);
        doubt_shares(node, shares, findings);
        std::sort(result.begin(), result.end());  // keys are texts: "16" < "2"
        if (sum > 0) return result;
        findings.add(at(node, "E0230", "the weights of \"instances\" sum to 0",
                        "at least one must be more than 0"));
        return std::nullopt;
      });
  return plain_or_object(one, many);
}

std::string trace_help() {
  std::string required;
  std::string optional;
  for (const TraceColumn& column : trace_columns()) {
    std::string& list = column.required ? required : optional;
    list += (list.empty() ? "" : ", ") + std::string{column.name};
  }
  return "a .csv or .csv.gz, relative to this file; columns: " + required +
         "; optional: " + optional + "; docs/reference/tables.md describes them";
}

using Columns = std::vector<std::pair<std::string, std::string>>;

/// { "job_id": "JobID" }: ours, and what the file calls it.
Codec<Columns> column_names() {
  return through<Columns, Columns>(
      map_of(text()),
      [](Columns columns, const Node& node, Findings& findings) -> std::optional<Columns> {
        std::vector<std::string_view> known;
        for (const TraceColumn& column : trace_columns()) known.push_back(column.name);
        for (const auto& [ours, theirs] : columns) {
          if (is_trace_column(ours)) continue;
          const bool reversed = is_trace_column(theirs);
          findings.add(
              at_key(*node.find(ours), "E0201",
                     fmt::format("a trace has no column {}", in_quotes(ours)),
                     "write reeve's name first, then the file's")
                  .with_help(reversed ? fmt::format("{}: {}", in_quotes(theirs), in_quotes(ours))
                                      : did_you_mean(ours, known)));
          return std::nullopt;
        }
        return std::optional{std::move(columns)};
      });
}

const ObjectTable<RunningJobsInput>& running_jobs_table() {
  using Input = RunningJobsInput;
  using models::FittedLaw;
  using models::OpenLaw;
  const Slot law_of{&Input::law};
  const auto of = law_of(&OpenLaw::work);
  static const ObjectTable<Input> table{
      "running jobs",
      "Jobs that ran when the trace ended. Each run draws the work of each, above what the trace "
      "has of it and up to its time_limit_s, the parameters of the law, and how it ends: at its "
      "limit, failed, "
      "stopped or completed.",
      {field<Input>("jobs", &Input::jobs, list_of(text(), 1), "their job_id", {{}, true}),
       field<Input>("work", of(&FittedLaw::law), law(true), "the whole work of such jobs",
                    {{}, true}),
       field<Input>("scale_error", of(&FittedLaw::scale_error), number(0, 10),
                    "standard error of the logarithm of its scale, median, mean or minimum", {"0"}),
       field<Input>("shape_error", of(&FittedLaw::shape_error), number(0, 10),
                    "standard error of the logarithm of its shape or sigma", {"0"}),
       field<Input>("correlation", of(&FittedLaw::correlation), number(-1, 1), "of both errors",
                    {"0"}),
       field<Input>("failed", law_of(&OpenLaw::failed), probability(),
                    "probability that it fails, if it does not reach its limit", {"0"}),
       field<Input>("stopped", law_of(&OpenLaw::stopped), probability(),
                    "probability that its user stops it, likewise", {"0"})}};
  return table;
}

const ObjectTable<ForecastInput>& forecast_table() {
  using Input = ForecastInput;
  static const ObjectTable<Input> table{
      "a forecast",
      "Weeks to come, drawn from those of the trace. They are in place of them.",
      {field<Input>("weeks", &Input::weeks, integer<std::uint32_t>(1, 104, "weeks"),
                    "how many, from the start of the clock", {"4"}),
       field<Input>("running", &Input::running, list_of(object(running_jobs_table())),
                    "jobs that ran when the trace ended, by law")}};
  return table;
}

const ObjectTable<TraceWorkloadInput>& trace_table() {
  static const ObjectTable<TraceWorkloadInput> table = [] {
    using Input = TraceWorkloadInput;
    Fields<Input> fields{
        field<Input>("trace", &Input::trace, trace_file(), trace_help(), {{}, true}),
        field<Input>("format", &Input::format, word({"canonical"}),
                     "the columns of docs/reference/tables.md", {"\"canonical\""}),
        field<Input>(
            "instances_from", &Input::instances_from,
            choice<InstancesFrom>(
                {{"gpus_total", InstancesFrom::gpus_total}, {"nodes", InstancesFrom::nodes}}),
            "column with the size of a job. gpus_total: GPUs, divided by the `gpus` of the "
            "instance type and rounded up; nodes: instances. Default: gpus_total, if "
            "`nodes` does not disagree"),
        field<Input>("columns", &Input::columns, column_names(),
                     "columns that the file calls otherwise: { \"job_id\": \"JobID\" }"),
        field<Input>("estimates_from", &Input::estimates_from,
                     choice<EstimatesFrom>({{"estimate_s", EstimatesFrom::estimate},
                                            {"time_limit_s", EstimatesFrom::time_limit},
                                            {"duration_s", EstimatesFrom::duration}}),
                     "column by which schedulers plan; duration_s: they know the true run time. "
                     "Default: estimate_s, else time_limit_s, else duration_s with a warning"),
        field<Input>("end_status", &Input::end_status,
                     choice<EndStatusUse>(
                         {{"replay", EndStatusUse::replay}, {"ignore", EndStatusUse::ignore}}),
                     "replay: jobs end as the column `end_status` says; ignore: all complete",
                     {"\"replay\""}),
        field<Input>("first_jobs", &Input::first_jobs, integer<std::uint64_t>(1, 100'000'000),
                     "use only this many rows. Default: all"),
        field<Input>("shares_from", &Input::shares_from,
                     choice<SharesFrom>({{"queue", SharesFrom::queue}, {"user", SharesFrom::user}}),
                     "column with the share of a job in the `queue` of the workload; where it is "
                     "empty, `share`"),
        field<Input>("resample", &Input::resample,
                     choice<bool>({{"none", false}, {"user_weeks", true}}),
                     "user_weeks: every run but the first draws the weeks of each user anew from "
                     "those of the trace, so that intervals show how far another such period can "
                     "differ",
                     {"\"none\""}),
        field<Input>("forecast", &Input::forecast, object(forecast_table()),
                     "every run draws weeks to come; needs \"resample\": \"user_weeks\". reeve fit "
                     "writes it")};
    include(fields, &Input::profile, profile_table());
    return ObjectTable<Input>{"workload (trace)", "Jobs from a trace.", std::move(fields)};
  }();
  return table;
}

const ObjectTable<DrawnWorkloadInput>& drawn_table() {
  static const ObjectTable<DrawnWorkloadInput> table = [] {
    using Input = DrawnWorkloadInput;
    Fields<Input> fields{
        field<Input>("jobs", &Input::jobs, integer<std::uint64_t>(1, 100'000'000), "number of jobs",
                     {{}, true}),
        field<Input>("name", &Input::prefix, name("the name of a job"),
                     "jobs are named NAME-1, NAME-2, ...", {"\"job\""}),
        field<Input>("arrivals", &Input::arrivals, object(arrivals_table()),
                     "when they are submitted", {{}, true}),
        field<Input>("work", &Input::work, law(true), "undisturbed training time", {{}, true}),
        field<Input>("instances", &Input::instances, sizes(),
                     "a number, or weights: { \"1\": 0.8, \"8\": 0.2 }", {"1"}),
        field<Input>("untagged", &Input::untagged, probability(),
                     "probability that a job is submitted without tags", {"0"})};
    include(fields, &Input::profile, profile_table());
    return ObjectTable<Input>{"workload (drawn)", "Jobs drawn at random in each run.",
                              std::move(fields)};
  }();
  return table;
}

}  // namespace

const ObjectTable<HistoryFactsInput>& history_table() {
  using Input = HistoryFactsInput;
  const Slot facts{&Input::facts};
  static const ObjectTable<Input> table{
      "history",
      "How far to trust a recorded history; reeve import history writes it.",
      {field<Input>("bill_matched_pct", facts(&HistoryFacts::matched_pct), number(0, 100, "%"),
                    "part of what instances cost on the bill that jobs explain. Default: there is "
                    "no bill"),
       field<Input>("bill_covers_pct", facts(&HistoryFacts::covered_pct), number(0, 100, "%"),
                    "part of the instance-hours of jobs that is on the bill", {"100"}),
       field<Input>("prices", facts(&HistoryFacts::at_list),
                    choice<bool>({{"bill", false}, {"list", true}}),
                    "which prices the scenario has", {"\"bill\""})}};
  return table;
}

Codec<DurationLaw> law(bool above_zero) {
  const Codec<DurationLaw> fixed = through<DurationLaw, Duration>(
      duration(nanoseconds{0}, above_zero), [](Duration value, const Node&, Findings&) {
        return std::optional{DurationLaw{models::Shape::fixed, value, 0, Duration{0}}};
      });
  const Codec<DurationLaw> drawn = through<DurationLaw, LawInput>(object(law_table()), to_law);
  return plain_or_object(fixed, drawn);
}

Codec<WorkloadInput> workload() {
  return {shape_of(ShapeKind::any_of, {object_shape(trace_table()), object_shape(drawn_table())}),
          [](const Node& node, Findings& findings, WorkloadInput& into) {
            if (!expect_kind(node, Kind::object, findings)) return false;
            into.written = node;
            const bool has_trace = node.find("trace").has_value();
            if (has_trace == node.find("jobs").has_value()) {
              findings.add(at(node, "E0206", "workload needs either \"trace\" or \"jobs\"",
                              has_trace ? "both are present" : "neither is present"));
              return false;
            }
            if (has_trace) {
              return trace_table().read(node, findings, into.trace.emplace(trace_table().fresh()));
            }
            return drawn_table().read(node, findings, into.drawn.emplace(drawn_table().fresh()));
          }};
}

}  // namespace reeve::scenarios
