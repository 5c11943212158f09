import type { Secret } from '@sheaf/contract';
import { Listener } from '@sheaf/db';
import type { Component } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { ImportRunner, type ImportRunnerDeps } from './import-runner.ts';

export interface ImportsDeps extends ImportRunnerDeps {
  readonly databaseUrl: Secret;
}

/** What does the imports that are asked for, here or at another host. */
export const openImports = ({ databaseUrl, ...deps }: ImportsDeps): Component[] => {
  const runner = new ImportRunner(deps);
  const onNudge = (_channel: unknown, what?: string): void => {
    if (what !== 'backup') runner.nudge();
  };
  return [runner, new Listener({ url: databaseUrl, channels: [CHANNELS.requests], log: deps.log, onNudge })];
};
