#include "live/aws/call_request.hpp"

#include <nlohmann/json.hpp>

#include "live/aws/query_form.hpp"
#include "live/aws/reply_error.hpp"
#include "live/aws/xml.hpp"

namespace reeve::live {

namespace {

using nlohmann::json;

std::string content_type(Protocol protocol) {
  switch (protocol) {
    case Protocol::json_1_0:
      return "application/x-amz-json-1.0";
    case Protocol::json_1_1:
      return "application/x-amz-json-1.1";
    case Protocol::query:
    case Protocol::ec2:
      return "application/x-www-form-urlencoded; charset=utf-8";
    case Protocol::rest_json:
      return "application/json";
  }
  __builtin_unreachable();
}

std::string body_of_call(const Call& call) {
  const Service& service = call.service;
  if (has_xml_replies(service.protocol)) {
    return query_form(call.operation, service.api_version, call.parameters, service.protocol);
  }
  if (call.method == "GET" || call.method == "DELETE") return {};
  return call.parameters.dump();
}

Result<json> xml_value(const Response& response, const Call& call) {
  Result<XmlElement> document = parse_xml(response.body);
  if (const Failure* failure = failure_of(document)) return *failure;
  const XmlElement& root = std::get<XmlElement>(document);
  const XmlElement* result = root.child(call.operation + "Result");
  json value = json_of(result == nullptr ? root : *result);
  if (!value.is_object()) return json::object();  // an operation without result
  value.erase("ResponseMetadata");
  return value;
}

/// What walks through a value calls itself for each level.
bool is_nested_deeper(std::string_view text, int levels) {
  int level = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++level > levels) return true;
    } else if (c == '}' || c == ']') {
      --level;
    }
  }
  return false;
}

}  // namespace

Result<Request> request_of(const Call& call, const Endpoint& endpoint) {
  Request request;
  request.method = call.method;
  request.tls = endpoint.tls;
  request.host = endpoint.host;
  request.port = endpoint.port;
  request.query = call.query;
  request.timeout = call.timeout;
  const bool rest = call.service.protocol == Protocol::rest_json;
  const std::string own = !call.path.empty() ? call.path
                          : rest             ? "/v1/" + lower_case(call.operation)
                                             : "/";
  request.path = endpoint.path + own;
  try {
    request.body = body_of_call(call);
  } catch (const json::exception&) {
    return Failure{"a text of the parameters is not UTF-8"};
  }
  if (!request.body.empty()) {
    request.headers.push_back({"Content-Type", content_type(call.service.protocol)});
  }
  if (!call.service.target_prefix.empty()) {
    request.headers.push_back(
        {"X-Amz-Target", std::string{call.service.target_prefix} + "." + call.operation});
  }
  request.headers.push_back({"User-Agent", "reeve"});
  return request;
}

Result<json> value_in(const Response& response, const Call& call) {
  if (has_xml_replies(call.service.protocol)) return xml_value(response, call);
  if (response.body.empty()) return json::object();
  if (is_nested_deeper(response.body, 100)) return Failure{"the reply is nested too deeply"};
  json value = json::parse(response.body, nullptr, false);
  if (value.is_discarded()) return Failure{"the reply is not valid JSON"};
  return value;
}

}  // namespace reeve::live
