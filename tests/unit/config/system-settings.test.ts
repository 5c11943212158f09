import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LayeredSettings, loadConfig, readSetting, type StoredSettings, SYSTEM_SETTING_KEYS, systemSetting } from '@sheaf/config';
import test from 'ava';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-settings-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const layersOf = (environment: Readonly<Record<string, string>> = {}): LayeredSettings =>
  new LayeredSettings(
    loadConfig({ environment: { DATA_PATH: join(folder, 'data'), UPLOAD_PATH: join(folder, 'uploads'), ...environment } }),
  );

const started = (stored: StoredSettings, environment?: Readonly<Record<string, string>>): LayeredSettings => {
  const layers = layersOf(environment);
  layers.start(stored);
  return layers;
};

test('what is stored goes before the environment, and holds at once', (t) => {
  const layers = started({}, { RATE_LIMIT_PER_MINUTE: '200', OCR_CONFIDENCE_THRESHOLD: '0.5' });
  t.is(layers.use({}).config.rateLimit.perMinute, 200);
  const { config, problems } = layers.use({ rate_limit_per_minute: 7, allowed_file_types: ['pdf', 'odt'], enable_registration: true });
  t.deepEqual(problems, []);
  t.is(config.rateLimit.perMinute, 7);
  t.is(config.ocr.confidenceThreshold, 0.5);
  t.true(config.signIn.registrationEnabled);
  t.deepEqual(config.ingest.allowedFileTypes.upload, ['pdf', 'odt']);
  t.true(config.ingest.allowedFileTypes.elsewhere.includes('odt'));
  t.false(config.ingest.allowedFileTypes.elsewhere.includes('txt'), 'a list that somebody set rules every route');
});

test('what needs a start is what was stored at the start, until the next one', (t) => {
  const layers = started({ ocr_oem: 0 });
  t.is(layers.use({ ocr_oem: 3, watch_recursive: false }).config.ocr.oem, 0);
  t.true(layers.use({ ocr_oem: 3, watch_recursive: false }).config.watch.recursive);
  t.deepEqual(layers.startSettings('ocr-worker')['ocr_oem'], { used: 0, unstored: 1 });
  t.is(layers.startSettings('watcher')['ocr_oem'], undefined, 'who does not use it has not to start again');
  t.is(layers.values({ ocr_oem: 3 }).ocr_oem, 3, 'what is told is what will be');
  t.is(started({ ocr_oem: 3 }).use({ ocr_oem: 3 }).config.ocr.oem, 3);
});

test('values are JSON of their own type, within the bounds of their variable', (t) => {
  t.deepEqual(readSetting('ocr_concurrent_jobs', 3), { text: '3', value: 3 });
  t.deepEqual(readSetting('watch_file_patterns', [' *.pdf ', '*.txt']), { text: '*.pdf,*.txt', value: ['*.pdf', '*.txt'] });
  t.deepEqual(readSetting('email_notification_types', []), { text: '', value: [] });
  t.deepEqual(readSetting('log_level', 'debug'), { text: 'debug', value: 'debug' });
  const wrong: readonly (readonly [Parameters<typeof readSetting>[0], unknown])[] = [
    ['ocr_concurrent_jobs', '3'],
    ['ocr_concurrent_jobs', 0],
    ['ocr_concurrent_jobs', 2.5],
    ['ocr_concurrent_jobs', 65],
    ['ocr_confidence_threshold', 1.5],
    ['enable_registration', 'true'],
    ['enable_registration', 1],
    ['watch_file_patterns', '*.pdf'],
    ['watch_file_patterns', ['*.pdf,*.txt']],
    ['watch_file_patterns', ['']],
    ['log_level', 'loud'],
    ['log_level', null],
    ['ocr_language', ''],
    ['ocr_language', 'x'.repeat(5_000)],
  ];
  for (const [key, value] of wrong) t.true('problem' in readSetting(key, value), `${key} ${JSON.stringify(value)}`);
});

test('stored values that are not valid any more are ignored and named, and the others hold', (t) => {
  const stored = { gone_in_this_version: 1, ocr_concurrent_jobs: 'many', rate_limit_burst: 3, email_enabled: true };
  const { config, problems } = started(stored).use(stored);
  t.deepEqual(problems.map(({ key }) => key).toSorted(), ['email_enabled', 'gone_in_this_version', 'ocr_concurrent_jobs']);
  t.regex(problems.find(({ key }) => key === 'email_enabled')?.message ?? '', /SMTP_HOST/);
  t.is(config.rateLimit.burst, 3);
  t.false(config.notifications.emailEnabled);
});

test('a setting that needs a folder is refused while the folder cannot be used, also below a supervisor', (t) => {
  for (const beside of [{}, { SUPERVISOR_PROBE_PORT: '9' }]) {
    const layers = layersOf({ PROCESSED_FILES_DIR: '/proc/x', ...beside });
    const [problem, ...others] = layers.judge({}, { move_after_processing: true }, ['move_after_processing']);
    t.is(problem?.key, 'move_after_processing');
    t.regex(problem?.message ?? '', /^PROCESSED_FILES_DIR cannot be used as a folder/);
    t.deepEqual(others, []);
    t.deepEqual(layers.judge({}, { rate_limit_burst: 3 }, ['rate_limit_burst']), []);
  }
});

test('a change is judged with the whole configuration, by the setting that was changed', (t) => {
  const layers = layersOf();
  t.deepEqual(layers.judge({}, { rate_limit_burst: 3 }, ['rate_limit_burst']), []);
  const [mail] = layers.judge({}, { email_enabled: true, rate_limit_burst: 3 }, ['rate_limit_burst', 'email_enabled']);
  t.is(mail?.key, 'email_enabled');
  t.deepEqual(
    layers
      .judge({}, { ocr_language: 'no such', default_user_role: 'emperor' }, ['ocr_language', 'default_user_role'])
      .map(({ key }) => key)
      .toSorted(),
    ['default_user_role', 'ocr_language'],
  );
  t.deepEqual(
    layers.judge({ email_enabled: true }, { email_enabled: true, rate_limit_burst: 3 }, ['rate_limit_burst']),
    [],
    'old faults are not its',
  );
});

test('the hash tells of what is stored, whether or not it is in use yet', (t) => {
  const [plain, other] = [started({}), started({ ocr_oem: 0 })];
  t.is(plain.use({}).hash, other.use({}).hash);
  t.not(plain.use({}).hash, plain.use({ ocr_oem: 0 }).hash);
  t.is(plain.use({ ocr_oem: 0 }).hash, other.use({ ocr_oem: 0 }).hash);
});

test('no secret, path, address or sign-in method is a system setting', (t) => {
  const variables = SYSTEM_SETTING_KEYS.map((key) => systemSetting(key).variable);
  t.deepEqual(
    variables.filter((name) =>
      /SECRET|PASSWORD$|_KEY$|_PATH|_DIR$|FOLDER$|URL|ENDPOINT|_HOST|_PORT|AUTH_|OIDC|LDAP|SAML|JWT_SECRET|OUTBOUND|PROXIES|CORS|ROLES_FILE|S3_|AZURE/.test(
        name,
      ),
    ),
    [],
  );
  t.is(new Set(variables).size, variables.length);
  t.true(variables.length >= 30);
});

test('what a variable leaves open has the value that counts then', (t) => {
  t.is(layersOf().values({}).ocr_concurrent_jobs, Math.max(1, Math.floor(availableParallelism() / 2)));
});
