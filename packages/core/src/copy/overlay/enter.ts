import type { Ports } from '../../io/ports.ts';
import { type DiskPath, textFromBytes } from '../../model/names.ts';
import { ENTER, scriptArgument } from './script.ts';
import type { OverlayTools } from './tools.ts';

/** A command line, as for a `ProgramRun`. */
export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
}

/** What root may still do in a copy. All of it concerns files and processes of its own user namespace only. */
const CAPABILITIES_OF_ROOT = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'setfcap',
  'setgid',
  'setpcap',
  'setuid',
];

/**
 * Returns the command line that runs a command in a copy: in the namespaces of `holder`, in `folder` as they see it, and
 * without the capabilities that made the mount. A process with those could unmount it, and then write the real files.
 *
 * The working folder of the process that starts it must be outside of the workspace.
 */
export function enterOverlay(
  { uid }: Pick<Ports, 'uid'>,
  tools: OverlayTools,
  holder: number,
  folder: DiskPath,
  command: CommandLine,
): CommandLine {
  const enter = ['--target', `${holder}`, '--user', '--preserve-credentials', '--mount', '--'];
  // Without root, the capabilities are gone once another program runs, and a new one gets none.
  const rights = uid === 0 ? [`--bounding-set=-all,${CAPABILITIES_OF_ROOT.map((name) => `+${name}`).join(',')}`] : [];
  const drop = [tools.setpriv, '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', ...rights, '--'];
  const text = textFromBytes(folder);
  // A shell would drop variables whose names it does not allow.
  const go = text === null ? ['/bin/sh', '-c', ENTER, 'sh', scriptArgument(folder)] : [tools.env, '-C', text];
  return { file: tools.nsenter, args: [...enter, ...go, ...drop, command.file, ...command.args] };
}
