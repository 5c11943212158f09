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
