/** Support for coding agents: installs hooks and reports whether they fire. The hooks themselves are in `hook/`. */

export type { Agent, Environment } from './agent.ts';
export { conversations } from './conversation/index.ts';
export type { AgentName } from './event.ts';
export type { OpenTyped } from './hook/handle.ts';
export { forgetEventsFrom } from './hook/health.ts';
export { ONE_RUN_VARIABLE } from './hook/variables.ts';
export { type AgentReport, reportAgents } from './report.ts';
export type { HookProgram } from './settings/hook-command.ts';
export { keptOptions } from './settings/kept-options.ts';
export { type HooksForRun, hooksForRun } from './settings/one-run.ts';
export { ownEntries } from './settings/own-entries.ts';
export {
  backupPath,
  commandsLeftAlone,
  type FileChange,
  type InstallEnvironment,
  planInstall,
  planUninstall,
  type SettingsScope,
  settingsPath,
} from './settings/plan.ts';
export { writeChanges } from './settings/write.ts';
export type { RunnableCommand } from './slash/request.ts';
export { SLASH_COMMANDS } from './slash/table.ts';
export { AGENTS, isAgentName, mayUseSandbox } from './table.ts';
