/** A project for the stories of plans: 12 files to change, and two others that one of the hunks breaks. */

import { type Project, project } from '@savepoint/testkit/command';

/** `src/part 1.txt` to `src/part 11.txt`, and the one that defines what the others use. */
export const FILES = [...Array.from({ length: 11 }, (_, index) => `src/part ${index + 1}.txt`), 'src/api.txt'];
/** Not in the plan, and broken by its first hunk in `src/api.txt`. */
export const USERS = ['src/bill.txt', 'src/cart.txt'];
export const FAILURES = USERS.map((file) => `${file}:1: error: total is not defined`);
export const INTENT = 'Speak of sums';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
const REPLACED = { old_string: 'line 10\n', new_string: 'ten\n' };

/** `types` fails if something used is defined nowhere. `soak` is run on request, and fails once the plan is applied. */
const SCRIPTS = {
  types: `status=0
for file in src/*.txt; do
  for name in $(sed -n 's/^use //p' "$file"); do
    grep -q "^def $name$" src/*.txt || { echo "$file:1: error: $name is not defined"; status=1; }
  done
done
exit $status\n`,
  soak: 'if grep -q "^ten$" src/api.txt; then echo "src/api.txt:11: error: too slow"; exit 1; fi\n',
};

export function storyProject(): Project {
  const p = project();
  for (const file of FILES) p.write(file, LINES.join(''));
  p.write('src/api.txt', `def total\n${LINES.join('')}`);
  for (const file of USERS) p.write(file, 'use total\n');
  for (const [name, script] of Object.entries(SCRIPTS)) p.write(`${name}.sh`, script);
  const checks = {
    types: { command: ['sh', 'types.sh'], kind: 'types' },
    soak: { command: ['sh', 'soak.sh'], kind: 'tests', on_request: true },
  };
  p.write('.savepoint.json', JSON.stringify({ checks }));
  p.write('mine.txt', 'mine\n');
  p.commitAll();
  p.git('config', 'user.name', 'Ann');
  p.git('config', 'user.email', 'ann@example.invalid');
  p.write('mine.txt', 'staged\n');
  p.git('add', 'mine.txt');
  return p;
}

/** The 12 files of the plan, as `multi_edit_files` takes them. Two hunks in `src/api.txt`. */
export const EDITS = FILES.map((file_path) => ({
  file_path,
  edits: file_path === 'src/api.txt' ? [{ old_string: 'def total\n', new_string: 'def sum\n' }, REPLACED] : [REPLACED],
}));

export function contents(p: Project): readonly string[] {
  return [...FILES, ...USERS, 'mine.txt'].map((file) => p.read(file));
}

/** The files once the plan is applied without its first hunk in `src/api.txt`. */
export function wantedContents(before: readonly string[]): readonly string[] {
  return before.map((text) => text.replace('line 10\n', 'ten\n'));
}

/** What git says of the commit: the files of the plan, and nothing of what was staged. */
export function assertCommitted(p: Project, commit: string): void {
  const names = p.git('show', '--name-only', '--format=', commit).trim().split('\n').sort();
  const found = { names, subject: p.git('log', '-1', '--format=%s').trim(), staged: p.git('show', ':mine.txt') };
  const wanted = { names: [...FILES].sort(), subject: INTENT.toLowerCase(), staged: 'staged\n' };
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(JSON.stringify({ found, wanted }));
}

/** What `stats` counts once the story has ended. */
export const COUNTS = {
  all: 1,
  approved: 1,
  applied: 0,
  rolledBack: 1,
  cancelled: 0,
  files: 12,
  rejectedFiles: 0,
  rejectedHunks: 1,
  failedChecks: 2,
  overrides: 0,
};
