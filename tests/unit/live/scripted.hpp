// The surroundings of the AWS client as tests write them: no network, no files, no clock.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "live/aws/surroundings.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {

struct ScriptedEnvironment : Environment {
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> outputs;  // of commands; others fail

  static std::optional<std::string> in(const std::map<std::string, std::string>& texts,
                                       const std::string& key) {
    const auto found = texts.find(key);
    return found == texts.end() ? std::nullopt : std::optional{found->second};
  }
  std::optional<std::string> get(const std::string& variable) const override {
    return in(variables, variable);
  }
  std::optional<std::string> read_file(const std::string& path) const override {
    return in(files, path);
  }
  bool has_file(const std::string& path) const override { return files.contains(path); }
  Result<std::string> output_of(const std::string& command) const override {
    if (const auto output = in(outputs, command)) return *output;
    return Failure{"the command failed"};
  }
};

struct ScriptedClock : Clock {
  policy::Instant time = *parse_amz_date("20260101T000000Z");
  std::vector<policy::Duration> waits;

  policy::Instant now() override { return time; }
  void sleep(policy::Duration wait) override {
    waits.push_back(wait);
    time += wait;
  }
};

using Outcome = std::variant<Response, TransportFailure>;

/// Answers requests in order and keeps them.  A request too many is a failed connection.
struct ScriptedTransport : Transport {
  std::deque<std::function<Outcome(const Request&)>> answers;
  std::vector<Request> requests;

  void answer(int status, std::string body, std::vector<Field> headers = {}) {
    answers.emplace_back([=](const Request&) { return Response{status, headers, body}; });
  }
  void fail(TransportFault fault) {
    answers.emplace_back([=](const Request&) {
      return TransportFailure{fault, "the network failed"};
    });
  }
  Outcome send(const Request& request) override {
    requests.push_back(request);
    if (answers.empty()) return TransportFailure{TransportFault::not_sent, "nothing listens"};
    const auto next = std::move(answers.front());
    answers.pop_front();
    return next(request);
  }
};

struct Scripted {
  ScriptedEnvironment environment;
  ScriptedTransport transport;
  ScriptedClock clock;
  double random = 0.5;

  Surroundings surroundings() {
    return {environment, transport, clock, [this] { return random; }};
  }
};

inline std::string header_of(const Request& request, std::string_view name) {
  const std::string* value = find_header(request.headers, name);
  return value == nullptr ? "(none)" : *value;
}

template <class Value>
std::string message_of(const Result<Value>& result) {
  const Failure* failure = failure_of(result);
  return failure == nullptr ? "(no failure)" : failure->message;
}

}  // namespace reeve::live
