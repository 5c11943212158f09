import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { helm } from './helm-program.ts';

export const CHART = join(import.meta.dirname, '../../deploy/helm/sheaf');
const RELEASE = 'papers';

/** What an installation has to say at least. */
export const LEAST_VALUES = {
  image: { repository: 'registry.example.org/sheaf' },
  existingSecret: 'sheaf',
  storage: { s3: { bucket: 'documents' } },
} as const;

/** An object for Kubernetes as Helm would send it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Runs helm with the values in a file; `args` stand before the chart. Throws with helm's message where it refuses. */
const withValues = async (values: object, ...args: readonly string[]): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-chart-'));
  try {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    return await helm(...args, CHART, '--values', file);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The chart's objects with these values, hooks too. */
export const renderChart = async (values: object): Promise<Manifest[]> =>
  parseAllDocuments(await withValues(values, 'template', RELEASE))
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

/** Throws what `helm lint` finds. */
export const lintChart = (values: object): Promise<string> => withValues(values, 'lint', '--strict');

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({
        name: z.string(),
        valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) }),
      }),
    ]),
  ),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
});
const podSpec = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  terminationGracePeriodSeconds: z.int().optional(),
  containers: z.tuple([container]),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const template = z.looseObject({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }), spec: podSpec });
const workload = z.union([
  z.looseObject({ jobTemplate: z.looseObject({ spec: z.looseObject({ template }) }) }).transform((spec) => spec.jobTemplate.spec.template),
  z.looseObject({ template }).transform((spec) => spec.template),
]);

export type ChartContainer = z.infer<typeof container>;

export interface ChartPod {
  readonly component: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: z.infer<typeof podSpec>;
  readonly container: ChartContainer;
}

const WORKLOADS = ['Deployment', 'Job', 'CronJob'];

/** What the workloads among the objects start. */
export const podsOf = (manifests: readonly Manifest[]): ChartPod[] =>
  manifests
    .filter(({ kind }) => WORKLOADS.includes(kind))
    .map(({ kind, spec }) => {
      const pod = workload.parse(spec);
      const component = pod.metadata.labels['app.kubernetes.io/component'] ?? '';
      return { component, kind, labels: pod.metadata.labels, spec: pod.spec, container: pod.spec.containers[0] };
    });

/** The variables of a container; `secret` gives those that come from the Secret. */
export const environmentOf = ({ env }: ChartContainer, secret: Readonly<Record<string, string>>): Record<string, string> => ({
  ...secret, // envFrom
  ...Object.fromEntries(
    env.map((entry) => [entry.name, 'value' in entry ? entry.value : (secret[entry.valueFrom.secretKeyRef.key] ?? '')]),
  ),
});

/** The command without tini, the first process of the image. */
export const programOf = ({ command: [first, separator, ...program] }: ChartContainer): string[] => {
  if (first !== '/usr/bin/tini' || separator !== '--') throw new Error(`does not start with tini: ${first} ${separator}`);
  return program;
};
