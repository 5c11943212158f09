import { Center, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { ProblemNote } from '../components/problem-note.tsx';
import { useIsOnline } from '../interface/network.ts';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { SHARE_TARGET } from '../worker/worker-rules.ts';
import { screenAt } from './inside-screens.ts';
import { Loading, lateScreen } from './late.ts';

const Inside = lateScreen(() => import('./inside.tsx'));
const SignIn = lateScreen(() => import('../screens/sign-in/sign-in.tsx'));
const FirstRun = lateScreen(() => import('../screens/first-run/first-run.tsx'));
const Invitation = lateScreen(() => import('../screens/sign-in/invitation.tsx'));
const Register = lateScreen(() => import('../screens/sign-in/register.tsx'));
const FactorNeeded = lateScreen(() => import('../screens/sign-in/factor-needed.tsx'));
const SignedIn = lateScreen(() => import('../screens/sign-in/signed-in.tsx'));
const VerifyEmail = lateScreen(() => import('../screens/sign-in/verify-email.tsx'));

const prepareInside = (): void => {
  Inside.prepare();
  screenAt(location.pathname)?.prepare();
};

/**
 * Begins to load what will most likely be shown, while the service is still asked who is here. The session's own cookie is hidden from scripts; the
 * one beside it that protects changes is not, and tells that there probably is a session.
 */
export const prepareScreen = (): void => {
  if (document.cookie.includes('_csrf=')) prepareInside();
  else SignIn.prepare();
};

const Outside = (): ReactNode => {
  const { options } = useSession();
  // while one types one's name: who only looks at the page loads no more than that
  useEffect(() => {
    document.addEventListener('input', prepareInside, { once: true });
    return () => document.removeEventListener('input', prepareInside);
  }, []);
  return (
    <Switch>
      {options?.registration_enabled === true && <Route path="/register" component={Register.Part} />}
      <Route component={options?.setup_required === true ? FirstRun.Part : SignIn.Part} />
    </Switch>
  );
};

const reload = (): void => location.reload();

/** The service has not answered yet: whether it can be reached, and what becomes of files that were shared meanwhile. */
const Unreachable = ({ problem, onRetry }: { readonly problem: Problem | undefined; readonly onRetry?: () => void }): ReactNode => {
  const t = useTranslate();
  const [path] = useLocation();
  useEffect(() => {
    if (onRetry === undefined) return undefined;
    globalThis.addEventListener('online', onRetry, { once: true });
    return () => globalThis.removeEventListener('online', onRetry);
  }, [onRetry]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack>
        <Title order={1} size="h3">
          Sheaf
        </Title>
        <ProblemNote problem={problem} onRetry={onRetry} />
        {path === SHARE_TARGET && <Text size="sm">{t('shell.sharedKept')}</Text>}
      </Stack>
    </Center>
  );
};

/** Which screen is shown: by who is signed in, then by the address. */
export const Screens = (): ReactNode => {
  const { state, me, problem } = useSession();
  const isOnline = useIsOnline();
  // what was asked goes on by itself when the network is back
  if (state === 'unknown') return isOnline ? <Loading /> : <Unreachable problem={Problem.unreachable()} />;
  if (state === 'unreachable') return <Unreachable problem={problem} onRetry={reload} />;
  return (
    <Switch>
      {/* where links lead that were sent to somebody, signed in here or not */}
      <Route path="/invitation" component={Invitation.Part} />
      <Route path="/verify-email" component={VerifyEmail.Part} />
      {state === 'signed-in' && <Route path="/signed-in" component={SignedIn.Part} />}
      <Route component={state === 'signed-out' ? Outside : me?.mfa_setup_required === true ? FactorNeeded.Part : Inside.Part} />
    </Switch>
  );
};
