import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import { z } from 'zod';
import { serviceProblem } from './service-problem.ts';

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
