/** Why an overlay could not be mounted, in words that help, from what the programs said. */

import { showText } from '../../content/show-name.ts';
import { readEntireFile } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { DiskPath } from '../../model/names.ts';

/** @param errors the standard error of the script that mounts. It may contain names of files. */
export function whyNotLaunched(ports: Pick<Ports, 'fs' | 'uid'>, errors: string): string {
  const [first = 'no reason was given'] = errors.split('\n').flatMap((line) => line.trim() || []);
  const said = showText(first);
  if (first.startsWith(FOREIGN)) {
    const path = showText(first.slice(FOREIGN.length));
    return `commands in it could not change what belongs to another user or group, for example ${path}`;
  }
  const refusal = REFUSALS.find(([pattern]) => pattern.test(first))?.[1];
  if (refusal === undefined) return `the mount cannot be prepared (${said})`;
  const restriction = restrictionOf(ports);
  return `${refusal} (${said})${restriction === undefined ? '' : `; ${restriction}`}`;
}

/** As script.ts prints it. */
const FOREIGN = 'foreign: ';

/** The first pattern that matches. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  // A security module may allow the namespace, and no mounts in it.
  [/unshare: .*\bpropagation\b/, 'this system does not allow mounts in new user namespaces'],
  [/^(?:\S*: )*unshare: /, 'this system does not allow new user namespaces'],
  [/^mount: /, 'an overlay cannot be mounted here'],
];

/** Settings of the kernel that forbid it to users other than root, and the values with which they do. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['kernel/apparmor_restrict_unprivileged_userns', '1'],
  ['kernel/unprivileged_userns_clone', '0'],
  ['user/max_user_namespaces', '0'],
];
/** Container engines make one of them. */
const IN_CONTAINER = ['/.dockerenv', '/run/.containerenv'];
const SETTING_BYTES = 100;

function restrictionOf({ fs, uid }: Pick<Ports, 'fs' | 'uid'>): string | undefined {
  const setting = SETTINGS.find(([name, value]) => {
    if (uid === 0) return false;
    try {
      return (
        readEntireFile(fs, `/proc/sys/${name}` as DiskPath, SETTING_BYTES)
          .toString('latin1')
          .trim() === value
      );
    } catch (error) {
      if (isFsError(error)) return false;
      throw error;
    }
  });
  if (setting !== undefined) return `the setting ${setting[0].replace('/', '.')} is ${setting[1]}`;
  const isContainer = IN_CONTAINER.some((file) => fs.lstat(file as DiskPath) !== null);
  return isContainer ? 'containers often forbid it, by their seccomp profile' : undefined;
}
