export const HEALTH_STATUSES = ['healthy', 'warning', 'unhealthy'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** The worse of two states. */
export const worst = (statuses: readonly HealthStatus[]): HealthStatus =>
  statuses.includes('unhealthy') ? 'unhealthy' : statuses.includes('warning') ? 'warning' : 'healthy';
