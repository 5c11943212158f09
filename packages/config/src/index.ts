export type { Config } from './config.ts';
export { readEnvironment } from './environment.ts';
export { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts';
export { ConfigError, type ConfigIssue } from './parse.ts';
export { configurationTable } from './reference.ts';
export type { CorsSettings, HeaderSettings, RateLimitSettings, TrustedProxies } from './surface.ts';
