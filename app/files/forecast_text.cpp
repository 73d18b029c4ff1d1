#include "app/files/forecast_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/edit.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::app {
namespace {

using experiments::LawKind;
using experiments::RunningJobs;

/// What a scenario can hold of a scale.
constexpr double most_scale_s = std::chrono::duration<double>{scenarios::longest_duration}.count();

double within(double value, double low, double high) {
  return std::isnan(value) ? high : std::clamp(value, low, high);
}

/// "2.1 [1.9, 2.3]", of what is known to `error` on the scale of logarithms.
std::string with_interval(double value, double error) {
  const double factor = std::exp(experiments::normal_reach * error);
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", value, value / factor, value * factor);
}

std::string running_text(const RunningJobs& running, const std::set<std::string>& names) {
  const auto& p = running.law.parameters;
  const bool is_normal = running.law.kind == LawKind::lognormal;
  const double scale_s = within(is_normal ? std::exp(p[0]) : p[1], 1, most_scale_s);
  const double shape = is_normal ? within(p[1], 0, 10) : within(p[0], 0.05, 100);
  const double scale_error = within(running.errors.log_scale, 0, 10);
  const double shape_error = within(running.errors.log_shape, 0, 10);
  const std::string_view scale_name = is_normal ? "median" : "scale";
  const std::string_view shape_name = is_normal ? "sigma" : "shape";
  std::string text = fmt::format("        // {}: {:.0f} of {:.0f} jobs ended; {} {} h, {} {}\n",
                                 running.group, running.ended, running.all, scale_name,
                                 with_interval(scale_s / 3600, scale_error), shape_name,
                                 with_interval(shape, shape_error));
  text += fmt::format(
      "        {{ \"work\": {{ \"{}\": {{ \"{}\": \"{:.0f}s\", \"{}\": {:.6g} }} }},\n"
      "          \"scale_error\": {:.4g}, \"shape_error\": {:.4g}, \"correlation\": {:.4f},\n"
      "          \"failed\": {:.6f}, \"stopped\": {:.6f},\n"
      "          \"jobs\": [",
      is_normal ? "lognormal" : "weibull", scale_name, scale_s, shape_name, shape, scale_error,
      shape_error, within(running.errors.correlation, -1, 1), running.failed, running.stopped);
  std::string separator = "\n            ";
  for (const std::string& name : names) {
    text += separator + nlohmann::json(name).dump();
    separator = ",\n            ";
  }
  return text + " ] }";
}

/// How much the weeks have in all.
std::string levels_text(std::int64_t weeks) {
  if (weeks < 3) return "no interval: fewer than 5 whole weeks; users' weeks are independent";
  const std::string drawn =
      "GPU-hours of each week: Student's t on logarithms of these weeks, as many users' weeks as "
      "that needs";
  return weeks < 5 ? "no interval: fewer than 5 whole weeks. " + drawn : drawn;
}

/// What the forecast repeats and what it draws, with what that rests on.
std::string forecast_json(const experiments::Fit& fit, const ForecastWeeks& of) {
  std::string text = fmt::format(
      "{{\n      // drawn for each run, as random.seed says, from the users' weeks of {} jobs in "
      "{} "
      "whole weeks;\n      // failures, stalls and interruptions are those of these jobs\n"
      "      // {}\n"
      "      \"weeks\": {}",
      report::count(of.replayed.jobs), of.replayed.weeks, levels_text(of.replayed.weeks), of.weeks);
  std::string laws;
  for (const RunningJobs& running : fit.running) {
    std::set<std::string> names;
    for (const std::size_t job : running.jobs) {
      const std::string& name = of.running.at(job);
      if (of.replayed.running.contains(name)) names.insert(name);
    }
    if (names.empty()) continue;
    laws += (laws.empty() ? "" : ",\n") + running_text(running, names);
  }
  if (laws.empty()) return text + "\n    }";
  text +=
      ",\n      // Jobs that still ran when the history ended: each run draws the rest of their "
      "work.\n      // Behind each law: the jobs it rests on, and its parameters with 90 % "
      "intervals, cut to what a\n      // scenario can hold\n      \"running\": [\n";
  return text + laws + "\n      ]\n    }";
}

}  // namespace

std::string forecast_text(const scenarios::Document& history, const experiments::Fit& fit,
                          const ForecastWeeks& of) {
  auto next = of.clock;
  while (next < fit.end) next += experiments::week_length;
  std::string text{history.source().text()};
  const auto set = [&](std::string_view path, const std::string& value) {
    const auto source = scenarios::SourceFile::from_text("forecast", text);
    text = scenarios::with_value(scenarios::Document::parse(source), path, value);
  };
  set("name", "\"forecast\"");
  set("title", fmt::format("\"{} like those of {}\"", scenarios::counted(of.weeks, "week"),
                           scenarios::counted(of.replayed.jobs, "job")));
  set("clock.start", fmt::format("\"{}\"", scenarios::show(next)));
  set("random.runs", "200");
  set("workload.resample", "\"user_weeks\"");
  // Values are JSON without comments: the place of the forecast first, then its text.
  const std::string place = "\"(the forecast)\"";
  set("workload.forecast", place);
  return text.replace(text.find(place), place.size(), forecast_json(fit, of));
}

}  // namespace reeve::app
