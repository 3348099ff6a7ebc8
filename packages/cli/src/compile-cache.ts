/** Enables Node's compile cache, which speeds up the next start (Node 22.1 and newer). */
import { lstatSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;
type Enable = (folder: string) => unknown;

/**
 * The cache is in Savepoint's home, once that exists. Node executes its content, so no other user may be able to
 * write to it. The path of the home is a guess, because `nodePlaces` is not loaded yet. A wrong guess only costs
 * time.
 */
export function useCompileCache(env: Environment): void {
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
    // Without the cache, everything is compiled again.
  }
}
