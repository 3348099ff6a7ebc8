/** A checkpoint's story as it leaves the machine: without what was said, and without what private files held. */

import type { Checkpoint, ConversationPosition, RecordedChange, ToolInfo } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { PURGED } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import { describeCall } from '../timeline/describe.ts';

/** @param isPrivate asked for the path of a change before and after it */
export function withoutPrivateContents(
  story: Checkpoint,
  isPrivate: (path: TreePath, when: 'before' | 'after') => boolean,
): Checkpoint {
  if (story.changes === null) return story;
  const changes = story.changes.map((change) => {
    const { path, from, before, after } = change;
    const tells =
      (before !== null && isPrivate(from ?? path, 'before')) || (after !== null && isPrivate(path, 'after'));
    return tells ? withoutContents(change) : change;
  });
  return { ...story, changes };
}

/** What a person or an agent said, and what tools were called with: a prompt may hold anything. */
export function withoutMessages(story: Checkpoint): Checkpoint {
  const tool = story.tool === null ? null : { ...story.tool, summary: '', args: null };
  return {
    ...story,
    tool,
    conversation: story.conversation === null ? null : withoutWords(story.conversation),
    description: describedAnew(story, tool),
  };
}

function withoutWords({ lastUser: _, lastAssistant: __, ...position }: ConversationPosition): ConversationPosition {
  return position;
}

/** Descriptions that were made of a prompt or of a call's arguments. */
function describedAnew(story: Checkpoint, tool: ToolInfo | null): string {
  if (story.trigger === 'prompt') return 'Prompt';
  if (story.trigger === 'message') return 'Message';
  if (story.trigger === 'call' && tool !== null) {
    return story.changes === null ? `${tool.name} (${story.totals.files} files)` : describeCall(tool, story.changes);
  }
  return story.description;
}

function withoutContents(change: RecordedChange): RecordedChange {
  return {
    ...change,
    before: unnamed(change.before),
    after: unnamed(change.after),
    added: null,
    removed: null,
    lines: null,
    beforeSize: null,
    afterSize: null,
  };
}

/** An id is a digest: of a short secret it gives the secret away. */
function unnamed(entry: Entry | null): Entry | null {
  return entry === null || entry.kind === 'folder' ? entry : { ...entry, id: PURGED };
}
