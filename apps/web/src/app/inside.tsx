import { type ReactNode, useRef } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useSession } from '../session/session.tsx';
import { INSIDE_SCREENS } from './inside-screens.ts';
import { late, lateScreen } from './late.ts';
import { navItemAt } from './nav.ts';
import { Shell } from './shell.tsx';

const SignInAgain = late(() => import('../session/sign-in-again.tsx')).Part;
const FactorDemanded = late(() => import('../session/factor-demanded.tsx')).Part;
const NotFound = lateScreen(() => import('../screens/not-found/not-found.tsx')).Part;
const Refused = lateScreen(() => import('../screens/not-found/refused.tsx')).Part;

/** The client of who is signed in: the screen of the address inside the shell. */
const Inside = (): ReactNode => {
  const { state, may } = useSession();
  const [location] = useLocation();
  const needed = navItemAt(location)?.needs;
  // it stays until it has closed by itself
  const hasExpired = useRef(false);
  hasExpired.current ||= state === 'expired';
  return (
    <Shell>
      <Switch>
        <Route path="/">
          <Redirect to="/documents" replace />
        </Route>
        {needed !== undefined && !may(needed) && <Route component={Refused} />}
        {INSIDE_SCREENS.map(([path, { Part }]) => (
          <Route key={path} path={path} component={Part} />
        ))}
        <Route component={NotFound} />
      </Switch>
      {hasExpired.current && <SignInAgain />}
      {state === 'factor-needed' && <FactorDemanded />}
    </Shell>
  );
};
export default Inside;
