import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { NamedValues } from './layers.ts';
import { type LoadedConfig, loadConfig, processOptions } from './load.ts';
import { ConfigError, describeIssue } from './parse.ts';
import type { ProgramName } from './variable.ts';

/**
 * The configuration of this process, which is `program` where it runs alone; where it is not valid, every mistake as a line on stderr and
 * the end of the process.
 */
export const loadOrExit = (flags: NamedValues = {}, program?: ProgramName): LoadedConfig => {
  try {
    return loadConfig({ ...processOptions(), flags, ...(program === undefined ? {} : { program }) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const issue of error.issues) process.stderr.write(`configuration: ${describeIssue(issue)}\n`);
    return process.exit(EXIT.configuration);
  }
};
