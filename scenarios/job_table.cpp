// The keys of a job, of its faults and of what whole workloads share.
#include <chrono>
#include <span>
#include <utility>

#include "scenarios/input.hpp"

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
    "interruption: the machines go away; metrics_lost: work goes on unseen; hardware: a host "
    "breaks and "
    "is repaired, or the attempt fails";

const ObjectTable<FaultInput>& fault_table() {
  using models::Fault;
  const Slot fault{&FaultInput::fault};
  static const ObjectTable<FaultInput> table{
      "a fault",
      "Trouble at a known time of training.",
      {field<FaultInput>(
           "at", fault(&Fault::at), duration(),
           "time since the attempt first trained, standstills and interruptions included",
           {{}, true}),
       field<FaultInput>("kind", fault(&Fault::kind), written_fault_kind(),
                         std::string{kind_help} + "; node_lost: `hosts` are gone for good",
                         {{}, true}),
       field<FaultInput>("cause", fault(&Fault::cause), text(), "a person's word for it"),
       field<FaultInput>("class", &FaultInput::failure, failure_class(),
                         "of a failure: what its reason says"),
       field<FaultInput>("read_as", &FaultInput::read_as, failure_class(),
                         "of a failure: what it is taken for; without: what it is"),
       field<FaultInput>("confidence", &FaultInput::confidence, probability(),
                         "of a failure: how sure that is, as rules are told", {"1"}),
       field<FaultInput>("lasts", &FaultInput::lasts, duration(Duration{0}, true),
                         "until it recovers by itself; without: for ever"),
       field<FaultInput>("away", &FaultInput::away, duration(),
                         "of an interruption: until the machines are back; without: 0s"),
       field<FaultInput>("attempt", fault(&Fault::attempt),
                         integer<policy::AttemptNumber>(1, 65535),
                         "the first attempt that meets it", {"1"}),
       field<FaultInput>("hosts", fault(&Fault::hosts),
                         list_of(integer<std::uint32_t>(1, 1'000'000), 1),
                         "whose metrics it touches, from 1; without: all"),
       field<FaultInput>("recovers_on_restart", fault(&Fault::recovers_on_restart), flag(),
                         "false: every further attempt meets it too", {"true"}),
       field<FaultInput>("at_step", &FaultInput::at_step, duration(),
                         "with count: added to `at` once more for each further copy of the job",
                         {"\"0s\""})}};
  return table;
}

const ObjectTable<DrawnFaultInput>& drawn_fault_table() {
  using models::DrawnFault;
  const Slot fault{&DrawnFaultInput::fault};
  static const ObjectTable<DrawnFaultInput> table{
      "a drawn fault",
      "Trouble drawn anew for each attempt.",
      {field<DrawnFaultInput>("kind", fault(&DrawnFault::kind), fault_kind(), kind_help,
                              {{}, true}),
       field<DrawnFaultInput>("probability", fault(&DrawnFault::probability), probability(),
                              "that an attempt meets it at all", {"1"}),
       field<DrawnFaultInput>("after", fault(&DrawnFault::after), law(false),
                              "time of training until it strikes", {{}, true}),
       field<DrawnFaultInput>("lasts", fault(&DrawnFault::lasts), law(true),
                              "until it recovers by itself; without: for ever (interruption: 0s)"),
       field<DrawnFaultInput>("classes", &DrawnFaultInput::classes, map_of(number(0, 1e9)),
                              "of failures: weight of each class, { \"infrastructure\": 0.6 }"),
       field<DrawnFaultInput>("repeats", fault(&DrawnFault::repeats), flag(),
                              "the same draw for each attempt: a retry meets it again",
                              {"false"})}};
  return table;
}

const ObjectTable<SoftwareFailuresInput>& software_failures_table() {
  using Input = SoftwareFailuresInput;
  static const ObjectTable<Input> table{
      "software_failures",
      "Attempts that fail by their own doing, mostly early (docs/explanation/faults.md).",
      {field<Input>("share", &Input::share, probability(),
                    "of the attempts. ByteRobust: 5.6 % of 778,135 jobs", {"0.05"}),
       field<Input>(
           "shape", &Input::shape, number(0.05, 100),
           "of the Weibull law of the time of training until then; below 1: early. A guess",
           {"0.5"}),
       field<Input>("scale", &Input::scale, duration(std::chrono::nanoseconds{0}, true),
                    "of that law: 63 % of them are sooner. A guess", {"\"6h\""}),
       field<Input>("classes", &Input::classes, map_of(number(0, 1e9)),
                    "weight of each class; without: { \"code\": 5, \"out_of_memory\": 2, "
                    "\"data\": 2, \"configuration\": 1 }, a guess"),
       field<Input>("repeats", &Input::repeats, flag(),
                    "the same draw for each attempt: a retry fails as well", {"false"})}};
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
                            "of prices.instances; without: that of the fleet"),
        field<ProfileInput>("fleet", &ProfileInput::fleet, text(),
                            "where it runs; needed only if several fleets have its type"),
        field<ProfileInput>("market", &ProfileInput::market, market_choice(),
                            "of the fleet; needed only if its type is had in several"),
        field<ProfileInput>("max_wait", &ProfileInput::max_wait, duration(std::chrono::seconds{1}),
                            "on Spot: an attempt ends so long after its submission "
                            "(MaxWaitTimeInSeconds)"),
        field<ProfileInput>("deadline", &ProfileInput::deadline, duration(std::chrono::seconds{1}),
                            "after submission: when the result is needed, for rules that look"),
        field<ProfileInput>("max_runtime", &ProfileInput::max_runtime,
                            duration(std::chrono::seconds{1}),
                            "the platform ends an attempt there (MaxRuntimeInSeconds)"),
        field<ProfileInput>("priority", &ProfileInput::priority,
                            integer<std::int32_t>(-1'000'000, 1'000'000),
                            "larger runs first, where a scheduler looks at it", {"0"}),
        field<ProfileInput>("weight", &ProfileInput::weight,
                            integer<std::uint32_t>(1, 1'000'000'000, "jobs"),
                            "how many jobs it stands for in weighted means (a row of a trace may "
                            "be several); it changes nothing else",
                            {"1"}),
        field<ProfileInput>("min_instances", &ProfileInput::min_instances,
                            integer<std::uint32_t>(1, 1'000'000, "instances"),
                            "it starts with so few, slower, if there are no more (MinCount); "
                            "without: only with all"),
        field<ProfileInput>(
            "placement", &ProfileInput::placement,
            choice<models::Placement>(
                {{"any", models::Placement::any}, {"single_zone", models::Placement::single_zone}}),
            "whether its machines may stand in several zones; without: \"any\", on gcp "
            "\"single_zone\" (any one zone, the default of its bulk creation)"),
        field<ProfileInput>("owner", &ProfileInput::owner, text(),
                            "of `humans`; without: the tag username, else the tag owner"),
        field<ProfileInput>("tags", &ProfileInput::tags, tags(), "any keys and texts"),
        field<ProfileInput>("checkpoint", &ProfileInput::checkpoint, object(checkpoint_table()),
                            "when progress becomes durable"),
        field<ProfileInput>("gpu_util", &ProfileInput::gpu_util, object(gpu_util_table()),
                            "what its metrics show"),
        field<ProfileInput>("gpu_phases", &ProfileInput::gpu_phases,
                            list_of(object(gpu_phase_table())),
                            "parts of the work that need few GPUs: preparation, evaluation"),
        field<ProfileInput>("faults", &ProfileInput::faults, list_of(object(fault_table())),
                            "trouble at known times"),
        field<ProfileInput>("software_failures", &ProfileInput::software_failures,
                            object(software_failures_table()),
                            "attempts that fail by their own doing; without: none"),
        field<ProfileInput>("drawn_faults", &ProfileInput::drawn_faults,
                            list_of(object(drawn_fault_table())), "trouble at drawn times"),
        field<ProfileInput>("watchdog", &ProfileInput::watchdog, object(watchdog_table()),
                            "the application's own time-out; without: none")};
    include(fields, &ProfileInput::training, training_table());
    include(fields, &ProfileInput::managed, managed_job_table());
    include(fields, &ProfileInput::terms, terms_table());
    return ObjectTable<ProfileInput>{"a job profile", "What jobs of one kind share.",
                                     std::move(fields)};
  }();
  return table;
}

const ObjectTable<JobInput>& job_table() {
  static const ObjectTable<JobInput> table = [] {
    using std::chrono::nanoseconds;
    Fields<JobInput> fields{
        field<JobInput>("name", &JobInput::name, name("the name of a job"),
                        "unique; with count, copies are called NAME-1, NAME-2, ...", {{}, true}),
        field<JobInput>("submit", &JobInput::submit, duration(), "after the start of the clock",
                        {"\"0s\""}),
        field<JobInput>("instances", &JobInput::instances,
                        integer<std::uint32_t>(1, 1'000'000, "instances"), "machines at once",
                        {"1"}),
        field<JobInput>("work", &JobInput::work, duration(nanoseconds{0}, true),
                        "undisturbed training time on its machines", {{}, true}),
        field<JobInput>("expected_work", &JobInput::expected_work, duration(nanoseconds{0}, true),
                        "the user's own estimate, all that a scheduler knows; without: work"),
        field<JobInput>("count", &JobInput::count, integer<std::uint64_t>(1, 100'000'000),
                        "that many equal jobs", {"1"}),
        field<JobInput>("submit_every", &JobInput::submit_every, duration(),
                        "with count: each copy is submitted so much later", {"\"0s\""}),
        field<JobInput>("priority_changes", &JobInput::priority_changes,
                        list_of(object(priority_change_table())),
                        "what people make of its priority later (UpdateServiceJob)")};
    include(fields, &JobInput::profile, profile_table());
    return ObjectTable<JobInput>{"a job", "A piece of work a person wants done.",
                                 std::move(fields)};
  }();
  return table;
}

const ObjectTable<JobInput>& job_defaults_table() {
  static const ObjectTable<JobInput> table = [] {
    Fields<JobInput> fields{job_table()};
    fields.remove("name");
    fields.require_none();
    return ObjectTable<JobInput>{
        "job_defaults", "What every job of `jobs` has unless it says else.", std::move(fields)};
  }();
  return table;
}

}  // namespace reeve::scenarios
