# Cleans up after a supervisor that was killed. Its standard input is a pipe whose other end only the supervisor holds:
# "+ PID START" tells of a new process group and when its leader began, "- PID" that the group is gone. When the pipe
# ends, leaders get grace_seconds to stop by themselves; what is left of a group without a leader goes at once.
grace_seconds=$1
trap '' HUP INT TERM
groups=
newline='
'

while read -r sign pid start; do
  case $sign in
    +) groups="$groups$pid $start$newline" ;;
    -) groups=$(printf '%s' "$groups" | grep -v "^$pid ")$newline ;;
  esac
done

# Prints when the process began, nothing when it is gone or a zombie. The name in brackets may hold blanks.
began() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$1" = Z ] || printf %s "${20}"
}

tenths=$((grace_seconds * 10))
while :; do
  left=
  while read -r pid start; do
    [ -n "$pid" ] || continue
    now=$(began "$pid")
    if [ "$now" = "$start" ] && [ "$tenths" -gt 0 ]; then
      left=yes
    elif [ -z "$now" ] || [ "$now" = "$start" ]; then # otherwise the number belongs to somebody else by now
      kill -KILL "-$pid" 2>/dev/null
    fi
  done <<EOF
$groups
EOF
  [ -n "$left" ] || exit 0
  sleep 0.1
  tenths=$((tenths - 1))
done
