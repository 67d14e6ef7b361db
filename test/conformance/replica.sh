#!/usr/bin/env bash
# Replica of the conformance kit, as packages/conformance/src/replica.ts is one: bash starts in a tenth of the processor
# time that Node needs. It holds a connection, so that its life can be seen, writes a line now and then, and says when it
# gets SIGTERM. The line `done` is the end of its work, and a connection that ends is a crash. Where its address asks for
# it, it starts a process that only holds a connection, and does not end it.
set -u
address=${1:-$CONFORMANCE_REPLICA_URL}
[[ $address =~ ^http://([^:/]+):([0-9]+)/[^?]*(\?.*)?$ ]] || exit 2
host=${BASH_REMATCH[1]} port=${BASH_REMATCH[2]} query=${BASH_REMATCH[3]:-}
end_ms=0
[[ $query =~ end-ms=([0-9]+) ]] && end_ms=${BASH_REMATCH[1]}

if [[ $address == */child ]]; then
  exec 3<>"/dev/tcp/$host/$port" || exit 1
  printf 'GET /child HTTP/1.1\r\nHost: %s:%s\r\n\r\n' "$host" "$port" >&3
  # until the kit or a signal ends it
  while IFS= read -r -u 3 _; do :; done
  exit 0
fi
[[ $query =~ child= ]] && { bash "$0" "http://$host:$port/child" </dev/null >/dev/null 2>&1 & }

exec 3<>"/dev/tcp/$host/$port" || exit 1
end() {
  printf 'd\r\nasked to end\n\r\n' >&3
  if ((end_ms > 0)); then
    printf -v seconds '%d.%03d' $((end_ms / 1000)) $((end_ms % 1000))
    sleep "$seconds"
  fi
  exit 0
}
trap end TERM
printf 'POST /program%s HTTP/1.1\r\nHost: %s:%s\r\nTransfer-Encoding: chunked\r\n\r\n' "$query" "$host" "$port" >&3

# the answer comes when replicas may be ready
IFS= read -r -u 3 _ || exit 1
echo 'replica started'
lines=0
while :; do
  IFS= read -r -t 0.4 -u 3 line
  status=$?
  if [[ $line == done ]]; then exit 0; fi
  if ((status > 128)); then
    lines=$((lines + 1))
    echo "replica is at work, line $lines"
  elif ((status > 0)); then
    exit 1
  fi
done
