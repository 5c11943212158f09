import { uuidv7 } from '@sheaf/runtime';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_LABELS: 'false' });

test('the endpoints of labels say that they are switched off, to those whom they would let in', async (t) => {
  const { admin, anyone } = t.context;
  for (const [method, path] of [
    ['GET', '/api/labels?page=2'],
    ['POST', '/api/labels'],
    ['GET', `/api/labels/${uuidv7()}`],
    ['PUT', `/api/labels/${uuidv7()}`],
    ['PATCH', `/api/labels/${uuidv7()}`],
    ['DELETE', `/api/labels/${uuidv7()}`],
    ['POST', `/api/labels/${uuidv7()}/assign`],
    ['POST', `/api/labels/${uuidv7()}/unassign`],
  ] as const) {
    const answer = await admin.request(path, { method });
    t.is(answer.status, 404);
    t.is(((await answer.json()) as { error: { code: string } }).error.code, 'FEATURE_DISABLED');
    t.is((await anyone.request(path, { method })).status, 401);
  }
});
