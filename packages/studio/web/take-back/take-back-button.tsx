import { useWorkspace } from '../data/workspace.ts';
import { Icon } from '../parts/icon.tsx';
import type { TakeBackRequest } from './requests.ts';
import { useTakeBack } from './take-back.tsx';

export interface TakeBackButtonProps {
  readonly request: TakeBackRequest;
  readonly label: string;
  readonly isQuiet?: boolean;
}

/** Shows first what would happen. With --read-only there is no such button. */
export function TakeBackButton({ request, label, isQuiet = false }: TakeBackButtonProps) {
  const { server } = useWorkspace();
  const takeBack = useTakeBack();
  if (server.isReadOnly) return null;
  return (
    <button
      type="button"
      className={`button small ${isQuiet ? 'quiet' : ''}`}
      title={request.title}
      onClick={() => takeBack(request)}
    >
      <Icon name="back" />
      {label}
    </button>
  );
}
