/** The names of agents on the timeline. The same agent has the same name in its hooks, over MCP and in the library. */

import type { Actor } from './checkpoint.ts';

/**
 * The agents that Savepoint knows, each with the names that it also uses, for example as an MCP client. Lower case, with
 * `-` for spaces; `*` at the end matches any rest.
 */
const ALIASES = {
  claude: ['claude-code', 'claude-code-*'],
  gemini: ['gemini-cli', 'gemini-cli-*'],
  codex: ['codex-cli', 'codex-mcp-client', 'codex-tui', 'openai-codex'],
  copilot: ['copilot-*', 'github-copilot', 'github-copilot-*'],
  opencode: ['opencode-ai'],
  cline: ['cline-cli', 'cline-vscode'],
  cursor: ['cursor-vscode', 'cursor-agent', 'cursor-cli'],
  vscode: ['vs-code', 'visual-studio-code', 'visual-studio-code-*', 'code-oss'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The canonical name of an agent that Savepoint knows. */
export type KnownAgent = keyof typeof ALIASES;

/** All of them. */
export const KNOWN_AGENTS = Object.keys(ALIASES) as readonly KnownAgent[];

export function isKnownAgent(name: string): name is KnownAgent {
  return Object.hasOwn(ALIASES, name);
}

/** Returns the canonical name of an agent; an agent that Savepoint does not know keeps its own name. */
export function canonicalAgent(name: string): string {
  return (
    CANONICAL.get(name) ??
    findCanonical(
      name
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, '-'),
    ) ??
    name
  );
}

/** Returns the actor under its canonical name. Only agents have one. */
export function canonicalActor(actor: Actor): Actor {
  const name = actor.kind === 'agent' ? canonicalAgent(actor.name) : actor.name;
  return name === actor.name ? actor : { ...actor, name };
}

const CANONICAL: ReadonlyMap<string, KnownAgent> = new Map(
  KNOWN_AGENTS.flatMap((agent) => [agent, ...ALIASES[agent]].map((name) => [name, agent] as const)),
);

function findCanonical(name: string): KnownAgent | null {
  const exact = CANONICAL.get(name);
  if (exact !== undefined) return exact;
  // A `/` separates the id of a sub-agent.
  if (name.includes('/') || name.includes('*')) return null;
  const found = [...CANONICAL].find(([alias]) => alias.endsWith('*') && name.startsWith(alias.slice(0, -1)));
  return found?.[1] ?? null;
}
