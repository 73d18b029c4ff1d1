// The keys of how a job trains: what it saves and how fast that goes.
#include "scenarios/load/keys/input.hpp"

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
      "What is saved when Spot gives an interruption notice: all work, if the time is enough.",
      {field<OnNoticeInput>("save", &OnNoticeInput::save, delay(),
                            "time to save. Default: the time to write and upload the size"),
       field<OnNoticeInput>("hook_probability", hook(&OnNotice::hook_probability), probability(),
                            "interval at which the script checks for the notice", {"1"}),
       field<OnNoticeInput>("pauses_work", hook(&OnNotice::pauses_work), flag(),
                            "true: no work is done while it saves; false: work continues until the "
                            "instances are taken away",
                            {"false"})}};
  return table;
}

const ObjectTable<SaveInput>& save_table() {
  static const ObjectTable<SaveInput> table{
      "save",
      "What the training script saves on request: all work, if the time is enough.",
      {field<SaveInput>(
          "save", &SaveInput::save, delay(),
          "time to save while work continues. Default: the time to write and upload the size")}};
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
      "Speed of the data loaders: faster GPUs wait for data.",
      {field<Input>(
          "rate", &Input::rate, speed(1'000),
          "rate that the loaders of an instance sustain; 1 is the rate for which `work` is stated",
          {{}, true})}};
  return table;
}

const ObjectTable<StragglersInput>& stragglers_table() {
  using Input = StragglersInput;
  static const ObjectTable<Input> table{
      "stragglers",
      "Hosts that are slower than others: a gang runs at the speed of its slowest host.",
      {field<Input>("probability", &Input::probability, probability(),
                    "probability that a host is slow, drawn for each launch", {"0"}),
       field<Input>("hosts", &Input::hosts, list_of(integer<std::uint32_t>(1, 1'000'000), 1),
                    "hosts that are slow in the job's first launch, from 1"),
       field<Input>("speed", &Input::speed, speed(1),
                    "speed of a slow host, relative to the others", {{}, true})}};
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
      {field<Input>("start", curve(&LossCurve::start), number(0, 1e9), "loss of the first step",
                    {{}, true}),
       field<Input>("floor", curve(&LossCurve::floor), number(0, 1e9),
                    "limit that the loss approaches", {"0"}),
       field<Input>("half_life", curve(&LossCurve::half_life), work(),
                    "work in which the distance to the floor halves", {{}, true}),
       field<Input>("noise", curve(&LossCurve::noise), number(0, 0.2),
                    "standard deviation, as a share of the loss", {"0"}),
       field<Input>("nan_at", &Input::nan_at, work(),
                    "work after which the loss is NaN. Default: never"),
       field<Input>("plateau_at", &Input::plateau_at, work(),
                    "work after which the loss stops improving. Default: it always improves")}};
  return table;
}

const ObjectTable<ReportsInput>& reports_table() {
  using Input = ReportsInput;
  static const ObjectTable<Input> table{
      "reports",
      "Reports of the training script; rules that use them receive them.",
      {field<Input>("every", &Input::every, duration(std::chrono::seconds{1}),
                    "training time between reports; a stalled job reports nothing", {{}, true}),
       field<Input>("delay", &Input::delay, delay(), "time until rules receive a report",
                    {"\"0s\""}),
       field<Input>("loss", &Input::loss, object(loss_table()),
                    "reported loss. Default: only progress is reported"),
       field<Input>("signals", &Input::signals,
                    list_of(choice<ReportSign>({{"steps", ReportSign::steps},
                                                {"log_lines", ReportSign::log_lines},
                                                {"network", ReportSign::network},
                                                {"power", ReportSign::power}}),
                            1),
                    "signals of life that the job gives", {"[\"steps\"]"}),
       field<Input>("chatters", &Input::chatters, flag(),
                    "true: it also writes log lines while stalled", {"false"})}};
  return table;
}

/// torchrun: "--nnodes=MIN:MAX"; "on membership changes" all workers are restarted.
const ObjectTable<ElasticInput>& elastic_table() {
  using Input = ElasticInput;
  using models::Elastic;
  const Slot of{&Input::of};
  static const ObjectTable<Input> table{
      "elastic",
      "A gang that continues with fewer instances, and grows again (TorchElastic).",
      {field<Input>("min", of(&Elastic::min), integer<std::uint32_t>(1, 1'000'000),
                    "minimum number of instances; with fewer it behaves like any gang", {{}, true}),
       field<Input>(
           "resize", of(&Elastic::resize), law(false),
           "time of each resize, in which all hosts stop and re-rendezvous; billed as startup",
           {{}, true}),
       field<Input>("scaling", of(&Elastic::scaling), number(0, 1),
                    "n of N instances do (n / N) ^ scaling of the work; 1: in proportion", {"1"}),
       field<Input>("keeps_work", of(&Elastic::keeps_work), flag(),
                    "true: work since the last checkpoint survives a resize; false: all restart "
                    "from the checkpoint, as in TorchElastic",
                    {"false"})}};
  return table;
}

}  // namespace

const ObjectTable<TrainingInput>& training_table() {
  using Input = TrainingInput;
  static const ObjectTable<Input> table{
      "training",
      "Training speed.",
      {field<Input>("throughput", &Input::throughput, map_of(speed(1'000)),
                    "speed by instance type, { \"ml.p4d.24xlarge\": 1 }. Default: 1 on each"),
       field<Input>("data_loading", &Input::data_loading, object(data_loading_table()),
                    "whether GPUs wait for data. Default: never"),
       field<Input>("stragglers", &Input::stragglers, object(stragglers_table()),
                    "hosts that slow down the others. Default: none"),
       field<Input>("reports", &Input::reports, object(reports_table()),
                    "reports of the training script. Default: none"),
       field<Input>("elastic", &Input::elastic, object(elastic_table()),
                    "whether it continues when it loses instances. Default: it does not")}};
  return table;
}

const ObjectTable<CheckpointInput>& checkpoint_table() {
  using Input = CheckpointInput;
  const Slot plan{&CheckpointInput::plan};
  static const ObjectTable<Input> table{
      "checkpoint",
      "When progress becomes durable.",
      {field<Input>("every", plan(&Checkpoint::every), duration(),
                    "work between checkpoints; 0s: no checkpoints", {"\"0s\""}),
       field<Input>("cost", &Input::cost, duration(),
                    "pause of the work for a checkpoint. Default: size / write, else none"),
       field<Input>(
           "size", &Input::size, size(),
           "size of one checkpoint; of the whole job or of one instance, as the bandwidths are"),
       field<Input>("write", &Input::write, bandwidth(),
                    "bandwidth to local disks or memory; work pauses for it"),
       field<Input>("upload", &Input::upload, bandwidth(),
                    "upload bandwidth, while work continues; the checkpoint counts after the "
                    "upload, and no other is written before. Default: it counts when written"),
       field<Input>("restore", &Input::restore, bandwidth(),
                    "bandwidth of a restore when an attempt resumes, billed. Default: no time"),
       field<Input>(
           "sync", plan(&Checkpoint::sync),
           choice<Sync>({{"during", Sync::during}, {"at_end", Sync::at_end}, {"none", Sync::none}}),
           "during: uploaded while training; at_end: only at an orderly end; none: never",
           {"\"during\""}),
       field<Input>("on_notice", &Input::on_notice, object(on_notice_table()),
                    "what is saved on an interruption notice. Default: nothing more"),
       field<Input>(
           "on_request", &Input::on_request, object(save_table()),
           "what is saved on request of a rule (`save_on_notice`). Default: it cannot save"),
       field<Input>(
           "on_stop", &Input::on_stop, object(save_table()),
           "what is saved between SIGTERM and the end of the stop grace. Default: nothing more")}};
  return table;
}

}  // namespace reeve::scenarios
