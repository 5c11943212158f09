import type { FixedConfig } from '@sheaf/config';
import { completeDatabaseUrl, type Database, openDatabase } from '@sheaf/db';
import { ReadReplica } from '@sheaf/db/replica';
import type { Logger } from '@sheaf/process';

/** The replica that DATABASE_READ_URL names, if any, with as many connections as the primary has here. */
export const openReadReplica = ({ database: settings, readDatabaseUrl, server }: FixedConfig, primary: Database, log: Logger) => {
  if (readDatabaseUrl === undefined) return undefined;
  const url = completeDatabaseUrl(readDatabaseUrl, settings);
  const limits = { statementTimeoutMs: server.requestTimeoutMs, applicationName: 'sheaf api reads' };
  return new ReadReplica({ primary, replica: openDatabase({ ...settings, ...limits, url }, log), log });
};
