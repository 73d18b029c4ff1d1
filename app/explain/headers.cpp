#include "app/explain/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/group_table.hpp"
#include "app/compare/share_table.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::app {
namespace {

/// A header whose column shows that metric.
constexpr Header shows_metric(std::string_view command, std::string_view title,
                              std::string_view metric) {
  return {command, title, metric, {}};
}

constexpr Header says_text(std::string_view command, std::string_view title,
                           std::string_view text) {
  return {command, title, {}, text};
}

constexpr std::string_view captured_text =
    "The part of what could be saved of the baseline's bill that the policy saves, over all runs: "
    "the difference of billed_usd, divided by the baseline's billed_usd - clairvoyant_usd. No "
    "value "
    "unless both get the same jobs done. In compare.csv: captured_pct";
constexpr std::string_view recovered_text =
    "GPU-hours that the policy recovers against the baseline: the time that the baseline "
    "wastes (wasted_gpu_hours) and the policy does not, or the productive time that only the "
    "policy has, if that is more. Reserved capacity is paid for anyway, so no dollars are "
    "saved. In compare.csv: recovered_gpu_hours";

constexpr std::array comparison_headers{
    says_text("compare", "policy", "name of the policy in `policies`"),
    says_text("compare", captured_title, captured_text),
    says_text("compare", recovered_title, recovered_text),
    says_text("compare", "recovered", recovered_text),
    says_text("compare", "recovered GPU-hours", recovered_text),
    shows_metric("compare", "JCT", "mean_time_to_result_s"),
    says_text("compare", "measure", "the metric that the row compares"),
    says_text("compare", "difference", "mean of policy - baseline, paired by run"),
    says_text("compare", "from", "low end of the 95 % interval of the difference"),
    says_text("compare", "to", "high end of the 95 % interval"),
    says_text("compare", "differs", "the 95 % interval of the difference does not contain 0"),
    says_text("compare", "not significant",
              "the 95 % interval of the difference contains 0: more runs may show a difference"),
    says_text("compare", "pp", "percentage points: the difference of two percentages"),
    says_text("run", "measure", "name of the metric; `reeve explain METRIC` describes it"),
    says_text("run", "value", "value of the metric; the mean, if there are several runs"),
    says_text("run", "95 % interval", "low end of the 95 % interval of the mean"),
};

constexpr std::array stop_headers{
    says_text("compare", "rule", "name of the rule in its policy, and its mode if not enforce"),
    shows_metric("compare", "right stops", "rule.NAME.right_stops"),
    shows_metric("compare", "late", "rule.NAME.late_stops"),
    shows_metric("compare", "false", "rule.NAME.false_stops"),
    shows_metric("compare", "missed", "rule.NAME.missed_stalls"),
    shows_metric("compare", "policy violation", "rule.NAME.kept_rule_stops"),
    shows_metric("compare", "mean delay", "rule.NAME.mean_delay"),
    shows_metric("compare", "longest", "rule.NAME.max_delay"),
    shows_metric("compare", "false cost", "rule.NAME.false_stop_usd"),
    shows_metric("compare", "late cost", "rule.NAME.late_stop_usd"),
    shows_metric("compare", "missed cost", "rule.NAME.missed_stall_usd"),
    shows_metric("compare", "GPU gap", "rule.NAME.gap_usd"),
    says_text("compare", "share", "name of the quota share"),
    says_text("compare", "owner", "owner of the jobs"),
};

constexpr std::array queue_headers{
    says_text("explain --at", "position", "position in the queue, from 1"),
    says_text("explain --at", "job", "name of the job"),
    says_text("explain --at", "fleet", "fleet whose instances the job waits for"),
    says_text("explain --at", "share", "quota share of the job"),
    says_text("explain --at", "priority", "priority of the job"),
    says_text("explain --at", "instances", "instances that the job needs"),
    says_text("explain --at", "waited",
              "time since the attempt was submitted or lost its instances"),
    says_text("explain --at", "waits for",
              "reason of the wait: instances, environment, user_limit, quota, account_quota "
              "or turn"),
    says_text("explain --at", "starts at", "when the job starts in this run; –: it does not"),
};

constexpr std::array list_headers{
    says_text("policies", "rule", "kind of the rule: the value of `rule`"),
    says_text("policies", "what it does", "summary of the rule"),
    says_text("init", "template", "name of the template: `reeve init NAME` writes it"),
    says_text("init", "what it shows", "title of the scenario"),
    says_text("prices", "type", "instance type"),
    says_text("prices", "service", "service that bills the instance: sagemaker_training or ec2"),
    says_text("prices", "market", "on_demand, spot, a savings plan or a capacity block"),
    says_text("prices", "price", "dollars per instance-hour, or the discount of a plan"),
    says_text("prices", "from", "first day on which the price is valid"),
    says_text("prices", "last seen", "last day on which the price was verified"),
    says_text("prices", "accelerators", "accelerators per instance"),
    says_text("prices", "confidence", "how reliable the source of the price is"),
    says_text("prices premium", "managed", "on-demand price of SageMaker training"),
    says_text("prices premium", "EC2", "on-demand price of EC2"),
    says_text("prices premium", "ratio", "managed price divided by the EC2 price"),
    says_text("prices diff", "before", "price in the first price book"),
    says_text("prices diff", "after", "price in the second price book"),
    says_text("prices diff", "change", "difference in percent, or added, removed or changed"),
};

constexpr std::array live_headers{
    says_text("live", "rule", "name of the rule in its policy"),
    says_text("live", "would stop", "stops that the rule would send"),
    says_text("live", "would clone", "clones that the rule would submit"),
    says_text("live", "would notify", "messages that the rule would send"),
    says_text("live", "other", "other actions that the rule would send"),
    says_text("live", "refused by guards", "actions that a guard refuses"),
    says_text("live", "refused by", "the guard that refuses the action"),
    says_text("live", "saves up to",
              "price on demand of the instances of stopped attempts until their max_runtime: an "
              "upper bound, because jobs may end before"),
    says_text("live", "time", "when the rule decides"),
    says_text("live", "training job", "name of the training job"),
    says_text("live", "would", "the action that the rule would send"),
    says_text("live", "because", "the evidence of the decision, or its reason"),
    says_text("live", "basis", "the evidence of the decision"),
};

constexpr std::array pack_headers{
    says_text("pack", "rule", "packing rule"),
    says_text("pack", "GPU allocated %",
              "allocated share of all GPUs when the tasks requested so much"),
    says_text("pack", "±", "half the width of the 95 % interval of the column to the left"),
    says_text("pack", "vs", "mean difference from the first rule, paired by order"),
    says_text("pack", "placed %", "share of the tasks that were placed"),
    says_text("pack", "fragments %",
              "free GPU capacity that a randomly drawn task of the file cannot use"),
    says_text("pack", "mean wait", "mean time from arrival to placement"),
    says_text("pack", "p99", "99th percentile of the waits"),
    says_text("pack", "longest", "longest wait"),
    says_text("pack", "waited %", "share of the tasks that waited"),
    says_text("pack", "peak GPU %", "largest allocated share of all GPUs"),
    says_text("pack", "mean GPU %", "mean allocated share of all GPUs"),
};

constexpr std::array import_headers{
    says_text("import", "jobs", "jobs in the log"),
    says_text("import", "with GPUs", "jobs that request GPUs"),
    says_text("import", "GPU-hours", "GPUs of each job times its duration, summed"),
    says_text("import", "submitted within", "time from the first to the last submission"),
    says_text("import", "mean duration", "mean duration of a job"),
    says_text("import", "median", "median duration of a job"),
    says_text("import", "users", "different users"),
    says_text("import", "queues", "different queues"),
    says_text("import", "GPU", "model of the GPU"),
    says_text("import", "GPUs per node", "GPUs of one node"),
    says_text("import", "nodes", "nodes of that kind"),
    says_text("import", "GPUs", "GPUs of all these nodes"),
    says_text("import", "length", "length of the record"),
    says_text("import", "changes", "how often the available instances change"),
    says_text("import", "available", "share of the time with available instances"),
    says_text("import batch", "queue", "name of the job queue"),
    says_text("import batch", "algorithm", "order of the queue: fifo, fair_share or quota"),
    says_text("import batch", "environment", "service environment of the queue"),
    says_text("import batch", "priority", "priority of the queue"),
    says_text("import batch", "shares", "quota shares, or weights of a fair-share policy"),
};

/// "first_attempt_billed_usd": how JSON names the column of a metric.
std::string json_key_of(std::string_view metric) {
  std::string key{metric};
  std::replace(key.begin(), key.end(), '.', '_');
  return key;
}

bool is_called(const Header& header, std::string_view name) {
  if (header.title == name) return true;
  if (header.title == "vs" && name.starts_with("vs ")) return true;
  if (header.title == recovered_title && name == recovered_key) return true;
  if (header.title == captured_title && name == captured_key) return true;
  if (header.metric.empty() || header.metric.find("NAME") != header.metric.npos) return false;
  const std::string key = json_key_of(header.metric);
  return name == key || name == key + "_s";
}

KeyHelp header_help(const Header& header) {
  KeyHelp help;
  help.path = header.title;
  help.help = header.text;
  help.type = fmt::format("in the output of reeve {}", header.command);
  if (header.metric.empty()) return help;
  if (const auto metric = scenarios::find_metric(header.metric)) help.help = metric->spec->help;
  help.facts.emplace_back("metric", header.metric);
  return help;
}

}  // namespace

std::vector<Header> headers() {
  std::vector<Header> all;
  for (const auto columns : {story_columns(), fleet_columns()}) {
    for (const ShownMeasure& of : columns)
      all.push_back(shows_metric("compare", of.title, of.measure));
  }
  for (const NumberColumn& of : share_columns())
    all.push_back(shows_metric("compare", of.title, of.metric));
  for (const NumberColumn& of : group_columns()) {
    all.push_back(shows_metric("compare --by", of.title, of.metric));
  }
  const auto add = [&](const auto& rows) { all.insert(all.end(), rows.begin(), rows.end()); };
  add(comparison_headers);
  add(stop_headers);
  add(queue_headers);
  add(list_headers);
  add(live_headers);
  add(pack_headers);
  add(import_headers);
  return all;
}

std::optional<KeyHelp> explain_header(std::string_view title) {
  std::optional<KeyHelp> first;
  for (const Header& header : headers()) {
    if (!is_called(header, title)) continue;
    KeyHelp help = header_help(header);
    if (!first) {
      first = std::move(help);
      continue;
    }
    if (help.help == first->help) continue;
    const std::string other = fmt::format("reeve {}: {}", header.command, help.help);
    if (std::ranges::find(first->also, other) == first->also.end()) first->also.push_back(other);
  }
  return first;
}

}  // namespace reeve::app
