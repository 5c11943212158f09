import { z } from 'zod';

export const HEALTH_STATUSES = ['healthy', 'warning', 'unhealthy'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** One finding of a component about itself: what is wrong and what to do. */
export const componentHealth = z.strictObject({ status: z.enum(HEALTH_STATUSES), message: z.string().exactOptional() });
export type ComponentHealth = Readonly<z.infer<typeof componentHealth>>;

/** The worse of two states. */
export const worst = (statuses: readonly HealthStatus[]): HealthStatus =>
  statuses.includes('unhealthy') ? 'unhealthy' : statuses.includes('warning') ? 'warning' : 'healthy';

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
  })
  .meta({ id: 'Health' });
export type HealthBody = z.infer<typeof healthBody>;

const componentBody = z.strictObject({ status: z.enum(HEALTH_STATUSES), message: z.string().optional() });

export const detailedHealthBody = z
  .strictObject({
    status: z.enum(HEALTH_STATUSES),
    timestamp: z.iso.datetime(),
    components: z.record(z.string(), componentBody),
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
        components: z.record(z.string(), componentBody),
      }),
    ),
  })
  .meta({ id: 'DetailedHealth' });
export type DetailedHealthBody = z.infer<typeof detailedHealthBody>;
