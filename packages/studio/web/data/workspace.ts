/** The workspace that is shown, and what the server allows. */
import { createContext, useContext } from 'react';
import type { WorkspacesAnswer } from '../api/call.ts';

export interface ShownWorkspace {
  readonly id: string;
  /** Safe to show. */
  readonly path: string;
  /** It is a bundle that was opened for review: there is no folder, and nothing changes. */
  readonly isBundle: boolean;
  readonly server: WorkspacesAnswer['server'];
}

export const WorkspaceContext = createContext<ShownWorkspace | null>(null);

export function useWorkspace(): ShownWorkspace {
  const shown = useContext(WorkspaceContext);
  if (shown === null) throw new Error('This part of the page needs a workspace.');
  return shown;
}
