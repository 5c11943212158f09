import { type ComponentType, createElement, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { networkIdle } from '../interface/network.ts';

const IDLE_PATIENCE_MS = 3_000;
/** For browsers without requestIdleCallback, which is Safari. */
const LATER_MS = 300;

const whenIdle = (work: () => void): (() => void) => {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(work, { timeout: IDLE_PATIENCE_MS });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(work, LATER_MS);
  return () => clearTimeout(timer);
};

/** Does `work` when the first screen is complete and nothing else is to be done; returns what dismisses it. */
export const afterFirstScreen = (work: () => void): (() => void) => {
  let cancelWork: (() => void) | undefined;
  const cancelWait = networkIdle.whenIdle(() => {
    cancelWork = whenIdle(work);
  });
  return () => {
    cancelWait();
    cancelWork?.();
  };
};

/** Does `work` once, then: what the first screen need not wait for. */
export const useIdle = (work: () => void): void => {
  const current = useRef(work);
  useEffect(() => afterFirstScreen(() => current.current()), []);
};

/** Whether that time has come. */
export const useHasBeenIdle = (): boolean => {
  const [hasBeen, setHasBeen] = useState(false);
  useIdle(() => setHasBeen(true));
  return hasBeen;
};

/** When the page was last loaded again because a part of it was gone. */
const RELOADED_AT = 'sheaf.reloaded-at';
const PATIENCE_MS = 30_000;
const PAUSE_MS = 2_000;

interface Surroundings {
  /** Whether the service answers at all. */
  readonly isThere: () => Promise<boolean>;
  readonly pause: () => Promise<void>;
  /** Loads the page again; false where it was done a moment ago and did not help. */
  readonly reload: () => boolean;
}

const browser: Surroundings = {
  isThere: () =>
    fetch('/icon.svg', { method: 'HEAD', cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    ),
  pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
  reload: () => {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < PATIENCE_MS) return false;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
    return true;
  },
};

/**
 * Loads a part of the client. While the service cannot be reached it waits for it. After an update of the service an open page asks for parts that
 * are gone: loading the page again brings the new ones.
 */
export const loadPart = async <T>(load: () => Promise<T>, { isThere, pause, reload }: Surroundings = browser): Promise<T> => {
  for (let hasFailedThere = false; ; ) {
    try {
      return await load();
    } catch (error) {
      if (hasFailedThere) {
        if (!reload()) throw error;
        return new Promise<T>(() => undefined); // the page is going
      }
      while (!(await isThere())) await pause();
      hasFailedThere = true;
    }
  }
};

/** Stands where a screen will be. It is seen only where that takes a moment. */
export const Loading = (): ReactNode => createElement('div', { className: 'loading', role: 'status', 'aria-label': '…' });

export interface Late<P> {
  readonly Part: ComponentType<P>;
  /** Fetches it before it is shown. */
  readonly prepare: () => void;
}

/**
 * A part of the client that is loaded when it is first shown. Not React's `lazy`, whose Suspense holds back what is there for 300 ms once it has shown
 * that something is loaded, at each of several parts inside each other: what has been prepared is drawn at once here.
 */
export const late = <P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  fallback: ReactNode = null,
): Late<P> => {
  let loaded: ComponentType<P> | undefined;
  const subscribers = new Set<() => void>();
  const keep = ({ default: part }: { readonly default: ComponentType<P> }): void => {
    loaded = part;
    for (const notify of subscribers) notify();
  };
  const subscribe = (notify: () => void): (() => void) => {
    subscribers.add(notify);
    return () => subscribers.delete(notify);
  };
  const Part = (props: P): ReactNode => {
    // `prepare` may end after the fallback was drawn and before the effect runs, which a busy machine delays: React compares once more then
    const current = useSyncExternalStore(subscribe, () => loaded);
    const [problem, setProblem] = useState<readonly [unknown]>();
    useEffect(() => {
      if (loaded === undefined)
        networkIdle
          .track(loadPart(load))
          .then(keep)
          .catch((error: unknown) => setProblem([error]));
    }, []);
    if (current !== undefined) return createElement(current, props);
    if (problem !== undefined) throw problem[0];
    return fallback;
  };
  // where this fails nobody has asked for it yet: neither is anything told, nor the page loaded again
  const prepare = (): void => {
    if (loaded === undefined) void networkIdle.track(load()).then(keep, () => undefined);
  };
  return { Part, prepare };
};

export type LateScreen = Late<object>;

export const lateScreen = (load: () => Promise<{ readonly default: ComponentType }>): LateScreen => late(load, createElement(Loading));
