import { describePaperlessRoutes, describeRoutes, type Route } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import { testWithApi } from '../../support/running-api.ts';

const FEATURE = { FEATURE_PAPERLESS_API: 'true' };
const test = testWithApi(FEATURE);
const { config } = loadConfig({ environment: FEATURE });
const ROUTES = [...describeRoutes(config), ...describePaperlessRoutes(config)];

/** What is the same for everybody, and may be kept by shared caches. */
const FOR_EVERYBODY: ReadonlySet<string> = new Set(['/api/docs', '/api/docs/{file}', '/api/openapi.json']);
const KEPT_BY_NO_SHARED_CACHE = /(?:^|[ ,])(?:no-store|private)(?:$|[ ,])/;

const addressOf = ({ path }: Route): string => path.replaceAll(/\{\w+\}/g, () => uuidv7());

test('every route says to caches that its answer belongs to whoever asked', async (t) => {
  const { admin, anyone } = t.context;
  for (const route of ROUTES.filter(({ path }) => !FOR_EVERYBODY.has(path)))
    for (const client of route.method === 'get' ? [anyone, admin] : [anyone]) {
      const answer = await client.request(addressOf(route), { method: route.method.toUpperCase(), redirect: 'manual' });
      await answer.body?.cancel();
      t.regex(answer.headers.get('cache-control') ?? 'nothing', KEPT_BY_NO_SHARED_CACHE, `${route.method} ${route.path}`);
    }
});

test('lists, errors and pages outside of /api are not kept either', async (t) => {
  const { admin } = t.context;
  for (const path of [
    '/paperless/api/documents/',
    '/paperless/api/nothing/',
    '/s/nothing',
    '/nothing-of-ours',
    '/health',
    '/ready',
    '/status',
  ]) {
    const answer = await admin.request(path);
    await answer.body?.cancel();
    t.regex(answer.headers.get('cache-control') ?? 'nothing', KEPT_BY_NO_SHARED_CACHE, path);
  }
});
