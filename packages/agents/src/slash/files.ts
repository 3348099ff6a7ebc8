/** The files that put the commands into the menus of agents. Their contents are the same on every machine. */

import { NOT_ANSWERED } from './parse.ts';
import { SLASH_COMMANDS, type SlashCommand } from './table.ts';

/** A file that belongs to Savepoint as long as it has exactly this content. */
export interface CommandFile {
  /** Below the folder of the commands, with `/`. */
  readonly name: string;
  readonly content: string;
}

/** Claude Code: a file is a command in the namespace of its folder. Its hook gets what was typed, and not the text. */
export function claudeCommands(): readonly CommandFile[] {
  return SLASH_COMMANDS.map((command) => ({
    name: `${command.name}.md`,
    content: markdown(
      [...header(command), ...argumentHint(command)],
      // Other agents that read this folder may send the text.
      `/savepoint:${command.name} $ARGUMENTS\n\n${NOT_ANSWERED}`,
    ),
  }));
}

/** Gemini CLI: the hook gets the text of the file, so that begins with what was typed. */
export function geminiCommands(): readonly CommandFile[] {
  return SLASH_COMMANDS.map(({ name, summary }) => ({
    name: `${name}.toml`,
    content: `description = ${JSON.stringify(summary)}\nprompt = """\n/savepoint:${name} {{args}}\n\n${NOT_ANSWERED}\n"""\n`,
  }));
}

/** Copilot CLI: a skill that only the user can invoke is a command. */
export function copilotSkills(): readonly CommandFile[] {
  return SLASH_COMMANDS.map((command) => skill(command, [...header(command), 'user-invocable: true']));
}

/** OpenAI Codex: the same, but a second file says that only the user can invoke it. The hook gets what was typed. */
export function codexSkills(): readonly CommandFile[] {
  return SLASH_COMMANDS.flatMap((command) => [
    skill(command, header(command)),
    { name: `savepoint-${command.name}/agents/openai.yaml`, content: 'policy:\n  allow_implicit_invocation: false\n' },
  ]);
}

function skill({ name }: SlashCommand, fields: readonly string[]): CommandFile {
  return {
    name: `savepoint-${name}/SKILL.md`,
    content: markdown([`name: savepoint-${name}`, ...fields], NOT_ANSWERED),
  };
}

/** Models do not read the summaries of commands that they cannot invoke. */
function header({ summary }: SlashCommand): readonly string[] {
  return [`description: ${JSON.stringify(summary)}`, 'disable-model-invocation: true'];
}

function argumentHint({ forms }: SlashCommand): readonly string[] {
  const hint = forms.filter((form) => form !== '').join(' | ');
  return hint === '' ? [] : [`argument-hint: ${JSON.stringify(hint)}`];
}

function markdown(fields: readonly string[], text: string): string {
  return `---\n${fields.join('\n')}\n---\n${text}\n`;
}
