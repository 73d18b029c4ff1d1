// The program `bootstrap` of the custom runtime of AWS Lambda.
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/console.hpp"
#include "app/exit_code.hpp"
#include "app/lambda/function.hpp"
#include "app/lambda/runtime.hpp"
#include "app/transport.hpp"
#include "app/usage_error.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/https/socket_transport.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

live::Result<std::unique_ptr<live::Transport>> new_transport(const live::Environment& environment) {
  return std::make_unique<live::SocketTransport>(environment);
}

namespace {

FunctionSettings settings_in(const live::Environment& environment) {
  FunctionSettings settings;
  settings.rules.acts = true;
  const std::string folder = environment.get("LAMBDA_TASK_ROOT").value_or(".");
  const std::string file = environment.get("REEVE_CONFIG").value_or("reeve.jsonc");
  settings.rules.file = file.starts_with('/') ? file : folder + '/' + file;
  if (auto policy = environment.get("REEVE_POLICY")) settings.rules.policies = {*policy};
  if (auto table = environment.get("REEVE_TABLE")) settings.table = *std::move(table);
  if (settings.table.empty()) {
    throw UsageError{"REEVE_TABLE is not set", "it names the table of DynamoDB with the journal"};
  }
  return settings;
}

int fail_to_start(LambdaRuntime& runtime, const Console& console, InvocationError error) {
  console.complain(error.message + '\n');
  try {
    runtime.fail_to_start(error);
  } catch (const RuntimeFailure& failure) {
    console.complain(std::string{failure.what()} + '\n');
  }
  return ExitCode::failed;
}

/// Ends if the runtime does.
[[noreturn]] void serve(LambdaRuntime& runtime, LambdaFunction& function, const Console& console) {
  for (;;) {
    const Invocation invocation = runtime.next();
    try {
      runtime.answer(invocation.id, function.answer(invocation.payload));
    } catch (const RuntimeFailure&) {
      throw;
    } catch (const std::exception& error) {
      console.complain(std::string{error.what()} + '\n');
      runtime.fail(invocation.id, {"Reeve.PassFailed", error.what()});
    }
  }
}

int run_lambda() {
  Console console;
  console.json = true;
  console.logs = true;
  const live::SystemEnvironment environment;
  const auto place = environment.get("AWS_LAMBDA_RUNTIME_API");
  if (!place) {
    console.complain("AWS_LAMBDA_RUNTIME_API is not set: this program runs in AWS Lambda\n");
    return ExitCode::usage;
  }
  live::SocketTransport transport{environment};
  LambdaRuntime runtime{transport, *place};
  std::optional<LambdaFunction> function;
  try {
    function.emplace(settings_in(environment), console);
  } catch (const scenarios::InputError& error) {
    return fail_to_start(
        runtime, console,
        {"Reeve.InvalidConfiguration",
         scenarios::render(error.diagnostics(), {.colour = false, .columns = 100})});
  } catch (const UsageError& error) {
    const std::string hint = error.hint.empty() ? "" : "\n  = help: " + error.hint;
    return fail_to_start(runtime, console, {"Reeve.InvalidConfiguration", error.what() + hint});
  } catch (const std::exception& error) {
    return fail_to_start(runtime, console, {"Reeve.StartFailed", error.what()});
  }
  try {
    serve(runtime, *function, console);
  } catch (const RuntimeFailure& failure) {
    console.complain(std::string{failure.what()} + '\n');
    return ExitCode::failed;
  }
}

}  // namespace
}  // namespace reeve::app

int main() {
  return reeve::app::run_lambda();
}
