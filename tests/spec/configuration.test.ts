// The rows of the specification's configuration tables that exist so far: name, default, and where the value arrives.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const MEGABYTE = 1024 * 1024;

const ROWS: readonly VariableRow[] = [
  {
    table: 'Core',
    name: 'SERVER_ADDRESS',
    read: ({ server }) => `${server.host}:${server.port}`,
    byDefault: '0.0.0.0:8080',
    given: ['127.0.0.1:9999', '127.0.0.1:9999'],
  },
  { table: 'Core', name: 'SERVER_HOST', read: ({ server }) => server.host, byDefault: '0.0.0.0', given: ['127.0.0.1', '127.0.0.1'] },
  { table: 'Core', name: 'SERVER_PORT', read: ({ server }) => server.port, byDefault: 8080, given: ['8000', 8000] },
  {
    table: 'Core',
    name: 'DATABASE_URL',
    read: ({ database }) => database.url?.reveal(),
    byDefault: undefined,
    given: ['postgresql://a:b@c:1/d', 'postgresql://a:b@c:1/d'],
  },
  {
    table: 'Core',
    name: 'POSTGRES_HOST',
    read: ({ database }) => database.url?.reveal(),
    byDefault: undefined,
    given: ['db', 'postgresql://sheaf:sheaf@db:5432/sheaf'],
  },
  {
    table: 'Core',
    name: 'POSTGRES_PORT',
    read: ({ database }) => database.url?.reveal(),
    byDefault: undefined,
    given: ['5433', 'postgresql://sheaf:sheaf@localhost:5433/sheaf'],
  },
  {
    table: 'Core',
    name: 'POSTGRES_DB',
    read: ({ database }) => database.url?.reveal(),
    byDefault: undefined,
    given: ['papers', 'postgresql://sheaf:sheaf@localhost:5432/papers'],
  },
  {
    table: 'Core',
    name: 'POSTGRES_USER',
    read: ({ database }) => database.url?.reveal(),
    byDefault: undefined,
    given: ['ann', 'postgresql://ann:sheaf@localhost:5432/sheaf'],
  },
  {
    table: 'Core',
    name: 'POSTGRES_PASSWORD',
    read: ({ database }) => database.url?.reveal(),
    byDefault: undefined,
    given: ['x', 'postgresql://sheaf:x@localhost:5432/sheaf'],
  },
  {
    table: 'Core',
    name: 'JWT_SECRET',
    read: ({ tokens }) => tokens.secret.reveal().length >= 32,
    byDefault: true,
    given: ['k'.repeat(32), true],
  },
  {
    table: 'Core',
    name: 'UPLOAD_PATH',
    read: ({ storage }) => storage.path,
    byDefault: join(folder, 'uploads'),
    given: [join(folder, 'store'), join(folder, 'store')],
  },
  {
    table: 'Core',
    name: 'ALLOWED_FILE_TYPES',
    // e-invoices come beside the list, see tests/unit/config/load.test.ts
    read: ({ ingest }) => ingest.allowedFileTypes.upload.filter((extension) => extension !== 'xml').join(),
    byDefault: 'pdf,txt,doc,docx,png,jpg,jpeg',
    given: ['pdf,odt', 'pdf,odt'],
  },
  { table: 'Core', name: 'LOG_LEVEL', read: ({ log }) => log.level, byDefault: 'info', given: ['DEBUG', 'debug'] },
  { table: 'Core', name: 'LOG_FORMAT', read: ({ log }) => log.format, byDefault: 'text', given: ['json', 'json'] },
  {
    table: 'Storage',
    name: 'LOCAL_STORAGE_PATH',
    read: ({ storage }) => storage.path,
    byDefault: join(folder, 'uploads'),
    given: [join(folder, 'uploads'), join(folder, 'uploads')],
  },
  {
    table: 'Storage',
    name: 'TEMP_STORAGE_PATH',
    read: ({ storage }) => storage.tempPath,
    byDefault: join(folder, 'uploads/temp'),
    given: [join(folder, 't'), join(folder, 't')],
  },
  {
    table: 'Storage',
    name: 'THUMBNAIL_PATH',
    read: ({ storage }) => storage.thumbnailPath,
    byDefault: join(folder, 'uploads/thumbnails'),
    given: [join(folder, 'p'), join(folder, 'p')],
  },
  { table: 'OCR', name: 'OCR_ENABLED', read: ({ ocr }) => ocr.enabled, byDefault: true, given: ['false', false] },
  { table: 'OCR', name: 'OCR_LANGUAGE', read: ({ ingest }) => ingest.defaultLanguage, byDefault: 'eng', given: ['eng+deu', 'eng+deu'] },
  {
    table: 'OCR',
    name: 'CONCURRENT_OCR_JOBS',
    read: ({ ocr }) => ocr.concurrentJobs,
    byDefault: Math.max(1, Math.floor(availableParallelism() / 2)),
    given: ['5', 5],
  },
  { table: 'OCR', name: 'OCR_TIMEOUT_SECONDS', read: ({ ocr }) => ocr.timeoutMs, byDefault: 300_000, given: ['10', 10_000] },
  { table: 'OCR', name: 'OCR_RETRY_ATTEMPTS', read: ({ ingest }) => ingest.maxAttempts - 1, byDefault: 3, given: ['0', 0] },
  { table: 'OCR', name: 'OCR_RETRY_DELAY', read: ({ ocr }) => ocr.retryDelayMs, byDefault: 60_000, given: ['5', 5_000] },
  { table: 'OCR', name: 'OCR_CONFIDENCE_THRESHOLD', read: ({ ocr }) => ocr.confidenceThreshold, byDefault: 0.6, given: ['0.8', 0.8] },
  {
    table: 'OCR',
    name: 'MAX_FILE_SIZE_MB',
    read: ({ ingest }) => ingest.maxFileBytes,
    byDefault: 50 * MEGABYTE,
    given: ['500', 500 * MEGABYTE],
  },
  { table: 'OCR', name: 'MAX_PDF_SIZE_MB', read: ({ ocr }) => ocr.maxPdfBytes, byDefault: 100 * MEGABYTE, given: ['1', MEGABYTE] },
  {
    table: 'OCR',
    name: 'MAX_OFFICE_DOCUMENT_SIZE_MB',
    read: ({ ocr }) => ocr.maxOfficeBytes,
    byDefault: 100 * MEGABYTE,
    given: ['1', MEGABYTE],
  },
  { table: 'OCR', name: 'OCR_DPI', read: ({ ocr }) => ocr.dpi, byDefault: 300, given: ['200', 200] },
  { table: 'OCR', name: 'OCR_PSM', read: ({ ocr }) => ocr.psm, byDefault: 3, given: ['6', 6] },
  { table: 'OCR', name: 'OCR_OEM', read: ({ ocr }) => ocr.oem, byDefault: 1, given: ['0', 0] },
  {
    table: 'OCR',
    name: 'OCR_ENGINE_DATA_PATH',
    read: ({ ocr }) => ocr.dataPath,
    byDefault: '/usr/share/tesseract-ocr/4.00/tessdata',
    given: ['/data', '/data'],
  },
  {
    table: 'OCR',
    name: 'OCR_WORKERS',
    read: ({ ocr }) => ocr.concurrentJobs,
    byDefault: Math.max(1, Math.floor(availableParallelism() / 2)),
    given: ['4', 4],
  },
  {
    table: 'OCR',
    name: 'OCR_MAX_PARALLEL',
    read: ({ ocr }) => ocr.concurrentJobs,
    byDefault: Math.max(1, Math.floor(availableParallelism() / 2)),
    given: ['4', 4],
  },
  {
    table: 'Feature flags',
    name: 'FEATURE_ADVANCED_SEARCH',
    read: ({ features }) => features.advancedSearch,
    byDefault: true,
    given: ['false', false],
  },
  { table: 'Feature flags', name: 'FEATURE_LABELS', read: ({ features }) => features.labels, byDefault: true, given: ['false', false] },
  {
    table: 'Monitoring',
    name: 'HEALTH_CHECK_PATH',
    read: ({ server }) => server.healthPath,
    byDefault: '/health',
    given: ['/alive', '/alive'],
  },
  { table: 'Monitoring', name: 'READY_CHECK_PATH', read: ({ server }) => server.readyPath, byDefault: '/ready', given: ['/go', '/go'] },
  { table: 'Monitoring', name: 'METRICS_PATH', read: ({ server }) => server.metricsPath, byDefault: '/metrics', given: ['/m', '/m'] },
  {
    table: 'Authentication',
    name: 'ADMIN_PASSWORD',
    read: ({ signIn }) => signIn.adminPassword?.reveal(),
    byDefault: undefined,
    given: ['long enough', 'long enough'],
  },
];

for (const { table, name, read, byDefault, given } of ROWS) {
  test(`${table}: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault, 'by default');
    t.deepEqual(read(load({ [name]: given[0] })), given[1], 'when set');
  });
}
