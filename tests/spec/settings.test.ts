// The rows of the specification's table of endpoints about system settings. Those about a user's own are in notifications.test.ts.
import { SYSTEM_SETTING_KEYS } from '@sheaf/config';
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi({ RATE_LIMIT_PER_MINUTE: '150' });

test('Endpoints: GET /api/settings: user settings; administrators also reach system settings', async (t) => {
  const { admin, anyone } = t.context;
  const { status, body } = await admin.get('/api/settings');
  t.is(status, 200);
  t.like(body, { theme: 'auto', items_per_page: 20 });
  const system = body['system'] as Record<string, unknown>;
  t.deepEqual(Object.keys(system).toSorted(), [...SYSTEM_SETTING_KEYS].toSorted());
  t.is(system['rate_limit_per_minute'], 150, 'the value of the environment');
  t.true(Number.isInteger(system['ocr_concurrent_jobs']));
  t.deepEqual(body['restart_required'], []);
  for (const role of ['editor', 'viewer', 'auditor']) {
    const user = await admin.register(`${role}-reads`, role);
    t.false('system' in (await user.get('/api/settings')).body, role);
  }
  t.is((await anyone.get('/api/settings')).status, 401);
});

test('Endpoints: PUT /api/settings: changed settings, ocr_concurrent_jobs, rate_limit_per_minute; system settings are admin-only', async (t) => {
  const { admin } = t.context;
  const answer = await admin.send('PUT', '/api/settings', { ocr_concurrent_jobs: 4, rate_limit_per_minute: 200, theme: 'dark' });
  t.is(answer.status, 200);
  t.like(answer.body, { theme: 'dark', system: { ocr_concurrent_jobs: 4, rate_limit_per_minute: 200 }, restart_required: [] });
  t.deepEqual(answer.body['stored'], ['ocr_concurrent_jobs', 'rate_limit_per_minute']);
  const editor = await admin.register('editor-writes', 'editor');
  t.is((await editor.send('PUT', '/api/settings', { rate_limit_per_minute: 1 })).status, 403);
  t.is((await editor.send('PUT', '/api/settings', { theme: 'dark' })).status, 200);
  t.is((await admin.send('PUT', '/api/settings', { rate_limit: 1 })).status, 400);
});
