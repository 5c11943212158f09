import { canMount } from '../fixtures/small-disk.ts';
import { testWhere } from '../support/conditional-test.ts';
import { assertWaitsForRoom } from '../support/full-disk-jobs.ts';

const testWithDisk = testWhere(canMount(), 'this user may not mount a small disk');

testWithDisk('a scan waits while the disk of temporary files is full, at any step, and is read whole when there is room', (t) =>
  assertWaitsForRoom(t, 'scan.tiff', [0, 1_200_000]),
);
