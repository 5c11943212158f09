import { uuidv7 } from '@sheaf/process';
import type { recordHeartbeat } from '@sheaf/program';

type Heartbeat = Parameters<typeof recordHeartbeat>[1];

/** What a process tells of itself, here a watcher that is well but for `fields`. */
export const heartbeat = (now: Date, fields: Partial<Heartbeat>): Heartbeat => ({
  id: uuidv7(),
  name: 'watcher',
  pid: 1,
  host: 'here',
  version: '1.0.0',
  configHash: '',
  probePort: 1,
  holdsLock: true,
  status: 'healthy',
  components: {},
  facts: {},
  memoryBytes: 1,
  startedAt: now,
  ...fields,
});
