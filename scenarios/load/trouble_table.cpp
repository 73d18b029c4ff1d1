// Keys of trouble that no single job has: zones, the control plane, the link from alarms; and of
// what an application does against its own.
#include <chrono>

#include "scenarios/load/input.hpp"

namespace reeve::scenarios {
namespace {

using models::AlarmLink;
using models::BrownOut;
using models::Watchdog;

}  // namespace

const ObjectTable<OutageInput>& outage_table() {
  using Input = OutageInput;
  static const ObjectTable<Input> table{
      "an outage",
      "A zone is gone with all that runs there: Spot is interrupted, all else fails. Of a fleet "
      "that is "
      "spread over several zones, who has a machine there.",
      {field<Input>("zone", &Input::zone, text(), "of the fleets", {{}, true}),
       field<Input>("from", &Input::from, duration(), "after the start of the clock", {{}, true}),
       field<Input>("to", &Input::until, duration(), "after the start of the clock", {{}, true})}};
  return table;
}

const ObjectTable<BrownOutInput>& brownout_table() {
  using Input = BrownOutInput;
  const Slot of{&Input::trouble};
  static const ObjectTable<Input> table{
      "a brown-out",
      "A time in which the control plane is out of order.",
      {field<Input>("from", of(&BrownOut::from), duration(), "after the start of the clock",
                    {{}, true}),
       field<Input>("to", of(&BrownOut::until), duration(), "after the start of the clock",
                    {{}, true}),
       field<Input>("throttled", of(&BrownOut::throttled), probability(),
                    "probability that a call is throttled, without effect", {"1"}),
       field<Input>("lost_reply", of(&BrownOut::lost_reply), probability(),
                    "probability that the effect happens and the reply never comes", {"0"})}};
  return table;
}

const ObjectTable<AlarmLink>& alarm_link_table() {
  static const ObjectTable<AlarmLink> table{
      "alarm_link",
      "From an alarm to its receiver (SNS): news that are lost do not come later.",
      {field<AlarmLink>("down", &AlarmLink::down, list_of(interval()),
                        "[[\"from\", \"to\"], ...] in which nothing is delivered"),
       field<AlarmLink>("lost", &AlarmLink::lost, probability(),
                        "probability that a change of state is not delivered", {"0"})}};
  return table;
}

const ObjectTable<Watchdog>& watchdog_table() {
  static const ObjectTable<Watchdog> table{
      "watchdog",
      "The application's own time-out (NCCL): what stands still for so long fails.",
      {field<Watchdog>("timeout", &Watchdog::timeout, duration(std::chrono::seconds{1}),
                       "of a standstill; PyTorch: 10m since 2.2, 30m before", {"\"30m\""}),
       field<Watchdog>("miss_probability", &Watchdog::miss_probability, probability(),
                       "that it does not notice a standstill", {"0"}),
       field<Watchdog>("class", &Watchdog::failure, failure_class(), "what its failure says",
                       {"\"unknown\""})}};
  return table;
}

}  // namespace reeve::scenarios
