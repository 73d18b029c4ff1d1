// Keys of trouble that no single job has: zones, the control plane, the link from alarms; and of
// what an application does against its own.
#include <chrono>

#include "scenarios/load/keys/input.hpp"

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
      "A zone is unavailable: Spot attempts in it are interrupted, others fail. For a fleet over "
      "several zones, attempts with an instance in that zone.",
      {field<Input>("zone", &Input::zone, text(), "zone of the fleets", {{}, true}),
       field<Input>("from", &Input::from, duration(), "time after the start of the clock",
                    {{}, true}),
       field<Input>("to", &Input::until, duration(), "time after the start of the clock",
                    {{}, true})}};
  return table;
}

const ObjectTable<BrownOutInput>& brownout_table() {
  using Input = BrownOutInput;
  const Slot of{&Input::trouble};
  static const ObjectTable<Input> table{
      "a brown-out",
      "A time in which the control plane is degraded.",
      {field<Input>("from", of(&BrownOut::from), duration(), "time after the start of the clock",
                    {{}, true}),
       field<Input>("to", of(&BrownOut::until), duration(), "time after the start of the clock",
                    {{}, true}),
       field<Input>("throttled", of(&BrownOut::throttled), probability(),
                    "probability that a call is throttled, without effect", {"1"}),
       field<Input>("lost_reply", of(&BrownOut::lost_reply), probability(),
                    "probability that a call takes effect but its reply is lost", {"0"})}};
  return table;
}

const ObjectTable<AlarmLink>& alarm_link_table() {
  static const ObjectTable<AlarmLink> table{
      "alarm_link",
      "Delivery from an alarm to its receiver (SNS); a lost message is not repeated.",
      {field<AlarmLink>("down", &AlarmLink::down, list_of(interval()),
                        "[[\"from\", \"to\"], ...] in which nothing is delivered"),
       field<AlarmLink>("lost", &AlarmLink::lost, probability(),
                        "probability that a change of state is not delivered", {"0"})}};
  return table;
}

const ObjectTable<Watchdog>& watchdog_table() {
  static const ObjectTable<Watchdog> table{
      "watchdog",
      "Timeout of the application itself (NCCL): an attempt that stalls this long fails.",
      {field<Watchdog>("timeout", &Watchdog::timeout, duration(std::chrono::seconds{1}),
                       "stall until the timeout; PyTorch: 10m since 2.2, 30m before", {"\"30m\""}),
       field<Watchdog>("miss_probability", &Watchdog::miss_probability, probability(),
                       "probability that it misses a stall", {"0"}),
       field<Watchdog>("class", &Watchdog::failure, failure_class(),
                       "failure class that it reports", {"\"unknown\""})}};
  return table;
}

}  // namespace reeve::scenarios
