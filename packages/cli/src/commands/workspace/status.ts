import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { agentLines } from '../../show/agents.ts';
import { captureNotes } from '../../show/capture.ts';
import { changeLine, totalsLine } from '../../show/changes.ts';
import { checkpointMarks } from '../../show/checkpoint.ts';
import { counted, shown, when } from '../../show/words.ts';
import type { View } from '../../view.ts';

const LISTED = 20;
const NOT_RECORDED = 'What agents do is not recorded here: it is turned off (`savepoint config` says where).';

export const status = command({
  verb: VERBS.status,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint status'],
  input: () => ({}),

  async carryOut(input, _given, { savepoint, signal, agents }) {
    const output = await VERBS.status.handle(savepoint, input, { signal });
    return { ...output, agents: [...(await agents())].filter(({ installed }) => installed.length > 0) };
  },

  render(output, { style }) {
    const { workspace, last, changed, capture, pending, undo, redo } = output;
    if (workspace === null) {
      return lines(
        'There are no checkpoints of this folder yet. Take the first with `savepoint checkpoint`.',
        output.recordsAgents ? [] : NOT_RECORDED,
        agentLines(output.agents ?? [], false),
      );
    }
    const text = [`${style.strong(shown(workspace.path))}  ${counted(output.checkpoints, 'checkpoint')}`];
    if (output.missing) text.push('The folder is not there. `savepoint restore last` brings its files back.');
    if (output.moved === 'moved') text.push('The folder was moved here; its checkpoints came along.');
    if (output.moved === 'made-anew')
      text.push('The folder was made anew at this path; its checkpoints are still there.');
    for (const { checkpoint, paths, missing: roots } of pending) {
      const todo =
        roots.length === 0 ? 'Run `savepoint recover`.' : `It waits for ${roots.map(shown).join(', ')} to be mounted.`;
      text.push(style.bad(`Pending: an act (${checkpoint}, ${counted(paths, 'path')}) is half done. ${todo}`));
    }
    if (last !== null) {
      const marks = checkpointMarks(last).map((mark) => `  [${mark}]`);
      text.push(`last: ${style.id(last.id)}  ${when(last.time)}  ${showText(last.description)}${marks.join('')}`);
    }
    if (changed !== null && last !== null) {
      if (changed.changes.length === 0) text.push(`Nothing changed since ${last.id}.`);
      else {
        text.push(`Changed since ${last.id}: ${totalsLine(changed.totals)}`);
        text.push(...changed.changes.slice(0, LISTED).map((change) => `  ${changeLine(change, style)}`));
        const rest = changed.changes.length - LISTED;
        if (rest > 0) text.push(`  … and ${rest} more (see \`savepoint diff\`)`);
      }
    }
    if (capture !== null) text.push(...captureNotes(capture));
    if (undo !== null) text.push(`undo would take back ${undo.id} (${showText(undo.description)})`);
    if (redo !== null) text.push(`redo would take back ${redo.id} (${showText(redo.description)})`);
    text.push(...exportLines(output.exporting, style));
    if (!output.recordsAgents) text.push(NOT_RECORDED);
    text.push(...agentLines(output.agents ?? [], false));
    return lines(text);
  },
});

function exportLines(exporting: OutputOf<typeof VERBS.status>['exporting'], style: View['style']): string[] {
  if (exporting === null) return [];
  const { to, upTo, behind, failure } = exporting;
  const has = upTo === null ? 'nothing yet' : `everything up to ${upTo}`;
  const missing = behind === 0 ? '' : `, ${counted(behind, 'checkpoint')} behind`;
  const line = `bundles go to ${showText(to)}: it has ${has}${missing}`;
  if (failure === null) return [line];
  return [line, style.bad(`  the last try failed (${when(failure.time)}): ${showText(failure.message)}`)];
}
