# The parent of the server. Its standard input is a pipe whose other end only the starter holds: a line on it is an
# order, its end means that the starter is gone. The starter may be killed at any time, the server must not outlive it
# for long, but processes that are just finishing may still write: they get grace_seconds to disconnect.
# Arguments: pid and start time of the starter (for others to read in the process list), grace, port in hex, the server.
grace_seconds=$3
connected=": 0100007F:$4 [0-9A-F]*:[0-9A-F]* 01 " # an established connection to 127.0.0.1:port in /proc/net/tcp
shift 4

trap '' HUP INT TERM # a signal to everybody must not end the server before its clients; it sets its own handlers
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!

obey() {
  while read -r order; do
    case $order in
      fast) kill -INT "$server" ;;
      immediate) kill -QUIT "$server" ;;
    esac
  done
  tenths=$((grace_seconds * 10))
  while [ "$tenths" -gt 0 ] && grep -q "$connected" /proc/net/tcp; do
    sleep 0.1
    tenths=$((tenths - 1))
  done
  kill -INT "$server"
}
obey <&3 3<&- 2>/dev/null &
obeying=$!

wait "$server"
code=$?
kill -KILL "$obeying"
exit "$code"
