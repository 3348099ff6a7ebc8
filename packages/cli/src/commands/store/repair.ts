import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, pathText } from '../../show/format.ts';

const SHOWN_PATHS = 20;

export const repair = command({
  verb: VERBS.repair,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--from <bundle>', description: 'also look into this bundle; can be repeated', isRepeatable: true },
    { flags: '--adopt <id>', description: 'adopt this store, whose record is damaged, for this folder' },
    { flags: '--dry-run', description: 'only show what would be done' },
  ],
  examples: ['savepoint repair --dry-run', 'savepoint repair', 'savepoint repair --from ../project.bundle'],

  input: ({ options }, { absolutePath }) => ({
    ...(Array.isArray(options['from']) ? { from: options['from'].map(absolutePath) } : {}),
    ...(typeof options['adopt'] === 'string' ? { adopt: options['adopt'] } : {}),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
  }),

  render(
    { dryRun, objects, rewritten, movedAside, lost, adopted, otherStores, problems, checkpoints, sound },
    { style },
  ) {
    const would = dryRun ? 'would be ' : '';
    const sources = new Map<string, number>();
    for (const { from } of objects) sources.set(from, (sources.get(from) ?? 0) + 1);
    const isClean = objects.length + rewritten.length + movedAside.length + lost.length === 0;
    return lines(
      isClean ? style.good(otherStores.length === 0 ? 'Nothing to repair.' : 'This store needs no repair.') : [],
      adopted === null
        ? []
        : [`  the store ${adopted.id} ${would}adopted for ${pathText(adopted.folder)}: ${showText(adopted.why)}`],
      [...sources].map(([from, count]) => `  ${countText(count, 'object')} ${would}stored again (${from})`),
      rewritten.map((what) => `  ${would}written again: ${showText(what)}`),
      movedAside.map(({ file, to }) => `  moved aside: ${pathText(file)} to ${pathText(to)}`),
      lost.flatMap(({ checkpoint, paths, why }) => [
        style.bad(`  lost${checkpoint === null ? '' : ` in ${checkpoint}`}: ${showText(why)}`),
        ...paths.slice(0, SHOWN_PATHS).map((path) => `    ${pathText(path)}`),
        ...(paths.length > SHOWN_PATHS ? [`    and ${paths.length - SHOWN_PATHS} more`] : []),
      ]),
      problems.map((problem) => `  not searched: ${showText(problem)}`),
      otherStores.map(({ id, content, proof }) =>
        style.bad(
          `  the record of the store ${id} (${showText(content)}) is damaged; ` +
            (proof === null ? 'it may be that of this folder' : `it is that of this folder: ${showText(proof)}`),
        ),
      ),
      otherStores.length === 0
        ? []
        : [
            '  To use such a store here instead: keep the checkpoints of this one with `savepoint bundle create FILE`,',
            '  delete it with `savepoint workspaces delete`, and run `savepoint repair --adopt ID`.',
          ],
      dryRun ? [] : `${sound} of ${countText(checkpoints, 'checkpoint')} can be fully restored`,
    );
  },
});
