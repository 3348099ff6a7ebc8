/** Whether this machine lets the tests mount overlays. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOUNT =
  'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged && : >merged/new';

/** Returns why overlays cannot be mounted without rights, for display, or null if they can. Says so once. */
export function whyNoOverlays(): string | null {
  if (known === undefined) {
    known = process.platform === 'linux' ? tryMount() : 'overlays exist on Linux only';
    if (known !== null) console.warn(`Tests of copies that are overlays are skipped: ${known}`);
  }
  return known;
}

let known: string | null | undefined;

function tryMount(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-overlay-'));
  try {
    for (const name of ['lower', 'upper', 'work', 'merged']) mkdirSync(join(folder, name));
    const options = ['--user', '--map-current-user', '--keep-caps', '--mount', '--propagation', 'private'];
    execFileSync('unshare', [...options, 'sh', '-c', MOUNT], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').slice(0, 2).join(' ') : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
