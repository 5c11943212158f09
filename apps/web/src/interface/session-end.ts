const UNAUTHORIZED = 401;

const listeners = new Set<() => void>();

/** Calls `listener` whenever an answer says that the service does not know who asks; returns what ends that. */
export const listenForSessionEnd = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** To be told the status of each answer. */
export const noticeStatus = (status: number): void => {
  if (status === UNAUTHORIZED) for (const listener of listeners) listener();
};
