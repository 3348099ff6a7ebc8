/** Lets the browser in, then shows the views. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { CallFailed } from './api/call.ts';
import { enter, type NotLetIn } from './api/session.ts';
import { Empty, Loading } from './parts/message.tsx';
import { Toasts } from './parts/toasts.tsx';
import { router } from './routes.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What a verb refuses, it refuses again.
      retry: (count, error) => count < 2 && error instanceof CallFailed && error.httpStatus === null,
      refetchOnWindowFocus: false,
    },
  },
});

let entered: Promise<NotLetIn | null> | undefined;

export function App() {
  const [state, setState] = useState<'entering' | 'in' | NotLetIn>('entering');
  useEffect(() => {
    entered ??= enter();
    entered.then(
      (refused) => setState(refused ?? 'in'),
      (error: unknown) =>
        setState({ message: error instanceof Error ? error.message : String(error), hint: 'Load the page again.' }),
    );
  }, []);
  if (state === 'entering') return <Loading what="Studio" />;
  if (state !== 'in') {
    return (
      <main>
        <Empty title={state.message}>
          <p>{state.hint}</p>
        </Empty>
      </main>
    );
  }
  return (
    <QueryClientProvider client={client}>
      <Toasts>
        <RouterProvider router={router} />
      </Toasts>
    </QueryClientProvider>
  );
}
