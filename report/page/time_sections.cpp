#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/page/sections.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 7> step_columns{"capacity", "allocated", "used",    "quota",
                                                       "borrowed", "lent",      "runnable"};

/// Step functions of one pool or share.  NaN: no value.
struct Steps {
  std::size_t policy = 0;
  std::string scope, name;
  std::vector<double> at;
  std::array<std::vector<double>, step_columns.size()> values;
};

bool has_any(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double of) { return !std::isnan(of); });
}

ordered_json number_or_null(double value) {
  return std::isnan(value) ? ordered_json(nullptr) : ordered_json(value);
}

/// Rows that stay: all, or evenly many in time, each the last before its place, so that a value
/// holds until the next.
std::vector<std::size_t> thinned(const std::vector<double>& at, std::size_t most) {
  std::vector<std::size_t> kept;
  if (at.size() <= most) {
    for (std::size_t i = 0; i < at.size(); ++i) kept.push_back(i);
    return kept;
  }
  const double span = at.back() - at.front();
  std::size_t next = 0;
  for (std::size_t point = 0; point < most; ++point) {
    const double until =
        at.front() + span * static_cast<double>(point) / static_cast<double>(most - 1);
    std::size_t last = next;
    while (last + 1 < at.size() && at[last + 1] <= until) ++last;
    if (kept.empty() || kept.back() != last) kept.push_back(last);
    next = last;
  }
  return kept;
}

ordered_json steps_json(const Steps& steps, const std::string& policy, std::size_t most) {
  const std::vector<std::size_t> kept = thinned(steps.at, most);
  ordered_json json{{"policy", policy},
                    {"scope", steps.scope},
                    {"name", steps.name},
                    {"points", steps.at.size()},
                    {"t", ordered_json::array()}};
  for (const std::size_t i : kept) json["t"].push_back(steps.at[i]);
  for (std::size_t column = 0; column < step_columns.size(); ++column) {
    auto& out = json[std::string{step_columns[column]}];
    if (!has_any(steps.values[column])) continue;  // null
    out = ordered_json::array();
    for (const std::size_t i : kept) out.push_back(number_or_null(steps.values[column][i]));
  }
  return json;
}

/// Time of an attempt in one use: `held` seconds of its period.
struct Span {
  double from = 0, until = 0, held = 0;
  std::string use;
  bool operator==(const Span&) const = default;
};

/// An attempt with instances.
struct Stay {
  bool started = false;
  double start = 0, end = 0;
  bool preempted = false;
  std::vector<Span> spans;
};

struct JobRow {
  std::string job, share, tier, status;
  double submit = 0, wasted = 0, held = 0;
  std::optional<double> end = std::nullopt;
  std::vector<Stay> stays = {};
};

/// Uses in the order in which they come if their periods begin together.
constexpr std::array<std::string_view, 8> in_order{
    "startup", "productive", "checkpoint", "lost_work", "false_stop", "stalled", "drain", "orphan"};

void add_part(ordered_json& parts, double from, double to, std::string_view what) {
  if (to - from > 1e-6) parts.push_back(ordered_json::array({from, to, what}));
}

/// A part of the time of a job.
struct Piece {
  double from = 0, to = 0;
  std::string_view use;
};

/// Lays `span` into its period, around the pieces that are there.
void lay(const Span& span, std::vector<Piece>& pieces) {
  double left = span.held;
  double at = span.from;
  std::vector<Piece> laid;
  for (const Piece& there : pieces) {  // in the order of time
    const double to = std::min({there.from, at + left, span.until});
    if (to > at) {
      laid.push_back({at, to, span.use});
      left -= to - at;
    }
    at = std::max(at, there.to);
  }
  if (left > 1e-6) laid.push_back({at, at + left, span.use});
  pieces.insert(pieces.end(), laid.begin(), laid.end());
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& x, const Piece& y) { return x.from < y.from; });
}

/// What fills its period has its place there; the rest is laid around it.  Instances of one gang
/// have equal spans, and count once.
std::vector<Piece> pieces_of(std::vector<Span>& spans) {
  const auto place = [](const Span& span) {
    return std::find(in_order.begin(), in_order.end(), span.use) - in_order.begin();
  };
  std::stable_sort(spans.begin(), spans.end(), [&](const Span& x, const Span& y) {
    return std::tuple{x.from, place(x), x.until, x.held} <
           std::tuple{y.from, place(y), y.until, y.held};
  });
  spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
  std::vector<Piece> pieces;
  for (const bool fills : {true, false}) {
    for (const Span& span : spans) {
      if (fills != (span.held >= span.until - span.from - 1e-6)) continue;
      if (fills) {
        pieces.push_back({span.from, span.until, span.use});
      } else {
        lay(span, pieces);
      }
    }
  }
  return pieces;
}

/// Adds an attempt after `at`; what no use has is a wait.  Returns its end, with what is billed
/// after it.
double add_stay(ordered_json& parts, double at, Stay& stay) {
  for (const Piece& piece : pieces_of(stay.spans)) {
    const double from = std::max(at, piece.from);
    add_part(parts, at, from, "waiting");
    add_part(parts, from, piece.to, piece.use);
    at = std::max(from, piece.to);
  }
  add_part(parts, at, stay.end, "waiting");
  return std::max(at, stay.end);
}

/// Sorts the spans of the row.
ordered_json parts_of(JobRow& row) {
  auto parts = ordered_json::array();
  double free_since = row.submit;
  bool preempted = false;
  for (Stay& stay : row.stays) {
    if (!stay.started) continue;
    add_part(parts, free_since, stay.start, preempted ? "preempted" : "waiting");
    free_since = add_stay(parts, std::max(free_since, stay.start), stay);
    preempted = stay.preempted;
  }
  if (row.end) add_part(parts, free_since, *row.end, preempted ? "preempted" : "waiting");
  return parts;
}

/// The first parts, and one for all others.
void cut(ordered_json& parts, std::size_t room) {
  const double from = parts[room - 1][0];
  const double to = parts.back()[1];
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(room - 1), parts.end());
  add_part(parts, from, to, "not_shown");
}

using JobRows = std::map<std::string, JobRow, std::less<>>;

/// By policy: the jobs of replication 0 that waste most, then those that hold instances longest.
std::vector<JobRows> worst_jobs(const ResultDirectory& results, std::vector<std::size_t>& totals) {
  std::vector<std::vector<JobRow>> all(results.policies().size());
  ResultTable jobs = results.table("jobs", {"run_id", "job", "share", "tier", "submit_s", "status",
                                            "wasted_usd", "end_s", "first_start_s"});
  while (jobs.next()) {
    const RunId run = run_of(jobs.text(0));
    const auto policy = results.policy(run.policy);
    if (!policy || !run.is_first) continue;
    JobRow row{.job = std::string{jobs.text(1)},
               .share = std::string{jobs.text(2)},
               .tier = std::string{jobs.text(3)},
               .status = std::string{jobs.text(5)},
               .submit = jobs.number_or(4, 0),
               .wasted = jobs.number_or(6, 0),
               .end = jobs.number(7)};
    row.held = row.end.value_or(0) - jobs.number_or(8, row.end.value_or(0));
    all[*policy].push_back(std::move(row));
  }
  std::vector<JobRows> kept(all.size());
  for (std::size_t policy = 0; policy < all.size(); ++policy) {
    auto& rows = all[policy];
    totals.push_back(rows.size());
    std::stable_sort(rows.begin(), rows.end(), [](const JobRow& a, const JobRow& b) {
      return std::tie(b.wasted, b.held) < std::tie(a.wasted, a.held);
    });
    const std::size_t most = std::clamp<std::size_t>(all_jobs / all.size(), 5, most_jobs);
    if (rows.size() > most) rows.resize(most);
    for (JobRow& row : rows) kept[policy].emplace(row.job, std::move(row));
  }
  return kept;
}

JobRow* find_job(const ResultDirectory& results, std::vector<JobRows>& jobs,
                 std::string_view run_id, std::string_view job) {
  const RunId run = run_of(run_id);
  const auto policy = results.policy(run.policy);
  if (!policy || !run.is_first) return nullptr;
  const auto found = jobs[*policy].find(job);
  return found == jobs[*policy].end() ? nullptr : &found->second;
}

void add_attempts(const ResultDirectory& results, std::vector<JobRows>& jobs) {
  ResultTable attempts =
      results.table("attempts", {"run_id", "job", "attempt", "start_s", "end_s", "end_reason"});
  while (attempts.next()) {
    JobRow* job = find_job(results, jobs, attempts.text(0), attempts.text(1));
    if (job == nullptr) continue;
    const auto number = static_cast<std::size_t>(attempts.number_or(2, 0));
    const auto start = attempts.number(3);
    if (number == 0 || number > 100000 || !start) continue;  // it had no instances
    if (job->stays.size() < number) job->stays.resize(number);
    Stay& stay = job->stays[number - 1];
    stay.started = true;
    stay.start = *start;
    stay.end = attempts.number_or(4, job->end.value_or(stay.start));
    stay.preempted = attempts.text(5) == "preempted";
  }
  ResultTable ledger =
      results.table("ledger", {"run_id", "x_job", "x_attempt", "x_class", "x_held_s",
                               "ChargePeriodStart", "ChargePeriodEnd"});
  while (ledger.next()) {
    JobRow* job = find_job(results, jobs, ledger.text(0), ledger.text(1));
    if (job == nullptr) continue;
    const auto number = static_cast<std::size_t>(ledger.number_or(2, 0));
    if (number == 0 || number > job->stays.size() || ledger.text(3).empty()) continue;
    job->stays[number - 1].spans.push_back({ledger.seconds_since(results.start(), 5),
                                            ledger.seconds_since(results.start(), 6),
                                            ledger.number_or(4, 0), std::string{ledger.text(3)}});
  }
}

/// By policy: actions that were taken on the jobs shown, without routine.
std::vector<ordered_json> marks_of(const ResultDirectory& results, std::vector<JobRows>& jobs) {
  std::vector<ordered_json> marks(jobs.size(), ordered_json::array());
  ResultTable decisions =
      results.table("decisions", {"run_id", "t_s", "job", "rule", "action", "verdict"});
  while (decisions.next()) {
    if (is_routine(decisions.text(4))) continue;
    if (find_job(results, jobs, decisions.text(0), decisions.text(2)) == nullptr) continue;
    auto& of = marks[*results.policy(run_of(decisions.text(0)).policy)];
    if (of.size() >= most_marks) continue;
    of.push_back({{"t_s", decisions.number_or(1, 0)},
                  {"job", decisions.text(2)},
                  {"rule", decisions.text(3)},
                  {"action", decisions.text(4)},
                  {"verdict", decisions.text(5)}});
  }
  return marks;
}

}  // namespace

ordered_json usage_section(const ResultDirectory& results) {
  auto section = ordered_json::array();
  std::vector<std::string_view> columns{"run_id", "t_s", "scope", "name"};
  columns.insert(columns.end(), step_columns.begin(), step_columns.end());
  ResultTable rows = results.table("utilization", columns);
  std::map<std::tuple<std::size_t, std::string, std::string>, Steps> all;
  while (rows.next()) {
    const RunId run = run_of(rows.text(0));
    const auto policy = results.policy(run.policy);
    const std::string_view scope = rows.text(2);
    if (!policy || !run.is_first || (scope != "pool" && scope != "share")) continue;
    Steps& steps = all[{*policy, std::string{scope}, std::string{rows.text(3)}}];
    steps.policy = *policy;
    steps.scope = scope;
    steps.name = rows.text(3);
    steps.at.push_back(rows.number_or(1, 0));
    for (std::size_t i = 0; i < step_columns.size(); ++i) {
      steps.values[i].push_back(rows.number_or(4 + i, std::nan("")));
    }
  }
  const std::size_t most =
      std::clamp<std::size_t>(all_points / std::max<std::size_t>(all.size(), 1), 2, most_points);
  for (const auto& [key, steps] : all) {
    section.push_back(steps_json(steps, results.policies()[steps.policy], most));
  }
  return section;
}

ordered_json job_section(const ResultDirectory& results) {
  std::vector<std::size_t> totals;
  std::vector<JobRows> jobs = worst_jobs(results, totals);
  add_attempts(results, jobs);
  std::vector<ordered_json> marks = marks_of(results, jobs);
  auto section = ordered_json::array();
  for (std::size_t policy = 0; policy < jobs.size(); ++policy) {
    std::vector<JobRow*> order;
    for (auto& [name, row] : jobs[policy]) order.push_back(&row);
    std::stable_sort(order.begin(), order.end(),
                     [](const JobRow* a, const JobRow* b) { return a->wasted > b->wasted; });
    std::vector<std::pair<double, ordered_json>> shown;
    std::size_t room = all_parts / jobs.size();
    for (JobRow* row : order) {
      if (room == 0) break;
      ordered_json parts = parts_of(*row);
      if (parts.size() > room) cut(parts, room);
      room -= parts.size();
      shown.emplace_back(row->submit, ordered_json{{"job", row->job},
                                                   {"share", row->share},
                                                   {"tier", row->tier},
                                                   {"submit_s", row->submit},
                                                   {"status", row->status},
                                                   {"wasted_usd", row->wasted},
                                                   {"parts", std::move(parts)}});
    }
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto rows = ordered_json::array();
    for (auto& [submit, row] : shown) rows.push_back(std::move(row));
    section.push_back({{"policy", results.policies()[policy]},
                       {"jobs", std::move(rows)},
                       {"jobs_total", totals[policy]},
                       {"marks", std::move(marks[policy])}});
  }
  return section;
}

}  // namespace reeve::report
