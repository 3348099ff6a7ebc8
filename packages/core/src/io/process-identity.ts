/** Identifies a process, so that another process can check later whether it is still alive. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the system's own unit. Distinguishes processes that reuse a pid. Null if unknown. */
  readonly startedAt: string | null;
  /** Changes at every boot. Null if unknown. */
  readonly bootId: string | null;
  /** Processes in another pid namespace (a container) look dead from outside; this identifies them. */
  readonly pidNamespace: string | null;
  readonly host: string;
}
