import { nameFromJson, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { listed } from '../../show/capture.ts';
import { counted, shown } from '../../show/words.ts';

export const bundleCreate = command({
  verb: VERBS.bundleCreate,
  operands: [['<file>', 'the bundle to write']],
  takesPaths: false,
  options: [
    { flags: '--session <id>', description: "only one session's checkpoints, and those that its changes need" },
    { flags: '--since <checkpoint>', description: 'only what came after it, for those who have it' },
    { flags: '--private', description: 'also .env files, keys, and what ignore rules cover' },
    { flags: '--messages', description: 'also prompts, answers and what tools were called with' },
    { flags: '--overwrite', description: 'replace the file if it is there' },
  ],
  examples: [
    'savepoint bundle create ../project.bundle',
    'savepoint bundle create --since cp_20 ../project-2.bundle',
    'savepoint bundle create --session 9f3c --messages review.bundle',
  ],

  input: ({ operands: [file = ''], options }, { absolute }) => ({
    file: absolute(file),
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
      `Wrote ${counted(checkpoints.length, 'checkpoint')} (${which}) to ${shown(file)}, ${counted(bytes, 'byte')}`,
      leftOut === 0
        ? []
        : `${counted(leftOut, 'private path')} stayed here (.env files, keys, what ignore rules cover); --private takes them along.`,
    );
  },
});

export const bundleRestore = command({
  verb: VERBS.bundleRestore,
  operands: [
    ['<file>', 'the bundle'],
    ['<folder>', 'empty or missing, or restored from an earlier bundle of the same timeline'],
  ],
  takesPaths: false,
  options: [],
  examples: ['savepoint bundle restore project.bundle work/project'],

  input: ({ operands: [file = '', folder = ''] }, { absolute }) => ({ file: absolute(file), folder: absolute(folder) }),

  render: ({ workspace, isNew, added, restored, paths, roots }) => {
    const where = shown(workspace.path);
    if (added.length === 0) return lines(`${where} has all of it already; nothing was changed.`);
    const came = `${counted(added.length, 'checkpoint')} came${isNew ? '' : ' and went behind those that were there'}`;
    return lines(
      restored === null
        ? `${came}; all are older than the newest in ${where}, so its files stay as they are.`
        : `${where} is ${restored.id} now (${counted(paths, 'path')}); ${came}. See \`savepoint list\` there.`,
      listed(
        roots.map((root) => (nameFromJson(root) === '' ? 'the folder itself' : shown(root))),
        (count) => `${counted(count, 'repository', 'repositories')} came without .git:`,
      ),
    );
  },
});

export const bundleExport = command({
  verb: VERBS.bundleExport,
  operands: [],
  takesPaths: false,
  options: [{ flags: '--patient', description: 'try again for a quarter of an hour; how it went stands in `status`' }],
  examples: ['savepoint bundle export'],
  input: ({ options }) => (options['patient'] === true ? { patient: true } : {}),
  render: ({ to, upTo, added }) => {
    if (to === null) return lines('Nothing goes anywhere by itself: see `export.to` in `savepoint config`.');
    if (added === null) return lines(`${showText(to)} has everything up to ${upTo}.`);
    const which = added.from === added.to ? added.from : `${added.from} to ${added.to}`;
    return lines(`${which} went to ${showText(to)} (${added.key}, ${counted(added.bytes, 'byte')}).`);
  },
});
