import { HEALTH_STATUSES, worst } from '@sheaf/vocabulary/health';
import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import { HOST_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { makeProblem, type ProblemDetails, type ServiceProblem, type ServiceProblemCode, serviceProblem } from '../errors.ts';
import { pageQuery, sortQuery } from '../page.ts';

/** Choice: all of most installations on one page. */
export const hostListQuery = pageQuery.extend({
  per_page: pageQuery.shape.per_page.unwrap().default(MAX_PER_PAGE),
  ...sortQuery(HOST_SORT_FIELDS, { sort: 'host', order: 'asc' }),
});

export const hostBody = z
  .strictObject({
    host: z.string(),
    processes: z.array(z.string()).describe('Names of its processes, with a number from the second one on'),
    active: z.array(z.string()).describe('Of watcher and sync, of which one each works in the whole installation: those that work here'),
    standby: z.array(z.string()).describe('Of watcher and sync: those that take over when the one that works ends'),
    version: z.string().describe('Of its newest process'),
    cores: z.int().nullable().describe('CPU cores that its OCR workers may use; null without an OCR worker'),
    languages: z.array(z.string()).describe('OCR languages that are installed there'),
    state: z
      .enum(['running', 'draining', 'drained', 'silent'])
      .describe('draining: its OCR workers finish what they have begun; drained: they have; silent: no heartbeat for 15 seconds'),
    last_seen_at: z.iso.datetime(),
    active_jobs: z.int().describe('Documents that are being processed there'),
  })
  .meta({ id: 'Host' });
export type HostBody = z.infer<typeof hostBody>;

/** A component with these problems; healthy where there is none. Each is listed once. */
export const foundProblems = (status: 'warning' | 'unhealthy', problems: readonly ServiceProblem[]): ComponentHealth => {
  const byMessage = new Map(problems.map((problem) => [problem.message, problem]));
  return byMessage.size === 0
    ? { status: 'healthy' }
    : { status, message: [...byMessage.keys()].join('; '), problems: [...byMessage.values()] };
};

/** A component that works, with the problem of a code. */
export const warning = <C extends ServiceProblemCode>(code: C, ...details: ProblemDetails<C>): ComponentHealth =>
  foundProblems('warning', [makeProblem(code, ...details)]);

/** A component that does not work, with the problem of a code. */
export const unhealthy = <C extends ServiceProblemCode>(code: C, ...details: ProblemDetails<C>): ComponentHealth =>
  foundProblems('unhealthy', [makeProblem(code, ...details)]);

/** The problems of a component; a process of another version may have written only a message, and one without either has its `name`. */
export const problemsOf = ({ message, problems }: ComponentHealth, name?: string): readonly ServiceProblem[] => {
  const text = message ?? name;
  return problems ?? (text === undefined ? [] : [{ code: 'other', message: text, details: {} }]);
};

/** What several say of the same component: the worst of them, with all problems. */
export const joinHealth = (...findings: readonly ComponentHealth[]): ComponentHealth => {
  const status = worst(findings.map((finding) => finding.status));
  if (status === 'healthy') return { status };
  return {
    ...foundProblems(
      status,
      findings.flatMap((finding) => problemsOf(finding)),
    ),
    status,
  };
};

/** What a component says of itself. */
export const componentHealth = z
  .strictObject({
    status: z.enum(HEALTH_STATUSES),
    message: z.string().exactOptional().describe('All problems with their remedies, in English'),
    problems: z.array(serviceProblem).exactOptional().describe('What is wrong, for programs and translations'),
  })
  .meta({ id: 'ComponentHealth' });
export type ComponentHealth = Readonly<z.infer<typeof componentHealth>>;

/** What stands between a program that reads a stranger's document and the rest of the machine. */
export const sandboxLayers = z
  .strictObject({
    filesystem: z
      .enum(['bubblewrap', 'none'])
      .describe('File system isolation: the program can access only its libraries, fonts and scratch folder'),
    network: z.boolean().describe('The program runs in an empty network namespace'),
    processes: z.boolean().describe('The program runs in its own process namespace'),
    user: z.string().nullable().describe('OS user of the program, if different from the service'),
    seccomp: z.boolean().describe('A seccomp filter blocks dangerous system calls'),
    no_new_privileges: z.boolean(),
    resource_limits: z.boolean().describe('Memory, CPU time, file size and open files are limited'),
  })
  .meta({ id: 'SandboxLayers' });
export type SandboxLayers = Readonly<z.infer<typeof sandboxLayers>>;

export const healthBody = z
  .strictObject({
    status: z.enum(HEALTH_STATUSES),
    timestamp: z.iso.datetime(),
    components: z.strictObject({
      database: z.enum(HEALTH_STATUSES),
      ocr_engine: z.enum(HEALTH_STATUSES),
      file_storage: z.enum(HEALTH_STATUSES),
      sources: z.record(z.string(), z.enum(HEALTH_STATUSES)),
    }),
    /** What is not healthy, by component, each with its remedy. */
    messages: z.record(z.string(), z.string()),
    /** The same with codes. */
    problems: z.record(z.string(), z.array(serviceProblem)),
    /** Of programs that read documents; absent while no ocr-worker runs. */
    sandbox: sandboxLayers.exactOptional(),
  })
  .meta({ id: 'Health' });
export type HealthBody = z.infer<typeof healthBody>;

export const detailedHealthBody = z
  .strictObject({
    status: z.enum(HEALTH_STATUSES),
    timestamp: z.iso.datetime(),
    components: z.record(z.string(), componentHealth),
    /** Those that were heard of a moment ago. */
    processes: z.array(
      z.strictObject({
        name: z.string(),
        /** Number among its like; 0 for a process that is alone. */
        instance: z.int(),
        pid: z.int(),
        probe_port: z.int().nullable(),
        memory_bytes: z.int(),
        status: z.enum(HEALTH_STATUSES),
        version: z.string(),
        /** Equal for processes that have the same configuration in force. */
        config_hash: z.string(),
        started_at: z.iso.datetime(),
        seen_at: z.iso.datetime(),
        components: z.record(z.string(), componentHealth),
        sandbox: sandboxLayers.exactOptional(),
      }),
    ),
  })
  .meta({ id: 'DetailedHealth' });
export type DetailedHealthBody = z.infer<typeof detailedHealthBody>;

/** What each process says of itself in its row of `processes`, beside the columns that every process has. */
export const processFacts = z.object({
  /** Number among its like; 0 for a process that is alone. */
  instance: z.int(),
  /** Where its probes listen, as it was told: maybe 0.0.0.0. */
  probe_host: z.string(),
  /** Since when it has the configuration that its hash stands for. */
  config_since: z.iso.datetime(),
  /** Of an ocr-worker: how many cores it may use, and what it can recognise. */
  cores: z.int().exactOptional(),
  languages: z.array(z.string()).exactOptional(),
  /** Of a process that starts programs that read documents. */
  sandbox: sandboxLayers.exactOptional(),
});
export type ProcessFacts = z.infer<typeof processFacts>;
