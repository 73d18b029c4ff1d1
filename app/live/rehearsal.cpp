#include "app/live/rehearsal.hpp"

#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "app/live/cloud_error.hpp"
#include "live/mock/mock_service.hpp"

namespace reeve::app {

Rehearsal::Rehearsal(live::Transport& transport, const std::string& clock_url)
    : transport_{transport} {
  const auto url = live::parse_url(clock_url);
  if (!url) throw CloudError{std::string{clock_variable} + " is not a URL", "reeve mock-aws"};
  url_ = *url;
  if (!ask("GET", {})) {
    throw CloudError{"no clock at " + clock_url,
                     "start reeve mock-aws, or unset " + std::string{clock_variable}};
  }
}

std::variant<live::Response, live::TransportFailure> Rehearsal::send(const live::Request& request) {
  auto reply = transport_.send(request);
  const auto* response = std::get_if<live::Response>(&reply);
  const std::string* stated =
      response == nullptr ? nullptr : live::find_header(response->headers, live::clock_header);
  std::int64_t nanoseconds = 0;
  if (stated != nullptr &&
      std::from_chars(stated->data(), stated->data() + stated->size(), nanoseconds).ec ==
          std::errc{}) {
    now_ = policy::Instant{policy::Duration{nanoseconds}};
  }
  return reply;
}

void Rehearsal::sleep(policy::Duration wait) {
  if (wait <= policy::Duration{0}) return;
  constexpr std::chrono::milliseconds before_the_next_try{100};
  if (!ask("POST", {{"sleep", std::to_string(wait.count())}})) {
    std::this_thread::sleep_for(before_the_next_try);
  }
}

bool Rehearsal::ask(const std::string& method, std::vector<live::Field> query) {
  live::Request request;
  request.method = method;
  request.tls = url_.tls;
  request.host = url_.host;
  request.port = url_.port;
  request.path = url_.path;
  request.query = std::move(query);
  request.timeout = std::chrono::seconds{60};
  request.use_proxy = false;
  const auto reply = send(request);
  const auto* response = std::get_if<live::Response>(&reply);
  return response != nullptr && response->status == 200 &&
         live::find_header(response->headers, live::clock_header) != nullptr;
}

}  // namespace reeve::app
