// The keys of how a job trains: what it saves and how fast that goes.
#include "scenarios/load/input.hpp"

namespace reeve::scenarios {
namespace {

using models::Checkpoint;
using models::OnNotice;
using models::Sync;

/// In GB and GB a second: from 10 MB/s to 100 TB no time exceeds four months.
Codec<double> size() {
  return number(0, 100'000, "GB");
}
Codec<double> bandwidth() {
  return number(0.01, 1'000'000, "GB/s");
}

const ObjectTable<OnNoticeInput>& on_notice_table() {
  const Slot hook{&OnNoticeInput::hook};
  static const ObjectTable<OnNoticeInput> table{
      "on_notice",
      "What is saved when Spot says that it takes the machines: all work, if there is time for it.",
      {field<OnNoticeInput>("save", &OnNoticeInput::save, delay(),
                            "how long that takes; without: to write and upload the size"),
       field<OnNoticeInput>("hook_probability", hook(&OnNotice::hook_probability), probability(),
                            "that what looks for the notice runs", {"1"}),
       field<OnNoticeInput>("pauses_work", hook(&OnNotice::pauses_work), flag(),
                            "no work is done while it saves; else until the machines go",
                            {"false"})}};
  return table;
}

const ObjectTable<SaveInput>& save_table() {
  static const ObjectTable<SaveInput> table{
      "save",
      "What the training script saves when it is told to: all work, if there is time for it.",
      {field<SaveInput>("save", &SaveInput::save, delay(),
                        "how long that takes, as work goes on; without: to write and upload the "
                        "size")}};
  return table;
}

/// Of the speed that work is stated for.
Codec<double> speed(double most) {
  return number(0.01, most);
}

const ObjectTable<DataLoadingInput>& data_loading_table() {
  using Input = DataLoadingInput;
  static const ObjectTable<Input> table{
      "data_loading",
      "How fast samples come: GPUs that are faster wait for them.",
      {field<Input>("rate", &Input::rate, speed(1'000),
                    "that the loaders of an instance sustain; 1: what work is stated for",
                    {{}, true})}};
  return table;
}

const ObjectTable<StragglersInput>& stragglers_table() {
  using Input = StragglersInput;
  static const ObjectTable<Input> table{
      "stragglers",
      "Hosts that are slower than others: a gang goes at the pace of its slowest.",
      {field<Input>("probability", &Input::probability, probability(),
                    "of each host, anew for each launch", {"0"}),
       field<Input>("hosts", &Input::hosts, list_of(integer<std::uint32_t>(1, 1'000'000), 1),
                    "that are slow in the job's first launch, from 1"),
       field<Input>("speed", &Input::speed, speed(1), "of a slow host, of that of others",
                    {{}, true})}};
  return table;
}

const ObjectTable<LossInput>& loss_table() {
  using Input = LossInput;
  using models::LossCurve;
  const Slot curve{&Input::curve};
  const auto work = [] { return duration(Duration{0}, true); };
  static const ObjectTable<Input> table{
      "loss",
      "The loss as a function of work.",
      {field<Input>("start", curve(&LossCurve::start), number(0, 1e9), "of the first step",
                    {{}, true}),
       field<Input>("floor", curve(&LossCurve::floor), number(0, 1e9), "what it comes near to",
                    {"0"}),
       field<Input>("half_life", curve(&LossCurve::half_life), work(),
                    "of work: the distance to the floor halves with each", {{}, true}),
       field<Input>("noise", curve(&LossCurve::noise), number(0, 0.2),
                    "standard deviation, as a share of the loss", {"0"}),
       field<Input>("nan_at", &Input::nan_at, work(), "NaN from so much work on; without: never"),
       field<Input>("plateau_at", &Input::plateau_at, work(),
                    "no better from so much work on; without: always better")}};
  return table;
}

const ObjectTable<ReportsInput>& reports_table() {
  using Input = ReportsInput;
  static const ObjectTable<Input> table{
      "reports",
      "What the training script writes down of itself; told to rules that ask for it.",
      {field<Input>("every", &Input::every, duration(std::chrono::seconds{1}),
                    "of training; who stands still writes nothing", {{}, true}),
       field<Input>("delay", &Input::delay, delay(), "until a rule knows", {"\"0s\""}),
       field<Input>("loss", &Input::loss, object(loss_table()),
                    "what it writes of its loss; without: only how far it is"),
       field<Input>("signals", &Input::signals,
                    list_of(choice<ReportSign>({{"steps", ReportSign::steps},
                                                {"log_lines", ReportSign::log_lines},
                                                {"network", ReportSign::network},
                                                {"power", ReportSign::power}}),
                            1),
                    "by what it gives signs of life", {"[\"steps\"]"}),
       field<Input>("chatters", &Input::chatters, flag(),
                    "it writes log lines while it stands still, too", {"false"})}};
  return table;
}

/// torchrun: "--nnodes=MIN:MAX"; "on membership changes" all workers are restarted.
const ObjectTable<ElasticInput>& elastic_table() {
  using Input = ElasticInput;
  using models::Elastic;
  const Slot of{&Input::of};
  static const ObjectTable<Input> table{
      "elastic",
      "A gang that goes on with the machines that are left, and grows again (TorchElastic).",
      {field<Input>("min", of(&Elastic::min), integer<std::uint32_t>(1, 1'000'000),
                    "machines with which it goes on; with fewer it is as any gang", {{}, true}),
       field<Input>("resize", of(&Elastic::resize), law(false),
                    "all stop and meet anew, at each change of its size; billed as start-up",
                    {{}, true}),
       field<Input>("scaling", of(&Elastic::scaling), number(0, 1),
                    "n of N machines do (n / N) ^ scaling of the work; 1: in proportion", {"1"}),
       field<Input>("keeps_work", of(&Elastic::keeps_work), flag(),
                    "what is not in a checkpoint goes on as well; else all begin again at the "
                    "last one, as TorchElastic does",
                    {"false"})}};
  return table;
}

}  // namespace

const ObjectTable<TrainingInput>& training_table() {
  using Input = TrainingInput;
  static const ObjectTable<Input> table{
      "training",
      "How fast a job trains.",
      {field<Input>("throughput", &Input::throughput, map_of(speed(1'000)),
                    "speed by instance type, { \"ml.p4d.24xlarge\": 1 }; without: 1 on each"),
       field<Input>("data_loading", &Input::data_loading, object(data_loading_table()),
                    "whether GPUs wait for data; without: never"),
       field<Input>("stragglers", &Input::stragglers, object(stragglers_table()),
                    "hosts that hold up the others; without: none"),
       field<Input>("reports", &Input::reports, object(reports_table()),
                    "what its script says of itself; without: nothing"),
       field<Input>("elastic", &Input::elastic, object(elastic_table()),
                    "it goes on when it loses machines; without: it does not")}};
  return table;
}

const ObjectTable<CheckpointInput>& checkpoint_table() {
  using Input = CheckpointInput;
  const Slot plan{&CheckpointInput::plan};
  static const ObjectTable<Input> table{
      "checkpoint",
      "When progress becomes durable.",
      {field<Input>("every", plan(&Checkpoint::every), duration(), "of work; 0s: no checkpoints",
                    {"\"0s\""}),
       field<Input>("cost", &Input::cost, duration(),
                    "work pauses for it; without: size / write, or not at all"),
       field<Input>(
           "size", &Input::size, size(),
           "of one checkpoint; of the whole job or of one instance, as the bandwidths are"),
       field<Input>("write", &Input::write, bandwidth(),
                    "to the machines' own disks or memory: work pauses for it"),
       field<Input>("upload", &Input::upload, bandwidth(),
                    "beside the work: until then the checkpoint does not count, and no other is "
                    "written; without: it counts once it is written"),
       field<Input>("restore", &Input::restore, bandwidth(),
                    "of a start that goes on from a checkpoint, billed; without: no time"),
       field<Input>(
           "sync", plan(&Checkpoint::sync),
           choice<Sync>({{"during", Sync::during}, {"at_end", Sync::at_end}, {"none", Sync::none}}),
           "uploaded while training, only at an orderly end, or never", {"\"during\""}),
       field<Input>("on_notice", &Input::on_notice, object(on_notice_table()),
                    "what is saved when Spot warns; without: nothing more"),
       field<Input>("on_request", &Input::on_request, object(save_table()),
                    "what is saved when a rule asks for it (`save_on_notice`); without: it cannot"),
       field<Input>("on_stop", &Input::on_stop, object(save_table()),
                    "what is saved between SIGTERM and the end of the grace; without: nothing "
                    "more")}};
  return table;
}

}  // namespace reeve::scenarios
