// Signs requests that another program made up: the side of tests/cli/aws_signer_test.sh that is
// ours.  It reads one request as JSON per line, with the Authorization header that the other signer
// computed.  It writes ours, and whether our verifier accepts the other one.

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"
#include "live/aws/uri.hpp"

namespace {

using namespace reeve::live;
using nlohmann::json;

Request request_in(const json& line) {
  const std::string url_text = line.at("url");
  const std::size_t path = url_text.find('/', url_text.find("://") + 3);
  const auto url = parse_url(url_text.substr(0, path));
  if (!url) throw std::runtime_error{"not a URL: " + url_text};
  const std::string target = url_text.substr(path);
  const std::size_t mark = std::min(target.find('?'), target.size());
  Request request;
  request.method = line.at("method");
  request.tls = url->tls;
  request.host = url->host;
  request.port = url->port;
  request.path = target.substr(0, mark);
  request.query = parse_query(target.substr(std::min(mark + 1, target.size())));
  request.body = line.at("body");
  for (const json& header : line.at("headers")) {
    request.headers.push_back({header.at(0), header.at(1)});
  }
  return request;
}

json answer_to(const json& line) {
  const AccessKey key{line.at("id"), Secret{line.at("secret").get<std::string>()},
                      Secret{line.at("token").get<std::string>()}};
  const auto at = parse_amz_date(line.at("date").get<std::string>());
  if (!at) throw std::runtime_error{"not a date"};
  const SigningScope scope{line.at("region"), line.at("service"), *at};
  Request request = request_in(line);
  sign(request, key, scope);
  json answer{
      {"authorization", *find_header(request.headers, "authorization")},
      {"canonical", canonical_request(request, scope.service, signed_header_names(request))}};
  remove_header(request.headers, "authorization");
  request.headers.push_back({"Authorization", line.at("authorization")});
  answer["accepted"] = !verify(
                            request, [&](std::string_view) { return key; }, scope)
                            .has_value();
  request.body += "x";
  answer["accepted_changed"] = !verify(
                                    request, [&](std::string_view) { return key; }, scope)
                                    .has_value();
  return answer;
}

}  // namespace

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << answer_to(json::parse(line)).dump() << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << "aws_signer: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
