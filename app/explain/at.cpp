#include "app/explain/at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "app/exit_code.hpp"
#include "app/study/interruption.hpp"
#include "app/text/clock_text.hpp"
#include "experiments/explain/job_outcome.hpp"
#include "experiments/explain/remedies.hpp"
#include "experiments/explain/run_at_instant.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/words.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using experiments::Remedy;
using experiments::RunAtInstant;
using experiments::ShareTurn;
using experiments::ShareTurns;
using experiments::Waiter;
using policy::Duration;
using policy::Instant;

/// Instants of a run as "08:00:00" since its start.
std::string clock_of(const RunAtInstant& run, Instant at) {
  return clock_text(at - run.record().start);
}

std::string more_instances(std::int64_t count) {
  return fmt::format("{} more instance{}", count, count == 1 ? "" : "s");
}

/// "a quota of 40 for search from then on"
struct ChangeText {
  std::string operator()(const experiments::MoreInstances& more) const {
    return fmt::format("{} in {}, all along", more_instances(more.count), more.pool);
  }
  std::string operator()(const experiments::MoreRoom& more) const {
    std::string what;
    if (more.of_all > 0) what = more_instances(more.of_all);
    if (more.of_pool > 0) {
      what += fmt::format("{}{} of {}", what.empty() ? "" : " and ", more_instances(more.of_pool),
                          more.pool);
    }
    return fmt::format("{} for environment {}, all along", what, more.environment);
  }
  std::string operator()(const experiments::OtherPriority& other) const {
    return fmt::format("priority {} from then on", other.priority);
  }
  std::string operator()(const experiments::OtherQuota& other) const {
    return fmt::format("a quota of {} for {} from then on", other.quota, other.share);
  }
  std::string operator()(const experiments::OtherWeight& other) const {
    return fmt::format("weight {} of share {}, all along",
                       static_cast<double>(other.weight) / policy::weight_one, other.share);
  }
  std::string operator()(const experiments::OtherOption& other) const {
    const auto* const number = std::get_if<std::int64_t>(&other.value);
    const std::string text = number != nullptr
                                 ? fmt::to_string(*number)
                                 : scenarios::in_quotes(std::get<std::string>(other.value));
    return fmt::format("{}: {}", scenarios::in_quotes(other.option), text);
  }
};

std::string change_text(const Remedy& remedy) {
  return std::visit(ChangeText{}, remedy.change);
}

/// "ends at 02:00:00 (failed)"
std::string end_text(const RunAtInstant& run, const Remedy::End& end) {
  if (end.reason == models::EndReason::completed) return "is done at " + clock_of(run, end.at);
  return fmt::format("ends at {} ({})", clock_of(run, end.at), report::word(end.reason));
}

/// "at 02:00:00, 8 h sooner", against when it starts as it is.
std::string start_text(const RunAtInstant& run, const Waiter& waiter, const Remedy& remedy) {
  if (remedy.starts == waiter.starts) return "no difference";
  if (remedy.starts == policy::never) return "it would not start";
  const std::string start = "it starts at " + clock_of(run, remedy.starts);
  if (waiter.starts == policy::never) return start;
  const bool sooner = remedy.starts < waiter.starts;
  const Duration by = sooner ? waiter.starts - remedy.starts : remedy.starts - waiter.starts;
  return fmt::format("{}, {} {}", start, report::short_duration(by), sooner ? "sooner" : "later");
}

std::string outcome(const RunAtInstant& run, const Waiter& waiter, const Remedy& remedy) {
  if (remedy.keeps) return "it has held its instances since " + clock_of(run, remedy.starts);
  if (remedy.ended && remedy.starts == policy::never) return "it " + end_text(run, *remedy.ended);
  std::string text;
  if (remedy.held_before) {
    text = fmt::format("it holds instances from {} to {}, then ",
                       clock_of(run, remedy.held_before->from),
                       clock_of(run, remedy.held_before->until));
  }
  text += start_text(run, waiter, remedy);
  const bool is_done = !remedy.ended || remedy.ended->reason == models::EndReason::completed;
  return is_done ? text : fmt::format("{}, and {}", text, end_text(run, *remedy.ended));
}

/// "J1 (4), J2 (1) and 3 more", of rows that have a job and its instances.
template <class Row>
std::string names_of_jobs(const RunAtInstant& run, const std::vector<const Row*>& rows) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), shown); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", run.record().jobs.name(rows[i]->job),
                        rows[i]->instances);
  }
  if (rows.size() > shown) text += fmt::format(" and {} more", rows.size() - shown);
  return text;
}

/// "the account's quota of 8 ml.g5.xlarge (platform.quotas, training)"
std::string account_quota_text(const RunAtInstant& run, policy::PoolId id,
                               models::QuotaFamily family) {
  constexpr std::array<std::string_view, models::quota_family_count> families{"training", "spot",
                                                                              "warm_pool"};
  const policy::TypeId type = run.world().pools[id.index].type;
  const auto place = static_cast<std::size_t>(family);
  std::string limit = "its";
  for (const models::InstanceQuota& of : run.world().platform.quotas) {
    if (of.type == type && of.instances[place]) limit = fmt::to_string(*of.instances[place]);
  }
  return fmt::format("the account's quota of {} {} (platform.quotas, {})", limit,
                     run.world().directory.types[type.index].name, families[place]);
}

/// Which quota refused an attempt for good; empty: none did.
std::string refused_by(const RunAtInstant& run, const models::AttemptRow& attempt) {
  if (attempt.failure != policy::FailureClass::quota) return {};
  const bool spot = run.world().pools[attempt.pool.index].market == policy::Market::spot;
  const auto family = spot ? models::QuotaFamily::spot : models::QuotaFamily::training;
  return ": it would exceed " + account_quota_text(run, attempt.pool, family);
}

/// What the instant says of a job that does not wait.
std::string other_state(const RunAtInstant& run, policy::JobId job) {
  const models::AttemptRow* const newest = run.newest_attempt(job);
  if (newest == nullptr) {
    return fmt::format("is not submitted yet: it is at {}",
                       clock_of(run, run.record().jobs.specs[job.index].submit));
  }
  if (const auto* const held = run.held(job, newest->number)) {
    return fmt::format("holds its instances from {} to {}", clock_of(run, held->from),
                       clock_of(run, std::min(held->until, newest->end)));
  }
  return fmt::format("does not wait: attempt {} ended at {} ({}{})", newest->number,
                     clock_of(run, newest->end), report::word(newest->reason),
                     refused_by(run, *newest));
}

nlohmann::ordered_json seconds_of(const RunAtInstant& run, Instant at) {
  if (at == policy::never) return nullptr;
  return std::chrono::duration<double>(at - run.record().start).count();
}

/// "share search (weight 2) holds 40 and has used 13.3 instance-hours recently, 20.1 in 10 min with
/// what it holds", or "which holds 40 ..." in the middle of a sentence.
std::string usage_of(const RunAtInstant& run, const ShareTurn& turn, std::string_view which = "") {
  const auto& shares = run.world().directory.shares;
  const bool one = turn.share.has_value();
  std::string text =
      fmt::format("{} (weight {}){} {} {}",
                  one ? "share " + shares[turn.share->index].name : "jobs in no share",
                  static_cast<double>(turn.weight) / policy::weight_one, which,
                  one ? "holds" : "hold", turn.held);
  if (turn.used_hours) {
    text += fmt::format(" and {} used {:.1f} instance-hours recently", one ? "has" : "have",
                        *turn.used_hours);
  }
  if (turn.ahead_hours) {
    text += fmt::format(", {:.1f} in {} with what {}", *turn.ahead_hours,
                        report::short_duration(turn.decay), one ? "it holds" : "they hold");
  }
  return text;
}

/// Whether its start would leave less than what is reserved for shares without jobs.
bool is_kept_out(const RunAtInstant& run, const Waiter& waiter, const ShareTurns& turns) {
  const std::int64_t free = run.snapshot().free(waiter.pool);
  const auto room = run.snapshot().environment_room(waiter.job, waiter.pool).least();
  const std::int64_t left = std::min(free, room.value_or(free)) - waiter.instances;
  return turns.kept > 0 && static_cast<double>(left) < turns.kept;
}

std::string before_text(const RunAtInstant& run, const ShareTurn& before) {
  return fmt::format("{}, {} ahead", usage_of(run, before, ", which"), before.share ? "is" : "are");
}

std::string turn_text(const RunAtInstant& run, const Waiter& waiter, const ShareTurns& turns) {
  if (is_kept_out(run, waiter, turns)) {
    return fmt::format(
        "\"compute_reservation\": {} keeps {:.4g} of {} for shares that are not active",
        turns.reservation_pct, turns.kept, turns.most);
  }
  if (turns.before) return before_text(run, *turns.before);
  if (turns.algorithm == "multifactor") {
    return "age, fair share, size and priority set the order of the queue";
  }
  const bool in_share = turns.own.share.has_value();
  if (run.first_in_line(waiter).who != nullptr) {
    return fmt::format("{} are ahead of it",
                       in_share ? "jobs of its share" : "other jobs in no share");
  }
  return fmt::format(
      "{} first, but the rule reserves instances for another job, or its start was refused",
      in_share ? "its share is" : "jobs in no share are");
}

/// "big (5), which is ahead of it in share a and does not start in this run"
std::string behind_text(const RunAtInstant& run, const experiments::LineBlocker& blocker) {
  const Waiter& who = *blocker.who;
  const std::string start = who.starts == policy::never ? "does not start in this run"
                                                        : "starts at " + clock_of(run, who.starts);
  const std::string share = run.share_of(who.job);
  const std::string among = share.empty() ? "in no share" : "in share " + share;
  return fmt::format("{} ({}), which is ahead of it {} and {}", run.record().jobs.name(who.job),
                     who.instances, blocker.borrows ? "among jobs that borrow" : among, start);
}

/// The job that blocks it, and the job that blocks that one; empty: none.
std::string blocker_text(const RunAtInstant& run, const Waiter& waiter) {
  const auto blocker = run.blocker(waiter);
  if (blocker.who == nullptr) return {};
  std::string text = "it waits behind " + behind_text(run, blocker);
  const auto his = run.blocker(*blocker.who);
  if (his.who == nullptr) return text;
  return fmt::format("{}; {} waits behind {}", text, run.record().jobs.name(blocker.who->job),
                     behind_text(run, his));
}

/// Which quota keeps it, and by how much it is too small.
std::string beyond_quota_text(const RunAtInstant& run, const Waiter& waiter) {
  const std::string name = run.share_of(waiter.job);
  if (name.empty()) return "it waits for instances outside all quotas: it is in no share";
  const auto share = run.snapshot().share_of(waiter.job, waiter.pool);
  if (!share) {
    return "it waits for its share: it needs more than its quota and what it may borrow now";
  }
  return fmt::format(
      "it waits for its share: with it, {} would hold {}, more than its quota of {} and what it "
      "may "
      "borrow now",
      name, share->used + waiter.instances, share->quota);
}

/// What it waits for, without the jobs ahead of it.
std::string reason_text(const RunAtInstant& run, const Waiter& waiter) {
  const auto reach = run.reach(waiter);
  const bool never = waiter.starts == policy::never;
  if (never && reach && std::int64_t{waiter.instances} > *reach) {
    if (run.share_of(waiter.job).empty()) {
      return fmt::format("it never starts: it is in no share; instances outside all quotas: {}",
                         *reach);
    }
    return fmt::format("it never starts: its share can have {} at most", *reach);
  }
  if (const auto leavers = run.leavers_for(waiter); !leavers.empty()) {
    return fmt::format("it waits for {} to stop, preempted for it at {}",
                       names_of_jobs(run, leavers), clock_of(run, leavers.front()->at));
  }
  const auto turns = run.turns(waiter);
  const auto limit = run.snapshot().limit_of(waiter);
  switch (waiter.reason) {
    case experiments::WaitsFor::machines:
      if (turns && turns->before) {
        return "it waits for instances, and " + before_text(run, *turns->before);
      }
      return "it waits for instances: fewer are free than it needs";
    case experiments::WaitsFor::environment:
      return "it waits for room in its environment";
    case experiments::WaitsFor::user_limit:
      return fmt::format("it waits for its user: {} may have {} of the share (\"user_limit\": {})",
                         limit->user, limit->most, limit->user_limit_pct);
    case experiments::WaitsFor::quota:
      if (limit && !limit->allows(waiter.instances)) {
        return fmt::format(
            "it is not preemptible, and such jobs get at most the quota of their share: {} in all",
            limit->most);
      }
      if (run.snapshot().lent_away(waiter) > 0) {
        return fmt::format(
            "it waits for its share: it is within the quota of {}, but other shares borrow that "
            "quota and none of it is reclaimed now",
            run.share_of(waiter.job));
      }
      return beyond_quota_text(run, waiter);
    case experiments::WaitsFor::account_quota:
      return fmt::format("it waits for {}: {} were in use at {}, when its start was refused",
                         account_quota_text(run, waiter.refused->pool, waiter.refused->family),
                         waiter.refused->used, clock_of(run, waiter.refused->at));
    case experiments::WaitsFor::turn:
      break;
  }
  if (turns) return "it waits for its turn: " + turn_text(run, waiter, *turns);
  if (run.ahead_of(waiter).empty()) {
    return "it waits though it would fit: the rule reserves instances for another job, or its "
           "start "
           "was refused";
  }
  return "it waits for its turn: others are ahead, or the rule reserves instances for another job";
}

/// Why it waits, in a sentence.
std::string why(const RunAtInstant& run, const Waiter& waiter) {
  const std::string blocker = blocker_text(run, waiter);
  if (blocker.empty()) return reason_text(run, waiter);
  const bool says_all = waiter.reason == experiments::WaitsFor::turn && !run.turns(waiter);
  const std::string before = says_all ? "" : reason_text(run, waiter) + "; ";
  return before + blocker;
}

std::string waits_for(const RunAtInstant& run, const Waiter& waiter) {
  const std::uint32_t free = run.snapshot().free(waiter.pool);
  std::string text =
      fmt::format("needs {} of {} instances; {} {} free", waiter.instances,
                  run.snapshot().offered(waiter.pool), free, free == 1 ? "is" : "are");
  if (const auto room = run.snapshot().environment_room(waiter.job, waiter.pool).least()) {
    text += fmt::format("; its environment {} has room for {}", run.environment_of(waiter.job),
                        std::max<std::int64_t>(*room, 0));
  }
  if (const auto turns = run.turns(waiter)) {
    text += (turns->own.share ? "; its " : "; ") + usage_of(run, turns->own);
  }
  const auto share = run.snapshot().share_of(waiter.job, waiter.pool);
  if (!share) return text;
  text += fmt::format("; its share {} holds {} of its quota of {}", run.share_of(waiter.job),
                      share->used, share->quota);
  if (share->lent > 0) text += fmt::format(", {} of them lent", share->lent);
  if (share->borrowed > 0) text += fmt::format(", {} borrowed", share->borrowed);
  if (const auto limit = run.snapshot().limit_of(waiter)) {
    text += limit->of_user ? fmt::format(", {} by {}", limit->held, limit->user)
                           : fmt::format(", {} by jobs that are not preemptible", limit->held);
  }
  return text;
}

int explain_waiter(RunAtInstant& run, const Waiter& waiter, const Console& console) {
  const std::vector<const Waiter*> ahead = run.ahead_of(waiter);
  const std::vector<Remedy> remedies = experiments::remedies(run, waiter);
  const std::string name = run.record().jobs.name(waiter.job);
  const std::string place = run.world().pools[waiter.pool.index].name;
  if (console.json) {
    nlohmann::ordered_json json{{"job", name},
                                {"at_s", seconds_of(run, run.at())},
                                {"state", "waits"},
                                {"attempt", waiter.attempt},
                                {"pool", place},
                                {"queue", run.queue_of(waiter.job)},
                                {"share", run.share_of(waiter.job)},
                                {"position", ahead.size() + 1},
                                {"reason", experiments::name(waiter.reason)},
                                {"why", why(run, waiter)},
                                {"instances", waiter.instances},
                                {"free", run.snapshot().free(waiter.pool)},
                                {"since_s", seconds_of(run, waiter.since)},
                                {"starts_s", seconds_of(run, waiter.starts)}};
    const Waiter* const blocker = run.blocker(waiter).who;
    json["behind"] = blocker == nullptr ? "" : run.record().jobs.name(blocker->job);
    auto& before = json["ahead"] = nlohmann::ordered_json::array();
    for (const Waiter* other : ahead) before.push_back(run.record().jobs.name(other->job));
    auto& would = json["would_let_it_run"] = nlohmann::ordered_json::array();
    for (const Remedy& remedy : remedies) {
      would.push_back({{"change", change_text(remedy)},
                       {"starts_s", seconds_of(run, remedy.starts)},
                       {"text", outcome(run, waiter, remedy)}});
    }
    json["partial"] = run.partial();
    console.print(json.dump(2) + '\n');
  } else {
    std::string out = fmt::format(
        " {} waits at {} for {}, since {}: position {}\n  {}\n  {}\n  ahead of it: {}\n  {}\n",
        name, clock_of(run, run.at()), place, clock_of(run, waiter.since), ahead.size() + 1,
        waits_for(run, waiter), why(run, waiter),
        ahead.empty() ? "none" : names_of_jobs(run, ahead),
        waiter.starts == policy::never ? "it does not start in this run"
                                       : "it starts at " + clock_of(run, waiter.starts));
    out += " what would have let it run sooner\n";
    for (const Remedy& remedy : remedies) {
      out += fmt::format("  {}: {}\n", change_text(remedy), outcome(run, waiter, remedy));
    }
    console.print(out);
  }
  return run.partial() ? ExitCode::interrupted : ExitCode::done;
}

report::Table line_table(const RunAtInstant& run, const std::string& name, bool is_queue) {
  report::Table table;
  table.name = name;
  table.columns = {{"position", "position"},
                   {"job", "job", report::Align::left},
                   {"pool", "fleet", report::Align::left},
                   {"share", "share", report::Align::left},
                   {"priority", "priority"},
                   {"instances", "instances"},
                   {"waited_s", "waited"},
                   {"reason", "waits for", report::Align::left},
                   {"starts_s", "starts at"}};
  for (const Waiter& waiter : run.line_of(name, is_queue)) {
    report::Cell start = report::no_cell();
    if (waiter.starts != policy::never) {
      start = report::cell(waiter.starts - run.record().start);
      start.text = clock_of(run, waiter.starts);
    }
    report::Cell priority = report::cell(double{0}, std::to_string(waiter.priority));
    priority.value = std::int64_t{waiter.priority};
    table.rows.push_back(
        {{report::cell(std::uint64_t{table.rows.size() + 1}),
          report::cell(std::string_view{run.record().jobs.name(waiter.job)}),
          report::cell(std::string_view{run.world().pools[waiter.pool.index].name}),
          report::cell(std::string_view{run.share_of(waiter.job)}), std::move(priority),
          report::cell(std::uint64_t{waiter.instances}), report::cell(run.at() - waiter.since),
          report::cell(experiments::name(waiter.reason)), std::move(start)}});
  }
  table.facts = {
      {name, fmt::format("{} {} at {}", table.rows.size(),
                         table.rows.size() == 1 ? "waits" : "wait", clock_of(run, run.at()))}};
  return table;
}

bool has_queue(const scenarios::Scenario& scenario, const std::string& name) {
  const auto& queues = scenario.world.directory.queues;
  return std::ranges::any_of(queues, [&](const auto& queue) { return queue.name == name; });
}

}  // namespace

bool has_line(const scenarios::Scenario& scenario, const std::string& name) {
  const auto& pools = scenario.world.pools;
  return has_queue(scenario, name) ||
         std::ranges::any_of(pools, [&](const auto& pool) { return pool.name == name; });
}

int explain_at(const scenarios::Scenario& scenario, const WaitQuestion& question,
               const Console& console) {
  note_interruption();  // runs look at it
  RunAtInstant run{scenario, question.instant, &interruption()};
  const auto job = experiments::job_named(run.record().jobs, question.id);
  if (!job) {
    const report::Table table = line_table(run, question.id, has_queue(scenario, question.id));
    console.print(table);
    return run.partial() ? ExitCode::interrupted : ExitCode::done;
  }
  for (const Waiter& waiter : run.snapshot().waiters()) {
    if (waiter.job == *job) return explain_waiter(run, waiter, console);
  }
  const std::string state = other_state(run, *job);
  if (console.json) {
    const nlohmann::ordered_json json{{"job", question.id},
                                      {"at_s", seconds_of(run, run.at())},
                                      {"state", state},
                                      {"partial", run.partial()}};
    console.print(json.dump(2) + '\n');
  } else {
    console.print(fmt::format(" {} {} (at {})\n", question.id, state, clock_of(run, run.at())));
  }
  return run.partial() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace reeve::app
