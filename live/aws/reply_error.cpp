#include "live/aws/reply_error.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "live/aws/xml.hpp"

namespace reeve::live {

namespace {

constexpr std::size_t most_message_bytes = 2000;

/// `com.amazon#ValidationException:http://…` without what surrounds it.
std::string bare_code(std::string code) {
  code.erase(std::min(code.find_first_of(":;"), code.size()));
  if (const std::size_t hash = code.rfind('#'); hash != code.npos) code.erase(0, hash + 1);
  return code;
}

std::string first_text(const nlohmann::json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto member = object.find(key);
    if (member != object.end() && member->is_string()) return member->get<std::string>();
  }
  return {};
}

ReplyError json_error(const Response& response) {
  ReplyError error;
  const auto document = nlohmann::json::parse(response.body, nullptr, false);
  if (document.is_object()) {
    error.code = first_text(document, {"__type", "code", "Code"});
    error.message = first_text(document, {"message", "Message", "errorMessage"});
  }
  if (const std::string* type = find_header(response.headers, "x-amzn-errortype")) {
    error.code = *type;
  }
  error.code = bare_code(std::move(error.code));
  return error;
}

std::string element_text(const XmlElement* element) {
  return element == nullptr ? std::string{} : element->text;
}

ReplyError xml_error(const Response& response) {
  const Result<XmlElement> document = parse_xml(response.body);
  const auto* root = std::get_if<XmlElement>(&document);
  const XmlElement* error = root == nullptr ? nullptr : root->find("Error");
  if (error == nullptr) return {};
  return {bare_code(element_text(error->child("Code"))), element_text(error->child("Message"))};
}

}  // namespace

bool has_xml_replies(Protocol protocol) {
  return protocol == Protocol::query || protocol == Protocol::ec2;
}

ReplyError error_in(const Response& response, Protocol protocol) {
  ReplyError error = has_xml_replies(protocol) ? xml_error(response) : json_error(response);
  // What follows repeats the signed headers, among them the session token.
  error.message.erase(std::min(error.message.find("The Canonical String"), error.message.size()));
  if (error.code.empty()) error.code = "Http" + std::to_string(response.status);
  if (std::size_t size = most_message_bytes; error.message.size() > size) {
    while (size > 0 && (error.message[size] & '\xC0') == '\x80') --size;  // not within a character
    error.message.resize(size);
  }
  return error;
}

std::string request_id_in(const Response& response, Protocol protocol) {
  for (const char* name : {"x-amzn-requestid", "x-amz-request-id", "x-amzn-request-id"}) {
    if (const std::string* id = find_header(response.headers, name)) return *id;
  }
  if (!has_xml_replies(protocol)) return {};
  const Result<XmlElement> document = parse_xml(response.body);
  const auto* root = std::get_if<XmlElement>(&document);
  if (root == nullptr) return {};
  for (const char* name : {"RequestId", "RequestID", "requestId"}) {
    if (const XmlElement* id = root->find(name)) return id->text;
  }
  return {};
}

}  // namespace reeve::live
