// What descriptions of AWS Batch come to: environments, queues and shares.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scenarios/exchange/batch_reader.hpp"
#include "scenarios/load/resolved/share_prefix.hpp"

namespace reeve::scenarios::batch_reading {

using policy::Sharing;

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

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

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

}  // namespace reeve::scenarios::batch_reading
