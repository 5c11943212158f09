import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { NamedValues } from './layers.ts';
import { type LoadedConfig, loadConfig, processOptions } from './load.ts';
import { ConfigError, describeIssue } from './parse.ts';

/** The configuration of this process; where it is not valid, every mistake as a line on stderr and the end of the process. */
export const loadOrExit = (flags: NamedValues = {}): LoadedConfig => {
  try {
    return loadConfig({ ...processOptions(), flags });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const issue of error.issues) process.stderr.write(`configuration: ${describeIssue(issue)}\n`);
    return process.exit(EXIT.configuration);
  }
};
