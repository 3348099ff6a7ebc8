/** The shell scripts that make an overlay and hold it. For any POSIX `sh`, with the tools of util-linux. */

/**
 * Quotes bytes as an argument of a script: node passes text only, and a path may be no text. `printf %b` decodes it.
 * @param bytes one character per byte
 */
export function scriptArgument(bytes: string): string {
  return bytes.replace(/[^A-Za-z0-9/._-]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** What a mount table calls the source of a copy's overlay. `place` follows. It tells processes in a copy from others. */
export function mountSource(id: string): string {
  return `savepoint:${id}:`;
}

/** The same for a mount in which nothing runs: it only shows what the copy contains. */
export function lookSource(id: string): string {
  return `savepoint-look:${id}:`;
}

/** Starts {@link START} in the background, and prints its process. Its first line follows, or its errors are in the file. */
export const DETACH = `
start=$1; shift
sh -c "$start" savepoint-copy "$@" </dev/null 2>holder-errors &
echo "$!"`;

/** The command substitution would remove line breaks at the end of a name, so a dot follows it. */
const DECODE = `decode() { decoded=$(printf '%b.' "$1"); decoded=\${decoded%.}; }`;

/**
 * Makes new namespaces in which the user stays who they are, and runs {@link HOLD} in them.
 *
 * Root keeps all users and groups, which `unshare` cannot arrange without other programs. Root gets a user namespace as
 * well, because without one its commands could reach processes and settings of the outside.
 */
export const START = `
hold=$1; shift
if [ "$(id -u)" != 0 ]; then
  exec unshare --map-current-user --keep-caps --mount --propagation private sh -c "$hold" savepoint-copy "$@"
fi
own=$(readlink /proc/self/ns/user) || exit 1
identity() { while read -r first _ count; do printf '%s %s %s\\n' "$first" "$first" "$count"; done <"$1"; }
(
  while now=$(readlink "/proc/$$/ns/user") && [ "$now" = "$own" ]; do :; done
  [ -n "$now" ] || exit 1
  map=$(identity /proc/self/gid_map); printf '%s\\n' "$map" >"/proc/$$/gid_map"
  map=$(identity /proc/self/uid_map); printf '%s\\n' "$map" >"/proc/$$/uid_map"
) &
# -p: a shell that starts while the user is being mapped would take a change of its user for a set-user-id program.
exec unshare --user --keep-caps --mount --propagation private sh -p -c "$hold" savepoint-copy "$@"
`;

/**
 * Arguments: the mark of this copy's mounts, the root, the place of the copy, the home to cover (or nothing), the access,
 * repositories outside of the root to cover (each `rw:` or `ro:`, the name of its folder in the place, `:` and its path),
 * second places of what is covered (each a path, `:` and its second path), the file that keeps the mount (or nothing), then
 * folders to put over the root, topmost first. The paths are as from {@link scriptArgument}. The access is one of
 * - `edit`
 * - `read`: nothing can be written
 * - `list`: the same, and the root itself is hidden
 * - `alone`: the root itself is hidden
 * - `look`: the same, and nothing can be written, not even by the mount itself
 *
 * Prints one line when everything is mounted. Then it waits until its standard input is closed, or until no process has a
 * shared lock on the file. It kills whatever still runs in the copy, so that nothing stays of it. It keeps its lock until
 * then: who gets a lock after that finds no mount.
 */
export const HOLD = `
trap '' HUP INT
tries=0
until [ -n "$(cat /proc/self/uid_map)" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 5000 ] || { echo 'the user could not be mapped' >&2; exit 1; }
done
${DECODE}
mark=$1
decode "$2"; root=$decoded
decode "$3"; place=$decoded
decode "$4"; home=$decoded
access=$5
repositories=$6
seconds=$7
decode "$8"; held=$decoded
shift 8
if [ -n "$held" ]; then exec 3<"$held" || exit 1; fi
if [ "$(id -u)" != 0 ] && [ "$access" = edit ] && [ "$#" = 0 ]; then
  # The user may write these, but the kernel cannot copy them into the overlay: their user or group has no name in it. With
  # folders of the user over the root, it need not.
  mine=$(id -u)
  found=$(find "$root" -xdev ! -type l '(' -user "$mine" ! -group "$(id -g)" -o ! -user "$mine" -writable ')' -print -quit 2>/dev/null)
  [ -z "$found" ] || { printf 'foreign: %s\n' "$found" >&2; exit 1; }
fi
set -e
# The kernel reads the paths of layers from a list that commas and colons separate. Handles have no such characters.
exec 9<"$root"
lower=/proc/self/fd/9
handle=8
layers=
for layer in "$@"; do
  decode "$layer"
  eval "exec $handle<\\"\\$decoded\\""
  layers=$layers/proc/self/fd/$handle:
  handle=$((handle - 1))
done
case $access in edit | read) lower=$layers$lower ;; *) lower=\${layers%:} ;; esac
case $access in
  edit | alone) options=rw,lowerdir=$lower,upperdir=upper,workdir=work ;;
  look) options=ro,lowerdir=upper:$lower ;;
  *) options=ro,lowerdir=$lower,upperdir=upper,workdir=work ;;
esac
cd -- "$place"
# Before the root, which may be inside of one.
for given in $repositories; do
  may_git=\${given%%:*}
  given=\${given#*:}
  git=git/\${given%%:*}
  decode "\${given#*:}"
  exec 4<"$decoded"
  mount -t overlay -o "$may_git,lowerdir=/proc/self/fd/4,upperdir=$git/upper,workdir=$git/work,userxattr" "$mark$place" "$decoded"
  exec 4<&-
done
mount -t overlay -o "$options,userxattr" "$mark$place" "$root"
exec 9<&- 8<&- 7<&- 6<&- 5<&-
# Savepoint's own home is another one in here, whatever name or variable leads to it.
if [ -n "$home" ]; then
  inside=$home/copies/\${place##*/}/home
  mount --bind "$place/home" "$home"
  mount --bind "$home" "$inside"
fi
# Last, so that they show everything that is covered.
for given in $seconds; do
  decode "\${given%%:*}"; covered=$decoded
  decode "\${given#*:}"
  if [ -e "$covered" ]; then
    mount --rbind "$covered" "$decoded"
  # The home in here lacks what the real one has.
  elif [ -d "$decoded" ]; then
    mount -t tmpfs -o ro,mode=700 savepoint-nothing "$decoded"
  else
    mount --bind /dev/null "$decoded"
  fi
done
cd /
set +e
missing=
if [ "$(id -u)" = 0 ]; then
  for folder in /proc/sys /sys; do
    [ -d "$folder" ] || continue
    mount --rbind "$folder" "$folder" && mount -o remount,bind,ro,nosuid,nodev,noexec "$folder" || missing="$missing $folder"
  done
  for device in /dev/* /dev/mapper/*; do
    [ -b "$device" ] || continue
    mount --bind /dev/null "$device" || missing="$missing $device"
  done
fi 2>/dev/null
end() {
  quiet=0
  while [ "$quiet" -lt 2 ]; do
    quiet=$((quiet + 1))
    for found in $(grep -l -s -F -e " overlay $mark" /proc/[0-9]*/mountinfo); do
      found=\${found#/proc/}
      found=\${found%/mountinfo}
      [ "$found" != "$$" ] && kill -9 "$found" 2>/dev/null && quiet=0
    done
  done
  exit 0
}
trap end TERM
printf 'ready%s\\n' "$missing"
exec >/dev/null 2>&1
if [ -n "$held" ]; then
  # In the background, because a shell handles signals only between commands.
  flock -x 3 3<&3 &
  wait "$!"
else
  while read -r _; do :; done
fi
end
`;

/** Arguments: the folder to go to, as from {@link scriptArgument}, then the command. */
export const ENTER = `${DECODE}
decode "$1"; shift
cd -- "$decoded" || exit 125
unset OLDPWD
exec "$@"`;
