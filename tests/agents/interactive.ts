/** Agent programs as people use them: how to start them, what their screens show, and what they ask first. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCEPT, claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import type { AgentProgram, Surroundings } from './program.ts';

export interface Interactive {
  readonly program: AgentProgram;
  /** The file of the program, below the folder that `installProgram` returns. */
  readonly file: string;
  /** Options with which it does not ask for permission. */
  readonly options: readonly string[];
  /** Writes the settings with which the program asks nothing at its start. */
  readonly prepare: (where: Surroundings) => void;
  /** Whether `run` can add hooks to a start of it. Otherwise they have to be installed. */
  readonly hasHooksForRun: boolean;
  /** Is on the screen while it waits for a prompt. */
  readonly ready: RegExp;
  /** Matches its screen if these words are in its input. */
  readonly edited: (words: string) => RegExp;
  /** Typed twice, opens the overlay. */
  readonly key: string;
  /** What ends it. */
  readonly quit: readonly string[];
}

const CTRL_BRACKET = '\x1d';

export const interactiveClaude: Interactive = {
  program: claude,
  file: 'node_modules/@anthropic-ai/claude-code-linux-x64/claude',
  options: ACCEPT,
  prepare: ({ home, project }) => {
    const known = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: ['sk-ant-fake'], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    };
    writeFileSync(join(home, '.claude.json'), JSON.stringify(known));
  },
  hasHooksForRun: true,
  ready: /❯/,
  edited: (words) => new RegExp(`❯\\s*${words}`),
  key: CTRL_BRACKET,
  quit: ['/exit', '\r'],
};

export const interactiveCodex: Interactive = {
  program: codex,
  file: 'node_modules/.bin/codex',
  options: ['--dangerously-bypass-approvals-and-sandbox'],
  prepare: ({ home }) => {
    appendFileSync(join(home, '.codex/config.toml'), '[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n');
  },
  hasHooksForRun: true,
  ready: /›/,
  edited: (words) => new RegExp(`›\\s*${words}`),
  key: CTRL_BRACKET,
  quit: ['/quit', '\r'],
};

export const interactiveGemini: Interactive = {
  program: gemini,
  file: 'node_modules/.bin/gemini',
  options: ['--yolo', '-m', 'gemini-2.5-flash'],
  prepare: ({ home }) => {
    const file = join(home, '.gemini/settings.json');
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...settings, general: { disableAutoUpdate: true } }));
  },
  hasHooksForRun: false,
  ready: /^ +\? for shortcuts/m,
  edited: (words) => new RegExp(`\\*\\s*${words}`),
  key: CTRL_BRACKET,
  quit: ['/quit', '\r'],
};

export const interactiveOpencode: Interactive = {
  program: opencode,
  file: 'node_modules/opencode-linux-x64-baseline/bin/opencode',
  options: ['-m', 'scripted/m1'],
  prepare: () => undefined,
  hasHooksForRun: true,
  ready: /Ask anything|ctrl\+p/,
  edited: (words) => new RegExp(`┃\\s*${words}`),
  key: CTRL_BRACKET,
  quit: ['/exit', '\r'],
};
