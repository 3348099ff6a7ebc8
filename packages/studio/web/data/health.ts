/** Whether the hooks of agents and the daemon work. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type HealthAnswer, loadHealth } from '../api/call.ts';
import { useWorkspace } from './workspace.ts';

export function useHealth(): UseQueryResult<HealthAnswer> {
  const { id } = useWorkspace();
  return useQuery({ queryKey: [id, 'live', 'health'], queryFn: ({ signal }) => loadHealth(id, signal) });
}
