#include <utility>
#include <variant>

#include "app/transport.hpp"
#include "live/aws/curl_transport.hpp"

namespace reeve::app {

live::Result<std::unique_ptr<live::Transport>> new_transport(const live::Environment& environment) {
  auto created = live::CurlTransport::create(environment);
  if (const live::Failure* failure = live::failure_of(created)) return *failure;
  return std::unique_ptr<live::Transport>{
      std::get<std::unique_ptr<live::CurlTransport>>(std::move(created))};
}

}  // namespace reeve::app
