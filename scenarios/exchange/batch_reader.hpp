// Reads queues of AWS Batch from several files: what the service answers, what creates them, or a
// template of both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/exchange/batch_import.hpp"
#include "scenarios/text/decode.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::scenarios::batch_reading {

enum class Thing : std::uint8_t { environment, scheduling_policy, queue, share };

inline constexpr std::size_t most_characters = 128;  // of a name
inline constexpr std::size_t most_of_identifier =
    199;  // 255 of AWS; a name here has 200, and an example 1

/// How a thing is called, and what of it is read.  `facts` change nothing: where it is, how it is;
/// what stands in neither is left out, and said to be.
struct Words {
  std::string_view what, list, name_key, type, asked_by;
  std::vector<std::string_view> keys, facts;
};
const Words& words_in(Thing thing);
inline constexpr std::array<Thing, 4> things{Thing::environment, Thing::scheduling_policy,
                                             Thing::queue, Thing::share};

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

Shape within_limits(double min, double max);
Shape one_of(std::vector<std::string_view> choices);

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

}  // namespace reeve::scenarios::batch_reading
