import { nameFromJson, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { listWithHeading } from '../../show/capture.ts';
import { countText, pathText } from '../../show/format.ts';

export const bundleCreate = command({
  verb: VERBS.bundleCreate,
  operands: [['<file>', 'the bundle to write']],
  takesPaths: false,
  options: [
    { flags: '--session <id>', description: 'only checkpoints of this session, and those that its changes need' },
    { flags: '--since <checkpoint>', description: 'only checkpoints after this one; the recipient must have it' },
    { flags: '--private', description: 'include .env files, keys and ignored files' },
    { flags: '--messages', description: 'include prompts, answers and tool arguments' },
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
    ...(options['overwrite'] === true ? { overwrite: true } : {}),
  }),

  render: ({ file, bytes, checkpoints, leftOut }) => {
    const [first = ''] = checkpoints;
    const last = checkpoints.at(-1) ?? first;
    const which = first === last ? first : `${first} to ${last}`;
    return lines(
      `Wrote ${countText(checkpoints.length, 'checkpoint')} (${which}) to ${pathText(file)}, ${countText(bytes, 'byte')}`,
      leftOut === 0
        ? []
        : `Left out ${countText(leftOut, 'private path')} (.env files, keys, ignored files); use --private to include them.`,
    );
  },
});

export const bundleRestore = command({
  verb: VERBS.bundleRestore,
  operands: [
    ['<file>', 'the bundle'],
    ['<folder>', 'empty, missing, or restored from an earlier bundle of the same timeline'],
  ],
  takesPaths: false,
  options: [],
  examples: ['savepoint bundle restore project.bundle work/project'],

  input: ({ operands: [file = '', folder = ''] }, { absolutePath }) => ({
    file: absolutePath(file),
    folder: absolutePath(folder),
  }),

  render: ({ workspace, isNew, added, restored, paths, roots }) => {
    const where = pathText(workspace.path);
    if (added.length === 0) return lines(`${where} is already up to date. Nothing was changed.`);
    const came = `added ${countText(added.length, isNew ? 'checkpoint' : 'new checkpoint')}`;
    return lines(
      restored === null
        ? `${where}: ${came}. All are older than its newest checkpoint, so its files were not changed.`
        : `${where}: ${came}, restored ${restored.id} (${countText(paths, 'path')}).`,
      listWithHeading(
        roots.map((root) => (nameFromJson(root) === '' ? 'the folder itself' : pathText(root))),
        (count) => `${countText(count, 'repository', 'repositories')} restored without .git:`,
      ),
    );
  },
});

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
