// The rows about figures: the four endpoints of analytics, system metrics and OCR analytics, and the variables that rule them.
import { openConfiguration, type VariableRow } from '../support/configuration.ts';
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi();
const { load } = openConfiguration();

const SYSTEM_METRICS = ['active_connections', 'cpu_usage', 'disk_usage', 'memory_usage', 'uptime_seconds'];
const OCR_ANALYTICS = ['average_processing_time', 'daily_stats', 'languages_used', 'success_rate', 'total_processed'];

/** The fields of each answer, as the specification and the contract name them. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/api/analytics/documents': [
    'by_label',
    'by_mime_type',
    'by_source',
    'by_status',
    'storage_bytes',
    'total',
    'uploads_per_day',
    // the specification knows nothing by which documents are filed
    'by_correspondent',
    'by_document_type',
    'by_document_year',
  ],
  '/api/analytics/processing': [...OCR_ANALYTICS, 'failures_by_reason', 'queue'],
  '/api/analytics/users': ['active_day', 'active_month', 'active_week', 'by_role', 'top_uploaders', 'total'],
  '/api/analytics/system': [...SYSTEM_METRICS, 'processes'],
  '/api/metrics/system': SYSTEM_METRICS,
  '/api/metrics/ocr': OCR_ANALYTICS,
};

for (const [path, fields] of Object.entries(FIELDS))
  test(`Endpoints: GET ${path}: ${fields.toSorted().join(', ')}`, async (t) => {
    const { status, body } = await t.context.admin.get(path);
    t.is(status, 200, JSON.stringify(body));
    t.deepEqual(Object.keys(body).toSorted(), fields.toSorted());
  });

test('OCR analytics: an item of daily_stats is {date, processed, failed, average_processing_time, pages}', async (t) => {
  const { body } = await t.context.admin.get('/api/metrics/ocr?days=1');
  t.deepEqual(body['daily_stats'], [
    { date: new Date().toISOString().slice(0, 10), processed: 0, failed: 0, average_processing_time: 0, pages: 0 },
  ]);
});

const ROWS: readonly VariableRow[] = [
  {
    table: 'Feature flags',
    name: 'FEATURE_ANALYTICS',
    read: ({ features }) => features.analytics,
    byDefault: true,
    given: ['false', false],
  },
  {
    table: 'Limits',
    name: 'CACHE_SIZE_MB',
    read: ({ resources }) => resources.cache.maxBytes,
    byDefault: 256 * 1024 ** 2,
    given: ['1', 1024 ** 2],
  },
  { table: 'Limits', name: 'CACHE_TTL', read: ({ resources }) => resources.cache.ttlMs, byDefault: 300_000, given: ['7', 7_000] },
  { table: 'OCR', name: 'OCR_QUEUE_SIZE', read: ({ resources }) => resources.queueSize, byDefault: undefined, given: ['50', 50] },
];

for (const { table, name, read, byDefault, given } of ROWS)
  test(`${table}: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault);
    t.deepEqual(read(load({ [name]: given[0] })), given[1]);
  });
