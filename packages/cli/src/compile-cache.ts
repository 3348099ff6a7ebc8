/** Node keeps what it compiled for the next start, where it can (22.1 and newer). */
import { lstatSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;
type Enable = (folder: string) => unknown;

/**
 * In the home of the stores, once that is there: what lies there is run, so nobody else may be able to write it. Where the home
 * is, is only guessed here (`nodePlaces` says it, and is not loaded yet); a wrong guess costs some time.
 */
export function keepCompiled(env: Environment): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: Enable };
  const uid = process.getuid?.();
  if (enableCompileCache === undefined || uid === undefined) return;
  const data = env['XDG_DATA_HOME'] ?? join(env['HOME'] ?? '', '.local', 'share');
  const home = env['SAVEPOINT_HOME'] || join(data, 'savepoint');
  try {
    const stat = isAbsolute(home) ? lstatSync(home) : null;
    if (stat?.isDirectory() !== true || stat.uid !== uid || (stat.mode & 0o077) !== 0) return;
    enableCompileCache(join(home, 'compiled'));
  } catch {
    // Then everything is compiled anew, as ever.
  }
}
