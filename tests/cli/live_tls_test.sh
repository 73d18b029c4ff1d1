# Certificates are always verified and proxies are used; a refusal says what helps.
source "$(dirname "$0")/expect.bash"
if ! command -v openssl >/dev/null; then
  echo "skipped: openssl is missing"
  exit 77
fi
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=hidden-key AWS_SESSION_TOKEN=hidden-token
export AWS_EC2_METADATA_DISABLED=true
unset AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_MAX_ATTEMPTS AWS_CA_BUNDLE SSL_CERT_FILE
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY

cat >live.jsonc <<'JSON'
{ "reeve": 1, "live": { "account": "111122223333", "region": "us-east-1" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 8 } ],
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
echo '{"jobs": []}' >account.json

# --- Certificates: one that vouches for itself, and some of an authority of our own.
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
openssl req -x509 "${new_key[@]}" -keyout own.key -out own.pem -subj /CN=localhost -days 2 \
  -addext subjectAltName=DNS:localhost 2>/dev/null
openssl req -x509 "${new_key[@]}" -keyout ca.key -out ca.pem -subj '/CN=our authority' -days 2 \
  2>/dev/null
# certificate NAME HOST DAYS: in NAME.pem and NAME.key.
certificate() {
  openssl req "${new_key[@]}" -keyout "$1.key" -out "$1.csr" -subj "/CN=$2" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$3" \
    -extfile <(echo "subjectAltName=DNS:$2") -out "$1.pem" 2>/dev/null
}
certificate good localhost 2
certificate other other.example 2
certificate expired localhost -1

# start PROGRAM ARGUMENT...: `number` is the port that it prints.
start() {
  rm -f port
  mkfifo port
  python3 "$source_root/tests/cli/$1" "${@:2}" >port &
  read -r number <port
}
# front NAME: the account behind TLS with that certificate.
front() {
  start tls_doubles.py front "$1.pem" "$1.key" "$account"
  export AWS_ENDPOINT_URL=https://localhost:$number
}
# shows_no_secret: nor any part of a user and password of a proxy.
shows_no_secret() {
  local text
  for text in hidden AKIDEXAMPLE; do
    lacks stdout $text
    lacks stderr $text
  done
}
# refused WHY: the account got no request, and the user learns what to do about the certificate.
refused() {
  : >calls.log
  run 4 live plan live.jsonc
  has stderr 'sts:GetCallerIdentity failed: UntrustedCertificate: localhost:'
  has stderr "$1"
  has stderr 'set AWS_CA_BUNDLE to a file with the certificate of that authority'
  is_empty calls.log
  is_empty stdout
  shows_no_secret
}
# accepted: the account got the requests.
accepted() {
  : >calls.log
  run 0 live plan live.jsonc
  has stdout 'account 111122223333'
  has calls.log ListTrainingJobs
}

start training_account.py account.json calls.log
account=$number

# --- A certificate must be of a known authority, of this host, and of today.
front own
refused 'self-signed certificate'
front good
refused 'unable to get local issuer certificate'
AWS_CA_BUNDLE=ca.pem accepted
SSL_CERT_FILE=ca.pem accepted
front own
AWS_CA_BUNDLE=own.pem accepted
AWS_CA_BUNDLE=ca.pem refused 'self-signed certificate'
front other
AWS_CA_BUNDLE=ca.pem refused 'no alternative certificate subject name matches'
front expired
AWS_CA_BUNDLE=ca.pem refused 'certificate has expired'
AWS_CA_BUNDLE=nowhere.pem refused '"nowhere.pem" has no certificates'
AWS_CA_BUNDLE=account.json refused '"account.json" has no certificates'
# No TLS on the other side.
AWS_ENDPOINT_URL=https://localhost:$account run 4 live plan live.jsonc
has stderr 'sts:GetCallerIdentity failed: NotSent: localhost:'

# --- Proxies.
front good
export AWS_CA_BUNDLE=ca.pem
front=$number
start tls_doubles.py proxy proxy.log "$front"
through=http://user:hidden@127.0.0.1:$number
for variable in HTTPS_PROXY https_proxy; do
  : >proxy.log
  export "$variable=$through"
  accepted
  unset "$variable"
  has proxy.log "CONNECT localhost:$front HTTP/1.1"
done
for variable in NO_PROXY no_proxy; do
  : >proxy.log
  export "$variable=example.org,localhost"
  HTTPS_PROXY=$through accepted
  unset "$variable"
  is_empty proxy.log
done
start tls_doubles.py proxy proxy.log "$account"
: >proxy.log
AWS_ENDPOINT_URL=http://sts.example:80 http_proxy=http://user:hidden@127.0.0.1:$number accepted
has proxy.log 'POST http://sts.example'
# A proxy that shows a certificate of its own is no exception.
start tls_doubles.py front own.pem own.key "$account"
start tls_doubles.py proxy proxy.log "$number"
HTTPS_PROXY=http://127.0.0.1:$number refused 'self-signed certificate'

# turned_away MESSAGE: by the proxy HTTPS_PROXY.  No call was sent, which is known.
turned_away() {
  run 4 live plan live.jsonc
  has stderr "sts:GetCallerIdentity failed: NotSent: localhost:$front: $1"
  has stderr '(HTTPS_PROXY is set)'
  has stderr 'check HTTPS_PROXY, as in http://USER:PASSWORD@HOST:PORT; NO_PROXY lists'
  shows_no_secret
}
# start_proxy WAY...: `proxy` is its URL.
start_proxy() {
  start tls_doubles.py "$@"
  proxy=http://user:hidden@127.0.0.1:$number
}
: >calls.log
start_proxy refusing proxy.log 407
HTTPS_PROXY=$proxy turned_away ''
has stderr 407
AWS_ENDPOINT_URL=http://sts.example:80 http_proxy=$proxy run 4 live plan live.jsonc
has stderr 'sts:GetCallerIdentity failed: Http407'
has stderr 'check HTTPS_PROXY'
shows_no_secret
start_proxy refusing proxy.log 403
HTTPS_PROXY=$proxy turned_away ''
has stderr 403
start_proxy closing proxy.log
HTTPS_PROXY=$proxy turned_away 'Proxy CONNECT aborted'
HTTPS_PROXY=http://user:hidden@127.0.0.1:1 turned_away "Couldn't connect to server"
HTTPS_PROXY=http://user:hidden@nowhere.invalid turned_away "Couldn't resolve proxy name"
HTTPS_PROXY=htp://user:hidden@127.0.0.1 turned_away "Couldn't connect to server"
is_empty calls.log
# A host that needs no proxy does not fail because of one.
for hosts in localhost 'example.org, .localhost' '*'; do
  AWS_ENDPOINT_URL=https://localhost:1 HTTPS_PROXY=$proxy NO_PROXY=$hosts run 4 live plan live.jsonc
  has stderr "Couldn't connect to server"
  lacks stderr PROXY
done
AWS_ENDPOINT_URL=https://localhost:1 HTTPS_PROXY=$proxy NO_PROXY=host run 4 live plan live.jsonc
has stderr '(HTTPS_PROXY is set)'
done_checking
