/** Names the folder in which Node keeps compiled code: Node's own variable. */
export const CODE_CACHE_VARIABLE = 'NODE_COMPILE_CACHE';
/** Set in a run of all cases, also those that the usual run leaves out. */
export const FULL_RUN_VARIABLE = 'SHEAF_TEST_FULL';

const codeCache = process.env[CODE_CACHE_VARIABLE];

/** What a program started by a test gets of the environment of the tests, beside its own variables: the code cache of the run alone. */
export const CODE_CACHE_ENVIRONMENT: Readonly<Record<string, string>> = codeCache === undefined ? {} : { [CODE_CACHE_VARIABLE]: codeCache };

/** Whether this is `npm run test:full`. */
export const isFullRun = process.env[FULL_RUN_VARIABLE] !== undefined;
