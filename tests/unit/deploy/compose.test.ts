import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ALIASES, VARIABLES, type VariableName } from '@sheaf/config/testing';
import test from 'ava';
import { parse } from 'yaml';
import { z } from 'zod';
import { openConfiguration } from '../../support/configuration.ts';
import { parseDockerfile } from '../../support/dockerfile.ts';
import { overallStopSeconds } from '../../support/stop-time.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What docker-compose.yml and docker-compose.worker.yml use of the Compose specification; anything else is a mistake or belongs here. */
const service = z.strictObject({
  build: z.literal('.').optional(),
  image: z.string(),
  hostname: z.string().optional(),
  profiles: z.array(z.string()).optional(),
  env_file: z.literal('.env').optional(),
  environment: z.record(z.string(), z.string()).optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string().regex(/^[a-z0-9_]+:\/[\w/]+$/)).optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']), required: z.boolean().optional() }),
    )
    .optional(),
  healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.int() }).optional(),
  restart: z.enum(['unless-stopped', 'no']),
  stop_grace_period: z.string().optional(),
  shm_size: z.string().optional(),
  deploy: z
    .strictObject({
      resources: z.strictObject({
        reservations: z.strictObject({ memory: z.string() }),
        limits: z.strictObject({ memory: z.string() }),
      }),
    })
    .optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
});
const composeFile = z.strictObject({ name: z.string(), services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) });
const readCompose = (path: string) => composeFile.parse(parse(read(path)));
const compose = readCompose('docker-compose.yml');
const { services } = compose;
const sheaf = services['sheaf'] as z.infer<typeof service>;
const ofWorker = readCompose('docker-compose.worker.yml');
const worker = ofWorker.services['ocr-worker'] as z.infer<typeof service>;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60 };
const seconds = (text = ''): number => {
  const [, count, unit = ''] = /^(\d+)([sm])$/.exec(text) ?? [];
  return Number(count) * (SECONDS[unit] ?? Number.NaN);
};

const { load } = openConfiguration();

/** The variables of .env.example, those that are commented out too. */
const example = Object.fromEntries(
  [...read('.env.example').matchAll(/^#?([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);
const COMPOSE_ALONE = ['COMPOSE_FILE', 'COMPOSE_PROFILES', 'CONTAINER_MEMORY_LIMIT_MB', 'WORKER_HOST_NAME'];
const isOurs = (name: string): boolean => Object.hasOwn(VARIABLES, name) || Object.hasOwn(ALIASES, name);

/** As Compose does it, also a variable as the default of another; one that is not set and has no default throws. */
const interpolate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])((?:\$\{[^}]*\}|[^}])*))?\}/g,
    (whole, name: string | undefined, kind: string | undefined, rest = '') => {
      if (name === undefined) return whole === '$$' ? '$' : whole;
      const value = values[name] ?? '';
      if (value !== '') return value;
      if (kind === '-') return interpolate(rest, values);
      throw new Error(`${name} is not set: ${rest}`);
    },
  );

test('every variable that compose and its example name is one of the service, and what is asked for at the start has a default', (t) => {
  for (const name of Object.keys({ ...sheaf.environment, ...worker.environment })) t.true(isOurs(name), name);
  for (const name of Object.keys(example)) t.true(isOurs(name) || COMPOSE_ALONE.includes(name), name);
  const files = read('docker-compose.yml') + read('docker-compose.worker.yml');
  for (const [, name = '', kind, rest = ''] of files.matchAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g)) {
    t.true(Object.hasOwn(example, name), `${name} is in .env.example`);
    t.truthy(kind, name);
    const { default: byDefault } = VARIABLES[name as VariableName] ?? {};
    if (kind === '-' && rest !== '' && !rest.startsWith('${') && byDefault !== undefined) t.is(rest, byDefault, name);
  }
  t.throws(() => interpolate(sheaf.environment?.['POSTGRES_PASSWORD'] ?? '', {}), { message: /set POSTGRES_PASSWORD in \.env/ });
});

test('the configuration that compose gives the service is a good one, as it is and with both profiles', (t) => {
  const filled = { ...(parseEnv(read('.env.example')) as Record<string, string>), POSTGRES_PASSWORD: 'a/b@c:d%41' };
  const environmentOf = (file: Record<string, string>) => ({
    ...file,
    ...Object.fromEntries(Object.entries(sheaf.environment ?? {}).map(([name, text]) => [name, interpolate(text, file)])),
  });
  const plain = load(environmentOf(filled));
  t.is(plain.database.url?.reveal(), 'postgresql://sheaf:a%2Fb%40c%3Ad%2541@postgres:5432/sheaf');
  t.like(plain.server, { host: '0.0.0.0', port: Number(sheaf.ports?.[0]?.split(':').at(-1)) });

  const watched = load(environmentOf({ ...filled, EXPORTER_ENABLED: 'true', EXPORTER_PORT: '9999' }));
  t.is(watched.probes.host, '0.0.0.0', 'other containers reach the exporter');
  t.is(watched.telemetry.exporterPort, 9_090, 'where prometheus.yml says it is');
  t.deepEqual(
    sheaf.ports?.map((port) => port.split(':').at(-1)),
    ['8080'],
    'and the host does not',
  );

  const everything: Record<string, string> = {
    ...example,
    ...filled,
    SERVER_PORT: '9000',
    S3_SECRET_ACCESS_KEY: 'long enough a secret',
    ADMIN_PASSWORD: 'Correct-horse-1',
    APP_SECRET_KEY: 'x'.repeat(48),
    JWT_SECRET: 'x'.repeat(48),
    SESSION_SECRET: 'x'.repeat(48),
    DATABASE_URL: '',
  };
  const full = load(environmentOf(everything));
  t.is(full.storage.type, 's3');
  t.is(full.sessions.storeUrl?.reveal(), 'redis://redis:6379');
  t.is(full.server.port, 8080, 'SERVER_PORT is that of the host');
  t.is(new URL(everything['S3_ENDPOINT_URL'] ?? '').hostname, 's3');
  t.is(new URL(everything['STORE_SESSION_URL'] ?? '').hostname, 'redis');
});

test('volumes, dependencies and profiles of compose fit together', (t) => {
  const used = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''));
  t.deepEqual([...new Set(used)].toSorted(), Object.keys(compose.volumes).toSorted());
  t.is(new Set(used).size, used.length, 'no two services share one');
  const volumes =
    parseDockerfile(read('Dockerfile'))
      .at(-1)
      ?.instructions.find(({ word }) => word === 'VOLUME')?.text ?? '[]';
  t.deepEqual(
    sheaf.volumes?.map((volume) => volume.split(':')[1]),
    JSON.parse(volumes) as string[],
  );

  t.deepEqual(new Set(Object.values(services).flatMap(({ profiles = [] }) => profiles)), new Set(['redis', 's3']));
  for (const [name, { depends_on: needed = {}, profiles = [] }] of Object.entries(services)) {
    for (const [other, { condition, required = true }] of Object.entries(needed)) {
      const target = services[other];
      t.truthy(target, `${name} needs ${other}`);
      if (condition === 'service_healthy') t.truthy(target?.healthcheck, `${other} can be healthy`);
      else t.is(target?.restart, 'no', `${other} ends`);
      // a service that is always there cannot insist on one that is there with a profile only
      if (required)
        t.true(
          (target?.profiles ?? []).every((profile) => profiles.includes(profile)),
          `${name} needs ${other}`,
        );
    }
  }
});

test('compose lets the service stop in order, and the wall of memory stands behind the limit', (t) => {
  t.true(seconds(sheaf.stop_grace_period) > overallStopSeconds());
  const { reservations, limits } = sheaf.deploy?.resources ?? {};
  const [own, wall] = [reservations, limits].map((value) => Number(interpolate(value?.memory ?? '', {}).replace(/M$/, '')));
  t.is(own, Number(VARIABLES.MEMORY_LIMIT_MB.default));
  t.true((wall ?? 0) >= 1.25 * (own ?? 0));
});

test('only the service has a port, and no image is of a moving version', (t) => {
  for (const [name, { ports, image }] of Object.entries(services)) {
    if (name === 'sheaf') continue;
    t.is(ports, undefined, name);
    t.regex(image, /:(?!latest).*\d/, name);
  }
});

const profile = z.strictObject({
  defaultAction: z.literal('SCMP_ACT_ALLOW'),
  archMap: z.array(z.strictObject({ architecture: z.string(), subArchitectures: z.array(z.string()) })),
  syscalls: z.array(
    z.strictObject({ comment: z.string(), names: z.array(z.string()), action: z.literal('SCMP_ACT_ERRNO'), errnoRet: z.number() }),
  ),
});

test('the container has a read-only root and no privileges, and what it writes to is a volume or in memory', (t) => {
  t.true(sheaf.read_only);
  t.deepEqual(sheaf.cap_drop, ['ALL']);
  t.true(sheaf.security_opt?.includes('no-new-privileges:true'));
  const mounted = sheaf.tmpfs?.map((mount) => mount.split(':')) ?? [];
  t.deepEqual(
    mounted.map(([path]) => path),
    ['/tmp', '/run'],
  );
  for (const [path, options = ''] of mounted) {
    t.regex(options, /size=\d+/, path);
    t.regex(options, /nosuid,nodev/, path);
  }
});

test('the seccomp profile lets bubblewrap make its sandbox, and nothing touch the kernel', (t) => {
  const path = sheaf.security_opt?.find((option) => option.startsWith('seccomp:'))?.slice('seccomp:'.length) ?? '';
  const { syscalls, archMap } = profile.parse(JSON.parse(read(path)));
  const denied = syscalls.flatMap(({ names }) => names);
  t.is(new Set(denied).size, denied.length);
  t.deepEqual(
    archMap.map(({ architecture }) => architecture),
    ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
  );
  for (const call of ['clone', 'clone3', 'unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'sethostname', 'prctl', 'seccomp'])
    t.false(denied.includes(call), call);
  for (const call of ['init_module', 'kexec_load', 'bpf', 'ptrace', 'keyctl', 'open_by_handle_at', 'userfaultfd', 'io_uring_setup'])
    t.true(denied.includes(call), call);
  t.true(sheaf.security_opt?.includes('apparmor:unconfined'), 'the profile of the engine forbids mounts');
});

test('the workers of a further host know the database and the stored documents, and are as restricted as the service', (t) => {
  t.deepEqual(Object.keys(ofWorker.services), ['ocr-worker'], 'nothing else runs there');
  t.deepEqual(worker.command, ['start', '--only', 'ocr-worker']);
  t.is(worker.ports, undefined);
  for (const key of [
    'build',
    'image',
    'env_file',
    'restart',
    'stop_grace_period',
    'deploy',
    'read_only',
    'tmpfs',
    'cap_drop',
    'security_opt',
  ] as const)
    t.deepEqual(worker[key], sheaf[key], key);
  t.deepEqual(
    worker.volumes?.map((volume) => volume.split(':')[0]),
    Object.keys(ofWorker.volumes),
  );
  const environmentOf = (file: Record<string, string>) => ({
    ...file,
    ...Object.fromEntries(Object.entries(worker.environment ?? {}).map(([name, text]) => [name, interpolate(text, file)])),
  });
  const file = {
    DATABASE_URL: 'postgresql://sheaf:secret@db.example.org:5432/sheaf',
    APP_SECRET_KEY: 'x'.repeat(48),
    STORAGE_TYPE: 's3',
    S3_BUCKET_NAME: 'documents',
    S3_ACCESS_KEY_ID: 'sheaf',
    S3_SECRET_ACCESS_KEY: 'long enough a secret',
  };
  for (const name of ['DATABASE_URL', 'APP_SECRET_KEY', 'STORAGE_TYPE'])
    t.throws(() => environmentOf({ ...file, [name]: '' }), { message: new RegExp(`^${name} is not set`) });
  t.throws(() => interpolate(worker.hostname ?? '', {}), { message: /WORKER_HOST_NAME is not set/ });
  const config = load(environmentOf(file));
  t.is(config.database.url?.reveal(), file.DATABASE_URL);
  t.is(config.storage.type, 's3');
  t.true(worker.healthcheck?.test.at(-1)?.includes(`'http://127.0.0.1:${config.probes.portBase}${config.server.readyPath}'`));
});

test('with DATABASE_URL compose asks for no password of PostgreSQL, and starts none', (t) => {
  const override = z
    .strictObject({
      services: z.strictObject({
        sheaf: z.strictObject({
          environment: z.record(z.string(), z.string()),
          depends_on: z.strictObject({ postgres: z.strictObject({ condition: z.literal('service_healthy'), required: z.literal(false) }) }),
        }),
        postgres: z.strictObject({ profiles: z.array(z.string()).length(1) }),
      }),
    })
    .parse(parse(read('docker-compose.external-database.yml')));
  const file = { DATABASE_URL: 'postgresql://ann:secret@db.example.org/papers', POSTGRES_PASSWORD: '' };
  const given = { ...sheaf.environment, ...override.services.sheaf.environment };
  const environment = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, interpolate(text, file)]));
  t.is(load({ ...file, ...environment }).database.url?.reveal(), file.DATABASE_URL);
  for (const { environment: asked = {} } of Object.values(services))
    for (const text of Object.values(asked)) t.notThrows(() => interpolate(text, file), text);
  t.false(Object.values(services).some(({ profiles = [] }) => profiles.includes(override.services.postgres.profiles[0] ?? '')));
});

test('the file types of .env.example lack none that is allowed where nothing is set, e-invoices among them', (t) => {
  const { upload } = load({}).ingest.allowedFileTypes;
  const written = load({ ALLOWED_FILE_TYPES: example['ALLOWED_FILE_TYPES'] ?? '' }).ingest.allowedFileTypes;
  t.deepEqual(
    upload.filter((extension) => !written.upload.includes(extension)),
    [],
  );
  t.true(written.upload.includes('xml'));
});

test('each docker run of the documentation names a volume for each folder of the image that is kept', (t) => {
  const volumes = JSON.parse(
    parseDockerfile(read('Dockerfile'))
      .at(-1)
      ?.instructions.find(({ word }) => word === 'VOLUME')?.text ?? '[]',
  ) as string[];
  for (const page of ['docs/install/container.md', 'docs/operate/security.md']) {
    const [command = ''] = /^docker run (?:.*\\\n)*.*$/m.exec(read(page)) ?? [];
    for (const volume of volumes) t.regex(command, new RegExp(`-v \\w+:${volume}\\b`), `${page} ${volume}`);
  }
});
