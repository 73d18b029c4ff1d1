// What a policy may do, though a clock's name is in it: an instant goes to another file of its own.
#include <reeve/policy/units.hpp>

namespace reeve::policies {

bool is_due(policy::Instant now);  // of the other file

bool decides(policy::Instant now) {
  return is_due(now);
}

}  // namespace reeve::policies
