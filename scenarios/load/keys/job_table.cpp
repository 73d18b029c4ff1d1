// The keys of a job, of its faults and of what whole workloads share.
#include <chrono>
#include <span>
#include <utility>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using models::FaultKind;
using policy::FailureClass;

Codec<FaultKind> fault_kind() {
  return choice<FaultKind>({{"stall", FaultKind::stall},
                            {"spin_hang", FaultKind::spin_hang},
                            {"failure", FaultKind::failure},
                            {"interruption", FaultKind::interruption},
                            {"metrics_lost", FaultKind::metrics_lost},
                            {"hardware", FaultKind::hardware}});
}

/// Which hosts are lost is written, not drawn.
Codec<FaultKind> written_fault_kind() {
  return choice<FaultKind>({{"stall", FaultKind::stall},
                            {"spin_hang", FaultKind::spin_hang},
                            {"failure", FaultKind::failure},
                            {"interruption", FaultKind::interruption},
                            {"metrics_lost", FaultKind::metrics_lost},
                            {"node_lost", FaultKind::node_lost},
                            {"hardware", FaultKind::hardware}});
}

constexpr std::string_view kind_help =
    "stall: no progress, GPUs idle; spin_hang: no progress, GPUs busy; failure: the attempt fails; "
    "interruption: the instances are taken away; metrics_lost: the job continues without metrics; "
    "hardware: a host breaks and is repaired, or the attempt fails";

const ObjectTable<FaultInput>& fault_table() {
  using models::Fault;
  const Slot fault{&FaultInput::fault};
  static const ObjectTable<FaultInput> table{
      "a fault",
      "A fault at a known time of training.",
      {field<FaultInput>("at", fault(&Fault::at), duration(),
                         "time since the attempt first trained, stalls and interruptions included",
                         {{}, true}),
       field<FaultInput>(
           "kind", fault(&Fault::kind), written_fault_kind(),
           std::string{kind_help} + "; node_lost: the instances in `hosts` are lost for good",
           {{}, true}),
       field<FaultInput>("cause", fault(&Fault::cause), text(), "label of the cause, for reports"),
       field<FaultInput>("class", &FaultInput::failure, failure_class(),
                         "for a failure: true failure class, which the failure reason states"),
       field<FaultInput>(
           "read_as", &FaultInput::read_as, failure_class(),
           "for a failure: failure class that the platform reports. Default: the true class"),
       field<FaultInput>("confidence", &FaultInput::confidence, probability(),
                         "for a failure: confidence that rules see with the class", {"1"}),
       field<FaultInput>("lasts", &FaultInput::lasts, duration(Duration{0}, true),
                         "time until the job recovers by itself. Default: it does not recover"),
       field<FaultInput>("away", &FaultInput::away, duration(),
                         "for an interruption: time until the instances are back. Default: 0s"),
       field<FaultInput>("attempt", fault(&Fault::attempt),
                         integer<policy::AttemptNumber>(1, 65535),
                         "first attempt that the fault affects", {"1"}),
       field<FaultInput>("hosts", fault(&Fault::hosts),
                         list_of(integer<std::uint32_t>(1, 1'000'000), 1),
                         "hosts whose metrics the fault affects, from 1. Default: all"),
       field<FaultInput>("recovers_on_restart", fault(&Fault::recovers_on_restart), flag(),
                         "false: the fault also affects later attempts", {"true"}),
       field<FaultInput>("at_step", &FaultInput::at_step, duration(),
                         "with count: increment of `at` for each further copy of the job",
                         {"\"0s\""})}};
  return table;
}

const ObjectTable<DrawnFaultInput>& drawn_fault_table() {
  using models::DrawnFault;
  const Slot fault{&DrawnFaultInput::fault};
  static const ObjectTable<DrawnFaultInput> table{
      "a drawn fault",
      "A fault drawn again for each attempt.",
      {field<DrawnFaultInput>("kind", fault(&DrawnFault::kind), fault_kind(), kind_help,
                              {{}, true}),
       field<DrawnFaultInput>("probability", fault(&DrawnFault::probability), probability(),
                              "probability that the fault affects an attempt", {"1"}),
       field<DrawnFaultInput>("after", fault(&DrawnFault::after), law(false),
                              "training time until the fault occurs", {{}, true}),
       field<DrawnFaultInput>("lasts", fault(&DrawnFault::lasts), law(true),
                              "time until the job recovers by itself. Default: it does not recover "
                              "(interruption: 0s)"),
       field<DrawnFaultInput>("classes", &DrawnFaultInput::classes, map_of(number(0, 1e9)),
                              "for failures: weight of each class, { \"infrastructure\": 0.6 }"),
       field<DrawnFaultInput>("repeats", fault(&DrawnFault::repeats), flag(),
                              "true: same draw for each attempt, so the fault also affects a retry",
                              {"false"})}};
  return table;
}

const ObjectTable<SoftwareFailuresInput>& software_failures_table() {
  using Input = SoftwareFailuresInput;
  static const ObjectTable<Input> table{
      "software_failures",
      "Attempts that fail because of the job itself, mostly early (docs/explanation/faults.md).",
      {field<Input>("share", &Input::share, probability(),
                    "share of attempts that fail this way, if nothing else stops them. ByteRobust: "
                    "5.6 % of 778,135 jobs",
                    {"0.05"}),
       field<Input>("shape", &Input::shape, number(0.05, 100),
                    "shape of the Weibull distribution of the training time until the failure, cut "
                    "at the training time of the attempt; below 1: early failures. An estimate",
                    {"0.5"}),
       field<Input>(
           "scale", &Input::scale, duration(std::chrono::nanoseconds{0}, true),
           "scale of that distribution: 63 % of failures of a very long attempt are earlier. "
           "An estimate",
           {"\"6h\""}),
       field<Input>("classes", &Input::classes, map_of(number(0, 1e9)),
                    "weight of each failure class. Default: { \"code\": 5, \"out_of_memory\": 2, "
                    "\"data\": 2, \"configuration\": 1 }, an estimate"),
       field<Input>("repeats", &Input::repeats, flag(),
                    "true: same draw for each attempt, so a retry fails as well", {"false"})}};
  return table;
}

}  // namespace

Codec<FailureClass> failure_class() {
  std::vector<Choice<FailureClass>> choices;
  for (const std::string_view name : std::span{policy::failure_class_names}.subspan(1)) {
    choices.push_back({name, *policy::failure_class_named(name)});
  }
  return choice(std::move(choices));
}

Codec<policy::Market> market_choice() {
  std::vector<Choice<policy::Market>> choices;
  for (const std::string_view name : policy::market_names) {
    choices.push_back({name, *policy::market_named(name)});
  }
  return choice(std::move(choices));
}

Codec<std::vector<policy::Tag>> tags() {
  return map_of(text());
}

const ObjectTable<ProfileInput>& profile_table() {
  static const ObjectTable<ProfileInput> table = [] {
    Fields<ProfileInput> fields{
        field<ProfileInput>("instance_type", &ProfileInput::instance_type, text(),
                            "key of prices.instances. Default: the type of the fleet"),
        field<ProfileInput>(
            "fleet", &ProfileInput::fleet, text(),
            "fleet that runs the job; required only if several fleets have its type"),
        field<ProfileInput>(
            "market", &ProfileInput::market, market_choice(),
            "market of the fleet; required only if its type exists in several markets"),
        field<ProfileInput>(
            "max_wait", &ProfileInput::max_wait, duration(std::chrono::seconds{1}),
            "on Spot: an attempt ends this long after its submission (MaxWaitTimeInSeconds)"),
        field<ProfileInput>(
            "deadline", &ProfileInput::deadline, duration(std::chrono::seconds{1}),
            "time from submission until the result is needed; only deadline-aware rules use it"),
        field<ProfileInput>(
            "max_runtime", &ProfileInput::max_runtime, duration(std::chrono::seconds{1}),
            "training time after which the platform ends an attempt (MaxRuntimeInSeconds)"),
        field<ProfileInput>("priority", &ProfileInput::priority,
                            integer<std::int32_t>(-1'000'000, 1'000'000),
                            "larger runs first, if the scheduler uses priorities", {"0"}),
        field<ProfileInput>("weight", &ProfileInput::weight,
                            integer<std::uint32_t>(1, 1'000'000'000, "jobs"),
                            "number of jobs that this one represents in weighted means, such as a "
                            "trace row for several; it changes nothing else",
                            {"1"}),
        field<ProfileInput>("min_instances", &ProfileInput::min_instances,
                            integer<std::uint32_t>(1, 1'000'000, "instances"),
                            "smallest number of instances with which the job starts, at lower "
                            "speed (MinCount). Default: all of them"),
        field<ProfileInput>(
            "placement", &ProfileInput::placement,
            choice<models::Placement>(
                {{"any", models::Placement::any}, {"single_zone", models::Placement::single_zone}}),
            "whether the instances may be in several zones. Default: \"any\"; on gcp "
            "\"single_zone\", the default of its bulk creation"),
        field<ProfileInput>("owner", &ProfileInput::owner, text(),
                            "one of `humans`. Default: the tag username, else the tag owner"),
        field<ProfileInput>("tags", &ProfileInput::tags, tags(),
                            "tags of the job: any keys and texts"),
        field<ProfileInput>("checkpoint", &ProfileInput::checkpoint, object(checkpoint_table()),
                            "when progress becomes durable"),
        field<ProfileInput>("gpu_util", &ProfileInput::gpu_util, object(gpu_util_table()),
                            "GPU utilization that the metrics show"),
        field<ProfileInput>("gpu_phases", &ProfileInput::gpu_phases,
                            list_of(object(gpu_phase_table())),
                            "parts of the work with low GPU use: preparation, evaluation"),
        field<ProfileInput>("faults", &ProfileInput::faults, list_of(object(fault_table())),
                            "faults at known times"),
        field<ProfileInput>("software_failures", &ProfileInput::software_failures,
                            object(software_failures_table()),
                            "attempts that fail because of the job itself. Default: none"),
        field<ProfileInput>("drawn_faults", &ProfileInput::drawn_faults,
                            list_of(object(drawn_fault_table())), "faults at random times"),
        field<ProfileInput>("watchdog", &ProfileInput::watchdog, object(watchdog_table()),
                            "timeout of the application itself. Default: none")};
    include(fields, &ProfileInput::training, training_table());
    include(fields, &ProfileInput::managed, managed_text_table());
    include(fields, &ProfileInput::terms, terms_table());
    return ObjectTable<ProfileInput>{"a job profile", "Keys that all jobs of one kind share.",
                                     std::move(fields)};
  }();
  return table;
}

const ObjectTable<JobInput>& text_table() {
  static const ObjectTable<JobInput> table = [] {
    using std::chrono::nanoseconds;
    Fields<JobInput> fields{
        field<JobInput>("name", &JobInput::name, name("the name of a job"),
                        "unique; with count, copies are named NAME-1, NAME-2, ...", {{}, true}),
        field<JobInput>("submit", &JobInput::submit, duration(),
                        "submission time, after the start of the clock", {"\"0s\""}),
        field<JobInput>("instances", &JobInput::instances,
                        integer<std::uint32_t>(1, 1'000'000, "instances"),
                        "instances that the job holds at the same time", {"1"}),
        field<JobInput>("work", &JobInput::work, duration(nanoseconds{0}, true),
                        "undisturbed training time on its instances", {{}, true}),
        field<JobInput>("expected_work", &JobInput::expected_work, duration(nanoseconds{0}, true),
                        "the user's estimate of `work`, which is all that a scheduler knows. "
                        "Default: the value of `work`"),
        field<JobInput>("count", &JobInput::count, integer<std::uint64_t>(1, 100'000'000),
                        "number of equal copies of the job", {"1"}),
        field<JobInput>("submit_every", &JobInput::submit_every, duration(),
                        "with count: time between the submissions of two copies", {"\"0s\""}),
        field<JobInput>("priority_changes", &JobInput::priority_changes,
                        list_of(object(priority_change_table())),
                        "later changes of the priority (UpdateServiceJob)")};
    include(fields, &JobInput::profile, profile_table());
    return ObjectTable<JobInput>{"a job", "One training job.", std::move(fields)};
  }();
  return table;
}

const ObjectTable<JobInput>& job_defaults_table() {
  static const ObjectTable<JobInput> table = [] {
    Fields<JobInput> fields{text_table()};
    fields.remove("name");
    fields.require_none();
    return ObjectTable<JobInput>{"job_defaults", "Default values for each job of `jobs`.",
                                 std::move(fields)};
  }();
  return table;
}

}  // namespace reeve::scenarios
