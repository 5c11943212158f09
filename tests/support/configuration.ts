import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '@sheaf/config';
import test from 'ava';

/** A row of the specification's tables of variables: its default, and where another value arrives. */
export interface VariableRow {
  /** The table it stands in. */
  readonly table?: string;
  readonly name: string;
  readonly read: (config: Config) => unknown;
  readonly byDefault: unknown;
  /** Another value as text, and as it arrives. */
  readonly given: readonly [text: string, arrived: unknown];
  /** What else has to be set for the variable to mean something. */
  readonly beside?: Record<string, string>;
}

/** The configuration of an environment, with folders of its own that go with the tests of the file. */
export const openConfiguration = () => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-spec-'));
  test.after.always(() => rmSync(folder, { recursive: true, force: true }));
  const load = (environment: Record<string, string> = {}): Config =>
    loadConfig({
      environment: {
        DATA_PATH: join(folder, 'data'),
        UPLOAD_PATH: join(folder, 'uploads'),
        WATCH_FOLDER: join(folder, 'watch'),
        ...environment,
      },
    }).config;
  return { folder, load };
};
