import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';

/** Time that passes only when a test says so. Global: tests that use it are serial. The real one is back when it is disposed of. */
export const mockTime = () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  return {
    /** Lets time pass, and what it starts begin. */
    pass: async (ms: number): Promise<void> => {
      mock.timers.tick(ms);
      await setImmediate();
    },
    [Symbol.dispose]: () => mock.timers.reset(),
  };
};
