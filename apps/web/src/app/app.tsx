import {
  Alert,
  Button,
  Code,
  Container,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  MantineProvider,
  Stack,
  useMantineColorScheme,
} from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { useCall } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { LanguageProvider, useTranslate } from '../language/language.tsx';
import { SessionProvider, useSession } from '../session/session.tsx';
import { late, useHasBeenIdle } from './late.ts';
import { Screens } from './screens.tsx';

/** With which this page's content security policy lets style elements in. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

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

/** Language and colours as the user chose them; as their browser and system have them before they sign in. */
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

const sheaf: MantineColorsTuple = [
  '#e8f8f5',
  '#d3efe9',
  '#a5ded3',
  '#74cdbc',
  '#4dbfa9',
  '#35b69d',
  '#24a58c',
  '#128574',
  '#0b7269',
  '#045b53',
];

const theme = createTheme({
  primaryColor: 'sheaf',
  // dark enough for white letters on it, light enough to be seen on dark ground
  primaryShade: { light: 8, dark: 7 },
  colors: { sheaf },
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif",
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
});

/** What differs from the shades of the theme, which come after every style sheet: on the red of dark screens white letters are hard to read. */
const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {},
  dark: { '--mantine-color-red-filled': '#cf4138', '--mantine-color-red-filled-hover': '#bd372f' },
});

const Failure = ({ error }: { readonly error: Error }): ReactNode => {
  const t = useTranslate();
  return (
    <Container size="sm" py="xl">
      <Alert color="red" title={t('crash.title')} role="alert">
        <Stack align="flex-start">
          {t('crash.explain')}
          <Code block className="stranger">
            {error.message}
          </Code>
          <Button onClick={() => location.reload()}>{t('crash.reload')}</Button>
        </Stack>
      </Alert>
    </Container>
  );
};

interface Props {
  readonly children: ReactNode;
}

/** What is shown in place of a screen that throws. */
class ErrorBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <Failure error={this.state.error} />;
  }
}
