import type { Storage } from '@sheaf/storage';

/** The storage with some of its verbs done in another way. */
export const changedStorage = (storage: Storage, verbs: Partial<Storage>): Storage => ({
  put: (...args) => storage.put(...args),
  replace: (...args) => storage.replace(...args),
  open: (...args) => storage.open(...args),
  localPath: (...args) => storage.localPath(...args),
  stat: (...args) => storage.stat(...args),
  delete: (...args) => storage.delete(...args),
  list: (...args) => storage.list(...args),
  check: () => storage.check(),
  sweepLeftovers: (...args) => storage.sweepLeftovers(...args),
  close: () => storage.close(),
  place: storage.place,
  pathOf: (...args) => storage.pathOf(...args),
  ...verbs,
});
