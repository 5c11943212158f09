import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '@sheaf/config/testing';
import test from 'ava';
import { parse } from 'yaml';
import { z } from 'zod';
import { testWhere } from '../../support/conditional-test.ts';
import { openConfiguration } from '../../support/configuration.ts';
import { parseDockerfile } from '../../support/dockerfile.ts';
import {
  CHART,
  type ChartPod,
  environmentOf,
  LEAST_VALUES,
  lintChart,
  type Manifest,
  podsOf,
  programOf,
  renderChart,
} from '../../support/helm-chart.ts';
import { hasHelm } from '../../support/helm-program.ts';
import { findFaults } from '../../support/kubernetes-schema.ts';
import { procfileEntries } from '../../support/stop-time.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const testChart = testWhere(hasHelm, 'the npm package with helm has it for Linux on x64 alone');
const { load } = openConfiguration();

/** Everything that the chart can do, at once. */
const ALL_VALUES = {
  ...LEAST_VALUES,
  image: { repository: 'registry.example.org/sheaf', digest: `sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  config: { PUBLIC_URL: 'https://papers.example.org', PROXY_COUNT: 1, EMAIL_ENABLED: false },
  storage: { s3: { bucket: 'documents', endpointUrl: 'https://minio.example.org:9000', prefix: 'archive' } },
  watchFolder: { existingClaim: 'watch' },
  backups: { existingClaim: 'backups', schedule: '0 1 * * *' },
  api: { podAnnotations: { team: 'archive' }, nodeSelector: { disk: 'ssd' } },
  ocrWorker: { autoscaling: { queueAgeLabels: { installation: 'papers' } }, tolerations: [{ key: 'ocr', operator: 'Exists' }] },
  serviceAccount: { annotations: { role: 'none' } },
  ingress: { enabled: true, className: 'nginx', host: 'papers.example.org', tlsSecret: 'papers-tls', annotations: { a: 'b' } },
  metrics: { podMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  networkPolicy: {
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    database: { to: [{ ipBlock: { cidr: '10.0.0.7/32' } }], ports: [5432, 6432] },
    extraEgress: { api: [{ ports: [{ port: 636, protocol: 'TCP' }] }], sync: [{ ports: [{ port: 587, protocol: 'TCP' }] }] },
  },
  extraVolumes: [{ name: 'certificates', configMap: { name: 'certificates' } }],
  extraVolumeMounts: [{ name: 'certificates', mountPath: '/certificates' }],
};
const LOCAL = { type: 'local', local: { existingClaim: 'documents', isReadWriteMany: true } };
const ON_CPU = { autoscaling: { metric: 'cpu' } };
const VARIANTS: Readonly<Record<string, object>> = {
  'the least': LEAST_VALUES,
  everything: ALL_VALUES,
  azure: { ...LEAST_VALUES, storage: { type: 'azure', azure: { container: 'documents' } }, ocrWorker: ON_CPU },
  'a shared volume': { ...LEAST_VALUES, storage: LOCAL, ocrWorker: { autoscaling: { enabled: false } } },
};

const OF_ALL = {
  DATABASE_URL: 'postgresql://sheaf:secret@postgres.example.org:5432/sheaf',
  APP_SECRET_KEY: 'x'.repeat(48),
  JWT_SECRET: 'y'.repeat(48),
  SESSION_SECRET: 'z'.repeat(48),
};
/** The Secret of an installation with S3. */
const SECRET = { ...OF_ALL, S3_ACCESS_KEY_ID: 'sheaf', S3_SECRET_ACCESS_KEY: 'long enough a secret' };
const OTHER_SECRETS: Readonly<Record<string, Record<string, string>>> = {
  azure: {
    ...OF_ALL,
    AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=https;AccountName=papers;AccountKey=${'A'.repeat(86)}==;EndpointSuffix=core.windows.net`,
  },
  'a shared volume': OF_ALL,
};

const labelsOf = (labels: unknown): Record<string, string> => z.record(z.string(), z.string()).parse(labels);
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
const matches = (pod: ChartPod, selector: unknown): boolean =>
  Object.entries(labelsOf(selector)).every(([name, value]) => pod.labels[name] === value);
const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const lasting = (manifests: readonly Manifest[]): ChartPod[] => podsOf(manifests).filter(({ kind }) => kind === 'Deployment');

testChart('helm finds no fault with the chart, and Kubernetes none with what it makes, down to the names of fields', async (t) => {
  for (const [name, values] of Object.entries(VARIANTS)) {
    await t.notThrowsAsync(lintChart(values), name);
    const manifests = await renderChart(values);
    for (const manifest of manifests) {
      const faults = findFaults(manifest);
      if (faults === undefined) t.is(manifest.kind, 'PodMonitor');
      else t.deepEqual(faults, [], `${name}: ${manifest.kind} ${manifest.metadata.name}`);
    }
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    t.is(new Set(names).size, names.length, name);
  }
});

testChart(
  'each process of the Procfile is a Deployment with its flags, and the schema and the backups have the commands for them',
  async (t) => {
    const pods = podsOf(await renderChart(ALL_VALUES));
    const programs = Object.fromEntries(pods.map(({ component, container }) => [component, programOf(container).join(' ')]));
    t.deepEqual(programs, {
      ...Object.fromEntries(procfileEntries().map(({ name, command }) => [name, ['bin/sheaf-node', ...command.slice(1)].join(' ')])),
      migration: 'bin/migrate up --log',
      backup: 'bin/sheaf backup --keep 14',
    });
    const kinds = Object.fromEntries(pods.map(({ component, kind }) => [component, kind]));
    t.like(kinds, { api: 'Deployment', migration: 'Job', backup: 'CronJob' });
    const image = parseDockerfile(read('Dockerfile')).at(-1);
    t.true(image?.instructions.some(({ word, text }) => word === 'ENTRYPOINT' && text.startsWith('["/usr/bin/tini", "--"')));
  },
);

testChart('the configuration of each pod is a good one, of declared variables, and the secrets come from the Secret', async (t) => {
  for (const [name, values] of Object.entries(VARIANTS))
    for (const { component, container } of podsOf(await renderChart(values))) {
      const names = container.env.map((entry) => entry.name);
      t.is(new Set(names).size, names.length, component);
      for (const entry of container.env) {
        const variable = VARIABLES[entry.name as keyof typeof VARIABLES];
        t.truthy(variable, `${component}: ${entry.name}`);
        t.is('valueFrom' in entry, variable.type === 'secret' || entry.name === 'S3_ACCESS_KEY_ID', entry.name);
      }
      const config = load(environmentOf(container, OTHER_SECRETS[name] ?? SECRET));
      t.is(config.database.url?.reveal(), SECRET.DATABASE_URL, `${name}: ${component}`);
      for (const secret of ['APP_SECRET_KEY', 'JWT_SECRET', 'SESSION_SECRET'] as const)
        t.true(names.includes(secret), `${component} would generate its own ${secret}`);
    }
});

testChart('the probes ask where each process answers', async (t) => {
  for (const { component, container } of lasting(await renderChart(LEAST_VALUES))) {
    const { server, probes } = load(environmentOf(container, SECRET));
    const ports: Readonly<Record<string, number>> = {
      api: server.port,
      watcher: probes.portBase + 10,
      sync: probes.portBase + 20,
      'ocr-worker': probes.portBase + 30,
    };
    t.deepEqual(container.ports, [{ name: 'http', containerPort: ports[component] as number }]);
    t.is(component === 'api' ? server.host : probes.host, '0.0.0.0');
    for (const [probe, path] of [
      ['startupProbe', server.healthPath],
      ['livenessProbe', server.healthPath],
      ['readinessProbe', server.readyPath],
    ] as const)
      t.deepEqual(at(container, probe, 'httpGet'), { path, port: 'http' }, `${component}: ${probe}`);
  }
});

testChart('every selector finds the pods it is for, and no other component', async (t) => {
  const manifests = await renderChart(ALL_VALUES);
  const pods = podsOf(manifests);
  const found = (selector: unknown): string[] => pods.filter((pod) => matches(pod, selector)).map(({ component }) => component);
  for (const { metadata, spec } of ofKind(manifests, 'Deployment')) {
    const [component = ''] = found(at(spec, 'selector', 'matchLabels'));
    t.true(metadata.name.endsWith(`-${component}`));
    t.is(found(at(spec, 'selector', 'matchLabels')).length, 1);
  }
  const budgets = ofKind(manifests, 'PodDisruptionBudget').map(({ spec }) => found(at(spec, 'selector', 'matchLabels')));
  t.deepEqual(budgets.flat().toSorted(), ['api', 'ocr-worker', 'sync', 'watcher']);
  const [service] = ofKind(manifests, 'Service');
  t.deepEqual(found(at(service, 'spec', 'selector')), ['api']);
  const [ingress] = ofKind(manifests, 'Ingress');
  t.is(at(ingress, 'spec', 'rules', '0', 'http', 'paths', '0', 'backend', 'service', 'name'), service?.metadata.name);
  const [monitor] = ofKind(manifests, 'PodMonitor');
  t.deepEqual(found(at(monitor, 'spec', 'selector', 'matchLabels')).length, pods.length);
});

testChart('the workers are scaled by the age of the queue, which the adapter makes of a metric that the api exports', async (t) => {
  const target = (values: object) =>
    renderChart(values).then((manifests) => ({ manifests, autoscaler: ofKind(manifests, 'HorizontalPodAutoscaler')[0] }));
  const { manifests, autoscaler } = await target(LEAST_VALUES);
  const scaled = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === at(autoscaler, 'spec', 'scaleTargetRef', 'name'));
  t.is(scaled?.metadata.labels['app.kubernetes.io/component'], 'ocr-worker');
  t.is(at(scaled, 'spec', 'replicas'), undefined, 'an upgrade would undo what the autoscaler did');
  t.deepEqual(at(autoscaler, 'spec', 'metrics'), [
    { type: 'External', external: { metric: { name: 'sheaf_ocr_queue_oldest_seconds' }, target: { type: 'Value', value: '60' } } },
  ]);
  const { rules } = parse(read('deploy/prometheus/adapter.rules.yml')) as {
    rules: { external: { seriesQuery: string; name: { as: string } }[] };
  };
  t.deepEqual(
    rules.external.map(({ name }) => name.as),
    ['sheaf_ocr_queue_oldest_seconds'],
  );
  t.true(rules.external[0]?.seriesQuery.startsWith('sheaf_ocr_queue_oldest_seconds{'));

  const byProcessor = await target({ ...LEAST_VALUES, ocrWorker: ON_CPU });
  t.is(at(byProcessor.autoscaler, 'spec', 'metrics', '0', 'resource', 'target', 'averageUtilization'), 80);
  const fixed = await target({ ...LEAST_VALUES, ocrWorker: { replicas: 3, autoscaling: { enabled: false } } });
  t.is(fixed.autoscaler, undefined);
  t.true(ofKind(fixed.manifests, 'Deployment').some(({ spec }) => at(spec, 'replicas') === 3));
});

testChart('watcher and sync have a second that stands by, and every pod has the time to stop', async (t) => {
  const manifests = await renderChart({ ...LEAST_VALUES, shutdownGraceSeconds: 40 });
  for (const { metadata, spec } of ofKind(manifests, 'Deployment')) {
    if (!metadata.name.endsWith('-ocr-worker')) t.is(at(spec, 'replicas'), 2, metadata.name);
    t.deepEqual(at(spec, 'strategy', 'rollingUpdate'), { maxSurge: 1, maxUnavailable: 0 });
  }
  for (const { component, spec, container } of lasting(manifests)) {
    t.is(load(environmentOf(container, SECRET)).process.graceMs, 40_000);
    const drainSeconds = Number(at(container, 'lifecycle', 'preStop', 'exec', 'command', '1') ?? 0);
    t.is(drainSeconds > 0, component === 'api');
    t.true((spec.terminationGracePeriodSeconds ?? 0) >= 40 + drainSeconds + 5, component);
  }
});

testChart('a pod has no privileges and no token, and writes to its volumes alone', async (t) => {
  const image = parseDockerfile(read('Dockerfile')).at(-1);
  const folders = JSON.parse(image?.instructions.find(({ word }) => word === 'VOLUME')?.text ?? '[]') as string[];
  const user = Number(/SHEAF_UID=(\d+)/.exec(read('Dockerfile').slice(read('Dockerfile').indexOf('ARG SHEAF_UID')))?.[1]);
  for (const { component, spec, container } of podsOf(await renderChart(ALL_VALUES))) {
    t.false(spec.automountServiceAccountToken, component);
    t.false(spec.enableServiceLinks, `${component}: a service called postgres would set POSTGRES_PORT`);
    t.like(at(spec, 'securityContext'), {
      runAsNonRoot: true,
      runAsUser: user,
      fsGroup: user,
      seccompProfile: { type: 'Localhost', localhostProfile: 'sheaf.json' },
    });
    t.deepEqual(at(container, 'securityContext'), {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      appArmorProfile: { type: 'Unconfined' },
    });
    const mounts = container.volumeMounts.filter(({ mountPath }) => mountPath !== '/certificates');
    t.deepEqual(
      [...new Set(container.volumeMounts.map(({ name }) => name))].toSorted(),
      spec.volumes.map(({ name }) => name).toSorted(),
      component,
    );
    for (const { mountPath } of mounts) t.true(['/tmp', '/run', ...folders].includes(mountPath), mountPath);
    for (const needed of ['/tmp', '/run', '/data', '/uploads']) t.true(mounts.some(({ mountPath }) => mountPath === needed));
    const shared = mounts.map(({ mountPath }) => mountPath).slice(4);
    const wanted: Readonly<Record<string, string[]>> = {
      api: ['/user_watch', '/backups'],
      watcher: ['/watch', '/user_watch', '/processed', '/backups'],
      backup: ['/backups'],
    };
    t.deepEqual(shared, wanted[component] ?? [], component);
    t.truthy(at(container, 'resources', 'limits', 'memory'), component);
  }
});

testChart('the memory that a process keeps to is below the limit of its container', async (t) => {
  for (const { component, container } of podsOf(await renderChart(LEAST_VALUES))) {
    const [, mebibytes] = /^(\d+)Mi$/.exec(String(at(container, 'resources', 'limits', 'memory'))) ?? [];
    t.true(Number(mebibytes) >= Number(environmentOf(container, SECRET)['MEMORY_LIMIT_MB']), component);
  }
});

testChart('the migration runs before an installation and an upgrade, and uses nothing that the chart makes', async (t) => {
  const manifests = await renderChart(ALL_VALUES);
  const [job] = ofKind(manifests, 'Job');
  t.is(job?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
  t.is(at(job, 'spec', 'template', 'spec', 'serviceAccountName'), undefined, 'the account is not there yet');
  t.deepEqual(at(job, 'spec', 'podFailurePolicy', 'rules', '0', 'onExitCodes'), {
    containerName: 'migration',
    operator: 'In',
    values: [2, 78],
  });
  t.is(at(job, 'spec', 'template', 'spec', 'restartPolicy'), 'Never', 'the policy needs it');
});

testChart('nothing comes in and nothing goes out but what is named', async (t) => {
  const manifests = await renderChart(ALL_VALUES);
  const pods = podsOf(manifests);
  const policies = ofKind(manifests, 'NetworkPolicy');
  const policy = (name: string): Manifest | undefined => policies.find(({ metadata }) => metadata.name.endsWith(name));
  const denied = at(policy('-default-deny'), 'spec');
  t.deepEqual(at(denied, 'policyTypes'), ['Ingress', 'Egress']);
  t.is(at(denied, 'ingress') ?? at(denied, 'egress'), undefined);
  for (const pod of pods) t.true(matches(pod, at(denied, 'podSelector', 'matchLabels')), pod.component);
  const outward = (component: string): unknown[] =>
    policies
      .filter(({ spec }) => pods.some((pod) => pod.component === component && matches(pod, at(spec, 'podSelector', 'matchLabels'))))
      .flatMap(({ spec }) => (at(spec, 'egress') as { ports: { port: number }[] }[] | undefined) ?? [])
      .flatMap(({ ports }) => ports.map(({ port }) => port));
  t.deepEqual(outward('ocr-worker'), [53, 53, 5432, 6432, 443], 'names, the database, the stored documents');
  t.deepEqual(outward('sync').at(-1), 587);
  t.deepEqual(outward('api').at(-1), 636);
  for (const [name, peers] of [
    ['-api', 'ingress-nginx'],
    ['-metrics', 'monitoring'],
  ] as const)
    t.is(at(policy(name), 'spec', 'ingress', '0', 'from', '0', 'namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'), peers);
});

testChart('values that cannot work are refused', async (t) => {
  const wrong: readonly (readonly [values: object, message: RegExp])[] = [
    [{ existingSecret: '' }, /existingSecret/],
    [{ image: { repository: '' } }, /repository/],
    [{ apiReplicas: 3 }, /additional properties 'apiReplicas' not allowed/],
    [{ api: { replicas: '3' } }, /got string, want integer/],
    [{ watcher: { replicas: 3 } }, /maximum/],
    [{ config: { JWT_SECRET: 'x' } }, /JWT_SECRET/],
    [{ config: { SERVER_PORT: 9000 } }, /SERVER_PORT/],
    [{ storage: { s3: { bucket: '' } } }, /storage\.s3\.bucket/],
    [{ storage: { type: 'azure' } }, /storage\.azure\.container/],
    [{ storage: { type: 'local' } }, /storage\.type=local/],
    [{ storage: { type: 'local', local: { existingClaim: 'documents' } } }, /ReadWriteMany/],
    [{ storage: { type: 'nfs' } }, /storage\/type/],
    [{ backups: { schedule: '0 1 * * *' } }, /backups\.existingClaim/],
    [{ ingress: { enabled: true } }, /ingress\.host/],
    [{ ocrWorker: { autoscaling: { minReplicas: 9 } } }, /minReplicas/],
    [{ security: { seccompProfile: { type: 'Localhost', localhostProfile: null } } }, /seccompProfile/],
  ];
  for (const [values, message] of wrong) {
    const error = await t.throwsAsync(renderChart({ ...LEAST_VALUES, ...values }), { message }, JSON.stringify(values));
    t.notRegex(error?.message ?? '', /nil pointer|can't evaluate/);
  }
});

type Schema = { readonly properties?: Record<string, Schema>; readonly additionalProperties?: unknown } & Record<string, unknown>;

test('the schema of the values is strict everywhere, and `config` takes no secret and nothing that the chart sets', (t) => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Schema;
  const visit = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return;
    if ('properties' in part) t.false((part as Schema).additionalProperties, path);
    for (const [key, inner] of Object.entries(part)) visit(inner, `${path}/${key}`);
  };
  visit(schema, '');
  const refused = z.array(z.string()).parse(at(schema, 'properties', 'config', 'propertyNames', 'not', 'enum'));
  for (const name of refused) t.true(Object.hasOwn(VARIABLES, name), name);
  for (const [name, { type }] of Object.entries(VARIABLES)) if (type === 'secret') t.true(refused.includes(name), name);
  const environment = readFileSync(join(CHART, 'templates/_environment.tpl'), 'utf8');
  const set = [...environment.matchAll(/(?:- name: |")([A-Z][A-Z0-9_]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'LOG_FORMAT');
  t.true(set.length > 10);
  for (const name of set) t.true(refused.includes(name), name);
  for (const [, name = ''] of read('Dockerfile').matchAll(/^\s*(?:ENV )?([A-Z_]+)=\//gm))
    if (Object.hasOwn(VARIABLES, name)) t.true(refused.includes(name), `${name} is a folder of the image`);
});

test('the chart has the version of the service', (t) => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string; appVersion: string };
  t.is(chart.version, version);
  t.is(chart.appVersion, version);
});
