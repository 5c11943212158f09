import { MantineProvider, useMantineColorScheme } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem } from '../interface/problem.ts';
import { useCall } from '../interface/use-call.ts';
import { LanguageProvider } from '../language/language.tsx';
import { SessionProvider, useSession } from '../session/session.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { late } from './late.ts';
import { Screens } from './screens.tsx';
import { styleNonce } from './style-nonce.ts';
import { colorVariables, theme } from './theme.ts';
import { useHasBeenIdle } from './use-idle.ts';

const MAX_TRIES = 3;

const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => error instanceof Problem && error.isPassing && failures < MAX_TRIES,
        // who asked too much is told when to come back
        retryDelay: (failures, error) =>
          error instanceof Problem && error.retryAfterSeconds !== undefined ? error.retryAfterSeconds * 1_000 : 1_000 * 2 ** failures,
        refetchOnWindowFocus: false, // events tell what changed
      },
    },
  });

const Messages = late(() => import('./messages.tsx')).Part;

/** What is told before they are loaded is kept until then. */
const LateMessages = (): ReactNode => useHasBeenIdle() && <Messages />;

/** Language and colours as the user chose them; as his browser and system have them before he signs in. */
const Preferences = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const { state, me } = useSession();
  const mayAsk = state === 'signed-in' && me?.mfa_setup_required !== true;
  const { data } = useCall('get /api/settings', {}, { enabled: mayAsk, staleMs: Number.POSITIVE_INFINITY });
  const { setColorScheme } = useMantineColorScheme();
  const chosen = data?.theme;
  useEffect(() => {
    if (chosen !== undefined) setColorScheme(chosen);
  }, [chosen, setColorScheme]);
  return <LanguageProvider wanted={data?.language === 'auto' ? undefined : data?.language}>{children}</LanguageProvider>;
};

/** The whole client. */
export const App = (): ReactNode => {
  const [client] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={client}>
      <MantineProvider theme={theme} cssVariablesResolver={colorVariables} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
        <SessionProvider>
          <Preferences>
            <LateMessages />
            <ErrorBoundary>
              <Screens />
            </ErrorBoundary>
          </Preferences>
        </SessionProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
};
