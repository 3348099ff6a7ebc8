/** Test projects for the built command. Unlike the rest of the testkit, this needs vitest. */
export { bytesBelow, identity, MiB, workingFiles } from './files.ts';
export {
  type CallWatch,
  type CommandOutcome,
  explain,
  hookScript,
  main,
  type RunOptions,
  watchCalls,
} from './outcome.ts';
export { git, shell } from './programs.ts';
export { Project, project, sharedProject } from './project.ts';
