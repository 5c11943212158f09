// Wrong API keys and cookies are looked up in the database only so often.
import { randomBytes } from 'node:crypto';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const LIMIT = 15;
const test = testWithApi({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: String(LIMIT), RATE_LIMIT_BURST: '0', PROXY_COUNT: '1' });

const secret = (): string => randomBytes(32).toString('base64url');

/** The statements about `table` that the api sends while `work` runs. */
const statementsDuring = async ({ database: { pool } }: RunningApi, table: string, work: () => Promise<unknown>): Promise<number> => {
  let count = 0;
  const query = pool.query.bind(pool);
  pool.query = ((...args: Parameters<typeof query>) => {
    if (JSON.stringify(args[0]).includes(table)) count += 1;
    return query(...args);
  }) as typeof query;
  try {
    await work();
    return count;
  } finally {
    pool.query = query;
  }
};

const flood = async ({ anyone }: RunningApi, path: string, address: string, headersOf: () => Record<string, string>, times = 40) => {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const response = await anyone.request(path, { headers: { 'x-forwarded-for': address, ...headersOf() } });
    await response.arrayBuffer();
    if (response.status === 429 && (response.headers.get('x-ratelimit-remaining') !== '0' || !response.headers.has('retry-after')))
      throw new Error('the answer does not say when to come back');
    statuses.push(response.status);
  }
  return statuses;
};

let address = 0;
const anAddress = (): string => `198.51.100.${(address += 1)}`;

const WAYS: readonly { name: string; headers: () => Record<string, string>; table: string; path: string }[] = [
  { name: 'API keys', headers: () => ({ 'x-api-key': `shf_${secret()}` }), table: 'api_keys', path: '/api/documents' },
  { name: 'cookies', headers: () => ({ cookie: `sheaf_session=${secret()}` }), table: 'sessions', path: '/api/documents' },
  {
    name: 'API keys where requests are not counted',
    headers: () => ({ 'x-api-key': `shf_${secret()}` }),
    table: 'api_keys',
    path: '/api/health/detailed',
  },
];

for (const { name, headers, table, path } of WAYS)
  test.serial(`a flood of wrong ${name} is refused before it is looked up`, async (t) => {
    const from = anAddress();
    let statuses: number[] = [];
    const statements = await statementsDuring(t.context, table, async () => {
      statuses = await flood(t.context, path, from, headers);
    });
    t.is(statements, LIMIT, 'as many as are allowed');
    t.deepEqual([...new Set(statuses)], [401, 429]);
    t.is(statuses.filter((status) => status === 401).length, LIMIT);
    t.is(await statementsDuring(t.context, table, () => flood(t.context, path, from, headers)), 0);
    t.is((await flood(t.context, path, anAddress(), headers, 1))[0], 401, 'other addresses are still asked');
  });

test.serial('who is known already, or has a token, goes on at the same address', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/keys', { name: 'good', scope: ['documents.read'] });
  const from = anAddress();
  const key = { 'x-api-key': String(body['key']) };
  t.deepEqual(await flood(t.context, '/api/documents', from, () => key, 1), [200]);
  await flood(t.context, '/api/documents', from, () => ({ 'x-api-key': `shf_${secret()}` }));
  t.deepEqual(await flood(t.context, '/api/documents', from, () => key, 1), [200]);
  t.is((await admin.get('/api/auth/me')).status, 200);
  t.is((await anyone.request('/health', { headers: { 'x-forwarded-for': from } })).status, 200);
});
