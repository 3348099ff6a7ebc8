/** Environment variables that an agent sets for its shell commands, by which their processes are recognised. */
export interface ShellVariables {
  /** Set in every command, whatever its value, and not in the agent's own process. */
  readonly any: string;
  /** Contains the id of the session. Null if the agent does not set such a variable. */
  readonly session: string | null;
}
