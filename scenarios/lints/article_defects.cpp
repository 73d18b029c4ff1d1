// Lints for the defects of two articles' handlers, wherever a scenario describes one of them
// (docs/how-to/article-code.md numbers them).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <utility>
#include <variant>

#include "models/quotas.hpp"
#include "scenarios/lints/idle_rules.hpp"
#include "scenarios/load/condition.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/seat_needs.hpp"
#include "scenarios/load/standing.hpp"
#include "scenarios/load/undisturbed.hpp"

namespace reeve::scenarios {
namespace {

bool has(const SeatSpec& seat, std::string_view option) {
  return has_option(*seat.kind, option);
}

/// Kinds of rules may mean different things by one name.
template <class T>
const T* value_of(const SeatSpec& seat, std::string_view option) {
  return has(seat, option) ? std::get_if<T>(&seat.options.value(option)) : nullptr;
}

bool says(const SeatSpec& seat, std::string_view option, std::string_view word) {
  const auto* text = value_of<std::string>(seat, option);
  return text != nullptr && *text == word;
}

bool lists(const SeatSpec& seat, std::string_view option, std::string_view text) {
  const auto* texts = value_of<std::vector<std::string>>(seat, option);
  return texts != nullptr && std::find(texts->begin(), texts->end(), text) != texts->end();
}

/// The condition of a rule that the scenario states; null of any other.
const policy::Condition* stated(const SeatSpec& seat) {
  return value_of<policy::Condition>(seat, "when");
}

/// Whether its alarm, if it has one, is there to find jobs that do too little.
bool looks_for_idle(const SeatSpec& seat) {
  if (!is_stated(*seat.kind)) return true;
  const std::string compare = of_alarm(seat, "compare");
  return acts_on_alarms(seat) && (says(seat, compare, "<") || says(seat, compare, "<="));
}

/// A choice that describes a defect, whatever the world is.
struct Told {
  std::string_view option;
  std::string_view word;
  std::string_view code;
  std::string_view message;
  std::string_view label;
  std::string_view help;
};

constexpr std::string_view never_runs = "the rule does nothing at all";
constexpr std::string_view mended = "\"handler\": \"works\" is the handler with that mended";

constexpr std::array<Told, 7> told{{
    {"handler", "actions_not_a_list", "W0433",
     "AlarmActions is a text and not a list: CloudWatch refuses the alarm", never_runs, mended},
    {"handler", "topic_of_a_dict", "W0434",
     "topic.arn of a dictionary: the handler ends before it puts the alarm", never_runs, mended},
    {"handler", "tags_of_an_answer", "W0445",
     "Tags is all of list_tags' answer: SageMaker refuses each clone", never_runs, mended},
    {"handler", "syntax_error", "W0451", "the handler is no Python: it cannot be deployed",
     never_runs, mended},
    {"handler", "list_of_nothing", "W0454",
     "the list of preempted jobs is read where none is written", never_runs, mended},
    {"handler", "exit_code_as_text", "W0453",
     "an exit code that is a text is compared with 0: each job that ends well is told as FAILED",
     "the table of jobs is wrong, nothing else", mended},
    {"since", "creation", "W0444", "the time in the queue counts as run time",
     "a job that never got anywhere is resumed", "\"since\": \"training\""},
}};

/// Whether its handler is one that does nothing at all: nothing else about the rule matters.
bool does_nothing(const SeatSpec& seat) {
  return std::any_of(told.begin(), told.end(), [&](const Told& defect) {
    return defect.label == never_runs && says(seat, defect.option, defect.word);
  });
}

/// How the datapoint of a level, in percent of one GPU, compares with the threshold, to the last
/// bit.
std::partial_ordering against_threshold(const SeatSpec& seat, double level, bool sum,
                                        std::uint32_t gpus) {
  const double threshold = seat.options.number(of_alarm(seat, "threshold"));
  const bool per_gpu = seat.options.text(of_alarm(seat, "scale")) == "per_gpu";
  return level * (sum ? gpus : 1) <=> threshold * (sum && per_gpu ? gpus : 1);
}

/// Whether its alarm takes a host for idle that waits for another one of the gang.
bool sees_who_waits(const SeatSpec& seat, const models::JobProfile& profile,
                    const models::World& world) {
  if (!has(seat, of_alarm(seat, "threshold")) || !has(seat, of_alarm(seat, "scale"))) return false;
  const policy::TypeId type = world.pools[profile.pool.index].type;
  const auto level = against_threshold(seat, profile.util_waiting, world.platform.metrics.gpu_sum,
                                       world.directory.types[type.index].gpus);
  return level < 0 || (level == 0 && says(seat, of_alarm(seat, "compare"), "<="));
}

/// The levels at which jobs of the profile work, where they are the same for long: none but these
/// is met to the last bit.
std::vector<double> levels_of_work(const models::JobProfile& profile) {
  const models::Utilization* varies = profile.utilization.get();
  if (varies == nullptr) return {profile.util_running};
  std::vector<double> levels;
  if (varies->trace == nullptr && !varies->draws()) levels.push_back(profile.util_running);
  for (const models::UtilPhase& phase : varies->phases) levels.push_back(phase.percent);
  const auto& points = varies->law.points;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].second == points[i - 1].second) levels.push_back(points[i].second);
  }
  if (varies->trace == nullptr) return levels;
  for (const auto& steps : varies->trace->hosts) {
    if (steps.size() == 1) levels.push_back(steps.front().percent);
  }
  return levels;
}

/// Whether something may join short phases in one alarm's eyes: a standstill that ends, metrics
/// that are missing, another start of training, which has its phases anew.
bool may_join_phases(const models::World& world, const SeatSpec& seat,
                     const models::JobProfile& profile) {
  using models::FaultKind;
  const auto ends = [](const auto& fault) {
    return fault.kind == FaultKind::stall && fault.lasts != Duration::max();
  };
  const auto hides = [](const auto& fault) { return fault.kind == FaultKind::metrics_lost; };
  return says(seat, of_alarm(seat, "missing"), "breaching") || !profile.drawn_faults.empty() ||
         std::any_of(profile.faults.begin(), profile.faults.end(), ends) ||
         std::any_of(profile.faults.begin(), profile.faults.end(), hides) ||
         !starts_once(profile) || !is_steady(world, world.pools[profile.pool.index]);
}

/// Whether phases alone are as low as that, and all of them together too short for the datapoints
/// that the alarm needs.
bool passes_unseen(const models::World& world, const SeatSpec& seat,
                   const models::JobProfile& profile, double level) {
  const models::Utilization* varies = profile.utilization.get();
  if (varies == nullptr || varies->trace != nullptr || varies->draws()) return false;
  if (profile.util_running <= level || may_join_phases(world, seat, profile)) return false;
  const auto& points = seat.options.integers(of_alarm(seat, "datapoints"));
  const Duration period = seat.options.duration(of_alarm(seat, "period"));
  // So early an alarm may make do with fewer datapoints.
  const Duration early = (points.back() + world.platform.metrics.extra_datapoints + 1) * period;
  std::int64_t low = 0;
  for (const models::UtilPhase& phase : varies->phases) {
    if (phase.percent > level) continue;
    if (phase.every > Duration{0} || phase.at < early) return false;
    low += (phase.lasts - Duration{1}) / period + 2;  // datapoints that it has a part in
  }
  return low < points.front();
}

/// D3: the one level at which "at most" and "below" differ.  Work at it is counted by "at most"
/// alone; a standstill at it is not seen by "below", and by "at most" only just.
void check_compare(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places) {
  const std::string compare = of_alarm(seat, "compare");
  const std::string threshold = of_alarm(seat, "threshold");
  if (!has(seat, threshold) || !has(seat, of_alarm(seat, "scale"))) return;
  if (!looks_for_idle(seat)) return;
  const bool at_most = says(seat, compare, "<=");
  if (!at_most && !says(seat, compare, "<")) return;
  if (seat.options.number(threshold) <= 0) return;  // below it there is nothing
  const Node place = places.find(compare).value_or(places.find(threshold).value_or(places.seat));
  const models::World& world = loading.world();
  for (const models::JobProfile& profile : world.profiles) {
    if (!may_hold(seat, profile, policy, world)) continue;
    const std::uint32_t gpus =
        world.directory.types[world.pools[profile.pool.index].type.index].gpus;
    const auto is_at = [&](double level) {
      return against_threshold(seat, level, world.platform.metrics.gpu_sum, gpus) == 0;
    };
    const std::vector<double> levels = levels_of_work(profile);
    const auto level = std::find_if(levels.begin(), levels.end(), [&](double each) {
      return is_at(each) && !passes_unseen(world, seat, profile, each);
    });
    if (at_most && level != levels.end()) {
      return loading.warning(place, "W0435",
                             fmt::format("a use of {} % is at the threshold itself", *level),
                             "the alarm counts it, as \"at most\"; \"below\" would not",
                             "\"compare\": \"<\" for below");
    }
    if (!is_at(profile.util_stalled)) continue;
    return loading.warning(
        place, "W0435",
        fmt::format("a standstill's use of {} % is at the threshold itself", profile.util_stalled),
        at_most ? "the alarm counts it, as \"at most\"; a little more it would not"
                : "the alarm does not count it: it is not \"below\"",
        "a threshold above it");
  }
}

/// Whether a rule that is put beside the alarms notices by what jobs report that they stand still:
/// all of them stop making steps then, other signs of life may go on.
bool hears_reports(const models::World& world, const PolicySpec& policy,
                   const models::JobProfile& profile) {
  if (profile.reports == nullptr || !profile.reports->steps) return false;
  return std::any_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& seat) {
    const bool hears = seat.kind->finds_stalls && seat.kind->reads_reports;
    return hears && says(seat, "signal", "steps") && seat.mode == host::Mode::enforce &&
           may_hold(seat, profile, policy, world);
  });
}

/// Whether machines of the fleet may hang: any of a job's, and alone.
bool may_hang(const models::Pool& pool) {
  return pool.node_faults && pool.node_faults->hangs > 0 &&
         pool.node_faults->per_1000_node_days > 0;
}

/// The instances of the largest job of the profile.
std::uint32_t hosts_of(const Loading& loading, const models::JobProfile& profile) {
  const auto id = static_cast<std::size_t>(&profile - loading.world().profiles.data());
  return id < loading.largest.size() ? loading.largest[id] : 1;
}

/// The hosts of which one may stand still alone, each time trouble of the profile strikes.
std::vector<std::vector<std::uint32_t>> hosts_that_may_stand(const Loading& loading,
                                                             const models::JobProfile& profile) {
  using models::FaultKind;
  std::vector<std::vector<std::uint32_t>> all;
  for (const models::Fault& fault : profile.faults) {
    const bool stands = fault.kind == FaultKind::stall || fault.kind == FaultKind::node_lost;
    if (stands && !fault.hosts.empty()) all.push_back(fault.hosts);
  }
  const models::World& world = loading.world();
  if (!may_hang(world.pools[profile.pool.index])) return all;
  for (std::uint32_t host = 1; host <= hosts_of(loading, profile); ++host) all.push_back({host});
  return all;
}

/// Trouble of a host that no alarm of the policy looks at (D5).
void check_watched(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places) {
  const std::string hosts = of_alarm(seat, "hosts");
  const auto* watched = value_of<std::vector<std::string>>(seat, hosts);
  if (watched == nullptr || lists(seat, hosts, "all") || !looks_for_idle(seat)) return;
  const models::World& world = loading.world();
  for (const models::JobProfile& profile : world.profiles) {
    if (!may_hold(seat, profile, policy, world) || hears_reports(world, policy, profile)) continue;
    const auto is_watched = [&](std::uint32_t number) {
      return std::any_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& other) {
        const std::string theirs = of_alarm(other, "hosts");
        // In shadow an alarm rule puts none.
        if (&other != &seat && other.mode < host::Mode::warn) return false;
        if (does_nothing(other) || !may_hold(other, profile, policy, world)) return false;
        if (!has(other, theirs) || !looks_for_idle(other)) return false;
        const auto watches = [&](std::uint32_t host) {
          return lists(other, theirs, fmt::format("algo-{}", host));
        };
        if (lists(other, theirs, "all") || watches(number)) return true;
        bool any = false;  // of its gang that waits for the one at fault
        for (std::uint32_t host = 1; host <= hosts_of(loading, profile); ++host) {
          any = any || watches(host);
        }
        return any && sees_who_waits(other, profile, world);
      });
    };
    for (const auto& hosts_at_fault : hosts_that_may_stand(loading, profile)) {
      if (std::any_of(hosts_at_fault.begin(), hosts_at_fault.end(), is_watched)) continue;
      return loading.warning(places.find(hosts).value_or(places.seat), "W0436",
                             fmt::format("nobody watches host algo-{}, which may stand still alone",
                                         hosts_at_fault.front()),
                             fmt::format("{} looks elsewhere", in_quotes(seat.label)),
                             "\"hosts\": [\"all\"]");
    }
  }
}

/// Whether any trouble of that kind may befall a job of the profile.
bool may_have(const models::JobProfile& profile, std::initializer_list<models::FaultKind> kinds) {
  const auto is_one = [&](const auto& fault) {
    return std::find(kinds.begin(), kinds.end(), fault.kind) != kinds.end();
  };
  return std::any_of(profile.faults.begin(), profile.faults.end(), is_one) ||
         std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), is_one);
}

/// Whether jobs of the profile may stand still, each alone or because a host does.
bool may_stand(const models::World& world, const models::JobProfile& profile) {
  using models::FaultKind;
  return may_have(profile, {FaultKind::stall, FaultKind::node_lost, FaultKind::hardware}) ||
         may_hang(world.pools[profile.pool.index]);
}

/// Whether the condition may hold while the alarm has no data.
bool minds_no_data(const policy::Condition& condition) {
  return holds_where(condition, [](const policy::Condition& test) {
           return test.field == policy::ConditionField::alarm
                      ? std::optional{holds_of_text(test, "insufficient_data")}
                      : std::nullopt;
         }) != false;
}

/// The lowest of the hosts is of those that have metrics: one without them is never seen.
void check_left_out(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                    const OptionPlaces& places) {
  using models::FaultKind;
  const models::World& world = loading.world();
  const std::string missing = of_alarm(seat, "missing");
  const auto unseen = [&](const models::JobProfile& profile) {
    const bool stands = may_have(profile, {FaultKind::stall, FaultKind::hardware});
    const auto leaves_out = [&](const models::Fault& fault) {
      const bool alone = fault.kind == FaultKind::metrics_lost && !fault.hosts.empty() && stands;
      return alone || fault.kind == FaultKind::node_lost;
    };
    return std::any_of(profile.faults.begin(), profile.faults.end(), leaves_out) &&
           may_hold(seat, profile, policy, world) && !hears_reports(world, policy, profile);
  };
  const auto& profiles = world.profiles;
  if (std::none_of(profiles.begin(), profiles.end(), unseen)) return;
  loading.warning(places.find(missing).value_or(places.seat), "W0437",
                  "a host may be without metrics, and the lowest is of the others",
                  "\"breaching\" counts only where all hosts are without",
                  "\"match\": \"any\" notices it");
}

/// Whether another rule, whose alarms go off without data, looks at all of such a job that this one
/// looks at.
bool is_covered(const models::World& world, const PolicySpec& policy, const SeatSpec& seat,
                const models::JobProfile& profile) {
  const auto* hosts = value_of<std::vector<std::string>>(seat, of_alarm(seat, "hosts"));
  const auto covers = [&](const SeatSpec& other) {
    const std::string theirs = of_alarm(other, "hosts");
    if (&other == &seat || other.mode < host::Mode::warn) return false;
    if (!may_hold(other, profile, policy, world)) return false;
    if (does_nothing(other) || !acts_on_alarms(other) || !looks_for_idle(other)) return false;
    if (!says(other, of_alarm(other, "missing"), "breaching") || hosts == nullptr) return false;
    if (says(other, of_alarm(other, "match"), "min")) return false;
    return lists(other, theirs, "all") ||
           std::all_of(hosts->begin(), hosts->end(),
                       [&](const std::string& host) { return lists(other, theirs, host); });
  };
  return std::any_of(policy.seats.begin(), policy.seats.end(), covers);
}

/// For how long after it is put the alarm has too few datapoints to be anything but in ALARM, if
/// those that are missing count as breaching.
Duration blind_for(const models::Metrics& metrics, const SeatSpec& seat) {
  const auto& points = seat.options.integers(of_alarm(seat, "datapoints"));
  const Duration period = seat.options.duration(of_alarm(seat, "period"));
  const std::int64_t more = points.back() - points.front();
  // One by the clock is there when it is over: the first a whole one after the job began, at worst.
  const bool by_clock = says(seat, of_alarm(seat, "window"), "wall_clock");
  const Duration first = by_clock ? period : metrics.period;
  return more * period + first + metrics.publish_delay;
}

/// Whether the condition of a stated rule fails while a job has trained for less than that,
/// whatever its alarms say.
bool waits_for_training(const SeatSpec& seat, Duration least) {
  const policy::Condition* when = stated(seat);
  if (when == nullptr) return false;
  using policy::Comparison;
  return holds_where(*when, [least](const policy::Condition& test) -> std::optional<bool> {
           if (test.field == policy::ConditionField::alarm) return holds_of_text(test, "alarm");
           if (test.field != policy::ConditionField::training_time || test.duration < least) {
             return std::nullopt;
           }
           return test.comparison == Comparison::below || test.comparison == Comparison::at_most;
         }) == false;
}

/// D6 mended, and no more: the time before the job has no data either.
void check_arm_delay(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places) {
  const models::World& world = loading.world();
  if (!acts_on_alarms(seat) || seat.mode < host::Mode::warn) return;
  const auto is_told = [&](const auto& profile) { return may_hold(seat, profile, policy, world); };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), is_told)) return;
  // What a stated rule asks to have lasted is over as soon as a healthy job has its datapoints.
  const Duration lasts = stated(seat) != nullptr ? seat.options.duration("after") : Duration{0};
  const Duration blind = blind_for(world.platform.metrics, seat);
  const Duration delay = seat.options.duration(of_alarm(seat, "arm_delay"));
  if (delay + lasts >= blind || waits_for_training(seat, blind)) return;
  const auto& points = seat.options.integers(of_alarm(seat, "datapoints"));
  const Duration enough = (points.back() + 2) * seat.options.duration(of_alarm(seat, "period"));
  const std::string missing = of_alarm(seat, "missing");
  loading.warning(places.find(missing).value_or(places.seat), "W0572",
                  "the alarm goes off as soon as it is put",
                  "the time before has no data either, and that counts as breaching",
                  fmt::format("\"arm_delay\": \"{}\", its datapoints and two more", show(enough)));
}

/// D6: a job that may stand still, and whose metrics may be lost.
void check_missing(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places) {
  const std::string missing = of_alarm(seat, "missing");
  if (!has(seat, missing) || !looks_for_idle(seat)) return;
  if (says(seat, missing, "breaching")) {
    check_arm_delay(loading, policy, seat, places);
    if (says(seat, of_alarm(seat, "match"), "min")) check_left_out(loading, policy, seat, places);
    return;
  }
  const policy::Condition* when = stated(seat);
  if (when != nullptr && says(seat, missing, "missing") && minds_no_data(*when)) return;
  const models::World& world = loading.world();
  const auto unseen = [&](const models::JobProfile& profile) {
    return may_have(profile, {models::FaultKind::metrics_lost}) && may_stand(world, profile) &&
           may_hold(seat, profile, policy, world) && !hears_reports(world, policy, profile) &&
           !is_covered(world, policy, seat, profile);
  };
  const auto& profiles = world.profiles;
  if (std::none_of(profiles.begin(), profiles.end(), unseen)) return;
  loading.warning(places.find(missing).value_or(places.seat), "W0437",
                  "metrics may be lost, and no alarm goes off without them",
                  "a job that stands still without metrics is never noticed",
                  "\"missing\": \"breaching\" notices it, and a healthy job without metrics too: "
                  "beside it \"arm_delay\", for the time before the job");
}

/// A job whose name is part of what its alarm is called (D8).
void check_found(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                 const OptionPlaces& places) {
  if (!says(seat, "action.found_by", "alarm_name") || !seat.options.flag("action.stop")) return;
  const models::Jobs& jobs = loading.world().jobs;
  const auto corrupted = [](const std::string& name) {
    return policy::job_in_alarm_name(name) != name;
  };
  const models::World& world = loading.world();
  const auto is_held = [&](std::uint32_t profile) {
    return may_hold(seat, world.profiles[profile], policy, world);
  };
  std::string name;
  for (std::size_t id = 0; id < jobs.names.size() && name.empty(); ++id) {
    if (corrupted(jobs.names[id]) && is_held(jobs.specs[id].profile)) name = jobs.names[id];
  }
  const auto& drawn = world.drawn;
  if (name.empty() && drawn && corrupted(drawn->prefix) && is_held(drawn->profile)) {
    name = drawn->prefix;
  }
  if (name.empty()) return;
  const std::string left = policy::job_in_alarm_name(name);
  const bool is_other = std::find(jobs.names.begin(), jobs.names.end(), left) != jobs.names.end();
  loading.warning(
      places.find("action.found_by").value_or(places.seat), "W0438",
      fmt::format("the stop of {} goes to {}, which is {}", in_quotes(name), in_quotes(left),
                  is_other ? "another job: that is stopped instead" : "no job"),
      "each \"GPUUtil\" is taken out of the alarm's name", "\"found_by\": \"job_name\"");
}

/// How many clones of a job the rule makes; below 0: any number.  Null of a rule that counts none.
const std::int64_t* most_clones(const SeatSpec& seat) {
  return value_of<std::int64_t>(seat, is_stated(*seat.kind) ? "max_clones" : "max_resumes");
}

/// A clone that would be called as another job is (D13).
void check_names_meet(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!says(seat, "naming", "appended")) return;
  const models::JobNames& names = loading.world().jobs.names;
  const models::World& world = loading.world();
  const std::set<std::string_view> taken(names.begin(), names.end());
  const auto* resumes = most_clones(seat);
  const bool endless = resumes == nullptr || *resumes < 0 || *resumes > 12;
  const auto last = static_cast<policy::AttemptNumber>(endless ? 13 : *resumes + 1);
  for (std::size_t id = 0; id < names.size(); ++id) {
    const std::string& name = names[id];
    if (!may_hold(seat, world.profiles[world.jobs.specs[id].profile], {}, world)) continue;
    for (policy::AttemptNumber attempt = 2; attempt <= last; ++attempt) {
      const std::string clone = policy::appended_name(name, attempt);
      if (clone.size() > policy::training_job_name_max) break;
      if (!taken.contains(clone)) continue;
      return loading.warning(places.find("naming").value_or(places.seat), "W0541",
                             fmt::format("a clone of {} would be called {}, as another job is",
                                         in_quotes(name), in_quotes(clone)),
                             "SageMaker takes each name once, and refuses it",
                             "\"naming\": \"numbered\"");
    }
  }
}

/// How many clones a name has room for, if fewer than may be made (D13).
void check_names_of_clones(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!says(seat, "naming", "appended")) return;
  constexpr std::string_view suffix = "clone";
  const models::World& world = loading.world();
  const auto is_held = [&](std::uint32_t profile) {
    return may_hold(seat, world.profiles[profile], {}, world);
  };
  std::size_t longest = 0;
  if (world.drawn && (is_held(world.drawn->profile) || is_held(world.drawn->untagged_profile))) {
    longest = fmt::format("{}{}", world.drawn->prefix, world.drawn->jobs).size();
  }
  for (std::size_t id = 0; id < world.jobs.names.size(); ++id) {
    if (is_held(world.jobs.specs[id].profile)) {
      longest = std::max(longest, world.jobs.names[id].size());
    }
  }
  if (longest == 0) return;  // the rule is told of nobody
  const std::size_t room = policy::training_job_name_max - std::min<std::size_t>(longest, 63);
  const std::size_t clones = room / suffix.size();
  const auto* limit = most_clones(seat);
  const bool fit = limit != nullptr && *limit >= 0 && std::cmp_less_equal(*limit, clones);
  if (fit) return;
  loading.warning(places.find("naming").value_or(places.seat), "W0446",
                  fmt::format("each clone's name is {} characters longer", suffix.size()),
                  clones == 0
                      ? std::string{"the longest name has no room for one"}
                      : fmt::format("the longest name has room for {}, and no more", clones),
                  "\"naming\": \"numbered\"");
}

/// Where the clones of a stated rule may run: where it sends them, or anywhere if it sends them
/// nowhere.
std::vector<policy::PoolId> fleets_of_clones(const models::World& world, const SeatSpec& seat) {
  const std::string& market = seat.options.text("override.market");
  const std::string& fleet = seat.options.text("override.fleet");
  std::vector<policy::PoolId> fleets;
  for (std::uint32_t id = 0; id < world.pools.size(); ++id) {
    const policy::PoolFacts& pool = world.directory.pools[id];
    const std::string_view of = policy::market_names[static_cast<std::size_t>(pool.market)];
    const bool in_market = market == "as_before" || market == of;
    if (in_market && (fleet.empty() || fleet == pool.name)) fleets.push_back({id});
  }
  return fleets;
}

/// The numbers of attempts at which tests of a condition may turn, and one that is later than all.
std::set<std::int64_t> turns_of_attempts(const policy::Condition& when) {
  std::set<std::int64_t> numbers{std::numeric_limits<std::int32_t>::max()};
  if (when.kind == policy::Condition::Kind::test && when.field == policy::ConditionField::attempt) {
    for (const std::int64_t number : when.numbers) {
      numbers.insert({number - 1, number, number + 1});
    }
  }
  for (const policy::Condition& part : when.parts) numbers.merge(turns_of_attempts(part));
  return numbers;
}

/// Whether the condition of a stated rule itself ends its clones: there is an attempt of which it
/// does not hold, or it holds of none where it sends them.
bool is_bounded(const models::World& world, const SeatSpec& seat) {
  using policy::ConditionField;
  const policy::Condition& when = seat.options.condition("when");
  const std::vector<policy::PoolId> fleets = fleets_of_clones(world, seat);
  const auto ends_at = [&](std::int64_t attempt, policy::PoolId id) {
    const policy::PoolFacts& pool = world.directory.pools[id.index];
    const auto known = [&](const policy::Condition& test) -> std::optional<bool> {
      if (test.field == ConditionField::attempt) return holds_of_number(test, attempt);
      if (test.field == ConditionField::origin) return holds_of_text(test, "rule");
      if (test.field == ConditionField::fleet) return holds_of_text(test, pool.name);
      if (test.field != ConditionField::market) return std::nullopt;
      const auto of = static_cast<std::size_t>(pool.market);
      return holds_of_text(test, policy::market_names[of]);
    };
    return holds_where(when, known) == false;
  };
  const std::set<std::int64_t> attempts = turns_of_attempts(when);
  return std::any_of(attempts.begin(), attempts.end(), [&](std::int64_t attempt) {
    return attempt > 1 && std::all_of(fleets.begin(), fleets.end(),
                                      [&](policy::PoolId id) { return ends_at(attempt, id); });
  });
}

/// Takes out the faults that end by themselves, and says how much longer they make an attempt at
/// most: one that was interrupted may do all its work anew.
Duration without_short_faults(const models::Platform& platform, Duration work,
                              models::JobProfile& profile) {
  using models::FaultKind;
  Duration longer{0};
  const auto passes = [&](const models::Fault& fault) {
    const bool interrupts = fault.kind == FaultKind::interruption;
    if (fault.lasts == Duration::max() || (fault.kind != FaultKind::stall && !interrupts)) {
      return false;
    }
    longer += fault.lasts;
    if (interrupts) longer += work + platform.startup + profile.checkpoint.restore;
    return true;
  };
  std::erase_if(profile.faults, passes);
  return longer;
}

/// The longest that an attempt of each profile may train, by their places, wherever rules may send
/// it; Duration::max() where nothing but a limit ends what holds it up.
std::vector<Duration> longest_training(const Loading& loading) {
  const models::World& world = loading.world();
  std::vector<Duration> all = longest_works(world);
  const bool moves = rules_move(loading);
  // What ends meanwhile does so a little later.
  const models::Platform& platform = world.platform;
  const Duration last = platform.upload + std::max(platform.stop_grace, platform.max_runtime_grace);
  models::Fault after_all;
  after_all.at = Duration::max();
  for (std::size_t id = 0; id < all.size(); ++id) {
    const Duration work = std::exchange(all[id], Duration::max());
    models::JobProfile there = world.profiles[id];
    const bool late =
        has_ticks(loading) || !world.shocks.empty() || platform.late_upload.probability > 0;
    if (late || work == Duration::max()) continue;
    const Duration longer =
        without_short_faults(platform, training_time(world, there, work), there);
    if (may_be_held_up(loading, there, after_all, work)) continue;
    Duration longest = training_time(world, there, work);
    for (std::uint32_t pool = 0; moves && pool < world.pools.size(); ++pool) {
      there.pool = {pool};
      longest = std::max(longest, training_time(world, there, work));
    }
    all[id] = longest + longer + last;
  }
  return all;
}

/// The shortest limit that rules of the policy have the platform keep; Duration::max(): none.
Duration limit_by_rules(const PolicySpec& policy) {
  Duration least = Duration::max();
  for (const SeatSpec& seat : policy.seats) {
    if (seat.mode != host::Mode::enforce) continue;
    const auto* further = value_of<Duration>(seat, "override.max_runtime");
    if (further != nullptr && *further > Duration{0}) least = std::min(least, *further);
    if (says(seat, "enforce_by", "platform") || says(seat, "do", "limit_runtime")) {
      least = std::min(least, seat.options.duration("limit"));
    }
  }
  return least;
}

/// Whether a rule that resumes may count a run time of so long; how long an attempt waits for its
/// machines has no bound.
bool may_count(const Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
               Duration length) {
  const models::World& world = loading.world();
  if (world.end != policy::never && world.end - world.start < length) return false;
  const bool waits = says(seat, "since", "creation");
  const Duration of_clones = seat.options.duration("override.max_runtime");
  const Duration by_rules = limit_by_rules(policy);
  const std::vector<Duration> longest = longest_training(loading);
  for (std::size_t id = 0; id < world.profiles.size(); ++id) {
    if (!may_hold(seat, world.profiles[id], policy, world)) continue;
    const Duration limit = std::min(std::max(world.profiles[id].max_runtime, of_clones), by_rules);
    if (limit >= length && (waits || longest[id] >= length)) return true;
  }
  return world.profiles.empty();
}

/// Whole days count for nothing (D9); a rule that asks for no run time does not care.
void check_days(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                const OptionPlaces& places) {
  if (!says(seat, "measure", "seconds_field")) return;
  const Duration asked = seat.options.duration("min_runtime");
  constexpr Duration day = std::chrono::hours{24};
  if (asked <= Duration{0} || !may_count(loading, policy, seat, day)) return;
  loading.warning(
      places.find("measure").value_or(places.seat), "W0439", "whole days of run time are left out",
      asked < day ? fmt::format("after 24 h to {} h, and so each day, no job is resumed",
                                24 + std::chrono::duration<double>(asked).count() / 3600)
                  : std::string{"no job is ever resumed"},
      "\"measure\": \"total\"");
}

/// What a clone is created without, and cannot run without (D12).
void check_lost_fields(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  for (const std::string_view field : {"InputDataConfig", "VpcConfig"}) {
    if (!lists(seat, "loses", field)) continue;
    return loading.warning(places.find("loses").value_or(places.seat), "W0457",
                           fmt::format("a clone without its {} fails when it has started", field),
                           "its start-up is paid for", "copy it");
  }
}

/// What a clone runs without, but was created with to be looked at (F50).
void check_lost_settings(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  std::vector<std::string_view> lost;
  for (const std::string_view field :
       {"Environment", "ExperimentConfig", "DebugHookConfig", "ProfilerConfig"}) {
    if (lists(seat, "loses", field)) lost.push_back(field);
  }
  const models::World& world = loading.world();
  const bool retried = std::any_of(
      world.profiles.begin(), world.profiles.end(), [&](const models::JobProfile& profile) {
        return profile.retries > 0 && may_hold(seat, profile, {}, world);
      });
  if (retried && lists(seat, "loses", "RetryStrategy")) lost.push_back("RetryStrategy");
  if (lost.empty()) return;
  loading.warning(places.find("loses").value_or(places.seat), "W0458",
                  fmt::format("a clone loses its {}", fmt::join(lost, ", ")),
                  "it runs, and is not what was submitted", "copy what is still looked at");
}

/// How an attempt ends that had machines.
constexpr std::array<Standing, 4> ends_that_ran{{
    failed,
    completed,
    {.primary = policy::Primary::stopped, .secondary = policy::Secondary::stopped},
    {.primary = policy::Primary::stopped, .secondary = policy::Secondary::max_runtime_exceeded},
}};

/// D10: a stated rule that means time with machines, and counts it from the submission.
void check_age(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  const policy::Condition* when = stated(seat);
  if (when == nullptr || !waits_for(*when, policy::ConditionField::age)) return;
  const bool clones = says(seat, "do", "clone");
  const bool of_started =
      holds_of(*when, in_line) == false && holds_of(*when, awaits_machines) == false;
  if (!clones && !of_started) return;
  if (clones && std::none_of(ends_that_ran.begin(), ends_that_ran.end(),
                             [&](const Standing& end) { return holds_of(*when, end) != false; })) {
    return;  // of one that waited until its time was over that is the time meant
  }
  Node place = places.find("when").value_or(places.seat);
  for (const Node& test : tests_in(place)) {
    if (test.find("field")->as_text() == "age") place = *test.find("field");
  }
  loading.warning(place, "W0444", "the time in the queue counts as run time",
                  clones ? "a job that never got anywhere is resumed"
                         : "a job that waited for long is held to have run for long",
                  "\"field\": \"training_time\"");
}

/// Whether a stated rule may start a job again after such an end.
bool clones_after(const SeatSpec& seat, const Standing& end) {
  const policy::Condition* when = stated(seat);
  if (when == nullptr || !says(seat, "do", "clone")) return false;
  const auto* most = value_of<std::int64_t>(seat, "max_clones");
  return (most == nullptr || *most != 0) && holds_of(*when, end) != false;
}

/// Where a rule that starts jobs again says how long they must have trained for that.
Node place_of_least(const SeatSpec& seat, const OptionPlaces& places) {
  const Node rule = places.seat.find("rule").value_or(places.seat);
  if (stated(seat) == nullptr) return places.find("min_runtime").value_or(rule);
  const Node when = places.find("when").value_or(rule);
  for (const Node& test : tests_in(when)) {
    if (test.find("field")->as_text() == "training_time") return *test.find("field");
  }
  return when;
}

/// What it says.
std::string asked_of(const SeatSpec& seat) {
  if (stated(seat) != nullptr) return "the condition asks for more";
  return fmt::format("\"min_runtime\" is {}", show(seat.options.duration("min_runtime")));
}

/// What it might say.
std::string asks_less(const SeatSpec& seat) {
  return stated(seat) != nullptr ? "no test of \"training_time\" for those"
                                 : "\"min_runtime\": \"0s\"";
}

/// Whether it may hold of such a job that has ended as Completed.
bool may_hold_of_done(const Loading& loading, const policy::Condition& when,
                      const models::JobProfile& profile) {
  using policy::ConditionField;
  const models::World& world = loading.world();
  const TagsOf tags = [&](std::string_view key) { return world.directory.tag(profile.tags, key); };
  Standing done = completed;
  done.tags = &tags;
  const auto id = static_cast<std::size_t>(&profile - world.profiles.data());
  return holds_where(when, [&](const policy::Condition& test) -> std::optional<bool> {
           if (test.field == ConditionField::startup_time) return holds_of_time(test, {});
           if (test.field == ConditionField::blocked_by) return holds_of_text(test, {});
           const bool at_least = test.comparison == policy::Comparison::above ||
                                 test.comparison == policy::Comparison::at_least;
           if (test.field == ConditionField::instances && at_least && id < loading.largest.size()) {
             const bool holds = holds_of_number(test, loading.largest[id]);
             return holds ? std::nullopt : std::optional{false};  // others of it are smaller
           }
           return holds_of(test, done);
         }) != false;
}

/// A stated rule that does the work of jobs once more that have done it.
void check_again(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                 const OptionPlaces& places) {
  if (!clones_after(seat, completed)) return;
  const models::World& world = loading.world();
  const auto may_be_done = [&](const models::JobProfile& profile) {
    return may_hold(seat, profile, policy, world) &&
           may_hold_of_done(loading, *stated(seat), profile);
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), may_be_done)) return;
  loading.warning(places.find("when").value_or(places.seat), "W0573",
                  "a job that is done is started again",
                  "the condition may hold of one that ended as Completed",
                  "beside it { \"field\": \"status\", \"op\": \"!=\", \"value\": \"Completed\" }");
}

/// Whether a rule starts again what has failed, be it only what the machines did to it.
bool resumes_failed(const SeatSpec& seat) {
  return seat.mode != host::Mode::off &&
         (lists(seat, "when", "failed") || lists(seat, "when", "failed:infrastructure") ||
          clones_after(seat, failed));
}

/// Whether all jobs have room beside each other there, wherever they were sent from.
bool has_room_for_all(const models::World& world, const models::Pool& pool) {
  if (world.drawn) return false;
  std::uint64_t instances = 0;
  for (const models::JobSpec& job : world.jobs.specs) instances += job.instances;
  return instances <= pool.capacity;
}

/// Whether a rule keeps jobs in line, or gives their clones more time than they had.
bool prolongs(const PolicySpec& policy) {
  return std::any_of(policy.seats.begin(), policy.seats.end(), [](const SeatSpec& seat) {
    const auto* longer = value_of<Duration>(seat, "override.max_runtime");
    return seat.kind->schedules || seat.kind->places ||
           (longer != nullptr && *longer > Duration{0});
  });
}

/// Whether the MaxWaitTime of an attempt may be over before its end: it waits for machines, or may
/// run for as long.
bool may_reach_max_wait(const models::World& world, const PolicySpec& policy,
                        const models::JobProfile& profile) {
  const models::Pool& pool = world.pools[profile.pool.index];
  if (models::is_unmanaged(world.platform.model) || !is_steady(world, pool)) return true;
  if (!starts_once(profile) || !has_room_for_all(world, pool) || prolongs(policy)) return true;
  const models::Platform& platform = world.platform;
  const Duration startup = std::max(platform.startup, platform.first_startup.value_or(Duration{0}));
  // MaxRuntime may count from Training on, where the start-up is over.
  const Duration first = platform.provisioning + startup + profile.checkpoint.restore;
  return profile.max_runtime == Duration::max() || profile.max_wait - profile.max_runtime < first;
}

/// Where jobs of the profile run: in their own fleet, or in the one that a rule puts all jobs in,
/// if they fit there.
const models::Pool& pool_under(const Loading& loading, const PolicySpec& policy,
                               const models::JobProfile& profile) {
  const models::World& world = loading.world();
  const policy::TypeId type = world.pools[profile.pool.index].type;
  for (const SeatSpec& seat : policy.seats) {
    const bool puts_all = seat.kind->places && seat.kind->owns_use;  // `market`
    if (!puts_all || seat.mode != host::Mode::enforce) continue;
    for (const policy::PoolId id : seat.kind->reaches(seat.options, world.directory, type)) {
      const models::Pool& pool = world.pools[id.index];
      if (hosts_of(loading, profile) <= pool.capacity) return pool;
    }
  }
  return world.pools[profile.pool.index];
}

/// Whether a rule leaves alone, of what may end early, who gets no machines in time.
bool leaves_waiting(const SeatSpec& seat) {
  if (does_nothing(seat)) return false;
  const bool leaves_spot = has(seat, "after_max_wait") && seat.mode != host::Mode::off;
  return leaves_spot || resumes_failed(seat);
}

/// Whether a rule does something for such a job that got no machines in time.
bool handles_waiting(const SeatSpec& seat, const models::JobProfile& profile) {
  // Its `timeouts` are about who asks for machines later.
  const auto* after = value_of<bool>(seat, "after_max_wait");
  if ((after != nullptr && *after) || clones_after(seat, timed_out)) return true;
  // It has not run at all, unless the wait counts.
  const auto* least = value_of<Duration>(seat, "min_runtime");
  const Duration ran = says(seat, "since", "creation") ? profile.max_wait : Duration{0};
  return lists(seat, "when", "max_wait_time_exceeded") && (least == nullptr || *least <= ran);
}

/// D17: who gets no machines in time has not failed, and no rule of the policy starts it again.
void check_waits_handled(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places) {
  const models::World& world = loading.world();
  const auto& seats = policy.seats;
  const auto is_left = [&](const models::JobProfile& profile) {
    const bool waits = pool_under(loading, policy, profile).market == policy::Market::spot &&
                       policy::later(world.start, profile.max_wait) < world.end &&  // not `never`
                       may_reach_max_wait(world, policy, profile);
    const auto leaves = [&](const SeatSpec& other) {
      return leaves_waiting(other) && !handles_waiting(other, profile) &&
             may_hold(other, profile, policy, world);
    };
    const auto handles = [&](const SeatSpec& other) {
      return (other.mode == host::Mode::enforce || &other == &seat) &&
             handles_waiting(other, profile) && may_hold(other, profile, policy, world);
    };
    if (!waits || std::any_of(seats.begin(), seats.end(), handles)) return false;
    const auto first = std::find_if(seats.begin(), seats.end(), leaves);
    return first != seats.end() && &*first == &seat;  // told once
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), is_left)) return;
  const Node rule = places.seat.find("rule").value_or(places.seat);
  std::string help{
      "\"max_wait_time_exceeded\" in \"when\" and \"min_runtime\": \"0s\", for it has not run; or "
      "`spot_fallback` with \"after_max_wait\""};
  if (has(seat, "after_max_wait")) help = "\"after_max_wait\": true";
  if (stated(seat) != nullptr) {
    help = R"({ "field": "status", "op": "==", "value": "MaxWaitTimeExceeded" })";
    help += R"(, and no "training_time" for those: they have not run)";
  }
  loading.warning(
      places.find(has(seat, "after_max_wait") ? "after_max_wait" : "when").value_or(rule), "W0450",
      "who gets no machines within its MaxWaitTime is not resumed",
      "such an attempt is over, and has not failed", std::move(help));
}

/// Whether it starts again what failed for capacity after so long a wait for its machines, and so
/// long a training.
bool restarts_taken(const SeatSpec& seat, Duration waited, Duration trained) {
  const bool sends_on = has(seat, "fleets") && has(seat, "after");  // `alternatives`
  Standing end = taken;
  end.trained = trained;
  if (seat.kind->relaunches || sends_on || clones_after(seat, end)) return true;
  const auto* most = value_of<std::int64_t>(seat, "max_resumes");
  if (most != nullptr && *most == 0) return false;
  if (!lists(seat, "when", "failed") && !lists(seat, "when", "failed:capacity")) return false;
  const auto* least = value_of<Duration>(seat, "min_runtime");
  return least == nullptr || *least <= (says(seat, "since", "creation") ? waited : trained);
}

/// Whether jobs of a queue may have to wait: for machines, or as something limits them.
bool may_wait(const models::World& world, const models::JobProfile& profile) {
  const models::Pool& pool = world.pools[profile.pool.index];
  return !has_room_for_all(world, pool) || !is_steady(world, pool) || !starts_once(profile) ||
         models::any_has_quota(world) || !world.platform.quotas.empty() ||
         !world.directory.environments.empty();
}

/// D17 likewise, where a queue ends what waits too long: it fails for capacity, and has not run,
/// unless the wait counts.
void check_limited_waits(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places) {
  const models::World& world = loading.world();
  constexpr Duration enough = Duration::max();
  if (!restarts_taken(seat, enough, enough)) return;
  const auto is_left = [&](const models::JobProfile& profile) {
    const auto queue = world.directory.terms[profile.terms].queue;
    if (!queue || !may_wait(world, profile) || !may_hold(seat, profile, policy, world))
      return false;
    const Duration limit = world.directory.queues[queue->index].runnable_limit;
    if (limit == Duration::max()) return false;
    return std::none_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& other) {
      const bool acts = other.mode == host::Mode::enforce || &other == &seat;
      return acts && may_hold(other, profile, policy, world) &&
             restarts_taken(other, limit, Duration{0});
    });
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), is_left)) return;
  loading.warning(place_of_least(seat, places), "W0450",
                  "who waited as long as its queue lets it is not resumed",
                  fmt::format("it fails for capacity and has not run, {}", asked_of(seat)),
                  asks_less(seat));
}

/// D15, where events come twice.
void check_copies(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!says(seat, "handler", "not_idempotent")) return;
  if (loading.world().platform.events.duplicates <= 0) return;
  loading.warning(places.find("handler").value_or(places.seat.find("use").value_or(places.seat)),
                  "W0448", "the handler acts on each copy of an event",
                  "a second clone is asked for, and refused, as the name is taken",
                  "\"handler\": \"works\"");
}

/// Whether it is no handler that does nothing at all.
bool runs_defect(const SeatSpec& seat) {
  return !has(seat, "handler") || says(seat, "handler", "works") ||
         says(seat, "handler", "not_idempotent");
}

/// Whether a rule stops jobs of the profile, for standing still, that may be worth going on with.
bool stops_stalls(const SeatSpec& seat, const models::JobProfile& profile) {
  if (seat.mode != host::Mode::enforce) return false;
  if (const auto* gangs = value_of<bool>(seat, "gangs")) {
    return *gangs && may_have(profile, {models::FaultKind::node_lost});
  }
  if (stated(seat) != nullptr) {
    const bool accuses = says(seat, "accuses", "standing_still");
    return says(seat, "do", "stop") && (accuses || looks_for_idle(seat));
  }
  if (!seat.kind->finds_stalls || !runs_defect(seat)) return false;
  const auto* stop = value_of<bool>(seat, "action.stop");
  return stop != nullptr ? *stop : !says(seat, "action", "notify");
}

/// Whether a rule starts again what one of that kind, or name, has stopped after so long a
/// training; nothing: after some.
bool resumes_stopped(const SeatSpec& seat, const SeatSpec& by,
                     std::optional<Duration> trained = {}) {
  const Standing stopped{.primary = policy::Primary::stopped,
                         .secondary = policy::Secondary::stopped,
                         .stopped_by = by.kind->name,
                         .stopped_by_name = by.label,
                         .trained = trained};
  if (const auto* most = most_clones(seat); most != nullptr && *most == 0) return false;
  if (clones_after(seat, stopped)) return true;
  const auto* least = value_of<Duration>(seat, "min_runtime");
  if (trained && least != nullptr && *trained < *least) return false;
  return lists(seat, "when", "stopped") ||
         lists(seat, "when", fmt::format("stopped_by:{}", by.kind->name)) ||
         lists(seat, "when", fmt::format("stopped_by:{}", by.label));
}

/// Whether nothing is started again but what the hours of a rule have ended: each ends so once a
/// day, and none because of itself.
bool resumes_hours_alone(const PolicySpec& policy, const SeatSpec& seat) {
  const auto keeps_hours = [](const SeatSpec& by) { return by.kind->name == "office_hours"; };
  const auto& seats = policy.seats;
  if (const auto* ends = value_of<std::vector<std::string>>(seat, "when")) {
    constexpr std::string_view by = "stopped_by:";
    return std::all_of(ends->begin(), ends->end(), [&](std::string_view end) {
      if (!end.starts_with(by)) return false;
      return std::any_of(seats.begin(), seats.end(), [&](const SeatSpec& other) {
        const std::string_view named = end.substr(by.size());
        return keeps_hours(other) && (named == other.label || named == other.kind->name);
      });
    });
  }
  Standing failure = failed;
  for (std::size_t id = 1; id < policy::failure_class_names.size(); ++id) {
    failure.failure = static_cast<policy::FailureClass>(id);
    if (clones_after(seat, failure)) return false;
  }
  const auto& ends = ends_that_ran;
  return !clones_after(seat, timed_out) &&
         std::none_of(ends.begin(), ends.end(),
                      [&](const Standing& end) { return clones_after(seat, end); }) &&
         std::none_of(seats.begin(), seats.end(), [&](const SeatSpec& by) {
           return !keeps_hours(by) && resumes_stopped(seat, by);
         });
}

/// D14: nothing ends the clones of a job.
void check_limits(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                  const OptionPlaces& places) {
  const bool clones = says(seat, "do", "clone");
  const std::string_view option = clones ? "max_clones" : "max_resumes";
  const auto* limit = value_of<std::int64_t>(seat, option);
  if (limit == nullptr || *limit >= 0) return;
  if (clones && is_bounded(loading.world(), seat)) return;
  if (resumes_hours_alone(policy, seat)) return;
  loading.warning(places.find(option).value_or(places.seat), "W0447",
                  "a job that fails each time is started again for ever",
                  "each attempt is paid for", fmt::format("\"{}\": 2", option));
}

/// D16: what a rule stops, no rule beside it resumes, though one resumes what failed.
void check_stops_resumed(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places) {
  if (!resumes_failed(seat) || !runs_defect(seat)) return;
  const models::World& world = loading.world();
  for (const SeatSpec& other : policy.seats) {
    const auto is_left = [&](const models::JobProfile& profile) {
      const auto resumes = [&](const SeatSpec& any) {
        return (any.mode == host::Mode::enforce || &any == &seat) && resumes_stopped(any, other) &&
               may_hold(any, profile, policy, world);
      };
      return stops_stalls(other, profile) && may_hold(other, profile, policy, world) &&
             may_hold(seat, profile, policy, world) &&
             std::none_of(policy.seats.begin(), policy.seats.end(), resumes);
    };
    if (std::none_of(world.profiles.begin(), world.profiles.end(), is_left)) continue;
    const std::string help =
        stated(seat) == nullptr
            ? fmt::format("\"stopped_by:{}\" in \"when\"",
                          stated(other) == nullptr ? other.kind->name : other.label)
            : fmt::format("{{ \"field\": \"stopped_by_name\", \"op\": \"==\", \"value\": \"{}\" }}",
                          other.label);
    loading.warning(places.find("when").value_or(places.seat), "W0449",
                    fmt::format("what {} stops is not resumed", in_quotes(other.label)),
                    "a stopped job has not failed: it waits for a person", help);
  }
}

/// How long after its beginning a standstill is stopped at the latest, as far as the rule's alarm,
/// or what it listens for, says; nothing of a rule that has neither.
std::optional<Duration> stopped_within(const SeatSpec& seat) {
  const auto* period = value_of<Duration>(seat, of_alarm(seat, "period"));
  const auto* misses = value_of<std::int64_t>(seat, "misses");
  if (period != nullptr && misses != nullptr) return (*misses + 1) * *period;
  const auto* points = value_of<std::vector<std::int64_t>>(seat, of_alarm(seat, "datapoints"));
  if (points == nullptr || period == nullptr || points->size() != 2) return std::nullopt;
  return (points->back() + 1) * *period;
}

/// After how much training a standstill may begin, at the earliest, that the rule notices and that
/// lasts for longer than that; nothing: none does.
std::optional<Duration> earliest_stall(const models::World& world, const SeatSpec& seat,
                                       const models::JobProfile& profile, Duration lasting) {
  using models::FaultKind;
  const bool counts_steps = seat.kind->reads_reports && says(seat, "signal", "steps");
  const auto stands = [&](FaultKind kind) {
    const bool without_steps = kind == FaultKind::spin_hang || kind == FaultKind::node_lost;
    return kind == FaultKind::stall || (counts_steps && without_steps);
  };
  std::optional<Duration> earliest;
  const auto begins = [&](Duration at) { earliest = earliest ? std::min(*earliest, at) : at; };
  for (const models::Fault& fault : profile.faults) {
    if (stands(fault.kind) && fault.lasts > lasting) begins(fault.at);
  }
  for (const models::DrawnFault& fault : profile.drawn_faults) {
    if (!stands(fault.kind) || fault.probability <= 0) continue;
    if (fault.lasts && models::longest_of(*fault.lasts) <= lasting) continue;
    const bool has_least =
        fault.after.shape == models::Shape::fixed || fault.after.shape == models::Shape::uniform;
    begins(has_least ? fault.after.scale : Duration{0});
  }
  if (may_hang(world.pools[profile.pool.index])) begins(Duration{0});
  return earliest;
}

/// D16 likewise: a rule resumes what that one stops, but not so early in its run.
void check_min_runtime(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                       const OptionPlaces& places) {
  if (!runs_defect(seat)) return;
  const models::World& world = loading.world();
  for (const SeatSpec& other : policy.seats) {
    const auto within = stopped_within(other);
    if (!within || !resumes_stopped(seat, other, Duration::max())) continue;
    for (const models::JobProfile& profile : world.profiles) {
      const auto onset = earliest_stall(world, other, profile, *within);
      if (!onset || !stops_stalls(other, profile)) continue;
      if (!may_hold(other, profile, policy, world) || !may_hold(seat, profile, policy, world)) {
        continue;
      }
      // A rule beside it that looks less at how long it ran resumes what this one does not.
      const auto resumes = [&](const SeatSpec& any) {
        return (any.mode == host::Mode::enforce || &any == &seat) &&
               resumes_stopped(any, other, *onset + *within) &&
               may_hold(any, profile, policy, world);
      };
      if (std::any_of(policy.seats.begin(), policy.seats.end(), resumes)) continue;
      loading.warning(
          place_of_least(seat, places), "W0449",
          fmt::format("what {} stops after so short a run is not resumed", in_quotes(other.label)),
          fmt::format("a job {} still from {} of training on, {}",
                      profile.faults.empty() ? "may stand" : "stands", show(*onset),
                      asked_of(seat)),
          asks_less(seat));
      break;
    }
  }
}

/// How long a first attempt may have trained when Spot takes its machines, at most.
Duration longest_until_lost(const models::Platform& platform, const models::Pool& pool,
                            const models::JobProfile& profile) {
  const Duration startup =
      std::min(platform.startup, platform.first_startup.value_or(platform.startup));
  Duration longest = pool.reclaim ? pool.reclaim->every - startup : Duration::max();
  for (const models::Fault& fault : profile.faults) {
    const bool of_first = fault.kind == models::FaultKind::interruption && fault.attempt == 1;
    if (of_first) longest = std::min(longest, fault.at);
  }
  return longest;
}

/// Whether a rule starts anew what Spot has ended; `spot_fallback` does not, and W0476 says so
/// where it does nothing else.
bool restarts_lost(const SeatSpec& seat, Duration trained) {
  if (has(seat, "interruptions_above")) return !minds_waits(seat);
  return seat.mode == host::Mode::enforce && restarts_taken(seat, Duration::max(), trained);
}

/// Whether jobs of the profile are on Spot, and no rule of the policy starts a lost one again.
bool is_left_alone(const Loading& loading, const PolicySpec& policy,
                   const models::JobProfile& profile) {
  const models::World& world = loading.world();
  const models::Pool& pool = pool_under(loading, policy, profile);
  const Duration trained = longest_until_lost(world.platform, pool, profile);
  const auto helps = [&](const SeatSpec& seat) {
    return restarts_lost(seat, trained) && may_hold(seat, profile, policy, world);
  };
  return pool.market == policy::Market::spot &&
         std::none_of(policy.seats.begin(), policy.seats.end(), helps);
}

/// D23: work on Spot whose first loss is its end, under one of the policies that have rules.
/// `says_request`: the scenario itself says that Spot is asked for once.
void check_left_alone(Loading& loading, const Node& place, bool says_request) {
  const models::World& world = loading.world();
  if (world.platform.unmanaged.spot_request != models::SpotRequest::one_time) return;
  bool any_rules = false;
  const auto is_alone = [&](const PolicySpec& policy) {
    return std::find_if(world.profiles.begin(), world.profiles.end(), [&](const auto& profile) {
      // With no rules at all nobody says how it is run: what it saves may be gone on with by hand.
      const bool by_hand = policy.seats.empty() && profile.checkpoint.on_notice;
      return !by_hand && is_left_alone(loading, policy, profile);
    });
  };
  const auto tell = [&](const PolicySpec& policy) {
    const auto alone = is_alone(policy);
    if (alone == world.profiles.end()) return false;
    const std::string under =
        policy.seats.empty() ? "" : fmt::format("under {} ", in_quotes(policy.name));
    loading.warning(
        place, "W0456", "the first loss on Spot ends a job for good",
        alone->checkpoint.on_notice
            ? fmt::format("{}no rule that reaches it starts it again, whatever it saves", under)
            : fmt::format("no script listens for the notice, and {}no rule that reaches it starts "
                          "it again",
                          under),
        "\"on_notice\" of \"checkpoint\", and { \"rule\": \"relaunch\" }");
    return true;
  };
  for (const PolicySpec& policy : loading.scenario.policies) {
    if (policy.seats.empty()) continue;
    any_rules = true;
    if (tell(policy)) return;
  }
  if (!any_rules && says_request) tell({});
}

/// Whether the platform may end an attempt under the policy for how long it ran.
bool may_exceed_runtime(const Loading& loading, const PolicySpec& policy) {
  const models::World& world = loading.world();
  if (models::is_unmanaged(world.platform.model)) return false;
  const Duration clock = world.end == policy::never ? Duration::max() : world.end - world.start;
  const Duration by_rules = limit_by_rules(policy);
  const models::Platform& platform = world.platform;
  const Duration starts = std::max(platform.startup, platform.first_startup.value_or(Duration{0}));
  const std::vector<Duration> longest = longest_training(loading);
  for (std::size_t id = 0; id < world.profiles.size(); ++id) {
    const models::JobProfile& profile = world.profiles[id];
    const Duration limit = std::min(profile.max_runtime, by_rules);
    const Duration before =
        platform.runtime_includes_startup ? starts + profile.checkpoint.restore : Duration{0};
    if (limit < clock && longest[id] >= limit - std::min(limit, before)) return true;
  }
  return world.profiles.empty();
}

/// Whether an attempt under the policy may end so; the other ends always may come.
bool may_end_as(const Loading& loading, const PolicySpec& policy, std::string_view end) {
  if (end == "MaxRuntimeExceeded") return may_exceed_runtime(loading, policy);
  if (end != "MaxWaitTimeExceeded") return true;
  const models::World& world = loading.world();
  const Duration clock = world.end == policy::never ? Duration::max() : world.end - world.start;
  const bool told_so = world.platform.pending_ends_as == policy::Secondary::max_wait_time_exceeded;
  const auto& profiles = world.profiles;
  return profiles.empty() ||
         std::any_of(profiles.begin(), profiles.end(), [&](const models::JobProfile& profile) {
           return (profile.max_wait < clock && may_reach_max_wait(world, policy, profile)) ||
                  (told_so && profile.max_pending < clock);
         });
}

/// Whether a rule deletes what alarms are left behind, before the clock ends.
bool sweeps_alarms(const models::World& world, const SeatSpec& seat) {
  const Duration clock = world.end == policy::never ? Duration::max() : world.end - world.start;
  const auto* alarms = value_of<bool>(seat, "alarms");
  const bool sweeps = alarms != nullptr && *alarms && seat.mode == host::Mode::enforce;
  if (!sweeps || seat.options.duration("every") > clock) return false;
  const auto* idle = value_of<Duration>(seat, "idle");
  return idle == nullptr || *idle < clock;  // what is left is swept only when it lay for so long
}

/// Whether rules of which that is so are told of all jobs that `of` is told of; null: of all.
template <class Is>
bool reach_all(const models::World& world, const PolicySpec& policy, const SeatSpec* of,
               const Is& is) {
  const auto& seats = policy.seats;
  const auto reaches = [&](const models::JobProfile& profile) {
    if (of != nullptr && !may_hold(*of, profile, policy, world)) return true;
    return std::any_of(seats.begin(), seats.end(), [&](const SeatSpec& seat) {
      return is(seat) && may_hold(seat, profile, policy, world);
    });
  };
  const auto& profiles = world.profiles;
  return std::any_of(seats.begin(), seats.end(), is) &&
         std::all_of(profiles.begin(), profiles.end(), reaches);
}

/// An end that does not delete the alarm leaves it behind for ever (D7, F38).
void check_disarming(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places) {
  const bool nested = has(seat, "alarm.metric");
  const std::string_view option = nested ? "alarm.disarm_on" : "disarm_on";
  const bool asked =
      !nested || policy::asks_for(seat.options.condition("when"), policy::ConditionField::alarm);
  if (!has(seat, option) || !asked || seat.mode == host::Mode::shadow) return;
  const models::World& world = loading.world();
  const auto sweeps = [&](const SeatSpec& other) { return sweeps_alarms(world, other); };
  if (reach_all(world, policy, &seat, sweeps)) return;
  std::vector<std::string_view> left_out;
  for (const std::string_view end :
       {"Completed", "Failed", "Stopped", "MaxRuntimeExceeded", "MaxWaitTimeExceeded"}) {
    const bool removed = lists(seat, option, end);
    if (!removed && may_end_as(loading, policy, end)) left_out.push_back(end);
  }
  if (left_out.empty()) return;
  Diagnostic finding = at(places.find(option).value_or(places.seat), "W0413",
                          fmt::format("alarm is not removed on {}", fmt::join(left_out, ", ")),
                          "it outlives the job", Severity::warning);
  const double monthly = static_cast<double>(loading.input.prices.alarm_per_month.micros()) / 1e6;
  loading.findings.add(std::move(finding).with_note(
      fmt::format("each such job leaves an alarm behind (${:.2f} a month)", monthly)));
}

/// Whether in every policy that has rules one sweeps up machines that are left running.
bool all_sweep_machines(const Loading& loading) {
  bool governed = false;
  for (const PolicySpec& policy : loading.scenario.policies) {
    if (policy.seats.empty()) continue;
    governed = true;
    const auto sweeps = [](const SeatSpec& seat) {
      const auto* instances = value_of<bool>(seat, "instances");
      return has(seat, "gangs") && instances != nullptr && *instances &&
             seat.mode == host::Mode::enforce;
    };
    if (!reach_all(loading.world(), policy, nullptr, sweeps)) return false;
  }
  return governed;
}

}  // namespace

void check_defects(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (seat.mode == host::Mode::off) return;
  check_acts(loading, seat, places);
  for (const Told& defect : told) {
    if (!says(seat, defect.option, defect.word)) continue;
    if (does_nothing(seat) && defect.label != never_runs) continue;
    if (defect.option == "since" && seat.options.duration("min_runtime") <= Duration{0}) continue;
    loading.warning(places.find(defect.option).value_or(places.seat), defect.code,
                    std::string{defect.message}, std::string{defect.label},
                    std::string{defect.help});
  }
  if (does_nothing(seat)) return;
  check_names_of_clones(loading, seat, places);
  check_names_meet(loading, seat, places);
  check_lost_fields(loading, seat, places);
  check_lost_settings(loading, seat, places);
  check_age(loading, seat, places);
  check_copies(loading, seat, places);
}

void check_chain(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                 const OptionPlaces& places) {
  if (seat.mode == host::Mode::off || does_nothing(seat)) return;
  check_compare(loading, policy, seat, places);
  check_found(loading, policy, seat, places);
  check_days(loading, policy, seat, places);
  check_again(loading, policy, seat, places);
  check_limits(loading, policy, seat, places);
  check_watched(loading, policy, seat, places);
  check_missing(loading, policy, seat, places);
  check_disarming(loading, policy, seat, places);
  check_stops_resumed(loading, policy, seat, places);
  check_min_runtime(loading, policy, seat, places);
  check_waits_handled(loading, policy, seat, places);
  check_limited_waits(loading, policy, seat, places);
}

void check_platform_defects(Loading& loading) {
  const models::World& world = loading.world();
  if (!models::is_unmanaged(world.platform.model)) return;
  const auto written = loading.input.platform.written;
  const auto at_platform = [&](std::string_view key) {
    return written ? written->find(key).value_or(*written) : *loading.input.written;
  };
  const models::Unmanaged& own = world.platform.unmanaged;
  if (loading.input.platform.unmanaged.self_destruct_fails >= 1 && !all_sweep_machines(loading)) {
    loading.warning(at_platform("self_destruct_fails"), "W0452",
                    "no machine ever shuts itself down", "each job leaves its machines running",
                    "the articles' \"--zone=zone=...\" does that; look at the command, and have "
                    "a rule sweep");
  }
  const auto& platform = loading.input.platform.written;
  check_left_alone(loading, at_platform("spot_request"),
                   platform && platform->find("spot_request").has_value());
  if (own.rendezvous && !own.rendezvous->tags_after && largest_job(loading) > 1) {
    loading.warning(at_platform("rendezvous"), "W0455",
                    "nodes of a gang never find the tag with their master's address",
                    "they look for it until something ends them",
                    "the tags stand under tags/instance/; \"tags_after\": \"12s\"");
  }
}

}  // namespace reeve::scenarios
