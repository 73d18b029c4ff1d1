#include "experiments/interrupted_work.hpp"

#include <cmath>

namespace reeve::experiments {
namespace {

/// Expected time until machines were left alone for `stretch` hours, if each interruption begins it
/// anew: (e^(rate x stretch) - 1) / rate.
double until_undisturbed(double stretch, double rate) {
  return std::expm1(rate * stretch) / rate;
}

/// Expected time of a stretch that ends with it or with an interruption.
double until_either(double stretch, double rate) {
  return -std::expm1(-rate * stretch) / rate;
}

/// The probability that an interruption comes within it.
double disturbed(double stretch, double rate) {
  return -std::expm1(-rate * stretch);
}

/// Checkpoints that count before all is done.
double checkpoints_of(const InterruptedWork& job) {
  if (job.apart <= 0) return 0;
  return std::fmax(0, std::ceil((job.length - job.upload) / job.apart) - 1);
}

/// Of start-ups and training.
double until_done(const InterruptedWork& job, double rate) {
  const double checkpoints = checkpoints_of(job);
  if (checkpoints == 0) {
    const double first = job.first_startup + job.length;
    return until_either(first, rate) +
           disturbed(first, rate) * until_undisturbed(job.startup + job.length, rate);
  }
  // From the instant at which a checkpoint counts the next one does after `apart`, or, if something
  // intervenes, from a new start.
  const double to_next = job.apart + job.upload;
  const double again = until_undisturbed(job.startup + job.restore + to_next, rate);
  const double each = until_either(job.apart, rate) + disturbed(job.apart, rate) * again;
  const double rest = job.length - checkpoints * job.apart;  // of the work, from the last one
  const double last = until_either(rest - job.upload, rate) +
                      disturbed(rest - job.upload, rate) *
                          until_undisturbed(job.startup + job.restore + rest, rate);
  const double first = job.first_startup + to_next;
  return until_either(first, rate) +
         disturbed(first, rate) * until_undisturbed(job.startup + to_next, rate) +
         (checkpoints - 1) * each + last;
}

}  // namespace

double shortest_launch(const InterruptedWork& job) {
  const double checkpoints = checkpoints_of(job);
  const double from_start = job.length + job.delivery + std::fmin(job.first_startup, job.startup);
  if (checkpoints == 0) return from_start;
  const double rest = job.length - checkpoints * job.apart;
  return std::fmin(from_start, job.startup + job.restore + rest + job.delivery);
}

double expected_hours(const InterruptedWork& job, double rate) {
  const double undisturbed = job.first_startup + job.length;
  if (rate <= 0) return std::fmax(undisturbed + job.delivery, job.minimum);
  const double done = until_done(job, rate);
  const double launches = 1 + rate * done;
  const double missing = job.minimum - until_either(job.minimum, rate);
  return done + until_either(job.delivery, rate) + launches * missing;
}

double rate_of_ratio(const InterruptedWork& job, double ratio) {
  const double wanted = ratio * expected_hours(job, 0);
  double low = 0;
  double high = 1e-6;
  while (expected_hours(job, high) < wanted) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (expected_hours(job, middle) < wanted ? low : high) = middle;
  }
  return high;
}

double first_order_rate_of_ratio(const InterruptedWork& job, double ratio) {
  const double at_risk = job.first_startup + job.length;
  const double each = job.apart / 2 + job.upload + job.startup + job.restore;
  return (ratio - 1) * (at_risk + job.delivery) / at_risk / each;
}

}  // namespace reeve::experiments
