import { PaperlessClient } from '../../../support/paperless.ts';
import { testWithApi } from '../../../support/running-api.ts';

const test = testWithApi();

test('FEATURE_PAPERLESS_API is off by default: every address below /paperless/api answers 404', async (t) => {
  const client = new PaperlessClient(t.context.anyone);
  for (const path of ['', 'documents/', 'tags/1/', 'nowhere/']) {
    const { status, body, headers } = await client.get(path);
    t.is(status, 404, path);
    t.deepEqual(Object.keys(body as object), ['detail'], path);
    t.is(headers.get('x-api-version'), null, path);
  }
  t.is((await client.post('token/', { username: 'admin', password: 'correct horse battery' })).status, 404);
});
