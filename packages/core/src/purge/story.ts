/** A checkpoint's story that no longer tells what was at some paths. */

import type { Checkpoint, ConversationPosition, RecordedChange, ToolInfo } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { PURGED } from '../model/ids.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { Secrets } from './secrets.ts';

const INSTEAD = '(purged)';

/** @returns the very same checkpoint where it tells nothing of it */
export function storyWithout(checkpoint: Checkpoint, paths: readonly TreePath[], secrets: Secrets): Checkpoint {
  const isMeant = (path: TreePath | null): boolean => path !== null && paths.some((each) => isWithin(path, each));
  const tells = (change: RecordedChange): boolean =>
    (isMeant(change.path) || isMeant(change.from)) && !(isPurged(change.before) && isPurged(change.after));
  const isTouched = checkpoint.changes?.some(tells) ?? false;
  const clean = (text: string): string => (secrets.tellsOf(text) ? INSTEAD : text);
  const description = clean(checkpoint.description);
  const tool = checkpoint.tool === null ? null : toolWithout(checkpoint.tool, isTouched, clean);
  const conversation = checkpoint.conversation === null ? null : conversationWithout(checkpoint.conversation, clean);
  const isSame =
    !isTouched &&
    description === checkpoint.description &&
    tool === checkpoint.tool &&
    conversation === checkpoint.conversation;
  if (isSame) return checkpoint;
  const changes = checkpoint.changes?.map((change) => (tells(change) ? withoutContent(change) : change)) ?? null;
  return { ...checkpoint, changes, description, tool, conversation };
}

function isPurged(entry: Entry | null): boolean {
  return entry === null || entry.kind === 'folder' || entry.id === PURGED;
}

function withoutContent(change: RecordedChange): RecordedChange {
  return {
    ...change,
    before: purged(change.before),
    after: purged(change.after),
    added: null,
    removed: null,
    lines: null,
    beforeSize: null,
    afterSize: null,
  };
}

function purged(entry: Entry | null): Entry | null {
  return entry === null || entry.kind === 'folder' ? entry : { ...entry, id: PURGED };
}

/** What a tool was called with often holds the content itself. */
function toolWithout(tool: ToolInfo, isTouched: boolean, clean: (text: string) => string): ToolInfo {
  const summary = clean(tool.summary);
  const args = tool.args === null || isTouched || clean(tool.args) === INSTEAD ? null : tool.args;
  return summary === tool.summary && args === tool.args ? tool : { ...tool, summary, args };
}

function conversationWithout(position: ConversationPosition, clean: (text: string) => string): ConversationPosition {
  const { lastUser, lastAssistant } = position;
  const said = {
    ...(lastUser === undefined ? {} : { lastUser: clean(lastUser) }),
    ...(lastAssistant === undefined ? {} : { lastAssistant: clean(lastAssistant) }),
  };
  return said.lastUser === lastUser && said.lastAssistant === lastAssistant ? position : { ...position, ...said };
}
