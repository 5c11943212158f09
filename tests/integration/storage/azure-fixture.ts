import { Secret } from '@sheaf/contract';
import type { Storage } from '@sheaf/storage';
import { openAzureStorage, PATIENCE, type Patience } from '@sheaf/storage/testing';

/** Short enough for tests, and long enough for a machine that has other work. */
export const SHORT_PATIENCE: Patience = { ...PATIENCE, pauseMs: 5, answerMs: 30_000, idleMs: 30_000 };

export interface GivenAzure {
  readonly connectionString: string;
  readonly container: string;
  readonly tempPath: string;
  readonly patience?: Partial<Patience>;
}

export const givenAzure = ({ connectionString, container, tempPath, patience = {} }: GivenAzure): Storage =>
  openAzureStorage({ connectionString: new Secret(connectionString), container, tempPath }, { ...SHORT_PATIENCE, ...patience });
