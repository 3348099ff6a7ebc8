/** Loads the native part of node-pty. Its own stream drops output that is still unread 200 ms after the program ends. */
import { createRequire } from 'node:module';

export interface PtyBinding {
  /** Where the binding finds the helper with which it starts programs on macOS. */
  readonly helper: string;
  readonly native: NativePty;
}

interface NativePty {
  fork(...given: ForkArguments): { readonly fd: number; readonly pid: number };
  resize(fd: number, columns: number, rows: number): void;
}

type ForkArguments = [
  file: string,
  args: readonly string[],
  env: readonly string[],
  cwd: string,
  columns: number,
  rows: number,
  uid: number,
  gid: number,
  isUtf8: boolean,
  helper: string,
  onExit: (status: number, signal: number) => void,
];

/** @returns null if there is none for this machine, or if it was not installed */
export function loadPtyBinding(): PtyBinding | null {
  if (process.platform === 'win32') return null;
  const load = createRequire(import.meta.url);
  try {
    const { requireBinary } = load('@lydell/node-pty/requireBinary.js') as {
      requireBinary: (file: string) => NativePty;
    };
    const folder = `@lydell/node-pty-${process.platform}-${process.arch}`;
    const helper = process.platform === 'darwin' ? load.resolve(`${folder}/spawn-helper`) : '';
    return { native: requireBinary('pty.node'), helper };
  } catch {
    return null;
  }
}
