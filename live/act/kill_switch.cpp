#include "live/act/kill_switch.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds look_each{10};
constexpr std::string_view released = "run";

/// Of Parameter of GetParameter; nothing: the reply has none.
std::optional<std::string> value_of(const json& reply) {
  const json* parameter = field(reply, "Parameter");
  if (parameter == nullptr || !parameter->contains("Value")) return std::nullopt;
  return text_of(*parameter, "Value");
}

}  // namespace

KillSwitch::KillSwitch(KillPlaces places, Client& client, Clock& clock,
                       std::function<void(const FailedCall&)> on_trouble)
    : places_{std::move(places)},
      client_{client},
      clock_{clock},
      on_trouble_{std::move(on_trouble)} {}

/// A file that cannot be looked at counts as one that exists.
std::string KillSwitch::look_at_file() const {
  if (places_.file.empty()) return {};
  std::error_code error;
  const auto status = std::filesystem::symlink_status(places_.file, error);
  const bool is_there = status.type() != std::filesystem::file_type::not_found ||
                        (error && error != std::errc::no_such_file_or_directory);
  return is_there ? "the kill file " + places_.file + " exists" : std::string{};
}

const std::string& KillSwitch::look_at(Look& look, const Call& call, const char* action,
                                       const std::function<std::string(const json&)>& read) {
  const policy::Instant now = clock_.now();
  const bool is_new = look.at && now >= *look.at && now - *look.at < look_each;
  if (is_new) return look.found;
  look.at = now;
  const CallResult reply = client_.call(call);
  if (!reply.error) {
    look.found = read(reply.value);
    look.is_unread = false;
    return look.found;
  }
  look.found = std::string{action} + " failed: " + reply.error->code;
  if (!std::exchange(look.is_unread, true)) on_trouble_({action, *reply.error});
  return look.found;
}

bool KillSwitch::is_engaged() {
  why_ = look_at_file();
  if (why_.empty() && !places_.parameter.empty()) {
    why_ = look_at(parameter_, {services::ssm, "GetParameter", {{"Name", places_.parameter}}},
                   "ssm:GetParameter", [&](const json& reply) {
                     const auto value = value_of(reply);
                     if (value == released) return std::string{};
                     return "the parameter " + places_.parameter + " is not run";
                   });
  }
  if (why_.empty() && !places_.tag.empty()) {
    why_ = look_at(tag_, {services::sqs, "ListQueueTags", {{"QueueUrl", places_.queue}}},
                   "sqs:ListQueueTags", [&](const json& reply) {
                     const json* tags = field(reply, "Tags");
                     const bool is_read =
                         reply.is_object() && (tags == nullptr || tags->is_object());
                     if (!is_read) return std::string{"the tags of the queue cannot be read"};
                     const bool has_tag = tags != nullptr && tags->contains(places_.tag);
                     return has_tag ? "the queue has the tag " + places_.tag : std::string{};
                   });
  }
  return !why_.empty();
}

}  // namespace reeve::live
