// Reads queues of AWS Batch: what the service answers, what creates them, or a template of both.
#include "scenarios/exchange/batch_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scenarios/load/share_prefix.hpp"
#include "scenarios/text/decode.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::scenarios {
namespace {

using policy::Sharing;

enum class Thing : std::uint8_t { environment, scheduling_policy, queue, share };

constexpr std::size_t most_characters = 128;  // of a name
constexpr std::size_t most_of_identifier =
    199;  // 255 of AWS; a name here has 200, and an example 1

/// How a thing is called, and what of it is read.  `facts` change nothing: where it is, how it is;
/// what stands in neither is left out, and said to be.
struct Words {
  std::string_view what, list, name_key, type, asked_by;
  std::vector<std::string_view> keys, facts;
};
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
constexpr std::array<Thing, 4> things{Thing::environment, Thing::scheduling_policy, Thing::queue,
                                      Thing::share};

/// One of them where it stands.  In a template keys begin with a capital.
struct Resource {
  Thing thing;
  Node node;
  std::string name = {};
  std::string logical_id = {};
  std::optional<std::size_t> in_template = std::nullopt;  ///< which one
};

/// How queues go that have this policy; its shares are those of fair share.
struct Order {
  BatchOrder order = BatchOrder::fifo;
  std::int64_t decay_s = 0;
  std::int64_t reservation_pct = 0;
  std::vector<BatchShare> shares = {};
  friend bool operator==(const Order&, const Order&) = default;
};

Shape within_limits(double min, double max) {
  Shape shape;
  shape.kind = ShapeKind::integer;
  shape.min = min;
  shape.max = max;
  return shape;
}

Shape one_of(std::vector<std::string_view> choices) {
  Shape shape;
  shape.kind = ShapeKind::choice;
  shape.choices = std::move(choices);
  return shape;
}

/// "Ref" and "Fn::GetAtt" are values that CloudFormation works out.
bool is_worked_out(const Node& node) {
  if (!node.is_object() || node.size() != 1) return false;
  const std::string_view key = (*node.as_object().begin()).key();
  return key == "Ref" || key.starts_with("Fn::");
}

bool is_empty_text(const Node& node) {
  return node.is_null() || ((node.is_array() || node.is_object()) && node.size() == 0);
}

std::string last_of_arn(std::string_view arn) {
  return std::string{arn.substr(arn.rfind('/') + 1)};  // all of a name
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

/// Several files, one after the other.
class BatchReader {
 public:
  explicit BatchReader(std::span<const std::string> wanted) : wanted_{wanted} {}
  void read(const std::shared_ptr<const SourceFile>& file);
  BatchImport made();

 private:
  // What there is.
  void take(const Node& node);
  void take_answer(const Node& node);
  void take_template(const Node& node);
  void keep(Thing thing, const Node& node);
  void keep_of_template(const Node& node);

  // What is found.
  void error(const Node& node, std::string_view code, std::string message, std::string label,
             std::string help = {});
  void left_out(const Node& node, std::string message, std::string label, std::string help = {});
  void left_out_key(const Node& node, std::span<const std::string_view> known);
  bool is_asked_for(const std::string& queue) const {
    return wanted_.empty() || std::find(wanted_.begin(), wanted_.end(), queue) != wanted_.end();
  }
  void check_keys(const Resource& from);
  void check_state(const Resource& from);

  // One value; nothing if it does not stand there, or after a finding.
  std::optional<Node> value(const Resource& from, const Node& in, std::string_view key);
  std::optional<Node> needed(const Resource& from, const Node& in, std::string_view key);
  std::optional<std::int64_t> integer(const Resource& from, const Node& node, std::int64_t min,
                                      std::int64_t max);
  std::int64_t integer_or(const Resource& from, const Node& in, std::string_view key,
                          std::int64_t otherwise, std::int64_t min, std::int64_t max);
  std::optional<std::string> referred(const Resource& from, const Node& node, Thing thing);
  const Resource* described(const Resource& from, const Node& node, Thing thing);
  bool is_name(const Node& node, std::string_view name, bool identifier);

  // What it comes to.
  std::vector<BatchLimit> limits(const Resource& from);
  void add_environment(const Resource& from);
  void check_environment(const Resource& from);
  void add_policy(const Resource& from);
  Order fair_share(const Resource& from, const Node& node);
  std::optional<BatchShare> weighted_share(const Resource& from, const Node& node);
  void add_queue(const Resource& from);
  bool is_of_training(const Resource& from);
  std::string environment_of(const Resource& from);
  std::int64_t runnable_limit_of(const Resource& from);
  void add_share(const Resource& from);
  void check_queue(std::size_t index);
  void name_shares();
  void tell_unused();
  template <class Made>
  bool is_new(const Resource& from, std::map<std::string, Made>& made, Made one);

  std::span<const std::string> wanted_;  ///< queues; none: all
  std::vector<Document> documents_;
  std::vector<Resource> resources_;
  std::vector<Node> templates_;
  Findings findings_;
  std::string scenario_;
  std::map<std::string, BatchEnvironment> environments_;
  std::map<std::string, Order> orders_;
  std::map<std::string, BatchQueue> queues_;
  std::set<std::string> of_no_order_;  ///< queues whose policy was not read
  std::map<std::pair<std::string, std::string>, BatchShare> shares_;
  std::set<std::pair<Thing, std::string>> used_;
  std::vector<const Resource*> queue_places_;  ///< of set_.queues
  BatchSet set_;
};

// ---- what there is ---------------------------------------------------------------------------

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
  for (const Node each : resources.as_object()) {
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

// ---- what is found ---------------------------------------------------------------------------

void BatchReader::error(const Node& node, std::string_view code, std::string message,
                        std::string label, std::string help) {
  findings_.add(at(node, code, std::move(message), std::move(label)).with_help(std::move(help)));
}

void BatchReader::left_out(const Node& node, std::string message, std::string label,
                           std::string help) {
  findings_.add(at(node, "W0581", std::move(message), std::move(label), Severity::warning)
                    .with_help(std::move(help)));
}

void BatchReader::left_out_key(const Node& node, std::span<const std::string_view> known) {
  std::string help = did_you_mean(node.key(), known);
  if (help.starts_with("one of")) help.clear();
  findings_.add(at_key(node, "W0581", fmt::format("{} is omitted", in_quotes(node.key())),
                       "scenarios have no equivalent", Severity::warning)
                    .with_help(std::move(help)));
}

void BatchReader::check_keys(const Resource& from) {
  const Words& words = words_in(from.thing);
  for (const Node member : from.node.as_object()) {
    std::string key{member.key()};
    if (from.in_template && !key.empty()) {
      key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    }
    const auto has = [&](const auto& list) {
      return std::find(list.begin(), list.end(), key) != list.end();
    };
    if (!has(words.keys) && !has(words.facts) && !is_empty_text(member)) {
      left_out_key(member, words.keys);
    }
  }
}

void BatchReader::check_state(const Resource& from) {
  const auto state = value(from, from.node, "state");
  if (!state) return;
  const auto read = read_choice(*state, one_of({"ENABLED", "DISABLED"}), findings_);
  if (read.value_or(0) == 1) {
    left_out(*state, fmt::format("{} is DISABLED", words_in(from.thing).what),
             "treated as enabled");
  }
}

// ---- one value -------------------------------------------------------------------------------

std::optional<Node> BatchReader::value(const Resource& from, const Node& in, std::string_view key) {
  std::string spelt{key};
  if (from.in_template) {
    spelt[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(spelt[0])));
  }
  auto node = in.find(spelt);
  if (!node || node->is_null()) return std::nullopt;
  const bool reference =
      key == "schedulingPolicyArn" || key == "serviceEnvironment" || key == "jobQueue";
  if (reference || !from.in_template || !is_worked_out(*node)) return node;
  error(*node, "E0357", "a value that CloudFormation computes at deployment",
        "unknown before deployment",
        "write the value, or deploy it and import the output of aws batch describe-...");
  return std::nullopt;
}

std::optional<Node> BatchReader::needed(const Resource& from, const Node& in,
                                        std::string_view key) {
  const std::size_t before = findings_.count();
  const auto node = value(from, in, key);
  if (!node && findings_.count() == before) {
    std::string spelt{key};
    if (from.in_template) {
      spelt[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(spelt[0])));
    }
    error(in, "E0202", fmt::format("{} lacks the key \"{}\"", words_in(from.thing).what, spelt),
          "add it here");
  }
  return node;
}

/// Templates may have numbers in quotes.
std::optional<std::int64_t> BatchReader::integer(const Resource& from, const Node& node,
                                                 std::int64_t min, std::int64_t max) {
  if (from.in_template && node.is_text()) {
    const std::string_view text = node.as_text();
    std::int64_t number = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (bad == std::errc{} && end == text.data() + text.size() && number >= min && number <= max) {
      return number;
    }
  }
  return read_integer(node, within_limits(static_cast<double>(min), static_cast<double>(max)),
                      findings_);
}

std::int64_t BatchReader::integer_or(const Resource& from, const Node& in, std::string_view key,
                                     std::int64_t otherwise, std::int64_t min, std::int64_t max) {
  const auto node = value(from, in, key);
  return node ? integer(from, *node, min, max).value_or(otherwise) : otherwise;
}

/// A name, an ARN that ends with it, or in a template what stands for one of its resources.
std::optional<std::string> BatchReader::referred(const Resource& from, const Node& node,
                                                 Thing thing) {
  if (!from.in_template || !is_worked_out(node)) {
    return findings_.attempt([&] { return last_of_arn(node.as_text()); });
  }
  const Node inner = *node.as_object().begin();
  const bool attribute = inner.key() == "Fn::GetAtt";
  std::string id;
  if (inner.is_text()) {
    id = inner.as_text();
    if (attribute) id = id.substr(0, id.find('.'));
  } else if (attribute && inner.is_array() && inner.size() > 0 && inner[0].is_text()) {
    id = inner[0].as_text();
  }
  if (id.empty() || (!attribute && inner.key() != "Ref")) {
    error(node, "E0357", "a value that CloudFormation computes at deployment",
          "unknown before deployment", "use { \"Ref\": \"...\" } of a resource in the template");
    return std::nullopt;
  }
  std::vector<std::string_view> ids;
  for (const Resource& each : resources_) {
    if (each.in_template != from.in_template || each.thing != thing) continue;
    if (each.logical_id == id) return each.name;
    ids.push_back(each.logical_id);
  }
  error(inner, "E0356",
        fmt::format("the template has no {} {}", words_in(thing).type, in_quotes(id)),
        "a parameter or a resource of another kind", did_you_mean(id, ids));
  return std::nullopt;
}

/// What is referred to, or E0356.
const Resource* BatchReader::described(const Resource& from, const Node& node, Thing thing) {
  const auto name = referred(from, node, thing);
  if (!name) return nullptr;
  used_.insert({thing, *name});
  std::vector<std::string_view> names;
  for (const Resource& each : resources_) {
    if (each.thing != thing) continue;
    if (each.name == *name) return &each;
    names.push_back(each.name);
  }
  std::string help = did_you_mean(*name, names);
  if (help.empty()) help = words_in(thing).asked_by;
  error(node, "E0356",
        fmt::format("no file describes {} {}", words_in(thing).what, in_quotes(*name)),
        fmt::format("{} refers to it", words_in(from.thing).what), std::move(help));
  return nullptr;
}

bool BatchReader::is_name(const Node& node, std::string_view name, bool identifier) {
  const bool good = !name.empty() &&
                    name.size() <= (identifier ? most_of_identifier : most_characters) &&
                    std::all_of(name.begin(), name.end(), [&](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                             (c >= 'A' && c <= 'Z') || (!identifier && (c == '-' || c == '_'));
                    });
  if (good) return true;
  if (identifier && name.size() > most_of_identifier) {
    error(node, "E0351", fmt::format("{} is too long for a share name", in_quotes(name)),
          fmt::format("{} characters: at most {}", name.size(), most_of_identifier));
    return false;
  }
  error(node, "E0351",
        fmt::format("AWS Batch rejects the name {}", in_quotes(identifier ? node.as_text() : name)),
        identifier ? "only letters and digits, with an optional * at the end"
                   : "at most 128 letters, digits, hyphens and underscores");
  return false;
}

// ---- what it comes to ------------------------------------------------------------------------

/// Whether nothing of the name was there.  The same twice is no harm: pages and lists overlap.
template <class Made>
bool BatchReader::is_new(const Resource& from, std::map<std::string, Made>& made, Made one) {
  const auto [there, added] = made.try_emplace(from.name, one);
  if (!added && there->second != one) {
    error(from.node, "E0358",
          fmt::format("{} {} has two different descriptions", words_in(from.thing).what,
                      in_quotes(from.name)),
          "the descriptions conflict", "use files of one region and one time");
  }
  return added;
}

std::vector<BatchLimit> BatchReader::limits(const Resource& from) {
  constexpr std::int64_t most_instances = 100'000'000;
  std::vector<BatchLimit> all;
  const auto list = needed(from, from.node, "capacityLimits");
  if (!list || !expect_items(*list, 1, findings_)) return all;
  for (const Node each : list->as_array()) {
    if (!expect_kind(each, Kind::object, findings_)) continue;
    const auto unit = needed(from, each, "capacityUnit");
    const auto most = needed(from, each, "maxCapacity");
    const auto name =
        unit ? findings_.attempt([&] { return std::string{unit->as_text()}; }) : std::nullopt;
    const auto count = most ? integer(from, *most, 0, most_instances) : std::nullopt;
    if (!name || !count) continue;
    const bool is_type =
        *name == batch_all_types || (name->starts_with("ml.") && name->size() < 100 &&
                                     std::all_of(name->begin(), name->end(), [](char c) {
                                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                                              c == '.' || c == '-';
                                     }));
    if (!is_type) {
      error(*unit, "E0353", fmt::format("{} is not a SageMaker instance type", in_quotes(*name)),
            "AWS Batch counts SageMaker types or all types together",
            did_you_mean(*name, std::array<std::string_view, 1>{batch_all_types}));
      continue;
    }
    const bool twice = std::any_of(all.begin(), all.end(),
                                   [&](const BatchLimit& other) { return other.unit == *name; });
    if (twice) {
      error(*unit, "E0353", fmt::format("a second limit for {}", in_quotes(*name)),
            "one limit per unit");
      continue;
    }
    all.push_back({*name, *count});
  }
  return all;
}

void BatchReader::add_environment(const Resource& from) {
  check_keys(from);
  const auto type = value(from, from.node, "serviceEnvironmentType");
  if (type && type->is_text() && type->as_text() != "SAGEMAKER_TRAINING") {
    left_out(*type, fmt::format("service environment {} is omitted", in_quotes(from.name)),
             "not for training");
    return;
  }
  if (!is_name(from.node, from.name, false)) return;
  BatchEnvironment environment{from.name, limits(from)};
  is_new(from, environments_, std::move(environment));
}

/// Once it is known whether a queue has it.
void BatchReader::check_environment(const Resource& from) {
  if (used_.contains({from.thing, from.name})) check_state(from);
}

std::optional<BatchShare> BatchReader::weighted_share(const Resource& from, const Node& node) {
  if (!expect_kind(node, Kind::object, findings_)) return std::nullopt;
  const auto identifier = needed(from, node, "shareIdentifier");
  if (!identifier) return std::nullopt;
  const auto name = findings_.attempt([&] { return std::string{identifier->as_text()}; });
  if (!name) return std::nullopt;
  BatchShare share;
  share.name = *name;
  if (!is_name(*identifier, stem_of(share.name), true)) return std::nullopt;
  const auto weight = value(from, node, "weightFactor");
  if (!weight) return share;
  Shape shape = within_limits(0.0001, 999.9999);
  shape.kind = ShapeKind::number;
  if (const auto factor = read_number(*weight, shape, findings_)) {
    const double exact = *factor * policy::weight_one;
    share.weight = static_cast<std::uint32_t>(std::lround(exact));
    if (std::fabs(exact - share.weight) > 1e-6) {
      left_out(*weight, "a weight with more than four decimals", "rounded");
    }
  }
  return share;
}

Order BatchReader::fair_share(const Resource& from, const Node& node) {
  constexpr std::int64_t longest_decay = 604'800;
  Order order{BatchOrder::fair_share};
  if (!expect_kind(node, Kind::object, findings_)) return order;
  const std::size_t before = findings_.errors();
  order.decay_s = integer_or(from, node, "shareDecaySeconds", 0, 0, longest_decay);
  const bool is_read = findings_.errors() == before;
  order.reservation_pct = integer_or(from, node, "computeReservation", 0, 0, 99);
  if (order.decay_s == 0 && is_read) {
    const auto written = value(from, node, "shareDecaySeconds");
    left_out(
        written.value_or(node), "\"shareDecaySeconds\": 0 has another meaning here",
        "AWS Batch treats 0 as a window of 600 s; \"share_decay\": \"0s\" counts held instances",
        "use \"share_decay\": \"10m\" in the scenario");
  }
  const auto shares = value(from, node, "shareDistribution");
  if (!shares || !expect_kind(*shares, Kind::array, findings_)) return order;
  for (const Node each : shares->as_array()) {
    auto share = weighted_share(from, each);
    if (!share) continue;
    const auto other =
        std::find_if(order.shares.begin(), order.shares.end(),
                     [&](const BatchShare& known) { return overlap(known.name, share->name); });
    if (other != order.shares.end()) {
      error(each, "E0358",
            other->name == share->name
                ? fmt::format("duplicate share {}", in_quotes(share->name))
                : fmt::format("shares {} and {} overlap", in_quotes(other->name),
                              in_quotes(share->name)),
            "one weight per share");
      continue;
    }
    order.shares.push_back(std::move(*share));
  }
  return order;
}

void BatchReader::add_policy(const Resource& from) {
  check_keys(from);
  const auto fair = value(from, from.node, "fairsharePolicy");
  const auto quota = value(from, from.node, "quotaSharePolicy");
  if (fair.has_value() == quota.has_value()) {
    error(from.node, "E0206",
          "a scheduling policy needs one of \"fairsharePolicy\" and \"quotaSharePolicy\"",
          fair ? "both are present" : "neither is present");
    return;
  }
  Order order{BatchOrder::quota};
  if (fair) {
    order = fair_share(from, *fair);
  } else if (expect_kind(*quota, Kind::object, findings_)) {
    const auto idle = value(from, *quota, "idleResourceAssignmentStrategy");
    if (idle) read_choice(*idle, one_of({"FIFO"}), findings_);
  }
  is_new(from, orders_, std::move(order));
}

/// Queues of containers have compute environments.
bool BatchReader::is_of_training(const Resource& from) {
  const auto type = value(from, from.node, "jobQueueType");
  const bool other = type ? type->is_text() && type->as_text() != "SAGEMAKER_TRAINING"
                          : !value(from, from.node, "serviceEnvironmentOrder");
  if (other) {
    left_out(type.value_or(from.node), fmt::format("queue {} is omitted", in_quotes(from.name)),
             "not for training");
  }
  return !other;
}

std::string BatchReader::environment_of(const Resource& from) {
  const auto list = needed(from, from.node, "serviceEnvironmentOrder");
  if (!list || !expect_items(*list, 1, findings_)) return {};
  if (list->size() > 1) {
    left_out((*list)[1], "an additional service environment is omitted", "a queue has only one");
  }
  const Node first = (*list)[0];
  if (!expect_kind(first, Kind::object, findings_)) return {};
  const auto environment = needed(from, first, "serviceEnvironment");
  const Resource* known = environment ? described(from, *environment, Thing::environment) : nullptr;
  if (!known) return {};
  if (!environments_.contains(known->name) && findings_.errors() == 0) {
    error(*environment, "E0356",
          fmt::format("service environment {} is not for training", in_quotes(known->name)),
          "its queue is for training");
  }
  return known->name;
}

/// The limit that reeve has a model of; others, which are of jobs that can never run, are left out.
std::int64_t BatchReader::runnable_limit_of(const Resource& from) {
  const auto list = value(from, from.node, "jobStateTimeLimitActions");
  if (!list || !expect_kind(*list, Kind::array, findings_)) return 0;
  std::int64_t limit_s = 0;
  for (const Node action : list->as_array()) {
    if (!expect_kind(action, Kind::object, findings_)) continue;
    const auto reason = needed(from, action, "reason");
    const auto seconds = needed(from, action, "maxTimeSeconds");
    if (!reason || !seconds) continue;
    const auto most_s = integer(from, *seconds, 600, 86'400);
    const auto is = [&](std::string_view key, std::string_view word) {
      const auto stated = value(from, action, key);
      return !stated || (stated->is_text() && stated->as_text() == word);
    };
    const bool modelled = reason->is_text() && reason->as_text() == batch_capacity_reason &&
                          is("state", "RUNNABLE") && is("action", "TERMINATE");
    if (!modelled || limit_s > 0) {
      left_out(action, "a limit of \"jobStateTimeLimitActions\" is omitted",
               "only one limit is supported, for missing capacity");
    } else {
      limit_s = most_s.value_or(0);
    }
  }
  return limit_s;
}

void BatchReader::add_queue(const Resource& from) {
  constexpr std::int64_t largest_priority = 1'000'000;
  if (!is_of_training(from)) return;
  if (!is_asked_for(from.name)) {
    queues_[from.name].name = from.name;
    return;
  }
  check_keys(from);
  check_state(from);
  if (!is_name(from.node, from.name, false)) return;
  BatchQueue queue;
  queue.name = from.name;
  queue.environment = environment_of(from);
  queue.priority = integer_or(from, from.node, "priority", 0, 0, largest_priority);
  queue.runnable_limit_s = runnable_limit_of(from);
  if (const auto arn = value(from, from.node, "schedulingPolicyArn")) {
    const Resource* policy = described(from, *arn, Thing::scheduling_policy);
    const auto order = policy ? orders_.find(policy->name) : orders_.end();
    if (order == orders_.end()) {
      of_no_order_.insert(queue.name);
    } else {
      queue.order = order->second.order;
      queue.share_decay_s = order->second.decay_s;
      queue.compute_reservation_pct = order->second.reservation_pct;
      queue.shares = order->second.shares;
    }
  }
  if (!is_new(from, queues_, queue)) return;
  set_.queues.push_back(std::move(queue));
  queue_places_.push_back(&from);
}

void BatchReader::add_share(const Resource& from) {
  auto written = value(from, from.node, "jobQueue");
  if (!written) written = value(from, from.node, "jobQueueArn");
  if (!written) written = needed(from, from.node, "jobQueue");
  const auto name = written ? referred(from, *written, Thing::queue) : std::nullopt;
  if (!name || !is_asked_for(*name)) return;  // what is not asked for need not be described
  const Resource* of = described(from, *written, Thing::queue);
  if (!of) return;
  check_keys(from);
  check_state(from);
  if (!is_name(from.node, from.name, false)) return;
  BatchShare share;
  share.name = from.name;
  share.limits = limits(from);
  if (const auto sharing = needed(from, from.node, "resourceSharingConfiguration")) {
    const auto strategy = expect_kind(*sharing, Kind::object, findings_)
                              ? needed(from, *sharing, "strategy")
                              : std::nullopt;
    const auto read =
        strategy ? read_choice(*strategy, one_of({"RESERVE", "LEND", "LEND_AND_BORROW"}), findings_)
                 : std::nullopt;
    share.sharing = static_cast<Sharing>(read.value_or(0));
    if (share.sharing == Sharing::lend_and_borrow) {
      share.borrow_limit_pct =
          integer_or(from, *sharing, "borrowLimit", policy::borrow_without_limit,
                     policy::borrow_without_limit, 1'000'000);
    }
  }
  const auto preemption = value(from, from.node, "preemptionConfiguration");
  if (preemption && expect_kind(*preemption, Kind::object, findings_)) {
    const auto inside = value(from, *preemption, "inSharePreemption");
    share.in_share_preemption =
        inside && read_choice(*inside, one_of({"DISABLED", "ENABLED"}), findings_).value_or(0) == 1;
  }
  const auto [there, added] = shares_.try_emplace({of->name, share.name}, share);
  if (!added && there->second != share) {
    error(from.node, "E0358",
          fmt::format("quota share {} has two different descriptions", in_quotes(share.name)),
          "the descriptions conflict", "use files of one region and one time");
  }
  const auto queue = std::find_if(set_.queues.begin(), set_.queues.end(),
                                  [&](const BatchQueue& each) { return each.name == of->name; });
  if (!added || queue == set_.queues.end()) return;
  if (of_no_order_.contains(queue->name)) return;
  if (queue->order != BatchOrder::quota) {
    left_out(*written, fmt::format("quota share {} is omitted", in_quotes(share.name)),
             "its queue has no quota-share policy");
    return;
  }
  queue->shares.push_back(std::move(share));
}

std::string_view kind_of_document(BatchOrder order) {
  switch (order) {
    case BatchOrder::fifo:
      return "first in, first out";
    case BatchOrder::fair_share:
      return "fair share";
    case BatchOrder::quota:
      break;
  }
  return "quota shares";
}

void BatchReader::check_queue(std::size_t index) {
  const BatchQueue& queue = set_.queues[index];
  const Node& node = queue_places_[index]->node;
  if (queue.order == BatchOrder::quota && queue.shares.empty()) {
    error(node, "E0356",
          fmt::format("no file describes a quota share of queue {}", in_quotes(queue.name)),
          "its policy uses quota shares",
          fmt::format("aws batch list-quota-shares --job-queue {}", queue.name));
  }
  const BatchQueue& first = set_.queues.front();
  if (queue.order != first.order) {
    error(node, "E0359",
          fmt::format("queue {} uses {}, but {} uses {}", in_quotes(queue.name),
                      kind_of_document(queue.order), in_quotes(first.name),
                      kind_of_document(first.order)),
          "a policy has one algorithm for all queues",
          fmt::format("import one scenario per queue: --queue {}", queue.name));
  } else if (queue.share_decay_s != first.share_decay_s ||
             queue.compute_reservation_pct != first.compute_reservation_pct) {
    error(node, "E0359",
          fmt::format("queues {} and {} have different decays or reservations",
                      in_quotes(first.name), in_quotes(queue.name)),
          "a policy has one setting for all queues",
          fmt::format("import one scenario per queue: --queue {}", queue.name));
  }
}

/// The first, second, ... name that AWS Batch takes for a share of the queue instead of its own.
/// Identifiers have neither hyphens nor underscores, and a queue may be called by these alone.
std::string name_instead(const BatchQueue& queue, const std::string& name, std::size_t number) {
  constexpr std::size_t most_of_queue = 60;
  std::string called = queue.name.substr(0, most_of_queue);
  const bool identifier = queue.order == BatchOrder::fair_share;
  if (identifier) std::erase_if(called, [](char c) { return c == '-' || c == '_'; });
  if (called.empty()) called = "queue";
  if (number > 1) called += std::to_string(number);
  if (!identifier) called += '-';
  called += stem_of(name);
  called = called.substr(0, most_characters);
  if (is_prefix(name)) called += '*';
  return called;
}

/// Names of shares are unique in a scenario, and overlap no prefix; of a queue in AWS Batch.
void BatchReader::name_shares() {
  std::vector<std::string> names;
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& other) { return overlap(other, name); });
  };
  for (std::size_t index = 0; index < set_.queues.size(); ++index) {
    BatchQueue& queue = set_.queues[index];
    for (BatchShare& share : queue.shares) {
      const std::string before = share.name;
      for (std::size_t number = 1; is_taken(share.name); ++number) {
        share.name = name_instead(queue, before, number);
      }
      names.push_back(share.name);
      if (share.name == before) continue;
      left_out(
          queue_places_[index]->node,
          fmt::format("share {} of queue {} is renamed", in_quotes(before), in_quotes(queue.name)),
          fmt::format("{} here: share names must be unique", in_quotes(share.name)));
    }
  }
}

void BatchReader::tell_unused() {
  if (!wanted_.empty()) return;  // the rest is not asked for
  for (const Resource& each : resources_) {
    if (each.thing != Thing::environment && each.thing != Thing::scheduling_policy) continue;
    if (used_.contains({each.thing, each.name})) continue;
    left_out(each.node,
             fmt::format("{} {} is omitted", words_in(each.thing).what, in_quotes(each.name)),
             "no queue uses it");
  }
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

}  // namespace

BatchImport read_batch(std::span<const std::shared_ptr<const SourceFile>> files,
                       std::span<const std::string> queues) {
  BatchReader reader{queues};
  for (const auto& file : files) reader.read(file);
  return reader.made();
}

}  // namespace reeve::scenarios
