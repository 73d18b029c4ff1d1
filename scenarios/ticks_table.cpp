// The keys of `platform` that make a world of ticks.
#include <chrono>

#include "scenarios/input.hpp"

namespace reeve::scenarios {
namespace {

const ObjectTable<TickWindowsInput>& windows_table() {
  using Input = TickWindowsInput;
  static const ObjectTable<Input> table{
      "windows",
      "Parts of the recorded markets, one for each run.",
      {field<Input>("file", &Input::file, text(),
                    "a CSV file beside this one: start_index, len and, of several, trace",
                    {{}, true}),
       field<Input>("trace", &Input::trace, text(),
                    "which rows of the file; without: all of them, which are of one trace")}};
  return table;
}

}  // namespace

const ObjectTable<TicksInput>& ticks_table() {
  using Input = TicksInput;
  static const ObjectTable<Input> table{
      "ticks",
      "A world cut into ticks (docs/explanation/tick-world.md).",
      {field<Input>("tick", &Input::tick,
                    duration(std::chrono::seconds{1}, false, std::chrono::hours{24}),
                    "of the model ticks: how long one is; what is held is held for whole ones"),
       field<Input>(
           "restart_overhead", &Input::restart_overhead, delay(),
           "of the model ticks: billed, before work goes on, on every machine newly held; without: "
           "none"),
       field<Input>("asks_when_done", &Input::asks_when_done, flag(),
                    "of the model ticks: rules have one more tick when the work is done, as in the "
                    "published "
                    "program; without: false"),
       field<Input>(
           "windows", &Input::windows, object(windows_table()),
           "of the model ticks: each run meets another part of the recorded markets, and is over "
           "with it")}};
  return table;
}

}  // namespace reeve::scenarios
