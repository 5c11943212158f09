import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of ava whose internals `groups/ava-internals.js` was written for. */
const WRITTEN_FOR = '8.0.1';

const installedVersion = (): string => {
  const path = join(import.meta.dirname, '../node_modules/ava/package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
};

/** Fails where ava has another version than the one that the groups of files are known to work with. */
export const checkAvaVersion = (version = installedVersion()): void => {
  if (version !== WRITTEN_FOR)
    throw new Error(
      `ava is ${version}, and tests/runner/groups relies on internals of ava ${WRITTEN_FOR}. Look at what changed in lib/runner.js, lib/worker/channel.js and lib/worker/state.js, name the new version in tests/runner/ava-version.ts, and run tests/unit/runner.`,
    );
};
