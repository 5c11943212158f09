import { loadPart, screenAt } from '@sheaf/web/testing';
import test from 'ava';

/** A part that cannot be loaded `failures` times. */
const failing = (failures: number) => {
  let tries = 0;
  return async (): Promise<string> => {
    tries += 1;
    if (tries <= failures) throw new TypeError('Failed to fetch dynamically imported module');
    return 'part';
  };
};
const never = (): never => {
  throw new Error('not to be called');
};

test('a part that is there is loaded', async (t) => {
  t.is(await loadPart(failing(0), { isThere: never, pause: never, reload: never }), 'part');
});

test('while the service is away the part is waited for', async (t) => {
  let asked = 0;
  let pauses = 0;
  const isThere = async (): Promise<boolean> => {
    asked += 1;
    return asked > 3;
  };
  const pause = async (): Promise<void> => {
    pauses += 1;
  };
  t.is(await loadPart(failing(1), { isThere, pause, reload: never }), 'part');
  t.is(pauses, 3);
});

test('a part that is gone from a service that is there means that the page is old', async (t) => {
  let reloads = 0;
  const reload = (): boolean => {
    reloads += 1;
    return true;
  };
  await Promise.race([
    loadPart(failing(9), { isThere: async () => true, pause: never, reload }),
    new Promise((resolve) => setTimeout(resolve, 50)),
  ]);
  t.is(reloads, 1);
});

test('loading the page again is not tried for ever', async (t) => {
  const error = await t.throwsAsync(loadPart(failing(9), { isThere: async () => true, pause: never, reload: () => false }));
  t.regex(error?.message ?? '', /dynamically imported/);
});

test('the screen of an address can be loaded before it is known who is here', (t) => {
  t.is(screenAt('/'), screenAt('/documents'));
  t.truthy(screenAt('/documents/00000000-0000-7000-8000-000000000000'));
  t.not(screenAt('/documents/x'), screenAt('/documents'));
  t.is(screenAt('/documents/x/y'), undefined);
  t.is(screenAt('/elsewhere'), undefined);
});
