import { type ComponentType, createElement, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { networkIdle } from '../interface/network-idle.ts';
import { loadPart } from './load-part.ts';

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
