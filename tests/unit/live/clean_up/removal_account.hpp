// An account of alarms and instances in memory, whose calls a test can disturb.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "live/clean_up/account_resources.hpp"
#include "live/mock/mock_service.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {

/// Without jobs.
class EmptyFleet : public MockFleet {
 public:
  policy::Instant advance(policy::Instant until, FleetHistory&) override {
    return time_ = std::max(time_, until);
  }
  policy::Instant time() const override { return time_; }
  Reply stop(const std::string&) override { return host::ReplyKind::rejected; }
  Reply terminate(const std::string&) override { return host::ReplyKind::rejected; }
  std::optional<QueuedJob> queued(const TrainingJobState&) const override { return std::nullopt; }
  Reply create(const TrainingJobState&, bool, std::uint16_t) override {
    return host::ReplyKind::rejected;
  }
  Reply notify(const std::string&, const std::string&) override {
    return host::ReplyKind::rejected;
  }
  models::MetricSeries gpu_utilization(const std::string&, policy::Instant) const override {
    return {};
  }

 private:
  policy::Instant time_ = policy::Instant::min();
};

/// Passes requests on.  `before` and `after` see the operation; `after` true: the reply is lost.
class DisturbedTransport final : public Transport {
 public:
  explicit DisturbedTransport(Transport& inner) : inner_{inner} {}

  std::variant<Response, TransportFailure> send(const Request& request) override {
    constexpr std::string_view key = "Action=";
    const std::size_t at = request.body.find(key) + key.size();
    const std::string operation = request.body.substr(at, request.body.find('&', at) - at);
    calls.push_back(operation);
    before(operation);
    auto reply = inner_.send(request);
    if (after(operation)) return TransportFailure{TransportFault::lost, "lost"};
    return reply;
  }
  std::size_t count(const std::string& operation) const {
    return static_cast<std::size_t>(std::count(calls.begin(), calls.end(), operation));
  }

  std::vector<std::string> calls;
  std::function<void(const std::string&)> before = [](const std::string&) {};
  std::function<bool(const std::string&)> after = [](const std::string&) { return false; };

 private:
  Transport& inner_;
};

struct RemovalAccount {
  ScriptedClock clock;
  ScriptedEnvironment environment;
  MockService service{MockAccount{std::make_unique<EmptyFleet>(), "123456789012", "us-east-1", {}},
                      MockClock{clock.time, clock.time + std::chrono::hours{9}, 0}};
  DisturbedTransport transport{service};
  FixedCredentials credentials{key()};
  Client client{Surroundings{environment, transport, clock, [] { return 0.5; }},
                credentials,
                {"us-east-1", 1}};
  AccountResources resources{client, clock};

  RemovalAccount() { environment.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"; }

  static Credentials key() {
    Credentials made;
    made.key = {std::string{mock_key_id}, Secret{std::string{mock_secret}}, {}};
    return made;
  }
  void put_alarm(const std::string& name, int threshold = 1) {
    const MockAnswer answer =
        service.account().answer("monitoring", "PutMetricAlarm",
                                 {{"AlarmName", name},
                                  {"Namespace", "/aws/sagemaker/TrainingJobs"},
                                  {"MetricName", "GPUUtilization"},
                                  {"Statistic", "Average"},
                                  {"Dimensions", {{{"Name", "Host"}, {"Value", "job/algo-1"}}}},
                                  {"Period", 60},
                                  {"EvaluationPeriods", 3},
                                  {"Threshold", threshold},
                                  {"ComparisonOperator", "LessThanThreshold"}},
                                 clock.time);
    ASSERT_TRUE(std::holds_alternative<nlohmann::json>(answer));
  }
  void delete_alarm(const std::string& name) {
    service.account().answer("monitoring", "DeleteAlarms", {{"AlarmNames", {name}}}, clock.time);
  }
  std::string launch(const nlohmann::json& more = nlohmann::json::object()) {
    nlohmann::json asked{
        {"ImageId", "ami-1"},
        {"InstanceType", "p5.48xlarge"},
        {"MinCount", "1"},
        {"MaxCount", "1"},
        {"TagSpecification",
         {{{"ResourceType", "instance"}, {"Tag", {{{"Key", "JOB_ID"}, {"Value", "job"}}}}}}}};
    asked.update(more);
    const MockAnswer answer = service.account().answer("ec2", "RunInstances", asked, clock.time);
    const auto& launched = std::get<nlohmann::json>(answer);
    return launched.at("instancesSet").at(0).at("instanceId").get<std::string>();
  }
  std::vector<Resource> alarms() { return std::get<std::vector<Resource>>(resources.alarms()); }
  std::vector<Resource> instances() {
    const std::vector<std::string_view> keys{job_tag};
    return std::get<std::vector<Resource>>(resources.instances(keys));
  }
};

}  // namespace reeve::live
