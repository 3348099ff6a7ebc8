/** Support for coding agents: installs hooks and reports whether they fire. The hooks themselves are in `hook/`. */

export type { Agent, Environment } from './agent.ts';
export type { AgentName } from './event.ts';
export { type AgentReport, reportAgents } from './report.ts';
export type { Program } from './settings/hook-command.ts';
export {
  backupPath,
  type FileChange,
  type PlaceKind,
  planInstall,
  planUninstall,
  type Surroundings,
  settingsPath,
} from './settings/plan.ts';
export { carryOut } from './settings/write.ts';
export { AGENTS, isAgentName } from './table.ts';
