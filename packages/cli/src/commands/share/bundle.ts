import { type JsonName, nameFromJson, SavepointError, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { type CommandContext, command, lines } from '../../command.ts';
import { confirm, DRY_RUN_HINT } from '../../input/confirm.ts';
import { captureWarnings, listWithHeading } from '../../show/capture.ts';
import { countText, pathText } from '../../show/format.ts';
import { planLines, planNotes } from '../../show/plan.ts';
import type { OutputView } from '../../view.ts';

export const bundleCreate = command({
  verb: VERBS.bundleCreate,
  operands: [['<file>', 'the bundle to write']],
  takesPaths: false,
  options: [
    { flags: '--session <id>', description: 'only checkpoints of this session, and those that its changes need' },
    {
      flags: '--since <checkpoint>',
      description: 'only checkpoints after this one; the recipient must have it, not restored over clones',
    },
    { flags: '--private', description: 'include .env files, keys and ignored files' },
    { flags: '--messages', description: 'include prompts, answers, tool arguments and descriptions (-m)' },
    { flags: '--descriptions', description: 'include descriptions (-m), as bundles of early versions do' },
    { flags: '--overwrite', description: 'replace the file if it exists' },
  ],
  examples: [
    'savepoint bundle create ../project.bundle',
    'savepoint bundle create --since cp_20 ../project-2.bundle',
    'savepoint bundle create --session 9f3c --messages review.bundle',
  ],

  input: ({ operands: [file = ''], options }, { absolutePath }) => ({
    file: absolutePath(file),
    ...(typeof options['session'] === 'string' ? { session: options['session'] } : {}),
    ...(typeof options['since'] === 'string' ? { since: options['since'] } : {}),
    ...(options['private'] === true ? { private: true } : {}),
    ...(options['messages'] === true ? { messages: true } : {}),
    ...(options['descriptions'] === true ? { descriptions: true } : {}),
    ...(options['overwrite'] === true ? { overwrite: true } : {}),
  }),

  render: ({ file, bytes, checkpoints, leftOut, insideWorkspace }, { style }) => {
    const [first = ''] = checkpoints;
    const last = checkpoints.at(-1) ?? first;
    const which = first === last ? first : `${first} to ${last}`;
    return lines(
      `Wrote ${countText(checkpoints.length, 'checkpoint')} (${which}) to ${pathText(file)}, ${countText(bytes, 'byte')}`,
      leftOut === 0
        ? []
        : `Left out ${countText(leftOut, 'private path')} (.env files, keys, ignored files); use --private to include them.`,
      insideWorkspace
        ? [
            `${style.bad('warning')}: The bundle is in the workspace, so later checkpoints may contain it. Move it elsewhere.`,
          ]
        : [],
    );
  },
});

export const bundleRestore = command({
  verb: VERBS.bundleRestore,
  operands: [
    ['<file>', 'the bundle'],
    ['<folder>', 'empty, missing, restored from an earlier bundle, or with clones of the repositories'],
  ],
  takesPaths: false,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would change' },
    { flags: '-y, --yes', description: 'overwrite the files of clones without confirmation' },
    { flags: '--git', description: 'over clones: also restore branch, HEAD and index' },
    { flags: '--allow-partial', description: 'over clones: leave roots untouched that were not captured' },
  ],
  examples: [
    'savepoint bundle restore project.bundle work/project',
    'savepoint bundle restore project.bundle clones --dry-run',
  ],

  input: ({ operands: [file = '', folder = ''], options }, { absolutePath }) => ({
    file: absolutePath(file),
    folder: absolutePath(folder),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
    ...(options['yes'] === true ? { overwrite: true } : {}),
    ...(options['git'] === true ? { git: true } : {}),
    ...(options['allowPartial'] === true ? { allowPartial: true } : {}),
  }),

  async carryOut(input, _given, context) {
    const { savepoint, signal } = context;
    try {
      return await VERBS.bundleRestore.handle(savepoint, input, { signal });
    } catch (error) {
      // The folder is not empty. The preview says whether it has clones, and fails with the proper error otherwise.
      const mayAsk = input.dryRun !== true && input.overwrite !== true;
      if (!mayAsk || !(error instanceof SavepointError) || error.code !== 'CONFLICT') throw error;
    }
    const preview = await VERBS.bundleRestore.handle(savepoint, { ...input, dryRun: true }, { signal });
    if (preview.operation?.outcome === 'ready') await confirmOverClones(preview, context);
    const expected = preview.operation?.fingerprint;
    const accepted = { ...input, overwrite: true, ...(expected === undefined ? {} : { expected }) };
    return VERBS.bundleRestore.handle(savepoint, accepted, { signal });
  },

  render: (output, view) => {
    const { dryRun, workspace, isNew, added, restored, paths, roots, operation } = output;
    const where = pathText(workspace.path);
    if (operation !== null) return overClonesText(output, operation, view);
    if (added.length === 0) return lines(`${where} is already up to date. Nothing was changed.`);
    const came = `${dryRun ? 'would add' : 'added'} ${countText(added.length, isNew ? 'checkpoint' : 'new checkpoint')}`;
    return lines(
      restored === null
        ? `${where}: ${came}. All are older than its newest checkpoint, so its files ${dryRun ? 'would not be' : 'were not'} changed.`
        : `${where}: ${came}, ${dryRun ? 'restore' : 'restored'} ${restored.id} (${countText(paths, 'path')}).`,
      listWithHeading(
        roots.map(rootText),
        (count) => `${countText(count, 'repository', 'repositories')} restored without .git:`,
      ),
    );
  },
});

type RestoreJson = OutputOf<typeof VERBS.bundleRestore>;

const LATER_BUNDLES =
  'A later bundle of this timeline (--since) cannot be restored in this folder, because its numbers are used by the ' +
  'checkpoints before and after this restore. Restore it to an empty folder, after the bundles that it continues.';

async function confirmOverClones(preview: RestoreJson, context: CommandContext): Promise<void> {
  const paths = countText(preview.paths, 'path');
  await confirm(context, {
    verb: 'bundle restore',
    consequence: `Restoring the bundle would change ${paths} of ${pathText(preview.workspace.path)}`,
    hint: DRY_RUN_HINT,
    preview: preview.operation === null ? '' : overClonesText(preview, preview.operation, context.view),
    question: `Overwrite ${paths}?`,
    declinedMessage: 'Nothing was restored.',
  });
}

function overClonesText(
  { dryRun, workspace, added, restored, paths, roots }: RestoreJson,
  operation: NonNullable<RestoreJson['operation']>,
  view: OutputView,
): string {
  const came = `${dryRun ? 'would add' : 'added'} ${countText(added.length, 'checkpoint')}`;
  const done = `${dryRun ? 'restore' : 'restored'} ${restored?.id ?? ''} over ${countText(roots.length, 'clone')}`;
  return lines(
    `${pathText(workspace.path)}: ${came}, ${done} (${countText(paths, 'path')}).`,
    dryRun ? planLines(operation, view.style) : [],
    planNotes(operation, restored, view),
    dryRun ? [] : captureWarnings(operation.capture),
    operation.outcome === 'ready' ? ['The current state would be saved first.'] : [],
    operation.checkpoint === null ? [] : ['Run `savepoint undo` in that folder to revert.'],
    LATER_BUNDLES,
  );
}

function rootText(root: JsonName): string {
  return nameFromJson(root) === '' ? 'the folder itself' : pathText(root);
}

export const bundleExport = command({
  verb: VERBS.bundleExport,
  operands: [],
  takesPaths: false,
  options: [{ flags: '--patient', description: 'retry for 15 minutes; `status` shows the result' }],
  examples: ['savepoint bundle export'],
  input: ({ options }) => (options['patient'] === true ? { patient: true } : {}),
  render: ({ to, upTo, added }) => {
    if (to === null) return lines('No export is configured: set `export.to` (see `savepoint config`).');
    if (added === null) return lines(`${showText(to)} is up to date (${upTo}).`);
    const which = added.from === added.to ? added.from : `${added.from} to ${added.to}`;
    return lines(`Exported ${which} to ${showText(to)} (${added.key}, ${countText(added.bytes, 'byte')}).`);
  },
});
