import type { Problem } from './problem.ts';

/** What a refusal says of the session: that nobody knows who asks, or that he has to set up a second factor before anything else. */
export type SessionRefusal = 'unknown' | 'factor-needed';

const UNAUTHORIZED = 401;

const listeners = new Set<(refusal: SessionRefusal) => void>();

/** Calls `listener` whenever an answer says so; returns what ends that. */
export const listenForSessionRefusals = (listener: (refusal: SessionRefusal) => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What `problem` says of the session, if it does. */
export const sessionRefusalOf = ({ status, code }: Pick<Problem, 'status' | 'code'>): SessionRefusal | undefined =>
  status === UNAUTHORIZED ? 'unknown' : code === 'MFA_SETUP_REQUIRED' ? 'factor-needed' : undefined;

/** To be told of each refusal. */
export const noticeRefusal = (problem: Pick<Problem, 'status' | 'code'>): void => {
  const refusal = sessionRefusalOf(problem);
  if (refusal !== undefined) for (const listener of listeners) listener(refusal);
};
