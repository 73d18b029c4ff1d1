// The keys of a fleet's faults of machines.
#include <chrono>

#include "scenarios/input.hpp"

namespace reeve::scenarios {
namespace {

const ObjectTable<LemonsInput>& lemons_table() {
  using Input = LemonsInput;
  static const ObjectTable<Input> table{
      "lemons",
      "Machines that break far more often; the rate of the fleet stays what it is.",
      {field<Input>("share", &Input::share, probability(),
                    "of the machines; a guess: nobody publishes it for clouds", {"0.05"}),
       field<Input>("factor", &Input::factor, number(1, 1e6), "how much more often; a guess",
                    {"10"})}};
  return table;
}

const ObjectTable<RacksInput>& racks_table() {
  using Input = RacksInput;
  static const ObjectTable<Input> table{
      "racks",
      "Machines that stand together, 1 to MACHINES, and so on, and may be lost together.",
      {field<Input>("machines", &Input::machines, integer<std::uint32_t>(2, 1'000'000),
                    "of one rack: a switch, a power supply", {{}, true}),
       field<Input>("share", &Input::share, probability(),
                    "of the faults that take the whole rack, for one time", {{}, true})}};
  return table;
}

const ObjectTable<StatedFaultInput>& stated_table() {
  using Input = StatedFaultInput;
  static const ObjectTable<Input> table{
      "a fault of a machine",
      "A machine that breaks at a known time.",
      {field<Input>("machine", &Input::machine, integer<std::uint32_t>(1, 1'000'000),
                    "its number, from 1; jobs get those with the lowest that are free", {{}, true}),
       field<Input>("at", &Input::at, duration(), "after the start of the clock", {{}, true}),
       field<Input>("for", &Input::lasts, duration(),
                    "until it is back; 0s: another one takes its place at once", {{}, true})}};
  return table;
}

}  // namespace

const ObjectTable<NodeFaultsInput>& node_faults_table() {
  using Input = NodeFaultsInput;
  static const ObjectTable<Input> table{
      "node_faults",
      "Machines break, each at random; a job on one is hit, an idle one is away "
      "(docs/explanation/faults.md).",
      {field<Input>("per_1000_node_days", &Input::rate, number(0, 1e6),
                    "faults of machines that are up. Llama 3: 3.8; Meta's clusters: 2.3 and 6.5",
                    {"3.8"}),
       field<Input>("broken", &Input::replaced,
                    choice<bool>({{"repaired", false}, {"replaced", true}}),
                    "whether the same machine comes back, or another; without: repaired if "
                    "reserved, else replaced"),
       field<Input>("repair", &Input::repair, law(false),
                    "until it is back; without: of repaired ones lognormal, median 31.6h, sigma "
                    "1.78, as 400 GPU servers had; of replaced ones 0s"),
       field<Input>("hangs", &Input::hangs, probability(),
                    "share of faults that nobody sees: the job stands still. ByteRobust: 12 %",
                    {"0.12"}),
       field<Input>("lemons", &Input::lemons, object(lemons_table()),
                    "machines that break far more often; without: all are alike"),
       field<Input>("racks", &Input::racks, object(racks_table()),
                    "machines that are lost together; without: each alone"),
       field<Input>("down", &Input::stated, list_of(object(stated_table())),
                    "faults of machines that are written down")}};
  return table;
}

}  // namespace reeve::scenarios
