/** Names the folder in which Node keeps compiled code: Node's own variable. */
export const CODE_CACHE_VARIABLE = 'NODE_COMPILE_CACHE';
/** Names the file in which `tests/runner/import-cache.js`, which NODE_OPTIONS loads, keeps what imports lead to. */
export const IMPORT_CACHE_VARIABLE = 'SHEAF_TEST_IMPORTS';
/** Set in a run of all cases, also those that the usual run leaves out. */
export const FULL_RUN_VARIABLE = 'SHEAF_TEST_FULL';

const CACHE_VARIABLES = [CODE_CACHE_VARIABLE, IMPORT_CACHE_VARIABLE, 'NODE_OPTIONS'];

/** What a program started by a test gets of the environment of the tests, beside its own variables: the caches of the run alone. */
export const CODE_CACHE_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  CACHE_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Whether this is `npm run test:full`. */
export const isFullRun = process.env[FULL_RUN_VARIABLE] !== undefined;
