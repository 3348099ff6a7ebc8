// @ts-check
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs a check if its file is the script that node was started with. Prints what is wrong to standard error and sets the
 * exit status to 1, or prints the given line.
 * @param {string} url `import.meta.url` of the check
 * @param {(top: string) => readonly string[]} check returns what is wrong, one line each
 * @param {string} good printed if nothing is wrong
 */
export function runCheck(url, check, good) {
  if (process.argv[1] === undefined || resolve(process.argv[1]) !== fileURLToPath(url)) return;
  const wrong = check(resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))));
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log(good);
}
