#include "live/https/tls_client.hpp"

#include "live/https/connection_failure.hpp"

namespace reeve::live {

TlsClient::TlsClient(const std::string& ca_file) {
  const bool has_random =
      mbedtls_ctr_drbg_seed(random_.get(), mbedtls_entropy_func, entropy_.get(), nullptr, 0) == 0;
  const bool has_defaults =
      mbedtls_ssl_config_defaults(config_.get(), MBEDTLS_SSL_IS_CLIENT,
                                  MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) == 0;
  if (!has_random || !has_defaults) {
    throw ConnectionFailure{TransportFault::not_sent, "TLS cannot start"};
  }
  if (ca_file.empty()) {
    throw ConnectionFailure{TransportFault::untrusted,
                            "no file with certificates is found: AWS_CA_BUNDLE names one"};
  }
  // A positive result counts the certificates that the library cannot read: the others are used.
  if (mbedtls_x509_crt_parse_file(issuers_.get(), ca_file.c_str()) < 0 ||
      issuers_.get()->version == 0) {
    throw ConnectionFailure{TransportFault::untrusted, '"' + ca_file + "\" has no certificates"};
  }
  mbedtls_ssl_conf_min_version(config_.get(), MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_rng(config_.get(), mbedtls_ctr_drbg_random, random_.get());
  mbedtls_ssl_conf_ca_chain(config_.get(), issuers_.get(), nullptr);
  mbedtls_ssl_conf_authmode(config_.get(), MBEDTLS_SSL_VERIFY_REQUIRED);
}

}  // namespace reeve::live
