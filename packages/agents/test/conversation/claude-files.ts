import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import type { ConversationEnd, ConversationPlace } from '@savepoint/core/ports';
import { realPorts, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';
import type { ConversationMachine } from '../../src/conversation/agent-conversation.ts';
import { claudeConversation } from '../../src/conversation/claude.ts';
import { fieldsOf } from '../../src/fields.ts';
import { claudeRow } from '../../src/transcript/claude.ts';
import { Conversation } from '../../src/transcript/conversation.ts';
import type { MessageRow } from '../../src/transcript/row.ts';
import { jsonLines } from '../fixtures/transcripts.ts';

export const SESSION = '11111111-2222-4333-8444-555555555555';

/** A home folder of Claude Code, with the transcript of one session in the folder `/w`. */
export class ClaudeFiles {
  readonly home: string;
  readonly folder: string;
  readonly machine: ConversationMachine;

  constructor(rows: readonly object[]) {
    this.home = Buffer.from(world(onTestFinished).workspace, 'latin1').toString();
    this.folder = path.join(this.home, '.claude/projects/-w');
    this.machine = { ports: realPorts(), env: { HOME: this.home } };
    mkdirSync(this.folder, { recursive: true });
    // The fixtures call their session `s`.
    const own = rows.map((row) => ({
      sessionId: SESSION,
      ...row,
      ...('sessionId' in row && row.sessionId === 's' ? { sessionId: SESSION } : {}),
    }));
    writeFileSync(this.file(SESSION), jsonLines(own), { mode: 0o600 });
  }

  file(session: string): string {
    return path.join(this.folder, `${session}.jsonl`);
  }

  get files(): readonly string[] {
    return readdirSync(this.folder).sort();
  }

  place(end: ConversationEnd, more: Partial<ConversationPlace> = {}): ConversationPlace {
    const transcript = bytesFromText(this.file(SESSION)) as DiskPath;
    return { agent: 'claude', nativeSession: SESSION, transcript, dir: '/w' as DiskPath, end, ...more };
  }

  plan(end: ConversationEnd, more: Partial<ConversationPlace> = {}) {
    return claudeConversation.plan(this.place(end, more), this.machine);
  }

  async reason(end: ConversationEnd, more: Partial<ConversationPlace> = {}): Promise<string | null> {
    const plan = await this.plan(end, more);
    return plan.isPossible ? null : plan.reason;
  }

  rewind(end: ConversationEnd, more: Partial<ConversationPlace> = {}) {
    return claudeConversation.rewind(this.place(end, more), this.machine);
  }

  rows(session: string): readonly Readonly<Record<string, unknown>>[] {
    const lines = readFileSync(this.file(session), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  messages(session: string): readonly MessageRow[] {
    return messagesOf(this.rows(session));
  }
}

export function messagesOf(rows: readonly object[]): readonly MessageRow[] {
  const conversation = new Conversation();
  for (const row of rows) for (const one of claudeRow(fieldsOf(row))) conversation.add(one);
  return conversation.messages;
}
