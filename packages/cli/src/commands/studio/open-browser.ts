/** Opens a file in the user's browser, if there is one on this machine. */
import { spawn } from 'node:child_process';
import { systemProgram } from '../../system-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that is still running after this time is taken to be the browser. */
const PATIENCE_MS = 3000;

/**
 * @param file its path is all that shows in the list of processes
 * @returns whether a program was started that did not fail
 */
export async function openInBrowser(file: string, env: Environment): Promise<boolean> {
  const opener = openerOf(env);
  return opener === null ? false : runs([...opener, file], env);
}

/** @returns the program and its arguments; null if no browser can be shown here */
function openerOf(env: Environment): readonly [string, ...string[]] | null {
  if (process.platform === 'darwin') return ['/usr/bin/open'];
  if (process.platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  // Without a display, the system would open a browser for terminals, in this one.
  if (!isSet(env['DISPLAY']) && !isSet(env['WAYLAND_DISPLAY'])) return null;
  const program = systemProgram('xdg-open');
  return program === null ? null : [program];
}

function runs([program, ...args]: readonly string[], env: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program ?? '', args, { detached: true, stdio: 'ignore', windowsHide: true, env });
    const waited = setTimeout(() => resolve(true), PATIENCE_MS);
    child.on('error', () => finish(false));
    child.on('exit', (status) => finish(status === 0));
    child.unref();
    const finish = (isGood: boolean): void => {
      clearTimeout(waited);
      resolve(isGood);
    };
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
