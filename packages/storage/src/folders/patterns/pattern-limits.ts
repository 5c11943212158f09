import { compileGlob } from './glob.ts';

/** A pattern has some 20 states and one more for each character; a `**` or a brace has a few more. */
const MAX_STATES = 1_000;
const MAX_STATES_IN_ALL = 4_000;

/**
 * Why patterns cannot be those of somebody who may not use up the time of the service; undefined when they can. Those of whoever
 * runs it are not asked about.
 */
export const refusalOfPatterns = (patterns: readonly string[]): string | undefined => {
  let inAll = 0;
  for (const pattern of patterns) {
    const { states } = compileGlob(pattern);
    if (states === undefined) return `${pattern} is not supported: groups and backslash digits are not allowed`;
    if (states > MAX_STATES) return `${pattern} is too complex; use fewer stars, braces and brackets`;
    inAll += states;
  }
  return inAll > MAX_STATES_IN_ALL ? 'are too complex together; use fewer or simpler patterns' : undefined;
};
