#!/bin/sh
# Sends one SMS by curl, and says whether it went out: sent, not-sent or unknown. Needs jq.
# sh outcome.sh '{"recipient":"+15551234567","message":"Hello"}' [seconds]
: "${MESSAGING_TOPUP_BASE_URL:?}" "${MESSAGING_TOPUP_TOKEN:?}"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
# Without --disable, a retry in .curlrc would send again.
status=$(curl --disable --silent --output "$body" --write-out '%{http_code}' --max-time "${2:-30}" \
  --header "Authorization: Bearer $MESSAGING_TOPUP_TOKEN" \
  --header "Content-Type: application/json" \
  --data "$1" "$MESSAGING_TOPUP_BASE_URL/sms/send")
ended=$?

# Without --slurp, jq says of an empty body that it is true.
has() { jq --exit-status --slurp "length == 1 and (.[0] | $1)" "$body" >/dev/null 2>&1; }

error='type == "object" and (.error | type) == "object"'
accepted='.success == true and (.data | type == "array" and any(type == "object")) and (.error | type) != "object"'

case $ended:$status in
  6:* | 7:* | 35:* | 60:* | *:429) echo not-sent ;;
  0:400 | 0:401 | 0:402 | 0:403 | 0:404) has "$error" && echo not-sent || echo unknown ;;
  0:202) has "$accepted" && echo sent || echo unknown ;;
  *:202) echo sent ;;
  *) echo unknown ;;
esac
