import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as autoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as cronJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1CronJob';
import { validate as job } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as serviceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount';
import { validate as ingress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import type { Manifest } from './helm-chart.ts';

interface Validator {
  (data: unknown): boolean;
  readonly errors?: readonly { readonly instancePath?: string; readonly message?: string }[] | null;
}

/** Of the schemas that Kubernetes publishes, by version and kind. */
const VALIDATORS: Readonly<Record<string, Validator>> = {
  'apps/v1 Deployment': deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaler,
  'batch/v1 CronJob': cronJob,
  'batch/v1 Job': job,
  'networking.k8s.io/v1 Ingress': ingress,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
  'v1 Service': service,
  'v1 ServiceAccount': serviceAccount,
};

/** The same value, which notes the path of each field that is looked at. */
const watched = (value: unknown, path: string, seen: Set<string>): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const field: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return field;
      seen.add(`${path}/${key}`);
      return watched(field, `${path}/${key}`, seen);
    },
  });
};

const fieldsOf = (value: unknown, path: string): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, field]) => [`${path}/${key}`, ...fieldsOf(field, `${path}/${key}`)]);

/**
 * What Kubernetes would find wrong with an object by the schema of its kind: what does not fit, and the paths of fields that the schema
 * does not know. Undefined for a kind that Kubernetes itself does not have.
 */
export const findFaults = (manifest: Manifest): readonly string[] | undefined => {
  const validate = VALIDATORS[`${manifest.apiVersion} ${manifest.kind}`];
  if (validate === undefined) return undefined;
  const seen = new Set<string>();
  if (!validate(watched(manifest, '', seen)))
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  // The schemas let unknown fields pass, but a validator looks at each field that its schema names.
  return fieldsOf(manifest, '').filter((path) => !seen.has(path));
};
