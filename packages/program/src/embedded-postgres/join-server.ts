import { realpath } from 'node:fs/promises';
import { FatalError, waitFor } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { findServerPid, findStarter } from './process-table.ts';
import { openPostgresServer, type PostgresServerSettings } from './server.ts';
import { readUrlFile } from './url-file.ts';

/** A database to work with for a while; `stop` ends it only if it was started for this. */
export interface JoinedServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface JoinSettings extends PostgresServerSettings {
  readonly urlFile: string;
}

const START_LIMIT_MS = 10_000;

const isServed = async (dataPath: string): Promise<boolean> => {
  const path = await realpath(dataPath).catch(() => undefined);
  const pid = path === undefined ? undefined : findServerPid(path);
  return pid !== undefined && findStarter(pid) !== undefined;
};

/** The running embedded database of this configuration, or one started for the caller. For command line tools. */
export const joinPostgresServer = async (settings: JoinSettings): Promise<JoinedServer> => {
  if (!(await isServed(settings.dataPath))) {
    try {
      return await openPostgresServer(settings);
    } catch (error) {
      if (!(error instanceof FatalError && error.exitCode === EXIT.replicaRuns)) throw error;
    }
  }
  // A server that has just been started by somebody else writes its URL in a moment.
  const url = await waitFor(() => readUrlFile(settings.urlFile), { description: `${settings.urlFile} to appear`, limitMs: START_LIMIT_MS });
  return { url, stop: async () => {} };
};
