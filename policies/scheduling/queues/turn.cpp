#include "turn.hpp"

#include "job_queues.hpp"

namespace reeve::policies {

using namespace policy;

std::size_t Turn::asked(PoolId pool) const {
  return queues.asked(pool);
}

bool Turn::waits(JobId job, AttemptNumber attempt, PoolId pool) const {
  return queues.waits(job, attempt, pool);
}

std::uint32_t Turn::instances(JobId job) const {
  return queues.instances(job);
}

void Turn::start(JobId job) {
  queues.start(job, *this);
}

void Turn::preempt(JobId job, PreemptCause cause, JobId to) {
  queues.preempt(job, cause, to, *this);
}

void Turn::place(JobId job, PoolId pool) {
  queues.place(job, pool, *this);
}

void Turn::look_after(PoolId pool, Duration wait) {
  queues.look_after(pool, wait, *this);
}

void Turn::set_aside(JobId job) {
  queues.set_aside(job, *this);
}

void Turn::release(JobId job) {
  queues.release(job, *this);
}

}  // namespace reeve::policies
