#include "app/live/status_page.hpp"

#include <fmt/format.h>

#include <csignal>
#include <functional>
#include <utility>

#include "app/usage_error.hpp"
#include "live/aws/xml.hpp"
#include "report/terminal.hpp"

namespace reeve::app {
namespace {

std::string html(const std::string& text) {
  return "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"5\">"
         "<title>reeve live</title><pre>" +
         live::xml_escaped(text) + "</pre>\n";
}

/// A page of another site cannot read this one under a name of its own.
bool is_this_machine(const std::string& host) {
  return host == "127.0.0.1" || host == "localhost";
}

/// Signals are for the main thread, which waits in calls that they interrupt.
std::thread without_signals(std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread{std::move(work)};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

StatusPage::StatusPage(std::uint16_t port) {
  auto listening = live::HttpServer::listen(
      port, [this](const live::Request& request) { return std::optional{reply(request)}; });
  if (const live::Failure* failure = live::failure_of(listening)) {
    throw UsageError{failure->message, "--status-port 0 takes a free port"};
  }
  server_ = std::get<std::unique_ptr<live::HttpServer>>(std::move(listening));
  thread_ = without_signals([this] { server_->serve([this] { return stopped_.load(); }); });
}

StatusPage::~StatusPage() {
  stopped_ = true;
  thread_.join();
}

std::string StatusPage::url() const {
  return fmt::format("http://127.0.0.1:{}/", server_->port());
}

void StatusPage::show(const std::vector<report::Table>& tables, std::string metrics) {
  std::string text;
  std::string json;
  for (const report::Table& table : tables) {
    constexpr std::size_t columns = 140;
    text += report::terminal(table, {.width = columns, .colour = false}) + '\n';
    json += (json.empty() ? "[" : ",") + report::json(table);
  }
  const std::lock_guard lock{mutex_};
  text_ = std::move(text);
  json_ = json + "]\n";
  metrics_ = std::move(metrics);
  shown_ = std::chrono::steady_clock::now();
}

live::Response StatusPage::reply(const live::Request& request) {
  if (!is_this_machine(request.host)) return {403, {}, "this page is for 127.0.0.1\n"};
  if (request.method != "GET") return {405, {}, "the page only reads\n"};
  const std::lock_guard lock{mutex_};
  if (request.path == "/status.json") return {200, {{"Content-Type", "application/json"}}, json_};
  if (request.path == "/") return {200, {{"Content-Type", "text/html"}}, html(text_)};
  if (request.path == "/metrics") {
    return {200, {{"Content-Type", "text/plain; version=0.0.4"}}, metrics_};
  }
  if (request.path == "/healthz") {
    constexpr std::chrono::minutes longest{2};
    const bool goes_on = std::chrono::steady_clock::now() - shown_ < longest;
    return {goes_on ? 200 : 503, {}, goes_on ? "ok\n" : "the run does not go on\n"};
  }
  return {404, {}, "GET /, /status.json, /metrics or /healthz\n"};
}

}  // namespace reeve::app
