// The tuner against random search on the same budget: how far the true value of what each chooses
// is from the best one, over 20 problems with noise.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "bench/figures.hpp"
#include "experiments/tuner.hpp"

namespace {

using namespace reeve;
using experiments::DesignPoint;
using std::numbers::pi;

constexpr std::size_t candidate_count = 512;
constexpr int budget = 40;
constexpr int repeats = 20;
constexpr double noise = 0.05;  // of the range of the problem

struct Problem {
  std::string name;
  std::size_t dimensions;
  std::function<double(const DesignPoint&)> loss;
  std::function<double(const DesignPoint&)> excess = {};  ///< of a constraint; none: no constraint
};

double squared(double x) {
  return x * x;
}
double wide(double place, double low, double high) {
  return low + place * (high - low);
}

double branin(const DesignPoint& at) {
  const double x = wide(at[0], -5, 10);
  const double y = wide(at[1], 0, 15);
  return squared(y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6) +
         10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}
double camel(const DesignPoint& at) {
  const double x = wide(at[0], -2, 2);
  const double y = wide(at[1], -1, 1);
  return (4 - 2.1 * x * x + x * x * x * x / 3) * x * x + x * y + (4 * y * y - 4) * y * y;
}
double goldstein_price(const DesignPoint& at) {
  const double x = wide(at[0], -2, 2);
  const double y = wide(at[1], -2, 2);
  const double a =
      1 + squared(x + y + 1) * (19 - 14 * x + 3 * x * x - 14 * y + 6 * x * y + 3 * y * y);
  const double b =
      30 + squared(2 * x - 3 * y) * (18 - 32 * x + 12 * x * x + 48 * y - 36 * x * y + 27 * y * y);
  return std::log(a * b);
}
double rosenbrock(const DesignPoint& at) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double x = wide(at[i], -2, 2);
    sum += 100 * squared(wide(at[i + 1], -1, 3) - x * x) + squared(1 - x);
  }
  return std::log1p(sum);
}
double ackley(const DesignPoint& at) {
  double squares = 0;
  double waves = 0;
  for (const double place : at) {
    const double x = wide(place, -4, 6);
    squares += x * x;
    waves += std::cos(2 * pi * x);
  }
  const auto n = static_cast<double>(at.size());
  return 20 + std::numbers::e - 20 * std::exp(-0.2 * std::sqrt(squares / n)) - std::exp(waves / n);
}
double griewank(const DesignPoint& at) {
  double sum = 0;
  double product = 1;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double x = wide(at[i], -6, 9);
    sum += x * x / 4'000;
    product *= std::cos(x / std::sqrt(static_cast<double>(i + 1)));
  }
  return 1 + sum - product;
}
double hartmann(const DesignPoint& at) {
  constexpr double a[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  constexpr double p[4][3] = {{0.3689, 0.1170, 0.2673},
                              {0.4699, 0.4387, 0.7470},
                              {0.1091, 0.8732, 0.5547},
                              {0.03815, 0.5743, 0.8828}};
  constexpr double weights[4] = {1, 1.2, 3, 3.2};
  double sum = 0;
  for (int row = 0; row < 4; ++row) {
    double inside = 0;
    for (std::size_t i = 0; i < 3; ++i) inside += a[row][i] * squared(at[i] - p[row][i]);
    sum -= weights[row] * std::exp(-inside);
  }
  return sum;
}
double gramacy_lee(const DesignPoint& at) {
  const double x = wide(at[0], 0.5, 2.5);
  return std::sin(10 * pi * x) / (2 * x) + std::pow(x - 1, 4);
}
double forrester(const DesignPoint& at) {
  return squared(6 * at[0] - 2) * std::sin(12 * at[0] - 4);
}
double sphere(const DesignPoint& at) {
  double sum = 0;
  for (const double x : at) sum += squared(x - 0.3);
  return sum;
}
double ridge(const DesignPoint& at) {
  double sum = 0;
  for (const double x : at) sum += std::abs(x - 0.7);
  return sum;
}
double step(const DesignPoint& at) {
  double sum = 0;
  for (const double x : at) sum += std::floor(20 * std::abs(x - 0.55));
  return sum;
}
/// An alarm: the later it looks the more a stall costs, the sooner the more healthy jobs it stops.
double alarm_cost(const DesignPoint& at) {
  const double minutes = std::exp(wide(at[0], 0, 4));
  const double points = wide(at[1], 1, 6);
  return 30 * minutes * points / 60 + 400 * std::exp(-minutes * points / 12);
}
double false_stops(const DesignPoint& at) {
  const double minutes = std::exp(wide(at[0], 0, 4));
  return 10 * std::exp(-minutes * wide(at[1], 1, 6) / 20) - 2;
}
/// A checkpoint interval: the cost of saves against lost work.
double checkpoints(const DesignPoint& at) {
  const double every = std::exp(wide(at[0], -3, 3));
  return 0.1 / every + every / 8;
}
double waves(const DesignPoint& at) {
  double sum = 0;
  for (const double x : at) sum += std::sin(5 * x) + 0.3 * std::sin(17 * x);
  return sum;
}

std::vector<Problem> problems() {
  return {{"gramacy_lee", 1, gramacy_lee},
          {"forrester", 1, forrester},
          {"checkpoints", 1, checkpoints},
          {"waves_1", 1, waves},
          {"branin", 2, branin},
          {"camel", 2, camel},
          {"goldstein_price", 2, goldstein_price},
          {"rosenbrock_2", 2, rosenbrock},
          {"ackley_2", 2, ackley},
          {"griewank_2", 2, griewank},
          {"sphere_2", 2, sphere},
          {"step_2", 2, step},
          {"alarm", 2, alarm_cost},
          {"alarm_constrained", 2, alarm_cost, false_stops},
          {"hartmann_3", 3, hartmann},
          {"rosenbrock_3", 3, rosenbrock},
          {"ackley_3", 3, ackley},
          {"sphere_3", 3, sphere},
          {"ridge_3", 3, ridge},
          {"waves_3_constrained", 3, waves, [](const DesignPoint& at) { return at[0] - 0.6; }}};
}

/// What a problem is at its candidates.
struct Values {
  std::vector<double> loss;
  std::vector<double> excess;
  double least = 0;  ///< of the candidates that keep the constraint
  double range = 0;
};

Values values_of(const Problem& problem, const std::vector<DesignPoint>& candidates) {
  Values values;
  for (const DesignPoint& at : candidates) {
    values.loss.push_back(problem.loss(at));
    values.excess.push_back(problem.excess ? problem.excess(at) : -1);
  }
  const auto [low, high] = std::minmax_element(values.loss.begin(), values.loss.end());
  values.range = *high - *low;
  values.least = *high;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    if (values.excess[at] <= 0) values.least = std::min(values.least, values.loss[at]);
  }
  return values;
}

/// The regret of a choice, as a share of the range; one that breaks the constraint is the worst.
double regret(const Values& values, std::optional<std::size_t> chosen) {
  if (!chosen || values.excess[*chosen] > 0) return 1;
  return (values.loss[*chosen] - values.least) / values.range;
}

double tuned(const Problem& problem, const Values& values,
             const std::vector<DesignPoint>& candidates, std::mt19937_64& random) {
  std::normal_distribution<double> error{0, noise * values.range};
  experiments::Tuner tuner{candidates, problem.excess ? 1U : 0U};
  for (int run = 0; run < budget; ++run) {
    const auto at = tuner.next();
    if (!at) break;
    experiments::Measured measured{{values.loss[*at] + error(random), noise * values.range}, {}};
    if (problem.excess) measured.excess.push_back({values.excess[*at], 0});
    tuner.tell(*at, std::move(measured));
  }
  return regret(values, tuner.best());
}

double searched(const Values& values, std::mt19937_64& random) {
  std::normal_distribution<double> error{0, noise * values.range};
  std::vector<std::size_t> order(values.loss.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  std::shuffle(order.begin(), order.end(), random);
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t run = 0; run < budget; ++run) {
    const std::size_t at = order[run];
    const double seen = values.loss[at] + error(random);
    if (values.excess[at] > 0 || (best && seen >= least)) continue;
    best = at;
    least = seen;
  }
  return regret(values, best);
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  double worst = 0;
  double sum_tuned = 0;
  double sum_searched = 0;
  for (const Problem& problem : problems()) {
    const auto candidates = experiments::sobol(candidate_count, problem.dimensions);
    const Values values = values_of(problem, candidates);
    std::mt19937_64 random{1};
    double ours = 0;
    double theirs = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      ours += tuned(problem, values, candidates, random);
      theirs += searched(values, random);
    }
    figures.add("tune/regret_over_random/" + problem.name, ours / theirs);
    worst = std::max(worst, ours / theirs);
    sum_tuned += ours;
    sum_searched += theirs;
  }
  figures.add("tune/worst_regret_over_random", worst);
  figures.add("tune/mean_regret_over_random", sum_tuned / sum_searched);
  return figures.finish(count, arguments);
}
