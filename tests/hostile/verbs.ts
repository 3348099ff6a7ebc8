import { writeFileSync } from 'node:fs';
import { type CommandOutcome, explain, type Project, type RunOptions } from '@savepoint/testkit/command';

/** Every verb, in an order in which each has something to do, on a project that was changed after `cp_1`. */
const EVERY_VERB: readonly (readonly string[])[] = [
  ['status'],
  ['checkpoint', '-m', 'by hand', '--test-result', 'pass'],
  ['list'],
  ['show', 'last'],
  ['diff', 'cp_1', '--patch'],
  ['diff', '--stat', 'cp_1', 'last'],
  ['restore', 'cp_1', '--dry-run'],
  ['restore', 'cp_1', '--yes'],
  ['undo', '--yes'],
  ['redo', '--yes'],
  ['restore', 'last~1', '--yes', '--exact'],
  ['restore', 'cp_1', '--yes', '--keep-outside'],
  ['verify'],
  ['verify', '--deep'],
  ['recover'],
  ['gc'],
  ['workspaces'],
  ['repos'],
  ['context', '--structure'],
  ['help'],
];

/**
 * Takes `cp_1`, calls `change`, and runs every verb as text, and also as JSON if running it twice changes nothing.
 * @param options.json false: as text only, if the tested aspect is the same for both
 */
export function runEveryVerb(
  p: Project,
  change: () => void,
  options: RunOptions & { readonly json?: boolean } = {},
): CommandOutcome[] {
  const must = (args: readonly string[]): CommandOutcome => {
    const outcome = p.run(args, options);
    if (outcome.status !== 0) throw new Error(explain(args, outcome));
    return outcome;
  };
  const outcomes = [must(['checkpoint'])];
  change();
  for (const verb of EVERY_VERB) outcomes.push(must(verb));
  const request = `${p.base}/edits.json`;
  writeFileSync(
    request,
    JSON.stringify({ files: [{ file_path: 'edited/by.txt', edits: [{ op: 'write', content: 'x\n' }] }] }),
  );
  for (const args of [['edit', '--dry-run', request], ['edit', request], ['undo']]) outcomes.push(must(args));
  if (options.json === false) return outcomes;
  for (const verb of ['status', 'list', 'workspaces', 'repos', 'context', 'verify'])
    outcomes.push(must([verb, '--json']));
  for (const args of [
    ['show', 'last'],
    ['diff', 'cp_1'],
    ['restore', 'cp_1', '--dry-run'],
  ]) {
    outcomes.push(must([...args, '--json']));
  }
  return outcomes;
}
