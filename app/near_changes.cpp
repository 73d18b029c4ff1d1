#include "app/near_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <ratio>
#include <set>

#include "experiments/measures.hpp"
#include "policies/glob.hpp"
#include "policies/weekly_options.hpp"
#include "report/format.hpp"
#include "scenarios/load/seat_needs.hpp"

namespace reeve::app {
namespace {

using experiments::seconds;
using policy::Comparison;
using policy::Condition;
using policy::ConditionField;
using policy::Duration;
using policy::Instant;

constexpr std::size_t changes_at_most = 20;  // each is a few runs

/// A test compares the other way round within `not`.
Comparison turned(Comparison comparison) {
  switch (comparison) {
    case Comparison::below:
      return Comparison::at_least;
    case Comparison::at_most:
      return Comparison::above;
    case Comparison::above:
      return Comparison::at_most;
    case Comparison::at_least:
      return Comparison::below;
    default:
      return comparison;
  }
}

const models::AttemptRow* attempt_row(const EndedAttempt& ended) {
  for (const models::AttemptRow& row : ended.record->attempts) {
    if (row.job == ended.job && row.number == ended.attempt) return &row;
  }
  return nullptr;
}

const policy::InstanceType& option_type(const EndedAttempt& ended,
                                        const models::AttemptRow& attempt) {
  const models::World& world = *ended.world;
  return world.directory.types[world.pools[attempt.pool.index].type.index];
}

/// When the attempt first was in that status; `never`: it was not.
Instant first_in(const models::Record& record, const EndedAttempt& ended,
                 policy::Secondary status) {
  Instant first = policy::never;
  for (const models::EventRow& event : record.events) {
    const bool its = event.job == ended.job && event.attempt == ended.attempt;
    if (its && event.secondary == status) first = std::min(first, event.at);
  }
  return first;
}

/// The standstill that it was stopped in; null: there was none then.
const models::StallRow* stall_at(const models::Record& record, const EndedAttempt& ended) {
  const auto found =
      std::find_if(record.stalls.begin(), record.stalls.end(), [&](const models::StallRow& row) {
        const bool its = row.job == ended.job && row.attempt == ended.attempt;
        return its && row.onset <= ended.at && ended.at < row.ended;
      });
  return found == record.stalls.end() ? nullptr : &*found;
}

/// How long it stayed in the status in which it was stopped, or, in a run without that, would have
/// been.
Duration stayed(const models::Record& record, const EndedAttempt& ended,
                const models::AttemptRow& attempt) {
  Instant since = attempt.requested;
  policy::Secondary status = policy::Secondary::queued;
  for (const models::EventRow& event : record.events) {
    const bool its = event.job == ended.job && event.attempt == ended.attempt;
    if (!its || event.duplicate || event.secondary == status) continue;
    if (event.at >= ended.at) return event.at - since;
    since = event.at;
    status = event.secondary;
  }
  return attempt.end - since;
}

/// How long its start-up took in which it was stopped, or the last one before; nothing: it had
/// none.
std::optional<Duration> startup_at(const models::Record& record, const EndedAttempt& ended,
                                   Instant end) {
  using policy::Secondary;
  Instant since = policy::never;
  Instant until = end;
  for (const models::EventRow& event : record.events) {
    const bool its = event.job == ended.job && event.attempt == ended.attempt;
    if (!its || event.duplicate) continue;
    if (event.secondary == Secondary::starting && event.at <= ended.at) {
      since = event.at;
      until = end;
    } else if (event.secondary != Secondary::starting &&
               event.secondary != Secondary::downloading) {
      until = std::min(until, std::max(event.at, since));
    }
  }
  if (since == policy::never) return std::nullopt;
  return until - since;
}

/// More than needed, in whole steps: the limit with which the attempt ends by itself.
std::optional<Duration> enough(const Needed& needed, Measure measure) {
  const auto length = needed(measure);
  if (!length) return std::nullopt;
  const Duration step = step_of(*length);
  return (*length / step + 1) * step;
}

/// Whether it tells people before it stops a job, and gives them time.
bool warns_first(const scenarios::SeatSpec& seat) {
  return scenarios::has_option(*seat.kind, "warn_for") &&
         seat.options.text("action") == "warn_then_stop";
}

/// How long after what is wrong the rule stops the attempt: people are told first, or it waits.
Duration slack_of(const scenarios::SeatSpec& seat) {
  Duration slack{0};
  const auto add = [&](std::string_view option) {
    if (!scenarios::has_option(*seat.kind, option)) return;
    const Duration more = seat.options.duration(option);
    slack = more > Duration::max() - slack ? Duration::max() : slack + more;
  };
  if (warns_first(seat)) add("warn_for");
  if (seat.kind->name == "rule") add("after");
  add("latency");
  return slack;
}

/// None has its unit too: so it may stand in a scenario.
std::string length_text(Duration length) {
  return length == Duration{0} ? "0s" : report::short_duration(length);
}

Change with_length(std::string_view option, Duration length) {
  return {std::string{option}, length, fmt::format("{} {}", option, length_text(length))};
}

Change with_limit(Duration limit) {
  return with_length("limit", limit);
}

/// The limit with which a rule that goes by the clock would have let the attempt end by itself.
/// `ahead`: so long before its limit it acts.
std::vector<Change> longer_limit(const scenarios::SeatSpec& seat, const Needed& needed,
                                 Measure measure, Duration ahead = Duration{0}) {
  auto limit = enough(needed, measure);
  if (!limit) return {};
  *limit += ahead;
  if (*limit <= seat.options.duration("limit")) return {};
  Change change = with_limit(*limit);
  change.length = {*limit, seat.options.duration("limit"), slack_of(seat), with_limit};
  return {std::move(change)};
}

/// What is shown is what is played: a number of at most nine digits.
Change with_number(std::string_view option, double value) {
  const double shown = std::stod(fmt::format("{:.9g}", value));
  return {std::string{option}, shown, fmt::format("{} {}", option, shown)};
}

Change with_count(std::string_view option, std::int64_t value) {
  return {std::string{option}, value, fmt::format("{} {}", option, value)};
}

/// The least of ever greater values that lets the attempt alone, as far as the option goes.
Change far_enough(std::string_view option, Change::Reach reach) {
  Change change = reach.with(reach.most);
  change.option = option;
  change.reach = std::move(reach);
  return change;
}

/// That value, or, where it lets the attempt alone, the one nearest to `now` that does.
Change guess(double now, double value, std::function<Change(double)> with, int digits = 3) {
  Change change = with(value);
  change.less = {now, value, value, std::move(with), digits};
  return change;
}

std::function<Change(double)> numbers_of(std::string_view option) {
  return [name = std::string{option}](double value) { return with_number(name, value); };
}

Change number_far_enough(const policy::Options& options, std::string_view option, double most) {
  const double now = options.number(option);
  return far_enough(option, {now, now > 0 ? 2 * now : 1, most, numbers_of(option)});
}

constexpr int exactly = 9;  // lengths are rounded by what the option is given

/// Which length an option is given for one that is looked for, where it cannot have any.
using Rounding = std::function<Duration(Duration)>;

/// Lengths of a minute or more in whole minutes: alarms know no others.
Duration to_minutes(Duration length) {
  constexpr Duration minute = std::chrono::minutes{1};
  return length < minute ? length : Duration{std::chrono::ceil<std::chrono::minutes>(length)};
}

std::function<Change(double)> lengths_of(std::string_view option,
                                         const Rounding& rounded = to_minutes) {
  return [name = std::string{option}, rounded](double value) {
    const std::chrono::duration<double> exact{value};
    return with_length(name, rounded(std::chrono::round<std::chrono::seconds>(exact)));
  };
}

Change twice(const policy::Options& options, std::string_view option,
             const Rounding& rounded = to_minutes) {
  const double now = seconds(options.duration(option));
  return guess(now, 2 * now, lengths_of(option, rounded), exactly);
}

Change length_far_enough(const policy::Options& options, std::string_view option, Duration from,
                         Duration most, const Rounding& rounded = to_minutes) {
  return far_enough(option, {seconds(options.duration(option)), seconds(from), seconds(most),
                             lengths_of(option, rounded), exactly});
}

Change length_far_enough(const policy::Options& options, std::string_view option) {
  constexpr Duration least = std::chrono::minutes{1};
  return length_far_enough(options, option, std::max(2 * options.duration(option), least),
                           std::chrono::hours{24 * 365});
}

/// Where an alarm went off for what was before `arm_delay`, or soon after it: a longer one.
/// `window`: from the start of Training to the last such stop.
std::vector<Change> later_alarm(const policy::Options& options, const std::string& prefix,
                                Duration window, const EndedAttempt& ended) {
  const Instant training = first_in(*ended.record, ended, policy::Secondary::training);
  if (training == policy::never || ended.at < training || ended.at - training > window) return {};
  constexpr Duration minute = std::chrono::minutes{1};
  const Duration since = ((ended.at - training) / minute + 1) * minute;
  return {length_far_enough(options, prefix + "arm_delay", since, 4 * since)};
}

/// So many datapoints more, all of which must compare so as before.
Change more_datapoints(const std::string& prefix, const std::vector<std::int64_t>& points,
                       std::int64_t more) {
  return {prefix + "datapoints", std::vector<std::int64_t>{points[0] + more, points[1] + more},
          fmt::format("{}datapoints {} of {}", prefix, points[0] + more, points[1] + more)};
}

/// The greatest of ever smaller values that lets the attempt alone.
Change number_small_enough(const policy::Options& options, std::string_view option) {
  const double now = options.number(option);
  return far_enough(option, {now, now / 2, 0, numbers_of(option), 3, true});
}

/// One more and on, up to `most`.
Change count_far_enough(std::string_view option, std::int64_t most,
                        const std::function<Change(std::int64_t)>& with) {
  return far_enough(option, {0, 1, static_cast<double>(std::max<std::int64_t>(most, 1)),
                             [with](double value) { return with(std::llround(value)); }});
}

/// The same, where what the rule stopped it for does not pass: it can but be later.
Change later_at_least(Change change) {
  change.reach->later_will_do = true;
  return change;
}

/// How many of that length outlast what passes.
std::int64_t outlasting(Duration passes, Duration each) {
  return 2 * (passes / each) + 2;
}

/// The periods that an alarm may have: by a wall clock but a few.
Rounding periods_of(const policy::Options& options, const std::string& prefix) {
  if (options.text(prefix + "window") != "wall_clock") return to_minutes;
  return [](Duration length) -> Duration {
    using namespace std::chrono;
    for (const Duration period : {Duration{minutes{1}}, Duration{minutes{5}}, Duration{hours{1}}}) {
      if (length <= period) return period;
    }
    return hours{24};
  };
}

/// The alarm with longer periods and, where what it goes off for passes, with more datapoints,
/// until it does not go off; where it does not pass, until it goes off later; and where it went off
/// for what was at the beginning, armed later.
std::vector<Change> alarm_far_enough(const policy::Options& options, const std::string& prefix,
                                     const EndedAttempt& ended, const Needed& needed) {
  const std::vector<std::int64_t> points = options.integers(prefix + "datapoints");
  if (points.size() != 2) return {};
  const Duration period = options.duration(prefix + "period");
  const Duration window = options.duration(prefix + "arm_delay") + (points[1] + 2) * period;
  std::vector<Change> changes = later_alarm(options, prefix, window, ended);
  const auto passes = needed(Measure::standstill);
  constexpr Duration minute = std::chrono::minutes{1};
  constexpr Duration day = std::chrono::hours{24};
  const std::int64_t room = (period < std::chrono::hours{1} ? day : 7 * day) / period - points[1];
  const auto more = [prefix, points](std::int64_t than_before) {
    return more_datapoints(prefix, points, than_before);
  };
  if (changes.empty() && !passes) {
    if (room < 1) return {};
    return {later_at_least(count_far_enough(prefix + "datapoints", room, more))};
  }
  const Rounding rounded = periods_of(options, prefix);
  const Duration looks_back = std::min(7 * day / points[1], day) / minute * minute;
  Duration longest = std::min(std::max(16 * period, 2 * passes.value_or(Duration{0})), looks_back);
  if (rounded(longest) > looks_back) longest = std::chrono::hours{1};
  if (2 * period <= longest && longest <= looks_back) {
    changes.push_back(length_far_enough(options, prefix + "period", 2 * period, longest, rounded));
  }
  if (!passes || room < 1) return changes;
  changes.push_back(
      count_far_enough(prefix + "datapoints", std::min(outlasting(*passes, period), room), more));
  for (Change& change : changes) change.reach->passes = passes;
  return changes;
}

/// The alarm one datapoint slower, with longer periods, and at a threshold that is not reached; and
/// as slow as need be.
std::vector<Change> slower_alarm(const policy::Options& options, const std::string& prefix,
                                 const EndedAttempt& ended, const Needed& needed) {
  std::vector<Change> changes;
  const std::vector<std::int64_t> points = options.integers(prefix + "datapoints");
  if (points.size() == 2) changes.push_back(more_datapoints(prefix, points, 1));
  changes.push_back(twice(options, prefix + "period", periods_of(options, prefix)));
  const std::string threshold = prefix + "threshold";
  const double now = options.number(threshold);
  if (options.text(prefix + "compare").starts_with('>')) {
    changes.push_back(number_far_enough(options, threshold, 1e6));
  } else if (now != 0) {
    changes.push_back(guess(now, 0, numbers_of(threshold)));
  }
  for (Change& change : alarm_far_enough(options, prefix, ended, needed)) {
    changes.push_back(std::move(change));
  }
  return changes;
}

/// How often the attempt was interrupted until it was stopped.
std::int64_t interruptions_of(const EndedAttempt& ended) {
  std::int64_t interruptions = 0;
  policy::Secondary before = policy::Secondary::queued;
  for (const models::EventRow& event : ended.record->events) {
    const bool its = event.job == ended.job && event.attempt == ended.attempt;
    if (!its || event.duplicate || event.at > ended.at) continue;
    const bool begins =
        event.secondary == policy::Secondary::interrupted && before != event.secondary;
    if (begins) ++interruptions;
    before = event.secondary;
  }
  return interruptions;
}

/// What a number of a condition was; nothing where the run does not say.
std::optional<std::int64_t> number_of(ConditionField field, const EndedAttempt& ended) {
  const models::JobSpec& spec = ended.record->jobs.specs[ended.job.index];
  const models::AttemptRow* attempt = attempt_row(ended);
  if (field == ConditionField::gpus && attempt != nullptr) return option_type(ended, *attempt).gpus;
  if (field == ConditionField::attempt) return ended.attempt;
  if (field == ConditionField::instances) return spec.instances;
  if (field == ConditionField::priority) return spec.priority;
  const bool has_failed = attempt != nullptr && attempt->failure != policy::FailureClass::none;
  if (field == ConditionField::confidence_pct && !has_failed) return 100;
  if (field != ConditionField::interruptions) return std::nullopt;
  return interruptions_of(ended);
}

/// The greatest value that the rule's own table has of the option.
double most_of(const scenarios::SeatSpec& seat, std::string_view option) {
  return std::ranges::find(seat.kind->options, option, &policy::OptionSpec::name)->max;
}

/// So many more, until the rule lets the attempt alone.
Change more_far_enough(const scenarios::SeatSpec& seat, std::string_view option,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  const std::int64_t before = seat.options.integer(option);
  most = std::min(most, std::int64_t{std::llround(most_of(seat, option))});
  return count_far_enough(option, most - before,
                          [name = std::string{option}, before](std::int64_t more) {
                            return with_count(name, before + more);
                          });
}

/// Of each test that may have been the one: once more, once less, and as much as need be.
std::vector<Change> of_fallback(const scenarios::SeatSpec& seat, const EndedAttempt& ended) {
  const policy::Options& options = seat.options;
  std::vector<Change> changes;
  const std::int64_t times = options.integer("interruptions_above");
  if (interruptions_of(ended) > times) {
    changes.push_back(with_count("interruptions_above", times + 1));
    changes.push_back(with_count("interruptions_above", times - 1));
  }
  changes.push_back(more_far_enough(seat, "interruptions_above"));  // it may be the next to do it
  if (options.number("rate_above") > 0) {
    changes.push_back(number_far_enough(options, "rate_above", most_of(seat, "rate_above")));
    changes.push_back(twice(options, "rate_window"));
    changes.push_back(length_far_enough(options, "rate_window"));
  }
  if (options.number("pooled_above") > 0) {
    changes.push_back(number_far_enough(options, "pooled_above", most_of(seat, "pooled_above")));
  }
  if (options.number("min_progress") > 0) {
    changes.push_back(number_small_enough(options, "min_progress"));
  }
  if (const std::int64_t timeouts = options.integer("timeouts"); timeouts > 0) {
    changes.push_back(with_count("timeouts", timeouts + 1));
    changes.push_back(more_far_enough(seat, "timeouts"));
  }
  return changes;
}

/// More patience with either test: with a loss that is no number, and where it looks for a plateau
/// one that is longer, a smaller step, or none at all.
std::vector<Change> of_early_stop(const policy::Options& options) {
  std::vector<Change> changes{with_count("looks", options.integer("looks") + 1),
                              twice(options, "every")};
  if (options.duration("plateau") > Duration{0}) {
    changes.push_back(length_far_enough(options, "plateau"));
    changes.push_back(number_small_enough(options, "improvement_pct"));
    changes.push_back(with_length("plateau", Duration{0}));
  }
  const auto looks = static_cast<double>(options.integer("looks"));
  const auto with = [](double value) { return with_count("looks", std::llround(value)); };
  changes.push_back(far_enough("looks", {looks, 2 * looks, 255, with}));
  changes.push_back(length_far_enough(options, "every"));
  return changes;
}

std::vector<Change> of_budget(const policy::Options& options) {
  const double limit = options.number("limit_usd");
  constexpr double most = 1e9;
  const auto with = numbers_of("limit_usd");
  return {guess(limit, limit * 1.1, with), guess(limit, std::min(limit * 2, most), with),
          number_far_enough(options, "limit_usd", most)};
}

/// A longer wait, and less that an hour gained may cost: of any price, nothing.
std::vector<Change> of_alternatives(const policy::Options& options) {
  std::vector<Change> changes{twice(options, "after"), length_far_enough(options, "after")};
  const std::string gained = "usd_per_hour_gained";
  if (options.number(gained) > 0) changes.push_back(number_small_enough(options, gained));
  if (options.number(gained) < 0) changes.push_back(with_number(gained, 0));
  return changes;
}

/// The day on which hours would have had to begin that the attempt was stopped in, by their clock:
/// in the morning those of nights have begun on the day before.
std::string day_of(const policy::Options& options, Instant at, bool over_midnight) {
  using namespace std::chrono;
  const auto ahead =
      round<minutes>(duration<double, std::ratio<3600>>{options.number("utc_offset_h")});
  const auto midnight = floor<days>(at + ahead);
  const bool in_the_morning = at + ahead - midnight < options.duration("to");
  const weekday day{over_midnight && in_the_morning ? midnight - days{1} : midnight};
  return std::string{policies::day_names[day.iso_encoding() - 1]};
}

/// Hours that end an hour later, and two, and as late as need be; that begin as early as need be;
/// and hours of the day on which it was stopped.
std::vector<Change> of_hours(const policy::Options& options, Instant at) {
  constexpr Duration hour = std::chrono::hours{1};
  const Duration from = options.duration("from");
  const Duration until = options.duration("to");
  const bool over_midnight = until <= from;
  const Duration latest = over_midnight ? from : 24 * hour;
  std::vector<Change> changes;
  for (const Duration more : {hour, 2 * hour}) {
    const Duration to = until + more;
    if (to <= latest)
      changes.push_back(guess(seconds(until), seconds(to), lengths_of("to"), exactly));
  }
  if (until < latest) {
    changes.push_back(length_far_enough(options, "to", std::max(2 * until, 2 * hour), latest));
  }
  const Duration earliest = over_midnight ? until : Duration{0};
  if (from > earliest) {
    changes.push_back(guess(seconds(from), seconds(earliest), lengths_of("from"), exactly));
  }
  std::vector<std::string> days = options.texts("days");
  const std::string day = day_of(options, at, over_midnight);
  if (std::find(days.begin(), days.end(), day) == days.end()) {
    days.push_back(day);
    changes.push_back({"days", std::move(days), fmt::format("days with {}", day)});
  }
  return changes;
}

std::vector<Change> of_instances(const policy::Options& options, const EndedAttempt& ended) {
  const std::uint32_t instances = ended.record->jobs.specs[ended.job.index].instances;
  std::vector<Change> changes;
  if (options.integer("limit") < instances) changes.push_back(with_count("limit", instances));
  const double hours = options.number("instance_hours");
  const auto profile = ended.record->jobs.specs[ended.job.index].profile;
  const Duration most = ended.world->profiles[profile].max_runtime;
  if (hours > 0 && most < Duration::max()) {
    using Hours = std::chrono::duration<double, std::ratio<3600>>;
    const double asked = instances * Hours{most}.count();
    if (asked > hours) changes.push_back(with_number("instance_hours", asked));
  }
  if (hours > 0) changes.push_back(with_number("instance_hours", 0));  // any
  return changes;
}

/// All that is wrong of the attempt by one option: the option without it, and what that is.
template <class Value>
struct Healed {
  Value value;
  std::vector<std::string> of;

  /// `off`: the rule would ask for nothing then, and there is none that does not.
  void add_to(std::vector<Change>& changes, std::string_view option, std::string_view how,
              bool off = false) {
    if (of.empty()) return;
    changes.push_back({std::string{option}, std::move(value),
                       fmt::format("{} {} {}{}", option, how, fmt::join(of, ", "),
                                   off ? ", which leaves no rule," : "")});
    changes.back().off = off;
  }
};

/// Its type allowed too, and without the globs that deny it.
std::vector<Change> of_types(const policy::Options& options, const EndedAttempt& ended) {
  const models::AttemptRow* attempt = attempt_row(ended);
  if (attempt == nullptr) return {};
  const std::string& type = option_type(ended, *attempt).name;
  const auto names = [&](const std::string& glob) { return policies::matches_glob(glob, type); };
  Healed<std::vector<std::string>> allow{options.texts("allow"), {}};
  if (std::none_of(allow.value.begin(), allow.value.end(), names)) {
    allow.value.push_back(type);
    allow.of.push_back(type);
  }
  Healed<std::vector<std::string>> deny{options.texts("deny"), {}};
  std::ranges::copy_if(deny.value, std::back_inserter(deny.of), names);
  std::erase_if(deny.value, names);
  const bool allows_all = std::ranges::find(allow.value, "*") != allow.value.end();
  std::vector<Change> changes;
  allow.add_to(changes, "allow", "with");
  deny.add_to(changes, "deny", "without", deny.value.empty() && allows_all);
  return changes;
}

/// Without the keys that the attempt lacks, and with the values it has that are not allowed or that
/// match nothing: all that is wrong by one option at once.
std::vector<Change> of_tags(const policy::Options& options, const EndedAttempt& ended) {
  const models::World& world = *ended.world;
  const policy::TagSetId of_job =
      world.profiles[ended.record->jobs.specs[ended.job.index].profile].tags;
  const policy::TagSetId tags = models::tags_of(*ended.record, ended.job, ended.attempt, of_job);
  const auto tag = [&](const std::string& key) { return world.directory.tag(tags, key); };
  Healed<std::vector<std::string>> keys{options.texts("keys"), {}};
  for (const std::string& key : options.texts("keys")) {
    if (tag(key)) continue;
    std::erase(keys.value, key);
    keys.of.push_back(key);
  }
  Healed<std::vector<policy::Tag>> allowed{options.text_map("allowed"), {}};
  for (const policy::Tag& one : options.text_map("allowed")) {
    const auto value = tag(one.first);
    const policy::Tag mine{one.first, std::string{value.value_or("")}};
    const auto& all = allowed.value;
    if (!value || std::find(all.begin(), all.end(), mine) != all.end()) continue;
    allowed.value.push_back(mine);
    allowed.of.push_back(fmt::format("{}={}", mine.first, mine.second));
  }
  Healed<std::vector<policy::KeyPattern>> matching{options.pattern_map("matching"), {}};
  for (const policy::KeyPattern& one : options.pattern_map("matching")) {
    const auto value = tag(one.first);
    const auto matches = [&](const policy::KeyPattern& other) {
      return other.first == one.first && other.second.matches(*value);
    };
    const auto& all = matching.value;
    if (!value || std::any_of(all.begin(), all.end(), matches)) continue;
    const auto same = [mine = std::string{*value}](std::string_view other) {
      return other == mine;
    };
    matching.value.emplace_back(one.first, policy::Pattern{same});
    matching.of.push_back(fmt::format("{}={}", one.first, *value));
  }
  const bool asks_nothing = keys.value.empty() && allowed.value.empty() && matching.value.empty();
  std::vector<Change> changes;
  keys.add_to(changes, "keys", "without", asks_nothing);
  allowed.add_to(changes, "allowed", "with");
  matching.add_to(changes, "matching", "with");
  return changes;
}

/// The highest of the datapoints that the newest alarm of the attempt went off for, of one GPU.
std::optional<double> highest_datapoint(const EndedAttempt& ended) {
  std::optional<double> highest;
  const models::World& world = *ended.world;
  for (const models::AlarmRow& alarm : ended.record->alarms) {
    if (alarm.id.job != ended.job || alarm.attempt != ended.attempt) continue;
    const models::AlarmChange* newest = nullptr;
    for (const models::AlarmChange& change : alarm.changes) {
      if (change.state == policy::AlarmState::alarm && change.at <= ended.at) newest = &change;
    }
    if (newest == nullptr) continue;
    for (const models::AlarmDatapoint& point : newest->datapoints) {
      if (point.present) highest = std::max(highest.value_or(0), point.value);
    }
  }
  if (!highest || !world.platform.metrics.gpu_sum) return highest;
  const models::AttemptRow* attempt = attempt_row(ended);
  if (attempt == nullptr) return std::nullopt;
  return *highest / std::max<std::uint32_t>(option_type(ended, *attempt).gpus, 1);
}

/// The highest whole percentage that one of the datapoints reaches, and more patience.
std::vector<Change> lower_minimum(const policy::Options& options, const EndedAttempt& ended) {
  std::vector<Change> changes;
  if (const auto highest = highest_datapoint(ended)) {
    const double minimum = std::floor(*highest);
    if (minimum > 0 && minimum < options.number("min_pct")) {
      changes.push_back({"min_pct", minimum, fmt::format("min_pct {}", minimum)});
    }
  }
  using Datapoints = std::chrono::duration<std::int64_t, std::ratio<300>>;
  const auto to_datapoints = [](Duration length) {
    return Duration{std::chrono::ceil<Datapoints>(length)};
  };
  changes.push_back(twice(options, "over", to_datapoints));
  const Duration over = options.duration("over");
  constexpr Duration longest = std::chrono::hours{24};
  changes.push_back(
      length_far_enough(options, "over", std::min(2 * over, longest), longest, to_datapoints));
  changes.push_back(twice(options, "stop_after"));
  changes.push_back(length_far_enough(options, "stop_after"));
  constexpr Duration slack = std::chrono::minutes{15};  // a datapoint, and what is published late
  const Duration window = options.duration("arm_delay") + options.duration("over") +
                          options.duration("stop_after") + slack;
  for (Change& change : later_alarm(options, "", window, ended)) {
    changes.push_back(std::move(change));
  }
  return changes;
}

/// One miss more, and longer periods; where the silence passes, as many, and as long, as need be.
std::vector<Change> slower_heartbeat(const scenarios::SeatSpec& seat, const Needed& needed) {
  const policy::Options& options = seat.options;
  const std::int64_t misses = options.integer("misses");
  std::vector<Change> changes{with_count("misses", misses + 1), twice(options, "period")};
  const auto passes = needed(Measure::standstill);
  const Duration period = options.duration("period");
  constexpr Duration day = std::chrono::hours{24};
  Change more = more_far_enough(seat, "misses", misses + outlasting(passes.value_or(day), period));
  changes.push_back(passes ? std::move(more) : later_at_least(std::move(more)));
  if (!passes) return changes;
  changes.push_back(
      length_far_enough(options, "period", 2 * period, std::max(2 * period, 2 * *passes)));
  for (Change& change : changes) {
    if (change.reach) change.reach->passes = passes;
  }
  return changes;
}

/// Which length of time a field of a condition is, if it is one that goes on with the attempt.
std::optional<Measure> measure_of(ConditionField field) {
  switch (field) {
    case ConditionField::training_time:
      return Measure::training;
    case ConditionField::startup_time:
      return Measure::startup;
    case ConditionField::age:
      return Measure::age;
    case ConditionField::time_since_start:
      return Measure::since_start;
    case ConditionField::time_in_status:
      return Measure::in_status;
    default:
      return std::nullopt;
  }
}

/// Moves a threshold to the nearest one with which the test of that value does not hold.
/// `comparison`: as it is within `not`.  False: it did not hold, or there is no such one.
template <class Value>
bool turn(Value& threshold, const Condition& test, Comparison comparison, Value value, Value step) {
  const bool over = comparison == Comparison::above || comparison == Comparison::at_least;
  const bool under = comparison == Comparison::below || comparison == Comparison::at_most;
  const bool is_strict =
      test.comparison == Comparison::above || test.comparison == Comparison::below;
  // Within `not` it is the test itself that must hold.
  const bool at_value = is_strict == (comparison == test.comparison);
  if (!at_value) value = over ? value + step : value - step;
  if (over ? value <= threshold : !under || value >= threshold) return false;
  threshold = value;
  return true;
}

bool is_over(Comparison comparison) {
  return comparison == Comparison::above || comparison == Comparison::at_least;
}

/// Sets the threshold of a test so that it would not have held; false: there is no such one, or it
/// is to be looked for.
bool loosen(Condition& test, Comparison comparison, const EndedAttempt& ended,
            const Needed& needed) {
  if (test.field == ConditionField::max_runtime) {
    const auto profile = ended.record->jobs.specs[ended.job.index].profile;
    const Duration most = ended.world->profiles[profile].max_runtime;
    return most < Duration::max() && turn(test.duration, test, comparison, most, step_of(most));
  }
  if (const auto measure = measure_of(test.field); measure && is_over(comparison)) {
    const auto limit = enough(needed, *measure);
    if (!limit || *limit <= test.duration) return false;
    test.duration = *limit;
    return true;
  }
  const auto number = number_of(test.field, ended);
  if (!number || test.numbers.size() != 1) return false;
  return turn(test.numbers.front(), test, comparison, *number, std::int64_t{1});
}

bool is_of_length(const Condition& test) {
  return policy::spec_of(test.field).type == policy::ConditionType::duration;
}

/// "age >="
std::string subject_of(const Condition& test) {
  return fmt::format("{} {}", policy::spec_of(test.field).name,
                     policy::comparison_names[static_cast<std::size_t>(test.comparison)]);
}

std::string text_of_value(const Condition& test) {
  const std::string value =
      is_of_length(test) ? length_text(test.duration) : fmt::format("{}", test.numbers.front());
  return fmt::format("{} {}", subject_of(test), value);
}

/// Where a part of a condition is: which part of which part it is.
using Path = std::vector<std::size_t>;

Condition& part_at(Condition& whole, const Path& path) {
  Condition* part = &whole;
  for (const std::size_t place : path) part = &part->parts[place];
  return *part;
}

/// Sets that part of any condition of the same form.
std::function<policy::OptionValue(const policy::OptionValue&)> upon_part(const Path& path,
                                                                         const Condition& part) {
  return [path, part](const policy::OptionValue& value) {
    Condition whole = std::get<Condition>(value);
    part_at(whole, path) = part;
    return policy::OptionValue{std::move(whole)};
  };
}

/// The condition with that test in its place.
Change with_test(const Condition& whole, const Path& path, const Condition& test) {
  Condition other = whole;
  part_at(other, path) = test;
  Change change{"when", std::move(other), text_of_value(test), {}, {}};
  change.test = subject_of(test);
  change.upon = upon_part(path, test);
  return change;
}

/// How far a threshold may be moved in search of one with which the test does not hold; nothing:
/// the first guess is the nearest.
std::optional<double> farthest_of(ConditionField field, bool over) {
  if (measure_of(field)) return over ? std::nullopt : std::optional{0.0};
  if (field == ConditionField::interruptions) {
    return over ? std::numeric_limits<std::uint16_t>::max() : 0.0;
  }
  if (field == ConditionField::confidence_pct) return over ? 101.0 : 0.0;
  return std::nullopt;
}

/// The nearest threshold with which the rule lets the attempt alone, whatever becomes of its value
/// meanwhile.
std::optional<Change> test_far_enough(const Condition& whole, const Path& path,
                                      const Condition& test, bool over) {
  const auto most = farthest_of(test.field, over);
  const bool is_one = is_of_length(test) || test.numbers.size() == 1;
  if (!most || !is_one) return std::nullopt;
  const auto with = [whole, path, test](double value) {
    Condition other = test;
    if (is_of_length(test)) {
      const auto length =
          std::chrono::round<std::chrono::seconds>(std::chrono::duration<double>{value});
      other.duration = length / step_of(length) * step_of(length);
    } else {
      other.numbers.front() = std::llround(value);
    }
    return with_test(whole, path, other);
  };
  const double now =
      is_of_length(test) ? seconds(test.duration) : static_cast<double>(test.numbers.front());
  if (over ? now >= *most : now <= *most) return std::nullopt;
  const double from = over ? std::min(std::max(2 * now, 1.0), *most) : now / 2;
  const int digits = is_of_length(test) ? exactly : 3;
  Change change = with(*most);
  change.reach = {now, from, *most, with, digits, !over};
  return change;
}

/// Changes of each test of the condition that another threshold might have turned.
void loosen_each(const Condition& whole, const Path& path, bool within_not,
                 const scenarios::SeatSpec& seat, const EndedAttempt& ended, const Needed& needed,
                 std::vector<Change>& changes) {
  Condition copy = whole;
  const Condition& part = part_at(copy, path);
  if (part.kind != Condition::Kind::test) {
    const bool inside = within_not != (part.kind == Condition::Kind::none);
    for (std::size_t place = 0; place < part.parts.size(); ++place) {
      Path below = path;
      below.push_back(place);
      loosen_each(whole, below, inside, seat, ended, needed, changes);
    }
    return;
  }
  const Comparison comparison = within_not ? turned(part.comparison) : part.comparison;
  if (Condition test = part; loosen(test, comparison, ended, needed)) {
    Change change = with_test(whole, path, test);
    if (test.duration != part.duration) {
      const auto with = [whole, path, part](Duration length) {
        Condition other = part;
        other.duration = length;
        return with_test(whole, path, other);
      };
      change.length = {test.duration, part.duration, slack_of(seat), with};
    }
    changes.push_back(std::move(change));
  }
  const bool over = is_over(comparison);
  const bool under = comparison == Comparison::below || comparison == Comparison::at_most;
  if (!over && !under) return;
  if (auto change = test_far_enough(whole, path, part, over)) {
    changes.push_back(*std::move(change));
  }
}

std::vector<Change> of_stated(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                              const Needed& needed) {
  const policy::Options& options = seat.options;
  std::vector<Change> changes;
  const Condition& when = options.condition("when");
  if (policy::asks_for(when, ConditionField::alarm)) {
    changes = slower_alarm(options, "alarm.", ended, needed);
  }
  if (options.text("do") == "limit_runtime") {
    for (Change& change : longer_limit(seat, needed, Measure::training)) {
      changes.push_back(std::move(change));
    }
  }
  loosen_each(when, {}, false, seat, ended, needed, changes);
  if (options.duration("after") > Duration{0}) {
    changes.push_back(twice(options, "after"));
    changes.push_back(length_far_enough(options, "after"));
  }
  return changes;
}

/// Of a stated rule that started it again: its tests at thresholds with which each would not have
/// held, and other waits.  Of one that did not: at thresholds with which each would have held, and
/// one clone more.
std::vector<Change> of_tests(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                             bool cloned) {
  std::vector<Change> changes;
  const auto needed = [&](Measure measure) { return lasted(*ended.record, ended, measure); };
  loosen_each(seat.options.condition("when"), {}, !cloned, seat, ended, needed, changes);
  if (!cloned) {
    const std::int64_t most = seat.options.integer("max_clones");
    if (most >= 0 && ended.attempt > most) changes.push_back(with_count("max_clones", most + 1));
    return changes;
  }
  for (const std::string_view wait : {"backoff", "after"}) {
    if (seat.options.duration(wait) <= Duration{0}) continue;
    changes.push_back(with_length(wait, Duration{0}));
    changes.push_back(twice(seat.options, wait));
  }
  return changes;
}

/// Polls half as often, and twice as often; where neither comes at another time, ever rarer ones.
std::vector<Change> of_polls(const scenarios::SeatSpec& seat) {
  const double every = seconds(seat.options.duration("every"));
  std::vector<Change> changes;
  for (const double times : {2.0, 0.5, 3.0, 4.0, 6.0, 12.0}) {
    const double other = every * times;
    if (other < 60 || other > most_of(seat, "every")) continue;
    changes.push_back(lengths_of("every")(other));
    changes.back().is_far = times > 2;
  }
  return changes;
}

/// The word of `when` that stands for such an end; empty: there is none.
std::string word_of(models::EndReason reason, std::string_view stopped_by) {
  switch (reason) {
    case models::EndReason::failed:
    case models::EndReason::capacity:
    case models::EndReason::runnable_limit:
      return "failed";
    case models::EndReason::stopped:  // what hours end has to be named
      return stopped_by == "office_hours" ? "stopped_by:office_hours" : "stopped";
    case models::EndReason::max_runtime:
      return "max_runtime_exceeded";
    case models::EndReason::max_wait:
      return "max_wait_time_exceeded";
    default:
      return "";
  }
}

/// How long the attempt ran since what the rule counts from; nothing: it never came to that.
std::optional<Duration> run_of(const policy::Options& options, const EndedAttempt& ended) {
  const bool of_age = options.text("since") == "creation";
  return lasted(*ended.record, ended, of_age ? Measure::age : Measure::training);
}

/// What the rule takes that for.
Duration as_measured(const policy::Options& options, Duration run) {
  return options.text("measure") == "seconds_field" ? run % std::chrono::hours{24} : run;
}

/// How sure the class of a failure has to be, in hundredths.
Change sure_enough(const policy::Options& options, double most) {
  const double now = options.number("min_confidence");
  const auto with = [](double value) {
    return with_number("min_confidence", std::round(value * 100) / 100);
  };
  return far_enough("min_confidence", {now, most, most, with, 2, most < now});
}

/// What it would have had to allow: such an end, one resume more, so short a run time.
std::vector<Change> to_resume(const policy::Options& options, const models::AttemptRow& attempt,
                              const EndedAttempt& ended) {
  std::vector<Change> changes;
  const std::string word = word_of(attempt.reason, ended.stopped_by);
  if (options.number("min_confidence") > 0 && word == "failed") {
    changes.push_back(sure_enough(options, 0));
  }
  const std::int64_t most = options.integer("max_resumes");
  const bool may_be_used_up = most >= 0 && ended.attempt > most;
  if (may_be_used_up) changes.push_back(with_count("max_resumes", most + 1));
  const Duration whole = run_of(options, ended).value_or(Duration{0});
  const Duration ran = as_measured(options, whole);
  if (ran != whole) changes.push_back({"measure", std::string{"total"}, "measure total"});
  const Duration shorter = ran / step_of(ran) * step_of(ran);
  if (shorter < options.duration("min_runtime")) {
    changes.push_back(with_length("min_runtime", shorter));
  }
  std::vector<std::string> ends = options.texts("when");
  if (!word.empty() && std::find(ends.begin(), ends.end(), word) == ends.end()) {
    ends.push_back(word);
    changes.push_back({"when", std::move(ends), fmt::format("when with {}", word)});
  }
  return changes;
}

}  // namespace

Duration step_of(Duration length) {
  return length < std::chrono::hours{1} ? Duration{std::chrono::seconds{1}}
                                        : Duration{std::chrono::minutes{1}};
}

std::vector<Change> near_restarts(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                                  bool cloned) {
  const models::AttemptRow* attempt = attempt_row(ended);
  const std::string_view kind = seat.kind->name;
  if (attempt == nullptr) return {};
  if (kind == "relaunch" && cloned) return of_polls(seat);
  if (kind == "rule" && seat.options.text("do") == "clone") return of_tests(seat, ended, cloned);
  if (kind != "resume") return {};
  const policy::Options& options = seat.options;
  if (!cloned) return to_resume(options, *attempt, ended);
  std::vector<Change> changes;
  const Duration run = as_measured(options, run_of(options, ended).value_or(Duration{0}));
  changes.push_back(with_length("min_runtime", (run / step_of(run) + 1) * step_of(run)));
  if (attempt->failure != policy::FailureClass::none && options.number("min_confidence") < 1) {
    changes.push_back(sure_enough(options, 1));
  }
  if (options.duration("backoff") > Duration{0}) {
    changes.push_back(with_length("backoff", Duration{0}));
    changes.push_back(twice(options, "backoff"));
  }
  return changes;
}

std::optional<Duration> lasted(const models::Record& record, const EndedAttempt& ended,
                               Measure measure) {
  Duration billed{0};
  const models::AttemptRow* attempt = nullptr;
  for (const models::AttemptRow& row : record.attempts) {
    if (row.job != ended.job || row.number > ended.attempt) continue;
    billed += row.billed;
    if (row.number == ended.attempt) attempt = &row;
  }
  if (attempt == nullptr) return std::nullopt;
  if (measure == Measure::billed) return billed;
  if (measure == Measure::standstill) {
    const models::StallRow* stall = stall_at(record, ended);
    if (stall != nullptr && stall->ended >= attempt->end) return std::nullopt;
    if (stall != nullptr) return stall->ended - stall->onset;
  }
  if (measure == Measure::in_status) return stayed(record, ended, *attempt);
  if (measure == Measure::age) return attempt->end - attempt->requested;
  if (measure == Measure::startup) return startup_at(record, ended, attempt->end);
  const Instant starting = first_in(record, ended, policy::Secondary::starting);
  const Instant training = first_in(record, ended, policy::Secondary::training);
  if (measure == Measure::since_start && starting == policy::never) return std::nullopt;
  if (measure == Measure::since_start) return attempt->end - starting;
  if (training == policy::never || training > attempt->end) return std::nullopt;
  return attempt->end - training;
}

std::vector<Change> near_changes(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                                 const Needed& needed) {
  const std::string_view kind = seat.kind->name;
  std::vector<Change> changes;
  if (kind == "stalled_gpu") changes = slower_alarm(seat.options, "", ended, needed);
  if (kind == "min_gpu") changes = lower_minimum(seat.options, ended);
  if (kind == "heartbeat") changes = slower_heartbeat(seat, needed);
  if (kind == "rule") changes = of_stated(seat, ended, needed);
  if (kind == "spot_fallback") changes = of_fallback(seat, ended);
  if (kind == "early_stop") changes = of_early_stop(seat.options);
  if (kind == "alternatives") changes = of_alternatives(seat.options);
  if (kind == "budget") changes = of_budget(seat.options);
  if (kind == "office_hours") changes = of_hours(seat.options, ended.at);
  if (kind == "orphan_sweep") {
    for (const std::string_view option : {"gang_after", "every"}) {
      changes.push_back(twice(seat.options, option));
      changes.push_back(length_far_enough(seat.options, option));
    }
  }
  if (kind == "notify") {
    changes = {twice(seat.options, "stop_after"), length_far_enough(seat.options, "stop_after")};
  }
  if (kind == "max_instances") changes = of_instances(seat.options, ended);
  if (kind == "required_tags") changes = of_tags(seat.options, ended);
  if (kind == "allowed_types") changes = of_types(seat.options, ended);
  if (kind == "max_runtime") changes = longer_limit(seat, needed, Measure::training);
  if (kind == "startup_limit") changes = longer_limit(seat, needed, Measure::startup);
  if (kind == "uptime_cap") {
    changes = longer_limit(seat, needed, Measure::billed, seat.options.duration("ahead"));
  }
  if (changes.size() > changes_at_most) changes.resize(changes_at_most);
  if (warns_first(seat)) changes.push_back(length_far_enough(seat.options, "warn_for"));
  return changes;
}

}  // namespace reeve::app
