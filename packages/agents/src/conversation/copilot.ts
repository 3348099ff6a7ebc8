/**
 * Copilot CLI (1.0.102): the transcript is a log of events in the folder of the session. A conversation goes back as a copy
 * of the first events under a new id, which `copilot --resume` finds by the name of the folder.
 */

import { basename, join } from 'node:path';
import type { ConversationPlace, DiskPath, RewoundConversation } from '@savepoint/core/ports';
import { type Fields, field, fieldsOf, idIn, momentIn, textIn } from '../fields.ts';
import { homeFolder } from '../settings/home-folder.ts';
import { copilotRow } from '../transcript/copilot.ts';
import type { AgentConversation, ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { findCut, type KeptMessage, planFound, shorten } from './cut.ts';
import { type TimedCall, withCall } from './equal-calls.ts';
import { writeTranscript } from './new-transcript.ts';
import { conversationRefused } from './refused.ts';
import { sessionFolder } from './session-folder.ts';
import { isUuid, newUuid } from './session-id.ts';
import { type OpenTranscript, type TranscriptFolder, withTranscript } from './transcript-file.ts';

export const copilotConversation: AgentConversation = {
  canMove: false,
  plan: (place, machine) =>
    planFound(place, () => withTranscript(place, machine, transcriptsOf(machine), (open) => findPlace(open, place))),
  rewind: async (place, machine) =>
    withTranscript(place, machine, transcriptsOf(machine), (open) =>
      copyUntil(open, findPlace(open, place), { place, machine }),
    ),
  resume: async (place) => {
    checkSession(place);
    const { nativeSession: session, dir } = place;
    return { session, command: ['copilot', '--resume', session], dir };
  },
};

/** A message, with its place in the file. */
interface CopilotMessage extends KeptMessage {
  readonly start: number;
  readonly end: number;
  /** The call whose result it is. */
  readonly call: TimedCall | null;
}

interface Found {
  readonly messages: readonly CopilotMessage[];
  readonly kept: number;
  /** The folder in which the session was started; untrusted. */
  readonly cwd: string | null;
}

function transcriptsOf({ env }: ConversationMachine): TranscriptFolder {
  const home = env['COPILOT_HOME'] || join(homeFolder(env), '.copilot');
  return { title: 'Copilot CLI', root: join(home, 'session-state'), name: /^events\.jsonl$/ };
}

function findPlace(open: OpenTranscript, place: ConversationPlace): Found {
  checkSession(place);
  const { messages: read, about } = readMessages(open);
  if (textIn(about, 'sessionId') !== place.nativeSession || basename(open.folder) !== place.nativeSession) {
    throw conversationRefused(place, 'its transcript is that of another session');
  }
  const ended = ({ call }: CopilotMessage): readonly TimedCall[] => (call === null ? [] : [call]);
  const messages = place.end.kind === 'after-call' ? withCall(read, place.end.call, ended) : read;
  const cut = findCut(messages, place.end);
  if ('reason' in cut) throw conversationRefused(place, cut.reason);
  return { messages, kept: cut.kept, cwd: textIn(fieldsOf(field(about, 'context')), 'cwd') };
}

function checkSession(place: SessionPlace): void {
  if (!isUuid(place.nativeSession)) throw conversationRefused(place, 'the id of its session is not one of Copilot CLI');
}

function readMessages(open: OpenTranscript): { readonly messages: readonly CopilotMessage[]; readonly about: Fields } {
  const messages: CopilotMessage[] = [];
  const started = new Map<string, Omit<TimedCall, 'ended'>>();
  let about: Fields = {};
  for (const { row, start, end } of open.lines()) {
    const data = fieldsOf(field(row, 'data'));
    const at = momentIn(row, 'timestamp');
    const id = idIn(data, 'toolCallId');
    const type = textIn(row, 'type');
    if (type === 'session.start') about = data;
    if (type === 'tool.execution_start' && id !== null) {
      started.set(id, { tool: textIn(data, 'toolName') ?? '', input: field(data, 'arguments'), asked: at });
    }
    const message = copilotRow(row).find(({ kind }) => kind === 'message');
    if (message?.kind !== 'message') continue;
    // What others write under the user's name is not a prompt.
    const role = message.role === 'user' && message.text === null ? 'assistant' : message.role;
    const { text } = message;
    const began = id === null ? undefined : started.get(id);
    messages.push({
      role,
      text: role === 'user' ? text : shorten(text),
      prompt: null,
      time: at,
      results: [],
      start,
      end,
      call: began === undefined ? null : { ...began, ended: at },
    });
  }
  return { messages, about };
}

interface CopyTask {
  readonly place: ConversationPlace;
  readonly machine: ConversationMachine;
}

function copyUntil(open: OpenTranscript, { messages, kept, cwd }: Found, task: CopyTask): RewoundConversation {
  const { place, machine } = task;
  const { fs, random } = machine.ports;
  const session = newUuid(random);
  const dir = sessionFolder(fs, cwd, place.dir);
  // Copilot CLI resumes no session without a message.
  if (kept === 0) return { session, command: ['copilot', '--session-id', session], dir };
  const next = messages[kept];
  const offset = next?.role === 'user' ? next.start : (messages[kept - 1]?.end ?? 0);
  const folder = join(open.folder, '..', session) as DiskPath;
  fs.makeFolder(folder, 0o700);
  try {
    const path = join(folder, 'events.jsonl') as DiskPath;
    // In the folder of the original: the next copy finds what is left of this one there.
    const temporary = join(open.folder, `${session}.jsonl`) as DiskPath;
    writeTranscript(machine.ports, { path, temporary }, (add) => {
      for (const { bytes, end } of open.lines()) {
        if (end > offset) break;
        const text = bytes.toString('latin1').replaceAll(`"${place.nativeSession}"`, `"${session}"`);
        add(Buffer.from(`${text}\n`, 'latin1'));
      }
    });
  } catch (error) {
    fs.removeFolder(folder);
    throw error;
  }
  return { session, command: ['copilot', '--resume', session], dir };
}
