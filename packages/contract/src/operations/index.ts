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
  type HealthBody,
  healthBody,
  type SandboxLayers,
  sandboxLayers,
} from './health.ts';
export { foundProblems, joinHealth, problemsOf, unhealthy, warning } from './health-finding.ts';
export { type HostBody, hostBody, hostListQuery } from './hosts.ts';
export { type ProcessFacts, processFacts } from './process-facts.ts';
export {
  makeProblem,
  type ProblemDetails,
  problemOf,
  type ServiceProblem,
  type ServiceProblemCode,
  serviceProblem,
} from './service-problem.ts';
export { type StorageBody, storageBody } from './storage.ts';
