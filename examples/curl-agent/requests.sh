# shellcheck shell=sh
# How agent.sh talks to the service: one request, and what to do when it fails.

longest_pause=30    # seconds between two tries of what does not work; of heartbeats at most their interval
longest_busy=3600   # the most that Retry-After can make us wait
refusals_for_good=4 # this many 401s in a row, seconds apart, are no slip of a proxy or of a rotation

# wait_for PID: a trap runs at once, and finds in $waited_for what to end; afterwards the number may be somebody else's
wait_for() {
  waited_for=$1
  wait "$1"
  # a trap that returns has cut the wait short
  while kill -0 "$1" 2>/dev/null; do wait "$1"; done
  waited_for=''
}

# pause SECONDS: unlike a plain sleep it lets a trap run at once
pause() {
  sleep "$1" &
  wait_for $!
}

# first_line FILE: sets $line, to nothing where there is no such file. Unlike cat it starts no process.
first_line() {
  line=''
  { read -r line <"$1"; } 2>/dev/null
}

# random_between LOW HIGH [MORE]: a number with fractions, so that agents which failed together come back apart, and
# MORE on top
random_between() {
  od -An -N4 -tu4 /dev/urandom |
    awk -v low="$1" -v high="$2" -v more="${3:-0}" '{ printf "%.2f", more + low + (high - low) * $1 / 4294967296 }'
}

# request METHOD PATH SECONDS [BODY-FILE [IDEMPOTENCY-KEY]]: sets $status (000: no answer), $retry_after (seconds, 0
# without one), and leaves $reply.flat. Two processes call it, so their files are told apart by $role.
request() {
  reply=$work/$role.reply
  # curl leaves alone what it gets nothing for
  : >"$reply" >"$reply.headers" >"$reply.status"
  # the key goes in by standard input: arguments are for everybody to see
  curl --disable --silent --config - --request "$1" --connect-timeout 5 --max-time "$3" \
    --dump-header "$reply.headers" --output "$reply" --write-out '%{http_code}' \
    ${4:+--header 'Content-Type: application/json' --data-binary "@$4"} \
    ${5:+--header "Idempotency-Key: $5"} "$url$2" >"$reply.status" <<CONFIG &
header = "Authorization: Bearer $key"
CONFIG
  wait_for $!
  first_line "$reply.status"
  status=${line:-000} retry_after=0
  while read -r name value; do
    case $name in [Rr]etry-[Aa]fter:) retry_after=${value%%[!0-9]*} ;; esac
  done <"$reply.headers"
  : "${retry_after:=0}"
  if [ ${#retry_after} -gt 4 ] || [ "$retry_after" -gt "$longest_busy" ]; then retry_after=$longest_busy; fi
  is_json=yes
  awk -f "$here/flatten-json.awk" "$reply" >"$reply.flat" 2>/dev/null || is_json=''
  # what is cut short is as good as no answer, and so is a proxy's page, whatever its status: it neither refuses the key
  # nor forgets a command
  case $status in
    000) ;;
    200) if [ -z "$is_json" ]; then status=000; fi ;;
    *)
      field .statusCode
      if [ "$value" != "$status" ]; then status=000; fi
      field .request_id
      if [ -z "$value" ]; then status=000; fi
      ;;
  esac
}

# field PATH: of the last reply, in $value
field() {
  while IFS=$tab read -r name value; do
    if [ "$name" = "$1" ]; then return; fi
  done <"$work/$role.reply.flat"
  value=''
}

# A server in trouble, or none: to be tried again. Everything else of 400 and up is meant for us.
worth_repeating() { case $status in 000 | 408 | 429 | 5??) true ;; *) false ;; esac; }

# back_off FAILURES: anything up to a ceiling that doubles each time, from a second, so that agents which failed together
# come back apart; on top of what Retry-After asks for
back_off() {
  ceiling=1 doublings=1
  while [ "$doublings" -lt "$1" ] && [ "$ceiling" -lt "$longest_pause" ]; do
    ceiling=$((ceiling * 2)) doublings=$((doublings + 1))
  done
  if [ "$ceiling" -gt "$longest_pause" ]; then ceiling=$longest_pause; fi
  pause "$(random_between 0.1 "$ceiling" "$retry_after")"
}

# hold KIND: the last reply has refused this kind of call. Both processes send heartbeats, so both have to know.
hold() {
  if [ "$retry_after" -eq 0 ]; then return; fi
  # whole seconds: one more, or it could be up to a second too few
  printf '%s\n' $(($(date +%s) + retry_after + 1)) >"$work/$role.hold" && mv "$work/$role.hold" "$work/no-$1-before"
}

# is_held KIND: whether such a call would come too soon. Sets $status and $retry_after as if it had been refused again.
is_held() {
  first_line "$work/no-$1-before"
  if [ -z "$line" ]; then return 1; fi
  now=$(date +%s)
  if [ "$now" -ge "$line" ]; then return 1; fi
  status=503 retry_after=$((line - now))
}

# after_failure: what to do about a reply that is no 200; counts in $failures and $refusals
after_failure() {
  if [ "$status" = 401 ]; then
    refusals=$((refusals + 1))
    if [ "$refusals" -ge "$refusals_for_good" ]; then refused_for_good; fi
    retry_after=1
  else
    refusals=0
  fi
  failures=$((failures + 1))
  back_off "$failures"
}
