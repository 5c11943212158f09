import { canMount } from '../fixtures/small-disk.ts';
import { testWhere } from '../support/conditional-test.ts';
import { assertWaitsForRoom, KINDS } from '../support/full-disk-jobs.ts';

const testWithDisk = testWhere(canMount(), 'this user may not mount a small disk');

/** From nothing to what a whole document takes, so that each file on the way is once the one that finds no room. */
const ROOMS = [0, 4_096, 16_384, 65_536, 150_000, 300_000, 600_000, 1_000_000, 1_500_000, 2_500_000, 4_000_000, 8_000_000];

for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[])
  testWithDisk(`a document waits for room at each step of its job: ${kind}`, (t) => assertWaitsForRoom(t, kind, ROOMS));
