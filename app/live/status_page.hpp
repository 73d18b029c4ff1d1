// The status page of a run, on loopback: its tables, its health, and metrics for Prometheus.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "live/http/server.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// `GET /` is a page that reloads itself every five seconds, `GET /status.json` the same tables,
/// `GET /metrics` the text format of Prometheus.  `GET /healthz` has the status 503 if the run has
/// not gone on for two minutes.  Other requests are refused, as are those that name another host
/// than this machine.
class StatusPage {
 public:
  /// Port 0: a free one.  Throws UsageError if the port cannot be had.
  explicit StatusPage(std::uint16_t port);
  ~StatusPage();
  StatusPage(const StatusPage&) = delete;
  StatusPage& operator=(const StatusPage&) = delete;

  std::string url() const;
  void show(const std::vector<report::Table>& tables, std::string metrics);

 private:
  live::Response reply(const live::Request& request);

  std::mutex mutex_;
  std::string text_ = "the run begins\n";
  std::string json_ = "[]\n";
  std::string metrics_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
  std::unique_ptr<live::HttpServer> server_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace reeve::app
