import { type ComponentType, createElement, type ReactNode, useEffect, useReducer } from 'react';
import { calm } from '../interface/calm.ts';
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
  let loading: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    loading ??= calm.during(loadPart(load)).then(
      (module) => {
        loaded = module.default;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  const Part = (props: P): ReactNode => {
    const [problem, redraw] = useReducer((_: unknown, error: unknown) => [error], undefined);
    useEffect(() => {
      if (loaded === undefined) begin().then(() => redraw(undefined), redraw);
    }, []);
    if (loaded !== undefined) return createElement(loaded, props);
    if (problem?.[0] !== undefined) throw problem[0];
    return fallback;
  };
  // where this fails, the attempt that counts tells
  return { Part, prepare: () => void begin().catch(() => undefined) };
};

export type LateScreen = Late<object>;

export const lateScreen = (load: () => Promise<{ readonly default: ComponentType }>): LateScreen => late(load, createElement(Loading));
