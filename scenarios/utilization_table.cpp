// The keys of what a job's GPUs read: constants, traces, distributions, phases.
#include "scenarios/input.hpp"

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
  const Codec<std::string> file = text();
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
                    "while the work makes progress, and there is no trace", {"95"}),
       field<Input>("stalled", &Input::stalled, number(0, 100, "%"), "while it stalls", {"0"}),
       field<Input>("waiting", &Input::waiting, number(0, 100, "%"),
                    "of hosts that wait for others in a collective; without: as running"),
       field<Input>(
           "trace", &Input::trace, text(),
           "a file beside this one (docs/explanation/utilization.md); {job} and {host} stand for "
           "the name of the job and the number of the host"),
       field<Input>("format", read(&UtilOptions::format),
                    choice<UtilFormat>({{"csv", UtilFormat::csv},
                                        {"nvidia-smi", UtilFormat::nvidia_smi},
                                        {"cloudwatch", UtilFormat::cloudwatch}}),
                    "of the trace; without: seen from its first bytes"),
       field<Input>("scale", read(&UtilOptions::scale),
                    choice<UtilScale>({{"per_gpu", UtilScale::per_gpu}, {"sum", UtilScale::sum}}),
                    "of the trace: percent of one GPU, or the sum over those of a host; without: "
                    "per_gpu, sum from CloudWatch"),
       field<Input>("gaps", read(&UtilOptions::gaps),
                    choice<UtilGaps>({{"missing", UtilGaps::missing}, {"hold", UtilGaps::hold}}),
                    "between samples of the trace: no metric, or the value before (rows are "
                    "changes)",
                    {"\"missing\""}),
       field<Input>("beyond_end", &Input::beyond_end,
                    choice<BeyondEnd>({{"hold", BeyondEnd::hold},
                                       {"repeat", BeyondEnd::repeat},
                                       {"missing", BeyondEnd::missing}}),
                    "of the trace: its last value, again from its start, no metric", {"\"hold\""}),
       field<Input>("host", &Input::host,
                    word_or<std::uint16_t>("all", 0, integer<std::uint16_t>(1, 65'535)),
                    "that the trace is of, if it names none; all: every host reads the same"),
       field<Input>("cdf", &Input::cdf, util_law(),
                    "[[percentile, percent], ...] or a CSV file percentile,value: drawn anew for "
                    "each host"),
       field<Input>("changes_every", &Input::changes_every, duration(std::chrono::seconds{1}),
                    "with cdf: of training, between two draws")}};
  return table;
}

const ObjectTable<GpuPhaseInput>& gpu_phase_table() {
  using Input = GpuPhaseInput;
  const Slot phase{&Input::phase};
  static const ObjectTable<Input> table{
      "a phase",
      "A part of the work that needs few GPUs; productive all the same.",
      {field<Input>("name", phase(&UtilPhase::name), text(), "a person's word for it"),
       field<Input>("at", phase(&UtilPhase::at), duration(),
                    "of training since the machines last began", {"\"0s\""}),
       field<Input>("every", phase(&UtilPhase::every), duration(std::chrono::seconds{1}),
                    "from one to the next; without: once after each start"),
       field<Input>("lasts", phase(&UtilPhase::lasts), duration(nanoseconds{0}, true),
                    "of training", {{}, true}),
       field<Input>("gpu_util", phase(&UtilPhase::percent), number(0, 100, "%"),
                    "percent of one GPU meanwhile", {"0"})}};
  return table;
}

}  // namespace reeve::scenarios
