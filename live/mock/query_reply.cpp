#include "live/mock/query_reply.hpp"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/xml.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::size_t deepest = 20;

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t dot = std::min(name.find('.', from), name.size());
    parts.emplace_back(name.substr(from, dot - from));
    from = dot + 1;
  }
  return parts;
}

bool store(json& root, const Field& field) {
  json* at = &root;
  const std::vector<std::string> parts = parts_of(field.name);
  if (parts.size() > deepest) return false;
  for (const std::string& part : parts) {
    if (!at->is_object()) return false;
    at = &at->emplace(part, json::object()).first.value();
  }
  if (!at->is_object() || !at->empty()) return false;
  *at = field.value;
  return true;
}

bool is_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

/// Objects that hold a list: with the one key `member`, in EC2 with numbers for keys.
const json* members_of(const json& value, Protocol protocol) {
  if (protocol != Protocol::ec2) {
    return value.size() == 1 && value.contains("member") ? &value.at("member") : nullptr;
  }
  bool all_numbers = !value.empty();
  for (const auto& [name, part] : value.items()) all_numbers = all_numbers && is_number(name);
  return all_numbers ? &value : nullptr;
}

/// Lists are in the order of their numbers.
std::optional<json> with_lists(const json& value, Protocol protocol) {
  if (!value.is_object()) return value;
  const json* members = members_of(value, protocol);
  if (members == nullptr) {
    json object = json::object();
    for (const auto& [name, part] : value.items()) {
      auto inner = with_lists(part, protocol);
      if (!inner) return std::nullopt;
      object[name] = *std::move(inner);
    }
    return object;
  }
  if (!members->is_object()) return std::nullopt;
  std::map<int, json> numbered;
  for (const auto& [name, part] : members->items()) {
    int number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    auto inner = with_lists(part, protocol);
    if (read.ec != std::errc{} || read.ptr != name.data() + name.size() || !inner) return {};
    numbered[number] = *std::move(inner);
  }
  json list = json::array();
  for (auto& [number, part] : numbered) list.push_back(std::move(part));
  return list;
}

}  // namespace

std::optional<json> form_value(const std::vector<Field>& fields, Protocol protocol) {
  json root = json::object();
  for (const Field& field : fields) {
    if (!store(root, field)) return std::nullopt;
  }
  return with_lists(root, protocol);
}

std::string xml_of(const json& value, Protocol protocol) {
  if (value.is_string()) return xml_escaped(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& [name, part] : value.items()) {
    const std::string tag = !value.is_array()           ? name
                            : protocol == Protocol::ec2 ? "item"
                                                        : "member";
    out += '<' + tag + '>' + xml_of(part, protocol) + "</" + tag + '>';
  }
  return out;
}

}  // namespace reeve::live
