import { PaperlessClient } from '../../../support/paperless.ts';
import { startApi, testWithApi } from '../../../support/running-api.ts';

const test = testWithApi();

test('FEATURE_PAPERLESS_API is off by default: every address below /paperless/api answers 404 until it is on', async (t) => {
  const client = new PaperlessClient(t.context.anyone);
  for (const path of ['', 'documents/', 'tags/1/', 'nowhere/']) {
    const { status, body, headers } = await client.get(path);
    t.is(status, 404, path);
    t.deepEqual(Object.keys(body as object), ['detail'], path);
    t.is(headers.get('x-api-version'), null, path);
  }
  t.is((await client.post('token/', { username: 'admin', password: 'correct horse battery' })).status, 404);
  const on = await startApi({ FEATURE_PAPERLESS_API: 'true', FEATURE_LABELS: 'false' });
  try {
    t.is((await new PaperlessClient(on.anyone).get('')).status, 200);
    const signedIn = await PaperlessClient.signIn(on.anyone, 'admin');
    t.is((await signedIn.get('documents/')).status, 200);
    t.is((await signedIn.get('tags/')).status, 404);
  } finally {
    await on.stop();
  }
});
