#include "live/aws/query_form.hpp"

#include <nlohmann/json.hpp>

#include "live/aws/uri.hpp"

namespace reeve::live {

namespace {

void add_fields(const nlohmann::json& value, const std::string& name, Protocol protocol,
                std::vector<Field>& out) {
  if (value.is_null()) return;
  if (value.is_object()) {
    for (const auto& [key, part] : value.items()) {
      add_fields(part, name.empty() ? key : name + "." + key, protocol, out);
    }
  } else if (value.is_array()) {
    const std::string prefix = name + (protocol == Protocol::ec2 ? "." : ".member.");
    if (value.empty() && protocol != Protocol::ec2) out.push_back({name, ""});
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_fields(value[i], prefix + std::to_string(i + 1), protocol, out);
    }
  } else if (value.is_string()) {
    out.push_back({name, value.get<std::string>()});
  } else {
    out.push_back({name, value.dump()});
  }
}

}  // namespace

std::vector<Field> form_fields(const nlohmann::json& parameters, Protocol protocol) {
  std::vector<Field> fields;
  if (parameters.is_object()) add_fields(parameters, "", protocol, fields);
  return fields;
}

std::string query_form(std::string_view operation, std::string_view version,
                       const nlohmann::json& parameters, Protocol protocol) {
  std::string body = "Action=" + form_encode(operation) + "&Version=" + form_encode(version);
  for (const Field& field : form_fields(parameters, protocol)) {
    body += "&" + form_encode(field.name) + "=" + form_encode(field.value);
  }
  return body;
}

}  // namespace reeve::live
