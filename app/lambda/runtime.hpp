// The runtime interface of AWS Lambda, version 2018-06-01: gets invocations, and gives answers.
#pragma once

#include <stdexcept>
#include <string>

#include "live/aws/transport.hpp"
#include "live/aws/uri.hpp"

namespace reeve::app {

/// The runtime gives no invocation, or takes no answer.
struct RuntimeFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Invocation {
  std::string id;
  std::string payload;  ///< JSON
};

/// Of an invocation, or of the start.
struct InvocationError {
  std::string type;
  std::string message;
};

class LambdaRuntime {
 public:
  /// `place`: the value of AWS_LAMBDA_RUNTIME_API, a host and a port.  Throws RuntimeFailure if it
  /// is none.  `transport` must outlive it, and sends nothing else.
  LambdaRuntime(live::Transport& transport, const std::string& place);

  /// Waits for the next invocation, for ever.  Throws RuntimeFailure.
  Invocation next();
  /// Throw RuntimeFailure.
  void answer(const std::string& id, const std::string& payload);
  void fail(const std::string& id, const InvocationError& error);
  void fail_to_start(const InvocationError& error);

 private:
  live::Response sent(const std::string& method, const std::string& path, std::string body,
                      const std::string& error_type = {});
  void post(const std::string& path, std::string body, const std::string& error_type = {});

  live::Transport& transport_;
  live::Url url_;
};

}  // namespace reeve::app
