#include "scenarios/exchange/batch_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <vector>

#include "scenarios/exchange/batch_reader.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios::batch_reading {

const Words& words_in(Thing thing) {
  static const std::array<Words, 4> all{{
      {"a service environment",
       "serviceEnvironments",
       "serviceEnvironmentName",
       "ServiceEnvironment",
       "aws batch describe-service-environments",
       {"serviceEnvironmentName", "serviceEnvironmentType", "state", "capacityLimits"},
       {"serviceEnvironmentArn", "status"}},
      {"a scheduling policy",
       "schedulingPolicies",
       "name",
       "SchedulingPolicy",
       "aws batch describe-scheduling-policies --arns ARN",
       {"name", "fairsharePolicy", "quotaSharePolicy"},
       {"arn"}},
      {"a job queue",
       "jobQueues",
       "jobQueueName",
       "JobQueue",
       "aws batch describe-job-queues",
       {"jobQueueName", "jobQueueType", "state", "priority", "schedulingPolicyArn",
        "serviceEnvironmentOrder", "jobStateTimeLimitActions"},
       {"jobQueueArn", "status", "statusReason", "computeEnvironmentOrder"}},
      {"a quota share",
       "quotaShares",
       "quotaShareName",
       "QuotaShare",
       "aws batch list-quota-shares --job-queue NAME",
       {"quotaShareName", "jobQueue", "jobQueueArn", "capacityLimits",
        "resourceSharingConfiguration", "preemptionConfiguration", "state"},
       {"quotaShareArn", "status"}},
  }};
  return all[static_cast<std::size_t>(thing)];
}

namespace {

/// A name by what precedes its number, and that number: QuotaShare9 comes before QuotaShare10.
std::tuple<std::string_view, std::size_t, std::string_view> numbered(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), name.size() - digits, name.substr(digits)};
}

bool is_thing(const Node& node, Thing thing) {
  if (thing != Thing::scheduling_policy) return node.find(words_in(thing).name_key).has_value();
  return node.find("fairsharePolicy") || node.find("quotaSharePolicy");
}

/// What an answer or an input is about.  Inputs of shares name their queue as well.
std::optional<Thing> thing_of(const Node& node) {
  for (const Thing thing :
       {Thing::share, Thing::queue, Thing::environment, Thing::scheduling_policy}) {
    if (is_thing(node, thing)) return thing;
  }
  return std::nullopt;
}

std::optional<Thing> thing_listed(std::string_view key) {
  for (const Thing thing : things) {
    if (words_in(thing).list == key) return thing;
  }
  return std::nullopt;
}

bool is_understood(const Node& node) {
  if (node.is_array()) {
    const auto all = node.as_array();
    return std::any_of(all.begin(), all.end(), is_understood);
  }
  if (!node.is_object()) return false;
  if (node.find("Resources") || node.find("command") || thing_of(node)) return true;
  return std::any_of(things.begin(), things.end(),
                     [&](Thing thing) { return node.find(words_in(thing).list).has_value(); });
}

}  // namespace

void BatchReader::read(const std::shared_ptr<const SourceFile>& file) {
  findings_.attempt([&] {
    documents_.push_back(Document::parse(file));
    take(documents_.back().root());
    return true;
  });
}

void BatchReader::take(const Node& node) {
  if (node.is_array()) {
    for (const Node each : node.as_array()) take(each);
    return;
  }
  if (!expect_kind(node, Kind::object, findings_)) return;
  const auto input = node.find("input");  // as `reeve export batch --format cli` prints them
  if (node.find("Resources")) {
    take_template(node);
  } else if (input && node.find("command")) {
    take(*input);
  } else if (const auto thing = thing_of(node)) {
    keep(*thing, node);
  } else {
    take_answer(node);
  }
}

void BatchReader::take_answer(const Node& node) {
  for (const Node member : node.as_object()) {
    const std::string_view key = member.key();
    if (const auto thing = thing_listed(key)) {
      if (!expect_kind(member, Kind::array, findings_)) continue;
      for (const Node each : member.as_array()) {
        if (expect_kind(each, Kind::object, findings_)) keep(*thing, each);
      }
    } else if (key == "nextToken" || key == "NextToken") {
      if (member.is_null()) continue;
      error(member, "E0335", "the answer continues on another page", "the next page is missing",
            "run the AWS CLI without --no-paginate and --max-items");
    } else if (is_understood(member)) {
      take(member);
    } else if (key != "ResponseMetadata") {
      left_out_key(member, std::array{words_in(Thing::environment).list,
                                      words_in(Thing::scheduling_policy).list,
                                      words_in(Thing::queue).list, words_in(Thing::share).list});
    }
  }
}

void BatchReader::keep(Thing thing, const Node& node) {
  const Words& words = words_in(thing);
  Resource resource{thing, node};
  const auto arn = thing == Thing::scheduling_policy ? node.find("arn") : std::nullopt;
  if (thing == Thing::scheduling_policy && !is_thing(node, thing)) {
    error(node, "E0202",
          "a scheduling policy has neither \"fairsharePolicy\" nor \"quotaSharePolicy\"",
          "list-scheduling-policies does not print them", std::string{words.asked_by});
    return;
  }
  const auto named = node.find(words.name_key);
  const auto text = named ? named : arn;
  if (!text) {
    error(node, "E0202", fmt::format("{} lacks the key \"{}\"", words.what, words.name_key),
          "add it here");
    return;
  }
  if (const auto name = findings_.attempt([&] { return text->as_text(); })) {
    resource.name = last_of_arn(*name);
    resources_.push_back(std::move(resource));
  }
}

void BatchReader::take_template(const Node& node) {
  templates_.push_back(node);
  constexpr std::string_view prefix = "AWS Batch queues of the scenario ";
  const auto description = node.find("Description");
  if (description && description->is_text() && description->as_text().starts_with(prefix)) {
    scenario_ = description->as_text().substr(prefix.size());
  }
  const Node resources = *node.find("Resources");
  if (!expect_kind(resources, Kind::object, findings_)) return;
  std::vector<Node> in_order;  // the keys of an object have no order
  for (const Node each : resources.as_object()) in_order.push_back(each);
  std::ranges::stable_sort(
      in_order, [](const Node& a, const Node& b) { return numbered(a.key()) < numbered(b.key()); });
  for (const Node& each : in_order) {
    if (expect_kind(each, Kind::object, findings_)) keep_of_template(each);
  }
  if (const auto transform = node.find("Transform")) {
    left_out(*transform, "the output of a template macro is omitted",
             "only CloudFormation knows it", "import the output of aws batch describe-...");
  }
}

void BatchReader::keep_of_template(const Node& node) {
  const auto type = node.find("Type");
  if (!type || !type->is_text()) {
    error(node, "E0202", "a resource lacks the key \"Type\"", "add it here");
    return;
  }
  const auto thing = std::find_if(things.begin(), things.end(), [&](Thing each) {
    return type->as_text() == fmt::format("AWS::Batch::{}", words_in(each).type);
  });
  if (thing == things.end()) {
    left_out(*type, fmt::format("{} is omitted", in_quotes(type->as_text())),
             "not part of a training queue");
    return;
  }
  const auto properties = node.find("Properties");
  Resource resource{*thing, properties.value_or(node), std::string{node.key()},
                    std::string{node.key()}, templates_.size() - 1};
  if (const auto condition = node.find("Condition")) {
    left_out(*condition, "a condition is omitted", "treated as true");
  }
  if (!properties) {
    error(node, "E0202", "a resource lacks the key \"Properties\"", "add it here");
    return;
  }
  const auto name = value(resource, *properties, words_in(*thing).name_key);
  if (name) {
    const auto text = findings_.attempt([&] { return std::string{name->as_text()}; });
    resource.name = text.value_or(resource.name);
  } else if (*thing != Thing::scheduling_policy) {
    left_out(*properties, fmt::format("{} without a name", words_in(*thing).what),
             fmt::format("named {} here", in_quotes(resource.name)));
  }
  resources_.push_back(std::move(resource));
}

BatchImport BatchReader::made() {
  const auto each = [&](Thing thing, auto add) {
    for (const Resource& resource : resources_) {
      if (resource.thing == thing) (this->*add)(resource);
    }
  };
  each(Thing::environment, &BatchReader::add_environment);
  each(Thing::scheduling_policy, &BatchReader::add_policy);
  each(Thing::queue, &BatchReader::add_queue);
  each(Thing::environment, &BatchReader::check_environment);
  each(Thing::share, &BatchReader::add_share);
  for (const std::string& name : wanted_) {
    if (queues_.contains(name)) continue;
    std::vector<std::string_view> names;
    for (const auto& [known, queue] : queues_) names.push_back(known);
    Diagnostic none;
    none.code = "E0356";
    none.message = fmt::format("no file describes a job queue {}", in_quotes(name));
    none.help = did_you_mean(name, names);
    findings_.add(std::move(none));
  }
  if (set_.queues.empty() && findings_.errors() == 0) {
    error(documents_.front().root(), "E0355", "no AWS Batch queue for training in the input",
          "nothing to import", "pass the JSON of aws batch describe-job-queues, or a template");
  }
  if (findings_.errors() == 0) {
    for (std::size_t index = 0; index < set_.queues.size(); ++index) check_queue(index);
    name_shares();
    tell_unused();
    std::set<std::string_view> had;
    for (const BatchQueue& queue : set_.queues) had.insert(queue.environment);
    std::set<std::string_view> kept;
    for (const Resource& from : resources_) {  // in the order of the files
      if (from.thing != Thing::environment || !had.contains(from.name)) continue;
      if (kept.insert(from.name).second) set_.environments.push_back(environments_.at(from.name));
    }
  }
  if (findings_.errors() > 0) throw InputError{findings_.sorted()};
  return {std::move(set_), std::move(scenario_), findings_.sorted()};
}

}  // namespace reeve::scenarios::batch_reading

namespace reeve::scenarios {

BatchImport read_batch(std::span<const std::shared_ptr<const SourceFile>> files,
                       std::span<const std::string> queues) {
  batch_reading::BatchReader reader{queues};
  for (const auto& file : files) reader.read(file);
  return reader.made();
}

}  // namespace reeve::scenarios
