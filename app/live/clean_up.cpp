#include "app/live/clean_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "app/exit_code.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/kill_places.hpp"
#include "app/live/proposal_tables.hpp"
#include "app/live/rule_run.hpp"
#include "app/study/interruption.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

using live::Judgement;
using live::Removal;
using live::Resource;
using live::ResourceKind;

constexpr std::uint32_t usual_limit = 100;

std::optional<scenarios::Scenario> configuration_of(const CleanUpArguments& arguments,
                                                    const Console& console) {
  if (arguments.file.empty()) return std::nullopt;
  return load_live_configuration(arguments.file, console);
}

policy::Duration age_of(const std::optional<std::string>& written) {
  if (!written) return std::chrono::hours{1};
  const auto age = scenarios::parse_duration(*written);
  if (age) return *age;
  throw UsageError{"--older-than " + scenarios::in_quotes(*written) + " is not a length of time",
                   "--older-than 1h"};
}

bool is_interrupted() {
  return interruption().load();
}

}  // namespace

CleanUp::CleanUp(std::string command, const CleanUpArguments& arguments, const Console& console)
    : command_{std::move(command)},
      arguments_{arguments},
      console_{console},
      configuration_{configuration_of(arguments, console)},
      terms_{age_of(arguments.older_than)},
      account_{settings()},
      resources_{account_.client(), account_.clock()},
      reader_{account_.client(), account_.clock()},
      ends_{reader_},
      cost_{configuration_ ? &*configuration_ : nullptr, account_.region(), account_.now()},
      kill_switch_{kill_places(settings(), arguments.kill_file), account_.client(),
                   account_.clock(), kill_trouble(console)} {
  if (configuration_) terms_.protected_tags = configuration_->guards.protected_tags;
  note_interruption();  // each listing looks at it
}

std::string CleanUp::journal_file() const {
  return action_journal_file(arguments_.journal, account_.id(), account_.region(), "clean-up");
}

void CleanUp::tell(const live::FailedCall& failed) {
  if (std::find(failed_.begin(), failed_.end(), failed.action) != failed_.end()) return;
  failed_.push_back(failed.action);
  const std::string hint = hint_for(failed);
  console_.complain(fmt::format("{} failed: {}: {}\n", failed.action,
                                report::printable(failed.error.code),
                                report::printable(failed.error.message)));
  if (!hint.empty()) console_.complain("  = help: " + hint + '\n');
}

void CleanUp::find(ResourceKind kind) {
  auto listed =
      kind == ResourceKind::alarm ? resources_.alarms() : resources_.instances(tag_keys());
  if (const auto* failed = std::get_if<live::FailedCall>(&listed)) {
    if (!is_interrupted()) tell(*failed);
    return;
  }
  for (Resource& resource : std::get<std::vector<Resource>>(listed)) {
    if (is_interrupted()) return;
    Judgement judgement = judge(resource);
    if (judgement.verdict == live::Verdict::keep) continue;
    auto& place = judgement.verdict == live::Verdict::remove ? removals_ : others_;
    place.push_back({std::move(resource), std::move(judgement)});
  }
}

void CleanUp::find() {
  find(ResourceKind::instance);  // which cost more
  find(ResourceKind::alarm);
  was_interrupted_ = is_interrupted();
  if (was_interrupted_) return;
  if (ends_.failed()) tell(*ends_.failed());
}

void CleanUp::remove() {
  account_.outlive_interruption();
  NamedLog journal = open_action_log(arguments_.journal, account_, "clean-up");
  live::RemoverSettings settings;
  settings.rule = command_;
  settings.is_held_back = [this] { return is_interrupted() || kill_switch_.is_engaged(); };
  settings.on_look = [this] { ends_.forget(); };
  settings.judge_again = [this](Resource& resource) { return judge(resource); };
  live::Remover remover{account_.client(), account_.clock(), resources_, journal.log,
                        std::move(settings)};
  const std::size_t limit = arguments_.limit.value_or(usual_limit);
  tried_ = std::min(limit, removals_.size());
  try {
    if (const auto failed = remover.settle_open(account_.now())) tell(*failed);
    remover.remove(std::span{removals_}.first(tried_));
  } catch (const live::JournalFailure& failure) {
    failure_ = failure.what();
    console_.complain("the journal cannot be written: " + failure_ + '\n');
  }
  for (const live::FailedCall& denied : remover.denied()) tell(denied);
  was_interrupted_ = is_interrupted();
}

report::TableRow CleanUp::row(const Removal& removal, const std::string& outcome) const {
  const Resource& resource = removal.resource;
  std::string detail = removal.end.detail;
  if (!removal.end.code.empty()) {
    detail = removal.end.code + (detail.empty() ? "" : ": ") + detail;
  }
  const auto month = cost_.per_month(resource);
  report::TableRow row{
      .cells = {report::cell(resource.id),
                report::cell(resource.kind == ResourceKind::alarm ? "alarm" : "instance"),
                report::cell(removal.judgement.job), report::cell(removal.judgement.finding),
                time_cell(removal.judgement.since),
                month ? report::cell(*month) : report::no_cell(), report::cell(outcome)}};
  if (arguments_.removes) row.cells.push_back(report::cell(detail));
  return row;
}

/// The sums of what a run without --delete would remove, or of what this one left.
std::string CleanUp::totals() const {
  policy::Usd month;
  std::size_t unknown = 0;
  std::size_t there = 0;
  for (const Removal& removal : removals_) {
    if (removal.outcome == "done" || removal.outcome == "done before") continue;
    ++there;
    const auto cost = cost_.per_month(removal.resource);
    if (cost) month += *cost;
    if (!cost) ++unknown;
  }
  std::string text = fmt::format("{} to remove, {} a month", there, report::money(month));
  if (unknown > 0) text += fmt::format(", without {} of unknown price", unknown);
  const std::size_t reported = others_.size();
  return reported == 0 ? text : fmt::format("{}; {} reported only", text, reported);
}

report::Table CleanUp::table() const {
  report::Table table;
  table.name = command_;
  table.facts = {{command_, account_.region(), "account " + account_.id()}};
  if (arguments_.removes) table.facts.push_back({"journal " + journal_file()});
  if (was_interrupted_) table.facts.push_back({"partial: interrupted"});
  for (const std::string& action : failed_) table.facts.push_back({"partial: no " + action});
  table.columns = {{"name", "name", report::Align::left},
                   {"resource", "resource", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"finding", "finding", report::Align::left},
                   {"since", "since", report::Align::left},
                   {"usd_per_month", "a month"},
                   {"outcome", "outcome", report::Align::left}};
  if (arguments_.removes) table.columns.push_back({"detail", "detail", report::Align::left});
  for (const Removal& removal : removals_) {
    const bool is_new = removal.outcome.empty();
    table.rows.push_back(row(removal, !is_new              ? removal.outcome
                                      : arguments_.removes ? "left"
                                                           : "would remove"));
  }
  for (const Removal& other : others_) {
    const bool is_unread = other.judgement.verdict == live::Verdict::unread;
    table.rows.push_back(row(other, is_unread ? "unknown" : "reported only"));
  }
  table.closing.push_back({totals()});
  if (const std::size_t left = removals_.size() - tried_; arguments_.removes && left > 0) {
    table.closing.push_back({fmt::format("{} left by --limit; the same command goes on", left)});
  }
  add_notes(table);
  return table;
}

std::string CleanUp::command_line(const std::string& option) const {
  std::string line = "reeve live " + command_;
  if (!arguments_.file.empty()) line += ' ' + shell_word(arguments_.file);
  return line + ' ' + option;
}

int CleanUp::exit_code() const {
  if (!failure_.empty()) return ExitCode::failed;
  if (was_interrupted_) return ExitCode::interrupted;
  const bool has_unread = std::any_of(others_.begin(), others_.end(), [](const Removal& other) {
    return other.judgement.verdict == live::Verdict::unread;
  });
  const auto tried = std::span{removals_}.first(tried_);
  const bool has_unsent = std::any_of(
      tried.begin(), tried.end(), [](const Removal& each) { return each.outcome == "not sent"; });
  if (has_unsent && !kill_switch_.why().empty()) return ExitCode::refused;
  const bool all_done = std::all_of(tried.begin(), tried.end(), [](const Removal& removal) {
    return removal.outcome == "done" || removal.outcome == "done before";
  });
  return failed_.empty() && !has_unread && all_done ? ExitCode::done : ExitCode::cloud;
}

int CleanUp::run() {
  find();
  if (arguments_.removes && !was_interrupted_) remove();
  console_.print(table());
  return exit_code();
}

}  // namespace reeve::app
