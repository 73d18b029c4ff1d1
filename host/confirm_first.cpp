#include "host/confirm_first.hpp"

#include "host/target.hpp"

namespace reeve::host {

std::optional<Veto> ConfirmFirst::refuses(const Wish& wish) {
  const policy::VerbKind kind = kind_of(wish.verb);
  if (kind != policy::VerbKind::stop_job && kind != policy::VerbKind::clone_job) return {};
  const Answer answer = ask_(wish.verb);
  if (answer == Answer::may_act) return {};
  return answer == Answer::waits ? not_yet(name) : Veto{.guard = name};
}

bool ConfirmFirst::counts_what_is_sent() const {
  return true;
}

}  // namespace reeve::host
