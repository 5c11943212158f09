import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConfig, describeIssue, FILE_PLACES, VARIABLES } from '@sheaf/config';
import anyTest, { type TestFn } from 'ava';

const test = anyTest as TestFn<string>;

test.beforeEach((t) => {
  t.context = mkdtempSync(join(tmpdir(), 'sheaf-service-file-'));
});
test.afterEach.always((t) => rmSync(t.context, { recursive: true, force: true }));

/** What a file of this text comes to, beside an environment. */
const check = (folder: string, text: string | Uint8Array, environment: Record<string, string> = {}) => {
  const path = join(folder, 'service.yml');
  writeFileSync(path, text);
  const { raw, values, issues, notices } = checkConfig({
    environment: { DATA_PATH: join(folder, 'data'), CONFIG_FILE: path, ...environment },
  });
  const without = (line: string): string => line.replaceAll(path, 'service.yml');
  return { raw, values, mistakes: issues.map((issue) => without(describeIssue(issue))), notices: notices.map(without) };
};

test('every variable but CONFIG_FILE has one section and key, and no two have the same', (t) => {
  const places = [...FILE_PLACES.values()].map(({ section, key }) => `${section}.${key}`);
  t.is(new Set(places).size, places.length);
  t.deepEqual(
    Object.keys(VARIABLES).filter((name) => !FILE_PLACES.has(name as keyof typeof VARIABLES)),
    ['CONFIG_FILE'],
  );
});

test('the sections of the specification are there, with the names in them that one would guess', (t) => {
  const { values, mistakes } = check(
    t.context,
    `server: {host: 127.0.0.1, port: 9000}
database: {host: db, max_connections: 9, postgres_port: 5433}
storage: {type: local, s3_region: eu-west-1}
ocr: {enabled: false, language: eng+deu}
auth: {method: local, jwt_expiry_minutes: 5}
oidc: {enabled: false, client_id: sheaf}
`,
  );
  t.deepEqual(mistakes, []);
  t.like(values, {
    SERVER_HOST: '127.0.0.1',
    SERVER_PORT: 9000,
    POSTGRES_HOST: 'db',
    POSTGRES_PORT: 5433,
    DATABASE_MAX_CONNECTIONS: 9,
    S3_REGION: 'eu-west-1',
    OCR_ENABLED: false,
    OCR_LANGUAGE: 'eng+deu',
    JWT_EXPIRY_MINUTES: 5,
    OIDC_CLIENT_ID: 'sheaf',
  });
});

test('the environment goes before the file, and the command line before both', (t) => {
  const file = 'log: {level: error}\nserver: {port: 1111}\nocr: {dpi: 200}\n';
  writeFileSync(join(t.context, 'service.yml'), file);
  const { raw } = checkConfig({
    environment: {
      DATA_PATH: join(t.context, 'data'),
      CONFIG_FILE: join(t.context, 'service.yml'),
      LOG_LEVEL: 'warn',
      SERVER_PORT: '2222',
    },
    flags: { LOG_LEVEL: { text: 'debug', origin: 'command line' } },
  });
  t.deepEqual(
    [raw.LOG_LEVEL, raw.SERVER_PORT, raw.OCR_DPI, raw.OCR_PSM].map((value) => `${value?.text} ${value?.origin}`),
    ['debug command line', '2222 environment', '200 file', '3 default'],
  );
});

test('numbers and switches stay as they are spelled; lists and maps may be written as such', (t) => {
  const { raw, values, mistakes } = check(
    t.context,
    `ocr: {confidence_threshold: 0.70}
database: {password: 007, user: yes, db: 1e3, host: }
watch: {file_patterns: ["*.pdf", "*.txt"]}
storage: {allowed_file_types: "pdf, txt"}
oidc:
  group_role_mapping:
    staff: editor
    "1001": admin
`,
  );
  t.deepEqual(mistakes, []);
  t.deepEqual(
    [raw.OCR_CONFIDENCE_THRESHOLD?.text, raw.POSTGRES_PASSWORD?.text, raw.POSTGRES_USER?.text, raw.POSTGRES_DB?.text, raw.POSTGRES_HOST],
    ['0.70', '007', 'yes', '1e3', undefined],
  );
  t.deepEqual(values.WATCH_FILE_PATTERNS, ['*.pdf', '*.txt']);
  t.deepEqual(values.ALLOWED_FILE_TYPES, ['pdf', 'txt']);
  t.deepEqual(values.OIDC_GROUP_ROLE_MAPPING, { staff: 'editor', 1001: 'admin' });
});

test('references are replaced in values alone, after parsing, and what is put in is not read again', (t) => {
  const hostile = 'x\nocr: {enabled: false} # ${SERVER} "';
  const { raw, mistakes } = check(
    t.context,
    `server:
  host: \${HOST}
  public_url: https://\${HOST}:\${PORT:-443}/
  port: \${PORT:-8443}
database:
  password: \${PASSWORD}
  user: a$\${b}
watch: {file_patterns: ["*.\${ENDING}", "x"]}
oidc: {group_role_mapping: {staff: "\${ROLE}"}}
# \${NOWHERE}
`,
    { HOST: 'example.org', PASSWORD: hostile, ENDING: 'pdf', ROLE: 'editor' },
  );
  t.deepEqual(mistakes, []);
  t.is(raw.PUBLIC_URL?.text, 'https://example.org:443/');
  t.is(raw.SERVER_PORT?.text, '8443');
  t.is(raw.POSTGRES_PASSWORD?.text, hostile);
  t.is(raw.POSTGRES_USER?.text, 'a${b}');
  t.is(raw.WATCH_FILE_PATTERNS?.text, '*.pdf,x');
  t.is(raw.OIDC_GROUP_ROLE_MAPPING?.text, '{"staff":"editor"}');
});

test('a reference to nothing is told with its name, and one that is none with how to write it', (t) => {
  const { mistakes } = check(t.context, 'server:\n  host: "${A}-${B}"\nlog:\n  level: ${LEVEL-info}\n');
  t.deepEqual(mistakes, [
    'service.yml:2: server.host refers to ${A}, ${B}, which the environment does not have; set it, or write ${NAME:-otherwise}',
    'service.yml:4: log.level has a reference that is none; write ${NAME} or ${NAME:-otherwise}, and $${ for a plain ${',
  ]);
});

test('what is unknown is told with its line and the nearest name', (t) => {
  const { mistakes } = check(t.context, 'servr: {port: 1}\nserver:\n  prot: 2\n  ocr_dpi: 3\nocr_psm: 4\ntotally_different: 5\n');
  t.deepEqual(mistakes, [
    'service.yml:1 has an unknown section "servr"; did you mean "server"?',
    'service.yml:3 has an unknown key "prot" in the section "server"; did you mean "port"?',
    'service.yml:4 has "ocr_dpi" in the section "server"; it belongs to "ocr"',
    'service.yml:5 has "ocr_psm" outside its section; use psm in the section ocr:',
    'service.yml:6 has an unknown section "totally_different"',
  ]);
});

test('what is set twice is told, however it is spelled', (t) => {
  const { mistakes } = check(t.context, 'server:\n  port: 1\n  server_port: 2\n  port: 3\nserver: {host: a}\n');
  t.deepEqual(mistakes, [
    'service.yml:3: server.server_port is set twice, first at service.yml:2; remove one',
    'service.yml:4: server.port is set twice, first at service.yml:2; remove one',
    'service.yml:5 has the section "server" twice, first at service.yml:1; merge them',
  ]);
});

test('a wrong value is told with its line, the key as written, and the variable', (t) => {
  const { mistakes } = check(t.context, 'ocr:\n  dpi: many\n  workers: 0\nwatch:\n  folder: [a, b]\n  interval_seconds: {a: b}\n');
  t.deepEqual(mistakes.toSorted(), [
    'service.yml:2: ocr.dpi (OCR_DPI) must be a whole number, and is "many"',
    'service.yml:3: ocr.workers (OCR_WORKERS) must be between 1 and 64, and is "0"',
    'service.yml:5: watch.folder takes a single value, not a list',
    'service.yml:6: watch.interval_seconds takes a single value, not a map',
  ]);
});

test('a check across variables names the line as well', (t) => {
  const { mistakes } = check(t.context, 'auth:\n  jwt_secret: short\n');
  t.is(mistakes.length, 1);
  t.regex(mistakes[0] ?? '', /^service\.yml:2: auth\.jwt_secret \(JWT_SECRET\) must have at least 32 characters/);
});

test('anchors and aliases, items with commas and deep values are refused, and unfold to nothing', (t) => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefg'.charAt(i)}`).join()}]`),
  ];
  const { mistakes } = check(
    t.context,
    `watch: {file_patterns: &p ["*"], ignore_patterns: *p}
sources: {local_source_roots: ["/a,/b"]}
ldap: {server: [[a]], group_role_mapping: {a: *p}}
notifications: {email_notification_types: [*p]}
limits: {${bomb.map((line) => line.replace(/^/, 'x')).join(', ')}}
`,
  );
  t.true(mistakes.some((line) => line.includes('watch.ignore_patterns must not use YAML anchors and aliases')));
  t.true(mistakes.some((line) => line.includes('notifications.email_notification_types must not use YAML anchors and aliases')));
  t.true(mistakes.some((line) => line.includes('ldap.group_role_mapping must not use YAML anchors and aliases')));
  t.true(mistakes.some((line) => line.includes('sources.local_source_roots must be a list of values without commas')));
  t.true(mistakes.some((line) => line.includes('ldap.server must be a list of scalar values')));
});

test('a file that is no YAML, no map, no text or too large is refused with the reason', (t) => {
  t.regex(check(t.context, 'server: {port: 1\n').mistakes[0] ?? '', /^service\.yml:\d+ is not valid YAML/);
  t.regex(check(t.context, '- a\n').mistakes[0] ?? '', /must contain sections/);
  t.regex(check(t.context, 'server: 3\n').mistakes[0] ?? '', /value for the section/);
  t.deepEqual(check(t.context, 'server: {port: 1}\n---\nocr: {dpi: 200}\n').mistakes, [
    'service.yml:2 contains more than one YAML document (---)',
  ]);
  t.regex(check(t.context, 'server: !secret {port: 1}\n').mistakes[0] ?? '', /is not valid YAML/);
  t.regex(check(t.context, new Uint8Array([0x73, 0xff, 0x0a])).mistakes[0] ?? '', /cannot be read/);
  t.regex(check(t.context, `# ${'x'.repeat(1024 * 1024)}`).mistakes[0] ?? '', /larger than 1 MB/);
  t.deepEqual(check(t.context, '['.repeat(300_000)).mistakes, ['service.yml:1 has too many nested levels']);
  t.deepEqual(check(t.context, '').mistakes, []);
  t.deepEqual(check(t.context, '# nothing\nserver:\nocr: ~\n').mistakes, []);
});

test('a file that is named and not there is an error; one that is only looked for is not', (t) => {
  const missing = join(t.context, 'nowhere.yml');
  const environment = { DATA_PATH: join(t.context, 'data') };
  const [issue] = checkConfig({ environment: { ...environment, CONFIG_FILE: missing } }).issues;
  t.is(issue?.variable, missing);
  t.deepEqual(checkConfig({ environment, defaultFile: missing }).issues, []);
});

test('what is no regular file is refused at once: a pipe that nobody writes to would be waited for without a word', (t) => {
  const pipe = join(t.context, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const variable of ['CONFIG_FILE', 'ROLES_FILE', 'DATABASE_SSL_ROOT_CERT'])
    for (const path of [pipe, t.context, '/dev/zero']) {
      const { issues } = checkConfig({
        environment: { DATA_PATH: join(t.context, 'data'), DATABASE_URL: 'postgres://db/sheaf', [variable]: path },
      });
      t.is(issues.length, 1, `${variable} ${path}`);
      t.regex(describeIssue(issues[0] ?? { variable: '', message: '' }), /cannot be read: .*is not a regular file/);
    }
});

test('old names work in the file and are told', (t) => {
  const { values, notices } = check(
    t.context,
    'ocr:\n  workers: 3\nstorage:\n  storage_path: ./a\n  upload_path: ./b\ndatabase:\n  pool_size: 7\n',
    { OCR_MAX_PARALLEL: '4', OCR_WORKERS: '5' },
  );
  t.is(values.CONCURRENT_OCR_JOBS, 4);
  t.is(values.UPLOAD_PATH, './b');
  t.is(values.DATABASE_MAX_CONNECTIONS, 7);
  t.deepEqual(notices, [
    'storage.storage_path (service.yml:4) is the former name of UPLOAD_PATH; UPLOAD_PATH is also set and takes precedence',
    'ocr.workers (service.yml:2) is the former name of CONCURRENT_OCR_JOBS; use the new name',
    'database.pool_size (service.yml:7) is an alias of DATABASE_MAX_CONNECTIONS; use the new name',
    'OCR_WORKERS is the former name of CONCURRENT_OCR_JOBS; OCR_MAX_PARALLEL is also set and takes precedence',
    'OCR_MAX_PARALLEL is an alias of CONCURRENT_OCR_JOBS; use the new name',
  ]);
});
