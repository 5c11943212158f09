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
export { type ProcessFacts, processFacts } from './process-facts.ts';
