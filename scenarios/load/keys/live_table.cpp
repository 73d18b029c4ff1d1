// The keys of a live configuration: the account, its events, and where messages go.
#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

const ObjectTable<NotifyInput>& notify_table() {
  using Input = NotifyInput;
  static const ObjectTable<Input> table{
      "notify",
      "Where the messages of rules go: to each of these addresses.",
      {field<Input>("sns", &Input::sns, text(), "ARN of an SNS topic. Default: none"),
       field<Input>("webhook", &Input::webhook, text(),
                    "URL that gets each message as JSON, by POST; or \"env:NAME\", the environment "
                    "variable with the URL. Default: none"),
       field<Input>("slack", &Input::slack, text(),
                    "URL of an incoming webhook of Slack, or \"env:NAME\". Default: none")}};
  return table;
}

}  // namespace

const ObjectTable<LiveInput>& live_table() {
  using Input = LiveInput;
  static const ObjectTable<Input> table{
      "live",
      "The account that `reeve live` observes.",
      {field<Input>("account", &Input::account, text(),
                    "number of the AWS account; events of other accounts are ignored. "
                    "Default: any account"),
       field<Input>("region", &Input::region, text(),
                    "AWS region; events of other regions are ignored. Default: any region"),
       field<Input>("queue", &Input::queue, text(),
                    "URL of the SQS queue that gets the events of EventBridge. Default: none"),
       field<Input>("reconcile_every", &Input::reconcile_every, duration(),
                    "how often the training jobs of the account are listed, which finds lost "
                    "events; 0s: never",
                    {"\"5m\""}),
       field<Input>("notify", &Input::notify, object(notify_table()),
                    "where the messages of rules go. Default: none"),
       field<Input>("kill_file", &Input::kill_file, trace_file(),
                    "a file, relative to the configuration: while it exists, nothing is sent. "
                    "Default: none"),
       field<Input>("kill_parameter", &Input::kill_parameter, text(),
                    "name of a parameter of SSM: while its value is not run, nothing is sent. "
                    "Default: none"),
       field<Input>("kill_tag", &Input::kill_tag, text(),
                    "key of a tag: while the queue has it, nothing is sent. Default: none"),
       field<Input>("confirm_first", &Input::confirm_first, integer<std::uint32_t>(0, 1'000'000),
                    "stops and further attempts that a person confirms before the others may be "
                    "sent",
                    {"0"})}};
  return table;
}

}  // namespace reeve::scenarios
