export {
  makeProblem,
  type ProblemDetails,
  problemOf,
  type ServiceProblem,
  type ServiceProblemCode,
  serviceProblem,
} from '../errors.ts';
export {
  type DaysQuery,
  type DocumentAnalyticsBody,
  daysQuery,
  documentAnalyticsBody,
  type OcrAnalyticsBody,
  ocrAnalyticsBody,
  type ProcessingAnalyticsBody,
  processingAnalyticsBody,
  type SystemAnalyticsBody,
  type SystemMetricsBody,
  systemAnalyticsBody,
  systemMetricsBody,
  type UserAnalyticsBody,
  userAnalyticsBody,
} from './analytics.ts';
export { type BackupBody, type BackupRunBody, backupBody, backupListQuery, backupName, backupOverview, backupRunBody } from './backup.ts';
export {
  type ComponentHealth,
  componentHealth,
  type DetailedHealthBody,
  detailedHealthBody,
  foundProblems,
  type HealthBody,
  healthBody,
  joinHealth,
  type ProcessFacts,
  problemsOf,
  processFacts,
  type SandboxLayers,
  sandboxLayers,
  unhealthy,
  warning,
} from './health.ts';
export { type HostBody, hostBody, hostListQuery } from './hosts.ts';
export { type StorageBody, storageBody } from './storage.ts';
