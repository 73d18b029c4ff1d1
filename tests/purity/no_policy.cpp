// A library in which there is no policy: the purity check must say that it examined nothing.
namespace reeve {

int not_a_policy(int x) {
  return x + 1;
}

}  // namespace reeve
