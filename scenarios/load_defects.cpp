// Lints for the defects of two articles' handlers, wherever a scenario describes one of them
// (docs/blog-naive.md numbers them).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <reeve/policy/training_job_name.hpp>
#include <variant>

#include "scenarios/loading.hpp"

namespace reeve::scenarios {
namespace {

using policy::PolicyKind;

bool has(const SeatSpec& seat, std::string_view option) {
  const auto& options = seat.kind->options;
  return std::any_of(options.begin(), options.end(),
                     [&](const policy::OptionSpec& spec) { return spec.name == option; });
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

constexpr std::array<Told, 8> told{{
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
    {"measure", "seconds_field", "W0439", "whole days of run time are left out",
     "after 24 to 26 h, 48 to 50 h, ... a job is not resumed", "\"measure\": \"total\""},
    {"since", "creation", "W0444", "the time in the queue counts as run time",
     "a job that never got anywhere is resumed", "\"since\": \"training\""},
}};

/// True if the datapoint of a level, in percent of one GPU, is at the threshold to the last bit.
bool is_at_threshold(const SeatSpec& seat, double level, bool sum, std::uint32_t gpus) {
  const double threshold = seat.options.number("threshold");
  const bool per_gpu = seat.options.text("scale") == "per_gpu";
  return level * (sum ? gpus : 1) == threshold * (sum && per_gpu ? gpus : 1);
}

void check_compare(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!has(seat, "compare") || !has(seat, "threshold") || !has(seat, "scale")) return;
  const models::World& world = loading.world();
  for (const models::JobProfile& profile : world.profiles) {
    const std::uint32_t gpus =
        world.directory.types[world.pools[profile.pool.index].type.index].gpus;
    for (const double level : {profile.util_running, profile.util_stalled}) {
      if (profile.utilization != nullptr && level == profile.util_running) continue;
      if (!is_at_threshold(seat, level, world.platform.metrics.gpu_sum, gpus)) continue;
      const bool or_equal = seat.options.text("compare").ends_with('=');
      return loading.warning(
          places.find("compare").value_or(places.find("threshold").value_or(places.seat)), "W0435",
          fmt::format("a use of {} % is at the threshold itself", level),
          or_equal ? "the alarm counts it, as \"at most\"; \"below\" would not"
                   : "the alarm does not count it; \"at most\" would",
          or_equal ? "\"compare\": \"<\" for below" : "\"compare\": \"<=\" for at most");
    }
  }
}

/// Trouble of a host that no alarm looks at (D5).
void check_watched(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  const auto* watched = value_of<std::vector<std::string>>(seat, "hosts");
  if (watched == nullptr || lists(seat, "hosts", "all")) return;
  using models::FaultKind;
  for (const models::JobProfile& profile : loading.world().profiles) {
    for (const models::Fault& fault : profile.faults) {
      const bool stands = fault.kind == FaultKind::stall || fault.kind == FaultKind::node_lost;
      if (!stands || fault.hosts.empty()) continue;
      const bool seen = std::any_of(
          fault.hosts.begin(), fault.hosts.end(),
          [&](std::uint32_t host) { return lists(seat, "hosts", fmt::format("algo-{}", host)); });
      if (seen) continue;
      return loading.warning(places.find("hosts").value_or(places.seat), "W0436",
                             fmt::format("nobody watches host algo-{}, which may stand still alone",
                                         fault.hosts.front()),
                             fmt::format("{} looks elsewhere", in_quotes(seat.label)),
                             "\"hosts\": [\"all\"]");
    }
  }
}

void check_missing(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!says(seat, "missing", "notBreaching")) return;
  const auto loses = [](const models::JobProfile& profile) {
    const auto is_lost = [](const auto& fault) {
      return fault.kind == models::FaultKind::metrics_lost;
    };
    return std::any_of(profile.faults.begin(), profile.faults.end(), is_lost) ||
           std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), is_lost);
  };
  const auto& profiles = loading.world().profiles;
  if (std::none_of(profiles.begin(), profiles.end(), loses)) return;
  loading.warning(places.find("missing").value_or(places.seat), "W0437",
                  "metrics may be lost, and count as healthy here",
                  "a job that stands still without metrics is never noticed",
                  "\"missing\": \"breaching\" notices it, and a healthy job without metrics too");
}

/// A job whose name is part of what its alarm is called (D8).
void check_found(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!says(seat, "action.found_by", "alarm_name")) return;
  const models::Jobs& jobs = loading.world().jobs;
  const auto corrupted = [](const std::string& name) {
    return policy::job_in_alarm_name(name) != name;
  };
  const auto found = std::find_if(jobs.names.begin(), jobs.names.end(), corrupted);
  std::string name = found == jobs.names.end() ? std::string{} : *found;
  const auto& drawn = loading.world().drawn;
  if (name.empty() && drawn && corrupted(drawn->prefix)) name = drawn->prefix;
  if (name.empty()) return;
  loading.warning(places.find("action.found_by").value_or(places.seat), "W0438",
                  fmt::format("the stop of {} goes to {}, which is no job", in_quotes(name),
                              in_quotes(policy::job_in_alarm_name(name))),
                  "each \"GPUUtil\" is taken out of the alarm's name",
                  "\"found_by\": \"job_name\"");
}

/// How many clones a name has room for (D13).
void check_names_of_clones(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (!says(seat, "naming", "appended")) return;
  constexpr std::string_view suffix = "clone";
  std::size_t longest = 0;
  for (const std::string& name : loading.world().jobs.names) {
    longest = std::max(longest, name.size());
  }
  const std::size_t room = policy::training_job_name_max - std::min<std::size_t>(longest, 63);
  loading.warning(places.find("naming").value_or(places.seat), "W0446",
                  fmt::format("each clone's name is {} characters longer", suffix.size()),
                  fmt::format("with {} the longest name is too long", room / suffix.size() + 1),
                  "\"naming\": \"numbered\"");
}

void check_limits(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  const auto* limit = value_of<std::int64_t>(seat, "max_resumes");
  if (limit == nullptr || *limit >= 0) return;
  loading.warning(places.find("max_resumes").value_or(places.seat), "W0447",
                  "a job that fails each time is resumed for ever", "each attempt is paid for",
                  "\"max_resumes\": 2");
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

/// D17: who gets no machines in time has not failed, and no rule of the policy starts it again.
void check_waits_handled(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places) {
  if (!has(seat, "when") || !lists(seat, "when", "failed")) return;
  const models::World& world = loading.world();
  const bool waits = std::any_of(
      world.profiles.begin(), world.profiles.end(), [&](const models::JobProfile& profile) {
        return world.pools[profile.pool.index].market == policy::Market::spot &&
               profile.max_wait != Duration::max();
      });
  const bool handled =
      std::any_of(policy.seats.begin(), policy.seats.end(), [](const SeatSpec& other) {
        const bool leaves = has(other, "after_max_wait") && other.options.flag("after_max_wait");
        return leaves || lists(other, "when", "max_wait_time_exceeded");
      });
  if (!waits || handled) return;
  loading.warning(places.find("when").value_or(places.seat), "W0450",
                  "who gets no machines within its MaxWaitTime is not resumed",
                  "such an attempt is over, and has not failed",
                  "\"max_wait_time_exceeded\" in \"when\", or `spot_fallback` with "
                  "\"after_max_wait\"");
}

/// D15: what the articles do with each copy of an event, the host does once.
void check_copies(Loading& loading, const SeatSpec& seat, const OptionPlaces& places,
                  std::string_view preset) {
  if (preset != "blog-naive" || !has(seat, "max_resumes")) return;
  if (loading.world().platform.events.duplicates <= 0) return;
  loading.warning(places.seat.find("use").value_or(places.seat), "W0448",
                  "the articles' handler acts on each copy of an event",
                  "the host sends each action once: what that defect costs is not played");
}

/// D16: what a rule stops, the rule beside it never resumes.
void check_stops_resumed(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places) {
  if (!has(seat, "when") || !has(seat, "max_resumes")) return;
  const bool after_failure = lists(seat, "when", "failed");
  if (!after_failure || lists(seat, "when", "stopped")) return;
  for (const SeatSpec& other : policy.seats) {
    const bool accuses = has(other, "metric") && has(other, "action.stop");
    if (!accuses || !other.options.flag("action.stop") || other.mode != host::Mode::enforce) {
      continue;
    }
    if (lists(seat, "when", fmt::format("stopped_by:{}", other.kind->name))) continue;
    loading.warning(places.find("when").value_or(places.seat), "W0449",
                    fmt::format("what {} stops is not resumed", in_quotes(other.label)),
                    "a stopped job has not failed: it waits for a person",
                    fmt::format("\"stopped_by:{}\" in \"when\"", other.kind->name));
  }
}

/// D23: work on Spot whose first loss is its end, whatever policy there is.
void check_left_alone(Loading& loading, const Node& place) {
  const models::World& world = loading.world();
  if (world.platform.unmanaged.spot_request != models::SpotRequest::one_time) return;
  const auto alone = [&](const models::JobProfile& profile) {
    return world.pools[profile.pool.index].market == policy::Market::spot &&
           !profile.checkpoint.on_notice;
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), alone)) return;
  std::size_t rules = 0;
  for (const PolicySpec& policy : loading.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      ++rules;
      const bool resumes = lists(seat, "when", "failed") || lists(seat, "when", "failed:capacity");
      if (seat.kind->relaunches || seat.kind->reaches != nullptr || resumes) return;
      if (seat.kind->name == "rule") return;  // it may do anything
    }
  }
  if (rules == 0) return;  // nothing is governed here
  loading.warning(place, "W0456", "the first loss on Spot ends a job for good",
                  "no script listens for the notice, and no rule starts it again",
                  "\"on_notice\" of \"checkpoint\", and { \"rule\": \"relaunch\" }");
}

}  // namespace

void check_defects(Loading& loading, const SeatSpec& seat, const OptionPlaces& places) {
  if (seat.mode == host::Mode::off) return;
  for (const Told& defect : told) {
    if (!says(seat, defect.option, defect.word)) continue;
    loading.warning(places.find(defect.option).value_or(places.seat), defect.code,
                    std::string{defect.message}, std::string{defect.label},
                    std::string{defect.help});
  }
  check_compare(loading, seat, places);
  check_watched(loading, seat, places);
  check_missing(loading, seat, places);
  check_found(loading, seat, places);
  check_names_of_clones(loading, seat, places);
  check_limits(loading, seat, places);
  check_lost_fields(loading, seat, places);
}

void check_chain(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                 const OptionPlaces& places, std::string_view preset) {
  if (seat.mode == host::Mode::off) return;
  check_stops_resumed(loading, policy, seat, places);
  check_waits_handled(loading, policy, seat, places);
  check_copies(loading, seat, places, preset);
}

void check_platform_defects(Loading& loading) {
  const models::World& world = loading.world();
  if (!models::is_unmanaged(world.platform.model)) return;
  const auto written = loading.input.platform.written;
  const auto at_platform = [&](std::string_view key) {
    return written ? written->find(key).value_or(*written) : *loading.input.written;
  };
  const models::Unmanaged& own = world.platform.unmanaged;
  if (own.self_destruct_fails >= 1) {
    loading.warning(at_platform("self_destruct_fails"), "W0452",
                    "no machine ever shuts itself down", "each job leaves its machines running",
                    "the articles' \"--zone=zone=...\" does that; look at the command, and have "
                    "a rule sweep");
  }
  check_left_alone(loading, at_platform("spot_request"));
  if (own.rendezvous && !own.rendezvous->tags_after) {
    loading.warning(at_platform("rendezvous"), "W0455",
                    "nodes of a gang never find the tag with their master's address",
                    "they look for it until something ends them",
                    "the tags stand under tags/instance/; \"tags_after\": \"12s\"");
  }
}

}  // namespace reeve::scenarios
