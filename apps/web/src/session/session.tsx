import { type Action, type Scope, scopeOf } from '@sheaf/vocabulary/permissions';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { type Answer, call, keyOf, listenForSessionRefusals, refresh, setCsrfCookie, useCall } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { forgetSearches } from '../interface/recent-searches.ts';
import { forgetAllSharedFiles } from '../worker/shared-files.ts';

const CHANNEL = 'sheaf-sign-in';

/** Tells the other windows of this browser that somebody has signed in; the cookie is theirs too. */
export const notifySignedIn = (): void => {
  const channel = new BroadcastChannel(CHANNEL);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  channel.postMessage(null);
  channel.close();
};

/** Calls `listener` whenever another window tells that; returns what ends it. */
export const listenForSignIn = (listener: () => void): (() => void) => {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  return () => channel.close();
};

type Me = Answer<'get /api/auth/me'>;

interface Shown {
  readonly shown: Me | undefined;
  readonly isFactorNeeded: boolean;
}

/**
 * Who has worked here stays who they were, with all their rights, when a second factor begins to be demanded of them: their screens stay as they are, with what
 * they have typed, until they have set one up.
 */
const useUntilFactorNeeded = (me: Me | undefined): Shown => {
  const client = useQueryClient();
  const before = useRef<Me>(undefined);
  const isDemanded = me?.mfa_setup_required === true;
  if (!isDemanded) before.current = me;
  const isFactorNeeded = isDemanded && before.current?.id === me.id;
  const wasNeeded = useRef(false);
  useEffect(() => {
    // what was refused meanwhile
    if (wasNeeded.current && !isFactorNeeded) void client.invalidateQueries();
    wasNeeded.current = isFactorNeeded;
  }, [isFactorNeeded, client]);
  return { shown: isFactorNeeded ? before.current : me, isFactorNeeded };
};

export type SignInOptions = Answer<'get /api/auth/config'>;

interface Session {
  /**
   * `expired`: somebody worked here until the session ended, `factor-needed`: until a second factor was demanded of them; what they typed is still on the
   * screen behind the sign-in, or the setting up.
   */
  readonly state: 'unknown' | 'signed-out' | 'signed-in' | 'expired' | 'factor-needed' | 'unreachable';
  readonly me: Me | undefined;
  readonly options: SignInOptions | undefined;
  readonly problem: Problem | undefined;
  /** On whose rows the user may do something. */
  readonly reach: (action: Action) => Scope;
  readonly may: (action: Action) => boolean;
  /** Looks anew who is signed in; to be called after a sign-in. */
  readonly signedIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

const Context = createContext<Session | undefined>(undefined);

export const useSession = (): Session => {
  const session = useContext(Context);
  if (session === undefined) throw new Error('useSession outside SessionProvider');
  return session;
};

/** Who is signed in. Only for screens that nobody else sees. */
export const useMe = (): Me => {
  const { me } = useSession();
  if (me === undefined) throw new Error('nobody is signed in');
  return me;
};

/** Under which it is kept who is signed in. */
const ME = keyOf('get /api/auth/me', {});

const isUnauthorized = (error: unknown): boolean => error instanceof Problem && error.status === 401;

/** Knows who is signed in, and notices when that ends. */
export const SessionProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const client = useQueryClient();
  const options = useCall('get /api/auth/config', {}, { staleMs: 60_000 });
  const me = useCall('get /api/auth/me', {}, { staleMs: Number.POSITIVE_INFINITY });
  const { shown, isFactorNeeded } = useUntilFactorNeeded(me.data);
  const [hasExpired, setExpired] = useState(false);

  const csrfCookie = options.data?.csrf_cookie;
  useEffect(() => {
    if (csrfCookie !== undefined) setCsrfCookie(csrfCookie);
  }, [csrfCookie]);

  // a refusal may be that of a request which went out before somebody signed in again
  const isLooking = useRef(false);
  const look = useCallback(async () => {
    if (isLooking.current) return; // its own refusal is told too
    isLooking.current = true;
    try {
      const now = await call('get /api/auth/me', {});
      setExpired(now.id !== client.getQueryData<Me>(ME)?.id);
    } catch {
      setExpired(true);
    } finally {
      isLooking.current = false;
    }
  }, [client]);

  // any answer may be the one that tells
  const wasSignedIn = me.data !== undefined;
  useEffect(
    () =>
      wasSignedIn
        ? listenForSessionRefusals((refusal) => void (refusal === 'unknown' ? look() : refresh(client, ['get /api/auth/me'])))
        : undefined,
    [wasSignedIn, client, look],
  );

  const take = useCallback(
    async (now: Me) => {
      client.setQueryData(ME, now);
      setExpired(false);
      await client.invalidateQueries();
    },
    [client],
  );
  const signedIn = useCallback(async () => {
    const now = await call('get /api/auth/me', {});
    const before = client.getQueryData<Me>(ME);
    // somebody else sees nothing of what their predecessor saw
    if (before !== undefined && before.id !== now.id) {
      client.clear();
      await forgetAllSharedFiles().catch(() => undefined);
    }
    await take(now);
    notifySignedIn();
  }, [client, take]);

  // whoever else signed in there does not go on with what this one has typed
  const goOn = useCallback(async () => {
    const now = await call('get /api/auth/me', {});
    if (now.id === client.getQueryData<Me>(ME)?.id) await take(now);
  }, [client, take]);
  useEffect(() => {
    if (!hasExpired) return undefined;
    const tryToGoOn = (): void => void goOn().catch(() => undefined);
    const end = listenForSignIn(tryToGoOn);
    // whoever comes back to this window may have signed in without a word that reached it
    window.addEventListener('focus', tryToGoOn);
    return () => {
      window.removeEventListener('focus', tryToGoOn);
      end();
    };
  }, [hasExpired, goOn]);

  const signOut = useCallback(async () => {
    await call('post /api/auth/logout', {}).catch((error: unknown) => {
      if (!isUnauthorized(error)) throw error;
    });
    // nothing of them stays in memory, nor in the browser
    forgetSearches();
    await forgetAllSharedFiles().catch(() => undefined);
    location.assign('/');
  }, []);

  const value = useMemo((): Session => {
    const permissions = shown?.permissions ?? [];
    // what is disabled nobody may do, whatever their role
    const isOff = (action: Action): boolean => action === 'documents.share' && options.data?.share_links_enabled !== true;
    const reach = (action: Action): Scope => (isOff(action) ? 'none' : scopeOf(permissions, action));
    const problem = options.error ?? (isUnauthorized(me.error) ? undefined : me.error) ?? undefined;
    const state =
      me.data !== undefined
        ? hasExpired
          ? ('expired' as const)
          : isFactorNeeded
            ? ('factor-needed' as const)
            : ('signed-in' as const)
        : isUnauthorized(me.error) && options.data !== undefined
          ? ('signed-out' as const)
          : problem !== undefined
            ? ('unreachable' as const)
            : ('unknown' as const);
    return { state, me: shown, options: options.data, problem, reach, may: (action) => reach(action) !== 'none', signedIn, signOut };
  }, [me.data, me.error, shown, isFactorNeeded, options.data, options.error, hasExpired, signedIn, signOut]);

  return <Context value={value}>{children}</Context>;
};
