// The keys of an alert.
#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {

const ObjectTable<AlertInput>& alert_table() {
  using Input = AlertInput;
  static const ObjectTable<Input> table{
      "an alert",
      "A notification rule that applies under every policy.",
      {field<Input>("name", &Input::name, file_name("the name of an alert"),
                    "name in reports; must differ from all rule names", {{}, true}),
       field<Input>("watch", &Input::watch,
                    choice<Watched>({{"job_wait", Watched::job_wait},
                                     {"allocated_pct", Watched::allocated_pct},
                                     {"failures", Watched::failures}}),
                    "job_wait: a job is pending for long (`long_wait`); allocated_pct: low use of "
                    "a fleet while jobs are pending (`idle_capacity`); failures: too many of the "
                    "last attempts failed (`failure_rate`)",
                    {{}, true}),
       field<Input>("above", &Input::above, duration(std::chrono::seconds{1}),
                    "for job_wait, required: wait after which it notifies"),
       field<Input>("below", &Input::below, number(0.01, 100, "%"),
                    "for allocated_pct: threshold. Default: 40"),
       field<Input>("for", &Input::lasts, duration(),
                    "for allocated_pct: how long without a break. Default: 2h"),
       field<Input>("fleet", &Input::fleet, text(),
                    "for allocated_pct: only this fleet. Default: each fleet"),
       field<Input>("while_runnable", &Input::while_runnable, flag(),
                    "for allocated_pct: only while jobs are pending; must be true", {"true"}),
       field<Input>("failures", &Input::failures, integer<std::int64_t>(1, 10'000, "attempts"),
                    "for failures: number of failures that triggers it. Default: 3"),
       field<Input>("last", &Input::last, integer<std::int64_t>(1, 10'000, "attempts"),
                    "for failures: number of last ended attempts. Default: 10"),
       field<Input>("tags", &Input::tags, tags(),
                    "for job_wait and failures: only jobs with one of these tags")}};
  return table;
}

}  // namespace reeve::scenarios
