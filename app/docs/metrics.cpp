// The reference page of the metrics.
#include <fmt/format.h>

#include <array>

#include "app/docs.hpp"
#include "app/docs/markdown.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::app {
namespace {

/// Metrics whose names begin alike.
struct MetricFamily {
  std::string_view begins;
  std::string_view title;
  std::string_view text;
};

constexpr std::array metric_families = std::to_array<MetricFamily>({
    {"", "Metrics of a run", "Each has one value per run."},
    {"job.", "Metrics of a job", "`NAME` is the name of a job."},
    {"pool.", "Metrics of a fleet", "`NAME` is the name of a fleet."},
    {"rule.", "Metrics of a rule", "`NAME` is the name of a rule in its policy."},
    {"tag.", "Metrics of a tag", "`KEY` and `VALUE` are a tag of jobs."},
    {"owner.", "Metrics of an owner", "`NAME` is the owner of jobs."},
    {"share.", "Metrics of a quota share", "`NAME` is the name of a share."},
});

std::string metric_values(const scenarios::MetricSpec& metric) {
  std::string_view unit = name_of(metric.unit);
  for (const std::string_view article : {"a number of ", "a number ", "a "}) {
    if (!unit.starts_with(article)) continue;
    unit.remove_prefix(article.size());
    break;
  }
  std::string out{unit};
  if (metric.at_instant) out += ", at an instant";
  if (metric.of_one_job) out += ", one job only";
  return out;
}

}  // namespace

DocsPage metrics_page() {
  std::string text = docs_head("Metrics", "scenarios/load/keys/metric_names.cpp");
  text +=
      "`expect` lines, `--metric` and `metrics.csv` use these names. `reeve explain NAME` prints "
      "one.\n\n"
      "* *At an instant*: an `expect` line needs `at`.\n"
      "* *One job only*: the metric exists only in scenarios with one job.\n\n";
  for (const MetricFamily& family : metric_families) {
    DocsTable table{"Metric", "Value", "What it is"};
    for (const scenarios::MetricSpec& metric : scenarios::metric_names()) {
      if (scenarios::family_of(metric.name) != family.begins) continue;
      table.add({docs_code(metric.name), metric_values(metric), docs_prose(metric.help, "../")});
    }
    text += fmt::format("## {}\n\n{}\n\n{}", family.title, family.text, table.text());
  }
  text.pop_back();
  return {"metrics.md", std::move(text)};
}

}  // namespace reeve::app
