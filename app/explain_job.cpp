#include "app/explain_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/exit_code.hpp"
#include "app/interruption.hpp"
#include "app/job_story.hpp"
#include "app/near_changes.hpp"
#include "app/what_if.hpp"
#include "experiments/counterfactual.hpp"
#include "experiments/explain/alternatives.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using experiments::RunResult;
using policy::Duration;
using policy::Usd;

std::optional<policy::JobId> find_job(const models::Jobs& jobs, const std::string& name) {
  for (std::uint32_t index = 0; index < jobs.specs.size(); ++index) {
    if (jobs.name({index}) == name) return policy::JobId{index};
  }
  return std::nullopt;
}

/// A decision, and what the run comes to without it.
struct Undone {
  experiments::DecisionRow decision;
  experiments::Otherwise other;
};

/// A decision, what was done instead, and what the run comes to then.
struct Replaced {
  Undone undone;
  std::string name;
};

/// Runs policies of one scenario, for one job.
class Asker {
 public:
  Asker(const scenarios::Scenario& scenario, const JobQuestion& question)
      : scenario_{scenario},
        question_{question},
        result_{experiments::run(scenario, *question.policy, question.replication, options())},
        partial_{result_.record.partial} {}

  /// Of the policy that is asked about.
  JobStory ask() const { return told(result_); }

  JobStory ask(const scenarios::PolicySpec& policy) {
    const RunResult result = experiments::run(scenario_, policy, question_.replication, options());
    partial_ = partial_ || result.record.partial;
    return told(result);
  }

  /// How long the attempt that was ended so lasts without that; nothing if it has no end then.
  std::optional<Duration> needed(const RuleStop& ending, Measure measure) {
    const auto [known, is_new] = without_.try_emplace(ending.decision);
    RunResult& without = known->second;
    if (is_new) {
      experiments::RunOptions again = options();
      again.undone = {ending.decision};
      without = experiments::run(scenario_, *question_.policy, question_.replication, again);
      partial_ = partial_ || without.record.partial;
    }
    return lasted(without.record, ended(ending), measure);
  }

  /// The number in another run of what is attempt `number` here; 0: there is none.  Numbers are
  /// others once a request more, or less, finds no machines: so those that had some are counted.
  policy::AttemptNumber counterpart(const JobStory& other, policy::AttemptNumber number) const {
    std::size_t before = 0;
    const models::AttemptRow* mine = nullptr;
    const policy::JobId job = *find_job(result_.record.jobs, question_.job);
    for (const models::AttemptRow& row : result_.record.attempts) {
      if (row.job != job || !row.had_machines()) continue;
      if (row.number == number) mine = &row;
      if (row.number < number) ++before;
    }
    for (const AttemptBill& bill : other.attempts) {
      if (mine == nullptr && bill.number == number) return number;
      if (mine != nullptr && bill.had_machines && before-- == 0) return bill.number;
    }
    return 0;
  }

  EndedAttempt ended(const RuleStop& ending) const {
    return {&scenario_.world, &result_.record, *find_job(result_.record.jobs, question_.job),
            ending.attempt, ending.at};
  }

  /// The run ended, and what was to be done then is done no more.
  bool is_cut_off(const AttemptBill& attempt) const {
    return attempt.reason == models::EndReason::horizon || attempt.end >= scenario_.world.end;
  }

  /// What the run comes to without each of the first decisions that changed the job.
  std::vector<Undone> without_each(const JobStory& story) {
    std::vector<Undone> all;
    if (story.changes.empty() || partial_) return all;
    for (const experiments::DecisionRow& row : story.changes) {
      if (all.size() == undone_at_most) break;
      const auto other =
          experiments::run_without(scenario_, *question_.policy, options(), result_, row);
      if (!other) partial_ = true;
      if (partial_) break;
      all.push_back({row, *other});
    }
    return all;
  }
  static constexpr std::size_t undone_at_most = 6;

  /// What the run comes to with something else in place of each of those decisions, the first of
  /// each before further ones.
  std::vector<Replaced> alternatives(const JobStory& story) {
    std::vector<Replaced> all;
    if (story.changes.empty() || partial_) return all;
    for (auto& [row, other] : choices(story)) {
      const auto outcome = experiments::run_instead(scenario_, *question_.policy, options(),
                                                    result_, row, std::move(other.deeds));
      if (!outcome) partial_ = true;
      if (partial_) break;
      all.push_back({{row, *outcome}, std::move(other.name)});
    }
    std::stable_sort(all.begin(), all.end(), [](const Replaced& a, const Replaced& b) {
      return a.undone.decision.id < b.undone.decision.id;
    });
    return all;
  }
  static constexpr std::size_t alternatives_at_most = 8;

  std::string clock(policy::Instant at) const { return clock_text(at - result_.record.start); }
  bool partial() const { return partial_; }

 private:
  JobStory told(const RunResult& result) const {
    return tell(scenario_, result, *find_job(result.record.jobs, question_.job));
  }

  using Choice = std::pair<experiments::DecisionRow, experiments::Alternative>;

  std::vector<Choice> choices(const JobStory& story) const {
    const experiments::Standings standings{result_};
    const models::JobSpec& job = result_.record.jobs.specs[story.job.index];
    std::vector<std::vector<experiments::Alternative>> of_each;
    for (const experiments::DecisionRow& row : story.changes) {
      if (of_each.size() == undone_at_most) break;
      const auto stood = standings.of(row);
      of_each.push_back(stood ? experiments::alternatives(scenario_.world, job, row, *stood)
                              : std::vector<experiments::Alternative>{});
    }
    std::vector<Choice> choices;
    for (std::size_t place = 0, left = 1; left > 0; ++place) {
      left = 0;
      for (std::size_t i = 0; i < of_each.size(); ++i) {
        if (place >= of_each[i].size()) continue;
        if (choices.size() == alternatives_at_most) return choices;
        choices.emplace_back(story.changes[i], of_each[i][place]);
        ++left;
      }
    }
    return choices;
  }

  static experiments::RunOptions options() {
    experiments::RunOptions options;
    options.keep = {.attempts = true,
                    .ledger = true,
                    .utilization = false,
                    .events = true,
                    .alarm_changes = true};
    options.decisions = true;
    options.interrupted = &interruption();
    return options;
  }

  const scenarios::Scenario& scenario_;
  const JobQuestion& question_;
  RunResult result_;
  std::map<std::uint64_t, RunResult> without_;  ///< each of the decisions that were asked for
  bool partial_;
};

const AttemptBill* attempt_of(const JobStory& story, policy::AttemptNumber number) {
  const auto found = std::find_if(story.attempts.begin(), story.attempts.end(),
                                  [&](const AttemptBill& bill) { return bill.number == number; });
  return found == story.attempts.end() ? nullptr : &*found;
}

std::string headline(const Asker& asker, const JobStory& story, const JobQuestion& question) {
  if (!story.stops.empty()) {
    const RuleStop& first = story.stops.front();
    const RuleStop& last = story.stops.back();
    std::string text =
        fmt::format("{} was stopped at {} by {}", question.job, asker.clock(first.at), first.rule);
    if (last.attempt == first.attempt) return text;
    const bool for_good = last.attempt == story.attempts.back().number;
    return text + fmt::format(", {} at {} by {}", for_good ? "for good" : "last",
                              asker.clock(last.at), last.rule);
  }
  if (story.attempts.empty()) return question.job + " was never started";
  const AttemptBill& last = story.attempts.back();
  if (last.reason == models::EndReason::completed) {
    return fmt::format("{} was done at {}", question.job, asker.clock(last.end));
  }
  // What would have tried it again may not: an end that nothing else in the story accounts for.
  constexpr auto most = std::numeric_limits<policy::AttemptNumber>::max();
  const char* const spent = last.number == most ? "; a job has no more than 65,535 attempts" : "";
  return fmt::format("{} did not finish: {} at {}{}", question.job, report::word(last.reason),
                     asker.clock(last.end), spent);
}

/// Something said in words and, for whoever reads JSON, in numbers.
struct Finding {
  std::string text;
  nlohmann::ordered_json numbers;
  bool differs = true;  ///< of a change: something else comes of it
};

nlohmann::ordered_json usd_json(Usd amount) {
  return static_cast<double>(amount.micros()) / 1e6;
}

nlohmann::ordered_json seconds_json(Duration length) {
  return static_cast<double>(length.count()) / 1e9;
}

/// "$1.00 more in all", and how much of it is this job's if that is not all.
std::string more_text(const experiments::Otherwise& other) {
  const auto change = [](Usd more) {
    return fmt::format("{} {}", report::money(more < Usd{} ? -more : more),
                       more < Usd{} ? "less" : "more");
  };
  std::string all =
      other.all_more == Usd{} ? "the same bill in all" : change(other.all_more) + " in all";
  if (other.job_more == other.all_more || change(other.job_more) + " in all" == all) return all;
  return fmt::format("{}, {} for this job", all, change(other.job_more));
}

std::string done_text(const Asker& asker, const experiments::Otherwise& other) {
  return other.done_at ? "the job would be done at " + asker.clock(*other.done_at)
                       : "the job would not be done";
}

/// What a run without that one decision comes to.
Finding without(const Asker& asker, const Undone& undone) {
  const experiments::DecisionRow& row = undone.decision;
  const experiments::Otherwise& other = undone.other;
  Finding finding;
  finding.numbers = {{"rule", row.rule},
                     {"action", host::name_of(host::kind_of(row.verb))},
                     {"attempt", row.attempt},
                     {"at", report::instant(row.at)},
                     {"until", nullptr},
                     {"done_at", nullptr},
                     {"job_cost_if_not_usd", usd_json(other.job_more)},
                     {"run_cost_if_not_usd", usd_json(other.all_more)}};
  if (other.attempt_end) finding.numbers["until"] = report::instant(*other.attempt_end);
  if (other.done_at) finding.numbers["done_at"] = report::instant(*other.done_at);
  if (other.attempt_end && host::kind_of(row.verb) != policy::VerbKind::clone_job) {
    finding.text = fmt::format("attempt {} would have lasted until {}, ", row.attempt,
                               asker.clock(*other.attempt_end));
  }
  finding.text += fmt::format("{}; {}", done_text(asker, other), more_text(other));
  return finding;
}

/// What a run with something else in place of that decision comes to.
Finding instead(const Asker& asker, const Replaced& replaced) {
  const experiments::DecisionRow& row = replaced.undone.decision;
  const experiments::Otherwise& other = replaced.undone.other;
  Finding finding;
  finding.numbers = {{"rule", row.rule},         {"action", host::name_of(host::kind_of(row.verb))},
                     {"attempt", row.attempt},   {"at", report::instant(row.at)},
                     {"instead", replaced.name}, {"failed", nullptr}};
  if (!other.failed.empty()) {
    finding.numbers["failed"] = other.failed;
    finding.text = "could not be done (" + other.failed + ")";
    return finding;
  }
  finding.numbers["done_at"] = nullptr;
  if (other.done_at) finding.numbers["done_at"] = report::instant(*other.done_at);
  finding.numbers["job_cost_more_usd"] = usd_json(other.job_more);
  finding.numbers["cost_more_usd"] = usd_json(other.all_more);
  finding.text = done_text(asker, other) + "; " + more_text(other);
  return finding;
}

nlohmann::ordered_json with_text(const Finding& finding) {
  nlohmann::ordered_json json = finding.numbers;
  json["text"] = finding.text;
  return json;
}

constexpr std::size_t restarts_at_most = 12;  // each is a run

/// By how much more `theirs` adds to the bill than `mine`; nothing where reserved machines are all
/// that either had.
std::optional<Usd> more_spent(const AttemptBill& mine, const AttemptBill& theirs) {
  const bool only_reserved = (mine.reserved && (theirs.reserved || !theirs.had_machines)) ||
                             (theirs.reserved && !mine.had_machines);
  if (only_reserved) return std::nullopt;
  return (theirs.reserved ? Usd{} : theirs.billed) - (mine.reserved ? Usd{} : mine.billed);
}

/// "(+$4.00)", or whose they are where the whole run has others.
std::string dollars_text(Usd more, std::string_view whose, Usd in_all) {
  if (more == in_all) return fmt::format("({})", report::money_change(more));
  return fmt::format("({} for {}, {} in all)", report::money_change(more), whose,
                     report::money_change(in_all));
}

/// "5 min later"; what is of minutes to the second.
std::string apart_text(Duration later) {
  using namespace std::chrono;
  Duration apart = later < Duration{0} ? -later : later;
  if (apart >= minutes{1}) apart = round<seconds>(apart);
  return fmt::format("{} {}", report::short_duration(apart),
                     later < Duration{0} ? "earlier" : "later");
}

/// What of a rule's ended that attempt.
std::optional<RuleStop> ending_of(const JobStory& story, policy::AttemptNumber attempt) {
  for (const RuleStop& ending : ended_by(story)) {
    if (ending.attempt == attempt) return ending;
  }
  return std::nullopt;
}

Finding near_miss(Asker& asker, const JobStory& story, const RuleStop& ending,
                  const scenarios::PolicySpec& changed, const std::string& what) {
  const JobStory other = asker.ask(changed);
  const policy::AttemptNumber number = asker.counterpart(other, ending.attempt);
  const auto other_end = ending_of(other, number);
  const AttemptBill* mine = attempt_of(story, ending.attempt);
  const AttemptBill* theirs = attempt_of(other, number);
  const bool itself = other_end && other_end->rule == ending.rule;
  Finding finding;
  finding.numbers = {{"change", what}, {"stops", itself}};
  if (theirs == nullptr) {
    const bool is_one = attempt_of(other, ending.attempt) != nullptr;
    finding.text = fmt::format("{} {} attempt {}{}", what, is_one ? "finds" : "makes no",
                               ending.attempt, is_one ? " no machines" : "");
    return finding;
  }
  if (!other_end || mine == nullptr) {
    finding.text = what + " does not stop it";
    if (asker.is_cut_off(*theirs)) finding.text += " before the run ends";
    return finding;
  }
  const Duration later = other_end->at - ending.at;
  finding.numbers["later_s"] = seconds_json(later);
  const std::optional<Usd> more = more_spent(*mine, *theirs);
  const Usd in_all = other.run_billed - story.run_billed;
  finding.numbers["attempt_more_usd"] = more ? usd_json(*more) : nlohmann::ordered_json(nullptr);
  finding.numbers["run_more_usd"] = usd_json(in_all);
  if (!itself) finding.numbers["stopped_by"] = other_end->rule;
  finding.text = itself ? what + " stops it "
                        : fmt::format("{} leaves it to {}, which stops it ", what, other_end->rule);
  if (later == Duration{0}) {
    finding.text += "at the same time";
    finding.differs = false;
    return finding;
  }
  finding.text += apart_text(later);
  if (more) finding.text += ' ' + dollars_text(*more, "the attempt", in_all);
  return finding;
}

/// When rules end an attempt, and which does; `never`: none.
struct End {
  policy::Instant at = policy::never;
  std::string rule = {};
  bool operator==(const End&) const = default;
};

/// How the attempt ends with that value; nothing: it cannot be asked.
std::optional<End> end_with(Asker& asker, const RuleStop& ending,
                            const scenarios::PolicySpec& policy, const Change& change) {
  const auto changed = with_option(policy, ending.rule, change.option, change.value);
  if (!changed || asker.partial()) return std::nullopt;
  const JobStory story = asker.ask(*changed);
  if (asker.partial()) return std::nullopt;
  const auto other = ending_of(story, asker.counterpart(story, ending.attempt));
  return other ? End{other->at, other->rule} : End{};
}

/// The nearest value, of those tried, that does it, as the farthest does.
Change nearest(const Change::Reach& reach, const std::function<bool(double)>& does_it) {
  constexpr int halvings = 10;
  constexpr int tries = 16;
  const double factor = reach.halved ? 0.5 : 2;
  const auto within = [&](double value) {
    return reach.halved ? std::max(value, reach.most) : std::min(value, reach.most);
  };
  double bad = reach.now;
  double good = within(reach.from);
  for (int i = 0; good != reach.most && !does_it(good); ++i) {
    bad = good;
    good = reach.halved && i >= halvings ? reach.most : within(good * factor);
  }
  for (int i = 0, looked = 0; i < tries && looked < 4 * tries; ++looked) {
    const double between = std::stod(fmt::format("{:.{}g}", (good + bad) / 2, reach.digits));
    if (between <= std::min(bad, good) || between >= std::max(bad, good)) break;
    const std::string what = reach.with(between).what;
    const bool as_good = what == reach.with(good).what;  // not every value is one of the option's
    const bool is_known = as_good || what == reach.with(bad).what;
    (as_good || (!is_known && does_it(between)) ? good : bad) = between;
    if (!is_known) ++i;
  }
  return reach.with(good);
}

/// The nearest value that does what the farthest does: the rule lets the attempt alone, or
/// something else ends it then.  Nothing: the farthest does nothing.
std::optional<Change> reached(Asker& asker, const RuleStop& ending,
                              const scenarios::PolicySpec& policy, const Change::Reach& reach) {
  const auto farthest = end_with(asker, ending, policy, reach.with(reach.most));
  if (!farthest || farthest->at == ending.at) return std::nullopt;
  return nearest(reach, [&](double value) {
    const auto end = end_with(asker, ending, policy, reach.with(value));
    if (!end || end == farthest) return end.has_value();
    const bool outlasts = reach.passes && end->at > policy::later(ending.at, *reach.passes);
    return outlasts || (reach.later_will_do && end->at > ending.at);
  });
}

/// The shortest length that lets the attempt alone where what it lasts does not: the rule measures
/// more than is known of it.
std::optional<Change> longer(Asker& asker, const RuleStop& ending,
                             const scenarios::PolicySpec& policy, const Change::Length& of) {
  const auto with = [&of](double value) {
    const auto length =
        std::chrono::round<std::chrono::seconds>(std::chrono::duration<double>{value});
    return of.with(length / step_of(length) * step_of(length));
  };
  const double enough = std::chrono::duration<double>{of.enough}.count();
  constexpr double most = std::chrono::duration<double>{std::chrono::hours{24 * 365}}.count();
  constexpr int exactly = 9;
  if (enough >= most) return std::nullopt;
  const auto farthest = end_with(asker, ending, policy, with(most));
  if (!farthest || farthest->rule == ending.rule) return std::nullopt;
  return reached(asker, ending, policy, {enough, 2 * enough, most, with, exactly});
}

/// The same change with the shortest length, in whole steps, that does what its own does, each
/// played: it lets the attempt alone, or something else ends it then.  As it is if it does nothing.
Change shortest(Asker& asker, const RuleStop& ending, const scenarios::PolicySpec& policy,
                Change change) {
  if (!change.length) return change;
  const Change::Length& of = *change.length;
  if (of.too_short >= of.enough) return change;
  const auto farthest = end_with(asker, ending, policy, of.with(of.enough));
  if (farthest && farthest->rule == ending.rule) {
    if (auto more = longer(asker, ending, policy, of)) return *std::move(more);
  }
  if (!farthest || farthest->at == ending.at) return change;
  const Duration step = step_of(of.enough);
  Duration good = of.enough;
  Duration bad = of.too_short;
  const auto try_one = [&](Duration length) {
    const bool does_it = end_with(asker, ending, policy, of.with(length)) == farthest;
    (does_it ? good : bad) = length;
  };
  const Duration slack = of.slack / step * step;
  if (slack > Duration{0} && slack < good - bad) try_one(good - slack);
  Duration leap = step;
  while (leap < good - bad) {  // ever further, until one is too short
    const Duration before = good;
    try_one(good - leap);
    if (good == before) break;
    leap *= 2;
  }
  while (good - bad > step)
    try_one(good - std::max<std::int64_t>((good - bad) / step / 2, 1) * step);
  return of.with(good);
}

/// Whether a change of that option was found with which the rule does not stop it.
bool lets_alone(const std::vector<Finding>& found, const std::string& subject) {
  return std::any_of(found.begin(), found.end(), [&](const Finding& finding) {
    const auto& change = finding.numbers.at("change").get_ref<const std::string&>();
    return change.starts_with(subject + ' ') && !finding.numbers.at("stops").get<bool>();
  });
}

/// Of what stops it up to the farthest, and with that at the same time as without.
Finding no_miss(const Change& farthest) {
  const Change::Reach& reach = *farthest.reach;
  Finding finding;
  const std::string& subject = farthest.subject();
  finding.text = fmt::format("no {} {} to {} {}", subject, reach.halved ? "down" : "up",
                             std::string_view{farthest.what}.substr(subject.size() + 1),
                             reach.later_will_do ? "stops it later" : "lets it alone");
  finding.numbers = {{"change", farthest.what}, {"stops", true}};
  finding.differs = false;
  return finding;
}

/// Whether the attempt goes on, at least for longer.
bool is_relief(const Finding& finding) {
  const auto later = finding.numbers.find("later_s");
  if (later != finding.numbers.end()) return later->get<double>() > 0;
  return !finding.numbers.at("stops").get<bool>();
}

/// The policy with that change of that seat; none if it cannot be.
std::optional<scenarios::PolicySpec> with_change(const scenarios::PolicySpec& policy,
                                                 const std::string& label, const Change& change) {
  if (!change.off) return with_option(policy, label, change.option, change.value);
  scenarios::PolicySpec without = policy;
  const auto seat = std::ranges::find(without.seats, label, &scenarios::SeatSpec::label);
  if (seat == without.seats.end()) return std::nullopt;
  seat->mode = host::Mode::off;
  return without;
}

/// The policy with all these changes of that seat; none if one of them cannot be.
std::optional<scenarios::PolicySpec> with_all(const scenarios::PolicySpec& policy,
                                              const std::string& label,
                                              const std::vector<Change>& changes) {
  std::optional<scenarios::PolicySpec> changed{policy};
  for (const Change& change : changes) {
    const auto seat = std::find_if(changed->seats.begin(), changed->seats.end(),
                                   [&](const auto& of) { return of.label == label; });
    if (seat == changed->seats.end()) return std::nullopt;
    const policy::OptionValue value =
        change.upon ? change.upon(seat->options.value(change.option)) : change.value;
    changed = change.off ? with_change(*changed, label, change)
                         : with_option(*changed, label, change.option, value);
    if (!changed) return std::nullopt;
  }
  return changed;
}

/// Of each option, or part of one, the last change.
std::vector<Change> one_for_each_option(std::vector<Change> changes) {
  std::vector<Change> each;
  for (Change& change : changes) {
    const auto same = std::find_if(each.begin(), each.end(), [&](const Change& other) {
      return !change.upon && other.option == change.option;
    });
    if (same == each.end()) {
      each.push_back(std::move(change));
    } else {
      *same = std::move(change);
    }
  }
  return each;
}

/// What comes of changes together, and how that is said.
using Play = std::function<std::optional<Finding>(const std::vector<Change>&, const std::string&)>;

/// The nearest value of that option that is enough where the others stay as they are.
Change nearest_beside(std::vector<Change> changes, std::size_t which,
                      const std::vector<Change>& all,
                      const std::function<bool(const std::vector<Change>&)>& is_enough) {
  const Change farthest = changes[which];
  const auto does = [&](const Change& change) {
    changes[which] = change;
    return is_enough(changes);
  };
  for (const Change& change : all) {
    if (change.what == farthest.what) break;
    if (change.subject() == farthest.subject() && does(change)) return change;
  }
  const auto& reach = farthest.reach ? farthest.reach : farthest.less;
  if (!reach) return farthest;
  return nearest(*reach, [&](double value) { return does(reach->with(value)); });
}

/// Changes of which none does anything by itself, together: as few of them as come to the same, by
/// these numbers.  `play` finds nothing where they do nothing, nor does this then.
std::optional<Finding> fewest(const std::vector<Change>& all, const Play& play,
                              std::initializer_list<const char*> same_by) {
  std::vector<Change> changes = one_for_each_option(all);
  if (changes.size() < 2) return std::nullopt;
  const auto play_all = [&](const std::vector<Change>& some) {
    std::vector<std::string_view> names;
    names.reserve(some.size());
    for (const Change& change : some) names.push_back(change.what);
    auto finding = play(some, fmt::format("{}", fmt::join(names, " together with ")));
    if (finding) finding->text = "no single option; " + finding->text;
    if (finding) finding->numbers["together"] = names;
    return finding;
  };
  const auto is_same = [](const Finding& a, const Finding& b, const char* number) {
    return a.numbers.value(number, nlohmann::ordered_json{}) ==
           b.numbers.value(number, nlohmann::ordered_json{});
  };
  const auto comes_to_the_same = [&](const Finding& a, const Finding& b) {
    return std::ranges::all_of(same_by, [&](auto number) { return is_same(a, b, number); });
  };
  std::optional<Finding> best = play_all(changes);
  for (std::size_t i = changes.size(); best && i-- > 0 && changes.size() > 2;) {
    std::vector<Change> fewer = changes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    std::optional<Finding> found = play_all(fewer);
    if (!found || !comes_to_the_same(*found, *best)) continue;
    best = std::move(found);
    changes = std::move(fewer);
  }
  if (!best) return best;
  const auto is_enough = [&](const Finding& found) {
    return comes_to_the_same(found, *best) && is_same(found, *best, "later_s");
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i] = nearest_beside(changes, i, all, [&](const std::vector<Change>& some) {
      const auto found = play_all(some);
      return found && is_enough(*found);
    });
  }
  return play_all(changes);
}

/// The rule does not stop it.
bool lets_go(const Finding& finding) {
  return !finding.numbers.at("stops").get<bool>();
}

/// As few of these changes as let the attempt go on, as far as is `enough`.
std::optional<Finding> together(Asker& asker, const JobStory& story, const RuleStop& ending,
                                const scenarios::PolicySpec& policy,
                                const std::vector<Change>& changes,
                                bool (*enough)(const Finding&)) {
  const auto play = [&](const std::vector<Change>& some,
                        const std::string& what) -> std::optional<Finding> {
    const auto changed = with_all(policy, ending.rule, some);
    if (!changed || asker.partial()) return std::nullopt;
    Finding finding = near_miss(asker, story, ending, *changed, what);
    return !asker.partial() && enough(finding) ? std::optional{finding} : std::nullopt;
  };
  return fewest(changes, play, {"stops", "stopped_by"});
}

/// What comes of a change, of the least of its reach that lets the attempt alone, or of the
/// farthest where none does; `change` is then the one that was played.  Nothing: it cannot be.
std::optional<Finding> played(Asker& asker, const JobStory& story, const RuleStop& ending,
                              const scenarios::PolicySpec& policy, Change& change) {
  if (!with_change(policy, ending.rule, change)) return std::nullopt;
  if (change.reach) {
    auto least = reached(asker, ending, policy, *change.reach);
    if (!least) return asker.partial() ? std::nullopt : std::optional{no_miss(change)};
    change = *std::move(least);
  } else {
    change = shortest(asker, ending, policy, change);
  }
  const auto play = [&]() -> std::optional<Finding> {
    const auto changed = with_change(policy, ending.rule, change);
    if (!changed) return std::nullopt;
    Finding finding = near_miss(asker, story, ending, *changed, change.what);
    return asker.partial() ? std::nullopt : std::optional{std::move(finding)};
  };
  auto finding = play();
  if (!change.less || !finding || finding->numbers.at("stops").get<bool>()) return finding;
  const std::string guessed = change.what;
  if (auto least = reached(asker, ending, policy, *change.less)) change = *std::move(least);
  return change.what == guessed ? finding : play();
}

/// What each of the changes of that seat would have done; where none does anything, the last
/// resorts; and where none lets the attempt go on, or only for longer, what they do together.
void play_changes(Asker& asker, const JobStory& story, const RuleStop& ending,
                  const scenarios::PolicySpec& policy, std::vector<Change> changes,
                  std::vector<Finding>& out) {
  const auto is_last = [](const Change& change) {
    return change.reach && change.reach->later_will_do;
  };
  std::stable_partition(changes.begin(), changes.end(), std::not_fn(is_last));
  std::vector<Change> tried;
  for (Change& change : changes) {
    if (is_last(change) ? std::any_of(out.begin(), out.end(), is_relief)
                        : change.reach && lets_alone(out, change.subject())) {
      continue;
    }
    const Change farthest = change;
    auto finding = played(asker, story, ending, policy, change);
    const auto is_known = [&](const Finding& told) { return told.text == finding->text; };
    if (!finding || std::any_of(out.begin(), out.end(), is_known)) continue;
    out.push_back(*std::move(finding));
    tried.push_back(farthest);
  }
  if (std::any_of(out.begin(), out.end(), lets_go)) return;
  const bool any_relief = std::any_of(out.begin(), out.end(), is_relief);
  if (auto found =
          together(asker, story, ending, policy, tried, any_relief ? lets_go : is_relief)) {
    out.push_back(*std::move(found));
  }
}

/// What small changes of a rule would have done about one thing that it did to the job.
struct Misses {
  std::string of;  ///< what, where the rule did it: "max_runtime's stop of attempt 2 at 02:05:00"
  std::string rule;
  policy::AttemptNumber attempt = 1;
  policy::Instant at;
  std::vector<Finding> findings;
  bool sought = true;  ///< else nothing of the rule has a threshold that may be moved
};

/// Of the first stop of a rule, and of the last: each change is played.
std::vector<Misses> near_misses(Asker& asker, const JobStory& story, const JobQuestion& question) {
  std::vector<Misses> all;
  std::vector<RuleStop> endings = ended_by(story);
  if (endings.size() > 2) endings.erase(endings.begin() + 1, endings.end() - 1);
  for (const RuleStop& ending : endings) {
    const auto seat =
        std::ranges::find(question.policy->seats, ending.rule, &scenarios::SeatSpec::label);
    if (asker.partial()) break;
    if (seat == question.policy->seats.end()) continue;
    const auto needed = [&](Measure measure) { return asker.needed(ending, measure); };
    const std::vector<Change> changes = near_changes(*seat, asker.ended(ending), needed);
    Misses& misses = all.emplace_back();
    misses.of = fmt::format("{}'s stop of attempt {} at {}", ending.rule, ending.attempt,
                            asker.clock(ending.at));
    misses.rule = ending.rule;
    misses.attempt = ending.attempt;
    misses.at = ending.at;
    misses.sought = !changes.empty();
    play_changes(asker, story, ending, *question.policy, changes, misses.findings);
  }
  return all;
}

/// The clones of the job that this rule made, in order.
std::vector<const experiments::DecisionRow*> clones_of(const JobStory& story,
                                                       const std::string& rule) {
  std::vector<const experiments::DecisionRow*> clones;
  for (const experiments::DecisionRow& row : story.changes) {
    const bool is_clone = std::holds_alternative<policy::CloneJob>(row.verb);
    if (is_clone && row.rule == rule) clones.push_back(&row);
  }
  return clones;
}

/// What is asked of a rule that starts jobs again: about the clone that it made of an attempt, or
/// why it made none.
struct Restart {
  std::string rule;
  const experiments::DecisionRow* clone = nullptr;
  policy::AttemptNumber after = 1;
  policy::Instant ended;  ///< when that attempt was
};

/// The first of these clones that found machines.
const experiments::DecisionRow* first_that_ran(
    const JobStory& story, const std::vector<const experiments::DecisionRow*>& clones) {
  const auto ran = std::ranges::find_if(clones, [&](const experiments::DecisionRow* clone) {
    const AttemptBill* const bill = attempt_of(story, clone->attempt);
    return bill != nullptr && bill->had_machines;
  });
  return ran == clones.end() ? nullptr : *ran;
}

/// Its counterpart in another run.  Attempts have other numbers once one more was made: what found
/// machines here is the first that does there, and what was not made here the first that is made
/// only there.
const experiments::DecisionRow* counterpart(const JobStory& story, const JobStory& other,
                                            const Restart& asked) {
  const auto theirs = clones_of(other, asked.rule);
  if (asked.clone != nullptr) {
    const AttemptBill* const bill = attempt_of(story, asked.clone->attempt);
    if (bill != nullptr && bill->had_machines) return first_that_ran(other, theirs);
    const auto same =
        std::ranges::find(theirs, asked.clone->attempt, &experiments::DecisionRow::attempt);
    return same == theirs.end() ? nullptr : *same;
  }
  const auto mine = clones_of(story, asked.rule);
  const auto is_same = [](const auto* a, const auto* b) {
    return a->attempt == b->attempt && a->at == b->at;
  };
  const auto first = std::ranges::mismatch(theirs, mine, is_same).in1;
  return first == theirs.end() ? nullptr : *first;
}

/// Whether, and when, the changed rule starts it again, and what the job costs more then.
Finding near_restart(Asker& asker, const JobStory& story, const Restart& asked,
                     const scenarios::PolicySpec& changed, const std::string& what) {
  const JobStory other = asker.ask(changed);
  const experiments::DecisionRow* clone = asked.clone;
  const experiments::DecisionRow* theirs = counterpart(story, other, asked);
  Finding finding;
  finding.numbers = {{"change", what}, {"restarts", theirs != nullptr}};
  if (theirs == nullptr) {
    finding.text = what + " does not start it again";
    finding.differs = clone != nullptr;
    if (clone == nullptr) return finding;
  } else if (clone == nullptr) {
    const int of = theirs->attempt - 1;
    const std::string after = of == asked.after ? "" : fmt::format("after attempt {} ", of);
    finding.text = fmt::format("{} starts it again {}at {}", what, after, asker.clock(theirs->at));
  } else if (theirs->at == clone->at) {
    finding.text = what + " starts it again at the same time";
  } else {
    const Duration later = theirs->at - clone->at;
    finding.numbers["later_s"] = seconds_json(later);
    finding.text = fmt::format("{} starts it again {}", what, apart_text(later));
  }
  const bool when =
      (theirs == nullptr) == (clone == nullptr) && (theirs == nullptr || theirs->at == clone->at);
  const Duration over = when ? other.attempts.back().end - story.attempts.back().end : Duration{};
  if (over != Duration{0}) {
    finding.text += fmt::format(", and its last attempt ends {}", apart_text(over));
  }
  const Usd more = other.billed - story.billed;
  const Usd in_all = other.run_billed - story.run_billed;
  finding.numbers["job_more_usd"] = usd_json(more);
  finding.numbers["run_more_usd"] = usd_json(in_all);
  finding.text += ' ' + dollars_text(more, "the job", in_all);
  finding.differs = !when || over != Duration{0} || more != Usd{};
  return finding;
}

/// The attempts that ended early and that no rule started again, the first and the last of them: a
/// person may have done so.
std::vector<const AttemptBill*> left_lying(const JobStory& story) {
  std::vector<const AttemptBill*> left;
  for (std::size_t i = 0; i < story.attempts.size(); ++i) {
    const AttemptBill& bill = story.attempts[i];
    const bool is_done =
        bill.reason == models::EndReason::completed || bill.reason == models::EndReason::horizon;
    const bool is_last = i + 1 == story.attempts.size();
    if (is_done || (!is_last && story.attempts[i + 1].origin != policy::Origin::person)) continue;
    if (left.size() == 2) left.pop_back();
    left.push_back(&bill);
  }
  return left;
}

/// What to ask of the rule: how it might have started again what it left lying, and how it might
/// not have made its first clone, of those that found machines if any did, or at another time.
std::vector<Restart> restarts_of(const JobStory& story, const std::string& rule) {
  std::vector<Restart> asked;
  for (const AttemptBill* left : left_lying(story)) {
    asked.push_back({rule, nullptr, left->number, left->end});
  }
  const auto clones = clones_of(story, rule);
  if (clones.empty()) return asked;
  const experiments::DecisionRow* const ran = first_that_ran(story, clones);
  const experiments::DecisionRow* const clone = ran != nullptr ? ran : clones.front();
  const auto after = static_cast<policy::AttemptNumber>(clone->attempt - 1);
  const AttemptBill* before = attempt_of(story, after);
  if (before != nullptr) asked.push_back({rule, clone, after, before->end});
  return asked;
}

/// The nearest value with which the rule starts again what it left, or leaves what it started
/// again. Nothing: it does so with none.
std::optional<Change> reached(Asker& asker, const JobStory& story, const Restart& asked,
                              const scenarios::PolicySpec& policy, const Change::Reach& reach) {
  const auto does_it = [&](double value) {
    const Change change = reach.with(value);
    const auto changed = with_option(policy, asked.rule, change.option, change.value);
    if (!changed || asker.partial()) return false;
    const bool restarts = counterpart(story, asker.ask(*changed), asked) != nullptr;
    return restarts == (asked.clone == nullptr);
  };
  if (!does_it(reach.most)) return std::nullopt;
  return nearest(reach, does_it);
}

/// Whether a change of that option was found with which it is otherwise started again, or not.
bool turns_it(const std::vector<Finding>& found, const Restart& asked, const std::string& subject) {
  return std::ranges::any_of(found, [&](const Finding& finding) {
    const auto& change = finding.numbers.at("change").get_ref<const std::string&>();
    const bool restarts = finding.numbers.at("restarts").get<bool>();
    return change.starts_with(subject + ' ') && restarts == (asked.clone == nullptr);
  });
}

/// What each of the changes would have done, far ones where nothing before them does anything; and
/// where none starts it again, what they do together.
std::vector<Finding> play_restarts(Asker& asker, const JobStory& story, const Restart& asked,
                                   const scenarios::PolicySpec& policy,
                                   std::vector<Change> changes) {
  std::vector<Finding> found;
  const auto differs = [](const Finding& finding) { return finding.differs; };
  const auto play = [&](const std::vector<Change>& some,
                        const std::string& what) -> std::optional<Finding> {
    const auto changed = with_all(policy, asked.rule, some);
    if (!changed || asker.partial()) return std::nullopt;
    Finding finding = near_restart(asker, story, asked, *changed, what);
    return asker.partial() ? std::nullopt : std::optional{std::move(finding)};
  };
  for (Change& change : changes) {
    if (change.is_far && std::ranges::any_of(found, differs)) continue;
    if (change.reach) {
      if (turns_it(found, asked, change.subject())) continue;
      auto least = reached(asker, story, asked, policy, *change.reach);
      if (!least) continue;
      change = *std::move(least);
    }
    if (auto finding = play({change}, change.what)) found.push_back(*std::move(finding));
  }
  if (asked.clone != nullptr || std::ranges::any_of(found, differs)) return found;
  const auto play_all = [&](const std::vector<Change>& some, const std::string& what) {
    auto finding = play(some, what);
    return finding && finding->numbers.at("restarts").get<bool>() ? finding : std::nullopt;
  };
  if (auto all = fewest(changes, play_all, {"restarts"})) {
    found.push_back(*std::move(all));
  }
  return found;
}

/// Whether that change is a miss among these.
bool is_miss(const std::vector<Finding>& found, const Change& change) {
  return std::ranges::any_of(found, [&](const Finding& finding) {
    return finding.differs && finding.numbers.at("change") == change.what;
  });
}

/// The kind of the rule that ended the attempt; empty: none did.
std::string_view stopper_of(const JobStory& story, const scenarios::PolicySpec& policy,
                            policy::AttemptNumber attempt) {
  const auto ending = ending_of(story, attempt);
  if (!ending) return {};
  const auto seat = std::ranges::find(policy.seats, ending->rule, &scenarios::SeatSpec::label);
  return seat == policy.seats.end() ? std::string_view{} : seat->kind->name;
}

/// What a small change of each of the rules that start jobs again would have done: of its first
/// clone only where nothing is to be said of what it left lying.
std::vector<Misses> near_restarts(Asker& asker, const JobStory& story,
                                  const JobQuestion& question) {
  std::vector<Misses> all;
  std::size_t played = 0;
  for (const scenarios::SeatSpec& seat : question.policy->seats) {
    if (seat.mode != host::Mode::enforce) continue;
    const std::size_t before = all.size();
    for (const Restart& asked : restarts_of(story, seat.label)) {
      if (played >= restarts_at_most || asker.partial()) break;
      if (asked.clone != nullptr && all.size() > before) break;
      EndedAttempt ended = asker.ended({asked.ended, asked.after, seat.label, 0});
      ended.stopped_by = stopper_of(story, *question.policy, asked.after);
      std::vector<Change> changes = app::near_restarts(seat, ended, asked.clone != nullptr);
      std::erase_if(changes, [&](const Change& change) {  // nothing is told twice
        return all.size() > before && is_miss(all.back().findings, change);
      });
      Misses misses;
      misses.rule = seat.label;
      misses.attempt = asked.after;
      misses.at = asked.clone != nullptr ? asked.clone->at : asked.ended;
      misses.of = fmt::format("{} after attempt {}", seat.label, misses.attempt);
      misses.findings = play_restarts(asker, story, asked, *question.policy, std::move(changes));
      played += misses.findings.size();
      if (!misses.findings.empty()) all.push_back(std::move(misses));
    }
  }
  return all;
}

std::string cost_line(const AttemptBill& bill) {
  const auto uses = models::apportion(bill.uses);
  report::CentRounding cents;
  std::string parts;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    const Usd shown = cents.next(uses[use]);
    if (shown == Usd{}) continue;
    std::string name{models::name(static_cast<models::Use>(use))};
    std::replace(name.begin(), name.end(), '_', ' ');
    parts += fmt::format("{}{} {}", parts.empty() ? "" : " + ", name, report::money(shown));
  }
  return fmt::format("attempt {}: billed {}{}", bill.number, report::money(bill.billed),
                     parts.empty() ? "" : " = " + parts);
}

nlohmann::ordered_json story_json(const Asker& asker, const JobStory& story) {
  using nlohmann::ordered_json;
  ordered_json out;
  auto& moments = out["moments"] = ordered_json::array();
  for (const Moment& moment : story.moments) {
    moments.push_back({{"at", report::instant(moment.at)},
                       {"clock", asker.clock(moment.at)},
                       {"text", moment.text},
                       {"details", moment.details}});
  }
  auto& attempts = out["attempts"] = ordered_json::array();
  for (const AttemptBill& bill : story.attempts) {
    auto uses = ordered_json::object();
    const auto rounded = models::apportion(bill.uses);
    for (std::size_t use = 0; use < rounded.size(); ++use) {
      uses[std::string{models::name(static_cast<models::Use>(use))} + "_usd"] =
          usd_json(rounded[use]);
    }
    attempts.push_back({{"attempt", bill.number},
                        {"end", report::instant(bill.end)},
                        {"end_reason", report::word(bill.reason)},
                        {"billed_usd", usd_json(bill.billed)},
                        {"uses", std::move(uses)},
                        {"text", cost_line(bill)}});
  }
  return out;
}

std::string story_text(const Asker& asker, const JobStory& story) {
  std::string out;
  for (const Moment& moment : story.moments) {
    const std::string at = asker.clock(moment.at);
    out += fmt::format("  {}  {}\n", at, moment.text);
    for (const std::string& detail : moment.details) {
      out += fmt::format("  {}    {}\n", std::string(at.size(), ' '), detail);
    }
  }
  for (const AttemptBill& bill : story.attempts) out += fmt::format(" {}\n", cost_line(bill));
  return out;
}

/// "stop job of gpu-alarm at 01:16:02"
std::string named(const Asker& asker, const experiments::DecisionRow& row) {
  std::string verb{host::name_of(host::kind_of(row.verb))};
  std::replace(verb.begin(), verb.end(), '_', ' ');
  const bool clones = std::holds_alternative<policy::CloneJob>(row.verb);
  return fmt::format("{} of {} {} {}{}", verb, row.rule, clones ? "from" : "at",
                     asker.clock(row.at), clones ? " on" : "");
}

/// One line for each decision that was undone; which one, where there are several.
std::string others_text(const Asker& asker, const JobStory& story,
                        const std::vector<Finding>& others) {
  std::string out;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string which = story.changes.size() == 1
                                  ? "had it not"
                                  : fmt::format("without {}", named(asker, story.changes[i]));
    out += fmt::format(" {}: {}\n", which, others[i].text);
  }
  if (story.changes.size() > others.size() && !others.empty()) {
    out += fmt::format(" {} further decisions are not undone here\n",
                       story.changes.size() - others.size());
  }
  return out;
}

/// Below each decision what could have been done in its place.
std::string alternatives_text(const Asker& asker, const std::vector<Replaced>& replaced,
                              const std::vector<Finding>& findings) {
  std::string out;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const experiments::DecisionRow& row = replaced[i].undone.decision;
    if (i == 0 || replaced[i - 1].undone.decision.id != row.id) {
      out += fmt::format(" instead of {}\n", named(asker, row));
    }
    out += fmt::format("   {}: {}\n", replaced[i].name, findings[i].text);
  }
  return out;
}

/// What comes of other values of options; those that change nothing are no misses.  `of`: whose
/// they are, where that is not plain.
std::string misses_text(const Misses& all, bool of) {
  const std::string whose = of ? " of " + all.of : "";
  if (!all.sought) {
    return fmt::format(
        " nearest miss{}: none was looked for: no option of {} is a threshold here\n", whose,
        all.rule);
  }
  std::string misses;
  std::string others;
  for (const Finding& finding : all.findings) {
    std::string& list = finding.differs ? misses : others;
    list += (list.empty() ? "" : "; ") + finding.text;
  }
  std::string out =
      fmt::format(" nearest miss{}: {}\n", whose, misses.empty() ? "none was found" : misses);
  if (!others.empty()) out += fmt::format(" no difference{}: {}\n", whose, others);
  return out;
}

/// The same in two lists: what would have come otherwise, and what would not.
void add_misses(nlohmann::ordered_json& out, const std::vector<Misses>& all) {
  for (const std::string_view list : {"nearest_misses", "no_difference", "no_threshold"}) {
    out[std::string{list}] = nlohmann::ordered_json::array();
  }
  for (const Misses& misses : all) {
    const nlohmann::ordered_json of{
        {"rule", misses.rule}, {"attempt", misses.attempt}, {"at", report::instant(misses.at)}};
    if (!misses.sought) out["no_threshold"].push_back(of);
    for (const Finding& miss : misses.findings) {
      nlohmann::ordered_json& json =
          out[miss.differs ? "nearest_misses" : "no_difference"].emplace_back(of);
      json.update(with_text(miss));
    }
  }
}

}  // namespace

bool has_job(const scenarios::Scenario& scenario, const std::string& job,
             std::uint32_t replication) {
  const auto& names = scenario.world.jobs.names;
  if (std::find(names.begin(), names.end(), job) != names.end()) return true;
  return scenario.world.drawn &&
         find_job(models::materialize(scenario.world, replication), job).has_value();
}

int explain_job(const scenarios::Scenario& scenario, const JobQuestion& question,
                const Console& console) {
  Asker asker{scenario, question};
  const JobStory story = asker.ask();
  const std::string head = headline(asker, story, question);
  std::vector<Finding> others;
  for (const Undone& undone : asker.without_each(story)) others.push_back(without(asker, undone));
  const std::vector<Replaced> replaced = asker.alternatives(story);
  std::vector<Finding> alternatives;
  alternatives.reserve(replaced.size());
  for (const Replaced& other : replaced) alternatives.push_back(instead(asker, other));
  std::vector<Misses> misses = near_misses(asker, story, question);
  for (Misses& restart : near_restarts(asker, story, question))
    misses.push_back(std::move(restart));
  // Of what was not played to its end nothing is known, nor that there is nothing.
  if (asker.partial()) std::erase_if(misses, [](const Misses& of) { return of.findings.empty(); });
  if (console.json) {
    nlohmann::ordered_json out{{"job", question.job},
                               {"policy", question.policy->name},
                               {"replication", question.replication},
                               {"headline", head}};
    out.update(story_json(asker, story));
    auto& had_not = out["had_it_not"] = nlohmann::ordered_json::array();
    for (const Finding& other : others) had_not.push_back(with_text(other));
    auto& could = out["alternatives"] = nlohmann::ordered_json::array();
    for (const Finding& other : alternatives) could.push_back(with_text(other));
    add_misses(out, misses);
    out["partial"] = asker.partial();
    console.print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  } else {
    std::string out = fmt::format(" {}\n{}", head, story_text(asker, story));
    out += others_text(asker, story, others);
    out += alternatives_text(asker, replaced, alternatives);
    for (const Misses& each : misses) out += misses_text(each, misses.size() > 1);
    if (asker.partial()) out += " partial: interrupted, and more might be said\n";
    console.print(out);
  }
  return asker.partial() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace reeve::app
