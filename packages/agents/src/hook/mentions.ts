/** The files that a user's prompt mentions as `@path`, in the forms that agents know. */

/** More is not looked at. */
const MAX_PROMPT = 100_000;
const MAX_MENTIONS = 50;
const MAX_LENGTH = 4_096;
const MAX_PUNCTUATION = 4;

/** After a blank or a bracket: quoted, or up to a blank that no backslash escapes. An address has letters before its `@`. */
const MENTION = /(?<=^|[\s([{<"'`,;])@(?:"([^"\n]+)"|((?:\\.|[^\s\\])+))/gu;

/** @returns for each mention the paths that it may mean, the likeliest first */
export function mentionsIn(prompt: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (const [, quoted, plain] of prompt.slice(0, MAX_PROMPT).matchAll(MENTION)) {
    if (found.length >= MAX_MENTIONS) break;
    const readings = quoted === undefined ? readingsOf(plain ?? '') : [quoted];
    const possible = readings.filter((path) => path !== '' && path.length <= MAX_LENGTH && !path.includes('\0'));
    if (possible.length > 0) found.push([...new Set(possible)]);
  }
  return found;
}

/** As it is; without a range of lines; without the punctuation of its sentence. Cline writes `/` for the workspace. */
function readingsOf(typed: string): readonly string[] {
  const whole = typed.replace(/\\(.)/gu, '$1');
  const paths = [whole, withoutLines(whole)];
  let path = whole;
  for (let cut = 0; cut < MAX_PUNCTUATION && /[.,;:!?)\]}>"'`*]$/.test(path); cut += 1) {
    path = path.slice(0, -1);
    paths.push(path, withoutLines(path));
  }
  return paths.flatMap((path) => (/^\/./.test(path) ? [path, path.slice(1)] : [path]));
}

function withoutLines(path: string): string {
  return path.replace(/(?:#L?\d+(?:-L?\d+)?|:\d+(?:-\d+|:\d+)?)$/u, '');
}
