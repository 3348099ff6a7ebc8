/**
 * The shell that starts the program in the pseudo-terminal, in a process group of its own. Without it, no process of the
 * session could continue the program, so the system would ignore Ctrl-Z.
 */

import { systemProgram } from '../system-program.ts';

/** The shell sends this to us when the program has stopped. */
export const STOPPED_SIGNAL = 'SIGUSR2';

/** What the shell reads to continue a stopped program. */
export const CONTINUE_LINE = Buffer.from('\n');

/**
 * Its first arguments are `stty`, and the modes for the terminal. The first line of output is the process id of the program. The shell's own
 * messages are discarded.
 */
const SCRIPT = `
exec 3>&2 2>/dev/null
stty=$1
"$stty" "$2"
shift 2
set -m
/bin/sh -c 'echo $$; exec "$@"' sh "$@" 2>&3 3>&-
status=$?
while kill -0 %%; do
  modes=$("$stty" -g)
  "$stty" icanon icrnl -echo
  kill -${STOPPED_SIGNAL.slice(3)} "$PPID"
  read -r line || exit "$status"
  "$stty" "$modes"
  fg >/dev/null
  status=$?
done
exit "$status"
`;

export function jobCommand(
  modes: string,
  file: string,
  args: readonly string[],
): { readonly file: string; readonly args: readonly string[] } {
  return { file: '/bin/sh', args: ['-c', SCRIPT, 'sh', systemProgram('stty') ?? 'stty', modes, file, ...args] };
}
