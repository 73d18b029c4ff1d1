// The keys of the guards that limit what rules do.
#include <chrono>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

Codec<std::uint32_t> at_most() {
  return integer<std::uint32_t>(0, 1'000'000'000);
}

const ObjectTable<ExemptionInput>& exemption_table() {
  static const ObjectTable<ExemptionInput> table{
      "an exemption",
      "Rules do not act on jobs with a tag until a date.",
      {field<ExemptionInput>("tag", &ExemptionInput::tag, text(), "\"key\" or \"key=value\"",
                             {{}, true}),
       field<ExemptionInput>("owner", &ExemptionInput::owner, text(),
                             "person responsible for the exemption", {{}, true}),
       field<ExemptionInput>("until", &ExemptionInput::until, instant(), "end of the exemption",
                             {{}, true}),
       field<ExemptionInput>("rules", &ExemptionInput::rules, list_of(text(), 1),
                             "rules that do not act, by their names in reports. Default: all")}};
  return table;
}

const ObjectTable<OfficeHoursInput>& office_hours_table() {
  static constexpr Duration day = std::chrono::hours{24};
  static const ObjectTable<OfficeHoursInput> table{
      "office_hours",
      "Hours of the week.",
      {field<OfficeHoursInput>("days", &OfficeHoursInput::days,
                               list_of(choice<std::size_t>({{"mon", 0},
                                                            {"tue", 1},
                                                            {"wed", 2},
                                                            {"thu", 3},
                                                            {"fri", 4},
                                                            {"sat", 5},
                                                            {"sun", 6}}),
                                       1),
                               "[\"mon\", \"tue\"]", {{}, true}),
       field<OfficeHoursInput>("from", &OfficeHoursInput::from,
                               duration(Duration{0}, false, day - std::chrono::seconds{1}),
                               "time after midnight: \"8h\"", {{}, true}),
       field<OfficeHoursInput>("to", &OfficeHoursInput::to, duration(Duration{0}, false, day),
                               "time after midnight; if not later than `from`, on the next day",
                               {{}, true}),
       field<OfficeHoursInput>("utc_offset_h", &OfficeHoursInput::utc_offset_h,
                               number(-12, 14, "h"), "offset of the local time from UTC", {"0"})}};
  return table;
}

const ObjectTable<CanaryInput>& canary_table() {
  static const ObjectTable<CanaryInput> table{
      "canary",
      "Each rule first acts on a few jobs only (own design, after canary releases).",
      {field<CanaryInput>("first", &CanaryInput::first, integer<std::uint32_t>(1, 1000, "jobs"),
                          "number of jobs"),
       field<CanaryInput>(
           "pct", &CanaryInput::percent, integer<std::uint32_t>(1, 100, "%"),
           "instead, percent of the jobs that run when the rule first acts, rounded up"),
       field<CanaryInput>("watch", &CanaryInput::watch, duration(std::chrono::seconds{1}),
                          "how long the other jobs wait after these actions; forever, if a user "
                          "resubmits one of these jobs or a clone fails",
                          {{}, true})}};
  return table;
}

}  // namespace

const ObjectTable<GuardsInput>& guards_table() {
  static const ObjectTable<GuardsInput> table{
      "guards",
      "Limits on the actions of all rules, checked last.",
      {field<GuardsInput>("stops_per_hour", &GuardsInput::stops_per_hour, at_most(),
                          "stops per hour; further stops wait. Default: no limit"),
       field<GuardsInput>("stops_pct_per_hour", &GuardsInput::stops_pct_per_hour,
                          integer<std::uint32_t>(0, 100, "%"),
                          "stops per hour, in percent of the running jobs, rounded up"),
       field<GuardsInput>(
           "actions_per_hour", &GuardsInput::actions_per_hour, at_most(),
           "actions per hour that change a job (stop, clone, limit, ...), of all rules together"),
       field<GuardsInput>("actions_per_rule_per_day", &GuardsInput::actions_per_rule_per_day,
                          at_most(), "the same for each rule, within 24 hours"),
       field<GuardsInput>(
           "protected_tags", &GuardsInput::protected_tags, list_of(text()),
           "\"key\" or \"key=value\": rules may start such jobs, and do nothing else to them"),
       field<GuardsInput>("exempt", &GuardsInput::exempt, list_of(object(exemption_table())),
                          "jobs that rules do not act on until a date"),
       field<GuardsInput>("office_hours", &GuardsInput::office_hours, object(office_hours_table()),
                          "when rules may change jobs; other actions wait. Default: always"),
       field<GuardsInput>("dry_start", &GuardsInput::dry_start, duration(),
                          "time after the start of the clock in which no rule changes a job",
                          {"\"0s\""}),
       field<GuardsInput>("canary", &GuardsInput::canary, object(canary_table()),
                          "each rule first acts on a few jobs only")}};
  return table;
}

}  // namespace reeve::scenarios
