#include "live/aws/request.hpp"

#include <algorithm>

#include "live/aws/uri.hpp"

namespace reeve::live {
namespace {

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

const std::string* find_header(std::span<const Field> headers, std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const Field& header) {
    return lower_case(header.name) == wanted;
  });
  return found == headers.end() ? nullptr : &found->value;
}

void remove_header(std::vector<Field>& headers, std::string_view name) {
  const std::string unwanted = lower_case(name);
  std::erase_if(headers, [&](const Field& header) { return lower_case(header.name) == unwanted; });
}

std::string host_header(const Request& request) {
  const std::uint16_t usual = request.tls ? 443 : 80;
  if (request.port == 0 || request.port == usual) return request.host;
  return request.host + ":" + std::to_string(request.port);
}

std::string target_of(const Request& request) {
  const std::string path = request.path.empty() ? "/" : request.path;
  return request.query.empty() ? path : path + "?" + query_text(request.query);
}

std::string url_of(const Request& request) {
  return (request.tls ? "https://" : "http://") + host_header(request) + target_of(request);
}

bool is_sendable(const Request& request) {
  const bool lines =
      std::all_of(request.headers.begin(), request.headers.end(), [](const Field& header) {
        return !header.name.empty() && is_one_line(header.name) && is_one_line(header.value) &&
               header.name.find_first_of(": ") == header.name.npos;
      });
  return lines && !request.method.empty() && is_one_line(request.method) &&
         request.method.find(' ') == request.method.npos && is_one_line(url_of(request)) &&
         url_of(request).find(' ') == std::string::npos && !request.host.empty();
}

}  // namespace reeve::live
