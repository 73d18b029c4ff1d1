// Where the certificates are that AWS is verified by.
#pragma once

#include <string>

#include "live/aws/environment.hpp"

namespace reeve::live {

/// The certificates: AWS_CA_BUNDLE or SSL_CERT_FILE, else the first usual file that exists, else
/// empty: libcurl knows its own, a SocketTransport has none.
std::string ca_file_of(const Environment& environment);

}  // namespace reeve::live
