import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_ADVANCED_SEARCH: 'false' });

test('an advanced search that is disabled is not found, and says so; the plain one goes on', async (t) => {
  const { status, body } = await t.context.admin.post('/api/search/advanced', { query: {} });
  t.is(status, 404);
  t.like(body['error'], { code: 'NOT_FOUND', details: { reason: 'feature_disabled', variable: 'FEATURE_ADVANCED_SEARCH' } });
  t.is((await t.context.admin.get('/api/search?q=word')).status, 200);
});
