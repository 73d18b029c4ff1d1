#include "scenarios/history/aws/kept_reply.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace reeve::scenarios {
namespace {

using nlohmann::json;

bool has_key(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

json kept_value(const json& value, const JsonShape& shape);

json kept_members(const json& object, const JsonShape& shape) {
  json kept = json::object();
  for (auto member = object.begin(); member != object.end(); ++member) {
    const std::string& key = member.key();
    if (has_key(shape.whole, key)) {
      kept[key] = *member;
    } else if (has_key(shape.keys, key) || has_key(shape.arrays, key)) {
      kept[key] = kept_value(*member, shape);
    }
  }
  return kept;
}

json kept_value(const json& value, const JsonShape& shape) {
  if (value.is_object()) return kept_members(value, shape);
  if (!value.is_array()) return value;
  json kept = json::array();
  for (const json& each : value) kept.push_back(kept_value(each, shape));
  return kept;
}

/// Shortens an object that is written in a text at `key`, at any depth.  Another text becomes null,
/// of which the readers warn: it could hold anything.
void shorten_texts(json& value, std::string_view key, const JsonShape& shape) {
  if (!value.is_object() && !value.is_array()) return;
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (!value.is_object() || member.key() != key) {
      shorten_texts(*member, key, shape);
      continue;
    }
    json inner = *member;
    if (inner.is_string()) inner = json::parse(inner.get_ref<const std::string&>(), nullptr, false);
    const json kept = inner.is_object() ? kept_members(inner, shape) : json{};
    *member = kept.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

}  // namespace

void see_fetch(const json& value, History& into) {
  if (const auto time = instant_at(value, fetched_at)) into.see(*time);
}

json kept_reply(std::string_view kind, const json& reply) {
  if (kind == "sagemaker") return kept_value(reply, sagemaker_shape());
  if (kind == "cloudtrail") {
    json kept = kept_value(reply, cloudtrail_shape());
    shorten_texts(kept, "CloudTrailEvent", cloudtrail_shape());
    return kept;
  }
  if (kind != "aws-batch") return reply;
  json kept = kept_value(reply, aws_batch_shape());
  shorten_texts(kept, "serviceRequestPayload", sagemaker_shape());
  return kept;
}

}  // namespace reeve::scenarios
