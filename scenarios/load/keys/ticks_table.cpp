// The keys of `platform` that make a world of ticks.
#include <chrono>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

const ObjectTable<TickWindowsInput>& windows_table() {
  using Input = TickWindowsInput;
  static const ObjectTable<Input> table{
      "windows",
      "Parts of the recorded markets, one for each run.",
      {field<Input>(
           "file", &Input::file, trace_file(),
           "CSV file, relative to this file: start_index, len and, for several traces, trace",
           {{}, true}),
       field<Input>("trace", &Input::trace, text(),
                    "rows of the file to use. Default: all, which must be of one trace")}};
  return table;
}

}  // namespace

const ObjectTable<TicksInput>& ticks_table() {
  using Input = TicksInput;
  static const ObjectTable<Input> table{
      "ticks",
      "A model in ticks (docs/explanation/tick-world.md).",
      {field<Input>("tick", &Input::tick,
                    duration(std::chrono::seconds{1}, false, std::chrono::hours{24}),
                    "for model ticks: length of a tick; instances are held for whole ticks"),
       field<Input>("restart_overhead", &Input::restart_overhead, delay(),
                    "for model ticks: billed time on each newly held instance before work "
                    "continues. Default: none"),
       field<Input>("asks_when_done", &Input::asks_when_done, flag(),
                    "for model ticks: rules decide for one more tick after the work is done, as in "
                    "the published program. Default: false"),
       field<Input>("windows", &Input::windows, object(windows_table()),
                    "for model ticks: each run uses another part of the recorded markets, and ends "
                    "with it")}};
  return table;
}

}  // namespace reeve::scenarios
