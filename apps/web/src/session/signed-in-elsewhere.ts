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
