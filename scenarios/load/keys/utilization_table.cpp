// The keys of what a job's GPUs read: constants, traces, distributions, phases.
#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using models::BeyondEnd;
using models::UtilPhase;
using std::chrono::nanoseconds;

/// [percentile, percent].
Codec<std::pair<double, double>> law_point() {
  const Codec<double> one = number(0, 100, "%");
  return {shape_of(ShapeKind::pair, {one.shape, one.shape}),
          [one](const Node& node, Findings& findings, std::pair<double, double>& into) {
            return expect_pair(node, "a point is a pair, [percentile, percent]", findings) &&
                   one.read(node[0], findings, into.first) &&
                   one.read(node[1], findings, into.second);
          }};
}

/// Points, or the name of a file.
Codec<UtilLawInput> util_law() {
  const Codec<std::string> file = trace_file();
  const auto points = list_of(law_point(), 2);
  return {shape_of(ShapeKind::any_of, {file.shape, points.shape}),
          [file, points](const Node& node, Findings& findings, UtilLawInput& into) {
            UtilLawInput law{node, {}, {}};
            const bool fine = node.is_array() ? points.read(node, findings, law.points) &&
                                                    law.points.size() == node.size()
                                              : file.read(node, findings, law.file);
            if (fine) into = std::move(law);
            return fine;
          }};
}

}  // namespace

const ObjectTable<GpuUtilInput>& gpu_util_table() {
  using Input = GpuUtilInput;
  const Slot read{&Input::read};
  static const ObjectTable<Input> table{
      "gpu_util",
      "GPU utilization, percent of one GPU: constants, a recorded trace or a distribution.",
      {field<Input>("running", &Input::running, number(0, 100, "%"),
                    "utilization while the work makes progress, without a trace", {"95"}),
       field<Input>("stalled", &Input::stalled, number(0, 100, "%"), "utilization during a stall",
                    {"0"}),
       field<Input>(
           "waiting", &Input::waiting, number(0, 100, "%"),
           "utilization of hosts that wait for others in a collective. Default: as running"),
       field<Input>("trace", &Input::trace, trace_file(),
                    "trace file, relative to this file (docs/explanation/utilization.md); {job} "
                    "and {host} stand for the name of the job and the number of the host"),
       field<Input>("format", read(&UtilOptions::format),
                    choice<UtilFormat>({{"csv", UtilFormat::csv},
                                        {"nvidia-smi", UtilFormat::nvidia_smi},
                                        {"cloudwatch", UtilFormat::cloudwatch}}),
                    "format of the trace. Default: detected from its first bytes"),
       field<Input>("scale", read(&UtilOptions::scale),
                    choice<UtilScale>({{"per_gpu", UtilScale::per_gpu}, {"sum", UtilScale::sum}}),
                    "unit of the trace: percent of one GPU, or the sum over the GPUs of a host. "
                    "Default: per_gpu; sum for CloudWatch"),
       field<Input>(
           "gaps", read(&UtilOptions::gaps),
           choice<UtilGaps>({{"missing", UtilGaps::missing}, {"hold", UtilGaps::hold}}),
           "between samples of the trace: no metric, or the previous value (rows are changes)",
           {"\"missing\""}),
       field<Input>("beyond_end", &Input::beyond_end,
                    choice<BeyondEnd>({{"hold", BeyondEnd::hold},
                                       {"repeat", BeyondEnd::repeat},
                                       {"missing", BeyondEnd::missing}}),
                    "after the end of the trace: its last value, the trace again, or no metric",
                    {"\"hold\""}),
       field<Input>("no_file", &Input::may_lack_file,
                    choice<bool>({{"error", false}, {"missing", true}}),
                    "a job whose file, named by {job}, does not exist: an error, or no metric",
                    {"\"error\""}),
       field<Input>(
           "host", &Input::host,
           word_or<std::uint16_t>("all", 0, integer<std::uint16_t>(1, 65'535)),
           "host of the trace, if the trace names none; all: every host has the same values"),
       field<Input>(
           "cdf", &Input::cdf, util_law(),
           "[[percentile, percent], ...] or a CSV file percentile,value: drawn for each host"),
       field<Input>("changes_every", &Input::changes_every, duration(std::chrono::seconds{1}),
                    "with cdf: training time between two draws")}};
  return table;
}

const ObjectTable<GpuPhaseInput>& gpu_phase_table() {
  using Input = GpuPhaseInput;
  const Slot phase{&Input::phase};
  static const ObjectTable<Input> table{
      "a phase",
      "A part of the work with low GPU use; it counts as productive.",
      {field<Input>("name", phase(&UtilPhase::name), text(), "label for reports"),
       field<Input>("at", phase(&UtilPhase::at), duration(),
                    "training time since the instances last started", {"\"0s\""}),
       field<Input>("every", phase(&UtilPhase::every), duration(std::chrono::seconds{1}),
                    "time between two phases. Default: once after each start"),
       field<Input>("lasts", phase(&UtilPhase::lasts), duration(nanoseconds{0}, true),
                    "training time", {{}, true}),
       field<Input>("gpu_util", phase(&UtilPhase::percent), number(0, 100, "%"),
                    "utilization during the phase, percent of one GPU", {"0"})}};
  return table;
}

}  // namespace reeve::scenarios
