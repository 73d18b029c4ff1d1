// The keys of a fleet's faults of machines.
#include <chrono>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

const ObjectTable<LemonsInput>& lemons_table() {
  using Input = LemonsInput;
  static const ObjectTable<Input> table{
      "lemons",
      "Instances that break far more often; the mean rate of the fleet does not change.",
      {field<Input>("share", &Input::share, probability(),
                    "share of the instances; an estimate, no cloud publishes it", {"0.05"}),
       field<Input>("factor", &Input::factor, number(1, 1e6),
                    "how much more often they break; an estimate", {"10"})}};
  return table;
}

const ObjectTable<RacksInput>& racks_table() {
  using Input = RacksInput;
  static const ObjectTable<Input> table{
      "racks",
      "Consecutive instances, from 1 on, share a rack and can be lost together.",
      {field<Input>("machines", &Input::machines, integer<std::uint32_t>(2, 1'000'000),
                    "instances per rack with one switch and power supply", {{}, true}),
       field<Input>("share", &Input::share, probability(),
                    "share of faults that take the whole rack, for one repair time", {{}, true})}};
  return table;
}

const ObjectTable<StatedFaultInput>& stated_table() {
  using Input = StatedFaultInput;
  static const ObjectTable<Input> table{
      "a fault of an instance",
      "An instance that breaks at a known time.",
      {field<Input>(
           "machine", &Input::machine, integer<std::uint32_t>(1, 1'000'000),
           "number of the instance, from 1; jobs get the free instances with the lowest numbers",
           {{}, true}),
       field<Input>("at", &Input::at, duration(), "time after the start of the clock", {{}, true}),
       field<Input>("for", &Input::lasts, duration(),
                    "time until it is back; 0s: another instance replaces it at once",
                    {{}, true})}};
  return table;
}

}  // namespace

const ObjectTable<NodeFaultsInput>& node_faults_table() {
  using Input = NodeFaultsInput;
  static const ObjectTable<Input> table{
      "node_faults",
      "Random faults of instances: a job on a broken instance is hit, an idle one is unavailable "
      "(docs/explanation/faults.md).",
      {field<Input>("per_1000_node_days", &Input::rate, number(0, 1e6),
                    "faults per 1000 days of instances that are up. Llama 3: 3.8; Meta's clusters: "
                    "2.3 and 6.5",
                    {"3.8"}),
       field<Input>("broken", &Input::replaced,
                    choice<bool>({{"repaired", false}, {"replaced", true}}),
                    "whether the same instance comes back or another replaces it. Default: "
                    "repaired if reserved, else replaced"),
       field<Input>("repair", &Input::repair, law(false),
                    "time until it is back. Default: lognormal with median 31.6h and sigma 1.78 if "
                    "repaired, as measured on 400 GPU servers; 0s if replaced"),
       field<Input>("hangs", &Input::hangs, probability(),
                    "share of faults without an error: the job stalls. ByteRobust: 12 %", {"0.12"}),
       field<Input>("lemons", &Input::lemons, object(lemons_table()),
                    "instances that break far more often. Default: all break at the same rate"),
       field<Input>("racks", &Input::racks, object(racks_table()),
                    "instances that are lost together. Default: each breaks alone"),
       field<Input>("down", &Input::stated, list_of(object(stated_table())),
                    "faults of instances at known times")}};
  return table;
}

}  // namespace reeve::scenarios
