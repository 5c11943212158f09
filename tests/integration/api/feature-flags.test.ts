// Every FEATURE_* that has routes of its own, disabled: each of them says so, in both versions of the interface.

import { addressOf, describeRoutes } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import { testWithApi } from '../../support/running-api.ts';

/** Which routes are behind a flag, by what their paths begin with. */
const BEHIND: Readonly<Record<string, RegExp>> = {
  FEATURE_ADVANCED_SEARCH: /^\/api\/search\/advanced$/,
  FEATURE_LABELS: /^\/api\/labels/,
  FEATURE_SOURCES: /^\/api\/(sources|health\/sources)/,
  FEATURE_ANALYTICS: /^\/api\/(analytics|metrics)\//,
  FEATURE_SHARE_LINKS: /^\/api\/(shares|(documents|saved-searches)\/\{id\}\/shares)/,
  FEATURE_NOTIFICATIONS: /^\/api\/(notifications|deliveries)/,
};

// they do not depend on each other, so one api without all of them shows each
const test = testWithApi({ FEATURE_API_V2: 'true', ...Object.fromEntries(Object.keys(BEHIND).map((name) => [name, 'false'])) });
const { config } = loadConfig({ environment: { FEATURE_API_V2: 'true' } });
const ROUTES = describeRoutes(config);

for (const [variable, paths] of Object.entries(BEHIND)) {
  test(`${variable}=false: each of its routes answers 404 FEATURE_DISABLED, in version 1 and 2, and nothing to strangers`, async (t) => {
    const { admin, anyone } = t.context;
    const routes = ROUTES.filter(({ path }) => paths.test(path));
    t.true(routes.length >= 2);
    t.is(routes.filter(({ version }) => version === 'v2').length, routes.length / 2);
    for (const route of routes) {
      const path = addressOf(route).replaceAll(/\{\w+\}/g, uuidv7());
      // nothing else of the request is looked at, be it right or wrong
      const asked = { method: route.method.toUpperCase() };
      const answer = await admin.request(`${path}?page=nowhere`, asked);
      t.is(answer.status, 404, `${route.method} ${path}`);
      t.like(await answer.json(), { error: { code: 'NOT_FOUND', details: { reason: 'feature_disabled', variable } } }, path);
      t.is((await anyone.request(path, asked)).status, 401, path);
    }
  });
}

test('FEATURE_SHARE_LINKS=false: links that were made before show nothing', async (t) => {
  const { admin, anyone, database } = t.context;
  const { body } = await admin.upload({ name: 'a.txt', bytes: new TextEncoder().encode('words') });
  const token = 'A'.repeat(43);
  await database.pool.query(
    `insert into shares (id, token_hash, created_by, document_id, allow_download, expires_at)
     select gen_random_uuid(), encode(sha256($1::bytea), 'hex'), owner_id, id, false, now() + interval '1 day' from documents where id = $2`,
    [token, body['id']],
  );
  t.is((await anyone.request(`/s/${token}`)).status, 404);
});
