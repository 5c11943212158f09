import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const FIXTURE = join(import.meta.dirname, '../../fixtures/embedded-postgres/hold-server.ts');

/** What a process of that user prints when it cannot open a server, on one line. */
export const openAs = (ids: { uid: number; gid: number }, dataPath: string): string =>
  spawnSync(process.execPath, [FIXTURE, dataPath], { ...ids, cwd: '/', encoding: 'utf8', timeout: 120_000 }).stderr.replaceAll('\n', ' ');
